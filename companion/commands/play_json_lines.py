"""`tablekeeper play`: a referee that reads moves and prints positions."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import IO, Any

from companion.commands import CommandError, UsageError
from companion.commands.arguments import add_game, add_seats_and_options, add_seed, begin, new_seed
from companion.commands.command_list import Subparsers, command_parser
from companion.games import GAMES, move_json
from companion.games.rules import REFEREE, Seat, Viewer
from companion.match.chance_player import ChancePlayer
from companion.match.json_lines_protocol import JsonLinesProtocol


def add(subparsers: Subparsers) -> None:
    """Adds the command `play` and its arguments."""
    play = command_parser(
        subparsers,
        "play",
        """echo '{"seat":0,"move":"scavenge"}' | tablekeeper play systems-failing --seed 7 --legal""",
    )
    add_game(play)
    add_seats_and_options(play)
    add_seed(play)
    play.add_argument("--setup", metavar="FILE", help="a JSON file with options, and with the random results to use")
    play.add_argument(
        "--house",
        choices=("auto", "input"),
        default="auto",
        help="who makes chance moves: Tablekeeper (auto) or the input (input)",
    )
    play.add_argument("--seat", type=int, metavar="K", help="print only what this seat may see")
    play.add_argument("--legal", action="store_true", help="list the legal moves with every state")
    play.add_argument("--strict", action="store_true", help="stop at the first refusal")
    moves = play.add_argument("moves", metavar="[MOVES]", help="a file of moves; standard input by default")
    moves.required = False  # before Python 3.13, nargs="?" would find no MOVES if an option follows GAME
    play.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Referees a game until the input ends. With --strict, raises CommandError at the first refusal."""
    game = GAMES[args.game]
    seats, start = begin(game, args.seats, args.option, args.setup)
    house = ChancePlayer(new_seed() if args.seed is None else args.seed, start.script) if args.house == "auto" else None
    protocol = JsonLinesProtocol(game.on_board(start), seats, start.state, house, _viewer(args.seat, seats), args.legal)
    with _open_moves(args.moves) as lines:
        _print(protocol.begin())
        for line in _decoded_lines(lines):
            refused = _print(protocol.judge(line))
            if refused and args.strict:
                raise CommandError(f"Stopped at a refusal (--strict): {refused}")
    return 0


def _viewer(seat: int | None, seats: int) -> Viewer:
    if seat is None:
        return REFEREE
    if not 0 <= seat < seats:
        raise UsageError(f"--seat must be 0 to {seats - 1}.")
    return Seat(seat)


def _open_moves(file: str | None) -> Any:
    if file is None or file == "-":
        return nullcontext(sys.stdin.buffer)
    try:
        return open(file, "rb")
    except OSError as error:
        raise CommandError(f"Can’t read {file} ({error.strerror}).") from error


def _decoded_lines(lines: IO[bytes]) -> Iterator[str]:
    """Yields the lines of the input that are not blank, as text. Invalid UTF-8 is escaped, so the referee refuses the
    line as invalid JSON."""
    for line in lines:
        if text := line.decode("utf-8", "backslashreplace").strip():
            yield text


def _print(answers: Iterable[dict[str, Any]]) -> str:
    """Prints each answer of the referee at once. If the last answer is a refusal, returns its message, else ""."""
    refused = ""
    for answer in answers:
        if answer:
            print(move_json.dumps(answer), flush=True)
        refused = answer.get("error", {}).get("message", "") if answer else "a move of another seat."
    return refused
