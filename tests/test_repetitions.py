"""How often tests are repeated, and which variants of a case they check."""

from __future__ import annotations

import pytest

from tests import repetitions
from tests.repetitions import be_thorough, by_turns, one_by_turns


@pytest.fixture(autouse=True)
def usual_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the run a usual one for the length of the test."""
    monkeypatch.setattr(repetitions, "_is_thorough", False)


def test_each_case_and_each_variant_is_checked() -> None:
    """The first case is checked in all variants, and each further case in one, by turns."""
    checked = [*by_turns("abcd", (1, 2, 3))]
    assert checked == [("a", 1), ("a", 2), ("a", 3), ("b", 2), ("c", 3), ("d", 1)]


def test_each_case_is_checked_in_one_variant() -> None:
    """Each case is checked in one variant, by turns. Cases are repeated until each variant was checked."""
    assert one_by_turns("abcd", (1, 2, 3)) == [("a", 1), ("b", 2), ("c", 3), ("d", 1)]
    assert one_by_turns("ab", (1, 2, 3)) == [("a", 1), ("b", 2), ("a", 3)]
    assert one_by_turns("", (1, 2, 3)) == []


def test_a_thorough_run_checks_each_case_in_all_variants() -> None:
    """With --thorough, nothing is left out."""
    be_thorough()
    assert len([*by_turns("abcd", (1, 2, 3))]) == 12
    assert len(one_by_turns("abcd", (1, 2, 3))) == 12
