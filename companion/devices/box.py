"""The box: lit seat buttons, a dial, two light bars and a buzzer on a Raspberry Pi Pico, connected by a serial line.

The thread that iterates over this device owns the serial port. It finds the box, opens the port, reads and writes, and
reopens the port after the box was unplugged. Other threads only set the display and close the device.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from companion.devices import DeviceError, protocol
from companion.devices.box_lights_and_buzzer import Display, display
from companion.devices.box_port import READ_TIMEOUT_S, SerialPort, open_error, open_port, pico_ports, reason
from companion.devices.box_session import BoxSession, SessionState
from companion.devices.simulated_box import SimulatedBox
from companion.games.view import View
from companion.platform_calls import TerminalError
from companion.tabletop.observations import DeviceHealth, Observation
from companion.text.messages import _

NAME = "box"
SCAN_INTERVAL_S = 1.0
"""How often the ports are searched for a missing box, in seconds."""
MAX_REPLY_S = 4.0
"""After this long without an answer, the next port is tried. If there is no other port, the same port is reopened."""
FOREIGN_STAY_S = 30.0
"""How long the session stays with a box of another protocol version before the other ports are tried again."""
GRACE_S = 1.0
"""Interruptions of the connection that are shorter than this are not reported."""
MAX_READ_BYTES = 4096

NO_BOX = "none"
"""The value of --box for a table without a box."""
UNPLUGGED = DeviceError(
    _("No box is plugged in. You can plug one in at any time."),
    _("Don’t have a box? Start with --box none, or set box to none in the settings file."),
)
SEARCHING = DeviceError(
    _("The box’s serial port is open, but the box hasn’t answered yet."), _("This takes a few seconds.")
)


def select_box(where: str | None, *, simulate: bool) -> Box | SimulatedBox | None:
    """The table's box; None if the table has no box.

    `where`: the path of the box's serial port; None to search all USB ports; "none" for a table without a box.
    `simulate`: whether to use a simulated box if the search finds none."""
    if where == NO_BOX:
        return None
    if where:
        return Box(lambda: [where])
    return SimulatedBox() if simulate and not pico_ports() else Box()


class ForeignBox(NamedTuple):
    """A port with a box of another protocol version, and the error to report about that box."""

    path: str
    error: DeviceError


class Box:
    """The box. As a device it reports input events; as a listener of the service it shows views on its lights.

    `ports` returns the paths of the candidate ports, and `opens` opens the port at a path. The ports are tried in turn
    until a box answers. A box with another version of the protocol can't be used, so all other ports are tried next. If
    no other box answers, the session returns to this one, so that its lights can show the mismatch.
    """

    def __init__(
        self,
        ports: Callable[[], Sequence[str]] = pico_ports,
        opens: Callable[[str], SerialPort] = open_port,
        *,
        session: BoxSession | None = None,
    ) -> None:
        self._ports, self._opens = ports, opens
        self._session = session or new_session()
        self._port: SerialPort | None = None
        self._path = self._retried_path = ""
        self._error: DeviceError | None = None
        self._foreign_box: ForeignBox | None = None
        self._tried_paths: set[str] = set()
        self._waiting_since = self._next_scan = 0.0
        self._reported_health: DeviceHealth | None = None
        self._display = Display()
        self._closing = False

    @property
    def state(self) -> SessionState:
        """The state of the session with the box."""
        return self._session.state

    @property
    def path(self) -> str:
        """The path of the port that was opened last; "" if there was none."""
        return self._path

    @property
    def has_given_up(self) -> bool:
        """Whether every port was tried and no usable box was found."""
        useless = self._port is None or self._session.state.phase == "foreign"
        return useless and not self._untried(self._ports())

    def open(self) -> Box:
        """Returns this box as a device. The port is opened later, when somebody iterates over the device."""
        self._closing = False
        return self

    def show(self, view: View | None) -> None:
        """Sets the display to what a view shows. The service calls this for every new view."""
        self.set_display(display(view, self._display))

    def set_display(self, display: Display) -> None:
        """Sets the display. The iterating thread sends it to the box."""
        self._display = display

    def close(self) -> None:
        """Ends the loop over this box's observations. The thread that runs the loop then closes the port: if another
        thread closed it during a read, an error would be raised."""
        self._closing = True

    def __iter__(self) -> Iterator[Observation]:
        try:
            while not self._closing:
                yield from self.round_now()
        finally:
            self._close_port(None)

    def round_now(self) -> Iterator[Observation]:
        """Does one round of input and output at the current time, and yields the observations that arise. If no port is
        open, waits for as long as reading from a port would take."""
        yield from self.round(time.monotonic())
        if self._port is None:
            time.sleep(READ_TIMEOUT_S)

    def round(self, now: float) -> Iterator[Observation]:
        """Does one round of input and output: looks for a port, or reads from the open port and writes to it. Yields
        the input events, and the health if it has changed. `now`: seconds of a monotonic clock."""
        if now >= self._next_scan and (self._port is None or self._session.state.phase == "foreign"):
            self._next_scan = now + SCAN_INTERVAL_S
            self._scan(now)
        if self._port is not None:
            try:
                yield from self._exchange(self._port, now)
            except (OSError, ValueError, TypeError, TerminalError) as error:  # how pyserial reports an unplugged device
                message = _("Lost the connection to the box: {why}.", why=reason(error))
                self._close_port(DeviceError(message, _("Plug the box in again. Tablekeeper reconnects by itself.")))
        health = self.health
        if health != self._reported_health and self._is_reportable(now):
            self._reported_health = health
            yield health

    def _exchange(self, port: SerialPort, now: float) -> Iterator[Observation]:
        yield from self._session.receive(port.read(min(MAX_READ_BYTES, port.in_waiting or 1)), now)
        self._session.show(self._display)
        data = self._session.due(now)
        if data:
            port.write(data)
        match self._session.state.phase:
            case "ready":
                self._waiting_since, self._error, self._foreign_box = now, None, None
                self._tried_paths.discard(self._path)
            case "seeking" if now - self._waiting_since > MAX_REPLY_S:
                self._tried_paths.add(self._path)
                remedy = _("Does the box have its firmware? Install it with: make flash")
                self._close_port(DeviceError(_("No answer from {path}.", path=self._path), remedy))

    def _scan(self, now: float) -> None:
        """Opens the next candidate port if no port is open, or if the open one has a box of another version."""
        ports = self._ports()
        self._forget_missing(ports)
        if self._port is not None and now - self._waiting_since > FOREIGN_STAY_S:
            self._tried_paths.clear()
        untried = self._untried(ports)
        if self._port is not None and untried:
            self._leave_foreign_box()
        if self._port is None:
            self._open_first(untried or self._restart_scan(ports), now)

    def _restart_scan(self, ports: Sequence[str]) -> Sequence[str]:
        """The ports to try next, after every port has been tried. If a box with another version of the protocol was
        found, returns only the port of that box, so that its lights can show the mismatch. Otherwise returns all
        ports."""
        if self._foreign_box:
            return [self._foreign_box.path]
        self._tried_paths.clear()
        return ports

    def _untried(self, ports: Sequence[str]) -> list[str]:
        own = self._path if self._port is not None else None
        return [path for path in ports if path != own and path not in self._tried_paths]

    def _forget_missing(self, ports: Sequence[str]) -> None:
        self._tried_paths.intersection_update(ports)
        if self._foreign_box and self._foreign_box.path not in ports:
            self._foreign_box = None

    def _forget_foreign_box_at(self, path: str) -> None:
        if self._foreign_box and self._foreign_box.path == path:
            self._foreign_box = None

    def _leave_foreign_box(self) -> None:
        """Closes the port of a box of another version, so that the other ports can be tried."""
        foreign_box = ForeignBox(self._path, foreign_box_error(self._session.state))
        self._close_port(None)
        self._foreign_box = foreign_box

    def _open_first(self, paths: Sequence[str], now: float) -> None:
        if not paths:
            self._error = None
            return
        path = paths[0]
        try:
            self._port, self._path = self._opens(path), path
        except (OSError, ValueError, TerminalError) as error:
            self._error = open_error(path, error)
            self._forget_foreign_box_at(path)
            if isinstance(error, TerminalError) and path != self._retried_path:
                self._retried_path = path  # one more try: the plug may be loose, or was just inserted
                return
        else:
            self._waiting_since = now
            self._session.on_port_opened(now)
        self._tried_paths.add(path)

    def _close_port(self, error: DeviceError | None) -> None:
        """Closes the port at once. If the port stayed open, the system would give it another name when the box is
        plugged in again. `error`: the reason for closing it; None if nothing failed."""
        port, self._port = self._port, None
        self._error = error
        self._forget_foreign_box_at(self._path)
        self._session.on_port_closed()
        if port is not None:
            try:
                port.close()
            except (OSError, TypeError):
                return

    @property
    def health(self) -> DeviceHealth:
        """The current health of the box."""
        state = self._session.state
        if self._port is None:
            return self._missing_box_health(UNPLUGGED)
        if state.phase == "ready":
            message = _("The box answers at {path}. Firmware: {number}.", path=self._path, number=state.firmware)
            return DeviceHealth(device=NAME, ok=True, message=message)
        return (
            _error_health(foreign_box_error(state)) if state.phase == "foreign" else self._missing_box_health(SEARCHING)
        )

    def _missing_box_health(self, default: DeviceError) -> DeviceHealth:
        """The health while no usable box answers. It reports the error of a box of another version if there is one,
        otherwise the last error, otherwise `default`."""
        return _error_health(self._foreign_box.error if self._foreign_box else self._error or default)

    def _is_reportable(self, now: float) -> bool:
        """Whether to report the health now. While an open port has no answer, this is false until `GRACE_S` have
        passed."""
        return self._port is None or self._session.state.phase == "ready" or now - self._waiting_since >= GRACE_S


def new_session() -> BoxSession:
    """A new session for this run of the service. Its sequence numbers start at a random number, so that messages left
    over from another run don't match."""
    return BoxSession(secrets.token_hex(4), seq=secrets.randbelow(protocol.SEQ_LIMIT))


def foreign_box_error(state: SessionState) -> DeviceError:
    """The error for a box of another protocol version: why it is not used, and the remedy."""
    message = _(
        "The box’s firmware {number} speaks version {version} of the serial protocol, Tablekeeper speaks version "
        "{own}.",
        number=state.firmware,
        version=state.version,
        own=protocol.PROTOCOL,
    )
    return DeviceError(message, _("Install the firmware that came with Tablekeeper: make flash"))


def _error_health(error: DeviceError) -> DeviceHealth:
    return DeviceHealth(device=NAME, ok=False, message=error.message, remedy=error.remedy)
