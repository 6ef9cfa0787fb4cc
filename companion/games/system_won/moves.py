"""The moves of System WON."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar, Literal, NewType

from companion.games.rules import REFEREE, UNSEEN, HouseMove, Move, Seat, SeatMove, Viewer
from companion.games.system_won.card_knowledge import HintValue
from companion.text.refusal_errors import BadMove

Color = NewType("Color", str)
Face = NewType("Face", str)
DealtFace = NewType("DealtFace", str)
"""A face, or "?" for a card that nobody saw when it was drawn."""
RoleId = NewType("RoleId", str)


@dataclass(frozen=True, kw_only=True)
class Hint:
    """A hint, which the rules call a specification. It tells the player `target` which cards in this player's hand have
    a certain color or a certain rank. `slots` are the slots of these cards. They must be given if the hand has a card
    that nobody has seen, and may be left out otherwise.

    Raises BadMove unless exactly one of `color` and `rank` is given.
    """

    target: Seat
    color: Color | None = None
    rank: int | None = None
    slots: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if (self.color is None) == (self.rank is None):
            raise BadMove('A specification names either a "color" or a "rank".')

    @property
    def value(self) -> HintValue:
        """The color or the rank that the hint names."""
        return self.color or self.rank or 0


@dataclass(frozen=True, kw_only=True)
class Specify(SeatMove, Hint):
    """Gives another player a hint, at the cost of one specification card."""

    NAME: ClassVar[str] = "specify"


@dataclass(frozen=True, kw_only=True)
class Discard(SeatMove):
    """Discards the card in `slot` of the player's hand. `card` is the card's face. It must be given if nobody has seen
    the card, and may be left out otherwise."""

    NAME: ClassVar[str] = "discard"
    slot: int
    card: Face | None = None


@dataclass(frozen=True, kw_only=True)
class Play(SeatMove):
    """Plays the card in `slot` of the player's hand. `card` is the card's face. It must be given if nobody has seen the
    card, and may be left out otherwise."""

    NAME: ClassVar[str] = "play"
    slot: int
    card: Face | None = None


@dataclass(frozen=True, kw_only=True)
class Arrange(SeatMove):
    """Rearranges the hand: the card in slot `order[i]` moves to slot i."""

    NAME: ClassVar[str] = "arrange"
    ANY_TIME: ClassVar[bool] = True
    order: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Ability(SeatMove):
    """Uses an ability of the player's role; `use` names the ability. A role may use one of its abilities, once per
    game."""

    NAME: ClassVar[str] = "ability"
    use: str


@dataclass(frozen=True, kw_only=True)
class SpecifyTwo(Ability):
    """The Designer's ability to give two hints without turning a specification card face down. It takes the player's
    turn."""

    use: Literal["specify_two"] = "specify_two"
    hints: tuple[Hint, ...]


@dataclass(frozen=True, kw_only=True)
class Restore(Ability):
    """The Designer's ability to turn one specification card face up, at any time."""

    ANY_TIME: ClassVar[bool] = True
    use: Literal["restore"] = "restore"


@dataclass(frozen=True, kw_only=True)
class PlayTwo(Ability):
    """The Contractor's ability to play two cards from the hand, in the order of `slots`. It takes the player's turn.
    `cards` holds the faces of both cards, or only of those that nobody has seen. It may be left out if both cards have
    been seen."""

    use: Literal["play_two"] = "play_two"
    slots: tuple[int, ...]
    cards: tuple[Face, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Recycle(Ability):
    """The Contractor's ability to have two random discards shuffled back into the deck. It takes the player's turn."""

    use: Literal["recycle"] = "recycle"


@dataclass(frozen=True, kw_only=True)
class ExtraTurn(Ability):
    """Operations' ability to give the seat `target` an extra turn right after the current one, at any time."""

    ANY_TIME: ClassVar[bool] = True
    use: Literal["extra_turn"] = "extra_turn"
    target: Seat


@dataclass(frozen=True, kw_only=True)
class Skip(Ability):
    """Operations' ability to make the next `count` players lose their turns, at any time."""

    ANY_TIME: ClassVar[bool] = True
    use: Literal["skip"] = "skip"
    count: int


@dataclass(frozen=True, kw_only=True)
class PlayFromDiscard(Ability):
    """The Technician's ability to play a card from the discard pile. It takes the player's turn."""

    use: Literal["play_from_discard"] = "play_from_discard"
    card: Face


@dataclass(frozen=True, kw_only=True)
class PlayFromErrors(Ability):
    """The Technician's ability to play a card from the error pile. It takes the player's turn."""

    use: Literal["play_from_errors"] = "play_from_errors"
    card: Face


@dataclass(frozen=True, kw_only=True)
class PlayOther(Ability):
    """The Engineer's ability to play the card in `slot` of another player's hand, at any time. `target` is that
    player's seat. `card` is the card's face. It must be given if nobody has seen the card, and may be left out
    otherwise."""

    ANY_TIME: ClassVar[bool] = True
    use: Literal["play_other"] = "play_other"
    target: Seat
    slot: int
    card: Face | None = None


@dataclass(frozen=True, kw_only=True)
class Undo(Ability):
    """The Engineer's ability to undo the last turn, at any time. Roles that have been used in the meantime stay
    used."""

    ANY_TIME: ClassVar[bool] = True
    use: Literal["undo"] = "undo"


@dataclass(frozen=True, kw_only=True)
class DealRole(HouseMove):
    """Deals a role card to a player, face up."""

    NAME: ClassVar[str] = "role"
    CHANCE_SOURCE: ClassVar[str] = "roles"
    to: Seat
    role: RoleId

    @property
    def face(self) -> str:
        return self.role


@dataclass(frozen=True, kw_only=True)
class Deal(HouseMove):
    """Deals the next card of the deck to a player. All other players see the card's face, but the player does not."""

    NAME: ClassVar[str] = "deal"
    CHANCE_SOURCE: ClassVar[str] = "cards"
    to: Seat
    card: DealtFace

    @property
    def face(self) -> str:
        return self.card

    def as_known_to(self, viewer: Viewer, before: Any) -> Move:
        return self if sees_hand(viewer, self.to) else replace(self, card=DealtFace(UNSEEN))


def sees_hand(viewer: Viewer, seat: int) -> bool:
    """Whether a viewer sees the faces of a seat's hand. Players see every hand but their own, spectators see none, and
    the referee sees all."""
    return viewer == REFEREE or (isinstance(viewer, int) and viewer != seat)


@cache
def hidden_hands(viewer: Viewer, seats: int) -> tuple[int, ...]:
    """The seats whose hands a viewer doesn't see, in a game with this many seats."""
    return tuple(seat for seat in range(seats) if not sees_hand(viewer, seat))


@dataclass(frozen=True, kw_only=True)
class ShuffleBack(HouseMove):
    """Shuffles the discards `cards` back into the deck after a `Recycle`. The faces in `cards` are sorted, because
    their order has no meaning."""

    NAME: ClassVar[str] = "recycle"
    CHANCE_SOURCE: ClassVar[str] = "cards"
    cards: tuple[Face, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "cards", tuple(sorted(self.cards)))

    @property
    def face(self) -> str:
        return " ".join(self.cards)


MOVES: tuple[type[Move], ...] = (
    Specify,
    Discard,
    Play,
    Arrange,
    SpecifyTwo,
    Restore,
    PlayTwo,
    Recycle,
    ExtraTurn,
    Skip,
    PlayFromDiscard,
    PlayFromErrors,
    PlayOther,
    Undo,
    DealRole,
    Deal,
    ShuffleBack,
)
