"""The real table as the devices have reported it, and when its differences from the match are reported."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from companion.games.rules import SPECTATOR, HouseMove, Seat
from companion.match.card_copy_locations import (
    added_by_last_act,
    codes_without_move,
    given_tokens_by_last_act,
    removed_by_last_act,
    sent_home_by_last_act,
    taken_by_last_act,
)
from companion.match.match import Match
from companion.match.sighting_interpreter import SightingInterpreter
from companion.match.view_builder import tabletop_of_match
from companion.table.early_deals import EarlyDeals
from companion.table.public_table import PublicTable, public_table
from companion.tabletop.discrepancy_timing import DiscrepancyTiming, FixKey
from companion.tabletop.observations import CardSeen, Observation
from companion.tabletop.sighting_context import Turn
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import _
from companion.text.refusal_errors import IllegalMove


class PhysicalTable:
    """The tracked table, the cards that were dealt too early, and the timing of reports about differences. Not
    thread-safe: the table's lock guards it. `clock` returns the time in seconds."""

    def __init__(self, clock: Callable[[], float], *, phones_only: bool) -> None:
        self._clock = clock
        self.tracked = TrackedTable(phones_only=phones_only)
        self.early_deals = EarlyDeals()
        self.discrepancy_timing = DiscrepancyTiming()
        """Decides how long a difference between the table and the match must last before it is reported."""

    def await_camera(self) -> None:
        """Notes that a camera has been started, which has yet to look at the table."""
        self.tracked = replace(self.tracked, is_searched=False)

    def after_start(self, match: Match, *, phones_only: bool) -> None:
        """Prepares for a new game."""
        self.early_deals.clear()
        self.forget_recent_changes()
        self.tracked = replace(self.tracked.on_board(match.board_mat), phones_only=phones_only)
        self.discrepancy_timing = self.discrepancy_timing.after_act(self._clock(), ())

    def after_end(self) -> None:
        """Forgets what belonged to the game that was ended."""
        self.early_deals.clear()
        self.forget_recent_changes()

    def after_act(self, match: Match, turn: Turn, reported: Collection[FixKey]) -> None:
        """Updates everything after an act. `turn`: whose turn it was before the act. `reported`: the keys of the
        discrepancies that were reported before the act."""
        self.discrepancy_timing = self.discrepancy_timing.after_act(self._clock(), reported)
        self.tracked = self.tracked.with_tokens_added(given_tokens_by_last_act(match.history), self._clock())
        sent_home = {**self.tracked.sent_home, **sent_home_by_last_act(match.history)}
        self.tracked = replace(self.tracked, sent_home=sent_home, counted_right=frozenset())
        self._note_right_counts(match)
        if self.tracked.visible:
            taken = taken_by_last_act(match.history, self.tracked.zones_by_code)
            self.tracked = self.tracked.after_removal(removed_by_last_act(match.history), taken)
            added, act = added_by_last_act(match.history), match.history.acts[-1]
            awaited = self.tracked.awaited if act.code else self.tracked.awaited.union(added)
            self.tracked = replace(self.tracked.without_surplus(added), awaited=awaited)
            # What was put down must not count in a later turn of this seat, which may follow at once.
            ended = match.state.turn != turn
            zones = self.tracked.zones_by_code
            self.tracked = self.tracked.without_turns(zones if ended else codes_without_move(match.history, zones))
            if act.code in self.tracked.visible and act.code in match.known_copies().played:
                self.tracked = self.tracked.with_confirmed([act.code])
            move, physical = act.steps[0].move, match.game.physical
            played = "" if isinstance(move, HouseMove) else physical.component_of(move)
            if zones.get(played) in physical.components.piles:
                self.tracked = self.tracked.with_placed(played)
            self.confirm(match)
        self.forget_recent_changes()

    def after_step_back(self, match: Match) -> None:
        """Updates everything after an act was undone or redone. The components on the table belong to earlier moves. To
        be read as a new move, they must be put down again. A card whose move was undone is not surplus if it replaces
        an equal copy."""
        self.early_deals.clear()
        history, comparison = match.history, SightingInterpreter(match, self.tracked)
        redone = {history.done[-1].code} if history.acts[-1].kind == "redo" else ()
        undone = {act.code for act in history.undone}.intersection(self.tracked.visible)
        withdrawn = {code for code in undone if not comparison.replaces_lost_copy(self.tracked.visible[code])}
        self.tracked = self.tracked.after_step_back(withdrawn, redone, added_by_last_act(history))
        self.tracked = self.tracked.with_tokens_added(given_tokens_by_last_act(history), self._clock())

    def forget_recent_changes(self) -> None:
        """Forgets which components were turned over or went out of view since the last act."""
        self.tracked = replace(self.tracked, recent_flips=frozenset(), recently_gone=frozenset())

    def take_in(self, observation: Observation, match: Match | None) -> Observation:
        """Adds an observation to the tracked table. Returns the observation, located on the mat in play if this mat is
        in view."""
        if match is None:
            self.tracked = self.tracked.after(observation, now=self._clock())
            return observation
        components = match.game.physical.components
        mat = match.board_mat or components.mat
        if isinstance(observation, CardSeen) and mat is not None and self.tracked.is_in_view(mat):
            observation = observation.located_on(mat) if match.board_mat else observation
            observation = self.tracked.steadied(observation, mat)
        before = self.tracked
        observation = before.as_sighting_if_returned(observation)
        piles = SightingInterpreter(match, before).piles_that_may_hold(observation)
        self.tracked = before.after(observation, match.state.turn, components.other_side, piles, self._clock())
        if isinstance(observation, CardSeen) and not observation.was_initially_present:
            code = observation.code
            has_come = code not in before.visible or before.visible[code].zone != observation.zone
            if has_come:
                for taken in SightingInterpreter(match, self.tracked).taken_codes(observation):
                    self.tracked = self.tracked.with_lifted(taken, self._clock())
            comparison = SightingInterpreter(match, self.tracked)
            if code not in before.last_seen and comparison.has_lain_there(observation):
                self.tracked = self.tracked.with_uncovered(code, self._clock())
            elif has_come and comparison.is_surplus(observation):
                self.tracked = self.tracked.with_surplus(code)
            if comparison.belongs_to_earlier_move(observation, before):
                self.tracked = self.tracked.without_turns([code])
        return observation

    def after_reading(self, match: Match) -> None:
        """Updates everything after the game has read the latest observation."""
        self.confirm(match)
        self._note_right_counts(match)
        has_begun = SightingInterpreter(match, self.tracked).begun_move() is not None
        self.discrepancy_timing = self.discrepancy_timing.after_change(self._clock(), has_begun=has_begun)

    def _note_right_counts(self, match: Match) -> None:
        """Remembers in which places the camera has counted the right tokens since the last act."""
        layout, table = match.layout(SPECTATOR), self.tracked
        right = (place for place in table.token_counts if table.counts_match(place, layout))
        self.tracked = replace(table, counted_right=table.counted_right.union(right))

    def confirm(self, match: Match) -> None:
        """Remembers which components are where they belong, and which have been replaced with equal copies."""
        kinds, confirmed = (
            match.game.physical.components.kinds,
            SightingInterpreter(match, self.tracked).confirmed_codes(),
        )
        came = {kinds[code] for code in confirmed if code not in self.tracked.confirmed}
        awaited = frozenset(code for code in self.tracked.awaited if kinds[code] not in came)
        self.tracked = replace(self.tracked.with_confirmed(confirmed), awaited=awaited)
        replaced = SightingInterpreter(match, self.tracked).replaced_codes()
        self.tracked = replace(self.tracked, confirmed=self.tracked.confirmed.difference(replaced))

    def public_table(self, match: Match | None) -> PublicTable | None:
        """What everyone may see of the real table; None if there is no match, if the camera does not see its mat, or if
        it is played on phones."""
        if match is None or self.tracked.phones_only:
            return None
        now = self._clock()
        return public_table(match, self.tracked, lambda found: self.discrepancy_timing.is_due(found, now))

    def complete_begun_move(self) -> None:
        """Tells the report timing that a device has reported a complete move."""
        self.discrepancy_timing = self.discrepancy_timing.after_completed_move(self._clock())

    def ignore(self, match: Match, seat: Seat, code: str, companion_seats: Collection[int]) -> None:
        """Ignores a component that has no place in the match, until it is seen to move. If `code` is TOKENS and no
        token was ever seen, ignores all tokens. For any other code, raises IllegalMove, whether or not the camera sees
        a component with this code. `companion_seats`: the seats that the companion plays."""
        found = tabletop_of_match(match, seat, self.tracked, companion_seats=companion_seats).discrepancies
        if not code or all(each.ignorable != code for each in found):
            raise IllegalMove(_("You can only ignore things on the table that have no place in this game."))
        self.tracked = self.tracked.with_ignored(code)

    def set_phones_only(self, *, phones_only: bool) -> None:
        """Sets whether people play on phones only. If they do, the camera's sightings are ignored."""
        self.tracked = replace(self.tracked, phones_only=phones_only)
