"""`tablekeeper support`: writes the support bundle, a file for people who help to find out what is wrong."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

from companion.commands import CommandError
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.machine_checks import machine_checks
from companion.commands.redacted_settings import settings_text
from companion.commands.service_settings import DataFolderUnknown, add_settings, resolve_settings
from companion.commands.settings_file import INSTALLED
from companion.diagnostics.findings import examine
from companion.diagnostics.support_bundle import support_bundle

OUTPUT = Path("tablekeeper-support.zip")
LOG_COMMAND = ("journalctl", "--unit=tablekeeper", "--lines=5000", "--no-pager", "--output=short-iso")


def add(subparsers: Subparsers) -> None:
    """Adds the command `support` and its arguments."""
    command = command_parser(
        subparsers,
        "support",
        "tablekeeper support -o problem.zip",
    )
    command.add_argument("-o", "--output", type=Path, default=OUTPUT, metavar="FILE", help=str(OUTPUT))
    add_settings(command)
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Writes the support bundle."""
    args.config = args.config or (INSTALLED if INSTALLED.exists() else None)
    try:
        settings, _problem = resolve_settings(args)
    except DataFolderUnknown as error:
        settings = error.settings
    print("Checking this machine …", flush=True)
    findings = [*examine(machine_checks(settings, lambda: settings.port))]
    bundle = support_bundle(findings, _log(), settings_text(args.config))
    try:
        args.output.write_bytes(bundle)
    except OSError as error:
        raise CommandError(f"{args.output} can’t be written ({error.strerror}); name another file with -o.") from error
    print(f"{args.output}: logs, checks, versions and settings; no cards, faces, names or keys.")
    return 0


def _log() -> list[str]:
    try:
        done = subprocess.run(LOG_COMMAND, capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):  # no systemd here
        return []
    return done.stdout.splitlines()
