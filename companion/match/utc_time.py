"""The time that the journal stores with games and acts."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> str:
    """The current date and time in UTC, to the second, in ISO format."""
    return datetime.now(UTC).isoformat(timespec="seconds")
