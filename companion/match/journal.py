"""The journal: all games, each as a list of acts that are durable before they are acknowledged.

Each act is a row, with a line of text for each of its moves; replaying the moves gives the position. `journal_database`
makes the rows durable, and `journal_hash_chain` describes their digests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.games.rules import Json
from companion.games.what_if_origin import WhatIfOrigin
from companion.match.journal_database import Connect, JournalDatabase
from companion.match.journal_error import JournalError
from companion.match.journal_file_access import connect_database
from companion.match.journal_hash_chain import chain_after, chain_start, hash_of
from companion.match.journal_rows import (
    HEADER_COLUMNS,
    RECORD_COLUMNS,
    header_from_row,
    record_from_row,
    row_of_act,
    row_of_game,
    shuffle_column,
)
from companion.match.journal_schema import ACT_COLUMNS, CHANGES, GAME_COLUMNS
from companion.match.stored_game import ActRecord, Header, StoredGame
from companion.match.utc_time import now
from companion.text.messages import TextLike


class Journal:
    """An open journal; without a `path` it is kept in memory. Any thread may use it, because statements and
    transactions never overlap. All methods raise JournalError if the file can't be read or written.

    Opening a journal checks it and repairs any damage, unless another process has the journal open: that process has
    already checked and repaired it. `connect` is the function that opens the database for writing."""

    def __init__(self, path: Path | None, connect: Connect = connect_database) -> None:
        self._database = JournalDatabase(path, connect)

    @classmethod
    def read_only(cls, path: Path) -> Journal:
        """A copy of the journal in memory, made without changing or creating any file. If the journal is damaged, the
        copy has what can be read, and `damage` says what is wrong."""
        journal = cls(None)
        journal.close()
        journal._database = JournalDatabase.read_only(path)
        return journal

    @property
    def damage(self) -> TextLike:
        """A message about what was wrong with the journal when it was opened; "" if nothing was."""
        return self._database.damage

    def reminder_of_damage(self) -> TextLike:
        """What was wrong with the journal when it was repaired, perhaps at an earlier start. "" if it was never
        repaired, or if `confirm_damage` has been called since."""
        return self._database.reminder_of_damage()

    @property
    def has_unconfirmed_damage(self) -> bool:
        """Whether there is damage that has not been confirmed yet (see `confirm_damage`)."""
        return self._database.has_unconfirmed_damage

    def confirm_damage(self) -> None:
        """Records that the host knows of the damage, so that nobody is reminded of it any more."""
        self._database.confirm_damage()

    def close(self) -> None:
        """Closes the database."""
        self._database.close()

    @property
    def needs_restart(self) -> bool:
        """Whether nothing can be stored until the journal is opened again."""
        return self._database.needs_restart

    def saving_problem(self) -> TextLike:
        """Why nothing can be stored now; "" if the journal can be written. The check changes nothing. It waits for a
        transaction in progress to end."""
        return self._database.saving_problem()

    def transaction(self) -> AbstractContextManager[None]:
        """Makes everything that the block writes durable, and records it in the counter. If anything fails, nothing is
        stored. A nested transaction is part of the outer one."""
        return self._database.transaction()

    def open_game(self, header: Header, records: Sequence[ActRecord] = ()) -> StoredGame:
        """Atomically stores a new game with its first acts and closes the running game. Returns the new game."""
        stored = StoredGame(0, header, tuple(records), now(), None)
        with self.transaction():
            self.close_game()
            id = self._insert_game_with_acts(stored)
        return replace(stored, id=id)

    def close_game(self) -> None:
        """Closes the running game, if there is one."""
        with self.transaction():
            for (id,) in self._database.read("SELECT id FROM games WHERE closed IS NULL"):
                self._change_game(id, "closed", now())

    def append(self, game: int, record: ActRecord) -> None:
        """Stores an act of a game. When this returns, the act is durable."""
        act = row_of_act(game, record)
        with self.transaction():
            chain = chain_after(self._last_chain(game), act)
            self._database.insert("acts", (*ACT_COLUMNS, "chain"), (*act, chain))
            count = self._database.count
            self._database.count = replace(count, acts=count.acts + 1, game=game, version=record.version, chain=chain)

    def add(self, stored: StoredGame) -> int:
        """Stores an imported game as a closed one; returns its new id."""
        with self.transaction():
            played = self._database.count
            id = self._insert_game_with_acts(replace(stored, closed=stored.closed or now()))
            self._database.count = replace(
                self._database.count, game=played.game, version=played.version, chain=played.chain
            )
        return id

    def rename_players(self, game: int, players: tuple[str, ...]) -> None:
        """Stores new names for the players of a game."""
        with self.transaction():
            self._change_game(game, "players", json.dumps(players))

    def rename_in_all_games(self, renamed: Callable[[Sequence[str]], Sequence[str]], notes: Mapping[str, Json]) -> None:
        """Atomically renames players in all games and stores notes. `renamed` is called with the names of a game's
        players and returns their new names. The earlier names are then overwritten in the journal's files."""
        with self.transaction():
            for id, stored in self._database.read("SELECT id, players FROM games"):
                before = tuple(json.loads(stored))
                if (players := tuple(renamed(before))) != before:
                    self.rename_players(id, players)
            for key, value in notes.items():
                self.save_note(key, value)
        with suppress(JournalError):  # what is left in the write-ahead log is overwritten later
            self._database.read("PRAGMA wal_checkpoint(TRUNCATE)")

    def change_shuffle(self, game: int, header: Header) -> None:
        """Stores the shuffle in `header` as the shuffle of a game, after a round of shares was added or the seed was
        revealed."""
        with self.transaction():
            self._change_game(game, "shuffle", shuffle_column(header))

    def _insert_game_with_acts(self, stored: StoredGame) -> int:
        id = self._insert_game(stored.header, stored.started, stored.closed)
        for record in stored.records:
            self.append(id, record)
        return id

    def _insert_game(self, header: Header, started: str, closed: str | None) -> int:
        id = (self._database.read("SELECT max(id) FROM games")[0][0] or 0) + 1
        game = row_of_game(id, header, started, closed)
        self._database.insert("games", (*GAME_COLUMNS, "checksum"), (*game, hash_of(game)))
        count = self._database.count
        self._database.count = replace(count, games=count.games + 1, game=id, version=0, chain=chain_start(game))
        return id

    def _change_game(self, id: int, column: str, value: str) -> None:
        self._database.write(f"UPDATE games SET {column} = ? WHERE id = ?", (value, id))
        self._database.write("UPDATE games SET checksum = ? WHERE id = ?", (hash_of(self._row_of_game(id)), id))
        self._count_change()

    def _last_chain(self, game: int) -> str:
        """The chain value of the last act of a game; if the game has no acts yet, the value with which its chain
        starts."""
        found = self._database.read("SELECT chain FROM acts WHERE game = ? ORDER BY version DESC LIMIT 1", (game,))
        return str(found[0][0]) if found else chain_start(self._row_of_game(game))

    def _row_of_game(self, id: int) -> tuple[Any, ...]:
        """The values of GAME_COLUMNS for the game with this id."""
        (game,) = self._database.read(f"SELECT {', '.join(GAME_COLUMNS)} FROM games WHERE id = ?", (id,))
        return tuple(game)

    def _count_change(self) -> None:
        count = self._database.count
        self._database.count = replace(count, changes=count.changes + 1)
        self._store_note(CHANGES, str(count.changes + 1))

    def running_game(self) -> StoredGame | None:
        """The game that is not closed; None if there is none."""
        rows = self._database.read("SELECT id FROM games WHERE closed IS NULL ORDER BY id DESC LIMIT 1")
        return self.game(rows[0][0]) if rows else None

    def last_header(self) -> Header | None:
        """The header of the game that was started last, whether it is still running or not; None if there is no
        game."""
        rows = self._database.read(f"SELECT {HEADER_COLUMNS} FROM games ORDER BY started DESC, id DESC LIMIT 1")
        return header_from_row(*rows[0]) if rows else None

    def game(self, id: int) -> StoredGame:
        """The game with this id. Raises KeyError if there is none."""
        if id >= 2**63:  # More than SQLite's integers can hold.
            raise KeyError(id)
        rows = self._database.read(f"SELECT started, closed, {HEADER_COLUMNS} FROM games WHERE id = ?", (id,))
        if not rows:
            raise KeyError(id)
        started, closed, *header = rows[0]
        return StoredGame(id, header_from_row(*header), tuple(self._records(id)), started, closed)

    def original_of(self, origin: WhatIfOrigin, game: str, id: int) -> int | None:
        """The id of the game that a what-if continues; None if that game is not in this journal. The id may differ from
        `origin.game`, because imported games get new ids. `game` and `id`: the name and the id of the what-if
        itself."""
        rows = self._database.read(
            "SELECT id FROM games WHERE started = ? AND game = ? AND id <> ? ORDER BY id = ? DESC, id LIMIT 1",
            (origin.started, game, id, origin.game),
        )
        return rows[0][0] if rows else None

    def _records(self, id: int) -> Iterator[ActRecord]:
        rows = self._database.read(f"SELECT {RECORD_COLUMNS} FROM acts WHERE game = ? ORDER BY version", (id,))
        return (record_from_row(*row) for row in rows)

    def games(self) -> tuple[StoredGame, ...]:
        """All games, oldest first."""
        return tuple(self.game(id) for (id,) in self._database.read("SELECT id FROM games ORDER BY id"))

    def players(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """For each game, oldest first: when it was started, and the names of its players."""
        rows = self._database.read("SELECT started, players FROM games ORDER BY id")
        return tuple((started, tuple(json.loads(players))) for started, players in rows)

    def acts_before(self, id: int) -> int:
        """The number of acts in all games before this one. The versions of this game continue from that number."""
        count: int = self._database.read("SELECT count(*) FROM acts WHERE game < ?", (id,))[0][0]
        return count

    def note(self, key: str) -> Any:
        """The value stored under this key; None if there is none. Notes belong to the table, not to a game: for
        example, who has which seat."""
        rows = self._database.read("SELECT value FROM notes WHERE key = ?", (key,))
        return json.loads(rows[0][0]) if rows else None

    def save_note(self, key: str, value: Any) -> None:
        """Stores a value under this key durably. Notes belong to the table, not to a game."""
        with self.transaction():
            self._store_note(key, json.dumps(value))
            self._count_change()

    def _store_note(self, key: str, value: str) -> None:
        self._database.write(
            "INSERT INTO notes (key, value, checksum) VALUES (?, ?, ?)"
            " ON CONFLICT (key) DO UPDATE SET value = excluded.value, checksum = excluded.checksum",
            (key, value, hash_of((key, value))),
        )
