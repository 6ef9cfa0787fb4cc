"""System WON's page in a real browser: sheets that stay while others act."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from companion.games.rules import Seat
from tests.browser import CHROMIUM, chromium, new_page
from tests.phones import Home
from tests.tables import seen
from tests.test_web_won import won
from web.server import serve

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


class Served:
    """A home behind a real server."""

    def __init__(self, home: Home) -> None:
        self.home, self.server = home, serve(home.app, "127.0.0.1", 0)

    def seat(self, browser: Any, number: int) -> Any:
        page = new_page(browser)
        address = f"http://127.0.0.1:{self.server.port}"
        page.request.post(f"{address}/api/join", data={"code": self.home.desk.code, "seat": number})
        page.goto(f"{address}/play")
        return page


@pytest.fixture
def served(request: pytest.FixtureRequest) -> Iterator[Served]:
    made = Served(won(dealer=request.param))
    yield made
    made.server.close()


@pytest.mark.parametrize("served", ["companion", "unseen"], indirect=True)
def test_a_sheet_stays_open_while_another_rearranges(browser: Any, served: Served) -> None:
    """Somebody else's act changes the page under an open sheet: it stays; what was chosen stays; ticks do not, since
    the cards may have changed places."""
    ann = served.seat(browser, 0)
    ann.get_by_role("button", name="Tell…").first.click()
    sheet = ann.locator(".sheet.tell:popover-open")
    sheet.locator(".said label").first.click()
    ticks = sheet.locator("input[type=checkbox]")
    if ticks.count():
        sheet.locator("label.tick").first.click()
        assert sheet.locator("input[type=checkbox]:checked").count() == 1
    served.home.table.submit(Seat(1), {"seat": 1, "move": "arrange", "order": [1, 0, 2, 3, 4]})
    ann.locator(f"main[data-version='{seen(served.home.table).version}']").wait_for()
    assert sheet.count() == 1
    assert sheet.locator(".said input:checked").count() == 1
    assert sheet.locator("input[type=checkbox]:checked").count() == 0
    assert ann.complaints == []
