"""Data files that people edit: TOML whose errors name the file and the line.

`tomllib` names the line of broken TOML but forgets where values stood, so the lines are found again by
their headers and keys.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from errno import EFBIG, EINVAL
from pathlib import Path
from typing import Any, Final, NoReturn

_HEADER = re.compile(r"\s*(\[\[|\[)\s*([\w.-]+)\s*\]")
_KEY = re.compile(r"\s*([\w-]+)\s*=")


LARGEST: Final = 64 * 1024
"""Bytes of a file."""


class DataError(ValueError):
    """Something is wrong in a data file: `cards.toml, line 57: zone is 7, it must be 1 to 3.`"""


def _some(names: Collection[str]) -> str:
    """The names there are, or the first and the last of many."""
    listed = list(names)
    return ", ".join(listed if len(listed) <= 10 else [*listed[:3], f"… {listed[-1]}"])


@dataclass
class Table:
    """One table of a file. Reading a key checks it; `done` complains about keys that nobody read."""

    source: str
    line: int
    values: Mapping[str, Any]
    lines: Mapping[str, int]
    read: set[str] = field(default_factory=set)

    def fail(self, key: str | None, message: str) -> NoReturn:
        """Raises DataError for a key's line, or for the table's own."""
        line = self.line if key is None else self.lines.get(key, self.line)
        raise DataError(f"{self.source}, line {line}: {message}")

    def _take(self, key: str, kind: type, what: str) -> Any:
        self.read.add(key)
        if key not in self.values:
            self.fail(None, f"{key} is missing, it must be {what}.")
        value = self.values[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            self.fail(key, f"{key} is {value!r}, it must be {what}.")
        return value

    def number(self, key: str, lowest: int, highest: int) -> int:
        """A whole number in a range, both ends included."""
        value: int = self._take(key, int, "a whole number")
        if not lowest <= value <= highest:
            self.fail(key, f"{key} is {value}, it must be {lowest} to {highest}.")
        return value

    def text(self, key: str, pattern: str = r".+") -> str:
        """A text that the pattern describes."""
        value: str = self._take(key, str, "a text")
        if not re.fullmatch(pattern, value):
            self.fail(key, f"{key} is {value!r}, it must look like {pattern}.")
        return value

    def name(self, key: str, known: Collection[str]) -> str:
        """One of the known names."""
        value = self.text(key)
        if value not in known:
            self.fail(key, f"{key} is {value!r}, it must be one of {_some(known)}.")
        return value

    def numbers(self, key: str, lowest: int, highest: int) -> tuple[int, ...]:
        """A list of whole numbers in a range."""
        values = self.whole_numbers(key)
        for value in values:
            if not lowest <= value <= highest:
                self.fail(key, f"{key} holds {value!r}, it may hold {lowest} to {highest}.")
        return values

    def whole_numbers(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers, for the caller to check."""
        values: list[Any] = self._take(key, list, "a list of whole numbers")
        for value in values:
            if not isinstance(value, int) or isinstance(value, bool):
                self.fail(key, f"{key} holds {value!r}, it must hold whole numbers.")
        return tuple(values)

    def names(self, key: str, known: Collection[str] | None, fewest: int, most: int) -> tuple[str, ...]:
        """A list of names, known ones if `known` is given."""
        values: list[Any] = self._take(key, list, "a list of names")
        for value in values:
            if not isinstance(value, str) or (known is not None and value not in known):
                self.fail(key, f"{key} holds {value!r}" + (f", it may hold {_some(known)}." if known else "."))
        if not fewest <= len(values) <= most:
            self.fail(key, f"{key} holds {len(values)} names, it must hold {fewest} to {most}.")
        return tuple(values)

    def table(self, key: str) -> Mapping[str, Any]:
        """A table within the table, for the caller to read."""
        values: Mapping[str, Any] = self._take(key, dict, "a table like { kind = … }")
        return values

    def done(self) -> None:
        """Raises DataError for a key that means nothing here (a slip of the pen, most likely)."""
        for key in self.values:
            if key not in self.read:
                self.fail(key, f"{key} means nothing here; known are {', '.join(sorted(self.read))}.")


@dataclass(frozen=True)
class Document:
    """A whole file: its tables in order, by header."""

    source: str
    tables: Mapping[str, tuple[Table, ...]]

    def one(self, header: str) -> Table:
        """The only table of a header; raises DataError."""
        found = self.tables.get(header, ())
        if len(found) != 1:
            raise DataError(f"{self.source}, line 1: there must be one [{header}] in the file, not {len(found)}.")
        return found[0]

    def each(self, header: str) -> tuple[Table, ...]:
        """All tables of a `[[header]]`; raises DataError if there is none."""
        found = self.tables.get(header, ())
        if not found:
            raise DataError(f"{self.source}, line 1: there must be a [[{header}]] in the file.")
        return found


def load(path: Path) -> Document:
    """Reads a TOML file of plain tables and arrays of tables; raises DataError."""
    return parse(path.name, text_of(path))


def text_of(path: Path) -> str:
    """The text of a data file; raises DataError. The path may be whatever a person named."""
    try:
        return _bytes(path).decode("utf-8")
    except OSError as error:
        raise DataError(f"{path} can't be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is no UTF-8 text; save it as UTF-8.") from error
    except ValueError as error:  # a path with a character that no path has
        raise DataError(f"{str(path)!r} can't be read ({error}).") from error


def _bytes(path: Path) -> bytes:
    """Raises OSError, for devices and pipes too: reading them might never end."""
    if path.exists() and not path.is_file():
        raise OSError(EINVAL, "it is no ordinary file")
    with path.open("rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError(EFBIG, f"it is larger than {LARGEST // 1024} KiB")
    return content


def parse(source: str, text: str) -> Document:
    """The document of a TOML text; `source` names it in errors. Raises DataError."""
    try:
        values = tomllib.loads(text)
    except ValueError as error:
        raise DataError(_no_toml(source, text, str(error))) from error
    except RecursionError as error:
        raise DataError(f"{source} is nested too deeply.") from error
    return Document(source, _tables(source, text, values))


def _no_toml(source: str, text: str, said: str) -> str:
    """tomllib's words, with the place where ours have it: `Invalid value (at line 1, column 5)`, `(at end of ...)`."""
    what, _, place = said.partition(" (at ")
    line = re.match(r"line (\d+)", place)
    return f"{source}, line {line[1] if line else len(text.splitlines()) or 1}: {what}."


def _tables(source: str, text: str, values: Mapping[str, Any]) -> dict[str, tuple[Table, ...]]:
    tables: dict[str, list[Table]] = {}
    for header, line, lines in _places(text):
        seen = tables.setdefault(header, [])
        content = values.get(header, {})
        if isinstance(content, list):
            content = content[len(seen)] if len(seen) < len(content) else {}  # more in a text of several lines
        seen.append(Table(source, line, content, lines))
    return {header: tuple(found) for header, found in tables.items()}


def _places(text: str) -> Iterator[tuple[str, int, dict[str, int]]]:
    """Each header with its line and the lines of its keys."""
    current: tuple[str, int, dict[str, int]] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            if current:
                yield current
            current = (header[2], number, {})
        elif current and (key := _KEY.match(line)):
            current[2].setdefault(key[1], number)
    if current:
        yield current
