"""What the cards and cubes of Systems Failing are called, in the reader's language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.cubes import ALL_COLORS, Cubes
from companion.text.messages import TextLike, _, joined

TOKENS: Mapping[str, str] = {color: f"{color} cube" for color in ALL_COLORS}
DRAWN_CUBE: Mapping[str, str] = {
    "orange": "an orange cube",
    "blue": "a blue cube",
    "yellow": "a yellow cube",
    "red": "a red cube",
    "black": "a black cube",
    "green": "a green cube",
    "white": "a white cube: a surge",
}
"""The object of "draws" and "hands"."""


def translatable_texts() -> Iterator[str]:
    """The texts that are not marked for translation where they are written."""
    yield from ALL_COLORS
    yield from DRAWN_CUBE.values()
    yield "ability"


def card_name(card: str) -> TextLike:
    """ "D07 Thruster stutter"; the id of a card that is no disaster."""
    disaster = catalog().disasters.get(card)
    return joined(" ", (card, _(disaster.name))) if disaster else card


def card_list(cards: Sequence[str]) -> TextLike:
    """ "D07 Thruster stutter and E2"."""
    *others, last = map(card_name, cards)
    return _("{cards} and {last}", cards=joined(", ", others), last=last) if others else last


def cubes_label(cubes: Cubes) -> TextLike:
    """ "red, 2 blue"."""
    counts = (_(color) if n == 1 else joined(" ", (str(n), _(color))) for color, n in cubes.items())
    return joined(", ", counts) or _("nothing")


def repair_path(card: str) -> tuple[TextLike, TextLike]:
    """The path through the buttons to the repairs of a card."""
    is_disaster = card in catalog().disasters
    return _("Repair"), card_name(card) if is_disaster else _("Escape sequence {card}", card=card)
