"""The dashboard as an app on a home screen, and the page that is shown while the table can't be reached."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

import pytest
from PIL import Image

from tests.browser import CHROMIUM, new_page, pretend_hidden
from tests.web_table import new_web_table, served
from web.server.http_server import serve

A_MINUTE_MS = 60_000


def test_the_manifest_names_icons_of_the_size_that_it_says() -> None:
    """Every icon exists in the size that the manifest states. There is also one at the address where phones look that
    don't read manifests."""
    web_table = new_web_table()
    phone = web_table.phone()
    manifest = phone.get("/manifest.webmanifest").json
    assert manifest["start_url"] == "/"
    sizes = [icon["sizes"] for icon in manifest["icons"] if icon["type"] == "image/png"]
    assert sizes == ["192x192", "512x512"]
    for icon in manifest["icons"]:
        answer = phone.get(icon["src"])
        assert answer.status_code == 200
        if icon["type"] == "image/png":
            with Image.open(BytesIO(answer.data)) as image:
                assert f"{image.width}x{image.height}" == icon["sizes"]
    with Image.open(BytesIO(phone.get("/apple-touch-icon.png").data)) as image:
        assert image.size == (180, 180)


def test_the_worker_keeps_nothing_of_a_game() -> None:
    """The service worker caches only the page for an unreachable table and its parts. That page contains nothing about
    a game."""
    web_table = new_web_table()
    ann = web_table.phone(0)
    kept = re.search(r"CACHED_URLS = (\[.*?\])", ann.get("/sw.js").text)
    assert kept
    static = [f"/static/{name}" for name in ("style.css", "pages.css", "reconnect.js", "icon.svg")]
    assert re.findall(r'"(/[^"?]*)', kept[1]) == ["/offline", *static]
    assert len({phone.get("/offline").text for phone in (ann, web_table.phone(1), web_table.phone())}) == 1


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium")
def test_a_phone_that_opens_the_table_while_it_is_away_waits_and_goes_on(browser: Any) -> None:
    """While the table is unreachable, the phone shows the cached page, which looks for the table as long as it is
    visible. When the service is back, the seat's page appears. The address stays the same."""
    web_table = new_web_table()
    with served(web_table) as server:
        port = server.port
        address = f"http://127.0.0.1:{port}"
        page = new_page(browser, service_workers="allow")
        page.goto(f"{address}/join")
        page.request.post(f"{address}/api/join", data={"code": web_table.lobby.code, "seat": 0})
        page.evaluate("navigator.serviceWorker.ready.then(() => {})")
        page.goto(f"{address}/play")
        page.clock.install()
        page.goto(f"{address}/offline")
        page.clock.run_for(A_MINUTE_MS)
        assert page.url == f"{address}/offline"
    page.goto(f"{address}/play")
    page.get_by_role("heading", name="Can’t reach the table").wait_for()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    pretend_hidden(page, hidden=True)
    page.clock.run_for(A_MINUTE_MS)
    assert asked == []
    again = serve(web_table.app, "127.0.0.1", port)
    try:
        pretend_hidden(page, hidden=False)
        page.locator("#turn-title").wait_for()
        assert asked[0] == f"{address}/healthz"
    finally:
        again.close()
