"""Context managers for the interruption of commands: Ctrl-C, SIGTERM and closed pipes."""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def sigterm_as_interrupt() -> Iterator[None]:
    """Within the block, SIGTERM raises KeyboardInterrupt, just as Ctrl-C does, so that the block can end its processes
    and delete its temporary folders."""
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
def stop_signal() -> Iterator[Callable[[], object]]:
    """Catches Ctrl-C and SIGTERM during the block. Yields a function that waits until one of them arrives.

    The kernel may deliver a signal to any thread, but Python runs handlers in the main thread only. A main thread that
    waits for a lock does not wake up for that. So the function reads from a socket to which Python writes in the thread
    that got the signal."""
    reader, writer = socket.socketpair()
    with reader, writer:
        writer.setblocking(False)
        wakeup = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield lambda: reader.recv(1)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(wakeup)
