"""The GPIO devices, with gpiozero's own code on mock pins."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

from companion.devices import DeviceError, DeviceMissing, DeviceNotNeeded, gpio
from companion.devices.debounce import MAX_HOLD_REPEATS, Change, ContactChange, Debouncer
from companion.devices.gpio import Gpio, GpioBoard, led_mode, mock_pins
from companion.devices.pins import BOARD, Pins
from companion.games.view import Choices, TabletopView
from companion.tabletop.begun_move import BegunMove
from companion.tabletop.observations import ButtonPressed, DeviceHealth, Observation


class ReportedObservations:
    """Collects the observations of a device in a thread."""

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


def test_each_press_of_a_button_is_reported_once(factory: Any) -> None:
    """A press is reported once, when the pin is pulled to ground. Releasing the button is not reported."""
    heard = ReportedObservations(Gpio(factory))
    for bcm in (17, 27, 22, 23):
        press(factory, bcm)
    heard.wait_for(4)
    assert heard.end() == ["next", "draw", "undo", "confirm"]


def test_a_bouncing_switch_is_pressed_once(factory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten edges while the switch closes and ten while it opens, much later, count as one press. After a pause, the next
    press counts."""
    clock = [100.0]
    monkeypatch.setattr(gpio.time, "monotonic", lambda: clock[0])
    heard, pin = ReportedObservations(Gpio(factory)), factory.pin(17)

    def chatter() -> None:
        for _ in range(10):
            clock[0] += 0.001
            press(factory, 17)

    chatter()
    pin.drive_low()
    clock[0] += 3
    pin.drive_high()
    chatter()
    clock[0] += 0.5
    press(factory, 17)
    heard.wait_for(2)
    assert heard.end() == ["next", "next"]


def test_holding_undo_repeats_it(factory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Holding *undo* down reports the press and then each repetition, marked as a repetition, until the button is
    released. Other buttons don't repeat."""
    monkeypatch.setattr(gpio, "HOLD_S", 0.02)
    heard = ReportedObservations(Gpio(factory))
    factory.pin(17).drive_low()
    factory.pin(22).drive_low()
    heard.wait_for(4)
    factory.pin(22).drive_high()
    factory.pin(17).drive_high()
    presses = heard.end()
    assert presses[:4] == ["next", "undo", "undo", "undo"]
    undone = [o.repeats for o in heard.all if isinstance(o, ButtonPressed) and o.button == "undo"]
    assert undone == list(range(len(undone)))


def test_a_stuck_switch_stops_by_itself() -> None:
    """If a heavy object lies on the undo button, only some of the evening's moves are undone, and contact bounce does
    not start the repetition again."""
    switches = Debouncer()
    counted = [switches.press_of(ContactChange(1.0, "undo", "down"))]
    for n in range(100):
        counted.append(switches.press_of(ContactChange(2.0 + n, "undo", "held")))
        switches.press_of(ContactChange(2.5 + n, "undo", "up"))
        counted.append(switches.press_of(ContactChange(2.501 + n, "undo", "down")))
    assert len([press for press in counted if press]) == 1 + MAX_HOLD_REPEATS


def counted(switches: Debouncer, *changes: tuple[float, Change]) -> int:
    """The number of presses that the changes of one switch cause."""
    return sum(switches.press_of(ContactChange(t, "draw", change)) is not None for t, change in changes)


@pytest.mark.parametrize("apart", [0.2, 0.13, 0.11])
def test_fast_fingers_are_not_chatter(apart: float) -> None:
    """Six fast presses, each held for less than half of the interval between them, count as six presses."""
    taps: list[tuple[float, Change]] = []
    for n in range(6):
        taps += [(n * apart, "down"), (n * apart + 0.4 * apart, "up")]
    assert counted(Debouncer(), *taps) == 6


def test_a_refused_press_begins_no_new_wait() -> None:
    """If taps come faster than any finger can tap, some of them still count, however many there are."""
    taps: list[tuple[float, Change]] = []
    for n in range(20):
        taps += [(n * 0.08, "down"), (n * 0.08 + 0.02, "up")]
    assert counted(Debouncer(), *taps) == 10


@pytest.mark.parametrize("length", [0.004, 0.04])
def test_long_chatter_is_one_press(length: float) -> None:
    """A switch that bounces for a third of a second while it closes and while it opens is pressed once."""
    flicker: list[tuple[float, Change]] = []
    ends: tuple[Change, Change] = ("down", "up")
    for begin in (0, 1):
        flicker += [(begin + n * length, ends[(begin + n) % 2]) for n in range(int(0.32 / length) // 2 * 2 + 1)]
    assert counted(Debouncer(), *flicker) == 1


def test_the_buzzer_sounds_for_turns_and_refusals(factory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The buzzer sounds once when a turn begins and twice when a press is refused. It is silent for notices from the
    camera and for repeated undo. A table without a buzzer also works."""
    beeped: list[int] = []
    monkeypatch.setattr("gpiozero.Buzzer.beep", lambda self, on, off, n: beeped.append(n))
    device = Gpio(factory, Pins(buzzer=25))
    heard = ReportedObservations(device)
    device.show(view(turn=0))
    device.show(view(turn=0))
    device.show(view(turn="house"))
    device.show(view(turn=1, notice="The camera saw nonsense."))
    assert beeped == [1, 1]
    press(factory, 17)
    heard.wait_for(1)
    device.show(view(turn=1, notice="Not now."))
    device.show(view(turn=1, notice="Not now."))
    assert beeped == [1, 1, 2]
    heard.end()
    device.show(view(turn=0))
    assert beeped == [1, 1, 2]
    silent = Gpio(factory)
    silent.show(view(turn=1))
    silent.close()


def test_a_handler_never_raises(factory: Any) -> None:
    """A handler never raises an exception: after the queue has failed once, the other buttons still work, because
    gpiozero's event thread survives."""
    device = Gpio(factory)

    class Broken:
        def put(self, _: object) -> None:
            raise RuntimeError

    whole, device._events = device._events, Broken()  # type: ignore[assignment]
    press(factory, 17)
    device._events = whole
    heard = ReportedObservations(device)
    press(factory, 22)
    heard.wait_for(1)
    assert heard.end() == ["undo"]


def test_pins_can_be_opened_again(tmp_path: Path) -> None:
    """After closing, the same pins can be opened again, as after a restart of the device."""
    board = GpioBoard(tmp_path, Pins(next=5), simulate=True)
    for _ in range(2):
        heard = ReportedObservations(board.open())
        board.press("next")
        heard.wait_for(1)
        assert heard.end() == ["next"]


def test_the_lamp_follows_the_table(factory: Any) -> None:
    """The lamp is steady for a turn, blinks while the table is waiting or has discrepancies, and is dark without a
    game."""
    device = Gpio(factory)
    pin = factory.pin(24)
    device.show(view(turn=0))
    assert (device.mode, pin.state) == ("on", True)
    device.show(view(turn=0, discrepancies=("D07 lies wrong",)))
    assert device.mode == "discrepancy"
    device.show(view(turn="house", pause="Move disasters"))
    assert device.mode == "waiting"
    device.show(view(turn=1, recorded=True))
    assert device.mode == "recorded", "another signal than for something wrong"
    device.show(view(turn=1, recorded=True, begun=BegunMove(1, frozenset(), "Now move the piece.")))
    assert device.mode == "waiting", "half a move is not wrong"
    device.show(None)
    assert (device.mode, pin.state) == ("off", False)
    device.close()
    device.show(view(turn=0))  # closed: nothing to light, nothing raised
    assert led_mode(view(turn=None)) == "off"


def view(
    turn: object,
    pause: str | None = None,
    discrepancies: tuple[str, ...] = (),
    notice: str = "",
    *,
    begun: BegunMove | None = None,
    recorded: bool = False,
) -> Any:
    tabletop = TabletopView(discrepancies=discrepancies, begun_move=begun)
    choices = Choices(pause_label=pause)
    return SimpleNamespace(
        turn=turn, choices=choices, tabletop=tabletop, notice=notice, is_recorded_from_table=recorded
    )


def test_without_the_library_a_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a Pi without lgpio and without --simulate, a message says what to install, and opening is not retried."""
    monkeypatch.setattr(gpio, "is_pi", lambda: True)
    monkeypatch.setitem(sys.modules, "lgpio", None)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    with pytest.raises(DeviceMissing, match="sudo apt install python3-lgpio"):
        GpioBoard(tmp_path, Pins(), simulate=False).open()


def test_missing_pins_are_reported_where_they_are_expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing pins are reported on a Pi, and on any machine on which pins are configured. On other machines, the
    buttons on phones are enough."""
    model = tmp_path / "model"
    monkeypatch.setattr(gpio, "MODEL", model)
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", None)
    with pytest.raises(DeviceNotNeeded, match="isn’t a Pi"):
        GpioBoard(tmp_path, Pins(), simulate=False).open()
    for says, pins in (("", Pins(next=5)), ("Raspberry Pi 5 Model B Rev 1.0\0", Pins())):
        model.write_text(says)
        with pytest.raises(DeviceMissing) as missing:
            GpioBoard(tmp_path, pins, simulate=False).open()
        assert not isinstance(missing.value, DeviceNotNeeded)
    assert GpioBoard(tmp_path, Pins(next=5), simulate=True).open().simulated


@pytest.fixture
def lgpio(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Simulates a Pi on which lgpio can't open the GPIO chip and fails with this message."""

    def refusing(says: str) -> None:
        module = MagicMock()
        module.gpiochip_open.side_effect = RuntimeError(says)
        monkeypatch.setitem(sys.modules, "lgpio", module)
        monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
        monkeypatch.setattr("gpiozero.pins.local.get_pi_revision", lambda: 0xC03115)
        monkeypatch.setattr(gpio, "is_pi", lambda: True)
        monkeypatch.setenv("LG_WD", "whatever it was")  # so that monkeypatch restores it
        monkeypatch.delenv("LG_WD")

    return refusing


def test_without_the_group_a_message_gives_the_command(tmp_path: Path, lgpio: Callable[[str], None]) -> None:
    """If lgpio reports 'can not open gpiochip', the message gives the command that adds the user to the group, and
    opening may be retried."""
    lgpio("can not open gpiochip")
    with pytest.raises(DeviceError, match="usermod -aG gpio") as refused:
        GpioBoard(tmp_path, Pins(), simulate=False).open()
    assert not isinstance(refused.value, DeviceMissing)


def test_lgpio_writes_into_the_data_folder(
    tmp_path: Path, lgpio: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """lgpio writes its file into the data folder, unless the user has set another folder. Another error of lgpio has
    another remedy."""
    lgpio("unknown board")
    board = GpioBoard(tmp_path, Pins(), simulate=False)
    with pytest.raises(DeviceError, match="Is this a Raspberry Pi"):
        board.open()
    assert os.environ["LG_WD"] == str(tmp_path)
    monkeypatch.setenv("LG_WD", "/run/somewhere")
    with pytest.raises(DeviceError):
        board.open()
    assert os.environ["LG_WD"] == "/run/somewhere"


def test_a_pin_used_twice_is_reported(factory: Any) -> None:
    """Two buttons on one pin are reported as an error in the configuration, without a traceback."""
    with pytest.raises(DeviceError, match="Can’t use"):
        Gpio(factory, Pins(next=24))
    Gpio(factory).close()  # and what was opened before is free again


def test_every_pin_has_its_place_on_the_header() -> None:
    """BCM 2 to 27 are 26 different pins of the 40-pin header."""
    assert set(BOARD) == set(range(2, 28))
    assert len(set(BOARD.values())) == 26
    assert (BOARD[17], BOARD[27], BOARD[22], BOARD[23], BOARD[24]) == (11, 13, 15, 16, 18)


def test_health_reports_name_the_printed_pin_numbers(factory: Any) -> None:
    """Health reports name the printed pin numbers, not BCM numbers."""
    device = Gpio(factory)
    health = next(iter(device))
    assert isinstance(health, DeviceHealth)
    assert "next 11" in str(health.message)
    device.close()
