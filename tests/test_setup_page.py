"""The camera set-up page: the live picture, which only the host may see, the steps, and the doctor's findings."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion.diagnostics.findings import TITLES, Finding, titled
from companion.diagnostics.live_picture_types import LivePicture, PictureOutline
from companion.games import GAMES
from companion.match.journal import Journal
from companion.mqtt.connection_health import NAME as BROKER
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from tests.browser import DESKTOP, PHONE, new_page, pretend_hidden
from tests.layout_faults import ZOOMED, Look, faults
from tests.pdf_queues import FullQueue
from tests.running_service import until
from tests.test_accessibility import complaints, complaints_in_the_dark
from tests.web_table import unwrapped
from web.access.lobby import Lobby
from web.access.phone_cookie import COOKIE
from web.app import create_app
from web.server.http_server import serve
from web.setup import camera_setup
from web.setup.camera_setup import STEPS
from web.setup.corner_marks import CORNER_NAMES, Corners

DOT = bytes.fromhex(
    "ffd8ffe000104a46494600010100000100010000ffdb0043000806060706050807070709090808"
    "0a0c140d0c0b0b0c1912130f141d1a1f1e1d1a1c1c20242e2720222c231c1c2837292c30313434"
    "341f27393d38323c2e333432ffc0000b080001000101011100ffc4001f00000105010101010101"
    "00000000000000000102030405060708090a0bffc400b5100002010303020403050504040000"
    "017d01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282"
    "090a161718191a25262728292a3435363738393a434445464748494a535455565758595a636465"
    "666768696a737475767778797a838485868788898a92939495969798999aa2a3a4a5a6a7a8a9"
    "aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9ea"
    "f1f2f3f4f5f6f7f8f9faffda0008010100003f00fbd3ffd9"
)
A_LOOK_MS = 1100
SQUARE = ((10.0, 10.0), (60.0, 10.0), (60.0, 60.0), (10.0, 60.0))
OUTLINES = (
    PictureOutline("mat", SQUARE, "MAT-SF"),
    PictureOutline("zone", SQUARE, "Zone <1>", "poor", "1.2 pixels per module"),
    PictureOutline("zone", SQUARE, "Zone 2"),
    PictureOutline("component", SQUARE, "SF-D07"),
)


def picture(*failed: str) -> LivePicture:
    """A live picture with findings according to which these steps are not done."""
    findings = tuple(
        Finding(name, name not in failed, f"Of {name}.", f"Mend {name}." if name in failed else "") for name in STEPS
    )
    speed = Finding("camera", False, "It opens: 160 × 90 pixels, 2.0 frames per second.", "More light.")
    return LivePicture(DOT, (160, 90), OUTLINES, (speed, *findings))


class HostedSetupPage:
    """The set-up page of a table in memory."""

    def __init__(self) -> None:
        self.table = Table(Journal(None))
        self.lobby = Lobby(self.table)
        self.seen: LivePicture | None = picture()
        self.looks = 0
        self.codes = frozenset[str]()
        self.marked: list[tuple[str, Corners | None]] = []
        self.checks = {"disk": lambda: [Finding("disk", False, "It is full.", "Make room.")]}
        self.app = self.over("")

    def over(self, without: str) -> Any:
        context = camera_setup.SetupContext(
            self.table,
            self.lobby,
            self.look,
            without,
            self.checks,
            has_simulator=False,
            mark_corners=None if without else self.mark,
        )
        setup = camera_setup.blueprint(context)
        return create_app(self.table, self.lobby, setup=setup, pdf_queue=FullQueue())

    def look(self, codes: frozenset[str]) -> LivePicture | None:
        self.looks += 1
        self.codes = codes
        return self.seen

    def mark(self, game: str, corners: Corners | None) -> None:
        self.marked.append((game, corners))

    def host(self, app: Any = None) -> FlaskClient:
        client: FlaskClient = (app or self.app).test_client()
        client.set_cookie(COOKIE, self.lobby.claim_host(None, self.lobby.host_key))
        return client

    def begin(self, game: str) -> None:
        self.table.start(game, 2, {}, {}, ("A", "B"), "s")


@pytest.fixture
def hosted() -> HostedSetupPage:
    return HostedSetupPage()


def test_only_the_host_comes_in(hosted: HostedSetupPage) -> None:
    """Strangers and players are refused, and the camera is not asked for a picture."""
    hosted.begin("systems-failing")
    player = hosted.app.test_client()
    player.post("/api/join", json={"code": hosted.lobby.code, "seat": 0})
    for client in (hosted.app.test_client(), player):
        for path in ("/setup", "/setup/now"):
            assert client.get(path).status_code == 403
    assert hosted.looks == 0
    assert hosted.host().get("/setup/now").status_code == 200


def test_a_host_who_plays_sees_no_hidden_cards(hosted: HostedSetupPage) -> None:
    """In a game with hidden cards, a host with a seat sees neither the camera's picture nor information from it. The
    other checks are still shown."""
    host = hosted.host()
    hosted.begin("system-won")
    assert GAMES["system-won"].rules.has_hidden_information
    host.post("/api/join", json={"seat": 0})
    refused = host.get("/setup/now")
    assert (refused.status_code, refused.get_json()["error"]["code"]) == (403, "has_seat")
    page = host.get("/setup").text
    assert "This browser has seen the cards of a seat, and the camera sees all cards." in page
    assert "camera_setup.js" not in page
    assert "It is full." in page
    assert hosted.looks == 0
    hosted.begin("systems-failing")  # no secrets, so whoever plays may look
    assert host.get("/setup/now").status_code == 200


def test_the_steps_say_what_to_do_now(hosted: HostedSetupPage) -> None:
    """The set-up page shows which steps are done, which one to do now and which come later, and says when all are
    done."""
    host = hosted.host()
    hosted.seen = picture("sharpness", "light")
    html = host.get("/setup/now").text
    html_steps = html[html.index("<ol") :]
    stages = [html_steps.split(str(title))[0].rpartition('<li class="')[2].split('"')[0] for title in STEPS.values()]
    assert stages == ["done", "done", "now", "later", "later"]
    assert html.count('aria-current="step"') == 1
    assert "Step 3 of 5: Focus the camera. Mend sharpness." in html
    assert "Mend light." not in html
    hosted.seen = picture()
    assert "All set" in host.get("/setup/now").text


def test_a_wrong_print_size_is_shown_without_stopping_the_steps(hosted: HostedSetupPage) -> None:
    """If the cards are printed at another scale than the mat, the page says so and what to do. All is set anyway."""
    said = Finding("print size", False, "The cards are printed at 97%.", "Print them again.")
    hosted.seen = replace(picture(), findings=(*picture().findings, said))
    html = hosted.host().get("/setup/now").text
    assert "The cards are printed at 97%. <strong>Print them again.</strong>" in html
    assert "All set" in html


MARKS = ((0.1, 0.1), (0.9, 0.12), (0.85, 0.9), (0.12, 0.88))


def send_corners(client: FlaskClient, corners: Any, **more: Any) -> tuple[int, str]:
    """Sends corners and `more`, and returns the status and the code of the error."""
    answer = client.post("/setup/corners", json={"corners": corners, **more})
    return answer.status_code, answer.get_json().get("error", {}).get("code", "")


def test_a_host_marks_the_corners_of_the_mat(hosted: HostedSetupPage) -> None:
    """Marks go to the camera together with the game whose mat it is; null takes them back. Only those who may see the
    live picture may send them. If it is unknown whose mat it is, or without a camera, they are refused."""
    host = hosted.host()
    assert send_corners(host, MARKS) == (422, "no_mat")
    hosted.begin("traffic-congestion")
    assert send_corners(hosted.app.test_client(), MARKS) == (403, "not_host")
    assert send_corners(host, MARKS) == (200, "")
    assert send_corners(host, None) == (200, "")
    assert hosted.marked == [("traffic-congestion", MARKS), ("traffic-congestion", None)]
    hosted.begin("system-won")
    host.post("/api/join", json={"seat": 0})
    assert send_corners(host, MARKS) == (403, "has_seat")
    assert send_corners(hosted.host(hosted.over("No camera selected.")), MARKS) == (503, "no_picture")
    assert len(hosted.marked) == 2


def test_before_a_game_the_host_says_whose_mat_it_is(hosted: HostedSetupPage) -> None:
    """Before a game, the mat of any game may be marked, and the page has a button for each. A game that is played
    decides whose mat it is."""
    host = hosted.host()
    hosted.seen = picture("mat", "corners")
    html = host.get("/setup/now").text
    for name, game in GAMES.items():
        assert f'data-game="{name}"' in html
        assert f"Mark the mat of {game.title}" in html
    assert send_corners(host, MARKS, game="chess") == (422, "no_mat")
    assert send_corners(host, MARKS, game=["commute"]) == (422, "no_mat")
    assert send_corners(host, MARKS, game="commute") == (200, "")
    hosted.seen = replace(picture(), marks="set")
    assert "Use the corner codes again" in host.get("/setup/now").text
    assert send_corners(host, None) == (200, "")
    hosted.begin("systems-failing")
    assert send_corners(host, MARKS, game="commute") == (200, "")
    assert hosted.marked == [("commute", MARKS), ("", None), ("systems-failing", MARKS)]


@pytest.mark.parametrize(
    ("corners", "error"),
    [
        ("x", "bad_request"),
        ([], "bad_request"),
        (MARKS[:3], "bad_request"),
        ((*MARKS, MARKS[0]), "bad_request"),
        ((*MARKS[:3], (0.1,)), "bad_request"),
        ((*MARKS[:3], (0.1, "0.9")), "bad_request"),
        ((*MARKS[:3], (0.1, True)), "bad_request"),
        ((*MARKS[:3], (0.1, 1.001)), "bad_corners"),
        ((*MARKS[:3], (-0.001, 0.9)), "bad_corners"),
        ((*MARKS[:3], (0.1, 10**400)), "bad_corners"),
        (MARKS[::-1], "bad_corners"),
        ((MARKS[0], MARKS[2], MARKS[1], MARKS[3]), "bad_corners"),
        ((MARKS[0], (0.3, 0.4), MARKS[2], MARKS[3]), "bad_corners"),
        ((MARKS[0], (0.11, 0.1), (0.11, 0.11), (0.1, 0.11)), "bad_corners"),
    ],
)
def test_marks_that_are_no_corners_of_a_mat_are_refused(hosted: HostedSetupPage, corners: Any, error: str) -> None:
    """Marks must be four points inside the picture that go around the mat clockwise, without crossing or a dent, and
    not all in one place."""
    hosted.begin("systems-failing")
    assert send_corners(hosted.host(), corners) == (400 if error == "bad_request" else 422, error)
    assert hosted.marked == []


def test_marking_is_offered_when_it_helps(hosted: HostedSetupPage) -> None:
    """The page offers marking if corners are missing in a game with a mat. It says that the corners are marked, and if
    marks no longer count."""
    host = hosted.host()
    hosted.begin("systems-failing")
    hosted.seen = picture("corners")
    assert "mark the corners of the mat by hand" in host.get("/setup/now").text
    hosted.seen = replace(picture("corners"), marks="dropped")
    assert "The marked corners no longer count" in host.get("/setup/now").text
    hosted.seen = replace(picture(), marks="set")
    html = host.get("/setup/now").text
    assert "If the camera or the mat is moved, mark them again." in html
    assert "Use the corner codes again" in html
    hosted.seen = picture()
    assert "data-do" not in host.get("/setup/now").text


def test_only_the_game_that_is_played_is_looked_for(hosted: HostedSetupPage) -> None:
    """During a game, the page looks only for the codes of that game, and the step names its mat. Without a game it
    looks for all codes."""
    host = hosted.host()
    hosted.seen = picture("mat")
    assert "Get the mat in view" in host.get("/setup/now").text
    assert hosted.codes == frozenset()
    for name in ("systems-failing", "traffic-congestion"):
        hosted.begin(name)
        assert f"Get the mat of {GAMES[name].title} in view" in host.get("/setup/now").text
        assert hosted.codes == {*GAMES[name].physical.components.codes()}


def test_codes_in_view_are_drawn_and_listed(hosted: HostedSetupPage) -> None:
    """The outline of each code that was read is drawn with its quality. Poor zones and cards are listed by name, and
    texts are escaped."""
    html = hosted.host().get("/setup/now").text
    assert html.count("<polygon") == len(OUTLINES)
    assert html.count("<text") == 2
    assert "Zone &lt;1&gt;: 1.2 pixels per module" in html
    assert '<td class="poor">poor</td>' in unwrapped(html)
    assert "2.0 frames per second. <strong>More light.</strong>" in html


def test_every_device_and_check_has_a_title() -> None:
    """Pages show a title for each device and each check: no name that is meant for programs."""
    root = Path(__file__).parents[1]
    sources = [path.read_text() for package in ("companion", "web") for path in (root / package).rglob("*.py")]
    names = {name for text in sources for name in re.findall(r'(?:DeviceHealth\(device=|\bFinding\()"([^"]+)"', text)}
    assert len(names) > 15
    for name in {*names, BROKER, "configuration", "camera", "gpio"} - {*STEPS}:
        assert name in TITLES
        assert str(titled(name))[0].isupper()


def test_without_a_camera_the_page_says_how_to_set_one_up(hosted: HostedSetupPage) -> None:
    """Without a camera the page says how to set one up. If the camera has no picture yet, the script asks again."""
    app = hosted.over("No camera selected.")
    host = hosted.host(app)
    assert "No camera selected." in host.get("/setup").text
    assert host.get("/setup/now").status_code == 503
    hosted.seen = None
    answer = hosted.host().get("/setup/now")
    assert (answer.status_code, answer.get_json()["error"]["code"]) == (503, "no_picture")
    says, remedy = "Camera 7 can't be opened.", "Name another one with --camera, or as camera in the settings file."
    hosted.table.observe(DeviceHealth(device="camera", ok=False, message=says, remedy=remedy))
    assert hosted.host().get("/setup/now").get_json()["error"]["message"] == f"{says} {remedy}"
    assert '<li class="now"><b>' in hosted.host().get("/setup").text, "the first step is the one to do"


def test_the_findings_and_the_devices_are_listed(hosted: HostedSetupPage) -> None:
    """Findings are listed with their remedies. If a check crashes, this is listed as a finding too."""
    hosted.checks["broken"] = partial(next, iter(()))
    hosted.table.observe(DeviceHealth(device="gpio", ok=True, message="Four buttons."))
    page = hosted.host().get("/setup").text
    for words in ("Four buttons.", "It is full.", "Make room.", "StopIteration"):
        assert words in page
    assert "/setup" in hosted.host().get("/host").text


def test_the_live_picture_in_a_browser(browser: Any, hosted: HostedSetupPage) -> None:
    """The live picture is updated once a second while the page is visible, and not while it is hidden. Nothing is cut
    off. Screen readers announce problems and the end of problems."""
    server = serve(hosted.app, "127.0.0.1", 0)
    try:
        page = new_page(browser, PHONE)
        page.clock.install()
        page.goto(f"http://127.0.0.1:{server.port}/host?key={hosted.lobby.host_key}")
        page.goto(f"http://127.0.0.1:{server.port}/setup")
        page.wait_for_selector(".seen img")
        assert page.locator("[role=status][data-part=say]").inner_text().startswith("All set")
        assert "frames per second" in page.locator(".live").inner_text()
        page.locator("details.zones summary").focus()
        page.keyboard.press("Enter")
        hosted.seen = picture("corners")
        page.clock.run_for(A_LOOK_MS)
        page.wait_for_selector(".steps .now")
        assert page.locator("details.zones table").is_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        hosted.seen = None
        page.clock.run_for(A_LOOK_MS)
        page.wait_for_selector("#problem:not([hidden])")
        assert page.locator(".seen img").count() == 0, "an outdated picture is shown"
        hosted.seen = picture()
        page.clock.run_for(A_LOOK_MS)
        page.wait_for_selector("#problem", state="hidden")
        before = hosted.looks
        pretend_hidden(page, hidden=True)
        page.clock.run_for(10 * A_LOOK_MS)
        assert hosted.looks == before
        hosted.seen = picture("light")
        pretend_hidden(page, hidden=False)
        page.wait_for_selector(".steps .now")
        page.set_viewport_size(DESKTOP)
        assert page.evaluate("document.documentElement.scrollWidth") <= DESKTOP["width"]
        # The browser itself logs each refusal as an error.
        assert [line for line in page.complaints if "503" not in line] == []
    finally:
        server.close()


@pytest.mark.parametrize("size", [PHONE, DESKTOP])
def test_corners_are_marked_with_a_finger_and_with_keys(
    browser: Any, hosted: HostedSetupPage, size: dict[str, int]
) -> None:
    """The handles begin at the corners that the camera knows. They are dragged, or moved with the arrow keys by a pixel
    of the screen. They are large enough for a finger, they have names, and a new picture does not move them. A refusal
    is shown, and the buttons work without a mouse."""
    hosted.begin("systems-failing")
    hosted.seen = picture("corners")
    server = serve(hosted.app, "127.0.0.1", 0)
    try:
        page = new_page(browser, size, has_touch=size == PHONE)
        page.clock.install()
        page.goto(f"http://127.0.0.1:{server.port}/host?key={hosted.lobby.host_key}")
        page.goto(f"http://127.0.0.1:{server.port}/setup")
        page.get_by_role("button", name="Mark the corners by hand").press("Enter")
        handles = page.locator(".handle")
        names = [handle.get_attribute("aria-label") for handle in handles.all()]
        assert names == [str(name) for name in CORNER_NAMES]
        assert page.get_by_role("button", name="Top left corner of the mat").evaluate(
            "e => e === document.activeElement"
        )
        for button in page.locator("#handles button, #marking button").all():
            box = button.bounding_box()
            assert min(box["width"], box["height"]) >= 44
        seen = page.locator("#handles").bounding_box()

        def place(number: int) -> tuple[float, float]:
            """Where the middle of a handle is, in pixels of the screen from the picture's top left."""
            box = handles.nth(number).bounding_box()
            return box["x"] + box["width"] / 2 - seen["x"], box["y"] + box["height"] / 2 - seen["y"]

        known = [(x / 160 * seen["width"], y / 90 * seen["height"]) for x, y in SQUARE]
        assert all(place(number) == pytest.approx(known[number], abs=1) for number in range(4))
        x, y = place(2)
        grip = seen["x"] + x + 8, seen["y"] + y + 8  # beside the middle: the handle must not jump
        page.mouse.move(*grip)
        page.mouse.down()
        page.mouse.move(grip[0] + 60, grip[1] + 25, steps=4)
        assert page.locator("#handles canvas").is_visible()
        page.mouse.up()
        assert page.locator("#handles canvas").is_hidden()
        assert place(2) == pytest.approx((x + 60, y + 25), abs=1)
        assert complaints(page) == []
        handles.nth(0).focus()
        x, y = place(0)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowUp")
        assert place(0) == pytest.approx((x + 1, y - 10), abs=0.5)
        assert "from the left" in page.locator("#marking-status").inner_text()
        page.clock.run_for(A_LOOK_MS)
        assert place(0) == pytest.approx((x + 1, y - 10), abs=0.5)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        for _ in range(60):
            handles.nth(1).press("Shift+ArrowLeft")
        page.get_by_role("button", name="Save corners").press("Enter")
        alert = page.locator("#marking [role=alert]")
        alert.wait_for()
        assert "clockwise" in alert.inner_text()
        assert hosted.marked == []
        page.get_by_role("button", name="Cancel").click()
        assert page.locator("#handles").is_hidden()
        page.get_by_role("button", name="Mark the corners by hand").click()
        hosted.seen = replace(picture(), marks="set")
        page.get_by_role("button", name="Save corners").click()
        page.locator("#handles").wait_for(state="hidden")
        (((game, corners)),) = hosted.marked
        assert game == "systems-failing"
        assert corners is not None
        assert [pytest.approx(each, abs=0.01) for each in corners] == [(x / 160, y / 90) for x, y in SQUARE]
        page.clock.run_for(A_LOOK_MS)
        page.get_by_role("button", name="Use the corner codes again").press("Enter")
        until(lambda: hosted.marked[-1] == ("systems-failing", None))
        assert [line for line in page.complaints if "422" not in line] == []
    finally:
        server.close()


def test_before_a_game_the_chosen_mat_is_marked(browser: Any, hosted: HostedSetupPage) -> None:
    """Before a game, the host chooses the mat with a button, and the corners are saved as those of that mat. Nothing is
    cut off on a phone, even in German with letters twice as large."""
    hosted.seen = replace(picture("mat", "corners"), outlines=())
    server = serve(hosted.app, "127.0.0.1", 0)
    try:
        page = new_page(browser, PHONE, locale="de-DE")
        page.goto(f"http://127.0.0.1:{server.port}/host?key={hosted.lobby.host_key}")
        page.goto(f"http://127.0.0.1:{server.port}/setup")
        page.wait_for_selector(".seen img")
        assert faults(page, (Look(PHONE, letters="200%"), Look({"width": 195, "height": 422}))) == []
        assert complaints_in_the_dark(page) == []
        page.get_by_role("button", name="Spielplan von System WON markieren").click()
        page.locator("[data-do=save]").click()
        page.locator("#handles").wait_for(state="hidden")
        assert [game for game, _ in hosted.marked] == ["system-won"]
    finally:
        server.close()


def test_nothing_is_cut_off_in_german(browser: Any, hosted: HostedSetupPage) -> None:
    """Even with its long words, the German page fits with letters twice as large, and at 200 % zoom on a phone and a
    desktop. So do the handles for marking corners."""
    hosted.begin("systems-failing")
    hosted.seen = replace(picture("corners"), outlines=OUTLINES[1:])
    server = serve(hosted.app, "127.0.0.1", 0)
    try:
        page = new_page(browser, PHONE, locale="de-DE")
        page.goto(f"http://127.0.0.1:{server.port}/host?key={hosted.lobby.host_key}")
        page.goto(f"http://127.0.0.1:{server.port}/setup")
        page.wait_for_selector(".seen img")
        looks = (Look(PHONE, letters="200%"), Look({"width": 195, "height": 422}), Look(ZOOMED))
        assert faults(page, looks) == []
        page.locator("[data-do=mark]").click()
        assert faults(page, looks) == []
        assert complaints_in_the_dark(page) == []
    finally:
        server.close()
