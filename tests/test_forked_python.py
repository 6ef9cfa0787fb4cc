"""A fork behaves like a new Python process that runs a module."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.forked_python import ForkedPython, start

PROGRAM = """
import os, sys, __main__
print("ready", flush=True)
print(sys.argv[1:], os.environ["MARK"], os.getcwd(), __name__, __main__.__name__, sys.stdin.readline())
print("an error", file=sys.stderr)
sys.exit(3)
"""


def started(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> subprocess.Popen[str]:
    """A process that runs PROGRAM as the module `name`. It should start in `folder`, whether it is a fork or a new
    process."""
    (folder / f"{name}.py").write_text(PROGRAM)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("MARK", "seen")
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return start([sys.executable, "-m", name, "an", "argument"], **streams)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks")
def test_a_fork_does_what_a_new_process_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Like a new process, a fork has its own arguments, environment variables, folder and streams, and an exit
    status."""
    process = started(tmp_path, "forked_program", monkeypatch)
    assert isinstance(process, ForkedPython)
    assert process.poll() is None
    process.stdin.write("a line\n")  # type: ignore[attr-defined]
    process.stdin.flush()  # type: ignore[attr-defined]
    assert process.stdout.read().splitlines() == [
        "ready",
        f"['an', 'argument'] seen {tmp_path} __main__ __main__ a line",
        "",
        "an error",
    ]
    assert process.wait(20) == process.poll() == 3
    for pipe in (process.stdin, process.stdout):  # type: ignore[attr-defined]
        pipe.close()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks")
def test_a_fork_dies_of_signals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork that is killed by a signal has the same status as with `subprocess`. While it is running, `wait` can time
    out."""
    process = started(tmp_path, "killed_program", monkeypatch)
    assert process.stdout
    assert process.stdin
    assert process.stdout.readline() == "ready\n"
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait(20) == -signal.SIGKILL
    process.send_signal(signal.SIGTERM)  # does nothing: another process may have its number by now
    process.stdin.close()
    process.stdout.close()
