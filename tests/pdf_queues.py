"""A PDF queue for tests, which draws nothing and behaves as if it had every pack."""

from __future__ import annotations

from pathlib import Path

from companion.printing.options import Contents
from companion.printing.pdf_queue import Pack, PdfQueue, Status

CONTENTS = Contents(
    pages=20, sheets=13, both_sides=(1, 14), one_side=(15, 20), mat=(15, 20), smallest_code_mm=25, card_mm=(63, 88)
)


class FullQueue(PdfQueue):
    """A queue in which every pack has the given status, even if nobody has ordered it."""

    def __init__(self, has: Status = "drawn", contents: Contents = CONTENTS) -> None:
        super().__init__()
        self._has, self._contents = has, contents

    def order(self, pack: Pack) -> bool:
        return True

    def status(self, pack: Pack) -> Status:
        return self._has

    def contents(self, pack: Pack) -> Contents | None:
        return self._contents

    def file(self, key: str) -> Path | None:
        return Path(__file__) if self._has == "drawn" and len(key) == 32 else None
