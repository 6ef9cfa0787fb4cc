"""The standings and the results as CSV, for spreadsheets.

Law: no clock, no generator.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

from companion.text.csv_text import csv_text
from companion.venue.results import StoredResult, has_won
from companion.venue.standings import PlayerStanding


def standings_csv(found: Iterable[PlayerStanding], weeks: Sequence[date]) -> str:
    """The standings as CSV: one line for each player, with the rank, the name, the games, the wins, and the wins of
    each week."""
    head = ("place", "player", "games", "won", *(f"won in week of {week.isoformat()}" for week in weeks))
    return csv_text(head, ((each.rank, each.name, each.games, each.won, *each.by_week) for each in found))


def results_csv(found: Iterable[StoredResult]) -> str:
    """The results as CSV: one line for each player of each result."""
    head = ("played", "table", "game", "id", "seat", "player", "won", "score")
    return csv_text(head, (row for stored in found for row in _rows_of(stored)))


def _rows_of(stored: StoredResult) -> Iterable[Sequence[object]]:
    result = stored.result
    for seat, name in enumerate(result.players):
        score = result.scores[seat] if result.scores and seat < len(result.scores) else result.result.score
        played = stored.played.isoformat(timespec="seconds")
        yield (played, result.table, result.game, result.id, seat, name, int(has_won(result, seat)), score)
