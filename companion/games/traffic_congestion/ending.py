"""What the screen at the end of Traffic Congestion shows: the figures that tell how the game went. There are no hands.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.games.end_screen import KeyFigure
from companion.games.rules import Move, Names
from companion.games.traffic_congestion.moves import Signal
from companion.games.traffic_congestion.position import Position
from companion.text.messages import Number, _


def key_figures(steps: Sequence[tuple[Position, Move, Position]], names: Names) -> Iterator[KeyFigure]:
    """Yields the turns, the signals placed, and the most cars that came home in one turn."""
    gains = (sum(after.scores) - sum(before.scores) for before, _move, after in steps)
    yield KeyFigure(_("Turns"), Number(steps[-1][2].turns_taken))
    yield KeyFigure(_("Signals placed"), Number(sum(isinstance(move, Signal) for _before, move, _after in steps)))
    yield KeyFigure(_("Most home in a turn"), Number(max(gains)))
