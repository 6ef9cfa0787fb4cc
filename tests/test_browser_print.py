"""Printing from a phone, in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from companion.printing.pdf_queue import Pack, PdfQueue
from companion.table.table import Table
from tests.browser import CHROMIUM, new_page
from tests.pdf_queues import CONTENTS
from tests.systems_failing_tables import new_table
from tests.web_table import WebTable, served

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]


def draw_at_once(pack: Pack, path: Path) -> None:
    path.write_bytes(b"%PDF-1.4 " + pack.options.paper.encode())
    path.with_suffix(".json").write_bytes(msgspec.json.encode(CONTENTS))


@contextmanager
def host_page(browser: Any) -> Iterator[Any]:
    """The host page of a running service, on the host's phone."""
    table: Table = new_table()
    with closing(PdfQueue(table.refresh, draw_at_once)) as queue:
        web_table = WebTable(table, pdf_queue=queue)
        with served(web_table) as server:
            page = new_page(browser, base_url=f"http://127.0.0.1:{server.port}")
            page.goto(f"/host?key={web_table.lobby.host_key}")
            yield page
            page.context.close()


def test_the_host_gets_a_file_and_the_page_says_when_it_is_ready(browser: Any) -> None:
    """Taps lead from the host page to the file. The page changes by itself once the file is drawn."""
    with host_page(browser) as page:
        page.get_by_role("link", name="Print cards and mat").click()
        page.get_by_role("radio", name="Letter").check(force=True)
        page.get_by_role("button", name="Make the PDF").click()
        page.get_by_role("heading", name="Systems Failing is ready").wait_for()
        link = page.get_by_role("link", name="Open the PDF").get_attribute("href")
        assert page.request.get(link).body() == b"%PDF-1.4 letter"
        assert page.complaints == []


def test_the_options_of_each_choice_are_equally_wide(browser: Any) -> None:
    """On a phone, the two options of each choice are beside each other and equally wide, however long their words."""
    with host_page(browser) as page:
        page.goto("/print?game=commute")
        choices = page.locator(".segments").all()
        assert len(choices) == 5
        for choice in choices:
            boxes = [label.bounding_box() for label in choice.locator("label").all()]
            assert len(boxes) == 2
            assert abs(boxes[0]["width"] - boxes[1]["width"]) < 1
            assert boxes[0]["y"] == boxes[1]["y"]
