"""How large does a code look at each place of the picture? Told by those that were found.

Law: pure. All printed codes are of one size, so a few of them tell how the table lies.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from companion.codes import MODULES
from vision.geometry import Code, Points, mean_side_lengths, stack_corners

WELL_KNOWN = (1.0,)
"""In which sizes a code is looked for where many have been found, as multiples of what these tell; it is found if it
is up to 8 % larger or smaller ..."""
KNOWN = (0.93, 1.07)
"""... where some have, or where a size is only tried ..."""
UNKNOWN = (0.82, 0.94, 1.07, 1.22)
"""... and where so few have that they don't tell how the table is tilted."""
MANY, SOME = 16, 8
LIKE_OTHERS = 1.5
"""A code that is so much larger or smaller than most is printed in another size."""
STIFF = 0.1
"""How much of a tilt it takes to be believed; 0.1 codes that show none, far off. Of codes on rendered tables that
others tell, 4 in 1,000 are then more than 8 % off; 13 with twice as much, 25 with half."""


@dataclass(frozen=True, eq=False)
class Scale:
    """The shape of a module, as linear functions of the place: 3 (1, x, y) x 3 (xx, xy, yy). Seen at a slant, sizes go
    down evenly across the picture (one over the depth is linear in it); their squares do not."""

    module_px: float
    """What most of those that were found have."""
    terms: NDArray[np.float64]
    tolerance: tuple[float, ...]

    def metrics(self, middles: Points) -> NDArray[np.float64]:
        """Pixels a module in two directions, wherever they point: n x 2 x 2, symmetric."""
        xx, xy, yy = (np.column_stack([np.ones(len(middles)), middles / 1000]) @ self.terms).T
        values, ways = np.linalg.eigh(np.stack([xx, xy, xy, yy], 1).reshape(-1, 2, 2))
        return np.asarray((ways * np.maximum(values, 1.0)[:, None]) @ ways.swapaxes(1, 2))

    def seen_from(self, x: float, y: float) -> Scale:
        """The same where that pixel is the first."""
        terms = self.terms.copy()
        terms[0] += (np.array([x, y]) / 1000) @ self.terms[1:]
        return replace(self, terms=terms)

    @property
    def sure(self) -> bool:
        """Whether enough codes told it."""
        return self.tolerance != UNKNOWN


def flat_scale(module_px: float) -> Scale:
    """The same everywhere; as a first guess."""
    terms = np.zeros((3, 3))
    terms[0] = module_px, 0, module_px
    return Scale(module_px, terms, KNOWN)


def scale_of(found: Sequence[Code]) -> Scale | None:
    """From the codes that are ours; None without one."""
    ours = [code for code in found if code.id]
    if not ours:
        return None
    quads = stack_corners(ours)
    sides = mean_side_lengths(quads)
    usual = float(np.median(sides))
    like = quads[(sides > usual / LIKE_OTHERS) & (sides < usual * LIKE_OTHERS)]
    shapes, places = shapes_of(like), like.mean(1) / 1000
    about = places.mean(0)
    slopes = np.column_stack([np.ones(len(like)), places - about])
    terms = np.linalg.solve(slopes.T @ slopes + np.diag([0, STIFF, STIFF]), slopes.T @ shapes)
    terms[0] -= about @ terms[1:]
    tolerance = WELL_KNOWN if len(like) >= MANY else KNOWN if len(like) >= SOME else UNKNOWN
    return Scale(usual / MODULES, terms, tolerance)


def shapes_of(quads: NDArray[np.float64]) -> NDArray[np.float64]:
    """What a square's picture has of xx, xy and yy, for a module; the same however it is turned: n x 3. It is the root
    of what the sides' products tell, which for 2 x 2 has a closed form."""
    a, b, c, d = (quads[:, k] / (2 * MODULES) for k in range(4))
    ways = np.stack([b - a + c - d, d - a + c - b])
    x, y = ways[..., 0], ways[..., 1]
    xx, xy, yy = (x * x).sum(0), (x * y).sum(0), (y * y).sum(0)
    area = np.sqrt(np.maximum(xx * yy - xy * xy, 0))
    return np.asarray(np.stack([xx + area, xy, yy + area], 1) / np.sqrt(xx + yy + 2 * area)[:, None])
