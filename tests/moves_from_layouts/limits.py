"""What cardboard alone can't say about a move: which moves people must enter on a phone, and which half-made moves no
camera can tell from an accident. Each entry has its reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from companion.games.commute.moves import Bump, Travel
from companion.games.rules import Move
from companion.games.system_won.moves import Discard as DiscardCard
from companion.games.system_won.moves import Play, PlayFromDiscard, PlayFromErrors, PlayTwo, Restore
from companion.games.systems_failing.moves import Discard as DiscardPool
from companion.games.systems_failing.moves import Repair
from companion.games.traffic_congestion.moves import Go, Redirect, Signal
from tests.evenings.hand_acts import Carry, Flip, Lay, PhysicalAct, Take

Acts = Sequence[PhysicalAct]


@dataclass(frozen=True)
class Limit:
    """A limit of what cardboard can say in a game. `applies` takes the position, the move, and the acts done so far."""

    game: str
    reason: str
    applies: Callable[[Any, Move, Acts], bool]


def _is_walk(state: Any, move: Move, acts: Acts) -> bool:
    target = state.bump.target if isinstance(move, Bump) else int(move.seat)
    return isinstance(move, Travel | Bump) and state.locations[target] != move.to


ON_PHONES = (
    Limit("commute", "A piece that stays where it is has not been moved.", lambda *of: not _is_walk(*of)),
    Limit(
        "system-won",
        "Nobody sees which hint is given, or which ability of a role is used.",
        lambda state, move, acts: not isinstance(move, Play | DiscardCard | Restore),
    ),
    Limit("systems-failing", "Cubes look alike, and so do the actions that move them.", lambda *of: True),
    Limit(
        "traffic-congestion",
        "A car may be on its way to any lane, and a signal that is gone may have been knocked off the table.",
        lambda state, move, acts: (
            not (isinstance(move, Signal) or (isinstance(move, Go) and isinstance(move.then, Redirect)))
        ),
    ),
)
"""The moves that are not recorded until somebody enters them. The table must ask for that."""
UNCLEAR = (
    Limit(
        "traffic-congestion",
        "A signal that leaves its lane before any car does may have been knocked off the table.",
        lambda state, move, acts: _has(acts, Take) and not _has(acts, Carry),
    ),
    Limit(
        "systems-failing",
        "A card that leaves its place before any cube leaves the pool may have been knocked off the table.",
        lambda state, move, acts: isinstance(move, Repair) and _has(acts, Take) and not _carried_from_pools(acts),
    ),
    Limit(
        "systems-failing",
        "Until more than half of a pool has gone, its cubes may have been taken for no reason.",
        lambda state, move, acts: (
            isinstance(move, DiscardPool)
            and 2 * _carried_from_pools(acts) <= sum(state.pools[move.seat].counts().values())
        ),
    ),
    Limit(
        "system-won",
        "A discard or an error that is moved before the role card is turned over may have been moved by mistake.",
        lambda state, move, acts: (
            isinstance(move, PlayFromDiscard | PlayFromErrors) and _has(acts, Lay) and not _has(acts, Flip)
        ),
    ),
    Limit(
        "system-won",
        "The first card that the Contractor plays is a usual play, unless the role card is turned over before.",
        lambda state, move, acts: isinstance(move, PlayTwo) and _has(acts, Lay) and not _has(acts, Flip),
    ),
)
"""The half-made moves that look like an accident or like another move. What the table says or records is not judged
then."""


def _carried_from_pools(acts: Acts) -> int:
    """The number of cubes that were carried out of pools."""
    return sum(isinstance(act, Carry) and act.source.startswith("pool-") for act in acts)


def _has(acts: Acts, kind: type[PhysicalAct]) -> bool:
    return any(isinstance(act, kind) for act in acts)


def is_within(limits: Sequence[Limit], game: str, state: Any, move: Move, acts: Acts) -> bool:
    """Whether one of the limits applies to a move in a game, after the acts done so far."""
    return any(limit.game == game and limit.applies(state, move, acts) for limit in limits)
