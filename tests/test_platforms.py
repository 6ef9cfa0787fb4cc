"""Tablekeeper on systems that lack modules of Linux, such as Windows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from companion.match.game_files import export_lines
from tests.systems_failing_tables import act_some, new_table

HIDING = """
import os, sys
for name in ("fcntl", "resource", "termios", "pty", "pwd", "grp", "tty"):
    sys.modules[name] = None
for name in ("O_CLOEXEC", "pread", "pwrite", "geteuid"):
    delattr(os, name)
from companion.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
"""Runs a command where modules and functions are missing that Windows does not have."""


def run_without_linux_modules(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs a command on a simulated system of this kind; returns the finished process."""
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", HIDING, *words], capture_output=True, text=True, check=False
    )


@pytest.mark.slow
def test_commands_work_on_other_systems(tmp_path: Path) -> None:
    """Everything but the service with its devices works: help, simulation, printing, the journal, backups."""
    data = ("--data", str(tmp_path / "data"))
    game = tmp_path / "game.jsonl"
    table = new_table(tmp_path / "played" / "journal.sqlite3")
    act_some(table, Random(1), 5)
    game.write_text("\n".join(export_lines(table.journal.game(1))))
    for words in (
        ("--help",),
        ("games",),
        ("simulate", "traffic-congestion", "--games", "2", "--jobs", "1"),
        ("import", str(game), *data),
        ("backup", "-o", str(tmp_path / "b.tar.gz"), *data),
        ("restore", str(tmp_path / "b.tar.gz"), *data),
        ("games", *data),
        ("verify", "1", *data),
        ("codes", "commute"),
        ("mat", "commute"),
    ):
        done = run_without_linux_modules(*words)
        assert done.returncode == 0, (words, done.stderr)
    refused = run_without_linux_modules("update", str(tmp_path / "b.whl"))
    assert (refused.returncode, len(refused.stderr.splitlines())) == (1, 1)


LOCKED_TWICE = """
import sys
from pathlib import Path
sys.modules["fcntl"] = None
from companion.commands import CommandError
from companion.commands.data_folder_lock import exclusive_lock, lock_holder
data = Path(sys.argv[1])
with exclusive_lock(data) as lock:
    lock.publish_port(8000)
    print(lock_holder(data))
    try:
        with exclusive_lock(data):
            print("twice")
    except CommandError as error:
        print(error)
print(lock_holder(data))
with exclusive_lock(data):
    print("again")
"""


def test_a_data_folder_is_locked_there_too(tmp_path: Path) -> None:
    """Two services can't use one folder, and the second learns where the pages of the first are."""
    command = [sys.executable, "-W", "ignore", "-c", LOCKED_TWICE, str(tmp_path)]
    first, second, third, fourth = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert first == "LockHolder(port=8000)"
    assert second.startswith("Another Tablekeeper is using")
    assert (third, fourth) == ("None", "again")
