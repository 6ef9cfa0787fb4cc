"""How often random tests are repeated: in full for `make thorough`, and a tenth as often for `make test` and `make
check`. Also which variants of a case are checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, TypeVar

import pytest

T, V = TypeVar("T"), TypeVar("V")

USUAL = 10
"""The number by which repetitions are divided without --thorough."""
_is_thorough = False


def be_thorough() -> None:
    """Makes all tests run in full. Must be called before the tests are collected."""
    global _is_thorough
    _is_thorough = True


def is_thorough() -> bool:
    """Whether all tests run in full, as for `make thorough`."""
    return _is_thorough


def repetitions(full: int, at_least: int = 1) -> int:
    """How often a test is repeated: `full` times with --thorough, otherwise fewer times (see the module). `at_least` is
    the smallest number of times with which the test still makes sense."""
    return full if _is_thorough else max(full // USUAL, min(full, at_least))


def by_turns(cases: Sequence[T], variants: Sequence[V]) -> Iterator[tuple[T, V]]:
    """Yields each case with the variants in which it is checked: with --thorough each case in all variants, otherwise
    the first case in all variants, and each further case in one of them, by turns."""
    for n, case in enumerate(cases):
        for variant in variants if n == 0 or is_thorough() else (variants[n % len(variants)],):
            yield case, variant


def one_by_turns(cases: Sequence[T], variants: Sequence[V]) -> list[tuple[T, V]]:
    """Each case with the variants in which it is checked: with --thorough each case in all variants, otherwise each
    case in one of them, by turns. If there are more variants than cases, cases are repeated, so that each variant is
    checked."""
    if is_thorough():
        return [*product(cases, variants)]
    count = max(len(cases), len(variants)) if cases else 0
    return [(cases[n % len(cases)], variants[n % len(variants)]) for n in range(count)]


def or_if_thorough(usual: Sequence[T], further: Sequence[T]) -> list[T]:
    """What a test goes through: `usual`, and with --thorough also `further`."""
    return [*usual, *(further if is_thorough() else ())]


def thorough_except(cases: Sequence[T], *usual: T) -> list[Any]:
    """The cases as parameters of a test. Only the `usual` ones run without --thorough. Tests that check alike in every
    game, language or window choose different ones, so that together they use all of them."""
    assert usual, "without --thorough the test would never run"
    assert all(case in cases for case in usual), (usual, cases)
    values = [case if isinstance(case, tuple) else (case,) for case in cases]
    return [
        pytest.param(*value, marks=() if case in usual else pytest.mark.thorough)
        for case, value in zip(cases, values, strict=True)
    ]
