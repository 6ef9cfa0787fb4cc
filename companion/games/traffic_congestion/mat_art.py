"""How a board of Traffic Congestion looks: a town from above, its streets drawn from the board's plan.

Everything stands where `plan` and `mat` say; here y runs up, as the pen has it. Along a lane it runs as one drives,
from the middle of the stop line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from random import Random

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, CAP, INK, MUTED, PAPER, SEMIBOLD, Canvas, fit
from companion.games.traffic_congestion.board import COLORS
from companion.games.traffic_congestion.labels import spot_words
from companion.games.traffic_congestion.mat import ASPHALT, CELL, SCORES_LEFT, SCORES_TOP, STONES
from companion.games.traffic_congestion.rules import GOAL
from companion.games.traffic_congestion.signs import INKS, NOBODY, Ink, arrow, drawn_arrow, sign
from companion.games.traffic_congestion.street_plan import BAND, CAR, SIGN, SIZE, Plan, Stretch
from companion.tabletop.mat import Point

GROUND = HexColor("#e6ece0")
KERB = HexColor("#f7f8f5")
PATCH = HexColor("#bcc3cd")
LINE = HexColor("#ffffff")
GREENS = (HexColor("#cfdcc4"), HexColor("#c2d3b5"), HexColor("#d8e2cc"))
ROOFS = (HexColor("#e9d9cb"), HexColor("#dfe0e6"), HexColor("#ead0c4"))
KERB_MM = 2.2
SHORT = 22.0
"""A sign narrower than this, mm, has no room for words."""
SLOT = 3.6
"""The height of a number in a queue, mm."""
LETTER = 7.2
"""The radius of the sign with an intersection's letter, mm."""
TURNS = "ENTER A CAR   ·   PLACE A SIGNAL   ·   MOVE CARS THROUGH A SIGNAL, THEN KEEP, TURN OR REMOVE IT"


def draw_mat(canvas: Canvas, plan: Plan) -> None:
    """The whole mat but its corner codes."""
    canvas.box(0, 0, *SIZE, fill=GROUND)
    _town(canvas, plan)
    for kerb in (KERB_MM, 0.0):
        _streets(canvas, plan, kerb)
    for lane in plan.roads.turns:
        _pavement(canvas, plan.stretches[lane])
    for stretch in plan.stretches.values():
        with _along(canvas, stretch):
            _lane(canvas, stretch, _homes(plan, stretch.lane.side))
    for gate in plan.roads.board.gates:
        _gate(canvas, plan, gate)
    for spot in plan.roads.board.intersections:
        _letter(canvas, plan, spot)
    for color in COLORS:
        _score(canvas, color)
    _margins(canvas, plan)


def _up(point: Point) -> Point:
    return point[0], SIZE[1] - point[1]


@contextmanager
def _along(canvas: Canvas, stretch: Stretch) -> Iterator[None]:
    with canvas.at(*_up(stretch.stop), -stretch.degrees):
        yield


# Streets ----------------------------------------------------------------------------------------------


def _streets(canvas: Canvas, plan: Plan, kerb: float) -> None:
    """The asphalt of all streets, or the kerb beneath it, which stands out on either side."""
    color = KERB if kerb else HexColor(ASPHALT)
    for one, other in plan.roads.board.streets:
        here, there = plan.spots[one], plan.spots[other]
        half = plan.width + kerb
        with canvas.at(*_up(there), -plan.bearing(one, other)):
            canvas.box(-half, -math.dist(here, there), 2 * half, math.dist(here, there), fill=color)
    for spot in plan.roads.board.intersections:
        canvas.shape([_up(point) for point in _crossing(plan, spot, plan.width + kerb)], fill=color)


def _crossing(plan: Plan, spot: str, half: float) -> Iterator[Point]:
    """The outline of an intersection, where the streets' edges meet or end."""
    x, y = plan.spots[spot]
    bearings = sorted(plan.bearing(spot, other) for other in plan.roads.board.neighbours(spot))
    for bearing, following in pairwise((*bearings, bearings[0] + 360)):
        gap = following - bearing
        if gap < 179:
            far, middle = half / math.sin(math.radians(gap / 2)), math.radians(bearing + gap / 2)
            yield x + far * math.sin(middle), y - far * math.cos(middle)
        else:
            for side in (math.radians(bearing + 45), math.radians(following - 45)):
                yield x + half * math.sqrt(2) * math.sin(side), y - half * math.sqrt(2) * math.cos(side)


def _lane(canvas: Canvas, stretch: Stretch, homes: list[str]) -> None:
    """The line to the oncoming lane, and what is painted on the lane."""
    inner = stretch.inner * stretch.width / 2
    canvas.line((inner, -stretch.length), (inner, 0), color=LINE, line=0.7, dash=(5, 3.5))
    if stretch.lane.kind == "exit":
        _way_out(canvas, stretch, homes)
        return
    canvas.box(-stretch.width / 2 + 1, -1.6, stretch.width - 2, 1.6, fill=LINE)
    _place(canvas, stretch.width)
    for number, (back, right) in enumerate(stretch.queue, 1):
        _slot(canvas, right, -back, 0 if stretch.in_file else number)
    rest = stretch.length - stretch.queue[-1][0] - CAR
    if rest > 16:
        drawn_arrow(canvas, 0, -stretch.length + rest / 2, min(rest - 4, 24), LINE)


def _pavement(canvas: Canvas, stretch: Stretch) -> None:
    """What cars queue on; the camera looks for it."""
    light, dark = (HexColor(paint) for paint in STONES)
    canvas.shape([_up(corner) for corner in stretch.cars], fill=dark)
    for stone in stretch.paving:
        canvas.shape([_up(corner) for corner in stone], fill=light)


def _homes(plan: Plan, side: str | None) -> list[str]:
    """The colors whose cars score on a side."""
    return [color for color, its in plan.roads.board.sides.items() if its == side]


def _way_out(canvas: Canvas, stretch: Stretch, homes: list[str]) -> None:
    """Arrows in the colors of those who are at home there."""
    for number in (1, 2):
        ink = INKS[homes[-number % len(homes)]].full if homes else LINE
        arrow(canvas, 0, -stretch.length * number / 3, min(24, stretch.length / 4), ink)


def _place(canvas: Canvas, width: float) -> None:
    """Where the lane's signal lies."""
    side = width - 3
    canvas.box(-side / 2, 1.5, side, side, fill=PATCH, stroke=LINE, line=0.45, radius=2.5, dash=(2.2, 1.6))
    canvas.circle(0, width / 2, side * 0.2, stroke=LINE, line=0.5)
    arrow(canvas, 0, width / 2, side * 0.26, LINE)


def _slot(canvas: Canvas, x: float, y: float, number: int) -> None:
    """A place for a car: an arrowhead the way it drives, or its number in the queue where that can't be seen. Small and
    thin: the camera must see what it stands on."""
    if number:
        canvas.text(x, y - SLOT * CAP / 2, str(number), SLOT, font=BOLD, color=LINE, align="center")
    else:
        canvas.shape([(x - 1.3, y - 0.7), (x, y + 0.8), (x + 1.3, y - 0.7)], stroke=LINE, line=0.5, closed=False)


# Signs ------------------------------------------------------------------------------------------------


def _gate(canvas: Canvas, plan: Plan, gate: str) -> None:
    """The sign over the outer end of a street: its name where cars come in, whose home it is where they go out."""
    board = plan.roads.board
    far = next(board.neighbours(gate))
    comes_in = 1 if plan.roads.driving == "left" else -1
    homes = _homes(plan, board.gates[gate].side)
    # Seen from outside, facing the town.
    with canvas.at(*_up(plan.spots[gate]), -plan.bearing(gate, far)):
        flipped = 90 < plan.bearing(gate, far) < 270
        with canvas.at(0, SIGN / 2, 180 if flipped else 0):
            side = -comes_in if flipped else comes_in
            _name(canvas, gate, INKS[homes[0]] if homes else NOBODY, -side * plan.width / 2, plan.width)
            _ways_home(canvas, homes, side * plan.width / 2, plan.width)


def _name(canvas: Canvas, gate: str, ink: Ink, x: float, width: float) -> None:
    said = spot_words(gate).upper()
    canvas.box(x - width / 2 + 0.6, -SIGN / 2 + 0.8, width - 1.2, SIGN - 1.6, fill=ink.pale, radius=2)
    canvas.text(x, -6.2 * CAP / 2, said, fit(said, 6.2, width - 6), font=BOLD, align="center", track=0.2)


def _ways_home(canvas: Canvas, homes: list[str], x: float, width: float) -> None:
    part = (width - 1.2) / max(len(homes), 1)
    for number, color in enumerate(homes or [""]):
        ink = INKS.get(color, NOBODY)
        left = x - width / 2 + 0.6 + number * part
        canvas.box(left, -SIGN / 2 + 0.8, part, SIGN - 1.6, fill=ink.full, radius=2)
        words = ("" if part < SHORT else f"{color.upper()} HOME") if color else "EXIT"
        size = fit(words, 4.6, part - 11)
        if color:
            sign(canvas, color, left + (5.2 if words else part / 2), 0, 5.2, ink.on)
        canvas.text(left + part / 2 + 3.4, -size * CAP / 2, words, size, font=BOLD, color=ink.on, align="center")


def _letter(canvas: Canvas, plan: Plan, spot: str) -> None:
    """The intersection's name, on the corner of a block: signals would cover it on the street."""
    at = _up(_beside(plan, spot))
    canvas.circle(*at, LETTER, fill=PAPER)
    canvas.circle(*at, 6.4, fill=INK)
    size = fit(spot, 9, 9.5)
    canvas.text(at[0], at[1] - size * CAP / 2, spot, size, font=BOLD, color=PAPER, align="center")


def _beside(plan: Plan, spot: str) -> Point:
    """The corner of the block to the north-west of an intersection, or whichever comes nearest to that."""
    x, y = plan.spots[spot]
    bearings = sorted(plan.bearing(spot, other) for other in plan.roads.board.neighbours(spot))
    gaps = [(after - before, (before + after) / 2) for before, after in pairwise((*bearings, bearings[0] + 360))]
    gap, middle = min(gaps, key=lambda each: abs((each[1] - 315 + 180) % 360 - 180))
    far = plan.width / math.sin(math.radians(min(gap, 180) / 2)) + 11
    return x + far * math.sin(math.radians(middle)), y - far * math.cos(math.radians(middle))


# Scores -----------------------------------------------------------------------------------------------


def _score(canvas: Canvas, color: str) -> None:
    """A ladder from 0 at the bottom to 20."""
    ink, left = INKS[color], SCORES_LEFT[color]
    width, height = CELL
    bottom = SIZE[1] - SCORES_TOP - (GOAL + 1) * height
    canvas.box(left, bottom, width, (GOAL + 1) * height, fill=PAPER, radius=2)
    for points in range(GOAL + 1):
        y, special = bottom + points * height, points in (0, GOAL)
        fill = ink.full if special else ink.pale
        canvas.box(left + 0.7, y + 0.5, width - 1.4, height - 1, fill=fill, radius=1.6)
        size, tone = (5.2, ink.on) if points % 5 == 0 else (4.0, INK)
        tone = tone if special else INK
        if points == 0:
            sign(canvas, color, left + width / 2, y + height / 2, 6, ink.on)
        else:
            canvas.text(left + width / 2, y + height / 2 - size * CAP / 2, str(points), size, font=BOLD, color=tone,
                     align="center")  # fmt: skip


def _margins(canvas: Canvas, plan: Plan) -> None:
    """What one may do, up the left edge; the board, down the right one."""
    board = f"TRAFFIC CONGESTION   ·   {plan.roads.board.name.upper()}   ·   DRIVE ON THE {plan.roads.driving.upper()}"
    for x, turn, words in ((4.0, 90, TURNS), (SIZE[0] - 4.0, -90, board)):
        with canvas.at(x, SIZE[1] / 2, turn):
            canvas.text(0, -3.4 * CAP / 2, words, 3.4, font=SEMIBOLD, color=MUTED, align="center", track=0.35)


# The town ---------------------------------------------------------------------------------------------


def _town(canvas: Canvas, plan: Plan) -> None:
    """Trees and roofs between the streets, always the same for a board."""
    rng, taken = Random(plan.roads.board.name), list[tuple[float, float, float]]()
    for attempt in range(2600):
        radius = rng.uniform(7, 12) if attempt < 400 else rng.uniform(1.6, 4.4)
        x, y = rng.uniform(BAND + radius, SIZE[0] - BAND - radius), rng.uniform(radius, SIZE[1] - radius)
        beside = all(math.dist((x, y), (a, b)) > radius + r + 0.8 for a, b, r in taken)
        if beside and _clear(plan, (x, y), radius + KERB_MM + 2):
            taken.append((x, y, radius))
            _thing(canvas, rng, *_up((x, y)), radius, house=attempt < 400)


def _clear(plan: Plan, point: Point, radius: float) -> bool:
    """Whether a circle touches no street and no letter beside it."""
    streets = ((plan.spots[one], plan.spots[other]) for one, other in plan.roads.board.streets)
    letters = (_beside(plan, spot) for spot in plan.roads.board.intersections)
    return all(_distance(point, *street) > plan.width + radius for street in streets) and all(
        math.dist(point, letter) > LETTER + radius for letter in letters
    )


def _distance(point: Point, start: Point, end: Point) -> float:
    """From a point to a line between two others."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    along = ((point[0] - start[0]) * dx + (point[1] - start[1]) * dy) / (dx * dx + dy * dy)
    near = min(max(along, 0.0), 1.0)
    return math.dist(point, (start[0] + near * dx, start[1] + near * dy))


def _thing(canvas: Canvas, rng: Random, x: float, y: float, radius: float, *, house: bool) -> None:
    if not house:
        canvas.circle(x, y, radius, fill=rng.choice(GREENS))
        return
    long, wide = radius * 1.6, radius * rng.uniform(0.9, 1.1)
    with canvas.at(x, y, rng.choice((0, 90))):
        roof: Color = rng.choice(ROOFS)
        canvas.box(-long / 2, -wide / 2, long, wide, fill=roof, radius=0.8)
        canvas.line((-long / 2 + wide / 3, 0), (long / 2 - wide / 3, 0), color=PAPER, line=0.5)
