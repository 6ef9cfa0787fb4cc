"""The tracked table: the last known place of every component, folded from observations.

Law: pure. Only moves change the match; `companion.tabletop.discrepancies` compares the tracked table with the layout.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar

from companion.tabletop.instances import ZonesByCode
from companion.tabletop.layout import Layout
from companion.tabletop.mat import Mat, Zone
from companion.tabletop.observations import CardGone, CardSeen, MatSeen, Observation, TokensCounted

T = TypeVar("T")

FLIP_RADIUS_MM = 60.0
"""A card that is turned over comes to rest within about a card's width of where it was."""
MAX_NUDGE_DEGREES = 30.0
"""A component rotated by more than this was turned on purpose."""
OVERLAP_RADIUS_MM = 12.0
"""Two codes of 25 mm can't both be visible if their centers are nearer than this."""


@dataclass(frozen=True)
class TrackedTable:
    """What the camera has reported so far."""

    mat: str | None = None
    """The name of the mat in view."""
    visible: Mapping[str, CardSeen] = field(default_factory=dict)
    """The last sighting of every code that has not left, by code."""
    last_seen: Mapping[str, CardSeen] = field(default_factory=dict)
    """The last sighting of every code, including codes that have left."""
    neighbors_of_gone: Mapping[str, Collection[str]] = field(default_factory=dict)
    """For each code that has left: the other codes that lay in the same place at that moment."""
    token_counts: Mapping[str, TokensCounted] = field(default_factory=dict)
    """The last count of the tokens in each place."""
    flipped: frozenset[str] = frozenset()
    """The codes that were turned face up since the last act."""

    def with_zone(self, observation: Observation, board_mat: Mat | None) -> Observation:
        """The observation with its zone on the mat of this board, if that mat is in view; otherwise unchanged."""
        wrong_mat = board_mat is None or self.mat != board_mat.name
        if not isinstance(observation, CardSeen) or wrong_mat or observation.mm is None:
            return observation
        assert board_mat is not None
        return replace(observation, zone=board_mat.zone_at(observation.mm))

    def on_board(self, board_mat: Mat | None) -> TrackedTable:
        """The tracked table with all zones on the mat of this board; token counts start over."""
        placed = {code: self.with_zone(sighting, board_mat) for code, sighting in self.visible.items()}
        visible = {code: sighting for code, sighting in placed.items() if isinstance(sighting, CardSeen)}
        return replace(self, visible=visible, token_counts={})

    def in_turn(self, sighting: CardSeen, turn: int | Literal["house"] | None) -> CardSeen:
        """The sighting with the turn in which the component came to rest. A nudge keeps the earlier turn. The turn of a
        component that lay there when the camera started is unknown."""
        before = self.visible.get(sighting.thing)
        nudged = before and sighting.change == "moved" and sighting.zone == before.zone
        if before and nudged and _rotation(before, sighting) < MAX_NUDGE_DEGREES:
            return replace(sighting, turn=before.turn)
        return replace(sighting, turn=None if sighting.found else turn)

    def without_turns(self, codes: Collection[str]) -> TrackedTable:
        """The tracked table in which no turn brought these codes, so that a nudge of them is no move."""
        cleared = {code: replace(seen, turn=None) for code, seen in self.visible.items() if code in codes}
        return replace(self, visible={**self.visible, **cleared})

    def after(self, observation: Observation) -> TrackedTable:
        """The tracked table after one more observation."""
        match observation:
            case CardSeen(thing=code):
                return replace(
                    self,
                    visible={**self.visible, code: observation},
                    last_seen={**self.last_seen, code: observation},
                    neighbors_of_gone=_without(self.neighbors_of_gone, code),
                )
            case CardGone(thing=code) if code in self.visible:
                left = _without(self.visible, code)
                neighbors = frozenset(other for other, seen in left.items() if seen.zone == self.visible[code].zone)
                return replace(self, visible=left, neighbors_of_gone={**self.neighbors_of_gone, code: neighbors})
            case TokensCounted(place=place):
                return replace(self, token_counts={**self.token_counts, place: observation})
            case MatSeen(mat=mat):
                return replace(self, mat=mat, token_counts=self.token_counts if mat == self.mat else {})
        return self

    @property
    def zones_by_code(self) -> ZonesByCode:
        """The zone of every visible code."""
        return {code: seen.zone for code, seen in self.visible.items()}

    def is_flip(self, sighting: CardSeen, other_side: Mapping[str, str]) -> bool:
        """Whether the component lay about here with its other side up, and not with this side up since then."""
        other = self.last_seen.get(other_side.get(sighting.thing, ""))
        same = self.last_seen.get(sighting.thing)
        if other is None or other.mm is None or sighting.mm is None or (same is not None and same.t > other.t):
            return False
        return math.dist(other.mm, sighting.mm) < FLIP_RADIUS_MM

    def is_covered(self, code: str) -> bool:
        """Whether another code came to rest on the same spot after this one was last seen."""
        covered = self.visible[code]
        return any(
            covered.mm and other.mm and other.t > covered.t and math.dist(covered.mm, other.mm) < OVERLAP_RADIUS_MM
            for other in self.visible.values()
        )

    def codes_in(self, mat: Mat, zone: str) -> tuple[str, ...]:
        """The visible codes in a zone, in the zone's order: left to right, or top to bottom."""
        axis = 0 if mat.zone(zone).order == "right" else 1
        here = [seen for seen in self.visible.values() if seen.zone == zone and seen.mm]
        return tuple(seen.thing for seen in sorted(here, key=lambda seen: seen.mm[axis] if seen.mm else 0.0))

    def zone_matches(self, zone: Zone, layout: Layout, kinds: Mapping[str, str]) -> bool:
        """Whether a zone visibly holds what the layout puts there, facing the right way; of a pile, its top card. False
        for a zone that should be empty."""
        here = [seen for seen in self.visible.values() if seen.zone == zone.name]
        expected, facing = layout.cards.get(zone.name, ()), layout.facing.get(zone.name)
        found = Counter(kinds.get(seen.thing, seen.thing) for seen in here)
        if not expected or (facing and not all(facing.matches(seen.angle) for seen in here)):
            return False
        if zone.order == "pile":
            return found[expected[0]] >= expected.count(expected[0])
        return found == Counter(expected)


def _without(by_code: Mapping[str, T], code: str) -> Mapping[str, T]:
    return {other: value for other, value in by_code.items() if other != code}


def _rotation(before: CardSeen, after: CardSeen) -> float:
    """The angle between two sightings, degrees, 0 to 180."""
    return abs((after.angle - before.angle + 180) % 360 - 180)
