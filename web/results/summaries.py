"""The summary of a game: who played, how long, and how it ended."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from companion.games.ending import Ending
from companion.games.rules import SPECTATOR
from companion.games.what_if_origin import WhatIfOrigin
from companion.match.replay import Replay
from companion.match.shuffle_quality import DealDeviations
from companion.match.shuffle_verification import ChanceDraw, draws_by_hand
from companion.text.messages import Number, Text, TextLike, _, joined

MAX_STARS = 4
"""The highest rating of a common score, in stars."""


@dataclass(frozen=True)
class CommonScore:
    """A common score, which all players reach together. `highest`: the highest score that is possible. `stars`: the
    rating of the score; None if it has not been rated."""

    points: int
    highest: int
    stars: int | None = None


@dataclass(frozen=True)
class GameSummary:
    """A game in the list of past games. `ending` is how the game ended; None if it was stopped early or is still
    running. `closed` distinguishes these two cases: a running game is not closed."""

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
    """The entries of `finals` for meters that have reached their highest value, if high values are bad."""
    dealt_by_hand: Mapping[str, DealDeviations] = field(default_factory=dict)
    """How far the results that people drew deviate from chance, by chance source. Empty unless the game is closed."""
    score: CommonScore | None = None
    """The common score; None in a game without one."""
    own_scores: tuple[int | None, ...] = ()
    """The score of each player, by seat; None for a player without one."""
    what_if: WhatIfOrigin | None = None
    """The origin of a what-if, which counts in no statistics."""
    companion_seats: Collection[int] = ()
    """The seats that the companion played at the end. The game does not count for their players."""

    @property
    def winning_seats(self) -> tuple[int, ...]:
        """The seats of the winners."""
        if self.ending is None:
            return ()
        return tuple(range(len(self.players))) if self.ending.won else tuple(self.ending.winners)

    @property
    def winners(self) -> tuple[str, ...]:
        """The names of the winners."""
        return tuple(self.players[seat] for seat in self.winning_seats)


def game_summary(replay: Replay) -> GameSummary:
    """The summary of a game, computed from a replay of the game."""
    view, header = replay.at(replay.length, SPECTATOR), replay.stored.header
    common = [meter for meter in view.meters if meter.seat is None]
    meters = [meter for meter in common if not meter.is_score]
    score = next((CommonScore(meter.value, meter.highest) for meter in common if meter.is_score), None)
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


def duration_text(minutes: int) -> Text:
    """How long a game took, such as "25 min"."""
    return _("{n} min", n=minutes) if minutes else _("< 1 min")


def result_text(game: GameSummary) -> TextLike:
    """The result of a game in a few words."""
    if game.ending is None:
        return _("ended early") if game.closed else _("in progress")
    if game.score:
        return _("{points} of {highest} points", points=Number(game.score.points), highest=game.score.highest)
    if game.ending.won is not None:
        result = _("won") if game.ending.won else _("lost")
        figures = (joined(" ", (name, Number(value))) for name, value in (game.ran_out or game.finals)[:1])
        return joined(" · ", (result, *figures))
    match game.winners:
        case ():
            return _("no winner")
        case (name,):
            return _("{name} won", name=name)
    return _("{names} won", names=joined(_(" and "), game.winners))


def stars(score: CommonScore | None) -> str:
    """The rating of a score as a row of stars, such as "★★★☆"; "" if there is no score or no rating."""
    return "" if score is None or score.stars is None else "★" * score.stars + "☆" * (MAX_STARS - score.stars)
