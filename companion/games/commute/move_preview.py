"""A preview of moves: the minutes and other consequences of a landing, before the move is made.

Law: pure. `landing_after` needs only the position as the traveler knows it.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.commute.effects import apply_move
from companion.games.commute.moves import Bump, Travel
from companion.games.commute.position import Position
from companion.games.rules import Seat


@dataclass(frozen=True)
class Landing:
    """The immediate consequences when a piece lands, before another piece is sent on and before "Uh-Oh!" cards are
    drawn."""

    minutes: int
    """The minutes of the piece's player after the landing."""
    added_minutes: int
    """The minutes that the move adds; negative if it saves some."""
    arrives: bool
    """Whether the piece reaches its goal."""
    uh_oh: bool
    """Whether the piece's player will draw an "Uh-Oh!" card."""
    bumped: Seat | None
    """The seat whose piece already stands on the space and must be sent on; None if there is none."""


def landing_after(position: Position, move: Travel | Bump) -> Landing:
    """The consequences of the landing to which a legal move leads."""
    after = apply_move(position, move)
    piece = position.bump.target if position.bump else position.active_player
    return Landing(
        minutes=after.minutes[piece],
        added_minutes=after.minutes[piece] - position.minutes[piece],
        arrives=after.arrived[piece],
        uh_oh=len(after.uh_oh_queue) > len(position.uh_oh_queue),
        bumped=after.bump.target if after.bump else None,
    )
