"""The error for a journal that can't be read or written."""

from __future__ import annotations

from companion.text.messages import TextError


class JournalError(TextError):
    """The error for a journal or an exported game that can't be read or written; the message says what to do. Acts that
    were acknowledged before are safe."""
