"""Tables as CSV, for spreadsheets.

Law: no clock, no generator. A text that a spreadsheet would take for a formula gets an apostrophe before it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""The characters that a spreadsheet may take for the start of a formula. Some take full-width signs too."""


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The table as CSV: a line with the names of the columns, then the rows. None becomes an empty cell."""
    written = StringIO()
    out = csv.writer(written)
    out.writerow(head)
    out.writerows([_plain(value) for value in row] for row in rows)
    return written.getvalue()


def _plain(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value
