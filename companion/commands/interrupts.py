"""Ends commands that print continuously."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_exit() -> Iterator[None]:
    """Ends the block without a message on Ctrl-C, or when the process that reads our output has closed the pipe."""
    try:
        yield
    except KeyboardInterrupt:
        return
    except BrokenPipeError:
        # Discards what Python would flush at exit, which would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
