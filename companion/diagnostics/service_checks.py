"""The doctor's checks of the service: its settings file, and its units as systemd sees them."""

from __future__ import annotations

from collections.abc import Iterator

from companion.diagnostics.findings import Finding
from companion.diagnostics.systemd_units import unit_state
from companion.text.messages import TextLike, _


def configuration(problem: TextLike, remedy: TextLike) -> Iterator[Finding]:
    """Yields a finding if there is a `problem` with the settings file."""
    if problem:
        yield Finding("configuration", False, problem, remedy)


UNIT = "tablekeeper.service"
MACHINE_UNIT = "tablekeeper-machine.service"
RESTARTS = 3
"""A service that has been restarted at least this often does not run as it should."""


def service_state() -> Iterator[Finding]:
    """Checks the installed service and the last change of the table's name. Yields nothing on a machine without
    systemd, or where the service is not installed."""
    if (state := unit_state(UNIT)).get("LoadState") == "loaded":
        yield service_finding(state)
        yield from machine_findings(unit_state(MACHINE_UNIT))


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


def machine_findings(state: dict[str, str]) -> Iterator[Finding]:
    """Yields a finding if the name or the country that the host last entered could not be set. `state`: the
    properties of its unit, as `systemctl show` names them."""
    if state.get("ActiveState") == "failed":
        why = _("To see why: sudo journalctl -u tablekeeper-machine -n 20.")
        yield Finding("installation", False, _("The table’s new name or country could not be set."), why)
