"""Checks that what each game says about sightings and begun moves agrees with its layouts.

The layouts before and after a move declare which physical acts it takes. In many positions, hands do these acts in many
orders, and also take them back halfway. The table must record the move or say what is missing, it must never call a
half-made move wrong, and it must forget a move that was taken back.

python -m tests.moves_from_layouts [GAME…] --games N --positions N --seed S
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import nullcontext
from multiprocessing import Pool
from os import cpu_count

from tests.evenings.evening import HANDS
from tests.moves_from_layouts.positions import Extent, check_game


def main(args: list[str] | None = None) -> int:
    """Prints how often each type of move was tried, and each failure. Returns 1 if there was a failure."""
    parser = argparse.ArgumentParser(prog="tests.moves_from_layouts", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="GAME", help=f"any of {', '.join(HANDS)}; all by default")
    parser.add_argument("--games", type=int, default=4, help="how many games of each are played")
    parser.add_argument("--positions", type=int, default=12, help="positions of each game in which moves are tried")
    parser.add_argument("--seed", default="1", help="the first game's seed; the others follow")
    parser.add_argument("--jobs", type=int, default=cpu_count() or 1)
    options = parser.parse_args(args)
    tasks = [
        (name, f"{options.seed}.{number}", Extent(options.positions))
        for name in options.names or HANDS
        for number in range(options.games)
    ]
    total = Counter[str]()
    with Pool(options.jobs) if options.jobs > 1 else nullcontext() as pool:
        for counts, failures in pool.imap_unordered(_check, tasks) if pool else map(_check, tasks):
            total += counts
            total["failures"] += len(failures)
            for failure in failures:
                print("-", failure, flush=True)
    for what, count in sorted(total.items()):
        print(f"{count:6} {what}")
    return int(total["failures"] > 0)


def _check(task: tuple[str, str, Extent]) -> tuple[Counter[str], list[str]]:
    return check_game(*task)


if __name__ == "__main__":
    sys.exit(main())
