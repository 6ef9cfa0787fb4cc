"""How templates are read: their indentation is for whoever edits them and never goes out."""

from __future__ import annotations

import re

from jinja2.ext import Extension


class Dedent(Extension):
    """Drops the indentation of every source line; Jinja's own `lstrip_blocks` does so only before statements.

    With `trim_blocks`, a line break after a statement renders nothing, and any other one a single space.
    """

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """The source as Jinja compiles it, with the same line numbers."""
        return re.sub(r"^[ \t]+", "", source, flags=re.MULTILINE)
