"""Plays evenings, which are whole games played by simulated hands that make mistakes. Prints how well the table noticed
and fixed the mistakes.

python -m tests.evenings [GAME…] --evenings N --seed S --level ideal|hurried|rendered|service [--harder]
python -m tests.evenings --replay GAME:SEED
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from multiprocessing import Pool
from os import cpu_count

from tests.evenings.evening import HANDS, SLIP_RATE, Evening, play_evening
from tests.evenings.figures import Figures, table
from tests.evenings.harder_evening import HarderEvening
from tests.evenings.hurried_group import HurriedGroup
from tests.evenings.simulated_group import SimulatedGroup

MAX_PRINTED_FAILURES = 12
"""How many failures of each figure are printed."""


def parsed(args: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tests.evenings", description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"any of {', '.join(HANDS)}; all by default")
    parser.add_argument("--evenings", type=int, default=20, help="evenings per game")
    parser.add_argument("--seed", default="1", help="the first evening's seed; the others follow")
    parser.add_argument("--level", choices=("ideal", "hurried", "rendered", "service"), default="ideal")
    parser.add_argument("--harder", action="store_true", help="more ways to play and to slip; not at level service")
    parser.add_argument("--slips", type=float, default=SLIP_RATE, help="how often hands slip, per move")
    parser.add_argument("--jobs", type=int, default=cpu_count() or 1)
    parser.add_argument("--replay", metavar="GAME:SEED", help="plays one evening and prints everything that happens")
    parser.add_argument("--ghosts", type=int, metavar="N", help="plays N ghost trials instead of evenings")
    return parser.parse_args(args)


def _evening(name: str, seed: str, slips: float, level: str, *, harder: bool = False) -> tuple[Figures, list[str]]:
    """Plays an evening on a level: "ideal", "hurried", "rendered" or "service". Vision and the service are imported
    only if they are needed."""
    evening_class = HarderEvening if harder else Evening
    if level == "service":
        from tests.evenings.service_evening import play_service_evening

        return play_service_evening(name, seed)
    if level == "rendered":
        from tests.evenings.rendered_camera import RenderedGroup

        return play_evening(name, seed, slips, RenderedGroup, evening_class=evening_class)
    group = HurriedGroup if level == "hurried" else SimulatedGroup
    return play_evening(name, seed, slips, group, evening_class=evening_class)


def _play(task: tuple[str, str, float, str, bool]) -> Figures:
    name, seed, slips, level, harder = task
    return _evening(name, seed, slips, level, harder=harder)[0]


def main() -> int:
    options = parsed()
    if options.replay:
        name, _, seed = options.replay.partition(":")
        figures, trace = _evening(name, seed, options.slips, options.level, harder=options.harder)
        print("\n".join(trace))
        print(table(figures, options.replay))
        return 0
    if options.ghosts:
        return _ghosts(options.ghosts, options.seed)
    failed = 0
    for name in options.games or list(HANDS):
        seeds = [f"{options.seed}.{number}" for number in range(options.evenings)]
        tasks = [(name, seed, options.slips, options.level, options.harder) for seed in seeds]
        total = Figures()
        jobs = 1 if options.level == "service" else options.jobs
        with Pool(jobs, maxtasksperchild=50) as pool:
            for number, figures in enumerate(pool.imap_unordered(_play, tasks), 1):
                total.add(figures)
                print(f"\r{name}: {number} of {len(tasks)}", end="", file=sys.stderr)
        print(file=sys.stderr)
        print(table(total, f"{name}, {options.evenings} evenings, level {options.level}, seed {options.seed}"), "\n")
        print_failures(total)
        failed += len(total.failures)
    return int(failed > 0)


def _ghosts(count: int, seed: str) -> int:
    """Plays ghost trials (see `tests.evenings.ghost_trials`) and prints the results. Returns 1 if there was a ghost."""
    from tests.evenings.ghost_trials import summary, trials

    found = []
    for trial in trials(count, seed):
        found.append(trial)
        print(f"\rghosts: {len(found)} of {count}", end="", file=sys.stderr)
    print(file=sys.stderr)
    print(summary(found))
    return int(any(trial.is_believed for trial in found))


def print_failures(figures: Figures) -> None:
    """Prints some of the failures that each figure counts, and how to replay them."""
    printed = Counter[str]()
    for failure in sorted(figures.failures, key=lambda each: (each.figure, each.kind, each.step)):
        printed[failure.figure] += 1
        if printed[failure.figure] <= MAX_PRINTED_FAILURES:
            print(f"- {failure}")
    print()


if __name__ == "__main__":
    sys.exit(main())
