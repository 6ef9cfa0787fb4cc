"""How often random tests repeat: in full for `make test`, a tenth as often for `make check` (`pytest --quick`)."""

from __future__ import annotations

QUICK_DIVISOR = 10
_divisor = 1


def repeat_less() -> None:
    """Reduces the repetitions. Must be called before the tests are collected."""
    global _divisor
    _divisor = QUICK_DIVISOR


def repetitions(full: int, at_least: int = 1) -> int:
    """How often a test repeats: `full` times, or a tenth of that with --quick, but never fewer than `at_least`, which
    the test needs in order to compare something."""
    return max(full // _divisor, min(full, at_least))
