"""What a journey would bring, for who would ask the rules but has only what a viewer is told.

Law: pure. The position is made again from the contract's state and the details; other hands stay unknown in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.games.commute.deck import DECK
from companion.games.commute.details import board_of
from companion.games.commute.effects import carry_out
from companion.games.commute.moves import Bump, Travel
from companion.games.commute.position_types import Bump as Owed
from companion.games.commute.position_types import Closing
from companion.games.commute.rules import State
from companion.games.commute.uh_oh import uh_oh_cards
from companion.games.rules import Seat


@dataclass(frozen=True)
class Landing:
    """What comes of a piece's landing, before anybody is sent on and before "Uh-Oh!" cards."""

    minutes: int
    """The traveller's tally."""
    adds: int
    arrives: bool
    uh_oh: bool
    bumps: Seat | None
    """Who stands there and must be sent on."""


def foreseen(state: State, move: Travel | Bump) -> Landing:
    """What a legal journey, one's own or that of a piece sent on, would bring."""
    after = carry_out(state, move)
    piece = state.bump.target if state.bump else state.player
    return Landing(
        minutes=after.minutes[piece],
        adds=after.minutes[piece] - state.minutes[piece],
        arrives=after.arrived[piece],
        uh_oh=len(after.landed) > len(state.landed),
        bumps=after.bump.target if after.bump else None,
    )


def restored(seen: Mapping[str, Any], details: Mapping[str, Any]) -> State:
    """The position as far as a viewer is told of it: enough for every journey."""
    pending, hands = seen["pending"], tuple(map(tuple, seen["hands"]))
    owed = pending and pending["kind"] == "bump"
    return State(
        board=board_of(details),
        cards=uh_oh_cards(),
        houses=tuple(details["houses"]),
        commutes=round(2 * details["rounds"]),
        positions=tuple(seen["positions"]),
        hands=hands,
        minutes=tuple(seen["minutes"]),
        reputation=tuple(seen["reputation"]),
        arrived=tuple(seen["arrived"]),
        skips=tuple(seen["skips"]),
        uh_oh_deck=frozenset(),
        commute=2 * (seen["round"] - 1) + (seen["commute"] == "evening"),
        stage="cascade" if owed else "travel",
        player=Seat(details["player"]),
        unseen=frozenset(DECK) - set(details["discard"]) - {card for hand in hands for card in hand},
        discard=tuple(details["discard"]),
        bump=Owed(Seat(pending["seat"]), Seat(pending["target"])) if owed else None,
        closings=tuple(Closing(line, Seat(0), turns) for line, turns in seen["closed"].items()),
        over=seen["over"],
    )
