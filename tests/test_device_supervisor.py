"""The service passes observations of devices to the table, with one thread per device. No device can stop the
service."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from companion import device_supervisor
from companion.device_supervisor import DeviceSource, DeviceSupervisor
from companion.devices import DeviceError, DeviceMissing
from companion.games.view import View
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.table.table import Table
from companion.tabletop.observations import ButtonPressed, CardSeen, DeviceHealth, Observation
from tests.running_service import until


class FakeDevice:
    """A device that reports what a test puts into it, until it is closed."""

    def __init__(self, *observations: Observation, then: Exception | None = None) -> None:
        self._given, self._then = observations, then
        self.closed = threading.Event()

    def __iter__(self) -> Iterator[Observation]:
        yield from self._given
        if self._then:
            raise self._then
        self.closed.wait()

    def close(self) -> None:
        self.closed.set()


class EndedDevice(FakeDevice):
    """A device that has nothing more to report, like a video file that has ended."""

    def __iter__(self) -> Iterator[Observation]:
        yield from self._given


@pytest.fixture
def table() -> Table:
    return Table(Journal(None))


def health(table: Table, device: str) -> DeviceHealth | None:
    return next((h for h in table.health() if h.device == device), None)


OK = DeviceHealth(device="good", ok=True, message="fine")


def test_observations_reach_the_table(table: Table) -> None:
    """An observation of a device reaches the table. Closing the service ends every thread."""
    tap = FakeDevice(OK)
    run = DeviceSupervisor(table, [DeviceSource("good", lambda: tap)])
    run.start()
    until(lambda: health(table, "good") == OK)
    run.close()
    assert tap.closed.is_set()
    assert not any(t.is_alive() for t in run._threads)


@pytest.mark.parametrize("error", [RuntimeError("cable"), DeviceError("Plug it in."), KeyError(1)])
def test_a_device_that_raises_is_opened_again(table: Table, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that fails is reported and opened again, while the other devices go on."""
    monkeypatch.setattr(device_supervisor, "RETRY_S", (0.01,))
    back = DeviceHealth(device="bad", ok=True, message="back")
    taps = iter([FakeDevice(then=error), FakeDevice(back)])
    troubles = list[str]()

    class TableWithTroubles(Table):
        def observe(self, observation: Observation) -> None:
            if isinstance(observation, DeviceHealth) and not observation.ok:
                troubles.append(str(observation.message))
            super().observe(observation)

    table = TableWithTroubles(Journal(None))
    run = DeviceSupervisor(
        table, [DeviceSource("bad", lambda: next(taps)), DeviceSource("good", lambda: FakeDevice(OK))]
    )
    run.start()
    until(lambda: health(table, "bad") == back and health(table, "good") == OK)
    assert len(troubles) == 1
    assert "\n" not in troubles[0]
    run.close()


def test_a_missing_device_is_not_tried_again(table: Table) -> None:
    """A device that can't appear before a restart is reported once."""
    tries = list[int]()

    def missing() -> FakeDevice:
        tries.append(1)
        raise DeviceMissing("Install it.")

    run = DeviceSupervisor(table, [DeviceSource("gone", missing)])
    run.start()
    run._threads[0].join(5)
    found = health(table, "gone")
    assert found == DeviceHealth(device="gone", ok=False, message="Install it.", missing=True)
    assert tries == [1]
    run.close()


def test_a_device_that_ends_stays_ended(table: Table) -> None:
    """A video that has ended is not started again."""
    opened = list[int]()

    def video() -> FakeDevice:
        opened.append(1)
        return EndedDevice(OK)

    run = DeviceSupervisor(table, [DeviceSource("camera", video)])
    run.start()
    run._threads[0].join(5)
    assert opened == [1]
    run.close()


def test_an_observation_that_fails_is_reported(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the table fails on an observation, because of a full disk or an error in a game, this is reported and the
    camera goes on."""
    take = Table.observe

    def observe(self: Table, observation: Observation) -> None:
        if isinstance(observation, CardSeen):
            raise JournalError("The disk is full.")
        if isinstance(observation, ButtonPressed):
            raise ZeroDivisionError
        take(self, observation)

    monkeypatch.setattr(Table, "observe", observe)
    card = CardSeen(t=0, code="SF-D01", zone=None, mm=None, angle=0, change="appeared")
    run = DeviceSupervisor(table, [DeviceSource("camera", lambda: FakeDevice(card, ButtonPressed(button="next"), OK))])
    run.start()
    until(lambda: health(table, "good") == OK)
    journal, wrong = health(table, "journal"), health(table, "table")
    assert journal is not None
    assert str(journal.message) == "The disk is full."
    assert wrong is not None
    assert "ZeroDivisionError" in str(wrong.message)
    run.close()


def test_listeners_follow_the_table(table: Table) -> None:
    """A listener, such as a lamp, is called at the start and at every change."""
    shown = list[View | None]()
    run = DeviceSupervisor(table, [], [shown.append])
    run.start()
    until(lambda: shown == [None])
    table.start("systems-failing", 2, {}, {}, ("A", "B"), "seed")
    until(lambda: any(view is not None and view.turn == 0 for view in shown))
    run.close()
    assert not any(t.is_alive() for t in run._threads)


def test_a_listener_that_works_again_is_healthy(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A listener's failure is reported, and so is its recovery."""
    monkeypatch.setattr(device_supervisor, "RETRY_S", (0.01,))
    replugged = threading.Event()

    def light(view: View | None) -> None:
        if not replugged.is_set():
            raise OSError("unplugged")

    def fares() -> bool | None:
        found = health(table, "lights")
        return found.ok if found else None

    run = DeviceSupervisor(table, [], [light])
    run.start()
    until(lambda: fares() is False)
    replugged.set()
    table.refresh()
    until(lambda: fares() is True)
    run.close()


def test_closing_does_not_wait_for_a_device_that_hangs(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing goes on after `CLOSE_S` although a driver blocks."""
    monkeypatch.setattr(device_supervisor, "CLOSE_S", 0.1)

    class HungDevice(FakeDevice):
        def close(self) -> None:
            raise OSError("stuck")

    device = HungDevice(OK)
    run = DeviceSupervisor(table, [DeviceSource("hung", lambda: device)])
    run.start()
    until(lambda: health(table, "good") == OK)
    run.close()
    hanging = [thread for thread in run._threads if thread.is_alive()]
    assert hanging
    device.closed.set()
    for thread in hanging:
        thread.join()
    stuck = health(table, "hung")
    assert stuck is not None
    assert "stuck" in str(stuck.message)
