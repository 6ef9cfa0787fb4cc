"""Photographing a card with a phone, in a real browser: one tap with JavaScript; without it, a form is sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.table.table import Table
from tests.browser import CHROMIUM, SMALL, new_page
from tests.phone_photo import jpeg, photograph, printed, wood
from tests.test_accessibility import complaints
from tests.web_table import WebTable, served
from vision.known_codes import known_codes
from vision.photo_queue import PhotoReader

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]


@pytest.fixture(scope="module")
def photos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Photo files by component id. `none` shows the empty table. `large` shows the 7 of hearts in a file that is larger
    than the limit."""
    folder = tmp_path_factory.mktemp("photos")
    for card in ("CM-7H", "CM-AD", "SW-G3A"):
        game = "commute" if card.startswith("CM") else "system-won"
        (folder / f"{card}.jpg").write_bytes(photograph(printed(game, card)))
    (folder / "large.jpg").write_bytes((folder / "CM-7H.jpg").read_bytes() + bytes(14 * 1024 * 1024))
    (folder / "none.jpg").write_bytes(jpeg(wood((900, 600))))
    return folder


@pytest.fixture(scope="module")
def reader() -> Iterator[PhotoReader]:
    with closing(PhotoReader(known_codes())) as reader:
        yield reader


def web_table_of(game: str, reader: PhotoReader, **dealers: str) -> WebTable:
    table = Table(Journal(None))
    table.start(game, 2, {}, dealers, ("Ann", "Bob"), "s")
    return WebTable(table, reader)


def seated_page(browser: Any, web_table: WebTable, address: str, **more: Any) -> Any:
    """Ann's phone at her page."""
    page = new_page(browser, **more)
    page.request.post(f"{address}/api/join", data={"code": web_table.lobby.code, "seat": 0})
    page.goto(f"{address}/play")
    return page


def hand(web_table: WebTable) -> list[str]:
    view = web_table.table.view(Seat(0))
    assert view
    return list(view.state["hands"][0])


def deal_the_rest(web_table: WebTable) -> None:
    """Reports all cards of the first deal except Ann's first card."""
    for seat, card in ((0, "2S"), (0, "3S"), (1, "4S"), (1, "5S"), (1, "6S")):
        web_table.table.submit(Seat(seat), {"seat": "house", "move": "deal", "to": seat, "card": card, "told": True})


def test_a_photo_is_sent_as_soon_as_it_is_taken(browser: Any, photos: Path, reader: PhotoReader) -> None:
    """As soon as a photo is taken, the card is recorded, or the page says how to hold the phone. On the player's turn,
    a photo of a card shows the journeys with that card, which stay on the page. A photo that is too large is scaled
    down first."""
    web_table = web_table_of("commute", reader, cards="table")
    with served(web_table) as server:
        page = seated_page(browser, web_table, f"http://127.0.0.1:{server.port}")
        assert page.locator(".photograph").bounding_box()["height"] >= 44
        taken = page.locator(".photograph input")
        taken.set_input_files(photos / "none.jpg")
        page.locator("#toast", has_text="Hold the phone flat").wait_for()
        assert hand(web_table) == []
        taken.set_input_files(photos / "large.jpg")
        page.get_by_text("You are dealt the 7 of hearts.").or_(page.get_by_text("card 2 of 3")).first.wait_for()
        assert hand(web_table) == ["7H"]
        deal_the_rest(web_table)
        page.get_by_role("heading", name="Your turn").wait_for()
        taken.set_input_files(photos / "CM-7H.jpg")
        page.locator(".shown h2").wait_for()
        assert "7 of hearts" in page.locator(".shown h2").inner_text()
        assert complaints(page) == []
        web_table.table.refresh()
        page.locator(f"#page[data-mark$='.{web_table.table.revision.refreshes}']").wait_for()
        page.locator(".shown button[name=move]").first.click()
        page.locator(".shown").wait_for(state="detached")
        assert "7H" not in hand(web_table)
        complained = [said for said in page.complaints if "422" not in said]
        assert complained == []


HOLD_NEXT_ANSWER = """() => {
    const send = window.fetch;
    window.held = new Promise((isHeld) => {
        window.fetch = async (...request) => {
            const answer = await send(...request);
            window.fetch = send;
            await new Promise((deliver) => isHeld({ deliver }));
            return answer;
        };
    });
}"""
"""Holds back the next answer from the server. `held` then has the function that delivers it."""


def test_a_late_answer_does_not_bring_back_an_older_page(browser: Any, photos: Path, reader: PhotoReader) -> None:
    """If the game goes on while the answer to a photo is on its way, the late answer does not replace the newer page,
    and the next photo is judged by the newer position."""
    web_table = web_table_of("commute", reader, cards="table")
    with served(web_table) as server:
        page = seated_page(browser, web_table, f"http://127.0.0.1:{server.port}")
        page.evaluate(HOLD_NEXT_ANSWER)
        taken = page.locator(".photograph input")
        taken.set_input_files(photos / "CM-7H.jpg")
        page.evaluate("async () => { await window.held; }")
        deal_the_rest(web_table)
        page.get_by_role("heading", name="Your turn").wait_for()
        taken.set_input_files(photos / "CM-7H.jpg")
        page.evaluate("async () => (await window.held).deliver()")
        page.locator(".shown h2").wait_for(timeout=10_000)


def test_a_photo_waits_for_the_one_before(browser: Any, photos: Path, reader: PhotoReader) -> None:
    """A photo that is taken while another is still being sent is not lost."""
    web_table = web_table_of("commute", reader, cards="table")
    with served(web_table) as server:
        page = seated_page(browser, web_table, f"http://127.0.0.1:{server.port}")
        held: list[Any] = []
        page.route("**/photo", lambda route: route.continue_() if held else held.append(route))
        taken = page.locator(".photograph input")
        with page.expect_request("**/photo"):
            taken.set_input_files(photos / "none.jpg")
        taken.set_input_files(photos / "CM-7H.jpg")
        held[0].continue_()
        page.get_by_text("You are dealt the 7 of hearts.").or_(page.get_by_text("card 2 of 3")).first.wait_for()
        assert hand(web_table) == ["7H"]


def test_a_card_is_turned_up_by_its_photo(browser: Any, photos: Path, reader: PhotoReader) -> None:
    """The player chooses the card, photographs it, and then sees what happened to it."""
    web_table = web_table_of("system-won", reader, cards="unseen")
    with served(web_table) as server:
        page = seated_page(browser, web_table, f"http://127.0.0.1:{server.port}")
        page.locator(".own button.face").nth(1).click()
        sheet = page.locator("#sheet-card-1")
        sheet.get_by_text("Or photograph it").click()
        sheet.locator(".photograph input").set_input_files(photos / "SW-G3A.jpg")
        sheet.get_by_text("Photo taken").wait_for()
        sheet.locator("form[data-photo]").get_by_role("button", name="Discard it").click()
        page.get_by_text("Ann discards a green 3").first.wait_for()
        assert page.complaints == []


def test_without_the_script_it_is_a_form(browser: Any, photos: Path, reader: PhotoReader) -> None:
    """Without the script there is a file field, a button and a result page, all of which fit on a narrow phone."""
    web_table = web_table_of("commute", reader, cards="table")
    with served(web_table) as server:
        page = seated_page(browser, web_table, f"http://127.0.0.1:{server.port}", size=SMALL, java_script_enabled=False)
        page.locator(".photograph input").set_input_files(photos / "none.jpg")
        page.get_by_role("button", name="Read the photo").click()
        page.locator(".alert.refused", has_text="Hold the phone flat").wait_for()
        page.locator(".photograph input").set_input_files(photos / "CM-AD.jpg")
        page.get_by_role("button", name="Read the photo").click()
        page.wait_for_url("**/play")
        assert hand(web_table) == ["AD"]
        assert page.locator(".photograph").bounding_box()["width"] <= SMALL["width"]
