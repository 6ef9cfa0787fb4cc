"""The service's log: readable lines on a terminal, lines with a priority for journald, and the last ones in memory."""

from __future__ import annotations

import logging
import os
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from typing import TextIO

from companion.diagnostics.support_bundle import without_secrets

KEPT_LINES = 5000
FORMAT = "%(asctime)s %(levelname)s %(message)s"


class JournaldFormatter(logging.Formatter):
    """Puts the priority before each line, as sd-daemon(3) requires. journald adds the time itself."""

    def format(self, record: logging.LogRecord) -> str:
        """The lines of a record, each with the priority."""
        priority = 3 if record.levelno >= logging.ERROR else 4 if record.levelno >= logging.WARNING else 6
        return "\n".join(f"<{priority}>{line}" for line in super().format(record).splitlines())


class RecentLines(logging.Handler):
    """Keeps the last lines of the log, without secrets."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self.setFormatter(logging.Formatter(FORMAT))

    def emit(self, record: logging.LogRecord) -> None:
        """Stores the lines of a log record, without secrets."""
        self._lines.extend(without_secrets(self.format(record)).splitlines())

    def lines(self) -> Sequence[str]:
        """The last lines of the log, the oldest first."""
        return tuple(self._lines)


def start_log(stream: TextIO | None = None, environment: Mapping[str, str] = os.environ) -> RecentLines:
    """Sends the log of this process to `stream`, standard error by default. Returns the handler that keeps the last
    lines of the log."""
    stream = stream or sys.stderr
    terminal = logging.StreamHandler(stream)
    is_for_journald = "JOURNAL_STREAM" in environment
    terminal.setFormatter(
        JournaldFormatter("%(message)s") if is_for_journald else logging.Formatter("tablekeeper: %(message)s")
    )
    recent = RecentLines()
    logger = logging.getLogger()
    logger.setLevel(logging.INFO)
    for handler in (terminal, recent):
        logger.addHandler(handler)
    return recent
