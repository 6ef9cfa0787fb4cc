"""The chance player: chooses the house moves from a seed, or as a set-up prescribes them.

Law: pure, except that each face in the script is removed once it is used. The outcome depends only on the seed and the
number of moves so far. A resumed game, or a move that is undone and repeated, brings the same card again, so nobody can
try for a better one.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from itertools import accumulate
from random import Random

from companion.games.rules import CERTAIN, HouseMove, State


class ChancePlayer:
    """Chooses house moves. `script` maps the name of a house move to the faces that the set-up prescribes for this
    move. Each face is used only once, so a script suits only games without undo."""

    def __init__(self, seed: str, script: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.seed = seed
        self._random = Random(0)  # seeded again for each move: faster than a new generator, which is seeded twice
        self._script = {name: list(faces) for name, faces in (script or {}).items()}

    def next_move(self, state: State, ply: int) -> HouseMove:
        """The next house move. `ply` is the number of moves before it. Raises ValueError if there is no house move."""
        chances = list(state.chances())
        moves, weights = [move for move, _ in chances], [weight for _, weight in chances]
        if CERTAIN in weights:
            return moves[weights.index(CERTAIN)]
        return self._scripted_move(moves) or self._sampled_move(moves, weights, ply)

    def _scripted_move(self, moves: Sequence[HouseMove]) -> HouseMove | None:
        """The first move in the script that the house can make now, even if its weight is 0; None if there is none. Its
        face is removed from the script."""
        faces = self._script.get(moves[0].NAME) if moves else None
        if not faces:
            return None
        by_face = {move.face: move for move in moves}
        found = next((face for face in faces if face in by_face), None)
        if found is None:
            return None
        faces.remove(found)
        return by_face[found]

    def _sampled_move(self, moves: Sequence[HouseMove], weights: Sequence[int], ply: int) -> HouseMove:
        if not any(weights):
            raise ValueError("the house waits for something that does not exist")
        self._random.seed(f"{self.seed}/{ply}")
        sums = list(accumulate(weights))
        return moves[bisect(sums, self._random.random() * sums[-1])]  # as `Random.choices` does, but faster
