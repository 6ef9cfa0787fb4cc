"""At a real table under a camera, the companion waits until the table matches the game."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.games import GAMES, move_json
from companion.games.rules import Move, Seat
from companion.games.view import View
from companion.match.journal import Journal
from companion.table.companion_player import (
    HANDS_PAUSE_S,
    IDLE_S,
    MOVE_PAUSE_S,
    UNDO_PAUSE_S,
    CompanionPlayer,
)
from companion.table.table import Table
from companion.tabletop.observations import CardSeen, MatSeen, TokensCounted
from tests.systems_failing_tables import SEED, seen
from tests.test_traffic_congestion_table import tile
from tests.web_table import Phone, WebTable, unwrapped

pytestmark = pytest.mark.usefixtures("first_entry")


@pytest.fixture
def first_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The companion always adds a car to the first lane where it can."""

    def enter(known: Any, seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
        return next(move for move in legal if move.NAME == "enter")

    monkeypatch.setitem(GAMES["traffic-congestion"].policies.by_name, "careful", enter)


class RealTable:
    """A game of Traffic Congestion under a camera. The companion plays for the second and the third player. `now`: the
    time on all clocks."""

    def __init__(self, path: Path | None = None) -> None:
        self.path, self.now = path, 100.0
        self._phone: Phone | None = None
        self.table = Table(Journal(path), lambda: self.now)
        self.table.start("traffic-congestion", 3, {}, {}, (), SEED, companions={1: "careful", 2: "careful"})
        self.player = CompanionPlayer(self.table, lambda: self.now, Random(1))
        self.look()

    def restart(self, *, has_camera: bool = True) -> None:
        """Stops the service at once. A new one resumes the game. Its camera has not seen anything yet."""
        self.table = Table(Journal(self.path), lambda: self.now)
        if has_camera:
            self.table.await_camera()
        self.player = CompanionPlayer(self.table, lambda: self.now, Random(1))

    def look(self, *, is_searched: bool = True) -> None:
        """Lets the camera see the mat, and look at all of it unless `is_searched` is False."""
        self.table.observe(MatSeen(t=self.now, mat="MAT-TC", is_searched=is_searched))

    def pages(self) -> dict[str, str]:
        """The page of Ann's phone, by language."""
        if self._phone is None:
            self._phone = WebTable(self.table).phone(0)
        phone = self._phone
        return {
            code: unwrapped(phone.get("/play", headers={"Accept-Language": code}).text) for code in ("en", "de", "es")
        }

    @property
    def view(self) -> View:
        return seen(self.table)

    def count(self, *, without: int | None = None) -> None:
        """Lets the camera count the cars as they belong, except those of the seat `without`, which it does not see."""
        for lane, cars in self.view.state["lanes"].items():
            colors = [car for car in cars if without is None or car != self.view.state["colors"][without]]
            tokens = {color: colors.count(color) for color in colors}
            self.table.observe(TokensCounted(t=self.now, place=lane, tokens=tokens, certainty="certain"))

    def enter(self) -> None:
        """Ann adds a car, on the phone and on the table."""
        lane = next(move.lane for move in seen(self.table, 0).choices.legal if move.NAME == "enter")  # type: ignore[attr-defined]
        self.table.submit(Seat(0), {"seat": 0, "move": "enter", "lane": lane})
        self.count()

    def acts_within(self, seconds: float) -> bool:
        """Whether the companion acts within this time. As in a service, it is only called when it has asked for it, or
        at once if the table has changed."""
        version, end = self.view.version, self.now + seconds
        while self.view.version == version:
            wait = self.player.step()
            if self.now + wait > end:
                self.now = end
                break
            self.now += wait
        return self.view.version != version


def test_two_seats_in_a_row_wait_alike() -> None:
    """As soon as the camera sees that people have moved a car for the companion, its next seat waits as long as its
    first one did. People are then no longer told to move the car."""
    real = RealTable()
    real.enter()
    assert real.player.step() == MOVE_PAUSE_S
    assert real.acts_within(MOVE_PAUSE_S + 0.5)
    assert real.view.turn == 2
    assert len(real.view.tabletop.physical_instructions) == 1
    real.now += 3
    real.count()
    assert real.view.tabletop.physical_instructions == ()
    assert real.player.step() == MOVE_PAUSE_S
    assert real.acts_within(MOVE_PAUSE_S + 0.5)
    assert real.view.turn == 0


def test_people_make_no_move_for_the_companion() -> None:
    """A signal that somebody puts down in the companion's turn is to be taken away again. It is not the companion's
    move."""
    real = RealTable()
    real.enter()
    assert real.view.turn == 1
    board = GAMES["traffic-congestion"].physical.components.mat
    assert board is not None
    lane = next(zone for zone in board.zones if zone.name == "west1>A")
    mm = (sum(x for x, _ in lane.polygon) / 4, sum(y for _, y in lane.polygon) / 4)
    real.table.observe(CardSeen(t=1, code="TC-SIG01", zone=lane.name, mm=mm, angle=90, change="appeared"))
    assert real.view.turn == 1
    real.now += 10
    assert [each.code for each in real.view.tabletop.discrepancies] == ["TC-SIG01"]


def test_it_waits_until_the_table_matches() -> None:
    """While a car is missing, the companion does not move, and every page says what it is waiting for. The pause
    before its move begins when the table matches."""
    real = RealTable()
    real.enter()
    assert real.acts_within(MOVE_PAUSE_S + 0.5)
    real.count(without=1)
    assert not real.acts_within(10 * HANDS_PAUSE_S)
    assert real.player.step() == IDLE_S
    pages = real.pages()
    assert "The companion waits until the table matches." in pages["en"]
    assert "Der Begleiter wartet, bis der Tisch stimmt." in pages["de"]
    assert "El asistente espera hasta que la mesa coincida." in pages["es"]
    real.now += MOVE_PAUSE_S
    real.count()
    assert not real.acts_within(MOVE_PAUSE_S - 0.5)
    assert real.acts_within(1.5)


def test_without_tokens_in_view_people_have_time() -> None:
    """If the camera can't tell whether the cars are in place, the companion gives people time to move them."""
    real = RealTable()
    real.enter()
    assert real.acts_within(MOVE_PAUSE_S + 0.5)
    lane = real.view.log[-1].moves[0].lane  # type: ignore[attr-defined]
    real.table.observe(TokensCounted(t=real.now, place=lane, tokens=None, certainty="unknown", why="covered"))
    assert real.view.tabletop.physical_instructions
    assert not real.acts_within(HANDS_PAUSE_S - 0.5)
    assert real.acts_within(1.0)


def test_without_cars_on_the_table_it_moves_on() -> None:
    """If the camera has never seen a car, people may be playing without cars. They are asked for the first one, but the
    companion does not wait for it."""
    real = RealTable()
    real.table.observe(tile("west1>A", 90))
    assert real.acts_within(MOVE_PAUSE_S + 0.5)
    lane = real.view.log[-1].moves[0].lane  # type: ignore[attr-defined]
    real.table.observe(TokensCounted(t=real.now, place=lane, tokens={}, certainty="certain"))
    assert not real.acts_within(HANDS_PAUSE_S - 0.5)
    assert [each.may_lack_tokens for each in real.view.tabletop.discrepancies] == [True]
    assert real.acts_within(1.5)


def test_after_a_power_cut_it_waits_until_the_camera_has_looked(tmp_path: Path) -> None:
    """The service is killed while a car is missing. After the restart, the companion waits until the camera has looked
    at the whole mat, and then until people have put the car down."""
    real = RealTable(tmp_path / "journal.db")
    real.enter()
    assert real.acts_within(MOVE_PAUSE_S + 0.5)
    real.restart()
    assert not real.acts_within(10 * HANDS_PAUSE_S)
    pages = real.pages()
    assert "The companion waits until the camera has looked at the table." in pages["en"]
    assert "Der Begleiter wartet, bis die Kamera den Tisch angesehen hat." in pages["de"]
    assert "El asistente espera hasta que la cámara haya mirado la mesa." in pages["es"]
    real.look(is_searched=False)
    assert not real.acts_within(10 * HANDS_PAUSE_S)
    real.count(without=1)
    real.look()
    assert not real.acts_within(10 * HANDS_PAUSE_S)
    assert "The companion waits until the table matches." in real.pages()["en"]
    real.count()
    assert real.acts_within(MOVE_PAUSE_S + 0.5)


def test_after_a_restart_nobody_is_told_to_do_again_what_is_done(tmp_path: Path) -> None:
    """Until the camera has looked at the whole mat, nobody is told to make the last move on the table. Then people are
    told if it is still to be made."""
    real = RealTable(tmp_path / "journal.db")
    real.enter()
    assert real.acts_within(MOVE_PAUSE_S + 0.5)
    (told,) = real.view.tabletop.physical_instructions
    real.restart()
    assert real.view.tabletop.physical_instructions == ()
    real.look(is_searched=False)
    assert real.view.tabletop.physical_instructions == ()
    real.look()
    assert real.view.tabletop.physical_instructions == (told,)
    real.count()
    assert real.view.tabletop.physical_instructions == ()


def test_a_table_that_is_half_seen_is_not_compared(tmp_path: Path) -> None:
    """Until the camera has looked at the whole mat, nobody is told to fix anything or to choose another move, and no
    move counts as begun."""
    real = RealTable(tmp_path / "journal.db")
    real.restart()
    real.look(is_searched=False)
    lanes = list(real.view.state["lanes"])
    for lane in lanes[: len(lanes) // 2]:
        real.table.observe(TokensCounted(t=real.now, place=lane, tokens={"red": 1}, certainty="certain"))
    real.table.observe(tile("west1>A", 90))
    real.now += 10
    tabletop = real.view.tabletop
    assert (tabletop.discrepancies, tabletop.pending_discrepancies, tabletop.begun_move) == ((), (), None)
    assert not any(seen(real.table, seat).choices.explanations for seat in range(3))
    real.look()
    real.now += 10
    assert real.view.tabletop.discrepancies


def test_at_the_start_it_waits_until_the_table_is_set_up() -> None:
    """A game begins on a mat on which nothing lies yet, and somebody puts up a signal on the phone only. The companion
    waits for the signal, and the phones say so."""
    real = RealTable()
    signal = next(move for move in seen(real.table, 0).choices.legal if move.NAME == "signal")
    real.table.submit(Seat(0), move_json.to_json(signal))
    assert real.view.turn == 1
    assert real.view.tabletop.is_bare
    assert not real.acts_within(10 * HANDS_PAUSE_S)
    pages = real.pages()
    assert "The companion waits until the table matches." in pages["en"]
    assert "The camera doesn’t see the game yet. Set up the table." in pages["en"]
    real.table.set_phones_only(phones_only=True)
    assert "The companion is playing." in real.pages()["en"]
    assert real.acts_within(MOVE_PAUSE_S + 0.5)


@pytest.mark.parametrize("what", ["no camera", "no mat", "phones only"])
def test_it_does_not_wait_forever_for_a_look(what: str, tmp_path: Path) -> None:
    """After a restart, the companion moves as usual if there is no camera, if the camera has found no mat, or if people
    play on phones only."""
    real = RealTable(tmp_path / "journal.db")
    real.enter()
    assert real.acts_within(MOVE_PAUSE_S + 0.5)
    if what == "phones only":
        real.table.set_phones_only(phones_only=True)
    real.restart(has_camera=what != "no camera")
    if what == "no mat":
        real.table.observe(MatSeen(t=real.now, mat=None))
    usual = MOVE_PAUSE_S if what == "phones only" else HANDS_PAUSE_S
    assert not real.acts_within(usual - 0.5)
    assert real.acts_within(1.5)


def test_an_undone_move_is_put_back_before_the_companion_moves_again() -> None:
    """After an undo of its move, the companion waits until its car is off the board, and then as long as after any
    undo."""
    real = RealTable()
    real.enter()
    assert real.acts_within(MOVE_PAUSE_S + 0.5)
    real.count()
    with_car = real.view.state["lanes"]
    real.table.undo(Seat(0))
    for lane, cars in with_car.items():
        tokens = {color: cars.count(color) for color in cars}
        real.table.observe(TokensCounted(t=real.now, place=lane, tokens=tokens, certainty="certain"))
    assert not real.acts_within(2 * UNDO_PAUSE_S)
    real.count()
    assert not real.acts_within(UNDO_PAUSE_S - 0.5)
    assert real.acts_within(1.5)
