"""Prints the results of simulated games as text, for `tablekeeper simulate`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from companion.games.game import Game
from companion.playouts.results import LineupDifference, LineupResults
from companion.playouts.series import MAX_MOVES
from companion.playouts.statistics import shares

PLAIN_WIDTH = 160
"""The width of the text if the output is not a terminal, in characters."""


def print_results(game: Game[Any], results: Sequence[LineupResults], differences: Sequence[LineupDifference]) -> None:
    """Prints the results of each line-up, then the differences between them."""
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    if not console.is_terminal:
        console.width = PLAIN_WIDTH
    console.print(f"{results[0].games_per_second} games per second, {results[0].moves_per_second} moves per second")
    for each in results:
        _print_lineup(console, game, each)
    for difference in differences:
        first, other = difference.policies
        console.print(f"\n{other} compared with {first}, in the same games")
        rows = [[key, f"{mean.difference:+.2f}", _range(mean.interval)] for key, mean in difference.means.items()]
        console.print(_table(("", "difference", "95 % interval"), rows))


def _print_lineup(console: Console, game: Game[Any], found: LineupResults) -> None:
    console.print(
        f"\n{found.games} games of {game.title}, {found.seats} seats, {found.policy} policy (seed {found.seed})"
    )
    if found.left_unfinished:
        console.print(f"abandoned after {MAX_MOVES} moves: {found.left_unfinished}")
    console.print(_table(("", "result", "95 % interval"), _rows(found)))
    if found.games > 1 and found.compared:  # one game says nothing about balance
        rows = [[_text(value) for value in row.values()] for row in found.compared]
        console.print(f"\n{game.playouts.legend}\n")
        console.print(_table([*found.compared[0]], rows))


def _rows(found: LineupResults) -> Iterator[list[str]]:
    """Yields the rows of the table of results. A result that counts how often each text has occurred gets a row for
    each text."""
    for key, value in found.results.items():
        if isinstance(value, Mapping):
            intervals = found.intervals_of_counts(key)
            for text, share in shares(value).items():
                yield [f"{key}: {text}", f"{value[text]} = {share:.1%}", _range(intervals[text], "{:.1%}")]
        elif key in found.rates:
            yield [key, f"{value:.1%}", _range(found.interval(key), "{:.1%}")]
        else:
            yield [key, _text(value), _range(found.interval(key))]


def _range(interval: Sequence[float] | None, form: str = "{:.2f}") -> str:
    return " to ".join(map(form.format, interval)) if interval else ""


def _text(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else f"{value}"


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """A table without lines. The first column is left-aligned, the others are right-aligned."""
    table = Table(box=None, pad_edge=False)
    for number, title in enumerate(titles):
        table.add_column(title, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    return table
