"""The subcommands of `tablekeeper`, and the code that they share. The function `add` of a subcommand's module declares
its arguments."""

from __future__ import annotations


class CommandError(Exception):
    """The error for a command that failed (exit status 1). The message is one line: what is wrong, and how to fix
    it."""


class UsageError(Exception):
    """The error for wrong arguments of a command (exit status 2). The message is one line: what is wrong, and what
    would be right."""
