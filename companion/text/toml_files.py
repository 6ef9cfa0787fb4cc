"""Reads data files: TOML files that people edit, with error messages that name the file and the line.

`tomllib` reports the line of a syntax error, but not the lines of values. This module finds the line of a value by its
key and the header of its table.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
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
    """The error for a mistake in a data file, with a message such as `cards.toml, line 57: zone is 7; it must be 1 to
    3.`"""


class TomlSyntaxError(DataError):
    """The error for a text that is not valid TOML. `line`: the number of the line at which the error was noticed."""

    def __init__(self, source: str, text: str, toml_message: str) -> None:
        """`toml_message` is the message of `tomllib`, which ends in "(at line 1, column 5)"."""
        what, _at, position = toml_message.partition(" (at ")
        found = re.match(r"line (\d+)", position)
        self.line = int(found[1]) if found else len(text.splitlines()) or 1
        hint = _("Invalid value. Text needs straight quotes; numbers, true and false need none.")
        super().__init__(located_message(source, self.line, hint if what == "Invalid value" else f"{what}."))


def located_message(source: str, line: int, message: TextLike) -> Text:
    """The message, with the name of the file (`source`) and the line number in front of it."""
    return _("{file}, line {line}: {message}", file=source, line=line, message=message)


def wrong_value_message(key: str, value: object, what: TextLike) -> Text:
    """The error message for a wrong value. `what` describes the allowed values."""
    return _("{key} is {value}; it must be {what}.", key=key, value=without_address(repr(value)), what=what)


def unknown_key_message(key: str, known: Iterable[str]) -> Text:
    """The error message for an unknown key, which lists the known keys."""
    return _("{key} is unknown. Known keys are {known}.", key=without_address(key), known=", ".join(known))


def without_address(text: str) -> str:
    """The text, or "…" if it may contain an address with a password. Everyone may read messages about data files."""
    normal = unicodedata.normalize("NFKC", text)
    return "…" if "@" in normal or "://" in normal else text


def _may_hold(key: str, value: object, what: TextLike) -> Text:
    return _("{key} contains {value}; it may contain {what}.", key=key, value=without_address(repr(value)), what=what)


def _abbreviated_list(names: Collection[str]) -> str:
    """The names, separated by commas. If there are more than ten, only the first three and the last."""
    listed = list(names)
    return ", ".join(listed if len(listed) <= 10 else [*listed[:3], f"… {listed[-1]}"])


@dataclass
class TomlTable:
    """A table in a TOML file. Each method that reads a key checks the value, and raises DataError if the key is missing
    or the value is wrong. `refuse_unknown_keys` refuses keys that have not been read."""

    source: str
    """The name of the file, for error messages."""
    line: int
    """The number of the line that contains the table's header."""
    values: Mapping[str, Any]
    lines: Mapping[str, int]
    """The line number of each key."""
    read_keys: set[str] = field(default_factory=set)

    def fail(self, key: str | None, message: TextLike) -> NoReturn:
        """Raises DataError with `message` and the line of `key`, or the line of the table's header if `key` is None."""
        raise self.error(key, message)

    def error(self, key: str | None, message: TextLike) -> DataError:
        """The error with `message` and the line of `key`, or the line of the table's header if `key` is None."""
        line = self.line if key is None else self.lines.get(key, self.line)
        return DataError(located_message(self.source, line, message))

    def _take(self, key: str, kind: type, what: TextLike) -> Any:
        self.read_keys.add(key)
        if key not in self.values:
            self.fail(None, _("{key} is missing; it must be {what}.", key=key, what=what))
        value = self.values[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            self.fail(key, wrong_value_message(key, value, what))
        return value

    def number(self, key: str, lowest: int, highest: int) -> int:
        """The integer at `key`, which must be between `lowest` and `highest`, inclusive."""
        value: int = self._take(key, int, _("a whole number"))
        if not lowest <= value <= highest:
            self.fail(key, wrong_value_message(key, value, _("{low} to {high}", low=lowest, high=highest)))
        return value

    def text(self, key: str, pattern: str = "") -> str:
        """The string at `key`. The whole string must match the regular expression `pattern`. Without a pattern, it must
        be a single line that is not empty."""
        value: str = self._take(key, str, _("text"))
        if not pattern and not re.fullmatch(".+", value):
            self.fail(key, wrong_value_message(key, value, _("one line of text")))
        if pattern and not re.fullmatch(pattern, value):
            self.fail(
                key, _("{key} is {value}; it must look like {pattern}.", key=key, value=repr(value), pattern=pattern)
            )
        return value

    def name(self, key: str, known: Collection[str]) -> str:
        """The string at `key`, which must be one of `known`."""
        value = self.text(key)
        if value not in known:
            self.fail(key, wrong_value_message(key, value, _("one of {known}", known=_abbreviated_list(known))))
        return value

    def numbers(self, key: str, lowest: int, highest: int) -> tuple[int, ...]:
        """The list of integers at `key`. Each must be between `lowest` and `highest`, inclusive."""
        values = self.whole_numbers(key)
        for value in values:
            if not lowest <= value <= highest:
                self.fail(key, _may_hold(key, value, _("{low} to {high}", low=lowest, high=highest)))
        return values

    def whole_numbers(self, key: str) -> tuple[int, ...]:
        """The list of integers at `key`. They may have any values."""
        values: list[Any] = self._take(key, list, _("a list of whole numbers"))
        for value in values:
            if not isinstance(value, int) or isinstance(value, bool):
                self.fail(key, _("{key} contains {value}; it must contain whole numbers.", key=key, value=repr(value)))
        return tuple(values)

    def names(self, key: str, known: Collection[str] | None, fewest: int, most: int) -> tuple[str, ...]:
        """The list of names at `key`. It must have between `fewest` and `most` names, inclusive, all of them in `known`
        unless `known` is None."""
        values: list[Any] = self._take(key, list, _("a list of names"))
        for value in values:
            if not isinstance(value, str) or (known is not None and value not in known):
                self.fail(key, _may_hold(key, value, _abbreviated_list(known) if known else _("names")))
        if not fewest <= len(values) <= most:
            message = _(
                "{key} contains {n} names; it must contain {few} to {most}.",
                key=key,
                n=len(values),
                few=fewest,
                most=most,
            )
            self.fail(key, message)
        return tuple(values)

    def table(self, key: str) -> Mapping[str, Any]:
        """The nested table at `key`. Its contents are not checked."""
        values: Mapping[str, Any] = self._take(key, dict, _("a table like {example}", example="{ kind = … }"))
        return values

    def refuse_unknown_keys(self) -> None:
        """Raises DataError if the table has a key that has not been read. Such a key is most likely misspelled."""
        for key in self.values:
            if key not in self.read_keys:
                self.fail(key, unknown_key_message(key, sorted(self.read_keys)))


@dataclass(frozen=True)
class TomlDocument:
    """A parsed data file: its tables by header, in the order in which they appear in the file."""

    source: str
    tables: Mapping[str, tuple[TomlTable, ...]]

    def one(self, header: str) -> TomlTable:
        """The only table with this header. Raises DataError if there is none or more than one."""
        found = self.tables.get(header, ())
        if len(found) != 1:
            message = _("the file must have one {header}, not {n}.", header=f"[{header}]", n=len(found))
            raise DataError(located_message(self.source, 1, message))
        return found[0]

    def each(self, header: str) -> tuple[TomlTable, ...]:
        """All tables with this `[[header]]`. Raises DataError if there are none."""
        found = self.tables.get(header, ())
        if not found:
            message = _("the file must have a {header}.", header=f"[[{header}]]")
            raise DataError(located_message(self.source, 1, message))
        return found


def load(path: Path) -> TomlDocument:
    """Reads a data file, which consists of tables and arrays of tables. Raises DataError if the file can't be read or
    is not valid TOML."""
    return parse(path.name, text_of(path))


def text_of(path: Path) -> str:
    """The text of a data file. `path` may come from a user. Raises DataError if there is no readable UTF-8 file at this
    path."""
    try:
        return _bytes(path).decode("utf-8-sig")  # some editors on Windows begin a file with a byte order mark
    except OSError as error:
        raise DataError(_("Can’t read {path} ({why}).", path=path, why=error.strerror or "")) from error
    except UnicodeDecodeError as error:
        raise DataError(_("{file} isn’t UTF-8 text. Save it as UTF-8.", file=path.name)) from error
    except ValueError as error:  # a path with a NUL character
        raise DataError(_("Can’t read {path} ({why}).", path=repr(str(path)), why=error)) from error


def _bytes(path: Path) -> bytes:
    """The contents of a regular file. Raises OSError if the file can't be read or is larger than MAX_FILE_BYTES. Also
    raises OSError if it is a device or a pipe, because reading might never end."""
    if path.exists() and not path.is_file():
        raise OSError(EINVAL, _("it isn’t a regular file"))
    with path.open("rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    if len(content) > MAX_FILE_BYTES:
        raise OSError(EFBIG, _("it is larger than {n} KiB", n=MAX_FILE_BYTES // 1024))
    return content


def parse(source: str, text: str) -> TomlDocument:
    """Parses a TOML text. `source` is the name of the file, for error messages. Raises DataError if the text is not
    valid TOML."""
    try:
        values = tomllib.loads(text)
    except ValueError as error:
        raise TomlSyntaxError(source, text, str(error)) from error
    except RecursionError as error:
        raise DataError(_("{file} is nested too deeply.", file=source)) from error
    return TomlDocument(source, _tables(source, text, values))


def _tables(source: str, text: str, values: Mapping[str, Any]) -> dict[str, tuple[TomlTable, ...]]:
    tables: dict[str, list[TomlTable]] = {}
    for header, line, lines in _header_lines(text):
        seen = tables.setdefault(header, [])
        content = values.get(header, {})
        if isinstance(content, list):
            # There are fewer tables than headers if a line of a multi-line string looks like a header.
            content = content[len(seen)] if len(seen) < len(content) else {}
        seen.append(TomlTable(source, line, content, lines))
    return {header: tuple(found) for header, found in tables.items()}


def _header_lines(text: str) -> Iterator[tuple[str, int, dict[str, int]]]:
    """Yields each header in a TOML text, with its line number and the line numbers of the keys below it."""
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
