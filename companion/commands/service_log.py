"""The service's log: readable lines on a terminal, lines with a priority for journald, and the latest lines in
memory."""

from __future__ import annotations

import logging
import os
import socket
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TextIO

from companion.diagnostics.support_bundle import without_secrets

KEPT_LINES = 5000
JOURNALD = Path("/run/systemd/journal/socket")
STANDARD_ATTRIBUTES = {*vars(logging.LogRecord("", 0, "", 0, "", None, None)), "message", "asctime", "taskName"}
"""The attributes that every record of the log has. Others were passed as `extra`."""
FORMAT = "%(asctime)s %(levelname)s %(message)s"


class JournaldFormatter(logging.Formatter):
    """Puts the priority before each line, as sd-daemon(3) requires. journald adds the time itself."""

    def format(self, record: logging.LogRecord) -> str:
        """The lines of a record, each with the priority."""
        return "\n".join(f"<{_priority(record)}>{line}" for line in super().format(record).splitlines())


class RecentLines(logging.Handler):
    """Keeps the latest lines of the log in memory, without secrets."""

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


class JournaldHandler(logging.Handler):
    """Sends each record to journald with its fields, in journald's native protocol
    (systemd.io/JOURNAL_NATIVE_PROTOCOL): priority, part of the program, place in the code, and whatever was passed as
    `extra`. Raises OSError if journald does not listen at `path`."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._channel = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            self._channel.connect(str(path))
        except OSError:
            self._channel.close()
            raise

    def emit(self, record: logging.LogRecord) -> None:
        """Sends a record, without secrets."""
        extra = {key: value for key, value in vars(record).items() if key not in STANDARD_ATTRIBUTES}
        values = {
            "MESSAGE": self.format(record),
            "PRIORITY": _priority(record),
            "SYSLOG_IDENTIFIER": "tablekeeper",
            "LOGGER": record.name,
            "CODE_FILE": record.pathname,
            "CODE_LINE": record.lineno,
            "CODE_FUNC": record.funcName,
            "THREAD_NAME": record.threadName,
            **{key.upper().lstrip("_"): value for key, value in extra.items()},
        }
        try:
            self._channel.sendall(b"".join(_field(key, without_secrets(str(value))) for key, value in values.items()))
        except OSError:
            self.handleError(record)

    def close(self) -> None:
        """Closes the socket."""
        self._channel.close()
        super().close()


def _field(name: str, value: str) -> bytes:
    """A field in journald's native protocol. If the value has line breaks, its length is written before it."""
    data = value.encode()
    if b"\n" in data:
        return name.encode() + b"\n" + len(data).to_bytes(8, "little") + data + b"\n"
    return name.encode() + b"=" + data + b"\n"


def _priority(record: logging.LogRecord) -> int:
    """The priority of a record, as syslog numbers it."""
    return 3 if record.levelno >= logging.ERROR else 4 if record.levelno >= logging.WARNING else 6


def start_log(
    stream: TextIO | None = None, environment: Mapping[str, str] = os.environ, journald: Path = JOURNALD
) -> RecentLines:
    """Sends the log of this process to `stream`, standard error by default; if that leads to journald, sends it to
    journald's socket with fields instead. Returns the handler that keeps the last lines of the log."""
    recent = RecentLines()
    logger = logging.getLogger()
    logger.setLevel(logging.INFO)
    for handler in (_output_handler(stream or sys.stderr, environment, journald), recent):
        logger.addHandler(handler)
    return recent


def _output_handler(stream: TextIO, environment: Mapping[str, str], journald: Path) -> logging.Handler:
    """The handler that sends the log to journald or to a terminal. If journald's socket can't be reached, the lines go
    to `stream`, each with its priority."""
    is_for_journald = "JOURNAL_STREAM" in environment
    if is_for_journald:
        with suppress(OSError):
            return JournaldHandler(journald)
    terminal = logging.StreamHandler(stream)
    terminal.setFormatter(
        JournaldFormatter("%(message)s") if is_for_journald else logging.Formatter("tablekeeper: %(message)s")
    )
    return terminal
