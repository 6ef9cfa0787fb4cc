"""Guidebooks: the rules of a game for players to look up. A guidebook explains the first game step by step, and has a
rule for each situation and a list of the game's terms.

The texts are in the game's `help.toml`. They were written for this program, and they are translatable.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from companion.text.toml_files import TomlTable, load

MULTILINE = r"(?s).+"


@dataclass(frozen=True)
class Entry:
    """A heading of a guidebook and the text below it. A blank line in the text starts a new paragraph."""

    title: str
    text: str

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """The paragraphs of the text, each as one line."""
        return tuple(" ".join(part.split()) for part in self.text.split("\n\n"))


@dataclass(frozen=True)
class Guidebook:
    """A guidebook. `steps` explain the first game. `rules` maps keys to rules; `GameText.help_topic` returns one of
    these keys. `terms` are the game's terms with their meanings."""

    steps: tuple[Entry, ...]
    rules: Mapping[str, Entry]
    terms: tuple[Entry, ...]

    def texts(self) -> Iterator[str]:
        """Yields every heading and paragraph, for translators."""
        for entry in (*self.steps, *self.rules.values(), *self.terms):
            yield from (entry.title, *entry.paragraphs)


@cache
def guidebook(path: Path) -> Guidebook:
    """Reads the guidebook in a file, once per file. Raises DataError, which names the faulty line, if the file has a
    mistake."""
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
    entry = Entry(table.text("title"), table.text("text", MULTILINE).strip())
    table.refuse_unknown_keys()
    return entry
