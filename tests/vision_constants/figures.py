"""Words for what was measured: shares of codes above and below a constant."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tests.vision_constants.picture_analysis import Samples, Values

CODES = ("typical", "hard")
"""The populations of fully visible codes of ours, by preset."""


@dataclass(frozen=True)
class Figure:
    """What was measured for a constant, in words. `passing` is the share of codes that the constant lets pass, and
    `stopped` the share of everything else that it stops. Each is None if it was not measured."""

    text: str
    passing: float | None
    stopped: float | None = None


def percent(share: float) -> str:
    """The share in percent; with one decimal place close to 0 and 100, and exactly 0 or 100 only if nothing else is
    true. "?" if nothing was measured (NaN)."""
    if np.isnan(share):
        return "?"
    if share in (0, 1):
        return f"{100 * share:.0f} %"
    if 0.03 < share < 0.97:
        return f"{100 * share:.0f} %"
    return f"{min(max(100 * share, 0.1), 99.9):.1f} %"


def share_of(values: Values, limit: float, *, above: bool = True) -> float:
    """The share of the values that are at least `limit`, or, if not `above`, at most `limit`. NaN without values."""
    return float((values >= limit if above else values <= limit).mean()) if len(values) else float("nan")


def count_of(values: Values, limit: float, what: str, *, above: bool = True) -> str:
    """How many of the values are on the wanted side of a limit: "99.2 % of 1,234 typical codes"."""
    if not len(values):
        return f"no {what}"
    return f"{percent(share_of(values, limit, above=above))} of {len(values):,} {what}"


def codes_pass(samples: Samples, name: str, limit: float, verb: str, *, above: bool = True) -> Figure:
    """The share of the codes of each preset on the wanted side of a limit. `verb`: what is true of them, such as "have
    at least 0.5"."""
    parts = [count_of(samples.get(name, preset), limit, f"{preset} codes", above=above) for preset in CODES]
    share = share_of(samples.get(name, *CODES), limit, above=above)
    return Figure(f"{' and '.join(parts)} {verb}", None if np.isnan(share) else share)


def quantile(values: Values, share: float) -> str:
    """The value that this share of the values does not exceed, with three digits."""
    return f"{np.quantile(values, share):.3g}" if len(values) else "?"


def joined(figure: Figure, *more: str, stopped: float | None = None) -> Figure:
    """The figure with further clauses, separated by semicolons. `stopped`: see `Figure`."""
    return Figure("; ".join([figure.text, *more]), figure.passing, stopped)
