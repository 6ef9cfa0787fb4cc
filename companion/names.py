"""What people are called.

Law: pure.
"""

from __future__ import annotations

NAME_LENGTH = 24


def clean_name(value: str) -> str:
    """A player's name that can be shown anywhere: one short line."""
    shown = "".join(c for c in value if c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF)
    return " ".join(shown.split())[:NAME_LENGTH]
