"""Python processes that start in a moment: forks of a server process that has loaded Tablekeeper once.

A new Python needs a second of processor time to load the service, and the tests start it dozens of times. `start` takes
the arguments of `subprocess.Popen`. If `use_forks` was called, as the tests do, it forks for a command `python -m
MODULE …`; otherwise it starts a new process. A fork has its own environment variables, folder, streams, arguments and
`__main__`. With `forks_workers`, its camera process and other workers are forks of the same server, not new processes;
they don't get the fork's environment variables. The tests of the command line, of https and of systemd start new
processes.
"""

from __future__ import annotations

import io
import multiprocessing
import os
import runpy
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import forkserver, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TextIO

from flask import Flask
from jinja2 import FileSystemBytecodeCache

from companion.drill.clock_drill import CLOCK

_template_caches: list[Path] = []
"""The folder where forks store compiled page templates; empty if this process may not fork."""


def use_forks(template_cache: Path) -> None:
    """Makes `start` use forks in this process. Only Linux can be trusted to fork a process that has loaded OpenCV."""
    _template_caches[:] = [template_cache] if sys.platform == "linux" else []


def start(command: Sequence[str], *, forks_workers: bool = False, **options: Any) -> subprocess.Popen[str]:
    """Starts a process that reads and writes text. A command with a faked clock gets a new process, because the library
    that fakes the clock must be loaded before everything else."""
    if _template_caches and list(command[:2]) == [sys.executable, "-m"] and command[2] != CLOCK:
        return ForkedPython(  # type: ignore[return-value]  # it has what the tests use of Popen
            command, forks_workers=forks_workers, **options
        )
    return subprocess.Popen(command, **{**options, "text": True})


class ForkedPython:
    """A fork that runs `python -m MODULE …`, with the part of `subprocess.Popen` that the tests use. Its standard input
    is a pipe if `stdin` is `PIPE`, else empty. Standard output and standard error are one pipe."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdout: int,
        stderr: int,
        stdin: int | None = None,
        env: Mapping[str, str] | None = None,
        text: bool = True,
        forks_workers: bool = False,
    ) -> None:
        assert (stdout, stderr, text) == (subprocess.PIPE, subprocess.STDOUT, True)
        self.args = command
        output, child_output = multiprocessing.Pipe(duplex=False)
        child_input, input_ = multiprocessing.Pipe(duplex=False) if stdin == subprocess.PIPE else (None, None)
        environment = dict(os.environ if env is None else env)
        places = os.getcwd(), _template_caches[0]
        self._process = _context().Process(
            target=_run, args=(command[2:], environment, *places, child_input, child_output, forks_workers)
        )
        self._process.start()
        assert self._process.pid
        self.pid = self._process.pid
        for end in (child_input, child_output):
            if end:
                end.close()
        self.stdout: TextIO = os.fdopen(_descriptor(output))
        self.stdin: TextIO | None = os.fdopen(_descriptor(input_), "w") if input_ else None

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def poll(self) -> int | None:
        """The exit status; None if the process is running."""
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        """Waits for the end of the process; returns its exit status. Raises TimeoutExpired."""
        self._process.join(timeout)
        status = self._process.exitcode
        if status is None:
            raise subprocess.TimeoutExpired(list(self.args), timeout or 0)
        return status

    def send_signal(self, number: int) -> None:
        """Sends a signal unless the process has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):  # the process ends in this moment
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


def _descriptor(end: Connection) -> int:
    """The file descriptor of an end of a pipe. From now on the caller must close it."""
    descriptor = os.dup(end.fileno())
    end.close()
    return descriptor


def worker_context(method: str | None = None) -> Any:
    """Stands in for `multiprocessing.get_context`: what would be spawned, or forked from a server, is forked from the
    tests' server if this process may fork. A worker process needs a second of processor time to load what that
    server has loaded."""
    return _context() if method in ("spawn", "forkserver") and _template_caches else get_context(method)


def _context() -> Any:
    """The context that creates processes as forks of the server. Starts the server if it is not running yet."""
    context = get_context("forkserver")
    context.set_forkserver_preload(["tests.preloaded_service"])
    forkserver.ensure_running()
    return context


def _use_server_of_parent() -> None:
    """Makes this fork use the server that it was forked from. Without this, Python would start another server."""
    server = forkserver._forkserver  # type: ignore[attr-defined]
    server.ensure_running = forkserver.ensure_running = lambda: None


def _run(
    arguments: Sequence[str],
    environment: Mapping[str, str],
    folder: str,
    template_cache: Path,
    input_: Connection | None,
    output: Connection,
    forks_workers: bool,
) -> None:
    """Runs a module in the fork."""
    if forks_workers:
        _use_server_of_parent()
        use_forks(template_cache)
        multiprocessing.get_context = worker_context  # type: ignore[assignment]
    _connect_streams(input_, output, is_unbuffered=bool(environment.get("PYTHONUNBUFFERED")))
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.path[0] = folder
    sys.argv = [*arguments]
    Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": FileSystemBytecodeCache(str(template_cache))}
    for module in (arguments[0], f"{arguments[0]}.__main__"):
        if not hasattr(sys.modules.get(module), "__path__"):
            sys.modules.pop(module, None)  # it runs once more, as `__main__`
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


def _connect_streams(input_: Connection | None, output: Connection, is_unbuffered: bool) -> None:
    """Opens the standard streams of the fork as those of a new Python."""
    if input_:
        os.dup2(input_.fileno(), 0)
        sys.stdin = os.fdopen(0, closefd=False)
    for number in (1, 2):
        os.dup2(output.fileno(), number)
    output.close()
    sys.stdout = io.TextIOWrapper(
        os.fdopen(1, "wb", 0 if is_unbuffered else -1, closefd=False), write_through=is_unbuffered
    )
    sys.stderr = os.fdopen(2, "w", 1, errors="backslashreplace", closefd=False)
