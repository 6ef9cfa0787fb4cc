"""Fits cubes to a blob of one color: how many there are, where they stand, and whether the number is certain.

Law: pure. The image is rectified: it shows the mat as seen from directly above. In this image, the top of a cube is
displaced away from the camera's nadir (the point vertically below the camera), and the sides that face the camera are
visible. For every number of cubes that the blob has room for, a coordinate search moves that many cubes until they
explain the blob best. A number is certain if it explains the blob well and no other number does nearly as well. Costs
and areas are in units of the area of a cube's top, unless they count pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, product
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cubes.color_calibration import PX_PER_MM, Floats
from vision.cubes.cube_rendering import square_corners
from vision.geometry import PixelMask, Points

Cube = tuple[float, float, float]
"""x and y of a cube's center in mm, and its rotation in degrees."""

SEARCH_STEPS: Final = ((1.6, 12.0), (0.8, 6.0), (0.4, 6.0), (0.2, 1.5))
"""The steps by which the search moves or rotates a cube, in mm and degrees, from coarse to fine. Without the last one,
the second-best number of cubes fits so badly that a wrong number may count as certain."""
FINE_STEPS: Final = ((0.4, 6.0), (0.2, 3.0), (0.2, 1.5))
"""The steps by which the cubes of the best fit are then moved and rotated at once. If a cube remains rotated by several
degrees, a cube seen from right above differs too much from its outline."""
STACK_STEPS: Final = ((0.8, 6.0), (0.4, 6.0), (0.2, 3.0), (0.2, 1.5))
"""The steps by which a stack in place of a cube is moved or rotated."""
MAX_PASSES_PER_STEP: Final = 4
MIN_REFINED_COST: Final = 0.015
"""A fit with a lower cost is not refined."""
SIDE_FACE, TOP_FACE, TOP_EDGE = 1, 2, 3
"""Labels of the pixels of a rendered cube. TOP_EDGE is the edge of a top, where the brightness of the top blends into
that of a side."""
HIDDEN_TOP_COST: Final = 0.5
"""Cost of a hidden pixel in a cube's top. A pixel that contradicts the cube costs 1."""
GAP_COST: Final = 0.5
"""Cost of a pixel of the blob in a narrow gap between two cubes. Chroma is blurred, by compression and by filtering, so
narrow gaps are often filled with the color of the cubes."""
MAX_GAP_MM: Final = 4.0
"""A wider gap between two cubes is not narrow."""
GAP_KERNEL: Final = np.ones((round(MAX_GAP_MM * PX_PER_MM) + 1,) * 2, np.uint8)
OVERLAP_COST: Final = 3.0
"""Cost of each pixel on which two cubes stand at once."""
MAX_TONE_DEVIATION: Final = 0.18
"""A pixel that deviates by at least this share from the median tone of its face costs 1, as much as a pixel that
contradicts the cube."""
MAX_CERTAIN_COST_PER_CUBE: Final = 0.24
"""A fit with a higher cost per cube is not certain."""
MANY_CUBES, MAX_CERTAIN_COST_OF_MANY = 6, 0.8
"""A fit of at least MANY_CUBES is not certain if it costs more than this in all. If one of ten cubes is missing, the
others can spread over its place, which costs about 1. Right fits of so many cubes cost up to 0.58."""
MAX_COST_INCREASE: Final = 0.5
"""Once a number of cubes costs this much more than the best one, larger numbers are not tried."""
MIN_COST_MARGIN: Final = 0.15
"""The best number of cubes is certain only if every other number costs at least this much more."""
MIN_STACK_MARGIN: Final = 0.25
"""A cube counts as a possible stack unless a stack of two in its place would cost at least this much more. In good
light, a stack of one color costs less than a single cube in its place, and a stack of two colors costs up to 0.2
more."""
MIN_WOOD_GRAIN, MIN_WOOD_GRAIN_PER_CUBE = 0.02, 0.008
"""Wood has a grain: some of its pixels deviate in tone. A blob with at least this area of such pixels is not flat. The
first number is the base; the second is added for each cube."""
MIN_VISIBLE_SIDES: Final = 0.1
"""If the sides cover more than this, but don't contrast with the tops, the blob is flat. If they cover at least half of
this and contrast with the tops, it is not flat."""
MIN_SIDE_CONTRAST: Final = 0.02
"""The share by which the median tone of the sides must differ from that of the tops to be a contrast."""
MIN_BLACK_SIDE_CONTRAST: Final = 0.08
"""The same for black cubes, of which noise alone makes a little contrast and grain."""
MAX_MISMATCH_WITHOUT_SIDES: Final = 0.02
"""A blob without visible sides is flat if it differs from its cubes in a larger area per cube."""
MAX_AREA_RATIO, MIN_AREA_RATIO = 1.6, 0.86
"""The limits of a blob's area. It is at most MAX_AREA_RATIO times the area of its cubes when they stand apart, and at
least MIN_AREA_RATIO times the area of their tops."""
MIN_SINGLE_AREA_RATIO = 0.7
"""The least area of a blob that may be a single cube beside cubes of other colors, relative to the area of its top. It
is lower than MIN_AREA_RATIO, because these colors blur into its edges."""


@dataclass(frozen=True)
class CameraPosition:
    """The position of the camera in mm: its nadir, which is the point on the mat vertically below it, and its
    height."""

    nadir: tuple[float, float]
    height: float


@dataclass(frozen=True, eq=False)
class Blob:
    """A connected region of one color, in a window of the rectified mat. `origin` is the top left corner of the window,
    in mm.

    All masks cover the window: `mask` contains the pixels of the blob, `hidden` the pixels that can't be classified,
    and `other` the pixels of other token colors. `tone` is the lightness of each pixel relative to the blob's median.
    """

    origin: tuple[float, float]
    mask: PixelMask
    hidden: PixelMask
    other: PixelMask
    tone: Floats
    is_black: bool = False
    """Whether the blob is black. Its tones are mostly noise."""

    @cached_property
    def boundary(self) -> PixelMask:
        """Mask of the pixels along the blob's edge, where the blob's color is mixed with the surroundings."""
        mask, cross = self.mask.astype(np.uint8), np.ones((3, 3), np.uint8)
        return np.asarray(cv2.dilate(mask, cross) > cv2.erode(mask, cross))

    @cached_property
    def reliable(self) -> PixelMask:
        """Mask of the pixels that show for certain whether a cube of the blob's color is there. The mask leaves out the
        pixels along the blob's edge, and pixels that can't be classified. It also leaves out pixels of other colors: a
        cube of another color may hide the side of a cube of the blob's color."""
        return ~(self.hidden | self.other | self.boundary)

    @cached_property
    def interior(self) -> PixelMask:
        """Mask of the blob's pixels, except along the edge of the blob, where the blob's color is mixed with the
        surroundings."""
        return self.mask & self.reliable

    @cached_property
    def is_beside_other(self) -> bool:
        """Whether a pixel of another color is within 3 pixels of the blob."""
        return bool((cv2.dilate(self.mask.astype(np.uint8), np.ones((7, 7), np.uint8)).astype(bool) & self.other).any())

    @cached_property
    def other_interior(self) -> PixelMask:
        """Mask of the pixels that certainly have another token color, so they can't show the top of a cube in the
        blob's color. Pixels along the blob's edge are left out, because colors mix there."""
        return self.other & ~self.boundary


@dataclass(frozen=True, eq=False)
class ProjectedCube:
    """A cube as it appears in a window. `base` is its footprint in mm. `silhouette` and `top` are the outlines of the
    whole cube and of its top in pixels (fixed point, 4 fractional bits)."""

    cube: Cube
    base: Floats
    silhouette: NDArray[np.int32]
    top: NDArray[np.int32]


@dataclass(frozen=True)
class CubeFit:
    """The cubes that explain a blob. `cost` says how badly these cubes explain the blob. `is_certain` means that no
    other number of cubes fits, provided that no cube stands on another. `possible_stacks` is how many of the cubes may
    really be stacks of two. It is 0 if the fit is not certain."""

    cubes: tuple[Cube, ...]
    cost: float
    is_certain: bool
    possible_stacks: int = 0


class CubeFitter:
    """Fits cubes with edges of `cube_mm` to blobs, seen from one camera position. A blob that is too large for
    `max_cubes` cubes gets no cubes."""

    def __init__(self, camera: CameraPosition, cube_mm: float, max_cubes: int) -> None:
        self._camera, self._cube_mm, self._max_cubes = camera, cube_mm, max_cubes
        self._displacement_ratio = cube_mm / (camera.height - cube_mm)
        self._top_px = (cube_mm * PX_PER_MM) ** 2

    def fit(self, blob: Blob) -> CubeFit:
        """Finds the number of cubes, and their coordinates on the mat, that explain `blob` best. The result contains no
        cubes if the blob is too small or too large."""
        fits = sorted(self._fits_by_count(blob), key=lambda each: each.cost)
        if not fits:
            return CubeFit((), float(blob.mask.sum()) / self._top_px, is_certain=False)
        best = self._refined(blob, fits[0])
        cost = best.cost
        runner_up = min((each.cost for each in fits[1:]), default=math.inf)
        cubes = tuple((x + blob.origin[0], y + blob.origin[1], turn) for x, y, turn in best.cubes)
        certain = (
            cost <= MAX_CERTAIN_COST_PER_CUBE * len(cubes)
            and (len(cubes) < MANY_CUBES or cost <= MAX_CERTAIN_COST_OF_MANY)
            and runner_up - cost >= MIN_COST_MARGIN
            and not self._is_flat(blob, best.cubes)
        )
        stacks = sum(self._may_be_stack(blob, best, number) for number in range(len(cubes))) if certain else 0
        return CubeFit(cubes, cost, certain, stacks)

    def _may_be_stack(self, blob: Blob, fit: CubeFit, number: int) -> bool:
        """Whether cube `number` of this `fit` may be a stack of two, because such a stack would look nearly the same as
        `blob`. This happens near the camera's nadir, or where the sides of the cube are hidden."""
        single = [self._project(blob, cube) for cube in fit.cubes]
        others = [*single[:number], *single[number + 1 :]]
        x, y, turn = fit.cubes[number]
        dx, dy = self._top_displacement((x, y), blob.origin)
        stack = self._project(blob, (x - dx / 2, y - dy / 2, turn), levels=2)
        cost, limit = self._cost(blob, [*others, stack]), (fit.cost + MIN_STACK_MARGIN) * self._top_px
        for step, degrees in STACK_STEPS:
            for neighbor in _neighbors(stack.cube, step, degrees):
                if cost < limit:
                    return True
                candidate = self._project(blob, neighbor, levels=2)
                if (new_cost := self._cost(blob, [*others, candidate], cost)) < cost:
                    stack, cost = candidate, new_cost
        return bool(cost < limit)  # a recording can't store numbers of numpy

    def _is_flat(self, blob: Blob, cubes: Sequence[Cube]) -> bool:
        """Whether `blob` is something flat, such as a chip or a coin. It is flat if it lacks the shading of `cubes` or
        doesn't match their outline."""
        faces = _render_faces(blob, [self._project(blob, cube) for cube in cubes])
        tops, sides = (blob.tone[(faces == face) & blob.interior] for face in (TOP_FACE, SIDE_FACE))
        side_share, grain = len(sides) / self._top_px, (_tone_outliers(tops) + _tone_outliers(sides)) / self._top_px
        has_grain = grain >= MIN_WOOD_GRAIN + MIN_WOOD_GRAIN_PER_CUBE * len(cubes)
        if not len(tops) or (has_grain and not blob.is_black):
            return False
        min_contrast = MIN_BLACK_SIDE_CONTRAST if blob.is_black else MIN_SIDE_CONTRAST
        if side_share >= MIN_VISIBLE_SIDES / 2 and abs(np.median(sides) / np.median(tops) - 1) > min_contrast:
            return False
        max_mismatch = MAX_MISMATCH_WITHOUT_SIDES * self._top_px * len(cubes)
        return bool(side_share > MIN_VISIBLE_SIDES or _mismatch(blob, faces, len(cubes)) > max_mismatch)

    def _fits_by_count(self, blob: Blob) -> Iterator[CubeFit]:
        """Yields the best fit for each plausible number of cubes, in ascending order, until the fits become much
        worse."""
        min_cost = math.inf
        for count in self._plausible_counts(blob):
            fit = self._fit_count(blob, count)
            yield fit
            min_cost = min(min_cost, fit.cost)
            if fit.cost > min_cost + MAX_COST_INCREASE:
                return

    def _plausible_counts(self, blob: Blob) -> range:
        """The numbers of cubes that are consistent with the area of `blob`."""
        area = float(blob.mask.sum() - (blob.mask & blob.boundary).sum() / 2) / self._top_px
        rows, columns = np.nonzero(blob.mask)
        displacement = self._top_displacement((columns.mean() / PX_PER_MM, rows.mean() / PX_PER_MM), blob.origin)
        max_area_per_cube = 1 + math.sqrt(2) * math.hypot(*displacement) / self._cube_mm
        least = max(1, math.ceil(area / max_area_per_cube / MAX_AREA_RATIO))
        limit = self._max_cubes + 1 if least <= self._max_cubes else 0
        is_hemmed_in = area >= MIN_SINGLE_AREA_RATIO and blob.is_beside_other
        most = max(math.floor(area / MIN_AREA_RATIO), 1 if is_hemmed_in else 0)
        return range(least, 1 + min(most, limit))

    def _top_displacement(self, base: tuple[float, float], origin: tuple[float, float]) -> tuple[float, float]:
        """How far the top of a cube appears from the cube's base, along x and y in mm (relief displacement). `base`:
        the center of the base, relative to `origin`, a point on the mat."""
        return (
            (base[0] + origin[0] - self._camera.nadir[0]) * self._displacement_ratio,
            (base[1] + origin[1] - self._camera.nadir[1]) * self._displacement_ratio,
        )

    def _fit_count(self, blob: Blob, count: int) -> CubeFit:
        """The best fit of `count` cubes: coordinate descent from their initial positions."""
        projected = [self._project(blob, cube) for cube in self._initial_cubes(blob, count)]
        cost = self._cost(blob, projected)
        for step, turn in SEARCH_STEPS:
            for _ in range(MAX_PASSES_PER_STEP):
                cost_before = cost
                for number in range(count):
                    for neighbor in _neighbors(projected[number].cube, step, turn):
                        candidate = [*projected[:number], self._project(blob, neighbor), *projected[number + 1 :]]
                        if (new_cost := self._cost(blob, candidate, cost)) < cost:
                            projected, cost = candidate, new_cost
                if cost == cost_before:
                    break
        return CubeFit(tuple(each.cube for each in projected), cost / self._top_px, is_certain=False)

    def _refined(self, blob: Blob, fit: CubeFit) -> CubeFit:
        """The fit after a search that moves and rotates each cube at once. The descent along one axis at a time may end
        with a cube that is a few degrees askew. A fit that is good already stays as it is."""
        projected = [self._project(blob, cube) for cube in fit.cubes]
        cost = fit.cost * self._top_px
        for number, (step, turn) in product(range(len(projected)), FINE_STEPS):
            if cost < MIN_REFINED_COST * self._top_px:
                break
            x, y, angle = projected[number].cube
            for dx, dy, dturn in product((-step, 0.0, step), (-step, 0.0, step), (-turn, 0.0, turn)):
                moved = self._project(blob, (x + dx, y + dy, angle + dturn))
                candidate = [*projected[:number], moved, *projected[number + 1 :]]
                if (new_cost := self._cost(blob, candidate, cost)) < cost:
                    projected, cost = candidate, new_cost
        return CubeFit(tuple(each.cube for each in projected), cost / self._top_px, is_certain=False)

    def _initial_cubes(self, blob: Blob, count: int) -> list[Cube]:
        """`count` cubes to start with: one at the center of each cluster of a k-means partition of `blob`."""
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

    def _cost(self, blob: Blob, projected: Sequence[ProjectedCube], limit: float = math.inf) -> float:
        """The cost, in pixels, of explaining `blob` by the cubes `projected`: the sum of mismatches, hidden or
        impossible tops, uneven faces and overlaps. Infinite if it is at least `limit`, because the parts of the sum are
        computed only until they reach the limit."""
        cost = OVERLAP_COST * PX_PER_MM**2 * _overlap_mm2(projected, self._cube_mm)
        faces = _render_faces(blob, projected)
        cost += _mismatch(blob, faces, len(projected))
        if cost >= limit:
            return math.inf
        tops = faces == TOP_FACE
        cost += np.count_nonzero(tops & blob.other_interior) + HIDDEN_TOP_COST * np.count_nonzero(tops & blob.hidden)
        cv2.polylines(faces, [each.top for each in projected], True, TOP_EDGE, 1, cv2.LINE_8, 4)
        for face in (TOP_FACE, SIDE_FACE):
            if cost >= limit:
                return math.inf
            cost += _tone_outliers(blob.tone[(faces == face) & blob.interior])
        return cost if cost < limit else math.inf

    def _project(self, blob: Blob, cube: Cube, levels: int = 1) -> ProjectedCube:
        """The projection of `cube`, or of a stack of `levels` cubes, into the window of `blob`."""
        base = square_corners(*cube, self._cube_mm - 1 / PX_PER_MM)  # OpenCV fills the pixels of the outline, too
        height = levels * self._cube_mm
        ratio = height / (self._camera.height - height)
        top = base + (base - np.subtract(self._camera.nadir, blob.origin)) * ratio
        silhouette = np.asarray(cv2.convexHull(_to_fixed_point(np.concatenate([base, top]))), np.int32)
        footprint = square_corners(*cube, self._cube_mm).astype(np.float32)
        return ProjectedCube(cube, footprint, silhouette, _to_fixed_point(top))


def _render_faces(blob: Blob, projected: Sequence[ProjectedCube]) -> NDArray[np.uint8]:
    """A label for each pixel of the blob's window: TOP_FACE if the pixel is in the top of one of the `projected` cubes,
    SIDE_FACE if it is in the rest of a cube, otherwise 0."""
    faces = np.zeros(blob.mask.shape, np.uint8)
    for each in projected:
        cv2.fillConvexPoly(faces, each.silhouette, SIDE_FACE, cv2.LINE_8, 4)
    for each in projected:
        cv2.fillConvexPoly(faces, each.top, TOP_FACE, cv2.LINE_8, 4)
    return faces


def _mismatch(blob: Blob, faces: NDArray[np.uint8], count: int) -> float:
    """The cost of the reliable pixels that are either in `blob` or in one of the `count` rendered cubes (`faces`), but
    not in both: 1 for each, or GAP_COST for a pixel of the blob in a narrow gap between two cubes."""
    wrong = ((faces > 0) != blob.mask) & blob.reliable
    cost = float(np.count_nonzero(wrong))
    if count > 1:
        in_gap = cv2.morphologyEx(faces, cv2.MORPH_CLOSE, GAP_KERNEL) > faces
        cost -= (1 - GAP_COST) * np.count_nonzero(wrong & blob.mask & in_gap)
    return cost


def _overlap_mm2(projected: Sequence[ProjectedCube], cube_mm: float) -> float:
    """The area in mm² by which the footprints of the cubes overlap, summed over all pairs."""
    pairs = combinations(projected, 2)
    close = (pair for pair in pairs if math.dist(pair[0].cube[:2], pair[1].cube[:2]) < 1.42 * cube_mm)
    return sum(cv2.intersectConvexConvex(one.base, other.base)[0] for one, other in close)


def _to_fixed_point(mm: Points) -> NDArray[np.int32]:
    """`mm`, converted from millimeters to sixteenths of a pixel as OpenCV's `shift=4` expects."""
    return np.rint((mm * PX_PER_MM - 0.5) * 16).astype(np.int32)


def _neighbors(cube: Cube, step: float, turn: float) -> Iterator[Cube]:
    """Yields `cube` moved by `step` mm or rotated by `turn` degrees, in each direction."""
    x, y, angle = cube
    yield from ((x + step, y, angle), (x - step, y, angle), (x, y + step, angle), (x, y - step, angle))
    yield from ((x, y, angle + turn), (x, y, angle - turn))


def _tone_outliers(tones: Floats) -> float:
    """How many pixels of a face deviate from the median tone of the face. A pixel that deviates by MAX_TONE_DEVIATION
    or more counts as 1. Any other pixel counts as (deviation / MAX_TONE_DEVIATION)². `tones`: the tones of the face's
    pixels."""
    if not len(tones):
        return 0.0
    # Sorting these few pixels takes a tenth of the time that NumPy's median takes, and this runs for every pose tried.
    ordered = np.sort(tones)
    median = (ordered[(len(tones) - 1) // 2] + ordered[len(tones) // 2]) / 2
    deviation = (tones - median) / MAX_TONE_DEVIATION
    return float(np.minimum(deviation * deviation, 1).sum())
