"""The pictures of past games in the data folder: after each act, the table as the camera saw it.

They are kept only if the host has agreed, and they never leave this machine by themselves: no backup contains them. A
picture shows only what everyone at the table could see (`vision.public_picture`).
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from companion.match.journal_file_access import PRIVATE_FOLDER

FOLDER = "table-pictures"
"""The folder in the data folder."""
MAX_BYTES = 200_000_000
"""If the pictures take more bytes than this, those of the oldest game are deleted."""


class PictureStore:
    """The pictures in a data folder. Methods that write raise OSError."""

    def __init__(self, data: Path, max_bytes: int = MAX_BYTES) -> None:
        self.folder, self._max_bytes = data / FOLDER, max_bytes
        self._consent = self.folder / "agreed"

    @property
    def is_on(self) -> bool:
        """Whether the host has agreed to the pictures."""
        return self._consent.exists()

    def turn_on(self) -> None:
        """Keeps pictures from now on."""
        self.folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        self._consent.touch()

    def turn_off(self) -> None:
        """Keeps no more pictures, and deletes those that were kept."""
        if self.folder.exists():
            self._consent.unlink(missing_ok=True)
            shutil.rmtree(self.folder)

    def save(self, game: int, started: str, act: int, webp: bytes) -> None:
        """Saves the picture of the table after an act. `started`: when the game was started, as in the journal."""
        folder = self._folder_of(game, started)
        folder.mkdir(PRIVATE_FOLDER, parents=True, exist_ok=True)
        unfinished = folder / "unfinished"
        unfinished.write_bytes(webp)
        unfinished.replace(folder / f"{act}.webp")
        self._delete_oldest(folder)

    def acts(self, game: int, started: str) -> frozenset[int]:
        """The acts of a game after which a picture was kept."""
        return frozenset(int(path.stem) for path in self._folder_of(game, started).glob("*.webp"))

    def picture(self, game: int, started: str, act: int) -> bytes | None:
        """The picture of the table after an act, as WebP; None if there is none."""
        path = self._folder_of(game, started) / f"{act}.webp"
        return path.read_bytes() if path.is_file() else None

    @property
    def size(self) -> int:
        """The size of all pictures in bytes."""
        return sum(path.stat().st_size for path in self.folder.glob("games/*/*.webp"))

    def _folder_of(self, game: int, started: str) -> Path:
        """The folder of a game. Its name contains the game's id and start time: after a backup has been restored,
        another game may have the same id, but not the same start time."""
        return self.folder / "games" / f"{game}-{re.sub('[^0-9]', '', started)}"

    def _delete_oldest(self, current: Path) -> None:
        """Deletes the pictures of the oldest games until the rest is small enough. The current game keeps its
        pictures."""
        games = sorted((self.folder / "games").iterdir(), key=lambda each: each.stat().st_mtime)
        size = self.size
        for folder in games:
            if size <= self._max_bytes or folder == current:
                return
            size -= sum(path.stat().st_size for path in folder.glob("*.webp"))
            shutil.rmtree(folder)
