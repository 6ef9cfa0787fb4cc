"""Boards of Traffic Congestion: the shipped boards, the contents of board files, and which paths cross."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random

import pytest

from companion.__main__ import main
from companion.games.traffic_congestion.board import DrivingSide, RoadNetwork, paths_cross
from companion.games.traffic_congestion.board_reader import board_files, boards, read_board
from companion.games.traffic_congestion.game import GAME
from companion.text.toml_files import DataError, load, parse
from tests.traffic_positions import GRID
from tests.traffic_reference import ReferenceBoard, once_around, star

SIDES: tuple[DrivingSide, ...] = ("right", "left")
every_board = pytest.mark.parametrize("name", board_files())
both_sides = pytest.mark.parametrize("driving", SIDES)


def test_three_boards_come_with_the_game() -> None:
    """ "The default is `grid-2x2`"; "`crossroads` (one intersection) and `grid-3x3` come too". The name of a board is
    the name of its file."""
    assert list(boards()) == ["crossroads", "grid-2x2", "grid-3x3"]
    assert all(board.name == name for name, board in boards().items())
    assert GAME.rules.begin(2, {}).state.network.board.name == "grid-2x2"


@pytest.mark.parametrize(("name", "size"), [("crossroads", 1), ("grid-2x2", 2), ("grid-3x3", 3)])
def test_they_are_grids(name: str, size: int) -> None:
    """Each shipped board is "a grid of intersections, one lane each way along each street": `grid-2x2` has "8
    entrances, 8 exits, 8 inner lanes"."""
    network = RoadNetwork(boards()[name])
    kinds = Counter(lane.kind for lane in network.lanes.values())
    assert kinds == Counter(entrance=4 * size, exit=4 * size, inner=4 * size * (size - 1))
    assert all(f"{lane.end}>{lane.start}" in network.lanes for lane in network.lanes.values())
    assert all(len(ends) == 8 for ends in network.lane_ends.values())


@pytest.mark.parametrize(("name", "size"), [("crossroads", 1), ("grid-2x2", 2), ("grid-3x3", 3)])
def test_names_follow_the_map(name: str, size: int) -> None:
    """ "Intersections A, B, … in reading order"; entrances `north1>A`, `north2>B` and exits `A>north1` "numbered west
    to east (north, south) and north to south (east, west)"."""
    board = boards()[name]
    letters = "ABCDEFGHI"[: size * size]
    assert list(board.intersections) == list(letters)
    reading = sorted(board.intersections.values(), key=lambda spot: (spot.y, spot.x))
    assert [spot.id for spot in reading] == list(letters)
    rows = [letters[row * size : (row + 1) * size] for row in range(size)]
    ends = {"north": rows[0], "south": rows[-1], "west": [row[0] for row in rows], "east": [row[-1] for row in rows]}
    expected = {f"{side}{n}>{end}" for side, row in ends.items() for n, end in enumerate(row, 1)}
    lanes = RoadNetwork(board).lanes
    assert {name for name, lane in lanes.items() if lane.kind == "entrance"} == expected
    assert all(lane.side == (lane.start if lane.kind == "entrance" else lane.end)[:-1]
               for lane in lanes.values() if lane.kind != "inner")  # fmt: skip


@every_board
def test_colors_have_their_sides(name: str) -> None:
    """Each color has its side of the board: "Blue north, red east, yellow south, green west." """
    board = boards()[name]
    assert board.sides == {"blue": "north", "red": "east", "yellow": "south", "green": "west"}
    scoring_colors = RoadNetwork(board).scoring_colors
    assert all(scoring_colors[f"{lane.start}>{lane.end}"] == {color} for color, side in board.sides.items()
               for lane in RoadNetwork(board).lanes.values() if lane.kind == "exit" and lane.side == side)  # fmt: skip


def test_around_an_intersection_right_and_left() -> None:
    """The ends of lanes are in clockwise order; "left swaps the two lanes of each street"."""
    right, left = (RoadNetwork(boards()["grid-2x2"], driving).lane_ends for driving in SIDES)
    assert right["A"] == ("north1>A", "A>north1", "B>A", "A>B", "C>A", "A>C", "west1>A", "A>west1")
    assert left["A"] == ("A>north1", "north1>A", "A>B", "B>A", "A>C", "C>A", "A>west1", "west1>A")


@every_board
@both_sides
def test_lane_ends_stand_clockwise(name: str, driving: DrivingSide) -> None:
    """The ends of the lanes, as points on a circle, are in clockwise order."""
    drawing = ReferenceBoard(board_files()[name].read_text("utf-8"), driving)
    for here, around in RoadNetwork(boards()[name], driving).lane_ends.items():
        points = []
        for lane in around:
            start, end = lane.split(">")
            points.append(drawing.end_point((start, end), here))
        assert once_around(points)
        assert {*around} == {f"{s}>{e}" for s, e in drawing.lanes if here in (s, e)}


@every_board
@both_sides
def test_paths_cross_where_lines_do(name: str, driving: DrivingSide) -> None:
    """ "Two paths of an intersection cross if their ends alternate around it": they cross exactly if the chords between
    their ends on a circle cross. Paths of different intersections never cross."""
    crossing_paths = RoadNetwork(boards()[name], driving).crossing_paths
    drawing = ReferenceBoard(board_files()[name].read_text("utf-8"), driving)
    for one, other in product(crossing_paths, repeat=2):
        assert (other in crossing_paths[one]) == drawing.cross(one, other), (one, other)


@pytest.mark.parametrize("seed", range(20))
def test_paths_cross_where_lines_do_on_any_board(seed: int) -> None:
    """At an intersection with 2 to 8 streets, whose directions are arbitrary but not too close, two paths cross exactly
    if the chords between their ends do."""
    rng = Random(seed)
    directions = rng.sample([(x, y) for x in range(0, 201, 40) for y in (0, 200)], rng.randint(2, 8))
    text = star([*directions])
    for driving in SIDES:
        network, drawing = RoadNetwork(read_board(parse("star", text)), driving), ReferenceBoard(text, driving)
        assert once_around([drawing.end_point((s, e), "X") for s, e in (n.split(">") for n in network.lane_ends["X"])])
        for one, other in product(network.crossing_paths, repeat=2):
            assert (other in network.crossing_paths[one]) == drawing.cross(one, other), (one, other)


def test_crossing_is_mutual_and_no_path_crosses_itself() -> None:
    """On every board, crossing is symmetric and no path crosses itself."""
    for board, driving in product(boards().values(), SIDES):
        crossing_paths = RoadNetwork(board, driving).crossing_paths
        assert all(one in crossing_paths[other] for one, others in crossing_paths.items() for other in others)
        assert any(crossing_paths.values())


def test_sharing_an_end_lane_is_no_crossing() -> None:
    """Paths that share an end lane don't cross, whatever lanes are between them."""
    around = ("a", "b", "c", "d", "e", "f")
    assert paths_cross(around, ("a", "c"), ("b", "d"))
    assert not paths_cross(around, ("a", "c"), ("d", "f"))
    assert not paths_cross(around, ("a", "d"), ("b", "d"))
    assert not paths_cross(around, ("a", "d"), ("a", "e"))


def broken(old: str, new: str) -> str:
    """The error message for the grid's file after a change."""
    assert old in GRID
    with pytest.raises(DataError) as caught:
        read_board(parse("mine.toml", GRID.replace(old, new, 1)))
    return str(caught.value)


B, EAST1 = 'id = "B"\nat = [2, 1]', 'at = [3, 1]\nstreet_to = "B"'
AB, CD = 'between = ["A", "B"]', 'between = ["C", "D"]'


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        (B, 'id = "A"\nat = [2, 1]', 'id = "A"\nat = [2, 1]', "A is in the file twice"),
        ('id = "north1"', 'id = "A"', 'id = "A"', "A is in the file twice"),
        ('id = "north1"', 'id = "north 1"', 'id = "north 1"', "id is 'north 1'"),
        ('id = "north1"', 'id = "n>1"', 'id = "n>1"', "id is 'n>1'"),
        (B, 'id = "B"\nat = [2]', "at = [2]", "at must be two numbers"),
        (B, 'id = "B"\nat = [2, -1]', "at = [2, -1]", "at contains -1"),
        (B, 'id = "B"\nat = [1, 1]', "at = [1, 1]", "B is in the same place as A"),
        (EAST1, 'at = [2, 1]\nstreet_to = "B"', "at = [2, 1]", "east1 is in the same place as B"),
        ('street_to = "B"', 'street_to = "E"', 'street_to = "E"', "it must be one of A, B, C, D"),
        ('street_to = "B"', 'street_to = "north1"', 'street_to = "north1"', "it must be one of A, B, C, D"),
        (AB, 'between = ["A", "north1"]', 'between = ["A", "north1"]', "between contains 'north1'"),
        (AB, 'between = ["A"]', 'between = ["A"]', "between contains 1 names"),
        (AB, 'between = ["A", "A"]', 'between = ["A", "A"]', "goes from A to another intersection"),
        (CD, 'between = ["B", "A"]', 'between = ["B", "A"]', "B and A are already connected"),
        ('red = "east"', 'red = "up"', 'red = "up"', "it must be one of north, east, south, west"),
        ('red = "east"', "", "[sides]", "red is missing"),
        ('red = "east"', 'red = "east"\npink = "east"', 'pink = "east"', "pink is unknown"),
        ('side = "east"', 'side = ""', 'side = ""', "side is ''"),
        ('name = "grid-2x2"', 'name = "grid-2x2"\nsize = 2', "size = 2", "size is unknown"),
        ("[[street]]", "[[road]]", "[[road]]", "[road] is unknown"),
        ("[sides]", "[side]", "[side]", "[side] is unknown"),
    ],
)
def test_a_mistake_is_named_with_its_line(old: str, new: str, line: str, why: str) -> None:
    """The message about a mistake in a board file names the file, the line and the error."""
    said, changed = broken(old, new), GRID.replace(old, new, 1)
    at = GRID.index(old)
    number = changed[: max(changed.find(line, at), changed.rfind(line, 0, at))].count("\n") + 1
    assert said.startswith(f"mine.toml, line {number}: ")
    assert why in said
    assert "\n" not in said


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (CD, 'between = ["A", "D"]\n[[street]]\nbetween = ["B", "C"]', "from B to C runs into the one from A to D"),
        (EAST1, 'at = [1, 0]\nstreet_to = "B"', "east1 is in the same place as north1"),
        (EAST1, 'at = [0, 1]\nstreet_to = "B"', "west1 is in the same place as east1"),
        (EAST1, 'at = [0, 3]\nstreet_to = "B"', "runs into"),
        (EAST1, 'at = [2, 3]\nstreet_to = "B"', "south2 is in the same place as east1"),
        (EAST1, 'at = [2, 4]\nstreet_to = "B"', "runs into"),
        ("[board]", "[bored]", "[bored] is unknown"),
        ("[board]", "[[board]]\nname = 'x'\n[[board]]", "the file must have one [board]"),
    ],
)
def test_streets_must_not_run_into_each_other(old: str, new: str, why: str) -> None:
    """Streets are straight lines. A board is refused if two of them cross outside of an intersection."""
    assert why in broken(old, new)


def test_every_intersection_must_be_connected() -> None:
    """A board is refused if an intersection can't be reached, has only one street, or has more than eight."""
    cut = GRID
    for street in ('between = ["A", "C"]', 'between = ["B", "D"]'):
        cut = cut.replace(f"[[street]]\n{street}\n", "")
    with pytest.raises(DataError, match="there’s no street from A to C"):
        read_board(parse("mine.toml", cut))
    with pytest.raises(DataError, match="9 streets meet at X; there must be 2 to 8"):
        read_board(parse("star", star([(40 * n, 0) for n in range(6)] + [(40 * n, 200) for n in range(3)])))
    with pytest.raises(DataError, match="1 streets meet at X"):
        read_board(parse("star", star([(100, 0)])))


@pytest.mark.parametrize(
    "text", ["", "[board]", "x", "[[", "a = " + "[" * 9999, 'a = """\n[[gate]]\n[board]"""', "\x00"]
)
def test_nonsense_is_no_board(text: str) -> None:
    """Any text that is not a board gives the same type of error, with a message of one line."""
    with pytest.raises(DataError, match=r"^mine\.toml"):
        read_board(parse("mine.toml", text))


@pytest.mark.parametrize("seed", range(40))
def test_a_scrambled_file_makes_no_other_error(seed: int) -> None:
    """A file with missing, duplicated or swapped lines is either a board or gives an error message."""
    rng, lines = Random(seed), GRID.splitlines()
    for _ in range(rng.randint(1, 6)):
        one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        lines[one : one + rng.randint(0, 1)] = [lines[other]] * rng.randint(0, 1)
    try:
        board = read_board(parse("mine.toml", "\n".join(lines)))
    except DataError as error:
        assert str(error).startswith("mine.toml")  # noqa: PT017
    else:
        assert len(RoadNetwork(board).crossing_paths) > 0


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The output of `tablekeeper board`."""
    assert main(["board", *words]) == 0
    return capsys.readouterr().out


@every_board
def test_the_command_prints_the_contracts_shape(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`board grid-2x2` prints the name, the intersections with all lane ends around them, the lanes with kind and side,
    and the sides."""
    board = json.loads(printed(capsys, name, "--json"))
    assert set(board) == {"name", "intersections", "lanes", "sides"}
    assert board["name"] == name
    assert all(set(intersection) == {"id", "around"} for intersection in board["intersections"])
    assert all(set(lane) == {"id", "kind", "side"} for lane in board["lanes"])
    ends = [end for intersection in board["intersections"] for end in intersection["around"]]
    inner = {lane["id"] for lane in board["lanes"] if lane["kind"] == "inner"}
    assert Counter(ends) == Counter({lane["id"]: 2 if lane["id"] in inner else 1 for lane in board["lanes"]})
    assert all((lane["side"] is None) == (lane["id"] in inner) for lane in board["lanes"])
    assert {lane["id"] for lane in board["lanes"]} == set(GAME.rules.begin(2, {"board": name}).state.to_json()["lanes"])


def test_the_command_reads_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command `board` accepts the path of a board file. Without --json it prints text for people."""
    path = tmp_path / "mine.toml"
    path.write_text(GRID.replace('name = "grid-2x2"', 'name = "Our town"'), "utf-8")
    assert json.loads(printed(capsys, str(path), "--json"))["name"] == "Our town"
    words = printed(capsys, str(path))
    assert words.startswith("name: Our town\nintersections:\n  A  north1>A, A>north1, ")
    assert "  north1>A  entrance  north\n" in words
    assert words.endswith("sides:\n  blue  north\n  red  east\n  yellow  south\n  green  west\n")


def test_the_command_names_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An error in a file is a failure, and an unknown board is wrong usage. Each gives a message of one line."""
    path = tmp_path / "mine.toml"
    path.write_text(GRID.replace('red = "east"', 'red = "up"'), "utf-8")
    assert main(["board", str(path)]) == 1
    assert "mine.toml, line " in capsys.readouterr().err
    assert main(["board", "atlantis"]) == 2
    said = capsys.readouterr().err
    assert "the boards are crossroads, grid-2x2, grid-3x3" in said
    assert said.count("\n") == 1
    assert main(["board", str(tmp_path)]) == 1


def test_a_board_is_read_from_a_file_or_its_text(tmp_path: Path) -> None:
    """A board can be read from a file or from its text."""
    path = tmp_path / "mine.toml"
    path.write_text(GRID, "utf-8")
    assert read_board(load(path)) == read_board(parse("mine.toml", GRID)) == boards()["grid-2x2"]
