"""Reads and checks the board files of Traffic Congestion, both the built-in ones and those that people write
themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Final

from companion.games.traffic_congestion.board import COLORS, Board, Gate, Node
from companion.text.messages import _
from companion.text.toml_files import TomlDocument, TomlTable, load

FOLDER: Final = Path(__file__).with_name("boards")
HEADERS: Final = ("board", "intersection", "gate", "street", "sides")
NAME_PATTERN: Final = r"[A-Za-z0-9-]+"
MAX_COORDINATE: Final = 999
MAX_STREETS: Final = 8
"""The maximum number of streets at an intersection. With more, people could not tell the streets apart."""

StreetTables = Mapping[tuple[str, str], TomlTable]
"""Maps each street, given by its two nodes, to the TOML table that defines it."""

Ends = tuple[Node, Node]
"""The two nodes that a street connects."""


DEFAULT_BOARD: Final = "grid-2x2"


def board_files() -> dict[str, Path]:
    """The files of the built-in boards, by board name."""
    return {path.stem: path for path in sorted(FOLDER.glob("*.toml"))}


@cache
def boards() -> Mapping[str, Board]:
    """The built-in boards by name. They are read only once. Raises DataError if a file is invalid."""
    return {name: read_board(load(path)) for name, path in board_files().items()}


def read_board(document: TomlDocument) -> Board:
    """The board that a file describes. If the file is invalid, raises DataError, which names the faulty line."""
    for header, tables in document.tables.items():
        if header not in HEADERS:
            tables[0].fail(
                None,
                _("{header} is unknown. Known headers are {known}.", header=f"[{header}]", known=", ".join(HEADERS)),
            )
    board_table = document.one("board")
    name = board_table.text("name", r".{1,40}")
    board_table.refuse_unknown_keys()
    intersections, gates, streets = _nodes_and_streets(document)
    board = Board(name, intersections, gates, tuple(streets), _sides(document.one("sides"), gates))
    _check_coordinates(document, board)
    _check_streets(board, streets)
    _check_connections(document, board)
    return board


def _nodes_and_streets(document: TomlDocument) -> tuple[dict[str, Node], dict[str, Gate], StreetTables]:
    intersections: dict[str, Node] = {}
    gates: dict[str, Gate] = {}
    streets: dict[tuple[str, str], TomlTable] = {}
    for table in document.each("intersection"):
        node = Node(_new_id(table, intersections), *_coordinates(table))
        intersections[node.id] = node
        table.refuse_unknown_keys()
    for table in document.each("gate"):
        gate = Gate(_new_id(table, {**intersections, **gates}), *_coordinates(table), table.text("side", NAME_PATTERN))
        gates[gate.id] = gate
        streets[gate.id, table.name("street_to", intersections)] = table
        table.refuse_unknown_keys()
    for table in document.tables.get("street", ()):
        streets[_street(table, intersections, streets)] = table
        table.refuse_unknown_keys()
    return intersections, gates, streets


def _new_id(table: TomlTable, known: Collection[str]) -> str:
    name = table.text("id", NAME_PATTERN)
    if name in known:
        table.fail("id", _("{name} is in the file twice.", name=name))
    return name


def _coordinates(table: TomlTable) -> tuple[int, int]:
    at = table.numbers("at", 0, MAX_COORDINATE)
    if len(at) != 2:
        table.fail("at", _("at must be two numbers: how far to the east, and how far to the south."))
    return at[0], at[1]


def _street(table: TomlTable, intersections: Collection[str], streets: StreetTables) -> tuple[str, str]:
    one, other = table.names("between", intersections, 2, 2)
    if one == other:
        table.fail("between", _("a street goes from {one} to another intersection.", one=one))
    if (one, other) in streets or (other, one) in streets:
        table.fail(
            "between",
            _(
                "{one} and {other} are already connected. Put an intersection into the second street.",
                one=one,
                other=other,
            ),
        )
    return one, other


def _sides(table: TomlTable, gates: Mapping[str, Gate]) -> dict[str, str]:
    known_sides = tuple(dict.fromkeys(gate.side for gate in gates.values()))
    sides = {color: table.name(color, known_sides) for color in COLORS}
    table.refuse_unknown_keys()
    return sides


def _check_coordinates(document: TomlDocument, board: Board) -> None:
    """Raises DataError if two nodes are in the same place."""
    taken: dict[tuple[int, int], str] = {}
    nodes = [*board.intersections.values(), *board.gates.values()]
    for table, node in zip((*document.each("intersection"), *document.each("gate")), nodes, strict=True):
        if other := taken.get((node.x, node.y)):
            table.fail("at", _("{spot} is in the same place as {other}.", spot=node.id, other=other))
        taken[node.x, node.y] = node.id


def _check_streets(board: Board, streets: StreetTables) -> None:
    """Raises DataError if two streets have a point in common that is not an end of both. Streets are straight lines."""
    for one, other in combinations(streets, 2):
        if _streets_touch(board, one, other):
            streets[other].fail(
                None,
                _(
                    "the street from {a} to {b} runs into the one from {c} to {d}. Move it, or put an intersection "
                    "there.",
                    **dict(zip("abcd", (*other, *one), strict=True)),
                ),
            )


def _streets_touch(board: Board, one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two streets have a point in common that is not an end of both."""
    shared = set(one) & set(other)
    if shared:
        (a,), (b,) = set(one) - shared, set(other) - shared
        return _is_same_direction(board.node(*shared), board.node(a), board.node(b))
    first, second = (board.node(one[0]), board.node(one[1])), (board.node(other[0]), board.node(other[1]))
    return _straddles(first, second) and _straddles(second, first) and _bounding_boxes_touch(first, second)


def _is_same_direction(here: Node, one: Node, other: Node) -> bool:
    """Whether `one` and `other` are in exactly the same direction from `here`."""
    along = (one.x - here.x) * (other.x - here.x) + (one.y - here.y) * (other.y - here.y)
    return _side_of(here, one, other) == 0 and along > 0


def _straddles(street: Ends, other: Ends) -> bool:
    """Whether the ends of `other` lie on different sides of the infinite line through `street`, or at least one end
    lies on the line."""
    return _side_of(*street, other[0]) * _side_of(*street, other[1]) <= 0


def _side_of(start: Node, end: Node, node: Node) -> int:
    """A number that says on which side of the line from `start` to `end` a node lies. It is positive on one side,
    negative on the other, and 0 on the line."""
    return (end.x - start.x) * (node.y - start.y) - (end.y - start.y) * (node.x - start.x)


def _bounding_boxes_touch(street: Ends, other: Ends) -> bool:
    """Whether the bounding boxes of two streets have a point in common."""
    return all(
        min(one) <= max(two) and min(two) <= max(one)
        for one, two in (
            ([node.x for node in street], [node.x for node in other]),
            ([node.y for node in street], [node.y for node in other]),
        )
    )


def _check_connections(document: TomlDocument, board: Board) -> None:
    """Raises DataError unless all intersections are connected and each has 2 to MAX_STREETS streets."""
    reached: set[str] = set()
    to_visit = [next(iter(board.intersections))]
    while to_visit:
        here = to_visit.pop()
        if here not in reached:
            reached.add(here)
            to_visit += board.neighbors(here)
    for table, name in zip(document.each("intersection"), board.intersections, strict=True):
        if name not in reached:
            table.fail(
                None, _("there’s no street from {one} to {other}.", one=next(iter(board.intersections)), other=name)
            )
        street_count = len([*board.neighbors(name)])
        if not 2 <= street_count <= MAX_STREETS:
            table.fail(
                None,
                _(
                    "{n} streets meet at {name}; there must be 2 to {most}.",
                    n=street_count,
                    name=name,
                    most=MAX_STREETS,
                ),
            )
