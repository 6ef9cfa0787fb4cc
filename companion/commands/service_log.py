"""The service's log. The program logs with the standard library's `logging`, and structlog writes the records: as
readable lines to a terminal, as fields to journald, and as the latest lines in memory. No secrets get into any of
these."""

from __future__ import annotations

import logging
import os
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from logging.handlers import DatagramHandler
from pathlib import Path
from typing import TextIO

from structlog.dev import ConsoleRenderer, plain_traceback
from structlog.processors import CallsiteParameter, CallsiteParameterAdder, format_exc_info
from structlog.stdlib import ExtraAdder, ProcessorFormatter, add_log_level, add_logger_name
from structlog.typing import EventDict, Processor

from companion.diagnostics.support_bundle import without_secrets

KEPT_LINES = 5000
JOURNALD = Path("/run/systemd/journal/socket")
PRIORITIES = {"critical": "2", "error": "3", "warning": "4", "info": "6", "debug": "7"}
"""Maps each level to its number in syslog."""
CALLSITE_FIELDS = {
    CallsiteParameter.PATHNAME.value: "code_file",
    CallsiteParameter.LINENO.value: "code_line",
    CallsiteParameter.FUNC_NAME.value: "code_func",
    CallsiteParameter.THREAD_NAME.value: "thread_name",
}
"""Maps structlog's names for the call site of a record to journald's names for it."""


class RecentLines(logging.Handler):
    """Keeps the latest lines of the log in memory, without secrets."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self.setFormatter(_console_formatter())

    def emit(self, record: logging.LogRecord) -> None:
        """Stores the lines of a log record."""
        self._lines.extend(self.format(record).splitlines())

    def lines(self) -> Sequence[str]:
        """The last lines of the log, the oldest first."""
        return tuple(self._lines)


class JournaldHandler(DatagramHandler):
    """Sends each record to journald with its fields: priority, part of the program, place in the code, and everything
    that was passed as `extra`."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), None)
        self.setFormatter(
            _formatter(
                add_logger_name,
                CallsiteParameterAdder({*map(CallsiteParameter, CALLSITE_FIELDS)}),
                ExtraAdder(),
                rendered=_journald_fields,
            )
        )

    def makePickle(self, record: logging.LogRecord) -> bytes:  # noqa: N802  # named by the standard library
        """The bytes that are sent to journald for a record."""
        return self.format(record).encode(errors="surrogateescape")


def _formatter(*additions: Processor, rendered: Processor) -> logging.Formatter:
    """A formatter for the records of `logging`. `additions` add values to a record. After that, secrets are removed
    from all values, and `rendered` turns them into text."""
    return ProcessorFormatter(
        processors=(
            add_log_level,
            *additions,
            format_exc_info,
            ProcessorFormatter.remove_processors_meta,
            _values_without_secrets,
            rendered,
        )
    )


def _console_formatter(*, colors: bool = False) -> logging.Formatter:
    # A traceback must not show the values of variables, which may be secret.
    console = ConsoleRenderer(colors=colors, exception_formatter=plain_traceback)
    return _formatter(_time_of_record, rendered=console)


def _time_of_record(_logger: object, _method: str, event: EventDict) -> EventDict:
    return {"timestamp": f"{datetime.fromtimestamp(event['_record'].created):%Y-%m-%d %H:%M:%S}", **event}


def _values_without_secrets(_logger: object, _method: str, event: EventDict) -> EventDict:
    return {key: without_secrets(str(value)) for key, value in event.items()}


def _journald_fields(_logger: object, _method: str, event: EventDict) -> str:
    """The values in journald's native protocol (systemd.io/JOURNAL_NATIVE_PROTOCOL). The protocol is binary: surrogates
    stand for bytes that are not valid UTF-8."""
    message = "\n".join(filter(None, (event.pop("event"), event.pop("exception", ""))))
    priority = PRIORITIES.get(event.pop("level"), "6")
    fields = {CALLSITE_FIELDS.get(key, key).upper().lstrip("_"): value for key, value in event.items()}
    fields |= {"MESSAGE": message, "PRIORITY": priority, "SYSLOG_IDENTIFIER": "tablekeeper"}
    return b"".join(_field(key, value) for key, value in fields.items()).decode(errors="surrogateescape")


def _field(name: str, value: str) -> bytes:
    """A field in journald's native protocol. If the value has line breaks, its length comes before it."""
    data = value.encode(errors="backslashreplace")
    if b"\n" in data:
        return name.encode() + b"\n" + len(data).to_bytes(8, "little") + data + b"\n"
    return name.encode() + b"=" + data + b"\n"


def start_log(
    stream: TextIO | None = None, environment: Mapping[str, str] = os.environ, journald: Path = JOURNALD
) -> RecentLines:
    """Sends the log of this process to `stream`, standard error by default. If `stream` leads to journald, sends the
    log to journald's socket instead, with fields. Returns the handler that keeps the last lines of the log."""
    recent = RecentLines()
    logger = logging.getLogger()
    logger.setLevel(logging.INFO)
    for handler in (_output_handler(stream or sys.stderr, environment, journald), recent):
        logger.addHandler(handler)
    return recent


def _output_handler(stream: TextIO, environment: Mapping[str, str], journald: Path) -> logging.Handler:
    if journald.is_socket() and _leads_to_journald(stream, environment):
        return JournaldHandler(journald)
    terminal = logging.StreamHandler(stream)
    terminal.setFormatter(_console_formatter(colors=stream.isatty() and "NO_COLOR" not in environment))
    return terminal


def _leads_to_journald(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Whether `stream` leads to journald: systemd has put its device and inode into JOURNAL_STREAM (systemd.exec(5)).
    It is not enough that this variable is set, because a terminal that was started by systemd may have inherited it."""
    with suppress(OSError, ValueError):  # the stream may have no file
        status = os.fstat(stream.fileno())
        return environment.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"
    return False
