"""The schema of the journal's database: its tables and their columns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any

SCRIPTS = (
    """
    CREATE TABLE games (
        id INTEGER PRIMARY KEY,
        game TEXT NOT NULL,
        rules_version INTEGER NOT NULL,
        seats INTEGER NOT NULL,
        setup TEXT NOT NULL,
        dealers TEXT NOT NULL,
        players TEXT NOT NULL,
        seed TEXT NOT NULL,
        started TEXT NOT NULL,
        closed TEXT
    );
    CREATE TABLE acts (
        game INTEGER NOT NULL REFERENCES games(id),
        version INTEGER NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('deal', 'move', 'undo', 'redo')),
        seat INTEGER,
        request TEXT,
        moves TEXT NOT NULL,
        digest TEXT NOT NULL,
        at TEXT NOT NULL,
        PRIMARY KEY (game, version)
    );
    CREATE UNIQUE INDEX requests ON acts (game, seat, request) WHERE request IS NOT NULL;
    CREATE TABLE notes (key TEXT PRIMARY KEY, value TEXT NOT NULL);
    """,
    "ALTER TABLE acts ADD COLUMN thing TEXT NOT NULL DEFAULT '';",
    "",
)
"""SQL scripts, each of which updates the schema by one version. Never edit a script that has been released. The step to
version 3 is `_add_digests` in `journal_migrations`."""

GAME_COLUMNS = (
    *("id", "game", "rules_version", "seats", "setup", "dealers", "seed", "started"),
    *("players", "closed", "shuffle"),
)
"""The columns of a game that its checksum covers. The last three may change; the chain of the game's acts starts from a
hash of the others."""
ACT_COLUMNS = ("game", "version", "kind", "seat", "request", "moves", "digest", "at", "thing")
"""The columns of an act that its chain value covers."""
NOTE_COLUMNS = ("key", "value")
CHANGES = "changes"
"""The key of the note that counts changes: new names of players, changed notes, and games that have ended."""


class NewerSchema(Exception):
    """The error for a database that was written by a newer version of the program."""

    def __init__(self, version: int) -> None:
        super().__init__(f"it was written by a newer Tablekeeper, schema {version}")


def rows(db: sqlite3.Connection, table: str, columns: Iterable[str], order: str = "") -> list[tuple[Any, ...]]:
    """The values of these columns in all rows of a table. `order`: an ORDER BY clause."""
    return db.execute(f"SELECT {', '.join(columns)} FROM {table} {order}").fetchall()
