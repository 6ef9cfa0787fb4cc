"""The table: one lock, one version number, durable acts, and clients that wait for changes."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from companion.games import move_json
from companion.games.rules import REFEREE, Seat
from companion.games.view import LogEntry
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.match.match import NotYourSeat
from companion.table.current_game import NoGame
from companion.table.table import Table
from companion.tabletop.discrepancy_timing import FIRST_DELAY_S
from companion.tabletop.observations import ButtonPressed, MatSeen
from companion.text.refusal_errors import BadMove, IllegalMove, NotYourTurn, SetupError, Stale
from tests.manual_clock import ManualClock
from tests.systems_failing_tables import SEED, act, new_table, play_to_the_end, seen
from tests.table_acts import SCAVENGE, a_transfer, to_phase


def test_a_move_raises_the_version_by_one_with_all_that_follows() -> None:
    """A scavenge and the draws of its two cubes together make one new version, and the answer to the phone has this
    version."""
    table = new_table()
    before = seen(table)
    assert table.submit(Seat(0), SCAVENGE, before.version) == before.version + 1
    assert [len(entry.moves) for entry in seen(table).log[-1:]] == [3]


def test_a_move_on_an_older_version_is_stale_and_changes_nothing() -> None:
    """A move that was tapped on an outdated page is refused."""
    table = new_table()
    version = table.submit(Seat(0), SCAVENGE, 1)
    with pytest.raises(Stale):
        table.submit(Seat(0), SCAVENGE, 1)
    assert seen(table).version == version


def test_the_same_request_acts_once() -> None:
    """A repeated request, after a lost answer or a double tap, gets the first answer again, even after a restart."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, (), "s")
    first = table.submit(Seat(0), SCAVENGE, 1, "request-1")
    assert table.submit(Seat(0), SCAVENGE, 1, "request-1") == first
    again = Table(journal)
    assert again.submit(Seat(0), SCAVENGE, 1, "request-1") == first
    assert seen(again).version == first


def test_requests_of_different_seats_are_different() -> None:
    """A request with the same id from another seat does not count as a repetition, so that seat can't learn anything
    from the answer."""
    table = new_table()
    table.submit(Seat(0), SCAVENGE, 1, "same")
    with pytest.raises(NotYourTurn):
        table.submit(Seat(1), {"seat": 1, "move": "scavenge"}, 2, "same")


def test_a_seat_moves_only_for_itself() -> None:
    """A phone can neither make a move for another seat nor report deals that the companion makes."""
    table = new_table()
    with pytest.raises(NotYourSeat):
        table.submit(Seat(1), SCAVENGE)
    table.submit(Seat(0), SCAVENGE)
    with pytest.raises(NotYourSeat):
        table.submit(Seat(0), {"seat": "house", "move": "reveal", "card": "D01"})


def test_a_refused_move_leaves_everything() -> None:
    """A refused move changes neither the state nor the version nor the journal."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, (), "s")
    before = table.view(REFEREE)
    for bad, kind in (({"seat": 0, "move": "fly"}, BadMove), ({"seat": 1, "move": "end_turn"}, NotYourTurn)):
        with pytest.raises(kind):
            table.submit(Seat(bad["seat"]), bad)  # type: ignore[arg-type]
    with pytest.raises(IllegalMove):
        table.submit(Seat(0), {"seat": 0, "move": "return", "cubes": []})
    assert before is not None
    assert table.view(REFEREE) == before
    assert len(journal.game(1).records) == 1


def test_a_move_that_can_not_be_stored_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """A move is shown only after it has been stored durably."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, (), "s")
    before = table.view(REFEREE)

    def full(*_: object) -> None:
        raise JournalError("the disk is full")

    monkeypatch.setattr(journal, "append", full)
    with pytest.raises(JournalError):
        table.submit(Seat(0), SCAVENGE)
    assert table.view(REFEREE) == before


def test_nothing_runs_before_a_game_is_started() -> None:
    """Moves at an empty table are refused because no game is running."""
    table = Table(Journal(None))
    assert table.view() is None
    for call in (lambda: table.submit(Seat(0), SCAVENGE), lambda: table.undo(Seat(0)), lambda: table.proceed(None)):
        with pytest.raises(NoGame):
            call()


@pytest.mark.parametrize(
    ("name", "seats", "setup", "dealers"),
    [
        ("chess", None, {}, {}),
        ("systems-failing", 3, {}, {}),
        ("systems-failing", 2, {"difficulty": "absurd"}, {}),
        ("systems-failing", 2, {}, {"cards": "nobody"}),
        ("systems-failing", 2, {}, {"dice": "table"}),
    ],
)
def test_a_game_that_can_not_begin_is_refused(
    name: str, seats: int | None, setup: dict[str, str], dealers: dict[str, str]
) -> None:
    """Starting a game wrongly is refused, and the previous game goes on."""
    table = new_table()
    before = seen(table)
    with pytest.raises(SetupError):
        table.start(name, seats, setup, dealers, (), "s")
    assert seen(table) == before


def test_a_start_that_can_not_be_stored_leaves_the_previous_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of the old game, the start of the new one and its first deal are stored together or not at all."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, (), "s")

    def full(*_: object) -> None:
        raise JournalError("the disk is full")

    monkeypatch.setattr(journal, "append", full)
    with pytest.raises(JournalError):
        table.start("systems-failing", None, {}, {}, (), "t")
    assert seen(Table(journal)).id == seen(table).id == 1


def test_a_tap_of_the_last_game_does_nothing_in_the_next() -> None:
    """Versions continue from game to game, even after a restart, so a late tap of the last game is stale."""
    journal = Journal(None)
    table = Table(journal)
    for _ in range(2):
        table.start("systems-failing", None, {}, {}, (), "s")
    with pytest.raises(Stale):
        table.submit(Seat(0), SCAVENGE, 1, "late")
    assert table.submit(Seat(0), SCAVENGE, 2, "fresh") == 3
    again = Table(journal)
    assert (seen(again).version, again.submit(Seat(0), SCAVENGE, 2, "fresh")) == (3, 3)
    assert [entry.version for entry in again.log_after(Seat(0), 2)] == [3]


def test_an_ended_game_is_gone_from_the_table_and_kept_in_the_journal() -> None:
    """A game that the host has ended stays in the journal and is not resumed."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, (), "s")
    table.end()
    assert table.view() is None
    assert Table(journal).view() is None
    assert journal.game(1).closed
    with pytest.raises(NoGame):
        table.end()


def test_a_log_entry_is_made_once_until_somebody_is_renamed() -> None:
    """Each of the up to 200 log entries in a view is created only once for each seat. After a player is renamed, all
    entries have the new name."""
    table = new_table()
    table.submit(Seat(0), SCAVENGE, None)

    def last_entry(seat: int) -> LogEntry:
        view = table.view(Seat(seat))
        assert view is not None
        return view.log[-1]

    first = last_entry(0)
    assert last_entry(0) is first
    assert last_entry(1) is not first
    assert "Ann" in str(first.words[0])
    table.rename(Seat(0), "Zoe")
    assert "Zoe" in str(last_entry(0).words[0])


@pytest.mark.parametrize("seed", range(5))
def test_a_resumed_table_is_the_same_table(tmp_path: Path, seed: int) -> None:
    """After any acts and undos, opening the journal again gives the same version, state, log and undo history."""
    table, rng = new_table(tmp_path / "j.sqlite3", seed=str(seed)), Random(seed)
    for _ in range(30):
        if seen(table).turn is None:
            break
        act(table, rng)
        if rng.random() < 0.3 and seen(table).choices.can_undo:
            table.undo(Seat(rng.randrange(2)))
            if rng.random() < 0.5:
                table.redo(Seat(0))
    again, now = seen(Table(Journal(tmp_path / "j.sqlite3"))), seen(table)
    assert (again.version, again.state, again.log) == (now.version, now.state, now.log)
    assert (again.choices.can_undo, again.choices.can_redo, again.names) == (
        now.choices.can_undo,
        now.choices.can_redo,
        now.names,
    )


def test_each_button_has_its_action() -> None:
    """*draw* scavenges, *next* ends the turn, *undo* takes back an act, and *confirm* consents."""
    table = new_table()
    start = seen(table).state
    table.observe(ButtonPressed(button="draw"))
    assert seen(table).state["actions_left"] == 3
    table.observe(ButtonPressed(button="undo"))
    assert seen(table).state == start
    table.request_consent(Seat(0), a_transfer(table))
    table.observe(ButtonPressed(button="confirm"))
    assert seen(table).log[-1].moves[0].NAME == "transfer"
    table.observe(ButtonPressed(button="next"))
    assert seen(table).turn == 1


def test_undo_that_is_held_says_how_far_it_went() -> None:
    """While *undo* is held down, each repetition takes back one more act, and the pages show how many. At the beginning
    of the game, repetitions do nothing."""
    table = new_table()
    start = seen(table).state
    for _ in range(2):
        table.observe(ButtonPressed(button="draw"))
    table.observe(ButtonPressed(button="undo"))
    assert seen(table).notice == ""
    table.observe(ButtonPressed(button="undo", repeats=1))
    assert seen(table).state == start
    assert seen(table).notice == "Holding Undo: 2 steps undone. Let go to stop."
    table.observe(ButtonPressed(button="undo", repeats=2))
    assert "nothing to undo" in seen(table).notice


def test_next_lets_the_companion_go_on() -> None:
    """When the companion is waiting for people to finish, *next* lets it go on."""
    table = new_table()
    to_phase(table, "advance")
    table.observe(ButtonPressed(button="next"))
    assert seen(table).state["phase"] == "appear"


def test_a_refused_button_press_shows_its_reason() -> None:
    """A refused button press shows its reason on the phones and changes nothing."""
    table = new_table()
    version = seen(table).version
    table.observe(ButtonPressed(button="undo"))
    assert seen(table).version == version
    assert "nothing to undo" in seen(table).notice
    table.observe(ButtonPressed(button="confirm"))
    assert seen(table).version == version
    assert seen(table).notice == "There’s nothing to confirm right now."


def test_whoever_waits_is_woken_by_any_change() -> None:
    """A phone's event stream sleeps until there is something new."""
    table = new_table()
    mark, woken = table.revision, threading.Event()
    waiter = threading.Thread(target=lambda: (table.wait(mark, 30), woken.set()))
    waiter.start()
    table.submit(Seat(0), SCAVENGE)
    assert woken.wait(10)
    waiter.join()
    assert table.revision.version == mark.version + 1


def test_whoever_waits_is_woken_when_a_difference_is_reported() -> None:
    """An empty mat in view differs from the game at once, and this is reported after a while. Whoever waits is woken
    then, though nothing else has happened."""
    clock = ManualClock()
    table = Table(Journal(None), clock)
    table.start("systems-failing", 2, {}, {}, (), SEED)
    clock.now += 10
    table.wait(table.revision, 0)
    table.wait(table.revision, 0.01)
    table.observe(MatSeen(t=0, mat="MAT-SF"))
    before = table.revision
    assert seen(table).tabletop.discrepancies == ()
    assert table.wait(before, 0) == before
    clock.now += 2 * FIRST_DELAY_S
    assert table.wait(before, 5) != before
    assert seen(table).tabletop.discrepancies
    assert table.wait(table.revision, 0.01) == table.revision, "it is reported once"


def test_waiting_ends_after_a_while() -> None:
    """A waiting event stream wakes up regularly, even if nothing happens."""
    table = new_table()
    assert table.wait(table.revision, 0.01) == table.revision


def test_a_client_that_reconnects_gets_the_later_events() -> None:
    """A client that reconnects gets every event after the version that it knows exactly once."""
    table, rng = new_table(), Random(1)
    for _ in range(5):
        act(table, rng)
    assert [entry.version for entry in table.log_after(Seat(0), 2)] == [3, 4, 5, 6]
    assert table.log_after(Seat(0), 99) == ()


def test_many_threads_make_one_history() -> None:
    """If several phones act at the same time, only one move is made at each version. All other moves are stale or
    refused."""
    table = new_table()

    def press(seat: int) -> None:
        rng = Random(seat)
        for _ in range(20):
            view = seen(table, seat)
            if view.choices.legal:
                with suppress(Stale, NotYourTurn):
                    table.submit(Seat(seat), move_json.to_json(rng.choice(view.choices.legal)), view.version)

    threads = [threading.Thread(target=press, args=(seat % 2,)) for seat in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    versions = [entry.version for entry in table.log_after(Seat(0), 0)]
    assert versions == list(range(1, len(versions) + 1))


def test_a_whole_game_ends_and_stays(tmp_path: Path) -> None:
    """After the end of a game, the last state stays, even after a restart, and the last move can still be undone."""
    table = new_table(tmp_path / "j.sqlite3", difficulty="hard")
    play_to_the_end(table, Random(5))
    again = seen(Table(Journal(tmp_path / "j.sqlite3")))
    assert again.state["over"]
    assert again.state == seen(table).state
    assert again.choices.can_undo
