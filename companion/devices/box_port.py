"""The ports at which a box may be: how they are found and opened, and why one does not open."""

from __future__ import annotations

import errno
import os
import termios
from collections.abc import Sequence
from typing import Protocol

import serial
from serial.tools import list_ports

from companion.devices import DeviceError

PICO = (0x2E8A, 0x0005)
"""The USB identity, vendor and product, of a Raspberry Pi Pico that runs MicroPython."""
BAUD = 115200
"""Of no meaning over USB; a box behind a serial adapter needs some number."""
WAIT_S = 0.02
"""How long a reading waits for bytes at most."""
WRITE_S = 0.5

NAMED = "--box names the box's path; without that it is found over USB."


class Opened(Protocol):
    """A serial port, as far as it is used here."""

    @property
    def in_waiting(self) -> int: ...
    def read(self, size: int, /) -> bytes: ...
    def write(self, data: bytes, /) -> int | None: ...
    def close(self) -> None: ...


def found_by_usb() -> Sequence[str]:
    """The ports of all Picos that are plugged in."""
    try:
        return [port.device for port in list_ports.comports() if (port.vid, port.pid) == PICO]
    except (OSError, TypeError, ValueError):  # one was pulled out as pyserial read who it is; the next look sees more
        return []


def open_port(path: str, wait_s: float = WAIT_S) -> Opened:
    """Opens a port, for ourselves alone; raises what `unopened` explains."""
    return serial.Serial(path, BAUD, timeout=wait_s, write_timeout=WRITE_S, exclusive=True)


def unopened(path: str, error: Exception) -> DeviceError:
    """Why a port does not open, and the mend."""
    match _number(error):
        case errno.EACCES | errno.EPERM:
            return DeviceError(
                f"Your user may not use {path}.",
                "Add it to the group: sudo usermod -aG dialout $USER, then log in again.",
            )
        case errno.EBUSY | errno.EAGAIN:
            return DeviceError(f"Another program uses {path}.", "Close it: a terminal, mpremote, another Tablekeeper?")
        case errno.ENOENT | errno.ENODEV:
            return DeviceError(f"{path} is not there.", f"Is it plugged in? {NAMED}")
        case errno.ENOTTY | errno.EISDIR:
            return DeviceError(f"{path} is no serial port.", NAMED)
    return DeviceError(f"{path} does not open: {why(error)}.", "Pull the box's plug out and put it in again.")


PLAIN = {
    "device reports readiness to read": "it was unplugged",
    "Attempting to use a port that is not open": "it was unplugged",
    "Write timeout": "it takes nothing any more",
}
"""What pyserial says where a box is gone, in our words."""


def why(error: Exception) -> str:
    """What is wrong, without the system's number for it."""
    number = _number(error)
    if number:
        return os.strerror(number)
    text = " ".join(str(error).split()).rstrip(".")
    return next((plain for start, plain in PLAIN.items() if text.startswith(start)), text)


def _number(error: BaseException | None) -> int | None:
    """The system's number for what is wrong; pyserial keeps some of them in what its own error came from."""
    match error:
        case OSError(errno=int(number)):
            return number
        case termios.error(args=(int(number), *_)):
            return number
        case None:
            return None
    return _number(error.__context__)
