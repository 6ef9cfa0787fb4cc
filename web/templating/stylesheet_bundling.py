"""Static files. A style sheet may import its parts; browsers get them in one file, so a page loads no slower."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from flask import Flask, Response, request
from werkzeug.security import safe_join

IMPORT = re.compile(r'^@import "([\w/]+\.css)";\n', re.MULTILINE)


class StaticFilesFlask(Flask):
    """A Flask application that sends style sheets together with their parts."""

    def send_static_file(self, filename: str) -> Response:
        """Answers a request for a static file."""
        path = safe_join(self.static_folder or "", filename)
        if filename.endswith(".css") and path and Path(path).is_file():
            return stylesheet_response(Path(path))
        return super().send_static_file(filename)


def stylesheet_response(path: Path) -> Response:
    """The answer to a request for a style sheet."""
    response = Response(stylesheet(path), mimetype="text/css")
    response.add_etag()
    response.make_conditional(request)
    return response


def stylesheet(path: Path) -> str:
    """The text of a style sheet, with the parts that it imports in place of the imports."""
    return IMPORT.sub(lambda found: stylesheet(path.parent / found[1]), path.read_text("utf-8"))


def last_change(path: Path) -> int:
    """When a static file or one of its parts was last changed: seconds since 1970."""
    return max(int(file.stat().st_mtime) for file in _files(path))


def _files(path: Path) -> Iterator[Path]:
    """Yields a static file and its parts."""
    yield path
    if path.suffix == ".css":
        for name in IMPORT.findall(path.read_text("utf-8")):
            yield from _files(path.parent / name)
