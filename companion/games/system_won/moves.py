"""The moves of System WON."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NewType

from companion.games.rules import REFEREE, HouseMove, Move, Seat, Viewer
from companion.games.system_won.knowledge import UNKNOWN, Said
from companion.text.refusals import BadMove

Color = NewType("Color", str)
Face = NewType("Face", str)
Dealt = NewType("Dealt", str)
"""A face, or `?` for a card that was drawn and not seen."""
RoleId = NewType("RoleId", str)


@dataclass(frozen=True, kw_only=True)
class SeatMove(Move):
    """What a player does: a turn, unless it may be done at any time."""

    seat: Seat


@dataclass(frozen=True, kw_only=True)
class Hint:
    """One piece of information: all cards of one colour or one rank in a hand. `slots` are the cards pointed at, named
    where the book can't know them all. Raises BadMove unless it is exactly one colour or one rank."""

    target: Seat
    color: Color | None = None
    rank: int | None = None
    slots: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if (self.color is None) == (self.rank is None):
            raise BadMove('A specification names either "color" or "rank".')

    @property
    def said(self) -> Said:
        """The colour or the rank."""
        return self.color or self.rank or 0


@dataclass(frozen=True, kw_only=True)
class Specify(SeatMove, Hint):
    """ "Give another player information about the relevant cards in their hand." """

    NAME: ClassVar[str] = "specify"


@dataclass(frozen=True, kw_only=True)
class Discard(SeatMove):
    """ "Places a card from his or her hand into the discard pile face up." `card`: what an unseen one was."""

    NAME: ClassVar[str] = "discard"
    slot: int
    card: Face | None = None


@dataclass(frozen=True, kw_only=True)
class Play(SeatMove):
    """ "The player takes a card from their hand and plays it." `card`: what an unseen one was."""

    NAME: ClassVar[str] = "play"
    slot: int
    card: Face | None = None


@dataclass(frozen=True, kw_only=True)
class Arrange(SeatMove):
    """ "Can rearrange his or her hand": the card now in slot `order[i]` comes to slot i."""

    NAME: ClassVar[str] = "arrange"
    ANY_TIME: ClassVar[bool] = True
    order: tuple[int, ...]


# The abilities of the roles: `use` tells them apart.


@dataclass(frozen=True, kw_only=True)
class Ability(SeatMove):
    """ "An ability that may be used ONE TIME ONLY." """

    NAME: ClassVar[str] = "ability"
    use: str


@dataclass(frozen=True, kw_only=True)
class SpecifyTwo(Ability):
    """ "As your turn, SPECIFY two pieces of information for no cost." """

    use: Literal["specify_two"] = "specify_two"
    hints: tuple[Hint, ...]


@dataclass(frozen=True, kw_only=True)
class Restore(Ability):
    """ "At any time, flip over one SPECIFICATION card right side up." """

    ANY_TIME: ClassVar[bool] = True
    use: Literal["restore"] = "restore"


@dataclass(frozen=True, kw_only=True)
class PlayTwo(Ability):
    """ "As your action, PLAY two cards from your hand." `cards`: what unseen ones were, in the order of the slots;
    one for each slot does as well."""

    use: Literal["play_two"] = "play_two"
    slots: tuple[int, ...]
    cards: tuple[Face, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Recycle(Ability):
    """ "As your action, randomly choose two cards from the discard pile to shuffle back into the deck." """

    use: Literal["recycle"] = "recycle"


@dataclass(frozen=True, kw_only=True)
class ExtraTurn(Ability):
    """ "At any time, allow someone to take an extra turn." """

    ANY_TIME: ClassVar[bool] = True
    use: Literal["extra_turn"] = "extra_turn"
    target: Seat


@dataclass(frozen=True, kw_only=True)
class Skip(Ability):
    """ "At any time, skip any number of consecutive players." """

    ANY_TIME: ClassVar[bool] = True
    use: Literal["skip"] = "skip"
    count: int


@dataclass(frozen=True, kw_only=True)
class PlayFromDiscard(Ability):
    """ "As your action, PLAY any card from the discard pile." """

    use: Literal["play_from_discard"] = "play_from_discard"
    card: Face


@dataclass(frozen=True, kw_only=True)
class PlayFromErrors(Ability):
    """ "As your action, PLAY any card from the error pile." """

    use: Literal["play_from_errors"] = "play_from_errors"
    card: Face


@dataclass(frozen=True, kw_only=True)
class PlayOther(Ability):
    """ "At any time, play another player's card." `card`: what an unseen one was."""

    ANY_TIME: ClassVar[bool] = True
    use: Literal["play_other"] = "play_other"
    target: Seat
    slot: int
    card: Face | None = None


@dataclass(frozen=True, kw_only=True)
class Undo(Ability):
    """ "At any time, undo an action." """

    ANY_TIME: ClassVar[bool] = True
    use: Literal["undo"] = "undo"


# The house's.


@dataclass(frozen=True, kw_only=True)
class DealRole(HouseMove):
    """ "Deal a ROLE card to each player face up so everyone can see it." """

    NAME: ClassVar[str] = "role"
    DEALS: ClassVar[str] = "roles"
    to: Seat
    role: RoleId

    @property
    def face(self) -> str:
        return self.role


@dataclass(frozen=True, kw_only=True)
class Deal(HouseMove):
    """A card off the deck; "the other players can see the fronts of the cards", its holder can't."""

    NAME: ClassVar[str] = "deal"
    DEALS: ClassVar[str] = "cards"
    to: Seat
    card: Dealt

    @property
    def face(self) -> str:
        return self.card

    def seen_by(self, viewer: Viewer, before: Any) -> Move:
        return self if sees_hand(viewer, self.to) else replace(self, card=Dealt(UNKNOWN))


def sees_hand(viewer: Viewer, seat: int) -> bool:
    """Everyone at the table sees all hands but their own; those who only watch see none."""
    return viewer == REFEREE or (isinstance(viewer, int) and viewer != seat)


@dataclass(frozen=True, kw_only=True)
class ShuffleBack(HouseMove):
    """The discards that a `recycle` shuffles back into the deck; their order means nothing."""

    NAME: ClassVar[str] = "recycle"
    DEALS: ClassVar[str] = "cards"
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
