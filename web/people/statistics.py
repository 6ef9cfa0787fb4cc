"""The statistics of a person, from the summaries of finished games.

Law: pure. A person is identified by a name (see `name_key`). Whether a game can be won, and whether it has a score, is
known from how it ended. Nobody wins a game with a common score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from statistics import fmean

from companion.text.messages import Text
from companion.text.player_names import name_key
from web.results.summaries import CommonScore, GameSummary


@dataclass(frozen=True)
class PlayedGame:
    """A finished game as one of its players played it. `won`: whether the player has won; None in a game that nobody
    can win. `score`: the common score, or else the player's own; None if there is neither."""

    game: GameSummary
    seat: int
    won: bool | None
    score: CommonScore | None

    @property
    def month(self) -> date:
        """The month in which the game was played, given as the first day of that month."""
        return self.game.began.date().replace(day=1)

    @property
    def is_together(self) -> bool:
        """Whether all players have won or lost together."""
        return self.game.ending is not None and self.game.ending.won is not None


@dataclass(frozen=True)
class PersonFigures:
    """The results of several games. `won`: how many were won; None if nobody can win. `best` and `average`: the best
    and the mean of the scores; None if there are no scores."""

    games: int
    won: int | None
    best: CommonScore | None
    average: float | None


@dataclass(frozen=True)
class Partner:
    """Somebody who has won or lost games together with the person of a record, and the results of these games."""

    name: str
    figures: PersonFigures


@dataclass(frozen=True)
class Rival:
    """Somebody against whom the person of a record has played. `ahead`: how many games the person has won and the rival
    has not. `behind`: how many the rival has won and the person has not."""

    name: str
    games: int
    ahead: int
    behind: int


@dataclass(frozen=True)
class GameRecord:
    """A person's results in all games with the same title. `streak`: how many of the latest games were won in a row.
    `longest_streak`: the largest number of games that were ever won in a row. `months`: the results of each month,
    newest first. `partners` and `rivals`: those with the most games come first."""

    name: str
    title: Text
    figures: PersonFigures
    streak: int
    longest_streak: int
    months: tuple[tuple[date, PersonFigures], ...]
    partners: tuple[Partner, ...]
    rivals: tuple[Rival, ...]


@dataclass(frozen=True)
class PersonRecord:
    """All results of a person. `months`: the number of games of each month, newest first. `games`: the record in each
    game, the most played game first."""

    plays: tuple[PlayedGame, ...]
    months: tuple[tuple[date, int], ...]
    games: tuple[GameRecord, ...]

    @property
    def minutes(self) -> int:
        """How long the person has played in total, in minutes."""
        return sum(play.game.minutes for play in self.plays)


def plays_of(game: GameSummary) -> Iterator[tuple[str, PlayedGame]]:
    """Yields a pair for each player of a finished game, in the order of the seats: the player's key (see `name_key`),
    and the game as this player played it. Leaves out players for whom the companion played at the end."""
    for seat, name in enumerate(game.players):
        if seat in game.companion_seats:
            continue
        won = None if game.score or game.ending is None else game.ending.won
        if won is None and not game.score and game.ending:
            won = seat in game.ending.winners
        own = game.own_scores[seat] if seat < len(game.own_scores) else None
        yield (
            name_key(name),
            PlayedGame(game, seat, won, game.score or (None if own is None else CommonScore(own, own))),
        )


def game_counts(games: Iterable[GameSummary]) -> Counter[str]:
    """The number of finished games of each person, by `name_key`."""
    return Counter(key for game in games for key in dict(plays_of(game)))


def record_of(key: str, games: Iterable[GameSummary], is_name: Callable[[str], bool]) -> PersonRecord:
    """The record of a person in finished games. `key`: see `name_key`. `is_name` returns whether a name belongs to a
    person; default names such as "Player 1" don't."""
    plays = sorted(_own_plays(key, games), key=lambda play: play.game.began)
    titles = dict.fromkeys(play.game.title for play in plays)
    records = (_game_record(key, [play for play in plays if play.game.title == title], is_name) for title in titles)
    return PersonRecord(
        tuple(plays),
        tuple((month, len(found)) for month, found in _by_month(plays)),
        tuple(sorted(records, key=lambda record: -record.figures.games)),
    )


def _own_plays(key: str, games: Iterable[GameSummary]) -> Iterator[PlayedGame]:
    """Yields each game that a person has played, as the person played it. If the person had several seats, the first
    one counts."""
    for game in games:
        if play := dict(reversed([*plays_of(game)])).get(key):
            yield play


def _game_record(key: str, plays: Sequence[PlayedGame], is_name: Callable[[str], bool]) -> GameRecord:
    streaks = [len([*run]) if won else 0 for won, run in groupby(play.won is True for play in plays)]
    return GameRecord(
        plays[0].game.name,
        plays[0].game.title,
        figures_of(plays),
        streaks[-1],
        max(streaks),
        tuple((month, figures_of(found)) for month, found in _by_month(plays)),
        tuple(_partners(key, [play for play in plays if play.is_together], is_name)),
        tuple(_rivals(key, [play for play in plays if not play.is_together], is_name)),
    )


def figures_of(plays: Sequence[PlayedGame]) -> PersonFigures:
    """The results of a person in several games."""
    results = [play.won for play in plays if play.won is not None]
    scores = [play.score for play in plays if play.score]
    return PersonFigures(
        len(plays),
        sum(results) if results else None,
        max(scores, key=lambda score: score.points, default=None),
        fmean(score.points for score in scores) if scores else None,
    )


def _by_month(plays: Sequence[PlayedGame]) -> list[tuple[date, list[PlayedGame]]]:
    return [(month, [*found]) for month, found in groupby(reversed(plays), key=lambda play: play.month)]


def _partners(key: str, plays: Iterable[PlayedGame], is_name: Callable[[str], bool]) -> list[Partner]:
    shared = _by_other_player(key, plays, is_name)
    found = [Partner(name, figures_of([own for own, _ in pairs])) for name, pairs in shared.items()]
    return sorted(found, key=lambda partner: -partner.figures.games)


def _rivals(key: str, plays: Iterable[PlayedGame], is_name: Callable[[str], bool]) -> list[Rival]:
    found = [
        Rival(
            name,
            len(pairs),
            sum(own.won is True and not theirs.won for own, theirs in pairs),
            sum(theirs.won is True and not own.won for own, theirs in pairs),
        )
        for name, pairs in _by_other_player(key, plays, is_name).items()
    ]
    return sorted(found, key=lambda rival: -rival.games)


def _by_other_player(
    key: str, plays: Iterable[PlayedGame], is_name: Callable[[str], bool]
) -> Mapping[str, list[tuple[PlayedGame, PlayedGame]]]:
    """Maps the name of every other person in these games to a list of pairs. There is a pair for each game that the two
    played: the game as the person with this key played it, and as the other person did. If a name was spelled in
    several ways, the last spelling counts."""
    names: dict[str, str] = {}
    pairs: dict[str, list[tuple[PlayedGame, PlayedGame]]] = {}
    for play in plays:
        for other, theirs in dict(plays_of(play.game)).items():
            name = play.game.players[theirs.seat]
            if other != key and is_name(name):
                names[other] = name
                pairs.setdefault(other, []).append((play, theirs))
    return {names[other]: found for other, found in pairs.items()}
