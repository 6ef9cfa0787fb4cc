"""How a game of Traffic Congestion ended: the result as a sentence, and the figures that tell how it went.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.games.end_screen import KeyFigure
from companion.games.rules import Move, Names, Seat
from companion.games.traffic_congestion.display_names import cars_label
from companion.games.traffic_congestion.moves import Signal
from companion.games.traffic_congestion.position import Position
from companion.text.messages import Number, Text, TextLike, _


def ending(position: Position, seat: Seat, names: Names) -> Text:
    """The sentence that says who has won the game."""
    return _("{name} wins with {cars} home!", name=names[seat], cars=cars_home(position, seat))


def cars_home(position: Position, seat: Seat) -> TextLike:
    """The number of a player's cars that are home, such as "3 blue cars"."""
    return cars_label((position.colors[seat],) * position.scores[seat])


def key_figures(steps: Sequence[tuple[Position, Move, Position]], names: Names) -> Iterator[KeyFigure]:
    """Yields three figures: the number of turns, the number of signals placed, and the largest number of cars that came
    home in one turn."""
    gains = (sum(after.scores) - sum(before.scores) for before, _move, after in steps)
    yield KeyFigure(_("Turns"), Number(steps[-1][2].turns_taken))
    yield KeyFigure(_("Signals placed"), Number(sum(isinstance(move, Signal) for _before, move, _after in steps)))
    yield KeyFigure(_("Most cars home in one turn"), Number(max(gains)))
