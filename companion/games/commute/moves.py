"""The moves of Commute."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NewType

from companion.games.commute.deck import UNSEEN, CardId, Face
from companion.games.rules import REFEREE, HouseMove, Move, Seat, Viewer

SpaceId = NewType("SpaceId", str)
UhOhId = NewType("UhOhId", str)
OptionId = NewType("OptionId", str)
"""An answer that is no number: a card to swap ("?" for one that nobody has reported), or a metro line."""


@dataclass(frozen=True, kw_only=True)
class SeatMove(Move):
    """What a player does."""

    seat: Seat


@dataclass(frozen=True, kw_only=True)
class Travel(SeatMove):
    """ "Players play a card in order to move their piece the number of spaces of the face value of the card." """

    NAME: ClassVar[str] = "travel"
    card: CardId
    to: SpaceId


@dataclass(frozen=True, kw_only=True)
class Bump(SeatMove):
    """ "The newly-arriving player plays one of their two remaining cards, in order to send the other player." """

    NAME: ClassVar[str] = "bump"
    card: CardId
    to: SpaceId


@dataclass(frozen=True, kw_only=True)
class Choose(SeatMove):
    """The answer to a question of an "Uh-Oh!" card."""

    NAME: ClassVar[str] = "choose"
    option: int | OptionId

    def seen_by(self, viewer: Viewer, before: Any) -> Move:
        """A card to swap is known to its owner, and to who gets it in this very move."""
        if before.may_see_swapped(viewer):
            return self
        return replace(self, option=OptionId(UNSEEN))


@dataclass(frozen=True, kw_only=True)
class Deal(HouseMove):
    """A playing card for a seat."""

    NAME: ClassVar[str] = "deal"
    DEALS: ClassVar[str] = "cards"
    to: Seat
    card: Face

    @property
    def face(self) -> str:
        return self.card

    def seen_by(self, viewer: Viewer, before: Any) -> Move:
        return self if viewer in (self.to, REFEREE) else Deal(to=self.to, card=UNSEEN)


@dataclass(frozen=True, kw_only=True)
class Told(Deal):
    """A card whose holder said on a phone what it is, who can't know whether the book has this face in another hand."""

    told: Literal[True] = True

    def plain(self) -> Move:
        return Deal(to=self.to, card=self.card)


@dataclass(frozen=True, kw_only=True)
class Pick(HouseMove):
    """A random card of a hand, to be swapped."""

    NAME: ClassVar[str] = "pick"
    DEALS: ClassVar[str] = "cards"
    from_: Seat
    card: Face

    @property
    def face(self) -> str:
        return self.card

    def seen_by(self, viewer: Viewer, before: Any) -> Move:
        """Like a card that its owner chooses."""
        return self if before.may_see_swapped(viewer) else replace(self, card=UNSEEN)


@dataclass(frozen=True, kw_only=True)
class UhOh(HouseMove):
    """ "Players who land on an "Uh-Oh!" space … must draw a specially-made "Uh-Oh!" card." """

    NAME: ClassVar[str] = "uh_oh"
    DEALS: ClassVar[str] = "uh_oh"
    to: Seat
    card: UhOhId

    @property
    def face(self) -> str:
        return self.card


MOVES: tuple[type[Move], ...] = (Travel, Bump, Choose, Deal, Pick, UhOh)
TOLD: tuple[type[HouseMove], ...] = (Told,)
