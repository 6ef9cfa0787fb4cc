"""The names of the cards and cubes of Systems Failing, as texts for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.cube_multiset import ALL_COLORS, Cubes
from companion.text.messages import Text, TextLike, _, joined, listed, plural

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
"""The words for one cube of each color in a sentence: "Ann draws a red cube." """


def translatable_texts() -> Iterator[str]:
    """Yields the texts that must be translated but are not marked with `_` in the code."""
    yield from ALL_COLORS
    yield from DRAWN_CUBE.values()
    yield "ability"


def card_name(card: str) -> TextLike:
    """The id and the name of a disaster, such as "D07 Sick bay flooded". For any other card, only its id."""
    disaster = catalog().disasters.get(card)
    return joined(" ", (card, _(disaster.name))) if disaster else card


def card_list(cards: Sequence[str]) -> TextLike:
    """A list of the names of several cards, such as "D07 Sick bay flooded and E2"."""
    *others, last = map(card_name, cards)
    return _("{cards} and {last}", cards=joined(", ", others), last=last) if others else last


def cubes_label(cubes: Cubes) -> TextLike:
    """A list of the numbers and colors of cubes for a button, such as "red, 2 blue". "nothing" if there are no
    cubes."""
    counts = (_(color) if n == 1 else _counted(color, n) for color, n in cubes.items())
    return joined(", ", counts) or _("nothing")


def counted_cubes(cubes: Cubes) -> TextLike:
    """A list of the numbers and colors of cubes in a sentence, such as "1 red and 2 blue". "" if there are no
    cubes."""
    return listed([_counted(color, n) for color, n in cubes.items()])


def cubes_as_object(cubes: Cubes) -> TextLike:
    """The words for cubes as the object of a verb: those for one cube, such as "a red cube", or a list."""
    (color, *others) = cubes.colors()
    return counted_cubes(cubes) if others else _(DRAWN_CUBE[color])


@lru_cache(256)
def _counted(color: str, n: int) -> Text:
    """The number and the color of some cubes, such as "2 blue". In other languages, colors may have plurals."""
    return {
        "orange": plural("{n} orange", "{n} orange", n),
        "blue": plural("{n} blue", "{n} blue", n),
        "yellow": plural("{n} yellow", "{n} yellow", n),
        "red": plural("{n} red", "{n} red", n),
        "black": plural("{n} black", "{n} black", n),
        "green": plural("{n} green", "{n} green", n),
        "white": plural("{n} white", "{n} white", n),
    }[color]


def repair_path(card: str) -> tuple[TextLike, TextLike]:
    """The labels of the two nested menus that contain the repairs of a card, the outer menu first."""
    is_disaster = card in catalog().disasters
    return _("Repair"), card_name(card) if is_disaster else _("Escape sequence {card}", card=card)
