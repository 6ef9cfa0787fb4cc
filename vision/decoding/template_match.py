"""Which of the known codes is it? Soft samples against the closed list, and a proof before a match is believed.

Law: no I/O, no clock. Any picture looks most like one of the list; the proof is what keeps foreign codes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from companion.codes import MODULES
from vision.decoding.coarse_match import Metrics, rough_poses
from vision.decoding.pose_refinement import Poses, project_corners, refine_poses, sample_modules
from vision.decoding.templates import (
    BLURS,
    GRID_SIDE,
    QUIET_ZONE,
    SHADING_BASIS,
    Floats,
    TemplateBank,
    blur_matrices,
    normalize_rows,
    remove_shading,
)
from vision.geometry import GrayImage, Points

CODEWORDS = 26
DATA_CODEWORDS = 13
"""Of a code of version 1 at error level Q, the rest corrects errors: two codes that differ at all differ in 14
codewords or more, which is what the proof rests on."""
HIDDEN_CODEWORDS = 5
"""So many of those 14 may be under a thumb."""
PROVEN = 0.42
"""A match with more proof is believed at once. Foreign codes by the thousand, partly covered, reach 0.32; those that
were chosen for their likeness out of millions, with a square painted just where they differ, have reached 0.409. Of the
codes on the list 99 % reach this, of those partly covered in poor light 81 %."""
LIKELY = 0.37
"""A match with more is nearly one, and not believed."""
USUAL = 2
"""The blur by which ids are told, of BLURS."""
CLEAR = 0.45
"""With less something covers a part of the code, and its angle may be off by some degrees."""
HOPELESS = 0.05
"""With less it is another code or none; 99.5 of 100 codes have four times as much at first."""
UNLIKE = 0.42
"""A pose under which the picture correlates less with any code of the list is no code's: 99.5 of 100 codes do better,
half of the print does not."""
LEAST_CONTRAST = 5.0
"""Grey levels from the middle to light or dark; a code in deep shade has 15 ..."""
LEAST_ALIKE = 0.5
"""... and how well the picture must correlate with the code: the worst that are read, half under a thumb, have 0.55."""
HIDDEN = 0.8
"""A sample that is farther from what was expected, in contrasts, shows something else."""
SHEEN = 3.0
"""What is left unexplained over so many samples around (a standard deviation; 2.3 modules) is light: reflections and
shadows have edges softer than modules."""


@dataclass(frozen=True, eq=False)
class Match:
    """A code of the list, its corners in pixels, and how much speaks for it: 0.5 is all there can be."""

    id: str
    corners: Points
    confidence: float


def matches(
    grey: GrayImage, places: Points, metrics: Metrics, scales: tuple[float, ...], patterns: TemplateBank
) -> list[Match]:
    """What the places look most like of the list that look like a code at all, however little speaks for it."""
    poses, which = rough_poses(grey, places, metrics, patterns, scales)
    if not len(poses):
        return []
    # One round tells which pose is right in 199 of 200; the others need not be settled.
    poses = refine_poses(grey, poses, patterns.common_models[:1])
    numbers, alike = best_ids(grey, poses, patterns)
    order = np.lexsort((-alike, which))
    best = order[np.unique(which[order], return_index=True)[1]]
    poses, numbers, proof = poses[best], numbers[best], np.full(len(best), -1.0)
    likely = np.flatnonzero(alike[best] >= UNLIKE)
    poses[likely], numbers[likely], proof[likely] = judged(grey, poses[likely], patterns)
    return [
        Match(patterns.ids[number], corners, float(sure))
        for number, corners, sure in zip(numbers, project_corners(poses), proof, strict=True)
    ]


def judged(grey: GrayImage, poses: Poses, patterns: TemplateBank) -> tuple[Poses, NDArray[np.int64], Floats]:
    """Poses settled, the numbers of the codes that they show, and the proof of each."""
    poses = refine_poses(grey, poses, patterns.common_models[1:])
    numbers, alike = best_ids(grey, poses, patterns)
    proof = np.full(len(poses), -1, np.float32)

    def settle_more(which: NDArray[np.int64], rounds: int) -> None:
        fit = patterns.models_of(numbers[which])
        poses[which] = refine_poses(grey, poses[which], (fit,) * rounds)
        proof[which] = proofs(sample_modules(grey, poses[which]), numbers[which], patterns)

    settle_more(np.flatnonzero(alike >= LEAST_ALIKE), 2)
    # Where something covers a code the fit is slow: six more rounds read 2 of 100 more.
    settle_more(np.flatnonzero((proof < CLEAR) & (proof > HOPELESS)), 6)
    return poses, numbers, proof


def best_ids(grey: GrayImage, poses: Poses, patterns: TemplateBank) -> tuple[NDArray[np.int64], Floats]:
    """For each pose the number of the code that looks most like the picture, and how much: its correlation."""
    scores = normalize_rows(remove_shading(sample_modules(grey, poses))) @ patterns.unit_templates[USUAL].T
    numbers = scores.argmax(1)
    return numbers, scores[np.arange(len(poses)), numbers]


def proofs(samples: Floats, numbers: NDArray[np.int64], patterns: TemplateBank) -> Floats:
    """How surely each row of samples shows just that code, -1 to 0.5.

    Each module is asked how much better the picture fits as it is than if this module were the other way, 1 for as
    much as its contrast allows; what it says above 0.5 does not make up for others that say no. Another code, of
    ours or not, would differ in 14 codewords at least; so the 14 that speak least for us must still speak for us,
    but for five of them, since a thumb may lie there.
    """
    says = np.clip(module_votes(samples, numbers, patterns), -1, 0.5).reshape(-1, MODULES**2)
    words = np.sort(says @ codeword_means(), 1)
    return np.asarray(words[:, HIDDEN_CODEWORDS : CODEWORDS - DATA_CODEWORDS + 1].mean(1))


def module_votes(samples: Floats, numbers: NDArray[np.int64], patterns: TemplateBank) -> Floats:
    """What each module says for its code: 1 as expected, -1 the opposite; n x 21 x 21."""
    blurs, alike = best_blurs(samples, numbers, patterns)
    residuals, contrasts = unexplained(samples, patterns.templates[blurs, numbers])
    votes = 1 + patterns.modules[numbers] * through_modules(residuals, blurs)
    # Where nearly all is taken for hidden, the rest agrees with anything.
    votes[(contrasts < LEAST_CONTRAST) | (alike < LEAST_ALIKE)] = -1
    return np.asarray(votes)


def best_blurs(samples: Floats, numbers: NDArray[np.int64], patterns: TemplateBank) -> tuple[NDArray[np.int64], Floats]:
    """Which of BLURS each row of samples shows, and how well it correlates then."""
    plain = normalize_rows(remove_shading(samples))
    alike = np.array([np.einsum("ij,ij->i", plain, shapes[numbers]) for shapes in patterns.unit_templates])
    return np.asarray(alike.argmax(0)), np.asarray(alike.max(0))


def unexplained(samples: Floats, templates: Floats) -> tuple[Floats, Floats]:
    """What the templates leave unexplained, in contrasts, and the contrasts; light and contrast are fitted again
    without what is hidden."""
    shapes = remove_shading(templates)
    norms = np.einsum("ij,ij->i", shapes, shapes)
    seen = samples
    for _ in range(3):
        contrast = np.einsum("ij,ij->i", seen, shapes) / norms
        model = contrast[:, None] * templates
        model += ((seen - model) @ SHADING_BASIS) @ SHADING_BASIS.T
        limit = HIDDEN * np.maximum(np.abs(contrast), 1)[:, None]
        seen = model + np.maximum(np.minimum(samples - model, limit), -limit)
    return without_sheen(seen - model) / np.maximum(np.abs(contrast), 1)[:, None], contrast


def without_sheen(residuals: Floats) -> Floats:
    """Without what changes so slowly over the code that it is light."""
    squares = residuals.reshape(-1, GRID_SIDE, GRID_SIDE)
    return np.asarray((squares - soft_mean() @ squares @ soft_mean().T).reshape(residuals.shape), np.float32)


@cache
def soft_mean() -> Floats:
    """Along an axis, samples to their means with their neighbours."""
    apart = np.arange(GRID_SIDE)[:, None] - np.arange(GRID_SIDE)
    weights = np.exp(-0.5 * (apart / SHEEN) ** 2)
    return np.asarray(weights / weights.sum(1, keepdims=True), np.float32)


def through_modules(residuals: Floats, blurs: NDArray[np.int64]) -> Floats:
    """How much of each module there is in the residuals: n x 21 x 21."""
    shapes = np.array([blur_matrices(blur)[0][:, QUIET_ZONE:-QUIET_ZONE] for blur in BLURS], np.float32)
    weights = (shapes * shapes).sum(1)
    mine, weight = shapes[blurs], weights[blurs]
    found = mine.swapaxes(1, 2) @ residuals.reshape(-1, GRID_SIDE, GRID_SIDE) @ mine
    return np.asarray(found / (weight[:, :, None] * weight[:, None]))


@cache
def codeword_means() -> Floats:
    """Modules to the means of their codewords: 441 x 26."""
    words = codewords()
    return np.stack([(words == k).ravel() / 8 for k in range(CODEWORDS)], 1).astype(np.float32)


def codewords() -> NDArray[np.int64]:
    """The number of the codeword to which each module belongs, -1 for function modules; ISO 18004, 7.7.3."""
    fixed = np.zeros((MODULES, MODULES), bool)
    fixed[:9, :9] = fixed[:9, -8:] = fixed[-8:, :9] = fixed[6] = fixed[:, 6] = True
    words, bit = np.full((MODULES, MODULES), -1), 0
    for turn, right in enumerate((20, 18, 16, 14, 12, 10, 8, 5, 3, 1)):
        for row in range(MODULES) if turn % 2 else reversed(range(MODULES)):
            for column in (right, right - 1):
                if not fixed[row, column]:
                    words[row, column] = bit // 8
                    bit += 1
    return words
