"""`tablekeeper drill`: injects faults into a service of its own, and prints what players saw and how long recovery
took."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from companion.commands import CommandError, UsageError
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.interrupts import sigterm_as_interrupt
from companion.drill.fault_descriptions import FAULT_DESCRIPTIONS
from companion.drill.outcome import DrillOutcome
from companion.games import GAMES

IS_UNIX = os.name == "posix"


def add(subparsers: Subparsers) -> None:
    """Adds the command `drill` and its arguments."""
    command = command_parser(
        subparsers,
        "drill",
        "tablekeeper drill\n         tablekeeper drill disk-full process-killed --game commute",
    )
    command.add_argument(
        "name", metavar="NAME", nargs="*", help=f"the fault: {', '.join(FAULT_DESCRIPTIONS)}; all of them by default"
    )
    command.add_argument(
        "--game",
        metavar="GAME",
        choices=[*GAMES],
        help="the game that the phones play; the drills with the camera or the box play games of their own",
    )
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Performs the drills, each with a service of its own in a temporary folder, at a free port. Raises CommandError
    if a drill fails, or if none could be tried."""
    for name in args.name:
        if name not in FAULT_DESCRIPTIONS:
            raise UsageError(f"There is no drill {name}; the drills are {', '.join(FAULT_DESCRIPTIONS)}.")
    if not IS_UNIX:
        raise CommandError("The drills need Linux or macOS, because they use signals and pseudo-terminals.")
    # Imported here, because it loads the camera's code, and because it can't be loaded on Windows.
    from companion.drill.drills import run_drill
    from companion.drill.environment import PHONE_GAME, DrillEnvironment

    with sigterm_as_interrupt(), tempfile.TemporaryDirectory(prefix="tablekeeper-") as folder:
        environment = DrillEnvironment(Path(folder), args.game or PHONE_GAME)
        return report((run_drill(name, environment) for name in args.name or FAULT_DESCRIPTIONS), json_output=args.json)


def report(outcomes: Iterable[DrillOutcome], *, json_output: bool) -> int:
    """Prints each outcome as soon as it is known or, with `json_output`, all of them at the end. Returns the exit
    status 0. Raises CommandError if a drill failed, or if none could be tried."""
    reported = []
    for outcome in outcomes:
        reported.append(outcome)
        if not json_output:
            print(outcome, flush=True)
    tried = [outcome for outcome in reported if outcome.result != "not tried"]
    failed = [outcome.name for outcome in tried if outcome.result == "failed"]
    if json_output:
        print_json(reported, ok=bool(tried) and not failed)
    if failed:
        raise CommandError(f"{len(failed)} of {len(tried)} drills failed: {', '.join(failed)}. Each line says why.")
    if not tried:
        raise CommandError("No drill could be tried on this machine. Each line says why.")
    if not json_output:
        print(f"{len(tried)} of {len(reported)} drills were tried. All went as promised.")
    return 0


def print_json(outcomes: Sequence[DrillOutcome], *, ok: bool) -> None:
    """Prints the outcomes as one JSON object."""
    print(json.dumps({"ok": ok, "drills": [outcome.to_json() for outcome in outcomes]}))
