"""Guidebooks: the rules for players to look up. A guidebook has the first game step by step, a rule for each
situation, and the game's terms.

The texts are our own, in the game's `help.toml`, and translatable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from companion.text.data_files import TomlTable, load

MULTILINE = r"(?s).+"


@dataclass(frozen=True)
class Entry:
    """A heading and its text; a blank line in the text starts a new paragraph."""

    title: str
    text: str

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The paragraphs of the text, each as one line."""
        return tuple(" ".join(part.split()) for part in self.text.split("\n\n"))


@dataclass(frozen=True)
class Guidebook:
    """`steps`: the first game. `rules`: by the keys that `GameText.help_topic` returns. `terms`: words and their
    meanings."""

    steps: tuple[Entry, ...]
    rules: Mapping[str, Entry]
    terms: tuple[Entry, ...]

    def texts(self) -> Iterator[str]:
        """Every heading and paragraph, for translators."""
        for entry in (*self.steps, *self.rules.values(), *self.terms):
            yield from (entry.title, *entry.paragraphs)


@cache
def guidebook(path: Path) -> Guidebook:
    """The guidebook in a file. Raises DataError, which names the line."""
    document = load(path)
    rules: dict[str, Entry] = {}
    for table in document.each("rule"):
        key = table.text("key", r"[a-z-]+")
        if key in rules:
            table.fail("key", f"There is a rule {key} already.")
        rules[key] = _entry(table)
    steps, terms = (tuple(map(_entry, document.each(header))) for header in ("step", "term"))
    return Guidebook(steps, rules, terms)


def _entry(table: TomlTable) -> Entry:
    entry = Entry(table.text("title"), table.text("says", MULTILINE).strip())
    table.done()
    return entry
