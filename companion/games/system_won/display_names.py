"""The names of cards and hints, in the reader's language.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.system_won.card_knowledge import HintValue
from companion.games.system_won.catalog import catalog
from companion.text.messages import Text, _


def translatable_texts() -> Iterator[str]:
    """Yields the texts in the data file that must be translated, except the names of components."""
    for color in catalog().colors:
        yield from (color, _completion(color))
    for rating in catalog().ratings:
        yield from (rating.title, rating.comment)


def card_name(color: str, rank: int) -> Text:
    """The name of a card in words, such as "red 3"."""
    return _(f"{color} {rank}")


def face_name(face: str) -> Text:
    """The name in words of a card with this face, such as "red 3" for `R3`. Texts for people never contain `R3`,
    because the letter comes from an English word."""
    card = catalog().cards[face]
    return card_name(card.color, card.rank)


def completion(color: str) -> Text:
    """The sentence "The red system is complete.", for any color."""
    return _(_completion(color))


def _completion(color: str) -> str:
    return f"The {color} system is complete."


def hint_name(value: HintValue) -> Text:
    """The words for a color or a rank in a hint, such as "red" or "all 3s"."""
    return _(value) if isinstance(value, str) else _("all {rank}s", rank=value)


def error_name(face: str) -> Text:
    """The name of a card that became an error, such as "blue 3, an error"."""
    return _("{card}, an error", card=face_name(face))
