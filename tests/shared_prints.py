"""Pictures of the games' prints for services under test. Drawing the pictures of one game takes two seconds, so they
are drawn once for all services of a test run."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from filelock import FileLock

from companion.games import GAMES
from companion.simulator.card_images import card_images

_shared: list[Path] = []
"""The folder that all test processes of this run share, if there is one."""


def share_prints(folder: Path) -> None:
    """Keeps the pictures in `folder`, which other processes may use too."""
    _shared.append(folder)


def link_prints(prints: Path) -> None:
    """Links the shared pictures of every game into a service's folder of prints. Pictures that the service draws
    itself, such as those of another board, go only into that folder. Does nothing if `prints` is a file, because one
    test makes this mistake on purpose."""
    if prints.is_file():
        return
    prints.mkdir(parents=True, exist_ok=True)
    for pictures in _drawn():
        link = prints / pictures.name
        if not link.exists():
            link.symlink_to(pictures, target_is_directory=True)


@cache
def _drawn() -> list[Path]:
    """The folder with the pictures of each game."""
    folder = _shared[-1] if _shared else _own_folder()
    with FileLock(folder / "lock"):
        return [card_images(game, folder) for game in GAMES.values()]


def _own_folder() -> Path:
    """A folder that is removed at exit."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
