"""The city of a Commute board as its page draws it: streets, metro tracks, spaces.

Law: pure. Units are those of the board's file, x to the right, y down; phones held upright see it turned a quarter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from companion.games.commute.board import Board, Kind, Space
from companion.games.commute.labels import line_name
from companion.text.translation import _

MARGIN: Final = 32
"""Units around the outermost spaces."""
SIGN: Final = 0.65
"""Where along a track its line's letter stands: off the middle, where streets often cross."""
PATTERNS: Final = ("plain", "dashed", "double", "dotted")
"""How the tracks of the first, second, … line are drawn, so that nobody needs their colors to tell them apart."""


@dataclass(frozen=True)
class Box:
    """What the drawing covers."""

    left: int
    top: int
    width: int
    height: int

    def __str__(self) -> str:
        """As the `viewBox` of a drawing."""
        return f"{self.left} {self.top} {self.width} {self.height}"

    def place(self, space: Space) -> str:
        """A space's middle as parts of the width and of the height, for the style sheet to put something there."""
        across, down = (space.xy[0] - self.left) / self.width, (space.xy[1] - self.top) / self.height
        return f"--x:{across:.4f};--y:{down:.4f}"


@dataclass(frozen=True)
class Line:
    """A metro line: how its board names it, how people call it, its letter, its pattern."""

    name: str
    title: str
    letter: str
    pattern: str
    closed: int
    """Turns that it is shut for; 0: it runs."""


@dataclass(frozen=True)
class Spot:
    """A space on the page. `owner`: the seat whose house it is."""

    id: str
    kind: Kind
    minutes: str
    line: Line | None
    xy: tuple[int, int]
    place: str
    owner: int | None
    words: str


@dataclass(frozen=True)
class City:
    """The whole drawing. Streets and tracks are pairs of points; and of a track the place of its letter."""

    box: Box
    streets: tuple[str, ...]
    tracks: tuple[tuple[Line, str, tuple[float, float]], ...]
    lines: tuple[Line, ...]
    spots: Mapping[str, Spot]


def city(board: Board, houses: Mapping[str, int], closed: Mapping[str, int]) -> City:
    """A board; `houses` says whose they are, `closed` which lines are shut."""
    box = _box(board)
    lines = {
        name: Line(name, line_name(name), name[0].upper(), PATTERNS[number % len(PATTERNS)], closed.get(name, 0))
        for number, name in enumerate(board.lines)
    }
    spots = {
        id: Spot(
            id,
            space.kind,
            signed(space.minutes),
            lines.get(space.line or ""),
            space.xy,
            box.place(space),
            houses.get(id),
            called(board, space),
        )
        for id, space in board.spaces.items()
    }
    return City(box, tuple(_streets(board)), tuple(_tracks(board, lines)), tuple(lines.values()), spots)


def signed(minutes: int) -> str:
    """ "3", "0" or "−2": most spaces add, so only what they take is marked."""
    return f"−{-minutes}" if minutes < 0 else f"{minutes}"


def called(board: Board, space: Space) -> str:
    """A space for who can't see it."""
    match space.kind:
        case "street":
            return _("street")
        case "uh_oh":
            return _("“Uh-Oh!” space")
        case "station":
            return _("station of the {line}", line=line_name(space.line or ""))
        case "house":
            return _("house")
        case "work":
            return _("work")


def _box(board: Board) -> Box:
    xs, ys = zip(*(space.xy for space in board.spaces.values()), strict=True)
    left, top = min(xs) - MARGIN, min(ys) - MARGIN
    return Box(left, top, max(xs) + MARGIN - left, max(ys) + MARGIN - top)


def _streets(board: Board) -> Iterator[str]:
    for one, other in board.edges:
        if not board.metro(one, other):
            yield _path(board, one, other)


def _tracks(board: Board, lines: Mapping[str, Line]) -> Iterator[tuple[Line, str, tuple[float, float]]]:
    for one, other in board.edges:
        if name := board.metro(one, other):
            (left, top), (right, bottom) = board.spaces[one].xy, board.spaces[other].xy
            yield lines[name], _path(board, one, other), (left + (right - left) * SIGN, top + (bottom - top) * SIGN)


def _path(board: Board, one: str, other: str) -> str:
    (left, top), (right, bottom) = board.spaces[one].xy, board.spaces[other].xy
    return f"M{left} {top}L{right} {bottom}"
