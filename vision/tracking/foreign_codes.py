"""Reports each foreign code once.

Law: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Callable

MAX_FOREIGN_TEXTS = 1000
"""At most this many foreign codes are reported, which bounds memory."""


class ForeignCodes:
    """Calls `on_foreign_code` once for each text of a foreign code, but for at most MAX_FOREIGN_TEXTS texts."""

    def __init__(self, on_foreign_code: Callable[[str], None]) -> None:
        self._on_foreign_code = on_foreign_code
        self._texts: set[str] = set()

    def report(self, text: str) -> None:
        """Reports the `text` of a foreign code, unless this text was reported before."""
        if text not in self._texts and len(self._texts) < MAX_FOREIGN_TEXTS:
            self._texts.add(text)
            self._on_foreign_code(text)
