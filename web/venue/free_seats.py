"""The summary above the tables on the wall. It says where there are free seats."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.venue.club_tables import TableState
from web.venue.table_cards import card_of

MAX_NAMED = 4
"""How many tables with free seats the summary names."""


@dataclass(frozen=True)
class FreeSeatsSummary:
    """The games and the free seats at all tables. `playing`: how many games are being played. `free_seats`: how many
    seats are free in these games. `named`: the first tables with free seats, each with its number of free seats.
    `more`: how many other tables have free seats."""

    playing: int
    free_seats: int
    named: tuple[tuple[str, int], ...]
    more: int


def summary_of(tables: Iterable[TableState]) -> FreeSeatsSummary:
    """Counts the games and the free seats at these tables."""
    cards = [card_of(table) for table in tables]
    free = [(card.name, card.free_seats) for card in cards if card.free_seats]
    return FreeSeatsSummary(
        sum(card.state == "playing" for card in cards),
        sum(count for _, count in free),
        tuple(free[:MAX_NAMED]),
        len(free[MAX_NAMED:]),
    )
