"""People and their phones, in a real browser: joining as somebody the table knows, and the host’s list of phones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser import CHROMIUM, new_page
from tests.running_service import until
from tests.web_table import WebTable, empty_web_table, new_web_table, served

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]


def opened(browser: Any, address: str, web_table: WebTable) -> Any:
    """The join page on a new phone that has scanned the QR code."""
    page = new_page(browser, base_url=address)
    page.goto(f"/join?code={web_table.lobby.secret}")
    return page


def test_sounds_come_along_to_a_new_phone(browser: Any) -> None:
    """A person joins with a new name, using the Enter key, and turns the chime on. On another phone, a single tap on
    the name is enough to join, and the chime is on there too. From then on, only the host may delete the profile."""
    web_table = empty_web_table()
    with served(web_table) as server:
        address = f"http://127.0.0.1:{server.port}"
        old = opened(browser, address, web_table)
        old.get_by_label("Your name").fill("Ann")
        old.keyboard.press("Enter")
        old.get_by_role("heading", name="Waiting for the host").or_(old.get_by_text("You’re Ann.")).first.wait_for()
        old.goto("/settings")
        with old.expect_response(lambda response: response.request.method == "POST"):
            old.get_by_label("chime when it’s my turn").check()
        old.goto("about:blank")
        until(
            lambda: not any(map(web_table.lobby.phones.is_online, web_table.lobby.phones.all)),
            "the phone to leave the table",
        )

        new = opened(browser, address, web_table)
        new.get_by_role("button", name="Ann").click()
        new.get_by_text("You’re Ann.").wait_for()
        new.goto("/settings")
        assert new.get_by_label("chime when it’s my turn").is_checked()
        assert "tablekeeper-senses" not in new.evaluate("document.cookie")
        new.get_by_role("link", name="Your games and your profile").click()
        new.get_by_text("To rename or delete Ann, ask the host.").wait_for()
        profile = new.url
        new.goto(f"{address}/host?key={web_table.lobby.host_key}")
        new.goto(profile)
        new.get_by_text("Delete Ann", exact=True).click()
        new.get_by_role("button", name="Yes, delete Ann").click()
        new.get_by_text("Nobody here yet.").wait_for()
        assert old.complaints == new.complaints == []


def test_the_buttons_of_each_phone_are_in_one_row(browser: Any) -> None:
    """In the host's list of phones, the two buttons for each phone are beside each other, however long the state of the
    phone is."""
    web_table = new_web_table()
    for name in ("Fay", "Maximiliane"):
        web_table.lobby.join(None, web_table.lobby.code, None, name)
    web_table.lobby.join(None, web_table.lobby.code, 0, "")
    with served(web_table) as server:
        page = new_page(browser, base_url=f"http://127.0.0.1:{server.port}")
        page.goto(f"/host?key={web_table.lobby.host_key}")
        phones = page.locator(".phones li:has(details)").all()
        assert len(phones) == 3
        for phone in phones:
            first, last = (button.bounding_box() for button in phone.locator("summary").all())
            assert first["y"] == last["y"]
            assert 0 < last["x"] - first["x"] - first["width"] < 16
        page.context.close()
