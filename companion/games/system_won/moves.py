"""The moves of System WON."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
    """A hint, which the rules call a specification. It tells the player `target` which cards in that player's hand have
    one color or one rank. `slots` are the slots of these cards. They must be given if the hand has a card that nobody
    has seen, and may be left out otherwise.

    Raises BadMove unless exactly one of `color` and `rank` is given."""

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
    """Discards the card in `slot` of the player's hand. `card` is its face, which must be given if nobody has seen the
    card, and may be left out otherwise."""

    NAME: ClassVar[str] = "discard"
    slot: int
    card: Face | None = None


@dataclass(frozen=True, kw_only=True)
class Play(SeatMove):
    """Plays the card in `slot` of the player's hand. `card` is its face, which must be given if nobody has seen the
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
    """Uses an ability of the player's role, which `use` names. A role may use one of its abilities, once in the
    game."""

    NAME: ClassVar[str] = "ability"
    use: str


@dataclass(frozen=True, kw_only=True)
class SpecifyTwo(Ability):
    """An ability of the Designer, as a turn: gives two hints without turning a specification card face down."""

    use: Literal["specify_two"] = "specify_two"
    hints: tuple[Hint, ...]


@dataclass(frozen=True, kw_only=True)
class Restore(Ability):
    """An ability of the Designer, at any time: turns one specification card face up."""

    ANY_TIME: ClassVar[bool] = True
    use: Literal["restore"] = "restore"


@dataclass(frozen=True, kw_only=True)
class PlayTwo(Ability):
    """An ability of the Contractor, as a turn: plays the two cards in `slots` of the hand, in this order. `cards` holds
    the faces of both cards, or only of those that nobody has seen. It may be left out if both cards have been seen."""

    use: Literal["play_two"] = "play_two"
    slots: tuple[int, ...]
    cards: tuple[Face, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Recycle(Ability):
    """An ability of the Contractor, as a turn: lets two random discards be shuffled back into the deck."""

    use: Literal["recycle"] = "recycle"


@dataclass(frozen=True, kw_only=True)
class ExtraTurn(Ability):
    """An ability of Operations, at any time: gives the seat `target` an extra turn, right after the current one."""

    ANY_TIME: ClassVar[bool] = True
    use: Literal["extra_turn"] = "extra_turn"
    target: Seat


@dataclass(frozen=True, kw_only=True)
class Skip(Ability):
    """An ability of Operations, at any time: the next `count` players lose their turns."""

    ANY_TIME: ClassVar[bool] = True
    use: Literal["skip"] = "skip"
    count: int


@dataclass(frozen=True, kw_only=True)
class PlayFromDiscard(Ability):
    """An ability of the Technician, as a turn: plays a card from the discard pile."""

    use: Literal["play_from_discard"] = "play_from_discard"
    card: Face


@dataclass(frozen=True, kw_only=True)
class PlayFromErrors(Ability):
    """An ability of the Technician, as a turn: plays a card from the error pile."""

    use: Literal["play_from_errors"] = "play_from_errors"
    card: Face


@dataclass(frozen=True, kw_only=True)
class PlayOther(Ability):
    """An ability of the Engineer, at any time: plays the card in `slot` of another player's hand. `target` is that
    player's seat. `card` is the card's face, which must be given if nobody has seen the card, and may be left out
    otherwise."""

    ANY_TIME: ClassVar[bool] = True
    use: Literal["play_other"] = "play_other"
    target: Seat
    slot: int
    card: Face | None = None


@dataclass(frozen=True, kw_only=True)
class Undo(Ability):
    """An ability of the Engineer, at any time: undoes the last turn. Roles that were used in the meantime stay used."""

    ANY_TIME: ClassVar[bool] = True
    use: Literal["undo"] = "undo"


@dataclass(frozen=True, kw_only=True)
class DealRole(HouseMove):
    """Deals a role card, face up, to a player."""

    NAME: ClassVar[str] = "role"
    CHANCE_SOURCE: ClassVar[str] = "roles"
    to: Seat
    role: RoleId

    @property
    def face(self) -> str:
        return self.role


@dataclass(frozen=True, kw_only=True)
class Deal(HouseMove):
    """Deals the next card of the deck to a player. All other players see the face of the card; this player does not."""

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
