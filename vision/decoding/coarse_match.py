"""Finds coarse poses of codes: each code's angle and size, and its position to within about a module.

The image at each candidate is compared with what all known codes have in common, by normalized cross-correlation over
position, angle and size.

Law: pure. This comparison separates codes from print: of 20 candidates that are not codes, it passes only three.
"""

from __future__ import annotations

import math
from functools import cache

import cv2
import numpy as np

from vision.decoding import native
from vision.decoding.module_size_field import ModuleScales
from vision.decoding.pose_refinement import Poses
from vision.decoding.templates import HALF_CODE, SHADING_TERMS, Floats, Indices, TemplateBank, shading_basis
from vision.geometry import GrayImage, Points

STEP_MODULES = 1.5
"""The distance between samples, in modules. Under the strongest blur, an image has no finer detail."""
TEMPLATE_SIDE = 17
"""The number of samples per side of a template, which shows the code and 1.5 modules around it."""
SEARCH_RADIUS_PX = 12.0
"""The center of a code is searched for within this distance of a candidate. 99 % of the codes, large or small, have
their center within it."""
SEARCH_RADIUS_STEPS = (3, 7)
"""The smallest and the largest search radius, in samples."""
ANGLE_BINS = 9
"""The number of bins of 10 degrees in a quarter turn. The dominant edge direction of a code is rounded to a bin. For
99 % of the codes this gives the angle to within 10 degrees, except for the quarter turn, which remains unknown."""
BIN_OFFSETS = (-1, 0, 1)
"""The bins that are tried, relative to that of the dominant edge direction: itself and its neighbors."""
OVERSAMPLING = 2
"""Each sample is the mean of a square of finer samples, with this many on each side."""
NOISE_GRAY_LEVELS = 4.0
"""The noise that is assumed in every sample and added to the norm of a patch, so that a plain patch doesn't correlate
with a template."""
NOISE_NORM = NOISE_GRAY_LEVELS * TEMPLATE_SIDE
"""The norm of the noise in all samples under a template."""
MAX_POSES_PER_CANDIDATE = 4
"""The maximum number of poses that are kept for a candidate. For 99 % of the codes, the right pose is among them, and
its score is at least `MIN_SCORE_RATIO` times the best score."""
MIN_SCORE_RATIO = 0.8
"""A pose is kept only if its score is at least this share of the best score of its candidate."""
MIN_COARSE_CORRELATION = 0.33
"""The least correlation of a pose with what all codes have in common: 99.8 % of the codes have more, 85 % of the print
has less."""
QUARTER_TURNS = 4
TEMPLATE_BLUR = 0.55
"""The blur of the templates: a standard deviation in modules."""
TEMPLATE_MARGIN = 10
"""The width of the white margin around the rendered template, in modules."""
PX_PER_MODULE = 8
"""The resolution of the rendered template."""


@cache
def build_coarse_templates(bank: TemplateBank, scales: tuple[float, ...]) -> Floats:
    """The templates for each bin of angles (see ANGLE_BINS): bins x templates x samples. They show the mean of all
    codes at the angles of the bin and in several sizes. `scales`: the sizes, as multiples of the expected size.

    The templates of a bin are in the order of quarter turns, bin offsets and scales. After them come the vectors of the
    shading basis. Each template is without shading and has a norm of 1.
    """
    mean = np.kron(
        np.pad(bank.mean_modules, TEMPLATE_MARGIN, constant_values=1), np.ones((PX_PER_MODULE, PX_PER_MODULE))
    )
    soft = cv2.GaussianBlur(mean.astype(np.float32), (0, 0), TEMPLATE_BLUR * PX_PER_MODULE)
    axis = (np.arange(TEMPLATE_SIDE) - (TEMPLATE_SIDE - 1) / 2) * STEP_MODULES
    across, down = np.meshgrid(axis, axis)
    renderings = []
    for angle in np.arange(QUARTER_TURNS * ANGLE_BINS) * (np.pi / 2 / ANGLE_BINS):
        for scale in scales:
            c, s = np.cos(angle) / scale, np.sin(angle) / scale
            x, y = (
                ((v + HALF_CODE + TEMPLATE_MARGIN) * PX_PER_MODULE - 0.5).astype(np.float32)
                for v in (c * across + s * down, c * down - s * across)
            )
            renderings.append(cv2.remap(soft, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).ravel())
    shading = shading_basis(across.ravel() / HALF_CODE, down.ravel() / HALF_CODE)
    templates = np.array(renderings, np.float32)
    templates -= (templates @ shading) @ shading.T
    templates /= np.linalg.norm(templates, axis=1, keepdims=True)
    by_angle = templates.reshape(QUARTER_TURNS * ANGLE_BINS, len(scales), -1)
    return np.stack(
        [np.vstack([by_angle[candidate_angles(k)].reshape(-1, TEMPLATE_SIDE**2), shading.T]) for k in range(ANGLE_BINS)]
    )


@cache
def template_pairs(bank: TemplateBank, scales: tuple[float, ...]) -> Floats:
    """The templates for the C extension: bins x groups x half of the samples x 6 pairs x 2. A pair is a template of one
    of the first two quarter turns and the same template upside down. Its first number is to be multiplied by the sum of
    a sample and the one opposite to it, and the second one by their difference. Both products together add up to that
    of the patch with the template; their difference, to that with the template upside down."""
    templates = build_coarse_templates(bank, scales)[:, :-SHADING_TERMS]
    upright, turned = np.split(templates, 2, axis=1)
    mean = (upright + turned[..., ::-1]) / 2
    half = TEMPLATE_SIDE**2 // 2 + 1
    pairs = np.stack([mean + mean[..., ::-1], mean - mean[..., ::-1]], 2)[..., :half] / 2
    pairs[:, :, 0, -1] /= 2  # the sample in the middle is opposite to itself
    groups = pairs.reshape(ANGLE_BINS, -1, 6, 2, half)
    return np.ascontiguousarray(groups.transpose(0, 1, 4, 2, 3))


@cache
def axis_polynomials() -> Floats:
    """The orthonormal polynomials of order 0, 1 and 2 along a side of a template: 3 x samples. Products of one across
    and one down, of up to the second order together, span the same space as the shading basis."""
    axis = np.linspace(-1, 1, TEMPLATE_SIDE)
    return np.ascontiguousarray(np.linalg.qr(np.stack([np.ones_like(axis), axis, axis * axis], 1))[0].T, np.float32)


def candidate_angles(angle_bin: int) -> Indices:
    """The angles to try if the dominant edge direction of a candidate is in this bin. There is a row for each quarter
    turn and a column for each of `BIN_OFFSETS`. Angles are in steps of 10 degrees."""
    quarters = ANGLE_BINS * np.arange(QUARTER_TURNS)[:, None]
    return np.asarray((quarters + angle_bin + np.array(BIN_OFFSETS)) % (QUARTER_TURNS * ANGLE_BINS))


def find_coarse_poses(
    gray: GrayImage, centers: Points, module_scales: ModuleScales, bank: TemplateBank, scales: tuple[float, ...]
) -> tuple[Poses, Indices]:
    """The best poses at each candidate that looks like a code, and for each pose the index of its candidate in
    `centers`.

    `centers` are the centers of the candidates. `module_scales` is the expected size of a module at each of them. Each
    code is tried in several sizes: the expected size times each factor in `scales`.
    """
    radius = search_radius(module_scales)
    if native.is_enabled():
        pairs = template_pairs(bank, scales), axis_polynomials(), scales
        limits = NOISE_NORM, MIN_COARSE_CORRELATION, MIN_SCORE_RATIO, MAX_POSES_PER_CANDIDATE
        return native.find_coarse_poses(gray, (centers, module_scales), (radius, STEP_MODULES), pairs, limits)
    patches = rectify_patches(gray, centers, module_scales, radius)
    angle_bin = dominant_angles(patches)
    templates = build_coarse_templates(bank, scales)[angle_bin]
    candidate, quarter, row, column, which = find_coarse_peaks(patches, templates)
    offset, size = np.divmod(which, len(scales))
    turns = quarter * ANGLE_BINS + angle_bin[candidate] + offset - len(BIN_OFFSETS) // 2
    shift = np.asarray((np.stack([column, row], 1) - radius) * STEP_MODULES, float)
    angles = np.asarray(turns * (np.pi / 2 / ANGLE_BINS), float)
    sizes = np.array(scales, float)[size]
    return compose_poses(shift, angles, sizes, centers[candidate], module_scales[candidate]), candidate


def find_coarse_peaks(patches: Floats, templates: Floats) -> tuple[Indices, ...]:
    """The best poses of each candidate that looks like a code. Returns five arrays with an entry for each pose:
    candidate, quarter turn, row, column, and the index of the template among those of this quarter turn. `templates`:
    those of each candidate, see `build_coarse_templates`."""
    scores = correlate(patches, templates)
    candidate, quarter, row, column = find_peaks(scores)
    return candidate, quarter, row, column, scores[candidate, quarter, :, row, column].argmax(1)


def search_radius(module_scales: ModuleScales) -> int:
    """How far around a candidate the center of a code is searched for, in samples. `module_scales`: the expected sizes
    of a module."""
    (xx, xy), (yx, yy) = module_scales.transpose(1, 2, 0)
    module_px = float(np.sqrt(np.abs(xx * yy - xy * yx)).sum()) / len(module_scales)
    smallest, largest = SEARCH_RADIUS_STEPS
    return min(max(math.ceil(SEARCH_RADIUS_PX / (STEP_MODULES * module_px)), smallest), largest)


def rectify_patches(gray: GrayImage, centers: Points, module_scales: ModuleScales, radius: int) -> Floats:
    """The image around each candidate, without perspective: n x side x side samples. On each of its four sides, a patch
    extends `radius` samples beyond a template."""
    side = TEMPLATE_SIDE + 2 * radius
    fine_side = side * OVERSAMPLING
    to_px = np.empty((len(centers), 2, 3))
    to_px[:, :, :2] = module_scales * (STEP_MODULES / OVERSAMPLING)
    to_px[:, :, 2] = centers - to_px[:, :, :2].sum(2) * (fine_side - 1) / 2
    if native.is_enabled():
        return native.rectify_patches(gray, to_px, side)
    patches = np.empty((len(centers), side, side), np.uint8)
    for k, warp in enumerate(to_px):
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        fine = cv2.warpAffine(gray, warp, (fine_side, fine_side), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        cv2.resize(fine, (side, side), patches[k], interpolation=cv2.INTER_AREA)
    return patches.astype(np.float32)


def dominant_angles(patches: Floats) -> Indices:
    """The dominant edge direction in each patch, within a quarter turn, as the index of a bin.

    Angles are multiplied by four before they are averaged. This makes directions at right angles coincide, so that all
    edges of a code count together.
    """
    cos4, sin4 = sum_edge_directions(patches).T
    return np.asarray(np.round(np.arctan2(sin4, cos4) / (2 * np.pi) * ANGLE_BINS).astype(int) % ANGLE_BINS)


def sum_edge_directions(patches: Floats) -> Floats:
    """The sums of the cosines and of the sines of four times the angle of each gradient, weighted by its energy: n x
    2."""
    if native.is_enabled():
        return native.sum_edge_directions(patches)
    sheet = patches.reshape(-1, patches.shape[2])
    dx, dy = (cv2.Sobel(sheet, cv2.CV_32F, *order).reshape(patches.shape)[:, 3:-3, 3:-3] for order in ((1, 0), (0, 1)))
    cos2, sin2 = dx * dx - dy * dy, 2 * dx * dy
    energy = np.maximum(dx * dx + dy * dy, 1e-3)
    return np.stack([(part / energy).sum((1, 2)) for part in (cos2**2 - sin2**2, 2 * cos2 * sin2)], 1)


def correlate(patches: Floats, templates: Floats) -> Floats:
    """The normalized cross-correlation of each patch with each of its templates, at every position in the patch. The
    shading of a patch is ignored. The result is n x quarter turns x (bin offsets x scales) x rows x columns."""
    positions = patches.shape[1] - TEMPLATE_SIDE + 1
    products = templates @ copy_windows(patches)
    shading = products[:, -SHADING_TERMS:]
    energy = window_energies(patches).reshape(len(patches), -1) - (shading * shading).sum(1)
    norm = np.sqrt(np.maximum(energy, 0)) + NOISE_NORM
    scores = products[:, :-SHADING_TERMS] / norm[:, None]
    return np.asarray(scores.reshape(len(patches), QUARTER_TURNS, -1, positions, positions))


def copy_windows(patches: Floats) -> Floats:
    """The samples under a template, at every position of the template in each patch: n x samples x positions."""
    row_stride, column_stride = patches.strides[1:]
    positions = patches.shape[1] - TEMPLATE_SIDE + 1
    shape = (len(patches), TEMPLATE_SIDE, TEMPLATE_SIDE, positions, positions)
    strides = (patches.strides[0], row_stride, column_stride, row_stride, column_stride)
    windows = np.lib.stride_tricks.as_strided(patches, shape, strides)
    return np.asarray(windows.reshape(len(patches), TEMPLATE_SIDE**2, positions**2))


def window_energies(patches: Floats) -> Floats:
    """The energy (sum of squares) of the samples under a template, at every position of the template in each patch: n x
    rows x columns."""
    sheet = cv2.sqrBoxFilter(
        patches.reshape(-1, patches.shape[2]), cv2.CV_32F, (TEMPLATE_SIDE, TEMPLATE_SIDE), normalize=False
    )
    inside = slice(TEMPLATE_SIDE // 2, patches.shape[1] - TEMPLATE_SIDE // 2)
    return np.asarray(sheet.reshape(patches.shape)[:, inside, inside], np.float32)


def find_peaks(scores: Floats) -> tuple[Indices, ...]:
    """Finds the highest scores of each candidate that looks like a code. Returns four arrays with an entry for each
    peak: candidate, quarter turn, row and column. The peaks of a candidate are in descending order. `scores`: what
    `correlate` returns."""
    best = scores.max(2)
    positions = best.shape[2]
    padded = np.full((*best.shape[:2], positions + 2, positions + 2), -1, np.float32)
    padded[..., 1:-1, 1:-1] = best
    neighborhood = cv2.dilate(padded.reshape(-1, positions + 2), np.ones((3, 3), np.uint8)).reshape(padded.shape)
    threshold = np.maximum(MIN_COARSE_CORRELATION, MIN_SCORE_RATIO * best.max((1, 2, 3), keepdims=True))
    peaks = np.nonzero((best >= neighborhood[..., 1:-1, 1:-1]) & (best >= threshold))
    order = np.lexsort((-best[peaks], peaks[0]))
    candidate = peaks[0][order]
    first = order[np.arange(len(candidate)) - np.searchsorted(candidate, candidate) < MAX_POSES_PER_CANDIDATE]
    return tuple(axis[first] for axis in peaks)


def compose_poses(shifts: Points, angles: Points, sizes: Points, centers: Points, module_scales: ModuleScales) -> Poses:
    """The poses of codes, one for each of `centers`. `shifts`: how far each code is from its entry in `centers`, in
    modules. `angles` are in radians. `sizes` are multiples of the expected size (`module_scales`)."""
    c, s = np.cos(angles) * sizes, np.sin(angles) * sizes
    poses = np.zeros((len(shifts), 3, 3))
    poses[:, :2, :2] = module_scales @ np.stack([c, -s, s, c], 1).reshape(-1, 2, 2)
    poses[:, :2, 2] = centers + (shifts[:, None] @ module_scales)[:, 0]
    poses[:, 2, 2] = 1
    return poses
