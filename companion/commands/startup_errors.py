"""Says in one line what went wrong: for the console, and for the page of a service that can't start."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from companion.commands import CommandError, UsageError
from companion.crash_location import crash_location
from companion.match.journal_error import JournalError
from companion.text.toml_files import DataError

TRACEBACK = "TABLEKEEPER_TRACEBACK"
"""The environment variable that lets unexpected exceptions through, so that developers see tracebacks."""


def explanation(error: Exception) -> str:
    """What an exception means for people, in one line. An unexpected one is a bug: the line says where it happened."""
    if isinstance(error, (CommandError, UsageError, DataError, JournalError)):
        return str(error)
    if isinstance(error, OSError):
        return f"{error.filename or 'The output'}: {error.strerror or error}; fix that, then try again."
    what = f"{type(error).__name__} at {crash_location(error)}"
    return f"This is a bug in Tablekeeper; please report it: {what}. Set {TRACEBACK}=1 for more."


@contextmanager
def startup_errors() -> Iterator[None]:
    """Turns each exception of its block into a CommandError, so that a service that can't start can say why on a
    page."""
    try:
        yield
    except (CommandError, UsageError):
        raise
    except Exception as error:
        if TRACEBACK in os.environ:
            raise
        raise CommandError(explanation(error)) from error
