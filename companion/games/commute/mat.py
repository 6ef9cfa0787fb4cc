"""The mat of Commute: a board drawn to scale, with a zone around each space and the piles at its sides.

Law: pure data, in millimeters. The mat is 16:9, so that it fills the camera's picture. It measures 730 x 411 mm, so
that it can be printed on eight sheets of A4 or Letter.

An image that is 1920 pixels wide and shows the mat with a margin of a hand's breadth has 2.5 pixels per millimeter.
That is 3.0 pixels per module for the codes of cards (25 mm) and 2.6 for those of pieces (22 mm). A larger mat would not
help: the codes could be larger, but there would be fewer pixels per millimeter.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

from companion.games.commute.board import MIN_SPACING, Board, Space
from companion.tabletop.mat import Mat, Point, Zone, corners, rectangle

SIZE: Final = (730.0, 411.0)

STREETS_AREA: Final = (104.0, 20.0, 522.0, 371.0)
"""Left, top, width and height of the part of the mat that contains the centers of all spaces, in mm."""
SPACE_RADIUS: Final = MIN_SPACING / 2
"""The radius of the area that a piece needs around the center of a space, in mm. The zone of the workplace leaves this
area to each of its neighbors."""
REACH: Final = 22.0
"""The largest distance from the center of a space at which a piece still counts as standing on the space, in mm. If
another space is nearer, the piece counts as standing there."""
WORK_REACH: Final = 54.0
"""The largest distance from the center of the workplace at which a piece still counts as standing there, in mm. There
must be room for all pieces."""
OUTLINE_CORNERS: Final = 24
"""The number of corners of a space's outline before the outline is clipped at its neighbors."""

SLOT: Final = (70.0, 96.0)
"""Width and height of the place for one pile of cards, in mm."""
SLOTS: Final = ((8.0, 652.0), (53.0, 157.0, 261.0))
"""The left edges of the two columns of piles and the top edges of their three rows, in mm."""

DECK, DISCARD, SHOW, UH_OH_DECK, UH_OH = "deck", "discard", "show", "uh-oh-deck", "uh-oh"


@lru_cache(maxsize=8)
def mat_for(board: Board) -> Mat:
    """The mat of a board: a zone for each pile and each space, and the codes in the corners."""
    spaces = (
        Zone(space.id, zone_title(board, space.id), _outline(board, space), "any") for space in board.spaces.values()
    )
    return Mat(SIZE, corners("MAT-CM", SIZE), (*_piles(), *spaces))


def zone_title(board: Board, space: str) -> str:
    """The title of a space's zone, such as "space s12", "house A" or "the workplace"."""
    if space == board.work:
        return "the workplace"
    return f"house {house_letter(board, space)}" if space in board.houses else f"space {space}"


def house_letter(board: Board, house: str) -> str:
    """The letter of a house: "A" for the first house in the board file, "B" for the second, and so on."""
    return chr(ord("A") + board.houses.index(house))


def scale(board: Board) -> float:
    """The number of millimeters on the mat for each unit of the board's drawing."""
    _, (width, height) = _drawing_bounds(board)
    return min(STREETS_AREA[2] / max(width, MIN_SPACING), STREETS_AREA[3] / max(height, MIN_SPACING))


def space_center(board: Board, space: str) -> Point:
    """The center of a space on the mat, in mm. The board's drawing is centered in STREETS_AREA."""
    (x, y), by = board.spaces[space].xy, scale(board)
    (left, top), (width, height) = _drawing_bounds(board)
    return (
        STREETS_AREA[0] + STREETS_AREA[2] / 2 + (x - left - width / 2) * by,
        STREETS_AREA[1] + STREETS_AREA[3] / 2 + (y - top - height / 2) * by,
    )


@lru_cache(maxsize=8)
def _drawing_bounds(board: Board) -> tuple[Point, Point]:
    """The bounding box of all spaces of a board, with extra room around the workplace: its top left corner and its
    size, in the units of the board's drawing."""
    (x, y), room = board.spaces[board.work].xy, WORK_REACH - SPACE_RADIUS
    square = ((x - room, y - room), (x + room, y + room))
    across, down = zip(*square, *(space.xy for space in board.spaces.values()), strict=True)
    return (min(across), min(down)), (max(across) - min(across), max(down) - min(down))


def _outline(board: Board, space: Space) -> tuple[Point, ...]:
    """The outline of a space's zone, in mm. The zone contains the points within reach that are nearer to this space
    than to any other.

    The zone of the workplace is larger: it leaves each neighbor only the area that a piece needs.
    """
    x, y = space_center(board, space.id)
    reach = WORK_REACH if space.id == board.work else REACH
    turns = (2 * math.pi * (side + 0.5) / OUTLINE_CORNERS for side in range(OUTLINE_CORNERS))
    outline = [(x + reach * math.cos(turn), y + reach * math.sin(turn)) for turn in turns]
    for other in board.spaces:
        there = space_center(board, other)
        if other != space.id and (apart := math.dist((x, y), there)) < reach + REACH + SPACE_RADIUS:
            outline = _clip(outline, (x, y), there, _boundary_distance(board, space.id, other, apart))
    return tuple((round(a, 1), round(b, 1)) for a, b in outline)


def _boundary_distance(board: Board, space: str, other: str, apart: float) -> float:
    """How far a space's zone extends from its center toward the center of another space, in mm. `apart` is the distance
    between the two centers, in mm."""
    if space == board.work:
        return max(apart / 2, apart - SPACE_RADIUS)
    return min(apart / 2, SPACE_RADIUS) if other == board.work else apart / 2


def _clip(outline: list[Point], here: Point, there: Point, limit: float) -> list[Point]:
    """Cuts off the part of a convex outline that is more than `limit` away from `here` in the direction of `there`."""
    apart = math.dist(here, there)
    toward = ((there[0] - here[0]) / apart, (there[1] - here[1]) / apart)
    beyond = [(x - here[0]) * toward[0] + (y - here[1]) * toward[1] - limit for x, y in outline]
    clipped: list[Point] = []
    for number, (one, past) in enumerate(zip(outline, beyond, strict=True)):
        before, was = outline[number - 1], beyond[number - 1]
        if (past > 0) != (was > 0):
            part = was / (was - past)
            clipped.append((before[0] + part * (one[0] - before[0]), before[1] + part * (one[1] - before[1])))
        if past <= 0:
            clipped.append(one)
    return clipped


def _piles() -> tuple[Zone, ...]:
    return (
        _pile(DECK, "Deck", 0, 0),
        _pile(DISCARD, "Discards", 0, 1),
        _pile(SHOW, "Show the camera", 0, 2, secret=True),
        _pile(UH_OH_DECK, "“Uh-Oh!” deck", 1, 0),
        _pile(UH_OH, "“Uh-Oh!” cards", 1, 1),
    )


def _pile(name: str, title: str, column: int, row: int, *, secret: bool = False) -> Zone:
    """The zone of a pile. `column` and `row` are indices into SLOTS. If the zone is `secret`, phones never name the
    components that the camera sees there."""
    return Zone(name, title, rectangle(SLOTS[0][column], SLOTS[1][row], *SLOT), "pile", secret)
