"""A Jinja extension that removes the indentation of templates, so that it is not sent to browsers."""

from __future__ import annotations

import re

from jinja2.ext import Extension


class Dedent(Extension):
    """Removes the indentation of every source line; Jinja's own `lstrip_blocks` does so only before statements.

    With `trim_blocks`, a line break after a statement renders nothing, and any other line break renders a space.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """The source without indentation, with the same line numbers."""
        return re.sub(r"^[ \t]+", "", source, flags=re.MULTILINE)
