"""The rules of System WON.

Law: pure. A position waits for a seat (the active player, or a player whose ability may be used at any time) or for the
house (a role, a card, recycled discards). `play` applies a move and then passes the turn if the turn is complete.

The other modules: `position` holds the data, `legality` says which moves are allowed, `unseen_card_statement_rules`
checks statements about cards that nobody has seen, `chance` lists the moves of the house, `effects` applies a move, and
`phases` says whose turn is next.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.rules import HouseMove, Move
from companion.games.system_won import chance, effects, legality
from companion.games.system_won.position import Position
from companion.text.refusal_errors import IllegalMove


class State(Position, frozen=True):
    """A position with its rules. Implements the protocol `companion.games.rules.State`."""

    def play(self, move: Move) -> State:
        if refusal := legality.refusal(self, move):
            raise IllegalMove(refusal)
        return effects.apply_move(self, move)

    def legal_moves(self) -> Iterator[Move]:
        return legality.legal_moves(self)

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        return chance.chances(self)
