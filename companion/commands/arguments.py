"""Command-line arguments that several commands share."""

from __future__ import annotations

import argparse
import json
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from companion.commands import UsageError
from companion.games import GAMES
from companion.games.game import Game
from companion.games.rules import Json, Start
from companion.text.refusal_errors import SetupError


def add_game(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """Adds the argument GAME, the name of a game. If `optional`, it may be left out, which means all games."""
    if optional:
        parser.add_argument("game", metavar="GAME", nargs="?", choices=[*GAMES], help="all of them by default")
    else:
        parser.add_argument("game", metavar="GAME", choices=[*GAMES], help=", ".join(GAMES))


def add_seats_and_options(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments --seats (the number of players) and --option (an option of the game)."""
    parser.add_argument("--seats", type=int, metavar="N", help="number of players; the game’s minimum by default")
    add_options(parser)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the argument --option: an option of the game, as NAME=VALUE. It may be repeated."""
    parser.add_argument(
        "--option", action="append", default=[], metavar="K=V", help="an option of the game; may be repeated"
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """Adds the argument --seed: the seed for everything that chance decides."""
    parser.add_argument(
        "--seed", type=text, help="the seed for everything that chance decides; a new one each time by default"
    )


def text(value: str) -> str:
    """Returns the argument unchanged. Raises ValueError, which argparse reports, if its bytes are not valid UTF-8."""
    value.encode()
    return value


def new_seed() -> str:
    """A new random seed that nobody can guess: 32 hexadecimal digits."""
    return secrets.token_hex(16)


def begin(
    game: Game[Any], seats: int | None, options: Sequence[str], file: str | None = None
) -> tuple[int, Start[Any]]:
    """Sets up a game; returns its number of seats and its start (see `Start`). `seats`: the number of seats; None for
    the game's minimum. `options`: texts like NAME=VALUE, which override the set-up in the JSON file `file`. Raises
    UsageError if the game can't begin with them."""
    count, setup = set_up(game, seats, options, file)
    return count, game.rules.begin(count, setup)


def set_up(
    game: Game[Any], seats: int | None, options: Sequence[str], file: str | None = None
) -> tuple[int, Mapping[str, Json]]:
    """The number of seats and the resolved set-up of a new game. Takes the same arguments as `begin`. Raises UsageError
    if the game can't begin with them."""
    setup = _read_setup_file(file) if file else {}
    try:
        count = game.rules.seat_count(seats)
        resolved = game.rules.resolve_setup({**setup, **_parse_options(game, options)})
        game.rules.begin(count, resolved)
    except SetupError as error:
        raise UsageError(str(error)) from error
    return count, resolved


def _parse_options(game: Game[Any], options: Sequence[str]) -> Mapping[str, str]:
    known = {option.name: option for option in game.rules.options}
    chosen = {}
    for pair in options:
        name, equals, value = pair.partition("=")
        if name not in known or not equals:
            names = ", ".join(f"{option}=…" for option in known) or "none"
            raise UsageError(f"--option {pair}: {game.title} has the options {names}.")
        values = known[name].allowed_values
        if values and value not in values:
            raise UsageError(f"--option {pair}: {name} must be one of {', '.join(values)}.")
        chosen[name] = value
    return chosen


def _read_setup_file(file: str) -> dict[str, Any]:
    try:
        setup = json.loads(Path(file).read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"Can’t read {file} ({error.strerror}).") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} isn’t JSON.") from error
    if not isinstance(setup, dict):
        raise UsageError(f"{file}: a set-up must be a JSON object.")
    return setup
