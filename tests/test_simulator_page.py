"""The page of the simulated table, which only the host may use."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Protocol, get_args

import pytest
from flask.testing import FlaskClient

from companion.devices.gpio import GpioBoard
from companion.devices.pins import Pins
from companion.devices.simulated_box import SimulatedBox
from companion.games import GAMES
from companion.games.game import PhysicalGame
from companion.match.journal import Journal
from companion.simulator.running_match_reader import RunningMatchReader
from companion.simulator.simulated_table import SimulatedTable
from companion.table.table import Table
from companion.tabletop.observations import Button, ButtonPressed, CardSeen, DialTurned, MatSeen
from tests.systems_failing_tables import hasty_clock
from web.access.lobby import Lobby
from web.access.phone_cookie import COOKIE
from web.app import create_app
from web.simulator.page import SimulatorContext, blueprint

GAME = GAMES["systems-failing"]
JPEG = b"\xff\xd8 a picture"


class SimulatorPage:
    """The page of the simulated table, for a table in memory."""

    def __init__(self, folder: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.journal = Journal(folder / "journal.sqlite3")
        self.table = Table(self.journal, clock)
        self.reader = RunningMatchReader(Journal(folder / "journal.sqlite3"))
        self.lobby = Lobby(self.table)
        sizes = {component.id: (63.0, 88.0) for component in GAME.physical.components.components}
        simulated = SimulatedTable(GAME, sizes, lambda: self.reader.snapshot(GAME.name), hand_s=0)
        self.simulation = SimpleNamespace(table=simulated, pictures=folder)
        self.board = GpioBoard(folder, Pins(), simulate=True)
        (folder / "SF-D01-front.png").write_bytes(b"png")
        self.picture: bytes | None = JPEG
        self.box = SimulatedBox()
        self.context = SimulatorContext(
            self.table,
            self.lobby,
            self.simulation,
            self.board,
            lambda: self.picture,
            has_simulated_camera=True,
            box=self.box,
        )
        self.app = create_app(self.table, self.lobby, simulator=blueprint(self.context))

    def client(self, *, host: bool) -> FlaskClient:
        client = self.app.test_client()
        if host:
            client.set_cookie(COOKIE, self.lobby.claim_host(None, self.lobby.host_key))
        return client

    def begin(self) -> None:
        self.table.start(GAME.name, 2, {"difficulty": "easy"}, {"cards": "table"}, ("A", "B"), "s")

    def close(self) -> None:
        self.reader.close()
        self.journal.close()


@pytest.fixture
def simulator_page(tmp_path: Path) -> Iterator[SimulatorPage]:
    made = SimulatorPage(tmp_path)
    yield made
    made.close()


@pytest.fixture
def host(simulator_page: SimulatorPage) -> FlaskClient:
    return simulator_page.client(host=True)


class PerformAction(Protocol):
    def __call__(self, action: str, **body: object) -> Any: ...


@pytest.fixture
def do(host: FlaskClient) -> PerformAction:
    def post(action: str, **body: object) -> Any:
        answer = host.post(f"/simulator/do/{action}", json=body)
        assert answer.status_code == 200, answer.text
        return answer.get_json()

    return post


def test_only_the_host_comes_in(simulator_page: SimulatorPage) -> None:
    """Strangers and players can neither see nor change the simulated table."""
    simulator_page.begin()
    player = simulator_page.client(host=False)
    player.post("/api/join", json={"code": simulator_page.lobby.code, "seat": 0})
    for client in (simulator_page.client(host=False), player):
        for path in (
            "",
            "/state",
            "/components",
            "/camera.jpg",
            f"/prints/{simulator_page.simulation.pictures.name}/SF-D01-front.png",
        ):
            assert client.get("/simulator" + path).status_code == 403
        assert client.post("/simulator/do/tidy", json={}).status_code == 403
    assert simulator_page.simulation.table.changes == 0


def test_without_a_simulator_there_is_no_page(simulator_page: SimulatorPage) -> None:
    """With real hardware, there is no page of a simulated table."""
    app = create_app(simulator_page.table, simulator_page.lobby)
    client = app.test_client()
    client.set_cookie(COOKIE, simulator_page.lobby.claim_host(None, simulator_page.lobby.host_key))
    assert client.get("/simulator").status_code == 404


def test_the_page_says_that_it_is_a_simulation(host: FlaskClient) -> None:
    """The page says that it is a simulation, and it has the four buttons of the table."""
    page = host.get("/simulator").text
    assert "Simulation – no camera attached" in page
    assert all(f'data-press="{button}"' in page for button in get_args(Button))


class NextTable:
    """A source whose table is set up for another game as soon as it has been read once."""

    def __init__(self, *tables: SimulatedTable, pictures: Path) -> None:
        self._tables, self.pictures = list(tables), pictures

    @property
    def table(self) -> SimulatedTable:
        return self._tables.pop(0) if len(self._tables) > 1 else self._tables[0]


def test_another_game_may_be_set_up_while_the_state_is_read(simulator_page: SimulatorPage, host: FlaskClient) -> None:
    """The state is that of one table, even if the table is set up for a game with other zones meanwhile."""
    expected = host.get("/simulator/state").get_json()
    other = SimulatedTable(GAMES["traffic-congestion"], {}, lambda: None, hand_s=0)
    source = NextTable(simulator_page.simulation.table, other, pictures=simulator_page.simulation.pictures)
    simulator_page.app = create_app(
        simulator_page.table, simulator_page.lobby, simulator=blueprint(replace(simulator_page.context, source=source))
    )
    assert simulator_page.client(host=True).get("/simulator/state").get_json() == expected


def test_hands_work_through_the_page(do: PerformAction, simulator_page: SimulatorPage) -> None:
    """Every action changes the table, and the answer is its new state."""
    do("put", code="SF-D01", x=100, y=120.5)
    do("rotate", code="SF-D01", degrees=90)
    lying = do("flip", code="SF-D01")["on_mat"]
    assert lying == [{"code": "SF-D01", "x": 100, "y": 120.5, "angle": 90, "face_up": False}]
    assert do("put-away", code="SF-D01")["on_mat"] == []
    taken = do("draw", pile="pile-2", x=50, y=60)
    assert taken["on_mat"][0]["code"].startswith("SF-E")
    assert [pile["count"] for pile in taken["piles"]] == [35, 5]
    do("put-token", kind="red", x=10, y=10)
    assert do("move-token", number=1, x=20, y=10)["tokens"] == [
        {"number": 1, "kind": "red", "x": 20, "y": 10, "angle": 0}
    ]
    assert do("take-token", number=1)["tokens"] == []
    assert do("hold-hand", x=300, y=100)["hand"] == [300, 100]
    assert do("withdraw-hand")["hand"] is None


def test_put_right_lays_what_the_layout_wants(do: PerformAction, simulator_page: SimulatorPage) -> None:
    """Putting everything in place takes the roles and the first player marker out of the box, because the companion has
    dealt them."""
    simulator_page.begin()
    simulator_page.table.submit(None, {"seat": "house", "move": "reveal", "card": "E1"})
    state = do("tidy")
    lying = {piece["code"] for piece in state["on_mat"]}
    assert {"SF-E1", "SF-FIRST"} <= lying
    assert len(lying) == 4
    assert not state["on_phones"], "this game needs its table"


def test_what_to_fix_is_marked_on_the_mat(tmp_path: Path) -> None:
    """The page gets the place of a component that lies in a wrong zone, and its right zone."""
    mat = GAME.physical.components.mat
    assert mat
    simulator_page = SimulatorPage(tmp_path, hasty_clock())
    simulator_page.begin()
    simulator_page.table.observe(MatSeen(t=0, mat=mat.name))
    mm = (150.0, 60.0)
    for code in ("SF-D01", "SF-E1"):
        sighting = CardSeen(
            t=1, code=code, zone="zone-1", mm=mm, angle=0, change="appeared", was_initially_present=True
        )
        simulator_page.table.observe(sighting)
    fixes = simulator_page.client(host=True).get("/simulator/state").get_json()["fixes"]
    simulator_page.close()
    assert [150.0, 60.0] in [fix["at"] for fix in fixes]


def test_buttons_go_through_gpiozero(do: PerformAction, simulator_page: SimulatorPage) -> None:
    """A press on the page drives a mock pin, and the device reports it."""
    device = simulator_page.board.open()
    reports = iter(device)
    next(reports)
    for button in get_args(Button):
        assert do("press", button=button)["pressable"]
        assert next(reports) == ButtonPressed(button=button)
    device.close()


def test_the_box_is_pressed_and_shows(do: PerformAction, simulator_page: SimulatorPage) -> None:
    """The seat buttons and the dial on the page work the simulated box, and the page shows the box's lamps, bars and
    dial."""
    simulator_page.begin()
    simulator_page.box.show(simulator_page.table.view())
    assert do("press-seat", seat=1)["box"]["lamps"] == ["off", "off"]  # people deal
    do("turn-dial", steps=-2)
    do("push-dial")
    simulator_page.box.close()
    _, *reported = simulator_page.box
    expected = [ButtonPressed(button="next", seat=1), DialTurned(steps=-2), ButtonPressed(button="confirm")]
    assert reported == expected
    simulator_page.table.start(GAME.name, 2, {}, {}, ("A", "B"), "s")
    simulator_page.box.show(simulator_page.table.view())
    shown = do("tidy")["box"]
    assert shown["lamps"] == ["on", "off"]
    assert [(bar["name"], bar["value"]) for bar in shown["bars"]] == [("Stability", 0), ("Damage", 0)]
    assert shown["dial"] is None


def test_the_boxs_bars_speak_as_the_page_does(host: FlaskClient, simulator_page: SimulatorPage) -> None:
    """The labels of the bars are in the language of the page."""
    simulator_page.table.start(GAME.name, 2, {}, {}, ("A", "B"), "s")
    simulator_page.box.show(simulator_page.table.view())
    box = host.get("/simulator/state", headers={"Accept-Language": "de"}).get_json()["box"]
    assert [bar["name"] for bar in box["bars"]] == ["Stabi\u00adlität", "Schaden"]


@pytest.mark.parametrize(
    ("action", "body", "status"),
    [
        ("put", {"code": "SF-X", "x": 1, "y": 1}, 422),
        ("put", {"code": "SF-D01"}, 400),
        ("put", {"code": 7, "x": 1, "y": 1}, 400),
        ("put", {"code": "SF-D01", "x": "1", "y": 1}, 400),
        ("put", {"code": "SF-D01", "x": True, "y": 1}, 400),
        ("put", {"code": "SF-D01", "x": 1e300, "y": 1}, 400),
        ("rotate", {"code": "SF-D01", "degrees": 90}, 422),
        ("draw", {"pile": "pile-9", "x": 1, "y": 1}, 422),
        ("put-token", {"kind": "pink", "x": 1, "y": 1}, 422),
        ("move-token", {"number": 3, "x": 1, "y": 1}, 422),
        ("press", {"button": "next"}, 422),
        ("press", {"button": "reset"}, 400),
        ("press-seat", {}, 400),
        ("turn-dial", {"steps": "1"}, 400),
        ("steal", {}, 404),
    ],
)
def test_nonsense_is_refused(
    host: FlaskClient, simulator_page: SimulatorPage, action: str, body: dict[str, object], status: int
) -> None:
    """A nonsensical action is refused with a message and changes nothing."""
    answer = host.post(f"/simulator/do/{action}", json=body)
    assert answer.status_code == status
    assert answer.get_json()["error"]["message"]
    assert simulator_page.simulation.table.changes == 0


def test_a_refusal_is_json_for_the_script_and_a_page_for_people(simulator_page: SimulatorPage) -> None:
    """A browser that is not a host's is refused. If the request came from the script, the refusal is JSON; otherwise it
    is a page."""
    stranger = simulator_page.client(host=False)
    for refused in (stranger.post("/simulator/do/tidy", json={}), stranger.get("/simulator/state")):
        assert (refused.status_code, refused.get_json()["error"]["code"]) == (403, "not_host")
    page = stranger.get("/simulator", headers={"Accept": "text/html,*/*;q=0.8"})
    assert (page.status_code, page.mimetype) == (403, "text/html")


def test_not_a_number_is_refused(host: FlaskClient) -> None:
    """JSON's NaN is not accepted as a position."""
    answer = host.post("/simulator/do/put", data='{"code":"SF-D01","x":NaN,"y":1}', content_type="application/json")
    assert answer.status_code == 400


def test_pictures_are_cached_and_stay_in_their_folder(host: FlaskClient, simulator_page: SimulatorPage) -> None:
    """Pictures may be cached until the art changes. No other file on the disk is served."""
    answer = host.get(f"/simulator/prints/{simulator_page.simulation.pictures.name}/SF-D01-front.png")
    assert answer.status_code == 200
    assert "max-age=86400" in answer.headers["Cache-Control"]
    for name in ("nothing.png", "../journal.sqlite3", "%2e%2e/journal.sqlite3"):
        assert host.get(f"/simulator/prints/{simulator_page.simulation.pictures.name}/{name}").status_code == 404
    answer.close()


def test_a_relative_data_folder_has_its_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative data folder is resolved against the service's working directory."""
    monkeypatch.chdir(tmp_path)
    Path("prints").mkdir()
    simulator_page = SimulatorPage(Path("prints"))
    answer = simulator_page.client(host=True).get("/simulator/prints/prints/SF-D01-front.png")
    assert (answer.status_code, answer.data) == (200, b"png")
    answer.close()
    simulator_page.close()


def test_the_camera_s_picture(host: FlaskClient, simulator_page: SimulatorPage) -> None:
    """The camera's picture is served as JPEG. While there is no picture, the answer is empty."""
    answer = host.get("/simulator/camera.jpg")
    assert (answer.mimetype, answer.data) == ("image/jpeg", JPEG)
    simulator_page.picture = None
    none = host.get("/simulator/camera.jpg")
    assert (none.status_code, none.data) == (204, b"")


def test_two_decks_look_alike(host: FlaskClient, simulator_page: SimulatorPage) -> None:
    """If two piles have the same cards in different orders, the answers are the same, apart from the number of changes
    so far. So they do not reveal the order."""
    simulator_page.begin()
    before = host.get("/simulator/state").get_json()
    component = simulator_page.simulation.table.draw("pile-1", 10, 10)
    simulator_page.simulation.table.put_away(component)
    after = host.get("/simulator/state").get_json()
    assert {**before, "changes": 0} == {**after, "changes": 0}
    assert "tops" not in json.dumps(after)


def test_a_table_laid_for_something_else_says_so(simulator_page: SimulatorPage, host: FlaskClient) -> None:
    """If the simulated table is still set up for another game than the one that is running, it says that it is being
    set up, and shows neither the running game nor its discrepancies."""
    simulator_page.table.start("traffic-congestion", 2, {}, {}, ("A", "B"), "s")
    state = host.get("/simulator/state").get_json()
    assert (state["playing"], state["meters"], state["discrepancies"]) == (False, [], [])
    assert (state["setting_up"], state["guide"]) == (True, "Setting up the table\u00a0…")
    traffic = GAMES["traffic-congestion"]
    simulator_page.simulation.table = SimulatedTable(traffic, {}, lambda: None, hand_s=0)
    assert host.get("/simulator/state").get_json()["playing"]
    simulator_page.table.start("traffic-congestion", 2, {"board": "crossroads"}, {}, ("A", "B"), "s")
    state = host.get("/simulator/state").get_json()
    assert (state["playing"], state["guide"]) == (False, "Setting up the table\u00a0…")


def test_a_game_without_a_mat_is_played_on_phones_only(
    simulator_page: SimulatorPage, host: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the running game has no mat, the page says that it is played on phones only."""
    without_mat = replace(GAMES["system-won"], physical=PhysicalGame())
    monkeypatch.setitem(GAMES, "system-won", without_mat)  # type: ignore[arg-type]
    simulator_page.table.start("system-won", 2, {}, {}, ("A", "B"), "s")
    state = host.get("/simulator/state").get_json()
    assert state["guide"] == "System WON is played on phones only. This table is set up for Systems Failing."


def test_a_host_who_plays_sees_no_hidden_cards(simulator_page: SimulatorPage, host: FlaskClient) -> None:
    """In a game with hidden cards, a host with a seat is refused. A host without a seat, or a host who plays a game
    without hidden cards, is not."""
    simulator_page.begin()
    assert host.post("/api/join", json={"seat": 0}).status_code == 200
    assert host.get("/simulator/state").status_code == 200
    simulator_page.table.start("system-won", 2, {}, {}, ("A", "B"), "s")
    answer = host.get("/simulator/state")
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (403, "has_seat")
    page = {"Accept": "text/html"}
    assert "data-events" in host.get("/simulator", headers=page).text, "it looks again when the table changes"
    assert "data-events" not in simulator_page.client(host=False).get("/simulator", headers=page).text
    simulator_page.lobby.free(0)
    assert host.get("/simulator/state").status_code == 403, "it has seen the cards of seat 0"
