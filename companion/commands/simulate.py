"""`tablekeeper simulate`: lets policies play whole games, and prints how the games end."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from companion.commands import CommandError, UsageError
from companion.commands.arguments import add_game, add_seats_and_options, add_seed, new_seed, set_up
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.interrupts import sigterm_as_interrupt
from companion.commands.playout_report import print_results
from companion.games import GAMES
from companion.games.game import Game
from companion.playouts.chart import chart
from companion.playouts.results import LineupResults, lineup_differences, lineup_results, results_to_json
from companion.playouts.saved_results import SavedHeader, SavedResults, SavedResultsError, seed_in
from companion.playouts.series import Playout, Series
from companion.playouts.workers import Batch, WorkersError, play_on_cluster, play_on_cores, usable_cores
from companion.version import product_version

BATCH = 4
"""How many games a worker plays at a time. The number is small, so that an interrupt does not have to wait for many
games."""


def add(subparsers: Subparsers) -> None:
    """Adds the command `simulate` and its arguments."""
    simulate = command_parser(
        subparsers,
        "simulate",
        "tablekeeper simulate systems-failing --games 200 --policy careful --option difficulty=hard\n"
        "         tablekeeper simulate traffic-congestion --policy careful,random --policy random\n"
        "         tablekeeper simulate commute --games 10000 --save commute.jsonl --chart commute.svg",
    )
    add_game(simulate)
    add_seats_and_options(simulate)
    simulate.add_argument("--games", type=int, default=100, metavar="G", help="number of games (100)")
    add_seed(simulate)
    simulate.add_argument(
        "--policy",
        action="append",
        metavar="P[,P…]",
        help="how the seats play: random, careful or, in system-won, simple; one policy for all seats, or one for "
        "each (careful in commute, random in other games); if repeated, the same games are played with each line-up, "
        "and the results compared",
    )
    simulate.add_argument("--jobs", type=int, metavar="N", help="number of processes (one for each core)")
    simulate.add_argument("--cluster", metavar="ADDRESS", help="play on the Dask cluster with this scheduler")
    simulate.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="save the result of each game in FILE; if FILE exists, continue after its last game",
    )
    simulate.add_argument("--chart", type=Path, metavar="FILE.svg", help="write a chart of the results")
    simulate.add_argument("--json", action="store_true", help="print one JSON object")
    simulate.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Plays the games, and prints their results and how fast they were played."""
    game = GAMES[args.game]
    if args.chart:
        _check_writable(args.chart)
    try:
        series = _series(game, args)
        began = time.perf_counter()
        with sigterm_as_interrupt():
            played, new = _play(series, args)
        seconds = time.perf_counter() - began
    except (SavedResultsError, WorkersError) as error:
        raise CommandError(str(error)) from error
    speed = len(new) / seconds, sum(playout.moves for playout in new) / seconds
    results = [lineup_results(game, each, playouts, speed) for each, playouts in zip(series, played, strict=True)]
    compared = lineup_differences(series, played)
    if args.json:
        print(json.dumps(results_to_json(results, compared)))
    else:
        print_results(game, results, compared)
    if args.chart:
        _write_chart(args.chart, game, results)
    return 0


def _series(game: Game[Any], args: argparse.Namespace) -> list[Series]:
    """The series that the arguments ask for: one for each line-up of policies. Raises UsageError if an argument is
    wrong, and SavedResultsError if the seed can't be read from the saved results."""
    for name, value in (("--games", args.games), ("--jobs", args.jobs)):
        if value is not None and value < 1:
            raise UsageError(f"{name} must be 1 or more.")
    if args.jobs and args.cluster is not None:
        raise UsageError("--jobs is for this machine; leave it out with --cluster.")
    seats, setup = set_up(game, args.seats, args.option)
    lineups = [_lineup(game, seats, text) for text in args.policy or [next(iter(game.policies.by_name))]]
    if len({*lineups}) < len(lineups):
        raise UsageError("Each --policy must name a different line-up.")
    seed = args.seed if args.seed is not None else (args.save and seed_in(args.save)) or new_seed()
    return [Series.of(game, seats, setup, lineup, seed) for lineup in lineups]


def _lineup(game: Game[Any], seats: int, text: str) -> tuple[str, ...]:
    """The names of the policies in the value of one --policy argument. Raises UsageError for an unknown policy, and if
    there are more names than seats."""
    names = tuple(text.split(","))
    for name in names:
        if name not in game.policies.by_name:
            raise UsageError(f"{game.title} has no {name} policy; it has {', '.join(game.policies.by_name)}.")
    if len(names) > seats:
        raise UsageError(f"--policy {text} names {len(names)} players, but there are {seats} seats.")
    return names


def _play(series: Sequence[Series], args: argparse.Namespace) -> tuple[list[list[Playout]], list[Playout]]:
    """Plays the games whose results are not saved yet. Returns the results of each series, in the order of the games,
    and a list of the new results. Raises SavedResultsError if the file of saved results can't be used, and WorkersError
    if the games can't be played. On Ctrl-C, prints how to continue, and raises KeyboardInterrupt."""
    found: dict[tuple[str, int], Playout] = {}
    new: list[Playout] = []
    with ExitStack() as stack:
        saved = stack.enter_context(closing(SavedResults(args.save, _header(series)))) if args.save else None
        if saved:
            found |= saved.played
        batches = [*_batches(series, args.games, found)]
        progress = stack.enter_context(_progress())
        total = args.games * len(series)
        task = progress.add_task("", total=total, completed=total - sum(len(batch.numbers) for batch in batches))
        results = (
            play_on_cluster(batches, args.cluster)
            if args.cluster is not None
            else play_on_cores(batches, args.jobs or min(usable_cores(), len(batches) or 1))
        )
        stack.enter_context(closing(results))
        try:
            for batch, playouts in results:
                found |= {(batch.series.lineup, playout.number): playout for playout in playouts}
                new += playouts
                if saved:
                    saved.add(batch.series.lineup, playouts)
                progress.advance(task, len(playouts))
        except KeyboardInterrupt:
            if saved:
                progress.stop()
                print(f"{len(found)} of {total} games are in {args.save}; run it again to go on.", file=sys.stderr)
            raise
    return [[found[each.lineup, number] for number in range(args.games)] for each in series], new


def _header(series: Sequence[Series]) -> SavedHeader:
    """The header for a file of saved games: what determines how they are played."""
    first = series[0]
    return SavedHeader(
        game=first.game,
        seats=first.seats,
        setup=json.loads(first.setup),
        policies=[each.lineup for each in series],
        seed=first.seed,
        version=product_version(),
    )


def _batches(series: Sequence[Series], games: int, found: Mapping[tuple[str, int], Playout]) -> Iterator[Batch]:
    """Yields the games that are still to be played. The line-ups take turns, so that they can be compared at any
    time."""
    for first in range(0, games, BATCH):
        for each in series:
            numbers = range(first, min(first + BATCH, games))
            if missing := tuple(number for number in numbers if (each.lineup, number) not in found):
                yield Batch(each, missing)


def _progress() -> Progress:
    """A progress bar with an estimate of the time that is left, on standard error if that is a terminal."""
    console = Console(stderr=True)
    columns = BarColumn(), MofNCompleteColumn(), TextColumn("games,"), TimeRemainingColumn(), TextColumn("left")
    return Progress(*columns, console=console, disable=not console.is_terminal)


def _check_writable(path: Path) -> None:
    """Raises CommandError if a file can't be written. That is checked before the games, which may take hours."""
    try:
        is_new = not path.exists()
        path.open("ab").close()
        if is_new:
            path.unlink()
    except OSError as error:
        raise CommandError(f"{path}: can’t be written ({error.strerror}).") from error


def _write_chart(path: Path, game: Game[Any], results: Sequence[LineupResults]) -> None:
    """Writes a chart of the results. Raises CommandError if the file can't be written."""
    first = results[0]
    players = "" if len(results) > 1 else f", {first.policy} policy"
    title = f"{first.games} games of {game.title}, {first.seats} seats{players}"
    try:
        path.write_text(chart(title, f"seed {first.seed}; the whiskers are 95 % intervals", results), "utf-8")
    except OSError as error:
        raise CommandError(f"{path}: can’t be written ({error.strerror}).") from error
