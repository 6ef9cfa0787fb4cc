"""Traffic Congestion as its template draws it: made of the seat's view alone, for everything lies open in this game.

What may be done and why not is the game's own word: the position is made again from the view, and asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from companion.games.rules import Move, Seat
from companion.games.traffic_congestion.board import CAPACITY
from companion.games.traffic_congestion.labels import a_car, lane_called, lane_read, side_called, spot_called
from companion.games.traffic_congestion.legality import crossed, refusal
from companion.games.traffic_congestion.moves import Enter, Go, LaneId, Signal, Turn
from companion.games.traffic_congestion.rules import Cars, State
from companion.games.traffic_congestion.setup import roads
from companion.games.traffic_congestion.text import consequences
from companion.match import notation
from companion.match.view import View
from companion.text.refusals import IllegalMove
from companion.text.translation import _, later
from web.boards.traffic_cars import Car, cars, key
from web.boards.traffic_streets import LANE, THUMB, Arrow, Box, Line, Sign, Streets, Strip

OWN_BUTTONS = (Enter, Signal, Go)
"""Moves whose buttons are on the board's own sheets."""

TURNS: Mapping[str, str] = {
    "left": later("Left"),
    "straight on": later("Straight on"),
    "right": later("Right"),
    "back": later("Back"),
}
"""What a signal is called that is to be placed, by its direction."""

GO_AND_TURN: Mapping[str, str] = {
    "left": later("Go, then signal left"),
    "straight on": later("Go, then signal straight on"),
    "right": later("Go, then signal right"),
    "back": later("Go, then signal back"),
}
"""The same of one that is turned once the cars have gone."""


@dataclass(frozen=True)
class Deed:
    """Something that may be done: the move's line, or "" and why not."""

    line: str
    refusal: str


@dataclass(frozen=True)
class Way:
    """A lane to which a signal may be set, or may not."""

    to: str
    title: str
    arrow: Arrow
    homes: tuple[str, ...]
    """The colors that score there, if it is an exit."""
    deed: Deed
    crossed: Arrow | None
    """The path that is in the way."""


@dataclass(frozen=True)
class Ride:
    """What a Go would do."""

    to: str
    arrow: Arrow
    moving: Cars
    staying: Cars
    says: tuple[str, ...]
    keep: Deed
    remove: Deed


@dataclass(frozen=True)
class Lane:
    """A lane with a queue: an entrance or one between intersections."""

    id: str
    key: str
    words: str
    strip: Strip
    crop: Box
    cars: Cars
    to: str
    enter: Deed | None
    ride: Ride | None
    ways: tuple[Way, ...]
    stop: Line
    thumb: str
    """The style of the button over the drawing."""

    @property
    def free(self) -> range:
        """The places where no car stands, counted from the head."""
        return range(len(self.cars), CAPACITY)

    @property
    def ready(self) -> bool:
        """Whether its cars may move on now."""
        return self.ride is not None and bool(self.ride.keep.line)


@dataclass(frozen=True)
class Exit:
    """A lane that leaves the board, and the players' colors that score there."""

    id: str
    strip: Strip
    homes: tuple[str, ...]
    idle: tuple[str, ...]
    """Colors of its side that nobody plays."""
    spot: str


@dataclass(frozen=True)
class Score:
    """How many of a player's cars are home."""

    name: str
    color: str
    side: str
    cars: int
    goal: int
    own: bool
    acting: bool


@dataclass(frozen=True)
class Board:
    """The whole table."""

    box: Box
    streets: Streets
    asphalt: tuple[Line, ...]
    middles: tuple[Line, ...]
    signs: tuple[Sign, ...]
    lanes: tuple[Lane, ...]
    exits: tuple[Exit, ...]
    cars: tuple[Car, ...]
    signals: tuple[tuple[str, Arrow], ...]
    scores: tuple[Score, ...]
    color: str
    """That of the viewer, or of whose turn it is."""
    car: str
    """What a car of it is called."""
    capacity: int
    acting: bool
    why: str
    """Why nothing can be done now, whatever one taps; "" on the viewer's turn."""

    def called(self, lane: str) -> str:
        """A lane's name on the page."""
        return lane_called(lane)

    def read(self, lane: str) -> str:
        """A lane's name to be read aloud."""
        return lane_read(lane)


def board(view: View) -> Board:
    """The table as this viewer may see it."""
    streets = _streets(notation.dumps(dict(view.options)))
    state = State.restored(streets.roads, view.state)
    if isinstance(view.viewer, int):
        state = replace(state, player=Seat(view.viewer))
    return Board(
        box=streets.box,
        streets=streets,
        asphalt=tuple((streets.at(one), streets.at(other)) for one, other in streets.roads.board.streets),
        middles=tuple(streets.middle(*ends) for ends in streets.roads.board.streets),
        signs=tuple(replace(sign, name=spot_called(sign.name)) for sign in streets.signs),
        lanes=tuple(_lane(view, state, streets, name) for name in state.roads.turns),
        exits=tuple(_exit(state, streets, name) for name in state.roads.goals),
        cars=tuple(cars(view, streets)),
        signals=tuple((lane, streets.arrow((lane, to))) for lane, to in state.signals.items()),
        scores=tuple(_scores(view, state)),
        color=state.color,
        car=a_car(state.color),
        capacity=CAPACITY,
        acting=view.turn == view.viewer,
        why=_why(view),
    )


@lru_cache(maxsize=4)
def _streets(options: str) -> Streets:
    """The streets of a game's options, as JSON: the same from its first page to its last."""
    return Streets(roads(json.loads(options)))


def _why(view: View) -> str:
    if view.turn is None:
        return _("The game is over.")
    if view.turn == view.viewer:
        return ""
    return _(
        "It is {name}’s turn. This is what you could do here as the streets are now.", name=view.names[int(view.turn)]
    )


def _scores(view: View, state: State) -> Iterator[Score]:
    for seat, (color, meter) in enumerate(zip(state.colors, view.meters, strict=True)):
        side = side_called(state.roads.board.sides[color])
        yield Score(view.names[seat], color, side, meter.value, meter.highest, seat == view.viewer, seat == view.turn)


# Lanes ------------------------------------------------------------------------------------------------


def _lane(view: View, state: State, streets: Streets, name: str) -> Lane:
    lane, strip = state.roads.lanes[name], streets.strips[name]
    enter = Enter(seat=state.player, lane=LaneId(name))
    return Lane(
        id=name,
        key=key(name),
        words=_plain(lane.side),
        strip=strip,
        crop=streets.crop(lane.end),
        cars=state.waiting(name),
        to=state.signals.get(name, ""),
        enter=_deed(view, state, enter) if lane.kind == "entrance" else None,
        ride=_ride(view, state, streets, name) if name in state.signals else None,
        ways=tuple(sorted(_ways(view, state, streets, name), key=lambda way: bool(way.deed.refusal))),
        stop=strip.stop,
        thumb=_thumb(streets, strip),
    )


def _plain(side: str | None) -> str:
    """What kind of lane it is; a lane between intersections is on no side."""
    return _("Entrance from the {side}", side=side_called(side)) if side else _("Lane between intersections")


def _deed(view: View, state: State, move: Move) -> Deed:
    return Deed(notation.write(move) if move in view.labels else "", refusal(state, move) or "")


def _ways(view: View, state: State, streets: Streets, name: str) -> Iterator[Way]:
    """Where a signal may be set, or turned once cars have moved through it."""
    seat, lane, now = state.player, LaneId(name), state.signals.get(name)
    for to in state.roads.turns[name]:
        there = LaneId(to)
        move = Go(seat=seat, lane=lane, then=Turn(there)) if now else Signal(seat=seat, lane=lane, to=there)
        other = crossed(state, (name, to))
        if to != now:
            yield Way(
                to,
                _((GO_AND_TURN if now else TURNS)[streets.turn((name, to))]),
                streets.arrow((name, to)),
                _homes(state, to),
                _deed(view, state, move),
                streets.arrow(other) if other else None,
            )


def _ride(view: View, state: State, streets: Streets, name: str) -> Ride:
    to, queue = state.signals[name], state.waiting(name)
    keep, remove = (Go(seat=state.player, lane=LaneId(name), then=then) for then in ("keep", "remove"))
    moving = state.moving(name, to)
    return Ride(
        to,
        streets.arrow((name, to)),
        moving,
        queue[len(moving) :],
        _says(view, state, keep),
        _deed(view, state, keep),
        _deed(view, state, remove),
    )


def _says(view: View, state: State, go: Go) -> tuple[str, ...]:
    """What would come of it, in the game's words."""
    try:
        return tuple(consequences(state, go, state.play(go), view.names))
    except IllegalMove:
        return ()


def _homes(state: State, lane: str) -> tuple[str, ...]:
    """The players' colors that score in a lane."""
    goals = state.roads.goals.get(lane, frozenset())
    return tuple(color for color in state.colors if color in goals)


def _exit(state: State, streets: Streets, name: str) -> Exit:
    strip, homes = streets.strips[name], _homes(state, name)
    idle = sorted(state.roads.goals[name] - set(homes))
    return Exit(name, strip, homes, tuple(idle), streets.box.place(strip.head - strip.along * LANE * 0.5))


# On the page ------------------------------------------------------------------------------------------


def _thumb(streets: Streets, strip: Strip) -> str:
    """A box from the middle of the street outward, along the lane; the style sheet cuts its far corners off."""
    outward = strip.along * 1j * (1 if streets.roads.driving == "right" else -1)
    middle = (strip.tail + strip.head) / 2 + outward * (THUMB - LANE) / 2
    box = streets.box
    turned = f"rotate({strip.angle:.0f}deg)" + ("" if streets.roads.driving == "right" else " scaleY(-1)")
    return (
        f"{box.place(middle)};width:{strip.length / box.width:.2%};height:{THUMB / box.height:.2%};"
        f"transform:translate(-50%,-50%) {turned}"
    )
