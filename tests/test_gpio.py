"""gpiozero's own code on mock pins."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from companion.devices import DeviceError, DeviceMissing, gpio
from companion.devices.gpio import BOARD, Board, Gpio, Pins, lamp_mode, mock_pins
from companion.observations import ButtonPressed, DeviceHealth, Observation


class Heard:
    """Collects what a device reports, in a thread."""

    def __init__(self, device: Gpio) -> None:
        self.device, self.all = device, list[Observation]()
        self._more = threading.Condition()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        for observation in self.device:
            with self._more:
                self.all.append(observation)
                self._more.notify_all()

    @property
    def presses(self) -> list[str]:
        return [o.button for o in self.all if isinstance(o, ButtonPressed)]

    def wait_for(self, count: int) -> list[str]:
        with self._more:
            assert self._more.wait_for(lambda: len(self.presses) >= count, 5)
            return self.presses

    def end(self) -> list[str]:
        self.device.close()
        self._thread.join(5)
        assert not self._thread.is_alive()
        return self.presses


@pytest.fixture
def factory() -> Any:
    made = mock_pins()
    yield made
    made.close()


def press(factory: Any, bcm: int) -> None:
    factory.pin(bcm).drive_low()
    factory.pin(bcm).drive_high()


def test_each_button_is_told_once_a_press(factory: Any) -> None:
    """Pulled to ground means pressed; letting go means nothing."""
    heard = Heard(Gpio(factory))
    for bcm in (17, 27, 22, 23):
        press(factory, bcm)
    heard.wait_for(4)
    assert heard.end() == ["next", "draw", "undo", "confirm"]


def test_a_chattering_switch_presses_once(factory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten edges within a hundredth of a second are one press; one after a rest is another."""
    clock = [100.0]
    monkeypatch.setattr(gpio.time, "monotonic", lambda: clock[0])
    heard = Heard(Gpio(factory))
    for _ in range(10):
        press(factory, 17)
        clock[0] += 0.001
    clock[0] += 0.5
    press(factory, 17)
    heard.wait_for(2)
    assert heard.end() == ["next", "next"]


def test_a_handler_never_raises(factory: Any) -> None:
    """After a queue that failed once, the other buttons still work: gpiozero's event thread lives."""
    device = Gpio(factory)

    class Broken:
        def put(self, _: object) -> None:
            raise RuntimeError

    whole, device._events = device._events, Broken()  # type: ignore[assignment]
    press(factory, 17)
    device._events = whole
    heard = Heard(device)
    press(factory, 22)
    heard.wait_for(1)
    assert heard.end() == ["undo"]


def test_pins_can_be_opened_again(tmp_path: Path) -> None:
    """After closing, the same pins open once more, as after a restart of the device."""
    board = Board(tmp_path, Pins(next=5), simulate=True)
    for _ in range(2):
        heard = Heard(board.open())
        board.press("next")
        heard.wait_for(1)
        assert heard.end() == ["next"]


def test_the_lamp_follows_the_table(factory: Any) -> None:
    """Steady for a turn, blinking while the table is awaited or amiss, dark without a game."""
    device = Gpio(factory)
    pin = factory.pin(24)
    device.show(view(turn=0))
    assert (device.mode, pin.state) == ("on", True)
    device.show(view(turn=0, amiss=("D07 lies wrong",)))
    assert device.mode == "amiss"
    device.show(view(turn="house", pause="Disasters move"))
    assert device.mode == "waiting"
    device.show(None)
    assert (device.mode, pin.state) == ("off", False)
    device.close()
    device.show(view(turn=0))  # closed: nothing to light, nothing raised
    assert lamp_mode(view(turn=None)) == "off"


def view(turn: object, pause: str | None = None, amiss: tuple[str, ...] = ()) -> Any:
    from types import SimpleNamespace

    return SimpleNamespace(turn=turn, pause=pause, amiss=amiss)


def test_without_the_library_the_mend_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No lgpio, no --simulate: a sentence that says what to install, and nobody tries again."""
    monkeypatch.setitem(__import__("sys").modules, "lgpio", None)
    monkeypatch.delitem(__import__("sys").modules, "gpiozero.pins.lgpio", raising=False)
    with pytest.raises(DeviceMissing, match=r"pip install 'tablekeeper\[pi\]'"):
        Board(tmp_path, Pins(), simulate=False).open()


def test_without_the_group_the_mend_is_told() -> None:
    """lgpio's 'can not open gpiochip' becomes the line that adds the group."""
    assert "usermod -aG gpio" in gpio._mend("can not open gpiochip")
    assert "usermod" not in gpio._mend("unknown board")


def test_a_pin_used_twice_is_told(factory: Any) -> None:
    """Two buttons on one pin is a slip in the configuration, not a traceback."""
    with pytest.raises(DeviceError, match="can't be used"):
        Gpio(factory, Pins(next=24))
    Gpio(factory).close()  # and what was opened before is free again


def test_every_pin_has_its_place_on_the_header() -> None:
    """BCM 2 to 27 and 26 different places of 40."""
    assert set(BOARD) == set(range(2, 28))
    assert len(set(BOARD.values())) == 26
    assert (BOARD[17], BOARD[27], BOARD[22], BOARD[23], BOARD[24]) == (11, 13, 15, 16, 18)


def test_it_says_where_the_wires_go(factory: Any) -> None:
    """Health names printed pins, not BCM numbers."""
    device = Gpio(factory)
    health = next(iter(device))
    assert isinstance(health, DeviceHealth)
    assert "next on pin 11" in health.says
    device.close()
