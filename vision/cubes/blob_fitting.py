"""Fits cubes to a blob of one color: how many there are, where they stand, and whether the number is certain.

Law: pure. In the rectified mat a cube shows its top, displaced away from the camera's nadir, and the sides that face
the camera. For every number of cubes that the blob has room for, a coordinate search moves that many cubes until they
explain the blob best. A number is certain if it explains the blob well and no other number does nearly as well.
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
"""Center in mm and rotation in degrees."""

SEARCH_STEPS: Final = ((1.6, 12.0), (0.8, 6.0), (0.4, 3.0))
"""By how much the search moves and rotates a cube, mm and degrees, from coarse to fine."""
MAX_PASSES_PER_STEP: Final = 4
SIDE_FACE, TOP_FACE, TOP_EDGE = 1, 2, 3
"""Labels of a rendered cube. Along the edge of a top its brightness blends into that of a side."""
HIDDEN_TOP_COST: Final = 0.5
"""Cost of a pixel of a top that is hidden; 1 would be a pixel that contradicts the cube."""
OVERLAP_COST: Final = 3.0
"""Cost of a pixel on which two cubes stand at once."""
MAX_TONE_DEVIATION: Final = 0.18
"""A pixel that differs this much in tone from the median of its face counts as part of another face."""
MAX_CERTAIN_COST_PER_CUBE: Final = 0.24
"""The unexplained share of a cube's top up to which a fit can be certain."""
MAX_COST_INCREASE: Final = 0.5
"""Once a further cube raises the cost by this much above the minimum, in tops, still more cubes are not tried."""
MIN_COST_MARGIN: Final = 0.12
"""By how much, in tops, every other number of cubes must fit worse for the best number to be certain."""
MIN_WOOD_GRAIN, MIN_WOOD_GRAIN_PER_CUBE = 0.02, 0.008
"""The share of a top that deviates in tone on real wood, and how much each cube adds; flat prints show less."""
MIN_VISIBLE_SIDES: Final = 0.1
"""Sides are recognizable as such if they cover this share of a top ..."""
MIN_SIDE_CONTRAST: Final = 0.02
"""... and their median tone differs from that of the tops by this share."""
MAX_MISMATCH_WITHOUT_SIDES: Final = 0.03
"""A blob without any visible sides must match its cubes except for this share of a top per cube."""
MAX_AREA_RATIO, MIN_AREA_RATIO = 1.3, 0.86
"""A blob may be larger than its cubes standing apart, and smaller than their tops, by these factors."""


@dataclass(frozen=True)
class CameraPosition:
    """The nadir, which is the point on the mat vertically below the camera, and the camera's height, all in mm."""

    nadir: tuple[float, float]
    height: float


@dataclass(frozen=True, eq=False)
class Blob:
    """A connected component of one color, in a window of the rectified mat whose top left is `origin` in mm.

    `hidden` masks the pixels that can't be classified, `other` those of other token colors. `tone` is the lightness
    relative to the blob's median.
    """

    origin: tuple[float, float]
    mask: Mask
    hidden: Mask
    other: Mask
    tone: Floats

    @cached_property
    def boundary(self) -> Mask:
        """Pixels that mix with the blob's surroundings."""
        mask, cross = self.mask.astype(np.uint8), np.ones((3, 3), np.uint8)
        return np.asarray(cv2.dilate(mask, cross) > cv2.erode(mask, cross))

    @cached_property
    def reliable(self) -> Mask:
        """Pixels that certainly show a cube or certainly don't. Where other cubes are, they may hide its sides."""
        return ~(self.hidden | self.other | self.boundary)

    @cached_property
    def interior(self) -> Mask:
        """Pixels whose tone is that of a face."""
        return self.mask & self.reliable

    @cached_property
    def other_interior(self) -> Mask:
        """Pixels of other colors, where no top of this color can be."""
        return self.other & ~self.boundary


@dataclass(frozen=True, eq=False)
class ProjectedCube:
    """A cube, its footprint in mm, and the outlines of its silhouette and its top in pixels (fixed point, 4 bits)."""

    cube: Cube
    base: Floats
    silhouette: NDArray[np.int32]
    top: NDArray[np.int32]


@dataclass(frozen=True)
class CubeFit:
    """Cubes that explain a blob, at positions on the mat. `cost` is in tops of cubes. `is_certain` tells that no other
    number fits."""

    cubes: tuple[Cube, ...]
    cost: float
    is_certain: bool


class CubeFitter:
    """Fits cubes of one size, seen from one camera position. A blob with room for more than `max_cubes` is no cubes."""

    def __init__(self, camera: CameraPosition, cube_mm: float, max_cubes: int) -> None:
        self._camera, self._cube_mm, self._max_cubes = camera, cube_mm, max_cubes
        self._displacement_ratio = cube_mm / (camera.height - cube_mm)
        self._top_px = (cube_mm * PX_PER_MM) ** 2

    def fit(self, blob: Blob) -> CubeFit:
        """The best explanation of a blob; without cubes if the blob is too small or too large."""
        fits = sorted(self._fits(blob), key=lambda each: each.cost)
        if not fits:
            return CubeFit((), float(blob.mask.sum()) / self._top_px, is_certain=False)
        best, cost = fits[0], fits[0].cost
        runner_up = min((each.cost for each in fits[1:]), default=math.inf)
        cubes = tuple((x + blob.origin[0], y + blob.origin[1], turn) for x, y, turn in best.cubes)
        certain = (
            cost <= MAX_CERTAIN_COST_PER_CUBE * len(cubes)
            and runner_up - cost >= MIN_COST_MARGIN
            and not self._is_flat(blob, best.cubes)
        )
        return CubeFit(cubes, cost, certain)

    def _is_flat(self, blob: Blob, cubes: Sequence[Cube]) -> bool:
        """Whether the blob lacks the shading of cubes, or doesn't match their outline: a chip or a coin."""
        faces = _render_faces(blob, [self._project(blob, cube) for cube in cubes])
        tops, sides = (blob.tone[(faces == face) & blob.interior] for face in (TOP_FACE, SIDE_FACE))
        side_share, grain = len(sides) / self._top_px, (_tone_outliers(tops) + _tone_outliers(sides)) / self._top_px
        if not len(tops) or grain >= MIN_WOOD_GRAIN + MIN_WOOD_GRAIN_PER_CUBE * len(cubes):
            return False
        if side_share >= MIN_VISIBLE_SIDES / 2 and abs(np.median(sides) / np.median(tops) - 1) > MIN_SIDE_CONTRAST:
            return False
        max_mismatch = MAX_MISMATCH_WITHOUT_SIDES * self._top_px * len(cubes)
        return bool(side_share > MIN_VISIBLE_SIDES or _mismatch(blob, faces) > max_mismatch)

    def _fits(self, blob: Blob) -> Iterator[CubeFit]:
        """The best fit of each plausible number of cubes, until further cubes only make it worse."""
        min_cost = math.inf
        for count in self._plausible_counts(blob):
            fit = self._fit_count(blob, count)
            yield fit
            min_cost = min(min_cost, fit.cost)
            if fit.cost > min_cost + MAX_COST_INCREASE:
                return

    def _plausible_counts(self, blob: Blob) -> range:
        """The numbers of cubes that are consistent with the blob's area."""
        area = float(blob.mask.sum() - (blob.mask & blob.boundary).sum() / 2) / self._top_px
        rows, columns = np.nonzero(blob.mask)
        displacement = self._top_displacement((columns.mean() / PX_PER_MM, rows.mean() / PX_PER_MM), blob.origin)
        max_area_per_cube = 1 + math.sqrt(2) * math.hypot(*displacement) / self._cube_mm
        least = max(1, math.ceil(area / max_area_per_cube / MAX_AREA_RATIO))
        limit = self._max_cubes + 1 if least <= self._max_cubes else 0
        return range(least, 1 + min(math.floor(area / MIN_AREA_RATIO), limit))

    def _top_displacement(self, base: tuple[float, float], origin: tuple[float, float]) -> tuple[float, float]:
        """How far from its base the top of a cube appears, mm (relief displacement)."""
        return (
            (base[0] + origin[0] - self._camera.nadir[0]) * self._displacement_ratio,
            (base[1] + origin[1] - self._camera.nadir[1]) * self._displacement_ratio,
        )

    def _fit_count(self, blob: Blob, count: int) -> CubeFit:
        """The best fit of this number of cubes: coordinate descent from the initial positions."""
        projected = [self._project(blob, cube) for cube in self._initial_cubes(blob, count)]
        cost = self._cost(blob, projected)
        for step, turn in SEARCH_STEPS:
            for _ in range(MAX_PASSES_PER_STEP):
                cost_before = cost
                for number in range(count):
                    for neighbor in _neighbors(projected[number].cube, step, turn):
                        candidate = [*projected[:number], self._project(blob, neighbor), *projected[number + 1 :]]
                        if (new_cost := self._cost(blob, candidate)) < cost:
                            projected, cost = candidate, new_cost
                if cost == cost_before:
                    break
        return CubeFit(tuple(each.cube for each in projected), cost / self._top_px, is_certain=False)

    def _initial_cubes(self, blob: Blob, count: int) -> list[Cube]:
        """A cube at the center of each cluster of a k-means partition of the blob."""
        rows, columns = np.nonzero(blob.mask)
        pixels = np.column_stack([columns, rows]).astype(np.float32)
        turn = cv2.minAreaRect(pixels)[2]
        cv2.setRNGSeed(1)
        stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.1)
        centers = cv2.kmeans(pixels, count, np.empty(0), stop, 3, cv2.KMEANS_PP_CENTERS)[2] / PX_PER_MM
        displacements = [self._top_displacement((float(x), float(y)), blob.origin) for x, y in centers]
        return [
            (float(x) - dx / 2, float(y) - dy / 2, turn)
            for (x, y), (dx, dy) in zip(centers, displacements, strict=True)
        ]

    def _cost(self, blob: Blob, projected: Sequence[ProjectedCube]) -> float:
        """The cost of an explanation in pixels: mismatches, hidden or impossible tops, uneven faces and overlaps."""
        faces = _render_faces(blob, projected)
        mismatch, tops = _mismatch(blob, faces), faces == TOP_FACE
        impossible, hidden = np.count_nonzero(tops & blob.other_interior), np.count_nonzero(tops & blob.hidden)
        cv2.polylines(faces, [each.top for each in projected], True, TOP_EDGE, 1, cv2.LINE_8, 4)
        uneven = sum(_tone_outliers(blob.tone[(faces == face) & blob.interior]) for face in (SIDE_FACE, TOP_FACE))
        overlap = PX_PER_MM**2 * _overlap_mm2(projected, self._cube_mm)
        return mismatch + impossible + HIDDEN_TOP_COST * hidden + uneven + OVERLAP_COST * overlap

    def _project(self, blob: Blob, cube: Cube) -> ProjectedCube:
        """A cube as it appears in a blob's window."""
        base = square_corners(*cube, self._cube_mm - 1 / PX_PER_MM)  # OpenCV fills the pixels of the outline, too
        top = base + (base - np.subtract(self._camera.nadir, blob.origin)) * self._displacement_ratio
        silhouette = np.asarray(cv2.convexHull(_to_fixed_point(np.concatenate([base, top]))), np.int32)
        footprint = square_corners(*cube, self._cube_mm).astype(np.float32)
        return ProjectedCube(cube, footprint, silhouette, _to_fixed_point(top))


def _render_faces(blob: Blob, projected: Sequence[ProjectedCube]) -> NDArray[np.uint8]:
    """The face that each pixel of a blob's window shows: SIDE_FACE, TOP_FACE or 0."""
    faces = np.zeros(blob.mask.shape, np.uint8)
    for each in projected:
        cv2.fillConvexPoly(faces, each.silhouette, SIDE_FACE, cv2.LINE_8, 4)
    for each in projected:
        cv2.fillConvexPoly(faces, each.top, TOP_FACE, cv2.LINE_8, 4)
    return faces


def _mismatch(blob: Blob, faces: NDArray[np.uint8]) -> int:
    """The number of reliable pixels where either the blob or the rendered cubes are, but not both."""
    return int(np.count_nonzero(((faces > 0) != blob.mask) & blob.reliable))


def _overlap_mm2(projected: Sequence[ProjectedCube], cube_mm: float) -> float:
    """The area on which two cubes stand at once."""
    pairs = combinations(projected, 2)
    close = (pair for pair in pairs if math.dist(pair[0].cube[:2], pair[1].cube[:2]) < 1.42 * cube_mm)
    return sum(cv2.intersectConvexConvex(one.base, other.base)[0] for one, other in close)


def _to_fixed_point(mm: Points) -> NDArray[np.int32]:
    """Millimetres to sixteenths of pixels, as OpenCV's `shift=4` expects."""
    return np.asarray(np.round((mm * PX_PER_MM - 0.5) * 16), np.int32)


def _neighbors(cube: Cube, step: float, turn: float) -> Iterator[Cube]:
    """A cube moved or rotated by one step in each direction."""
    x, y, angle = cube
    yield from ((x + step, y, angle), (x - step, y, angle), (x, y + step, angle), (x, y - step, angle))
    yield from ((x, y, angle + turn), (x, y, angle - turn))


def _tone_outliers(tones: Floats) -> float:
    """How many pixels of a face deviate from its median tone: a sum of squares, clipped at 1 per pixel."""
    if not len(tones):
        return 0.0
    deviation = (tones - np.median(tones)) / MAX_TONE_DEVIATION
    return float(np.minimum(deviation * deviation, 1).sum())
