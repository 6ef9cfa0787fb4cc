"""Updates the database of an older journal to the present schema."""

from __future__ import annotations

import sqlite3

from companion.match.journal_hash_chain import chain_after, chain_start, hash_of
from companion.match.journal_schema import ACT_COLUMNS, GAME_COLUMNS, NOTE_COLUMNS, SCRIPTS, NewerSchema, rows

VERSION = len(SCRIPTS)
DIGEST_VERSION = 3
"""The first version of the schema with digests."""


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
