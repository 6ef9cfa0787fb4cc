"""How "Uh-Oh!" cards are settled.

Law: pure. The card's effects lie in `State.tasks`, the next one first; `settle` does what needs no answer, `question`
is what a seat is asked, `answer` and `picked` take what comes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from companion.games.commute.card_effects import (
    All,
    AtStation,
    ByCommute,
    Choice,
    CloseLine,
    Effect,
    Minutes,
    Reputation,
    SkipTurn,
    Swap,
)
from companion.games.commute.deck import UNSEEN
from companion.games.commute.hidden_cards import given_away
from companion.games.commute.position_types import Asks, Closing, Question, Task, Todo, Trade
from companion.games.rules import Seat

if TYPE_CHECKING:
    from companion.games.commute.rules import State


def question(state: State) -> Question | None:
    """What the next task asks a seat; None if there is none, or if it needs no answer."""
    match state.tasks[:1]:
        case (Todo(seat=seat, effect=Choice(of)),):
            return Question("choice", seat, tuple(range(len(of))))
        case (Todo(seat=seat, effect=Swap()),):
            return _asked("partner", seat, _partners(state, seat))
        case (Todo(seat=seat, effect=SkipTurn("other")),):
            return _asked("skip", seat, _others(state, seat))
        case (Todo(seat=seat, effect=CloseLine()),):
            return _asked("line", seat, state.board.lines)
        case (Trade(owner=owner, how="chosen"),):
            return _asked("card", owner, tuple(dict.fromkeys(state.hands[owner])))
    return None


def _asked(asks: Asks, seat: Seat, options: tuple[int | str, ...]) -> Question | None:
    """A question without an answer is none: nothing happens."""
    return Question(asks, seat, options) if options else None


def _others(state: State, seat: Seat) -> tuple[Seat, ...]:
    """Whom a card may hit besides its drawer: a player in the end goal "cannot be affected in any way"."""
    return tuple(Seat(other) for other in state.seats if other != seat and not state.arrived[other])


def _partners(state: State, seat: Seat) -> tuple[Seat, ...]:
    """Whom the drawer may swap with: who holds a card, if the drawer does."""
    return tuple(other for other in _others(state, seat) if state.hands[other] and state.hands[seat])


# What needs no answer ---------------------------------------------------------------------------------


def settle(state: State) -> State:
    """Does the next task; the same state if it waits for somebody."""
    match state.tasks[0]:
        case Todo(seat=seat, effect=effect) if not question(state):
            return _do(_done(state), seat, effect)
    return state


def _done(state: State, *instead: Task) -> State:
    return state.but(tasks=(*instead, *state.tasks[1:]))


def _todo(state: State, seat: Seat, *effects: Effect) -> State:
    return state.but(tasks=(*(Todo(seat, effect) for effect in effects), *state.tasks))


def _do(state: State, seat: Seat, effect: Effect) -> State:
    match effect:
        case Minutes(amount):
            return state.adding(seat, amount)
        case Reputation(amount):
            reputation = (*state.reputation[:seat], state.reputation[seat] + amount, *state.reputation[seat + 1 :])
            return state.but(reputation=reputation)
        case ByCommute(morning, evening):
            return _todo(state, seat, morning if state.morning else evening)
        case All(several):
            return _todo(state, seat, *several)
        case AtStation():
            return _at_station(state, seat, effect)
        case SkipTurn("self"):
            return state.skipping(seat, 1)
    return state  # a question that has no answer


def _at_station(state: State, drawer: Seat, effect: AtStation) -> State:
    """Every seat under way, the drawer first and then in turn order."""
    seats = state.but(player=drawer).under_way()
    chosen = ((seat, effect.then if _on_station(state, seat) else effect.otherwise) for seat in seats)
    return state.but(tasks=(*(Todo(seat, each) for seat, each in chosen if each), *state.tasks))


def _on_station(state: State, seat: Seat) -> bool:
    return state.board.spaces[state.positions[seat]].kind == "station"


# What comes -------------------------------------------------------------------------------------------


def answer(state: State, option: int | str) -> State:
    """The position after an answer."""
    match state.tasks[0], option:
        case Todo(seat=seat, effect=Choice(of)), int():
            return _todo(_done(state), seat, of[option])
        case Todo(seat=seat, effect=Swap() as swap), int():
            return _done(state, Trade(seat, Seat(option), swap))
        case Todo(effect=SkipTurn()), int():
            return _done(state).skipping(Seat(option), 1)
        case Todo(seat=seat, effect=CloseLine(turns)), str():
            return _done(state).but(closings=(*state.closings, Closing(option, seat, turns)))
        case Trade(), str():
            return swapped(state, option)
    raise AssertionError(f"{option} answers nothing")


def swapped(state: State, card: str) -> State:
    """The position after a card of a swap is settled; with the second both change hands, at the end of the new one."""
    trade = state.tasks[0]
    assert isinstance(trade, Trade)
    if trade.given is None:
        return _done(state, replace(trade, given=card))
    drawer, partner = trade.drawer, trade.partner
    after = _given(_given(_done(state), drawer, trade.given), partner, card)
    after = after.with_hand(drawer, (*after.hands[drawer], card))
    return after.with_hand(partner, (*after.hands[partner], trade.given))


def _given(state: State, seat: Seat, card: str) -> State:
    """The position after a card has left a hand."""
    before = given_away(state, seat) if card == UNSEEN else state
    return before.with_hand(seat, without(state.hands[seat], card))


def without(hand: tuple[str, ...], card: str) -> tuple[str, ...]:
    """A hand with a card less."""
    place = hand.index(card)
    return (*hand[:place], *hand[place + 1 :])
