"""Short games for tests: Ann and Bob play on phones, with careful moves until the end."""

from __future__ import annotations

from random import Random

from companion.match.journal import Journal
from companion.table.table import Table
from tests.page_states import act
from tests.systems_failing_tables import SEED, hasty_clock, seen
from tests.web_table import WebTable

SHORT = {"commute": {"rounds": "0.5"}}
"""The options with which a game is short, if it has any."""


def start_short_game(game: str, now: list[float] | None = None) -> WebTable:
    """A table on which Ann and Bob begin a short game on phones. `now`: the time of the table's clock, in seconds; None
    for a clock that advances whenever it is read."""
    table = Table(Journal(None), (lambda: now[0]) if now else hasty_clock())
    table.start(game, 2, SHORT.get(game, {}), {}, ("Ann", "Bob"), SEED)
    table.set_phones_only(phones_only=True)
    return WebTable(table)


def play_carefully_to_the_end(table: Table, rng: Random) -> None:
    """Lets careful players play until the game is over."""
    while seen(table).turn is not None:
        act(table, "", rng)
