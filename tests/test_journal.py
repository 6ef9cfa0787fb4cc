"""The journal: it is durable, it is converted from older versions, and each game can be exported and imported as one
readable file."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from companion.__main__ import main
from companion.games.rules import Seat
from companion.match.game_import_export import export_lines, import_lines
from companion.match.history import ReplayError, fold
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.table.table import Table
from tests.systems_failing_tables import SEED, act, new_table, play_to_the_end, seen

FILE = "journal.sqlite3"

MOVER = """
import sys
from pathlib import Path
from random import Random
from companion.match.journal import Journal
from companion.table.table import Table
from tests.systems_failing_tables import act, new_table, seen
table, rng = Table(Journal(Path(sys.argv[1]))), Random(0)
table.start("systems-failing", None, {}, {}, (), "s")
while True:
    act(table, rng)
    print(seen(table).version, flush=True)
    if seen(table).turn is None:
        table.undo(None)
"""


def test_sqlite_uses_wal_with_full_synchronization(tmp_path: Path) -> None:
    """An acknowledged move survives a power cut: SQLite uses WAL with synchronous=FULL."""
    journal = Journal(tmp_path / FILE)
    assert journal._database._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert journal._database._db.execute("PRAGMA synchronous").fetchone() == (2,)


@pytest.mark.slow
def test_kill_9_loses_no_acknowledged_move(tmp_path: Path) -> None:
    """Every version that was acknowledged before the process was killed is there after the restart."""
    command = [sys.executable, "-c", MOVER, str(tmp_path / FILE)]
    root = Path(__file__).parents[1]
    for told_before_kill in (3, 11, 29):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root)
        assert process.stdout
        acknowledged = [int(process.stdout.readline()) for _ in range(told_before_kill)]
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        assert seen(Table(Journal(tmp_path / FILE))).version >= acknowledged[-1]


def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path) -> None:
    """The journal of a newer Tablekeeper is not changed."""
    Journal(tmp_path / FILE).close()
    db = sqlite3.connect(tmp_path / FILE)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(JournalError, match="newer"):
        Journal(tmp_path / FILE)


def test_a_game_in_a_journal_of_an_older_schema_can_be_continued(tmp_path: Path) -> None:
    """A game that began before the journal stored which code was read can be continued."""
    rng, table = Random(0), Table(Journal(tmp_path / FILE))
    table.start("systems-failing", None, {}, {}, (), SEED)
    act(table, rng)
    db = sqlite3.connect(tmp_path / FILE)
    db.executescript("ALTER TABLE acts DROP COLUMN thing; PRAGMA user_version = 1")
    db.close()
    again = Table(Journal(tmp_path / FILE))
    assert seen(again).state == seen(table).state
    act(again, rng)
    assert seen(Table(Journal(tmp_path / FILE))).version == seen(again).version


def test_a_folder_that_can_not_be_written_is_reported(tmp_path: Path) -> None:
    """The error for a folder that can't be written suggests another folder."""
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(JournalError, match="--data"):
        Journal(tmp_path / "file" / FILE)


def test_export_and_import_keep_everything_but_the_seed(tmp_path: Path) -> None:
    """An exported game is imported act by act. The seed, which would reveal the future, is not in the file."""
    journal = Journal(None)
    table, rng = Table(journal), Random(2)
    table.start("systems-failing", None, {"difficulty": "hard"}, {"cubes": "companion"}, ("Ann", "Bob"), SEED)
    for _ in range(12):
        act(table, rng)
    table.undo(Seat(0))
    kept = journal.game(1)
    kept = replace(kept, records=(*kept.records[:-1], replace(kept.records[-1], code="SF-D07")))
    lines = list(export_lines(kept))
    assert SEED not in "".join(lines)
    back = import_lines(lines, "another seed")
    assert back.header == replace(kept.header, seed="another seed")
    assert [replace(r, request=None) for r in kept.records] == list(back.records)
    assert fold(back).state == fold(kept).state


def test_exporting_twice_gives_the_same_lines() -> None:
    """Reading the players' names from the header adds nothing to the exported file."""
    journal = Journal(None)
    Table(journal).start("systems-failing", None, {}, {}, ("Ann", "Bob"), SEED)
    kept = journal.game(1)
    lines = list(export_lines(kept))
    assert kept.header.names
    assert list(export_lines(kept)) == lines


def test_a_changed_file_does_not_verify() -> None:
    """`verify` finds a move, a digest or an order that was changed by hand."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, (), "s")
    table.submit(Seat(0), {"seat": 0, "move": "scavenge"})
    lines = list(export_lines(journal.game(1)))
    act_line = json.loads(lines[2])
    cube = act_line["moves"][1]["cube"]
    act_line["moves"][1]["cube"] = "blue" if cube != "blue" else "black"
    for changed in (
        [*lines[:2], json.dumps(act_line)],
        [lines[0], lines[2]],
        [*lines[:2], lines[2].replace('"digest": "', '"digest": "0')],
    ):
        with pytest.raises((ReplayError, JournalError)):
            fold(import_lines(changed, "s"))


def test_a_game_of_other_rules_is_kept_but_not_continued() -> None:
    """If the rules version of the running game differs, the service starts and says why the game can't continue. The
    game can still be exported."""
    journal = Journal(None)
    Table(journal).start("systems-failing", None, {}, {}, (), "s")
    journal._database._db.execute("UPDATE games SET rules_version = 99")
    table = Table(journal)
    assert table.view() is None
    assert "version 99 of the rules" in str(table.resume_error)
    assert list(export_lines(journal.game(1)))


def test_an_act_without_moves_is_refused() -> None:
    """A file with an act without moves, which was cut or edited by hand, is reported with its line, without a
    traceback."""
    journal = Journal(None)
    Table(journal).start("systems-failing", None, {}, {}, (), "s")
    header, act_line = export_lines(journal.game(1))
    empty = json.dumps({**json.loads(act_line), "moves": []})
    with pytest.raises(JournalError, match="Line 2"):
        import_lines([header, empty], "s")
    assert import_lines([header, act_line], "s").closed is None


def test_a_file_that_was_cut_off_is_refused() -> None:
    """A truncated file is refused, because each file states its own end."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, (), "s")
    table.submit(Seat(0), {"seat": 0, "move": "scavenge"})
    lines = list(export_lines(journal.game(1)))
    assert len(import_lines(lines, "s").records) == 2
    with pytest.raises(JournalError, match="1 of 2 acts"):
        import_lines(lines[:-1], "s")
    with pytest.raises(JournalError, match="3 of 2 acts: it was changed"):
        import_lines([*lines, lines[-1]], "s")
    header = json.loads(lines[0])
    del header["acts"]
    assert len(import_lines([json.dumps(header), *lines[1:-1]], "s").records) == 1


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        (1, "dealers", {"cubes": "nobody"}),
        (1, "dealers", {"weather": "table"}),
        (1, "dealers", {"cubes": ["table"]}),
        (1, "dealers", []),
        (1, "started", 5),
        (1, "started", "yesterday"),
        (1, "closed", "soon"),
        (1, "seats", 1e400),
        (1, "seats", True),
        (1, "rules_version", 1e400),
        (1, "acts", "2"),
        (1, "players", ["Ann"]),
        (1, "players", ["Ann", "Bob", "Eve"]),
        (1, "players", ["Ann", 5]),
        (1, "players", ["Ann", ""]),
        (1, "players", ["Ann", "B" * 25]),
        (1, "players", ["Ann", "\ud800"]),
        (1, "players", ["Ann", "B\x1b[2J"]),
        (1, "setup", {"difficulty": ["hard"]}),
        (3, "version", 1e400),
        (3, "version", "2"),
        (3, "seat", 7),
        (3, "seat", -1),
        (3, "seat", "0"),
        (3, "kind", "wish"),
        (3, "kind", []),
        (3, "moves", {}),
        (3, "at", "2026-13-01T00:00:00+00:00"),
        (3, "at", None),
        (3, "thing", None),
        (3, "thing", "\ud800"),
        (3, "thing", "SF-D07" + "7" * 5000),
    ],
)
def test_a_file_that_was_never_exported_is_not_imported(line: int, key: str, value: object, tmp_path: Path) -> None:
    """If a file has a header or an act that the service can't have written, the exit status is 1, and nothing is
    stored."""
    journal = Journal(None)
    table = Table(journal)
    table.start("systems-failing", None, {}, {}, ("Ann", "Bob"), "s")
    table.submit(Seat(0), {"seat": 0, "move": "scavenge"})
    lines = [json.loads(text) for text in export_lines(journal.game(1))]
    lines[line - 1][key] = value
    file = tmp_path / "game.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert main(["import", str(file), "--data", str(tmp_path)]) == 1
    assert Journal(tmp_path / FILE).games() == ()
    lines[line - 1].pop(key)
    file.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert main(["verify", str(file)]) == (0 if key in ("closed", "acts", "thing") else 1)


def test_a_damaged_journal_is_reported_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A damaged journal gives exit status 1 and one line that says what to do, without a traceback."""
    new_table(tmp_path / FILE)
    data = bytearray((tmp_path / FILE).read_bytes())
    data[4096:] = b"x" * (len(data) - 4096)
    (tmp_path / FILE).write_bytes(data)
    for leftover in (tmp_path / f"{FILE}-wal", tmp_path / f"{FILE}-shm"):
        leftover.unlink(missing_ok=True)
    assert main(["games", "--data", str(tmp_path)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("text", ["", "{}", "nonsense", "[1]", '{"tablekeeper":1}', '{"tablekeeper":2}'])
def test_nonsense_is_not_imported(text: str) -> None:
    """If a file is not an export, the error names the line."""
    with pytest.raises(JournalError, match="Line 1"):
        import_lines(text.splitlines(), "s")


def test_commands_list_export_verify_replay_and_import_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`games` lists, `export` writes, `verify` checks, `replay` prints each position and `import` reads."""
    table = new_table(tmp_path / FILE, difficulty="hard")
    play_to_the_end(table, Random(1))
    data, file = ["--data", str(tmp_path)], str(tmp_path / "game.jsonl")
    assert main(["export", "1", "-o", file, *data]) == 0
    assert main(["verify", file]) == 0
    assert main(["verify", "1", *data]) == 0
    assert "sound" in capsys.readouterr().out
    assert main(["replay", file]) == 0
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert last["state"] == seen(table).state
    assert main(["import", file, *data]) == 0
    assert "game 2" in capsys.readouterr().out
    assert main(["games", "--json", *data]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [game["closed"] is None for game in listed["journal"]] == [True, False]
    assert "systems-failing" in [game["name"] for game in listed["games"]]


def test_an_imported_game_does_not_disturb_the_running_one(tmp_path: Path) -> None:
    """Importing adds a finished game and leaves the running game alone."""
    table = new_table(tmp_path / FILE)
    journal = Journal(tmp_path / FILE)
    journal.add(journal.game(1))
    assert seen(Table(journal)).id == seen(table).id == 1


@pytest.mark.parametrize(
    "arguments",
    [["export", "7"], ["verify", "no-such-file"], ["replay", "7"], ["replay", "9" * 20], ["import", "no-such-file"]],
)
def test_a_missing_game_or_file_is_reported_in_one_line(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A missing game or file gives exit status 1 and one line, without a traceback."""
    assert main([*arguments, "--data", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("tablekeeper: ")


def test_commands_that_only_read_create_no_journal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Commands that only read create no journal and no folder. Without a journal, `games` lists only what can be
    played, and every game number is unknown."""
    data = ["--data", str(tmp_path / "nowhere")]
    assert main(["games", "--json", *data]) == 0
    assert json.loads(capsys.readouterr().out)["journal"] == []
    for command in ("export", "verify", "replay"):
        assert main([command, "1", *data]) == 1
        assert "There is no journal in" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []


def test_a_game_that_is_over_is_finished(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A game counts as running until it is over, and as finished after that. Until another game begins, it is still the
    game that is resumed."""

    def stages() -> list[str]:
        assert main(["games", "--json", "--data", str(tmp_path)]) == 0
        return [game["stage"] for game in json.loads(capsys.readouterr().out)["journal"]]

    table = new_table(tmp_path / FILE)
    assert stages() == ["running"]
    play_to_the_end(table, Random(1))
    assert stages() == ["finished"]
    assert seen(Table(Journal(tmp_path / FILE))).turn is None
    table.start("systems-failing", None, {}, {}, (), "s")
    assert stages() == ["ended", "running"]
