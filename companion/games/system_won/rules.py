"""The rules of System WON.

Law: pure. A position waits either for a seat (the one in turn, or one with an ability for any time) or for the house
(a role, a card); `play` carries a move out and then passes the turn if it is done.

`legality` says what is allowed, `unseen` what may be said of cards that nobody has seen, `chance` what the house may
bring, `deeds` what a move does, `course` whose turn comes next. Quoted sentences are the rule text's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from companion.games.rules import HOUSE, House, HouseMove, Move, Seat, Viewer
from companion.games.system_won import chance, effects, legality
from companion.games.system_won.catalog import Catalog
from companion.games.system_won.knowledge import UNKNOWN, Hand
from companion.games.system_won.moves import sees_hand
from companion.text.refusals import IllegalMove

FIRST, SECOND = Seat(0), Seat(1)


@dataclass(frozen=True)
class State:
    """A position of System WON."""

    cards: Catalog = field(repr=False, compare=False)
    hands: tuple[Hand, ...]
    """Oldest card first."""
    systems: tuple[int, ...]
    """The highest card of each suit's system."""
    specifications: int
    """Those face up."""
    deck: int
    """The number of cards in it."""
    unseen: tuple[int, ...]
    """Of each face, the copies that nobody has seen: they are in the deck, or `?` in a hand."""
    unknown: int = 0
    """The number of `?` in hands."""
    top: tuple[str, ...] = ()
    """What an undo put back on the deck, the next card first; known ones are not among the unseen."""
    discard: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    communication: str = "strict"
    role_cards: tuple[str, ...] = ()
    """The roles that may be dealt."""
    roles: tuple[str | None, ...] | None = None
    used: tuple[str, ...] = ()
    """The roles that have used their ability, in order."""
    dealt: int = 0
    """The cards dealt in the whole game, those of undone turns too."""
    dealing: tuple[Seat, ...] = ()
    """The seats that the next cards off the deck are for."""
    recycling: bool = False
    player: Seat = FIRST
    """Whose turn it is, or will be once the house has acted."""
    following: Seat = SECOND
    """The seat that regular play goes on to after this turn and any extra ones."""
    acted: bool = False
    """Whether the turn's move has been made: only the house's draw is still to come."""
    on_top: bool = False
    """Whether this turn is an extra one."""
    extra: tuple[Seat, ...] = ()
    """Extra turns to come after this one."""
    skip: int = 0
    """Seats to be skipped when regular play goes on."""
    last_turns: int | None = None
    """From the deck's last card on: the regular turns to come after this one, skipped ones included."""
    drawn: tuple[str, ...] = ()
    """What was drawn in the last turn."""
    past: State | None = None
    """The position just before the last turn's move, kept while somebody may undo it."""
    over: bool = False

    # What a game is asked --------------------------------------------------------------------------

    @property
    def turn(self) -> Seat | House | None:
        if self.over:
            return None
        return HOUSE if self.dealing or self.recycling else self.player

    def play(self, move: Move) -> State:
        if refusal := legality.refusal(self, move):
            raise IllegalMove(refusal)
        return effects.carry_out(self, move)

    def legal_moves(self) -> Iterator[Move]:
        return legality.legal_moves(self)

    def chances(self) -> Iterator[tuple[HouseMove, int]]:
        return chance.chances(self)

    def seen_by(self, viewer: Viewer) -> dict[str, Any]:
        """Every hand but the viewer's own; no order and no content of the deck."""
        colors = self.cards.colors
        return {
            "players": len(self.hands),
            "turn": self.turn,
            "hands": [
                [held.face for held in hand] if sees_hand(viewer, seat) else [UNKNOWN] * len(hand)
                for seat, hand in enumerate(self.hands)
            ],
            "knowledge": [[held.mark.shown(colors) for held in hand] for hand in self.hands],
            "deck": self.deck,
            "specifications": self.specifications,
            "systems": dict(zip(colors, self.systems, strict=True)),
            "discard": list(self.discard),
            "errors": list(self.errors),
            "roles": None if self.roles is None else list(self.roles),
            "roles_used": list(self.used),
            "turns_left": self.turns_left,
            "pending": {"extra": list(self.extra), "skip": self.skip},
            "score": self.score,
            "over": self.over,
            "result": self.result if self.over else None,
        }

    # What the rules ask ----------------------------------------------------------------------------

    @property
    def score(self) -> int:
        """ "The largest value card for each of the system suits …, subtract 1 for each card in the error pile." """
        return sum(self.systems) - len(self.errors)

    @property
    def won(self) -> bool:
        """ "A perfect score": every system complete, no error."""
        return self.score == self.cards.perfect

    @property
    def result(self) -> dict[str, Any]:
        return {"score": self.score, "won": self.won, "rating": self.cards.rating(self.score)}

    @property
    def turns_left(self) -> int | None:
        """The turns still to be taken, this one included; None before the deck's last card is drawn."""
        if self.over:
            return 0
        if self.last_turns is None:
            return None
        return 1 + len(self.extra) + max(0, self.last_turns - self.skip)

    # What the deeds make ---------------------------------------------------------------------------

    def but(self, **changes: Any) -> State:
        """`dataclasses.replace` at a tenth of its cost, which is most of the cost of a move."""
        other = object.__new__(State)
        other.__dict__.update(self.__dict__, **changes)
        return other

    def with_hand(self, seat: int, hand: Hand, **changes: Any) -> State:
        """This position with another hand."""
        return self.but(hands=(*self.hands[:seat], hand, *self.hands[seat + 1 :]), **changes)

    def seen_face(self, face: str, **changes: Any) -> State:
        """This position with one copy of a face no longer unseen."""
        number = self.cards.cards[face].number
        unseen = (*self.unseen[:number], self.unseen[number] - 1, *self.unseen[number + 1 :])
        return self.but(unseen=unseen, **changes)

    def unseen_again(self, *faces: str) -> State:
        """This position with these faces among the unseen."""
        unseen = list(self.unseen)
        for face in faces:
            unseen[self.cards.cards[face].number] += 1
        return self.but(unseen=tuple(unseen))
