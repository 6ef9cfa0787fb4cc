"""How a game of Commute runs: hands, turns, cascades, commutes, rounds.

Law: pure. `flow` runs on from what a move has done to the next thing that waits for somebody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.games.commute.chance import drawer
from companion.games.commute.deck import DECK
from companion.games.commute.effect_resolution import settle
from companion.games.commute.hidden_cards import reshuffled
from companion.games.commute.position_types import Closing, Done
from companion.games.rules import Seat

if TYPE_CHECKING:
    from companion.games.commute.rules import State

BEST_MORNING = 100
"""Minutes that cost nothing."""
LATE = 7
"""Reputation that it costs to be over them at all."""
BEST_EVENING = 20
"""Reputation for the fewest minutes."""


def flow(state: State) -> State:
    """Runs on to the next thing that waits."""
    while not state.over and (after := _step(state)) is not state:
        state = after
    return state


def _step(state: State) -> State:
    if drawer(state) is not None:
        return state if state.deck else _reshuffle(state)
    match state.stage:
        case "deal":
            return state.but(stage="travel", player=state.first)
        case "cascade" if not state.bump:
            return _end_commute(state) if all(state.arrived) else state.but(stage="uh_oh")
        case "uh_oh":
            return _step_uh_oh(state)
        case "replenish":
            return _pass_turn(state)
    return state


def _reshuffle(state: State) -> State:
    """ "Then the shuffled discards are the deck." """
    return reshuffled(state).but(unseen=state.unseen | set(state.discard), discard=())


def _step_uh_oh(state: State) -> State:
    """The card in play, then the cards of those who landed and are still under way, then the hands."""
    if state.tasks:
        return settle(state)
    if state.uh_oh:
        return state.but(uh_oh=None)
    if not state.landed:
        return state.but(stage="replenish")
    if state.arrived[state.landed[0]]:
        return state.but(landed=state.landed[1:])
    return state if state.uh_oh_deck else state.but(uh_oh_deck=frozenset(state.cards))


# Turns ------------------------------------------------------------------------------------------------


def _pass_turn(state: State) -> State:
    """To the next seat under way that does not lose its turn; lines open again as play comes to who shut them."""
    while True:
        state = _come_to(state, state.in_turn_order()[1])
        seat = state.player
        if state.arrived[seat]:
            continue
        if not state.skips[seat]:
            return state.but(stage="travel")
        state = state.skipping(seat, -1)


def _come_to(state: State, seat: Seat) -> State:
    if not state.closings:
        return state.but(player=seat)
    fallen = (Closing(c.line, c.drawer, c.turns - (c.drawer == seat)) for c in state.closings)
    return state.but(player=seat, closings=tuple(closing for closing in fallen if closing.turns))


# Commutes ---------------------------------------------------------------------------------------------


def _end_commute(state: State) -> State:
    gains = morning_gains(state.minutes) if state.morning else evening_gains(state.minutes)
    reputation = tuple(old + gain for old, gain in zip(state.reputation, gains, strict=True))
    done = state.but(reputation=reputation, past=(*state.past, Done(state.minutes, reputation)), landed=())
    if state.commute + 1 == state.commutes:
        return done.but(over=True)
    return begin_commute(done.but(commute=state.commute + 1, order=()))


def begin_commute(state: State) -> State:
    """ "Players start at their house …"; "starting at zero at the beginning of each commute"."""
    count = len(state.houses)
    return state.but(
        stage="deal",
        player=state.first,
        positions=state.houses if state.morning else (state.board.work,) * count,
        hands=((),) * count,
        minutes=(0,) * count,
        arrived=(False,) * count,
        skips=(0,) * count,
        closings=(),
        unseen=frozenset(DECK),
        discard=(),
        shuffled=frozenset(DECK),
        narrowed=(),
    )


def morning_gains(minutes: tuple[int, ...]) -> tuple[int, ...]:
    """ "The players lose one reputation point for every minute on their tally below one hundred … If a player has over
    one hundred minutes …, they lose seven reputation points, in addition to the number of minutes" over it."""
    return tuple(m - BEST_MORNING if m <= BEST_MORNING else BEST_MORNING - m - LATE for m in minutes)


def evening_gains(minutes: tuple[int, ...]) -> tuple[int, ...]:
    """ "The fewest number of minutes gains twenty …, the remaining players receive … twenty minus the number of minutes
    they have more"."""
    return tuple(BEST_EVENING - (m - min(minutes)) for m in minutes)
