"""Context managers for the interruption of commands: Ctrl-C, SIGTERM and closed pipes."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """During the block, SIGTERM raises KeyboardInterrupt as Ctrl-C does, so that processes and folders of the block are
    cleaned up."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def quiet_exit() -> Iterator[None]:
    """Ends the block without a message on Ctrl-C, or when the process that reads the output has closed the pipe."""
    try:
        yield
    except KeyboardInterrupt:
        return
    except BrokenPipeError:
        # Python flushes buffered output at exit, which would fail again: this sends it to /dev/null.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def stop_signal() -> Iterator[threading.Event]:
    """Yields an event that is set by Ctrl-C or SIGTERM."""
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
