"""How a game of Systems Failing runs: the set-up, then rounds of phases.

Law: pure. `flow` runs on from what a move has done to the next thing that waits for somebody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.games.rules import Seat
from companion.games.systems_failing import chance
from companion.games.systems_failing.cubes import WHITE, Cubes
from companion.games.systems_failing.position_types import ACTIONS, Laid

if TYPE_CHECKING:
    from companion.games.systems_failing.rules import State


def flow(state: State) -> State:
    """Runs on to the next thing that waits: "a phase with nothing to do is never shown"."""
    while not state.result and (after := _step(state)) is not state:
        state = after
    return state


def _step(state: State) -> State:
    match state.phase:
        case "setup":
            return _step_setup(state)
        case "actions" if state.active and not (state.to_draw or state.actions_left or state.must_return):
            return _end_turn(state)
        case "stock_up" if chance.drawer(state) is None:
            return state.but(phase="advance")
        case "appear" if not state.due or not state.deck:
            return _begin_round(state.but(round=state.round + 1))
    return state


def _begin_round(state: State) -> State:
    return state.but(phase="actions", actions_left=ACTIONS, player=state.first)


def _end_turn(state: State) -> State:
    """ "After both players have taken their turns the first player marker is passed to the next player." """
    second = Seat(1 - state.first)
    if state.player == state.first:
        return state.but(player=second, actions_left=ACTIONS)
    return state.but(phase="stock_up", first=second)


def begin_appearing(state: State) -> State:
    """The number of cards "indicated in the center of the meter card", read once as the phase begins."""
    due = state.cards.region(state.stability, state.damage, beginner=state.beginner).draws
    return state.but(phase="appear", due=due)


# Setting up -------------------------------------------------------------------------------------------


def _step_setup(state: State) -> State:
    if not state.active or None in state.roles or chance.drawer(state) is not None:
        return state
    whites = state.cards.whites_at_zero + state.stability
    if state.bag[WHITE] < whites:  # they join in the ply of the twelfth cube
        return state.but(bag=state.bag + Cubes({WHITE: whites}))
    if state.starting:
        return state
    return _begin_round(_settle_start(state))


def deal_start(state: State, card: str) -> State:
    """A starting disaster: dealt ones go on top, a replacement takes the place of the card it replaces."""
    number = state.starting[0]
    zone, place = state.zones[number - 1], state.replacing or 0
    after = state.with_zone(number, (*zone[:place], Laid(card), *zone[place:]))
    after = after.but(starting=state.starting[1:], replacing=None)
    return after if after.starting else _judge_start(after)


def _judge_start(state: State) -> State:
    """ "The total … of the four starting disaster cards must be 7 or higher." Else the lowest leaves; of
    several "the lowest-numbered zone first (working your way from top to bottom within it)"."""
    lying = [
        (state.cards.disasters[laid.card].damage, number, place)
        for number, zone in enumerate(state.zones, 1)
        for place, laid in enumerate(zone)
    ]
    if sum(damage for damage, _, _ in lying) >= state.cards.start_damage:
        return state
    _, number, place = min(lying)
    zone = state.zones[number - 1]
    after = state.with_zone(number, (*zone[:place], *zone[place + 1 :]))
    return after.but(starting=(number,), replacing=place, aside=(*state.aside, zone[place].card))


def _settle_start(state: State) -> State:
    """ "Any discarded cards should then be shuffled back"; the systems-failing cards join the stacks."""
    disasters = state.deck | set(state.aside)
    stacks = chance.stacks_of(len(disasters), len(state.cards.failing))
    return state.but(deck=disasters | set(state.cards.failing), stacks=stacks, aside=())
