"""Handles what the camera reports: adds each observation to the tracked table, and makes the move that it means."""

from __future__ import annotations

from companion.games.rules import HouseMove
from companion.match.match import Match
from companion.match.sighting_interpreter import SightingInterpreter
from companion.table.act_performer import ActPerformer
from companion.table.current_game import CurrentGame
from companion.table.physical_table import PhysicalTable
from companion.table.transient_prompts import TransientPrompts
from companion.tabletop.observations import CardGone, CardSeen, Observation
from companion.tabletop.tracked_table import TrackedTable


class SightingInput:
    """Handles sightings of components and counts of tokens. A component that was put in a wrong place does not change
    the match; it only becomes a discrepancy. The caller tells everyone that the table has changed. Not thread-safe: the
    table's lock guards it."""

    def __init__(
        self, game: CurrentGame, physical: PhysicalTable, prompts: TransientPrompts, acts: ActPerformer
    ) -> None:
        self._game, self._physical, self._prompts, self._acts = game, physical, prompts, acts

    def take_in(self, observation: Observation) -> None:
        """Updates the tracked table. While a game is in progress, also makes the move that a sighting means. Raises
        JournalError if a move can't be stored."""
        match, before = self._game.match, self._physical.tracked
        observation = self._physical.take_in(observation, match)
        if match is None or self._physical.tracked.phones_only:
            return
        self._interpret(match, observation, before)
        self._physical.after_reading(match)

    def _interpret(self, match: Match, observation: Observation, before: TrackedTable) -> None:
        """Makes the move that a sighting means. A card that people deal too early waits until its deal is due. People
        make no moves for a companion, even by accident: the companion chooses its own. `before`: the tracked table
        before the observation."""
        tracked, deals = self._physical.tracked, self._physical.early_deals
        reading = SightingInterpreter(match, tracked)
        match observation:
            case CardGone(code=code):
                deals.remove(code)
            case CardSeen(code=code) if not reading.is_recorded(observation):
                meaning = reading.meaning_of(observation)
                if meaning and not isinstance(meaning, HouseMove):
                    is_made_now = tracked.turns.get(code) == match.state.turn
                    if is_made_now and match.state.turn not in self._game.companion_seats:
                        self._prompts.attempt(lambda: self._acts.make_device_move(meaning, code))
                elif code in tracked.uncovered or reading.was_left_lying(observation, before):
                    return
                elif reading.can_be_dealt(code):
                    deals.add(observation)
                    self._acts.make_pending_deal(match)
