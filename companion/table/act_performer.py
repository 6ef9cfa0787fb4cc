"""Performs the acts of seats and devices: moves, undo and redo, and the deals that become due after them.

Each act is performed once, even if a phone sends it twice: a phone gives each action an id, `action_id`, and the match
remembers the version that the action led to. `version` is the version that the phone's page shows. If it is not the
current version, Stale is raised.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from companion.games.rules import HouseMove, Json, Move, Seat
from companion.match.history import History
from companion.match.match import Match
from companion.match.sighting_interpreter import SightingInterpreter
from companion.table.current_game import CurrentGame
from companion.table.physical_table import PhysicalTable
from companion.table.table_changes import ActMade, ConsentRequested, Origin, TableChanges
from companion.table.table_views import TableViews
from companion.table.transient_prompts import TransientPrompts
from companion.text.messages import _
from companion.text.refusal_errors import IllegalMove, Refusal


class ActPerformer:
    """Performs acts. All methods raise Refusal if the act is refused, and JournalError if it can't be stored. Not
    thread-safe: the table's lock guards it."""

    def __init__(
        self,
        game: CurrentGame,
        physical: PhysicalTable,
        prompts: TransientPrompts,
        views: TableViews,
        changes: TableChanges,
    ) -> None:
        self._game, self._physical, self._prompts, self._views = game, physical, prompts, views
        self._changes = changes

    def perform(
        self,
        act: Callable[[Match], int],
        seat: Seat | None,
        action_id: str | None = None,
        version: int | None = None,
        origin: Origin = "phone",
    ) -> int:
        """Performs an act, and tells everyone that the table has changed. Returns the version that the act led to. If
        this seat's action `action_id` has already been performed, only returns the version that it led to."""
        match = self._game.require_match()
        if (done := match.version_of_action(seat, action_id)) is not None:
            return done
        match.check_version(version)
        turn, before = match.state.turn, self._changes.moment()
        reported = self._views.reported_fixes()
        made = act(match)
        self._changes.report(ActMade(match.history, origin), before)
        self._physical.after_act(match, turn, reported)
        self._prompts.after_act(is_step_back=match.history.acts[-1].kind in ("undo", "redo"))
        self.make_pending_deal(match)
        self._make_follow_up(match)
        self._views.notify()
        return made

    def clear_prompts(self) -> None:
        """Clears the prompts of the previous position, and forgets which components were turned over or went out of
        view in that position."""
        self._changes.report(ConsentRequested())
        self._prompts.clear()
        self._physical.forget_recent_changes()

    def version_of_action(self, seat: Seat, version: int | None, action_id: str | None) -> int | None:
        """The version that this seat's action `action_id` led to; None if this action has not been performed
        yet."""
        match = self._game.require_match()
        if (done := match.version_of_action(seat, action_id)) is None:
            match.check_version(version)
        return done

    def submit(self, seat: Seat | None, value: Json, version: int | None, action_id: str | None) -> int:
        """Makes the move in a JSON object for a seat; returns the new version."""

        def make(match: Match) -> int:
            move = match.parse_move(seat, value)
            match.check_version(version)
            policies = match.game.policies
            if self._game.companion_seats and (problem := policies.companion_problem(match.state_after(move))):
                raise IllegalMove(problem)
            code = SightingInterpreter(match, self._physical.tracked).explaining_code(move)
            return match.make_move(seat, move, action_id, code)

        return self.perform(make, seat, action_id)

    def correct(self, seat: Seat, value: Json, version: int | None, action_id: str | None) -> int:
        """Replaces this seat's last move with the move in a JSON object; returns the new version."""
        match = self._game.require_match()
        if (done := match.version_of_action(seat, action_id)) is not None:
            return done
        match.check_version(version)
        last = match.history.done[-1].steps[0].move if match.can_undo else None
        if last is None or last.seat != seat:
            raise IllegalMove(_("You can only replace your own last move, and only until someone else moves."))
        # Refuses an illegal move before anything is undone.
        match.state_after(match.parse_move(seat, value), match.history.done[-1].before)
        self._undo_or_redo(History.undo, seat, version, None)
        return self.submit(seat, value, None, action_id)

    def proceed(self, seat: Seat | None, version: int | None = None, action_id: str | None = None) -> int:
        """Lets the companion continue after a pause; returns the new version."""
        return self.perform(lambda match: match.proceed(seat, action_id), seat, action_id, version)

    def undo(self, seat: Seat | None, version: int | None = None, action_id: str | None = None) -> int:
        """Withdraws the request that waits for consent. If no request waits, undoes the last act. Returns the version
        after that."""
        match, waiting = self._game.require_match(), self._prompts.request
        if self._prompts.has_undone_or_redone(seat, action_id):
            return match.version
        if waiting is None or match.version_of_action(seat, action_id) is not None:
            return self._undo_or_redo(History.undo, seat, version, action_id)
        match.check_version(version)
        self._prompts.withdraw(waiting, len(match.history.done), seat, action_id)
        self._views.notify()
        return match.version

    def redo(self, seat: Seat | None, version: int | None, action_id: str | None) -> int:
        """Restores the request that undo withdrew, if no move has been made since. Otherwise redoes the act that was
        undone last. Returns the version after that."""
        match = self._game.require_match()
        withdrawn = self._prompts.withdrawn_request(len(match.history.done))
        if self._prompts.has_undone_or_redone(seat, action_id):
            return match.version
        if withdrawn is None or match.version_of_action(seat, action_id) is not None:
            return self._undo_or_redo(History.redo, seat, version, action_id)
        match.check_version(version)
        self.clear_prompts()
        self._prompts.restore(withdrawn, seat, action_id)
        self._views.notify()
        return match.version

    def reopen(self, version: int | None) -> int:
        """Resumes a finished game with hidden information: undoes the last act and returns the new version."""
        return self._step_back(Match.reopen, None, version, None)

    def _undo_or_redo(
        self,
        change: Callable[[History, int | None], History],
        seat: Seat | None,
        version: int | None,
        action_id: str | None,
    ) -> int:
        return self._step_back(lambda match: match.undo_or_redo(change, seat, action_id), seat, version, action_id)

    def _step_back(
        self, change: Callable[[Match], int], seat: Seat | None, version: int | None, action_id: str | None
    ) -> int:
        def change_history(match: Match) -> int:
            made = change(match)
            self._physical.after_step_back(match)
            return made

        return self.perform(change_history, seat, action_id, version)

    def make_device_move(self, move: Move, code: str = "") -> None:
        """Makes a move that a device has reported. `code`: the code of the component that was read; "" for a
        button."""
        self._physical.complete_begun_move()
        try:
            origin: Origin = "camera" if code else "button"
            self.perform(lambda match: match.make_move(None, move, code=code), None, origin=origin)
        except Refusal as refusal:
            # Why a hidden card can't be dealt now is itself hidden information.
            if isinstance(move, HouseMove) and self._game.require_match().game.rules.has_hidden_information:
                raise IllegalMove(_("That can’t be dealt now. Check the table.")) from refusal
            raise

    def _make_follow_up(self, match: Match) -> None:
        """Makes the move that people have already made on the table together with the last one, if there is one."""
        tracked, seats = self._physical.tracked, self._game.companion_seats
        move = None if tracked.phones_only else SightingInterpreter(match, tracked, seats).follow_up()
        if move:
            self._prompts.attempt(lambda: self.make_device_move(move, match.game.physical.component_of(move)))

    def make_pending_deal(self, match: Match) -> None:
        """Makes the first waiting deal that is due now. Every act that follows calls this again, so the next waiting
        deal is made then."""
        due = self._physical.early_deals.take_due(match, self._physical.tracked)
        if due is None:
            return
        code, move = due
        if self._prompts.attempt(partial(self.make_device_move, move, code)):
            components = match.game.physical.components
            copies = components.codes_by_kind.get(components.kinds.get(code, code), ())
            self._physical.tracked = self._physical.tracked.after_deal(code, copies)
