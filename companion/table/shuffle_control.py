"""The shuffle of the game on the table: its state and its record, the shares of the phones, and revealing the seed."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from companion.match.fair_shuffle import Share
from companion.match.journal import Journal
from companion.match.shuffle_record import ShuffleRecord, is_shuffle_revealed, shuffle_record
from companion.match.shuffle_status import ShuffleStatus
from companion.table.act_performer import ActPerformer
from companion.table.current_game import CurrentGame
from companion.table.table_views import TableViews


class ShuffleControl:
    """The shuffle of a table's game. Any thread may use it: each method takes `lock`, the table's lock."""

    def __init__(
        self, lock: threading.Condition, journal: Journal, game: CurrentGame, acts: ActPerformer, views: TableViews
    ) -> None:
        self._lock, self._journal, self._game, self._acts, self._views = lock, journal, game, acts, views

    def status(self) -> ShuffleStatus | None:
        """The state of the current game's shuffle; None if there is no game, or if it is an old game without a
        checkable shuffle."""
        with self._lock:
            match = self._game.match
            return ShuffleStatus.of(match) if match else None

    def record(self, id: int) -> ShuffleRecord | None:
        """The shuffle of a game as docs/contract.md describes it. Once the shuffle is revealed, it includes the seed,
        the shares and all draws. None for an old game without a checkable shuffle. Raises KeyError if there is no such
        game, ReplayError if the game can't be replayed, and JournalError if the journal can't be read."""
        stored = self._journal.game(id)
        return shuffle_record(stored, self._journal.acts_before(id), is_open=is_shuffle_revealed(stored))

    def add_shares(self, commitment: str, shares: Sequence[Share]) -> None:
        """Mixes the phones' shares into the draws that are still to come. `commitment`: the commitment to the seed of
        the game that the shares are meant for; if that game is no longer running, nothing happens. Raises JournalError
        if the shares can't be stored."""
        with self._lock:
            match = self._game.match
            if match and match.header.shuffle and match.header.shuffle.commitment == commitment:
                match.add_shares(shares)

    def reveal(self) -> None:
        """Reveals the shuffle of the current game if the game has ended. From then on the game's last act can't be
        undone any more. Raises JournalError if this can't be stored."""
        with self._lock:
            if self._game.match:
                self._game.match.open_shuffle()
                self._acts.clear_prompts()
                self._views.notify()
