"""What comes off a face-down pile.

Law: pure but for the generator it is given. No pile has an order: which card comes is settled when it is taken, by
what the book holds possible, so a deck shuffled by hand never contradicts the book, not even after an undo.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from companion.games.game import Game
from companion.games.rules import State
from companion.tabletop.instances import NOTHING_KNOWN, KnownInstances
from companion.tabletop.layout import Layout

EMPTY_MAT = Layout(cards={})


@dataclass(frozen=True)
class Position:
    """What the companion's book says now. `undone`: its last act took something back. `known`: of single copies."""

    game: int
    state: State
    undone: bool = False
    known: KnownInstances = NOTHING_KNOWN


def top_of(
    waiting: Sequence[str], tops: Sequence[str], game: Game[Any], layout: Layout, position: Position | None, rng: Random
) -> str:
    """The card: what the layout wants from the pile, else what was put back on top, else one by the book's chances.

    `tops` are those that were put back on top, the last one uppermost. Without a game any card may come.
    """
    if position is None:
        return rng.choice(waiting)
    components, wanted = game.physical.components, layout.place_of
    weight_by_face = {move.face: weight for move, weight in position.state.chances()}
    weights = {code: weight_by_face.get(components.faces.get(components.kinds[code], ""), 0) for code in waiting}
    for code in (*filter(wanted, waiting), *reversed(tops)):
        if code in weights and (wanted(code) or weights[code]):
            return code
    return rng.choices(waiting, [*weights.values()])[0] if any(weights.values()) else rng.choice(waiting)
