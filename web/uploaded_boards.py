"""The boards that hosts have uploaded. Over HTTP, a host can choose only these and the built-in boards, never the path
of a file."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from companion.games.board_files import BoardFile
from companion.games.game import Game
from companion.games.rules import Json, Option
from companion.text.messages import _
from companion.text.refusal_errors import SetupError
from companion.text.toml_files import MAX_FILE_BYTES, DataError, parse, text_of
from web.error_responses import RequestError

MAX_BOARDS = 50
"""The maximum number of uploaded boards for a game."""
SUFFIX = ".toml"
NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


class UploadedBoards:
    """The uploaded boards: files in a folder, with a subfolder for each game. Without a folder, nothing can be
    uploaded."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def names(self, game: Game[Any]) -> tuple[str, ...]:
        """The names of a game's uploaded boards, in alphabetical order."""
        if self._folder is None or game.rules.boards is None:
            return ()
        files = (self._folder / game.name).glob("*" + SUFFIX)
        return tuple(sorted(file.stem for file in files if NAME.fullmatch(file.stem) and file.is_file()))

    def save(self, game: Game[Any], file_name: str, data: bytes) -> str:
        """Checks and stores a board; returns the name of the board. An earlier board with the same name is replaced.
        Raises SetupError if the file is not a valid board, RequestError if the board can't be stored."""
        boards = game.rules.boards
        if self._folder is None or boards is None:
            raise RequestError(404, "not_found", _("You can’t add boards to this game."))
        name = re.sub(r"[^a-z0-9]+", "-", Path(file_name).stem.lower()).strip("-")
        if not NAME.fullmatch(name) or name in boards.files:
            message = _("Give the file its own name, made of letters, digits and hyphens, such as my-town.toml.")
            raise RequestError(422, "bad_board", message)
        if len(self.names(game)) >= MAX_BOARDS and name not in self.names(game):
            message = _("There are already {n} boards. To replace one, upload a file with its name.", n=MAX_BOARDS)
            raise RequestError(422, "bad_board", message)
        try:
            boards.read(parse(name + SUFFIX, _text(name + SUFFIX, data)))
        except DataError as error:
            raise SetupError(error.message) from error
        self._write(self._folder / game.name / (name + SUFFIX), data)
        return name

    def _write(self, path: Path, data: bytes) -> None:
        """Replaces a file. If that fails, leaves the old file as it was, and raises RequestError."""
        temporary: str | None = None
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file, temporary = tempfile.mkstemp(dir=path.parent)
            with os.fdopen(file, "wb") as target:
                target.write(data)
            os.replace(temporary, path)
        except OSError as error:
            if temporary:
                with suppress(OSError):
                    os.unlink(temporary)
            message = _(
                "Couldn’t save this ({error}). Is the disk full? Nothing was changed.", error=error.strerror or ""
            )
            raise RequestError(503, "journal_failed", message) from error

    def with_files(self, game: Game[Any], options: Mapping[str, str]) -> dict[str, Json]:
        """Returns `options` with the text of a board file in place of the name of each uploaded board. Raises
        SetupError if there is no board of that name."""
        by_name = {option.name: option for option in game.rules.options}
        return {name: self._value(game, by_name[name], value) for name, value in options.items()}

    def _value(self, game: Game[Any], option: Option, value: str) -> Json:
        built_in = [name for name, _title in option.choices]
        if not option.takes_file or value in built_in:
            return value
        names = self.names(game)
        if self._folder is None or value not in names:
            known = ", ".join((*built_in, *names))
            raise SetupError(_("There’s no board {name}. Choose from {known}.", name=repr(value[:60]), known=known))
        path = self._folder / game.name / (value + SUFFIX)
        try:
            return BoardFile(file=path.name, text=text_of(path))
        except DataError as error:
            raise SetupError(error.message) from error


def _text(name: str, data: bytes) -> str:
    if len(data) > MAX_FILE_BYTES:
        raise DataError(_("{file} is larger than {n} KiB.", file=name, n=MAX_FILE_BYTES // 1024))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(_("{file} isn’t UTF-8 text. Save it as UTF-8.", file=name)) from error
