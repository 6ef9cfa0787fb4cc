"""What moves do: actions, cubes, repairs, surges, damage, cards off the decks.

Law: pure; each takes a position and makes the one after. What is legal has been judged before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from companion.games.rules import Move, Seat
from companion.games.systems_failing import chance, phases
from companion.games.systems_failing.cubes import ONE, WHITE, Cubes, cubes_of
from companion.games.systems_failing.moves import (
    Advance,
    DealRole,
    Discard,
    Draw,
    EndTurn,
    Repair,
    Return,
    Reveal,
    Scavenge,
    Transfer,
)
from companion.games.systems_failing.position_types import SCAVENGED, ZONE_HOLDS, Laid, Stack

if TYPE_CHECKING:
    from companion.games.systems_failing.rules import State


def carry_out(state: State, move: Move) -> State:
    """The position right after a legal move, before anything runs on."""
    match move:
        case Scavenge():
            return _spend(state, to_draw=SCAVENGED)
        case Transfer(color=color):
            return _transfer(_spend(state), color)
        case Repair():
            return _repair(_spend(state), move)
        case Discard():
            return _give_back(_spend(state), state.pools[state.player])
        case Return(cubes=cubes):
            return _give_back(state, cubes_of(cubes))
        case EndTurn():
            return state.but(actions_left=0)
        case Draw(to=to, cube=cube):
            return _draw(state, to, cube)
        case Reveal(card=card):
            return _reveal(state, card)
        case DealRole(to=to, role=role):
            return state.but(roles=(role, state.roles[1]) if to == 0 else (state.roles[0], role))
        case Advance():
            return _advance(state)
    raise AssertionError(f"{move} is no move of Systems Failing")


def _spend(state: State, **changes: Any) -> State:
    """An action is spent when it is taken."""
    return state.but(actions_left=state.actions_left - 1, **changes)


def _transfer(state: State, color: str) -> State:
    other = Seat(1 - state.player)
    return state.with_pool(other, state.pools[other] - ONE[color]).gaining(state.player, color)


def _give_back(state: State, cubes: Cubes) -> State:
    after = state.with_pool(state.player, state.pools[state.player] - cubes)
    return after.but(bag=state.bag + cubes)


def _draw(state: State, seat: Seat, cube: str) -> State:
    after = state.but(bag=state.bag - ONE[cube], to_draw=max(0, state.to_draw - 1))
    if cube == WHITE:  # "it must be placed on top of the disaster deck"
        after = _surge_by_white(after.but(deck_whites=state.deck_whites + 1))
    else:
        after = after.gaining(seat, cube)
    # A bag that is empty after the first cube, and what its surge gives back, ends the draw.
    return after if after.bag else after.but(to_draw=0)


# Repairing --------------------------------------------------------------------------------------------


def _repair(state: State, move: Repair) -> State:
    laid, cubes = state.laid(move.card), cubes_of(move.cubes)
    assert laid
    after = state.with_pool(state.player, state.pools[state.player] - cubes)
    put = Laid(laid.card, laid.placed + cubes)
    repaired = move.ability or not after.missing(put)
    if laid is state.active:
        return _sequence_repaired(after, put) if repaired else after.but(active=put)
    number = next(n for n, zone in enumerate(state.zones, 1) if laid in zone)
    zone = tuple(put if other is laid else other for other in state.zones[number - 1])
    if move.ability:
        return _clear_top(after.with_zone(number, zone[1:]).discarding(put), number)
    return _clear_top(after.with_zone(number, zone), number)


def _sequence_repaired(state: State, put: Laid) -> State:
    """ "Immediately removed …, all cubes on top of it are returned to the bag …, the next sequence … active." """
    after = state.but(active=None, done=(*state.done, (put.card, state.player)), bag=state.bag + put.placed)
    return after if state.sequences else after.but(result="escape")


def _clear_top(state: State, number: int) -> State:
    """ "If … the card underneath it is already repaired, that card is immediately removed as well." """
    while (zone := state.zones[number - 1]) and not state.missing(zone[0]):
        state = state.with_zone(number, zone[1:]).discarding(zone[0])
    return state


# Surges and damage ------------------------------------------------------------------------------------


def _surge_by_white(state: State) -> State:
    """ "The surging zone is the rightmost zone containing at least one disaster." """
    number = next((n for n in (3, 2, 1) if state.zones[n - 1]), None)
    return _surge(state, number) if number else state


def _surge(state: State, number: int) -> State:
    """ "The bottommost disaster card of the surging zone is immediately moved to the top of the zone on
    its left. Any cubes on top of the disaster card are returned to the bag." """
    *rest, bottom = state.zones[number - 1]
    after = state.with_zone(number, tuple(rest)).but(bag=state.bag + bottom.placed)
    return _hit(after, Laid(bottom.card)) if number == 1 else _lay(after, number - 1, bottom.card)


def _lay(state: State, number: int, card: str) -> State:
    """Puts a card on top of a zone; "if a zone contains more than 3 disasters, the surge occurs"."""
    after = state.with_zone(number, (Laid(card), *state.zones[number - 1]))
    return _surge(after, number) if len(after.zones[number - 1]) > ZONE_HOLDS else after


def _hit(state: State, *core: Laid) -> State:
    """ "Any disasters in the core column immediately inflict damage … These cards are then discarded." """
    damage = state.damage + sum(state.cards.disasters[laid.card].damage for laid in core)
    for laid in core:
        state = state.discarding(laid)
    if damage >= state.cards.damage_explodes_at:
        return state.but(damage=state.cards.damage_explodes_at, result="damage")
    return state.but(damage=damage)


def _advance(state: State) -> State:
    """ "All disasters … shift one zone to the left", repaired ones that lie under others too; the whites on the
    deck go back to the bag."""
    core, second, third = state.zones
    back = Cubes({WHITE: state.deck_whites})
    moved = state.but(zones=(second, third, ()), deck_whites=0, bag=state.bag + back)
    return phases.begin_appearing(_hit(moved, *core))


# Cards off the decks ----------------------------------------------------------------------------------


def _reveal(state: State, card: str) -> State:
    if card in state.sequences:
        return state.but(sequences=state.sequences - {card}, active=Laid(card))
    failing = card in state.cards.failing
    after = state.but(deck=state.deck - {card}, stacks=chance.without(state.stacks, failing=failing))
    if state.phase == "setup":
        return phases.deal_start(after, card)
    if failing:
        after = _destabilise(after, card)
    else:
        after = _lay(after.but(due=state.due - 1), state.cards.disasters[card].zone, card)
    return after if after.result or after.deck else _reshuffle(after)


def _destabilise(state: State, card: str) -> State:
    """ "Immediately increase the … meter and add an additional white cube to the bag. Discard the … card." """
    after = state.but(stability=state.stability + 1, discard=(*state.discard, card))
    if after.stability >= state.cards.stability_explodes_at:
        return after.but(result="stability")
    return after.but(bag=state.bag + ONE[WHITE])


def _reshuffle(state: State) -> State:
    """ "If the disaster deck runs out, immediately shuffle the discard pile to form a new disaster deck." """
    failing = sum(card in state.cards.failing for card in state.discard)
    stack = Stack(len(state.discard) - failing, failing)
    return state.but(deck=frozenset(state.discard), stacks=(stack,), discard=())
