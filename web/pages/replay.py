"""The pages on which people look back at a game: the replay of a game, the replay that one phone shows to everyone
else, and the form that starts a what-if."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from typing import Any

from flask import Blueprint, Response, request

from companion.games.view import View
from companion.games.what_if_origin import WhatIfOrigin
from companion.match.key_moments import key_moments
from companion.match.replay import Replay
from companion.match.shuffle_record import is_shuffle_revealed
from companion.match.what_if_games import why_not_to_play_on
from companion.table.companion_seats import companion_seats_by_game
from companion.text.messages import TextLike, _
from companion.text.refusal_errors import SetupError
from web.access.phone_session import PhoneSession
from web.context import AppContext
from web.error_responses import RequestError
from web.events.table_feed import mark_text
from web.game_start import play_on
from web.graphics.charts import charts
from web.pages.redirects import redirect_strangers, see_other
from web.pages.replay_access import OPEN, is_open, open_replay, perspectives, replay_for_page, viewer_in
from web.render import render
from web.results.summaries import game_summary
from web.results.watch_together import SharedStep
from web.templating.page_head import page_title


class ReplayPages:
    """The handlers of the replay's pages."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._one_at_a_time = threading.Lock()
        """Held while a what-if begins, so that two taps begin only one."""

    def routes(self) -> Blueprint:
        """The blueprint with the routes of the replay."""
        routes = Blueprint("replay", __name__)
        routes.before_request(partial(redirect_strangers, self._context))
        routes.add_url_rule("/games/<int:id>", view_func=self.game)
        routes.add_url_rule("/games/<int:id>", view_func=self.act, methods=["POST"])
        routes.add_url_rule("/games/<int:id>/what-if", view_func=self.play_on, methods=["POST"])
        routes.add_url_rule("/games/<int:id>/table/<int:act>.webp", view_func=self.table_picture)
        routes.add_url_rule("/together", view_func=self.together)
        return routes

    def game(self, id: int) -> Response:
        """The page that replays a game. The query's `at` says after how many acts the game is shown, and `as` whose
        knowledge is shown."""
        # The replay is read first: when a game begins, phones get their new seats before the game is in the journal.
        context, replay, session = self._context, self._replay(id), self._context.session()
        shared = context.shared_replay.current()
        step, perspective = _step(replay, request.args.get("at")), request.args.get("as", OPEN)
        header, title = replay.stored.header, replay.history.game.title
        return render(
            context,
            "replay.html",
            replay.at(step, viewer_in(replay, perspective, session)),
            title=page_title(_("{game}, replay", game=_(title))),
            at=step,
            replay=replay,
            is_shuffle_revealed=is_shuffle_revealed(replay.stored),
            charts=charts(replay.curves(), header.labels, step),
            waiting_minutes=_waiting_minutes(replay),
            summary=game_summary(replay),
            companion_seats=companion_seats_by_game(context.table.journal),
            moments=key_moments(replay),
            perspective=perspective if perspective in dict(perspectives(replay)) else OPEN,
            perspectives=perspectives(replay),
            is_leading=_is_leading(shared, session, id),
            may_lead=self._may_lead(session),
            has_other_game=bool(context.table.names) and context.table.game_and_version[0] != id,
            table_picture=self._table_picture_url(replay, step),
            **self._what_if_values(replay, step),
        )

    def _table_picture_url(self, replay: Replay, step: int) -> str:
        """The URL of the picture of the table at a step; "" if there is none."""
        pictures, id = self._context.pictures, replay.stored.id
        act = replay.history.done[step - 1].version if step else 0
        has_picture = pictures is not None and act in pictures.acts(id, replay.stored.started)
        return f"/games/{id}/table/{act}.webp" if has_picture else ""

    def table_picture(self, id: int, act: int) -> Response:
        """The picture of the table after an act. Everyone who may replay the game may see it, because it shows only
        what everyone at the table could see."""
        pictures, replay = self._context.pictures, self._replay(id)
        webp = pictures.picture(id, replay.stored.started, act) if pictures else None
        if webp is None:
            raise RequestError(404, "no_picture", _("There’s no picture of the table at this move."))
        return Response(webp, mimetype="image/webp", headers={"Cache-Control": "private, max-age=3600"})

    def _what_if_values(self, replay: Replay, step: int) -> dict[str, Any]:
        now = self._context.table.view()
        return {
            "can_have_what_if": is_open(replay),
            "what_if_problem": why_not_to_play_on(replay, step),
            "has_hands": replay.history.game.rules.has_hidden_information,
            "ends_game": now is not None and now.turn is not None,
        }

    def _replay(self, id: int) -> Replay:
        """The replay of a game. While it is shared, it need not be read from the journal again."""
        shared = self._context.shared_replay.current()
        return shared.replay if shared and shared.replay.stored.id == id else replay_for_page(self._context, id)

    def act(self, id: int) -> Response:
        """Makes the phone the leader of a shared replay, steps through the replay, or ends it. A phone that is not the
        leader only steps for itself."""
        context, session, form = self._context, self._context.session(), request.form
        seen = context.table.game_and_version  # read before the replay, see `SharedReplay.show`
        replay = self._replay(id)
        step, perspective, do = _step(replay, form.get("at")), form.get("as", OPEN), form.get("do", "")
        is_leading = _is_leading(context.shared_replay.current(), session, id)
        if do == "lead" and not self._may_lead(session):
            raise RequestError(403, "forbidden", _("Only players and the host can do that while a game is running."))
        if do == "leave" and is_leading:
            context.shared_replay.end()
        elif do == "lead" or is_leading:
            name = self._name_of(session)
            context.shared_replay.show(SharedStep(replay, step, perspective, session.key, name, seen))
        choice = f"&as={perspective}" if _is_choice(replay, perspective) else ""
        return see_other(f"/games/{id}?at={step}{choice}")

    def _may_lead(self, session: PhoneSession) -> bool:
        """Whether a phone may decide what the big screen shows: spectators may not while a game is on the table."""
        return session.host or session.seat is not None or not self._context.table.names

    def _name_of(self, session: PhoneSession) -> TextLike:
        return self._context.table.names[session.seat] if session.seat is not None else session.name or _("Someone")

    def play_on(self, id: int) -> Response:
        """Starts a what-if from the step that the form names. Only hosts may do so."""
        self._context.host()
        with self._one_at_a_time:
            return self._play_on(id)

    def _play_on(self, id: int) -> Response:
        context, replay = self._context, open_replay(self._context, id)
        now, step = context.table.view(), _step(replay, request.form.get("at"))
        if now and _has_just_begun(now, WhatIfOrigin(id, replay.stored.started, step)):
            return see_other("/")  # a second tap
        if now is not None and now.turn is not None and not request.form.get("sure"):
            raise RequestError(422, "not_sure", _("Tick the box to end the running game, then start the new one."))
        try:
            play_on(context, replay, step)
        except SetupError as error:
            raise RequestError(422, "bad_setup", error.message) from error
        return see_other("/")

    def together(self) -> Response:
        """The replay that another phone steps through. If no replay is shared, redirects to the start page."""
        shared = self._context.shared_replay.current()
        return shared_page(self._context, shared) if shared else see_other("/")


def shared_page(context: AppContext, shared: SharedStep) -> Response:
    """The page that shows a shared replay, on the phones that follow it and on the big screen. It has the same mark as
    the table's page, so that event streams keep it up to date."""
    table, replay = context.table.view(), shared.replay
    return render(
        context,
        "watch_together.html",
        replay.at(shared.step, viewer_in(replay, shared.perspective, context.session())),
        title=page_title(_("{game}, replay", game=_(replay.history.game.title))),
        table_mark=mark_text(table, table.revision if table else context.table.revision),
        table_version=table.version if table else 0,
        table_id=table.id if table else 0,
        at=shared.step,
        replay=replay,
        leader=shared.name,
        moment=next((each for each in key_moments(replay) if each.step == shared.step), None),
        charts=charts(replay.curves(), replay.stored.header.labels, shared.step),
        seen_by=dict(perspectives(replay)).get(shared.perspective, ""),
    )


def _has_just_begun(view: View, what_if: WhatIfOrigin) -> bool:
    """Whether this what-if is on the table, and nobody has moved in it yet."""
    return view.what_if == what_if and not (view.choices.can_undo or view.choices.can_redo)


def _is_leading(shared: SharedStep | None, session: PhoneSession, id: int) -> bool:
    return shared is not None and shared.leader == session.key and shared.replay.stored.id == id


def _is_choice(replay: Replay, perspective: str) -> bool:
    return perspective != OPEN and perspective in dict(perspectives(replay))


def _step(replay: Replay, text: str | None) -> int:
    """The step that a request asks for, but at least 0 and at most the last step; the last step if `text` is empty or
    is not a number."""
    try:
        return min(max(int(text[:9]) if text else replay.length, 0), replay.length)
    except ValueError:
        return replay.length


def _waiting_minutes(replay: Replay) -> Sequence[tuple[TextLike, int]]:
    """How many minutes the table waited for each player and for the house. Times below half a minute are left out."""
    players = replay.stored.header.names
    return [
        (players[who] if isinstance(who, int) else _("the table"), round(seconds / 60))
        for who, seconds in replay.seconds().items()
        if seconds >= 30
    ]
