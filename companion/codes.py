"""The printed codes: QR version 1, alphanumeric, `TK:` and the thing's id in capitals.

Law: pure. Error level Q holds the longest id (`TK:MAT-SF-1`, 11 of 16 characters) and survives a quarter
of the code being hidden.
"""

from __future__ import annotations

from functools import cache

import segno

SCHEME = "TK:"
LEVEL = "Q"
MODULES = 21
SMALLEST_MM = 10.0
"""Below this a module is thinner than half a millimetre, which home printers smear."""


def payload(thing: str) -> str:
    """The text in the code of a thing: `TK:SF-D07` for `SF-D07`."""
    return SCHEME + thing.upper()


def thing_in(text: str, known: frozenset[str]) -> str | None:
    """The id of the thing that a code's text names, or None if it is none of the known ones."""
    thing = text.removeprefix(SCHEME)
    return thing if text.startswith(SCHEME) and thing in known else None


@cache
def matrix(thing: str) -> tuple[str, ...]:
    """The code's modules as 21 rows of 21 characters, "1" dark, without the quiet zone."""
    code = segno.make_qr(payload(thing), version=1, error=LEVEL, mode="alphanumeric", boost_error=False)
    return tuple("".join(str(module & 1) for module in row) for row in code.matrix)
