"""Tests whether the cards and cubes that people deal by hand are well shuffled: a chi-square test over many games.

Law: pure. Each draw had known options with known weights. So the number of times that a face came up, minus the
expected number, has mean 0 and a known covariance. This is so even if drawn cards are not put back.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from companion.match.shuffle_verification import ChanceDraw

DRAWS_PER_FACE = 5
"""A test needs at least this many draws per face, on average over all faces."""


@dataclass
class DealDeviations:
    """How far draws deviate from the expected numbers. `excess` maps each face to the number of times that it came up,
    minus the expected number. `covariance` maps each pair of faces to the covariance of their excesses."""

    draws: int = 0
    games: int = 0
    excess: Counter[str] = field(default_factory=Counter)
    covariance: Counter[tuple[str, str]] = field(default_factory=Counter)

    @classmethod
    def of(cls, draws: Iterable[ChanceDraw]) -> DealDeviations:
        """How far the draws in one game deviate from the expected numbers. `draws`: the draws from one chance source. A
        draw is left out if its face was not among its options."""
        found = cls(games=1)
        for draw in draws:
            weights = Counter[str]()
            for face, weight in draw.options:
                weights[face] += weight
            if draw.face in weights:
                found._add_draw(draw.face, weights)
        return found

    def _add_draw(self, face: str, weights: Counter[str]) -> None:
        total = weights.total()
        self.draws += 1
        self.excess[face] += 1
        for one, weight in weights.items():
            self.excess[one] -= weight / total  # type: ignore[assignment]  # a Counter of floats
            for other, other_weight in weights.items():
                self.covariance[one, other] -= weight * other_weight / total**2  # type: ignore[assignment]
            self.covariance[one, one] += weight / total  # type: ignore[assignment]

    def __add__(self, other: DealDeviations) -> DealDeviations:
        excess, covariance = Counter(self.excess), Counter(self.covariance)
        excess.update(other.excess)
        covariance.update(other.covariance)
        return DealDeviations(self.draws + other.draws, self.games + other.games, excess, covariance)

    def p_value(self) -> float | None:
        """The probability that well-shuffled draws deviate from the expected numbers by at least as much as these
        draws; None if there are too few draws."""
        faces = sorted(self.excess)
        if len(faces) < 2 or self.draws < DRAWS_PER_FACE * len(faces):
            return None
        excess = np.array([self.excess[face] for face in faces])
        covariance = np.array([[self.covariance[one, other] for other in faces] for one in faces])
        statistic = float(excess @ np.linalg.pinv(covariance, rcond=1e-9, hermitian=True) @ excess)
        freedom = int(np.linalg.matrix_rank(covariance, tol=1e-9, hermitian=True))
        return chi_square_tail(statistic, freedom)


def chi_square_tail(statistic: float, freedom: int) -> float:
    """The probability that a chi-square variable with `freedom` degrees of freedom (at least 1) is at least
    `statistic`."""
    half = max(statistic, 0.0) / 2
    if freedom % 2:
        tail, term, n = math.erfc(math.sqrt(half)), math.sqrt(half) / math.gamma(1.5), 1
    else:
        tail, term, n = math.exp(-half), half, 2
    while n < freedom:
        tail += term * math.exp(-half)
        n += 2
        term *= half / (n / 2)
    return min(tail, 1.0)
