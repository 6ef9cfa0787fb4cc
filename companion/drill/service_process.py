"""The service in a process of its own, with simulated hardware and a temporary data folder."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from companion.drill.outcome import DrillFailed, NotPossible

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 20.0
HOST_LINK = re.compile(r"http://[^/\s]+:(\d+)(/host\?key=\S+)")
COMMAND = (sys.executable, "-m", "companion")
PROCESSES = Path("/proc")
WORKER_ARGUMENT = b"spawn_main"
"""A text that occurs in the command line of each worker process started by `multiprocessing`."""


class ServiceProcess:
    """A service that can be killed and started again with the same data and at the same address. Each start runs
    `command` with the arguments of `tablekeeper run`. With `simulate`, missing hardware is simulated; otherwise the
    service does without it. `printed` holds what the service has printed."""

    def __init__(self, data: Path, *options: str, command: Sequence[str] = COMMAND, simulate: bool = True) -> None:
        self.data, self._options, self._command = data, options, command
        self._simulate = simulate
        self.port = 0
        self.host_path = ""
        self.printed: list[str] = []
        self._process: subprocess.Popen[str] | None = None
        self._reader: threading.Thread | None = None
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end(signal.SIGTERM)

    def start(self) -> None:
        """Starts the service and waits until it serves its pages. Raises DrillFailed if it ends, or takes too long."""
        arguments = ["run", "--port", str(self.port), "--data", str(self.data), *self._options]
        if self._simulate:
            arguments.append("--simulate")
        self._ready.clear()
        self._process = subprocess.Popen(
            [*self._command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=_without_proxy(),
        )
        self.host_path = ""
        self._reader = threading.Thread(target=self._read, args=(self._process,), name="service-output", daemon=True)
        self._reader.start()
        try:
            self._wait_for_pages()
        except BaseException:  # even Ctrl-C: the process must not outlive the drill
            self.end(signal.SIGTERM)
            raise

    def _wait_for_pages(self) -> None:
        if not self._ready.wait(START_TIMEOUT_S) or not self.host_path:
            raise DrillFailed(f"The service did not start: {' '.join(self.printed[-3:]) or 'it said nothing'}")

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        for line in process.stdout:
            self.printed.append(line.strip())
            if found := HOST_LINK.search(line):
                self.port, self.host_path = int(found[1]), found[2]
                self._ready.set()
        self._ready.set()

    def end(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Sends a signal and waits until the process has ended. Kills the process if it doesn't end by itself."""
        process = self._process
        if process is None:
            return
        process.send_signal(number)
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if self._reader:
            self._reader.join(STOP_TIMEOUT_S)
        for pipe in (process.stdin, process.stdout):
            if pipe:
                with suppress(OSError):
                    pipe.close()
        self._process = None

    def tell(self, line: str) -> None:
        """Writes a line to the standard input of the process."""
        assert self._process
        assert self._process.stdin
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    @property
    def pid(self) -> int:
        """The id of the process."""
        assert self._process
        return self._process.pid

    def worker_pids(self) -> list[int]:
        """The ids of the worker processes started by the service, oldest first. Raises NotPossible on a system without
        /proc."""
        if not PROCESSES.is_dir():
            raise NotPossible("this system does not list its processes in /proc.")
        pids = sorted(int(path.name) for path in PROCESSES.iterdir() if path.name.isdecimal())
        return [pid for pid in pids if _is_worker(pid, self.pid)]


def _is_worker(pid: int, parent: int) -> bool:
    """Whether a process is a worker of the process `parent`."""
    try:
        status = (PROCESSES / str(pid) / "stat").read_text()
        command = (PROCESSES / str(pid) / "cmdline").read_bytes()
    except OSError:  # the process has just ended
        return False
    return int(status.rpartition(")")[2].split()[1]) == parent and WORKER_ARGUMENT in command


def _without_proxy() -> Mapping[str, str]:
    """The environment variables for the service. They exempt this machine's own address from any proxy, because the
    camera's stream is served there."""
    return {**os.environ, "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1", "PYTHONUNBUFFERED": "1"}
