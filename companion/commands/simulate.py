"""`tablekeeper simulate`: lets policies play whole games, and prints how the games end."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final

from companion.commands import UsageError
from companion.commands.arguments import Subparsers, add_game, add_seats_and_options, add_seed, begin, new_seed, parser
from companion.games import GAMES
from companion.games.game import Game, Policy
from companion.games.rules import HOUSE, Start, State, play
from companion.match.chance_player import ChancePlayer

Outcome = Mapping[str, bool | float | str]

MAX_MOVES: Final = 50_000
"""A game is abandoned after this many moves, because some rules allow endless games. The longest game so far took a
sixth of this number."""


def add(subparsers: Subparsers) -> None:
    """Adds the command `simulate` and its arguments."""
    simulate = parser(
        subparsers,
        "simulate",
        "play whole games and print how they end",
        "tablekeeper simulate systems-failing --games 200 --policy careful --option difficulty=hard",
    )
    add_game(simulate)
    add_seats_and_options(simulate)
    simulate.add_argument("--games", type=int, default=100, metavar="G", help="number of games (100)")
    add_seed(simulate)
    simulate.add_argument(
        "--policy", choices=("random", "careful"), help="who plays (default: careful in commute, else random)"
    )
    simulate.add_argument("--json", action="store_true", help="print one JSON object")
    simulate.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plays the games, and prints their results and how fast they were played."""
    game = GAMES[args.game]
    if args.games < 1:
        raise UsageError("--games must be 1 or more.")
    chosen = args.policy or next(iter(game.analysis.policies))
    if chosen not in game.analysis.policies:
        raise UsageError(f"{game.title} has no {chosen} policy; it has {', '.join(game.analysis.policies)}.")
    seats, start = begin(game, args.seats, args.option)
    seed, policy = new_seed() if args.seed is None else args.seed, game.analysis.policies[chosen]
    began, outcomes, plies, unfinished = time.perf_counter(), list[Outcome](), 0, 0
    for number in range(args.games):
        state, moves = play_out(game, start, policy, f"{seed}/{number}")
        outcomes.append(game.analysis.outcome(state))
        plies, unfinished = plies + moves, unfinished + (moves >= MAX_MOVES)
        _print_progress(number + 1, args.games)
    seconds = time.perf_counter() - began
    results = summarize(outcomes)
    summary = {
        "game": game.name,
        "seats": seats,
        "policy": chosen,
        "seed": seed,
        "games": args.games,
        "left_unfinished": unfinished,
        "moves": plies,
        "games_per_second": round(args.games / seconds, 2),
        "moves_per_second": round(plies / seconds),
        "results": results,
        "compared": list(game.analysis.compare(outcomes)),
    }
    print(json.dumps(summary) if args.json else _summary_text(game, summary))
    return 0


def play_out(game: Game[Any], start: Start[Any], policy: Policy, seed: str) -> tuple[State, int]:
    """Plays a game until it ends, is stuck, or is abandoned after `MAX_MOVES`. Returns the last state and the number of
    moves."""
    state: State = start.state
    house, rng, ply = ChancePlayer(seed, start.script), Random(f"{seed}/policy"), 0
    while (turn := state.turn) is not None and ply < MAX_MOVES and not game.analysis.is_stuck(state):
        if turn == HOUSE:
            state = play(state, house.next_move(state, ply))
        else:
            legal = [move for move in state.legal_moves() if move.seat == turn]
            state = play(state, policy(state.as_known_to(turn), turn, legal, rng))
        ply += 1
    return state, ply


def summarize(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The outcomes of many games in one. By key: the rate of a boolean, the mean of a number, or how often each text
    occurs."""
    summary: dict[str, Any] = {}
    for key in outcomes[0]:
        values = [outcome[key] for outcome in outcomes]
        if isinstance(values[0], str):
            summary[key] = dict(Counter(map(str, values)).most_common())
        else:
            summary[key] = round(sum(map(float, values)) / len(values), 4)
    return summary


def _print_progress(done: int, games: int) -> None:
    """Prints a progress bar to standard error, if that is a terminal."""
    if sys.stderr.isatty():
        filled = 40 * done // games
        end = "\n" if done == games else ""
        print(f"\r[{'#' * filled}{'.' * (40 - filled)}] {done}/{games}", end=end, file=sys.stderr, flush=True)


def _summary_text(game: Game[Any], summary: Mapping[str, Any]) -> str:
    lines = [
        f"{summary['games']} games of {game.title}, {summary['seats']} seats, {summary['policy']} policy "
        f"(seed {summary['seed']})",
        f"{summary['games_per_second']} games a second, {summary['moves_per_second']} moves a second",
    ]
    if unfinished := summary["left_unfinished"]:
        lines.append(f"abandoned after {MAX_MOVES} moves: {unfinished}")
    for key, value in summary["results"].items():
        tally = ", ".join(f"{name} {count}" for name, count in value.items()) if isinstance(value, dict) else value
        lines.append(f"{key}: {tally}")
    if summary["games"] > 1:  # one game says nothing about balance
        lines += _table_lines(game.analysis.legend, summary["compared"])
    return "\n".join(lines)


def _table_lines(legend: str, rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yields the lines of a table: the legend, the column titles, and the rows. The first column is left-aligned, the
    others are right-aligned."""
    if not rows:
        return
    yield from ("", legend, "")
    lines = [
        [*rows[0]],
        *([f"{value:.2f}" if isinstance(value, float) else value for value in row.values()] for row in rows),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *others in lines:
        numbers = (text.rjust(width) for text, width in zip(others, widths[1:], strict=True))
        yield "  ".join((first.ljust(widths[0]), *numbers))
