"""The rules of Traffic Congestion.

Law: pure. Nothing is left to chance, so the house never acts. A position waits for the active player until the game is
over.

The other modules: `board` holds the geometry, `position` holds the data, `legality` says which moves are allowed,
`effects` applies a move, and `phases` says how the game goes on after it.

Interpretations where the rule text is silent:

- Only a win ends the game. When nobody can move any more (gridlock), everyone passes forever. The pages say so, and the
  players stop when they like.
- If a Go leads into an exit, all its cars leave the board. Cars that score there all count, even beyond twenty.
- The ban on direct paths depends on the signals alone, no matter whether cars stand in the way. Signals that form a
  loop lead nowhere.
- Seats for which a set-up names no color take the first colors that are left.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.rules import HouseMove, Move
from companion.games.traffic_congestion import effects, legality, phases
from companion.games.traffic_congestion.position import Position
from companion.text.refusal_errors import IllegalMove


class State(Position, frozen=True):
    """A position with its rules. Implements the protocol `companion.games.rules.State`."""

    def play(self, move: Move) -> State:
        if refusal := legality.refusal(self, move):
            raise IllegalMove(refusal)
        return phases.advance(effects.apply_move(self, move))

    def legal_moves(self) -> Iterator[Move]:
        return legality.legal_moves(self)

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        return iter(())
