"""The report for the staff: which tables need help, which devices are in trouble, and which tables are offline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from companion.text.messages import TextLike, _
from companion.venue.club_tables import MAX_TABLES, ClubTables, TableState
from web.venue.table_cards import game_title


@dataclass(frozen=True)
class Concern:
    """Something at a table that the staff should look at. `what`: the game, the device or the problem. `says`: a
    sentence about it. `seen`: when the venue last received something from the table, if the table is offline."""

    table: str
    what: TextLike
    says: TextLike = ""
    seen: datetime | None = None


@dataclass(frozen=True)
class StaffReport:
    """The problems that the staff of a venue should look at: a field for each kind of concern. `notices`: problems of
    the venue's own server. `help`: tables whose players need help. `devices`: devices that have failed. `offline`:
    tables that can't be reached. `refused`: tables whose last message the venue could not accept."""

    notices: tuple[TextLike, ...]
    help: tuple[Concern, ...]
    devices: tuple[Concern, ...]
    offline: tuple[Concern, ...]
    refused: tuple[Concern, ...]
    tables: tuple[tuple[str, bool], ...]
    """The name of each table, and whether it is online."""


def staff_report(club_tables: ClubTables) -> StaffReport:
    """Makes the report for the staff of a venue, from what the tables have last sent."""
    tables = club_tables.all()
    online = [table for table in tables if table.is_online]
    return StaffReport(
        tuple(_notices(club_tables)),
        tuple(concern for table in online for concern in _help(table)),
        tuple(
            Concern(table.name, device.device, device.message)
            for table in online
            for device in table.wall.devices
            if not device.ok
        ),
        tuple(Concern(table.name, game_title(table.wall), seen=table.seen) for table in tables if not table.is_online),
        tuple(Concern(table.name, table.problem) for table in tables if table.problem),
        tuple((table.name, table.is_online) for table in tables),
    )


def _notices(club_tables: ClubTables) -> Iterator[TextLike]:
    yield from filter(None, (club_tables.broker_problem, club_tables.result_problem))
    if club_tables.turned_away:
        yield _("There are more than {n} tables. The others aren’t shown.", n=MAX_TABLES)


def _help(table: TableState) -> Iterator[Concern]:
    """Yields a concern if the people at a table need help."""
    if table.wall.needs_help:
        has_failed = any(not device.ok for device in table.wall.devices)
        differs, failed = _("The table doesn’t match the game."), _("A device has failed.")
        says = differs if not table.wall.matches else failed if has_failed else _("The table needs help.")
        yield Concern(table.name, game_title(table.wall), says)
