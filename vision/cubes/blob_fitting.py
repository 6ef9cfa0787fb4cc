"""A blob of one colour -> the cubes that it shows: how many, and how sure that is.

Law: pure. A camera sees a cube's top, which the flattened mat shows a little away from the camera's foot, and the sides
that face the camera. For every number of cubes that a blob has room for, cubes are moved about until they explain it
best; the number is sure if it explains the blob well and no other one does nearly as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cubes.color_calibration import PX_PER_MM, Floats
from vision.cubes.cube_projection import square_corners
from vision.geometry import Points

Mask = NDArray[np.bool_]
Cube = tuple[float, float, float]
"""Middle in mm, and turn in degrees."""

STEPS: Final = ((1.6, 12.0), (0.8, 6.0), (0.4, 3.0))
"""By how much cubes are moved, mm and degrees, ever finer."""
ROUNDS: Final = 4
SIDE, TOP, EDGE = 1, 2, 3
"""How cubes are drawn; at the edge of a top its brightness blends into that of a side."""
HIDDEN: Final = 0.5
"""A top that can't be seen is half believed."""
CROWD: Final = 3.0
"""No cube stands in another."""
UNEVEN: Final = 0.18
"""A pixel so much brighter or darker than the others of its face belongs to another face."""
LIES_WELL: Final = 0.24
"""The share of a cube's top that may remain unexplained."""
HOPELESS: Final = 0.5
"""When another cube more costs so much more, still more of them are not tried."""
CLEARLY: Final = 0.12
"""By this share of a cube's top another number must explain the blob worse."""
SHADED: Final = (0.02, 0.008)
"""On wood so much of a top, and so much for each cube, differs in brightness from the rest of its face."""
SIDES: Final = 0.1
"""Sides of which this share of a top is in view are seen as such ..."""
ALIKE: Final = 0.02
"""... by the difference of their brightness from the tops'."""
FILLED: Final = 0.03
"""What shows no sides at all must fill its cubes but for this share."""
SLACK: Final = (1.3, 0.86)
"""By how much a blob may be larger than its cubes look apart, or smaller than their tops."""


@dataclass(frozen=True)
class Eye:
    """Where the camera is: the place on the mat right below it, and its height, mm."""

    foot: tuple[float, float]
    height: float


@dataclass(frozen=True, eq=False)
class Blob:
    """A connected area of one colour in a window of the flattened mat. `corner`: the window's, mm; `hidden`: where the
    picture can't tell; `other`: what else is coloured; `tone`: lightness as a share of the blob's own."""

    corner: tuple[float, float]
    shown: Mask
    hidden: Mask
    other: Mask
    tone: Floats

    @cached_property
    def rim(self) -> Mask:
        """Where it is blurred into what lies around."""
        shown, cross = self.shown.astype(np.uint8), np.ones((3, 3), np.uint8)
        return np.asarray(cv2.dilate(shown, cross) > cv2.erode(shown, cross))

    @cached_property
    def clear(self) -> Mask:
        """Where the picture tells for certain whether there is something of a cube; other cubes may hide its sides."""
        return ~(self.hidden | self.other | self.rim)

    @cached_property
    def plain(self) -> Mask:
        """Where its brightness is that of a face."""
        return self.shown & self.clear

    @cached_property
    def elsewhere(self) -> Mask:
        """Where other colours are seen: no top of this one is there."""
        return self.other & ~self.rim


@dataclass(frozen=True, eq=False)
class Solid:
    """A cube, the ground it stands on in mm, and the outlines in pixels of all that is seen of it and of its top."""

    cube: Cube
    base: Floats
    hull: NDArray[np.int32]
    top: NDArray[np.int32]


@dataclass(frozen=True)
class Fit:
    """Cubes that explain a blob, by their places on the mat; `cost` is in tops of cubes, `sure` whether no other number
    would do."""

    cubes: tuple[Cube, ...]
    cost: float
    sure: bool


class Fitter:
    """Fits cubes of one size, seen from one place; what has room for more than `most` of them shows no cubes."""

    def __init__(self, eye: Eye, edge: float, most: int) -> None:
        self._eye, self._edge, self._most = eye, edge, most
        self._lift = edge / (eye.height - edge)
        self._top_px = (edge * PX_PER_MM) ** 2

    def fit(self, blob: Blob) -> Fit:
        """The best explanation of a blob; without any cube if it is too small or too large."""
        tries = sorted(self._tries(blob), key=lambda each: each.cost)
        if not tries:
            return Fit((), float(blob.shown.sum()) / self._top_px, sure=False)
        best, cost = tries[0], tries[0].cost
        rival = min((each.cost for each in tries[1:]), default=math.inf)
        cubes = tuple((x + blob.corner[0], y + blob.corner[1], turn) for x, y, turn in best.cubes)
        sure = cost <= LIES_WELL * len(cubes) and rival - cost >= CLEARLY and not self._flat(blob, best.cubes)
        return Fit(cubes, cost, sure)

    def _flat(self, blob: Blob, cubes: Sequence[Cube]) -> bool:
        """Whether it is of one brightness where cubes would show their sides, or fills them badly: a chip, a coin."""
        drawn = _drawn(blob, [self._solid(blob, cube) for cube in cubes])
        tops, sides = (blob.tone[(drawn == face) & blob.plain] for face in (TOP, SIDE))
        seen, shades = len(sides) / self._top_px, (_unevenness(tops) + _unevenness(sides)) / self._top_px
        if not len(tops) or shades >= SHADED[0] + SHADED[1] * len(cubes):
            return False
        if seen >= SIDES / 2 and abs(np.median(sides) / np.median(tops) - 1) > ALIKE:
            return False
        return bool(seen > SIDES or _wrong(blob, drawn) > FILLED * self._top_px * len(cubes))

    def _tries(self, blob: Blob) -> Iterator[Fit]:
        """The best of every number of cubes, until more of them make no sense."""
        least = math.inf
        for count in self._counts(blob):
            best = self._best(blob, count)
            yield best
            least = min(least, best.cost)
            if best.cost > least + HOPELESS:
                return

    def _counts(self, blob: Blob) -> range:
        """The numbers of cubes that may look like that."""
        area = float(blob.shown.sum() - (blob.shown & blob.rim).sum() / 2) / self._top_px
        rows, columns = np.nonzero(blob.shown)
        lean = self._lean((columns.mean() / PX_PER_MM, rows.mean() / PX_PER_MM), blob.corner)
        apart = 1 + math.sqrt(2) * math.hypot(*lean) / self._edge
        least = max(1, math.ceil(area / apart / SLACK[0]))
        return range(least, 1 + min(math.floor(area / SLACK[1]), self._most + 1 if least <= self._most else 0))

    def _lean(self, at: tuple[float, float], corner: tuple[float, float]) -> tuple[float, float]:
        """How far from its foot a cube's top appears, mm."""
        return (
            (at[0] + corner[0] - self._eye.foot[0]) * self._lift,
            (at[1] + corner[1] - self._eye.foot[1]) * self._lift,
        )

    def _best(self, blob: Blob, count: int) -> Fit:
        """So many cubes, moved about until nothing gets better."""
        solids = [self._solid(blob, cube) for cube in self._start(blob, count)]
        cost = self._cost(blob, solids)
        for step, turn in STEPS:
            for _ in range(ROUNDS):
                before = cost
                for number in range(count):
                    for moved in _nudged(solids[number].cube, step, turn):
                        tried = [*solids[:number], self._solid(blob, moved), *solids[number + 1 :]]
                        if (new := self._cost(blob, tried)) < cost:
                            solids, cost = tried, new
                if cost == before:
                    break
        return Fit(tuple(solid.cube for solid in solids), cost / self._top_px, sure=False)

    def _start(self, blob: Blob, count: int) -> list[Cube]:
        """Cubes in the middles of as many equal parts of the blob."""
        rows, columns = np.nonzero(blob.shown)
        pixels = np.column_stack([columns, rows]).astype(np.float32)
        turn = cv2.minAreaRect(pixels)[2]
        cv2.setRNGSeed(1)
        stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.1)
        middles = cv2.kmeans(pixels, count, np.empty(0), stop, 3, cv2.KMEANS_PP_CENTERS)[2] / PX_PER_MM
        leans = [self._lean((float(x), float(y)), blob.corner) for x, y in middles]
        return [(float(x) - dx / 2, float(y) - dy / 2, turn) for (x, y), (dx, dy) in zip(middles, leans, strict=True)]

    def _cost(self, blob: Blob, solids: Sequence[Solid]) -> float:
        """Pixels that are not as these cubes would have them, and those where two of them are."""
        drawn = _drawn(blob, solids)
        wrong, tops = _wrong(blob, drawn), drawn == TOP
        hidden = np.count_nonzero(tops & blob.elsewhere) + HIDDEN * np.count_nonzero(tops & blob.hidden)
        cv2.polylines(drawn, [solid.top for solid in solids], True, EDGE, 1, cv2.LINE_8, 4)
        uneven = sum(_unevenness(blob.tone[(drawn == face) & blob.plain]) for face in (SIDE, TOP))
        return wrong + hidden + uneven + CROWD * PX_PER_MM**2 * _shared(solids, self._edge)

    def _solid(self, blob: Blob, cube: Cube) -> Solid:
        """How a cube is seen in a blob's window."""
        base = square_corners(*cube, self._edge - 1 / PX_PER_MM)  # OpenCV fills the pixels of the outline, too
        top = base + (base - np.subtract(self._eye.foot, blob.corner)) * self._lift
        hull = np.asarray(cv2.convexHull(_pixels(np.concatenate([base, top]))), np.int32)
        return Solid(cube, square_corners(*cube, self._edge).astype(np.float32), hull, _pixels(top))


def _drawn(blob: Blob, solids: Sequence[Solid]) -> NDArray[np.uint8]:
    """What these cubes would show in a blob's window."""
    drawn = np.zeros(blob.shown.shape, np.uint8)
    for solid in solids:
        cv2.fillConvexPoly(drawn, solid.hull, SIDE, cv2.LINE_8, 4)
    for solid in solids:
        cv2.fillConvexPoly(drawn, solid.top, TOP, cv2.LINE_8, 4)
    return drawn


def _wrong(blob: Blob, drawn: NDArray[np.uint8]) -> int:
    """The pixels that cubes would fill and don't, or fill and would not."""
    return int(np.count_nonzero(((drawn > 0) != blob.shown) & blob.clear))


def _shared(solids: Sequence[Solid], edge: float) -> float:
    """The area on which two cubes stand at once, square millimetres."""
    near = (pair for pair in combinations(solids, 2) if math.dist(pair[0].cube[:2], pair[1].cube[:2]) < 1.42 * edge)
    return sum(cv2.intersectConvexConvex(one.base, other.base)[0] for one, other in near)


def _pixels(mm: Points) -> NDArray[np.int32]:
    """Sixteenths of pixels, as OpenCV draws."""
    return np.asarray(np.round((mm * PX_PER_MM - 0.5) * 16), np.int32)


def _nudged(cube: Cube, step: float, turn: float) -> Iterator[Cube]:
    x, y, angle = cube
    yield from ((x + step, y, angle), (x - step, y, angle), (x, y + step, angle), (x, y - step, angle))
    yield from ((x, y, angle + turn), (x, y, angle - turn))


def _unevenness(tones: Floats) -> float:
    """How many pixels of a kind of face are not like the others."""
    if not len(tones):
        return 0.0
    off = (tones - np.median(tones)) / UNEVEN
    return float(np.minimum(off * off, 1).sum())
