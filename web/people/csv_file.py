"""Finished games as CSV, for spreadsheets.

Law: no clock, no generator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from companion.text.csv_text import csv_text
from companion.text.player_names import clean_name
from web.people.statistics import plays_of
from web.results.summaries import GameSummary

HEAD = ("played", "minutes", "game", "id", "seat", "player", "won", "score")


def games_csv(games: Iterable[GameSummary]) -> str:
    """Finished games as CSV: one line for each player of each game. `won` is empty in a game that nobody can win."""
    return csv_text(HEAD, (row for game in games for row in _rows_of(game)))


def _rows_of(game: GameSummary) -> Iterator[tuple[object, ...]]:
    played = game.began.isoformat(timespec="seconds")
    for _, play in plays_of(game):
        won = None if play.won is None else int(play.won)
        score = play.score.points if play.score else None
        yield played, game.minutes, game.name, game.id, play.seat, clean_name(game.players[play.seat]), won, score
