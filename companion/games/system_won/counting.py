"""What the holder of a hidden hand can work out by counting: an aid for who wants it, and for the careful policy.

Law: pure, and made from a seat's own view alone, so that it can tell nothing that the seat may not know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from companion.games.system_won.catalog import Catalog, catalog
from companion.games.system_won.marks import UNKNOWN

Json = Any


def unaccounted(view: Mapping[str, Json], seat: int) -> Counter[str]:
    """How many copies of each face this seat sees nowhere: they are in its own hand, in the deck, or unseen."""
    cards = catalog()
    left = Counter(dict(zip(cards.faces, cards.deck, strict=True)))
    left.subtract(_in_sight(view, seat, cards))
    return Counter({face: count for face, count in left.items() if count > 0})


def possible(view: Mapping[str, Json], seat: int) -> tuple[tuple[str, ...], ...]:
    """The faces that each card of the own hand can have, by what was said and denied of it and by the cards in sight.

    A card that can only be one face takes a copy of it away from the others.
    """
    left, marks = unaccounted(view, seat), view["knowledge"][seat]
    found = [tuple(face for face in left if allowed(mark, face)) for mark in marks]
    while True:
        sure = Counter(faces[0] for faces in found if len(faces) == 1)
        fewer = [_without(faces, sure, left) for faces in found]
        if fewer == found:
            return tuple(found)
        found = fewer


def _without(faces: tuple[str, ...], sure: Counter[str], left: Counter[str]) -> tuple[str, ...]:
    """Of several faces those of which the other cards leave a copy."""
    return faces if len(faces) == 1 else tuple(face for face in faces if sure[face] < left[face])


def allowed(mark: Mapping[str, Json], face: str) -> bool:
    """Whether a card of this face could bear a mark."""
    card = catalog().cards[face]
    return (
        mark["color"] in (None, card.color)
        and mark["rank"] in (None, card.rank)
        and card.color not in mark["not_colors"]
        and card.rank not in mark["not_ranks"]
    )


def _in_sight(view: Mapping[str, Json], seat: int, cards: Catalog) -> Iterator[str]:
    for other, hand in enumerate(view["hands"]):
        if other != seat:
            yield from _known(hand)
    yield from _known(view["discard"])
    yield from _known(view["errors"])
    for face, card in cards.cards.items():
        if card.rank <= view["systems"][card.color]:
            yield face


def _known(faces: Sequence[str]) -> Iterator[str]:
    return (face for face in faces if face != UNKNOWN)
