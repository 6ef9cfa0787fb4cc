"""Runs a Python module with a clock that can jump: `python -m companion.drill.jumping_clock companion run …`.

The system's clock is left alone: setting it would need administrator rights and would disturb other programs. Instead,
`time.time` and `datetime.now` are replaced in this process before any module of Tablekeeper is loaded. Each line of
standard input is the clock's new offset from the true time, in seconds.
"""

from __future__ import annotations

import datetime as datetime_module
import runpy
import sys
import threading
import time
from datetime import datetime, timedelta, tzinfo
from typing import Self

_true_time = time.time
_distance_s = 0.0


class JumpingDatetime(datetime):
    """A datetime whose `now` follows the jumps of the clock."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """The true time plus the clock's current offset. Replaces `datetime.now`."""
        return super().now(tz) + timedelta(seconds=_distance_s)


def jumping_time() -> float:
    """The true time plus the clock's current offset, in seconds since 1970. Replaces `time.time`."""
    return _true_time() + _distance_s


def install() -> None:
    """Replaces this process's clock with the jumping clock."""
    time.time = jumping_time
    datetime_module.datetime = JumpingDatetime  # type: ignore[misc]


def follow_standard_input() -> None:
    """Makes the clock jump whenever a line is read from standard input, until the input is closed. The line says how
    many seconds the clock is ahead of the true time after the jump."""
    global _distance_s
    for line in sys.stdin:
        _distance_s = float(line)


def main() -> None:
    """Installs the jumping clock, then runs the Python module named by the first argument and passes it the remaining
    arguments."""
    install()
    threading.Thread(target=follow_standard_input, name="clock", daemon=True).start()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
