"""A game's rules as players look them up: the first game step by step, the rule for each situation, the words.

Our own words, in a data file beside the game: `help.toml`. Every text may be translated; a page says it in the
language of the phone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from companion.text.data_files import Table, load

SAYS = r"(?s).+"


@dataclass(frozen=True)
class Entry:
    """A heading and what it says; a blank line in it begins a paragraph."""

    title: str
    says: str

    @property
    def paragraphs(self) -> tuple[str, ...]:
        """What it says, paragraph by paragraph."""
        return tuple(" ".join(part.split()) for part in self.says.split("\n\n"))


@dataclass(frozen=True)
class Guidebook:
    """`steps`: the first game. `rules`: by the key that `Game.topic` names. `terms`: words and what they mean."""

    steps: tuple[Entry, ...]
    rules: Mapping[str, Entry]
    terms: tuple[Entry, ...]

    def texts(self) -> Iterator[str]:
        """Every heading and paragraph, for who translates them."""
        for entry in (*self.steps, *self.rules.values(), *self.terms):
            yield from (entry.title, *entry.paragraphs)


@cache
def guidebook(path: Path) -> Guidebook:
    """The guidebook in a file; raises DataError that names the line."""
    document = load(path)
    rules: dict[str, Entry] = {}
    for table in document.each("rule"):
        key = table.text("key", r"[a-z-]+")
        if key in rules:
            table.fail("key", f"There is a rule {key} already.")
        rules[key] = _entry(table)
    steps, terms = (tuple(map(_entry, document.each(header))) for header in ("step", "term"))
    return Guidebook(steps, rules, terms)


def _entry(table: Table) -> Entry:
    entry = Entry(table.text("title"), table.text("says", SAYS).strip())
    table.done()
    return entry
