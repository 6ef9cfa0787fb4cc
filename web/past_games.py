"""Past games: a list with their results and statistics, and each game as a file and as a picture.

A game that is over or closed is open to everyone who has joined, hands included. `looking_back` has the replay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from statistics import fmean

from flask import Blueprint, Response, make_response, redirect, render_template
from werkzeug.wrappers import Response as AnyResponse

from companion.games import GAMES
from companion.games.rules import SPECTATOR
from companion.games.view import Ending
from companion.games.what_if import WhatIf
from companion.match.draw_verification import ChanceDraw, draws_by_hand
from companion.match.game_files import export_lines
from companion.match.history import ReplayError
from companion.match.replay import Replay
from companion.match.shuffle_quality import DealDeviations
from companion.match.stored_game import StoredGame
from companion.text.messages import Number, Text, TextLike, _, joined
from web.charts import charts
from web.context import AppContext
from web.error_responses import RequestError
from web.render import page_title, render
from web.stored_replays import open_replay

MAX_STARS = 4
"""The highest rating of a common score, in stars."""


@dataclass(frozen=True)
class Score:
    """A common score, which all players reach together. `highest`: the highest score that is possible. `stars`: the
    rating of the score; None if it has not been rated."""

    points: int
    highest: int
    stars: int | None = None


@dataclass(frozen=True)
class GameSummary:
    """A game in the list of past games. `ending` is how the game ended; None if it was stopped early or is still
    running. `closed` tells these two apart: a running game is not closed."""

    id: int
    name: str
    title: Text
    players: tuple[str, ...]
    began: datetime
    minutes: int
    acts: int
    closed: bool
    ending: Ending | None
    finals: tuple[tuple[TextLike, int], ...]
    """The name and the final value of each meter that belongs to no player, except the common score."""
    ran_out: tuple[tuple[TextLike, int], ...] = ()
    """The entries of `finals` for meters that reached their highest value, where a high value is bad."""
    dealt_by_hand: Mapping[str, DealDeviations] = field(default_factory=dict)
    """By chance source, how far the results that people drew deviate from chance; only in closed games."""
    score: Score | None = None
    """The common score, in a game where people play for one."""
    own_scores: tuple[int | None, ...] = ()
    """The score of each player, by seat; None for a player without one."""
    what_if: WhatIf | None = None
    """The origin of a what-if, which counts in no statistics."""

    @property
    def winners(self) -> tuple[str, ...]:
        """The names of the winners."""
        if self.ending is None:
            return ()
        return self.players if self.ending.won else tuple(self.players[seat] for seat in self.ending.winners)


@dataclass(frozen=True)
class PlayerTally:
    """How many games a player has finished and won, and the mean of the common scores reached in them, if there are
    any. `best` is the best of these scores."""

    name: str
    finished: int
    won: int
    best: Score | None
    average: float | None

    @property
    def success(self) -> float:
        """What the players are ranked by: the mean score, or else the number of wins."""
        return self.won if self.average is None else self.average


@dataclass(frozen=True)
class Tally:
    """The statistics of all finished games with the same title. `shared_wins` is the number of games that were won if
    all players win or lose together without a score, otherwise None. `best` and `average` are those of the common
    scores, if there are any. `minutes` is the mean duration."""

    title: Text
    finished: int
    shared_wins: int | None
    best: Score | None
    average: float | None
    minutes: int
    meters: tuple[tuple[TextLike, float, int, int], ...]
    """The name of each meter, and the mean, the lowest and the highest of its final values."""
    players: tuple[PlayerTally, ...]
    """The best player first: the one with the most wins or the highest average."""
    shuffles: tuple[TextLike, ...]
    """For each source that people dealt by hand, whether it was well shuffled."""


class PastGames:
    """The handlers of the pages under /games."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._summaries: dict[int, tuple[tuple[str, ...], GameSummary | None]] = {}
        """Cached summaries of closed games, by game id, each with the players' names at that time; None where a replay
        is impossible."""

    def routes(self) -> Blueprint:
        """The blueprint with the routes under /games."""
        routes = Blueprint("past_games", __name__, url_prefix="/games")
        routes.before_request(self._redirect_strangers)
        routes.app_template_global("result_text")(result_text)
        routes.app_template_global("stars")(stars)
        routes.add_url_rule("", view_func=self.list)
        routes.add_url_rule("/<int:id>.jsonl", view_func=self.file)
        routes.add_url_rule("/<int:id>.svg", view_func=self.picture)
        return routes

    def _redirect_strangers(self) -> AnyResponse | None:
        return None if self._context.guest().has_joined else redirect("/join", 303)

    def list(self) -> Response:
        """The page that lists all games with their results."""
        games = self._context.table.journal.games()
        summaries = self.summaries(games)
        return render(
            self._context,
            "games.html",
            None,
            title=page_title(_("Past games")),
            summaries=summaries[::-1],
            tallies=tuple(tallies(summaries)),
            unreadable_count=len(games) - len(summaries),
        )

    def finished(self) -> tuple[GameSummary, ...]:
        """The summaries of all games that were played to their end, oldest first. What-ifs don't count."""
        return tuple(
            game for game in self.summaries(self._context.table.journal.games()) if game.ending and not game.what_if
        )

    def summaries(self, games: Sequence[StoredGame]) -> tuple[GameSummary, ...]:
        """The summaries of the games that the present rules can replay."""
        return tuple(filter(None, map(self._summary, games)))

    def file(self, id: int) -> Response:
        """The whole game as an export file. Raises RequestError if the game is not closed, or if it can't be
        replayed."""
        replay = open_replay(self._context, id)
        if replay.stored.closed is None:
            message = _("The file holds what some players may not know yet; end the game first.")
            raise RequestError(403, "not_closed", message)
        return _download_response(
            "".join(f"{line}\n" for line in export_lines(replay.stored)), f"game-{id}.jsonl", "text/plain"
        )

    def picture(self, id: int) -> Response:
        """The game's charts as an SVG picture."""
        replay = open_replay(self._context, id)
        replay_charts = charts(replay.curves(), replay.stored.header.players, replay.length)
        svg = render_template("picture.svg", charts=replay_charts, summary=game_summary(replay))
        return _download_response(svg, f"game-{id}.svg", "image/svg+xml")

    def _summary(self, stored: StoredGame) -> GameSummary | None:
        """A game's summary; None if the present rules can't replay it."""
        players, summary = self._summaries.get(stored.id, ((), None))
        if players == stored.header.players:
            return summary
        try:
            summary = game_summary(Replay.from_stored(stored))
        except ReplayError:
            summary = None
        if stored.closed or summary is None:
            self._summaries[stored.id] = stored.header.players, summary
        return summary


def game_summary(replay: Replay) -> GameSummary:
    """The summary of a game, computed from a replay of the game."""
    view, header = replay.at(replay.length, SPECTATOR), replay.stored.header
    common = [meter for meter in view.meters if meter.seat is None]
    meters = [meter for meter in common if not meter.is_score]
    score = next((Score(meter.value, meter.highest) for meter in common if meter.is_score), None)
    if score and view.ending:
        score = replace(score, stars=view.ending.rating)
    own_scores = {meter.seat: meter.value for meter in view.meters if meter.is_score}
    return GameSummary(
        replay.stored.id,
        header.game,
        _(view.game.title),
        header.names,
        datetime.fromisoformat(replay.stored.started).astimezone(),
        round(sum(replay.seconds().values()) / 60),
        replay.length,
        replay.stored.closed is not None,
        view.ending,
        tuple((meter.name, meter.value) for meter in meters),
        tuple((meter.name, meter.value) for meter in meters if meter.level == "poor" and meter.value >= meter.highest),
        _dealt_by_hand(replay) if replay.stored.closed else {},
        score,
        tuple(own_scores.get(seat) for seat in range(header.seats)),
        header.what_if,
    )


def _dealt_by_hand(replay: Replay) -> Mapping[str, DealDeviations]:
    draws: dict[str, list[ChanceDraw]] = {}
    for draw in draws_by_hand(replay.history, replay.stored.header.dealers):
        draws.setdefault(draw.source, []).append(draw)
    return {source: DealDeviations.of(found) for source, found in draws.items()}


def result_text(game: GameSummary) -> TextLike:
    """The result of a game in a few words."""
    if game.ending is None:
        return _("ended early") if game.closed else _("being played")
    if game.score:
        return _("{points} of {highest} points", points=Number(game.score.points), highest=game.score.highest)
    if game.ending.won is not None:
        result = _("won") if game.ending.won else _("lost")
        figures = (joined(" ", (name, Number(value))) for name, value in (game.ran_out or game.finals)[:1])
        return joined(", ", (result, *figures))
    match game.winners:
        case ():
            return _("nobody won")
        case (name,):
            return _("{name} won", name=name)
    return _("{names} won", names=joined(_(" and "), game.winners))


def stars(score: Score | None) -> str:
    """The rating of a score as a row of stars, such as "★★★☆"; "" if there is no score or no rating."""
    return "" if score is None or score.stars is None else "★" * score.stars + "☆" * (MAX_STARS - score.stars)


def tallies(games: Sequence[GameSummary]) -> Iterator[Tally]:
    """Yields a tally for each title of a game, such as "Systems Failing", if at least one game with this title has been
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
    for name in dict.fromkeys(name for game in games for name in game.players):
        own = [game for game in games if name in game.players]
        won = sum(game.winners.count(name) for game in own)
        yield PlayerTally(name, sum(game.players.count(name) for game in own), won, *_best_and_average(own))


def _best_and_average(games: Sequence[GameSummary]) -> tuple[Score | None, float | None]:
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
    """A sentence that says whether what people dealt by hand was well shuffled."""
    values: dict[str, Text | int] = {"what": _(label), "draws": deviations.draws}
    match deviations.p_value():
        case None:
            return _("{what}, dealt by hand: {draws} draws are too few to tell how well they were shuffled.", **values)
        case likelihood if likelihood >= 0.05:
            return _(
                "{what}, dealt by hand: well shuffled. {draws} draws differ from perfect chance no more than usual.",
                **values,
            )
        case likelihood if likelihood >= 0.01:
            return _(
                "{what}, dealt by hand: perhaps not shuffled well. Perfect chance brings {draws} draws this uneven in "
                "fewer than 5 of 100 cases.",
                **values,
            )
    return _(
        "{what}, dealt by hand: not shuffled well. Perfect chance brings {draws} draws this uneven in fewer than 1 of "
        "100 cases. Shuffle longer.",
        **values,
    )


def seat_or_table_name(who: int | str, players: Sequence[str]) -> TextLike:
    """The name of a player, or "the table" for the house."""
    return players[who] if isinstance(who, int) else _("the table")


def _download_response(text: str, name: str, mimetype: str) -> Response:
    response = make_response(text)
    response.mimetype = mimetype
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    return response
