"""Asks systemd for the state of Tablekeeper's units."""

from __future__ import annotations

import shutil
import subprocess

COMMAND_TIMEOUT_S = 5.0


def unit_state(unit: str) -> dict[str, str]:
    """The properties of a unit, as `systemctl show` names them; none on a machine without systemd."""
    if shutil.which("systemctl") is None:
        return {}
    command = ("systemctl", "show", unit, "--property=LoadState,ActiveState,Result,NRestarts,UnitFileState")
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=COMMAND_TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)
