"""The city of a Commute board as the page draws it: streets, metro tracks, spaces.

Law: pure. Units are those of the board file, x to the right, y down; phones held upright stretch the map from top to
bottom.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from companion.games.commute.board import Board, Space, SpaceKind
from companion.games.commute.names import line_letter, line_name
from companion.games.commute.page.pawn_places import PawnPlace, pawn_places
from companion.text.messages import Text, TextLike, _

MARGIN: Final = 32
"""The width of the margin around the outermost spaces, in units of the board file."""
SIGN_SHARE: Final = 0.65
"""The position of the metro line's letter on a track, as a fraction of the track's length. It is not the middle, where
streets often cross."""
PATTERNS: Final = ("plain", "dashed", "double", "dotted")
"""The patterns of the tracks of the first, second, … metro line; they tell the lines apart without color."""


@dataclass(frozen=True)
class MapFrame:
    """The rectangle that the drawing covers, in units of the board file."""

    left: int
    top: int
    width: int
    height: int

    def __str__(self) -> str:
        """The rectangle as the `viewBox` attribute of an SVG drawing."""
        return f"{self.left} {self.top} {self.width} {self.height}"

    def place(self, space: Space) -> str:
        """The CSS custom properties that say where a space is on the map: `--x` and `--y` are the coordinates of its
        center, in fractions of the width and height of the map."""
        across, down = (space.xy[0] - self.left) / self.width, (space.xy[1] - self.top) / self.height
        return f"--x:{across:.4f};--y:{down:.4f}"


@dataclass(frozen=True)
class MetroLine:
    """A metro line: its name on the board, its title for people, its letter and its pattern."""

    name: str
    title: Text
    letter: TextLike
    pattern: str
    closed: int
    """The number of turns that the line stays closed; 0 if it runs."""


@dataclass(frozen=True)
class Spot:
    """A space on the page. `owner` is the seat that lives there; None unless the space is a player's house. `words`
    describe the space to screen readers. `pawns` are the places for pawns, the best one first."""

    id: str
    kind: SpaceKind
    minutes: str
    line: MetroLine | None
    xy: tuple[int, int]
    place: str
    owner: int | None
    words: Text
    pawns: tuple[PawnPlace, ...]


@dataclass(frozen=True, eq=False)
class City:
    """The whole drawing. `streets`: the SVG path data of each street. `tracks`: for each track, its metro line, its SVG
    path data, and the point at which the letter of the metro line is drawn."""

    box: MapFrame
    streets: tuple[str, ...]
    tracks: tuple[tuple[MetroLine, str, tuple[float, float]], ...]
    lines: tuple[MetroLine, ...]
    spots: Mapping[str, Spot]


def city(board: Board, houses: Mapping[str, int], closed: Mapping[str, int]) -> City:
    """The drawing of a board. `houses` maps each house to its seat. `closed` maps each closed metro line to the number
    of turns for which it stays closed."""
    return _city(board, tuple(houses.items()), tuple(closed.items()))


@lru_cache(maxsize=8)
def _city(board: Board, house_items: tuple[tuple[str, int], ...], closed_items: tuple[tuple[str, int], ...]) -> City:
    """The drawing of a board. The arguments are tuples, so that the drawing can be cached: it changes only when a metro
    line closes or reopens."""
    box, houses, closed = _bounds(board), dict(house_items), dict(closed_items)
    lines = {
        name: MetroLine(name, line_name(name), line_letter(name), PATTERNS[number % len(PATTERNS)], closed.get(name, 0))
        for number, name in enumerate(board.lines)
    }
    spots = {
        id: Spot(
            id,
            space.kind,
            minutes_text(space.minutes),
            lines.get(space.line or ""),
            space.xy,
            box.place(space),
            houses.get(id),
            space_description(board, space),
            pawn_places(board.spaces, id, (box.left, box.top, box.width, box.height)),
        )
        for id, space in board.spaces.items()
    }
    return City(box, tuple(_streets(board)), tuple(_tracks(board, lines)), tuple(lines.values()), spots)


def minutes_text(minutes: int) -> str:
    """The minutes of a space as text: "3", "0" or "−2". Unlike `names.signed`, it writes no plus sign, since most
    spaces add minutes."""
    return f"−{-minutes}" if minutes < 0 else f"{minutes}"


def space_description(board: Board, space: Space) -> Text:
    """The kind of a space in words, for people who can't see the map."""
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


def _bounds(board: Board) -> MapFrame:
    """The rectangle around all spaces of a board, with the margin."""
    xs, ys = zip(*(space.xy for space in board.spaces.values()), strict=True)
    left, top = min(xs) - MARGIN, min(ys) - MARGIN
    return MapFrame(left, top, max(xs) + MARGIN - left, max(ys) + MARGIN - top)


def _streets(board: Board) -> Iterator[str]:
    for one, other in board.edges:
        if not board.metro(one, other):
            yield _path_data(board, one, other)


def _tracks(board: Board, lines: Mapping[str, MetroLine]) -> Iterator[tuple[MetroLine, str, tuple[float, float]]]:
    for one, other in board.edges:
        if name := board.metro(one, other):
            (left, top), (right, bottom) = board.spaces[one].xy, board.spaces[other].xy
            yield (
                lines[name],
                _path_data(board, one, other),
                (left + (right - left) * SIGN_SHARE, top + (bottom - top) * SIGN_SHARE),
            )


def _path_data(board: Board, one: str, other: str) -> str:
    """The SVG path data of the straight line between two spaces."""
    (left, top), (right, bottom) = board.spaces[one].xy, board.spaces[other].xy
    return f"M{left} {top}L{right} {bottom}"
