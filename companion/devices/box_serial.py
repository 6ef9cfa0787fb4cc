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
from companion.text.translation import later

PICO = (0x2E8A, 0x0005)
"""The USB identity, vendor and product, of a Raspberry Pi Pico that runs MicroPython."""
BAUD = 115200
"""Of no meaning over USB; a box behind a serial adapter needs some number."""
WAIT_S = 0.02
"""How long a reading waits for bytes at most."""
WRITE_S = 0.5

NAMED = later("--box names the box's path; without that it is found over USB.")


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
                later("Your user may not use {path}.", path=path),
                later("Add it to the group: sudo usermod -aG dialout $USER, then log in again."),
            )
        case errno.EBUSY | errno.EAGAIN:
            says = later("Another program uses {path}.", path=path)
            return DeviceError(says, later("Close it: a terminal, mpremote, another Tablekeeper?"))
        case errno.ENOENT | errno.ENODEV:
            mend = later("Is it plugged in? {more}", more=NAMED)
            return DeviceError(later("{path} is not there.", path=path), mend)
        case errno.ENOTTY | errno.EISDIR:
            return DeviceError(later("{path} is no serial port.", path=path), NAMED)
    says = later("{path} does not open: {why}.", path=path, why=why(error))
    return DeviceError(says, later("Pull the box's plug out and put it in again."))


PLAIN = {
    "device reports readiness to read": later("it was unplugged"),
    "Attempting to use a port that is not open": later("it was unplugged"),
    "Write timeout": later("it takes nothing any more"),
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
