"""How often tests are repeated, and which variants of a case they check."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests import repetitions
from tests.repetitions import QUICK, THOROUGH, USUAL, by_turns, one_by_turns, set_divisor


@pytest.fixture(autouse=True)
def same_divisor() -> Iterator[None]:
    """Restores the divisor of this run after the test."""
    before = repetitions._divisor
    yield
    set_divisor(before)


@pytest.mark.parametrize("divisor", [USUAL, QUICK])
def test_each_case_and_each_variant_is_checked(divisor: int) -> None:
    """The first case is checked in all variants, and each further case in one, by turns."""
    set_divisor(divisor)
    checked = [*by_turns("abcd", (1, 2, 3))]
    assert checked == [("a", 1), ("a", 2), ("a", 3), ("b", 2), ("c", 3), ("d", 1)]


@pytest.mark.parametrize("divisor", [USUAL, QUICK])
def test_each_case_is_checked_in_one_variant(divisor: int) -> None:
    """Each case is checked in one variant, by turns. Cases are repeated until each variant was checked."""
    set_divisor(divisor)
    assert one_by_turns("abcd", (1, 2, 3)) == [("a", 1), ("b", 2), ("c", 3), ("d", 1)]
    assert one_by_turns("ab", (1, 2, 3)) == [("a", 1), ("b", 2), ("a", 3)]
    assert one_by_turns("", (1, 2, 3)) == []


def test_a_thorough_run_checks_each_case_in_all_variants() -> None:
    """With --thorough, nothing is left out."""
    set_divisor(THOROUGH)
    assert len([*by_turns("abcd", (1, 2, 3))]) == 12
    assert len(one_by_turns("abcd", (1, 2, 3))) == 12
