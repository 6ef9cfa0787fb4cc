"""The results of simulated games, as `simulate --json` prints them: the results of each line-up of policies, and the
differences between the line-ups.

Law: pure. docs/contract.md describes the JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from companion.games.game import Game
from companion.games.rules import Json
from companion.playouts.series import Playout, Series
from companion.playouts.statistics import (
    FigureSummary,
    Interval,
    IntervalOrCounts,
    MeanDifference,
    differences,
    intervals,
    summarize,
)


class LineupResults(Struct, frozen=True):
    """The results of one line-up. `policy`: the names of its policies, joined with commas. `left_unfinished`: how many
    games were abandoned. `moves`: the number of moves in all games. `games_per_second` and `moves_per_second`: the
    speed of all line-ups together. `results` and `intervals`: the return values of the functions `summarize` and
    `intervals`. `rates`: the names of the results that are rates. `compared`: the rows of a table with which the game
    compares its players."""

    game: str
    seats: int
    policy: str
    seed: str
    games: int
    left_unfinished: int
    moves: int
    games_per_second: float
    moves_per_second: int
    results: Mapping[str, FigureSummary]
    intervals: Mapping[str, IntervalOrCounts]
    rates: Sequence[str]
    compared: Sequence[Mapping[str, str | float]]

    def number(self, key: str) -> float:
        """The result `key`, which is a rate or a mean."""
        value = self.results[key]
        assert not isinstance(value, Mapping)
        return value

    def counts(self, key: str) -> Mapping[str, int]:
        """The result `key`, which counts texts. Maps each text to the number of games with this text."""
        value = self.results[key]
        assert isinstance(value, Mapping)
        return value

    def interval(self, key: str) -> Interval | None:
        """The confidence interval of the result `key`, which is a rate or a mean. None if the result has no
        interval."""
        found = self.intervals.get(key)
        assert not isinstance(found, Mapping)
        return found

    def intervals_of_counts(self, key: str) -> Mapping[str, Interval]:
        """The confidence intervals of the result `key`, which counts texts. Maps each text to its interval."""
        found = self.intervals[key]
        assert isinstance(found, Mapping)
        return found


class LineupDifference(Struct, frozen=True):
    """The difference between the results of two line-ups in the same games: those of the second minus those of the
    first. `policies`: the names of both line-ups. `means`: the difference for each result that is a rate or a mean."""

    policies: tuple[str, str]
    means: Mapping[str, MeanDifference]

    def to_json(self) -> dict[str, Json]:
        """The difference as JSON: an object with the key `policies` and a key for each result."""
        return {"policies": self.policies, **msgspec.to_builtins(self.means)}


def lineup_results(
    game: Game[Any], series: Series, playouts: Sequence[Playout], speed: tuple[float, float]
) -> LineupResults:
    """The results of one line-up. `speed`: games and moves per second of all line-ups together."""
    outcomes = [playout.outcome for playout in playouts]
    return LineupResults(
        game=game.name,
        seats=series.seats,
        policy=series.lineup,
        seed=series.seed,
        games=len(playouts),
        left_unfinished=sum(playout.is_unfinished for playout in playouts),
        moves=sum(playout.moves for playout in playouts),
        games_per_second=round(speed[0], 2),
        moves_per_second=round(speed[1]),
        results=summarize(outcomes),
        intervals=intervals(outcomes),
        rates=[key for key, value in outcomes[0].items() if isinstance(value, bool)],
        compared=list(game.playouts.compare(outcomes)),
    )


def lineup_differences(series: Sequence[Series], played: Sequence[Sequence[Playout]]) -> list[LineupDifference]:
    """The differences between the first line-up and each of the others. `played`: the games of each line-up."""
    first, *others = [[playout.outcome for playout in playouts] for playouts in played]
    return [
        LineupDifference((series[0].lineup, other.lineup), differences(first, outcomes))
        for other, outcomes in zip(series[1:], others, strict=True)
    ]


def results_to_json(results: Sequence[LineupResults], compared: Sequence[LineupDifference]) -> dict[str, Json]:
    """The results as one JSON object. For a single line-up, its results. For several line-ups, the results of each and
    the differences between them."""
    found: list[dict[str, Json]] = [msgspec.to_builtins(each) for each in results]
    return {"lineups": found, "differences": [each.to_json() for each in compared]} if compared else found[0]
