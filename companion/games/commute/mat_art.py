"""Draws the mat of Commute: a city from above, made of the spaces and roads of the board.

Positions are those of `mat.mat_for`, but y points up as on the canvas. Buildings and parks fill the area between the
streets, so boards that people draw themselves become cities too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, CAP_HEIGHT, INK, MUTED, PAPER, TINT, Canvas, text_width
from companion.games.commute import emblems
from companion.games.commute.board import Board, Space
from companion.games.commute.display_names import signed
from companion.games.commute.emblems import BAD, EVEN, GOOD, HOUSES, UH_OH, UH_OH_DARK, line_color
from companion.games.commute.mat import SIZE, house_letter, mat_for, space_center
from companion.games.commute.mat_sides_art import draw_sides
from companion.tabletop.mat import Point

GROUND = HexColor("#edf0e9")
ROOFS: Final = tuple(map(HexColor, ("#dedbcf", "#d7dcd8", "#e2dace", "#d9dadf")))
PARK, LEAF = HexColor("#cfe3c0"), HexColor("#a9cd95")
ASPHALT, CURB, FENCE = HexColor("#ffffff"), HexColor("#bfc5cc"), HexColor("#7f9a6b")
DISC_RADIUS: Final = 14.2
"""The radius of the disc that is drawn for a space, in mm."""
STREET_WIDTH: Final = 11.0
"""The width of a street, in mm."""
LOT_SIDE: Final = 28.0
"""The side of the largest lots, in mm. If a building doesn't fit, the lot is divided into four smaller lots, which may
be divided again."""
MIN_LOT_SIDE: Final = 6.0
"""The side of the smallest lots, in mm."""
YARD_WIDTH: Final = 1.2
"""The width of the gap between a building and the edge of its lot, in mm."""
MIN_PARK_DISTANCE: Final = 24.0
"""The distance from the nearest street or space, in mm, beyond which a lot becomes a park."""
LINE_DASHES: Final[tuple[tuple[float, ...], ...]] = ((), (7.0, 5.0), (0.8, 4.2))
"""The dash patterns of the metro lines in the board's order, with lengths in mm. They distinguish the lines without
color."""


def draw_mat(canvas: Canvas, board: Board) -> None:
    """Draws the whole mat, except for its corner codes."""
    _City(canvas, board).draw()


def _y_up(point: Point) -> Point:
    return point[0], SIZE[1] - point[1]


class _City:
    """Draws the city of a board: ground, streets, metro lines, spaces and the sides of the mat."""

    def __init__(self, canvas: Canvas, board: Board) -> None:
        self._canvas, self._board = canvas, board
        self._centers = {space: _y_up(space_center(board, space)) for space in board.spaces}
        self._roads = [edge for edge in board.edges if not board.metro(*edge)]
        self._road_starts = np.array([self._centers[one] for one, _ in self._roads])
        self._road_vectors = np.array([self._centers[other] for _, other in self._roads]) - self._road_starts
        self._metros = [edge for edge in board.edges if board.metro(*edge)]

    def draw(self) -> None:
        self._canvas.box(0, 0, *SIZE, fill=GROUND)
        self._draw_blocks()
        self._draw_streets()
        self._draw_work_grounds()
        self._draw_metro_lines()
        for space in self._board.spaces.values():
            self._draw_space(space)
        draw_sides(self._canvas, self._board)

    def _draw_blocks(self) -> None:
        """Draws buildings near the streets, and parks with trees farther away from them. A lot without room for a
        building is divided into four."""
        parks: list[Point] = []
        side, lots = LOT_SIDE, _largest_lots()
        while lots:
            divided: list[_Lot] = []
            for lot, clearance in zip(lots, self._clearances([lot.center for lot in lots]), strict=True):
                room = clearance - STREET_WIDTH / 2 - 1
                if side == LOT_SIDE and clearance > MIN_PARK_DISTANCE:
                    parks.append(lot.center)
                elif room > side * 0.7 and (side < LOT_SIDE * 0.6 or lot.number % 4 == 0):
                    self._draw_building(lot, side)
                elif side >= 2 * MIN_LOT_SIDE:
                    divided += lot.quarters(side)
            side, lots = side / 2, divided
        for x, y in parks:
            self._canvas.circle(x, y, LOT_SIDE * 0.76, fill=PARK)
        for number, (x, y) in enumerate(parks):
            _draw_trees(self._canvas, x, y, number)

    def _draw_building(self, lot: _Lot, side: float) -> None:
        """Draws a building on a lot; a large one has a courtyard."""
        x, y = lot.center
        wide = side - 2 * YARD_WIDTH
        low, left = y - wide / 2, x - wide / 2
        self._canvas.box(left, low, wide, wide, fill=ROOFS[lot.number % len(ROOFS)], radius=0.8)
        if side > 2 * MIN_LOT_SIDE:
            inner = wide - 2 * (2.2 if lot.number % 3 else wide * 0.3)
            self._canvas.box(x - inner / 2, y - inner / 2, inner, inner, fill=GROUND, radius=0.6)

    def _clearances(self, points: Sequence[Point]) -> list[float]:
        """The distance from each point to the nearest street or space, in mm, minus an allowance for what is drawn at a
        space."""
        centers = self._centers
        allowances = [40 if space == self._board.work else 14 if space in self._board.ends else 8 for space in centers]
        offsets = np.array(points)[:, None] - np.array([*centers.values()])
        spaces = (np.hypot(*offsets.T).T - allowances).min(axis=1)
        return [float(each) for each in np.minimum(spaces, self._street_distances(np.array(points)))]

    def _street_distances(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """The distance from each point to the nearest street, in mm."""
        vectors = self._road_vectors
        offsets = points[:, None] - self._road_starts
        along = np.clip((offsets * vectors).sum(axis=2) / (vectors**2).sum(axis=1), 0, 1)
        return np.asarray(np.hypot(*(offsets - along[..., None] * vectors).T).T.min(axis=1))

    def _draw_streets(self) -> None:
        self._draw_pavement(self._roads)

    def _draw_pavement(self, roads: Sequence[tuple[str, str]]) -> None:
        """Draws roads with curbs and a dashed middle line."""
        for width, color in ((STREET_WIDTH + 1.6, CURB), (STREET_WIDTH, ASPHALT)):
            for one, other in roads:
                self._canvas.line(self._centers[one], self._centers[other], color=color, line=width)
        for one, other in roads:
            self._canvas.line(self._centers[one], self._centers[other], color=CURB, line=0.7, dash=(2.6, 2.2))

    def _draw_work_grounds(self) -> None:
        """Draws the grounds of the workplace, which are paved and fenced, with a gate wherever a street leads in."""
        zone = mat_for(self._board).zone(self._board.work)
        outline = [_y_up(point) for point in zone.polygon]
        self._canvas.shape(outline, fill=PAPER)
        x, y = self._centers[self._board.work]
        with self._canvas.clip_polygon(outline):
            for step in range(-12, 13):
                self._canvas.line((x + step * 5, y - 60), (x + step * 5, y + 60), color=TINT, line=0.5)
                self._canvas.line((x - 60, y + step * 5), (x + 60, y + step * 5), color=TINT, line=0.5)
        self._canvas.shape(outline, stroke=FENCE, line=2.6)
        self._draw_pavement([edge for edge in self._roads if self._board.work in edge])

    def _draw_metro_lines(self) -> None:
        for one, other in self._metros:
            number, color = self._line_style(self._board.metro(one, other))
            start, end = self._centers[one], self._centers[other]
            self._canvas.line(start, end, color=PAPER, line=6.6)
            self._canvas.line(start, end, color=color, line=5.0)
            self._canvas.line(start, end, color=PAPER, line=1.3, dash=LINE_DASHES[number % len(LINE_DASHES)])
        for one, other in self._metros:
            self._draw_line_name(one, other)

    def _line_style(self, line: str | None) -> tuple[int, Color]:
        """The index of a metro line in the board's order, and its color."""
        number = self._board.lines.index(line or "")
        return number, line_color(line or "", number)

    def _draw_line_name(self, one: str, other: str) -> None:
        """Writes the name of a metro line along the track between two stations, as far from all spaces as possible."""
        line = self._board.metro(one, other)
        start, end = self._centers[one], self._centers[other]
        along = (_point_between(start, end, part / 20) for part in range(5, 16))
        x, y = max(along, key=lambda at: min(math.dist(at, space) for space in self._centers.values()))
        turn = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
        with self._canvas.at(x, y, (turn + 90) % 180 - 90):
            words = f"{line} line".upper()
            wide = text_width(words, 4.4, BOLD, 0.2) + 6
            self._canvas.box(
                -wide / 2, -3.6, wide, 7.2, fill=self._line_style(line)[1], stroke=PAPER, line=0.8, radius=3.6
            )
            self._canvas.text(0, -1.55, words, 4.4, font=BOLD, color=PAPER, align="center", track=0.2)

    def _draw_space(self, space: Space) -> None:
        """Draws a space: the workplace, a house, an "Uh-Oh!" space, a station or a street space."""
        with self._canvas.at(*self._centers[space.id]):
            match space.kind:
                case "work":
                    _draw_workplace(self._canvas)
                case "house":
                    _draw_house(self._canvas, self._board, space.id)
                case "uh_oh":
                    _draw_uh_oh_space(self._canvas, space)
                case "station":
                    _draw_station(self._canvas, space, *self._line_style(space.line))
                case "street":
                    _draw_street_space(self._canvas, space)


class _Lot(NamedTuple):
    """A square with room for one building. `number` varies the appearance."""

    center: Point
    number: int

    def quarters(self, side: float) -> list[_Lot]:
        """The four lots that this one consists of, if it has this side."""
        x, y = self.center
        corners = ((-1, -1), (1, -1), (-1, 1), (1, 1))
        return [
            _Lot((x + dx * side / 4, y + dy * side / 4), self.number * 5 + quarter * 3 + 1)
            for quarter, (dx, dy) in enumerate(corners)
        ]


def _largest_lots() -> list[_Lot]:
    """The largest lots, which cover the whole mat."""
    return [
        _Lot(((column + 0.5) * LOT_SIDE, (row + 0.5) * LOT_SIDE), column * 7 + row * 13 + column * row * 3)
        for column in range(int(SIZE[0] / LOT_SIDE) + 1)
        for row in range(int(SIZE[1] / LOT_SIDE) + 1)
    ]


def _draw_trees(canvas: Canvas, x: float, y: float, number: int) -> None:
    for dx, dy, radius in ((-6.2, 3.1, 3.6), (5.4, -2.2, 3.0), (1.4, 7.4, 2.4), (-2.6, -6.4, 2.7))[number % 2 :]:
        turned = (dx, dy) if number % 3 else (dy, -dx)
        canvas.circle(x + turned[0], y + turned[1], radius, fill=LEAF)


def _point_between(one: Point, other: Point, part: float) -> Point:
    """The point between `one` and `other` that lies at the fraction `part` of the way."""
    return one[0] + part * (other[0] - one[0]), one[1] + part * (other[1] - one[1])


def _draw_minutes(canvas: Canvas, space: Space, y: float, size: float = 11.5, color: Color | None = None) -> None:
    """Writes the minutes that landing on a space adds, vertically centered on `y`."""
    color_by_minutes = EVEN if space.minutes == 0 else GOOD if space.minutes < 0 else BAD
    words = signed(space.minutes) if space.minutes else "0"
    canvas.text(0, y - size * CAP_HEIGHT / 2, words, size, font=BOLD, color=color or color_by_minutes, align="center")


def _draw_space_id(canvas: Canvas, space: Space, y: float, color: Color = MUTED) -> None:
    canvas.text(0, y, space.id, 4.2, color=color, align="center")


def _draw_street_space(canvas: Canvas, space: Space) -> None:
    canvas.circle(0, 0, DISC_RADIUS, fill=PAPER, stroke=INK, line=0.9)
    _draw_minutes(canvas, space, 1.6)
    _draw_space_id(canvas, space, -9.3)


def _draw_uh_oh_space(canvas: Canvas, space: Space) -> None:
    emblems.draw_burst(canvas, 0, 0, DISC_RADIUS + 3.2, UH_OH_DARK, 20)
    canvas.circle(0, 0, DISC_RADIUS - 1.0, fill=UH_OH)
    canvas.text(0, 5.4, "UH-OH!", 5.0, font=BOLD, color=UH_OH_DARK, align="center", track=0.2)
    _draw_minutes(canvas, space, -0.4, 10.0, INK)
    _draw_space_id(canvas, space, -9.2, INK)


def _draw_station(canvas: Canvas, space: Space, number: int, color: Color) -> None:
    canvas.circle(0, 0, DISC_RADIUS + 1.0, fill=PAPER)
    canvas.circle(0, 0, DISC_RADIUS - 1.2, stroke=color, line=4.2, fill=PAPER)
    canvas.circle(0, 0, DISC_RADIUS - 1.2, stroke=PAPER, line=1.1, dash=LINE_DASHES[number % len(LINE_DASHES)])
    emblems.draw_metro_sign(canvas, 0, 6.8, 3.2, color)
    _draw_minutes(canvas, space, -0.8, 9.2)
    _draw_space_id(canvas, space, -8.7)


def _draw_house(canvas: Canvas, board: Board, house: str) -> None:
    number = board.houses.index(house)
    color = HOUSES[number % len(HOUSES)]
    canvas.circle(0, 0, DISC_RADIUS + 3.2, fill=PAPER, stroke=color, line=1.6)
    with canvas.at(0, -2.4):
        emblems.draw_house(canvas, 21, color)
    with canvas.at(0, -3.2):
        emblems.draw_house_badge(canvas, number, house_letter(board, house), 7.4)


def _draw_workplace(canvas: Canvas) -> None:
    """Draws the workplace: office towers, some windows lit, and the word WORK."""
    for x, width, height in ((-27, 12, 30), (15, 13, 34), (-14, 28, 44)):
        canvas.box(x, -24, width, height, fill=INK, radius=0.8)
        for column in range(int(width / 4)):
            for row in range(int((height - 14) / 5)):
                lit = (column * 5 + row * 3 + int(width)) % 4 == 0
                left = x + (width - int(width / 4) * 4) / 2 + column * 4 + 0.9
                canvas.box(left, -24 + height - 5.4 - row * 5, 2.2, 3, fill=UH_OH if lit else MUTED)
    canvas.text(0, -21, "WORK", 9, font=BOLD, color=PAPER, align="center", track=0.6)
