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
from tests.web_table import unwrapped
from web.access.lobby import Lobby
from web.access.phone_cookie import COOKIE
from web.app import create_app
from web.server.http_server import serve
from web.setup import camera_setup
from web.setup.camera_setup import STEPS

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
        self.checks = {"disk": lambda: [Finding("disk", False, "It is full.", "Make room.")]}
        self.app = self.over("")

    def over(self, without: str) -> Any:
        context = camera_setup.SetupContext(
            self.table, self.lobby, self.look, without, self.checks, has_simulator=False
        )
        setup = camera_setup.blueprint(context)
        return create_app(self.table, self.lobby, setup=setup, pdf_queue=FullQueue())

    def look(self, codes: frozenset[str]) -> LivePicture | None:
        self.looks += 1
        self.codes = codes
        return self.seen

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


def test_nothing_is_cut_off_in_german(browser: Any, hosted: HostedSetupPage) -> None:
    """Even with its long words, the German page fits with letters twice as large, and at 200 % zoom on a phone and a
    desktop."""
    server = serve(hosted.app, "127.0.0.1", 0)
    try:
        page = new_page(browser, PHONE, locale="de-DE")
        page.goto(f"http://127.0.0.1:{server.port}/host?key={hosted.lobby.host_key}")
        page.goto(f"http://127.0.0.1:{server.port}/setup")
        page.wait_for_selector(".seen img")
        looks = (Look(PHONE, letters="200%"), Look({"width": 195, "height": 422}), Look(ZOOMED))
        assert faults(page, looks) == []
    finally:
        server.close()
