"""The page of a seat: what its player knows, and buttons for everything that the player can do now."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Blueprint, Response, request

from companion.games import move_json
from companion.games.view import View
from companion.match.journal_error import JournalError
from companion.text.default_names import is_companion_name
from companion.text.messages import joined
from companion.text.refusal_errors import Refusal
from web.context import AppContext
from web.error_responses import RequestError, as_request_error, bad_request
from web.graphics.token_icons import drawn_tokens
from web.moves import photo_moves
from web.moves.explanation_buttons import explanation_buttons
from web.moves.form_moves import completed_move, outdated_page_message
from web.moves.move_menu import buttons_by_key, move_buttons
from web.pages import companion_forms
from web.pages.form_fields import version_and_id
from web.pages.redirects import see_other
from web.pages.rematch import ended_game
from web.render import render
from web.results.end_screens import EndScreens
from web.templating.game_pages import page_of


class PlayPage:
    """The handlers of the seat's page and of its forms, except the form for photographs."""

    def __init__(self, context: AppContext, end_screens: EndScreens) -> None:
        self._context, self._end_screens = context, end_screens

    def routes(self) -> Blueprint:
        """The blueprint with the routes of the page."""
        routes = Blueprint("play", __name__)
        routes.add_url_rule("/play", view_func=self.page)
        routes.add_url_rule("/play", view_func=self.act, methods=["POST"])
        routes.add_url_rule("/request", view_func=self.answer_view_request, methods=["POST"])
        return routes

    def page(self) -> Response:
        """The page of the phone's seat, or a waiting page between games. A phone without a seat is redirected to the
        join page. If the phone has just lost its seat, the join page says so."""
        session = self._context.session()
        is_waiting = session.has_joined and not self._context.table.names
        if session.seat is not None or is_waiting:
            return self._rendered()
        game_id = request.headers.get("X-Fragment", "0").split(".")[0]  # 0 if the page waits for a game
        return see_other("/join" if game_id == "0" else "/join?unseated")

    def with_refusal(self, error: Exception) -> Response:
        """The page with the reason why a form was refused. Raises `error` if the phone has no seat."""
        refused = as_request_error(error)
        if self._context.session().seat is None:
            raise error
        return self._rendered(refused)

    def act(self) -> Response:
        """Performs the action of a button on the seat's page, for browsers without scripts."""
        try:
            self._submit_action(request.form)
        except (Refusal, RequestError, JournalError) as error:
            return self.with_refusal(error)
        return see_other("/play")

    def _submit_action(self, form: Any) -> None:
        context, seat = self._context, self._context.seat()
        version, action_id = version_and_id(form)
        if "move" in form:
            context.table.submit(seat, completed_move(form), version, action_id)
            return
        if "correct" in form:
            context.table.correct(seat, move_json.loads(form["correct"]), version, action_id)
            return
        if "ignore" in form:
            context.table.ignore(seat, form["ignore"])
            return
        if "ask" in form:
            context.table.request_consent(seat, move_json.loads(form["ask"]), version)
            return
        if form.get("do") == "phones-only":
            context.table.set_phones_only(phones_only=True)
            return
        if "hand-over" in form or "take-back" in form:
            companion_forms.change_companion_seat(context, form)
            return
        request_move = move_json.loads(form["asked"]) if "asked" in form else None
        actions: dict[str, Callable[[], object]] = {
            "undo": partial(context.table.undo, seat, version, action_id),
            "redo": partial(context.table.redo, seat, version, action_id),
            "next": partial(context.table.proceed, seat, version, action_id),
            "yes": partial(context.table.answer, seat, agreed=True, question=request_move),
            "no": partial(context.table.answer, seat, agreed=False, question=request_move),
        }
        action = actions.get(form.get("do", ""))
        if action is None:
            raise bad_request(outdated_page_message())
        action()

    def answer_view_request(self) -> Response:
        """Handles a player's answer to another phone's request to see another view."""
        self._context.seat()
        agreed = request.form.get("agreed") == "yes"
        self._context.lobby.answer_request(self._context.session(), request.form.get("request", ""), agreed=agreed)
        return see_other("/play")

    def _rendered(self, refused: RequestError | None = None) -> Response:
        view = self._context.view()
        if view is None:
            return render(self._context, "no_game.html", None, refused, ended=ended_game(self._context))
        is_handed_over = self._context.session().seat in view.companion_seats
        view = view.without_moves if is_handed_over else view
        page_moves = page_of(view.game).own_buttons
        buttons = move_buttons((move for move in view.choices.legal if not isinstance(move, page_moves)), view)
        report_buttons = move_buttons((move for move in view.choices.reports if not isinstance(move, page_moves)), view)
        return render(
            self._context,
            "play.html",
            view,
            refused,
            is_handed_over=is_handed_over,
            is_companion_name=is_companion_name,
            first_game_tips=() if is_handed_over else page_of(view.game).first_game_tips,
            made_moves=_made_moves(view),
            request_label=joined(": ", view.choices.request_label),
            request_move=move_json.write(view.choices.request.move) if view.choices.request else "",
            choices=buttons,
            ways=buttons_by_key(buttons),
            explanations=explanation_buttons(view),
            ignorable=[each.ignorable for each in view.tabletop.discrepancies],
            drawn_tokens=drawn_tokens(view),
            reports=report_buttons,
            report_moves=[button for button in buttons_by_key(report_buttons).values() if button.move],
            photo_meaning=self._photo_meaning(view),
            photos=self._context.reader is not None and not view.tabletop.has_camera,
            to_photograph=self._context.reader is not None and photo_moves.is_offered(view),
            end=self._end_screens.of(view),
        )

    def _photo_meaning(self, view: View) -> photo_moves.PhotoMeaning | None:
        """The possible meaning of the photograph in the page's URL; None if it can mean no move, or if the match has
        changed since the photograph was taken."""
        codes = request.args.get("shown", "")[:300].split(",")
        return photo_moves.meaning_of(view, codes) if request.args.get("at") == f"{view.version}" else None


def _made_moves(view: View) -> str:
    """The names of the moves that the viewer's own seat has recently made, separated by spaces. Each comes with the
    version of the latest act that made it, such as "play@12". Moves that the camera or a button at the table has
    recorded count too."""
    acts = (entry for entry in view.log if entry.kind == "move")
    made = {move.NAME: act.version for act in acts for move in act.moves if move.seat == view.viewer}
    return " ".join(f"{name}@{version}" for name, version in sorted(made.items()))
