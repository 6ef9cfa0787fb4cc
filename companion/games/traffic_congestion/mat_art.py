"""Draws the mat of a board of Traffic Congestion: a town from above.

`street_plan` and `mat` say where everything is. Here y points up, as on every canvas. In drawings of a lane, the origin
is the middle of the lane's stop line, and y points in the direction of travel.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from random import Random

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, CAP_HEIGHT, INK, MUTED, PAPER, SEMIBOLD, Canvas, fitting_size
from companion.games.traffic_congestion.board import COLORS
from companion.games.traffic_congestion.emblems import (
    INKS,
    NEUTRAL_INKS,
    ColorInks,
    draw_arrow,
    draw_arrow_outline,
    draw_symbol,
)
from companion.games.traffic_congestion.mat import ASPHALT, PAVING_COLORS, SCORE_CELL_MM, SCORES_LEFT, SCORES_TOP
from companion.games.traffic_congestion.mat_street_geometry import (
    CAR_MM,
    SIDE_MARGIN_MM,
    SIGN_DEPTH_MM,
    SIZE,
    LaneGeometry,
    StreetPlan,
)
from companion.games.traffic_congestion.position import CARS_TO_WIN
from companion.tabletop.mat import Point

GROUND = HexColor("#e6ece0")
CURB_INK = HexColor("#f7f8f5")
SIGNAL_PLACE = HexColor("#bcc3cd")
LINE = HexColor("#ffffff")
GREENS = (HexColor("#cfdcc4"), HexColor("#c2d3b5"), HexColor("#d8e2cc"))
ROOFS = (HexColor("#e9d9cb"), HexColor("#dfe0e6"), HexColor("#ead0c4"))
CURB_MM = 2.2
"""The width of the curb on each side of a street."""
MIN_TEXT_WIDTH_MM = 22.0
"""The width below which an exit's sign has no text."""
QUEUE_NUMBER_MM = 3.6
"""The font size of the numbers at the places in a queue."""
LETTER_RADIUS_MM = 7.2
"""The radius of the disc with an intersection's name."""
ACTIONS = "ADD A CAR   ·   PLACE A SIGNAL   ·   MOVE CARS THROUGH A SIGNAL, THEN KEEP, TURN OR REMOVE IT"


def draw_mat(canvas: Canvas, plan: StreetPlan) -> None:
    """Draws the whole mat, except for its corner codes."""
    canvas.box(0, 0, *SIZE, fill=GROUND)
    _draw_town(canvas, plan)
    for curb_width in (CURB_MM, 0.0):
        _draw_streets(canvas, plan, curb_width)
    for lane in plan.network.signal_targets:
        _draw_pavement(canvas, plan.lanes[lane])
    for geometry in plan.lanes.values():
        with _along(canvas, geometry):
            _draw_lane(canvas, geometry, _scoring_colors(plan, geometry.lane.side))
    for gate in plan.network.board.gates:
        _draw_gate_sign(canvas, plan, gate)
    for intersection in plan.network.board.intersections:
        _draw_letter(canvas, plan, intersection)
    for color in COLORS:
        _draw_score_track(canvas, color)
    _draw_margins(canvas, plan)


def _on_canvas(point: Point) -> Point:
    """Converts a point of the mat, where y points down, to a point of the canvas, where y points up."""
    return point[0], SIZE[1] - point[1]


@contextmanager
def _along(canvas: Canvas, lane: LaneGeometry) -> Iterator[None]:
    """Moves and turns the canvas for drawing a lane. The origin is then at the lane's stop line, and cars drive up."""
    with canvas.at(*_on_canvas(lane.stop), -lane.heading):
        yield


def _draw_streets(canvas: Canvas, plan: StreetPlan, curb_width: float) -> None:
    """Draws the asphalt of all streets. If `curb_width` is not 0, draws their curbs instead, which have the same shapes
    but are wider by `curb_width` on either side."""
    color = CURB_INK if curb_width else HexColor(ASPHALT)
    for one, other in plan.network.board.streets:
        here, there = plan.nodes[one], plan.nodes[other]
        half = plan.lane_width + curb_width
        with canvas.at(*_on_canvas(there), -plan.bearing(one, other)):
            canvas.box(-half, -math.dist(here, there), 2 * half, math.dist(here, there), fill=color)
    for node in plan.network.board.intersections:
        canvas.shape(
            [_on_canvas(point) for point in _intersection_outline(plan, node, plan.lane_width + curb_width)], fill=color
        )


def _intersection_outline(plan: StreetPlan, node: str, half: float) -> Iterator[Point]:
    """Yields the corners of an intersection, where the edges of its streets meet or end. `half` is half the width of a
    street."""
    x, y = plan.nodes[node]
    bearings = sorted(plan.bearing(node, other) for other in plan.network.board.neighbors(node))
    for bearing, following in pairwise((*bearings, bearings[0] + 360)):
        gap = following - bearing
        if gap < 179:
            distance, middle = half / math.sin(math.radians(gap / 2)), math.radians(bearing + gap / 2)
            yield x + distance * math.sin(middle), y - distance * math.cos(middle)
        else:
            for side in (math.radians(bearing + 45), math.radians(following - 45)):
                yield x + half * math.sqrt(2) * math.sin(side), y - half * math.sqrt(2) * math.cos(side)


def _draw_lane(canvas: Canvas, lane: LaneGeometry, colors: list[str]) -> None:
    """Draws the line between a lane and the oncoming lane, and the marks on the lane. `colors`: the colors that score
    on the lane's side of the board."""
    edge = lane.oncoming_side * lane.width / 2
    canvas.line((edge, -lane.length), (edge, 0), color=LINE, line=0.7, dash=(5, 3.5))
    if lane.lane.kind == "exit":
        _draw_exit_arrows(canvas, lane, colors)
        return
    canvas.box(-lane.width / 2 + 1, -1.6, lane.width - 2, 1.6, fill=LINE)
    _draw_signal_place(canvas, lane.width)
    for number, (back, right) in enumerate(lane.car_offsets, 1):
        _draw_car_place(canvas, right, -back, 0 if lane.is_single_file else number)
    free_length = lane.length - lane.car_offsets[-1][0] - CAR_MM
    if free_length > 16:
        draw_arrow_outline(canvas, 0, -lane.length + free_length / 2, min(free_length - 4, 24), LINE)


def _draw_pavement(canvas: Canvas, lane: LaneGeometry) -> None:
    """Draws the checkered pavement on which cars queue. The camera recognizes its pattern."""
    light, dark = (HexColor(color) for color in PAVING_COLORS)
    canvas.shape([_on_canvas(corner) for corner in lane.queue_area], fill=dark)
    for square in lane.pavement:
        canvas.shape([_on_canvas(corner) for corner in square], fill=light)


def _scoring_colors(plan: StreetPlan, side: str | None) -> list[str]:
    """The colors whose cars score on a side of the board. Empty if `side` is None."""
    return [color for color, its_side in plan.network.board.sides.items() if its_side == side]


def _draw_exit_arrows(canvas: Canvas, lane: LaneGeometry, colors: list[str]) -> None:
    """Draws two arrows on an exit, in the colors that score there."""
    for number in (1, 2):
        ink = INKS[colors[-number % len(colors)]].full if colors else LINE
        draw_arrow(canvas, 0, -lane.length * number / 3, min(24, lane.length / 4), ink)


def _draw_signal_place(canvas: Canvas, width: float) -> None:
    """Draws the place for a lane's signal. `width` is the width of the lane."""
    side = width - 3
    canvas.box(-side / 2, 1.5, side, side, fill=SIGNAL_PLACE, stroke=LINE, line=0.45, radius=2.5, dash=(2.2, 1.6))
    canvas.circle(0, width / 2, side * 0.2, stroke=LINE, line=0.5)
    draw_arrow(canvas, 0, width / 2, side * 0.26, LINE)


def _draw_car_place(canvas: Canvas, x: float, y: float, number: int) -> None:
    """Draws the mark of a car's place in a queue: its `number` or, if `number` is 0, an arrowhead in the direction of
    travel. The mark is small and thin, so that the camera still sees the pavement."""
    if number:
        canvas.text(
            x, y - QUEUE_NUMBER_MM * CAP_HEIGHT / 2, str(number), QUEUE_NUMBER_MM, font=BOLD, color=LINE, align="center"
        )
    else:
        canvas.shape([(x - 1.3, y - 0.7), (x, y + 0.8), (x + 1.3, y - 0.7)], stroke=LINE, line=0.5, closed=False)


def _draw_gate_sign(canvas: Canvas, plan: StreetPlan, gate: str) -> None:
    """Draws the sign at the outer end of a street. The half next to the entrance shows the gate's name. The half next
    to the exit shows the colors that score there."""
    board = plan.network.board
    intersection = next(board.neighbors(gate))
    exit_side = 1 if plan.network.driving_side == "left" else -1
    colors = _scoring_colors(plan, board.gates[gate].side)
    bearing = plan.bearing(gate, intersection)
    with canvas.at(*_on_canvas(plan.nodes[gate]), -bearing):
        is_upside_down = 90 < bearing < 270
        with canvas.at(0, SIGN_DEPTH_MM / 2, 180 if is_upside_down else 0):
            side = -exit_side if is_upside_down else exit_side
            inks = INKS[colors[0]] if colors else NEUTRAL_INKS
            _draw_gate_name(canvas, gate, inks, -side * plan.lane_width / 2, plan.lane_width)
            _draw_exit_sign(canvas, colors, side * plan.lane_width / 2, plan.lane_width)


def _draw_gate_name(canvas: Canvas, gate: str, inks: ColorInks, x: float, width: float) -> None:
    canvas.box(
        x - width / 2 + 0.6, -SIGN_DEPTH_MM / 2 + 0.8, width - 1.2, SIGN_DEPTH_MM - 1.6, fill=inks.pale, radius=2
    )
    canvas.text(
        x, -6.2 * CAP_HEIGHT / 2, gate, fitting_size(gate, 6.2, width - 6), font=BOLD, align="center", track=0.2
    )


def _draw_exit_sign(canvas: Canvas, colors: list[str], x: float, width: float) -> None:
    part = (width - 1.2) / max(len(colors), 1)
    for number, color in enumerate(colors or [""]):
        inks = INKS.get(color, NEUTRAL_INKS)
        left = x - width / 2 + 0.6 + number * part
        canvas.box(left, -SIGN_DEPTH_MM / 2 + 0.8, part, SIGN_DEPTH_MM - 1.6, fill=inks.full, radius=2)
        words = ("" if part < MIN_TEXT_WIDTH_MM else f"{color.upper()} HOME") if color else "EXIT"
        size = fitting_size(words, 4.6, part - 11)
        if color:
            draw_symbol(canvas, color, left + (5.2 if words else part / 2), 0, 5.2, inks.on)
        canvas.text(
            left + part / 2 + 3.4, -size * CAP_HEIGHT / 2, words, size, font=BOLD, color=inks.on, align="center"
        )


def _draw_letter(canvas: Canvas, plan: StreetPlan, node: str) -> None:
    """Draws an intersection's name at the corner of a block of houses. On the street, signals would cover it."""
    x, y = _on_canvas(_letter_place(plan, node))
    canvas.circle(x, y, LETTER_RADIUS_MM, fill=PAPER)
    canvas.circle(x, y, 6.4, fill=INK)
    size = fitting_size(node, 9, 9.5)
    canvas.text(x, y - size * CAP_HEIGHT / 2, node, size, font=BOLD, color=PAPER, align="center")


def _letter_place(plan: StreetPlan, node: str) -> Point:
    """The point on the mat for an intersection's name: in the corner of the block of houses to the northwest or, if
    there is no block there, of the block that is closest to this direction."""
    x, y = plan.nodes[node]
    bearings = sorted(plan.bearing(node, other) for other in plan.network.board.neighbors(node))
    gaps = [(after - before, (before + after) / 2) for before, after in pairwise((*bearings, bearings[0] + 360))]
    gap, middle = min(gaps, key=lambda each: abs((each[1] - 315 + 180) % 360 - 180))
    distance = plan.lane_width / math.sin(math.radians(min(gap, 180) / 2)) + 11
    return x + distance * math.sin(math.radians(middle)), y - distance * math.cos(math.radians(middle))


def _draw_score_track(canvas: Canvas, color: str) -> None:
    """Draws the score track of a color, with cells from 0 at the bottom to 20 at the top."""
    inks, left = INKS[color], SCORES_LEFT[color]
    width, height = SCORE_CELL_MM
    bottom = SIZE[1] - SCORES_TOP - (CARS_TO_WIN + 1) * height
    canvas.box(left, bottom, width, (CARS_TO_WIN + 1) * height, fill=PAPER, radius=2)
    for points in range(CARS_TO_WIN + 1):
        y, is_end = bottom + points * height, points in (0, CARS_TO_WIN)
        fill = inks.full if is_end else inks.pale
        canvas.box(left + 0.7, y + 0.5, width - 1.4, height - 1, fill=fill, radius=1.6)
        size, ink = 5.2 if points % 5 == 0 else 4.0, inks.on if is_end else INK
        if points == 0:
            draw_symbol(canvas, color, left + width / 2, y + height / 2, 6, inks.on)
        else:
            baseline = y + height / 2 - size * CAP_HEIGHT / 2
            canvas.text(left + width / 2, baseline, str(points), size, font=BOLD, color=ink, align="center")


def _draw_margins(canvas: Canvas, plan: StreetPlan) -> None:
    """Draws the texts in the margins: the actions of a turn along the left edge, and the board's name and the driving
    side along the right edge."""
    network = plan.network
    board = f"TRAFFIC CONGESTION   ·   {network.board.name.upper()}   ·   DRIVE ON THE {network.driving_side.upper()}"
    for x, angle, words in ((4.0, 90, ACTIONS), (SIZE[0] - 4.0, -90, board)):
        with canvas.at(x, SIZE[1] / 2, angle):
            canvas.text(0, -3.4 * CAP_HEIGHT / 2, words, 3.4, font=SEMIBOLD, color=MUTED, align="center", track=0.35)


def _draw_town(canvas: Canvas, plan: StreetPlan) -> None:
    """Draws trees and roofs between the streets. They are at random points that depend only on the board."""
    rng, taken = Random(plan.network.board.name), list[tuple[float, float, float]]()
    streets = [(plan.nodes[one], plan.nodes[other]) for one, other in plan.network.board.streets]
    letters = [_letter_place(plan, node) for node in plan.network.board.intersections]
    for attempt in range(2600):
        radius = rng.uniform(7, 12) if attempt < 400 else rng.uniform(1.6, 4.4)
        x = rng.uniform(SIDE_MARGIN_MM + radius, SIZE[0] - SIDE_MARGIN_MM - radius)
        y = rng.uniform(radius, SIZE[1] - radius)
        clearance = radius + CURB_MM + 2
        is_off_streets = all(_distance((x, y), *street) > plan.lane_width + clearance for street in streets)
        is_off_letters = all(math.dist((x, y), letter) > LETTER_RADIUS_MM + clearance for letter in letters)
        if is_off_streets and is_off_letters and all(math.dist((x, y), (a, b)) > radius + r + 0.8 for a, b, r in taken):
            taken.append((x, y, radius))
            draw = _draw_roof if attempt < 400 else _draw_tree
            draw(canvas, rng, *_on_canvas((x, y)), radius)


def _distance(point: Point, start: Point, end: Point) -> float:
    """The distance from a point to the line segment from `start` to `end`."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    along = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / (dx * dx + dy * dy)
    near = min(max(along, 0.0), 1.0)
    return math.dist(point, (start[0] + near * dx, start[1] + near * dy))


def _draw_tree(canvas: Canvas, rng: Random, x: float, y: float, radius: float) -> None:
    canvas.circle(x, y, radius, fill=rng.choice(GREENS))


def _draw_roof(canvas: Canvas, rng: Random, x: float, y: float, radius: float) -> None:
    long, wide = radius * 1.6, radius * rng.uniform(0.9, 1.1)
    with canvas.at(x, y, rng.choice((0, 90))):
        roof: Color = rng.choice(ROOFS)
        canvas.box(-long / 2, -wide / 2, long, wide, fill=roof, radius=0.8)
        canvas.line((-long / 2 + wide / 3, 0), (long / 2 - wide / 3, 0), color=PAPER, line=0.5)
