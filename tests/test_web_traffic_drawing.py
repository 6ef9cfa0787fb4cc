"""Traffic Congestion's drawing: lanes, queues, signals, exits, and cars that drive from one lane to another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from companion.games.rules import Seat
from companion.games.traffic_congestion.board import CAPACITY, RoadNetwork, SignalPath
from companion.games.traffic_congestion.board_reader import boards
from companion.games.traffic_congestion.page import PAGE
from companion.games.traffic_congestion.page.content import content
from companion.games.traffic_congestion.page.page_street_geometry import TAP_WIDTH, Streets
from tests.traffic_games import RUSH, begun, played, seen
from tests.traffic_positions import GRID
from tests.web_table import unwrapped
from web.templating.file_bundling import bundle


def every_roads() -> Iterator[RoadNetwork]:
    """Yields the road network of every board, for both driving sides."""
    for each in boards().values():
        yield RoadNetwork(each)
        yield RoadNetwork(each, "left")


def test_the_head_of_a_queue_stands_at_the_intersection() -> None:
    """The cars in a lane are drawn one behind another, with the first car at the intersection. There is room for
    five."""
    for town in every_roads():
        streets = Streets(town)
        for name in town.signal_targets:
            strip = streets.strips[name]
            away = [abs(strip.place(number) - streets.at(strip.lane.end)) for number in range(CAPACITY)]
            assert away == sorted(away)
            assert all(later - earlier > 14 for earlier, later in pairwise(away))
            assert abs(strip.place(CAPACITY - 1) - strip.head) < strip.length


def test_lanes_lie_on_the_side_on_which_one_drives() -> None:
    """On a street, each driver's lane is on the right or on the left of the oncoming lane, depending on the driving
    side."""
    for town in every_roads():
        strips = Streets(town).strips
        for name, strip in strips.items():
            start, end = name.split(">")
            oncoming = strips[f"{end}>{start}"]
            aside = ((strip.head - oncoming.tail) * strip.along.conjugate()).imag
            assert (aside > 0) == (town.driving_side == "right")


@pytest.mark.slow
def test_paths_look_crossed_exactly_where_they_cross() -> None:
    """The drawn curves of two signals meet exactly if the rules say that the paths cross."""
    for town in every_roads():
        streets = Streets(town)
        for one, other in combinations(town.crossing_paths, 2):
            if town.lanes[one[0]].end == town.lanes[other[0]].end and not set(one) & set(other):
                assert meet(streets, one, other) == (other in town.crossing_paths[one]), (town.board.name, one, other)


def meet(streets: Streets, one: SignalPath, other: SignalPath) -> bool:
    """Whether the curves of two signals meet."""
    first, second = curve(streets.arrows[one].curve), curve(streets.arrows[other].curve)
    return any(_cut(a, b, c, d) for a, b in pairwise(first) for c, d in pairwise(second))


def curve(drawn: str) -> list[complex]:
    """Points along a drawn curve."""
    numbers = [float(number) for number in re.findall(r"-?\d+\.\d", drawn)]
    a, b, c, d = (complex(x, y) for x, y in list(zip(numbers[::2], numbers[1::2], strict=True))[1:])
    steps = [n / 24 for n in range(25)]
    return [(1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d for t in steps]


def _cut(a: complex, b: complex, c: complex, d: complex) -> bool:
    def side(p: complex, q: complex, r: complex) -> bool:
        return ((q - p).conjugate() * (r - p)).imag > 0

    return side(a, b, c) != side(a, b, d) and side(c, d, a) != side(c, d, b)


def test_a_signal_is_drawn_from_lane_end_to_lane_end() -> None:
    """A signal's curve begins where the queue waits and ends where the other lane begins."""
    for town in every_roads():
        streets = Streets(town)
        for path in town.crossing_paths:
            points = curve(streets.arrows[path].curve)
            assert abs(points[0] - streets.strips[path[0]].head) < 0.1
            assert abs(points[-1] - streets.strips[path[1]].tail) < 0.1


def test_turns_are_called_as_drivers_call_them() -> None:
    """Directions are named as a driver sees them, whatever the driving side."""
    for driving in ("right", "left"):
        streets = Streets(RoadNetwork(boards()["crossroads"], "right" if driving == "right" else "left"))
        called = {to: streets.turn(("west1>A", to)) for to in streets.network.signal_targets["west1>A"]}
        assert called == {"A>north1": "left", "A>east1": "straight on", "A>south1": "right", "A>west1": "back"}


def test_exits_bear_the_colors_of_their_side() -> None:
    """Exits have the color of their side: strong if the color is in play, otherwise pale."""
    drawn = content(seen(begun(seats=2)))
    assert {exit.id: (exit.player_colors, exit.other_colors) for exit in drawn.exits if exit.id.startswith("A>")} == {
        "A>north1": (("blue",), ()),
        "A>west1": ((), ("green",)),
    }


def test_scores_are_meters_up_to_twenty() -> None:
    """Each player has a meter with their name that goes up to twenty."""
    page = unwrapped(begun(seats=3).phone().get("/table").text)
    assert re.findall(r'<meter min="0" max="20" value="0" aria-label="(\w+), (\w+) cars home">', page) == [
        ("Ann", "blue"),
        ("Ben", "red"),
        ("Cy", "yellow"),
    ]


def test_every_lane_can_be_read_aloud() -> None:
    """The label of a lane's button describes what is drawn there, and the list repeats it."""
    page = unescape(unwrapped(begun(*RUSH).phone(0).get("/play").text))
    said = "west1 to A. Entrance from the west, 2 of 5 cars, first in line: blue, red. Signal to A to B."
    assert page.count(f'aria-label="{said} Its cars can move."') == 2


@pytest.mark.parametrize("name", ["crossroads", "grid-2x2", "grid-3x3"])
@pytest.mark.parametrize("driving", ["right", "left"])
def test_every_board_has_its_page(name: str, driving: str) -> None:
    """Every board is drawn for both driving sides, for a seat and for the big screen."""
    web_table = begun(board=name, driving=driving, u_turns="false")
    for page in (web_table.phone(0).get("/play"), web_table.phone().get("/table")):
        assert page.status_code == 200
        assert page.text.count('class="badge"') == len(RoadNetwork(boards()[name]).scoring_colors)


def test_a_persons_own_board_is_drawn(tmp_path: Path) -> None:
    """A user's own board is drawn with its own names and its diagonal street."""
    own = tmp_path / "mine.toml"
    own.write_text(GRID.replace('"south2"', '"the-sea"').replace("at = [2, 3]", "at = [3, 3]"))
    web_table = begun({"move": "enter", "lane": "the-sea>D"}, board=str(own))
    page = web_table.phone(1).get("/play")
    assert page.status_code == 200
    assert 'id="sheet-lane-the-sea_D"' in page.text
    assert "rotate(-135deg)" in page.text


def test_a_car_that_drives_stays_the_same_car() -> None:
    """Each car on the board either continues a car of its color from the last drawing, or is new. No car is continued
    twice."""
    shown: dict[str, str] = {}
    for home in played(60, 6):
        cars = content(seen(home)).cars
        came = [car.previous_key for car in cars]
        assert len(set(came)) == len(came)
        assert all(shown[car.previous_key] == car.color for car in cars if not car.previous_key.endswith("-new"))
        assert sum(car.previous_key.endswith("-new") for car in cars) <= 1
        shown = {car.key: car.color for car in cars}


def test_an_undo_drives_cars_back() -> None:
    """After an undo, the cars at the head of the queue return to where they came from."""
    web_table = begun(*RUSH, {"move": "go", "lane": "west1>A", "then": "keep"})
    there = {car.key: car.previous_key for car in content(seen(web_table)).cars}
    assert there == {"A_B-0": "west1_A-0", "A_B-1": "west1_A-1", "north1_A-0": "north1_A-0"}
    web_table.table.undo(Seat(0), seen(web_table).version, None)
    back = {car.key: car.previous_key for car in content(seen(web_table)).cars}
    assert back == {came: key for key, came in there.items()}


def test_a_car_that_enters_continues_no_other_car() -> None:
    """A car that enters the board is not the continuation of another car."""
    web_table = begun(*RUSH, {"move": "enter", "lane": "west1>A"})
    assert {car.key for car in content(seen(web_table)).cars if car.previous_key.endswith("-new")} == {"west1_A-2"}


def test_the_default_town_fits_the_narrowest_phone() -> None:
    """The town with four intersections is as wide as a phone of 320 pixels, and each lane is a target of 44 pixels
    there."""
    style = bundle(PAGE.folder / "style.css")
    assert "width: min(100%, (100dvh - var(--around))" in style
    streets = Streets(RoadNetwork(boards()["grid-2x2"], "right"))
    assert TAP_WIDTH * 320 / streets.box.width >= 44
