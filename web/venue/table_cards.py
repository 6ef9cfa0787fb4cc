"""The cards on the wall of a venue. Each card is a panel that shows what is going on at one table."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Literal

from flask import Flask, g, render_template

from companion.games import GAMES
from companion.text.messages import TextLike, _
from companion.text.translation import Translator
from companion.venue.club_tables import TableState
from companion.venue.table_messages import WallReport

CLOCK_TOLERANCE, LONGEST_GAME = timedelta(hours=1), timedelta(days=7)
"""How far a table's clock may be ahead of the venue's, and how long ago a game may have begun. Beyond these limits, the
clock must be wrong, and the start of the game is not shown."""
MAX_METERS = 3
"""How many meters a card shows."""

CardState = Literal["playing", "over", "idle", "offline"]


@dataclass(frozen=True)
class ScoreLine:
    """A line of a card on the wall: a player with a score, or a meter with its value. `value` is None for a player
    without a score. `leads`: whether the player has the highest score."""

    label: TextLike
    value: int | None = None
    leads: bool = False
    is_player: bool = True


@dataclass(frozen=True)
class TableCard:
    """A card on the wall: what the wall shows of one table. `game`: the name of the game, for its emblem. `started`:
    when the game began; None if the game is over, or if the table's clock is wrong."""

    name: str
    state: CardState
    game: str
    title: TextLike
    round: int | None
    started: datetime | None
    free_seats: int
    lines: tuple[ScoreLine, ...]


def card_of(table: TableState) -> TableCard:
    """The card on the wall that shows this table."""
    wall = table.wall
    is_playing = wall.game is not None and not wall.over
    return TableCard(
        table.name,
        _state(table),
        wall.game or "",
        game_title(wall),
        wall.round,
        _started(table) if is_playing else None,
        wall.free_seats if table.is_online and is_playing else 0,
        tuple(_lines(wall)),
    )


def _started(table: TableState) -> datetime | None:
    """When the game began; None if the table's clock must be wrong."""
    started, seen = table.wall.started, table.seen
    is_plausible = started and seen and -CLOCK_TOLERANCE <= seen - started <= LONGEST_GAME
    return started if is_plausible else None


def _state(table: TableState) -> CardState:
    if not table.is_online:
        return "offline"
    if table.wall.game is None:
        return "idle"
    return "over" if table.wall.over else "playing"


def game_title(wall: WallReport) -> TextLike:
    """The title of a table's game: translated if this program knows the game, otherwise as the table reports it."""
    known = GAMES.get(wall.game or "")
    return _(known.title) if known else wall.title or wall.game or ""


def _lines(wall: WallReport) -> Iterator[ScoreLine]:
    """Yields the lines of a card on the wall. If each player has a score, these are the players with their scores.
    Otherwise they are the players, followed by the common score or by the first meters."""
    if wall.scores and len(wall.scores) == len(wall.players):
        best = max(wall.scores) if len({*wall.scores}) > 1 else None
        for name, score in zip(wall.players, wall.scores, strict=True):
            yield ScoreLine(name, score, score == best)
        return
    for name in wall.players:
        yield ScoreLine(name)
    if wall.score is not None:
        yield ScoreLine(_("Score"), wall.score, is_player=False)
        return
    for name, value in islice(wall.meters.items(), MAX_METERS):
        yield ScoreLine(_(name), value, is_player=False)


class CardPictures:
    """Renders the cards on the wall as HTML. A card that has not changed is not rendered again. Any thread may use
    it."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._lock = threading.Lock()
        self._rendered: dict[tuple[str, str], tuple[int, str]] = {}
        """The revision at which each table last changed, and its card as HTML, by table and language."""

    def html(self, tables: Iterable[TableState], translator: Translator) -> str:
        """The cards that show these tables, as HTML, one after the other."""
        with self._app.app_context():
            g.translator = translator
            return "".join(self._html(table, translator.code) for table in tables)

    def _html(self, table: TableState, language: str) -> str:
        with self._lock:
            changed, html = self._rendered.get((table.name, language), (-1, ""))
        if changed != table.changed:
            html = render_template("venue/table_card.html", card=card_of(table))
            with self._lock:
                self._rendered[table.name, language] = table.changed, html
        return html
