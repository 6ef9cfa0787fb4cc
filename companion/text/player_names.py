"""Cleans the names of players, and prepares them for sentences in any writing direction."""

from __future__ import annotations

import re
from functools import lru_cache
from unicodedata import bidirectional, category, normalize

MAX_NAME_LENGTH = 24
JOINERS = "\u200c\u200d"
"""Invisible characters that are allowed in names. They determine how letters join (as in Persian) and how emoji join
(as in a family)."""
BLANKS = "\u115f\u1160\u2800\u3164\uffa0\U0001d159"
"""Letters and signs that look like a space: the Hangul fillers, the empty Braille pattern and an invisible musical
note."""
MODIFIERS = re.compile("[\u034f\u17b4\u17b5\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef\u200c\u200d]")
"""Characters that are invisible themselves but may change the look of their neighbors: JOINERS, variation selectors and
similar characters."""
RIGHT_TO_LEFT = frozenset({"R", "AL"})
"""The Unicode bidirectional classes of right-to-left letters."""
_SPACES = dict.fromkeys(map(ord, BLANKS), " ")


def clean_name(value: str) -> str:
    """The name on one line, without invisible characters other than JOINERS, cut to MAX_NAME_LENGTH characters."""
    return clean_line(value)[:MAX_NAME_LENGTH].strip(f" {JOINERS}")


def clean_line(value: str) -> str:
    """The text on one line, without invisible characters other than JOINERS."""
    visible = "".join(c for c in value if c in JOINERS or (c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF))
    return " ".join(visible.split())


def without_blanks(name: str) -> str:
    """The cleaned name, with a space in place of each character in BLANKS. "" if the name has no visible character."""
    spaced = clean_name(name.translate(_SPACES))
    return spaced if any(category(c)[0] not in "MZ" for c in MODIFIERS.sub("", spaced)) else ""


@lru_cache(1024)
def name_key(name: str) -> str:
    """A key for comparing names. Two names have the same key if they differ only in upper and lower case and in
    invisible characters; they then belong to the same person. "" if the name has no visible character."""
    return normalize("NFKC", MODIFIERS.sub("", without_blanks(name))).casefold()


@lru_cache(1024)
def bidi_isolate(name: str, direction: str = "ltr") -> str:
    """The name for use in a sentence that is written left to right (`ltr`) or right to left (`rtl`). A name with
    letters of the opposite direction is wrapped in isolates (U+2068, U+2069), so that adjacent punctuation and numbers
    stay in place. `clean_name` removes the isolates."""
    against = any((bidirectional(c) in RIGHT_TO_LEFT) == (direction == "ltr") for c in name if c.isalpha())
    return f"\u2068{name}\u2069" if against else name


def shortened_name(name: str, max_letters: int) -> str:
    """The name, cut to at most `max_letters` letters. A name that is cut ends in an ellipsis, which counts as a
    letter."""
    cleaned = clean_line(name)
    if len(cleaned) <= max_letters:
        return cleaned
    return cleaned[: max_letters - 1].rstrip(f" {JOINERS}") + "…"


def longest_word(name: str) -> int:
    """The number of letters in the longest part of a name between possible line breaks."""
    return max(map(len, name.replace("-", "- ").split()), default=0)
