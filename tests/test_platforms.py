"""Tablekeeper on systems that lack modules of Linux, such as Windows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from companion import platform_calls
from companion.match.game_import_export import export_lines
from tests.running_service import free_port, until, url_text
from tests.shared_prints import link_prints
from tests.systems_failing_tables import act_some, new_table

HIDING = """
import io, json, os, sys
from contextlib import redirect_stderr, redirect_stdout
for name in ("fcntl", "resource", "termios", "pty", "pwd", "grp", "tty"):
    sys.modules[name] = None
for name in ("O_CLOEXEC", "pread", "pwrite", "geteuid"):
    delattr(os, name)
from companion.__main__ import main
for words in json.load(sys.stdin):
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()) as errors:
        try:
            status = main(words)
        except SystemExit as end:
            status = end.code or 0
    print(json.dumps([status, errors.getvalue()]))
"""
"""Runs commands where modules and functions are missing that Windows does not have. Prints the exit status of each, and
what it wrote to standard error."""


def run_without_linux_modules(*commands: Sequence[str]) -> list[tuple[int, str]]:
    """Runs commands on a simulated system without Linux's modules. Returns each command's exit status and what it wrote
    to standard error. All run in one process, because starting a process takes most of the time."""
    line = [sys.executable, "-W", "ignore", "-c", HIDING]
    said = subprocess.run(line, input=json.dumps(commands), capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr
    return [(status, errors) for status, errors in map(json.loads, said.stdout.splitlines())]


@pytest.mark.slow
def test_commands_work_on_other_systems(tmp_path: Path) -> None:
    """The commands work: help, simulation, printing, the journal, backups."""
    data = ("--data", str(tmp_path / "data"))
    game = tmp_path / "game.jsonl"
    table = new_table(tmp_path / "played" / "journal.sqlite3")
    act_some(table, Random(1), 5)
    game.write_text("\n".join(export_lines(table.journal.game(1))))
    commands = (
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
        ("update", str(tmp_path / "b.whl")),
    )
    *done, (status, errors) = run_without_linux_modules(*commands)
    assert [(words, said) for words, (code, said) in zip(commands, done, strict=False) if code != 0] == []
    assert len(done) == len(commands) - 1
    assert (status, len(errors.splitlines())) == (1, 1)


SERVING = """
import asyncio, concurrent.futures, multiprocessing, os, psutil, serial.tools.list_ports, subprocess, sys, tempfile
for name in ("fcntl", "resource", "termios", "pty", "pwd", "grp", "tty"):
    sys.modules[name] = None
for name in ("O_CLOEXEC", "pread", "pwrite", "geteuid"):
    delattr(os, name)
from companion.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
"""Runs one command as above. The modules of the standard library that need the missing ones on Linux, but not on
Windows, are imported first."""


@pytest.mark.slow
def test_the_service_starts_on_other_systems(tmp_path: Path) -> None:
    """The service serves its pages and reads photographs, with everything simulated."""
    port, answer = free_port(), (0, "")
    words = ("run", "--simulate", "--port", str(port), "--data", str(tmp_path))
    link_prints(tmp_path / "prints")
    line = [sys.executable, "-W", "ignore", "-c", SERVING, *words]
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as service:
        try:
            until(lambda: service.poll() is not None or url_text(f"http://127.0.0.1:{port}/healthz")[0], "the page")
            answer = url_text(f"http://127.0.0.1:{port}/join")
        finally:
            service.terminate()
            said = service.communicate()[0]
    assert (answer[0], service.returncode) == (200, 0), said


def test_a_photo_has_no_limits_where_the_system_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a system without limits for a process, photographs are read without them."""
    monkeypatch.setattr(platform_calls, "_resource", None)
    platform_calls.limit_memory(1)
    platform_calls.limit_cpu_time(0)


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
    """On these systems too, two services can't use the same data folder, and the second service says where the pages of
    the first one are."""
    command = [sys.executable, "-W", "ignore", "-c", LOCKED_TWICE, str(tmp_path)]
    first, second, third, fourth = subprocess.run(
        command, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert first == "LockHolder(port=8000)"
    assert second.startswith("Another Tablekeeper is using")
    assert (third, fourth) == ("None", "again")
