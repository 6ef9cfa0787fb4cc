"""Reads the book for the simulated table, from the journal: the table itself gives nobody a state."""

from __future__ import annotations

from companion.history import ReplayError, fold
from companion.journal import Journal
from companion.simulator.dealing import Position


class JournalReader:
    """What the running game's book says now, by replaying it. `journal` should be a connection of its own."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal

    def __call__(self) -> Position | None:
        """None while nothing is played, or if what is kept does not replay."""
        kept = self._journal.running()
        if kept is None:
            return None
        try:
            history = fold(kept)
        except ReplayError:
            return None
        return Position(kept.id, history.state, bool(kept.records) and kept.records[-1].kind == "undo")

    def game(self) -> str | None:
        """The name of the running game."""
        kept = self._journal.running()
        return kept.header.game if kept else None

    def close(self) -> None:
        """Closes the connection."""
        self._journal.close()
