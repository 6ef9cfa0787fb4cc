"""The print sheets as pictures, made once and kept until a game's art changes."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import companion.games
import companion.printing
from companion.games.rules import Game
from companion.simulator.world import Size

PX_PER_MM = 4.0


def prints(game: Game[Any], folder: Path) -> Path:
    """The folder with the game's pictures and their `index.json`, made if it is not there yet; raises OSError."""
    made = folder / f"{game.name}-{_fingerprint(game)}"
    if (made / "index.json").is_file():
        return made
    # Imported here: drawing takes a second to load, and most starts find the pictures made.
    from companion.printing.raster import textures

    for old in folder.glob(f"{game.name}-*"):
        shutil.rmtree(old, ignore_errors=True)
    new = folder / f"{game.name}-new"
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
    """Changes whenever the board or what draws does."""
    mat = game.equipment.mat
    found = hashlib.sha256(f"{PX_PER_MM} {mat.as_json() if mat else None}".encode())
    for package in (companion.games, companion.printing):
        for path in sorted(Path(package.__path__[0]).rglob("*")):
            if path.suffix in (".py", ".toml", ".ttf"):
                found.update(path.read_bytes())
    return found.hexdigest()[:12]
