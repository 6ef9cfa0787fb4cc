"""Previews of moves before they are made: the minutes and other consequences of the landing, and a label for the space.

Law: pure. `landing_after` needs only the position as the traveler knows it.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.games.commute.display_names import line_name, more_minutes, space_name
from companion.games.commute.effects import with_piece_moved
from companion.games.commute.moves import Bump, Travel
from companion.games.commute.position import Position
from companion.games.rules import Seat
from companion.text.messages import TextLike, _, joined


@dataclass(frozen=True)
class Landing:
    """The immediate consequences of a piece's landing, before another piece is sent on and before "Uh-Oh!" cards are
    drawn."""

    minutes: int
    """The minutes of the piece's player after the landing."""
    added_minutes: int
    """The minutes that the move adds. Negative if the move saves minutes."""
    arrives: bool
    """Whether the piece reaches its goal."""
    uh_oh: bool
    """Whether the piece's player will draw an "Uh-Oh!" card."""
    bumped: Seat | None
    """The seat whose piece already stands on the space and must be sent on. None if there is no such piece."""


def landing_after(position: Position, move: Travel | Bump) -> Landing:
    """The consequences of the landing to which a legal move leads."""
    after = with_piece_moved(position, move)
    piece = position.bump.target if position.bump else position.active_player
    return Landing(
        minutes=after.minutes[piece],
        added_minutes=after.minutes[piece] - position.minutes[piece],
        arrives=after.arrived[piece],
        uh_oh=len(after.uh_oh.queue) > len(position.uh_oh.queue),
        bumped=after.bump.target if after.bump else None,
    )


def landing_label(position: Position, move: Travel | Bump) -> TextLike:
    """A label for the space to which a legal move leads, with the minutes that the move adds: "s12, +7 minutes" or
    "work, +7 minutes"."""
    space, minutes = position.board.spaces[move.to], landing_after(position, move).added_minutes
    labels = {"uh_oh": _("“Uh-Oh!”"), "station": line_name(space.line or "")}
    is_free_arrival = move.to in position.board.ends and not minutes
    cost = "" if is_free_arrival else more_minutes(minutes)
    return joined(", ", filter(None, (space_name(position, move.to), cost, labels.get(space.kind))))
