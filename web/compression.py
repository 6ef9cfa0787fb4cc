"""Answers that are text go out compressed to who reads that: a page is then a tenth of its length."""

from __future__ import annotations

import gzip

from flask import Response, request

LEAST = 1024
"""Bytes below which it is not worth it."""
KINDS = (
    "text/html",
    "text/css",
    "text/javascript",
    "application/javascript",
    "application/json",
    "application/manifest+json",
    "image/svg+xml",
)
"""An event stream is none of these: it has no end."""


def squeeze(response: Response) -> Response:
    """The answer, compressed where its reader takes it so; nothing in it tells when it was made."""
    if response.mimetype not in KINDS or response.status_code != 200 or "Content-Encoding" in response.headers:
        return response
    response.vary.add("Accept-Encoding")
    if not request.accept_encodings["gzip"] or "Range" in request.headers:
        return response
    response.direct_passthrough = False
    data = response.get_data()
    if len(data) >= LEAST:
        response.set_data(gzip.compress(data, 6, mtime=0))
        response.headers["Content-Encoding"] = "gzip"
    return response
