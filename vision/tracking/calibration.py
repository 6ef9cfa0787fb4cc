"""What the eyes have learned about a camera and its table, kept over restarts.

Law: no clock; `kept` and `keep` are the only I/O. What is kept speeds up the start and is believed only for as long as
the mat's corners are where they were: a camera that was knocked begins anew.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vision.decoding.module_size import MEDIUM_SCALES, NARROW_SCALES, WIDE_SCALES, ModuleSizeField
from vision.geometry import CellGrid, Points

VERSION = 2
TOLERANCES = {len(tolerance): tolerance for tolerance in (NARROW_SCALES, MEDIUM_SCALES, WIDE_SCALES)}
FORGETS = 0.99
"""Each look at a zone makes earlier ones count so much less."""


@dataclass(frozen=True)
class Tally:
    """How often codes that lie in a zone were looked for, and how often they were read at once."""

    looks: float = 0.0
    read: float = 0.0

    def with_look(self, read: bool) -> Tally:
        return Tally(self.looks * FORGETS + 1, self.read * FORGETS + read)

    @property
    def share(self) -> float:
        """0 to 1; 1 as long as nobody looked."""
        return self.read / self.looks if self.looks else 1.0


@dataclass(frozen=True, eq=False)
class Calibration:
    """Of a camera above a mat. `size` is the picture's width and height, `corners` are the mat's codes in pixels,
    `noise` is how much each cell differs from picture to picture, in grey levels; `zones` tells how well each can be
    read."""

    size: tuple[int, int]
    game: str
    corners: Mapping[str, Points]
    scale: ModuleSizeField
    noise: CellGrid
    zones: Mapping[str, Tally]


def as_text(calibration: Calibration) -> str:
    """As JSON."""
    c = calibration
    return json.dumps(
        {
            "version": VERSION,
            "size": c.size,
            "game": c.game,
            "corners": {name: quad.round(3).tolist() for name, quad in c.corners.items()},
            "scale": {
                "module_px": c.scale.module_px,
                "terms": c.scale.coefficients.tolist(),
                "sizes": len(c.scale.search_scales),
            },
            "noise": c.noise.round(2).tolist(),
            "zones": {name: [tally.looks, tally.read] for name, tally in c.zones.items()},
        }
    )


def from_text(text: str) -> Calibration | None:
    """What was kept; None if it can't be read, or comes from another version."""
    try:
        told = json.loads(text)
        width, height = (int(n) for n in told["size"])
        if told["version"] != VERSION:
            return None
        scale = told["scale"]
        return Calibration(
            (width, height),
            str(told["game"]),
            {str(name): numbers(quad, (4, 2)) for name, quad in told["corners"].items()},
            ModuleSizeField(
                within(scale["module_px"], max(width, height)),
                numbers(scale["terms"], (3, 3)),
                TOLERANCES[scale["sizes"]],
            ),
            np.asarray(numbers(told["noise"]), np.float32),
            {str(name): Tally(positive(looks), positive(read)) for name, (looks, read) in told["zones"].items()},
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def numbers(told: Any, shape: tuple[int, ...] | None = None) -> Points:
    """A table of finite numbers; ValueError if it is none, or of another shape."""
    table = np.array(told, float)
    if table.ndim != 2 or not np.isfinite(table).all() or shape not in (None, table.shape):
        raise ValueError("no such table")
    return table


def positive(told: Any) -> float:
    """A finite number of 0 or more."""
    number = float(told)
    if not 0 <= number < math.inf:
        raise ValueError("no such number")
    return number


def within(told: Any, most: float) -> float:
    """A number from 0 to the most that can be."""
    number = positive(told)
    if number > most:
        raise ValueError("no such number")
    return number


def kept(path: Path) -> Calibration | None:
    """What was kept there; None without anything that can be used."""
    try:
        return from_text(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError):
        return None


def keep(path: Path, calibration: Calibration) -> None:
    """Keeps it, whole or not at all. OSError if that can't be done."""
    fresh = path.with_suffix(".new")
    fresh.write_text(as_text(calibration), "utf-8")
    os.replace(fresh, path)
