"""The benchmark of the journal for `tablekeeper bench`: storing a move, against a bare row in SQLite; replaying a game,
against decoding its lines; opening the journal at the start, against reading its rows."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

from companion.commands.benchmark_comparison import Comparison, compare
from companion.games import GAMES, move_json
from companion.games.game import choose_at_random
from companion.games.rules import HOUSE, Seat
from companion.match.history import fold
from companion.match.journal import Journal
from companion.match.stored_game import StoredGame
from companion.table.table import Table

STORED_GAMES = 100
"""The number of games in the journal that is opened."""


def journal_benchmark(quick: bool) -> Iterator[Comparison]:
    """Yields three comparisons: for storing a move durably, for replaying a game, and for opening a journal, which
    checks all its games. With `quick`, it runs fewer rounds."""
    rounds = 50 if quick else 300
    with tempfile.TemporaryDirectory() as folder:
        table = _new_table(Path(folder) / "journal.sqlite3")
        bare = _new_plain_database(Path(folder) / "bare.sqlite3")
        row = ("x" * 300,)
        yield compare(
            "a move: checked, stored, durable",
            lambda: _make_move(table),
            "a bare 300-byte row, WAL, synchronous=FULL",
            lambda: bare.execute("INSERT INTO rows VALUES (?)", row),
            rounds,
        )
        bare.close()
    stored = _play_finished_game()
    lines = [line for record in stored.records for line in record.moves]
    yield compare(
        f"a game of {len(lines)} moves, replayed",
        lambda: fold(stored),
        "decoding its lines as JSON",
        lambda: [json.loads(line) for line in lines],
        5 if quick else 20,
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.sqlite3"
        with closing(Journal(path)) as journal:
            for _ in range(STORED_GAMES):
                journal.open_game(stored.header, stored.records)
        yield compare(
            f"a journal of {STORED_GAMES} games, opened and checked",
            lambda: Journal(path).close(),
            "reading its rows",
            lambda: _read_rows(path),
            3 if quick else 10,
        )


def _read_rows(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("SELECT * FROM acts").fetchall()


def _new_plain_database(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    db.execute("CREATE TABLE rows (line TEXT)")
    return db


def _new_table(path: Path | None, journal: Journal | None = None) -> Table:
    table = Table(journal or Journal(path))
    table.start(next(iter(GAMES)), None, {}, {}, (), "bench")
    return table


def _make_move(table: Table) -> None:
    """Makes the next move at the table, no matter whose turn it is. If the game has ended, starts another one
    instead."""
    view = table.view()
    assert view is not None
    if view.turn is None:
        table.start(view.game.name, None, {}, {}, (), str(view.id))
    elif view.choices.pause_label or view.turn == HOUSE:
        table.proceed(None)
    else:
        seen = table.view(Seat(int(view.turn)))
        assert seen is not None
        move = choose_at_random(seen.position, Seat(int(view.turn)), seen.choices.legal, Random(view.version))
        table.submit(None, move_json.to_json(move))


def _play_finished_game() -> StoredGame:
    journal = Journal(None)
    table = _new_table(None, journal)
    view: Any = table.view()
    while view.turn is not None:
        _make_move(table)
        view = table.view()
    return journal.game(1)
