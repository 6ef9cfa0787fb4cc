"""Runs the lint: `python -m tests.secrets_lint [GAME…] [--positions N] [--seed S]`."""

from __future__ import annotations

import argparse
import sys
import time

from companion.games import GAMES
from tests.secrets_lint.lint import Lint
from tests.secrets_lint.report import Report, check

MAX_DIFFERENCES = 20
"""After how many differences a run stops."""
PROGRESS_S = 15.0
"""The time between two lines of progress, in seconds."""


class Progress:
    """Prints a line of progress now and then, and each difference at once."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()
        self._differences = 0

    def __call__(self, report: Report) -> None:
        for difference in report.differences[self._differences :]:
            print(difference, flush=True)
        self._differences = len(report.differences)
        if time.monotonic() - self._last >= PROGRESS_S:
            self._last = time.monotonic()
            print(f"{self._last - self._began:5.0f} s  {report}", flush=True)


def main() -> int:
    """Lints the named games, or all games. The exit status is 1 if any of them leaks."""
    parser = argparse.ArgumentParser(prog="secrets_lint", description="Looks for secrets that leak.")
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"any of {', '.join(GAMES)} (default: all)")
    parser.add_argument("--positions", type=int, default=10_000, help="how many positions of each game to compare")
    parser.add_argument("--seed", default="", help="another seed gives other games")
    args = parser.parse_args()
    if unknown := [name for name in args.games if name not in GAMES]:
        parser.error(f"there is no game {unknown[0]}; there are {', '.join(GAMES)}")
    return max([_lint(name, args.positions, args.seed) for name in args.games or GAMES])


def _lint(name: str, positions: int, seed: str) -> int:
    lint, began = Lint(GAMES[name], seed, most_differences=MAX_DIFFERENCES), time.monotonic()
    report = lint.run(positions, Progress())
    print(f"{report}, {report.acts} acts in {time.monotonic() - began:.0f} s")
    rare = sorted(report.routes.items(), key=lambda item: item[1])[:3]
    print("  fewest comparisons:", ", ".join(f"{' '.join(route)} {count}" for route, count in rare))
    try:
        check(report, lint.pair.one)
    except AssertionError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
