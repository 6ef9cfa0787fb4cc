"""The simulated table of a data folder, set up for whichever game is running."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from companion.games import GAMES
from companion.games.game import Game
from companion.games.view import View
from companion.match.journal import Journal
from companion.simulator.card_images import card_images, component_sizes
from companion.simulator.running_match_reader import RunningMatchReader
from companion.simulator.scene_contents import TableScene
from companion.simulator.simulated_table import SimulatedTable

Listener = Callable[["CurrentSimulatedTable", TableScene], None]


class CurrentSimulatedTable:
    """The simulated table, and the folder with the pictures of its components.

    At first the table is set up for the running game or, if none is running, for the first game in `GAMES` that has a
    mat. The table is set up again when another game begins, or the same game on another board.
    """

    def __init__(self, data: Path, journal: Path) -> None:
        self._data, self._reader = data, RunningMatchReader(Journal(journal))
        self._lock = threading.Lock()
        self._listener: Listener = lambda simulation, scene: None
        self.table, self.pictures = self._set_up(self._reader.game() or first_game())

    def _set_up(self, game: Game[Any]) -> tuple[SimulatedTable, Path]:
        game = game if game.physical.components.mat else first_game()
        pictures = card_images(game, self._data / "prints")
        read_match = partial(self._reader.snapshot, game.name)
        path = self._data / "simulated-table.json"
        return SimulatedTable(game, component_sizes(pictures), read_match, path), pictures

    def listen(self, listener: Listener) -> None:
        """Calls `listener` with this object and the scene: now, after every change, and after a new set-up. The
        listener must be quick."""
        self._listener = listener
        self._listen_to_table()

    def _listen_to_table(self) -> None:
        self.table.listen(lambda scene: self._listener(self, scene))

    def follow(self, view: View | None) -> None:
        """Follows a view of the match: sets the simulated table up for the game, moves tokens, and tells the simulated
        table which discrepancies there are. The service calls this for every new view."""
        if view is None or view.game.physical.components.mat is None:
            return
        with self._lock:
            if not is_set_up_for(self.table, view):
                table, pictures = self._set_up(view.game)
                table.start_game(view.id)
                # Readers of both read the folder first, so they never get the new folder with the old table.
                self.table = table
                self.pictures = pictures
                self._listen_to_table()
        self.table.start_game(view.id)
        self.table.sync_tokens(view.version)
        found = (*view.tabletop.discrepancies, *view.tabletop.pending_discrepancies)
        self.table.set_discrepancies(frozenset(each.code for each in found))

    def close(self) -> None:
        """Closes the connection to the journal."""
        self._reader.close()


def is_set_up_for(table: SimulatedTable, view: View) -> bool:
    """Whether a table is set up for the game in a view, on that game's board."""
    return view.game.name == table.game.name and view.game.physical.components == table.game.physical.components


def first_game() -> Game[Any]:
    """The first game in `GAMES` that has a mat."""
    return next(game for game in GAMES.values() if game.physical.components.mat)
