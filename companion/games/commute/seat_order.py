"""The order in which seats take their turns.

Law: pure.
"""

from __future__ import annotations

from functools import lru_cache

from companion.games.commute.position import Position
from companion.games.rules import Seat


def seats_in_turn_order(position: Position) -> tuple[Seat, ...]:
    """All seats, the active player first: clockwise in the morning, counter-clockwise in the evening."""
    return _seats_from(len(position.houses), position.active_player, 1 if position.is_morning else -1)


def seats_under_way(position: Position) -> list[Seat]:
    """The seats that have not arrived in this commute, in turn order."""
    return [seat for seat in seats_in_turn_order(position) if not position.arrived[seat]]


@lru_cache
def _seats_from(count: int, first: Seat, step: int) -> tuple[Seat, ...]:
    return tuple(Seat((first + step * number) % count) for number in range(count))
