"""The faces that the cards in a hand can have, as far as the hand's holder can tell by counting cards. The rules
encourage players to count.

Law: pure. The functions use only the position as a seat knows it, so they can't reveal anything that the seat must not
know.
"""

from __future__ import annotations

from functools import lru_cache

from companion.games.system_won.card_knowledge import CardKnowledge, allowed_cards
from companion.games.system_won.catalog import catalog
from companion.games.system_won.position import Position

Faces = frozenset[str]
HandKnowledge = tuple[CardKnowledge, ...]
"""What hints have said about each card in a hand, by slot."""
CopyCounts = tuple[int, ...]
"""The number of copies of each face, in the catalog's order."""


def possible_faces(known: Position, seat: int) -> tuple[tuple[str, ...], ...]:
    """The faces that each card in the hand of `seat` can have, as far as the seat can tell. They are in the catalog's
    order.

    `known` is the position as the seat knows it. A face is excluded if hints about the card exclude it, or if the seat
    sees all copies of the face elsewhere.
    """
    by_slot = narrowed_faces(hand_knowledge(known, seat), unaccounted_copies(known, seat))
    return tuple(tuple(face for face in catalog().faces if face in faces) for faces in by_slot)


def hand_knowledge(known: Position, seat: int) -> HandKnowledge:
    """What hints have said about each card in the hand of `seat`, by slot."""
    return tuple(card.knowledge for card in known.hands[seat])


def unaccounted_copies(known: Position, holder: int) -> CopyCounts:
    """The number of copies of each face that the seat `holder` doesn't see, as far as a viewer can tell. `known` is the
    position as this viewer knows it. The copies are in the hand of `holder`, in the deck, or in hands that are hidden
    from the viewer."""
    in_hand = [card.face for card in known.hands[holder]]
    return tuple(count + in_hand.count(face) for face, count in zip(catalog().faces, known.unseen_copies, strict=True))


@lru_cache(maxsize=1 << 14)
def narrowed_faces(knowledge: HandKnowledge, copies: CopyCounts) -> tuple[Faces, ...]:
    """The faces that each card in a hand can have, by slot. These faces are allowed by the hints about the card, and
    have copies left. `copies`: for each face, the number of copies that the hand may hold. A card with only one
    possible face uses up a copy of it. Once all copies of a face are used up, no other card can have it."""
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
