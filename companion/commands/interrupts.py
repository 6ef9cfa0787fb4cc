"""Lets commands that print continuously end without an error message."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


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
