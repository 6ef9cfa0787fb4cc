"""`tablekeeper doctor`: checks this machine and its devices, and prints a line for each finding."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from companion.commands import CommandError
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.data_folder_lock import lock_holder
from companion.commands.machine_checks import machine_checks
from companion.commands.service_settings import FIX_THE_FILE, DataFolderUnknown, add_settings, resolve_settings
from companion.commands.settings_file import HOST, Settings
from companion.diagnostics.findings import Checks, Finding, examine
from companion.text.messages import TextLike


def add(subparsers: Subparsers) -> None:
    """Adds the command `doctor` and its arguments."""
    command = command_parser(
        subparsers,
        "doctor",
        "tablekeeper doctor --camera 0\n         tablekeeper doctor --simulate --json",
    )
    add_settings(command)
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Runs all checks and prints their findings. Each device is opened, checked and closed. Raises CommandError if a
    check fails."""
    try:
        settings, problem = resolve_settings(args)
    except DataFolderUnknown as error:
        settings, problem = error.settings, error.message
    check_not_running(settings, json_output=args.json)
    with working_folder(settings.data) as folder:
        return report(examine(_checks(settings, problem, folder)), json_output=args.json)


def _checks(settings: Settings, problem: TextLike, folder: Path) -> Checks:
    """All checks of the doctor, by name. They may write files to `folder`."""
    from companion.commands.camera_startup import camera_findings
    from companion.commands.http_servers import port_error, tls_port_error
    from companion.devices import box, gpio
    from companion.diagnostics import checks
    from companion.diagnostics.broker_check import check_broker

    board = gpio.GpioBoard(folder, settings.pins, simulate=settings.simulate)
    return {
        "configuration": lambda: checks.configuration(problem, FIX_THE_FILE),
        "camera": lambda: camera_findings(settings, folder),
        "gpio": lambda: checks.gpio(board),
        "box": lambda: checks.box(box.select_box(settings.box, simulate=settings.simulate)),
        **machine_checks(settings, lambda: settings.port),
        "journal": lambda: checks.journal(settings.journal),
        "port": lambda: checks.port(settings.port, HOST, port_error),
        "broker": lambda: check_broker(settings.broker, settings.table),
        "https": lambda: () if settings.tls is None else checks.port(settings.tls, HOST, tls_port_error),
    }


def check_not_running(settings: Settings, *, json_output: bool = False) -> None:
    """Raises CommandError if the service is running. The service then holds the devices, so the doctor can't open them;
    the service's page /setup has the same checks. With `json_output`, prints the error as a finding first."""
    from web.addresses import http_url, lan_address

    holder = lock_holder(settings.data)
    if holder is None:
        return
    address = lan_address() or "localhost"
    where = f" ({http_url(address, holder.port)}setup)" if holder.port else ""
    message = f"Tablekeeper is running with {settings.data} and is using the camera and the buttons."
    remedy = f"It checks itself: open /setup in the host’s browser{where}; or stop it, then try again."
    if json_output:
        print_json([Finding("service", False, message, remedy)])
    raise CommandError(f"{message} {remedy}")


@contextmanager
def working_folder(data: Path) -> Iterator[Path]:
    """Yields the data folder. If it does not exist yet, yields a temporary folder instead, because a check must not
    create the data folder."""
    if os.path.isdir(data):  # not Path.is_dir, which raises PermissionError
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="tablekeeper-") as folder:
        yield Path(folder)


def print_json(findings: Sequence[Finding]) -> None:
    """Prints the findings as one JSON object."""
    ok = all(finding.ok for finding in findings)
    print(json.dumps({"ok": ok, "findings": [finding.to_json() for finding in findings]}, ensure_ascii=False))


def report(findings: Iterable[Finding], *, json_output: bool) -> int:
    """Prints each finding as soon as it is known or, with `json_output`, all of them at the end. Returns the exit
    status 0. Raises CommandError if a check failed."""
    reported = []
    for finding in findings:
        reported.append(finding)
        if not json_output:
            print(f"{'ok  ' if finding.ok else 'FAIL'}  {finding.name:13}  {finding.message_with_remedy!s}", flush=True)
    failed = [finding.name for finding in reported if not finding.ok]
    if json_output:
        print_json(reported)
    if failed:
        raise CommandError(
            f"{len(failed)} of {len(reported)} failed: {', '.join(failed)}. Each line says how to fix it."
        )
    if not json_output:
        print("All good.")
    return 0
