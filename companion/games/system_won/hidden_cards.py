"""The faces that the cards of a hand can have, as its holder can infer them by counting cards, which the rules
encourage.

Law: pure. The functions use only the position as a seat knows it, so they can't reveal anything else.
"""

from __future__ import annotations

from functools import lru_cache

from companion.games.system_won.catalog import catalog
from companion.games.system_won.knowledge import CardKnowledge, allowed_cards
from companion.games.system_won.position import Position

Faces = frozenset[str]
HandKnowledge = tuple[CardKnowledge, ...]
"""The knowledge of each card of a hand, by slot."""
CopyCounts = tuple[int, ...]
"""The number of copies of each face, in the catalog's order."""


def possible_faces(known: Position, seat: int) -> tuple[tuple[str, ...], ...]:
    """For each card of a seat's hand, the faces that it can have, in the catalog's order.

    `known` is the position as the hand's holder knows it. A face is excluded by what hints said about the card, or
    because the holder can see all its copies elsewhere.
    """
    by_slot = narrowed_faces(hand_knowledge(known, seat), unaccounted_copies(known, seat))
    return tuple(tuple(face for face in catalog().faces if face in faces) for faces in by_slot)


def hand_knowledge(known: Position, seat: int) -> HandKnowledge:
    """The knowledge of each card of a hand, by slot."""
    return tuple(card.knowledge for card in known.hands[seat])


def unaccounted_copies(known: Position, holder: int) -> CopyCounts:
    """For each face, the number of copies that the seat `holder` can't see: they are in its own hand, in the deck, or
    hidden in `known`, which is the position as a viewer knows it."""
    in_hand = [card.face for card in known.hands[holder]]
    return tuple(count + in_hand.count(face) for face, count in zip(catalog().faces, known.unseen_copies, strict=True))


@lru_cache(maxsize=1 << 14)
def narrowed_faces(knowledge: HandKnowledge, copies: CopyCounts) -> tuple[Faces, ...]:
    """The faces that each card of a hand can have, by slot: those that the hints about the card allow and that have
    copies left. `copies`: for each face, how many copies the hand may hold. A card with a single possible face uses up
    one copy of it; when all copies are used up, the other cards can't have that face."""
    by_slot = tuple(_allowed_faces(card) & _faces_with_copies(copies) for card in knowledge)
    while certain := [next(iter(faces)) for faces in by_slot if len(faces) == 1]:
        used_up = {face for face in certain if certain.count(face) >= copies[catalog().cards[face].face_index]}
        narrower = tuple(faces if len(faces) == 1 else faces - used_up for faces in by_slot)
        if narrower == by_slot:
            break
        by_slot = narrower
    return by_slot


@lru_cache(maxsize=1 << 12)
def _allowed_faces(knowledge: CardKnowledge) -> Faces:
    return frozenset(card.face for card in allowed_cards(knowledge))


@lru_cache(maxsize=1 << 12)
def _faces_with_copies(copies: CopyCounts) -> Faces:
    return frozenset(face for face, count in zip(catalog().faces, copies, strict=True) if count)
