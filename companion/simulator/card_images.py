"""The print sheets as pictures, made once for each board and kept until a game's art changes."""

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
from companion.simulator.scene import Size

PX_PER_MM = 4.0
KEPT = 6
"""A game's pictures are kept for so many boards; those that were not used for longest go first."""


def prints(game: Game[Any], folder: Path) -> Path:
    """The folder with the game's pictures and their `index.json`, made if it is not there yet; raises OSError."""
    made = folder / f"{game.name}-{_fingerprint(game)}"
    if (made / "index.json").is_file():
        made.touch()
        return made
    # Imported here: drawing takes a second to load, and most starts find the pictures made.
    from companion.printing.raster import textures

    new = folder / f"{game.name}-new"
    shutil.rmtree(new, ignore_errors=True)
    for old in sorted(folder.glob(f"{game.name}-*"), key=lambda kept: kept.stat().st_mtime)[: 1 - KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    try:
        textures(game, new, PX_PER_MM)
    except OSError:
        shutil.rmtree(new, ignore_errors=True)
        raise
    return new.rename(made)


def sizes(folder: Path) -> dict[str, Size]:
    """Each printed thing's width and height, mm."""
    index = json.loads((folder / "index.json").read_text("utf-8"))
    return {
        name.removesuffix("/front"): (entry["width_mm"], entry["height_mm"])
        for name, entry in index.items()
        if name.endswith("/front")
    }


def _fingerprint(game: Game[Any]) -> str:
    """Changes whenever the board or what draws does. A board that is not the game's usual one is told by what its mat
    looks like."""
    found = hashlib.sha256(f"{PX_PER_MM}".encode())
    for package in (games, companion.drawing, companion.printing):
        for path in sorted(Path(package.__path__[0]).rglob("*")):
            if path.suffix in (".py", ".toml", ".ttf"):
                found.update(path.read_bytes())
    usual = games.GAMES.get(game.name)
    if usual is None or usual.physical.components != game.physical.components:
        from companion.printing.raster import mat_drawing

        found.update(mat_drawing(game))
    return found.hexdigest()[:12]
