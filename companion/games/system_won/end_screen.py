"""How a game of System WON ended: the result as a sentence, the figures that tell how it went, and all hands.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.games.end_screen import KeyFigure, OpenCard
from companion.games.rules import UNSEEN, Move, Names
from companion.games.system_won.catalog import catalog
from companion.games.system_won.display_names import face_name
from companion.games.system_won.emblems import SUITS
from companion.games.system_won.moves import Specify, SpecifyTwo
from companion.games.system_won.position import Position
from companion.text.messages import Number, TextLike, _, joined


def ending(position: Position) -> TextLike:
    """The sentences about the result of a finished game."""
    rating = catalog().ratings[catalog().rating_index(position.score)]
    score = _(
        "The score is {score}: {rating}. {says}",
        score=Number(position.score),
        rating=_(rating.title),
        says=_(rating.comment),
    )
    return joined(" ", (_("You’ve won!"), score)) if position.is_won else score


def key_figures(steps: Sequence[tuple[Position, Move, Position]], names: Names) -> Iterator[KeyFigure]:
    """Yields three figures: the number of hints given, the number of errors, and the number of discards."""
    end = steps[-1][2]
    yield KeyFigure(_("Hints given"), Number(sum(_hint_count(move) for _before, move, _after in steps)))
    yield KeyFigure(_("Errors"), Number(len(end.errors)))
    yield KeyFigure(_("Discards"), Number(len(end.discard)))


def _hint_count(move: Move) -> int:
    match move:
        case Specify():
            return 1
        case SpecifyTwo(hints=hints):
            return len(hints)
    return 0


def open_hands(position: Position) -> tuple[tuple[OpenCard, ...], ...]:
    """The cards in each hand."""
    return tuple(tuple(_open_card(card.face) for card in hand) for hand in position.hands)


def _open_card(face: str) -> OpenCard:
    if face == UNSEEN:
        return OpenCard(_("a face-down card"), UNSEEN)
    card = catalog().cards[face]
    suit = SUITS[card.color]
    return OpenCard(face_name(face), f"{card.rank}", f"suit-{card.color}", suit.color, suit.ink)
