"""The printed codes: QR version 1, alphanumeric, `TK:` and the component's id in capitals.

Law: pure. Error level Q has room for the longest id (`TK:MAT-SF-1`, 11 of 16 characters), and survives when a quarter
of the code is hidden.
"""

from __future__ import annotations

from functools import cache

import segno

SCHEME = "TK:"
ERROR_LEVEL = "Q"
MODULES = 21
"""The side of a code, in modules."""
MIN_CODE_MM = 10.0
"""The side of the smallest code. Below it a module is thinner than half a millimetre, which home printers smear."""


def payload(id: str) -> str:
    """The text in the code of a component: `TK:SF-D07` for `SF-D07`."""
    return SCHEME + id.upper()


def id_in(text: str, known: frozenset[str]) -> str | None:
    """The id in a code's text, or None if it is none of the known ids."""
    id = text.removeprefix(SCHEME)
    return id if text.startswith(SCHEME) and id in known else None


@cache
def matrix(id: str) -> tuple[str, ...]:
    """The code's modules as 21 rows of 21 characters, "1" dark, without the quiet zone."""
    code = segno.make_qr(payload(id), version=1, error=ERROR_LEVEL, mode="alphanumeric", boost_error=False)
    return tuple("".join(str(module & 1) for module in row) for row in code.matrix)
