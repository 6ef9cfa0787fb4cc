"""Tables as CSV, for spreadsheets.

Law: no clock, no generator. If a spreadsheet would take a text for a formula, an apostrophe is put before it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from io import StringIO

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""The characters that mark the start of a formula in some spreadsheet. Some spreadsheets accept full-width signs
too."""


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The table as CSV: a line with the names of the columns, then the rows. None becomes an empty cell."""
    written = StringIO()
    out = csv.writer(written)
    out.writerow(head)
    out.writerows([_plain(value) for value in row] for row in rows)
    return written.getvalue()


def _plain(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value
