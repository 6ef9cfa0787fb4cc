"""The codes that are printed on components: QR version 1, alphanumeric, `TK:` and the component's id in capitals.

Law: pure. Error level Q has room for the longest id (`TK:MAT-SF-1`, 11 of 16 characters), and a code can be read while
a quarter of it is hidden.
"""

from __future__ import annotations

from functools import cache

import segno

SCHEME = "TK:"
ERROR_LEVEL = "Q"
MODULES = 21
"""The number of modules along the side of a code."""
MIN_CODE_MM = 10.0
"""The side of the smallest code that is printed. In a smaller one a module would be thinner than half a millimeter,
which home printers smear."""


def payload(id: str) -> str:
    """The text in the code of a component: `TK:SF-D07` for the id `SF-D07`."""
    return SCHEME + id.upper()


def id_in(text: str, known: frozenset[str]) -> str | None:
    """The component id in the text of a code; None if it is not one of the `known` ids."""
    id = text.removeprefix(SCHEME)
    return id if text.startswith(SCHEME) and id in known else None


@cache
def matrix(id: str) -> tuple[str, ...]:
    """The modules of a component's code, without the quiet zone: 21 rows of 21 characters, "1" for a dark module."""
    code = segno.make_qr(payload(id), version=1, error=ERROR_LEVEL, mode="alphanumeric", boost_error=False)
    return tuple("".join(str(module & 1) for module in row) for row in code.matrix)
