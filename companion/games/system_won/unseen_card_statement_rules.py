"""The rules for statements about cards that nobody has seen. In hands, these cards are "?".

Law: pure. A player who moves such a card states its face, and a player who points at such cards states a color or rank.
A statement is accepted if it can be true. This is so if, afterwards, each "?" card in a hand can be assigned a separate
unseen copy, whose face fits the knowledge about the card.

A statement is judged by what its player may know. If only cards that are hidden from this player contradict the
statement, a refusal would reveal them. So the statement is accepted: the recorded faces of these cards must be wrong,
and become "?".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from companion.games.rules import UNSEEN, Move, Seat
from companion.games.system_won.card_knowledge import (
    Hand,
    HandCard,
    HintValue,
    allowed_cards,
    with_negative_hint,
    with_positive_hint,
)
from companion.games.system_won.catalog import RANKS, catalog
from companion.games.system_won.moves import Discard, Hint, Play, PlayOther, PlayTwo, Specify, SpecifyTwo
from companion.games.system_won.position import P, Position


def matching_slots(hand: Hand, value: HintValue) -> tuple[int, ...]:
    """The slots of the cards in a hand whose recorded face has the color or rank `value`."""
    hint_values = catalog().hint_values
    return tuple([slot for slot, card in enumerate(hand) if value in hint_values[card.face]])


def with_statement(position: P, move: Move) -> P | None:
    """The position after a move's statement about unseen cards has been recorded. The statement names their faces, or a
    color or a rank. None if a card can't have its stated face."""
    match move:
        case Specify():
            return with_hints(position, (move,))
        case SpecifyTwo(hints=hints):
            return with_hints(position, hints)
        case Discard() | Play() | PlayTwo() | PlayOther() if position.unseen_in_hands:
            return _with_revealed_cards(position, move)
    return position


def consistent_position(position: P, seat: Seat, move: Move) -> P | None:
    """The position in which the statement about unseen cards in a seat's move can be true. Usually, this is `position`
    itself. If only cards that the seat can't see contradict the statement, it is `position` with "?" for these cards.
    None if the statement can't be true even then."""
    if not position.unseen_in_hands:
        return position
    candidates = (position, position.with_hands_hidden((seat,)))
    return next(
        (each for each in candidates if (after := with_statement(each, move)) and is_consistent(after)),
        None,
    )


def is_consistent(position: Position) -> bool:
    """Whether each "?" card in a hand can be assigned a separate unseen copy that fits the hints about the card. (This
    is a bipartite matching of cards and copies.)"""
    candidates = [
        [face.face_index for face in allowed_cards(card.knowledge) if position.unseen_copies[face.face_index]]
        for hand in position.hands
        for card in hand
        if card.face == UNSEEN
    ]
    holders: dict[int, list[int]] = {index: [] for index in range(len(position.unseen_copies))}
    return all(
        _assign_copy(card, candidates, holders, position.unseen_copies, set()) for card in range(len(candidates))
    )


def _assign_copy(
    card: int,
    candidates: Sequence[Sequence[int]],
    holders: dict[int, list[int]],
    copies: Sequence[int],
    tried: set[int],
) -> bool:
    """Adds `card` to the `holders` of a face that it can have. Moves other cards to other faces if necessary. Returns
    whether this was possible. `tried` collects the indices of the faces that have been tried."""
    for index in candidates[card]:
        if index in tried:
            continue
        tried.add(index)
        if len(holders[index]) < copies[index]:
            holders[index].append(card)
            return True
        for place, other in enumerate(holders[index]):
            if _assign_copy(other, candidates, holders, copies, tried):
                holders[index][place] = card
                return True
    return False


class RevealedCard(NamedTuple):
    """A card that a move turns face up and that nobody had seen before. `face` is the face stated by the move; None if
    the move states none."""

    seat: Seat
    slot: int
    face: str | None


def revealed_cards(position: Position, move: Move) -> tuple[RevealedCard, ...]:
    """The cards that a move turns face up and that nobody had seen before."""
    if not position.unseen_in_hands:
        return ()
    match move:
        case Discard(seat=seat, slot=slot, card=face) | Play(seat=seat, slot=slot, card=face):
            cards: tuple[RevealedCard, ...] = (RevealedCard(seat, slot, face),)
        case PlayOther(target=target, slot=slot, card=face):
            cards = (RevealedCard(target, slot, face),)
        case PlayTwo(seat=seat, slots=slots, cards=faces):
            cards = _cards_of_play_two(position, seat, slots, faces or ())
        case _:
            return ()
    return tuple(card for card in cards if position.hands[card.seat][card.slot].face == UNSEEN)


def _cards_of_play_two(
    position: Position, seat: Seat, slots: Sequence[int], faces: Sequence[str]
) -> tuple[RevealedCard, ...]:
    """The unseen cards that `PlayTwo` turns face up. `faces` has a face for each slot, or only for each slot with an
    unseen card. With any other number of faces, the face of each `RevealedCard` is None."""
    unseen = [slot for slot in slots if position.hands[seat][slot].face == UNSEEN]
    for stated in (slots, unseen):
        if len(faces) == len(stated):
            return tuple(RevealedCard(seat, slot, face) for slot, face in zip(stated, faces, strict=True))
    return tuple(RevealedCard(seat, slot, None) for slot in unseen)


def _with_revealed_cards(position: P, move: Move) -> P | None:
    """The position in which all unseen cards that a move turns face up have their stated faces. None if one of them
    can't have its stated face."""
    after: P | None = position
    for card in revealed_cards(position, move):
        after = after and with_revealed_card(after, card)
    return after


def with_revealed_card(position: P, card: RevealedCard) -> P | None:
    """The position after a "?" card has been turned face up, with the face that the player stated. None if the player
    stated no face, if no unseen copy of the face is left, or if the knowledge about the card excludes the face."""
    hand, slot = position.hands[card.seat], card.slot
    knowledge = hand[slot].knowledge
    face = catalog().cards[card.face] if card.face else None
    if not face or not position.unseen_copies[face.face_index] or not knowledge.allows(face):
        return None
    after = position.with_copy_seen(face.face, unseen_in_hands=position.unseen_in_hands - 1)
    seen = HandCard(face.face, knowledge, hand[slot].deal_number)
    return after.with_hand(card.seat, (*hand[:slot], seen, *hand[slot + 1 :]))


def with_hints(position: P, hints: Sequence[Hint]) -> P:
    """The position after hints. The knowledge about every card in the targets' hands is updated."""
    for hint in hints:
        hand, value = position.hands[hint.target], hint.value
        slots = matching_slots(hand, value) if hint.slots is None else hint.slots
        cards = [_with_hint(card, value, is_pointed_at=slot in slots) for slot, card in enumerate(hand)]
        position = position.with_hand(hint.target, tuple(cards))
    return position


def _with_hint(card: HandCard, value: HintValue, *, is_pointed_at: bool) -> HandCard:
    after_hint = with_positive_hint if is_pointed_at else with_negative_hint
    return HandCard(card.face, after_hint(card.knowledge, value), card.deal_number)


def has_possible_match(position: Position, seat: Seat, hints: Sequence[Hint]) -> bool:
    """Whether each of the hints that `seat` gives can point at a card, as far as that seat knows."""
    if not position.unseen_in_hands:
        return all(hint.value in possible_hint_values(position.hands[hint.target]) for hint in hints)
    return _has_possible_match(position.with_hands_hidden((seat,)), hints)


def _has_known_match(position: Position, hint: Hint) -> bool:
    hint_values, value = catalog().hint_values, hint.value
    for card in position.hands[hint.target]:  # noqa: SIM110  a loop is twice as fast as any()
        if value in hint_values[card.face]:
            return True
    return False


def possible_hint_values(hand: Hand) -> frozenset[HintValue]:
    """The colors and ranks that the cards in a hand can have. If the hand has an unseen card, these are all colors and
    ranks."""
    return _possible_values(frozenset([card.face for card in hand]))


@lru_cache(maxsize=1 << 14)
def _possible_values(faces: frozenset[str]) -> frozenset[HintValue]:
    if UNSEEN in faces:
        return frozenset((*catalog().colors, *RANKS))
    return frozenset[HintValue]().union(*map(catalog().hint_values.__getitem__, faces))


def _has_possible_match(position: Position, hints: Sequence[Hint]) -> bool:
    if not hints:
        return is_consistent(position)
    hint, rest = hints[0], hints[1:]
    if _has_known_match(position, hint):
        return _has_possible_match(position, rest)
    faces = [card.face for card in catalog().cards.values() if hint.value in (card.color, card.rank)]
    return any(
        (after := with_revealed_card(position, RevealedCard(hint.target, slot, face))) is not None
        and _has_possible_match(after, rest)
        for slot, card in enumerate(position.hands[hint.target])
        if card.face == UNSEEN
        for face in faces
    )


def drawable_faces(position: Position) -> Mapping[str, int]:
    """The faces that the next card of the deck may have, each with the number of its unseen copies."""
    unseen = faces_with_copies(position.unseen_copies)
    if not position.unseen_in_hands:
        return unseen
    return {face: copies for face, copies in unseen.items() if is_consistent(position.with_copy_seen(face))}


def faces_with_copies(copies: Sequence[int]) -> Mapping[str, int]:
    """The faces that have at least one copy, each with its number of copies. `copies`: the number of copies of each
    face, in the catalog's order."""
    return {face: count for face, count in zip(catalog().faces, copies, strict=True) if count}
