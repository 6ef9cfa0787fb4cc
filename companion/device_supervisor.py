"""The service: passes observations from devices to the table, and views from the table to lights.

Each device has a thread, which opens it, waits for its observations and only calls `table.observe`. The camera is such
a device, and its images are decoded in a separate process; photographs from phones are decoded in another one. Each
listener (a light, the simulated table) has a thread that waits for changes of the table. The companion player, which
plays the companion's seats, is a device too, and chooses its moves in its thread. An MQTT broker is a device and a
listener, and its connection has a thread of its own. The web server has its own threads. The files that it offers for
printing are drawn in a process of their own. All threads share only the table, which its lock protects. The threads are
daemons, and `close` ends them."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from companion.devices import DeviceError, DeviceMissing, DeviceNotNeeded
from companion.games.view import Revision, View
from companion.match.journal_error import JournalError
from companion.table.table import Table
from companion.tabletop.observations import ButtonPressed, Device, DeviceHealth, Observation
from companion.text.messages import _

RETRY_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""The pauses before a failed device is opened again. The last pause is repeated as long as the device keeps failing."""
STABLE_S = 60.0
"""A device that fails after running at least this long is opened again after the shortest pause."""
MAX_WAIT_S = 5.0
"""A listener is called at least once in this many seconds, because a light may have been plugged in again."""
CLOSE_S = 1.5
"""The time that `close` waits for the threads to end."""

ViewListener = Callable[[View | None], None]
"""A function that shows a spectator's view. It is called whenever the table has changed, with None if no game is in
progress."""


@dataclass(frozen=True)
class DeviceSource:
    """A device that is not open yet: its name in health reports, and the function that opens it. The function is called
    in the thread of the device, and may raise any exception."""

    name: str
    open: Callable[[], Device]


class DeviceSupervisor:
    """Runs a thread for each device and each listener until it is closed. `on_button` is called for each press of a
    button at the table."""

    def __init__(
        self,
        table: Table,
        sources: Sequence[DeviceSource],
        listeners: Sequence[ViewListener] = (),
        on_button: Callable[[], None] = lambda: None,
    ) -> None:
        self._table, self._on_button = table, on_button
        self._closing = threading.Event()
        self._open_devices: dict[str, Device] = {}
        self._lock = threading.Lock()
        self._threads = [
            *(self._thread(source.name, self._listen, source) for source in sources),
            *(self._thread(f"listener-{n}", self._notify, listener) for n, listener in enumerate(listeners, 1)),
        ]

    def _thread(self, name: str, work: Callable[..., None], *args: object) -> threading.Thread:
        return threading.Thread(target=work, args=args, name=name, daemon=True)

    def start(self) -> None:
        """Starts the threads and returns."""
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        """Closes the devices, then waits for the threads to end, for at most `CLOSE_S` in total."""
        self._closing.set()
        with self._lock:
            opened = list(self._open_devices.items())
        for name, device in reversed(opened):
            self._close(name, device)
        self._table.refresh()  # wakes the listeners
        deadline = time.monotonic() + CLOSE_S
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, deadline - time.monotonic()))

    def _listen(self, source: DeviceSource) -> None:
        """Opens a device and passes its observations to the table. If the device fails, opens it again after a pause,
        which grows with each failure."""
        failures = 0
        while not self._closing.is_set():
            began = time.monotonic()
            error = self._run(source)
            if error is None or self._closing.is_set():
                return
            self._observe(_health_report(source.name, error))
            if isinstance(error, DeviceMissing):
                return
            failures = 0 if time.monotonic() - began > STABLE_S else failures
            self._closing.wait(RETRY_S[min(failures, len(RETRY_S) - 1)])
            failures += 1

    def _run(self, source: DeviceSource) -> Exception | None:
        """Opens a device and passes its observations to the table until the device ends. Returns the exception that it
        raised, or None."""
        device: Device | None = None
        try:
            device = source.open()
            with self._lock:
                self._open_devices[source.name] = device
            for observation in device if not self._closing.is_set() else ():
                self._observe(observation)
        except Exception as error:
            return error
        finally:
            with self._lock:
                self._open_devices.pop(source.name, None)
            if device is not None:
                self._close(source.name, device)
        return None

    def _close(self, name: str, device: Device) -> None:
        try:
            device.close()
        except Exception as error:
            self._observe(
                DeviceHealth(device=name, ok=False, message=_("Couldn’t close it: {why}", why=_one_line(error)))
            )

    def _observe(self, observation: Observation) -> None:
        """Passes an observation to the table. An exception there becomes a health report, and the device keeps
        running."""
        if isinstance(observation, DeviceHealth):
            level = logging.INFO if observation.ok or observation.missing else logging.WARNING
            logging.getLogger(observation.device).log(
                level, "%s: %s", observation.device, observation.message_with_remedy
            )
        try:
            if isinstance(observation, ButtonPressed):
                self._on_button()
            self._table.observe(observation)
        except JournalError as error:
            self._table.observe(DeviceHealth(device="journal", ok=False, message=error.message))
        except Exception as error:
            why = _one_line(error)
            message = _("Couldn’t process a report from a device ({why}). Please report this bug.", why=why)
            self._table.observe(DeviceHealth(device="table", ok=False, message=message))

    def _notify(self, listener: ViewListener) -> None:
        """Calls a listener with the view of the table, and again after each change, until the service is closed."""
        seen, failed = Revision(-1, -1), False
        while not self._closing.is_set():
            seen = self._table.revision
            try:
                listener(self._table.view())
            except Exception as error:
                failed = True
                self._observe(DeviceHealth(device="lights", ok=False, message=_one_line(error)))
                self._closing.wait(RETRY_S[-1])
            else:
                if failed:
                    failed = False
                    self._observe(DeviceHealth(device="lights", ok=True, message=_("The lights show the game again.")))
            self._table.wait(seen, MAX_WAIT_S)


def _health_report(device: str, error: Exception) -> DeviceHealth:
    """The health report for an exception that a device has raised."""
    if isinstance(error, DeviceError) and error.message:
        return DeviceHealth(
            device=device,
            ok=isinstance(error, DeviceNotNeeded),
            message=error.message,
            remedy=error.remedy,
            missing=isinstance(error, DeviceMissing),
        )
    return DeviceHealth(device=device, ok=False, message=_one_line(error))


def _one_line(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, DeviceError) and text else f"{type(error).__name__}: {text}".rstrip(": ")
