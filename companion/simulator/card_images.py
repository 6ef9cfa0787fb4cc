"""Pictures of a game's components for the simulated table, drawn like the print sheets. The pictures for a board are
drawn only once, unless the game's art changes."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import companion.drawing
import companion.printing
from companion import games
from companion.games.game import Game
from companion.simulator.scene_contents import Size

PX_PER_MM = 4.0
MAX_FOLDERS_PER_GAME = 6
"""Pictures are kept for this many boards of a game. The least recently used ones are deleted first."""


def card_images(game: Game[Any], folder: Path) -> Path:
    """The folder with the pictures of a game's components, and their `index.json`. Draws the pictures if they are
    missing. Raises OSError if they can't be written."""
    found = folder / f"{game.name}-{_fingerprint(game)}"
    if (found / "index.json").is_file():
        found.touch()
        return found
    # Imported here, because loading it takes a second, and the pictures usually exist.
    from companion.printing.raster import write_textures

    new = folder / f"{game.name}-new"
    shutil.rmtree(new, ignore_errors=True)
    by_use = sorted(folder.glob(f"{game.name}-*"), key=lambda old: old.stat().st_mtime)
    for old in by_use[: 1 - MAX_FOLDERS_PER_GAME]:
        shutil.rmtree(old, ignore_errors=True)
    try:
        write_textures(game, new, PX_PER_MM)
    except OSError:
        shutil.rmtree(new, ignore_errors=True)
        raise
    return new.rename(found)


def component_sizes(folder: Path) -> dict[str, Size]:
    """Maps the code of each component in a folder of pictures to the component's width and height, in mm."""
    index = json.loads((folder / "index.json").read_text("utf-8"))
    return {
        name.removesuffix("/front"): (entry["width_mm"], entry["height_mm"])
        for name, entry in index.items()
        if name.endswith("/front")
    }


def _fingerprint(game: Game[Any]) -> str:
    """A hash of everything that the pictures depend on: the code, data and fonts with which they are drawn. For a board
    that is not the game's usual one, the hash includes its mat."""
    found = hashlib.sha256(f"{PX_PER_MM}".encode())
    for package in (games, companion.drawing, companion.printing):
        for path in sorted(Path(package.__path__[0]).rglob("*")):
            if path.suffix in (".py", ".toml", ".ttf"):
                found.update(path.read_bytes())
    usual = games.GAMES.get(game.name)
    if usual is None or usual.physical.components != game.physical.components:
        from companion.printing.raster import mat_pdf

        found.update(mat_pdf(game))
    return found.hexdigest()[:12]
