"""A simulated box: a program presses its buttons and reads its lights. The serial line is not simulated."""

from __future__ import annotations

import queue
from collections.abc import Iterator

from companion.devices.box_lights_and_buzzer import Display, display
from companion.devices.box_session import InputEvent
from companion.games.view import View
from companion.tabletop.observations import DeviceHealth, Observation
from companion.text.messages import _


class SimulatedBox:
    """A box without hardware. As a device it reports the events that are sent to it; as a listener of the service it
    shows views on its `display`."""

    def __init__(self) -> None:
        self._events: queue.SimpleQueue[InputEvent | None] = queue.SimpleQueue()
        self.display = Display()

    def open(self) -> SimulatedBox:
        """Returns this box as a device."""
        return self

    def __iter__(self) -> Iterator[Observation]:
        yield DeviceHealth(device="box", ok=True, message=_("The box is simulated."))
        while (event := self._events.get()) is not None:
            yield event

    def send(self, event: InputEvent) -> None:
        """Presses a button or turns the dial. The box then reports the event."""
        self._events.put(event)

    def show(self, view: View | None) -> None:
        """Sets the display to what a view shows. The service calls this for every new view."""
        self.display = display(view, self.display)

    def close(self) -> None:
        """Ends the loop over this box's observations."""
        self._events.put(None)
