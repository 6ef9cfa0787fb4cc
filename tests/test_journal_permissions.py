"""Who may read and write the journal's files, and reading a journal from a read-only disk."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import pytest

from companion.__main__ import main
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from tests.damaged_journals import COUNT, files
from tests.power_cuts import NAME, header
from tests.systems_failing_tables import act as play_act
from tests.systems_failing_tables import new_table


def test_only_the_owner_can_read_the_journal(tmp_path: Path) -> None:
    """Only the owner can read the journal's files, including those of an older journal, and its folder."""
    umask = os.umask(0)
    try:
        with closing(Journal(tmp_path / "data" / NAME)) as journal:
            journal.open_game(header(0), [])
            modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "data").iterdir()}
    finally:
        os.umask(umask)
    assert modes == dict.fromkeys((NAME, f"{NAME}-wal", f"{NAME}-shm", COUNT), 0o600)
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    (tmp_path / "data" / NAME).chmod(0o644)
    Journal(tmp_path / "data" / NAME).close()
    assert (tmp_path / "data" / NAME).stat().st_mode & 0o777 == 0o600


def test_the_default_folder_becomes_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other users lose their rights to the default folder, but not to a folder that was named."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "tablekeeper").mkdir(0o755)
    (tmp_path / "named").mkdir(0o755)
    game = tmp_path / "game.jsonl"
    new_table(tmp_path / "named" / NAME)
    assert main(["export", "1", "-o", str(game), "--data", str(tmp_path / "named")]) == 0
    for arguments in ([], ["--data", str(tmp_path / "named")]):
        assert main(["import", str(game), *arguments]) == 0
    assert (tmp_path / "tablekeeper").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "named").stat().st_mode & 0o777 == 0o755


@contextmanager
def read_only_disk(folder: Path) -> Iterator[None]:
    """Makes a folder a read-only disk. Skips the test if this user may not mount disks."""
    mount = ["mount", "--bind", str(folder), str(folder)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("this user may not mount a disk")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", str(folder)], check=True)
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("state", ["closed", "in use"])
def test_commands_read_from_a_read_only_disk(state: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`games`, `verify`, `replay` and `export` work on a read-only disk, whether or not the journal was closed."""
    table, rng = new_table(tmp_path / "writing" / NAME), Random(0)
    for _ in range(3):
        play_act(table, rng)
    if state == "closed":
        table.journal.close()
    data = Path(shutil.copytree(tmp_path / "writing", tmp_path / "data"))
    (data / f"{NAME}-shm").unlink(missing_ok=True)
    with read_only_disk(data):
        with pytest.raises(OSError, match="Read-only"):
            (data / "new").touch()
        for command in (["games"], ["verify", "1"], ["replay", "1"], ["export", "1"]):
            assert main([*command, "--data", str(data)]) == 0
            assert capsys.readouterr().err == ""
        with pytest.raises(JournalError, match="Read-only"):
            Journal(data / NAME)


def test_reading_beside_a_running_service_changes_nothing(tmp_path: Path) -> None:
    """While a service has the journal open, a command can read what is stored so far, and changes nothing."""
    table, rng = new_table(tmp_path / NAME), Random(0)
    for _ in range(3):
        play_act(table, rng)
    before = files(tmp_path)
    with closing(Journal.read_only(tmp_path / NAME)) as journal:
        assert (journal.damage, journal.game(1)) == ("", table.journal.game(1))
    after = files(tmp_path)
    assert after.keys() == before.keys()
    assert after[NAME] == before[NAME]
    assert after[f"{NAME}-wal"] == before[f"{NAME}-wal"]
