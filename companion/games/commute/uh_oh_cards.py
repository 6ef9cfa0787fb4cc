"""The "Uh-Oh!" cards, read from `uh_oh.toml` and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from companion.games.commute import uh_oh_effect_types
from companion.games.commute.uh_oh_effect_types import Effect
from companion.text.toml_files import TomlDocument, TomlTable, load

CARDS = Path(__file__).with_name("uh_oh.toml")


@dataclass(frozen=True)
class UhOhCard:
    """An "Uh-Oh!" card: a title, a text for people, and an effect."""

    id: str
    title: str
    text: str
    effect: Effect

    def to_json(self) -> dict[str, Any]:
        """The JSON that `tablekeeper cards commute` prints."""
        return {
            "id": self.id,
            "title": self.title,
            "text": self.text,
            "effect": uh_oh_effect_types.to_json(self.effect),
        }


UhOhCards = Mapping[str, UhOhCard]


@cache
def uh_oh_cards() -> UhOhCards:
    """The game's "Uh-Oh!" cards by id. They are read only once. Raises DataError if their file has errors."""
    return read(load(CARDS))


def read(document: TomlDocument) -> UhOhCards:
    """The "Uh-Oh!" cards in a data file, by id. If a check fails, raises DataError, which names the line."""
    cards: dict[str, UhOhCard] = {}
    for table in document.each("uh_oh"):
        card = UhOhCard(table.text("id", r"U\d\d"), table.text("title"), table.text("text"), _effect(table))
        table.refuse_unknown_keys()
        if card.id in cards:
            table.fail("id", f"{card.id} is in the file twice.")
        cards[card.id] = card
    return cards


def _effect(table: TomlTable) -> Effect:
    """The effect that a card's table describes. Raises DataError if the table has errors."""
    value = table.table("effect")
    try:
        return uh_oh_effect_types.read(value)
    except ValueError as error:
        table.fail("effect", str(error))
