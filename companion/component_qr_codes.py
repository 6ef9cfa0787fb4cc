"""The codes that are printed on components: QR version 1, alphanumeric, `TK:` and the component's id in capitals.

Law: no clock, and no I/O except in `masks`, which reads a file. Error level Q has room for the longest id
(`TK:MAT-SF-1`, 11 of 16 characters), and a code can be read while a quarter of it is hidden.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import segno

SCHEME = "TK:"
ERROR_LEVEL = "Q"
MODULES = 21
"""The number of modules along the side of a code."""
MIN_CODE_MM = 10.0
"""The side of the smallest code that is printed. The modules of a smaller code would be thinner than half a millimeter,
and home printers smear modules that thin."""
MASKS_FILE = Path(__file__).with_name("qr_masks.txt")


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
    code = encode(id, masks().get(id))
    return tuple("".join(str(module & 1) for module in row) for row in code.matrix)


def encode(id: str, mask: int | None = None) -> segno.QRCode:
    """A component's code with this mask pattern, 0 to 7. Without a mask, segno compares all eight patterns, which takes
    nine tenths of its time."""
    return segno.make_qr(payload(id), version=1, error=ERROR_LEVEL, mode="alphanumeric", mask=mask, boost_error=False)


@cache
def masks() -> dict[str, int]:
    """Maps each component id of the games that come with the companion to the mask pattern that segno chose for its
    code. The patterns are read from a file, so that printed codes stay valid even if a later version of segno chooses
    others. `python scripts/write_qr_masks.py` writes this file."""
    lines = MASKS_FILE.read_text(encoding="ascii").splitlines()
    return {id: int(mask) for id, mask in (line.split() for line in lines)}
