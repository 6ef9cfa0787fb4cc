"""Runs the worker process that reads photographs, starts it when it is needed, and kills it when it takes too long."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

import msgspec

from vision.photo_worker import READY, PhotoResult, run_photo_worker

WorkerFunction = Callable[[Connection, frozenset[str]], None]
"""The function that a worker process runs. It gets its end of the pipe and the codes to recognize."""

START_TIMEOUT_S = 30.0
"""How long the worker may take to start, in seconds. It imports the decoder and computes its templates."""
READ_TIMEOUT_S = 6.0
"""How long the worker may take to read a photograph, in seconds."""
MAX_ATTEMPTS = 2
"""A photograph is given to at most this many workers, one after the other. A second worker is needed if the first one
has been idle for too long, and ends just as the photograph arrives."""
END_TIMEOUT_S = 2.0
"""How long a worker that has closed its pipe may take to end, in seconds."""


class PhotoProcess:
    """Reads photographs in a worker process. The worker starts with the first photograph. If the worker has ended, the
    next photograph starts a new one."""

    def __init__(self, known: frozenset[str], work: WorkerFunction = run_photo_worker) -> None:
        self._known, self._work = known, work
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._is_closed = False

    def read(self, data: bytes) -> PhotoResult:
        """The ids of the known codes in a JPEG or PNG file, or why the file can't be read. Returns "busy" if no worker
        can be started, or if this object is closed."""
        with self._lock:
            for _ in range(MAX_ATTEMPTS):
                worker = self._running_worker()
                if worker is None or self._is_closed:
                    return "busy"
                if (response := worker.request(data)) is not None:
                    return response
                if exit_code := self._end_worker():
                    return _problem_of(exit_code)
        return "busy"

    def close(self) -> None:
        """Ends the worker, even while it reads a photograph. After this, `read` returns "busy"."""
        self._is_closed = True
        if worker := self._worker:
            worker.kill()  # ends a `read` in another thread
        with self._lock:
            self._end_worker()

    def _running_worker(self) -> _Worker | None:
        """The running worker. If there is none, or if it has ended, starts a new one. Returns None if that fails."""
        if self._worker and not self._worker.is_alive():
            self._end_worker()
        if self._worker is None and not self._is_closed:
            self._worker = self._start_worker()
        return self._worker

    def _end_worker(self) -> int:
        """Ends the worker, if there is one, and returns its exit code."""
        worker, self._worker = self._worker, None
        return worker.end() if worker else 0

    def _start_worker(self) -> _Worker | None:
        try:
            worker = _Worker(self._known, self._work)
        except OSError:  # no memory or no processes left
            return None
        if not worker.is_ready():
            worker.end()
            return None
        return worker


class _Worker:
    """One worker process and the pipe to it."""

    def __init__(self, known: frozenset[str], work: WorkerFunction) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(
            target=work, args=(theirs, known), name="photo-worker", daemon=True
        )
        self._process.start()
        theirs.close()

    def is_alive(self) -> bool:
        """Whether the process is running."""
        return self._process.is_alive()

    def is_ready(self) -> bool:
        """Waits until the worker has started; returns whether it has."""
        with _deadline(self.kill, START_TIMEOUT_S):
            return self._receive() == READY

    def request(self, photo: bytes) -> PhotoResult | None:
        """The worker's response to a photograph; None if the worker has ended before it responded."""
        with _deadline(self.kill, READ_TIMEOUT_S):
            try:
                self._pipe.send_bytes(photo)
            except OSError:
                return None
            response = self._receive()
        return None if response is None else msgspec.json.decode(response, type=PhotoResult)

    def _receive(self) -> bytes | None:
        try:
            return self._pipe.recv_bytes()
        except (EOFError, OSError):
            return None

    def kill(self) -> None:
        """Ends the process at once. Any thread may call it."""
        self._process.kill()

    def end(self) -> int:
        """Gives the process some time to end by itself, then kills it. Returns the exit code of the process, which is 0
        if the process ended normally."""
        self._pipe.close()
        self._process.join(END_TIMEOUT_S)
        self.kill()
        self._process.join()
        return self._process.exitcode or 0


@contextmanager
def _deadline(kill: Callable[[], None], seconds: float) -> Iterator[None]:
    """A context manager that calls `kill` if its block takes longer than this many seconds, but never after the block
    has ended."""
    timer = threading.Timer(seconds, kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _problem_of(exit_code: int) -> PhotoResult:
    """Why a photograph can't be read, concluded from the exit code of the worker that ended while reading it. Either
    the photograph took too much time or memory, or it made the decoder crash."""
    return "too_complex" if -exit_code in (signal.SIGKILL, signal.SIGXCPU) else "no_picture"
