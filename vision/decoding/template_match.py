"""Matches samples of an image with the templates of all known codes, and scores each match before it is accepted.

Law: no I/O, no clock. There is a best match for any patch of an image, even if it shows none of the known codes. So the
confidence of the match decides whether it is accepted, which keeps foreign codes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from companion.component_qr_codes import MODULES
from vision.decoding import native
from vision.decoding.coarse_match import find_coarse_poses
from vision.decoding.module_size_field import ModuleScales
from vision.decoding.pose_refinement import Poses, project_corners, refine_poses, sample_modules, sample_unit_modules
from vision.decoding.templates import (
    BLURS,
    DEFAULT_BLUR_INDEX,
    GRID_SIDE,
    HALF_CODE,
    QUIET_ZONE,
    SAMPLE_AXIS,
    SHADING_BASIS,
    SHORT_SCALE,
    SPARSE_STEP,
    Floats,
    Indices,
    TemplateBank,
    blur_matrices,
    normalize_rows,
    remove_shading,
)
from vision.geometry import GrayImage, Points

CODEWORDS = 26
DATA_CODEWORDS = 13
"""The codewords with data in a code of version 1 at error correction level Q. The other 13 correct errors, so any two
codes differ in at least 14 codewords (ISO 18004). The confidence is based on this difference."""
MAX_OCCLUDED_CODEWORDS = 6
"""Any two codes differ in at least 14 codewords. Up to this many of these 14 may be hidden, for example under a
thumb."""
MIN_ACCEPTED_CONFIDENCE = 0.186
"""A match with at least this confidence is accepted. The highest confidence of 5,160 foreign codes, nearly half of them
partly covered, was 0.168. Foreign codes chosen for their likeness to a known one, with a square painted exactly where
they differ, reached 0.162."""
MIN_LIKELY_CONFIDENCE = 0.177
"""A match with at least this confidence is probably right, but not accepted by itself."""
MIN_UNCOVERED_CONFIDENCE = 0.195
"""A match with less confidence is taken for a partly covered code, whose angle may be off by some degrees."""
MAX_SMALL_MODULE_PX = 1.7
"""The modules of a small code are smaller than this. So little is left of them that a foreign code that differs from
one of ours in only 14 codewords may reach a confidence of 0.199."""
MIN_CERTAIN_CONFIDENCE = 0.1995
"""A small code with less confidence is compared with its template once more, see `are_foreign`."""
MIN_DATA_CORRELATION, MAX_DATA_RESIDUAL_RATIO = 0.9, 1.75
"""A small code is foreign if its data correlate less with the template, and also deviate more from it than the function
patterns, which are the same in all codes: more than this many times as much, for modules of one pixel. The limit is
proportional to the size of the modules, because less of the differences is left of smaller ones."""
MAX_FOREIGN_CONFIDENCE = 0.17
"""The confidence of a small foreign code is lowered to this."""
MIN_REFINABLE_CONFIDENCE = -0.1
"""A match with less confidence is not refined further: it is a foreign code or no code. After the first refinement, a
code that is out of focus may have as little as -0.03."""
MAX_VOTE = 0.2
"""The highest vote of a module, and so the highest confidence. With a low limit, noise in modules that agree matters
little: only modules that clearly disagree lower the confidence."""
MIN_INITIAL_CORRELATION = 0.42
"""If the samples of a pose correlate less with every template, there is no code. 99.9 % of the codes correlate better;
30 % of the print that passes the coarse match does not."""
MIN_CORRELATION = 0.5
"""If the samples of a refined pose correlate less with the template of its code, there is no code. The worst codes that
are read, half of them covered, have 0.6."""
MIN_CONTRAST = 5.0
"""The least contrast of a code: gray levels from the middle to its light or dark modules. A code in deep shade has
14."""
MAX_RESIDUAL = 0.9
"""A sample that deviates further from the template, in multiples of the contrast, is treated as occluded."""
ROBUST_ITERATIONS = 3
UNCOVERED_REFINEMENTS, COVERED_REFINEMENTS = 2, 6
"""The number of iterations that refine a pose with the code's own model, and the number of further iterations if
something covers the code. The fit converges slowly then; six more iterations read 4 % more of the covered codes."""
LIGHTING_SIGMA_SAMPLES = 2.0
"""The standard deviation of the low-pass filter that separates light from modules, in samples (1.5 modules).
Reflections and shadows have softer edges than modules."""
VOTE_LIMITS = ROBUST_ITERATIONS, MAX_RESIDUAL, MIN_CONTRAST, MIN_CORRELATION
MIN_SQUARE = 1e-3
"""The divisor that replaces a mean square of nearly zero."""
PADDED_ROW = 32
"""The length of the rows of kernels for the C extension."""
SHADING_ROWS = np.ascontiguousarray(SHADING_BASIS.T)


@dataclass(frozen=True, eq=False)
class TemplateMatch:
    """A match with a template: the id of the code, its corners in pixels, and the confidence (-1 to MAX_VOTE)."""

    id: str
    corners: Points
    confidence: float


def match_templates(
    gray: GrayImage, centers: Points, module_scales: ModuleScales, scales: tuple[float, ...], bank: TemplateBank
) -> list[TemplateMatch]:
    """Compares the image at each of `centers` (px) with the templates of all known codes. Returns the best match at
    each center, even if its confidence is low; centers that do not look like a code are left out. `module_scales` is
    the expected size of a module at each center. Each code is tried in several sizes: the expected size times each
    factor in `scales`."""
    poses, candidate = find_coarse_poses(gray, centers, module_scales, bank, scales)
    if not len(poses):
        return []
    # One iteration shows which pose is right in more than 199 of 200 cases, so only the best pose is refined further.
    poses = refine_poses(gray, poses, bank.common_models[:1])
    codes, correlation = identify(gray, poses, bank, is_sparse=True)
    best_of, scores = dict[int, int](), correlation.tolist()
    for index, place in enumerate(candidate.tolist()):
        if place not in best_of or scores[index] > scores[best_of[place]]:
            best_of[place] = index
    best = np.array([best_of[place] for place in sorted(best_of)])
    poses, codes, confidence = poses[best], codes[best], np.full(len(best), -1.0)
    likely = np.flatnonzero(correlation[best] >= MIN_INITIAL_CORRELATION)
    poses[likely], codes[likely], confidence[likely] = refine_and_score(gray, poses[likely], bank)
    return [
        TemplateMatch(bank.ids[code], corners, float(score))
        for code, corners, score in zip(codes, project_corners(poses), confidence, strict=True)
    ]


def refine_and_score(gray: GrayImage, poses: Poses, bank: TemplateBank) -> tuple[Poses, Indices, Floats]:
    """Refines the poses, and finds out which code each of them shows. Returns the refined poses, the index of the code
    for each pose, and the confidence of each match."""
    poses = refine_poses(gray, poses, bank.common_models[1:])
    codes, correlation = identify(gray, poses, bank)
    confidence = np.full(len(poses), -1, np.float32)

    def refine_further(which: Indices, iterations: int) -> None:
        if not len(which):
            return
        model = bank.models_of(codes[which])
        poses[which] = refine_poses(gray, poses[which], (model,) * iterations)
        confidence[which] = confidences(sample_modules(gray, poses[which]), codes[which], bank)

    refine_further(np.flatnonzero(correlation >= MIN_CORRELATION), UNCOVERED_REFINEMENTS)
    covered = (confidence < MIN_UNCOVERED_CONFIDENCE) & (confidence > MIN_REFINABLE_CONFIDENCE)
    refine_further(np.flatnonzero(covered), COVERED_REFINEMENTS)
    doubtful = np.flatnonzero((confidence >= MIN_LIKELY_CONFIDENCE) & (confidence < MIN_CERTAIN_CONFIDENCE))
    doubtful = doubtful[module_sizes(poses[doubtful]) < MAX_SMALL_MODULE_PX]
    if len(doubtful):
        few = poses[doubtful]
        foreign = are_foreign(sample_modules(gray, few), module_sizes(few), codes[doubtful], bank)
        confidence[doubtful[foreign]] = MAX_FOREIGN_CONFIDENCE
    return poses, codes, confidence


def module_sizes(poses: Poses) -> Floats:
    """The size of the module in the middle of each code, in pixels."""
    scales = poses[:, :2, :2] - poses[:, :2, 2:] * poses[:, 2:, :2]
    return np.asarray(np.sqrt(np.abs(np.linalg.det(scales))), np.float32)


def are_foreign(samples: Floats, module_px: Floats, codes: Indices, bank: TemplateBank) -> NDArray[np.bool_]:
    """Whether each row of samples shows a foreign code rather than a small code of ours that is hard to read.
    `module_px`: the size of its modules. `codes`: the index of the expected code for each row.

    Blur and noise disturb all modules. A foreign code differs from the expected one in its data, but not in its
    function patterns. Where the least of `SMALL_CODE_BLURS` fits best, the image is so sharp that the confidence is
    enough.
    """
    shapes = remove_shading(samples)
    templates = bank.small_templates[:, codes]
    products = np.einsum("ij,kij->ki", shapes, templates)
    best, rows = products.argmax(0), np.arange(len(samples))
    expected = templates[best, rows] * products[best, rows][:, None]
    is_data, is_pattern = sample_areas()
    squares = (shapes - expected) ** 2
    ratio = squares[:, is_data].mean(1) / np.maximum(squares[:, is_pattern].mean(1), MIN_SQUARE)
    data, model = normalize_rows(shapes[:, is_data]), normalize_rows(expected[:, is_data])
    correlation = np.einsum("ij,ij->i", data, model)
    is_worse = (correlation < MIN_DATA_CORRELATION) & (ratio > MAX_DATA_RESIDUAL_RATIO * module_px)
    return np.asarray(is_worse & (best > 0))


@cache
def sample_areas() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which samples lie on data, and which on function patterns. The others lie on the quiet zone."""
    module = np.floor(SAMPLE_AXIS + HALF_CODE).astype(int) + 1
    words = np.pad(codeword_of_modules(), 1, constant_values=CODEWORDS)[module][:, module].ravel()
    return (words >= 0) & (words < CODEWORDS), words < 0


def identify(gray: GrayImage, poses: Poses, bank: TemplateBank, *, is_sparse: bool = False) -> tuple[Indices, Floats]:
    """For each pose, the index of the code whose template correlates best with the image, and this correlation.
    `is_sparse`: compares only every second sample, which takes half the time."""
    samples = sample_unit_modules(gray, poses, SPARSE_STEP if is_sparse else 1)
    if native.is_enabled():
        return native.identify(samples, bank.short_templates[is_sparse], SHORT_SCALE)
    scores = samples @ (bank.sparse_templates if is_sparse else bank.unit_templates[DEFAULT_BLUR_INDEX]).T
    codes = scores.argmax(1)
    return codes, scores[np.arange(len(poses)), codes]


def confidences(samples: Floats, codes: Indices, bank: TemplateBank) -> Floats:
    """For each row of samples, the confidence (-1 to MAX_VOTE) that it shows the expected code and no other. `codes`:
    the index of the expected code for each row.

    Each codeword gets a vote from -1 to MAX_VOTE: how well its modules agree with the expected code, on average. Any
    other code differs from the expected one in at least 14 codewords. So only the 14 lowest votes count, and of these
    the six lowest are left out, because a thumb may cover them. The confidence is the mean of the remaining eight. The
    votes of modules are clipped, so that a very clear module can't outweigh others that disagree.
    """
    votes = np.minimum(np.maximum(module_votes(samples, codes, bank), -1), MAX_VOTE).reshape(-1, MODULES**2)
    codewords = np.sort(votes @ codeword_averages(), 1)
    return np.asarray(codewords[:, MAX_OCCLUDED_CODEWORDS : CODEWORDS - DATA_CODEWORDS + 1].mean(1))


def module_votes(samples: Floats, codes: Indices, bank: TemplateBank) -> Floats:
    """How well each module in each row of samples agrees with the expected code: 1 if the module looks as expected, -1
    if it looks inverted. The result is n x 21 x 21. `codes`: the index of the expected code for each row."""
    if native.is_enabled():
        filters = SHADING_ROWS, *padded_kernels()
        templates = bank.templates, bank.unit_templates, bank.modules
        return native.module_votes(samples, codes, templates, filters, VOTE_LIMITS)
    blurs, correlation = best_blurs(samples, codes, bank)
    residuals, contrasts = robust_residuals(samples, bank.templates[blurs, codes])
    votes = 1 + bank.modules[codes] * project_onto_modules(residuals, blurs)
    # Where nearly all samples count as occluded, the rest agrees with any code.
    votes[(contrasts < MIN_CONTRAST) | (correlation < MIN_CORRELATION)] = -1
    return np.asarray(votes)


def best_blurs(samples: Floats, codes: Indices, bank: TemplateBank) -> tuple[Indices, Floats]:
    """The blur with which each row of samples best matches the template of the expected code. Returns the index of this
    blur in `BLURS` and the correlation for each row. `codes`: the index of the expected code for each row."""
    unit_samples = normalize_rows(remove_shading(samples))
    correlation = np.array([np.einsum("ij,ij->i", unit_samples, templates[codes]) for templates in bank.unit_templates])
    return np.asarray(correlation.argmax(0)), np.asarray(correlation.max(0))


def robust_residuals(samples: Floats, templates: Floats) -> tuple[Floats, Floats]:
    """The residuals of each code after its template is fitted and subtracted, divided by the code's contrast. Also
    returns the contrasts, in gray levels. Each row of `samples` has the samples of one code.

    The fit finds the shading and the contrast. It is repeated with clipped residuals (Huber), so that occluded samples
    have bounded influence. Gradual changes of light are removed from the residuals.
    """
    shapes = remove_shading(templates)
    norms = np.einsum("ij,ij->i", shapes, shapes)
    clipped = samples
    for _ in range(ROBUST_ITERATIONS):
        contrast = np.einsum("ij,ij->i", clipped, shapes) / norms
        expected = contrast[:, None] * templates
        expected += ((clipped - expected) @ SHADING_BASIS) @ SHADING_BASIS.T
        limit = MAX_RESIDUAL * np.maximum(np.abs(contrast), 1)[:, None]
        clipped = expected + np.maximum(np.minimum(samples - expected, limit), -limit)
    return remove_low_frequencies(clipped - expected) / np.maximum(np.abs(contrast), 1)[:, None], contrast


def remove_low_frequencies(residuals: Floats) -> Floats:
    """The residuals with everything removed that changes gradually over the code. Only the light changes gradually, not
    the print."""
    squares = residuals.reshape(-1, GRID_SIDE, GRID_SIDE)
    return np.asarray((squares - low_pass() @ squares @ low_pass().T).reshape(residuals.shape), np.float32)


@cache
def low_pass() -> Floats:
    """The matrix of a Gaussian low-pass filter along one axis: samples x samples."""
    distance = np.arange(GRID_SIDE)[:, None] - np.arange(GRID_SIDE)
    weights = np.exp(-0.5 * (distance / LIGHTING_SIGMA_SAMPLES) ** 2)
    return np.asarray(weights / weights.sum(1, keepdims=True), np.float32)


def project_onto_modules(residuals: Floats, blurs: Indices) -> Floats:
    """How much each module contributes to the residuals, by least squares: n x 21 x 21. `blurs`: the index in `BLURS`
    of the blur of each row."""
    kernel, norm = (each[blurs] for each in module_kernels())
    amplitudes = kernel.swapaxes(1, 2) @ residuals.reshape(-1, GRID_SIDE, GRID_SIDE) @ kernel
    return np.asarray(amplitudes / (norm[:, :, None] * norm[:, None]))


@cache
def module_kernels() -> tuple[Floats, Floats]:
    """For each blur, how much each module contributes to each sample along one axis (blurs x samples x modules), and
    the sums of the squares of the contributions (blurs x modules)."""
    kernels = np.array([blur_matrices(blur)[0][:, QUIET_ZONE:-QUIET_ZONE] for blur in BLURS], np.float32)
    return kernels, (kernels * kernels).sum(1)


@cache
def padded_kernels() -> tuple[Floats, Floats]:
    """The same for the C extension: blurs x 2 x samples x 32, first the kernels and then the kernels after the low-pass
    filter, with zeros after the last module; and the sums of the squares."""
    kernels, norms = module_kernels()
    both = np.stack([kernels, low_pass().T @ kernels], 1)
    return np.pad(both, ((0, 0), (0, 0), (0, 0), (0, PADDED_ROW - MODULES))), norms


@cache
def codeword_averages() -> Floats:
    """A matrix (441 x 26). A row of module values times this matrix gives the mean value of each codeword."""
    words = codeword_of_modules()
    return np.stack([(words == k).ravel() / 8 for k in range(CODEWORDS)], 1).astype(np.float32)


def codeword_of_modules() -> Indices:
    """The index of the codeword to which each module belongs: 21 x 21 (ISO 18004, 7.7.3). Function modules have -1."""
    function = np.zeros((MODULES, MODULES), bool)
    function[:9, :9] = function[:9, -8:] = function[-8:, :9] = function[6] = function[:, 6] = True
    words, bit = np.full((MODULES, MODULES), -1), 0
    for strip, right in enumerate((20, 18, 16, 14, 12, 10, 8, 5, 3, 1)):
        for row in range(MODULES) if strip % 2 else reversed(range(MODULES)):
            for column in (right, right - 1):
                if not function[row, column]:
                    words[row, column] = bit // 8
                    bit += 1
    return words
