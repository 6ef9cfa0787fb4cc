"""Reads the book for the simulated table, from the journal: the table itself gives nobody a state."""

from __future__ import annotations

from typing import Any

from companion.games.game import Game
from companion.match.history import ReplayError, begin
from companion.match.journal import Journal, Kept
from companion.match.match import Match
from companion.simulator.draw_pile import Position


class JournalReader:
    """What the running game's book says now, by replaying it. `journal` should be a connection of its own."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._read: tuple[tuple[int, int], Position | None] = ((0, 0), None)

    def position(self, game: str) -> Position | None:
        """None while that game is not played, or if what is kept does not replay."""
        kept = self._journal.running()
        if kept is None or kept.header.game != game:
            return None
        now = kept.id, len(kept.records)
        if self._read[0] != now:
            self._read = now, self._replayed(kept)
        return self._read[1]

    def game(self) -> Game[Any] | None:
        """The running game, with the equipment of its board."""
        kept = self._journal.running()
        try:
            return begin(kept.header).game if kept else None
        except ReplayError:
            return None

    def _replayed(self, kept: Kept) -> Position | None:
        try:
            match = Match(self._journal, kept)
        except ReplayError:
            return None
        return Position(kept.id, match.state, bool(kept.records) and kept.records[-1].kind == "undo", match.known())

    def close(self) -> None:
        """Closes the connection."""
        self._journal.close()
