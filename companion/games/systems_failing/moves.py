"""The moves of Systems Failing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NewType

from companion.games.rules import HouseMove, Move, Seat, SeatMove
from companion.games.systems_failing.cube_multiset import Color

CardId = NewType("CardId", str)
RoleId = NewType("RoleId", str)


@dataclass(frozen=True, kw_only=True)
class Scavenge(SeatMove):
    """An action: two cubes from the bag for the player's pool. The house draws the cubes."""

    NAME: ClassVar[str] = "scavenge"


@dataclass(frozen=True, kw_only=True)
class Return(SeatMove):
    """Returns `cubes` from the player's pool to the bag, because the pool exceeds 10 cubes."""

    NAME: ClassVar[str] = "return"
    cubes: tuple[Color, ...]


@dataclass(frozen=True, kw_only=True)
class Transfer(SeatMove):
    """An action: with the other player's permission, the player takes a cube of `color` from the other player's
    pool."""

    NAME: ClassVar[str] = "transfer"
    color: Color

    def consenting_seat(self) -> Seat:
        return Seat(1 - self.seat)


@dataclass(frozen=True, kw_only=True)
class Repair(SeatMove):
    """An action: the player puts `cubes` from the pool on `card`, which is a disaster or the active escape sequence."""

    NAME: ClassVar[str] = "repair"
    card: CardId
    cubes: tuple[Color, ...]
    ability: bool = False
    """Whether the player uses the ability of their role to leave out the cubes of a color."""


@dataclass(frozen=True, kw_only=True)
class Discard(SeatMove):
    """An action: the player returns all cubes in the pool to the bag."""

    NAME: ClassVar[str] = "discard"


@dataclass(frozen=True, kw_only=True)
class EndTurn(SeatMove):
    """Ends the turn while the player still has actions left."""

    NAME: ClassVar[str] = "end_turn"


@dataclass(frozen=True, kw_only=True)
class Draw(HouseMove):
    """The house draws a cube from the bag for a seat."""

    NAME: ClassVar[str] = "draw"
    CHANCE_SOURCE: ClassVar[str] = "cubes"
    to: Seat
    cube: Color

    @property
    def face(self) -> str:
        return self.cube


@dataclass(frozen=True, kw_only=True)
class Reveal(HouseMove):
    """The house reveals the top card of a deck: a disaster, a systems-failing card or an escape sequence."""

    NAME: ClassVar[str] = "reveal"
    CHANCE_SOURCE: ClassVar[str] = "cards"
    card: CardId

    @property
    def face(self) -> str:
        return self.card


@dataclass(frozen=True, kw_only=True)
class DealRole(HouseMove):
    """The house deals a random role card to a seat."""

    NAME: ClassVar[str] = "role"
    CHANCE_SOURCE: ClassVar[str] = "roles"
    to: Seat
    role: RoleId

    @property
    def face(self) -> str:
        return self.role


@dataclass(frozen=True, kw_only=True)
class Advance(HouseMove):
    """The house moves every disaster one zone to the left, in phase 3 of a round."""

    NAME: ClassVar[str] = "advance"
    CHANCE_SOURCE: ClassVar[str] = "pace"


MOVES: tuple[type[Move], ...] = (
    Scavenge,
    Transfer,
    Repair,
    Discard,
    Return,
    EndTurn,
    Draw,
    Reveal,
    DealRole,
    Advance,
)
