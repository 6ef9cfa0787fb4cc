"""Prints the content of a data file for people to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from companion.games.rules import Json


def listing(data: Mapping[str, Json]) -> Iterator[str]:
    """Yields the content of a data file as lines of text: a heading for each kind of entry, and a line for each
    entry."""
    for kind, entries in data.items():
        match entries:
            case str():
                yield f"{kind}: {entries}"
            case dict():
                yield from (f"{kind}:", *(f"  {name}  {_entry_text(value)}" for name, value in entries.items()))
            case _:
                yield from (f"{kind}:", *(f"  {_entry_text(entry)}" for entry in entries))


def _entry_text(entry: Json) -> str:
    match entry:
        case dict():
            return "  ".join(_entry_text(value) for value in entry.values() if value is not None)
        case list():
            return ", ".join(map(_entry_text, entry))
    return str(entry)
