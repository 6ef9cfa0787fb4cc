"""The doctor's checks of this machine: pins, zbar, disk, clock, network, ports, box, and access to devices.

A check is a function that yields findings. It takes facts about the machine as arguments, or asks the system.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import socket
import statistics
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import datetime
from functools import partial
from pathlib import Path

from companion.devices import DeviceError, DeviceNotNeeded
from companion.devices.box import MAX_ANSWER_S, Box
from companion.devices.box_session import SessionState
from companion.devices.gpio import GpioBoard
from companion.devices.simulated_box import SimulatedBox
from companion.diagnostics.findings import Finding
from companion.installation import is_installed_table, slow_disk_remedy, unusable_folder_remedy
from companion.match.acknowledged_count import counter_path
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.tabletop.observations import DeviceHealth
from companion.text.messages import Number, Text, TextLike, _, joined

HTTP_PORT = 80
"""The port that browsers assume if an address names none."""
MIN_FREE_MB = 200
TIMED_WRITES = 20
"""The number of writes to a journal that are timed to find the median."""
MAX_WRITE_S = 0.5
"""The longest acceptable time to store a move durably. An SD card needs a twentieth of this time."""
MAX_BOX_WAIT_S = MAX_ANSWER_S + 2.0
DEVICES = ("gpiochip*", "video*", "ttyACM*", "ttyUSB*")
"""Patterns for the names of the files of pins, cameras and the box in /dev."""


def configuration(problem: TextLike, remedy: TextLike) -> Iterator[Finding]:
    """Yields a finding if there is a `problem` with the settings file."""
    if problem:
        yield Finding("configuration", False, problem, remedy)


def gpio(board: GpioBoard) -> Iterator[Finding]:
    """Checks the GPIO pins: opens them and closes them again."""
    try:
        with closing(board.open()) as pins:
            yield Finding("gpio", True, pins.message)
    except DeviceError as error:
        yield Finding("gpio", isinstance(error, DeviceNotNeeded), error.message, error.remedy)


def zbar(decoder: Callable[..., object] | None) -> Iterator[Finding]:
    """Checks whether the system has zbar, the second code reader. `decoder`: the function with which zbar reads codes;
    None if zbar is missing."""
    if decoder:
        yield Finding("zbar", True, _("The second code reader is installed."))
    else:
        remedy = _("Install it: sudo apt-get install libzbar0. Until then, only the built-in code reader is used.")
        yield Finding("zbar", False, _("The second code reader is missing."), remedy)


def disk(data: Path) -> Iterator[Finding]:
    """Checks the free space for the journal in the folder `data`, and the time that it takes to store a move
    durably."""
    # Not Path.exists, which raises PermissionError if a parent folder may not be read.
    folder = next(path for path in (data, *data.absolute().parents) if os.path.exists(path))
    if not os.path.isdir(folder):
        yield Finding("disk", False, _("{folder} isn’t a folder.", folder=folder), unusable_folder_remedy(data))
        return
    yield free_space(folder)
    try:
        seconds = commit_latency_s(folder)
    except (OSError, JournalError) as error:
        yield Finding("journal", False, _unwritable_message(folder, error), _ownership_remedy(data, folder))
        return
    message = _("Moves are saved in {n} ms.", n=Number(seconds * 1000, 1))
    yield Finding("journal", seconds < MAX_WRITE_S, message, "" if seconds < MAX_WRITE_S else slow_disk_remedy())


def free_space(folder: Path) -> Finding:
    """Checks the free space in an existing folder. Raises OSError if the file system can't be asked."""
    free = shutil.disk_usage(folder).free // 10**6
    message = _("{folder} has {size} GB free.", folder=folder, size=Number(free / 1000, 1))
    remedy = _("Make room. The journal and the print files need at least {size} MB.", size=MIN_FREE_MB)
    return Finding("disk", free >= MIN_FREE_MB, message, "" if free >= MIN_FREE_MB else remedy)


def disk_health(folder: Path) -> DeviceHealth:
    """The health of the disk that holds this folder."""
    try:
        found = free_space(folder)
    except OSError as error:
        return DeviceHealth(device="disk", ok=False, message=error.strerror or str(error))
    return DeviceHealth(device="disk", ok=found.ok, message=found.message, remedy=found.remedy)


def journal(path: Path) -> Iterator[Finding]:
    """Checks whether the journal is sound and complete. Yields nothing if there is none."""
    if not (os.path.exists(path) or os.path.exists(counter_path(path))):
        return
    try:
        with closing(Journal.read_only(path)) as found:
            damage = found.damage
    except JournalError as error:
        yield Finding("journal", False, error.message)
        return
    remedy = _("`tablekeeper run` sets it aside and keeps what is intact.")
    yield Finding("journal", not damage, damage or _("The journal is intact."), remedy if damage else "")


def _unwritable_message(folder: Path, error: OSError | JournalError) -> Text:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return _("Can’t write to {folder} ({error}).", folder=folder, error=why)


def _ownership_remedy(data: Path, folder: Path) -> TextLike:
    """The remedy for a data folder that belongs to another user. `folder`: the part of the path `data` that exists."""
    if is_installed_table():
        return unusable_folder_remedy(data)
    command = f"sudo chown -R $USER {data}" if folder == data else f"sudo mkdir -p {data} && sudo chown $USER {data}"
    return _("Make the folder yours: {command}; or name another one with --data.", command=command)


def commit_latency_s(folder: Path) -> float:
    """The median time, in seconds, that a journal in this folder takes to store something durably."""
    with (
        tempfile.TemporaryDirectory(prefix="doctor-", dir=folder) as place,
        closing(Journal(Path(place) / "journal.sqlite3")) as journal,
    ):
        return statistics.median(_elapsed_s(partial(journal.save_note, "doctor", n)) for n in range(TIMED_WRITES))


def _elapsed_s(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def clock() -> Iterator[Finding]:
    """Checks whether the time is plausible, and synchronized over the network. Only the dates in the journal depend on
    the clock."""
    installed_at = datetime.fromtimestamp(Path(__file__).stat().st_mtime).astimezone()
    yield clock_finding(datetime.now().astimezone(), installed_at, synchronized=_is_synchronized())


def clock_finding(now: datetime, installed_at: datetime, *, synchronized: bool) -> Finding:
    """The finding about the clock. It is a failure if the time `now` is earlier than `installed_at`, the time when
    Tablekeeper was installed."""
    time = f"{now:%Y-%m-%d %H:%M}"
    if now < installed_at:
        remedy = _("Connect the Pi to the internet once, or run: sudo date -s '2030-01-31 19:30'")
        return Finding(
            "clock", False, _("The clock says {time}, which is before Tablekeeper was installed.", time=time), remedy
        )
    message = (
        _("It’s {time}, set over the network.", time=time)
        if synchronized
        else _("It’s {time} by this computer’s own clock, which also dates the games.", time=time)
    )
    return Finding("clock", True, message)


class _Timex(ctypes.Structure):
    """The structure that adjtimex(2) fills: its first fields, and room for the others."""

    _fields_ = (
        ("modes", ctypes.c_uint),
        *((name, ctypes.c_long) for name in ("offset", "frequency", "maxerror", "esterror")),
        ("status", ctypes.c_int),
        ("rest", ctypes.c_byte * 256),
    )


UNSYNCHRONIZED_BIT = 0x40
"""The bit of `status` that means that the clock is not synchronized."""


def _is_synchronized() -> bool:
    """Whether the kernel's clock is synchronized, no matter by which daemon."""
    found = _Timex()
    try:
        failed = ctypes.CDLL(None).adjtimex(ctypes.byref(found)) < 0
    except (AttributeError, OSError):  # not Linux
        return False
    return not failed and not found.status & UNSYNCHRONIZED_BIT


def network(addresses: Sequence[str], name: str | None, port: int, *, needed: bool = True) -> Iterator[Finding]:
    """Checks whether phones can reach this machine. The finding says which addresses to open on the phones. `addresses`
    is empty if the machine is not on a network, which is a failure only if `needed`. `name`: this machine's name on the
    network; None if nothing announces it. `port` is 0 if it is not known yet."""
    at = "" if port == HTTP_PORT else f":{port or 'PORT'}"
    if not addresses:
        message = _(
            "This computer isn’t on a network. Only its own browser can open {address}.",
            address=f"http://localhost{at}/",
        )
        remedy = _("Join a Wi-Fi network (sudo nmtui), or plug in a cable.") if needed else ""
        yield Finding("network", not needed, message, remedy)
        return
    parts = [_("Open {address} on the phones.", address=", ".join(f"http://{each}{at}/" for each in addresses))]
    if name:
        parts.append(_("{name} works on most phones, but not on every Android.", name=f"http://{name}{at}/"))
    if not port:
        parts.append(_("In place of PORT, write the number that `tablekeeper run` prints."))
    yield Finding("network", True, joined(" ", parts))


def port(at: int, host: str, explain: Callable[[int, OSError], tuple[TextLike, TextLike]]) -> Iterator[Finding]:
    """Checks whether the pages can be served on the port `at`. If not, `explain` returns the message and the remedy."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, at))
            probe.listen()
        except OSError as error:
            yield Finding("port", False, *explain(at, error))
            return
    yield Finding("port", True, _("Port {number} is free.", number=at) if at else _("Any free port works."))


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
            else _("This computer has no such devices.")
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
        _wait_for_answer(found)
        health, state = found.health, found.state
    finally:
        found.close()
        deque(found, maxlen=0)  # the end of the iteration closes the port
    message = joined(" ", (health.message, box_message(state))) if health.ok else health.message
    if health.ok and state.round_trip is None:
        return Finding("box", False, message, _("Unplug it and plug it in again."))
    return Finding("box", health.ok, message, health.remedy)


def _wait_for_answer(found: Box) -> None:
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
