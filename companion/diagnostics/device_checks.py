"""The doctor's checks of devices: pins, camera, box, and whether this user may use them.

A check is a function that yields findings. It takes facts about the machine as arguments, or asks the system.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

from companion.devices import DeviceError, DeviceNotNeeded
from companion.devices.box import MAX_REPLY_S, Box
from companion.devices.box_session import SessionState
from companion.devices.gpio import GpioBoard
from companion.devices.simulated_box import SimulatedBox
from companion.diagnostics.findings import Finding
from companion.text.messages import Text, TextLike, _, joined

MAX_BOX_WAIT_S = MAX_REPLY_S + 2.0
DEVICES = ("gpiochip*", "video*", "ttyACM*", "ttyUSB*")
"""Patterns for the names of the files of pins, cameras and the box in /dev."""


def gpio(board: GpioBoard) -> Iterator[Finding]:
    """Checks the GPIO pins: opens them and closes them again."""
    try:
        with closing(board.open()) as pins:
            yield Finding("gpio", True, pins.message)
    except DeviceError as error:
        yield Finding("gpio", isinstance(error, DeviceNotNeeded), error.message, error.remedy)


def device_access(folder: Path = Path("/dev")) -> Iterator[Finding]:
    """Checks whether this user may use the devices in the folder."""
    found = [path for pattern in DEVICES for path in sorted(folder.glob(pattern))]
    closed = [path for path in found if not os.access(path, os.R_OK | os.W_OK)]
    if closed:
        groups = sorted({_group(path) for path in closed})
        message = _("Your user isn’t allowed to use {devices}.", devices=", ".join(map(str, closed)))
        yield Finding(
            "rights",
            False,
            message,
            _("Run {command}, then log in again.", command=f"sudo usermod -aG {','.join(groups)} $USER"),
        )
    else:
        may = (
            _("Your user is allowed to use {devices}.", devices=_file_names(found))
            if found
            else _("There are no devices here that need permission.")
        )
        yield Finding("rights", True, may)


def _group(path: Path) -> str:
    try:
        return path.group()
    except KeyError:  # the group has a number, but no name
        return str(path.stat().st_gid)


def _file_names(paths: Iterable[Path]) -> str:
    return ", ".join(path.name for path in paths)


def no_camera_finding(message: TextLike, remedy: TextLike, folder: Path = Path("/dev")) -> Iterator[Finding]:
    """Yields the finding that no camera is selected. `remedy` says how to select one. The finding also names the
    cameras in `folder`."""
    there = [str(path) for path in sorted(folder.glob("video*"))]
    has = [_("This computer has {devices}.", devices=", ".join(there[:4]))] if there else []
    yield Finding("camera", False, message, joined(" ", (remedy, *has)))


def box(found: Box | SimulatedBox | None) -> Iterator[Finding]:
    """Checks the box: talks to it until it has answered once, or has been silent for too long."""
    match found:
        case None:
            yield Finding("box", True, _("The box is switched off in the settings."))
        case SimulatedBox():
            yield Finding("box", True, _("The box is simulated."))
        case Box():
            yield _box_finding(found)


def _box_finding(found: Box) -> Finding:
    try:
        _wait_for_reply(found)
        health, state = found.health, found.state
    finally:
        found.close()
        deque(found, maxlen=0)  # the end of the iteration closes the port
    message = joined(" ", (health.message, box_message(state))) if health.ok else health.message
    if health.ok and state.round_trip is None:
        return Finding("box", False, message, _("Unplug it and plug it in again."))
    return Finding("box", health.ok, message, health.remedy)


def _wait_for_reply(found: Box) -> None:
    """Waits until the box has answered, until every possible port was tried, or until a port takes too long."""
    path, end = found.path, time.monotonic() + MAX_BOX_WAIT_S
    while found.state.round_trip is None and not found.has_given_up and time.monotonic() < end:
        deque(found.round_now(), maxlen=0)  # presses during the check are ignored
        if found.path != path:
            path, end = found.path, time.monotonic() + MAX_BOX_WAIT_S


def box_message(state: SessionState) -> Text:
    """A message about the serial connection to the box: how long the box takes to answer, and how many lines of text
    were lost."""
    if state.round_trip is None:
        return _("It hasn’t answered a command yet. Lines lost: {lost}.", lost=state.lost)
    took = f"{state.round_trip * 1e3:.0f}"
    return _("It answers within {n} ms. Lines lost: {lost}.", n=took, lost=state.lost)


def box_line(found: Box | SimulatedBox | None) -> Iterator[Finding]:
    """Yields the finding about the serial connection to the box. Opens no port: it is for a running service, which has
    the port open already. Yields nothing unless the box is ready."""
    if isinstance(found, Box) and found.state.phase == "ready":
        yield Finding("box's line", True, box_message(found.state))
