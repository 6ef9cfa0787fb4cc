"""Backups: what is in them, what is refused, and that a restore loses nothing."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, tzinfo
from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion import backups
from companion.__main__ import main
from companion.backup_archive import BackupError, extract, manifest_of
from companion.backup_restore import restore_backup
from companion.backups import make_backup
from companion.commands.data_folder_lock import exclusive_lock
from companion.match.journal import Journal
from companion.table.table import Table
from tests.systems_failing_tables import act, new_table


def played(data: Path, moves: int) -> Table:
    """A table with a game in progress whose journal is in a folder."""
    table = new_table(data / "journal.sqlite3")
    for seed in range(moves):
        act(table, Random(seed))
    return table


def acts(data: Path) -> int:
    with closing(Journal.read_only(data / "journal.sqlite3")) as journal:
        game = journal.running_game()
        assert game
        assert journal.damage == ""
        return len(game.records)


def test_a_backup_of_a_running_game_can_be_restored(tmp_path: Path) -> None:
    """A backup that is made while a service is running contains everything that was acknowledged. After a restore, the
    game goes on from there. What was played after the backup is set aside, and can be restored too."""
    data = tmp_path / "data"
    table = played(data, 5)
    (data / "camera.json").write_text("{}")
    (data / "tls").mkdir()
    (data / "tls" / "ca.pem").write_text("key")
    (data / "prints").mkdir()
    (data / "prints" / "card.png").write_text("can be drawn again")
    settings = tmp_path / "table.toml"
    settings.write_text("[service]\nport = 80\n")
    before = acts(data)
    made = make_backup(data, settings)
    assert (made.games, made.path.stat().st_mode & 0o777) == (1, 0o600)
    with tarfile.open(made.path) as archive:
        names = archive.getnames()
    assert names == ["manifest.json", "camera.json", "journal.sqlite3", "settings.toml", "tls/ca.pem"]
    act(table, Random(9))
    table.journal.close()
    (data / "camera.json").write_text('{"new": 1}')
    assert acts(data) > before
    _backup, aside = restore_backup(made.path, data)
    assert acts(data) == before
    assert (data / "camera.json").read_text() == "{}"
    assert (aside / "camera.json").read_text() == '{"new": 1}'
    assert acts(aside) > before
    again = Table(Journal(data / "journal.sqlite3"))
    assert (str(again.journal.damage), str(again.resume_error)) == ("", "")
    act(again, Random(10))
    assert acts(data) == before + 1
    assert [path.name for path in data.iterdir() if path.name.startswith(".")] == []


def changed(path: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """A copy of a backup with changed contents. If `change` returns None for a member, the member is left out."""
    target = path.with_name("changed.tar.gz")
    with tarfile.open(path) as old, tarfile.open(target, "w:gz") as new:
        for member in old:
            file = old.extractfile(member)
            content = change(member.name, file.read() if file else b"")
            if content is not None:
                member.size = len(content)
                new.addfile(member, io.BytesIO(content))
    return target


def newer(name: str, content: bytes) -> bytes:
    return json.dumps({**json.loads(content), "format": 99}).encode() if name == "manifest.json" else content


def climbing(name: str, content: bytes) -> bytes:
    return content.replace(b"camera.json", b"../evil.json") if name == "manifest.json" else content


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda name, content: None if name == "journal.sqlite3" else content, "incomplete"),
        (lambda name, content: content[:-1] + b"x" if name == "journal.sqlite3" else content, "match the manifest"),
        (lambda name, content: content + b"x" if name == "camera.json" else content, "match the manifest"),
        (lambda name, content: None if name == "manifest.json" else content, "a Tablekeeper backup"),
        (lambda name, content: b"[]" if name == "manifest.json" else content, "can’t be read as a backup"),
        (newer, "newer version of Tablekeeper"),
        (climbing, "match the manifest"),
    ],
)
def test_an_unusable_backup_changes_nothing(
    tmp_path: Path, change: Callable[[str, bytes], bytes | None], says: str
) -> None:
    """A damaged, incomplete, newer or foreign file is refused with a reason, and nothing in the data folder changes."""
    data = tmp_path / "data"
    table = played(data, 3)
    (data / "camera.json").write_text("{}")
    made = make_backup(data)
    table.journal.close()
    before = sorted((path.name, path.read_bytes()) for path in data.iterdir() if path.is_file())
    with pytest.raises(BackupError, match=says):
        restore_backup(changed(made.path, change), data)
    assert sorted((path.name, path.read_bytes()) for path in data.iterdir() if path.is_file()) == before


def test_a_torn_file_is_refused(tmp_path: Path) -> None:
    """A file that was cut off, or is not an archive, is refused with a message of one line."""
    data = tmp_path / "data"
    played(data, 3)
    made = make_backup(data, target=tmp_path / "made.tar.gz")
    torn = tmp_path / "torn.tar.gz"
    for content in (made.path.read_bytes()[:-400], b"", b"no archive"):
        torn.write_bytes(content)
        (tmp_path / "x").mkdir(exist_ok=True)
        with pytest.raises(BackupError, match="torn"):
            extract(torn, tmp_path / "x")


def test_only_the_latest_backups_are_kept(tmp_path: Path) -> None:
    """The oldest backups are deleted, but never the one just made, even if a slow clock makes its name the oldest.
    Files that can’t be read count as older than the others, and files of other names in the folder stay."""
    data = tmp_path / "data"
    played(data, 1)
    folder = data / backups.FOLDER
    folder.mkdir()
    (folder / "mine.tar.gz").touch()
    for day in range(1, 20):
        (folder / f"tablekeeper-203001{day:02}-040000.tar.gz").touch()
    newest = make_backup(data)
    kept = backups.backups(data)
    assert len(kept) == backups.KEPT
    assert kept[0] == newest.path
    assert kept[1].name == "tablekeeper-20300119-040000.tar.gz"
    assert (folder / "mine.tar.gz").exists()
    stick = tmp_path / "stick"
    stick.mkdir()
    newest = make_backup(data, target=tmp_path / newest.path.name)
    assert backups.copy_to(newest, stick).read_bytes() == newest.path.read_bytes()
    assert [path.name for path in stick.iterdir()] == [newest.path.name]
    for day in range(1, 20):
        (stick / f"tablekeeper-202001{day:02}-040000.tar.gz").touch()
    backups.copy_to(newest, stick)
    assert len([*stick.iterdir()]) == backups.KEPT
    assert (stick / newest.path.name).exists()


def at(year: int) -> type[datetime]:
    """A clock that shows a date in this year."""

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Clock:
            return cls(year, 1, 1, tzinfo=tz)

    return Clock


def test_the_newest_backup_is_first_whatever_the_clock_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A Pi without a network may believe that it is 1970 or 2040. The newest backup is listed first all the same, the
    oldest are deleted first, and the list says that dates are wrong."""
    data, options = tmp_path / "data", ("--data", str(tmp_path / "data"))
    table, years, acts = played(data, 0), [2026, 2040, 1970, 2027], list[int]()
    for year in years:
        monkeypatch.setattr(backups, "datetime", at(year))
        act(table, Random(year))
        acts.append(make_backup(data).acts)
    assert [path.name[12:16] for path in backups.backups(data)] == ["2027", "1970", "2040", "2026"]
    assert main(["restore", "--list", *options]) == 0
    *lines, note = capsys.readouterr().out.splitlines()
    assert [int(line.split()[-2]) for line in lines] == acts[::-1]
    assert note.startswith("The newest is first. The table’s clock was wrong")
    monkeypatch.setattr(backups, "KEPT", 2)
    monkeypatch.setattr(backups, "datetime", at(1971))
    make_backup(data)
    assert [path.name[12:16] for path in backups.backups(data)] == ["1971", "2027"]


def test_a_list_with_right_dates_says_nothing_about_the_clock(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Backups without a number are from before there were numbers, and older than all others."""
    data = tmp_path / "data"
    played(data, 1)
    (data / backups.FOLDER).mkdir()
    for day in (1, 2):
        (data / backups.FOLDER / f"tablekeeper-2020010{day}-040000.tar.gz").touch()
    make_backup(data)
    assert main(["restore", "--list", "--data", str(data)]) == 0
    newest, *old = capsys.readouterr().out.splitlines()
    assert "1 game with 2 acts" in newest
    assert [line.split()[0][12:20] for line in old] == ["20200102", "20200101"]
    assert all(line.endswith("damaged") for line in old)


def test_a_backup_with_broken_compression_is_refused(tmp_path: Path) -> None:
    """Wherever a backup is damaged, it is refused with a message, unless only padding between its members is damaged.
    The list calls it damaged, or shows what its manifest says."""
    data = tmp_path / "data"
    played(data, 3)
    made = make_backup(data).path
    content, refused = made.read_bytes(), 0
    for place in range(12, len(content) - 8, len(content) // 50):
        made.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        folder = tmp_path / f"x{place}"
        folder.mkdir()
        try:
            extract(made, folder)
        except BackupError:
            refused += 1
        manifest_of(made)
    assert refused > 40


def test_a_full_disk_is_not_called_a_damaged_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full, the message says where nothing could be written; no part of a backup is left."""
    data = tmp_path / "data"
    played(data, 1)
    connect = sqlite3.connect

    def connect_small(path: Path | str, **options: Any) -> sqlite3.Connection:
        database = connect(path, **options)
        if path != ":memory:":
            database.execute("PRAGMA max_page_count = 1")
        return database

    monkeypatch.setattr(sqlite3, "connect", connect_small)
    with pytest.raises(BackupError, match=r"Can’t write to .*backups \(database or disk is full\)"):
        make_backup(data)
    assert not [*(data / backups.FOLDER).iterdir()]


def test_a_backup_that_can_not_be_written_is_named(tmp_path: Path) -> None:
    """If a backup can't be written, the message names the file that people asked for, and no temporary one."""
    played(tmp_path, 1)
    with pytest.raises(BackupError, match=r"Can’t write to /proc/backup\.tar\.gz"):
        make_backup(tmp_path, target=Path("/proc/backup.tar.gz"))


def test_commands_say_what_they_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The commands say what they did. If the service is running, or if a file or the journal is missing, they print one
    line."""
    data, options = tmp_path / "data", ("--data", str(tmp_path / "data"))
    assert main(["backup", *options]) == 1
    assert "no journal" in capsys.readouterr().err
    played(data, 2).journal.close()
    assert main(["backup", *options]) == 0
    assert "1 game with 3 acts" in capsys.readouterr().out
    assert main(["restore", "--list", *options]) == 0
    name = capsys.readouterr().out.split()[0]
    assert main(["restore", name, *options]) == 0
    assert "What was here before is in" in capsys.readouterr().out
    assert main(["restore", *options]) == 2
    assert main(["restore", "none.tar.gz", *options]) == 1
    with exclusive_lock(data):
        assert main(["restore", name, *options]) == 1
    said = capsys.readouterr().err.splitlines()
    assert len(said) == 3
    assert "Another Tablekeeper is using" in said[-1]


def test_the_last_three_replaced_folders_are_kept(tmp_path: Path) -> None:
    """What a restore replaces is kept until three more restores, so that the disk does not fill up. The folder of this
    restore stays even if older ones have later names, because the clock was ahead."""
    played(tmp_path, 2).journal.close()
    backup = make_backup(tmp_path).path
    kept = [restore_backup(backup, tmp_path)[1] for _restore in range(5)]
    assert sorted(tmp_path.glob("replaced-*")) == kept[2:]
    later = [tmp_path / f"replaced-2999010{n}-000000-000000" for n in range(1, 4)]
    for folder in later:
        folder.mkdir()
    _backup, aside = restore_backup(backup, tmp_path)
    assert sorted(tmp_path.glob("replaced-*")) == [aside, *later[1:]]


def test_a_backup_is_restored_by_name_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With sudo, the command runs as the user tablekeeper, in a folder that this user may perhaps not enter."""
    data = tmp_path / "data"
    played(data, 2).journal.close()
    name, stat = make_backup(data, None).path.name, os.stat

    def refusing(path: Any, *given: Any, **options: Any) -> os.stat_result:
        if str(path) == name:
            raise PermissionError(13, "Permission denied", name)
        return stat(path, *given, **options)

    monkeypatch.setattr(os, "stat", refusing)
    assert main(["restore", name, "--data", str(data)]) == 0


def test_settings_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`config check` names each line that can't be used, and prints the settings of the others. It finds nothing wrong
    with the sample that is installed."""
    path = tmp_path / "table.toml"
    path.write_text('[service]\nport = 8100\ncamra = "0"\n')
    assert main(["config", "check", str(path)]) == 1
    printed = capsys.readouterr()
    assert "line 3: camra is unknown" in printed.out
    assert "port = 8100" in printed.out
    assert len(printed.err.splitlines()) == 1
    sample = Path(__file__).parents[1] / "appliance" / "tablekeeper.toml"
    assert main(["config", "check", str(sample)]) == 0
    every = tmp_path / "every.toml"
    lines = (line.removeprefix("# ") if " = " in line else line for line in sample.read_text().splitlines())
    every.write_text("\n".join(lines).replace('box = "none"', 'box = "none" '))
    assert main(["config", "check", str(every)]) == 0
    assert "hosts = table.example.com\n" in capsys.readouterr().out


def test_nightly_backups_are_copied_to_a_stick(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nightly backups are copied to a USB stick only if one is mounted. Otherwise the copies would fill the machine's
    own disk."""
    data, stick = tmp_path / "data", tmp_path / "stick"
    stick.mkdir()
    new_table(data / "journal.sqlite3").journal.close()
    command = ("backup", "--data", str(data), "--copy-to-stick", str(stick))
    assert main(command) == 0
    assert [*stick.iterdir()] == []
    monkeypatch.setattr(Path, "is_mount", lambda path: path == stick)
    assert main(command) == 0
    assert [path.name for path in stick.iterdir()] == [backups.backups(data)[0].name]
    assert f"{stick}" in capsys.readouterr().out
