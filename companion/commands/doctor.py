"""`tablekeeper doctor`: its arguments, and what it prints. The wiring itself stands in `companion.__main__`."""

from __future__ import annotations

import argparse
import fcntl
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from companion.commands import CommandError
from companion.commands.arguments import Subparsers, parser
from companion.commands.run import LOCK, Settings, add_settings
from companion.doctor import Finding


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


def check_alone(settings: Settings) -> None:
    """Raises CommandError where the service runs: it holds the devices, and has the same checks on a page."""
    try:
        with (settings.data / LOCK).open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise CommandError(
            f"Tablekeeper runs with {settings.data} and holds the camera and the buttons. It checks itself: open "
            f"/setup in the host's browser (http://localhost:{settings.port}/setup); or stop it, then try again."
        ) from error
    except OSError:  # nothing is there yet
        return


@contextmanager
def working_folder(data: Path) -> Iterator[Path]:
    """The data folder, or another for the while where there is none yet: whoever only looks makes none."""
    if data.is_dir():
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="tablekeeper-") as folder:
        yield Path(folder)


def report(findings: Iterable[Finding], *, as_json: bool) -> int:
    """Prints what was found, as it is found; raises CommandError where something is not as it should be."""
    kept = []
    for finding in findings:
        kept.append(finding)
        if not as_json:
            print(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.name:10}  {finding.words}", flush=True)
    failed = [finding.name for finding in kept if not finding.ok]
    if as_json:
        print(json.dumps({"ok": not failed, "findings": [finding._asdict() for finding in kept]}, ensure_ascii=False))
    if failed:
        raise CommandError(f"{len(failed)} of {len(kept)} failed: {', '.join(failed)}. Each line says how to mend it.")
    if not as_json:
        print("All is well.")
    return 0
