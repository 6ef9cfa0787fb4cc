"""`tablekeeper board`: checks a game's board and prints what is on it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

from companion.commands import UsageError
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.data_file_listing import listing
from companion.games import GAMES
from companion.games.game import BoardFiles
from companion.games.rules import Json
from companion.text.toml_files import TomlDocument, load

BOARDS: Mapping[str, BoardFiles] = {
    name: boards for game in GAMES.values() if (boards := game.rules.boards) for name in boards.files
}


def add(subparsers: Subparsers) -> None:
    """Adds the command `board` and its arguments."""
    board = command_parser(subparsers, "board", "tablekeeper board grid-2x2 --json")
    board.add_argument("name", metavar="NAME", help=f"{', '.join(BOARDS)}, or the path of a board file")
    board.add_argument("--json", action="store_true", help="print JSON")
    board.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Prints the board. Raises DataError, which names the line, if there is an error in the board's file."""
    data = _read(args.name)
    print(json.dumps(data) if args.json else "\n".join(listing(data)))
    return 0


def _read(name: str) -> Json:
    if name in BOARDS:
        return BOARDS[name].read(load(BOARDS[name].files[name]))
    if not Path(name).exists():
        raise UsageError(f"There is no board or file {name!r}; the boards are {', '.join(BOARDS)}.")
    document = load(Path(name))
    return _guess_game(document).read(document)


def _guess_game(document: TomlDocument) -> BoardFiles:
    """Guesses which game a board file belongs to, and returns the boards of that game. The guess is the game with the
    built-in board that has the most names of TOML tables in common with the file."""
    common_tables = {
        name: len(document.tables.keys() & load(boards.files[name]).tables.keys()) for name, boards in BOARDS.items()
    }
    return BOARDS[max(common_tables, key=common_tables.__getitem__)]
