"""The parts of a position of Systems Failing: cards in play, zones and stacks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from companion.games.rules import Seat
from companion.games.systems_failing.cube_multiset import NO_CUBES, Cubes

Phase = Literal["setup", "actions", "stock_up", "advance", "appear"]
EndCause = Literal["escape", "stability", "damage"]

FIRST_SEAT: Final = Seat(0)
"""The seat of the first player in round 1."""
ACTIONS_PER_TURN: Final = 4
CUBES_PER_SCAVENGE: Final = 2
MAX_CARDS_PER_ZONE: Final = 3
STACK_COUNT: Final = 5
"""The number of stacks from which the disaster deck is built."""


@dataclass(frozen=True)
class CardInPlay:
    """A card in play, with the cubes on it."""

    card: str
    cubes: Cubes = NO_CUBES


@dataclass(frozen=True)
class Stack:
    """A part of the face-down deck: the number of its disasters, and the number of its systems-failing cards."""

    disasters: int
    failing: int


@dataclass(frozen=True)
class StartingDisasters:
    """The starting disasters that must still be dealt during set-up, and those that were replaced."""

    zones: tuple[int, ...] = ()
    """The numbers of the zones into which disasters must still be dealt, the next one first."""
    replaced_index: int | None = None
    """The index of the disaster that is being replaced. The top disaster of a zone has index 0. None if no disaster is
    being replaced."""
    set_aside: tuple[str, ...] = ()
    """The disasters that were replaced. They are in no pile until set-up is finished."""


ZoneCards = tuple[CardInPlay, ...]
"""The cards in a zone, the top one first."""
Zones = tuple[ZoneCards, ZoneCards, ZoneCards]
"""The cards in zones 1, 2 and 3."""
