"""The schema of the journal's database, and the digests by which damaged rows are recognized.

Each act carries a chain value: a SHA-256 over the act and the chain value of the act before it. The chain of a game
starts from a digest of its header. So an act that was changed, removed or moved breaks the chain. Games and
notes, which may change, carry a checksum of their own.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
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
version 3 is `_add_digests`."""
VERSION = len(SCRIPTS)
DIGEST_VERSION = 3
"""The first version of the schema with digests."""

GAME_COLUMNS = (
    *("id", "game", "rules_version", "seats", "setup", "dealers", "seed", "started"),
    *("players", "closed", "shuffle"),
)
"""The columns of a game that its checksum covers. The last three may change; the chain of the game's acts starts from a
hash of the others."""
HEADER_LENGTH = len(GAME_COLUMNS) - 3
ACT_COLUMNS = ("game", "version", "kind", "seat", "request", "moves", "digest", "at", "thing")
"""The columns of an act that its chain value covers."""
NOTE_COLUMNS = ("key", "value")
CHANGES = "changes"
"""The key of the note that counts changes: new names of players, changed notes, and games that have ended."""


class NewerSchema(Exception):
    """The error for a database that was written by a newer version of the program."""

    def __init__(self, version: int) -> None:
        super().__init__(f"it was written by a newer Tablekeeper, schema {version}")


def hash_of(values: Sequence[object]) -> str:
    """The SHA-256 hash of values from a row, as hexadecimal digits."""
    return hashlib.sha256(json.dumps(values, default=repr).encode()).hexdigest()


def chain_start(game: Sequence[object]) -> str:
    """The chain value before the first act of a game: a hash of the data with which the game was started. `game`: the
    values of GAME_COLUMNS in the game's row."""
    return hash_of(game[:HEADER_LENGTH])


def chain_after(before: str, act: Sequence[object]) -> str:
    """The chain value of an act: a hash of the act and of `before`, the chain value of the act before it. So it depends
    on all acts up to this one. `act`: the values of ACT_COLUMNS in the row of the act."""
    return hash_of((before, *act))


def schema_version(db: sqlite3.Connection) -> int:
    """The version of the database's schema. Raises NewerSchema if this program does not know that version."""
    version: int = db.execute("PRAGMA user_version").fetchone()[0]
    if version < 0:
        raise sqlite3.DatabaseError("the number of its schema is damaged")
    if version > VERSION:
        raise NewerSchema(version)
    return version


def migrate(db: sqlite3.Connection) -> None:
    """Updates the schema to the current version, each step in a transaction. Raises NewerSchema if the schema is newer
    than the current version."""
    for number, script in enumerate(SCRIPTS[schema_version(db) :], schema_version(db) + 1):
        db.executescript(f"BEGIN IMMEDIATE; {script}")
        try:
            if number == DIGEST_VERSION:
                _add_digests(db)
            db.execute(f"PRAGMA user_version = {number}")
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise


def _add_digests(db: sqlite3.Connection) -> None:
    """Adds the columns for the shuffle and for the digests, and fills in the digests."""
    for table, column in (("games", "shuffle"), ("acts", "chain"), ("games", "checksum"), ("notes", "checksum")):
        if column not in (row[1] for row in db.execute(f"PRAGMA table_info({table})").fetchall()):
            db.execute(f"ALTER TABLE {table} ADD COLUMN {column} TEXT NOT NULL DEFAULT ''")
    chains = {}
    for game in rows(db, "games", GAME_COLUMNS):
        chains[game[0]] = chain_start(game)
        db.execute("UPDATE games SET checksum = ? WHERE id = ?", (hash_of(game), game[0]))
    for act in rows(db, "acts", ACT_COLUMNS, "ORDER BY game, version"):
        chains[act[0]] = chain = chain_after(chains.get(act[0], ""), act)
        db.execute("UPDATE acts SET chain = ? WHERE game = ? AND version = ?", (chain, *act[:2]))
    for note in rows(db, "notes", NOTE_COLUMNS):
        db.execute("UPDATE notes SET checksum = ? WHERE key = ?", (hash_of(note), note[0]))


def rows(db: sqlite3.Connection, table: str, columns: Iterable[str], order: str = "") -> list[tuple[Any, ...]]:
    """The values of these columns in all rows of a table. `order`: an ORDER BY clause."""
    return db.execute(f"SELECT {', '.join(columns)} FROM {table} {order}").fetchall()
