"""Functions that replace `run_photo_worker`. Each runs in a process of its own, where a test can't patch anything."""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing.connection import Connection

import msgspec

from companion.platform_calls import limit_cpu_time
from vision import photo_worker
from vision.photo_worker import READY, run_photo_worker

SMALL_MEMORY_BYTES = 320 * 1024 * 1024


def run_worker_that_obeys(pipe: Connection, known: frozenset[str]) -> None:
    """Reads an order in place of each photograph, and follows it. Answers any other text with that text and the id of
    this process."""
    pipe.send_bytes(READY)
    while True:
        order = pipe.recv_bytes().decode()
        match order:
            case "hang":
                threading.Event().wait()
            case "crash":
                os.kill(os.getpid(), signal.SIGSEGV)
            case "fail":
                os._exit(1)
            case "use the processor":
                limit_cpu_time(0)
                while True:
                    pass
        pipe.send_bytes(msgspec.json.encode([order, str(os.getpid())]))
        if order == "end":
            return


def run_worker_that_does_not_start(pipe: Connection, known: frozenset[str]) -> None:
    """Ends before it is ready."""


def run_worker_with_little_memory(pipe: Connection, known: frozenset[str]) -> None:
    """Reads photographs with a lower memory limit."""
    photo_worker.MAX_MEMORY_BYTES = SMALL_MEMORY_BYTES
    run_photo_worker(pipe, known)


def run_impatient_worker(pipe: Connection, known: frozenset[str]) -> None:
    """Ends after a short time without a photograph."""
    photo_worker.IDLE_TIMEOUT_S = 0.2
    run_photo_worker(pipe, known)


def run_deaf_worker(pipe: Connection, known: frozenset[str]) -> None:
    """Never takes a photograph."""
    pipe.send_bytes(READY)
    threading.Event().wait()
