"""A position of System WON: plain data, and the facts that follow from it.

Law: pure.

A position as a viewer knows it is a `Position` too (`as_known_to`): "?" stands for each card that the viewer has not
seen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Self, TypeVar

from companion.games.ending import Ending
from companion.games.immutable import Immutable
from companion.games.rules import HOUSE, REFEREE, UNSEEN, House, Seat, Viewer
from companion.games.system_won.card_knowledge import Hand, HandCard
from companion.games.system_won.catalog import Card, catalog
from companion.games.system_won.moves import hidden_hands
from companion.games.system_won.position_json_types import ResultJson, SystemWonPosition
from companion.games.system_won.upcoming_turns import UpcomingTurns


class Position(Immutable, frozen=True):
    """A position of System WON. Piles are listed oldest card first."""

    hands: tuple[Hand, ...]
    """The hand of each seat."""
    systems: tuple[int, ...]
    """The rank of the highest card in each suit's system. 0 if the system has no cards."""
    specifications: int
    """The number of specification cards that are face up."""
    deck_size: int
    unseen_copies: tuple[int, ...]
    """The number of copies of each face that nobody has seen. These copies are in the deck, or are "?" in a hand."""
    unseen_in_hands: int = 0
    """The number of "?" cards in all hands."""
    deck_top: tuple[str, ...] = ()
    """The cards that an undo put back on the deck, the next one first. The cards with a known face are not counted in
    `unseen_copies`."""
    discard: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    communication: str = "strict"
    """The chosen value of the option `communication`."""
    role_cards: tuple[str, ...] = ()
    """The roles that may be dealt."""
    roles: tuple[str | None, ...] | None = None
    """The role of each seat. None in a game without roles."""
    used_roles: tuple[str, ...] = ()
    """The roles that have used one of their abilities, in the order of use."""
    deal_count: int = 0
    """The number of cards dealt in the whole game, including the cards of undone turns."""
    pending_draws: tuple[Seat, ...] = ()
    """The seats that must still draw, in order. A seat that must draw several cards occurs several times."""
    is_recycling: bool = False
    """Whether the house must shuffle discards back into the deck."""
    active_player: Seat = Seat(0)
    """The seat whose turn it is, even while the house must act."""
    has_moved: bool = False
    """Whether the active player has made this turn's move. Only the house's draws are then still to come."""
    is_extra_turn: bool = False
    upcoming_turns: UpcomingTurns = UpcomingTurns()
    last_drawn: tuple[str, ...] = ()
    """The faces of the cards drawn in the last turn."""
    undo_position: Self | None = None
    """The position just before the last turn's move. It is stored as long as somebody may undo the turn."""
    is_over: bool = False

    @property
    def turn(self) -> Seat | House | None:
        """The seat that must act, or the house. None at the end of the game."""
        if self.is_over:
            return None
        return HOUSE if self.pending_draws or self.is_recycling else self.active_player

    @property
    def turns_left(self) -> int | None:
        """The number of turns still to be taken, including the present turn. None until the last card of the deck is
        drawn. 0 at the end of the game."""
        if self.is_over:
            return 0
        coming = self.upcoming_turns
        if coming.regular_turns_left is None:
            return None
        return 1 + len(coming.extra_turns) + max(0, coming.regular_turns_left - coming.skip_count)

    @property
    def score(self) -> int:
        """The sum of the highest ranks of all systems, minus one point for each error."""
        return sum(self.systems) - len(self.errors)

    def is_next(self, card: Card) -> bool:
        """Whether a card is the next one of its system. Playing any other card is an error."""
        return self.systems[card.suit] + 1 == card.rank

    @property
    def is_won(self) -> bool:
        """Whether the score is perfect: all systems are complete and there are no errors."""
        return self.score == catalog().perfect_score

    @property
    def ending(self) -> Ending | None:
        """How the game ended. None while the game goes on."""
        return Ending(self.is_won, rating=catalog().rating_index(self.score)) if self.is_over else None

    def as_known_to(self, viewer: Viewer) -> Self:
        """The position as a viewer knows it. The result is the same for any two positions that the viewer can't tell
        apart.

        The hands that the viewer doesn't see are hidden. So are the cards on the deck, including those that an `Undo`
        would put back.
        """
        if viewer == REFEREE:
            return self
        return self.with_hands_hidden(
            hidden_hands(viewer, len(self.hands)),
            last_drawn=(UNSEEN,) * len(self.last_drawn),
            undo_position=self.undo_position and self.undo_position.as_known_to(viewer),
        )

    def with_hands_hidden(self, seats: Collection[int], **changes: Any) -> Self:
        """This position with "?" for all cards in the hands of `seats` and for the cards that an undo put back on the
        deck. `changes`: values for other fields."""
        cards = [card.face for seat in seats for card in self.hands[seat] if card.face != UNSEEN]
        on_deck = [face for face in self.deck_top if face != UNSEEN]
        return self.replace(
            unseen_copies=with_copies(self.unseen_copies, [*cards, *on_deck]),
            hands=tuple([_face_down_hand(hand) if seat in seats else hand for seat, hand in enumerate(self.hands)]),
            unseen_in_hands=self.unseen_in_hands + len(cards),
            deck_top=(UNSEEN,) * len(self.deck_top),
            **changes,
        )

    def to_json(self) -> SystemWonPosition:
        """The position in the JSON format of `tablekeeper play`."""
        return {
            "players": len(self.hands),
            "turn": self.turn,
            "hands": [[card.face for card in hand] for hand in self.hands],
            "knowledge": [[card.knowledge.to_json() for card in hand] for hand in self.hands],
            "deck": self.deck_size,
            "specifications": self.specifications,
            "systems": dict(zip(catalog().colors, self.systems, strict=True)),
            "discard": list(self.discard),
            "errors": list(self.errors),
            "roles": None if self.roles is None else list(self.roles),
            "roles_used": list(self.used_roles),
            "turns_left": self.turns_left,
            "pending": {"extra": list(self.upcoming_turns.extra_turns), "skip": self.upcoming_turns.skip_count},
            "score": self.score,
            "over": self.is_over,
            "result": self._result_to_json() if self.is_over else None,
        }

    def _result_to_json(self) -> ResultJson:
        return {"score": self.score, "won": self.is_won, "rating": catalog().rating_index(self.score)}

    def with_hand(self, seat: int, hand: Hand, **changes: Any) -> Self:
        """This position with another hand for a seat. `changes`: values for other fields."""
        return self.replace(hands=(*self.hands[:seat], hand, *self.hands[seat + 1 :]), **changes)

    def with_copy_seen(self, face: str, **changes: Any) -> Self:
        """This position with one unseen copy of `face` less. `changes`: values for other fields."""
        return self.replace(unseen_copies=without_copy(self.unseen_copies, face), **changes)

    def with_copies_unseen(self, *faces: str, **changes: Any) -> Self:
        """This position with one more unseen copy for each of `faces`. `changes`: values for other fields."""
        return self.replace(unseen_copies=with_copies(self.unseen_copies, faces), **changes)

    def without_last_turn(self) -> Self:
        """The position before the last turn's move. The cards drawn after that move are back on the deck. Roles that
        have been used still count as used."""
        restored = self.undo_position
        assert restored
        for face in self.last_drawn:
            restored = restored if face == UNSEEN else restored.with_copy_seen(face)
        return restored.replace(deck_top=self.last_drawn, used_roles=self.used_roles, deal_count=self.deal_count)


P = TypeVar("P", bound=Position)
"""The type of the position that a function takes, and of the changed copy that the function returns."""


def _face_down_hand(hand: Hand) -> Hand:
    return tuple([HandCard(UNSEEN, card.knowledge, card.deal_number) for card in hand])


def with_copies(copies: tuple[int, ...], faces: Iterable[str]) -> tuple[int, ...]:
    """The number of copies of each face, with one copy more for each of `faces`."""
    cards, counts = catalog().cards, list(copies)
    for face in faces:
        counts[cards[face].face_index] += 1
    return tuple(counts)


def without_copy(copies: tuple[int, ...], face: str) -> tuple[int, ...]:
    """The number of copies of each face, with one copy of `face` less."""
    index = catalog().cards[face].face_index
    return (*copies[:index], copies[index] - 1, *copies[index + 1 :])
