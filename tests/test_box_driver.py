"""The driver of the box alone: the choice of the port, errors, health reports, and its thread."""

from __future__ import annotations

import os
import pty
import select
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from serial import SerialException
from serial.tools import list_ports

from companion.device_supervisor import DeviceSource, DeviceSupervisor
from companion.devices import box, box_port
from companion.devices.box import FOREIGN_STAY_S, MAX_REPLY_S, SCAN_INTERVAL_S, Box, select_box
from companion.devices.box_session import BoxSession, input_event
from companion.devices.protocol import Message, decode, encode
from companion.devices.simulated_box import SimulatedBox
from companion.tabletop.observations import ButtonPressed, DeviceHealth, DialTurned
from tests.systems_failing_tables import new_table


class AnsweringPort:
    """A port to a box that answers READY. If `breaks` is set, the next read raises it."""

    def __init__(self, *, mute: bool = False, version: int = 1) -> None:
        self.mute, self.version, self.closed = mute, version, False
        self.written: list[Message] = []
        self.waiting = b""
        self.breaks: Exception | None = None

    @property
    def in_waiting(self) -> int:
        if self.breaks:
            raise self.breaks
        return len(self.waiting)

    def read(self, size: int, /) -> bytes:
        data, self.waiting = self.waiting[:size], self.waiting[size:]
        return data

    def write(self, data: bytes, /) -> int:
        for line in filter(None, map(decode, data.split(b"\n"))):
            self.written.append(line)
            if line.kind == "HELLO" and not self.mute:
                self.waiting += encode(Message("READY", line.seq, (str(self.version), "1.0", "b007", "1", "0")))
        return len(data)

    def close(self) -> None:
        self.closed = True


class FakePorts:
    """Serial ports by path. Opening a port removes it from the list of unopened ports."""

    def __init__(self, **ports: AnsweringPort | Exception) -> None:
        self.ports: dict[str, AnsweringPort | Exception] = dict(ports)
        self.opened: list[str] = []

    def open(self, path: str) -> AnsweringPort:
        self.opened.append(path)
        port = self.ports[path]
        if isinstance(port, Exception):
            raise port
        return port

    def box(self) -> Box:
        return Box(lambda: list(self.ports), self.open, session=BoxSession("5e55"))


def rounds(device: Box, seconds: float, start: float = 0.0) -> list[DeviceHealth]:
    """The driver's health reports while `seconds` pass."""
    reports = []
    for n in range(int(seconds * 50)):
        reports += [o for o in device.round(start + n / 50) if isinstance(o, DeviceHealth)]
    return reports


def test_a_missing_box_is_reported_and_opened_when_it_appears() -> None:
    """If there is no port, a health report says once that there is no box, and how to turn this message off. A port
    that appears later is opened automatically."""
    ports = FakePorts()
    device = ports.box()
    assert [(h.ok, str(h.message), str(h.remedy)) for h in rounds(device, 5)] == [
        (False, str(box.UNPLUGGED.message), str(box.UNPLUGGED.remedy))
    ]
    ports.ports["a"] = AnsweringPort()
    assert [h.ok for h in rounds(device, 5, 5.0)] == [True]
    assert ports.opened == ["a"]


def test_a_port_that_does_not_answer_gives_way() -> None:
    """A port whose device does not answer is closed after some seconds. The next port is tried, and kept if it
    answers."""
    ports = FakePorts(a=AnsweringPort(mute=True), b=AnsweringPort())
    device = ports.box()
    reports = rounds(device, MAX_REPLY_S + SCAN_INTERVAL_S + 1)
    assert ports.opened == ["a", "b"]
    assert ports.ports["a"].closed  # type: ignore[union-attr]
    assert [h.ok for h in reports][-1]


def test_a_box_without_firmware_is_reported() -> None:
    """A port where nothing answers is opened again and again. The health report says how to install the firmware."""
    ports = FakePorts(a=AnsweringPort(mute=True))
    reports = rounds(ports.box(), 3 * MAX_REPLY_S)
    assert len(ports.opened) > 1
    assert "make flash" in str(reports[-1].remedy)
    assert len(reports) == 2  # searching, then this, however often it is tried


@pytest.mark.parametrize(
    ("error", "says", "remedy"),
    [
        (
            SerialException(13, "could not open port: Permission denied"),
            "Your user isn’t allowed to use a.",
            "usermod -aG dial",
        ),
        (SerialException(11, "Could not exclusively lock port a"), "Another program is using a.", "Close it"),
        (OSError(16, "Device or resource busy"), "Another program is using a.", "Close it"),
        (
            SerialException(2, "could not open port a: [Errno 2] No such file"),
            "a doesn’t exist.",
            "Name its path with --box",
        ),
        (termios.error(5, "Input/output error"), "Can’t open a: Input/output error.", "Unplug the box"),
        (ValueError("embedded null byte"), "Can’t open a: embedded null byte.", "Unplug the box"),
    ],
)
def test_a_port_that_does_not_open_is_reported(error: Exception, says: str, remedy: str) -> None:
    """A port that can't be opened is reported once, in words instead of an error number, and with a remedy. Opening it
    is tried again."""
    ports = FakePorts(a=error)
    reports = rounds(ports.box(), 5)
    assert [str(h.message) for h in reports] == [says]
    assert remedy in str(reports[0].remedy)
    assert len(ports.opened) >= 4


def test_ports_are_tried_in_turn_for_ever() -> None:
    """Ports are tried in turn, whatever is wrong with them. A port that fails while it is being opened gets one more
    try at once, but no third."""
    mute = FakePorts(a=AnsweringPort(mute=True), b=AnsweringPort(mute=True))
    rounds(mute.box(), 5 * MAX_REPLY_S)
    assert mute.opened[:4] == ["a", "b", "a", "b"]
    shaky = FakePorts(a=termios.error(5, "Input/output error"), b=AnsweringPort())
    assert rounds(shaky.box(), 5)[-1].ok
    assert shaky.opened == ["a", "a", "b"]


def test_unplugged_while_it_is_opened() -> None:
    """If the box is unplugged while its port is being opened, pyserial lets an error of the terminal through. The
    driver handles it; next time, it finds that the port is gone, or opens it."""
    ports = FakePorts(a=termios.error(5, "Input/output error"))
    device = ports.box()
    rounds(device, 3)
    del ports.ports["a"]
    assert [str(h.message) for h in rounds(device, 3, 3.0)] == [str(box.UNPLUGGED.message)]
    ports.ports["a"] = AnsweringPort()
    assert [h.ok for h in rounds(device, 3, 6.0)] == [True]


def test_unplugged_while_ports_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a device is unplugged while ports are listed, pyserial raises an error. The driver then behaves as if there
    were no box at that moment."""

    def vanishing() -> list[Any]:
        raise TypeError("int() can't convert non-string with explicit base")

    monkeypatch.setattr(list_ports, "comports", vanishing)
    assert [str(h.message) for h in rounds(Box(), 1)] == [str(box.UNPLUGGED.message)]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("/dev/null", "/dev/null isn’t a serial port."),
        ("/dev", "/dev isn’t a serial port."),
        (__file__, f"{__file__} isn’t a serial port."),
        ("/dev/nothing-there", "/dev/nothing-there doesn’t exist."),
    ],
)
def test_a_path_that_is_no_port_is_reported(path: str, says: str) -> None:
    """If the path is not that of a serial port, this is reported once, saying what it is and without error numbers,
    even where pyserial hides the system's message. The remedy does not mention USB."""
    (reports,) = rounds(Box(lambda: [path], session=BoxSession("5e55")), 1)
    assert str(reports.message) == says
    assert "Name its path with --box" in str(reports.remedy)


def test_a_box_of_another_version_hides_no_other() -> None:
    """If a box of another version comes first, the right box behind it is found within two seconds, and the other box
    is not mentioned."""
    ports = FakePorts(a=AnsweringPort(version=2), b=AnsweringPort())
    assert [h.ok for h in rounds(ports.box(), 10)] == [True]
    assert ports.opened == ["a", "b"]
    assert ports.ports["a"].closed  # type: ignore[union-attr]


@pytest.mark.parametrize("other", [AnsweringPort(mute=True), PermissionError(13, "Permission denied")])
def test_a_box_of_another_version_is_reported_if_no_other_answers(other: AnsweringPort | Exception) -> None:
    """If no other box answers, a box of another version is reported once. Nothing else is reported, because it matters
    less. Its port is soon opened again, so that its lights can show the problem. If another port appears, it is tried
    at once."""
    ports = FakePorts(a=other, b=AnsweringPort(version=2), c=AnsweringPort(mute=True))
    device = ports.box()
    reports = rounds(device, 25)
    assert "version 2" in str(reports[-1].message)
    assert "make flash" in str(reports[-1].remedy)
    assert [h for h in reports if "version" in str(h.message)] == reports[-1:]
    assert device.state.phase == "foreign"
    assert ports.opened == ["a", "b", "c", "b"]
    ports.ports["d"] = AnsweringPort()
    assert [h.ok for h in rounds(device, 3, 25.0)] == [True]
    assert ports.opened[4:] == ["d"]


def test_other_ports_are_tried_again_beside_a_box_of_another_version() -> None:
    """While there is a box of another version, other ports are tried again, because the right box may have been busy or
    without firmware before."""
    ports = FakePorts(a=AnsweringPort(version=2), b=PermissionError(13, "Permission denied"))
    device = ports.box()
    assert ["version 2" in str(h.message) for h in rounds(device, 20)] == [True]
    ports.ports["b"] = AnsweringPort()
    assert [h.ok for h in rounds(device, FOREIGN_STAY_S + 2, 20.0)] == [True]


def test_a_box_of_another_version_that_is_gone_is_forgotten() -> None:
    """A box of another version that was unplugged is no longer reported."""
    ports = FakePorts(a=AnsweringPort(version=2), b=AnsweringPort(mute=True))
    device = ports.box()
    rounds(device, 20)
    port = ports.ports.pop("a")
    assert isinstance(port, AnsweringPort)
    port.breaks = OSError(5, "Input/output error")
    assert "No answer from b." in [str(h.message) for h in rounds(device, 10, 20.0)]


def test_a_box_of_another_version_may_go_while_others_are_tried() -> None:
    """If a box of another version disappears while other ports are tried, it is no longer reported, but the remaining
    devices are."""
    ports = FakePorts(a=AnsweringPort(version=2), b=AnsweringPort(mute=True))
    device = ports.box()
    rounds(device, 2.5)
    assert ports.opened == ["a", "b"]
    del ports.ports["a"]
    assert [str(h.message) for h in rounds(device, 10, 2.5)] == ["No answer from b."]


def test_a_box_of_another_version_that_was_wiped_is_mute() -> None:
    """If the firmware of a box of another version is erased between two attempts, it is reported as not answering, and
    no longer as another version."""
    wiped = AnsweringPort(mute=True)
    ports = FakePorts(a=AnsweringPort(version=2), b=AnsweringPort(mute=True))
    device = ports.box()
    rounds(device, 10)
    old, ports.ports["a"] = ports.ports["a"], wiped
    assert isinstance(old, AnsweringPort)
    old.breaks = OSError(5, "Input/output error")
    assert ["No answer from" in str(h.message) for h in rounds(device, 10, 10.0)][-1]


def test_a_box_of_another_version_that_is_being_flashed_hides_no_other() -> None:
    """While another program uses the port of a box of another version, the other ports are still tried."""
    ports = FakePorts(a=AnsweringPort(version=2), b=AnsweringPort(mute=True))
    device = ports.box()
    rounds(device, 2)
    ports.ports["a"] = OSError(16, "Device or resource busy")
    assert [str(h.message) for h in rounds(device, 6, 2.0)][-1] == "Another program is using a."
    ports.ports["b"] = AnsweringPort()
    assert [h.ok for h in rounds(device, 10, 8.0)][-1]


def test_a_box_of_another_version_alone_keeps_its_line() -> None:
    """The port of a box of another version stays open if there is no other port: opening it again would change
    nothing."""
    ports = FakePorts(a=AnsweringPort(version=2))
    assert ["version 2" in str(h.message) for h in rounds(ports.box(), 2 * FOREIGN_STAY_S + 5)] == [True]
    assert ports.opened == ["a"]


def test_a_box_that_falls_silent_gives_way() -> None:
    """If a box stays silent while its port is still there, another port is tried before that one."""
    first, second = AnsweringPort(), AnsweringPort(mute=True)
    ports = FakePorts(a=second, b=first)
    device = ports.box()
    rounds(device, 10)
    first.mute, second.mute = True, False
    assert [h.ok for h in rounds(device, 2 * MAX_REPLY_S, 10.0)][-1]
    assert ports.opened == ["a", "b", "a"]


def test_a_line_that_breaks_is_opened_again_before_a_mute_one() -> None:
    """After an interruption, the box's port is tried before a port that did not answer, so that a device that is not a
    box costs time only once."""
    ports = FakePorts(a=AnsweringPort(mute=True), b=AnsweringPort())
    device = ports.box()
    rounds(device, 10)
    old, ports.ports["b"] = ports.ports["b"], AnsweringPort()
    assert isinstance(old, AnsweringPort)
    old.breaks = OSError(5, "Input/output error")
    assert [h.ok for h in rounds(device, 3, 10.0)] == [False, True]
    assert ports.opened == ["a", "b", "b"]


def test_a_port_is_ours_alone() -> None:
    """A port is opened exclusively: a second program would receive half of what the box sends."""
    master, slave = pty.openpty()
    port = box_port.open_port(os.ttyname(slave))
    (reports,) = rounds(Box(lambda: [os.ttyname(slave)], session=BoxSession("5e55")), 1)
    assert "Another program is using" in str(reports.message)
    port.close()
    os.close(master)
    os.close(slave)


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (SerialException("gone"), "gone"),
        (OSError(5, "Input/output error"), "Input/output error"),
        (termios.error(5, "Input/output error"), "Input/output error"),
        (TypeError("fd is None"), "fd is None"),
    ],
)
def test_a_line_that_breaks_is_opened_again(error: Exception, why: str) -> None:
    """If the connection breaks, whatever error pyserial raises, the port is closed and opened again a second later, and
    nothing else happens."""
    first, second = AnsweringPort(), AnsweringPort()
    ports = FakePorts(a=first)
    device = ports.box()
    rounds(device, 1)
    first.breaks, ports.ports["a"] = error, second
    assert device.state.phase == "ready"
    reports = [o for o in device.round(1.0) if isinstance(o, DeviceHealth)]
    assert device.state.phase == "seeking"  # the health no longer says that a box answers
    reports += rounds(device, 3, 1.0)
    assert first.closed
    assert [h.ok for h in reports] == [False, True]
    assert str(reports[0].message) == f"Lost the connection to the box: {why}."
    assert "Tablekeeper reconnects" in str(reports[0].remedy)


def test_a_box_that_is_greeted_again_at_once_stays_healthy() -> None:
    """A connection that was greeted again at once is still reported as healthy."""
    ports = FakePorts(a=AnsweringPort())
    device = ports.box()
    assert [h.ok for h in rounds(device, 30)] == [True]  # this box answers greetings only, so it is greeted often
    port = ports.ports["a"]
    assert isinstance(port, AnsweringPort)
    assert sum(line.kind == "HELLO" for line in port.written) > 5


def test_the_setting_chooses_the_box(monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting may name a path or no box. By default, any Pico is found by its USB id. If there is none and the
    table is simulated, so is the box."""
    pico = SimpleNamespace(device="/dev/ttyACM3", vid=0x2E8A, pid=0x0005)
    mouse = SimpleNamespace(device="/dev/ttyUSB0", vid=0x1234, pid=0x0005)
    there: list[Any] = [mouse, pico]
    monkeypatch.setattr(list_ports, "comports", lambda: there)
    assert list(box_port.pico_ports()) == ["/dev/ttyACM3"]
    assert select_box("none", simulate=True) is None
    assert isinstance(select_box(None, simulate=True), Box)
    there.remove(pico)
    assert isinstance(select_box(None, simulate=True), SimulatedBox)
    assert isinstance(select_box(None, simulate=False), Box)
    named = select_box("/dev/box", simulate=True)
    assert isinstance(named, Box)
    reports = next(h for h in named.round(0.0) if isinstance(h, DeviceHealth))
    assert str(reports.message) == "/dev/box doesn’t exist."


def test_unknown_words_on_the_line_have_no_effect() -> None:
    """Words on the line without a meaning have no effect."""
    assert input_event("PRESS", "seat4") == ButtonPressed(button="next", seat=4)
    assert input_event("PRESS", "dial") == ButtonPressed(button="confirm")
    assert input_event("TURN", "-2") == DialTurned(steps=-2)
    assert [input_event(*what) for what in (("PRESS", "seat5"), ("PRESS", ""), ("TURN", "--1"), ("TURN", "x"))] == [
        None
    ] * 4


@pytest.fixture
def cable() -> Iterator[tuple[int, str]]:
    """A pty: the file descriptor of the box's end, and the path of the host's end."""
    master, slave = pty.openpty()
    tty.setraw(slave)
    yield master, os.ttyname(slave)
    os.close(slave)
    os.close(master)


def test_the_service_opens_the_port_and_frees_it(cable: tuple[int, str]) -> None:
    """The service runs the driver in a thread on a real port. A press reaches the table, and closing ends the thread
    and frees the port."""
    master, path = cable
    table = new_table()
    device = select_box(path, simulate=False)
    assert isinstance(device, Box)
    service = DeviceSupervisor(table, [DeviceSource(box.NAME, device.open)], [device.show])
    service.start()
    answer(master, "HELLO", lambda line: Message("READY", line.seq, ("1", "1.0", "b007", "1", "0")))
    # The driver may greet the box before the service gives it something to show.
    while answer(master, "SHOW", lambda line: Message("ACK", line.seq, ("0",))).args[0] != "10000":
        assert table.view()
    os.write(master, encode(Message("PRESS", 1, ("12", "seat0"))))
    assert answer(master, "ACK", None).seq == 1
    while answer(master, "SHOW", lambda line: Message("ACK", line.seq, ("0",))).args[0] != "01000":
        assert table.view()
    service.close()
    assert not [thread for thread in threading.enumerate() if thread.name == box.NAME]
    assert device._port is None
    assert next(h for h in table.health() if h.device == box.NAME).ok


def answer(master: int, kind: str, made: Callable[[Message], Message] | None) -> Message:
    """Waits for a line of this kind, and answers it."""
    data = b""
    while True:
        assert select.select([master], [], [], 5)[0], f"no {kind}"
        data += os.read(master, 1)
        if data.endswith(b"\n"):
            line, data = decode(data.strip()), b""
            if line and line.kind == kind:
                if made:
                    os.write(master, encode(made(line)))
                return line
