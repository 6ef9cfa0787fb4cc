"""The end screens, which the pages and the shared picture show when a game is over: the result, figures about how the
game went, the hands (which everyone may see then), and charts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from companion.games.end_screen import KeyFigure, OpenCard
from companion.games.rules import SPECTATOR
from companion.games.view import View
from companion.match.history import ReplayError
from companion.match.replay import Replay
from companion.table.table import Table
from companion.text.messages import Number, TextLike, _
from web.graphics.charts import Chart, charts
from web.results.summaries import GameSummary, duration_text, game_summary

MAX_CHARTS = 2


class PlayerResult(NamedTuple):
    """A player's result at the end of a game. `score` is None unless the players have scores of their own. `cards`: the
    player's hand."""

    name: str
    score: TextLike | None
    is_winner: bool
    cards: tuple[OpenCard, ...]


@dataclass(frozen=True)
class EndScreen:
    """The end of a game. `headline` says how the game ended, in words for a spectator. `standings`: the players,
    winners first, then those with the highest scores; players with equal scores or without scores are in the order of
    their seats."""

    summary: GameSummary
    headline: TextLike
    figures: tuple[KeyFigure, ...]
    standings: tuple[PlayerResult, ...]
    charts: tuple[Chart, ...]

    @property
    def next_starter(self) -> str:
        """The player who starts if the same people play again: the one next to the player who started this game."""
        return self.summary.players[1 % len(self.summary.players)]

    @property
    def emblems(self) -> tuple[str, ...]:
        """The names of all emblems in the hands."""
        return tuple(dict.fromkeys(card.emblem for each in self.standings for card in each.cards if card.emblem))


def end_screen(replay: Replay) -> EndScreen | None:
    """The end of a game; None if the game was not played to its end."""
    view, summary = replay.at(replay.length, SPECTATOR), game_summary(replay)
    if view.ending is None:
        return None
    return EndScreen(
        summary,
        view.prompt,
        (KeyFigure(_("Time"), duration_text(summary.minutes)), *replay.key_figures()),
        _standings(view, replay.open_hands()),
        _charts(view, replay),
    )


def _standings(view: View, hands: tuple[tuple[OpenCard, ...], ...]) -> tuple[PlayerResult, ...]:
    scores = {meter.seat: meter.value for meter in view.meters if meter.is_score and meter.seat is not None}
    winners = view.ending.winners if view.ending else ()
    seats = sorted(range(view.seats), key=lambda seat: (seat not in winners, -scores.get(seat, 0)))
    return tuple(
        PlayerResult(
            view.names[seat],
            Number(scores[seat]) if seat in scores else None,
            seat in winners,
            hands[seat] if hands else (),
        )
        for seat in seats
    )


def _charts(view: View, replay: Replay) -> tuple[Chart, ...]:
    """The charts of the scores; if the game has no scores, those of all meters. At most MAX_CHARTS, and only for values
    that have changed."""
    scores = {meter.measures or meter.name for meter in view.meters if meter.is_score}
    curves = [curve for curve in replay.curves() if not scores or curve.measures in scores]
    return charts(curves, replay.stored.header.labels, replay.length)[:MAX_CHARTS]


class EndScreens:
    """Makes the end screen of the table's game. The last one is kept, because replaying a game takes much longer than
    rendering a page."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._kept: tuple[object, EndScreen | None] = (None, None)
        """The values on which the last end screen depends, and that end screen."""

    def of(self, view: View | None) -> EndScreen | None:
        """The end screen of the game in `view`; None if there is no game, if the game is still running, or if it can't
        be replayed."""
        if view is None or view.turn is not None:
            return None
        state, kept = (view.id, view.version, view.names, view.position), self._kept
        if kept[0] != state:
            kept = self._kept = (state, self._end_screen(view.id))
        return kept[1]

    def _end_screen(self, id: int) -> EndScreen | None:
        try:
            return end_screen(Replay.from_stored(self._table.journal.game(id)))
        except ReplayError:
            return None
