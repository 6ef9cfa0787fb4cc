"""Functions that clean the names of players and prepare them for sentences in any writing direction."""

from __future__ import annotations

from functools import lru_cache
from unicodedata import bidirectional, normalize

MAX_NAME_LENGTH = 24
JOINERS = "\u200c\u200d"
"""Invisible characters that are allowed in names, because they decide how letters (in Persian) and emoji (a family)
join."""
RIGHT_TO_LEFT = frozenset({"R", "AL"})
"""The Unicode bidirectional classes of right-to-left letters."""


def clean_name(value: str) -> str:
    """The name on one line, without invisible characters except JOINERS, and cut to MAX_NAME_LENGTH characters."""
    return clean_line(value)[:MAX_NAME_LENGTH].strip(f" {JOINERS}")


def clean_line(value: str) -> str:
    """The text on one line, without invisible characters except JOINERS."""
    visible = "".join(c for c in value if c in JOINERS or (c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF))
    return " ".join(visible.split())


@lru_cache(1024)
def name_key(name: str) -> str:
    """What all spellings of a name have in common, whatever their capital letters. Names with the same key belong to
    the same person."""
    return normalize("NFKC", clean_name(name)).casefold()


@lru_cache(1024)
def bidi_isolate(name: str, direction: str = "ltr") -> str:
    """The name for use in a sentence that is written left to right (`ltr`) or right to left (`rtl`). A name with
    letters that run against that direction is wrapped in isolates (U+2068, U+2069), so that adjacent punctuation and
    numbers stay in place. `clean_name` removes the isolates again."""
    against = any((bidirectional(c) in RIGHT_TO_LEFT) == (direction == "ltr") for c in name if c.isalpha())
    return f"\u2068{name}\u2069" if against else name
