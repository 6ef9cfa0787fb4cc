"""The dashboard in a real browser: phones that play, request, undo, reload, sleep and lose the connection."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.games import GAMES
from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.table.table import Table
from companion.text.translation import LANGUAGES
from tests.browser import DESKTOP, PHONE, SMALL, new_page, pretend_hidden
from tests.browser_table import BrowserTable, wait_for_title
from tests.keyboard_user import KeyboardUser
from tests.off_screen import hidden
from tests.page_states import PageScene, PageState, after, asked, in_each_language, opened, played
from tests.secrets_game import SECRETS, secrets_web_table
from tests.systems_failing_tables import new_table, seen
from tests.web_table import WebTable
from web.localization import LANGUAGE_COOKIE
from web.server.http_server import Server, serve

pytestmark = pytest.mark.browser


class RestartableTable:
    """A served table that can be killed and restarted at the same address."""

    def __init__(self, web_table: WebTable, port: int = 0) -> None:
        self.place = web_table
        self.server: Server = serve(web_table.app, "127.0.0.1", port)
        self.port = self.server.port
        self.address = f"http://127.0.0.1:{self.port}"

    def seat(self, browser: Any, number: int, size: dict[str, int] = PHONE, **more: Any) -> Any:
        """A phone that has joined at a seat."""
        page = new_page(browser, size, **more)
        page.request.post(f"{self.address}/api/join", data={"code": self.place.lobby.code, "seat": number})
        page.goto(f"{self.address}/play")
        page.locator("main.play").wait_for()
        page.wait_for_load_state()  # with its script
        return page

    def seat_by_qr_code(self, browser: Any, number: int) -> Any:
        """A phone that came by the QR code and took a seat."""
        page = new_page(browser)
        page.goto(f"{self.address}/join?code={self.place.lobby.code}")
        page.get_by_label("Your name").fill(self.place.table.names[number])
        page.get_by_role("button", name=self.place.table.names[number]).click()
        page.locator("main.play").wait_for()
        page.wait_for_load_state()  # with its script
        return page

    def restart(self, journal: Path) -> RestartableTable:
        """Restarts the service in the same process; phones can't tell this from a new process."""
        self.server.close()
        return RestartableTable(WebTable(Table(Journal(journal))), self.port)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[RestartableTable]:
    running = RestartableTable(WebTable(new_table(tmp_path / "journal.db")))
    yield running
    running.server.close()


def actions(page: Any, count: int) -> None:
    """Waits until the page shows `count` actions and accepts the next tap. The page may show the actions earlier, if an
    event arrives before the answer to the last tap."""
    page.locator("body:not(.busy) .turn", has_text=f"{count} action").wait_for()


def test_two_phones_play(browser: Any, service: RestartableTable) -> None:
    """Drawing, repairing by tapping a card, a transfer with consent, undo and the end of a turn each appear on both
    phones at once. The consent is given with the keyboard."""
    ann, bob = service.seat_by_qr_code(browser, 0), service.seat_by_qr_code(browser, 1)
    wait_for_title(ann, "Your turn")
    wait_for_title(bob, "Ann’s turn")
    ann.get_by_role("button", name="Scavenge").click()
    actions(ann, 3)
    actions(bob, 3)
    bob.locator(".log li.new", has_text="Ann scavenges").wait_for()
    assert ann.locator(".drawn .piece").count() == 2

    ann.locator("button.face, .escape button.line").first.click()
    chosen = ann.locator(".sheet .branch[open] .way:not(.passed):visible")
    chosen.wait_for()
    chosen.click()
    actions(bob, 2)
    assert re.search(r"Ann puts .* on", bob.locator(".last").inner_text(), re.DOTALL)

    ann.get_by_role("button", name="Take a cube from Bob").click()
    ann.locator(".sheet:popover-open .way").first.click()
    bob.get_by_role("heading", name="Ann asks").wait_for()
    ann.get_by_role("heading", name="Waiting for Bob").wait_for()
    KeyboardUser(bob, "").act(".ask .yes")
    actions(ann, 1)
    bob.locator(".log li.new", has_text="gives Ann").wait_for()

    bob.get_by_role("button", name="Undo").click()
    actions(ann, 2)
    ann.get_by_text("Put back on the table").wait_for()
    ann.get_by_role("button", name="End turn").click()
    wait_for_title(bob, "Your turn")
    assert ann.complaints == bob.complaints == []


def test_a_small_phone_shows_whole_cards_and_every_action(browser: Any, service: RestartableTable) -> None:
    """On a player's turn, without scrolling, a small phone shows whole cards above the player's cubes and the dock."""
    ann = service.seat(browser, 0, SMALL)
    for language in LANGUAGES:
        ann.context.add_cookies([{"name": LANGUAGE_COOKIE, "value": language, "url": service.address}])
        ann.reload()
        ann.locator(".pool.own[style*='--dock']").wait_for()  # the height of the dock is known a frame later
        pool = ann.locator(".pool.own").bounding_box()
        assert 0 <= pool["y"] + pool["height"] - ann.locator(".dock").bounding_box()["y"] < 2, "no gap above the dock"
        for card in ann.locator(".zone li.top").all():
            box = card.bounding_box()
            assert box["y"] + box["height"] < pool["y"], language
        high, room = ann.locator(".dock").evaluate("({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight]")
        assert high <= room, language


def test_a_request_can_be_declined_or_withdrawn(browser: Any, service: RestartableTable) -> None:
    """Declining a request informs the requesting player. Withdrawing it removes it from the other phone."""
    ann, bob = service.seat(browser, 0), service.seat(browser, 1)
    for answerer, word in ((bob, "No"), (ann, "Cancel")):
        ann.get_by_role("button", name="Take a cube from Bob").click()
        ann.locator(".sheet:popover-open .way").first.click()
        bob.get_by_role("heading", name="Ann asks").wait_for()
        answerer.get_by_role("button", name=word, exact=True).click()
        bob.get_by_role("heading", name="Ann asks").wait_for(state="detached")
    actions(ann, 4)


def test_a_double_tap_acts_once(browser: Any, service: RestartableTable) -> None:
    """Two taps on the same button before the page has changed make only one move."""
    ann = service.seat(browser, 0)
    ann.evaluate("const b = document.querySelector('.action[name]'); b.click(); b.click()")
    actions(ann, 3)
    assert seen(service.place.table).version == 2


def lose(page: Any, path: str, *, reached: bool, times: int = 1) -> list[str]:
    """Makes the next answers from a path get lost or, without `reached`, the requests to it. Returns the ids that were
    sent."""
    sent: list[str] = []

    def route(request: Any) -> None:
        sent.append(request.request.post_data_json.get("id", ""))
        if len(sent) > times:
            request.continue_()
            return
        if reached:
            request.fetch()
        request.abort()

    page.route("**" + path, route)
    return sent


@pytest.mark.parametrize("reached", [True, False])
def test_a_request_without_an_answer_is_repeated(browser: Any, service: RestartableTable, reached: bool) -> None:
    """A request without an answer is repeated until it is answered. It is carried out only once, and the page shows the
    result."""
    ann, ids = service.seat(browser, 0), set()
    for times, left in ((1, 3), (2, 2)):
        version = seen(service.place.table).version
        sent = lose(ann, "/api/moves", reached=reached, times=times)
        ann.get_by_role("button", name="Scavenge").click()
        ann.get_by_role("alert").filter(has_text="it was done, exactly once").wait_for()
        actions(ann, left)
        assert (len(sent), len(set(sent))) == (times + 1, 1)
        assert seen(service.place.table).version == version + 1
        ids |= {*sent}
        ann.locator("#toast").click()  # so that the next one is not taken for it
        ann.unroute_all()
    assert len(ids) == 2


def test_a_repeated_request_that_comes_too_late_is_refused(browser: Any, service: RestartableTable) -> None:
    """If somebody has acted in the meantime, the repeated request is refused, and the page says so."""
    ann = service.seat(browser, 0)
    lose(ann, "/api/moves", reached=False)
    ann.evaluate("""document.getElementById('page').dataset.version = 0;
        document.querySelector('.action[name]').click()""")
    ann.get_by_role("alert").filter(has_text="That wasn’t done. The game has moved on").wait_for()
    actions(ann, 4)


def test_what_happened_meanwhile_stays_marked(browser: Any, service: RestartableTable) -> None:
    """What changed while the phone was asleep stays marked, although waking up updates the page once more."""
    bob = service.seat(browser, 1)
    pretend_hidden(bob, hidden=True)
    service.place.table.submit(Seat(0), {"seat": 0, "move": "scavenge"})
    pretend_hidden(bob, hidden=False)
    new = bob.locator(".log li.new", has_text="Ann scavenges")
    new.wait_for()
    mark = bob.get_attribute("main", "data-mark")
    service.place.table.refresh()
    bob.wait_for_function("(mark) => document.getElementById('page').dataset.mark !== mark", arg=mark)
    assert new.count() == 1


def test_names_of_one_long_word_run_off_no_page(browser: Any) -> None:
    """A name of the maximum length in the widest letters fits on every page on the smallest phone."""
    table = Table(Journal(None))
    table.start("systems-failing", None, {}, {}, ("W" * 24, "M" * 24), "1")
    running = RestartableTable(WebTable(table))
    page = new_page(browser, SMALL)
    page.goto(f"{running.address}/host?key={running.place.lobby.host_key}")
    for path in ("/host", "/join", "/games", "/table", "/log"):
        page.goto(running.address + path)
        assert page.evaluate("document.documentElement.scrollWidth") == SMALL["width"], path
    running.server.close()


def test_a_question_with_long_names_hides_nothing_that_decides_the_turn(browser: Any) -> None:
    """In Systems Failing, a request between two players with long names leaves the meters and the cubes in view on a
    small phone, for who asks and for who is asked."""
    names = ("Maximiliane Großmutter-W", "Großmutter Hildegard-Ann")
    scene = PageScene(
        "long-names",
        "Long names",
        lambda: asked(played("systems-failing", after(14, "transfer"), options={"difficulty": "easy"}, names=names)),
        (PageState("asking", ""), PageState("asked", "", who="next")),
        game="systems-failing",
    )
    page = new_page(browser)
    with opened(browser, scene, page) as open_page:
        for page_state, look in in_each_language(scene.page_states):
            open_page(page_state, look)
            page.locator(".ask").wait_for()
            assert hidden(page, scene.game) == [], (page_state.name, look)
    page.context.close()


def test_there_is_a_space_before_the_cubes_on_the_deck(browser: Any) -> None:
    """After a surge with white cubes, their icon is set apart from the number of cards, or below it."""
    on_deck = played("systems-failing", lambda view: isinstance(view.turn, int) and view.state["deck_whites"])
    with BrowserTable(browser, WebTable(on_deck)) as table:
        cards, icon = (
            table.seat(0).locator(".facts dd:has(> small + *)").first.locator("> small, > small + *").all()[:2]
        )
        for width in (PHONE["width"], 480, 600, 760):
            cards.page.set_viewport_size({"width": width, "height": 844})
            left, right = cards.bounding_box(), icon.bounding_box()
            is_below = right["y"] >= left["y"] + left["height"] - 4
            assert is_below or right["x"] >= left["x"] + left["width"] + 2, width


def test_a_page_turns_gray_when_the_table_falls_silent(browser: Any, service: RestartableTable) -> None:
    """If the table loses power, without a closed connection, the page and its open sheet turn gray by themselves. The
    sheet can be closed, and the page recovers by itself."""
    ann = service.seat(browser, 0)
    ann.clock.install()
    ann.route("**/api/events*", lambda _: None)
    ann.reload()
    ann.route("**/play", lambda _: None)
    ann.get_by_role("button", name="Repair", exact=True).click()
    for _ in range(2):
        ann.clock.fast_forward(13_000)
    ann.locator("#away").wait_for()
    assert ann.evaluate("document.body.matches('.stale')")
    sheet = ann.locator(".sheet:popover-open")
    assert "grayscale" in sheet.evaluate("sheet => getComputedStyle(sheet).filter")
    sheet.get_by_role("button", name="Close").click()
    assert not sheet.count()
    ann.unroute_all()
    for _ in range(3):
        ann.clock.fast_forward(11_000)
    ann.locator("#away").wait_for(state="hidden")


def test_a_lost_request_without_an_id_is_not_repeated(browser: Any, service: RestartableTable) -> None:
    """A request without an id is not repeated. The page is updated and says what to check."""
    ann = service.seat(browser, 0)
    sent = lose(ann, "/api/ask", reached=True)
    ann.get_by_role("button", name="Take a cube from Bob").click()
    ann.locator(".sheet:popover-open .way").first.click()
    ann.get_by_role("alert").filter(has_text="check whether your tap took effect").wait_for()
    ann.get_by_role("heading", name="Waiting for Bob").wait_for()
    assert len(sent) == 1


def test_a_move_that_is_no_longer_possible_shows_why(browser: Any, service: RestartableTable) -> None:
    """A tap on a move that has just become impossible shows why, and the page is updated."""
    ann = service.seat(browser, 0)
    ann.evaluate("""document.getElementById('page').dataset.version = 0;
        document.querySelector('.action[name]').click()""")
    ann.get_by_role("alert").filter(has_text="Look again").wait_for()
    ann.locator("body:not(.busy)").wait_for()
    ann.get_by_role("button", name="Scavenge").click()
    actions(ann, 3)


def test_a_phone_is_right_again_after_reload_sleep_and_restart(
    browser: Any, service: RestartableTable, tmp_path: Path
) -> None:
    """After a reload, sleep, a lost connection, and a restart of the service, the page shows the current state."""
    ann, bob = service.seat(browser, 0), service.seat(browser, 1)
    ann.reload()
    wait_for_title(ann, "Your turn")

    pretend_hidden(bob, hidden=True)
    ann.get_by_role("button", name="Scavenge").click()
    actions(ann, 3)
    actions(bob, 4)
    pretend_hidden(bob, hidden=False)
    actions(bob, 3)

    table = service.place.table
    service.server.close()
    bob.get_by_text("Reconnecting").wait_for()
    assert bob.locator("body.stale").count() == 1
    again = service.restart(tmp_path / "journal.db")
    try:
        bob.get_by_text("Reconnecting").wait_for(state="hidden")
        ann.get_by_text("Reconnecting").wait_for(state="hidden")
        assert seen(again.place.table).version == seen(table).version
        ann.get_by_role("button", name="Scavenge").click()
        actions(bob, 2)
    finally:
        again.server.close()


WATCH_ITSELF = """() => {
    window.shown = [];
    const page = document.getElementById('page');
    const taps = () => getComputedStyle(page.querySelector('.dock')).pointerEvents;
    const look = () => shown.push([page.dataset.version, document.body.matches('.stale'), taps()]);
    document.addEventListener('visibilitychange', look);
    document.addEventListener('visibilitychange', () =>
        new MutationObserver(look).observe(document.body, { attributes: true, subtree: true, childList: true }),
        { once: true });
}"""
"""Records the page's requests and appearance from the moment it falls asleep."""


class HeldRequests:
    """A page's requests for some addresses, held back until they are released."""

    def __init__(self, page: Any, *addresses: str) -> None:
        self.routes: list[Any] = []
        self._released = False
        for address in addresses:
            page.route(address, self._hold)

    def _hold(self, route: Any) -> None:
        if self._released:
            route.continue_()
        else:
            self.routes.append(route)

    def release(self) -> None:
        """Sends the requests, and holds back no further ones."""
        self._released = True
        for route in self.routes:
            route.continue_()


TOAST_BELOW_NOTICE = """async () => {
    const [toast, notice] = ['toast', 'away'].map(id => document.getElementById(id));
    await Promise.all(toast.getAnimations().map(each => each.finished));
    return toast.getBoundingClientRect().top - notice.getBoundingClientRect().bottom;
}"""
"""How far the toast is below the notice that the table is unreachable, in pixels."""


def test_a_phone_that_wakes_up_stays_gray_until_its_page_is_current(browser: Any, service: RestartableTable) -> None:
    """A phone that wakes up first requests the current page. Until the page arrives, the old page is gray and reacts to
    neither taps nor keys."""
    ann = service.seat(browser, 0)
    before = seen(service.place.table).version
    ann.evaluate(WATCH_ITSELF)
    pretend_hidden(ann, hidden=True)
    ann.evaluate("page.swap(document.documentElement.outerHTML)")  # an answer that comes late, to a page that sleeps
    now = service.place.table.submit(Seat(0), {"seat": 0, "move": "scavenge"})
    asked: list[str] = []
    ann.on("request", lambda request: asked.append(request.url.removeprefix(service.address)))
    held = HeldRequests(ann, "**/play", "**/api/events?*")
    pretend_hidden(ann, hidden=False)
    ann.get_by_text("Reconnecting").wait_for()
    ann.locator(".dock .action[name]").first.focus()
    ann.keyboard.press("Enter")
    ann.get_by_role("alert").filter(has_text="didn’t answer").wait_for()
    assert ann.evaluate(TOAST_BELOW_NOTICE) >= 0
    held.release()
    ann.locator(f"main[data-version='{now}']").wait_for()
    ann.locator("body:not(.stale)").wait_for()
    assert asked[0] == "/play"
    assert "/api/moves" not in asked
    old = [how for version, *how in ann.evaluate("shown") if version == f"{before}"]
    assert old
    assert [how for how in old if how != [True, "none"]] == []
    assert ann.get_by_text("Reconnecting").is_hidden()
    assert ann.complaints == []


def test_a_lost_answer_does_not_matter_once_the_stream_has_brought_the_page(
    browser: Any, service: RestartableTable
) -> None:
    """A phone that wakes up gets the current page from its stream. If the answer with the page is lost, the phone does
    not say that it is reconnecting."""
    ann = service.seat(browser, 0)
    ann.clock.install()
    pretend_hidden(ann, hidden=True)
    now = service.place.table.submit(Seat(0), {"seat": 0, "move": "scavenge"})
    held = HeldRequests(ann, "**/play")
    pretend_hidden(ann, hidden=False)
    ann.locator(f"main[data-version='{now}']").wait_for()
    ann.locator("body:not(.stale)").wait_for()
    with ann.expect_event("requestfailed"):
        held.routes[0].abort()
    ann.clock.run_for(1500)
    assert ann.locator("body:not(.stale)").count() == 1
    assert ann.get_by_text("Reconnecting").is_hidden()


def test_a_new_game_begins_at_the_top(browser: Any, service: RestartableTable) -> None:
    """When a new game begins, the page is scrolled to the top and open sheets are closed. Between games the navigation
    links to no game."""
    ann = service.seat(browser, 0)
    ann.get_by_role("button", name="Repair", exact=True).click()
    ann.evaluate("scrollTo(0, 400)")
    assert ann.evaluate("scrollY") > 0
    game = seen(service.place.table).id
    service.place.table.start("systems-failing", 2, {}, {}, ("Ann", "Bob"), "another")
    ann.locator(f"main[data-game='{game + 1}']").wait_for()
    assert ann.evaluate("scrollY") == 0
    assert ann.locator(".sheet:popover-open").count() == 0
    service.place.table.end()
    ann.get_by_role("heading", name="Waiting for the host").wait_for()
    ann.get_by_role("link", name="Seat").wait_for(state="detached")
    service.place.table.start("systems-failing", 2, {}, {}, ("Ann", "Bob"), "a third")
    ann.locator("main.play").wait_for()
    ann.get_by_role("link", name="Seat").wait_for()


def test_an_impossible_selection_shows_the_reason(browser: Any, service: RestartableTable) -> None:
    """If the selected cubes and ability are impossible, the page shows the rule's reason, and the ticks stay."""
    ann = service.seat(browser, 0)
    ann.get_by_role("button", name="Repair D30").click()
    ann.locator(".branch[open] .chip.switch").click()
    ann.get_by_role("button", name="You can’t choose that. Why?").click()
    ann.get_by_role("alert").filter(has_text="every cube that D30 needs. Repair it without your ability").wait_for()
    ann.locator(".branch[open] .chip.switch").click()
    ann.locator(".branch[open] .way:visible").click()
    actions(ann, 3)


def test_an_open_sheet_and_its_ticks_stay_when_something_happens(browser: Any, service: RestartableTable) -> None:
    """An update replaces the page without closing, scrolling or unticking an open sheet."""
    ann = service.seat(browser, 0)
    ann.get_by_role("button", name="Repair", exact=True).click()
    ann.locator(".branch:has(.pick) summary").first.click()
    chip = ann.locator(".branch[open] .chip").first
    chip.click()
    ticked = chip.locator("input").is_checked()
    service.place.table.rename(seen(service.place.table).viewer, "Anna")  # type: ignore[arg-type]
    ann.locator(".who", has_text="Anna").wait_for()
    assert ann.locator(".sheet:popover-open").count() == 1
    assert chip.locator("input").is_checked() == ticked
    ann.keyboard.press("Escape")
    assert ann.locator(".sheet:popover-open").count() == 0


def test_the_host_starts_a_game_and_others_join(browser: Any) -> None:
    """The host starts a game with a form that asks only for as many names as there are players. A phone in the lobby
    and the big screen update by themselves."""
    running = RestartableTable(WebTable(Table(Journal(None))))
    try:
        host, guest = new_page(browser, DESKTOP), new_page(browser)
        host.goto(running.address)
        guest.goto(f"{running.address}/join?code={running.place.lobby.code}")
        guest.get_by_role("button", name="Join").click()
        guest.get_by_text("You’re in").wait_for()
        host.get_by_role("link", name="Commute").click()
        for players in (2, 4):
            host.locator("select[name=seats]").select_option(f"{players}")
            assert host.locator("[name=player]:visible").count() == players
        host.get_by_role("link", name="Systems Failing").click()
        host.get_by_role("heading", name="Systems Failing").wait_for()
        KeyboardUser(host, "").check_tab_order()
        host.get_by_text("More options").click()
        host.get_by_placeholder("Player 1").fill("Ann")
        host.get_by_placeholder("Player 2").fill("Bob")
        host.get_by_label("Hard").check()
        host.get_by_role("button", name="Start game").click()
        guest.get_by_role("button", name="Bob").click()
        guest.locator("main.play").wait_for()
        host.locator("[data-key=now] .people li", has_text="Bob").get_by_text("here").wait_for()
        assert guest.get_by_role("link", name="Seat").is_visible()
        host.get_by_text("Free the seat").click()
        assert guest.locator("main.play").count() == 1
        host.get_by_role("button", name="may take Bob’s seat").click()
        guest.get_by_role("status").filter(has_text="seat was freed").wait_for()
        host.goto(f"{running.address}/table")
        wait_for_title(host, "Ann’s turn")
        assert seen(running.place.table).state["difficulty"] == "hard"
    finally:
        running.server.close()


def test_the_keyboard_alone_plays(browser: Any, service: RestartableTable) -> None:
    """Tab reaches every control. Enter opens a sheet and a branch of it, and makes the move. The focus stays on the
    page, also when another act changes it."""
    user = KeyboardUser(service.seat(browser, 0), "")
    user.check_tab_order()
    user.leave(".dock .opens")
    user.open(".card button.face")
    user.act(".sheet:popover-open .branch[open] .way:not(.passed, .none)")
    actions(user.page, 3)
    service.place.table.undo(None)
    user.follow(seen(service.place.table).version)


def sideways(page: Any) -> Any:
    """The elements that extend beyond the right edge if the page scrolls horizontally."""
    return page.evaluate("""document.documentElement.scrollWidth <= innerWidth ? [] :
        [...document.querySelectorAll('body *')]
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))""")


def test_nothing_scrolls_sideways_and_targets_fit_a_thumb(browser: Any, service: RestartableTable) -> None:
    """At every size, zoomed to 200 % and with letters twice as large, nothing scrolls horizontally, and buttons and
    links are 44 px high."""
    page = service.seat(browser, 0)
    for path in ("/table", "/log", "/join", "/play"):
        page.goto(service.address + path)
        page.locator("main").wait_for()
        for size in (PHONE, SMALL, DESKTOP):
            for scale in (1, 2):
                page.set_viewport_size({"width": size["width"] // scale, "height": size["height"] // scale})
                assert sideways(page) == [], (path, size, scale)
    page.set_viewport_size(PHONE)
    for path in ("/play", "/help?game=traffic-congestion"):
        page.goto(service.address + path)
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], path
        widths = page.evaluate(
            "[...document.querySelectorAll('.dock .actions > button, .dock .small-actions button')]"
            ".map(button => button.offsetWidth)"
        )
        assert min(widths, default=PHONE["width"]) >= 120, path
    page.goto(service.address + "/play")
    for size in (PHONE, SMALL, DESKTOP):
        page.set_viewport_size(size)
        heights = page.evaluate("""[...document.querySelectorAll('.dock button, nav a')].filter(b => b.offsetParent)
            .map(b => b.getBoundingClientRect().height)""")
        assert heights
        assert min(heights) >= 44


def test_a_double_tap_by_touch_acts_once(browser: Any, service: RestartableTable) -> None:
    """A double tap by touch makes only one move, even if the answer arrives before the second tap, or if the first tap
    opens a sheet under the finger."""
    ann = service.seat(browser, 0, has_touch=True)
    before = seen(service.place.table).version
    asked: list[str] = []
    ann.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)

    def tap_twice(name: str, between: str) -> None:
        box = ann.get_by_role("button", name=name).bounding_box()
        place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        # The page's clock stands still between the two taps, so that they are a double tap even on a slow machine.
        ann.evaluate("Object.defineProperty(Event.prototype, 'timeStamp', { get: () => 1e6, configurable: true })")
        ann.touchscreen.tap(*place)
        ann.locator(between).wait_for()
        ann.touchscreen.tap(*place)
        ann.evaluate("delete Event.prototype.timeStamp")

    tap_twice("Take a cube from Bob", ".sheet:popover-open")
    assert ann.locator(".sheet:popover-open").count() == 1
    ann.keyboard.press("Escape")
    tap_twice("Scavenge", f"body:not(.busy):has(main[data-version='{before + 1}'])")
    ann.reload()
    assert seen(service.place.table).version == before + 1
    assert len(asked) == 1


def test_high_contrast_shows_borders_and_underlines_the_current_page(browser: Any, service: RestartableTable) -> None:
    """In high-contrast mode buttons have a border, and only the current page is underlined in the navigation."""
    page = service.seat(browser, 0, forced_colors="active")
    edges = "all => all.map(el => getComputedStyle(el)).filter(look => look.borderTopStyle === 'none').length"
    assert page.locator(".dock .action").evaluate_all(edges) == 0
    lines = "all => new Set(all.map(el => getComputedStyle(el).borderBottomColor)).size"
    assert page.locator(".bar nav a").evaluate_all(lines) == 2
    assert page.locator(".bar nav a:not([aria-current])").evaluate_all(lines) == 1


def test_a_game_without_a_template_is_played(browser: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game without a template can be played with generic buttons and tiles."""
    monkeypatch.setitem(GAMES, "secrets", SECRETS)  # type: ignore[arg-type]
    running = RestartableTable(secrets_web_table())
    try:
        phones = [running.seat(browser, 0), running.seat(browser, 1)]
        for turn in range(4):
            phone = phones[turn % 2]
            wait_for_title(phone, "Your turn")
            phone.get_by_role("button", name="Guess").click()
            phone.locator(".sheet:popover-open .way", has_text="5").click()
        wait_for_title(phones[0], "Ann and Bob have guessed.")
    finally:
        running.server.close()
    assert threading.active_count() < 20
