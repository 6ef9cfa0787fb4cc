"""The templates of the known codes: how each of them should look in an image, prepared for comparison.

Law: pure. Lengths are in modules from the center of the code, x to the right and y down as printed. A light module is
+1, a dark one -1. A code is sampled on a grid of 31 x 31 points, 0.75 modules apart, which includes the innermost ring
of the quiet zone. With only one sample per module, poses are half as exact. Two per module take twice as long, and read
no more codes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import erf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.component_qr_codes import MODULES, matrix

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]

GRID_SIDE = 31
SAMPLE_COUNT = GRID_SIDE * GRID_SIDE
SAMPLE_SPACING = 0.75
"""The distance between neighboring samples, in modules."""
SAMPLE_AXIS = (np.arange(GRID_SIDE) - (GRID_SIDE - 1) / 2) * SAMPLE_SPACING
SAMPLE_X, SAMPLE_Y = (axis.ravel().astype(np.float32) for axis in np.meshgrid(SAMPLE_AXIS, SAMPLE_AXIS))
HALF_CODE = MODULES / 2
QUIET_ZONE = 8
"""The number of white modules that are assumed on each side of a code."""

BLURS = (0.35, 0.5, 0.65, 0.8)
"""The blurs of the templates: standard deviations in modules."""
SMALL_CODE_BLURS = (0.65, 0.8, 1.0, 1.25, 1.5)
"""The blurs of codes whose modules are not much larger than a pixel: standard deviations in modules."""
DEFAULT_BLUR_INDEX = 2
"""The index in `BLURS` of the blur that is assumed while a code is identified."""
SPARSE_STEP = 2
"""When many poses are compared with all codes, every sample with an index that is a multiple of this is used. Their
number in a row is odd, so this makes a checkerboard: 481 samples, 1.06 modules apart."""
SHORT_SCALE = 32767
"""The norm of templates that are written as 16-bit integers."""
DEFAULT_BLUR = 0.6
"""The blur assumed while a pose is refined, in modules."""
SHADING_TERMS = 6
"""The number of parameters of a linear fit that describe the shading: brightness, its two slopes and its three
second-order terms. They are the first parameters; the next one is the contrast."""
POSE_TERMS = slice(SHADING_TERMS + 1, SHADING_TERMS + 9)
"""The last eight parameters of a linear fit, which describe the pose error: six of an affine map, two of
perspective."""
PRIOR_SIGMA = np.array([np.inf] * (SHADING_TERMS + 1) + [0.1, 0.1, 1, 0.1, 0.1, 1, 0.004, 0.004])
"""The standard deviation of the Gaussian prior of each parameter of a linear fit. This weak prior keeps the fit from
diverging where most of a code is covered or blurred."""


@dataclass(frozen=True, eq=False)
class AlignmentModel:
    """A precomputed linear fit of samples to a template.

    `template` (3 x samples) contains the expected samples, and their slopes along x and y, per module. `weights` has
    the weight of each sample in the fit, and `inverse` (parameters x parameters) is the inverse of the normal
    equations. `tolerance` says how far each sample may deviate from the template before it counts as occluded, in
    multiples of the contrast. With `which`, `inverse` and `template` have a first axis for several templates, and
    `which` has the index of the template of each pose.
    """

    inverse: Floats
    template: Floats
    weights: Floats
    tolerance: Floats
    which: Indices | None = None

    @cached_property
    def solver(self) -> Floats:
        """Maps samples to the parameters that fit best: parameters x samples, for each template. The C extension
        computes the same without this large matrix."""
        return np.asarray(self.inverse @ (jacobian(self.template) * self.weights), np.float32)

    def of_each_pose(self) -> AlignmentModel:
        """The same model with an inverse and a template for each pose, which are copies. Without `which`, there is only
        one for all poses."""
        if self.which is None:
            return self
        return replace(self, inverse=self.inverse[self.which], template=self.template[self.which], which=None)

    def fields(self) -> tuple[Floats, Floats, Floats, Floats, Indices | None]:
        """The fields, for the C extension."""
        return self.inverse, self.template, self.weights, self.tolerance, self.which


@dataclass(frozen=True, eq=False)
class TemplateBank:
    """The templates of all known codes. `ids` and `modules` (n x 21 x 21) are in the same order."""

    ids: tuple[str, ...]
    modules: Floats

    @cached_property
    def index_of(self) -> dict[str, int]:
        """Maps the id of each known code to the code's index in the bank."""
        return {code_id: index for index, code_id in enumerate(self.ids)}

    @cached_property
    def mean_modules(self) -> Floats:
        """The average of all known codes, 21 x 21. Modules that are equal in all codes are black or white: the finder
        and timing patterns, the format, the prefix `TK:` of the text, and the padding. All other modules are gray."""
        return np.asarray(self.modules.mean(0), np.float32)

    @cached_property
    def templates(self) -> Floats:
        """The samples of every code with each blur in `BLURS`: blurs x codes x samples."""
        return np.stack([render_samples(self.modules, blur) for blur in BLURS])

    @cached_property
    def unit_templates(self) -> Floats:
        """The same samples as in `templates`, but without shading and scaled to a norm of 1 for each code and blur:
        blurs x codes x samples."""
        return np.stack([normalize_rows(remove_shading(templates)) for templates in self.templates])

    @cached_property
    def small_templates(self) -> Floats:
        """The unit templates with each blur in `SMALL_CODE_BLURS`."""
        return np.stack([normalize_rows(remove_shading(render_samples(self.modules, b))) for b in SMALL_CODE_BLURS])

    @cached_property
    def sparse_templates(self) -> Floats:
        """Every second sample of the unit templates with the default blur, scaled to a norm of 1: codes x samples."""
        return np.ascontiguousarray(normalize_rows(self.unit_templates[DEFAULT_BLUR_INDEX][:, ::SPARSE_STEP]))

    @cached_property
    def short_templates(self) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """For the C extension: the unit templates with the default blur, and the sparse templates, as integers with a
        norm of `SHORT_SCALE`."""
        unit, sparse = self.unit_templates[DEFAULT_BLUR_INDEX], self.sparse_templates
        return (unit * SHORT_SCALE).round().astype(np.int16), (sparse * SHORT_SCALE).round().astype(np.int16)

    @cached_property
    def common_models(self) -> tuple[AlignmentModel, ...]:
        """The alignment models for poses whose code is unknown, from coarse to fine. Modules in which the codes differ
        weigh less."""
        spread = blur_matrices(DEFAULT_BLUR)[0]
        variance = (spread @ np.pad(1 - self.mean_modules**2, QUIET_ZONE) @ spread.T).ravel()
        models = []
        for blur, noise, prior in ((1.2, 0.15, 0.5), (0.9, 0.15, 0.3), (0.6, 0.1, 0.1)):
            templates, weights = render_slopes(self.mean_modules[None], blur), 1 / (noise + variance)
            inverse = invert_normal_equations(templates, weights, prior)[0]
            tolerance = np.sqrt(noise + variance).astype(np.float32)
            models.append(AlignmentModel(inverse, templates[0], weights.astype(np.float32), tolerance))
        return tuple(models)

    @cached_property
    def code_models(self) -> AlignmentModel:
        """An alignment model with one entry for each known code. Once a code has been identified, its entry is used to
        refine the pose of the code."""
        templates, weights = render_slopes(self.modules, DEFAULT_BLUR), np.full(SAMPLE_COUNT, 1 / 0.15, np.float32)
        tolerance = np.full(SAMPLE_COUNT, 0.6, np.float32)
        return AlignmentModel(invert_normal_equations(templates, weights, 0.1), templates, weights, tolerance)

    def models_of(self, indices: Indices) -> AlignmentModel:
        """An alignment model for poses of the known codes with these indices."""
        return replace(self.code_models, which=indices)


@cache
def build_template_bank(known_ids: frozenset[str]) -> TemplateBank:
    """The template bank of these codes. Building it takes a quarter of a second for 250 codes, but only once: the
    result is cached."""
    ids = tuple(sorted(known_ids))
    dark = np.array([[[int(bit) for bit in row] for row in matrix(code_id)] for code_id in ids], np.float32)
    bank = TemplateBank(ids, 1 - 2 * dark.reshape(-1, MODULES, MODULES))
    if ids:
        _ = bank.short_templates, bank.small_templates, bank.common_models, bank.code_models
    return bank


@cache
def blur_matrices(blur: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """How a Gaussian blur mixes modules into samples along one axis. Returns the weight of each module in each sample,
    and the derivative of this weight with respect to the position of the sample. Both are samples x modules; the
    modules include the quiet zone."""
    edges = np.arange(MODULES + 2 * QUIET_ZONE + 1) - QUIET_ZONE - HALF_CODE
    z = (SAMPLE_AXIS[:, None] - edges) / blur
    cumulative = 0.5 * (1 + np.vectorize(erf)(z / np.sqrt(2)))
    density = np.exp(-z * z / 2) / (blur * np.sqrt(2 * np.pi))
    return cumulative[:, :-1] - cumulative[:, 1:], density[:, :-1] - density[:, 1:]


def pad_quiet_zone(modules: Floats) -> Floats:
    """The modules of the codes with the white modules of the quiet zone around them."""
    return np.pad(modules, ((0, 0), (QUIET_ZONE, QUIET_ZONE), (QUIET_ZONE, QUIET_ZONE)), constant_values=1)


def render_samples(modules: Floats, blur: float) -> Floats:
    """The samples of these codes under a Gaussian blur: n x samples."""
    weights = blur_matrices(blur)[0]
    return np.asarray(weights @ pad_quiet_zone(modules) @ weights.T, np.float32).reshape(len(modules), SAMPLE_COUNT)


def render_slopes(modules: Floats, blur: float) -> Floats:
    """The samples of these codes under a Gaussian blur, and how they change along x and y: n x 3 x samples."""
    (spread, slope), padded = blur_matrices(blur), pad_quiet_zone(modules)
    pairs = (spread, spread), (spread, slope), (slope, spread)
    return np.stack([a @ padded @ b.T for a, b in pairs], 1, dtype=np.float32).reshape(len(modules), 3, SAMPLE_COUNT)


def invert_normal_equations(templates: Floats, weights: NDArray[Any], prior: float) -> Floats:
    """The inverse of the normal equations of a fit to each of n templates (n x 3 x samples, see `AlignmentModel`): n x
    parameters x parameters. `weights`: the weight of each sample. `prior`: how strongly the parameters are pulled
    toward zero, relative to `PRIOR_SIGMA`.

    This is the inverse compositional algorithm, see Baker and Matthews, "Lucas-Kanade 20 years on" (2004). The Jacobian
    is that of the template instead of the image, so the inverse can be computed in advance.
    """
    penalty = np.diag(prior / PRIOR_SIGMA**2)
    columns = (jacobian(template.astype(float)) for template in templates)
    return np.array([np.linalg.inv((each * weights) @ each.T + penalty) for each in columns], np.float32)


def jacobian(template: NDArray[Any]) -> NDArray[Any]:
    """How the samples change with each parameter of a fit: parameters x samples. `template`: 3 x samples, see
    `AlignmentModel`. There may be more axes before these."""
    samples, dx, dy = (template[..., k, :] for k in range(3))
    radial = dx * SAMPLE_X + dy * SAMPLE_Y
    pose = [dx * SAMPLE_X, dx * SAMPLE_Y, dx, dy * SAMPLE_X, dy * SAMPLE_Y, dy, -radial * SAMPLE_X, -radial * SAMPLE_Y]
    shading = [np.broadcast_to(terms, samples.shape) for terms in POLYNOMIALS.T]
    return np.stack([*shading, samples, *pose], -2)


def polynomials(x: Floats, y: Floats) -> Floats:
    """The polynomials up to second order at the points (`x`, `y`): a column for each polynomial."""
    return np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], 1)


POLYNOMIALS = polynomials(SAMPLE_X, SAMPLE_Y)


def shading_basis(x: Floats, y: Floats) -> Floats:
    """An orthonormal basis of the second-order polynomials at the points (`x`, `y`): a column for each polynomial. Such
    polynomials describe smooth changes of light."""
    return np.asarray(np.linalg.qr(polynomials(x, y))[0], np.float32)


SHADING_BASIS = shading_basis(SAMPLE_X, SAMPLE_Y)


def remove_shading(samples: Floats) -> Floats:
    """The samples without their shading, which is the part that a second-order polynomial in x and y can describe."""
    return np.asarray(samples - (samples @ SHADING_BASIS) @ SHADING_BASIS.T, np.float32)


def normalize_rows(samples: Floats) -> Floats:
    """The samples with each row scaled to a norm of 1."""
    return np.asarray(samples / np.maximum(np.linalg.norm(samples, axis=1, keepdims=True), 1e-6), np.float32)
