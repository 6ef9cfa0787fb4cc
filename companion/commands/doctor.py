"""`tablekeeper doctor`: its arguments, and what it prints. The wiring itself stands in `companion.__main__`."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from companion.commands import CommandError
from companion.commands.arguments import Subparsers, parser
from companion.commands.lock import held
from companion.commands.run import Settings, add_settings
from companion.diagnostics.findings import Finding


def add(subparsers: Subparsers, run: Callable[[argparse.Namespace], int]) -> None:
    """The command's arguments; `run` is the wiring."""
    made = parser(
        subparsers,
        "doctor",
        "check camera, GPIO, box, zbar, disk, clock, network and rights; a line each with the mend",
        "tablekeeper doctor --camera 0\n         tablekeeper doctor --simulate --json",
    )
    add_settings(made)
    made.add_argument("--json", action="store_true", help="print one JSON object")
    made.set_defaults(run=run)


def check_alone(settings: Settings, *, as_json: bool = False) -> None:
    """Raises CommandError where the service runs: it holds the devices, and has the same checks on a page. That is the
    only finding then."""
    running = held(settings.data)
    if running is None:
        return
    where = f" (http://localhost:{running.port}/setup)" if running.port else ""
    says = f"Tablekeeper runs with {settings.data} and holds the camera and the buttons."
    mend = f"It checks itself: open /setup in the host's browser{where}; or stop it, then try again."
    if as_json:
        print_json([Finding("service", False, says, mend)])
    raise CommandError(f"{says} {mend}")


@contextmanager
def working_folder(data: Path) -> Iterator[Path]:
    """The data folder, or another for the while where there is none yet: whoever only looks makes none."""
    if os.path.isdir(data):  # not Path.is_dir: it raises where one may not look
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="tablekeeper-") as folder:
        yield Path(folder)


def print_json(findings: Sequence[Finding]) -> None:
    """All of the findings as one object."""
    ok = all(finding.ok for finding in findings)
    print(json.dumps({"ok": ok, "findings": [finding._asdict() for finding in findings]}, ensure_ascii=False))


def report(findings: Iterable[Finding], *, as_json: bool) -> int:
    """Prints what was found, as it is found; raises CommandError where something is not as it should be."""
    kept = []
    for finding in findings:
        kept.append(finding)
        if not as_json:
            print(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.name:13}  {finding.words}", flush=True)
    failed = [finding.name for finding in kept if not finding.ok]
    if as_json:
        print_json(kept)
    if failed:
        raise CommandError(f"{len(failed)} of {len(kept)} failed: {', '.join(failed)}. Each line says how to mend it.")
    if not as_json:
        print("All is well.")
    return 0
