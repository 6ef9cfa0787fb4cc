"""The environment of drills: services with temporary data folders, and the pictures of cards that they share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from companion.drill.service_process import COMMAND, ServiceProcess
from companion.games import GAMES
from companion.simulator.card_images import card_images

CAMERA_GAME = "systems-failing"
"""The game that is played in the camera drills."""
PHONE_GAME = "traffic-congestion"
"""The game that is played in the other drills by default. It has no chance moves, so the phones make every move."""


class DrillEnvironment:
    """Creates services, each with a new data folder within `folder`. `game`: the name of the game that phones play.
    `command`: the words of the command line that runs Tablekeeper, such as ("python", "-m", "companion")."""

    def __init__(self, folder: Path, game: str = PHONE_GAME, command: Sequence[str] = COMMAND) -> None:
        self.folder, self.game, self.command = folder, game, command
        self._prints = folder / "prints"
        self._count = 0

    def pictures(self) -> Path:
        """The folder with the pictures of the components of CAMERA_GAME, the game that is played in front of a
        camera."""
        return card_images(GAMES[CAMERA_GAME], self._prints)

    @property
    def prints(self) -> Path:
        """The folder with the pictures of all games' components. All services share it, because drawing takes time."""
        self._prints.mkdir(exist_ok=True)
        return self._prints

    def new_folder(self) -> Path:
        """A new, empty folder."""
        self._count += 1
        folder = self.folder / f"{self._count}"
        folder.mkdir()
        return folder

    def service(self, *options: str, command: Sequence[str] = (), box: str = "none") -> ServiceProcess:
        """A service that has not been started yet. `command` starts the service; by default it is the command of this
        environment. `box` is the path of the service's box; by default the service uses no box, not even one that is
        plugged in."""
        data = self.new_folder()
        (data / "prints").symlink_to(self.prints, target_is_directory=True)
        return ServiceProcess(data, "--box", box, *options, command=command or self.command)
