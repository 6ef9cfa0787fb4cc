"""Makes the content of the page of Traffic Congestion, which its template draws, from the viewer's position.

The game's own rules say which moves are legal and why others are not.
"""

from __future__ import annotations

from cmath import rect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import radians
from typing import NamedTuple

from companion.games import notation
from companion.games.rules import Move, Seat
from companion.games.traffic_congestion.board import CAPACITY, RoadNetwork, SignalPath
from companion.games.traffic_congestion.effects import apply_move
from companion.games.traffic_congestion.legality import refusal
from companion.games.traffic_congestion.log_lines import consequences
from companion.games.traffic_congestion.moves import Enter, Go, LaneId, Redirect, Signal
from companion.games.traffic_congestion.names import car_label, lane_label, side_label, spoken_lane_label
from companion.games.traffic_congestion.page.car_animation import Car, cars, key
from companion.games.traffic_congestion.page.streets import LANE, TAP_WIDTH, Arrow, Line, Rect, Sign, Streets, Strip
from companion.games.traffic_congestion.position import Position, Queue
from companion.games.traffic_congestion.turn_order import advance
from companion.games.view import View
from companion.text.messages import Text, TextLike, _

OWN_BUTTONS = (Enter, Signal, Go)
"""The moves whose buttons are on this page's own sheets."""

SIGNAL_TITLES: Mapping[str, Text] = {
    "left": _("Left"),
    "straight on": _("Straight on"),
    "right": _("Right"),
    "back": _("Back"),
}
"""The titles of buttons that place a signal, by the turn that the signal makes."""

GO_AND_SIGNAL_TITLES: Mapping[str, Text] = {
    "left": _("Go, then signal left"),
    "straight on": _("Go, then signal straight on"),
    "right": _("Go, then signal right"),
    "back": _("Go, then signal back"),
}
"""The titles of buttons that make a Go and redirect its signal, by the turn that the signal then makes."""


class MoveButton(NamedTuple):
    """A button that makes a move."""

    line: str
    """The move as a line of JSON; "" if the viewer can't make it now."""
    refusal: TextLike
    """The reason why the rules don't allow the move; "" if they do."""


@dataclass(frozen=True, eq=False)
class SignalChoice:
    """A lane to which a new or redirected signal could point. Choices are compared by identity, which is fast, since
    `_signal_choice` returns the same object for equal choices."""

    to: str
    title: Text
    arrow: Arrow
    player_colors: tuple[str, ...]
    """The players' colors that score in that lane, if it is an exit."""
    button: MoveButton
    crossed_path: Arrow | None
    """The existing path that the signal would cross; None if it would cross none."""


class GoPreview(NamedTuple):
    """A preview of a Go from a lane: which cars would move, which would stay, and who would score or win."""

    to: str
    arrow: Arrow
    moving: Queue
    staying: Queue
    consequence_texts: tuple[TextLike, ...]
    """Sentences about who would score or win, and which cars would leave without scoring."""
    keep: MoveButton
    remove: MoveButton


@dataclass(frozen=True, eq=False)
class LanePlace:
    """The parts of a lane's drawing that never change during a game. The lane is an entrance or an inner lane; for
    exits there is `Exit`."""

    id: str
    key: str
    description: Text
    strip: Strip
    stop: Line
    crop: Rect
    tap_style: str
    """The CSS of the invisible button over the lane in the drawing."""


class LaneView(NamedTuple):
    """The view of a lane, with what can be done there."""

    place: LanePlace
    cars: Queue
    to: str
    """The lane to which the signal of this lane points; "" if this lane has no signal."""
    enter: MoveButton | None
    go: GoPreview | None
    signal_choices: tuple[SignalChoice, ...]
    """The lanes to which the signal of this lane could point; empty if the signal can't change now, because no car can
    go."""

    @property
    def id(self) -> str:
        return self.place.id

    @property
    def key(self) -> str:
        return self.place.key

    @property
    def free(self) -> range:
        """The indexes in the queue at which there is no car. Index 0 is the head of the queue."""
        return range(len(self.cars), CAPACITY)


@dataclass(frozen=True)
class Exit:
    """The view of a lane that leaves the board."""

    id: str
    strip: Strip
    player_colors: tuple[str, ...]
    """The players' colors that score in this exit."""
    other_colors: tuple[str, ...]
    """The colors that would score in this exit but belong to no player."""
    position_css: str
    """The CSS that positions the badge with these colors."""


@dataclass(frozen=True, eq=False)
class Ground:
    """The parts of the whole drawing that never change during a game."""

    streets: Streets
    asphalt: tuple[Line, ...]
    middles: tuple[Line, ...]
    lanes: Mapping[str, LanePlace]
    exits: tuple[Exit, ...]

    @property
    def box(self) -> Rect:
        return self.streets.box

    @property
    def signs(self) -> tuple[Sign, ...]:
        return self.streets.signs


@dataclass(frozen=True)
class Score:
    """The score of a player: the number of cars that are home. `own`: whether it is the viewer's score. `acting`:
    whether it is the player's turn."""

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
    """A signal to fix on the table. `start` is the end of the lane where the signal lies; None if it does not lie on a
    lane. `end` is the end of the lane where the signal belongs; None if it belongs on no lane, or lies on the right
    lane and need not be turned. `tip` is the point to which the signal must point; None if its direction is not
    prescribed."""

    start: complex | None
    end: complex | None
    tip: complex | None


@dataclass(frozen=True)
class TrafficContent:
    """Everything that the template draws on the page."""

    ground: Ground
    lanes: tuple[LaneView, ...]
    cars: tuple[Car, ...]
    signals: tuple[tuple[str, Arrow], ...]
    scores: tuple[Score, ...]
    color: str
    """The viewer's color; for spectators, the active player's color."""
    car: Text
    """The name of a car of that color."""
    capacity: int
    acting: bool
    """Whether it is the viewer's turn."""
    fixes: tuple[StreetFix, ...]
    """What to fix on the table."""
    waiting_reason: TextLike
    """The reason why the viewer can't act now; "" on the viewer's turn."""

    @property
    def exits(self) -> tuple[Exit, ...]:
        return self.ground.exits

    @cached_property
    def lane_states(self) -> tuple[tuple[object, ...], ...]:
        """For each lane: everything on which its drawing and its entry in the list of lanes depend. While these values
        stay the same, the HTML for the lanes is not rendered again."""
        return tuple((lane.place, lane.cars, lane.to, self.enters(lane), self.is_ready(lane)) for lane in self.lanes)

    def enters(self, lane: LaneView) -> bool:
        """Whether the viewer can enter a car into a lane now."""
        return self.acting and lane.enter is not None and bool(lane.enter.line)

    def is_ready(self, lane: LaneView) -> bool:
        """Whether the viewer can move the cars of a lane now."""
        return self.acting and lane.go is not None and bool(lane.go.keep.line)

    def lane_name(self, lane: str) -> TextLike:
        """The name of a lane on the page, such as "north1>A"."""
        return lane_label(lane)

    def spoken_lane_name(self, lane: str) -> Text:
        """The name of a lane for screen readers, such as "north1 to A"."""
        return spoken_lane_label(lane)


def content(view: View) -> TrafficContent:
    """The content of the page for a viewer. It shows players what they could do if it were their turn."""
    position: Position = view.position
    ground = _ground(position.network, position.colors)
    streets = ground.streets
    if isinstance(view.viewer, int):
        position = replace(position, active_player=Seat(view.viewer))
    return TrafficContent(
        ground=ground,
        lanes=tuple(_lane_view(view, position, streets, place) for place in ground.lanes.values()),
        cars=tuple(cars(view, streets)),
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
    """Yields the signals to fix on the table that lie on a lane or belong on one."""
    for each in view.tabletop.discrepancies:
        start, end = (
            streets.strips[lane].head if lane in streets.strips else None for lane in (each.zone, each.fix.place)
        )
        tip = None
        if end is not None and each.fix.degrees is not None:
            tip = end + rect(POINTER, radians(each.fix.degrees - 90))
        if start is not None or end is not None:
            yield StreetFix(start, end if end != start or tip is not None else None, tip)


@lru_cache(maxsize=4)
def _ground(network: RoadNetwork, colors: tuple[str, ...]) -> Ground:
    """The parts of the whole drawing that never change during a game; cached."""
    streets = Streets(network)
    return Ground(
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
    )


def _waiting_reason(view: View) -> TextLike:
    if view.turn is None:
        return _("The game is over.")
    if view.turn == view.viewer:
        return ""
    return _("It is not your turn. This is what you could do here as the streets are now.")


def _scores(view: View, position: Position) -> Iterator[Score]:
    for seat, (color, meter) in enumerate(zip(position.colors, view.meters, strict=True)):
        side = side_label(position.network.board.sides[color])
        yield Score(view.names[seat], color, side, meter.value, meter.highest, seat == view.viewer, seat == view.turn)


# Lanes ------------------------------------------------------------------------------------------------


def _lane_view(view: View, position: Position, streets: Streets, place: LanePlace) -> LaneView:
    name, is_entrance = place.id, place.strip.lane.kind == "entrance"
    enter = Enter(seat=position.active_player, lane=LaneId(name)) if is_entrance else None
    go = _go_preview(view, position, streets, name) if name in position.signals else None
    choices = () if go and go.keep.refusal else _signal_choices(view, position, streets, name)
    return LaneView(
        place=place,
        cars=position.queue(name),
        to=position.signals.get(name, ""),
        enter=_move_button(view, position, enter) if enter else None,
        go=go,
        signal_choices=tuple(sorted(choices, key=lambda choice: bool(choice.button.refusal))),
    )


def _description(side: str | None) -> Text:
    """The description of a kind of lane. `side` is the side of its gate; None for a lane between intersections."""
    return _("Entrance from the {side}", side=side_label(side)) if side else _("Lane between intersections")


def _move_button(view: View, position: Position, move: Move) -> MoveButton:
    is_legal = view.choices.labels and move in view.choices.labels
    return MoveButton(notation.write(move) if is_legal else "", refusal(position, move) or "")


def _signal_choices(view: View, position: Position, streets: Streets, name: str) -> Iterator[SignalChoice]:
    """Yields the lanes to which a new signal at the end of a lane could point, or its existing signal after a Go."""
    seat, lane, current = position.active_player, LaneId(name), position.signals.get(name)
    for to in position.network.signal_targets[name]:
        there = LaneId(to)
        move = Go(seat=seat, lane=lane, then=Redirect(there)) if current else Signal(seat=seat, lane=lane, to=there)
        if to != current:
            yield _signal_choice(
                streets,
                (name, to),
                current is not None,
                _player_colors(position, to),
                _move_button(view, position, move),
                position.crossing_path((name, to)),
            )


@lru_cache(maxsize=4096)
def _signal_choice(
    streets: Streets,
    path: SignalPath,
    is_go: bool,
    player_colors: tuple[str, ...],
    button: MoveButton,
    crossed_path: SignalPath | None,
) -> SignalChoice:
    """Makes a signal choice. Choices are cached, because many of them stay the same from move to move."""
    return SignalChoice(
        path[1],
        (GO_AND_SIGNAL_TITLES if is_go else SIGNAL_TITLES)[streets.turn(path)],
        streets.arrows[path],
        player_colors,
        button,
        streets.arrows[crossed_path] if crossed_path else None,
    )


def _go_preview(view: View, position: Position, streets: Streets, name: str) -> GoPreview:
    to, queue = position.signals[name], position.queue(name)
    keep, remove = (Go(seat=position.active_player, lane=LaneId(name), then=then) for then in ("keep", "remove"))
    moving = position.movable_cars(name, to)
    return GoPreview(
        to,
        streets.arrows[name, to],
        moving,
        queue[len(moving) :],
        _consequences(view, position, keep),
        _move_button(view, position, keep),
        _move_button(view, position, remove),
    )


def _consequences(view: View, position: Position, go: Go) -> tuple[TextLike, ...]:
    if refusal(position, go):
        return ()
    return tuple(consequences(position, go, advance(apply_move(position, go)), view.names))


def _player_colors(position: Position, lane: str) -> tuple[str, ...]:
    """The players' colors that score in a lane; none unless it is an exit."""
    scoring = position.network.scoring_colors.get(lane)
    return tuple([color for color in position.colors if color in scoring]) if scoring else ()


def _exit_view(streets: Streets, colors: tuple[str, ...], name: str) -> Exit:
    strip, scoring = streets.strips[name], streets.network.scoring_colors[name]
    player_colors = tuple(color for color in colors if color in scoring)
    other_colors = sorted(scoring - set(player_colors))
    badge = streets.box.place(strip.head - strip.along * LANE * 0.5)
    return Exit(name, strip, player_colors, tuple(other_colors), badge)


# On the page ------------------------------------------------------------------------------------------


def _tap_style(streets: Streets, strip: Strip) -> str:
    """The CSS of the button over a lane: a box from the middle of the street to beyond the curb. The style sheet cuts
    off its outer corners."""
    outward = strip.along * 1j * (1 if streets.network.driving_side == "right" else -1)
    middle = (strip.tail + strip.head) / 2 + outward * (TAP_WIDTH - LANE) / 2
    box = streets.box
    turned = f"rotate({strip.angle:.0f}deg)" + ("" if streets.network.driving_side == "right" else " scaleY(-1)")
    return (
        f"{box.place(middle)};width:{strip.length / box.width:.2%};height:{TAP_WIDTH / box.height:.2%};"
        f"transform:translate(-50%,-50%) {turned}"
    )
