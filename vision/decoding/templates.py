"""The closed list: what each known code looks like, ready to be held against a picture.

Law: pure. Lengths are in modules from the middle of the code, x to the right and y down as printed; light is +1,
dark -1. A code is looked at on a grid of 31 x 31 samples, with the first ring of the quiet zone. (With one sample a
module the poses are half as exact; two a module take twice as long and read no more.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from math import erf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from companion.codes import MODULES, matrix

Floats = NDArray[np.float32]

SIDE = 31
SAMPLES = SIDE * SIDE
APART = 0.75
AXIS = (np.arange(SIDE) - (SIDE - 1) / 2) * APART
X, Y = (axis.ravel().astype(np.float32) for axis in np.meshgrid(AXIS, AXIS))
HALF = MODULES / 2
QUIET = 8
"""So many modules around a code count as white."""

BLURS = (0.35, 0.5, 0.65, 0.8)
"""How far a picture may smear a module: standard deviations."""
USUAL_BLUR = 0.6
LIGHTS = 6
"""The first so many terms of a fit: brightness, its slopes and its bends; the next one is the contrast ..."""
OFF = slice(LIGHTS + 1, LIGHTS + 9)
"""... the others are how the pose is off: six of an affine map, two of perspective."""
EXPECTED = np.array([np.inf] * (LIGHTS + 1) + [0.1, 0.1, 1, 0.1, 0.1, 1, 0.004, 0.004])
"""How far off a pose may be; a weak pull towards none keeps the fit from running away where there is little to see."""


@dataclass(frozen=True, eq=False)
class Fit:
    """What tells how a picture's samples differ from a pattern. `terms` x samples times samples gives the terms;
    `pattern` is what to expect, `loose` how far from it a sample may be before it counts as hidden, in contrasts.
    Each may have a first axis for several patterns."""

    solver: Floats
    pattern: Floats
    loose: Floats


@dataclass(frozen=True, eq=False)
class Patterns:
    """All known codes: their ids, and their modules, n x 21 x 21."""

    ids: tuple[str, ...]
    modules: Floats

    @cached_property
    def number(self) -> dict[str, int]:
        """Where in the list an id stands."""
        return {thing: number for number, thing in enumerate(self.ids)}

    @cached_property
    def mean(self) -> Floats:
        """What the codes have in common: finders, timing, format, `TK:`, padding; the rest is grey. 21 x 21."""
        return np.asarray(self.modules.mean(0), np.float32)

    @cached_property
    def templates(self) -> Floats:
        """Every code as the picture shows it, for each of BLURS: blurs x n x samples."""
        return np.stack([blurred(self.modules, blur) for blur in BLURS])

    @cached_property
    def shapes(self) -> Floats:
        """The same without what light alone may do, each of length 1."""
        return np.stack([unit(without_light(templates)) for templates in self.templates])

    @cached_property
    def common_fits(self) -> tuple[Fit, ...]:
        """For the pose before the id is known, from coarse to fine; modules count less that differ among codes."""
        spread = spread_of(USUAL_BLUR)[0]
        differs = (spread @ np.pad(1 - self.mean**2, QUIET) @ spread.T).ravel()
        return tuple(
            Fit(
                solver(self.mean[None], blur, 1 / (noise + differs), pull)[0],
                blurred(self.mean[None], blur)[0],
                np.sqrt(noise + differs).astype(np.float32),
            )
            for blur, noise, pull in ((1.2, 0.15, 0.5), (0.9, 0.15, 0.3), (0.6, 0.1, 0.1))
        )

    @cached_property
    def own_fits(self) -> Fit:
        """For the pose of a code whose id is known: n of each."""
        solvers = solver(self.modules, USUAL_BLUR, np.full(SAMPLES, 1 / 0.15), 0.1)
        return Fit(solvers, blurred(self.modules, USUAL_BLUR), np.full(SAMPLES, 0.6, np.float32))

    def fits_of(self, numbers: NDArray[np.int64]) -> Fit:
        """The same for these codes of the list."""
        own = self.own_fits
        return Fit(own.solver[numbers], own.pattern[numbers], own.loose)


@cache
def patterns_of(known: frozenset[str]) -> Patterns:
    """The list for these ids; a quarter of a second for 250 of them, once."""
    ids = tuple(sorted(known))
    dark = np.array([[[int(bit) for bit in row] for row in matrix(thing)] for thing in ids], np.float32)
    patterns = Patterns(ids, 1 - 2 * dark.reshape(-1, MODULES, MODULES))
    if ids:
        _ = patterns.shapes, patterns.common_fits, patterns.own_fits
    return patterns


@cache
def spread_of(blur: float) -> tuple[NDArray[Any], NDArray[Any]]:
    """How much of each module along an axis a sample sees through a Gaussian blur, and how that changes as the
    sample moves: samples x modules with the quiet zone."""
    edges = np.arange(MODULES + 2 * QUIET + 1) - QUIET - HALF
    z = (AXIS[:, None] - edges) / blur
    below = 0.5 * (1 + np.vectorize(erf)(z / np.sqrt(2)))
    density = np.exp(-z * z / 2) / (blur * np.sqrt(2 * np.pi))
    return below[:, :-1] - below[:, 1:], density[:, :-1] - density[:, 1:]


def with_quiet(modules: Floats) -> Floats:
    """The codes with white around them."""
    return np.pad(modules, ((0, 0), (QUIET, QUIET), (QUIET, QUIET)), constant_values=1)


def blurred(modules: Floats, blur: float) -> Floats:
    """What the samples of these codes show: n x samples."""
    spread = spread_of(blur)[0]
    return np.asarray(spread @ with_quiet(modules) @ spread.T, np.float32).reshape(len(modules), SAMPLES)


def solver(modules: Floats, blur: float, weights: NDArray[Any], pull: float) -> Floats:
    """n x terms x samples: least squares of samples against a pattern and the light on it.

    Baker and Matthews, "Lucas-Kanade 20 years on" (2004), inverse compositional: all but one product is done ahead.
    """
    spread, slope = spread_of(blur)
    padded = with_quiet(modules)
    shown, across, down = (
        (a @ padded @ b.T).reshape(len(modules), SAMPLES)
        for a, b in ((spread, spread), (spread, slope), (slope, spread))
    )
    out = across * X + down * Y
    light = np.broadcast_to(LIGHT.T[:, None], (LIGHTS, *shown.shape))
    ways = [across * X, across * Y, across, down * X, down * Y, down, -out * X, -out * Y]
    columns = np.stack([*light, shown, *ways], 1).astype(np.float32)
    weighted = columns * weights.astype(np.float32)
    squares = weighted @ columns.swapaxes(1, 2) + np.diag(pull / EXPECTED**2)
    return np.asarray(np.linalg.inv(squares) @ weighted, np.float32)


def smooth_light(x: Floats, y: Floats) -> Floats:
    """What light alone may do at these places, as columns at right angles: brightness, its slopes and its bends."""
    return np.asarray(np.linalg.qr(np.stack([np.ones_like(x), x, y, x * x, x * y, y * y], 1))[0], np.float32)


LIGHT = smooth_light(X, Y)


def without_light(samples: Floats) -> Floats:
    """Without brightness, its slopes and its bends."""
    return np.asarray(samples - (samples @ LIGHT) @ LIGHT.T, np.float32)


def unit(samples: Floats) -> Floats:
    """Each row with length 1."""
    return np.asarray(samples / np.maximum(np.linalg.norm(samples, axis=1, keepdims=True), 1e-6), np.float32)
