"""Brings pages into the states that are listed in `tests/page_scenes.py`: tables that play until they reach a position,
the phones around them, and what people tap.

`tests/test_accessibility.py` checks these page states, and `scripts/screenshot_pages.py` draws them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeVar

from companion.games import GAMES, move_json
from companion.games.commute.components import card_component, piece_component
from companion.games.commute.moves import Travel
from companion.games.game import Game, Policy, choose_at_random
from companion.games.rules import REFEREE, Seat
from companion.games.traffic_congestion.mat_street_geometry import street_plan
from companion.games.traffic_congestion.moves import Signal
from companion.games.view import View
from companion.match.journal import Journal
from companion.simulator.scene_contents import TableScene
from companion.simulator.tidy_arrangement import tidy
from companion.table.table import Table
from companion.tabletop.copy_assignment import assign_copies
from companion.tabletop.observations import CardSeen, MatSeen
from tests.browser import DESKTOP, PHONE, new_page
from tests.pdf_queues import FullQueue
from tests.repetitions import one_by_turns
from tests.running_service import RunningService, until
from tests.systems_failing_tables import hasty_clock, seen
from tests.web_table import WebTable, served
from web.access.phone_cookie import COOKIE

T = TypeVar("T")

NAMES = ("Ann", "Ben", "Cleo", "Dora", "Eve")
MOST_ACTS = 3000
Who = Literal["turn", "next", "0", "1", "2", "3", "4", "host", "guest", "stranger"]
"""Who looks at a page: the seat in turn (at the end a winner), the seat after it, the seat with this number, or a
browser without a seat."""
Reach = Callable[[Any], None]
Until = Callable[[View], bool]

LOOKS: dict[str, dict[str, Any]] = {
    "phone": {"size": PHONE},
    "phone-dark": {"size": PHONE, "color_scheme": "dark"},
    "phone-german": {"size": PHONE, "locale": "de-DE"},
    "phone-spanish": {"size": PHONE, "locale": "es-ES"},
    "phone-first": {"size": PHONE, "first_game": True},
    "desk": {"size": DESKTOP},
    "desk-dark": {"size": DESKTOP, "color_scheme": "dark"},
    "desk-german": {"size": DESKTOP, "locale": "de-DE"},
}
"""The ways to display a page: arguments of `tests.browser.new_page`."""
LANGUAGES = ("phone-german", "phone-spanish", "phone")
"""The looks of a phone in each language."""
BOTH = ("phone", "phone-dark")
SCREEN = ("desk", "desk-dark")


def as_it_comes(page: Any) -> None:
    """Leaves the page as it was loaded."""


@dataclass(frozen=True)
class PageState:
    """One page in one state: `who` opens the page at `path`, then the action `reach` brings it into the state. It is
    drawn in each of `looks`."""

    name: str
    says: str
    path: str = "/play"
    who: Who = "turn"
    reach: Reach = as_it_comes
    looks: tuple[str, ...] = ("phone",)


@dataclass(frozen=True)
class PageScene:
    """A table in one position, and the page states of this table."""

    name: str
    title: str
    lay: Callable[[], Table]
    page_states: tuple[PageState, ...]
    game: str = ""
    empty: Mapping[int, str] = field(default_factory=dict)
    """Seats without a connected phone: "free", or "away" if somebody joined and left."""


JOIN_CODE, JOIN_SECRET = "KTRM", "KTRM-BY-QR"
"""The same code and the same secret in the QR code each time, so that pictures of a page stay the same."""


class Company(WebTable):
    """A web table with a phone at every seat of the table, except at the seats that the scene leaves empty."""

    def __init__(self, scene: PageScene) -> None:
        super().__init__(scene.lay(), reader=lambda picture, phone: frozenset(), pdf_queue=FullQueue())
        self.lobby.join_code.letters, self.lobby.join_code.secret = JOIN_CODE, JOIN_SECRET
        self._tokens: dict[str, str] = {}
        for seat in range(len(self.table.names)):
            if scene.empty.get(seat) != "free":
                self._tokens[str(seat)] = token = self.lobby.join(None, self.lobby.code, seat, "")
                if scene.empty.get(seat) != "away":
                    self.lobby.phones.arrive(self.lobby.phones.session(token))
        self._tokens["host"] = self.lobby.claim_host(None, self.lobby.host_key)
        self._tokens["guest"] = self.lobby.join(None, self.lobby.code, None, "Fay")

    def token(self, who: Who) -> str | None:
        """The cookie of the phone or screen that shows the page; None for a browser without a seat."""
        return self._tokens.get(str(self._seat(who)) if who in ("turn", "next") else who)

    def _seat(self, who: Who) -> int:
        view = seen(self.table)
        if view.ending and view.ending.winners and len(view.ending.winners) < view.seats:
            return next(n for n in range(view.seats) if (n in view.ending.winners) == (who == "turn"))
        turn = view.turn if isinstance(view.turn, int) else 0
        return turn if who == "turn" else (turn + 1) % view.seats


def in_each_language(pages: Sequence[T]) -> list[tuple[T, str]]:
    """The pages with the looks in which they are checked, of LANGUAGES. Another seat of the same table shows other
    content with the same words, so unless the run is thorough, each page is checked in one language."""
    return one_by_turns(pages, LANGUAGES)


@contextmanager
def opened(browser: Any, scene: PageScene, reused: Any = None) -> Iterator[Callable[[PageState, str], Any]]:
    """Serves the scene's table. Yields a function that opens a page state in one of LOOKS: in a new page, or in
    `reused`, which takes less time."""
    company = Company(scene)
    with served(company) as server:
        address = f"http://127.0.0.1:{server.port}"

        def open_page(page_state: PageState, look: str) -> Any:
            page = cleared(reused, **LOOKS[look]) if reused else new_page(browser, base_url=address, **LOOKS[look])
            if token := company.token(page_state.who):
                page.context.add_cookies([{"name": COOKIE, "value": token, "url": address}])
            page.goto(address + page_state.path)
            page.wait_for_load_state()
            page_state.reach(page)
            return page

        yield open_page


def cleared(page: Any, size: dict[str, int], color_scheme: str = "light", locale: str = "en-US") -> Any:
    """The page, blank and without cookies, in a window of this size. From now on it asks for pages in this language.
    The browser's storage is not cleared, because each scene has an address of its own."""
    page.context.set_offline(False)
    page.goto("about:blank")
    page.context.clear_cookies()
    page.set_viewport_size(size)
    page.emulate_media(color_scheme=color_scheme)
    page.set_extra_http_headers({"Accept-Language": locale})
    return page


@contextmanager
def simulated(browser: Any, folder: Path) -> Iterator[Callable[[PageState, str], Any]]:
    """Runs the real service with its simulated table, where a game has begun and there are no discrepancies. Yields a
    function that opens a page state in one of LOOKS."""
    with RunningService(folder, "--simulate", "--tls") as service:

        def open_page(page_state: PageState, look: str) -> Any:
            page = new_page(browser, base_url=service.address, **LOOKS[look])
            page.goto(service.host_link)
            page.goto(page_state.path)
            page_state.reach(page)
            return page

        host = new_page(browser)
        host.goto(service.host_link)
        host.locator("button.start").click()
        host.get_by_text("no phone yet").first.wait_for()
        until(lambda: host.request.get(f"{service.address}/simulator/state").json()["playing"], "the game's table")
        host.request.post(f"{service.address}/simulator/do/tidy", data={})
        until(lambda: right(host.request.get(f"{service.address}/simulator/state").json()), "a table put right")
        yield open_page


def right(state: Any) -> bool:
    """Whether, according to the simulated table's state, the camera sees the mat and there are no discrepancies."""
    return bool(state["in_view"] and state["settled"] and not state["discrepancies"])


def tapped(*selectors: str) -> Reach:
    """An action that taps the first visible element of each selector in turn, and waits for whatever opens."""

    def reach(page: Any) -> None:
        for selector in selectors:
            page.locator(selector).locator("visible=true").first.click()
        page.locator(".sheet:popover-open").wait_for()

    return reach


def refused(move: Mapping[str, object]) -> Reach:
    """An action that submits a move that the rules refuse, as an outdated page of this seat would."""
    forge = """(move) => {
        const seat = Number(document.querySelector("#page").dataset.seat);
        document.querySelector(".dock .action[name=move]").value = JSON.stringify({ seat, ...move });
    }"""

    def reach(page: Any) -> None:
        page.evaluate(forge, dict(move))
        page.locator(".dock .action[name=move]").first.click()
        page.locator("#toast:popover-open").wait_for()

    return reach


def out_of_reach(page: Any) -> None:
    """Cuts the network, and waits until the page has noticed."""
    page.context.set_offline(True)
    page.evaluate("['pagehide', 'offline'].forEach((name) => dispatchEvent(new Event(name)))")
    page.locator("#away:visible").wait_for()


def shown(selector: str) -> Reach:
    """An action that waits until an element appears without a tap."""
    return lambda page: page.locator(selector).first.wait_for()


def scrolled_to(selector: str) -> Reach:
    """An action that scrolls down to an element."""
    return lambda page: page.locator(selector).first.evaluate("(it) => it.scrollIntoView()")


def bare() -> Table:
    """A table without a game."""
    return Table(Journal(None), hasty_clock())


def played(
    game: str,
    when: Until,
    *,
    seats: int | None = None,
    options: Mapping[str, str] | None = None,
    dealers: Mapping[str, str] | None = None,
    prefers: str = "",
    seed: str = "1",
    names: tuple[str, ...] = NAMES,
) -> Table:
    """A table on which careful players have played until the condition `when` is true for the view of the seat that
    must act. They make the moves in `prefers` whenever these are legal."""
    table, rng = Table(Journal(None), hasty_clock()), Random(5)
    count = GAMES[game].rules.seat_count(seats)
    table.start(game, count, dict(options or {}), dict(dealers or {}), names[:count], seed)
    for _ in range(MOST_ACTS):
        if when(in_turn(table)):
            return table
        act(table, prefers, rng)
    raise AssertionError(f"{game} never reached this state")


def in_turn(table: Table) -> View:
    """The view of the seat in turn. Its texts are not rendered, because that would take more time than the game."""
    view = table.view(Seat(0))
    assert view
    return (table.view(Seat(view.turn)) or view) if isinstance(view.turn, int) else view


def act(table: Table, prefers: str, rng: Random) -> None:
    """Lets the seat in turn make a preferred move, or else a careful player's move. If the companion is waiting, lets
    it proceed."""
    mine = in_turn(table)
    if mine.choices.pause_label:
        table.proceed(None)
        return
    assert isinstance(mine.turn, int), mine.turn
    preferred = tuple(move for move in mine.choices.legal if prefers == move.NAME)
    policy = choose_at_random if preferred else careful(mine.game)
    move = policy(mine.position, Seat(mine.turn), preferred or mine.choices.legal, rng)
    table.submit(Seat(mine.turn), move_json.to_json(move))


def careful(game: Game[Any]) -> Policy:
    """The careful policy of a game, or its first policy if it has no careful one."""
    policies = game.policies.by_name
    return policies.get("careful", next(iter(policies.values())))


def after(acts: int, offers: str = "") -> Until:
    """A condition on views: that at least `acts` acts have been made and, if `offers` is given, that the seat in turn
    may make a move of this name."""
    return lambda view: view.version >= acts and (not offers or any(offers == move.NAME for move in view.choices.legal))


def after_or_over(acts: int) -> Until:
    """A condition on views: that at least `acts` acts have been made, or that the game is over."""
    return lambda view: view.version >= acts or over(view)


def over(view: View) -> bool:
    """Whether the game is over."""
    return view.turn is None


def watched(table: Table, missing: int) -> Table:
    """The table with a camera that sees everything in place, except for the first `missing` components, which it does
    not see."""
    view, match = seen(table), table._game.match
    mat, components = view.game.physical.components.mat, view.game.physical.components
    assert mat
    assert match
    layout = assign_copies(view.game.physical.layout(match.state, REFEREE), components, {}, match.known_copies())
    lying = tidy(TableScene(), layout, mat, {}, frozenset()).on_mat
    table.observe(MatSeen(t=0, mat=mat.name))
    for piece in lying[missing:]:
        zone, at = mat.zone_at((piece.x, piece.y)), (piece.x, piece.y)
        table.observe(CardSeen(t=1, code=piece.code, zone=zone, mm=at, angle=piece.angle, change="appeared"))
    return table


def traveled(table: Table, *, moves_piece: bool) -> Table:
    """A table of Commute, watched by a camera. The player in turn has put a card down and, with `moves_piece`, has also
    moved the piece."""
    watched(table, missing=0)
    view, match = in_turn(table), table._game.match
    mat = view.game.physical.components.mat
    assert mat
    assert match
    travel = next(move for move in view.choices.legal if isinstance(move, Travel))
    laid = [(card_component(travel.card), "discard")]
    if moves_piece:
        houses = match.state.houses
        laid.append((piece_component(match.state.board, int(travel.seat), houses[travel.seat]), travel.to))
    for code, zone in laid:
        points = mat.zone(zone).polygon
        mm = (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
        table.observe(CardSeen(t=2, code=code, zone=zone, mm=mm, angle=0.0, change="appeared"))
    return table


def with_tile_turned(table: Table) -> Table:
    """A table of Traffic Congestion, watched by a camera. The player in turn has put a signal down, which was recorded
    as a move, and has then turned it to another lane."""
    watched(table, missing=0)
    view, match = in_turn(table), table._game.match
    mat = view.game.physical.components.mat
    assert mat
    assert match
    moves = [move for move in view.choices.legal if isinstance(move, Signal)]
    for move in (moves[0], next(each for each in moves[1:] if each.lane == moves[0].lane)):
        points = mat.zone(move.lane).polygon
        mm = (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
        plan = street_plan(match.state.network)
        lane = plan.network.lanes[move.to]
        angle = plan.bearing(lane.start, lane.end)
        table.observe(CardSeen(t=2, code="TC-SIG36", zone=move.lane, mm=mm, angle=angle, change="appeared"))
    return table


def asked(table: Table) -> Table:
    """The table after the seat in turn has requested something from another seat."""
    mine = in_turn(table)
    wish = next(move for move in mine.choices.legal if move.consenting_seat() is not None)
    assert isinstance(mine.turn, int)
    table.request_consent(Seat(mine.turn), move_json.to_json(wish), mine.version)
    return table


def with_companion(table: Table, seat: int) -> Table:
    """The table after the companion was given a seat."""
    table.hand_over(Seat(seat), seen(table).game.policies.for_companion[0])
    table.set_phones_only(phones_only=True)
    return table


def closed(table: Table) -> Table:
    """The table after the host has ended the game."""
    table.end()
    return table


def over_months(*tables: Table) -> Table:
    """A table without a running game. Its journal contains the finished games of `tables` many times, as if people had
    played them for months, in changing seats."""
    games = [table.journal.games()[0] for table in tables]
    table = bare()
    for n, day in enumerate(("2025-08-09", "2025-10-04", "2025-10-04", "2025-12-20", "2026-01-10", "2026-01-24") * 2):
        stored = games[n % len(games)]
        times = [f"{day}T19:{minute % 50:02}:00+00:00" for minute in range(len(stored.records))]
        records = tuple(replace(act, at=at) for act, at in zip(stored.records, times, strict=True))
        players = tuple(NAMES[(seat + n) % 4] for seat in range(stored.header.seats))
        header = replace(stored.header, players=players)
        table.journal.add(replace(stored, header=header, started=f"{day}T19:00:00+00:00", records=records))
    return table
