"""What the house may bring in a position of Systems Failing, and how likely each is.

Law: pure. A state holds no order of deck or bag, only what is in them and how the deck was stacked.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from companion.games.chance_node import Awaited
from companion.games.rules import HOUSE, HouseMove, Seat
from companion.games.systems_failing.cubes import WHITE, Color
from companion.games.systems_failing.moves import Advance, CardId, DealRole, Draw, Reveal, RoleId
from companion.games.systems_failing.position_types import STACKS, Stack
from companion.text.player_names import seat_name
from companion.text.translation import _

if TYPE_CHECKING:
    from companion.games.systems_failing.rules import State


def awaited(state: State) -> Awaited | None:
    """What the house must bring, or None if a seat must act or the game is over."""
    if state.turn != HOUSE:
        return None
    if not state.active:
        return Awaited(_("the next escape sequence"), _reveal, None, dict.fromkeys(sorted(state.sequences), 1))
    if None in state.roles:
        to = Seat(state.roles.index(None))
        free = [role for role in state.cards.roles if role not in state.roles]
        return Awaited(_("a role for {name}", name=seat_name(to)), _deal_role, to, dict.fromkeys(free, 1))
    if (seat := drawer(state)) is not None:
        counts = state.bag.counts()
        if state.phase != "actions":  # "If a white cube is drawn, place it back in the bag and draw again"
            counts.pop(WHITE, None)
        return Awaited(_("a cube out of the bag for {name}", name=seat_name(seat)), _draw, seat, counts)
    if state.phase == "advance":
        return Awaited(_("the disasters' move"), _advance, None, {Advance.NAME: 1})
    if state.phase == "setup":
        return Awaited(_("a starting disaster"), _reveal, None, dict.fromkeys(sorted(state.deck), 1))
    return Awaited(_("a card off the disaster deck"), _reveal, None, _deck_weights(state))


def chances(state: State) -> Iterator[tuple[HouseMove, int]]:
    """Each house move that may come next, with its weight."""
    if due := awaited(state):
        yield from due.chances()


def drawer(state: State) -> Seat | None:
    """The seat that the next cube out of the bag is for."""
    match state.phase:
        case "actions":
            return state.player if state.to_draw else None
        case "setup" if state.active and None not in state.roles:
            wanted = state.cards.first_hand
        case "stock_up":
            wanted = state.cards.stock_up_to
        case _:
            return None
    if state.bag.total == state.bag[WHITE]:
        return None
    order = (state.first, Seat(1 - state.first))
    return next((seat for seat in order if state.pools[seat].total < wanted), None)


# Moves are made once: there are few, and they never change.


@lru_cache
def _reveal(to: Seat | None, face: str) -> Reveal:
    return Reveal(card=CardId(face))


@lru_cache
def _deal_role(to: Seat, face: str) -> DealRole:
    return DealRole(to=to, role=RoleId(face))


@lru_cache
def _draw(to: Seat, face: str) -> Draw:
    return Draw(to=to, cube=Color(face))


@lru_cache
def _advance(to: Seat | None, face: str) -> Advance:
    return Advance()


# The deck ---------------------------------------------------------------------------------------------


def stacks_of(disasters: int, failing: int) -> tuple[Stack, ...]:
    """ "Separate the disaster deck into 5 separate stacks … Shuffle a systems failing card into each." """
    share, extra = divmod(disasters, STACKS)
    return tuple(Stack(share + (i < extra), failing // STACKS + (i < failing % STACKS)) for i in range(STACKS))


def without(stacks: tuple[Stack, ...], *, failing: bool) -> tuple[Stack, ...]:
    """The stacks without one card of a kind, taken from the uppermost stack that has one."""
    for i, stack in enumerate(stacks):
        if stack.failing if failing else stack.disasters:
            left = Stack(stack.disasters - (not failing), stack.failing - failing)
            rest = (left,) if left.disasters or left.failing else ()
            return (*stacks[:i], *rest, *stacks[i + 1 :])
    return stacks


def _deck_weights(state: State) -> dict[str, int]:
    """Any card of the top stack alike. With cards dealt by hand the stacks are the dealer's affair: the deck's
    other cards may come too, at weight 0."""
    top, failing = state.stacks[0], len(state.deck.intersection(state.cards.failing))
    # All disasters together weigh top.disasters, all systems-failing cards top.failing.
    disaster_weight = top.disasters * max(1, failing)
    failing_weight = top.failing * max(1, len(state.deck) - failing)
    return {card: failing_weight if card in state.cards.failing else disaster_weight for card in sorted(state.deck)}
