"""Cards that people deal by hand: what a phone offers its player to tell of them.

Law: pure. What may be told is the view's word; here it is only put in order, by value and suit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from companion.games.commute.deck import HAND, UNSEEN, VALUES
from companion.games.commute.moves import Deal, Pick
from companion.games.rules import HouseMove
from companion.match import notation
from companion.match.view import View
from web.boards.commute_journeys import Way, card


@dataclass(frozen=True)
class Value:
    """A value that a card may have, and the cards of it that may be told, by suit."""

    number: int
    rank: str
    ways: tuple[Way, ...]


@dataclass(frozen=True)
class Report:
    """What is due of a hand: a card dealt to `seat`, the `number`th of so many, or a random one drawn from it.

    `values` are what a card dealt to the viewer may be, `held` the viewer's cards that may have been drawn; `unseen`
    is the move that books a card face down, "" if that can't be.
    """

    seat: int
    own: bool
    drawn_from: bool
    number: int
    most: int
    values: tuple[Value, ...]
    held: tuple[Way, ...]
    unseen: str


def report(view: View) -> Report | None:
    """What people tell now of playing cards; None if nothing of the kind is due, or nothing that this viewer could."""
    due = [move for move in view.reports if isinstance(move, Deal | Pick)]
    if not due:
        return None
    seat = due[0].to if isinstance(due[0], Deal) else due[0].from_
    known = [move for move in due if move.face != UNSEEN]
    unseen = next((notation.write(move) for move in due if move.face == UNSEEN), "")
    drawn_from = isinstance(due[0], Pick)
    return Report(
        seat=seat,
        own=seat == view.viewer,
        drawn_from=drawn_from,
        number=len(view.state["hands"][seat]) + 1,
        most=HAND,
        values=() if drawn_from else _values(known),
        held=tuple(map(_way, known)) if drawn_from else (),
        unseen=unseen,
    )


def _values(moves: Sequence[HouseMove]) -> tuple[Value, ...]:
    def value(move: HouseMove) -> int:
        return VALUES[move.face]

    by_value = groupby(sorted(moves, key=value), value)
    return tuple(_value(number, tuple(map(_way, found))) for number, found in by_value)


def _value(number: int, ways: tuple[Way, ...]) -> Value:
    return Value(number, ways[0].card.rank, ways)


def _way(move: HouseMove) -> Way:
    return Way(card(move.face), notation.write(move))
