"""What cards that were dealt face down ("?") can be, once the discards have become the deck.

Law: pure. What lay open then was in no hand, so no "?" dealt before can be one of these cards, and every "?" dealt
since is one of them. Only what everybody saw and what a seat knows of its own cards is used, so what a seat may play
tells it nothing of other hands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.games.commute.deck import DECK, UNSEEN
from companion.games.rules import Seat

if TYPE_CHECKING:
    from companion.games.commute.rules import State

ANY = frozenset[str](DECK)


def possible(state: State, seat: Seat) -> frozenset[str]:
    """What a seat's "?" cards can be. If nothing is left, the book was wrong: then all that does not lie open."""
    held, seen = state.hands[seat], {*state.discard, *state.hands[seat]}
    narrowed = _narrowed(state, seat)
    faces = ANY if len(narrowed) < held.count(UNSEEN) else frozenset[str]().union(*narrowed)
    return faces - seen or ANY - seen


def reshuffled(state: State) -> State:
    """This position with all "?" cards dealt before now, when the discards become the deck."""
    if all(UNSEEN not in hand for hand in state.hands):
        return state.but(shuffled=frozenset(state.discard), narrowed=((),) * len(state.hands))
    narrowed = []
    for seat, hand in enumerate(state.hands):
        known = _narrowed(state, Seat(seat))
        faces = (*known, *(ANY,) * (hand.count(UNSEEN) - len(known)))
        narrowed.append(tuple(each - set(state.discard) for each in faces))
    return state.but(shuffled=frozenset(state.discard), narrowed=tuple(narrowed))


def dealt(state: State, seat: Seat) -> State:
    """This position once a "?" of the deck is a seat's."""
    return _with(state, seat, (*_narrowed(state, seat), state.shuffled))


def turned_up(state: State, seat: Seat, card: str) -> State:
    """This position once a "?" of a seat turned out to be this card: the one of which least else was thinkable."""
    narrowed = _narrowed(state, seat)
    found = min((faces for faces in narrowed if card in faces), key=len, default=None)
    return state if found is None else _with(state, seat, _without(narrowed, narrowed.index(found)))


def given_away(state: State, seat: Seat) -> State:
    """This position with a "?" of a seat, nobody else knows which, about to be another's. Who gets it is told nothing
    of when it was dealt, so it can be anything there."""
    narrowed = _narrowed(state, seat)
    alike = len(set(narrowed)) == 1 and len(narrowed) == state.hands[seat].count(UNSEEN)
    return _with(state, seat, narrowed[1:] if alike else ())


def _narrowed(state: State, seat: Seat) -> tuple[frozenset[str], ...]:
    return state.narrowed[seat] if state.narrowed else ()


def _with(state: State, seat: Seat, narrowed: tuple[frozenset[str], ...]) -> State:
    if not state.narrowed:
        return state
    return state.but(narrowed=(*state.narrowed[:seat], narrowed, *state.narrowed[seat + 1 :]))


def _without(narrowed: tuple[frozenset[str], ...], place: int) -> tuple[frozenset[str], ...]:
    return (*narrowed[:place], *narrowed[place + 1 :])
