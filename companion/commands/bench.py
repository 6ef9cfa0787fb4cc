"""`tablekeeper bench`: compares the speed of Tablekeeper with that of peers, other programs that do the same work.

The results are ratios, because ratios hardly depend on the machine. In every benchmark, Tablekeeper and the peer do the
work in turn, and their median times are compared.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict

from companion.commands import UsageError
from companion.commands.bench_engines import PEER, engines_benchmark, is_peer_installed
from companion.commands.benchmark_comparison import Benchmark, Comparison
from companion.commands.command_list import Subparsers, command_parser

DEFAULT_SEEDS = 50


def add(subparsers: Subparsers) -> None:
    """Adds the command `bench` and its arguments."""
    bench = command_parser(
        subparsers,
        "bench",
        "tablekeeper bench --quick",
    )
    bench.add_argument("--quick", action="store_true", help="fewer rounds")
    bench.add_argument("--json", action="store_true", help="print one JSON list")
    bench.add_argument("--stress", action="store_true", help="with vision: watch films of a disturbed camera instead")
    bench.add_argument(
        "--seeds",
        type=int,
        metavar="N",
        help=f"with --stress: the number of films for each disturbance; default {DEFAULT_SEEDS}",
    )
    bench.add_argument("--only", metavar="NAME", help="with --stress: only disturbances with this in their name")
    bench.add_argument("part", nargs="?", choices=("engines", "journal", "phones", "vision"), help="run only this part")
    bench.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs the benchmarks and prints their comparisons. Raises UsageError if the arguments don't fit together."""
    if args.stress:
        return run_stress(args)
    if args.seeds is not None or args.only is not None:
        raise UsageError("--seeds and --only need --stress.")
    comparisons = []
    for benchmark in benchmarks(args.part):
        for comparison in benchmark(args.quick):
            comparisons.append(comparison)
            if not args.json:
                print(_comparison_text(comparison), flush=True)
    if args.json:
        print(json.dumps([asdict(comparison) for comparison in comparisons]))
    return 0


def run_stress(args: argparse.Namespace) -> int:
    """Makes films of a simulated table, each with a disturbance, and lets a `TableWatcher` follow the codes in them.
    Prints a line for each disturbance. Raises UsageError if there would be none."""
    from vision import use_one_thread

    use_one_thread()
    from companion.commands.bench_vision_stress import HEADING, result_text, stress_benchmark, stresses

    seeds = DEFAULT_SEEDS if args.seeds is None else args.seeds
    if args.part != "vision" or seeds < 1:
        raise UsageError("--stress needs the part `vision`, and at least one seed.")
    if args.only and not any(args.only in name for name in stresses()):
        raise UsageError(f"No disturbance has {args.only!r} in its name. Choose from: {', '.join(stresses())}.")
    results = stress_benchmark(seeds, args.only)
    if args.json:
        print(json.dumps([asdict(result) for result in results]))
        return 0
    print(HEADING)
    for result in results:
        print(result_text(result), flush=True)
    return 0


def benchmarks(part: str | None) -> Iterator[Benchmark]:
    """Yields the benchmarks of `part`, or all of them if it is None. What they measure is imported only if it is
    needed. Without a part, the rules engines are left out if their peer is not installed."""
    if part == "engines" or (part is None and is_peer_installed()):
        yield engines_benchmark
    elif part is None:
        print(f"Not compared: the rules engines, because {PEER} is missing.", file=sys.stderr)
    if part in (None, "journal"):
        from companion.commands.bench_journal import journal_benchmark

        yield journal_benchmark
    if part in (None, "phones"):
        from companion.commands.bench_phones import phones_benchmark

        yield phones_benchmark
    if part in (None, "vision"):
        import vision  # noqa: F401  comes first: its settings for NumPy and OpenCV are read when these are imported
        from companion.commands.bench_vision import vision_benchmark

        yield vision_benchmark


def _comparison_text(c: Comparison) -> str:
    return f"{c.name:50} {c.ours_ms:9.3f} ms  {c.ratio:9.5f} x  {c.peer} ({c.peer_ms:.3f} ms)"
