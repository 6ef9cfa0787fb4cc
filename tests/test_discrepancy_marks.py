"""Marks for discrepancies: pages and the box show where a component lies and where it belongs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import cos, dist, sin

import pytest

from companion.devices.box_lights_and_buzzer import Display, display
from companion.games import GAMES
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.discrepancy import Discrepancy, Fix
from companion.tabletop.mat import Mat
from companion.tabletop.observations import CardSeen, MatSeen
from tests.systems_failing_tables import hasty_clock, seen
from tests.web_table import Phone, WebTable
from web.simulator.page import _fix_json


@dataclass
class TableWithMisplacedComponent:
    """A table of a game on which one component lies in a wrong zone or, with `beside`, next to it."""

    game: str
    code: str
    zone: str
    beside: bool = False

    def web_table(self) -> WebTable:
        table = Table(Journal(None), hasty_clock())
        table.start(self.game, 2, {}, {}, ("Ann", "Ben"), "s")
        mat = GAMES[self.game].physical.components.mat
        assert mat
        table.observe(MatSeen(t=0, mat=mat.name))
        mm = point_beside(mat, self.zone) if self.beside else middle(mat, self.zone)
        zone = None if self.beside else self.zone
        table.observe(
            CardSeen(t=1, code=self.code, zone=zone, mm=mm, angle=45, change="appeared", was_initially_present=True)
        )
        return WebTable(table)


def middle(mat: Mat, zone: str) -> tuple[float, float]:
    """The center of a zone."""
    xs, ys = zip(*mat.zone(zone).polygon, strict=True)
    return sum(xs) / len(xs), sum(ys) / len(ys)


def point_beside(mat: Mat, zone: str) -> tuple[float, float]:
    """A point of the mat that is in no zone and nearer to this zone than to any other."""
    x, y = middle(mat, zone)
    points = ((x + r * cos(turn), y + r * sin(turn)) for r in range(2, 200, 2) for turn in range(7))
    return next(
        at for at in points if mat.holds(at) and mat.zone_at(at) is None and mat.zones_by_distance(at)[0].name == zone
    )


def board(phone: Phone, path: str) -> str:
    """The HTML of the game's own part of a page."""
    return phone.get(path).text.split('data-key="board"')[1].split('data-key="history"')[0]


def test_a_discrepancy_knows_where_its_component_lies() -> None:
    """A discrepancy contains the zone and the point where its component is. Its fix contains the place where the
    component belongs."""
    web_table = TableWithMisplacedComponent("systems-failing", "SF-E1", "zone-3").web_table()
    found = next(each for each in seen(web_table.table).tabletop.discrepancies if each.code == "SF-E1")
    mat = GAMES["systems-failing"].physical.components.mat
    assert mat
    assert (found.zone, found.at) == ("zone-3", middle(mat, "zone-3"))
    assert "zone-3" in seen(web_table.table).tabletop.places_to_fix[0]


@pytest.mark.parametrize(
    ("misplaced", "mark"),
    [
        (TableWithMisplacedComponent("systems-failing", "SF-E1", "zone-3"), r'zone fix-wrong"\s+data-key="zone-3"'),
        (TableWithMisplacedComponent("system-won", "SW-R5A", "system-red"), r'class="system red +fix-wrong"'),
        (TableWithMisplacedComponent("traffic-congestion", "TC-SIG01", "west1>A"), r'<circle class="wrong"'),
        (TableWithMisplacedComponent("commute", "CM-P2", "s12"), r'<circle class="up wrong"'),
    ],
    ids=lambda value: value.game if isinstance(value, TableWithMisplacedComponent) else "",
)
def test_boards_mark_the_place_of_a_misplaced_component(misplaced: TableWithMisplacedComponent, mark: str) -> None:
    """In every game, the phone and the big screen mark the place of a misplaced component, but only while the component
    is there."""
    web_table = misplaced.web_table()
    for path, phone in (("/play", web_table.phone(0)), ("/table", web_table.phone())):
        assert re.search(mark, board(phone, path)), path
        assert "Fix on the table" in phone.get(path).text
    web_table.table.set_phones_only(phones_only=True)
    assert not re.search(mark, board(web_table.phone(1), "/play"))


@pytest.mark.parametrize(
    ("misplaced", "mark"),
    [
        (
            TableWithMisplacedComponent("systems-failing", "SF-E1", "zone-3", True),
            r'zone fix-wrong"\s+data-key="zone-3"',
        ),
        (TableWithMisplacedComponent("system-won", "SW-R5A", "system-red", True), r'class="system red +fix-wrong"'),
        (TableWithMisplacedComponent("traffic-congestion", "TC-SIG01", "west1>A", True), r'<circle class="wrong"'),
        (TableWithMisplacedComponent("commute", "CM-P2", "s12", True), r'<circle class="up wrong"'),
    ],
    ids=lambda value: value.game if isinstance(value, TableWithMisplacedComponent) else "",
)
def test_boards_mark_a_component_beside_a_zone(misplaced: TableWithMisplacedComponent, mark: str) -> None:
    """In every game, the phone and the big screen mark a component that lies on the mat but in none of its zones."""
    web_table = misplaced.web_table()
    found = next(each for each in seen(web_table.table).tabletop.discrepancies if each.code == misplaced.code)
    assert (found.zone, found.beside) == (None, misplaced.zone)
    for path, phone in (("/play", web_table.phone(0)), ("/table", web_table.phone())):
        assert re.search(mark, board(phone, path)), path


def test_a_mark_beside_a_lane_is_where_the_signal_lies() -> None:
    """On the street map, a signal next to its lane is marked on the side where it lies, not on the lane."""
    mat = GAMES["traffic-congestion"].physical.components.mat
    assert mat
    places = {"west1>A": (100.0, 50.0), "C>A": (200.0, 150.0)}
    middles = [middle(mat, lane) for lane in places]
    assert mat.drawn_at(middles[0], places) == (100.0, 50.0)
    x, y = mat.drawn_at((middles[0][0] - 10, middles[0][1]), places)
    assert dist((x, y), (100.0, 50.0)) > 1
    assert y == 50.0


def test_a_street_map_shows_how_a_signal_must_point() -> None:
    """A signal that points the wrong way has a pointer in the right direction, at its lane."""
    web_table = TableWithMisplacedComponent("traffic-congestion", "TC-SIG01", "C>A").web_table()
    web_table.table.submit(None, {"seat": 0, "move": "signal", "lane": "C>A", "to": "A>B"})
    assert '<path class="pointer"' in board(web_table.phone(0), "/play")


def test_the_simulator_gets_position_zone_and_direction() -> None:
    """The simulator's page gets the position of a misplaced component, and the zone and the direction that it should
    have, in millimeters on the mat. If the component belongs off the mat, there is no zone and no direction."""
    mat = GAMES["traffic-congestion"].physical.components.mat
    assert mat
    fix = Fix("put", ("TC-SIG01",), "C>A", 90.0)
    there = Discrepancy("TC-SIG01", "Put it there.", fix, zone="A>B", at=(10.0, 20.0))
    assert _fix_json(there, mat) == {"at": (10.0, 20.0), "zone": mat.zone("C>A").polygon, "degrees": 90.0}
    away = Discrepancy("TC-SIG01", "Put it away.", Fix("put", ("TC-SIG01",)), zone="A>B", at=(10.0, 20.0))
    assert _fix_json(away, mat) == {"at": (10.0, 20.0), "zone": None, "degrees": None}


@pytest.mark.parametrize(
    ("misplaced", "fix"),
    [
        (TableWithMisplacedComponent("systems-failing", "SF-E1", "zone-3"), (4, None)),
        (TableWithMisplacedComponent("commute", "CM-P2", "s12"), (4, 6)),
        (TableWithMisplacedComponent("system-won", "SW-R5A", "system-red"), (2, None)),
    ],
    ids=lambda value: value.game if isinstance(value, TableWithMisplacedComponent) else "",
)
def test_the_box_points_at_what_to_fix(
    misplaced: TableWithMisplacedComponent, fix: tuple[int | None, int | None]
) -> None:
    """The light bars of the box represent the mat from left to right. The first bar shows where to pick the component
    up, the second where to put it."""
    web_table = misplaced.web_table()
    assert display(seen(web_table.table), Display()).fix == fix
    web_table.table.set_phones_only(phones_only=True)
    assert display(seen(web_table.table), Display()).fix == (None, None)
