"""The pages of a table without a console: setting it up, and its Wi-Fi."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from companion.hostname_and_country import MachineSettings
from companion.wifi import Wifi
from tests.browser import new_page
from tests.page_states import BOTH, LOOKS, PageState, bare
from tests.web_table import WebTable, served
from web.access.phone_cookie import COOKIE
from web.app import create_app
from web.setup import camera_setup, wifi_page


def a_network_entered(page: Any) -> None:
    """Enters a Wi-Fi on the page, and lets the table join it."""
    page.locator("[name=network]").fill("Home")
    page.locator("[name=password]").fill("open sesame")
    page.locator("form .action").click()
    page.wait_for_load_state()


APPLIANCE: tuple[PageState, ...] = (
    PageState(
        "new-table",
        "Whoever joins a new table first may set it up.",
        "/join",
        "stranger",
        looks=(*BOTH, "phone-german"),
    ),
    PageState(
        "first-run",
        "Then come language, name, country and Wi-Fi, and the host link.",
        "/setup/first",
        "host",
        looks=(*BOTH, "phone-german"),
    ),
    PageState("wifi", "The host enters another Wi-Fi.", "/setup/wifi", "host", looks=(*BOTH, "phone-german")),
    PageState("wifi-joining", "The table changes networks.", "/setup/wifi", "host", a_network_entered),
)


def nmcli(command: Sequence[str], text: str) -> str:
    """A replacement for nmcli, with two networks in reach."""
    return "Home:80:WPA2\nGuests:40:\n" if "list" in command else ""


@contextmanager
def opened_appliance(browser: Any, data: Path) -> Iterator[Callable[[PageState, str], Any]]:
    """Serves a new table with its Wi-Fi. Yields a function that opens a page state in one of LOOKS."""
    with (
        patch("web.access.first_host_offer._is_in_home_network", lambda: True),
        patch("web.setup.first_run_page.machine_name", lambda: "table"),
        patch("web.setup.wifi_page.mdns_name", lambda: "table.local"),
        patch.object(wifi_page, "DELAY_S", 0),
    ):
        new, hosted = WebTable(bare()), WebTable(bare())
        hosted.lobby.host_key = "KEY"
        token = hosted.lobby.claim_host(None, "KEY")
        context = camera_setup.SetupContext(
            hosted.table, hosted.lobby, lambda codes: None, "", {}, False, None, Wifi(nmcli), MachineSettings(data)
        )
        new.app = create_app(new.table, new.lobby, has_console=False)
        hosted.app = create_app(hosted.table, hosted.lobby, setup=camera_setup.blueprint(context))
        with served(new) as server, served(hosted) as hosted_server:

            def open_page(page_state: PageState, look: str) -> Any:
                port = hosted_server.port if page_state.who == "host" else server.port
                address = f"http://127.0.0.1:{port}"
                page = new_page(browser, base_url=address, **LOOKS[look])
                if page_state.who == "host":
                    page.context.add_cookies([{"name": COOKIE, "value": token, "url": address}])
                page.goto(page_state.path)
                page.wait_for_load_state()
                page_state.reach(page)
                return page

            yield open_page
