"""A simulated box: a program presses its buttons and reads its lights. The serial line is not simulated."""

from __future__ import annotations

import queue
from collections.abc import Iterator

from companion.devices.box_display import Display, display
from companion.devices.box_session import InputEvent
from companion.games.view import View
from companion.tabletop.observations import DeviceHealth, Observation
from companion.text.messages import _


class SimulatedBox:
    """Seat buttons, dial and lights as a device and a listener, like `companion.devices.box.Box`."""

    def __init__(self) -> None:
        self._events: queue.SimpleQueue[InputEvent | None] = queue.SimpleQueue()
        self.display = Display()

    def open(self) -> SimulatedBox:
        """Returns the box as a device."""
        return self

    def __iter__(self) -> Iterator[Observation]:
        yield DeviceHealth(device="box", ok=True, message=_("The box is simulated."))
        while (event := self._events.get()) is not None:
            yield event

    def send(self, event: InputEvent) -> None:
        """Presses a button or turns the dial."""
        self._events.put(event)

    def show(self, view: View | None) -> None:
        """Shows the table on the lights; a listener of the service."""
        self.display = display(view, self.display)

    def close(self) -> None:
        """Ends the iteration."""
        self._events.put(None)
