"""The parts of the drawing on Traffic Congestion's page that never change during a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from companion.games.traffic_congestion.board import RoadNetwork
from companion.games.traffic_congestion.display_names import side_label
from companion.games.traffic_congestion.page.car_animation import key
from companion.games.traffic_congestion.page.page_street_geometry import (
    LANE,
    TAP_WIDTH,
    LineSegment,
    Rect,
    Sign,
    Streets,
    Strip,
)
from companion.text.messages import Text, _


@dataclass(frozen=True, eq=False)
class LanePlace:
    """The parts of a lane's drawing that stay the same during a game. The lane is an entrance or an inner lane; the
    class for exits is `Exit`."""

    id: str
    key: str
    description: Text
    strip: Strip
    stop: LineSegment
    crop: Rect
    tap_style: str
    """The CSS of the invisible button over the lane in the drawing."""
    is_entrance: bool
    near: tuple[str, ...]
    """The lanes that begin or end at the intersection where this lane ends, including this lane."""


@dataclass(frozen=True)
class Exit:
    """An exit, as the page draws it."""

    id: str
    strip: Strip
    player_colors: tuple[str, ...]
    """The players' colors that score in this exit."""
    other_colors: tuple[str, ...]
    """The colors that would score in this exit but do not belong to any player."""
    position_css: str
    """The CSS that positions the badge with the scoring colors."""


@dataclass(frozen=True, eq=False)
class BoardDrawing:
    """The parts of the whole drawing that never change during a game."""

    streets: Streets
    asphalt: tuple[LineSegment, ...]
    middles: tuple[LineSegment, ...]
    lanes: Mapping[str, LanePlace]
    exits: tuple[Exit, ...]

    @property
    def box(self) -> Rect:
        return self.streets.box

    @property
    def signs(self) -> tuple[Sign, ...]:
        return self.streets.signs


@lru_cache(maxsize=4)
def drawing_of(network: RoadNetwork, colors: tuple[str, ...]) -> BoardDrawing:
    """The parts of the whole drawing that never change during a game. The result is cached."""
    streets = Streets(network)
    return BoardDrawing(
        streets=streets,
        asphalt=tuple((streets.at(one), streets.at(other)) for one, other in network.board.streets),
        middles=tuple(streets.middle(*ends) for ends in network.board.streets),
        lanes={name: _lane_place(streets, name) for name in network.signal_targets},
        exits=tuple(_exit_view(streets, colors, name) for name in network.scoring_colors),
    )


def _lane_place(streets: Streets, name: str) -> LanePlace:
    lane, strip = streets.network.lanes[name], streets.strips[name]
    return LanePlace(
        id=name,
        key=key(name),
        description=_description(lane.side),
        strip=strip,
        stop=strip.stop,
        crop=streets.crop(lane.end),
        tap_style=_tap_style(streets, strip),
        is_entrance=lane.kind == "entrance",
        near=tuple(streets.network.lane_ends[lane.end]),
    )


def _description(side: str | None) -> Text:
    """The description of a kind of lane. `side` is the side of the lane's gate; None for a lane between
    intersections."""
    return _("Entrance from the {side}", side=side_label(side)) if side else _("Lane between intersections")


def _exit_view(streets: Streets, colors: tuple[str, ...], name: str) -> Exit:
    strip, scoring = streets.strips[name], streets.network.scoring_colors[name]
    player_colors = tuple(color for color in colors if color in scoring)
    other_colors = sorted(scoring - set(player_colors))
    badge = streets.box.place(strip.head - strip.along * LANE * 0.5)
    return Exit(name, strip, player_colors, tuple(other_colors), badge)


def _tap_style(streets: Streets, strip: Strip) -> str:
    """The CSS of the button over a lane. The button is a box from the middle of the street to beyond the curb, whose
    outer corners are cut off by the style sheet."""
    outward = strip.along * 1j * (1 if streets.network.driving_side == "right" else -1)
    middle = (strip.tail + strip.head) / 2 + outward * (TAP_WIDTH - LANE) / 2
    box = streets.box
    turned = f"rotate({strip.angle:.0f}deg)" + ("" if streets.network.driving_side == "right" else " scaleY(-1)")
    return (
        f"{box.place(middle)};width:{strip.length / box.width:.2%};height:{TAP_WIDTH / box.height:.2%};"
        f"transform:translate(-50%,-50%) {turned}"
    )
