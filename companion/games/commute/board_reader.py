"""Reads the boards of Commute from TOML files and checks them.

A file lists spaces by kind, one on each line, and the streets as chains of spaces:

    [board]            name = "metropolis"
    [streets]          s1 = [120, 40, 3]          x, y and the minutes that landing there adds
    [uh_oh]            s2 = [160, 40, 2]
    [stations]         s3 = [200, 40, 5]
    [houses]           h1 = [80, 40]
    [work]             work = [300, 95]
    [roads]            ring = ["s1", "s2", "s3"]  an edge joins each space to the next one
    [lines]            red = ["s3", "s9"]         a metro line's stations; an edge joins each to the next one
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from companion.games.commute.board import MIN_SPACING, SIZE, Board, Space, SpaceKind
from companion.text.messages import _
from companion.text.toml_files import TomlDocument, TomlTable, load, unknown_key_message

FOLDER: Final = Path(__file__).with_name("boards")
SPACE_KINDS: Final[Mapping[str, SpaceKind]] = {
    "streets": "street",
    "uh_oh": "uh_oh",
    "stations": "station",
    "houses": "house",
    "work": "work",
}
HEADERS: Final = ("board", *SPACE_KINDS, "roads", "lines")
ID: Final = r"[a-z0-9][a-z0-9-]{0,19}"
MIN_SPACE_MINUTES: Final = -3
"""The fewest minutes that landing on a space may add. Negative numbers save minutes."""
MAX_SPACE_MINUTES: Final = 8
MIN_HOUSES: Final = 2


@cache
def files() -> Mapping[str, Path]:
    """The files of the built-in boards, by board name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}


@cache
def boards() -> Mapping[str, Board]:
    """The built-in boards by name. They are read only once. Raises DataError if a file has errors."""
    return {name: read(load(path)) for name, path in files().items()}


def read(document: TomlDocument) -> Board:
    """The board that a document describes. If a check fails, raises DataError, which names the line."""
    for header, tables in document.tables.items():
        if header not in HEADERS:
            tables[0].fail(None, unknown_key_message(f"[{header}]", HEADERS))
    # Missing tables are reported first; otherwise the error would blame the roads that lead to their spaces.
    head, roads, work, houses = (document.one(header) for header in ("board", "roads", "work", "houses"))
    if len(work.values) != 1:
        work.fail(None, _("there must be one workplace."))
    if len(houses.values) < MIN_HOUSES:
        houses.fail(None, _("there must be {n} houses or more.", n=MIN_HOUSES))
    spaces = _spaces(document, _line_by_station(document))
    edges = _edges([roads, *document.tables.get("lines", ())], spaces)
    board = Board(head.text("name", ID), spaces, edges, next(iter(work.values)), tuple(houses.values))
    head.refuse_unknown_keys()
    _check_routes(document, board)
    return board


def _line_by_station(document: TomlDocument) -> dict[str, str]:
    """Maps each station to its metro line. Raises DataError if a line names a space that is not a station, or if two
    lines share a station."""
    line_of: dict[str, str] = {}
    stations = {station for table in document.tables.get("stations", ()) for station in table.values}
    for table in document.tables.get("lines", ()):
        for line in table.values:
            for station in table.names(line, None, 2, 99):
                if station not in stations:
                    message = _(
                        "{line} contains {station}, which isn’t under [stations].", line=line, station=repr(station)
                    )
                    table.fail(line, message)
                if line_of.setdefault(station, line) != line:
                    table.fail(
                        line, _("{station} is already a station of {line}.", station=station, line=line_of[station])
                    )
    return line_of


def _spaces(document: TomlDocument, lines: Mapping[str, str]) -> dict[str, Space]:
    spaces: dict[str, Space] = {}
    for header, kind in SPACE_KINDS.items():
        for table in document.tables.get(header, ()):
            for id in table.values:
                space = _space(table, id, kind, lines.get(id))
                if id in spaces:
                    table.fail(id, _("{name} is in the file twice.", name=id))
                _check_spacing(table, space, spaces)
                spaces[id] = space
    return spaces


def _space(table: TomlTable, id: str, kind: SpaceKind, line: str | None) -> Space:
    if not re.fullmatch(ID, id):
        message = _("a space can’t be called {name}. Use lowercase letters, digits and hyphens.", name=repr(id))
        table.fail(id, message)
    given = table.whole_numbers(id)
    wanted = 2 if kind in ("house", "work") else 3
    if len(given) != wanted:
        what = _("x, y and minutes") if wanted == 3 else "x, y"
        table.fail(id, _("{name} contains {n} numbers; it must contain {what}.", name=id, n=len(given), what=what))
    x, y, minutes = (*given, 0)[:3]
    if not (0 <= x <= SIZE[0] and 0 <= y <= SIZE[1]):
        wide, high = SIZE
        message = _(
            "{name} is at {x}, {y}, but the drawing is {wide} by {high}.", name=id, x=x, y=y, wide=wide, high=high
        )
        table.fail(id, message)
    if not MIN_SPACE_MINUTES <= minutes <= MAX_SPACE_MINUTES:
        message = _(
            "{name} adds {n} minutes; it may add {few} to {most}.",
            name=id,
            n=minutes,
            few=MIN_SPACE_MINUTES,
            most=MAX_SPACE_MINUTES,
        )
        table.fail(id, message)
    if kind == "station" and line is None:
        table.fail(id, _("{name} isn’t a station of any line.", name=id))
    return Space(id, kind, minutes, line, (x, y))


def _check_spacing(table: TomlTable, space: Space, others: Mapping[str, Space]) -> None:
    """Raises DataError if a space is too close to another."""
    for other in others.values():
        across, down = space.xy[0] - other.xy[0], space.xy[1] - other.xy[1]
        if across**2 + down**2 < MIN_SPACING**2:
            message = _(
                "{name} is too close to {other}. Keep them at least {n} units apart.",
                name=space.id,
                other=other.id,
                n=MIN_SPACING,
            )
            table.fail(space.id, message)


def _check_routes(document: TomlDocument, board: Board) -> None:
    """Raises DataError unless every space can be reached from each house and from the workplace without passing through
    a house or the workplace."""
    for table in (document.one(header) for header in ("houses", "work")):
        for end in table.values:
            reached = _reachable_spaces(board, end)
            missing = next((space for space in board.spaces if space not in reached), None)
            if missing:
                message = _(
                    "there’s no way from {start} to {end} that avoids houses and the workplace.",
                    start=end,
                    end=missing,
                )
                table.fail(end, message)


def _reachable_spaces(board: Board, start: str) -> set[str]:
    """The spaces that can be reached from `start` without passing through a house or the workplace."""
    reached, heads = {start}, [start]
    while heads:
        here = heads.pop()
        new = [] if here in board.ends and here != start else set(board.neighbors[here]) - reached
        reached.update(new)
        heads.extend(new)
    return reached


def _edges(tables: Iterable[TomlTable], spaces: Mapping[str, Space]) -> tuple[tuple[str, str], ...]:
    edges: dict[tuple[str, str], None] = {}
    for table in tables:
        for road in table.values:
            for one, other in pairwise(table.names(road, spaces, 2, 99)):
                if one == other or (one, other) in edges or (other, one) in edges:
                    table.fail(
                        road, _("{one} and {other} are connected twice, or are the same space.", one=one, other=other)
                    )
                edges[one, other] = None
    return tuple(edges)
