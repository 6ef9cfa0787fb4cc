"""The rules of Commute.

Law: pure. A position waits for a seat (its card, a bump that it owes, an answer) or for the house (a playing card, an
"Uh-Oh!" card, a random card of a swap); `play` carries a move out and then runs on to the next thing that waits.

`legality` says what is allowed, `chance` what the house may bring, `deeds` what a move does, `settling` what "Uh-Oh!"
cards do, `course` how turns, commutes and rounds run on, `walks` where a piece gets. Quoted sentences are the rule
text's.

Where rule text and rulings are silent:

- A card that was dealt face down ("?") may be played as any face that its holder can't rule out: none of the own
  cards, none of the discards, and what `unseen` says once the discards have become the deck. If the book had that
  face in another hand, the book was wrong about it, and the card there is "?" from then on; a refusal would tell what
  the other holds. So it is with a card that its holder says on the phone to have been dealt (`Told`); one that comes in
  otherwise must be possible.
- Of a swap, nobody but its owner knows the first card until both are settled; the second is known to both at once.
- A piece that is sent, but can't move at all, stays: the two share the space until one moves, and nobody bumps for it.
- The emptied deck is made up of the discards as soon as the house has to deal.
- Whoever has arrived is dealt up to three like the others at the end of a turn.
- A line that is shut opens when play comes round to the drawer's place, arrived or skipped though the drawer may be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from companion.games.commute import chance, effect_resolution, effects, legality, turn_order
from companion.games.commute.board import Board
from companion.games.commute.deck import DECK, UNSEEN
from companion.games.commute.position_types import Bump, Closing, Done, Question, Stage, Task, Trade
from companion.games.commute.reachability import Walks, walks
from companion.games.commute.uh_oh import UhOhCards
from companion.games.rules import HOUSE, REFEREE, House, HouseMove, Move, Seat, Viewer
from companion.text.refusals import IllegalMove


@dataclass(frozen=True)
class State:
    """A position of Commute."""

    board: Board = field(repr=False, compare=False)
    cards: UhOhCards = field(repr=False, compare=False)
    houses: tuple[str, ...]
    """Each seat's house."""
    commutes: int
    """Commutes in the game, two a round."""
    positions: tuple[str, ...]
    hands: tuple[tuple[str, ...], ...]
    minutes: tuple[int, ...]
    reputation: tuple[int, ...]
    arrived: tuple[bool, ...]
    skips: tuple[int, ...]
    uh_oh_deck: frozenset[str]
    commute: int = 0
    """The commute's number, from 0; even ones are mornings."""
    stage: Stage = "deal"
    player: Seat = Seat(0)
    """The seat whose turn it is, whoever must act."""
    order: tuple[str, ...] = ()
    """The next cards, where a set-up fixes them; they bind the companion's shuffle only."""
    uh_oh_order: tuple[str, ...] = ()
    """The same of the "Uh-Oh!" deck."""
    unseen: frozenset[str] = frozenset(DECK)
    """Faces that nobody has reported since the shuffle: those in the deck and those of "?" cards in hands."""
    discard: tuple[str, ...] = ()
    shuffled: frozenset[str] = frozenset(DECK)
    """What the deck was made of when it was last shuffled."""
    narrowed: tuple[tuple[frozenset[str], ...], ...] = ()
    """By seat, what each of its "?" cards can be, of those that can't be just any; empty in a commute's first deck."""
    bump: Bump | None = None
    landed: tuple[Seat, ...] = ()
    """Who has landed on an "Uh-Oh!" space in this turn and has not drawn for it, in order of landing."""
    uh_oh: str | None = None
    tasks: tuple[Task, ...] = ()
    """What is left to be settled of the card, the next thing first."""
    closings: tuple[Closing, ...] = ()
    past: tuple[Done, ...] = ()
    over: bool = False

    # What a game is asked --------------------------------------------------------------------------

    @property
    def turn(self) -> Seat | House | None:
        if self.over:
            return None
        if self.stage == "travel":
            return self.player
        if self.bump:
            return self.bump.seat if self.hands[self.bump.seat] else HOUSE
        question = self.question
        return question.seat if question else HOUSE

    def play(self, move: Move) -> State:
        if refusal := legality.refusal(self, move):
            raise IllegalMove(refusal)
        return turn_order.flow(effects.carry_out(self, move))

    def legal_moves(self) -> Iterator[Move]:
        return legality.legal_moves(self)

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        return chance.chances(self)

    def seen_by(self, viewer: Viewer) -> dict[str, Any]:
        """All of it but the other hands, of which the number of cards is known."""
        return {
            "round": self.round,
            "commute": "morning" if self.morning else "evening",
            "turn": self.turn,
            "hands": [
                list(hand) if viewer in (seat, REFEREE) else [UNSEEN] * len(hand)
                for seat, hand in enumerate(self.hands)
            ],
            "positions": list(self.positions),
            "minutes": list(self.minutes),
            "reputation": list(self.reputation),
            "arrived": list(self.arrived),
            "deck": self.deck,
            "pending": self._pending(),
            "uh_oh": self.uh_oh,
            "closed": self.closed,
            "skips": list(self.skips),
            "over": self.over,
            "winners": self.winners,
        }

    def _pending(self) -> dict[str, Any] | None:
        if self.bump:
            return {"kind": "bump", "seat": self.bump.seat, "target": self.bump.target}
        question = self.question
        return {"kind": "choose", "seat": question.seat} if question else None

    # What the rules ask ----------------------------------------------------------------------------

    @property
    def seats(self) -> range:
        return range(len(self.houses))

    @property
    def round(self) -> int:
        """ "Each round consists of two phases"; counted from 1."""
        return self.commute // 2 + 1

    @property
    def morning(self) -> bool:
        """Whether this is a Morning Commute."""
        return self.commute % 2 == 0

    @property
    def first(self) -> Seat:
        """ "The player who goes first rotating clockwise after each (dual) round." """
        return Seat((self.round - 1) % len(self.houses))

    @property
    def deck(self) -> int:
        """Cards in the deck."""
        return len(self.unseen) - sum(hand.count(UNSEEN) for hand in self.hands)

    @property
    def closed(self) -> dict[str, int]:
        """The lines that are shut, with the larger number of turns left where one is so twice."""
        left: dict[str, int] = {}
        for closing in self.closings:
            left[closing.line] = max(closing.turns, left.get(closing.line, 0))
        return left

    @property
    def question(self) -> Question | None:
        """What an "Uh-Oh!" card asks now."""
        return effect_resolution.question(self)

    @property
    def winners(self) -> list[Seat]:
        """ "The player who has the most reputation points … wins"; ties are shared."""
        most = max(self.reputation)
        return [Seat(seat) for seat in self.seats if self.over and self.reputation[seat] == most]

    def goal(self, seat: Seat) -> str:
        """ "Morning Commute, where the players start at their house and have to reach work." """
        return self.board.work if self.morning else self.houses[seat]

    def walks(self, seat: Seat) -> Walks:
        """Where cards take this seat's piece."""
        closed = frozenset(closing.line for closing in self.closings)
        return walks(self.board, self.goal(seat), closed, self.positions[seat])

    def in_turn_order(self) -> tuple[Seat, ...]:
        """ "Clockwise during Morning Commute and counter-clockwise during Evening Commute", the player first."""
        return _in_turn_order(len(self.houses), self.player, 1 if self.morning else -1)

    def under_way(self) -> list[Seat]:
        """The seats that have not arrived, in turn order."""
        return [seat for seat in self.in_turn_order() if not self.arrived[seat]]

    def may_see_swapped(self, viewer: Viewer) -> bool:
        """Whether a viewer may know the card that the next answer or pick gives away, if it gives any."""
        match self.tasks[:1]:
            case (Trade(given=given, drawer=drawer, owner=owner),):
                return viewer in (owner, REFEREE) or (given is not None and viewer == drawer)
        return True

    # What the deeds make ---------------------------------------------------------------------------

    def but(self, **changes: Any) -> State:
        """`dataclasses.replace` at a tenth of its cost, which is most of the cost of a move."""
        other = object.__new__(State)
        other.__dict__.update(self.__dict__, **changes)
        return other

    def with_hand(self, seat: Seat, hand: tuple[str, ...]) -> State:
        """This position with another hand."""
        return self.but(hands=(*self.hands[:seat], hand, *self.hands[seat + 1 :]))

    def adding(self, seat: Seat, minutes: int) -> State:
        """This position with minutes added, which never fall below zero."""
        added = max(0, self.minutes[seat] + minutes)
        return self.but(minutes=(*self.minutes[:seat], added, *self.minutes[seat + 1 :]))

    def skipping(self, seat: Seat, turns: int) -> State:
        """This position with turns added that a seat loses."""
        return self.but(skips=(*self.skips[:seat], self.skips[seat] + turns, *self.skips[seat + 1 :]))


@lru_cache
def _in_turn_order(count: int, first: Seat, way: int) -> tuple[Seat, ...]:
    return tuple(Seat((first + way * step) % count) for step in range(count))
