"""What cards and cubes of Systems Failing are called in the language that is spoken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.cubes import ALL, Cubes
from companion.text.translation import _

TOKENS: Mapping[str, str] = {color: f"{color} cube" for color in ALL}
A_CUBE: Mapping[str, str] = {
    "orange": "an orange cube",
    "blue": "a blue cube",
    "yellow": "a yellow cube",
    "red": "a red cube",
    "black": "a black cube",
    "green": "a green cube",
    "white": "a white cube: a surge",
}
"""What somebody draws or is handed."""


def texts() -> Iterator[str]:
    """What is said here of the data, besides the names of what lies on the table."""
    yield from ALL
    yield from A_CUBE.values()
    yield "ability"


def card_name(card: str) -> str:
    """ "D07 Thruster stutter"; of any other card its id."""
    disaster = catalog().disasters.get(card)
    return f"{card} {_(disaster.name)}" if disaster else card


def cards_named(cards: Sequence[str]) -> str:
    """ "D07 Thruster stutter and E2"."""
    *others, last = map(card_name, cards)
    return _("{cards} and {last}", cards=", ".join(others), last=last) if others else last


def cubes_named(cubes: Cubes) -> str:
    """ "red, 2 blue"."""
    return ", ".join(_(color) if n == 1 else f"{n} {_(color)}" for color, n in cubes.items()) or _("nothing")


def way_to_repair(card: str) -> tuple[str, str]:
    """The path through the buttons to the repairs of a card."""
    disaster = card in catalog().disasters
    return _("Repair"), card_name(card) if disaster else _("Escape sequence {card}", card=card)
