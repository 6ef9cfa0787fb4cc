"""Measures again what the constants of code reading and tracking were chosen for, on rendered tables and films.

python -m tests.vision_constants [NAME…] [--pictures N] [--seed S]

Prints one line for each constant: its name, its value, what was measured, and the figure. docs/vision.md lists the
figures of a run without options, which takes about eight minutes.
"""

from __future__ import annotations

import argparse

import cv2

from tests.vision_constants.constants import CONSTANTS, PICTURES, SEED, measure


def main(args: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="tests.vision_constants", description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="a constant; all by default")
    parser.add_argument("--pictures", type=int, default=PICTURES, help=f"tables of cards; {PICTURES} by default")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args(args)
    if unknown := set(options.names) - {constant.name for constant in CONSTANTS}:
        parser.error(f"no such constants: {', '.join(sorted(unknown))}")
    if options.pictures < 1:
        parser.error("at least one picture is needed")
    cv2.setNumThreads(1)
    for constant, figure in measure(options.names, options.pictures, options.seed):
        print(
            f"{constant.module}.{constant.name} = {constant.value_text}: {constant.measured}: {figure.text}", flush=True
        )


if __name__ == "__main__":
    main()
