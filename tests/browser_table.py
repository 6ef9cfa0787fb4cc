"""A table behind a real server, and real browsers that open its pages."""

from __future__ import annotations

from typing import Any, Self

from tests.browser import DESKTOP, PHONE, new_page
from tests.web_table import WebTable, served

OVERFLOW_PX = "document.documentElement.scrollWidth - innerWidth"
"""JavaScript: how far a page can be scrolled sideways, pixels."""

COPIED_ELEMENTS = """[...document.querySelectorAll("use[href]")].map((use) => document.querySelector(
    use.getAttribute("href"))?.querySelectorAll("*").length ?? 0).reduce((sum, each) => sum + each, 0)"""
"""JavaScript: how many elements the drawings of a page copy with <use>."""


class BrowserTable:
    """A served table, and browsers that join it."""

    def __init__(self, browser: Any, web_table: WebTable) -> None:
        self.web_table, self._browser, self._served = web_table, browser, served(web_table)

    def __enter__(self) -> Self:
        self.address = f"http://127.0.0.1:{self._served.__enter__().port}"
        return self

    def __exit__(self, *error: object) -> None:
        self._served.__exit__(None, None, None)

    def seat(self, number: int, size: dict[str, int] = PHONE, **more: Any) -> Any:
        """The page of a phone that has joined at a seat."""
        page = new_page(self._browser, size, **more)
        page.request.post(f"{self.address}/api/join", data={"code": self.web_table.lobby.code, "seat": number})
        page.goto(f"{self.address}/play")
        page.locator("main.play").wait_for()
        page.wait_for_load_state()  # its script has run
        return page

    def screen(self, size: dict[str, int] = DESKTOP) -> Any:
        """The page of the table's big screen."""
        page = new_page(self._browser, size)
        page.goto(f"{self.address}/table")
        return page


def wait_for_title(page: Any, words: str) -> None:
    """Waits until the banner of the page shows `words`."""
    page.get_by_role("heading", level=1, name=words).wait_for()
