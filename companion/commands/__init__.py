"""The commands of the console script. Each module defines `add(subparsers)`."""

from __future__ import annotations


class CommandError(Exception):
    """A command failed: one line that says what is wrong and how to fix it (exit status 1)."""


class UsageError(Exception):
    """A command was used wrongly: one line that says what would be right (exit status 2)."""
