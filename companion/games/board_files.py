"""Loads the board that a set-up names: a built-in board, or a board from a file of the host.

The journal stores the text of such a file with the set-up, so a stored game does not depend on the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypedDict, TypeVar

from companion.games.rules import Json, Option
from companion.text.messages import Text, WithoutPeriod, _, joined
from companion.text.refusal_errors import SetupError
from companion.text.toml_files import DataError, TomlDocument, parse, text_of

B = TypeVar("B")


class BoardFile(TypedDict):
    """A board file as part of a set-up. `file` is the name of the file, for error messages, and `text` is its
    content."""

    file: str
    text: str


def board_option(built_in: Iterable[str], default: str, help: str) -> Option:
    """The option with which the host chooses a board. `built_in`: the names of the boards that come with the game."""
    choices = tuple((name, name.replace("-", " ").capitalize()) for name in built_in)
    return Option("board", "Board", choices, default, help, other="the path of a board file", takes_file=True)


def with_board_file(setup: Mapping[str, Json], option: Option) -> Mapping[str, Json]:
    """Returns the set-up with a `BoardFile` in place of the path of a board file. Raises SetupError if the file can't
    be read. A set-up without such a path is returned unchanged."""
    board = setup.get(option.name)
    if not isinstance(board, str) or board in _built_in_names(option):
        return setup
    try:
        return {**setup, option.name: BoardFile(file=Path(board).name, text=text_of(Path(board)))}
    except DataError as error:
        raise SetupError(joined(": ", (WithoutPeriod(_wrong_board_message(board, option)), error.message))) from error


def selected_board(
    setup: Mapping[str, Json], option: Option, built_in: Mapping[str, B], read: Callable[[TomlDocument], B]
) -> B:
    """The board that a set-up chooses, or the default board if the set-up chooses none. The set-up must be a result of
    `with_board_file`. `read` makes a board from the parsed text of a board file. Raises SetupError if there is no such
    board, or if the board file has errors."""
    match setup.get(option.name, option.default):
        case str(name) if name in built_in:
            return built_in[name]
        case {"file": str(file), "text": str(text), **others} if not others:
            try:
                return read(parse(file, text))
            except DataError as error:
                raise SetupError(error.message) from error
        case other:
            raise SetupError(_wrong_board_message(other, option))


def _built_in_names(option: Option) -> tuple[str, ...]:
    return tuple(name for name, _ in option.choices)


def _wrong_board_message(value: Json, option: Option) -> Text:
    return _(
        "board is {value}; it must be {known}, or {other}.",
        value=repr(value),
        known=", ".join(_built_in_names(option)),
        other=_(option.other),
    )
