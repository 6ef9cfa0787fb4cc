"""Finds out what is sound in a damaged journal, and what is missing from it."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.match.acknowledged_count import AcknowledgedCount
from companion.match.journal_file_access import connect_in_memory, copy_readable
from companion.match.journal_hash_chain import chain_after, chain_start, hash_of
from companion.match.journal_migrations import migrate
from companion.match.journal_schema import ACT_COLUMNS, CHANGES, GAME_COLUMNS, NOTE_COLUMNS
from companion.text.messages import Text, _, plural

Row = Mapping[str, Any]
"""A row of a table: its values by column."""

MAX_ROWS = 100_000
"""The greatest number of rows that are looked up one by one in a damaged table if the counter can't be read."""
SPARE_ROWS = 1_000
"""How many rows are looked up in addition to the number that the counter says."""
MAX_ERRORS = 20_000
"""After this many consecutive unreadable rows, the rest of a damaged table is given up. One damaged page can't hide
that many rows. The limit lets the search end within seconds in a file without any readable row."""
PAGE_BYTES = 4096
"""The size of a database's pages, which is SQLite's default."""
PAGE_COUNT = slice(28, 32)
"""The bytes of a database's first page that hold the number of pages."""


@dataclass(frozen=True)
class Salvage:
    """The sound rows of a damaged journal: games, acts and notes. The acts of each game are those before its first
    missing or damaged act. `losses`: sentences that say what is missing; empty if nothing is."""

    games: tuple[Row, ...] = ()
    acts: tuple[Row, ...] = ()
    notes: tuple[Row, ...] = ()
    losses: tuple[Text, ...] = ()


def salvage(db: sqlite3.Connection, count: AcknowledgedCount | None) -> Salvage:
    """Reads what is sound in a damaged database. `count`: what was acknowledged according to the counter, the file
    beside the journal; None if that file can't be read."""
    _tolerate_damage(db)
    bound = count.acts + SPARE_ROWS if count else MAX_ROWS
    found = {row["id"]: row for row in _readable_rows(db, "games", bound) if _is_header(row)}
    by_game: dict[int, list[Row]] = {}
    for row in _readable_rows(db, "acts", bound):
        if isinstance(row["game"], int) and 0 < row["game"] <= bound:
            by_game.setdefault(row["game"], []).append(row)
    acts = {id: _sound_acts(game, by_game.get(id, ())) for id, game in found.items()}
    games = {id: game for id, game in found.items() if acts[id] or _has_checksum(game, GAME_COLUMNS)}
    acts = {id: acts[id] for id in games}
    notes = _readable_rows(db, "notes", bound)
    losses = (
        *_missing_games(games, by_game, count),
        *(_missing_acts(games, acts, by_game, count) or _other_journal(games, acts, count)),
        *(() if _are_changes_sound(games.values(), notes, count) else [OUTDATED]),
    )
    return Salvage(
        tuple(games.values()),
        tuple(act for id in sorted(acts) for act in acts[id]),
        tuple(note for note in notes if _has_checksum(note, NOTE_COLUMNS)),
        losses,
    )


OTHER_JOURNAL = _("The file that counts the moves belongs to another journal. Compare with the table.")
OUTDATED = _("The seats, the players’ names or the end of a game may be out of date.")


def _are_changes_sound(games: Iterable[Row], notes: Collection[Row], count: AcknowledgedCount | None) -> bool:
    """Whether all changes to names, notes and ends of games are stored and undamaged."""
    changes = next((row["value"] for row in notes if row["key"] == CHANGES and _has_checksum(row, NOTE_COLUMNS)), "0")
    return (
        all(_has_checksum(game, GAME_COLUMNS) for game in games)
        and all(_has_checksum(note, NOTE_COLUMNS) for note in notes)
        and (count is None or int(changes) >= count.changes)
    )


def _tolerate_damage(db: sqlite3.Connection) -> None:
    """Lets SQLite read a file whose end is missing, or whose schema is damaged."""
    with suppress(sqlite3.Error):
        db.execute("PRAGMA writable_schema = ON")


def has_tables(db: sqlite3.Connection) -> bool:
    """Whether the schema of a damaged database can still be read, with every table and column."""
    _tolerate_damage(db)
    expected = {"games": GAME_COLUMNS, "acts": ACT_COLUMNS[:-1], "notes": NOTE_COLUMNS}
    try:
        return all(
            {*columns} <= {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
            for table, columns in expected.items()
        )
    except sqlite3.Error:
        return False


@contextmanager
def open_with_new_schema(journal: Path) -> Iterator[sqlite3.Connection]:
    """Opens a copy of a database whose first page, which holds the schema, is damaged. In the copy, this page is
    replaced with the first page of a new journal. That page fits, because every journal has its tables on the same
    pages."""
    with closing(connect_in_memory()) as new:
        migrate(new)
        first_page = bytearray(new.serialize()[:PAGE_BYTES])
    first_page[PAGE_COUNT] = (journal.stat().st_size // PAGE_BYTES).to_bytes(4, "big")
    with tempfile.TemporaryDirectory(prefix="tablekeeper-") as folder:
        copy = Path(folder) / journal.name
        copy_readable(journal, copy)
        with copy.open("r+b") as file:
            file.write(first_page)
        with closing(sqlite3.connect(copy, isolation_level=None)) as db:
            yield db


def _readable_rows(db: sqlite3.Connection, table: str, bound: int) -> list[Row]:
    """The rows of a table that can be read. `bound`: the greatest row id that is looked up one by one if the table is
    damaged."""
    select, found = f"SELECT rowid AS row, * FROM {table} NOT INDEXED", dict[int, Row]()
    is_complete = _add_rows(db, f"{select} ORDER BY rowid", found)
    if not is_complete:
        _add_rows(db, f"{select} ORDER BY rowid DESC", found)
        errors = 0
        for number in range(1, bound + 1):
            is_read = number in found or _add_rows(db, f"{select} WHERE rowid = ?", found, number)
            errors = 0 if is_read else errors + 1
            if errors >= MAX_ERRORS:
                break
    return [found[number] for number in sorted(found)]


def _add_rows(db: sqlite3.Connection, query: str, found: dict[int, Row], *values: int) -> bool:
    """Adds the rows of a query with these values to `found`, by row id, up to the first row that can't be read. Returns
    whether all rows were read."""
    try:
        cursor = db.execute(query, values)
        names = [column[0] for column in cursor.description]
        for row in cursor:
            found[row[0]] = dict(zip(names, row, strict=True))
    except sqlite3.Error:
        return False
    return True


def _values(row: Row, columns: Iterable[str]) -> tuple[Any, ...]:
    """The values of a row. The oldest journals have no column `thing`; its value is "" for them."""
    return tuple(row.get(column, "" if column == "thing" else None) for column in columns)


def _has_checksum(row: Row, columns: Iterable[str]) -> bool:
    """Whether the checksum of a row is right. Rows of older journals, which have no checksum, count as right."""
    return "checksum" not in row or row["checksum"] == hash_of(_values(row, columns))


def _is_header(row: Row) -> bool:
    """Whether the row of a game can be read as a header."""
    try:
        setup, dealers, players = (json.loads(row[column]) for column in ("setup", "dealers", "players"))
    except (TypeError, ValueError, RecursionError):
        return False
    are_names = isinstance(players, list) and all(isinstance(name, str) for name in players)
    return isinstance(setup, dict) and isinstance(dealers, dict) and are_names and len(players) == row["seats"]


def _sound_acts(game: Row, acts: Iterable[Row]) -> list[Row]:
    """The acts of a game before the first one that is missing or damaged."""
    chain, sound = chain_start(_values(game, GAME_COLUMNS)), list[Row]()
    for act in sorted(acts, key=lambda act: str(act["version"]).zfill(20)):
        after = chain_after(chain, _values(act, ACT_COLUMNS))
        if act["version"] == len(sound) + 1 and act.get("chain", after) == after:
            sound.append({**act, "chain": after})
            chain = after
    return sound


def _missing_games(games: Collection[int], by_game: Collection[int], count: AcknowledgedCount | None) -> Iterator[Text]:
    """Yields the message about games that are missing entirely, if there are any."""
    last = max((*games, *by_game, count.game if count else 0), default=0)
    missing = [id for id in range(1, last + 1) if id not in games]
    counted = count.games - len(games) if count else sum(id not in games for id in by_game)
    if len(missing) == counted == 1:
        yield _("Game {game} is missing.", game=missing[0])
    elif len(missing) == counted and missing and missing[-1] - missing[0] == counted - 1:
        yield _("Games {first} to {last} are missing.", first=missing[0], last=missing[-1])
    elif counted > 0:
        yield plural("{n} game is missing.", "{n} games are missing.", counted)


def _missing_acts(
    games: Mapping[int, Row],
    acts: Mapping[int, Sequence[Row]],
    by_game: Mapping[int, Sequence[Row]],
    count: AcknowledgedCount | None,
) -> tuple[Text, ...]:
    """The messages about acts that are missing from games."""
    stated, losses = 0, list[Text]()
    for id, game in games.items():
        known = [act["version"] for act in by_game.get(id, ()) if isinstance(act["version"], int)]
        expected = [len(known), *(version for version in known if version <= len(known) + SPARE_ROWS)]
        if count and count.game == id:
            expected.append(count.version)
        missing = max(expected) - len(acts[id])
        stated += missing
        if missing:
            losses.append(_missing_tail(id, missing, is_running=game["closed"] is None))
    rest = count.acts - stated - sum(map(len, acts.values())) if count and count.games <= len(games) else 0
    if rest > 0:
        losses.append(plural("{n} move of earlier games is missing.", "{n} moves of earlier games are missing.", rest))
    return tuple(losses)


def _other_journal(
    games: Mapping[int, Row], acts: Mapping[int, Sequence[Row]], count: AcknowledgedCount | None
) -> tuple[Text, ...]:
    """The message that the counter belongs to another journal; empty if it belongs to this one. The two belong together
    if their chain values are equal. Call this only if no act seems to be missing."""
    if count is None or count.game not in games:
        return ()
    chain = chain_start(_values(games[count.game], GAME_COLUMNS))
    if count.version:
        chain = acts[count.game][count.version - 1]["chain"]
    return () if chain == count.chain else (OTHER_JOURNAL,)


def _missing_tail(game: int, missing: int, *, is_running: bool) -> Text:
    if is_running:
        return plural(
            "The last move of game {game} is missing. Compare with the table.",
            "The last {n} moves of game {game} are missing. Compare with the table.",
            missing,
            game=game,
        )
    return plural(
        "The last move of game {game} is missing.",
        "The last {n} moves of game {game} are missing.",
        missing,
        game=game,
    )
