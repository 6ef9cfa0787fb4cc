"""QR codes of the links that phones open: as SVG drawings, and on the console."""

from __future__ import annotations

import io
from functools import lru_cache
from typing import TextIO

import segno
from markupsafe import Markup


@lru_cache(maxsize=8)
def qr_code(text: str) -> Markup:
    """A QR code as an SVG drawing that scales to its container and has a white background."""
    out = io.BytesIO()
    segno.make(text, micro=False, error="m").save(
        out,
        kind="svg",
        border=3,
        xmldecl=False,
        svgns=False,
        omitsize=True,
        light="#fff",
        svgclass="qr",
        lineclass=None,
    )
    return Markup(out.getvalue().decode())


def print_qr_code(text: str, stream: TextIO) -> None:
    """Prints a QR code to a terminal."""
    segno.make(text, micro=False, error="l").terminal(out=stream, border=2, compact=True)
