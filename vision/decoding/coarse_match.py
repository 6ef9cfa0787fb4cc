"""Where about does a code lie, and how is it turned? A rough look, for what all known codes have in common.

Law: pure. This is what tells codes from print: of 20 candidates one or two pass that are no codes.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.decoding.pose_refinement import Poses
from vision.decoding.templates import HALF_CODE, SHADING_TERMS, Floats, TemplateBank, shading_basis
from vision.geometry import GrayImage, Points

Numbers = NDArray[np.int64]
Metrics = NDArray[np.float64]
"""n x 2 x 2: pixels a module in two directions at a right angle, however the code is turned."""

STEP = 1.5
"""Modules between the samples of a rough look: nothing finer outlives the worst blur."""
ACROSS = 17
"""Samples of a rough look: the code and 1.5 modules around."""
REACH_PX = 12.0
"""So far the middle may lie away from the peak of the texture; 97 of 100 do not, whatever their size ..."""
REACHES = (3, 7)
"""... and at least and at most so many steps."""
LEANS = 9
"""Edges tell how far a code leans from the nearest quarter turn: to 10 degrees in 98 of 100, in so many classes ..."""
BESIDE = (-1, 0, 1)
"""... of which those beside it are tried, too."""
FINER = 2
"""Each sample of a rough look is the mean of 2 x 2."""
FLAT = 4.0
"""Grey levels of noise that a rough look takes into account."""
HYPOTHESES = 4
"""So many rough poses of a candidate may be looked into; the right one is among them in 99 of 100 ..."""
NEARLY = 0.8
"""... and has at least this share of the best one's score."""
LOOKS_CODED = 0.33
"""A code correlates so well with what all have in common, 99 of 100 do; print does not, 80 of 100."""
QUARTERS = 4


@cache
def rough_bank(patterns: TemplateBank, scales: tuple[float, ...]) -> Floats:
    """What a rough look shows of the patterns' mean, for each lean: leans x (quarters x beside x scales) x samples,
    each without what light alone may do and of length 1. The last rows take the light."""
    fine = 8
    mean = np.kron(np.pad(patterns.mean_modules, 10, constant_values=1), np.ones((fine, fine)))
    soft = cv2.GaussianBlur(mean.astype(np.float32), (0, 0), 0.55 * fine)
    axis = (np.arange(ACROSS) - (ACROSS - 1) / 2) * STEP
    across, down = np.meshgrid(axis, axis)
    looks = []
    for turn in np.arange(QUARTERS * LEANS) * (np.pi / 2 / LEANS):
        for scale in scales:
            c, s = np.cos(turn) / scale, np.sin(turn) / scale
            x, y = (
                ((v + HALF_CODE + 10) * fine - 0.5).astype(np.float32)
                for v in (c * across + s * down, c * down - s * across)
            )
            looks.append(cv2.remap(soft, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).ravel())
    light = shading_basis(across.ravel() / HALF_CODE, down.ravel() / HALF_CODE)
    bank = np.array(looks, np.float32)
    bank -= (bank @ light) @ light.T
    bank /= np.linalg.norm(bank, axis=1, keepdims=True)
    turned = bank.reshape(QUARTERS * LEANS, len(scales), -1)
    return np.stack([np.vstack([turned[classes(lean)].reshape(-1, ACROSS**2), light.T]) for lean in range(LEANS)])


def classes(lean: int) -> NDArray[np.int64]:
    """The turns that a lean stands for, in ninths of a quarter: quarters x beside."""
    return np.asarray((LEANS * np.arange(QUARTERS)[:, None] + lean + np.array(BESIDE)) % (QUARTERS * LEANS))


def rough_poses(
    grey: GrayImage, middles: Points, metrics: Metrics, patterns: TemplateBank, scales: tuple[float, ...]
) -> tuple[Poses, Numbers]:
    """The likeliest poses of each candidate that looks like a code, none near another, and the candidates' numbers."""
    reach = reach_of(metrics)
    seen = looks(grey, middles, metrics, reach)
    lean = leans(seen)
    scores = correlations(seen, rough_bank(patterns, scales)[lean])
    which, quarter, row, column = highest(scores)
    beside, size = np.divmod(scores[which, quarter, :, row, column].argmax(1), len(scales))
    turns = (quarter * LEANS + lean[which] + beside - len(BESIDE) // 2) * (np.pi / 2 / LEANS)
    at = np.asarray((np.stack([column, row], 1) - reach) * STEP, float)
    return poses_at(at, turns, np.array(scales)[size], middles[which], metrics[which]), which


def reach_of(metrics: Metrics) -> int:
    """How many steps about a candidate codes of that size are looked for."""
    module_px = np.sqrt(np.abs(np.linalg.det(metrics))).mean()
    return int(np.clip(np.ceil(REACH_PX / (STEP * module_px)), *REACHES))


def looks(grey: GrayImage, middles: Points, metrics: Metrics, reach: int) -> Floats:
    """A rough look at each candidate, squared to its metric: n x across x across."""
    across = ACROSS + 2 * reach
    fine = across * FINER
    seen = np.empty((len(middles), across, across), np.uint8)
    to_px = np.empty((len(middles), 2, 3))
    to_px[:, :, :2] = metrics * (STEP / FINER)
    to_px[:, :, 2] = middles - to_px[:, :, :2].sum(2) * (fine - 1) / 2
    for k, way in enumerate(to_px):
        back = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        square = cv2.warpAffine(grey, way, (fine, fine), flags=back, borderMode=cv2.BORDER_REPLICATE)
        cv2.resize(square, (across, across), seen[k], interpolation=cv2.INTER_AREA)
    return seen.astype(np.float32)


def leans(looks: Floats) -> NDArray[np.int64]:
    """How far what each look shows leans from the nearest quarter turn, in classes: edges that lie at right angles all
    say the same, once their own angle is taken four times."""
    sheet = looks.reshape(-1, looks.shape[2])
    x, y = (cv2.Sobel(sheet, cv2.CV_32F, *way).reshape(looks.shape)[:, 3:-3, 3:-3] for way in ((1, 0), (0, 1)))
    level, slant = x * x - y * y, 2 * x * y
    strength = np.maximum(x * x + y * y, 1e-3)
    along, beside = ((part / strength).sum((1, 2)) for part in (level**2 - slant**2, 2 * level * slant))
    return np.asarray(np.round(np.arctan2(beside, along) / (2 * np.pi) * LEANS).astype(int) % LEANS)


def correlations(looks: Floats, banks: Floats) -> Floats:
    """Of every place in every look with all of its bank: n x quarters x (beside x scales) x places x places."""
    rows, columns = looks.strides[1:]
    places = looks.shape[1] - ACROSS + 1
    shape = (len(looks), ACROSS, ACROSS, places, places)
    windows = np.lib.stride_tricks.as_strided(looks, shape, (looks.strides[0], rows, columns, rows, columns))
    products = banks @ windows.reshape(len(looks), ACROSS**2, places**2)
    light = products[:, -SHADING_TERMS:]
    squares = energies(looks).reshape(len(looks), -1) - (light * light).sum(1)
    strength = np.sqrt(np.maximum(squares, 0)) + FLAT * ACROSS
    scores = products[:, :-SHADING_TERMS] / strength[:, None]
    return np.asarray(scores.reshape(len(looks), QUARTERS, -1, places, places))


def energies(looks: Floats) -> Floats:
    """The sum of squares over every place in every look: n x places x places."""
    sheet = cv2.sqrBoxFilter(looks.reshape(-1, looks.shape[2]), cv2.CV_32F, (ACROSS, ACROSS), normalize=False)
    inside = slice(ACROSS // 2, looks.shape[1] - ACROSS // 2)
    return np.asarray(sheet.reshape(looks.shape)[:, inside, inside], np.float32)


def highest(scores: Floats) -> tuple[Numbers, ...]:
    """Where the scores (n x quarters x kinds x places x places) are highest, none near another, of each candidate that
    looks like a code: candidate, quarter, row and column; a candidate's highest first."""
    best = scores.max(2)
    places = best.shape[2]
    sheet = np.full((*best.shape[:2], places + 2, places + 2), -1, np.float32)
    sheet[..., 1:-1, 1:-1] = best
    around = cv2.dilate(sheet.reshape(-1, places + 2), np.ones((3, 3), np.uint8)).reshape(sheet.shape)
    least = np.maximum(LOOKS_CODED, NEARLY * best.max((1, 2, 3), keepdims=True))
    at = np.nonzero((best >= around[..., 1:-1, 1:-1]) & (best >= least))
    order = np.lexsort((-best[at], at[0]))
    which = at[0][order]
    some = order[np.arange(len(which)) - np.searchsorted(which, which) < HYPOTHESES]
    return tuple(axis[some] for axis in at)


def poses_at(at: Points, turns: Points, sizes: Points, middles: Points, metrics: Metrics) -> Poses:
    """Codes so many modules away from the middles, turned and sized like that: n x 3 x 3."""
    c, s = np.cos(turns) * sizes, np.sin(turns) * sizes
    poses = np.zeros((len(at), 3, 3))
    poses[:, :2, :2] = metrics @ np.stack([c, -s, s, c], 1).reshape(-1, 2, 2)
    poses[:, :2, 2] = middles + (at[:, None] @ metrics)[:, 0]
    poses[:, 2, 2] = 1
    return poses
