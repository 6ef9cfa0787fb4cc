"""The companion's hand of chance: makes the house's moves from a seed, or as a set-up fixes them.

What comes depends on the seed and the ply alone, so a resumed game, and an undone and repeated move, bring
the same card again: nobody can fish for a better one.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from companion.games.rules import HouseMove, State


class House:
    """Chooses the house's next move. A script is used up as it comes, so it suits a game that never goes back."""

    def __init__(self, seed: str, script: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.seed = seed
        self._script = {name: list(faces) for name, faces in (script or {}).items()}

    def next_move(self, state: State, ply: int) -> HouseMove:
        """The move of the house that comes at this ply; ValueError if none can."""
        chances = [(move, weight) for move, weight in state.chances() if weight]
        if not chances:
            raise ValueError("the house waits for a card that does not exist")
        fixed = self._fixed([move for move, _ in chances])
        if fixed is not None:
            return fixed
        moves, weights = zip(*chances, strict=True)
        chosen: HouseMove = Random(f"{self.seed}/{ply}").choices(moves, weights)[0]
        return chosen

    def _fixed(self, moves: list[HouseMove]) -> HouseMove | None:
        """The first face of the script that can come now."""
        faces = self._script.get(moves[0].NAME, [])
        by_face = {move.face: move for move in moves}
        for face in faces:
            if face in by_face:
                faces.remove(face)
                return by_face[face]
        return None
