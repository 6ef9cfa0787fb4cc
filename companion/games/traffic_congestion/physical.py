"""Traffic Congestion on a real table: what sightings mean, and what the table should look like.

Law: pure.

The camera sees signals. The place of a signal shows its lane, and its angle shows where it points.

Interpretations where the rule text is silent:

- If a signal appears at a lane that had none and clearly points into one street, the active player has placed it.
- Only a Go changes a signal. So if a signal is turned in its place, the cars in its lane have moved. If they may not
  move, the signal must be turned back. Within seconds of the move that placed or turned it, though, it is only adjusted
  (see `SightingInterpreter.belongs_to_earlier_move`).
- A new signal comes from the supply. One that is moved out of a lane where it belongs, straight into another lane, must
  be put back.
- A signal that has been taken away must be put back. Players use a phone for a Go that keeps or removes its signal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from companion.games.game import PhysicalGame
from companion.games.rules import Move, Viewer
from companion.games.traffic_congestion.board import CAPACITY, RoadNetwork
from companion.games.traffic_congestion.board_reader import DEFAULT_BOARD, boards
from companion.games.traffic_congestion.component_set import (
    BACK_SUFFIX,
    SIGNAL_KIND,
    SUPPLY,
    component_set,
    score_track,
)
from companion.games.traffic_congestion.display_names import lane_label
from companion.games.traffic_congestion.effects import apply_move
from companion.games.traffic_congestion.legality import legal_moves
from companion.games.traffic_congestion.mat import score_cell
from companion.games.traffic_congestion.mat_street_geometry import LaneGeometry, StreetPlan, street_plan
from companion.games.traffic_congestion.moves import Enter, Go, LaneId, Redirect, Signal
from companion.games.traffic_congestion.position import CARS_TO_WIN, Position, Queue
from companion.games.traffic_congestion.text import meters
from companion.tabletop.begun_move import BegunMove
from companion.tabletop.expected_layout import Layout, Orientation, TokenPlacement
from companion.tabletop.observations import CardSeen, Observation
from companion.tabletop.sighting_context import SightingContext
from companion.tabletop.tracked_table import TrackedTable
from companion.text.messages import PlayerName, Text, _


def _is_signal(code: str) -> bool:
    """Whether a code is on the front of a signal. The camera sees this code if the signal lies face up."""
    return code.startswith(SIGNAL_KIND) and not code.endswith(BACK_SUFFIX)


def meaning_of(position: Position, observation: Observation, context: SightingContext) -> Move | None:
    """The move that an observation means. None if it does not mean a move."""
    match observation:
        case CardSeen(code=code, zone=str() as lane) if _is_signal(code) and not position.is_over:
            return _signal_move(position, observation, lane, context)
    return None


def _signal_move(position: Position, seen: CardSeen, lane: str, context: SightingContext) -> Move | None:
    """The move that explains a signal seen at the end of a lane. None if there is no such move."""
    current, to = position.signals.get(lane), _signal_target(position, lane, seen.angle)
    if to is None or to == current:
        return None
    if current is None:
        is_from_supply = seen.change == "appeared" or position.signals.keys() <= set(context.zones.values())
        return Signal(seat=position.active_player, lane=LaneId(lane), to=LaneId(to)) if is_from_supply else None
    is_alone = not any(zone == lane for code, zone in context.zones.items() if code != seen.code)
    if is_alone and seen.change in ("turned", "moved"):
        return Go(seat=position.active_player, lane=LaneId(lane), then=Redirect(LaneId(to)))
    return None


def begun_move(position: Position, table: TrackedTable) -> BegunMove | None:
    """The move that people have begun. None if there is none. A move is begun if a signal was put down or turned in
    this turn but lies face down or does not point to a lane yet. It is also begun if cars were moved but no phone has
    reported the move."""
    for code in sorted(table.put_down_in(position.turn)):
        seen = table.visible.get(code)
        if seen and seen.zone and (step := _next_step_with_signal(position, code, seen.zone, seen.angle)):
            return BegunMove(position.active_player, frozenset({code}), step)
    return _begun_with_cars(position, table)


def _next_step_with_signal(position: Position, code: str, lane: str, angle: float) -> Text | None:
    """The sentence that says how to complete a move that began with this signal. None if the signal did not begin a
    move, or if the move is complete."""
    where, current = lane_label(lane), position.signals.get(lane)
    if code.startswith(SIGNAL_KIND) and not _is_signal(code):
        return None if current else _("Turn the signal in {lane} face up, or take it off.", lane=where)
    if not _is_signal(code) or _signal_target(position, lane, angle):
        return None
    if current is None:
        return _("Turn the signal in {lane} so that it points to a lane, or take it off.", lane=where)
    return _(
        "Turn the signal in {lane} on to the next lane, or back to {other}.", lane=where, other=lane_label(current)
    )


def _begun_with_cars(position: Position, table: TrackedTable) -> BegunMove | None:
    """The move of cars that people have begun: they have moved some or all of the cars, but no phone has reported the
    move. None if there is no such move, or if no car has ever been seen. Wherever the camera's count differs from the
    position, it must lie between the counts before and after the move."""
    if not table.has_tokens:
        return None
    before = _car_counts(position)
    counts = {place: seen.tokens for place, seen in table.token_counts.items() if seen.certainty == "certain"}
    differing = {place: counted for place, counted in counts.items() if counted != before.get(place, {})}
    if not differing or position.turn is None:
        return None
    for move in _moves_of_cars(position):
        after = _car_counts(apply_move(position, move))
        changed = frozenset(at for at in {*before, *after} if after.get(at) != before.get(at)) - {SUPPLY}
        if all(_is_between(before.get(at, {}), seen or {}, after.get(at, {})) for at, seen in differing.items()):
            step = _(
                "{name}: enter the cars’ move on the phone, or put them back.",
                name=PlayerName(position.active_player),
            )
            places = changed | ({move.lane} if isinstance(move, Go) else frozenset())
            return BegunMove(position.active_player, frozenset(), step, places)
    return None


def _moves_of_cars(position: Position) -> Iterator[Enter | Go]:
    """Yields the legal moves that move cars. Each lane has only the Go that keeps the signal, since its other Go moves
    move the same cars."""
    for move in legal_moves(position):
        if isinstance(move, Enter) or (isinstance(move, Go) and move.then == "keep"):
            yield move


def _is_between(before: Mapping[str, int], counted: Mapping[str, int], after: Mapping[str, int]) -> bool:
    """Whether the count of each color lies between the counts before and after a move."""
    colors = {*before, *counted, *after}
    bounds = ((sorted((before.get(color, 0), after.get(color, 0))), counted.get(color, 0)) for color in colors)
    return all(low <= count <= high for (low, high), count in bounds)


def _signal_target(position: Position, lane: str, angle: float) -> str | None:
    """The lane to which a signal at the end of `lane` points if it has this angle. None if no lane fits, or several
    do."""
    plan = street_plan(position.network)
    targets = [to for to in position.network.signal_targets.get(lane, ()) if _orientation(plan, to).matches(angle)]
    return targets[0] if len(targets) == 1 else None


def _orientation(plan: StreetPlan, to: str) -> Orientation:
    """The orientation of a signal that points to a lane."""
    lane = plan.network.lanes[to]
    return Orientation(plan.bearing(lane.start, lane.end), to)


def layout(position: Position, viewer: Viewer) -> Layout:
    """The places of all signals, cars and score markers. They are the same for every viewer."""
    plan = street_plan(position.network)
    return Layout(
        cards=dict.fromkeys(position.signals, (SIGNAL_KIND,)),
        tokens=_car_counts(position),
        markers={score_track(color): points for color, points in zip(position.colors, position.scores, strict=True)},
        orientations={lane: _orientation(plan, to) for lane, to in position.signals.items()},
        alternatives=dict(_alternative_fixes(position)),
    )


def _alternative_fixes(position: Position) -> Iterator[tuple[str, Text]]:
    """Yields, for each lane that has no signal, the alternative for a misplaced signal in or next to this lane."""
    if position.turn is None:
        return
    for lane in position.network.signal_targets.keys() - position.signals.keys():
        other = _(
            "if it was meant as a move, pick it up and put it in lane {lane}, pointing to a lane", lane=lane_label(lane)
        )
        yield lane, other


def token_placements(position: Position) -> tuple[TokenPlacement, ...]:
    """The point on the mat where each car and each score marker stands."""
    lanes = street_plan(position.network).lanes
    cars = [placement for lane, queue in position.queues.items() for placement in _queue_placements(lanes[lane], queue)]
    scores = zip(position.colors, position.scores, strict=True)
    return (*cars, *(TokenPlacement(color, *score_cell(color, points, CARS_TO_WIN)) for color, points in scores))


def _queue_placements(lane: LaneGeometry, queue: Queue) -> Iterator[TokenPlacement]:
    for color, offset in zip(queue, lane.car_offsets, strict=False):
        yield TokenPlacement(color, *lane.point(*offset), lane.heading)


def _car_counts(position: Position) -> Mapping[str, Mapping[str, int]]:
    """The number of cars of each color in each lane and in the supply. There are enough cars of each color to fill all
    lanes."""
    lanes = {lane: dict(Counter(queue)) for lane, queue in position.queues.items()}
    on_board = Counter(car for queue in position.queues.values() for car in queue)
    supply_size = CAPACITY * len(position.network.signal_targets)
    return {**lanes, SUPPLY: {color: supply_size - on_board[color] for color in position.colors}}


PHYSICAL: PhysicalGame[Position] = PhysicalGame(
    meters=meters,
    components=component_set(RoadNetwork(boards()[DEFAULT_BOARD])),
    meaning_of=meaning_of,
    begun_move=begun_move,
    layout=layout,
    token_placements=token_placements,
)
