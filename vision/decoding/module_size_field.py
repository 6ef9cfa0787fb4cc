"""Estimates the size of a module at each place in the image, from the codes that were read.

Law: pure. The codes on components have nearly the same size, so a few of them show how the table is tilted. So do the
corner codes of the mat, which may be larger.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from companion.component_qr_codes import MODULES
from companion.tabletop.mat import is_corner
from vision.decoded_codes import Code, stack_corners
from vision.decoding import native
from vision.geometry import Points, Quads, centroids, mean_side_lengths

ModuleScales = NDArray[np.float64]
"""Matrices that map modules to pixels for an upright code: n x 2 x 2. They are symmetric, so they hold perspective but
no rotation."""

Measures = NDArray[np.float64]
"""The shapes of codes, n x 6: the centroid (x and y), the mean side length, and the scale components xx, xy and yy."""

NARROW_SCALES = (1.0,)
"""The sizes in which codes are searched for if many codes were read, as multiples of the estimated size. Of the codes
that are 8 % larger, 98 % are read too; of those that are 8 % smaller, only 86 %."""
MEDIUM_SCALES = (0.93, 1.0, 1.07)
"""The sizes in which codes are searched for if some codes were read, or if the size is only a guess, as multiples of
the estimated size."""
WIDE_SCALES = (0.82, 0.94, 1.07, 1.22)
"""The sizes in which codes are searched for if so few codes were read that the tilt of the table is unknown, as
multiples of the estimated size."""
COMPONENT_RATIOS = (1.0, 0.82, 0.63)
"""The sizes in which the codes of components are printed, as multiples of the size of the mat's corner codes. They are
tried in this order until the first component is read."""
MIN_CORNERS = 3
"""If at least this many corner codes of the mat were read, the size of components' codes is measured relative to
them."""
MIN_RATIO_DIFFERENCE = 0.1
"""If the codes of components differ in size from the corner codes by less than this share, both count as equally
large."""
MIN_SIZE_GAP = 0.05
"""If the sizes of components' codes, in order, have a gap of more than this share, the codes above and below it were
printed in different sizes."""
MIN_CODES_FOR_NARROW, MIN_CODES_FOR_MEDIUM = 16, 8
"""How many codes must have been read to search in `NARROW_SCALES`, and in `MEDIUM_SCALES`."""
MAX_SIZE_RATIO = 1.5
"""A code that is larger or smaller than the median by more than this factor was printed in another size and is
ignored, unless the mat's corners show in which size each code was printed. Under strong perspective, the nearest corner
may be larger than this."""
SLOPE_REGULARIZATION = 0.05
"""The weight of the penalty on slopes in the ridge regression. On rendered tables, the size that follows from
eight codes is wrong by more than 8 % for 16 in 1,000 others. With twice this weight it would be wrong for 24, with half
this weight for 14. On steep tables, both would read fewer codes."""
MIN_MODULE_PX = 0.8
"""Lower estimates of the module size are raised to this. On a table that is tilted by 15 degrees, with modules of 1 px
in the middle of the image, the farthest codes have 0.84."""
PX_PER_UNIT = 1000
"""The regression divides pixel coordinates by this, so that they are about 1."""


@dataclass(frozen=True, eq=False)
class ModuleSizeField:
    """The size of a module at every point of the image.

    On a tilted table the size of a module differs by direction, so it is a symmetric 2 x 2 matrix (`ModuleScales`) with
    the elements xx, xy and yy. Each element is a linear function of the coordinates in the image, because lengths in
    the image are proportional to 1 / distance, which changes linearly over the image. `coefficients` (3 x 3) has a row
    for each term (1, x, y) and a column for each element.

    `module_px` is the median module size of the codes that were read. `search_scales` are the sizes in which to search
    for codes, as multiples of the estimated size. `ratios`: the search is repeated with the field scaled by each of
    these. There are several ratios if codes were printed in several sizes, and also if only corner codes of the mat
    were read, because components may have codes of another size. In the second case, the search ends with the first
    ratio at which a code is found.
    """

    module_px: float
    coefficients: NDArray[np.float64]
    search_scales: tuple[float, ...]
    ratios: tuple[float, ...] = (1.0,)

    def scaled(self, ratio: float) -> ModuleSizeField:
        """The field for codes whose size is `ratio` times the size of those that were read."""
        return replace(self, module_px=self.module_px * ratio, coefficients=self.coefficients * ratio, ratios=(1.0,))

    def module_scales(self, points: Points) -> ModuleScales:
        """The estimated size of a module at each of these points (px): a 2 x 2 matrix for each point, see
        `ModuleScales`."""
        elements = self.coefficients[0] + points @ (self.coefficients[1:] / PX_PER_UNIT)
        (xx, xy, yy), scales = elements.T, elements[:, (0, 1, 1, 2)].reshape(-1, 2, 2)
        least = (xx + yy) / 2 - np.hypot((xx - yy) / 2, xy)
        if (least >= MIN_MODULE_PX).all():
            return np.asarray(scales)
        values, vectors = np.linalg.eigh(scales)
        return np.asarray((vectors * np.maximum(values, MIN_MODULE_PX)[:, None]) @ vectors.swapaxes(1, 2))

    def with_origin(self, x: float, y: float) -> ModuleSizeField:
        """The same field for a crop of the image whose top left pixel is (`x`, `y`)."""
        coefficients = self.coefficients.copy()
        coefficients[0] += (np.array([x, y]) / PX_PER_UNIT) @ self.coefficients[1:]
        return replace(self, coefficients=coefficients)

    @property
    def is_reliable(self) -> bool:
        """Whether enough codes were read to know the tilt of the table."""
        return self.search_scales != WIDE_SCALES


def uniform_field(module_px: float) -> ModuleSizeField:
    """A `ModuleSizeField` that has the same module size everywhere. It is used until the real sizes are known."""
    coefficients = np.zeros((3, 3))
    coefficients[0] = module_px, 0, module_px
    return ModuleSizeField(module_px, coefficients, MEDIUM_SCALES)


def fit_module_size(codes: Sequence[Code]) -> ModuleSizeField | None:
    """Estimates how the module size of components varies over the image, by ridge regression over the known
    codes among `codes`. Returns None if none of the codes is known."""
    corners = [code for code in codes if code.id and is_corner(code.id)]
    components = [code for code in codes if code.id and not is_corner(code.id)]
    if not components:
        return replace(_fit(measure_quads(stack_corners(corners))), ratios=COMPONENT_RATIOS) if corners else None
    if len(corners) < MIN_CORNERS:
        return _fit(_without_other_sizes(measure_quads(stack_corners(components + corners))))
    quads, corner_quads = stack_corners(components), stack_corners(corners)
    ratios = _size_ratios(quads, corner_quads)
    groups = _printed_sizes(ratios)
    usual, *others = (median(ratios[group].tolist()) for group in groups)
    for group, ratio in zip(groups[1:], others, strict=True):
        quads[group] = _resized(quads[group], usual / ratio)
    corner_quads = corner_quads if abs(usual - 1) < MIN_RATIO_DIFFERENCE else _resized(corner_quads, usual)
    field = _fit(measure_quads(np.concatenate([quads, corner_quads])))
    return replace(field, ratios=(1.0, *(ratio / usual for ratio in others)))


def _size_ratios(quads: Quads, corner_quads: Quads) -> NDArray[np.float64]:
    """The size of each component's code, relative to the corner codes of the mat. The perspective is taken into
    account."""
    expected = np.sqrt(np.linalg.det(_fit(measure_quads(corner_quads)).module_scales(centroids(quads))))
    xx, xy, yy = scale_components(quads).T
    return np.asarray(np.sqrt(xx * yy - xy * xy) / expected)


def _printed_sizes(ratios: NDArray[np.float64]) -> list[NDArray[np.intp]]:
    """The indexes of the codes that were printed in each size, the size with the most codes first. `ratios`: the size
    of each code."""
    order = np.argsort(ratios)
    gaps = np.diff(np.log(ratios[order])) > MIN_SIZE_GAP
    return sorted(np.split(order, np.flatnonzero(gaps) + 1), key=len, reverse=True)


def _resized(quads: Quads, ratio: float) -> Quads:
    """The corners of the codes after each code is resized by `ratio` about its center."""
    centers = centroids(quads)[:, None]
    return np.asarray(centers + ratio * (quads - centers))


def _without_other_sizes(measures: Measures) -> Measures:
    """The codes without those that were printed in another size than most of them."""
    sides = measures[:, 2]
    usual = median(sides.tolist())
    return np.asarray(measures[(sides > usual / MAX_SIZE_RATIO) & (sides < usual * MAX_SIZE_RATIO)])


def _fit(measures: Measures) -> ModuleSizeField:
    """The field that fits these codes. All of them count as equally large."""
    mean = measures.sum(0) / len(measures)
    deviations = measures - mean
    deviations[:, :2] /= PX_PER_UNIT
    # The places are relative to their mean. So the constant term is the mean of the values, and independent of the
    # slopes. With so few numbers, Python is faster than numpy.
    (xx, xy, _, *along_x), (_, yy, _, *along_y) = (deviations[:, :2].T @ deviations).tolist()
    xx, yy = xx + SLOPE_REGULARIZATION, yy + SLOPE_REGULARIZATION
    determinant, products = xx * yy - xy * xy, list(zip(along_x, along_y, strict=True))
    slopes_x = [(yy * x - xy * y) / determinant for x, y in products]
    slopes_y = [(xx * y - xy * x) / determinant for x, y in products]
    x, y, _, *values = mean.tolist()
    slopes = zip(values, slopes_x, slopes_y, strict=True)
    constant = [value - (x * slope_x + y * slope_y) / PX_PER_UNIT for value, slope_x, slope_y in slopes]
    module_px = median(measures[:, 2].tolist()) / MODULES
    return ModuleSizeField(module_px, np.array([constant, slopes_x, slopes_y]), search_scales_for(len(measures)))


def measure_quads(quads: Quads) -> Measures:
    """The shapes of the codes with these corners."""
    if native.is_enabled():
        return native.measure_quads(quads, MODULES)
    return np.column_stack([centroids(quads), mean_side_lengths(quads), scale_components(quads)])


def search_scales_for(codes: int) -> tuple[float, ...]:
    """The sizes in which to search for codes, as multiples of the estimated size. `codes`: how many codes were read."""
    if codes >= MIN_CODES_FOR_NARROW:
        return NARROW_SCALES
    return MEDIUM_SCALES if codes >= MIN_CODES_FOR_MEDIUM else WIDE_SCALES


def scale_components(quads: Quads) -> NDArray[np.float64]:
    """The elements xx, xy and yy of the ModuleScales matrix of each code: n x 3. `quads`: the corners of each code. The
    rotation of a code has no effect.

    The matrix is the square root of A Aᵀ, where A maps modules to pixels. For 2 x 2 matrices there is a closed form.
    """
    a, b, c, d = (quads[:, k] / (2 * MODULES) for k in range(4))
    edges = np.stack([b - a + c - d, d - a + c - b])
    x, y = edges[..., 0], edges[..., 1]
    xx, xy, yy = (x * x).sum(0), (x * y).sum(0), (y * y).sum(0)
    area = np.sqrt(np.maximum(xx * yy - xy * xy, 0))
    return np.asarray(np.stack([xx + area, xy, yy + area], 1) / np.sqrt(xx + yy + 2 * area)[:, None])
