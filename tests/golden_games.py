"""Golden games: whole games stored as `tablekeeper play` printed them. The current rules must play them in the same
way.

python -m tests.golden_games systems-failing hard --seed 3 --option difficulty=hard

plays a game with the game's best policy and stores it as `golden-hard.jsonl` in the game's folder. The first line is
the setup. The others are the referee's: ply, move, state. An intended change of the rules shows as a diff.
"""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import companion.games
from companion.commands.arguments import add_game, add_seats_and_options, begin
from companion.games import GAMES, move_json
from companion.games.game import Game, choose_at_random
from companion.games.rules import HOUSE, Json, Move, play
from companion.match.chance_player import ChancePlayer

GAMES_FOLDER = Path(companion.games.__file__).parent


@dataclass(frozen=True)
class Golden:
    """A stored game: its setup and the referee's lines."""

    game: Game[Any]
    seats: int
    options: tuple[str, ...]
    lines: tuple[dict[str, Json], ...]


def golden_games() -> Iterator[Path]:
    """Yields the files of all golden games."""
    yield from sorted(GAMES_FOLDER.glob("*/golden-*.jsonl"))


def folder_of(game: Game[Any]) -> Path:
    """The folder of a game."""
    return Path(inspect.getfile(game.rules.begin)).parent


def load(path: Path) -> Golden:
    """Reads a golden game from its file."""
    header, *lines = (move_json.loads(line) for line in path.read_text().splitlines())
    return Golden(GAMES[header["game"]], header["seats"], tuple(header["options"]), tuple(lines))


def record(game: Game[Any], seats: int | None, options: list[str], seed: str) -> Iterator[Json]:
    """The lines of a golden game's file."""
    count, start = begin(game, seats, options)
    policy = game.policies.by_name.get("careful", choose_at_random)
    state, house, rng, ply = start.state, ChancePlayer(seed, start.script), Random(seed), 0
    yield {"game": game.name, "seats": count, "options": options}
    yield {"ply": ply, "state": state.to_json()}
    move: Move
    while (turn := state.turn) is not None and not game.playouts.is_stuck(state):
        if turn == HOUSE:
            move = house.next_move(state, ply)
        else:
            legal = [move for move in state.legal_moves() if move.seat == turn]
            move = policy(state.as_known_to(turn), turn, legal, rng)
        state, ply = play(state, move), ply + 1
        yield {"ply": ply, "move": move_json.to_json(move), "state": state.to_json()}


def main() -> None:
    """Plays one game, stores it, and prints the path of its file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_game(parser)
    parser.add_argument("name", metavar="NAME", help="what the file is called after the game")
    add_seats_and_options(parser)
    parser.add_argument("--seed", default="golden")
    args = parser.parse_args()
    lines = record(GAMES[args.game], args.seats, args.option, args.seed)
    path = folder_of(GAMES[args.game]) / f"golden-{args.name}.jsonl"
    path.write_text("".join(move_json.dumps(line) + "\n" for line in lines))
    print(path)


if __name__ == "__main__":
    main()
