"""How often random tests repeat: in full for `make thorough`, half as often for `make test`, and a tenth as often for
`make check` (`pytest --quick`)."""

from __future__ import annotations

THOROUGH, USUAL, QUICK = 1, 2, 10
_divisor = USUAL


def set_divisor(divisor: int) -> None:
    """Sets the number by which repetitions are divided. Must be called before the tests are collected."""
    global _divisor
    _divisor = divisor


def repetitions(full: int, at_least: int = 1) -> int:
    """How often a test repeats: `full` times with --thorough, and otherwise less (see the module), but never fewer than
    `at_least`, which the test needs in order to compare something."""
    return max(full // _divisor, min(full, at_least))
