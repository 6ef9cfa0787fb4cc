"""Starts a real Chromium for the browser tests. If it is not installed, they are skipped with a reason."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

import pytest

from companion.games import GAMES

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The browsers that are looked for. The headless shell comes first: the others take twice as long for a page."""
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A test's page is closed so soon that optimizing its scripts takes more time than it saves.
    "--js-flags=--no-opt --no-maglev",
]
PHONE = {"width": 390, "height": 844}
SMALL = {"width": 320, "height": 640}
TABLET = {"width": 820, "height": 1180}
DESKTOP = {"width": 1280, "height": 800}
PATIENCE_MS = 45_000


_drivers: list[Any] = []
"""Playwright's running driver, if there is one. A thread can have only one."""


@contextmanager
def chromium(*flags: str) -> Iterator[Any]:
    """Yields a headless browser, started with `flags`. Inside another `chromium()` it shares the driver."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: sh scripts/system-packages chromium")
    with nullcontext(_drivers[0]) if _drivers else _driver() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*QUIET, *flags])
        yield browser
        browser.close()


@contextmanager
def _driver() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install -e '.[dev]'")
    with api.sync_playwright() as playwright:
        _drivers.append(playwright)
        yield playwright
        _drivers.clear()


KNOWS_THE_GAMES = """try { for (const game of %s) localStorage.setItem("coach-" + game, 99); } catch {}"""


def new_page(browser: Any, size: dict[str, int] = PHONE, *, first_game: bool = False, **more: Any) -> Any:
    """A page with cookies of its own. Errors of its scripts are collected in `page.complaints`. The page shows the tips
    for a first game only if this is the phone's `first_game`."""
    # A service worker would answer requests that a test wants to intercept.
    usual = {"viewport": size, "reduced_motion": "reduce", "service_workers": "block"}
    context = browser.new_context(**{**usual, **more})
    if not first_game:
        context.add_init_script(KNOWS_THE_GAMES % [*GAMES])
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.complaints = []
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("console", lambda line: page.complaints.append(line.text) if line.type == "error" else None)
    return page


def pretend_hidden(page: Any, *, hidden: bool) -> None:
    """With `hidden`, makes a page believe that the phone is locked or that another tab is in front; otherwise, that the
    page is visible again."""
    page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
        "document.dispatchEvent(new Event('visibilitychange')); }",
        hidden,
    )
