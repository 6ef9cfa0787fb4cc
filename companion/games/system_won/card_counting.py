"""What the holder of a hidden hand can work out by counting: "counting cards is encouraged!"

Law: pure, and made from a seat's own view alone, so it can tell nothing that the seat may not know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from companion.games.system_won.catalog import catalog
from companion.games.system_won.knowledge import UNKNOWN, Mark

View = Mapping[str, Any]
Faces = frozenset[str]
Marks = tuple[Mark, ...]
Copies = tuple[int, ...]
"""A number of copies for each face, in the catalogue's order."""


def possible(view: View, seat: int) -> tuple[tuple[str, ...], ...]:
    """The faces that each card of the seat's own hand can have, oldest card and lowest face first.

    By what was said and denied of the card, and by the cards that this seat has in sight.
    """
    found = narrowed(marks_of(view, seat), unaccounted(view, seat))
    return tuple(tuple(face for face in catalog().faces if face in faces) for faces in found)


def marks_of(view: View, seat: int) -> Marks:
    """What a view tells of a hand's cards."""
    return tuple(
        Mark(known["color"], known["rank"], frozenset(known["not_colors"]), frozenset(known["not_ranks"]))
        for known in view["knowledge"][seat]
    )


def unaccounted(view: View, holder: int) -> Copies:
    """The copies that, as far as this view tells, the holder of a hand sees nowhere: they are in that hand, in the
    deck, or hidden from the viewer too."""
    cards = catalog()
    seen = Counter(_in_sight(view, holder))
    return tuple(max(0, count - seen[face]) for face, count in zip(cards.faces, cards.deck, strict=True))


def _in_sight(view: View, holder: int) -> Iterator[str]:
    for seat, hand in enumerate(view["hands"]):
        if seat != holder:
            yield from (face for face in hand if face != UNKNOWN)
    yield from view["discard"]
    yield from view["errors"]
    yield from (card.face for card in catalog().cards.values() if card.rank <= view["systems"][card.color])


@lru_cache(maxsize=1 << 14)
def narrowed(marks: Marks, left: Copies) -> tuple[Faces, ...]:
    """The faces that the cards with these marks can have, if these copies are left for them.

    Cards that can only be one face take its copies away from the others.
    """
    found = tuple(_allowed(mark) & _present(left) for mark in marks)
    while sure := [next(iter(faces)) for faces in found if len(faces) == 1]:
        taken = {face for face in sure if sure.count(face) >= left[catalog().cards[face].number]}
        fewer = tuple(faces if len(faces) == 1 else faces - taken for faces in found)
        if fewer == found:
            break
        found = fewer
    return found


@lru_cache(maxsize=1 << 12)
def _allowed(mark: Mark) -> Faces:
    return frozenset(card.face for card in catalog().cards.values() if mark.allows(card))


@lru_cache(maxsize=1 << 12)
def _present(left: Copies) -> Faces:
    return frozenset(face for face, count in zip(catalog().faces, left, strict=True) if count)
