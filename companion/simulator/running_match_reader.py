"""Reads the running match from the journal for the simulated table, because the service shows nobody a whole
position."""

from __future__ import annotations

from typing import Any

from companion.games.game import Game
from companion.match.history import ReplayError, new_history
from companion.match.journal import Journal
from companion.match.match import Match
from companion.match.stored_game import StoredGame
from companion.simulator.draw_from_pile import MatchSnapshot


class RunningMatchReader:
    """Replays the running game in a journal whenever that game has changed. `journal` should be a connection that
    nothing else uses."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._cached: tuple[tuple[int, int], MatchSnapshot | None] = ((0, 0), None)

    def snapshot(self, game: str) -> MatchSnapshot | None:
        """The running match of the game named `game`; None if no game or another game is running, or if the running
        game can't be replayed."""
        stored = self._journal.running_game()
        if stored is None or stored.header.game != game:
            return None
        key = stored.id, len(stored.records)
        if self._cached[0] != key:
            self._cached = key, self._replay(stored)
        return self._cached[1]

    def game(self) -> Game[Any] | None:
        """The game that is running, with the components of the board on which it is played; None if no game is running,
        or if the running game can't be replayed."""
        stored = self._journal.running_game()
        try:
            return new_history(stored.header).game if stored else None
        except ReplayError:
            return None

    def _replay(self, stored: StoredGame) -> MatchSnapshot | None:
        try:
            match = Match(self._journal, stored)
        except ReplayError:
            return None
        is_after_undo = bool(stored.records) and stored.records[-1].kind == "undo"
        return MatchSnapshot(stored.id, match.state, is_after_undo, match.known_copies())

    def close(self) -> None:
        """Closes the connection to the journal."""
        self._journal.close()
