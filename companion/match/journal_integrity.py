"""Checks whether a journal is sound: its database, the digests of its rows, and the counter beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from companion.match.acknowledged_count import AcknowledgedCount
from companion.match.journal_file_access import connect_in_memory, is_damage
from companion.match.journal_hash_chain import chain_after, chain_start, hash_of
from companion.match.journal_migrations import DIGEST_VERSION, migrate, schema_version
from companion.match.journal_schema import ACT_COLUMNS, CHANGES, GAME_COLUMNS, NOTE_COLUMNS, rows


def is_sound(db: sqlite3.Connection, count: AcknowledgedCount | None) -> bool:
    """Whether the database is intact and has everything that was acknowledged. `count`: what was acknowledged according
    to the counter, the file beside the journal; None if that file can't be read. Raises NewerSchema if a newer version
    of the companion wrote the database, and sqlite3.Error if it can't be read for a reason other than damage."""
    try:
        if schema_version(db) < DIGEST_VERSION:
            with closing(_migrated(db)) as copy:
                return is_sound(copy, count or count_in(copy))  # the oldest journals have no counter
        is_intact = db.execute("PRAGMA integrity_check(1)").fetchone() == ("ok",)
        return is_intact and _are_rows_sound(db) and count is not None and _has_all(db, count)
    except sqlite3.Error as error:
        if is_damage(error):
            return False
        raise


def _migrated(db: sqlite3.Connection) -> sqlite3.Connection:
    """A copy of the database in memory, with the current schema."""
    copy = connect_in_memory()
    try:
        db.backup(copy)
        migrate(copy)
    except BaseException:
        copy.close()
        raise
    return copy


def _are_rows_sound(db: sqlite3.Connection) -> bool:
    """Whether the digest of every row is right."""
    chains = {}
    for *game, checksum in rows(db, "games", (*GAME_COLUMNS, "checksum")):
        if checksum != hash_of(game):
            return False
        chains[game[0]] = chain_start(game)
    for *act, chain in db.execute(f"SELECT {', '.join(ACT_COLUMNS)}, chain FROM acts ORDER BY game, version"):
        before = chains.get(act[0])
        if before is None or chain != chain_after(before, act):
            return False
        chains[act[0]] = chain
    return all(checksum == hash_of(note) for *note, checksum in rows(db, "notes", (*NOTE_COLUMNS, "checksum")))


def _has_all(db: sqlite3.Connection, count: AcknowledgedCount) -> bool:
    """Whether the database has everything that `count` says was acknowledged."""
    found = count_in(db)
    return (
        found.acts >= count.acts
        and found.games >= count.games
        and found.changes >= count.changes
        and (not count.game or chain_of(db, count.game, count.version) == count.chain)
    )


def count_in(db: sqlite3.Connection) -> AcknowledgedCount:
    """Counts everything that is in a database of the current schema."""
    acts, games, changes, last, running = db.execute(
        "SELECT (SELECT count(*) FROM acts), (SELECT count(*) FROM games),"
        " (SELECT CAST(value AS INTEGER) FROM notes WHERE key = ?), (SELECT max(id) FROM games),"
        " (SELECT max(id) FROM games WHERE closed IS NULL)",
        (CHANGES,),
    ).fetchone()
    game = running or last or 0
    version = db.execute("SELECT max(version) FROM acts WHERE game = ?", (game,)).fetchone()[0] or 0
    return AcknowledgedCount(acts, games, changes or 0, game, version, chain_of(db, game, version) or "")


def chain_of(db: sqlite3.Connection, game: int, version: int) -> str | None:
    """The chain value of a game after the act `version`, or before the first act if `version` is 0: a hash of
    everything in the game up to there. None if there is no such act or game."""
    if version:
        found = db.execute("SELECT chain FROM acts WHERE game = ? AND version = ?", (game, version)).fetchone()
        return str(found[0]) if found else None
    found = db.execute(f"SELECT {', '.join(GAME_COLUMNS)} FROM games WHERE id = ?", (game,)).fetchone()
    return chain_start(found) if found else None
