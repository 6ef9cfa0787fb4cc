"""The box on the serial line: lit seat buttons, a dial, two light bars and a buzzer on a Raspberry Pi Pico.

One thread owns the port: the one that listens to this device. It looks for the box, opens its port, reads, writes,
and opens it again after an unplugging; others only say what to show, and that it is over.
"""

from __future__ import annotations

import errno
import secrets
import termios
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import serial
from serial.tools import list_ports

from companion.devices import protocol
from companion.devices.box_display import Display, display
from companion.devices.box_link import Link, Report
from companion.devices.box_simulated import SimulatedBox
from companion.observations import DeviceHealth, Observation
from companion.table import View

NAME = "box"
PICO = (0x2E8A, 0x0005)
"""The USB identity, vendor and product, of a Raspberry Pi Pico that runs MicroPython."""
BAUD = 115200
"""Of no meaning over USB; a box behind a serial adapter needs some number."""
LOOK_S = 1.0
"""How often a box that is not there is looked for."""
ANSWER_S = 4.0
"""A port behind which nothing answers for so long is left for the next one, or opened anew."""
GRACE_S = 1.0
"""A line that is mended sooner was never ill."""
WAIT_S = 0.02
"""How long the thread waits for bytes at most before it looks whether something is to be sent."""
WRITE_S = 0.5
READ_MOST = 4096

NO_BOX = "none"
"""What is configured where no box is wanted."""
UNPLUGGED = "No box is plugged in; it is found when it is. Without one, --box none keeps this quiet."
SEARCHING = "The box's line is open; it has not answered yet."
TAKEN = (errno.EBUSY, errno.EAGAIN)
FORBIDDEN = (errno.EACCES, errno.EPERM)


class Opened(Protocol):
    """A serial port, as far as it is used here."""

    @property
    def in_waiting(self) -> int: ...
    def read(self, size: int, /) -> bytes: ...
    def write(self, data: bytes, /) -> int | None: ...
    def close(self) -> None: ...


def chosen(where: str | None, *, simulate: bool) -> Box | SimulatedBox | None:
    """The box at a port, or wherever it is plugged in; none where none is wanted. A simulated one stands in where
    `simulate` allows it, none is named and none is there."""
    if where == NO_BOX:
        return None
    if where:
        return Box(lambda: [where])
    return SimulatedBox() if simulate and not any(found_by_usb()) else Box()


def found_by_usb() -> Iterator[str]:
    """The ports of all Picos that are plugged in."""
    return (port.device for port in list_ports.comports() if (port.vid, port.pid) == PICO)


def open_port(path: str, wait_s: float = WAIT_S) -> Opened:
    """Opens a port, for ourselves alone; raises SerialException."""
    return serial.Serial(path, BAUD, timeout=wait_s, write_timeout=WRITE_S, exclusive=True)


class Box:
    """The box as a device, and an outlet of the service.

    `ports` names the ports where it may be, `opens` opens one.
    """

    def __init__(
        self,
        ports: Callable[[], Iterable[str]] = found_by_usb,
        opens: Callable[[str], Opened] = open_port,
        *,
        link: Link | None = None,
    ) -> None:
        self._ports, self._opens = ports, opens
        self._link = link or new_link()
        self._port: Opened | None = None
        self._path = self._trouble = ""
        self._tried: list[str] = []
        self._since = self._look_at = 0.0
        self._told: DeviceHealth | None = None
        self._display = Display()
        self._closing = False

    @property
    def report(self) -> Report:
        """How the line fares."""
        return self._link.report

    @property
    def given_up(self) -> bool:
        """Whether each port that is there was tried, and none is kept, or one with a box of no use; raises OSError."""
        if self._port is not None:
            return self._link.report.phase == "foreign"
        return all(path in self._tried for path in self._ports())

    def open(self) -> Box:
        """The box, ready to be listened to."""
        self._closing = False
        return self

    def show(self, view: View | None) -> None:
        """Lets the box tell how the table stands; an outlet of the service. The listening thread sends it."""
        self.show_this(display(view, self._display))

    def show_this(self, display: Display) -> None:
        """What the box shows from now on."""
        self._display = display

    def close(self) -> None:
        """Ends the listening; the port is closed by who listens. `close()` of a port that is being read raises."""
        self._closing = True

    def __iter__(self) -> Iterator[Observation]:
        try:
            while not self._closing:
                yield from self.round_now()
        finally:
            self._drop("")

    def round_now(self) -> Iterator[Observation]:
        """A round; where there is no port to wait at, it rests as long."""
        yield from self.round(time.monotonic())
        if self._port is None:
            time.sleep(WAIT_S)

    def round(self, now: float) -> Iterator[Observation]:
        """Everything once: look for the port, or read and write it; then what there is to tell."""
        if self._port is None and now >= self._look_at:
            self._look_at = now + LOOK_S
            self._look(now)
        if self._port is not None:
            try:
                yield from self._exchange(self._port, now)
            except (OSError, ValueError, TypeError, termios.error) as error:  # an unplugging, as pyserial tells it
                self._drop(f"The box's line broke off ({error}); it is opened again when the box is plugged in.")
        health = self._health(now)
        if health and health != self._told:
            self._told = health
            yield health

    def _exchange(self, port: Opened, now: float) -> Iterator[Observation]:
        yield from self._link.receive(port.read(min(READ_MOST, port.in_waiting or 1)), now)
        self._link.show(self._display)
        data = self._link.due(now)
        if data:
            port.write(data)
        if self._link.report.phase != "seeking":
            self._since = now
        elif now - self._since > ANSWER_S:
            self._drop(f"Nothing answers at {self._path}: is the firmware on the box? make flash puts it there.")

    # The port --------------------------------------------------------------------------------------

    def _look(self, now: float) -> None:
        """Opens the next port at which nothing was tried since the last round."""
        try:
            ports = list(self._ports())
            fresh = [path for path in ports if path not in self._tried]
            path = next(iter(fresh or ports), None)
            if path is None:
                self._tried, self._trouble = [], ""
                return
            self._tried = [*(self._tried if fresh else ()), path]
            self._port, self._path = self._opens(path), path
        except termios.error:  # unplugged while it was opened; pyserial lets it through
            self._trouble = ""
            return
        except (OSError, ValueError) as error:
            self._trouble = f"The box's port can't be opened ({_one_line(error)}). {_mend(error)}"
            return
        self._since = now
        self._link.opened(now)

    def _drop(self, trouble: str) -> None:
        """Closes the port at once: one that is kept open gives the box another name when it is plugged in again."""
        port, self._port = self._port, None
        self._trouble = trouble
        self._link.closed()
        if port is not None:
            try:
                port.close()
            except (OSError, TypeError):
                return

    # Health ----------------------------------------------------------------------------------------

    def _health(self, now: float) -> DeviceHealth | None:
        report = self._link.report
        if self._port is None:
            return _ill(self._trouble or UNPLUGGED)
        if report.phase == "ready":
            self._tried, self._trouble = [], ""
            says = f"The box answers at {self._path}, firmware {report.firmware}."
            return DeviceHealth(device=NAME, ok=True, says=says)
        if report.phase == "foreign":
            return _ill(foreign(report))
        return self._told if now - self._since < GRACE_S else _ill(self._trouble or SEARCHING)


def new_link() -> Link:
    """A line of this run of the service. Its numbers begin anywhere: what another run left over fits none."""
    return Link(secrets.token_hex(4), seq=secrets.randbelow(protocol.SEQ_LIMIT))


def foreign(report: Report) -> str:
    """Why a box of another version is not used, and the mend."""
    return (
        f"The box's firmware {report.firmware} speaks version {report.version} of the line, Tablekeeper version "
        f"{protocol.PROTOCOL}: put the firmware on it that came with Tablekeeper (make flash)."
    )


def _ill(says: str) -> DeviceHealth:
    return DeviceHealth(device=NAME, ok=False, says=says)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())


def _mend(error: Exception) -> str:
    number = getattr(error, "errno", None)
    if number in FORBIDDEN:
        return "Add your user to the group: sudo usermod -aG dialout $USER, then log in again."
    if number in TAKEN:
        return "Is another program using it?"
    return "It is not plugged in, or has another path, which --box names; without --box it is found over USB."
