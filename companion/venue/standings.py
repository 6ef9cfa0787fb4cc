"""The standings: how often each player has played and won, over several weeks.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate
from typing import Final

from companion.match.replay import MeterCurve
from companion.text.messages import _
from companion.venue.results import WeekOfPlayer

WEEKS: Final = 12
"""How many weeks the standings cover, unless somebody asks for another number."""
MAX_WEEKS: Final = 104
CHARTED: Final = 5
"""How many players the chart shows."""


@dataclass(frozen=True)
class PlayerStanding:
    """A player's line in the standings. `rank`: players with the same number of wins and games have the same
    rank. `by_week`: the wins in each week of the standings, oldest first."""

    rank: int
    name: str
    games: int
    won: int
    by_week: tuple[int, ...]

    @property
    def percent(self) -> int:
        """The percentage of the player's games that the player has won."""
        return round(100 * self.won / self.games)


def last_weeks(today: date, count: int) -> tuple[date, ...]:
    """The Mondays of the last `count` weeks, including this week, oldest first."""
    monday = today - timedelta(days=today.weekday())
    return tuple(monday - timedelta(weeks=n) for n in reversed(range(count)))


def standings(rows: Iterable[WeekOfPlayer], weeks: Sequence[date]) -> tuple[PlayerStanding, ...]:
    """The standings of everyone who has played in these weeks: most wins first; among equal wins, fewest games
    first."""
    by_player: dict[str, list[WeekOfPlayer]] = {}
    for row in sorted(rows, key=lambda row: row.week):
        by_player.setdefault(row.player, []).append(row)
    totals = [
        (-sum(row.won for row in own), sum(row.games for row in own), player) for player, own in by_player.items()
    ]
    totals.sort()
    ranks = {total[:2]: rank for rank, total in reversed([*enumerate(totals, 1)])}
    return tuple(
        PlayerStanding(ranks[lost, games], by_player[player][-1].name, games, -lost, _by_week(by_player[player], weeks))
        for lost, games, player in totals
    )


def _by_week(rows: Iterable[WeekOfPlayer], weeks: Sequence[date]) -> tuple[int, ...]:
    won = {row.week: row.won for row in rows}
    return tuple(won.get(week, 0) for week in weeks)


def curves(found: Sequence[PlayerStanding]) -> tuple[MeterCurve, ...]:
    """A curve for each of the best players: the number of wins so far, after each week since the first win."""
    best = found[:CHARTED]
    highest = max((standing.won for standing in best), default=0)
    first = next((n for n, won in enumerate(zip(*(each.by_week for each in best), strict=True)) if any(won)), 0)
    return tuple(
        # The last value comes twice, so that the step of the last week is visible.
        MeterCurve(_("Games won"), seat, (0, *accumulate(standing.by_week[first:]), standing.won), 0, highest)
        for seat, standing in enumerate(best)
    )
