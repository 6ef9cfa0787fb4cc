"""The events for open pages of the venue. A page of the wall gets the tables’ cards that have changed (`table_cards`).
A page of the staff gets the report when it has changed.

An event's id is `run.revision`. A page that was opened before the venue's last start gets everything.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field
from typing import NamedTuple

from flask import Flask, g, render_template

from companion.games import move_json
from companion.games.rules import Json
from companion.text.translation import Translator
from companion.venue.club_tables import ClubTables, TableState
from web.venue.free_seats import summary_of
from web.venue.staff_report import StaffReport, staff_report
from web.venue.table_cards import CardPictures

RUN = secrets.token_hex(4)
"""Identifies this run of the venue: a new text at each start."""
EVENT_ID = re.compile(rf"{RUN}\.(\d{{1,12}})", re.ASCII)
NOTHING = -1
"""The revision of a page that shows nothing yet."""


class Screen(NamedTuple):
    """One of the screens that together show all tables of a venue: screen `number` of `screens`, counted from 1.
    Usually there is only one."""

    number: int
    screens: int

    def own(self, tables: tuple[TableState, ...]) -> tuple[TableState, ...]:
        """The tables that this screen shows. All screens show the same number of tables, give or take one."""
        start, end = (len(tables) * n // self.screens for n in (self.number - 1, self.number))
        return tables[start:end]


def parse_screen(text: str) -> Screen:
    """Reads the value of `screen` in a page's address: "2of3" is the second of three screens. Anything else gives a
    single screen that shows all tables."""
    found = re.fullmatch(r"([1-9]\d?)of([1-9]\d?)", text, re.ASCII)
    number, count = (int(found[1]), int(found[2])) if found else (1, 1)
    return Screen(number, count) if number <= count else Screen(1, 1)


def mark_text(revision: int) -> str:
    """The mark of a page that shows this revision. The event that brings a page to this revision has the mark as its
    id."""
    return f"{RUN}.{revision}"


def revision_of(mark: str) -> int:
    """The revision in a mark (see `mark_text`); NOTHING if the mark is from before the venue's last start."""
    found = EVENT_ID.fullmatch(mark)
    return int(found[1]) if found else NOTHING


class WallAudience(NamedTuple):
    """A key shared by all wall pages that can be sent the same events now: pages that have received the same events,
    have the same language, and show the same part of the wall."""

    received: int
    language: str
    screen: Screen


@dataclass
class WallFeed:
    """Makes the events for a page of the wall. `received`: the revision that the page shows."""

    app: Flask
    club_tables: ClubTables
    cards: CardPictures
    translator: Translator
    screen: Screen
    received: int
    gives_shares = False

    def is_due(self, revision: int) -> bool:
        """Whether the page has not yet received the current `revision`."""
        return self.received != revision

    def audience(self) -> WallAudience:
        """The key shared by all wall pages that can be sent the same events as this one."""
        return WallAudience(self.received, self.translator.code, self.screen)

    def new_events(self, audience: object = None) -> str:
        """The text of an event with the HTML of the tables that have changed. If tables were added to the wall or
        removed from it, the event's field `shown` lists all tables on this screen in order; otherwise `shown` is
        null."""
        before, self.received = self.received, self.club_tables.revision
        tables = self.screen.own(self.club_tables.on_wall())
        is_new = self.club_tables.shown_since > before
        changed = tables if is_new else tuple(table for table in tables if table.changed > before)
        data: dict[str, Json] = {
            "shown": [table.name for table in tables] if is_new else None,
            "html": self._summary() + self.cards.html(changed, self.translator),
        }
        return _event_text(self.received, "wall", data)

    def heartbeat(self) -> str:
        """The text of an event without news for the page. It is sent only so that a lost connection is noticed."""
        return _event_text(self.received, "look", {})

    def _summary(self) -> str:
        with self.app.app_context():
            g.translator = self.translator
            return render_template(
                "venue/free_seats.html", summary=summary_of(self.club_tables.on_wall()), club_tables=self.club_tables
            )


class StaffReceived(NamedTuple):
    """The state that a page of the staff has received: the revision of the club's tables, and the report at that
    revision. `report` is None if the page has not received a report yet."""

    revision: int
    report: StaffReport | None = None


@dataclass
class StaffFeed:
    """Makes the events for a page of the staff."""

    app: Flask
    club_tables: ClubTables
    translator: Translator
    received: StaffReceived = field(default_factory=lambda: StaffReceived(NOTHING))
    gives_shares = False

    def is_due(self, revision: int) -> bool:
        """Whether the page has not yet received the current `revision`."""
        return self.received.revision != revision

    def audience(self) -> tuple[StaffReceived, str]:
        """The key shared by all staff pages that can be sent the same events as this one: pages that have received the
        same report and have the same language."""
        return self.received, self.translator.code

    def new_events(self, audience: object = None) -> str:
        """The text of an event with the current report; if the report has not changed, the text of a heartbeat."""
        revision = self.club_tables.revision
        before, self.received = self.received, StaffReceived(revision, staff_report(self.club_tables))
        if before.report == self.received.report:
            return self.heartbeat()
        with self.app.app_context():
            g.translator = self.translator
            html = render_template("venue/staff_report.html", report=self.received.report)
        return _event_text(revision, "staff", {"html": html})

    def heartbeat(self) -> str:
        """The text of an event without news for the page. It is sent only so that a lost connection is noticed."""
        return _event_text(self.received.revision, "look", {})


def _event_text(revision: int, kind: str, data: Json) -> str:
    return f"id: {mark_text(revision)}\nevent: {kind}\ndata: {move_json.dumps(data)}\n\n"
