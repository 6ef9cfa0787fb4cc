"""Traffic Congestion reads the table: what a sighting means, and what the table should look like.

Law: pure. The camera sees signals: the place of a tile's code tells the lane, its turn where it points. Where both
texts are silent: a tile laid at a lane without a signal places one for whoever is in turn, if it clearly points into
one street. A lane's signal is changed by a Go alone, so a tile that is turned where it lies means that its cars have
gone; where they may not, the tile is to be put right, and so is one that was taken up: of a Go that keeps or removes
the signal the phone must be told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from companion.games.rules import Move, Viewer
from companion.games.traffic_congestion.board import CAPACITY, COLORS, Roads
from companion.games.traffic_congestion.labels import TOKENS, lane_words
from companion.games.traffic_congestion.mat import mat, step
from companion.games.traffic_congestion.moves import Go, LaneId, Signal, Turn
from companion.games.traffic_congestion.rules import GOAL, Cars, State
from companion.games.traffic_congestion.street_plan import CAR, Plan, Stretch, plan
from companion.tabletop.components import Art, Component, ComponentSet
from companion.tabletop.layout import Facing, Layout, TokenPlacement
from companion.tabletop.observations import CardSeen, Observation

PREFIX: Final = "TC-"
SIGNAL: Final = f"{PREFIX}SIG"
"""The kind of all signals."""
SIGNALS: Final = 36
"""One for every lane that may have one, on the largest board that comes with the game."""
SUPPLY: Final = "supply"
ADVICE: Final = (
    "Cubes for cars, if the camera is to count them",
    f"Up to 24 wooden cubes of {CAR:.0f} mm in each colour that is played. The paper cars of these sheets do as well, "
    "but the camera can't count them: then it reads the signals, and the book alone knows the cars.",
)


@dataclass(frozen=True)
class BoardArt:
    """Draws a board's mat and its signals; equal for equal boards, which a function would not be."""

    roads: Roads

    def __call__(self) -> Art:
        from companion.games.traffic_congestion.art import TrafficArt

        return TrafficArt(plan(self.roads))


def equipment(roads: Roads) -> ComponentSet:
    """What lies on the table on this board. All boards share the signals."""
    lanes = {lane: lane_words(roads, lane) for lane in roads.lanes}
    scores = {score(color): f"the score of {color}" for color in COLORS}
    return ComponentSet(
        prefix=PREFIX,
        things=things(),
        mat=mat(plan(roads)),
        places={**lanes, **scores, SUPPLY: "the supply"},
        tokens=TOKENS,
        art=BoardArt(roads),
        advice=ADVICE,
    )


def things() -> tuple[Component, ...]:
    """Everything that is printed with a code."""
    ids = (f"{SIGNAL}{number:02}" for number in range(1, SIGNALS + 1))
    return tuple(Component(id, "a signal", "Signal", "to the supply", kind=SIGNAL) for id in ids)


def score(color: str) -> str:
    """The track that shows a color's score."""
    return f"score-{color}"


def meaning_of(state: State, observation: Observation) -> Move | None:
    """The move that an observation makes in this position, or None."""
    match observation:
        case CardSeen(thing=thing, zone=str() as lane) if thing.startswith(SIGNAL) and state.turn is not None:
            return _laid_or_turned(state, observation, lane)
    return None


def _laid_or_turned(state: State, seen: CardSeen, lane: str) -> Move | None:
    """What it means that a tile lies so at the end of a lane."""
    now, to = state.signals.get(lane), _pointed_at(state, lane, seen.angle)
    if to is None or to == now:
        return None
    if now is None:
        return Signal(seat=state.player, lane=LaneId(lane), to=LaneId(to))
    alone = not any(zone == lane for thing, zone in seen.lying.items() if thing != seen.thing)
    if alone and seen.change in ("turned", "moved"):
        return Go(seat=state.player, lane=LaneId(lane), then=Turn(LaneId(to)))
    return None


def _pointed_at(state: State, lane: str, angle: float) -> str | None:
    """The lane to which a tile at the end of another points, if that is clear."""
    laid = plan(state.roads)
    meant = [to for to in state.roads.turns.get(lane, ()) if facing(laid, to).matches(angle)]
    return meant[0] if len(meant) == 1 else None


def facing(plan: Plan, to: str) -> Facing:
    """How a signal lies that points to a lane."""
    lane = plan.roads.lanes[to]
    return Facing(plan.bearing(lane.start, lane.end), to)


def layout(state: State, viewer: Viewer) -> Layout:
    """Where each signal, car and marker belongs in this position; nothing of it is hidden from anyone."""
    laid = plan(state.roads)
    return Layout(
        cards=dict.fromkeys(state.signals, (SIGNAL,)),
        tokens=_cars(state),
        markers={score(color): points for color, points in zip(state.colors, state.scores, strict=True)},
        facing={lane: facing(laid, to) for lane, to in state.signals.items()},
    )


def standing(state: State) -> tuple[TokenPlacement, ...]:
    """Where each car and each score's marker stands."""
    stretches = plan(state.roads).stretches
    cars = [stand for lane, cars in state.queues.items() for stand in _queue(stretches[lane], cars)]
    scores = zip(state.colors, state.scores, strict=True)
    return (*cars, *(TokenPlacement(color, *step(color, points, GOAL)) for color, points in scores))


def _queue(stretch: Stretch, cars: Cars) -> Iterator[TokenPlacement]:
    for color, place in zip(cars, stretch.queue, strict=False):
        yield TokenPlacement(color, *stretch.at(*place), stretch.degrees)


def _cars(state: State) -> Mapping[str, Mapping[str, int]]:
    """The cars in each lane; the supply has as many of a color as the lanes could hold."""
    lanes = {lane: dict(Counter(cars)) for lane, cars in state.queues.items()}
    out = Counter(car for cars in state.queues.values() for car in cars)
    most = CAPACITY * len(state.roads.turns)
    return {**lanes, SUPPLY: {color: most - out[color] for color in state.colors}}
