"""What lies where on a simulated table.

Law: pure, frozen. Lengths are millimetres on the mat (origin top left, x right, y down), angles degrees
clockwise. A thing that neither lies on the mat nor beside it is at home: in its face-down pile, or in the box.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from companion.games.game import Game
from companion.tabletop.components import Component

Size = tuple[float, float]
"""Width and height, mm."""


@dataclass(frozen=True)
class Piece:
    """A thing on the table, by its middle."""

    thing: str
    x: float
    y: float
    angle: float = 0.0
    face_up: bool = True


@dataclass(frozen=True)
class Token:
    """A cube or a marker; it has no code, so a camera sees no more than its colour."""

    number: int
    kind: str
    x: float
    y: float
    angle: float = 0.0


@dataclass(frozen=True)
class World:
    """The whole table. `lying` and `tokens` are listed from the bottom up; `tops` lie uppermost on their piles,
    the last first; `beside` lie off the mat, in front of somebody."""

    lying: tuple[Piece, ...] = ()
    beside: frozenset[str] = frozenset()
    tops: tuple[str, ...] = ()
    tokens: tuple[Token, ...] = ()
    hand: tuple[float, float] | None = None
    """The tip of a hand that reaches in from the lower edge."""

    def piece(self, thing: str) -> Piece | None:
        """The thing, if it lies on the mat."""
        return next((piece for piece in self.lying if piece.thing == thing), None)

    def away(self, thing: str) -> bool:
        """Whether a thing is at home."""
        return thing not in self.beside and self.piece(thing) is None

    def with_piece(self, piece: Piece) -> World:
        """The thing lies there, on top of whatever lies there too."""
        return replace(self.without(piece.thing), lying=(*self.without(piece.thing).lying, piece))

    def with_changed(self, piece: Piece) -> World:
        """The thing is turned or flipped where it lies."""
        return replace(self, lying=tuple(piece if p.thing == piece.thing else p for p in self.lying))

    def without(self, thing: str) -> World:
        """The thing is taken up."""
        return replace(
            self,
            lying=tuple(p for p in self.lying if p.thing != thing),
            beside=self.beside - {thing},
            tops=tuple(t for t in self.tops if t != thing),
        )

    def at_home(self, thing: str, *, on_top: bool) -> World:
        """The thing goes into its pile (shuffled in, or on top) or into the box."""
        gone = self.without(thing)
        return replace(gone, tops=(*gone.tops, thing)) if on_top else gone

    def put_beside(self, thing: str) -> World:
        """The thing lies off the mat, in front of somebody."""
        gone = self.without(thing)
        return replace(gone, beside=gone.beside | {thing})

    def with_token(self, kind: str, x: float, y: float) -> World:
        """One token more."""
        number = max((token.number for token in self.tokens), default=0) + 1
        return replace(self, tokens=(*self.tokens, Token(number, kind, x, y)))

    def without_token(self, number: int) -> World:
        """One token fewer."""
        return replace(self, tokens=tuple(t for t in self.tokens if t.number != number))


@dataclass(frozen=True)
class Pile:
    """A face-down pile that things are dealt from; it lies in the mat's zone, if there is one for it."""

    name: str
    home: str
    components: tuple[str, ...]
    zone: str | None

    def waiting(self, world: World) -> tuple[str, ...]:
        """What is in the pile now, in no order."""
        return tuple(thing for thing in self.components if world.away(thing))


def piles(game: Game[Any]) -> tuple[Pile, ...]:
    """The game's piles: things that are at home in one zone are shuffled together."""
    homes: dict[str, list[Component]] = {}
    for thing in game.physical.components.components:
        if thing.home_zone:
            homes.setdefault(thing.home_zone, []).append(thing)
    return tuple(
        Pile(f"pile-{n}", things[0].home, tuple(thing.id for thing in things), zone)
        for n, (zone, things) in enumerate(homes.items(), 1)
    )


def as_json(world: World) -> dict[str, Any]:
    """The world as plain values, for keeping."""
    return {
        "lying": [asdict(piece) for piece in world.lying],
        "beside": sorted(world.beside),
        "tops": list(world.tops),
        "tokens": [asdict(token) for token in world.tokens],
    }


def from_json(value: Mapping[str, Any], known: frozenset[str]) -> World:
    """The kept world, without things that are no longer printed; raises KeyError, TypeError, ValueError."""
    return World(
        tuple(piece for item in value["lying"] if (piece := Piece(**item)).thing in known),
        frozenset(value["beside"]) & known,
        tuple(thing for thing in value["tops"] if thing in known),
        tuple(Token(**item) for item in value["tokens"]),
    )
