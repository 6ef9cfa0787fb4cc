"""Moves that need another player's consent: asking for it, and the answer."""

from __future__ import annotations

from companion.games import move_json
from companion.games.rules import Json, Seat
from companion.games.view import ConsentRequest
from companion.match.match import NotYourSeat
from companion.table.act_performer import ActPerformer
from companion.table.current_game import CurrentGame
from companion.table.table_views import TableViews
from companion.table.transient_prompts import TransientPrompts
from companion.text.messages import PlayerName, _
from companion.text.refusal_errors import BadMove, IllegalMove, Stale


class Consent:
    """Asks for consent, and takes the answers. Not thread-safe: the table's lock guards it."""

    def __init__(self, game: CurrentGame, prompts: TransientPrompts, acts: ActPerformer, views: TableViews) -> None:
        self._game, self._prompts, self._acts, self._views = game, prompts, acts, views

    def ask(self, seat: Seat, value: Json, version: int | None = None) -> None:
        """Asks another player to consent to the move in a JSON object. Raises Refusal if the move is illegal or needs
        no consent."""
        match = self._game.require_match()
        move = match.parse_move(seat, value)
        match.check_version(version)
        asked = move.consenting_seat()
        if asked is None:
            raise BadMove(_("You don’t need to ask anyone for that."))
        match.state_after(move)
        self._acts.clear_prompts()
        self._prompts.request = ConsentRequest(move, seat, asked)
        self._views.notify()

    def answer(self, seat: Seat | None, *, agreed: bool, question: Json = None) -> int:
        """Takes the answer to the pending request; returns the version after it. `seat`: the player who was asked, the
        player who made the request, or None for a button at the table. `question`: the requested move that was
        answered; None if it is not known. Raises Refusal if no request is pending, or if the request is not for this
        seat or has changed."""
        pending = self._prompts.request
        if pending is None:
            raise IllegalMove(_("There’s no open request."))
        if seat not in (None, pending.asked, pending.asker):
            raise NotYourSeat(_("That request isn’t for you."))
        if question is not None and move_json.to_json(pending.move) != question:
            raise Stale(_("The request has changed. Look again."))
        if agreed:
            return self._acts.perform(lambda match: match.make_move(pending.asker, pending.move), pending.asker)
        match = self._game.require_match()
        self._prompts.request = None
        self._prompts.notice = _("{name} said no.", name=PlayerName(pending.asked)) if seat == pending.asked else ""
        self._views.notify()
        return match.version
