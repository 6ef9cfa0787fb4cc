"""What cards, roles and piles of System WON are called in the language that is spoken."""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.system_won.catalog import catalog
from companion.games.system_won.knowledge import Said
from companion.text.translation import _


def texts() -> Iterator[str]:
    """What is said here of the data, besides the names of what lies on the table."""
    for color in catalog().colors:
        yield from (color, _complete(color))
    for rating in catalog().ratings:
        yield from (rating.title, rating.says)


def card_called(color: str, rank: int) -> str:
    """ "red 3"."""
    return _(f"{color} {rank}")


def completed(color: str) -> str:
    """ "The red system is complete." """
    return _(_complete(color))


def _complete(color: str) -> str:
    return f"The {color} system is complete."


def named(said: Said) -> str:
    """ "red", "all 3s": what a specification says."""
    return _(said) if isinstance(said, str) else _("all {rank}s", rank=said)


def error(face: str) -> str:
    """ "B3, an error"."""
    return _("{card}, an error", card=face)
