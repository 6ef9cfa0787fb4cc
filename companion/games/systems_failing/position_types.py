"""What lies on the table in Systems Failing: cards with cubes on them, zones, stacks of the deck."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from companion.games.rules import Seat
from companion.games.systems_failing.cubes import NO_CUBES, Cubes

Phase = Literal["setup", "actions", "stock_up", "advance", "appear"]
Cause = Literal["escape", "stability", "damage"]

FIRST: Final = Seat(0)
"""The seat that begins."""
ACTIONS: Final = 4
SCAVENGED: Final = 2
ZONE_HOLDS: Final = 3
STACKS: Final = 5


@dataclass(frozen=True)
class Laid:
    """A card in play and the cubes placed on it."""

    card: str
    placed: Cubes = NO_CUBES


@dataclass(frozen=True)
class Stack:
    """A part of the face-down deck: how many disasters and how many systems-failing cards it holds."""

    disasters: int
    failing: int


Zone = tuple[Laid, ...]
Zones = tuple[Zone, Zone, Zone]
"""Zones 1 to 3; in each the top card first."""
