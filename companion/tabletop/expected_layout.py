"""Layouts, which say where every component belongs in a position.

Law: pure. A layout lists every component that matters: components with codes by place (top first), tokens by holder (a
bag, a pool, a card), markers by track. Games make layouts; this module knows nothing about any game.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from companion.text.messages import TextLike

FACING_TOLERANCE_DEGREES = 30.0
"""How far the angle of a component may deviate from the direction in which the component should point."""


@dataclass(frozen=True)
class Orientation:
    """The direction in which a component points: the angle of its code's top edge on the mat, in degrees clockwise, and
    the place towards which it points."""

    degrees: float
    towards: str

    def matches(self, angle: float) -> bool:
        """Whether a component at an angle of `angle` degrees points in this direction, within
        FACING_TOLERANCE_DEGREES."""
        return abs((angle - self.degrees + 180) % 360 - 180) <= FACING_TOLERANCE_DEGREES


@dataclass(frozen=True)
class Layout:
    """Where every component belongs.

    `cards` maps a place (a zone of the mat, or another place that the game names) to the kinds of the components in it,
    top first. A component that is not listed belongs at home (in its deck, in the box). `tokens` maps a holder (a place
    or a component) to the number of tokens of each kind. `markers` maps a track to the number or the name that its
    marker points to. `orientations` maps a place to the direction in which its component must point, if that matters.
    `shuffled_places`: the places whose cards are shuffled into their deck when they go back to it. `alternatives`: what
    people can do with a misplaced component that they meant as a move, such as picking it up and putting it down again.
    The key is the component's place or, if the component was just turned over, its code."""

    cards: Mapping[str, tuple[str, ...]]
    tokens: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    markers: Mapping[str, int | str] = field(default_factory=dict)
    orientations: Mapping[str, Orientation] = field(default_factory=dict)
    shuffled_places: Collection[str] = ()
    alternatives: Mapping[str, TextLike] = field(default_factory=dict)

    def count(self, kind: str) -> int:
        """The number of components of a kind that belong in some place, not at home (in their deck, in the box)."""
        return sum(kinds.count(kind) for kinds in self.cards.values())

    def tokens_in(self, place: str) -> Mapping[str, int]:
        """The number of tokens of each kind that belong in a place, without the kinds of which there are none."""
        return {kind: count for kind, count in self.tokens.get(place, {}).items() if count}

    def place_of(self, kind: str) -> tuple[str, int] | None:
        """The place where a component of this kind belongs, and its index in that place, counted from the top. None if
        all components of the kind belong at home (in their deck, in the box)."""
        for place, kinds in self.cards.items():
            if kind in kinds:
                return place, kinds.index(kind)
        return None


@dataclass(frozen=True)
class TokenPlacement:
    """A token that lies on the mat itself: its kind, its center in millimeters, and its angle in degrees clockwise."""

    kind: str
    x: float
    y: float
    angle: float = 0.0
