"""The simulated table of a data folder, laid for whichever game is played."""

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
from companion.simulator.card_images import prints, sizes
from companion.simulator.journal_reader import JournalReader
from companion.simulator.scene import World
from companion.simulator.simulated_table import Tabletop

Listener = Callable[["Simulation", World], None]


class Simulation:
    """The simulated table and the folder with the pictures of what lies on it.

    At first it is laid for the game that runs, or else for the first on the shelf that has a mat; when another game
    begins, or one on another board, it is laid anew.
    """

    def __init__(self, data: Path, journal: Path) -> None:
        self._data, self._reader = data, JournalReader(Journal(journal))
        self._guard = threading.Lock()
        self._listener: Listener = lambda simulation, world: None
        self.tabletop, self.prints = self._lay(self._reader.game() or first_game())

    def _lay(self, game: Game[Any]) -> tuple[Tabletop, Path]:
        game = game if game.physical.components.mat else first_game()
        pictures = prints(game, self._data / "prints")
        read = partial(self._reader.position, game.name)
        return Tabletop(game, sizes(pictures), read, self._data / "simulated-table.json"), pictures

    def listen(self, listener: Listener) -> None:
        """Tells the listener the world now, at every change, and when another game's is laid; it must be quick."""
        self._listener = listener
        self._listen()

    def _listen(self) -> None:
        self.tabletop.follow(lambda world: self._listener(self, world))

    def follow(self, view: View | None) -> None:
        """Packs up when another game begins, and knows what is amiss; an outlet of the service."""
        if view is None or view.game.physical.components.mat is None:
            return
        with self._guard:
            if not laid_for(self.tabletop, view):
                tabletop, pictures = self._lay(view.game)
                tabletop.begin(view.id)
                self.tabletop, self.prints = tabletop, pictures
                self._listen()
        self.tabletop.begin(view.id)
        self.tabletop.keep_up(view.version)
        self.tabletop.hear(frozenset(item.code for item in view.tabletop.discrepancies))

    def close(self) -> None:
        """Closes what it reads from."""
        self._reader.close()


def laid_for(tabletop: Tabletop, view: View) -> bool:
    """Whether a table is laid for the game that is played, and for its board."""
    return view.game.name == tabletop.game.name and view.game.physical.components == tabletop.game.physical.components


def first_game() -> Game[Any]:
    """The first game on the shelf that has a mat."""
    return next(game for game in GAMES.values() if game.physical.components.mat)
