"""The content of Traffic Congestion's page: everything that its template draws, made from the viewer's position."""

from __future__ import annotations

from cmath import rect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import radians

from companion.games.rules import Seat
from companion.games.traffic_congestion.board import CAPACITY
from companion.games.traffic_congestion.display_names import car_label, lane_label, side_label, spoken_lane_label
from companion.games.traffic_congestion.moves import Enter, Go, Signal
from companion.games.traffic_congestion.page.car_animation import Car, cars
from companion.games.traffic_congestion.page.lane_controls import LaneState, LaneView, lane_view
from companion.games.traffic_congestion.page.page_street_geometry import Arrow, Streets
from companion.games.traffic_congestion.page.static_board_drawing import BoardDrawing, Exit, drawing_of
from companion.games.traffic_congestion.position import Position
from companion.games.view import View
from companion.text.messages import Text, TextLike, _

OWN_BUTTONS = (Enter, Signal, Go)
"""The moves whose buttons are on this page's own sheets."""


@dataclass(frozen=True)
class PlayerScore:
    """A player's score: the number of cars that are home. `own`: whether it is the viewer's score. `acting`: whether it
    is the player's turn."""

    name: str
    color: str
    side: TextLike
    cars: int
    goal: int
    own: bool
    acting: bool


POINTER = 44.0
"""The length of the pointer that shows how to turn a signal, in units of the drawing."""


@dataclass(frozen=True)
class StreetFix:
    """The fix for a signal whose place or direction on the table is wrong. `start` is the end of the lane where the
    signal lies, or a point beside a lane; None if the signal is not on the mat. `end` is the end of the lane where the
    signal belongs; None if it belongs on no lane, or if it is on the right lane and need not be turned. `tip` is the
    point to which the signal must point; None if its direction is not prescribed."""

    start: complex | None
    end: complex | None
    tip: complex | None


@dataclass(frozen=True)
class TrafficContent:
    """Everything that the page's template draws."""

    drawing: BoardDrawing
    lanes: tuple[LaneView, ...]
    cars: tuple[Car, ...]
    signals: tuple[tuple[str, Arrow], ...]
    scores: tuple[PlayerScore, ...]
    color: str
    """The viewer's color. For spectators, the active player's color."""
    car: Text
    """The name of a car of this color."""
    capacity: int
    acting: bool
    """Whether it is the viewer's turn."""
    fixes: tuple[StreetFix, ...]
    """The fixes for signals whose place or direction on the table is wrong."""
    waiting_reason: TextLike
    """The reason why the viewer can't act now. "" if it is the viewer's turn."""

    @property
    def exits(self) -> tuple[Exit, ...]:
        return self.drawing.exits

    @cached_property
    def lane_states(self) -> tuple[LaneState, ...]:
        """The states of all lanes."""
        return tuple([lane.state for lane in self.lanes])

    @property
    def entrances(self) -> list[LaneState]:
        """The states of the entrances."""
        return [lane for lane in self.lane_states if lane.place.is_entrance]

    @property
    def inner_lanes(self) -> list[LaneState]:
        """The states of the lanes between intersections."""
        return [lane for lane in self.lane_states if not lane.place.is_entrance]

    def lane_name(self, lane: str) -> TextLike:
        """The name of a lane on the page, such as "north1>A"."""
        return lane_label(lane)

    def spoken_lane_name(self, lane: str) -> Text:
        """The name of a lane for screen readers, such as "north1 to A"."""
        return spoken_lane_label(lane)


def content(view: View) -> TrafficContent:
    """The content of the page for a viewer. It shows players what they could do if it were their turn."""
    position = view.position
    assert isinstance(position, Position)
    drawing = drawing_of(position.network, position.colors)
    streets = drawing.streets
    if isinstance(view.viewer, int):
        position = position.replace(active_player=Seat(view.viewer))
    return TrafficContent(
        drawing=drawing,
        lanes=tuple(lane_view(view, position, streets, place) for place in drawing.lanes.values()),
        cars=cars(view, streets),
        signals=tuple((lane, streets.arrows[lane, to]) for lane, to in position.signals.items()),
        scores=tuple(_scores(view, position)),
        color=position.active_color,
        car=car_label(position.active_color),
        capacity=CAPACITY,
        acting=view.turn == view.viewer,
        fixes=tuple(_fixes(view, streets)),
        waiting_reason=_waiting_reason(view),
    )


def _fixes(view: View, streets: Streets) -> Iterator[StreetFix]:
    """Yields a fix for each signal whose place or direction on the table is wrong. Signals that neither lie on or
    beside a lane nor belong on one are left out."""
    heads = {lane: (strip.head.real, strip.head.imag) for lane, strip in streets.strips.items()}
    mat = view.game.physical.components.mat
    for each in view.tabletop.discrepancies:
        start, end = (
            streets.strips[lane].head if lane in streets.strips else None for lane in (each.zone, each.fix.place)
        )
        if each.beside and each.at and mat:
            start = streets.box.nearest(complex(*mat.drawn_at(each.at, heads)))
        tip = None
        if end is not None and each.fix.degrees is not None:
            tip = end + rect(POINTER, radians(each.fix.degrees - 90))
        if start is not None or end is not None:
            yield StreetFix(start, end if end != start or tip is not None else None, tip)


def _waiting_reason(view: View) -> TextLike:
    if view.turn is None:
        return _("The game is over.")
    if view.turn == view.viewer:
        return ""
    return _("It’s not your turn. As things stand, this is what you could do here.")


def _scores(view: View, position: Position) -> Iterator[PlayerScore]:
    for seat, (color, meter) in enumerate(zip(position.colors, view.meters, strict=True)):
        side = side_label(position.network.board.sides[color])
        yield PlayerScore(
            view.names[seat], color, side, meter.value, meter.highest, seat == view.viewer, seat == view.turn
        )
