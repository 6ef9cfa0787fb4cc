"""What people are called.

Law: pure. As a thread speaks one language at a time, it may speak of one table's players by their names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from unicodedata import bidirectional

from companion.text.translation import _, direction

NAME_LENGTH = 24
JOINERS = "\u200c\u200d"
"""Not to be seen, but they join letters (in Persian) and pictures (a family) of a name."""
_players: ContextVar[Sequence[str]] = ContextVar("players", default=())
RIGHT_TO_LEFT = frozenset({"R", "AL"})
"""How Unicode classes letters that run so."""


def clean_name(value: str) -> str:
    """A player's name that can be shown anywhere: one short line, and nothing in it that is not seen but what joins."""
    shown = "".join(c for c in value if c in JOINERS or (c.isprintable() and not 0xD800 <= ord(c) <= 0xDFFF))
    return " ".join(shown.split())[:NAME_LENGTH].strip(f" {JOINERS}")


def bidi_isolate(name: str) -> str:
    """A name as it goes into words: one that runs against them is isolated (U+2068, U+2069), so that it does not draw
    full stops and numbers to its other side. `clean_name` gives the bare name again."""
    against = any((bidirectional(c) in RIGHT_TO_LEFT) == (direction() == "ltr") for c in name if c.isalpha())
    return f"\u2068{name}\u2069" if against else name


@contextmanager
def naming_players(players: Sequence[str]) -> Iterator[None]:
    """Meanwhile the rules' own words call seats by these names."""
    before = _players.set(players)
    try:
        yield
    finally:
        _players.reset(before)


def seat_name(seat: int) -> str:
    """What the rules' words call a seat: its player where they are known, else "seat 0", as programs count."""
    players = _players.get()
    return players[seat] if players else _("seat {n}", n=seat)
