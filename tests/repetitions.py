"""How often random tests repeat: in full for `make test`, a tenth as often for `make check` (`pytest --quick`)."""

from __future__ import annotations

QUICK_DIVISOR = 10
_divisor = 1


def repeat_less() -> None:
    """Called before the tests are collected."""
    global _divisor
    _divisor = QUICK_DIVISOR


def repetitions(full: int, at_least: int = 1) -> int:
    """The number of repetitions. `at_least`: as many as the test needs to have something to compare."""
    return max(full // _divisor, min(full, at_least))
