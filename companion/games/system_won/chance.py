"""What the house may bring in a position of System WON, and how likely each is.

Law: pure. A state holds no order of the deck, only the copies that nobody has seen, and what an undo put back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

from companion.games.chance_node import Awaited
from companion.games.rules import CERTAIN, HOUSE, HouseMove, Seat
from companion.games.system_won.hidden_cards import drawable
from companion.games.system_won.knowledge import UNKNOWN
from companion.games.system_won.moves import Deal, DealRole, Dealt, Face, RoleId, ShuffleBack
from companion.text.player_names import seat_name
from companion.text.translation import _, later

if TYPE_CHECKING:
    from companion.games.system_won.rules import State

RECYCLED = 2
"""The discards that are shuffled back, if there are so many."""


def awaited(state: State) -> Awaited | None:
    """What the house must bring, or None if a seat must act or the game is over."""
    if state.turn != HOUSE:
        return None
    if state.recycling:
        count = min(RECYCLED, len(state.discard))
        words = _("{n} of the discards, back into the deck", n=count)
        return Awaited(words, _shuffle_back, None, _pairs(state.discard))
    if state.roles and None in state.roles:
        to = Seat(state.roles.index(None))
        left = {role: 1 for role in state.role_cards if role not in state.roles}
        otherwise = later("That role is dealt already, or not in this game")
        return Awaited(_("a role for {name}", name=seat_name(to)), _deal_role, to, left, otherwise)
    to = state.dealing[0]
    otherwise = later("By what is known of the other cards that one is not next in the deck")
    return Awaited(_("a card off the deck for {name}", name=seat_name(to)), _deal, to, _cards(state), otherwise)


def chances(state: State) -> Iterator[tuple[HouseMove, int]]:
    """Each house move that may come next, with its weight."""
    if due := awaited(state):
        yield from due.chances()


def refusal(state: State, move: HouseMove) -> str | None:
    """Why a house move can't come, or None if it can."""
    due = awaited(state)
    return due.refusal(move) if due else None


def _cards(state: State) -> dict[str, int]:
    """Any card alike, or the one that was put back. A card drawn by hand need not be seen. (Which unseen copies are `?`
    in a hand is not weighed: where people draw, the companion does not.)"""
    if state.top and state.top[0] != UNKNOWN:
        return {state.top[0]: CERTAIN, UNKNOWN: 0}
    return {card.face: state.unseen[card.number] for card in drawable(state)} | {UNKNOWN: 0}


def _pairs(discard: tuple[str, ...]) -> dict[str, int]:
    """Two cards of the pile, any two alike, or its only one."""
    return Counter(" ".join(sorted(pair)) for pair in combinations(discard, min(RECYCLED, len(discard))))


# Moves are made once: there are few, and they never change.


@cache
def _deal(to: Seat, face: str) -> Deal:
    return Deal(to=to, card=Dealt(face))


@cache
def _deal_role(to: Seat, face: str) -> DealRole:
    return DealRole(to=to, role=RoleId(face))


@cache
def _shuffle_back(to: Seat | None, face: str) -> ShuffleBack:
    return ShuffleBack(cards=tuple(map(Face, face.split())))
