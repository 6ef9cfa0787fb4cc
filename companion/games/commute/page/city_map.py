"""The city of a Commute board as the page draws it: streets, metro tracks and spaces.

Law: pure. Units are those of the board file; x points right and y points down. Phones held upright stretch the map
vertically.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from companion.games.commute.board import Board, Space, SpaceKind
from companion.games.commute.display_names import line_name, line_sign
from companion.games.commute.page.pawn_places import PawnPlace, pawn_places
from companion.text.messages import Text, TextLike, _

MARGIN: Final = 32
"""The width of the margin around the outermost spaces, in units of the board file."""
SIGN_POSITIONS: Final = tuple(part / 40 for part in range(8, 33))
"""The possible positions of a metro line's sign on a track, as fractions of the track's length."""
SIGN_SIZE: Final = (50, 18)
"""The width and height of a sign on a phone, in units of the board file."""
SPOT_SIZE: Final = (34, 34, 44)
"""The width of a space on a phone, its height without its name, and its height with its name below it, in units of the
board file."""
PATTERNS: Final = ("plain", "dashed", "double", "dotted")
"""The patterns of the metro lines' tracks, in the order of the lines. They distinguish the lines without color."""


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
        """The CSS custom properties that place a space on the map. `--x` and `--y` are the coordinates of its center,
        as fractions of the map's width and height."""
        across, down = (space.xy[0] - self.left) / self.width, (space.xy[1] - self.top) / self.height
        return f"--x:{across:.4f};--y:{down:.4f}"


@dataclass(frozen=True)
class MetroLine:
    """A metro line: its name on the board, its title for people, the word on its signs, and its pattern."""

    name: str
    title: Text
    sign: TextLike
    pattern: str
    closed: int
    """The number of turns for which the line stays closed. 0 if the line is open."""


@dataclass(frozen=True)
class Spot:
    """A space on the page. `owner` is the seat whose house this is; None for a space that is no player's house. `words`
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
    """The whole drawing. `streets`: the SVG path data of each street. `tracks`: the metro line and the SVG path data of
    each track. `signs`: the metro line and the center of each sign."""

    box: MapFrame
    streets: tuple[str, ...]
    tracks: tuple[tuple[MetroLine, str], ...]
    signs: tuple[tuple[MetroLine, tuple[float, float]], ...]
    lines: tuple[MetroLine, ...]
    spots: Mapping[str, Spot]


def city(board: Board, houses: Mapping[str, int], closed: Mapping[str, int]) -> City:
    """The drawing of a board. `houses` maps the players' houses to their seats. `closed` maps each closed metro line to
    the number of turns for which it stays closed."""
    return _city(board, tuple(houses.items()), tuple(closed.items()))


@lru_cache(maxsize=8)
def _city(board: Board, house_items: tuple[tuple[str, int], ...], closed_items: tuple[tuple[str, int], ...]) -> City:
    """The drawing of a board. It is cached, because it changes only when a metro line closes or reopens. The arguments
    are tuples because they must be hashable."""
    box, houses, closed, pawns = _bounds(board), dict(house_items), dict(closed_items), _pawn_places(board)
    lines = {
        name: MetroLine(name, line_name(name), line_sign(name), PATTERNS[number % len(PATTERNS)], closed.get(name, 0))
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
            pawns[id],
        )
        for id, space in board.spaces.items()
    }
    return City(
        box,
        tuple(_streets(board)),
        tuple(_tracks(board, lines)),
        tuple(_signs(board, lines)),
        tuple(lines.values()),
        spots,
    )


@lru_cache(maxsize=8)
def _pawn_places(board: Board) -> Mapping[str, tuple[PawnPlace, ...]]:
    """The places for pawns on each space of a board. They are cached, because finding them takes much longer than the
    rest of the drawing."""
    box = _bounds(board)
    frame = box.left, box.top, box.width, box.height
    return {id: pawn_places(board.spaces, id, frame) for id in board.spaces}


def minutes_text(minutes: int) -> str:
    """The minutes of a space as text: "3", "0" or "−2". Unlike `names.signed`, this writes no plus sign, since most
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
    """The rectangle around all spaces of a board, including the margin."""
    xs, ys = zip(*(space.xy for space in board.spaces.values()), strict=True)
    left, top = min(xs) - MARGIN, min(ys) - MARGIN
    return MapFrame(left, top, max(xs) + MARGIN - left, max(ys) + MARGIN - top)


def _streets(board: Board) -> Iterator[str]:
    for one, other in board.edges:
        if not board.metro(one, other):
            yield _path_data(board, one, other)


def _tracks(board: Board, lines: Mapping[str, MetroLine]) -> Iterator[tuple[MetroLine, str]]:
    for one, other in board.edges:
        if name := board.metro(one, other):
            yield lines[name], _path_data(board, one, other)


def _signs(board: Board, lines: Mapping[str, MetroLine]) -> Iterator[tuple[MetroLine, tuple[float, float]]]:
    """Yields the metro lines' signs: one for each track that has room for a sign. A line without such a track gets a
    sign on the track with the most room."""
    for name, line in lines.items():
        tracks = [edge for edge in board.edges if board.metro(*edge) == name]
        places = sorted((_sign_place(board, *track) for track in tracks), reverse=True)
        yield from ((line, at) for number, (gap, at) in enumerate(places) if number == 0 or gap >= 0)


def _sign_place(board: Board, one: str, other: str) -> tuple[float, tuple[float, float]]:
    """The best place for a sign on the track between two stations, as a pair: the gap between the sign and the nearest
    space, and the center of the sign."""
    (left, top), (right, bottom) = board.spaces[one].xy, board.spaces[other].xy
    along = ((left + (right - left) * part, top + (bottom - top) * part) for part in SIGN_POSITIONS)
    return max((min(_gap(at, space.xy) for space in board.spaces.values()), at) for at in along)


def _gap(sign: tuple[float, float], spot: tuple[int, int]) -> float:
    """The gap between a sign and a space with its name below it, both given by their centers. Negative if they
    overlap."""
    across = abs(sign[0] - spot[0]) - (SIGN_SIZE[0] + SPOT_SIZE[0]) / 2
    is_below = sign[1] > spot[1]
    reach = SPOT_SIZE[2] - SPOT_SIZE[1] / 2 if is_below else SPOT_SIZE[1] / 2
    return max(across, abs(sign[1] - spot[1]) - SIGN_SIZE[1] / 2 - reach)


def _path_data(board: Board, one: str, other: str) -> str:
    """The SVG path data of the straight line between two spaces."""
    (left, top), (right, bottom) = board.spaces[one].xy, board.spaces[other].xy
    return f"M{left} {top}L{right} {bottom}"
