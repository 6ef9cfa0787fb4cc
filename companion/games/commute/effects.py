"""What moves do: cards played and dealt, pieces that land.

Law: pure; each takes a position and makes the one after. What is legal has been judged before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.games.commute.deck import UNSEEN, VALUES
from companion.games.commute.effect_resolution import answer, swapped, without
from companion.games.commute.hidden_cards import dealt, turned_up
from companion.games.commute.moves import Bump, Choose, Deal, Pick, Told, Travel, UhOh
from companion.games.commute.position_types import Bump as Owed
from companion.games.commute.position_types import Todo
from companion.games.commute.reachability import stuck
from companion.games.rules import Move, Seat

if TYPE_CHECKING:
    from companion.games.commute.rules import State


def carry_out(state: State, move: Move) -> State:
    """The position right after a legal move, before anything runs on."""
    match move:
        case Travel(seat=seat, card=card, to=to):
            played = _play(state, seat, card).adding(seat, VALUES[card])
            return _send(played.but(stage="cascade"), seat, to)
        case Bump(seat=seat, card=card, to=to):
            assert state.bump
            return _send(_play(state, seat, card).but(bump=None), state.bump.target, to)
        case Choose(option=option):
            return answer(state, option)
        case Told(to=to, card=card):
            return _deal(_forgotten(state, card), to, card)
        case Deal(to=to, card=card):
            return _deal(state, to, card)
        case Pick(card=card):
            return swapped(state, card)
        case UhOh(to=to, card=card):
            return _draw(state, to, card)
    raise AssertionError(f"{move} is no move of Commute")


def _deal(state: State, seat: Seat, card: str) -> State:
    after = _known(state, card).with_hand(seat, (*state.hands[seat], card))
    return dealt(after, seat) if card == UNSEEN else after


# Playing cards ----------------------------------------------------------------------------------------


def _play(state: State, seat: Seat, card: str) -> State:
    """A card goes from a hand to the discards; a "?" is revealed by it."""
    hand = state.hands[seat]
    if card in hand:
        after = state.with_hand(seat, without(hand, card))
    else:
        revealed = turned_up(_forgotten(state, card), seat, card)
        after = _known(revealed.with_hand(seat, without(hand, UNSEEN)), card)
    return after.but(discard=(*state.discard, card))


def _known(state: State, card: str) -> State:
    """A face is reported, so it is in the deck no more; of the cards that a set-up fixes it, or for "?" the first, has
    come."""
    order = state.order
    left = order[1:] if card == UNSEEN else tuple(other for other in order if other != card)
    return state.but(unseen=state.unseen - {card}, order=left)


def _forgotten(state: State, card: str) -> State:
    """If the book has this face in a hand, it was wrong about that card, which is "?" from now on."""
    for seat in state.seats:
        if card in state.hands[seat]:
            hand = tuple(UNSEEN if other == card else other for other in state.hands[seat])
            return state.with_hand(Seat(seat), hand).but(unseen=state.unseen | {card})
    return state


# Pieces -----------------------------------------------------------------------------------------------


def _send(state: State, seat: Seat, to: str) -> State:
    """Puts a piece on a space, which may be the goal. A piece that can't move at all does not land."""
    if stuck(state.board, state.goal(seat), frozenset(state.closed), state.positions[seat]):
        return state
    after = state.but(positions=(*state.positions[:seat], to, *state.positions[seat + 1 :]))
    if to == state.goal(seat):
        return after.but(arrived=(*state.arrived[:seat], True, *state.arrived[seat + 1 :]))
    return _land(after, seat, to)


def _land(state: State, seat: Seat, to: str) -> State:
    """The space's minutes, its "Uh-Oh!" card later on, and whoever stands there already."""
    space = state.board.spaces[to]
    landed = (*state.landed, seat) if space.kind == "uh_oh" else state.landed
    there = next((other for other in state.under_way() if other != seat and state.positions[other] == to), None)
    owed = None if there is None else Owed(seat, there)
    return state.adding(seat, space.minutes).but(landed=landed, bump=owed)


def _draw(state: State, seat: Seat, card: str) -> State:
    """The card is read; what it does is settled step by step."""
    return state.but(
        uh_oh=card,
        uh_oh_deck=state.uh_oh_deck - {card},
        uh_oh_order=tuple(other for other in state.uh_oh_order if other != card),
        landed=state.landed[1:],
        tasks=(Todo(seat, state.cards[card].effect),),
    )
