"""Boards as files: those that come with a game, by name, and those that people draw, by path.

A set-up names one or the other. Settled, it holds the text of a person's own file, so that a kept game needs the file
no more; `BoardFile` is what it looks like then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypedDict, TypeVar

from companion.games.rules import Json, Option
from companion.text.data_files import DataError, Document, parse, text_of
from companion.text.refusals import SetupError
from companion.text.translation import _

B = TypeVar("B")


class BoardFile(TypedDict):
    """A person's own board in a settled set-up: the file's name, for errors, and all that it says."""

    file: str
    text: str


def board_option(shipped: Iterable[str], default: str, help: str) -> Option:
    """What a host is asked."""
    choices = tuple((name, name.replace("-", " ").capitalize()) for name in shipped)
    return Option("board", "Board", choices, default, help, other="the path of a board file")


def settled(setup: Mapping[str, Json], option: Option) -> Mapping[str, Json]:
    """The set-up with the text of a person's own board in it; raises SetupError. A shipped board stays a name."""
    board = setup.get(option.name)
    if not isinstance(board, str) or board in _shipped(option):
        return setup
    try:
        return {**setup, option.name: BoardFile(file=Path(board).name, text=text_of(Path(board)))}
    except DataError as error:
        raise SetupError(f"{_wrong(board, option).removesuffix('.')}: {error}") from error


def chosen_board(
    setup: Mapping[str, Json], option: Option, shipped: Mapping[str, B], read: Callable[[Document], B]
) -> B:
    """The board that a settled set-up names, or the default; raises SetupError."""
    match setup.get(option.name, option.default):
        case str(name) if name in shipped:
            return shipped[name]
        case {"file": str(file), "text": str(text), **others} if not others:
            try:
                return read(parse(file, text))
            except DataError as error:
                raise SetupError(str(error)) from error
        case other:
            raise SetupError(_wrong(other, option))


def _shipped(option: Option) -> tuple[str, ...]:
    return tuple(name for name, _ in option.choices)


def _wrong(value: Json, option: Option) -> str:
    return _(
        "board is {value}; it must be {known}, or {other}.",
        value=repr(value),
        known=", ".join(_shipped(option)),
        other=_(option.other),
    )
