"""Reads the book for the simulated table, from the journal: the table itself gives nobody a state."""

from __future__ import annotations

from typing import Any

from companion.games.game import Game
from companion.match.history import ReplayError, new_history
from companion.match.journal import Journal, StoredGame
from companion.match.match import Match
from companion.simulator.draw_pile import Position


class JournalReader:
    """What the running game's book says now, by replaying it. `journal` should be a connection of its own."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._read: tuple[tuple[int, int], Position | None] = ((0, 0), None)

    def position(self, game: str) -> Position | None:
        """None while that game is not played, or if what is kept does not replay."""
        stored = self._journal.running()
        if stored is None or stored.header.game != game:
            return None
        now = stored.id, len(stored.records)
        if self._read[0] != now:
            self._read = now, self._replayed(stored)
        return self._read[1]

    def game(self) -> Game[Any] | None:
        """The running game, with the equipment of its board."""
        stored = self._journal.running()
        try:
            return new_history(stored.header).game if stored else None
        except ReplayError:
            return None

    def _replayed(self, stored: StoredGame) -> Position | None:
        try:
            match = Match(self._journal, stored)
        except ReplayError:
            return None
        return Position(
            stored.id, match.state, bool(stored.records) and stored.records[-1].kind == "undo", match.known_instances()
        )

    def close(self) -> None:
        """Closes the connection."""
        self._journal.close()
