"""Whole games by keyboard alone in a real browser: every kind of move, and the end. Unless the run is thorough, two
games are played here; shorter tests of the other two are in tests/test_browser_dashboard.py and
tests/test_browser_traffic.py."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest

from companion.games import move_json
from companion.games.rules import HOUSE, REFEREE, Seat
from companion.match.journal import Journal
from companion.table.table import Table
from tests.browser import CHROMIUM, PHONE, new_page
from tests.commute_games import asks, must_bump, played, until
from tests.commute_games import begun as commute
from tests.keyboard_user import KeyboardUser, locked
from tests.repetitions import is_thorough
from tests.systems_failing_tables import hasty_clock, new_table, play_to_the_end, seen
from tests.traffic_games import RUSH
from tests.traffic_games import begun as traffic
from tests.traffic_games import won as won_by_blue
from tests.web_table import WebTable, served

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium: sh scripts/system-packages chromium"),
]


@contextmanager
def seated(browser: Any, web_table: WebTable, *seats: int) -> Iterator[list[KeyboardUser]]:
    """Yields phones at these seats, each with the page of its seat open."""
    with served(web_table) as server:
        phones = []
        for seat in seats:
            page = new_page(browser, PHONE, base_url=f"http://127.0.0.1:{server.port}")
            phones.append(KeyboardUser(page, web_table.lobby.code))
            phones[-1].sit(seat)
        yield phones
        assert [said for phone in phones for said in phone.page.complaints] == []
        for phone in phones:
            phone.page.context.close()


def action(move: str) -> str:
    """The label of a move's button."""
    return f"""button[value*='"{move}"']"""


def turn(table: Table) -> Any:
    return seen(table).turn


def made(table: Table, *phones: KeyboardUser) -> set[str]:
    """The kinds of moves that were made on these phones."""
    acts = {version for phone in phones for version in phone.acts}
    return {told.moves[0].NAME for told in table.log_after(REFEREE, 0) if told.version in acts}


def nearly_over(table: Table) -> None:
    """Plays at random to the end, then undoes the last act."""
    play_to_the_end(table, Random(1))
    view = table.view()
    assert view
    table.reopen() if view.choices.can_reopen else table.undo(Seat(0))


def give_back(phone: KeyboardUser) -> None:
    """Ticks a surplus cube and returns it."""
    phone.open(".dock .opens")
    phone.reach(".sheet:popover-open .chip input")
    phone.press("Space")
    phone.act(".sheet:popover-open .way:not(.passed, .none)")


@pytest.mark.thorough
def test_systems_failing(browser: Any) -> None:
    """The keyboard alone is enough to draw, return a cube, repair from the board, take a cube with consent, discard,
    end a turn, move the disasters, and make the act that loses the ship."""
    table = new_table(difficulty="hard", seed="a")
    with seated(browser, WebTable(table), 0, 1) as (ann, bob):
        ann.check_tab_order()
        ann.look_into(".rule-button")
        ann.leave("button.face")
        ann.leave(".dock .opens")
        for _ in range(3):
            ann.act(action("scavenge"))
        give_back(ann)
        ann.open(".card button.face")
        ann.act(".sheet:popover-open .branch[open] .way:not(.passed, .none)")
        bob.page.locator(".turn.mine").wait_for()
        bob.open(".dock .opens[data-key*='take']")
        bob.reach(".sheet:popover-open .way")
        bob.press("Enter")
        bob.page.locator(".ask.waiting").wait_for()
        bob.check_focus()
        ann.page.locator(".ask").wait_for()
        ann.act(".ask .yes")
        bob.page.locator(".ask.waiting").wait_for(state="detached")
        bob.act(action("discard"))
        bob.act(action("end_turn"))
        ann.act(".action.next", "Space")
        assert made(table, ann, bob) == {"scavenge", "return", "repair", "transfer", "discard", "end_turn", "advance"}
        with locked(ann, bob):
            nearly_over(table)
        last = (ann, bob)[turn(table)] if turn(table) != HOUSE else ann
        last.page.locator(f"main[data-version='{seen(table).version}']").wait_for()
        last.act(".action.next" if seen(table).choices.pause_label else action("end_turn"))
        last.page.locator(".turn.over").wait_for()


ABILITIES = {
    "designer": ("specify_two", "restore"),
    "contractor": ("play_two", "recycle"),
    "technician": ("play_from_discard", "play_from_errors"),
    "engineer": ("play_other", "undo"),
}
SHEET = ".sheet:popover-open"


def move_of(table: Table, name: str) -> None:
    """Makes the first legal move of this name for the seat in turn."""
    view = seen(table, turn(table))
    move = next(move for move in map(move_json.to_json, view.choices.legal) if move["move"] == name)
    table.submit(Seat(turn(table)), move)


def take_two(phone: KeyboardUser) -> None:
    """Makes two choices, which must differ, by taking the first option each time, and confirms."""
    phone.open("[popovertarget=sheet-two]")
    for number in range(2):
        phone.reach(f"{SHEET} fieldset:nth-of-type({number + 1}) input")
        phone.press("Space")
    phone.press("ArrowRight")
    phone.act(f"{SHEET} .confirm-two")


def use(phone: KeyboardUser, ability: str) -> None:
    """Uses an ability. Its buttons are at a hand, in a sheet of their own, or in a branch of the dock."""
    wanted = f"""{SHEET} [value*='"use":"{ability}"']"""
    if ability in ("specify_two", "play_two"):
        take_two(phone)
    elif ability == "play_other":
        phone.open(".holder:not(.own) button.face")
        phone.reach(f"{SHEET} .engineer input")
        phone.press("Space")
        phone.act(wanted)
    else:
        phone.open(".dock .opens")
        while not phone.page.locator(f"{wanted}:visible").count():
            phone.reach(f"{SHEET} details:not([open]):has([value*='{ability}']) > summary")
            phone.press("Enter")
        phone.act(wanted)


def both_of(phone: KeyboardUser, table: Table, seat: int) -> tuple[str, ...]:
    """Uses each of the two abilities of a seat's role, and undoes each of them."""
    abilities = ABILITIES[seen(table).state["roles"][seat]]
    for ability in abilities:
        use(phone, ability)
        table.undo(None)
        phone.follow(seen(table).version)
    return abilities


def test_system_won(browser: Any) -> None:
    """The keyboard alone is enough to specify, discard, play, rearrange the hand, use the abilities of four roles
    (unless the run is thorough, of two), and take the last turn."""
    table, names = Table(Journal(None), hasty_clock()), ("Ann", "Ben", "Cy", "Dora")
    table.start("system-won", 4, {"roles": ",".join(ABILITIES)}, {}, names, "l")
    for name in ("specify", "discard", "play", "play"):
        move_of(table, name)
    assert seen(table).state["errors"]
    roles, checked = seen(table).state["roles"], [*ABILITIES] if is_thorough() else ["designer", "engineer"]
    with seated(browser, WebTable(table), 0) as (phone,):
        phone.check_tab_order()
        phone.look_into(".holder:not(.own) button.face")
        phone.open(".own button.face")
        phone.act(f"{SHEET} {action('arrange')}")
        used = both_of(phone, table, 0) if roles[0] in checked else ()
        phone.open(".holder:not(.own) button.face")
        phone.reach(f"{SHEET} .said input")
        phone.press("Space")
        phone.act(f"{SHEET} .confirm[value]")
        for seat, name in ((1, "discard"), (2, "play"), (3, "discard")):
            phone.sit(seat)
            used += both_of(phone, table, seat) if roles[seat] in checked else ()
            phone.open(".own button.face")
            phone.act(f"{SHEET} {action(name)}")
        assert made(table, phone) == {"arrange", "ability", "specify", "play", "discard"}
        assert sorted(used) == sorted(ability for role in checked for ability in ABILITIES[role])
        with locked(phone):
            nearly_over(table)
        phone.sit(turn(table))
        phone.open(".own button.face")
        phone.act(f"{SHEET} {action('discard')}")
        phone.page.locator(".turn.over").wait_for()


def at(phone: KeyboardUser, lane: str, button: str) -> None:
    """Opens the sheet of a lane on the board, and presses a button of it."""
    phone.open(f"[data-key='tap-{lane.replace('>', '_')}']")
    phone.act(f"{SHEET} {button}")


@pytest.mark.thorough
def test_traffic_congestion(browser: Any) -> None:
    """The keyboard alone is enough to make and undo a Go that keeps, removes or turns the signal, to place a signal,
    and to enter a car from the list of lanes."""
    web_table = traffic(*RUSH)
    with seated(browser, web_table, 0) as (phone,):
        phone.check_tab_order()
        phone.look_into("[data-key='tap-west1_A']")
        for then in ('"then":"keep"', '"then":"remove"', '"then":{'):
            at(phone, "west1>A", f"[value*='{then}']")
            web_table.table.undo(None)
            phone.follow(seen(web_table.table).version)
        at(phone, "north1>A", action("signal"))
        move_of(web_table.table, "enter")
        phone.follow(seen(web_table.table).version)
        phone.reach("details.lanes summary")
        phone.press("Enter")
        phone.open("details.lanes [data-key='row-south1_C'] button")
        phone.act(f"{SHEET} {action('enter')}")
        assert made(web_table.table, phone) == {"go", "signal", "enter"}
    web_table = won_by_blue()
    web_table.table.undo(None)
    with seated(browser, web_table, 0) as (phone,):
        at(phone, "north1>A", action("go"))
        phone.page.locator(".turn.over.won").wait_for()


def travel(phone: KeyboardUser) -> None:
    """Chooses a card and a space from the list, and confirms."""
    phone.choose("fieldset.hand input", "fieldset.hand .pick-2")
    phone.open(".ends .row")
    phone.act(f"{SHEET} .action")


def test_commute(browser: Any) -> None:
    """The keyboard alone is enough to travel, bump, answer a card's question, and make the last journey home."""
    web_table = commute(3)
    with seated(browser, web_table, 0) as (phone,):
        phone.check_tab_order()
        travel(phone)
        with locked(phone):
            bumping = until(web_table, must_bump)
        phone.sit(int(bumping.turn))
        phone.reach("fieldset.hand input")
        phone.press("Space")
        phone.open(".ends .row")
        phone.act(f"{SHEET} .action")
        with locked(phone):
            asked = until(web_table, asks("choice"))
        phone.sit(int(asked.turn))
        phone.act(".uh-oh-card.open .answer")
        assert made(web_table.table, phone) == {"travel", "bump", "choose"}
        with locked(phone):
            for _ in played(web_table):
                pass
        web_table.table.reopen()
        phone.sit(int(seen(web_table.table).turn))
        phone.reach("fieldset.hand input")
        phone.press("Space")
        phone.open(".ends .row")
        phone.act(f"{SHEET} .action")
        phone.page.locator(".turn.over").wait_for()


def test_a_card_dealt_by_hand(browser: Any) -> None:
    """The keyboard alone is enough to report a dealt card: first its value, then its suit."""
    web_table = commute(2, {"cards": "table"})
    with seated(browser, web_table, 0) as (phone,):
        phone.choose(".report .ranks input", ".report .rank-7")
        phone.act(".report .suits .suit-button")
        assert "7" in seen(web_table.table, 0).state["hands"][0][0]
