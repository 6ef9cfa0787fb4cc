"""What the house may bring in a position of Commute.

Law: pure. A state holds no order of a deck, but for the cards that a set-up fixes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from companion.games.chance_node import Awaited
from companion.games.commute.deck import DECK, HAND, UNSEEN, Face
from companion.games.commute.moves import Deal, Pick, Told, UhOh, UhOhId
from companion.games.commute.position_types import Trade
from companion.games.rules import HOUSE, HouseMove, Seat
from companion.text.player_names import seat_name
from companion.text.translation import _

if TYPE_CHECKING:
    from companion.games.commute.rules import State


def awaited(state: State) -> Awaited | None:
    """What the house must bring, or None if a seat must act or the game is over."""
    if state.turn != HOUSE:
        return None
    if (seat := drawer(state)) is not None:
        return Awaited(_("a card for {name}", name=seat_name(seat)), _deal, seat, _deal_weights(state))
    match state.tasks[:1]:
        case (Trade(owner=owner),):
            return Awaited(
                _("a random card of {name}'s hand", name=seat_name(owner)), _pick, owner, Counter(state.hands[owner])
            )
    lander = state.landed[0]
    return Awaited(_("an “Uh-Oh!” card for {name}", name=seat_name(lander)), _uh_oh, lander, _uh_oh_weights(state))


def tells(state: State, seat: Seat) -> Iterator[HouseMove]:
    """What a seat knows of the house's next move before the book does: the card that it was dealt, which may be any
    that went into the deck and that it sees neither in its own hand nor among the discards; or the card that was drawn
    from its hand."""
    if (due := awaited(state)) is None or due.to != seat:
        return
    if drawer(state) == seat:
        dealt = state.shuffled - {*state.hands[seat], *state.discard}
        yield from (_deal_told(seat, card) for card in DECK if card in dealt)
    elif state.tasks:
        yield from (due.make(seat, face) for face in due.faces)


def chances(state: State) -> Iterator[tuple[HouseMove, int]]:
    """Each house move that may come next, with its weight."""
    if due := awaited(state):
        yield from due.chances()


def drawer(state: State) -> Seat | None:
    """The seat that the next playing card is for, if one is due."""
    match state.stage:
        case "deal":  # "each player is dealt three cards", seat 0's hand first
            return next((Seat(seat) for seat in state.seats if len(state.hands[seat]) < HAND), None)
        case "replenish":
            return next((seat for seat in state.in_turn_order() if len(state.hands[seat]) < HAND), None)
        case "cascade" if state.bump and not state.hands[state.bump.seat]:
            return state.bump.seat
    return None


def _deal_weights(state: State) -> dict[str, int]:
    """Any card of the deck alike, or the one that a set-up puts on top; dealt by hand also "?"."""
    top = state.order[:1]
    weights: dict[str, int] = {card: int(not top or card in top) for card in DECK if card in state.unseen}
    return {**weights, UNSEEN: 0}


def _uh_oh_weights(state: State) -> dict[str, int]:
    """Likewise of the "Uh-Oh!" deck, of which all cards are known."""
    top = state.uh_oh_order[:1]
    return {card: int(not top or card in top) for card in sorted(state.uh_oh_deck)}


# Moves are made once: there are few, and they never change.


@lru_cache(maxsize=1024)
def _deal(seat: Seat, face: str) -> Deal:
    return Deal(to=seat, card=Face(face))


@lru_cache(maxsize=1024)
def _deal_told(seat: Seat, face: str) -> Deal:
    return Told(to=seat, card=Face(face))


@lru_cache(maxsize=1024)
def _pick(seat: Seat, face: str) -> Pick:
    return Pick(from_=seat, card=Face(face))


@lru_cache(maxsize=1024)
def _uh_oh(seat: Seat, face: str) -> UhOh:
    return UhOh(to=seat, card=UhOhId(face))
