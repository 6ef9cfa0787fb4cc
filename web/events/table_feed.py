"""The server-sent events for one phone: an `act` event for each new version of the match, and a `look` event for every
other change. Pages that take part in the shuffle also get a `shuffle` event for each game (the commitment to its seed),
and a `shares` event for each request. If the stream's request names its page, the phone also gets `page` events with
what has changed on that page.

An event's id is `game.version`. A phone that reconnects with the id of its last event receives every act since then.
With the id of an earlier game it receives a `look`, then every act of the current game; with an invalid id it receives
just a `look`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from companion.games import move_json
from companion.games.rules import SPECTATOR, Json, Viewer
from companion.games.view import LogEntry, Revision, View
from companion.table.table import Table
from companion.text.translation import Translator
from web.events.live_pages import LivePage, ShownPage

EVENT_ID = re.compile(r"(\d{1,9})\.(\d{1,9})", re.ASCII)
"""Matches the id of an event: `game.version`."""


def mark_text(view: View | None, revision: Revision) -> str:
    """The mark of the page that shows `view` (None between games): a text that names the state of the page. A page with
    another mark is out of date. `revision`: that of the table."""
    return f"{view.id if view else 0}.{revision.version}.{revision.refreshes}"


class Received(NamedTuple):
    """The state that a phone has received. `game` and `version` are those of the last event, `revision` and `mark`
    those of the table when that event was made. `shuffle`: the events about the shuffle. `page`: the mark of the page
    that the phone shows; "" if the mark is unknown."""

    game: int
    version: int
    revision: Revision = Revision(-1, -1)
    mark: str = ""
    shuffle: tuple[str, ...] = ()
    page: str = ""


class Audience(NamedTuple):
    """Spectators' phones that can all be sent the same events now: so far they have received the same events, and they
    show the same page in the same language. `gives_shares`: whether their pages take part in the shuffle."""

    received: Received
    language: str
    gives_shares: bool
    page: LivePage | None


class TableFeed:
    """Makes the events for one phone, and remembers what the phone has received. `share_request` returns what the phone
    is asked to add to the shuffle, as JSON. It is None if the phone's page takes no part in the shuffle. `shown`: the
    page that the phone shows. The feed sends the changes of this page. If `shown` is None, it sends no changes, because
    the phone fetches its pages by itself."""

    def __init__(
        self,
        table: Table,
        viewer: Callable[[], Viewer],
        last: str | None,
        translator: Translator,
        share_request: Callable[[], Json] | None = None,
        shown: ShownPage | None = None,
    ) -> None:
        self._table, self._viewer, self._translator = table, viewer, translator
        self._share_request, self._shown = share_request, shown
        event_id = EVENT_ID.fullmatch(last or "")
        game, version = (int(event_id[1]), int(event_id[2])) if event_id else (-1, 0)
        self.received = Received(game, version, page=shown.mark if shown else "")

    @property
    def gives_shares(self) -> bool:
        """Whether the phone's page takes part in the shuffle."""
        return self._share_request is not None

    def is_due(self, revision: Revision) -> bool:
        """Whether there is something new for the phone. `revision`: the current revision of the table."""
        return self.received.revision != revision or bool(self._new_requests())

    def audience(self) -> Audience | None:
        """The audience of this phone: the phones that can be sent the same events now. None if this phone needs events
        of its own. It does if it may see more than a spectator, shows a page of its own, or must be asked for a share
        in the shuffle."""
        page = self._shown.page() if self._shown else None
        if self._viewer() != SPECTATOR or (page and not page.is_shared) or self._new_requests():
            return None
        return Audience(self.received, self._translator.code, self.gives_shares, page)

    def keep_page(self) -> None:
        """Keeps a rendering of the page that the phone shows if the page is up to date. Its next change is then small.
        Must be called before the phone counts as online, which changes the page."""
        if self._shown is None:
            return
        view = self._table.view(self._viewer())
        if mark_text(view, view.revision if view else self._table.revision) == self._shown.mark:
            self._shown.change_since(self._shown.page(), self._shown.mark)

    def heartbeat(self) -> str:
        """The text of an event that only shows whether the phone is still connected: a `look` event that repeats the
        version and the mark of the page that the phone has."""
        received = self.received
        data: dict[str, Json] = {"version": received.version, "mark": received.mark}
        return _event_text(received.game, received.version, "look", data)

    def new_events(self, audience: Audience | None = None) -> str:
        """The text of all events since the last call; there is always at least one. With an `audience`, all phones in
        it get this text. Without one, the text is for this phone alone, and shows what the phone's viewer may know
        now."""
        if audience is not None:
            return "".join(self._new_events(SPECTATOR, audience.page))
        viewer, before = self._viewer(), self.received
        text = "".join(self._new_events(viewer, self._shown.page() if self._shown else None))
        if self._viewer() == viewer:
            return text
        self.received = before  # the next game has begun meanwhile, and the phone has another seat
        return self.new_events()

    def _new_events(self, viewer: Viewer, page: LivePage | None) -> Iterator[str]:
        before = self.received
        revision = self._table.revision
        view = self._table.view(viewer)
        if view is not None:
            revision = view.revision
        mark = mark_text(view, revision)
        game, version = (view.id, view.version) if view else (0, 0)
        acts = self._new_log_entries(view, viewer) if view and 0 <= before.game <= game else ()
        self.received = before._replace(game=game, version=version, revision=revision, mark=mark)
        yield from self._new_shuffle_events()
        if not (acts and before.game == game):
            first = acts[0].version - 1 if acts else version
            yield _event_text(game, first, "look", {"version": version, "mark": mark})
        for entry in acts:
            yield _event_text(game, entry.version, "act", entry.to_json(self._translator))
        if self._shown and before.page != mark:
            change = self._shown.change_since(page, before.page)
            self.received = self.received._replace(page=change.mark)
            yield _event_text(game, version, "page", change.to_json())

    def _new_shuffle_events(self) -> Iterator[str]:
        """Yields the events about the shuffle that the phone has not received yet."""
        if self._share_request is None:
            return
        status = self._table.shuffle.status()
        known = None
        if status and not status.is_open:  # once the shuffle is revealed, a commitment proves nothing
            known = {"game": status.game, "started": status.started, "commitment": status.commitment}
        before, request = self.received, self._share_request()
        events = [(kind, data) for kind, data in (("shuffle", known), ("shares", request)) if data is not None]
        self.received = before._replace(shuffle=tuple(move_json.dumps(data) for _, data in events))
        for (kind, data), text in zip(events, self.received.shuffle, strict=True):
            if text not in before.shuffle:
                yield _event_text(before.game, before.version, kind, data)

    def _new_requests(self) -> str:
        """The request for a share that the phone has not received yet; "" if there is none."""
        request = self._share_request() if self._share_request else None
        text = move_json.dumps(request) if request is not None else ""
        return "" if text in self.received.shuffle else text

    def _new_log_entries(self, view: View, viewer: Viewer) -> tuple[LogEntry, ...]:
        """The log entries since the last event. They come from the view's log, which is consistent with the view, or
        from the table's log if the view's log does not go back far enough."""
        known = self.received.version
        if known >= view.version:
            return ()
        is_long_enough = not view.log or view.log[0].version <= known + 1
        log = view.log[known - view.version :] if is_long_enough else self._table.log_after(viewer, known)
        return tuple(entry for entry in log if known < entry.version <= view.version)


def _event_text(game: int, version: int, kind: str, data: Json) -> str:
    return f"id: {game}.{version}\nevent: {kind}\ndata: {msgspec.json.encode(data).decode()}\n\n"
