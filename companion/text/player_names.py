"""Player names: cleaned, and ready for sentences in any writing direction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from unicodedata import bidirectional

from companion.text.translation import _, direction

MAX_NAME_LENGTH = 24
JOINERS = "\u200c\u200d"
"""Invisible characters that names need: they join letters (in Persian) and emoji (a family)."""
_players: ContextVar[Sequence[str]] = ContextVar("players", default=())
RIGHT_TO_LEFT = frozenset({"R", "AL"})
"""The Unicode bidirectional classes of right-to-left letters."""


def clean_name(value: str) -> str:
    """The name as one short line without invisible characters, except joiners."""
    visible = "".join(c for c in value if c in JOINERS or (c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF))
    return " ".join(visible.split())[:MAX_NAME_LENGTH].strip(f" {JOINERS}")


def bidi_isolate(name: str) -> str:
    """The name for use in a sentence. A name that runs against the language's direction is wrapped in isolates (U+2068,
    U+2069), so that adjacent punctuation and numbers stay in place. `clean_name` removes them again."""
    against = any((bidirectional(c) in RIGHT_TO_LEFT) == (direction() == "ltr") for c in name if c.isalpha())
    return f"\u2068{name}\u2069" if against else name


@contextmanager
def naming_players(players: Sequence[str]) -> Iterator[None]:
    """Within this context, messages of the rules use these names for the seats."""
    before = _players.set(players)
    try:
        yield
    finally:
        _players.reset(before)


def seat_name(seat: int) -> str:
    """The player's name if it is known, else "seat 0", numbered as in the API."""
    players = _players.get()
    return players[seat] if players else _("seat {n}", n=seat)
