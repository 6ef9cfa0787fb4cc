"""The moves of Commute."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NewType

from companion.games.commute.suits_and_ranks import UNSEEN, CardId, Face
from companion.games.rules import REFEREE, HouseMove, Move, Seat, SeatMove, Viewer

SpaceId = NewType("SpaceId", str)
UhOhId = NewType("UhOhId", str)
OptionId = NewType("OptionId", str)
"""An answer that is not a number: a metro line, or a card to swap. The card is "?" if nobody has reported it."""


@dataclass(frozen=True, kw_only=True)
class Travel(SeatMove):
    """A player plays a card and moves their own piece by as many spaces as the card's value, to the space `to`."""

    NAME: ClassVar[str] = "travel"
    card: CardId
    to: SpaceId


@dataclass(frozen=True, kw_only=True)
class Bump(SeatMove):
    """A player whose piece landed on an occupied space plays a card to send the other piece on, by as many spaces as
    the card's value."""

    NAME: ClassVar[str] = "bump"
    card: CardId
    to: SpaceId


@dataclass(frozen=True, kw_only=True)
class Choose(SeatMove):
    """A player answers the question of an "Uh-Oh!" card. `option` is the answer: the number of an effect or a seat, or
    the id of a card or a metro line."""

    NAME: ClassVar[str] = "choose"
    option: int | OptionId

    def as_known_to(self, viewer: Viewer, before: Any) -> Move:
        """The move as a viewer knows it. A card that is given away in a swap is visible to its owner. If this move
        completes the swap, the card is also visible to the seat that receives it."""
        if before.uh_oh.may_see_swapped_card(viewer):
            return self
        return replace(self, option=OptionId(UNSEEN))


@dataclass(frozen=True, kw_only=True)
class Deal(HouseMove):
    """The house deals a playing card to a seat."""

    NAME: ClassVar[str] = "deal"
    CHANCE_SOURCE: ClassVar[str] = "cards"
    to: Seat
    card: Face

    @property
    def face(self) -> str:
        return self.card

    def as_known_to(self, viewer: Viewer, before: Any) -> Move:
        return self if viewer in (self.to, REFEREE) else Deal(to=self.to, card=UNSEEN)


@dataclass(frozen=True, kw_only=True)
class ReportedDeal(Deal):
    """The deal of a card whose face is reported by phone. The report is legal even if the match records this card in
    another player's hand: a refusal would reveal that hand to the player who reports."""

    told: Literal[True] = True

    def plain(self) -> Move:
        return Deal(to=self.to, card=self.card)


@dataclass(frozen=True, kw_only=True)
class Pick(HouseMove):
    """The house draws a random card from the hand of `from_`, for a swap."""

    NAME: ClassVar[str] = "pick"
    CHANCE_SOURCE: ClassVar[str] = "cards"
    from_: Seat
    card: Face

    @property
    def face(self) -> str:
        return self.card

    def as_known_to(self, viewer: Viewer, before: Any) -> Move:
        """The move as a viewer knows it. The card is visible to the viewers for whom
        `UhOhPosition.may_see_swapped_card` is True."""
        return self if before.uh_oh.may_see_swapped_card(viewer) else replace(self, card=UNSEEN)


@dataclass(frozen=True, kw_only=True)
class UhOh(HouseMove):
    """A player who landed on an "Uh-Oh!" space draws an "Uh-Oh!" card."""

    NAME: ClassVar[str] = "uh_oh"
    CHANCE_SOURCE: ClassVar[str] = "uh_oh"
    to: Seat
    card: UhOhId

    @property
    def face(self) -> str:
        return self.card


MOVES: tuple[type[Move], ...] = (Travel, Bump, Choose, Deal, Pick, UhOh)
PHONE_ONLY_MOVES: tuple[type[HouseMove], ...] = (ReportedDeal,)
"""The moves that can be made only on phones. `tablekeeper play` rejects them."""
