"""The settings of a phone: language, sounds, vibration and reading aloud."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import web
from companion.text.translation import LANGUAGES
from tests.browser import CHROMIUM, new_page
from tests.web_table import new_web_table, served, unwrapped
from web.templating.file_bundling import bundle

STATIC = Path(web.__file__).parent / "static"


@pytest.mark.parametrize(
    ("asked", "chosen", "spoken"),
    [
        ("", "", "en"),
        ("de-DE,de;q=0.9,en;q=0.5", "", "de"),
        ("fr,de;q=0.4,en;q=0.5", "", "en"),
        ("fr", "", "en"),
        ("es-MX,es;q=0.9,en;q=0.5", "", "es"),
        ("de", "en", "en"),
        ("en", "de", "de"),
        ("de", "xx", "de"),
    ],
)
def test_a_phone_is_spoken_to_in_its_language(asked: str, chosen: str, spoken: str) -> None:
    """A phone's language is the one that was chosen on it, or else the browser's, or else English."""
    phone = new_web_table().phone()
    if chosen:
        phone.client.set_cookie("tablekeeper-language", chosen)
    assert f'<html lang="{spoken}" dir="ltr">' in phone.get("/join", headers={"Accept-Language": asked}).text


def test_a_language_is_chosen_for_one_phone() -> None:
    """The chosen language applies to that phone only. An unknown language is refused with a message."""
    web_table = new_web_table()
    ann, ben = web_table.phone(0), web_table.phone(1)
    assert ann.client.post("/settings", data={"language": "de"}).status_code == 303
    assert 'lang="de"' in ann.get("/play").text.split("\n")[1]
    assert 'lang="en"' in ben.get("/play").text.split("\n")[1]
    for nonsense in ({"language": "xx"}, {}):
        assert ", ".join(LANGUAGES.values()) in ben.client.post("/settings", data=nonsense).text


def test_a_language_is_one_tap_away() -> None:
    """Each language has a button that chooses it. The button of the current language is shown as pressed."""
    page = new_web_table().phone(0).get("/settings").text
    buttons = re.findall(r'<button name="language" value="(\w+)"[^>]*aria-pressed="(\w+)"', unwrapped(page))
    assert buttons == [(code, str(code == "en").lower()) for code in LANGUAGES]
    assert "Use this language" not in page


def test_a_dock_does_not_fade_through_the_one_before() -> None:
    """While cards glide, the page's new buttons are shown at once, not blended with the old ones."""
    style = bundle(STATIC / "style.css")
    hidden = re.search(r"([^{}]*)\{\s*display: none;\s*\}\s*([^{}]*)\{\s*animation: none;", style)
    assert hidden
    assert "::view-transition-old(dock)" in hidden[1]
    assert "::view-transition-new(dock)" in hidden[2]


BACKGROUND = "getComputedStyle(document.body).backgroundColor"


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_light_or_dark_is_chosen_for_one_phone(browser: Any) -> None:
    """Choosing light or dark overrides the system's setting, on the settings page and on pages with style sheets of
    their own, until the phone is set to follow the system again."""
    web_table = new_web_table()
    with served(web_table) as server:
        page = new_page(browser, base_url=f"http://127.0.0.1:{server.port}", color_scheme="light")
        page.goto(f"/host?key={web_table.lobby.host_key}")
        light = page.evaluate(BACKGROUND)
        page.goto("/settings")
        page.get_by_label("Dark").check(force=True)
        dark = page.evaluate(BACKGROUND)
        assert dark != light
        page.goto("/host")
        assert page.evaluate(BACKGROUND) == dark
        page.emulate_media(color_scheme="dark")
        page.goto("/settings")
        page.get_by_label("Light").check(force=True)
        assert page.evaluate(BACKGROUND) == light
        page.get_by_label("Automatic").check(force=True)
        assert page.evaluate(BACKGROUND) == dark


SPY = """
window.heard = [];
const hear = (line) => { heard.push(line); document.documentElement.dataset.heard = heard.join("|"); };
Object.defineProperty(navigator, "vibrate", { value: (ms) => { hear("buzz " + ms); return true; } });
speechSynthesis.speak = (speech) => hear(speech.lang + ": " + speech.text);
const quiet = { setValueAtTime() {}, linearRampToValueAtTime() {}, exponentialRampToValueAtTime() {} };
const connect = (to) => to;
window.AudioContext = class {
  currentTime = 0; destination = {};
  resume() { return Promise.resolve(); }
  createGain() { return { gain: quiet, connect }; }
  createOscillator() { return { frequency: {}, connect, start() { hear("tone"); }, stop() {} }; }
};
"""


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium")
def test_a_phone_chimes_buzzes_and_reads_aloud_as_its_holder_wants(browser: Any) -> None:
    """A sound plays when it is the phone's turn, and public events are read aloud, each only if it is switched on."""
    web_table = new_web_table()

    def joined(*wanted: str) -> Any:
        page = new_page(browser)
        page.add_init_script(SPY)
        page.goto(f"{address}/join")
        page.request.post(f"{address}/api/join", data={"code": web_table.lobby.code, "seat": 1})
        page.goto(f"{address}/settings")
        for name in ("sound", "buzz", "voice", "awake"):
            page.locator(f"[data-sense={name}]").set_checked(name in wanted)
        page.goto(f"{address}/play")
        page.mouse.click(2, 60)
        return page

    with served(web_table) as server:
        address = f"http://127.0.0.1:{server.port}"
        loud = joined("sound", "voice", "buzz")
        web_table.lobby.free(1)
        still = joined()
        ann = web_table.phone(0)
        while ann.view()["state"]["turn"] == 0:
            ann.move(ann.view()["legal"][0])
        still.locator("h1", has_text="Your turn").wait_for()
        assert still.evaluate("heard") == []
        web_table.lobby.free(1)
        loud.request.post(f"{address}/api/join", data={"code": web_table.lobby.code, "seat": 1})
        loud.goto(f"{address}/play")
        web_table.table.undo(None)
        loud.locator("h1", has_text="Ann’s turn").wait_for()
        loud.mouse.click(2, 60)
        loud.evaluate("heard.length = 0")
        web_table.table.redo(None)
        loud.locator("html[data-heard*=buzz][data-heard*=tone]").wait_for()
        heard = loud.evaluate("heard")
        assert heard.count("tone") == 2
        assert [line for line in heard if line.startswith("en: ")]
        assert loud.complaints == []
