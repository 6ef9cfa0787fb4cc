"""The statistics of all games with the same title: the results, the players, and how well people shuffled the cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from companion.games import GAMES
from companion.match.shuffle_quality import DealDeviations
from companion.text.messages import Text, TextLike, _
from web.results.summaries import CommonScore, GameSummary


@dataclass(frozen=True)
class PlayerTally:
    """The results of one player in all finished games with the same title. `best` and `average`: the best and the mean
    of the common scores in these games; None if these games have no common score."""

    name: str
    finished: int
    won: int
    best: CommonScore | None
    average: float | None

    @property
    def success(self) -> float:
        """The value by which players are ranked: the mean score, or the number of wins if there are no scores."""
        return self.won if self.average is None else self.average


@dataclass(frozen=True)
class Tally:
    """The statistics of all finished games with the same title.

    `shared_wins`: how many of these games were won; None unless all players win or lose together without a score.
    `best` and `average`: the best and the mean of the common scores; None if these games have none. `minutes`: the mean
    duration."""

    title: Text
    finished: int
    shared_wins: int | None
    best: CommonScore | None
    average: float | None
    minutes: int
    meters: tuple[tuple[TextLike, float, int, int], ...]
    """The name of each meter, and the mean, the lowest and the highest of its final values."""
    players: tuple[PlayerTally, ...]
    """The best player first: the one with the most wins or the highest average."""
    shuffles: tuple[TextLike, ...]
    """For each source that people dealt by hand, whether it was well shuffled."""


def tallies(games: Sequence[GameSummary]) -> Iterator[Tally]:
    """Yields a tally for each game title, such as "Systems Failing", if at least one game with this title has been
    played to its end. What-ifs don't count."""
    for title in dict.fromkeys(game.title for game in games):
        finished = [game for game in games if game.title == title and game.ending and not game.what_if]
        if finished:
            yield _tally(title, finished)


def _tally(title: Text, games: Sequence[GameSummary]) -> Tally:
    shared_results = [
        game.ending.won for game in games if game.ending and game.ending.won is not None and not game.score
    ]
    finals: dict[TextLike, list[int]] = {}
    for name, value in (final for game in games for final in game.finals):
        finals.setdefault(name, []).append(value)
    return Tally(
        title,
        len(games),
        sum(shared_results) if shared_results else None,
        *_best_and_average(games),
        round(fmean(game.minutes for game in games)),
        tuple((name, fmean(values), min(values), max(values)) for name, values in finals.items()),
        tuple(sorted(_player_tallies(games), key=lambda player: -player.success)),
        tuple(_shuffle_verdicts(games)),
    )


def _player_tallies(games: Sequence[GameSummary]) -> Iterator[PlayerTally]:
    """Yields the tally of each person. A seat that the companion played at the end counts for nobody."""
    played: dict[str, list[GameSummary]] = {}
    wins: Counter[str] = Counter()
    for game in games:
        for seat, name in enumerate(game.players):
            if seat not in game.companion_seats:
                played.setdefault(name, []).append(game)
                wins[name] += seat in game.winning_seats
    for name, own in played.items():
        yield PlayerTally(name, len(own), wins[name], *_best_and_average(own))


def _best_and_average(games: Sequence[GameSummary]) -> tuple[CommonScore | None, float | None]:
    scores = [game.score for game in games if game.score]
    if not scores:
        return None, None
    return max(scores, key=lambda score: score.points), fmean(score.points for score in scores)


def _shuffle_verdicts(games: Sequence[GameSummary]) -> Iterator[TextLike]:
    """Yields a sentence for each source that people dealt by hand: whether it was well shuffled."""
    labels = GAMES[games[0].name].rules.chance_sources
    found: dict[str, DealDeviations] = {}
    for source, deviations in (pair for game in games for pair in game.dealt_by_hand.items()):
        found[source] = found[source] + deviations if source in found else deviations
    for source, deviations in found.items():
        yield shuffle_verdict(labels.get(source, source), deviations)


def shuffle_verdict(label: str, deviations: DealDeviations) -> Text:
    """A sentence that says whether a source that people dealt by hand was well shuffled. `label`: the name of the
    source."""
    values: dict[str, Text | int] = {"what": _(label), "draws": deviations.draws}
    match deviations.p_value():
        case None:
            return _("{what}, dealt by hand: {draws} draws are too few to judge the shuffle.", **values)
        case likelihood if likelihood >= 0.05:
            return _(
                "{what}, dealt by hand: well shuffled. {draws} draws look as random as they should.",
                **values,
            )
        case likelihood if likelihood >= 0.01:
            return _(
                "{what}, dealt by hand: maybe not shuffled well. By pure chance, {draws} draws are this uneven less "
                "than 5 times in 100.",
                **values,
            )
    return _(
        "{what}, dealt by hand: not shuffled well. By pure chance, {draws} draws are this uneven less than once in "
        "100. Shuffle longer.",
        **values,
    )
