"""Static files. A style sheet or a script may import its parts; browsers get them in one file, so a page loads no
slower."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from flask import Flask, Response, request
from werkzeug.security import safe_join

IMPORT = re.compile(r'^@?import "(?:\./)?([\w/]+\.(?:css|js))";\n', re.MULTILINE)
MIME_TYPES = {".css": "text/css", ".js": "text/javascript"}
"""The MIME types of the files that may have parts, by the ends of their names."""


class StaticFilesFlask(Flask):
    """A Flask application that sends style sheets and scripts together with their parts."""

    def send_static_file(self, filename: str) -> Response:
        """Answers a request for a static file."""
        path = safe_join(self.static_folder or "", filename)
        if path and Path(path).suffix in MIME_TYPES and Path(path).is_file():
            return bundle_response(Path(path))
        return super().send_static_file(filename)


def bundle_response(path: Path) -> Response:
    """The answer to a request for a style sheet or a script."""
    response = Response(bundle(path), mimetype=MIME_TYPES[path.suffix])
    response.add_etag()
    response.make_conditional(request)
    return response


def bundle(path: Path) -> str:
    """The text of a style sheet or a script, with the parts that it imports in place of the imports."""
    return IMPORT.sub(lambda found: bundle(path.parent / found[1]), path.read_text("utf-8"))


def last_change(path: Path) -> int:
    """When a static file or one of its parts was last changed: seconds since 1970."""
    return max(int(file.stat().st_mtime) for file in _files(path))


def _files(path: Path) -> Iterator[Path]:
    """Yields a static file and its parts."""
    yield path
    if path.suffix in MIME_TYPES:
        for name in IMPORT.findall(path.read_text("utf-8")):
            yield from _files(path.parent / name)
