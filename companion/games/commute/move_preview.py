"""What a journey would bring, worked out before it is made.

Law: pure. A position as the traveller knows it is enough.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.commute.effects import apply_move
from companion.games.commute.moves import Bump, Travel
from companion.games.commute.position import Position
from companion.games.rules import Seat


@dataclass(frozen=True)
class Landing:
    """What follows when a piece lands, before anybody is sent on and before "Uh-Oh!" cards."""

    minutes: int
    """The piece's minutes afterwards."""
    added_minutes: int
    arrives: bool
    uh_oh: bool
    """Whether an "Uh-Oh!" card will be drawn for it."""
    bumped: Seat | None
    """Who already stands there and must be sent on."""


def landing_after(position: Position, move: Travel | Bump) -> Landing:
    """The landing that a legal move brings for the piece that it moves."""
    after = apply_move(position, move)
    piece = position.bump.target if position.bump else position.active_player
    return Landing(
        minutes=after.minutes[piece],
        added_minutes=after.minutes[piece] - position.minutes[piece],
        arrives=after.arrived[piece],
        uh_oh=len(after.uh_oh_queue) > len(position.uh_oh_queue),
        bumped=after.bump.target if after.bump else None,
    )
