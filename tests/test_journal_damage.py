"""Damage to the journal: power cuts, bad disks, lost files. Every loss of an acknowledged act is reported."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.__main__ import main
from companion.commands.run_service import report_problems
from companion.commands.settings_file import Settings
from companion.diagnostics import storage_checks
from companion.match import acknowledged_count, journal_damage_assessment, journal_repair
from companion.match.acknowledged_count import AcknowledgedCount, Counter, read_count
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.match.journal_file_access import wal_of
from companion.match.journal_migrations import VERSION
from companion.match.journal_schema import SCRIPTS
from companion.table.table import Table
from tests import damaged_journals, power_cuts
from tests.damaged_journals import COUNT, contents, files, write_samples
from tests.power_cuts import NAME, act, header, sample_act
from tests.repetitions import repetitions
from tests.systems_failing_tables import act as play_act
from tests.systems_failing_tables import new_table, seen


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders of three journals: "old", "closed" and "in use"."""
    folder = tmp_path_factory.mktemp("samples")
    write_samples(folder, Random(1))
    return folder


@pytest.fixture
def data(samples: Path, tmp_path: Path) -> Path:
    """A data folder whose journal has its last acts in the write-ahead log."""
    return Path(shutil.copytree(samples / "in use", tmp_path / "data"))


def messages(folder: Path) -> list[str]:
    """The messages when the journal is opened: first by commands that only read, then by the service."""
    with closing(Journal.read_only(folder / NAME)) as journal:
        read = str(journal.damage)
    with closing(Journal(folder / NAME)) as journal:
        return [read, str(journal.damage)]


@pytest.mark.slow
def test_no_power_cut_loses_an_acknowledged_act() -> None:
    """After a cut at any moment, the journal has every acknowledged act, and reports no damage."""
    assert list(power_cuts.failures(repetitions(60), acts=40)) == []


def test_a_disk_that_does_not_sync_is_noticed(tmp_path: Path) -> None:
    """The simulated power cuts reveal a journal that acknowledges acts before they are durable."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(power_cuts.RecordingFile, "xSync", lambda self, flags: None)
        assert list(power_cuts.failures(10, acts=20))


@pytest.mark.slow
def test_every_damage_is_harmless_or_reported() -> None:
    """Bits may flip, and files may be cut off, emptied, deleted or replaced by an old copy. What is sound is kept, and
    what is missing is reported once."""
    found = list(damaged_journals.results(repetitions(30, at_least=10)))
    assert [pair for pair in found if pair[1].startswith("WRONG")] == []


def test_a_lost_tail_is_stated(data: Path) -> None:
    """If the end of the write-ahead log is lost, the message says how many moves of which game are missing."""
    wal_of(data / NAME).unlink()
    read, opened = messages(data)
    assert "The last 15 moves of game 4 are missing. Compare with the table." in read
    assert "The last 15 moves of game 4 are missing. Compare with the table." in opened
    assert str(data / "journal-damaged-") in opened
    with closing(Journal(data / NAME)) as journal:
        journal.save_note("seats", {})
    assert messages(data) == ["", ""]


def test_another_journal_in_its_place_is_noticed(data: Path, tmp_path: Path) -> None:
    """A journal with the same number of acts, but other acts, is not mistaken for the one that was counted."""
    (tmp_path / "others").mkdir()
    write_samples(tmp_path / "others", Random(2))
    for name in (NAME, f"{NAME}-wal"):
        shutil.copyfile(tmp_path / "others" / "in use" / name, data / name)
    assert all("belongs to another journal" in message for message in messages(data))


def test_an_emptied_journal_is_never_new(data: Path) -> None:
    """If the journal is empty or missing, but the counter says that there were games, a loss is reported."""
    (data / NAME).write_bytes(b"")
    assert all("Games 1 to 4 are missing." in message for message in messages(data))


def change(data: Path, *statements: str) -> None:
    """Changes rows of the journal as damage does: without the checksums and the counter."""
    with closing(sqlite3.connect(data / NAME)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()


@pytest.mark.parametrize(
    ("lost", "says"),
    [
        ("2", "Game 2 is missing."),
        ("2, 3", "Games 2 to 3 are missing."),
        ("1, 3", "2 games are missing."),
    ],
)
def test_games_that_are_missing_are_named(lost: str, says: str, data: Path) -> None:
    """The message says which games are missing. It only gives their number if they don't follow one another."""
    change(data, f"DELETE FROM acts WHERE game IN ({lost})", f"DELETE FROM games WHERE id IN ({lost})")
    assert all(says in message for message in messages(data))


def test_without_the_counter_acts_tell_of_a_missing_game(data: Path) -> None:
    """A game whose acts are still there is missed even if the counter is lost."""
    change(data, "DELETE FROM games WHERE id = 2")
    (data / COUNT).unlink()
    assert all("Game 2 is missing." in message for message in messages(data))


def test_a_note_with_a_wrong_checksum_is_dropped(data: Path) -> None:
    """A note that has changed on the disk is not believed, and the message says what may be out of date."""
    change(data, """UPDATE notes SET value = '{"host": "Eve"}' WHERE key = 'seats'""")
    assert all("The seats, the players’ names or the end of a game may be out of date." in m for m in messages(data))
    with closing(Journal.read_only(data / NAME)) as journal:
        assert journal.note("seats") is None


def test_a_game_without_acts_is_kept_only_with_the_right_checksum(data: Path) -> None:
    """Nothing but its checksum tells that the header of a game without acts is sound."""
    change(data, "DELETE FROM acts WHERE game = 2", "UPDATE games SET seed = 'another' WHERE id = 2")
    assert all("Game 2 is missing." in message for message in messages(data))
    with closing(Journal.read_only(data / NAME)) as journal:
        assert [game.id for game in journal.games()] == [1, 3, 4]


def test_a_file_without_anything_readable_is_soon_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If nothing in the journal is readable and the counter is missing, nobody knows how many rows there were. The
    search for rows is then soon given up, because looking up every row would delay the start of the service by
    minutes."""
    looked_up: list[str] = []
    add_rows = journal_damage_assessment._add_rows
    monkeypatch.setattr(
        journal_damage_assessment, "_add_rows", lambda db, *given: looked_up.append("") or add_rows(db, *given)
    )
    monkeypatch.setattr(journal_damage_assessment, "MAX_ERRORS", 50)
    (tmp_path / NAME).write_bytes(Random(1).randbytes(100_000))
    with closing(Journal(tmp_path / NAME)) as journal:
        assert "The journal was damaged." in str(journal.damage)
        assert journal.games() == ()
    assert len(looked_up) == 3 * 52


def test_a_full_disk_is_named_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full, the error says so and suggests deleting files, whatever error SQLite reports. It does not
    suggest another folder, which would not help on the same disk."""
    (tmp_path / NAME).mkdir()
    with pytest.raises(JournalError, match="Name another folder"):
        Journal(tmp_path / NAME)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: shutil._ntuple_diskusage(10**9, 10**9, 0))
    with pytest.raises(JournalError, match=r"The disk is full.* Delete files"):
        Journal(tmp_path / NAME)


def test_a_first_page_that_is_lost_costs_nothing(samples: Path, tmp_path: Path) -> None:
    """If the first page of the file is lost, no data are lost, because it contains only the schema, which is always the
    same."""
    data = Path(shutil.copytree(samples / "closed", tmp_path / "data"))
    with (data / NAME).open("r+b") as file:
        file.write(bytes(4096))
    assert "No moves are missing." in messages(data)[1]


@pytest.mark.slow
def test_the_game_goes_on_after_a_loss(tmp_path: Path) -> None:
    """After a loss, the service resumes the game at its last sound position. The host page and the console report the
    loss, at later starts too, until the host confirms it."""
    table, rng = new_table(tmp_path / NAME), Random(0)
    for _ in range(5):
        play_act(table, rng)
    for name in os.listdir(tmp_path):
        shutil.copyfile(tmp_path / name, tmp_path.with_name(f"{tmp_path.name}-copy-{name}"))
    before = seen(table)
    play_act(table, rng)
    table.journal.close()
    for name in (NAME, f"{NAME}-wal"):
        (tmp_path / name).unlink(missing_ok=True)
        copy = tmp_path.with_name(f"{tmp_path.name}-copy-{name}")
        if copy.exists():
            shutil.copyfile(copy, tmp_path / name)
    again = Table(Journal(tmp_path / NAME))
    assert seen(again).state == before.state
    report_problems(again, Settings(data=tmp_path, simulate=True), "")
    (health,) = again.health()
    assert (health.device, health.ok) == ("journal", False)
    assert "The last move of game 1 is missing" in str(health.message)
    play_act(again, rng)
    again.journal.close()
    later = Table(Journal(tmp_path / NAME))
    assert later.journal.damage == ""
    report_problems(later, Settings(data=tmp_path, simulate=True), "")
    assert later.health() == (health,)
    (aside,) = tmp_path.glob("journal-damaged-*")
    for file in aside.iterdir():
        file.write_bytes(b"unreadable" * 1000)
    assert str(health.message).startswith(str(later.journal.reminder_of_damage()).partition(" It was moved")[0])
    later.journal.confirm_damage()
    assert later.journal.reminder_of_damage() == ""
    assert not later.journal.has_unconfirmed_damage


@pytest.mark.slow
def test_a_repair_that_is_cut_off_is_started_again(data: Path, tmp_path: Path) -> None:
    """If a repair is interrupted after any step, the next start finishes it, and still reports the whole loss until
    something is written."""
    wal = wal_of(data / NAME).read_bytes()
    wal_of(data / NAME).write_bytes(wal[: len(wal) // 2])
    with closing(Journal(Path(shutil.copytree(data, tmp_path / "whole")) / NAME)) as journal:
        loss, expected = str(journal.damage).partition("kept.")[2], contents(journal)
    for steps in range(1, 40):
        place = Path(shutil.copytree(data, tmp_path / f"{steps}"))
        with stopped_after(steps) as is_stopped, suppress(ProcessEnd):
            Journal(place / NAME).close()
        for _ in range(2):
            with closing(Journal(place / NAME)) as journal:
                assert contents(journal) == expected
                assert str(journal.damage).partition("kept.")[2] == loss
        with closing(Journal(place / NAME)) as journal:
            journal.append(4, sample_act(len(journal.game(4).records) + 1))
            after = contents(journal)
        with closing(Journal(place / NAME)) as journal:
            assert (str(journal.damage), contents(journal)) == ("", after)
        if not is_stopped():
            assert steps > 10
            return
    pytest.fail("the repair never ends")


def test_a_disk_without_links_gets_a_copy(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system without links, as on a USB stick, the damaged files are copied."""

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    wal_of(data / NAME).write_bytes(b"")
    before = files(data)
    monkeypatch.setattr(os, "link", refuse)
    assert "The last 15 moves of game 4 are missing" in messages(data)[1]
    (aside,) = data.glob("journal-damaged-*")
    assert files(aside) == before
    assert {path.stat().st_mode & 0o777 for path in aside.iterdir()} == {0o600}


def test_a_bad_sector_costs_only_what_it_held(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk can't read a part of a file, the rest of the journal is kept."""
    real, bad = os.pread, 4096 * 20

    def pread(file: int, size: int, start: int) -> bytes:
        if size >= 4096 and start <= bad < start + size and os.readlink(f"/proc/self/fd/{file}").endswith(NAME):
            raise OSError(5, "Input/output error")
        return real(file, size, start)

    monkeypatch.setattr(os, "pread", pread)
    read, opened = messages(data)
    assert "missing" in read
    assert "missing" in opened
    with closing(Journal(data / NAME)) as journal:
        assert sum(len(game.records) for game in journal.games()) > 100


class ProcessEnd(BaseException):
    """Raised at the point where the process is supposed to end."""


@contextmanager
def stopped_after(steps: int) -> Iterator[Any]:
    """Simulates that the process ends after some steps of the repair. A step creates, renames or removes a file, or
    makes one durable."""
    left = [steps]

    def step(real: Any) -> Any:
        def stopping(*args: Any, **options: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise ProcessEnd
            return real(*args, **options)

        return stopping

    with pytest.MonkeyPatch.context() as patch:
        for name in ("sync", "sync_folder", "make_private_file", "write_counter", "_store"):
            patch.setattr(journal_repair, name, step(getattr(journal_repair, name)))
        for name in ("unlink", "replace", "write_text", "mkdir"):
            patch.setattr(Path, name, step(getattr(Path, name)))
        yield lambda: left[0] < 0


def test_a_newer_journal_is_left_as_it_is(tmp_path: Path) -> None:
    """Nothing is changed or created beside a journal of a newer Tablekeeper, even if its version is still in the
    write-ahead log."""
    with closing(Journal(tmp_path / "writing" / NAME)) as journal:
        journal.open_game(header(0), [act(1, Random(0))])
        journal._database._db.execute(f"PRAGMA user_version = {VERSION + 1}")
        data = Path(shutil.copytree(tmp_path / "writing", tmp_path / "data"))
    (data / f"{NAME}-shm").unlink()
    (data / NAME).chmod(0o644)
    before, modes = files(data), {path.name: path.stat() for path in data.iterdir()}
    for open_journal in (Journal, Journal.read_only):
        with pytest.raises(JournalError, match="newer"):
            open_journal(data / NAME)
    assert main(["games", "--data", str(data)]) == 1
    assert files(data) == before
    assert {path.name: path.stat().st_mode for path in data.iterdir()} == {n: s.st_mode for n, s in modes.items()}


def test_games_and_verify_fail_for_a_damaged_journal(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`games` lists what is sound, then it and `verify` say what is missing and fail. `export` warns. Nothing is
    changed."""
    wal_of(data / NAME).unlink()
    before = files(data)
    assert main(["games", "--data", str(data)]) == 1
    said = capsys.readouterr()
    assert "59 acts" in said.out
    assert said.err.count("\n") == 1
    assert "The last 15 moves of game 4 are missing" in said.err
    assert main(["verify", "4", "--data", str(data)]) == 1
    assert "The last 15 moves" in capsys.readouterr().err
    assert main(["export", "4", "--data", str(data)]) == 0
    assert "The last 15 moves" in capsys.readouterr().err
    assert files(data) == before


def test_the_doctor_checks_the_journal(data: Path, tmp_path: Path) -> None:
    """The doctor says whether the journal is sound, and changes nothing."""
    (sound,) = storage_checks.journal(data / NAME)
    assert (sound.ok, sound.remedy) == (True, "")
    wal_of(data / NAME).unlink()
    before = files(data)
    (damaged,) = storage_checks.journal(data / NAME)
    assert not damaged.ok
    assert "The last 15 moves" in str(damaged.message)
    assert "tablekeeper run" in str(damaged.remedy)
    assert files(data) == before
    assert list(storage_checks.journal(tmp_path / "nowhere" / NAME)) == []
    (data / NAME).unlink()
    (data / NAME).mkdir()
    (unreadable,) = storage_checks.journal(data / NAME)
    assert not unreadable.ok


def test_an_old_journal_gets_its_digests(tmp_path: Path) -> None:
    """A journal without digests is accepted as it is, and gets digests that are checked from then on."""
    db = sqlite3.connect(tmp_path / NAME)
    db.executescript(SCRIPTS[0])
    stored = header(0)
    columns = "game, rules_version, seats, setup, dealers, players, seed, started"
    values = (stored.game, 1, 2, "{}", "{}", '["Ann", "Bob"]', "s", "2030-01-31T19:30:00+00:00")
    db.execute(f"INSERT INTO games ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    for version in (1, 2, 3):
        db.execute("INSERT INTO acts VALUES (1, ?, 'move', 0, NULL, '{}', 'd', 'now')", (version,))
    db.execute("PRAGMA user_version = 1")
    db.commit()
    db.close()
    with closing(Journal.read_only(tmp_path / NAME)) as journal:
        read = journal.games()
    with closing(Journal(tmp_path / NAME)) as journal:
        assert (journal.damage, journal.games()) == ("", read)
        assert len(read[0].records) == 3
    found = read_count(tmp_path / COUNT)
    assert found is not None
    assert (found.acts, found.games, found.game, found.version) == (3, 1, 1, 3)
    db = sqlite3.connect(tmp_path / NAME)
    db.execute("UPDATE acts SET moves = '{\"a\":1}' WHERE version = 2")
    db.commit()
    db.close()
    assert "The last 2 moves of game 1 are missing" in messages(tmp_path)[1]


def test_a_counter_that_can_not_be_written_stops_the_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An act that is stored but not counted is not acknowledged, and nothing more is stored until a restart. Then the
    act is there."""

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    journal = Journal(tmp_path / NAME)
    game = journal.open_game(header(0), [act(1, Random(0))])
    with monkeypatch.context() as patch:
        patch.setattr(Counter, "write", fail)
        with pytest.raises(JournalError, match="Stop Tablekeeper"):
            journal.append(game.id, sample_act(2))
    with pytest.raises(JournalError, match="Stop Tablekeeper"):
        journal.append(game.id, sample_act(3))
    journal.close()
    with closing(Journal(tmp_path / NAME)) as again:
        assert (again.damage, len(again.game(game.id).records)) == ("", 2)


def test_a_counter_survives_a_torn_write(tmp_path: Path) -> None:
    """The counter has two slots, which are written in turn. If the last write is torn, the previous one counts."""
    counter = Counter(tmp_path / COUNT)
    for acts in range(1, 6):
        counter.write(AcknowledgedCount(acts=acts, chain="c" * 64))
    written = (tmp_path / COUNT).read_bytes()
    counter.write(AcknowledgedCount(acts=6))
    torn = (tmp_path / COUNT).read_bytes()
    (start, *_) = (n for n in range(len(torn)) if torn[n] != written[n])
    (tmp_path / COUNT).write_bytes(torn[: start + 20] + written[start + 20 :])
    assert counter.read() == AcknowledgedCount(acts=5, chain="c" * 64)
    counter.write(AcknowledgedCount(acts=7))
    assert counter.read() == read_count(tmp_path / COUNT) == AcknowledgedCount(acts=7)
    counter.close()
    assert len((tmp_path / COUNT).read_bytes()) == 2 * acknowledged_count.SLOT_BYTES


def test_an_import_beside_a_running_service_is_counted(tmp_path: Path) -> None:
    """If an import and a running service write to the same journal, every act is counted."""
    table, rng = new_table(tmp_path / NAME), Random(0)
    with closing(Journal(tmp_path / NAME)) as other:
        play_act(table, rng)
        other.add(table.journal.game(1))
        play_act(table, rng)
    total = sum(len(game.records) for game in table.journal.games())
    table.journal.close()
    found = read_count(tmp_path / COUNT)
    assert found is not None
    assert (found.acts, found.games, found.game) == (total, 2, 1)
    assert messages(tmp_path) == ["", ""]
