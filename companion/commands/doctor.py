"""`tablekeeper doctor`: checks this machine and its devices, and prints a line for each finding."""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from companion.commands import CommandError
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.data_folder_lock import lock_holder
from companion.commands.machine_checks import machine_checks
from companion.commands.service_settings import FIX_THE_FILE, DataFolderUnknown, add_settings, resolve_settings
from companion.commands.settings_file import HOST, Settings
from companion.diagnostics import device_checks, network_checks, service_checks, storage_checks
from companion.diagnostics.findings import Checks, Finding, examine
from companion.text.messages import TextLike
from web.api.api_types import Health

RESPONSE_TIMEOUT_S = 10.0


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
    """Runs all checks and prints their findings. Each device is opened, checked and closed, unless a service is running
    and holds them. Raises CommandError if a check fails."""
    try:
        settings, problem = resolve_settings(args)
    except DataFolderUnknown as error:
        settings, problem = error.settings, error.message
    holder = lock_holder(settings.data)
    if holder:
        return report(examine(_checks_beside(settings, problem, holder.port)), json_output=args.json)
    with working_folder(settings.data) as folder:
        return report(examine(_checks(settings, problem, folder)), json_output=args.json)


def _checks(settings: Settings, problem: TextLike, folder: Path) -> Checks:
    """All checks of the doctor, by name. They may write files to `folder`."""
    from companion.commands.camera_startup import camera_findings
    from companion.commands.http_servers import port_error, tls_port_error
    from companion.devices import box, gpio
    from companion.diagnostics.broker_check import check_broker

    board = gpio.GpioBoard(folder, settings.pins, simulate=settings.simulate)
    return {
        "configuration": lambda: service_checks.configuration(problem, FIX_THE_FILE),
        "camera": lambda: camera_findings(settings, folder),
        "gpio": lambda: device_checks.gpio(board),
        "box": lambda: device_checks.box(box.select_box(settings.box, simulate=settings.simulate)),
        **machine_checks(settings, lambda: settings.port),
        "journal": lambda: storage_checks.journal(settings.journal),
        "port": lambda: network_checks.port(settings.port, HOST, port_error),
        "broker": lambda: check_broker(settings.broker, settings.table),
        "https": lambda: () if settings.tls is None else network_checks.port(settings.tls, HOST, tls_port_error),
    }


def _checks_beside(settings: Settings, problem: TextLike, port: int | None) -> Checks:
    """The checks that are possible while a service is running, by name. The service holds the devices, so it is asked
    for their state. `port`: the port of its pages; None if they are not served yet."""
    return {
        "configuration": lambda: service_checks.configuration(problem, FIX_THE_FILE),
        "running": lambda: _running_service(settings.data, port),
        **machine_checks(settings, lambda: port or settings.port),
    }


def _running_service(data: Path, port: int | None) -> Iterator[Finding]:
    """Asks the service that uses the data folder for its state and that of its devices."""
    health = _health(port) if port else None
    if health is None:
        message = f"Tablekeeper is running with {data}, but its pages don’t answer."
        yield Finding("running", False, message, "Wait a minute. If it stays so, restart it; its log says why.")
        return
    message = f"Tablekeeper {health.version} is running with {data}, and holds the devices. It reports:"
    yield Finding("running", True, message)
    for device in health.devices:
        if device.device != "disk":  # `machine_checks` has checked the disk
            yield Finding(device.device, device.ok, device.says)


def _health(port: int) -> Health | None:
    """The health that the service on this port reports; None if it does not answer."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=RESPONSE_TIMEOUT_S) as response:
            return msgspec.json.decode(response.read(), type=Health)
    except urllib.error.HTTPError as error:  # moves can't be stored
        with error, suppress(OSError, msgspec.DecodeError):
            return msgspec.json.decode(error.read(), type=Health)
    except (OSError, msgspec.DecodeError):
        pass
    return None


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
