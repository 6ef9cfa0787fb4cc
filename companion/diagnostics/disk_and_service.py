"""The doctor's checks of the disk's wear, and of the service and its backups as systemd sees them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from companion.diagnostics.findings import Finding
from companion.text.messages import _

BLOCK_DEVICES, FILE_SYSTEMS = Path("/sys/block"), Path("/sys/fs/ext4")
WORN_LIFE_TIME = 9
"""The value of `life_time` from which a disk is worn: it has used up more than 80% of its life (JEDEC eMMC, where each
step is 10%)."""
WORN_RESERVE = 2
"""The value of `pre_eol_info` from which a disk is worn: it has used up 80% of its spare blocks."""
UNIT, BACKUP_UNIT = "tablekeeper.service", "tablekeeper-backup.service"
MACHINE_UNIT = "tablekeeper-machine.service"
RESTARTS = 3
"""A service that has been restarted at least this often does not run as it should."""
COMMAND_TIMEOUT_S = 5.0


def disk_wear(devices: Path = BLOCK_DEVICES, file_systems: Path = FILE_SYSTEMS) -> Iterator[Finding]:
    """Checks how worn the disk is, and whether the file system has noted errors. Most SD cards do not report their
    wear; the file system notes errors on any disk. Yields nothing if neither is known."""
    remedy = _("Back up the games, then copy everything to a new card.")
    for folder in sorted(devices.glob("mmcblk*/device")):
        used = max(_numbers(folder / "life_time"), default=0)
        reserve = max(_numbers(folder / "pre_eol_info"), default=0)
        if used or reserve:
            is_fine = used < WORN_LIFE_TIME and reserve < WORN_RESERVE
            message = _("The disk has used up about {n}% of its life.", n=min(used, 10) * 10)
            yield Finding("disk wear", is_fine, message, "" if is_fine else remedy)
    counts = [count for path in sorted(file_systems.glob("*/errors_count")) for count in _numbers(path)]
    if sum(counts):
        yield Finding("disk wear", False, _("The file system has noted {n} errors.", n=sum(counts)), remedy)
    elif counts:
        yield Finding("disk wear", True, _("The file system has noted no errors."))


def _numbers(path: Path) -> list[int]:
    """The numbers in a file of the kernel, such as "0x01 0x02"; none if it can't be read."""
    try:
        return [int(word, 0) for word in path.read_text().split()]
    except (OSError, ValueError):
        return []


def service_state() -> Iterator[Finding]:
    """Checks the installed service, its automatic backups and the last change of the table's name. Yields nothing on a
    machine without systemd, or where the service is not installed."""
    if (state := _unit_state(UNIT)).get("LoadState") == "loaded":
        yield service_finding(state)
        yield from backup_findings(_unit_state(BACKUP_UNIT))
        yield from machine_findings(_unit_state(MACHINE_UNIT))


def _unit_state(unit: str) -> dict[str, str]:
    """The properties of a unit, as `systemctl show` names them; none on a machine without systemd."""
    if shutil.which("systemctl") is None:
        return {}
    command = ("systemctl", "show", unit, "--property=LoadState,ActiveState,Result,NRestarts,UnitFileState")
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=COMMAND_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


def service_finding(state: dict[str, str]) -> Finding:
    """The finding about the service. `state`: its properties, as `systemctl show` names them."""
    why = _("To see why: sudo journalctl -u tablekeeper -n 100.")
    restarts = int(state.get("NRestarts") or 0)
    if state.get("ActiveState") == "failed":
        return Finding("service", False, _("The service has failed ({result}).", result=state.get("Result", "")), why)
    if restarts >= RESTARTS:
        return Finding("service", False, _("systemd has restarted the service {n} times.", n=restarts), why)
    if state.get("UnitFileState") == "disabled":
        remedy = _("Enable it: sudo systemctl enable tablekeeper.service tablekeeper.socket.")
        return Finding("service", False, _("The service does not start with the machine."), remedy)
    return Finding("service", True, _("The service is {state}.", state=state.get("ActiveState", "")))


def backup_findings(state: dict[str, str]) -> Iterator[Finding]:
    """Yields a finding if the last automatic backup has failed. `state`: the properties of its unit, as `systemctl
    show` names them."""
    if state.get("ActiveState") == "failed":
        why = _("To see why: sudo journalctl -u tablekeeper-backup -n 20.")
        yield Finding("backups", False, _("The last automatic backup has failed."), why)


def machine_findings(state: dict[str, str]) -> Iterator[Finding]:
    """Yields a finding if the name or the country that the host entered last could not be set. `state`: as for
    `backup_findings`."""
    if state.get("ActiveState") == "failed":
        why = _("To see why: sudo journalctl -u tablekeeper-machine -n 20.")
        yield Finding("installation", False, _("The table’s new name or country could not be set."), why)
