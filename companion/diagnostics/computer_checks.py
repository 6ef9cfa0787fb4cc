"""The doctor's checks of the computer itself: its power, its temperature, its clock, and whether the installed program
is intact and has the second code reader."""

from __future__ import annotations

import base64
import ctypes
import hashlib
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from importlib.metadata import PackageNotFoundError, PackagePath, distribution
from pathlib import Path

from companion.diagnostics.findings import Finding
from companion.text.messages import Number, _


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


MAX_TEMPERATURE_C = 80.0
"""At this temperature a Raspberry Pi begins to slow down."""
THERMAL = Path("/sys/class/thermal/thermal_zone0/temp")
UNDER_VOLTAGE_NOW, UNDER_VOLTAGE_SINCE_START, SLOWED_NOW = 1 << 0, 1 << 16, 1 << 1 | 1 << 2 | 1 << 3
"""The bits of `vcgencmd get_throttled` (Raspberry Pi documentation)."""
COMMAND_TIMEOUT_S = 5.0
PACKAGES = ("companion", "vision", "web")


def power() -> Iterator[Finding]:
    """Checks whether a Raspberry Pi gets enough power. Yields nothing on another machine."""
    flags = throttled_flags()
    if flags is not None:
        yield power_finding(flags)


def throttled_flags() -> int | None:
    """The flags that `vcgencmd get_throttled` reports; None on a machine without it."""
    program = shutil.which("vcgencmd")
    if program is None:
        return None
    try:
        done = subprocess.run(
            (program, "get_throttled"), capture_output=True, text=True, check=False, timeout=COMMAND_TIMEOUT_S
        )
        return int(done.stdout.strip().removeprefix("throttled="), 16)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None


def power_finding(flags: int) -> Finding:
    """The finding about the power supply. `flags`: the answer of `vcgencmd get_throttled`."""
    remedy = _("Use the Raspberry Pi’s own power supply and a short cable.")
    if flags & UNDER_VOLTAGE_NOW:
        return Finding("power", False, _("The power supply is too weak: the voltage is too low right now."), remedy)
    if flags & UNDER_VOLTAGE_SINCE_START:
        return Finding(
            "power", False, _("The power supply is too weak: the voltage has dropped since the start."), remedy
        )
    if flags & SLOWED_NOW:
        return Finding("power", False, _("The Pi has slowed down because it is too hot."), _("Give it more air."))
    return Finding("power", True, _("The power supply is strong enough."))


def temperature(path: Path = THERMAL) -> Iterator[Finding]:
    """Checks the temperature of the processor. Yields nothing on a machine that does not report it."""
    try:
        degrees = int(path.read_text()) / 1000
    except (OSError, ValueError):
        return
    is_fine = degrees < MAX_TEMPERATURE_C
    message = _("The processor is at {n} °C.", n=Number(degrees, 0))
    yield Finding("temperature", is_fine, message, "" if is_fine else _("Give it more air, or a heat sink."))


def zbar(decoder: Callable[..., object] | None) -> Iterator[Finding]:
    """Checks whether the system has zbar, the second code reader. `decoder`: the function with which zbar reads codes;
    None if zbar is missing."""
    if decoder:
        yield Finding("zbar", True, _("The second code reader is installed."))
    else:
        remedy = _("Install it: sudo apt-get install libzbar0. Until then, only the built-in code reader is used.")
        yield Finding("zbar", False, _("The second code reader is missing."), remedy)


def installed_packages(packages: Sequence[str] = PACKAGES) -> Iterator[Finding]:
    """Checks whether another program's packages have overwritten those of Tablekeeper. That can happen, because the
    names of Tablekeeper's packages are common words. Yields nothing if Tablekeeper runs from its sources."""
    try:
        files = distribution("tablekeeper").files or []
    except PackageNotFoundError:
        return
    changed = [
        str(file)
        for file in files
        if file.parts[0] in packages and file.hash and file.suffix == ".py" and not _is_as_installed(file)
    ]
    if changed:
        message = _("Another package has overwritten parts of Tablekeeper: {files}.", files=", ".join(changed[:3]))
        remedy = _("Install Tablekeeper in its own environment: pipx install tablekeeper.")
        yield Finding("installation", False, message, remedy)


def _is_as_installed(file: PackagePath) -> bool:
    """Whether a file has the checksum that was recorded when it was installed."""
    try:
        content = Path(str(file.locate())).read_bytes()
    except OSError:
        return False
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return file.hash is None or file.hash.mode != "sha256" or digest == file.hash.value
