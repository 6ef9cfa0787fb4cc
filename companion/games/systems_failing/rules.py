"""The rules of Systems Failing.

Law: pure. A position waits for a seat (to act, or to return cubes) or for the house (a card, a cube, the disasters'
move). `play` applies a move and then advances to the next position that waits.

The other modules: `position` holds the data, `legality` decides which moves are allowed, `chance` lists the moves of
the house, `effects` applies a move, and `phases` takes the automatic steps of set-up and rounds.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.rules import HouseMove, Move
from companion.games.systems_failing import chance, effects, legality, phases
from companion.games.systems_failing.position import Position
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
        return chance.chances(self)
