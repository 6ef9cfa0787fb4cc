"""A group of players. Some of the phones are real browsers, and so is the host with the simulated table if a test needs
this. The others send requests without a browser, which takes a tenth of the time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.cookiejar import Cookie
from typing import Any, Literal

from companion.games import GAMES
from companion.tabletop.mat import Point
from tests.browser import DESKTOP, new_page, pretend_hidden
from tests.running_service import HttpPhone, RunningService, join_code, until

Look = tuple[dict[str, int], Literal["light", "dark"]]
"""The window size of a phone, and whether it uses the light or the dark theme."""
POLL_S = 0.2
"""How often the state of the table is asked for while something is awaited, in seconds."""

LATER = "(version) => +document.getElementById('page').dataset.version > version"
PRESENT = (
    """(version) => +document.getElementById("page").dataset.version === version && !document.body.matches(".stale")"""
)


class Party:
    """The host's browser, which shows the simulated table, and the phones.

    `looks` has an item for each seat; None is a phone without a browser. `phones` are the pages of the other phones,
    and `page_of` finds the page of a seat. Without `has_host_page` the host has no browser, so there is no `table`.
    """

    def __init__(
        self, browser: Any, service: RunningService, game: str, *looks: Look | None, has_host_page: bool = True
    ) -> None:
        self.game, self.service, self.address = GAMES[game], service, service.address
        self.mat = self.game.physical.components.mat
        self.table: Any = new_page(browser, DESKTOP) if has_host_page else None
        self.page_of = {n: new_page(browser, look[0], color_scheme=look[1]) for n, look in enumerate(looks) if look}
        self.phones = list(self.page_of.values())
        self._awake = list(self.phones)
        self._seats = [HttpPhone(self.address) for _ in looks]
        if self.table is None:
            self._host = HttpPhone(self.address)
            self._host.get(service.host_link.removeprefix(self.address))
            return
        self.table.goto(service.host_link)
        self._host = requests_of(self.table, self.address)
        if f"game={game}" in self.table.content():
            self.table.goto(f"{service.address}/host?game={game}")

    @property
    def complaints(self) -> list[str]:
        """The errors of the pages' scripts."""
        return [said for page in self._pages for said in page.complaints]

    @property
    def _pages(self) -> list[Any]:
        """The pages of the host and of the phones that have browsers."""
        return [*([self.table] if self.table else ()), *self.phones]

    def begin(self, **chosen: str) -> None:
        """The host starts a game with these options and dealers, and the players join. With a host's page, all this is
        done on pages, and then the host opens the simulated table."""
        if board := chosen.get("option_board"):
            self.use_board(board)
        if self.table is None:
            self._start_without_page(chosen)
        else:
            self._start_on_page(chosen)
        code = join_code(self._host.get("/host"))
        for number in range(len(self._seats)):
            self._join(number, code)
        until(lambda: self.state()["playing"], "the simulated table of this game")
        if self.table:
            self.table.goto(f"{self.address}/simulator")
            self.table.locator("#box:not(:empty), #piles:not(:empty)").first.wait_for()

    def _start_without_page(self, chosen: Mapping[str, str]) -> None:
        named: dict[str, dict[str, str]] = {"option": {}, "dealer": {}}
        for name, value in chosen.items():
            kind, _, key = name.partition("_")
            named[kind][key] = value
        start = {"game": self.game.name, "seats": len(self._seats)}
        self._host.post("/api/start", {**start, "options": named["option"], "dealers": named["dealer"]})

    def _start_on_page(self, chosen: Mapping[str, str]) -> None:
        if chosen:
            self.table.locator("details.more:not([open]) > summary").click()
        for name, value in chosen.items():
            field = f"input[name={name.replace('_', '-', 1)}]"
            self.table.locator(f"label:has({field}[value='{value}'])").click()
        if self.table.locator("select[name=seats]").count():
            self.table.select_option("select[name=seats]", str(len(self._seats)))
        self.table.locator("button.start").click()
        self.table.get_by_text("no phone yet").first.wait_for()

    def _join(self, number: int, code: str) -> None:
        name, phone = f"Player {number}", self.page_of.get(number)
        if phone is None:
            self._seats[number].post("/api/join", {"code": code, "seat": number, "name": name})
            return
        if self.table:
            phone.goto(self.address)
            phone.fill("input[name=code]", code)
            phone.fill("input[name=name]", name)
            phone.locator(f"button[name=seat][value='{number}']").click()
        else:
            phone.request.post(f"{self.address}/api/join", data={"code": code, "seat": number, "name": name})
            phone.goto(f"{self.address}/play")
        phone.locator("main.play").wait_for()
        self._seats[number] = requests_of(phone, self.address)

    def use_board(self, board: str) -> None:
        """Uses the mat of this board for all further actions at the simulated table."""
        start = self.game.rules.begin(len(self._seats), self.game.rules.resolve_setup({"board": board}))
        self.mat = self.game.on_board(start).physical.components.mat

    def leave_table(self) -> None:
        """Closes the page of the simulated table, which otherwise fetches the state each second. Actions at the table
        go through the API and still work."""
        self.table.goto("about:blank")

    # What everyone may see

    def view(self, seat: int = 0) -> Any:
        return self._seats[seat].view()

    def after(self, version: int, what: str) -> Any:
        """Waits until the table's version is greater than `version`, and a phone that is not locked shows this. Returns
        the view."""
        if not self._awake:
            return self.until(lambda: (view := self.view())["version"] > version and view, what)
        try:
            self._awake[0].wait_for_function(LATER, arg=version, polling=50)
        except Exception as error:
            raise AssertionError(f"{what} did not come; the table: {self.state()}") from error
        return self.view()

    def post(self, phone: int, **move: Any) -> Any:
        """Submits a phone's move without using the phone's page. Returns the state after the move."""
        self.submit(phone, **move)
        return self.view()["state"]

    def submit(self, phone: int, **move: Any) -> None:
        """Submits a phone's move without using the phone's page."""
        self._seats[phone].move(move)

    def until(self, found: Callable[[], Any], what: str) -> Any:
        """Waits until `found` returns a true value, and returns this value. If that never happens, the error message
        includes the state of the table."""
        try:
            return until(found, what, every=POLL_S)
        except AssertionError as error:
            raise AssertionError(f"{error}; the table: {self.state()}") from error

    def put_right(self) -> None:
        """Lets the simulator put everything in place, and waits until the camera has seen it."""
        self.do("tidy")
        self.until(self.is_right, "a right table")

    def is_right(self, without: str = "") -> bool:
        """Whether the camera has seen that everything is in its place. With `without`: whether it has seen that no
        discrepancy whose message contains this text is left."""
        state = self.state()
        return state["settled"] and not any(without in message for message in state["discrepancies"])

    def state(self) -> Any:
        """The state of the simulated table."""
        return self._host.get("/simulator/state")

    # Interruptions of phones

    @contextmanager
    def locked(self, *phones: Any) -> Iterator[None]:
        """Locks these phones, by default all of them, while the block runs: their pages are hidden and receive nothing.
        Checks that they show the current state after they are unlocked."""
        asleep = phones or tuple(self.phones)
        self.agree(*asleep)
        before = self.view()["version"]
        for phone in asleep:
            pretend_hidden(phone, hidden=True)
            self._awake.remove(phone)
        yield
        assert {int(phone.get_attribute("main", "data-version")) for phone in asleep} == {before}
        for phone in asleep:
            pretend_hidden(phone, hidden=False)
        self._awake = [phone for phone in self.phones if phone in (*self._awake, *asleep)]
        self.agree(*asleep)

    @contextmanager
    def mishaps(self) -> Iterator[None]:
        """Runs the block under difficulties: the first phone is locked, the second gets no answers, and the last seat
        has a second tab. At the end, restarts the service and reloads a phone, and checks that all pages show the
        current state and that there are no discrepancies. None of this depends on the game, so not every test of a
        whole game does it."""
        first, second, last = self.phones[0], self.phones[1], self.phones[-1]
        tab = last.context.new_page()
        tab.goto(f"{self.address}/play")
        with self.locked(first):
            second.context.set_offline(True)
            second.locator("#away").wait_for()
            self._awake.remove(second)
            yield
            self.service.restart()
        second.context.set_offline(False)
        self._awake = list(self.phones)
        last.reload()
        self.agree(*self.phones, tab)
        tab.close()
        self.until(lambda: self.state()["in_view"], "the mat, once the camera is open again")
        self.put_right()
        for page in self._pages:
            page.complaints[:] = [said for said in page.complaints if "net::ERR" not in said]

    def agree(self, *pages: Any) -> None:
        """Waits until all of these pages show the current state of the table."""
        version = self.view()["version"]
        for page in pages:
            page.wait_for_function(PRESENT, arg=version, polling=50)

    # Actions at the simulated table

    def do(self, action: str, **body: object) -> Any:
        """Performs a player's action at the simulated table, such as moving a card, directly through the API."""
        return self._host.post(f"/simulator/do/{action}", body)

    def drag(self, start: Any, goal: Point) -> None:
        """Drags an element on the page of the simulated table to a place on the mat, mm."""
        mat = self.table.locator("#mat").bounding_box()
        assert self.mat
        width, height = self.mat.size
        start.scroll_into_view_if_needed()
        box, mouse = start.bounding_box(), self.table.mouse
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        end = mat["x"] + goal[0] / width * mat["width"], mat["y"] + goal[1] / height * mat["height"]
        mouse.move(x, y)
        mouse.down()
        for part in (0.3, 0.7, 1.0):
            mouse.move(x + part * (end[0] - x), y + part * (end[1] - y))
        mouse.up()

    def middle(self, zone: str) -> Point:
        """The middle of a zone, mm."""
        assert self.mat
        xs, ys = zip(*self.mat.zone(zone).polygon, strict=True)
        return (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2


def requests_of(page: Any, address: str) -> HttpPhone:
    """A client that sends requests with the cookies of a page. Its requests take less time than those of Playwright."""
    client = HttpPhone(address)
    for cookie in page.context.cookies():
        name, value, path = cookie["name"], cookie["value"], cookie["path"]
        # This is how a jar stores the name of a host without dots.
        domain = f"{cookie['domain']}.local"
        client.jar.set_cookie(
            Cookie(0, name, value, None, False, domain, False, False, path, True, False, None, True, None, None, {})
        )
    return client
