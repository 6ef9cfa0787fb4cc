"""The scene of a simulated table: what lies where.

Law: pure, frozen. Lengths are millimeters on the mat (origin top left, x right, y down), angles degrees clockwise. A
component that lies neither on the mat nor beside it is at home: in its face-down pile, or in the box. Components are
named by the code on their front.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from companion.games.game import Game

Size = tuple[float, float]
"""Width and height, in mm."""


@dataclass(frozen=True)
class PlacedComponent:
    """A component on the mat, with its center at (x, y)."""

    code: str
    x: float
    y: float
    angle: float = 0.0
    face_up: bool = True


@dataclass(frozen=True)
class Token:
    """A cube, car or marker on the mat. It has no code, so a camera sees only its color. `number` identifies it."""

    number: int
    kind: str
    x: float
    y: float
    angle: float = 0.0


@dataclass(frozen=True)
class TableScene:
    """Everything that lies on or beside the mat at one moment."""

    on_mat: tuple[PlacedComponent, ...] = ()
    """The components on the mat, from the bottom up."""
    off_mat: frozenset[str] = frozenset()
    """The codes of the components beside the mat, in front of a player."""
    pile_tops: tuple[str, ...] = ()
    """The codes of cards that were put back on top of their piles, from the lowest to the uppermost."""
    tokens: tuple[Token, ...] = ()
    """The tokens on the mat, from the bottom up."""
    hand: tuple[float, float] | None = None
    """The tip of a hand that reaches in from the lower edge; None if there is no hand."""

    def find(self, code: str) -> PlacedComponent | None:
        """The component with this code if it lies on the mat, else None."""
        return next((placed for placed in self.on_mat if placed.code == code), None)

    def is_at_home(self, code: str) -> bool:
        """Whether a component is in its pile or in the box."""
        return code not in self.off_mat and self.find(code) is None

    def with_placed(self, placed: PlacedComponent) -> TableScene:
        """The scene after a component was put where `placed` says, on top of other components there."""
        rest = self.without(placed.code)
        return replace(rest, on_mat=(*rest.on_mat, placed))

    def with_changed(self, placed: PlacedComponent) -> TableScene:
        """The scene after a component was rotated or flipped where it lies. `placed`: the component afterwards."""
        return replace(self, on_mat=tuple(placed if other.code == placed.code else other for other in self.on_mat))

    def without(self, code: str) -> TableScene:
        """The scene after a component was picked up, wherever it lay."""
        return replace(
            self,
            on_mat=tuple(placed for placed in self.on_mat if placed.code != code),
            off_mat=self.off_mat - {code},
            pile_tops=tuple(top for top in self.pile_tops if top != code),
        )

    def with_at_home(self, code: str, *, on_top: bool) -> TableScene:
        """The scene after a component was put away, into its pile or into the box. `on_top`: whether it lies on top of
        its pile; otherwise it was shuffled into the pile."""
        rest = self.without(code)
        return replace(rest, pile_tops=(*rest.pile_tops, code)) if on_top else rest

    def with_off_mat(self, code: str) -> TableScene:
        """The scene after a component was put beside the mat, in front of a player."""
        rest = self.without(code)
        return replace(rest, off_mat=rest.off_mat | {code})

    def with_token(self, kind: str, x: float, y: float) -> TableScene:
        """The scene with one more token, at (x, y) on top of the others."""
        number = max((token.number for token in self.tokens), default=0) + 1
        return replace(self, tokens=(*self.tokens, Token(number, kind, x, y)))

    def without_token(self, number: int) -> TableScene:
        """The scene without the token of this number."""
        return replace(self, tokens=tuple(token for token in self.tokens if token.number != number))

    def to_json(self) -> dict[str, Any]:
        """The scene as JSON, to be saved. The hand is not saved."""
        return {
            "on_mat": [asdict(placed) for placed in self.on_mat],
            "off_mat": sorted(self.off_mat),
            "pile_tops": list(self.pile_tops),
            "tokens": [asdict(token) for token in self.tokens],
        }


def scene_from_json(value: Mapping[str, Any], known: frozenset[str]) -> TableScene:
    """The scene in saved JSON. Components whose code is not in `known` are left out: an earlier version of the game had
    them. Raises KeyError, TypeError or ValueError if the JSON has another form."""
    return TableScene(
        tuple(PlacedComponent(**item) for item in value["on_mat"] if item["code"] in known),
        frozenset(value["off_mat"]) & known,
        tuple(code for code in value["pile_tops"] if code in known),
        tuple(Token(**item) for item in value["tokens"]),
    )


@dataclass(frozen=True)
class Pile:
    """A face-down pile that cards are dealt from. `home`: where it lies, in words. `zone`: the zone of the mat that it
    lies in; None if it lies beside the mat."""

    name: str
    home: str
    codes: tuple[str, ...]
    zone: str | None

    def remaining(self, scene: TableScene) -> tuple[str, ...]:
        """The codes of the cards that are still in the pile. Their order says nothing about the order of the pile."""
        return tuple(code for code in self.codes if scene.is_at_home(code))


def piles(game: Game[Any]) -> tuple[Pile, ...]:
    """The face-down piles of a game: one for each zone of the mat that has a deck. All cards of one deck are shuffled
    together."""
    components = [component for component in game.physical.components.components if component.home_zone]
    zones = dict.fromkeys(component.home_zone for component in components)
    decks = {zone: [component for component in components if component.home_zone == zone] for zone in zones}
    return tuple(
        Pile(f"pile-{n}", deck[0].home, tuple(component.id for component in deck), zone)
        for n, (zone, deck) in enumerate(decks.items(), 1)
    )
