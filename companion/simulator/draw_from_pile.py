"""Chooses the card that comes off a face-down pile of the simulated table.

Law: pure but for the generator that it is given. No pile has an order. Which card is drawn is decided only when it is
taken, among the cards that are possible in the match. So a deck that people shuffle never contradicts the match, even
after an undo.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from companion.games.game import Game
from companion.games.rules import State
from companion.tabletop.copy_assignment import NOTHING_KNOWN, KnownCopies
from companion.tabletop.expected_layout import Layout

EMPTY_LAYOUT = Layout(cards={})


@dataclass(frozen=True)
class MatchSnapshot:
    """The match at one moment, as the simulated table knows it. `is_after_undo`: whether the last act was an undo.
    `known_copies`: what is known about individual copies of equal cards."""

    game_id: int
    state: State
    is_after_undo: bool = False
    known_copies: KnownCopies = NOTHING_KNOWN


def drawn_card(
    codes: Sequence[str],
    tops: Sequence[str],
    game: Game[Any],
    layout: Layout,
    match: MatchSnapshot | None,
    rng: Random,
) -> str:
    """The code of the card that is drawn from a pile with these codes. If the layout already has a place for one of the
    cards, that card is drawn. Otherwise it is the uppermost possible card that was put back on top. If there is none, a
    random card is drawn, weighted by the chances in the match. Without a match, any card may be drawn.

    `tops`: the cards that were put back on top, from the lowest to the uppermost.
    """
    if match is None:
        return rng.choice(codes)
    components, wanted = game.physical.components, layout.place_of
    weight_by_face = {move.face: weight for move, weight in match.state.chances()}
    weights = {code: weight_by_face.get(components.faces.get(components.kinds[code], ""), 0) for code in codes}
    for code in (*filter(wanted, codes), *reversed(tops)):
        if code in weights and (wanted(code) or weights[code]):
            return code
    return rng.choices(codes, [*weights.values()])[0] if any(weights.values()) else rng.choice(codes)
