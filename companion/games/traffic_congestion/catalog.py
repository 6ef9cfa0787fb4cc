"""The boards of Traffic Congestion, read from files and checked: those that come with the game, or a person's own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Final

from companion.games.traffic_congestion.board import COLORS, Board, Gate, Spot
from companion.text.data_files import Document, TomlTable, load
from companion.text.translation import _

FOLDER: Final = Path(__file__).with_name("boards")
HEADERS: Final = ("board", "intersection", "gate", "street", "sides")
NAME: Final = r"[A-Za-z0-9-]+"
FARTHEST: Final = 999
MOST_STREETS: Final = 8
"""At one intersection; more could not be told apart on a board."""

Streets = Mapping[tuple[str, str], TomlTable]
"""Each street, with the table of the file that draws it."""

Ends = tuple[Spot, Spot]
"""Where a street begins and ends."""


def files() -> dict[str, Path]:
    """The files of the boards that come with the game, by the boards' names."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}


@cache
def boards() -> Mapping[str, Board]:
    """The boards that come with the game, read once; raises DataError."""
    return {name: read(load(path)) for name, path in files().items()}


def read(document: Document) -> Board:
    """A checked board; raises DataError that names the line."""
    for header, tables in document.tables.items():
        if header not in HEADERS:
            tables[0].fail(
                None,
                _("{header} means nothing here; known are {known}.", header=f"[{header}]", known=", ".join(HEADERS)),
            )
    about = document.one("board")
    name = about.text("name", r".{1,40}")
    about.done()
    intersections, gates, streets = _spots(document)
    board = Board(name, intersections, gates, tuple(streets), _sides(document.one("sides"), gates))
    _check_places(document, board)
    _check_streets(board, streets)
    _check_joined(document, board)
    return board


# Reading ----------------------------------------------------------------------------------------------


def _spots(document: Document) -> tuple[dict[str, Spot], dict[str, Gate], Streets]:
    intersections: dict[str, Spot] = {}
    gates: dict[str, Gate] = {}
    streets: dict[tuple[str, str], TomlTable] = {}
    for table in document.each("intersection"):
        spot = Spot(_new_id(table, intersections), *_place(table))
        intersections[spot.id] = spot
        table.done()
    for table in document.each("gate"):
        gate = Gate(_new_id(table, {**intersections, **gates}), *_place(table), table.text("side", NAME))
        gates[gate.id] = gate
        streets[gate.id, table.name("street_to", intersections)] = table
        table.done()
    for table in document.tables.get("street", ()):
        streets[_street(table, intersections, streets)] = table
        table.done()
    return intersections, gates, streets


def _new_id(table: TomlTable, known: Collection[str]) -> str:
    name = table.text("id", NAME)
    if name in known:
        table.fail("id", _("{name} stands in the file twice.", name=name))
    return name


def _place(table: TomlTable) -> tuple[int, int]:
    at = table.numbers("at", 0, FARTHEST)
    if len(at) != 2:
        table.fail("at", _("at must be two numbers: how far to the east, and how far to the south."))
    return at[0], at[1]


def _street(table: TomlTable, intersections: Collection[str], streets: Streets) -> tuple[str, str]:
    one, other = table.names("between", intersections, 2, 2)
    if one == other:
        table.fail("between", _("a street leads from {one} to another intersection.", one=one))
    if (one, other) in streets or (other, one) in streets:
        table.fail(
            "between",
            _(
                "{one} and {other} are joined already; put an intersection into the second street.",
                one=one,
                other=other,
            ),
        )
    return one, other


def _sides(table: TomlTable, gates: Mapping[str, Gate]) -> dict[str, str]:
    there = tuple(dict.fromkeys(gate.side for gate in gates.values()))
    sides = {color: table.name(color, there) for color in COLORS}
    table.done()
    return sides


# Checking ---------------------------------------------------------------------------------------------


def _check_places(document: Document, board: Board) -> None:
    taken: dict[tuple[int, int], str] = {}
    spots = [*board.intersections.values(), *board.gates.values()]
    for table, spot in zip((*document.each("intersection"), *document.each("gate")), spots, strict=True):
        if other := taken.get((spot.x, spot.y)):
            table.fail("at", _("{spot} lies where {other} lies.", spot=spot.id, other=other))
        taken[spot.x, spot.y] = spot.id


def _check_streets(board: Board, streets: Streets) -> None:
    """Streets are straight, so two of them meet at the end of both or not at all."""
    for one, other in combinations(streets, 2):
        if _touch(board, one, other):
            streets[other].fail(
                None,
                _(
                    "the street from {a} to {b} runs into that from {c} to {d}; "
                    "lay it elsewhere, or put an intersection there.",
                    **dict(zip("abcd", (*other, *one), strict=True)),
                ),
            )


def _touch(board: Board, one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two streets have a point in common that isn't an end of both."""
    shared = set(one) & set(other)
    if shared:
        (a,), (b,) = set(one) - shared, set(other) - shared
        return _same_way(board.spot(*shared), board.spot(a), board.spot(b))
    first, second = (board.spot(one[0]), board.spot(one[1])), (board.spot(other[0]), board.spot(other[1]))
    return _on_both_sides(first, second) and _on_both_sides(second, first) and _overlap(first, second)


def _same_way(here: Spot, one: Spot, other: Spot) -> bool:
    """Whether two spots lie in exactly the same direction."""
    along = (one.x - here.x) * (other.x - here.x) + (one.y - here.y) * (other.y - here.y)
    return _side_of(here, one, other) == 0 and along > 0


def _on_both_sides(street: Ends, other: Ends) -> bool:
    """Whether the ends of the other street lie on different sides of the line along a street, or on it."""
    return _side_of(*street, other[0]) * _side_of(*street, other[1]) <= 0


def _side_of(start: Spot, end: Spot, spot: Spot) -> int:
    """On which side of the line through two spots a third lies: positive, negative, or 0 on the line."""
    return (end.x - start.x) * (spot.y - start.y) - (end.y - start.y) * (spot.x - start.x)


def _overlap(street: Ends, other: Ends) -> bool:
    """Whether the smallest upright rectangles around two streets have a point in common."""
    return all(
        min(one) <= max(two) and min(two) <= max(one)
        for one, two in (
            ([spot.x for spot in street], [spot.x for spot in other]),
            ([spot.y for spot in street], [spot.y for spot in other]),
        )
    )


def _check_joined(document: Document, board: Board) -> None:
    """From every intersection one can go on, and get to every other."""
    reached: set[str] = set()
    ahead = [next(iter(board.intersections))]
    while ahead:
        here = ahead.pop()
        if here not in reached:
            reached.add(here)
            ahead += board.neighbours(here)
    for table, name in zip(document.each("intersection"), board.intersections, strict=True):
        if name not in reached:
            table.fail(
                None, _("no street leads from {one} to {other}.", one=next(iter(board.intersections)), other=name)
            )
        meeting = len([*board.neighbours(name)])
        if not 2 <= meeting <= MOST_STREETS:
            table.fail(
                None,
                _("{n} streets meet at {name}; there must be 2 to {most}.", n=meeting, name=name, most=MOST_STREETS),
            )
