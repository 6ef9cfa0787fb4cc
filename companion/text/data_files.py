"""Data files: TOML for people to edit, with errors that name the file and the line.

`tomllib` reports the line of a syntax error, but not the lines of values. They are found again by header and key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from errno import EFBIG, EINVAL
from pathlib import Path
from typing import Any, Final, NoReturn

from companion.text.messages import Text, TextError, TextLike, _

_HEADER = re.compile(r"\s*(\[\[|\[)\s*([\w.-]+)\s*\]")
_KEY = re.compile(r"\s*([\w-]+)\s*=")


MAX_FILE_BYTES: Final = 64 * 1024


class DataError(TextError, ValueError):
    """An error in a data file: `cards.toml, line 57: zone is 7, it must be 1 to 3.`"""


def in_line(source: str, line: int, message: TextLike) -> Text:
    """A message with its file and line."""
    return _("{file}, line {line}: {message}", file=source, line=line, message=message)


def must_be(key: str, value: object, what: TextLike) -> Text:
    """The message for a wrong value."""
    return _("{key} is {value}; it must be {what}.", key=key, value=repr(value), what=what)


def unknown(key: str, known: Iterable[str]) -> Text:
    """The message for an unknown key."""
    return _("{key} is unknown; known are {known}.", key=key, known=", ".join(known))


def _may_hold(key: str, value: object, what: TextLike) -> Text:
    return _("{key} holds {value}; it may hold {what}.", key=key, value=repr(value), what=what)


def _some(names: Collection[str]) -> str:
    """The names; of more than ten, the first three and the last."""
    listed = list(names)
    return ", ".join(listed if len(listed) <= 10 else [*listed[:3], f"… {listed[-1]}"])


@dataclass
class TomlTable:
    """A table of a file. Reading a key checks its value; `done` rejects keys that were never read."""

    source: str
    line: int
    values: Mapping[str, Any]
    lines: Mapping[str, int]
    read: set[str] = field(default_factory=set)

    def fail(self, key: str | None, message: TextLike) -> NoReturn:
        """Raises DataError for the line of a key, or of the table itself."""
        line = self.line if key is None else self.lines.get(key, self.line)
        raise DataError(in_line(self.source, line, message))

    def _take(self, key: str, kind: type, what: TextLike) -> Any:
        self.read.add(key)
        if key not in self.values:
            self.fail(None, _("{key} is missing; it must be {what}.", key=key, what=what))
        value = self.values[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            self.fail(key, must_be(key, value, what))
        return value

    def number(self, key: str, lowest: int, highest: int) -> int:
        """An integer from `lowest` to `highest`, both included."""
        value: int = self._take(key, int, _("a whole number"))
        if not lowest <= value <= highest:
            self.fail(key, must_be(key, value, _("{low} to {high}", low=lowest, high=highest)))
        return value

    def text(self, key: str, pattern: str = r".+") -> str:
        """A string that matches the pattern."""
        value: str = self._take(key, str, _("a text"))
        if not re.fullmatch(pattern, value):
            self.fail(
                key, _("{key} is {value}; it must look like {pattern}.", key=key, value=repr(value), pattern=pattern)
            )
        return value

    def name(self, key: str, known: Collection[str]) -> str:
        """One of the known names."""
        value = self.text(key)
        if value not in known:
            self.fail(key, must_be(key, value, _("one of {known}", known=_some(known))))
        return value

    def numbers(self, key: str, lowest: int, highest: int) -> tuple[int, ...]:
        """A list of integers in a range."""
        values = self.whole_numbers(key)
        for value in values:
            if not lowest <= value <= highest:
                self.fail(key, _may_hold(key, value, _("{low} to {high}", low=lowest, high=highest)))
        return values

    def whole_numbers(self, key: str) -> tuple[int, ...]:
        """A list of integers, unchecked."""
        values: list[Any] = self._take(key, list, _("a list of whole numbers"))
        for value in values:
            if not isinstance(value, int) or isinstance(value, bool):
                self.fail(key, _("{key} holds {value}; it must hold whole numbers.", key=key, value=repr(value)))
        return tuple(values)

    def names(self, key: str, known: Collection[str] | None, fewest: int, most: int) -> tuple[str, ...]:
        """A list of names, all from `known` if that is given."""
        values: list[Any] = self._take(key, list, _("a list of names"))
        for value in values:
            if not isinstance(value, str) or (known is not None and value not in known):
                self.fail(key, _may_hold(key, value, _some(known) if known else _("names")))
        if not fewest <= len(values) <= most:
            said = _(
                "{key} holds {n} names; it must hold {few} to {most}.", key=key, n=len(values), few=fewest, most=most
            )
            self.fail(key, said)
        return tuple(values)

    def table(self, key: str) -> Mapping[str, Any]:
        """A nested table, unchecked."""
        values: Mapping[str, Any] = self._take(key, dict, _("a table like {example}", example="{ kind = … }"))
        return values

    def done(self) -> None:
        """Raises DataError for an unknown key, most likely a typing error."""
        for key in self.values:
            if key not in self.read:
                self.fail(key, unknown(key, sorted(self.read)))


@dataclass(frozen=True)
class Document:
    """A file: its tables in order, by header."""

    source: str
    tables: Mapping[str, tuple[TomlTable, ...]]

    def one(self, header: str) -> TomlTable:
        """The only table with this header; raises DataError."""
        found = self.tables.get(header, ())
        if len(found) != 1:
            said = _("there must be one {header} in the file, not {n}.", header=f"[{header}]", n=len(found))
            raise DataError(in_line(self.source, 1, said))
        return found[0]

    def each(self, header: str) -> tuple[TomlTable, ...]:
        """All tables with this `[[header]]`, at least one; raises DataError."""
        found = self.tables.get(header, ())
        if not found:
            said = _("there must be a {header} in the file.", header=f"[[{header}]]")
            raise DataError(in_line(self.source, 1, said))
        return found


def load(path: Path) -> Document:
    """Reads a TOML file of tables and arrays of tables; raises DataError."""
    return parse(path.name, text_of(path))


def text_of(path: Path) -> str:
    """The text of a data file; raises DataError, for any path that a person may type."""
    try:
        return _bytes(path).decode("utf-8")
    except OSError as error:
        raise DataError(_("{path} can't be read ({why}).", path=path, why=error.strerror or "")) from error
    except UnicodeDecodeError as error:
        raise DataError(_("{file} is not UTF-8 text; save it as UTF-8.", file=path.name)) from error
    except ValueError as error:  # a path with a NUL character
        raise DataError(_("{path} can't be read ({why}).", path=repr(str(path)), why=error)) from error


def _bytes(path: Path) -> bytes:
    """The contents of a file. Raises OSError, also for devices and pipes, which might never end."""
    if path.exists() and not path.is_file():
        raise OSError(EINVAL, _("it is not a regular file"))
    with path.open("rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise OSError(EFBIG, _("it is larger than {n} KiB", n=MAX_FILE_BYTES // 1024))
    return content


def parse(source: str, text: str) -> Document:
    """The document in a TOML text; `source` names the text in errors. Raises DataError."""
    try:
        values = tomllib.loads(text)
    except ValueError as error:
        raise DataError(_syntax_error(source, text, str(error))) from error
    except RecursionError as error:
        raise DataError(_("{file} is nested too deeply.", file=source)) from error
    return Document(source, _tables(source, text, values))


def _syntax_error(source: str, text: str, said: str) -> Text:
    """tomllib's message with the position in our format. tomllib writes `Invalid value (at line 1, column 5)`."""
    what, _at, place = said.partition(" (at ")
    line = re.match(r"line (\d+)", place)
    return in_line(source, int(line[1]) if line else len(text.splitlines()) or 1, f"{what}.")


def _tables(source: str, text: str, values: Mapping[str, Any]) -> dict[str, tuple[TomlTable, ...]]:
    tables: dict[str, list[TomlTable]] = {}
    for header, line, lines in _header_lines(text):
        seen = tables.setdefault(header, [])
        content = values.get(header, {})
        if isinstance(content, list):
            content = content[len(seen)] if len(seen) < len(content) else {}  # a header inside a multi-line string
        seen.append(TomlTable(source, line, content, lines))
    return {header: tuple(found) for header, found in tables.items()}


def _header_lines(text: str) -> Iterator[tuple[str, int, dict[str, int]]]:
    """Each header with its line number and the line numbers of its keys."""
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
