"""The companion's hand of chance: makes the house's moves from a seed, or as a set-up fixes them.

What comes depends on the seed and the ply alone, so a resumed game, and an undone and repeated move, bring
the same card again: nobody can fish for a better one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from companion.games.rules import CERTAIN, HouseMove, State


class ChancePlayer:
    """Chooses the house's next move. A script is used up as it comes, so it suits a game that never goes back."""

    def __init__(self, seed: str, script: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.seed = seed
        self._script = {name: list(faces) for name, faces in (script or {}).items()}

    def next_move(self, state: State, ply: int) -> HouseMove:
        """The move of the house that comes at this ply; ValueError if none can."""
        chances = list(state.chances())
        certain = next((move for move, weight in chances if weight == CERTAIN), None)
        return certain or self._fixed([move for move, _ in chances]) or self._drawn(chances, ply)

    def _fixed(self, moves: Sequence[HouseMove]) -> HouseMove | None:
        """The first face of the script that can come now, also one that a shuffle would not bring."""
        faces = self._script.get(moves[0].NAME) if moves else None
        if not faces:
            return None
        by_face = {move.face: move for move in moves}
        found = next((face for face in faces if face in by_face), None)
        if found is None:
            return None
        faces.remove(found)
        return by_face[found]

    def _drawn(self, chances: Sequence[tuple[HouseMove, int]], ply: int) -> HouseMove:
        moves, weights = [move for move, _ in chances], [weight for _, weight in chances]
        if not any(weights):
            raise ValueError("the house waits for something that does not exist")
        return Random(f"{self.seed}/{ply}").choices(moves, weights)[0]
