"""The box on the serial line: lit seat buttons, a dial, two light bars and a buzzer on a Raspberry Pi Pico.

One thread owns the port: the one that listens to this device. It looks for the box, opens its port, reads, writes,
and opens it again after an unplugging; others only say what to show, and that it is over.
"""

from __future__ import annotations

import secrets
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from companion.devices import DeviceError, protocol
from companion.devices.box_display import Display, display
from companion.devices.box_serial import WAIT_S, Opened, found_by_usb, open_port, unopened, why
from companion.devices.box_session import Link, Report
from companion.devices.box_simulated import SimulatedBox
from companion.table.table import View
from companion.tabletop.observations import DeviceHealth, Observation
from companion.text.translation import later

NAME = "box"
LOOK_S = 1.0
"""How often a box that is not there is looked for."""
ANSWER_S = 4.0
"""A port behind which nothing answers for so long is left for the next one, or opened anew."""
STAY_S = 30.0
"""How long a box of another version keeps the line where the right one may still come to answer at another port."""
GRACE_S = 1.0
"""A line that is mended sooner was never ill."""
READ_MOST = 4096

NO_BOX = "none"
"""What is configured where no box is wanted."""
UNPLUGGED = DeviceError(
    later("No box is plugged in; it is found when it is."), later("Without one, --box none keeps this quiet.")
)
SEARCHING = DeviceError(later("The box's line is open; it has not answered yet."), later("This takes some seconds."))


def chosen(where: str | None, *, simulate: bool) -> Box | SimulatedBox | None:
    """The box at a port, or wherever it is plugged in; none where none is wanted. A simulated one stands in where
    `simulate` allows it, none is named and none is there."""
    if where == NO_BOX:
        return None
    if where:
        return Box(lambda: [where])
    return SimulatedBox() if simulate and not found_by_usb() else Box()


class Stranger(NamedTuple):
    """A port that has a box of another version, and what is told of it."""

    path: str
    trouble: DeviceError


class Box:
    """The box as a device, and an outlet of the service.

    `ports` names the ports where it may be, `opens` opens one. Each is tried in turn until a box answers. One of
    another version is of no use, so it gives way to every other port; where nothing answers there, it has the line.
    """

    def __init__(
        self,
        ports: Callable[[], Sequence[str]] = found_by_usb,
        opens: Callable[[str], Opened] = open_port,
        *,
        link: Link | None = None,
    ) -> None:
        self._ports, self._opens = ports, opens
        self._link = link or new_link()
        self._port: Opened | None = None
        self._path = self._shaky = ""
        self._trouble: DeviceError | None = None
        self._stranger: Stranger | None = None
        self._tried: set[str] = set()
        self._since = self._look_at = 0.0
        self._told: DeviceHealth | None = None
        self._display = Display()
        self._closing = False

    @property
    def report(self) -> Report:
        """How the line fares."""
        return self._link.report

    @property
    def path(self) -> str:
        """The port that was opened last."""
        return self._path

    @property
    def given_up(self) -> bool:
        """Whether each port that is there was tried, and none is kept, or one with a box of no use."""
        useless = self._port is None or self._link.report.phase == "foreign"
        return useless and not self._untried(self._ports())

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
            self._drop(None)

    def round_now(self) -> Iterator[Observation]:
        """A round; where there is no port to wait at, it rests as long."""
        yield from self.round(time.monotonic())
        if self._port is None:
            time.sleep(WAIT_S)

    def round(self, now: float) -> Iterator[Observation]:
        """Everything once: look for the port, or read and write it; then what there is to tell."""
        if now >= self._look_at and (self._port is None or self._link.report.phase == "foreign"):
            self._look_at = now + LOOK_S
            self._look(now)
        if self._port is not None:
            try:
                yield from self._exchange(self._port, now)
            except (OSError, ValueError, TypeError, termios.error) as error:  # an unplugging, as pyserial tells it
                says = later("The box's line broke off: {why}.", why=why(error))
                self._drop(DeviceError(says, later("It is opened again when the box is plugged in.")))
        health = self.health
        if health != self._told and self._is_settled(now):
            self._told = health
            yield health

    def _exchange(self, port: Opened, now: float) -> Iterator[Observation]:
        yield from self._link.receive(port.read(min(READ_MOST, port.in_waiting or 1)), now)
        self._link.show(self._display)
        data = self._link.due(now)
        if data:
            port.write(data)
        match self._link.report.phase:
            case "ready":
                self._since, self._trouble, self._stranger = now, None, None
                self._tried.discard(self._path)
            case "seeking" if now - self._since > ANSWER_S:
                self._tried.add(self._path)
                mend = later("Is the firmware on the box? make flash puts it there.")
                self._drop(DeviceError(later("Nothing answers at {path}.", path=self._path), mend))

    # The port --------------------------------------------------------------------------------------

    def _look(self, now: float) -> None:
        """Opens the next port where a box may be."""
        ports = self._ports()
        self._forget_all_but(ports)
        if self._port is not None and now - self._since > STAY_S:
            self._tried.clear()
        fresh = self._untried(ports)
        if self._port is not None and fresh:
            self._leave()
        if self._port is None:
            self._open_first(fresh or self._begin_again(ports), now)

    def _begin_again(self, ports: Sequence[str]) -> Sequence[str]:
        """Where to go on when each port was tried: at the box of another version, so that its lights can tell."""
        if self._stranger:
            return [self._stranger.path]
        self._tried.clear()
        return ports

    def _untried(self, ports: Sequence[str]) -> list[str]:
        own = self._path if self._port is not None else None
        return [path for path in ports if path != own and path not in self._tried]

    def _forget_all_but(self, ports: Sequence[str]) -> None:
        self._tried.intersection_update(ports)
        if self._stranger and self._stranger.path not in ports:
            self._stranger = None

    def _forget_stranger_at(self, path: str) -> None:
        if self._stranger and self._stranger.path == path:
            self._stranger = None

    def _leave(self) -> None:
        """Lets go of a box of another version, to look whether the right one is elsewhere."""
        stranger = Stranger(self._path, foreign(self._link.report))
        self._drop(None)
        self._stranger = stranger

    def _open_first(self, paths: Sequence[str], now: float) -> None:
        if not paths:
            self._trouble = None
            return
        path = paths[0]
        try:
            self._port, self._path = self._opens(path), path
        except (OSError, ValueError, termios.error) as error:
            self._trouble = unopened(path, error)
            self._forget_stranger_at(path)
            if isinstance(error, termios.error) and path != self._shaky:
                self._shaky = path  # pulled out, or not quite in, as it was opened: it is tried once more
                return
        else:
            self._since = now
            self._link.opened(now)
        self._tried.add(path)

    def _drop(self, trouble: DeviceError | None) -> None:
        """Closes the port at once: one that is kept open gives the box another name when it is plugged in again."""
        port, self._port = self._port, None
        self._trouble = trouble
        self._forget_stranger_at(self._path)
        self._link.closed()
        if port is not None:
            try:
                port.close()
            except (OSError, TypeError):
                return

    # Health ----------------------------------------------------------------------------------------

    @property
    def health(self) -> DeviceHealth:
        """How the box fares at this moment."""
        report = self._link.report
        if self._port is None:
            return self._ill(UNPLUGGED)
        if report.phase == "ready":
            says = later("The box answers at {path}, firmware {number}.", path=self._path, number=report.firmware)
            return DeviceHealth(device=NAME, ok=True, says=says)
        return _ill(foreign(report)) if report.phase == "foreign" else self._ill(SEARCHING)

    def _ill(self, trouble: DeviceError) -> DeviceHealth:
        """What is known of a box that does not answer, else this; first of one of another version, which is there."""
        return _ill(self._stranger.trouble if self._stranger else self._trouble or trouble)

    def _is_settled(self, now: float) -> bool:
        """Whether it is time to tell how the box fares: not yet while a port has just been opened."""
        return self._port is None or self._link.report.phase == "ready" or now - self._since >= GRACE_S


def new_link() -> Link:
    """A line of this run of the service. Its numbers begin anywhere: what another run left over fits none."""
    return Link(secrets.token_hex(4), seq=secrets.randbelow(protocol.SEQ_LIMIT))


def foreign(report: Report) -> DeviceError:
    """Why a box of another version is not used, and the mend."""
    says = later(
        "The box's firmware {number} speaks version {version} of the line, Tablekeeper version {own}.",
        number=report.firmware,
        version=report.version,
        own=protocol.PROTOCOL,
    )
    return DeviceError(says, later("Put the firmware on it that came with Tablekeeper: make flash."))


def _ill(trouble: DeviceError) -> DeviceHealth:
    return DeviceHealth(device=NAME, ok=False, says=trouble.says, mend=trouble.mend)
