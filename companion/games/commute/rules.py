"""The rules of Commute.

Law: pure. A position waits for a seat (to travel, to bump, to answer) or for the house (a playing card, an "Uh-Oh!"
card, a random card of a swap). `play` applies a move and then advances to the next position that waits.

The other modules: `position` holds the data, `legality` says which moves are allowed, `chance` lists the moves of the
house, `effects` applies a move, and `uh_oh_resolution` applies the effects of "Uh-Oh!" cards. `phases` says how turns,
commutes and rounds follow one another, `seat_order` says in which order the seats play, and `reachability` says where a
piece can walk.

Interpretations where the rule text is silent:

- A card that was dealt face down ("?") may be played as any face that it could have, as far as its holder knows: any
  face except those of the holder's other cards, those of the discards, and those that `possible_faces` excludes after a
  reshuffle. Even if the face is recorded in another hand, the move is legal, because a refusal would reveal that hand.
  The record was then wrong, and the card in the other hand becomes "?". The same goes for a card that its holder
  reports by phone (`ReportedDeal`). In all other deals, the face must be neither among the discards nor recorded in a
  hand.
- In a swap, only its owner knows the first card until the second card is selected. Both players see the second card as
  soon as it is selected.
- A piece that is sent on but can't move at all stays where it is. The two pieces share the space, without another bump,
  until one of them moves.
- An empty deck is rebuilt from the discards as soon as the house has to deal.
- At the end of a turn, seats that have arrived are also dealt up to three cards.
- A closed line reopens when the turn order comes around to the drawer's seat, even if the drawer has arrived or skips.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.commute import chance, effects, legality, phases
from companion.games.commute.position import Position
from companion.games.rules import HouseMove, Move
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
