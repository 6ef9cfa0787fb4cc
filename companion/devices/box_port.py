"""The serial ports for the box: finds them, opens them, and explains why one can't be opened."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from typing import Protocol

import serial
from serial.tools import list_ports

from companion.devices import DeviceError
from companion.platform_calls import TerminalError
from companion.text.messages import TextLike, _

PICO = (0x2E8A, 0x0005)
"""USB vendor and product id of a Raspberry Pi Pico that runs MicroPython."""
BAUD = 115200
"""The speed of the serial line, in bits per second. It has no effect over USB, but a box behind a serial adapter needs
it."""
READ_TIMEOUT_S = 0.02
"""How long a read waits for bytes, in seconds."""
WRITE_TIMEOUT_S = 0.5

NAME_THE_PATH = _(
    "Name its path with --box, or as box in the settings file. Without it, Tablekeeper looks for the box on USB."
)


class SerialPort(Protocol):
    """The part of `serial.Serial` that the box uses."""

    @property
    def in_waiting(self) -> int: ...
    def read(self, size: int, /) -> bytes: ...
    def write(self, data: bytes, /) -> int | None: ...
    def close(self) -> None: ...


def pico_ports() -> Sequence[str]:
    """The paths of the serial ports of all connected Picos."""
    try:
        return [port.device for port in list_ports.comports() if (port.vid, port.pid) == PICO]
    except (OSError, TypeError, ValueError):  # a port was unplugged meanwhile; the next scan finds the others
        return []


def open_port(path: str, timeout_s: float = READ_TIMEOUT_S) -> SerialPort:
    """Opens a serial port exclusively: no other program can open it at the same time. Raises the errors that
    `open_error` explains."""
    return serial.Serial(path, BAUD, timeout=timeout_s, write_timeout=WRITE_TIMEOUT_S, exclusive=True)


def open_error(path: str, error: Exception) -> DeviceError:
    """The error to report when a port can't be opened: the reason, and the remedy."""
    match _errno(error):
        case errno.EACCES | errno.EPERM:
            return DeviceError(
                _("Your user isn’t allowed to use {path}.", path=path),
                _("Add your user to the group: sudo usermod -aG dialout $USER, then log in again."),
            )
        case errno.EBUSY | errno.EAGAIN:
            message = _("Another program is using {path}.", path=path)
            return DeviceError(message, _("Close it. Is it a terminal, mpremote or another Tablekeeper?"))
        case errno.ENOENT | errno.ENODEV:
            remedy = _("Is it plugged in? {more}", more=NAME_THE_PATH)
            return DeviceError(_("{path} doesn’t exist.", path=path), remedy)
        case errno.ENOTTY | errno.EISDIR:
            return DeviceError(_("{path} isn’t a serial port.", path=path), NAME_THE_PATH)
    message = _("Can’t open {path}: {why}.", path=path, why=reason(error))
    return DeviceError(message, _("Unplug the box and plug it in again."))


PLAIN_REASONS = {
    "device reports readiness to read": _("it was unplugged"),
    "Attempting to use a port that is not open": _("it was unplugged"),
    "Write timeout": _("it no longer accepts data"),
}
"""Maps the beginnings of pyserial's messages to what went wrong, in plain words, when a box was unplugged or no longer
responds."""


def reason(error: Exception) -> TextLike:
    """The reason for an error in words, without its errno."""
    number = _errno(error)
    if number:
        return os.strerror(number)
    text = " ".join(str(error).split()).rstrip(".")
    return next((plain for start, plain in PLAIN_REASONS.items() if text.startswith(start)), text)


def _errno(error: BaseException | None) -> int | None:
    """The errno of an error; None if it has none. pyserial hides some errors, with their errno, in the context of its
    own exceptions."""
    match error:
        case OSError(errno=int(number)):
            return number
        case TerminalError(args=(int(number), *_)):
            return number
        case None:
            return None
    return _errno(error.__context__)
