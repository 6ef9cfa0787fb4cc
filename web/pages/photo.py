"""The form with which a phone sends a photograph of a card."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, request

from companion.games import move_json
from companion.games.rules import Json, Seat
from companion.match.journal_error import JournalError
from companion.text.messages import _
from companion.text.refusal_errors import IllegalMove, Refusal
from web.context import AppContext
from web.error_responses import RequestError
from web.moves import photo_moves
from web.pages.form_fields import version_and_id
from web.pages.play import PlayPage
from web.pages.redirects import see_other


class PhotoForm:
    """The handler of the form for photographs. If a photograph is refused, the seat's page says why."""

    def __init__(self, context: AppContext, play_page: PlayPage) -> None:
        self._context, self._play_page = context, play_page

    def routes(self) -> Blueprint:
        """The blueprint with the route of the form."""
        routes = Blueprint("photo", __name__)
        routes.add_url_rule("/photo", view_func=self.act, methods=["POST"])
        return routes

    def act(self) -> Response:
        """Makes the move that a photographed card means, or the move of a button that needed the card's face."""
        try:
            return self._submit(request.form)
        except (Refusal, RequestError, JournalError) as error:
            return self._play_page.with_refusal(error)

    def _submit(self, form: Any) -> Response:
        context, seat, reader = self._context, self._context.seat(), self._context.reader_or_refuse()
        version, action_id = version_and_id(form)
        if context.table.version_of_action(seat, version, action_id) is not None:
            return see_other("/play")
        view = context.view_or_refuse()
        codes = photo_moves.components_in(reader, photo_moves.photo_from_form(), view)
        if "move" in form:
            move = photo_moves.with_card(view, move_json.loads(form["move"]), codes)
            self._submit_face(seat, move, version, action_id)
            return see_other("/play")
        only_move = photo_moves.only_move(view, codes)
        if only_move is None:
            return see_other(photo_moves.choice_url(codes, view.version))
        context.table.submit(seat, move_json.to_json(only_move), version, action_id)
        return see_other("/play")

    def _submit_face(self, seat: Seat, move: Json, version: int | None, action_id: str | None) -> None:
        """Makes a move that contains the face of a photographed card. The message of a refusal gives no reason, because
        the player who holds the card may not know its face yet."""
        try:
            self._context.table.submit(seat, move, version, action_id)
        except IllegalMove as error:
            message = _("It can’t be the card in the photo. Nothing was recorded. Check which card it is.")
            raise RequestError(422, error.code, message) from error
