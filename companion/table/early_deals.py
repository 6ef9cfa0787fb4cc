"""Cards that people have dealt too early: their sightings wait until the deal is due."""

from __future__ import annotations

from companion.games.rules import HouseMove
from companion.match.match import Match
from companion.match.sighting_interpreter import SightingInterpreter
from companion.tabletop.observations import CardSeen
from companion.tabletop.tracked_table import TrackedTable


class EarlyDeals:
    """The sightings that wait, by code, in the order in which the cards were dealt. Not thread-safe: the table's lock
    guards it."""

    def __init__(self) -> None:
        self.sightings: dict[str, CardSeen] = {}

    def add(self, sighting: CardSeen) -> None:
        """Makes a sighting wait, in place of an earlier sighting of the same card."""
        self.sightings[sighting.code] = sighting

    def remove(self, code: str) -> None:
        """Forgets a card that was taken away."""
        self.sightings.pop(code, None)

    def clear(self) -> None:
        """Forgets all cards."""
        self.sightings.clear()

    def take_due(self, match: Match, table: TrackedTable) -> tuple[str, HouseMove] | None:
        """The code of the first card whose deal is due now, and the move that deals it; None if no such card waits. The
        card no longer waits after this, so one sighting deals only one copy.

        On a seat's turn nobody deals. A card that was put down then by mistake is a discrepancy, and is not dealt
        later.
        """
        reading = SightingInterpreter(match, table)
        for code, sighting in [*self.sightings.items()]:
            if not reading.can_be_dealt(code):
                del self.sightings[code]
                continue
            move = reading.meaning_of(sighting)
            if isinstance(move, HouseMove) and not match.house_moves.is_by_companion(move):
                del self.sightings[code]
                return code, move
        return None
