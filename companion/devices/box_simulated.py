"""A box that nobody built: its buttons are pressed and its lights are read by program. The line is not simulated."""

from __future__ import annotations

import queue
from collections.abc import Iterator

from companion.devices.box_display import Display, display
from companion.devices.box_session import Touch
from companion.table.table import View
from companion.tabletop.observations import DeviceHealth, Observation
from companion.text.translation import later


class SimulatedBox:
    """Seat buttons, dial and lights as a device and an outlet, like `companion.devices.box.Box`."""

    def __init__(self) -> None:
        self._touches: queue.SimpleQueue[Touch | None] = queue.SimpleQueue()
        self.display = Display()

    def open(self) -> SimulatedBox:
        """The box, ready to be listened to."""
        return self

    def __iter__(self) -> Iterator[Observation]:
        yield DeviceHealth(device="box", ok=True, says=later("The box is simulated."))
        while (touch := self._touches.get()) is not None:
            yield touch

    def touch(self, touch: Touch) -> None:
        """Presses a button or turns the dial."""
        self._touches.put(touch)

    def show(self, view: View | None) -> None:
        """Lets the lights tell how the table stands; an outlet of the service."""
        self.display = display(view, self.display)

    def close(self) -> None:
        """Ends the listening."""
        self._touches.put(None)
