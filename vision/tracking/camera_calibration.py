"""The calibration of a camera above a mat, and its JSON. `vision.calibration_store` keeps it across restarts.

Law: pure. A saved calibration speeds up the start. It is valid only while the mat's corners are where they were: a
camera that was moved starts over.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from vision.decoding.module_size_field import MEDIUM_SCALES, NARROW_SCALES, WIDE_SCALES, ModuleSizeField
from vision.geometry import CellGrid, Points

VERSION = 2
SEARCH_SCALES = {1: NARROW_SCALES, 2: MEDIUM_SCALES, 4: WIDE_SCALES}
"""The sets of scales in which codes are searched for, by the number that stands for each of them in the JSON."""
MAX_RATIOS, MAX_RATIO = 8, 4.0
"""At most this many sizes of codes are read from a file, and how much larger one may be than another."""
DECAY = 0.99
"""With each new attempt, the weight of all earlier attempts is multiplied by this factor."""


@dataclass(frozen=True)
class ReadRate:
    """How many attempts to read a code were made in a zone, and how many of them succeeded. Recent attempts weigh
    more."""

    attempts: float = 0.0
    successes: float = 0.0

    def with_attempt(self, success: bool) -> ReadRate:
        """The read rate after one more attempt. `success` says whether the code was read."""
        return ReadRate(self.attempts * DECAY + 1, self.successes * DECAY + success)

    @property
    def rate(self) -> float:
        """Successes per attempt; 1 before the first attempt."""
        return self.successes / self.attempts if self.attempts else 1.0


@dataclass(frozen=True, eq=False)
class Calibration:
    """What has been learned about a camera above a mat.

    `size` is the width and height of the image in pixels. `game` is the game that the mat belongs to. `corners` maps
    the id of each of the mat's four corner codes to where that code is in the image (its corners, in pixels). `marks`
    are the corners of the mat as marked by people (see `MatRegistration.marks`); `corners` then follows from them as
    far as codes were not read. `module_size` says how large a module of a code is at each point of the image. `noise`
    says how much each cell differs from frame to frame, in gray levels. `read_rates` says for each zone how reliably
    codes are read."""

    size: tuple[int, int]
    game: str
    corners: Mapping[str, Points]
    module_size: ModuleSizeField
    noise: CellGrid
    read_rates: Mapping[str, ReadRate]
    marks: Points | None = None


def to_json(calibration: Calibration) -> str:
    """The calibration as JSON."""
    c, field = calibration, calibration.module_size
    return json.dumps(
        {
            "version": VERSION,
            "size": c.size,
            "game": c.game,
            "corners": {name: quad.round(3).tolist() for name, quad in c.corners.items()},
            "scale": {
                "module_px": field.module_px,
                "terms": field.coefficients.tolist(),
                "sizes": next(n for n, scales in SEARCH_SCALES.items() if scales == field.search_scales),
                "ratios": field.ratios,
            },
            "noise": c.noise.round(2).tolist(),
            "zones": {name: [rate.attempts, rate.successes] for name, rate in c.read_rates.items()},
            "marks": None if c.marks is None else c.marks.round(3).tolist(),
        }
    )


def from_json(text: str) -> Calibration | None:
    """The calibration in the JSON `text`; None if it is malformed or of another version."""
    try:
        data = json.loads(text)
        width, height = (int(n) for n in data["size"])
        if data["version"] != VERSION:
            return None
        field = data["scale"]
        return Calibration(
            (width, height),
            str(data["game"]),
            {str(name): finite_table(quad, (4, 2)) for name, quad in data["corners"].items()},
            ModuleSizeField(
                number_up_to(field["module_px"], max(width, height)),
                finite_table(field["terms"], (3, 3)),
                SEARCH_SCALES[field["sizes"]],
                size_ratios(field.get("ratios", [1.0])),  # earlier versions did not save them
            ),
            np.asarray(finite_table(data["noise"]), np.float32),
            {
                str(name): ReadRate(non_negative(attempts), non_negative(successes))
                for name, (attempts, successes) in data["zones"].items()
            },
            None if data.get("marks") is None else finite_table(data["marks"], (4, 2)),  # earlier versions had none
        )
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


def finite_table(data: Any, shape: tuple[int, ...] | None = None) -> Points:
    """`data` as a two-dimensional array. Raises ValueError if a number is not finite, or the array does not have this
    `shape`."""
    table = np.array(data, float)
    if table.ndim != 2 or not np.isfinite(table).all() or shape not in (None, table.shape):
        raise ValueError("no such table")
    return table


def size_ratios(data: Any) -> tuple[float, ...]:
    """`data` as the ratios of a `ModuleSizeField`. Raises ValueError unless there are 1 to MAX_RATIOS, and each is from
    1 / MAX_RATIO to MAX_RATIO."""
    ratios = tuple(number_up_to(ratio, MAX_RATIO) for ratio in data)
    if not 1 <= len(ratios) <= MAX_RATIOS or min(ratios) < 1 / MAX_RATIO:
        raise ValueError("no such ratios")
    return ratios


def non_negative(data: Any) -> float:
    """`data` as a number. Raises ValueError unless it is finite and at least 0."""
    number = float(data)
    if not 0 <= number < math.inf:
        raise ValueError("no such number")
    return number


def number_up_to(data: Any, limit: float) -> float:
    """`data` as a number. Raises ValueError unless it is from 0 to `limit`."""
    number = non_negative(data)
    if number > limit:
        raise ValueError("no such number")
    return number
