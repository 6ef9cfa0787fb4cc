"""Opens the simulated table of a data folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from companion.games import GAMES
from companion.games.rules import Game
from companion.journal import Journal
from companion.simulator.prints import prints, sizes
from companion.simulator.reading import JournalReader
from companion.simulator.tabletop import Tabletop
from companion.view import View


@dataclass(frozen=True)
class Simulation:
    """The simulated table and the folder with the pictures of what lies on it."""

    tabletop: Tabletop
    prints: Path
    reader: JournalReader

    def follow(self, view: View | None) -> None:
        """Packs up when another game begins, and knows what is amiss; an outlet of the service."""
        if view is not None and view.game.name == self.tabletop.game.name:
            self.tabletop.begin(view.id)
            self.tabletop.hear(frozenset(item.thing for item in view.amiss))

    def close(self) -> None:
        """Closes what it reads from."""
        self.reader.close()


def simulation(data: Path, journal: Path) -> Simulation:
    """The table as it was left, for the game that runs, or else for the first on the shelf that has a mat."""
    reader = JournalReader(Journal(journal))
    game = _game(reader)
    pictures = prints(game, data / "prints")
    return Simulation(Tabletop(game, sizes(pictures), reader, data / "simulated-table.json"), pictures, reader)


def _game(reader: JournalReader) -> Game[Any]:
    running = GAMES.get(reader.game() or "")
    if running and running.equipment.mat:
        return running
    return next(game for game in GAMES.values() if game.equipment.mat)
