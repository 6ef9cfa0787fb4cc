"""Cards that nobody has seen: `?` in a hand until a player turns one up, or points at it.

Law: pure. What a player says of such cards is taken if it can be true: if every unseen card in a hand can still be
one of the unseen copies that its mark allows.

A player's word is judged by what that player may know. Where only cards hidden from that player speak against it, a
refusal would tell of them; so it is the book that was wrong about those cards, and it forgets their faces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from companion.games.rules import Move, Seat
from companion.games.system_won.catalog import Card, Catalog
from companion.games.system_won.knowledge import UNKNOWN, Hand, Held, Said, passed_over, pointed_at
from companion.games.system_won.moves import Discard, Hint, Play, PlayOther, PlayTwo, Specify, SpecifyTwo

if TYPE_CHECKING:
    from companion.games.system_won.rules import State


def matches(cards: Catalog, hand: Hand, said: Said) -> tuple[int, ...]:
    """The slots whose faces are known to be of a colour or a rank."""
    return tuple(slot for slot, held in enumerate(hand) if said in cards.says[held.face])


def as_said(state: State, move: Move) -> State | None:
    """The position with what a move points at or turns up; None if no such copy is left."""
    match move:
        case Specify():
            return pointed(state, (move,))
        case SpecifyTwo(hints=hints):
            return pointed(state, hints)
        case Discard() | Play() | PlayTwo() | PlayOther() if state.unknown:
            return _turned_up(state, move)
    return state


def believed(state: State, seat: Seat, move: Move) -> State | None:
    """The position of which what the move says can be true: this one, or this one with what the seat may not know
    forgotten; None if neither will do."""
    if not state.unknown:
        return state
    bases = (state, forgotten(state, seat))
    return next((base for base in bases if (after := as_said(base, move)) and fits(after)), None)


def forgotten(state: State, seat: Seat) -> State:
    """The position as far as this seat's view shows it: its own cards, and what lies on the deck, are unseen."""
    own = [held.face for held in state.hands[seat]]
    after = state.unseen_again(*(face for face in (*own, *state.top) if face != UNKNOWN))
    return after.with_hand(
        seat,
        tuple(held._replace(face=UNKNOWN) for held in state.hands[seat]),
        unknown=state.unknown + len(own) - own.count(UNKNOWN),
        top=(UNKNOWN,) * len(state.top),
    )


def fits(state: State) -> bool:
    """Whether every `?` in a hand can be given an unseen copy that its mark allows (a bipartite matching)."""
    every = state.cards.cards.values()
    wants = [
        [card.number for card in every if state.unseen[card.number] and held.mark.allows(card)]
        for hand in state.hands
        for held in hand
        if held.face == UNKNOWN
    ]
    given: dict[int, list[int]] = {number: [] for number in range(len(state.unseen))}
    return all(_give(card, wants, given, state.unseen, set()) for card in range(len(wants)))


def _give(
    card: int, wants: Sequence[Sequence[int]], given: dict[int, list[int]], copies: Sequence[int], tried: set[int]
) -> bool:
    """Finds a copy for a card, moving others to other copies where it must."""
    for number in wants[card]:
        if number in tried:
            continue
        tried.add(number)
        holders = given[number]
        if len(holders) < copies[number]:
            holders.append(card)
            return True
        for place, other in enumerate(holders):
            if _give(other, wants, given, copies, tried):
                holders[place] = card
                return True
    return False


# Turning cards up -------------------------------------------------------------------------------------

Turned = tuple[Seat, int, str | None]
"""A card that a move turns up: its hand, its slot, and the face that was named."""


def turned_up(state: State, move: Move) -> tuple[Turned, ...]:
    """The cards that a move turns up and that nobody has seen."""
    match move:
        case Discard(seat=seat, slot=slot, card=card) | Play(seat=seat, slot=slot, card=card):
            turned: tuple[Turned, ...] = ((seat, slot, card),)
        case PlayOther(target=target, slot=slot, card=card):
            turned = ((target, slot, card),)
        case PlayTwo(seat=seat, slots=slots, cards=cards):
            turned = _both(state, seat, slots, cards or ())
        case _:
            return ()
    return tuple(card for card in turned if _held(state, card).face == UNKNOWN)


def _both(state: State, seat: Seat, slots: Sequence[int], named: Sequence[str]) -> tuple[Turned, ...]:
    """One face for each slot, or one for each slot that needs it."""
    needing = [slot for slot in slots if state.hands[seat][slot].face == UNKNOWN]
    for those in (slots, needing):
        if len(named) == len(those):
            return tuple((seat, slot, face) for slot, face in zip(those, named, strict=True))
    return tuple((seat, slot, None) for slot in needing)


def _held(state: State, turned: Turned) -> Held:
    seat, slot, _ = turned
    return state.hands[seat][slot]


def _turned_up(state: State, move: Move) -> State | None:
    after: State | None = state
    for seat, slot, face in turned_up(state, move):
        after = after and with_face(after, seat, slot, face)
    return after


def with_face(state: State, seat: Seat, slot: int, face: str | None) -> State | None:
    """The position with the face of a `?` known; None if no unseen copy of it could bear the mark."""
    held = state.hands[seat][slot]
    card = state.cards.cards[face] if face else None
    if not card or not state.unseen[card.number] or not held.mark.allows(card):
        return None
    after = state.seen_face(card.face, unknown=state.unknown - 1)
    hand = state.hands[seat]
    return after.with_hand(seat, (*hand[:slot], held._replace(face=card.face), *hand[slot + 1 :]))


# Pointing at cards ------------------------------------------------------------------------------------


def pointed(state: State, hints: Sequence[Hint]) -> State:
    """The position with the marks of specifications."""
    for hint in hints:
        hand, said = state.hands[hint.target], hint.said
        slots = matches(state.cards, hand, said) if hint.slots is None else hint.slots
        marked = (
            held._replace(mark=pointed_at(held.mark, said) if slot in slots else passed_over(held.mark, said))
            for slot, held in enumerate(hand)
        )
        state = state.with_hand(hint.target, tuple(marked))
    return state


def _known_match(state: State, hint: Hint) -> bool:
    """Whether a card is known that matches."""
    says, said = state.cards.says, hint.said
    return any(said in says[held.face] for held in state.hands[hint.target])


def could_match(state: State, seat: Seat, hints: Sequence[Hint]) -> bool:
    """Whether, for all that the speaker may know, each specification could point at a card."""
    if not state.unknown:
        return all(_known_match(state, hint) for hint in hints)
    return _could_match(forgotten(state, seat), hints)


def _could_match(state: State, hints: Sequence[Hint]) -> bool:
    if not hints:
        return fits(state)
    hint, rest = hints[0], hints[1:]
    hand = state.hands[hint.target]
    if _known_match(state, hint):
        return _could_match(state, rest)
    fitting = [card for card in state.cards.cards.values() if hint.said in (card.color, card.rank)]
    return any(
        (after := with_face(state, hint.target, slot, card.face)) is not None and _could_match(after, rest)
        for slot, held in enumerate(hand)
        if held.face == UNKNOWN
        for card in fitting
    )


def drawable(state: State) -> Iterator[Card]:
    """The faces of which a copy can come off the deck."""
    left = [card for card in state.cards.cards.values() if state.unseen[card.number]]
    return (card for card in left if not state.unknown or fits(state.seen_face(card.face)))
