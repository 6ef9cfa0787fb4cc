"""The recordings of the table on the set-up page, where hosts turn recording on and off, and download and delete
recordings.

A recording contains the moves as the referee knows them, including the hands. So it can be downloaded only when its
game is closed, because then everybody may download the game itself.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from companion.games import GAMES
from companion.match.stored_game import StoredGame
from companion.recordings.recording_store import KeptRecording, RecordingStore, digits
from companion.table.table import Table
from companion.text.messages import TextLike, _, joined
from web.access.lobby import Lobby
from web.access.require_host import require_host
from web.error_responses import RequestError, bad_request
from web.moves.form_moves import outdated_page_message

MAX_LISTED = 12
"""The page lists the newest recordings, at most this many."""


class ListedRecording(NamedTuple):
    """A recording as the page lists it: its file, when its game was started and which game it was, and whether it can
    be downloaded now. The label ends with the size only if the recording can be downloaded, because until then nothing
    may reveal its content."""

    name: str
    label: TextLike
    is_closed: bool


class RecordingsPage:
    """The request handlers for recordings. `store` is None without a camera."""

    def __init__(self, table: Table, lobby: Lobby, store: RecordingStore | None) -> None:
        self._table, self._lobby, self.store = table, lobby, store

    def add_routes(self, routes: Blueprint) -> None:
        """Adds the routes to the set-up page's blueprint."""
        routes.add_url_rule("/recordings", view_func=self.change, methods=["POST"], endpoint="recordings")
        routes.add_url_rule("/recordings/<name>", view_func=self.download, endpoint="recording")

    def listed(self) -> tuple[ListedRecording, ...]:
        """The newest recordings, in the form in which the page lists them."""
        return tuple(map(self._listed, self.store.recordings()[:MAX_LISTED])) if self.store else ()

    def megabytes(self) -> float:
        """The size of all recordings in megabytes. The recording of the game on the table is left out, because the size
        could reveal something about its content."""
        running = self._table.journal.running_game()
        kept = self.store.recordings() if self.store else ()
        return sum(each.size for each in kept if running is None or each.game != running.id) / 1e6

    def change(self) -> AnyResponse:
        """Turns recording on or off, or deletes all recordings."""
        require_host(self._lobby)
        store, do = self.store, request.form.get("do")
        if do not in ("record", "stop", "delete"):
            raise bad_request(outdated_page_message())
        if store:
            try:
                {"record": store.turn_on, "stop": store.turn_off, "delete": store.delete_all}[do]()
            except OSError as error:
                why = error.strerror or str(error)
                raise RequestError(503, "not_stored", _("This can’t be stored: {why}.", why=why)) from error
        return redirect("/setup#recordings-title", 303)

    def download(self, name: str) -> Response:
        """Answers with a recording as a file to download. Raises RequestError if there is none with this name, or if
        its game is not closed."""
        require_host(self._lobby)
        kept = next((each for each in self.store.recordings() if each.name == name), None) if self.store else None
        if kept is None or self.store is None:
            raise RequestError(404, "no_such_recording", _("There’s no such recording."))
        if not self._is_closed(kept):
            message = _("The file contains things that some players may not know yet. End the game first.")
            raise RequestError(403, "not_closed", message)
        headers = {"Content-Disposition": f"attachment; filename=table-{name}"}
        return Response(self.store.read(name), mimetype="text/plain", headers=headers)

    def _listed(self, kept: KeptRecording) -> ListedRecording:
        stored, is_closed = self._game_of(kept), self._is_closed(kept)
        label: list[TextLike] = []
        if stored is not None:
            label.append(f"{datetime.fromisoformat(stored.started).astimezone():%Y-%m-%d %H:%M}")
            label.append(_(GAMES[stored.header.game].title) if stored.header.game in GAMES else stored.header.game)
        if is_closed:
            label.append(f"{round(kept.size / 1000)} kB")
        return ListedRecording(kept.name, joined(" · ", label or [kept.name]), is_closed)

    def _is_closed(self, kept: KeptRecording) -> bool:
        """Whether the game of a recording is closed, which means that nobody can continue it. False for a game that is
        not in the journal, because a backup may bring it back."""
        stored = self._game_of(kept)
        return stored is not None and stored.closed is not None

    def _game_of(self, kept: KeptRecording) -> StoredGame | None:
        try:
            stored = self._table.journal.game(kept.game)
        except KeyError:
            return None
        return stored if digits(stored.started) == kept.started else None
