"""The box: real firmware in a real MicroPython, joined to the real driver by a pty, in lock-step."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from companion.devices.box_display import Display, Lamp
from companion.games.rules import Level, Meter
from companion.observations import ButtonPressed, DialTurned, Observation
from firmware import meters
from tests.box_bench import PUSH, SEATS, Bench, clean, needs_micropython

pytestmark = needs_micropython

LOST_MS = 3000
"""After so much silence the box takes its host for lost."""
RIGHT_AGAIN_MS = 2000
"""What a fault may cost at most."""
LEVELS: dict[Level, tuple[int, int, int]] = {
    "good": meters.LEVELS["g"],
    "fair": meters.LEVELS["y"],
    "poor": meters.LEVELS["r"],
}


def seat(number: int) -> ButtonPressed:
    return ButtonPressed(button="next", seat=number)


CONFIRM = ButtonPressed(button="confirm")


def shown(*values: int, lamps: tuple[Lamp, ...] = ("on",), level: Level = "good", beeps: int = 0) -> Display:
    """A display with meters of eight steps, as many as a bar has pixels."""
    return Display(lamps, tuple(Meter("", value, 0, 8, level) for value in values), beeps=beeps)


def pixels(value: int, level: Level = "good") -> list[tuple[int, int, int]]:
    return [LEVELS[level]] * value + [meters.DARK] * (8 - value)


def is_right(bench: Bench, display: Display) -> bool:
    """Whether the box shows that."""
    lamps = "".join("1" if lamp == "on" else "0" for lamp in display.lamps).ljust(5, "0")
    bars = tuple(pixels(meter.value, meter.level) for meter in display.bars)
    return bench.firmware.lamps == lamps and bench.firmware.bars == bars


def show(bench: Bench, display: Display) -> None:
    bench.box.show_this(display)


# A box that works ---------------------------------------------------------------------------------------


def test_buttons_and_dial_are_told_once() -> None:
    """Each seat's button, the dial's push and each step of the dial arrive once, in their order; holding is no more."""
    with Bench() as bench:
        bench.ready()
        for pin in (*SEATS, PUSH):
            bench.press(pin)
        bench.hold(SEATS[1])
        bench.run(3000)
        bench.release(SEATS[1])
        bench.turn(3)
        bench.turn(-2)
        bench.run(100)
        steps = [DialTurned(steps=step) for step in (1, 1, 1, -1, -1)]
        assert bench.touches == [*map(seat, range(5)), CONFIRM, seat(1), *steps]


def test_a_switch_that_chatters_presses_once() -> None:
    """Levels that flicker for some milliseconds, at both ends of a press, are one press; a spark alone is none."""
    with Bench() as bench:
        bench.ready()
        for end in (bench.hold, bench.release):
            for _ in range(5):
                bench.hold(SEATS[0])
                bench.run(2, step=1)
                bench.release(SEATS[0])
                bench.run(1, step=1)
            end(SEATS[0])
            bench.run(60, step=1)
        bench.hold(SEATS[2])
        bench.run(4, step=1)
        bench.release(SEATS[2])
        bench.run(100)
        assert bench.touches == [seat(0)]


def test_the_display_follows() -> None:
    """Lamps, both bars and the dial's point show what they are told, and a beep sounds once for each count."""
    with Bench() as bench:
        bench.ready()
        show(bench, shown(3, 7, lamps=("off", "on"), level="poor"))
        bench.run(100)
        assert bench.firmware.lamps == "01000"
        assert bench.firmware.bars == (pixels(3, "poor"), pixels(7, "poor"))
        assert bench.firmware.sound == 0
        show(bench, Display(bars=shown(3).bars, dial=(9, 10), beeps=1))
        bench.run(40)
        assert bench.firmware.sound > 0
        bench.run(200)
        assert bench.firmware.sound == 0
        assert bench.firmware.bars[1] == [meters.POINT if n == 1 else meters.DARK for n in range(8)]


def test_what_blinks_blinks() -> None:
    """A lamp whose seat is asked goes on and off."""
    with Bench() as bench:
        bench.ready()
        show(bench, Display(lamps=("off", "blinking")))
        seen = set()
        for _ in range(100):
            bench.step()
            seen.add(bench.firmware.lamps)
        assert seen == {"00000", "01000"}


def test_it_starts_without_a_host() -> None:
    """Alone it shows that it waits, takes no press, and goes on for minutes; a host that comes finds it."""
    with Bench() as bench:
        bench.unplug()
        looks = set()
        for _ in range(200):
            bench.step()
            looks.add(str(bench.firmware.bars))
        assert len(looks) == 8
        bench.hold(SEATS[0])
        bench.run(60)
        assert bench.firmware.sound > 0
        bench.release(SEATS[0])
        bench.run(600_000, step=1000)
        bench.plug_in()
        bench.ready()
        bench.press(SEATS[1])
        assert bench.touches == [seat(1)]


def test_ticks_begin_again() -> None:
    """After twelve days the Pico's clock begins at 0: no host is lost by it, no press, no meter."""
    with Bench(ticks=(1 << 30) - 2000) as bench:
        bench.ready()
        show(bench, shown(4, 4))
        for n in range(8):
            bench.press(SEATS[n % 5])
            bench.run(500)
            assert is_right(bench, shown(4, 4))
        assert bench.touches == [seat(n % 5) for n in range(8)]


def test_numbers_begin_again() -> None:
    """After 65535 commands the count begins at 0, and the display still follows."""
    with Bench(seq=65_500) as bench:
        bench.ready()
        for n in range(90):
            show(bench, shown(n % 9, 8 - n % 9))
            bench.run(40)
            assert is_right(bench, shown(n % 9, 8 - n % 9))


def test_a_held_dial_keeps_the_program_from_starting() -> None:
    """So new firmware can be put on a box whose program takes Ctrl-C for a byte like any other."""
    with Bench(held=PUSH) as bench:
        assert not bench.firmware.runs


# A host that goes and comes -----------------------------------------------------------------------------


def test_host_lost_is_shown_and_ends_by_itself() -> None:
    """A host that falls silent is told by both bars; presses then sound low and do not count; when it comes back, the
    whole display does, though nothing changed."""
    with Bench() as bench:
        bench.ready()
        show(bench, shown(5, 2))
        bench.run(100)
        bench.to_box = bench.to_host = lambda line: b""
        bench.run(LOST_MS - 700)
        assert is_right(bench, shown(5, 2))
        bench.run(1000)
        assert bench.firmware.lamps == "00000"
        assert all(pixel in (meters.RED, meters.DARK) for bar in bench.firmware.bars for pixel in bar)
        bench.press(SEATS[3])
        bench.to_box = bench.to_host = clean
        bench.until(lambda: is_right(bench, shown(5, 2)), RIGHT_AGAIN_MS)
        bench.run(1000)
        assert bench.touches == []


def test_a_press_is_kept_while_the_line_is_broken() -> None:
    """What was pressed just before the cable broke counts when it is mended soon; after five seconds it does not."""
    with Bench() as bench:
        bench.ready()
        for ms, counts in ((1500, 1), (3500, 2), (6000, 2)):
            bench.unplug()
            bench.press(SEATS[0])
            bench.run(ms)
            bench.plug_in()
            bench.until(lambda: bench.box.report.phase == "ready", RIGHT_AGAIN_MS)
            bench.run(500)
            assert len(bench.touches) == counts


def test_a_new_service_hears_nothing_old() -> None:
    """What was pressed for a service that is gone is not done by the next one."""
    with Bench() as bench:
        bench.ready()
        bench.to_host = lambda line: b""
        bench.press(SEATS[0])
        bench.restart_host()
        bench.to_host = clean
        bench.ready()
        bench.press(SEATS[1])
        assert bench.touches == [seat(1)]


def test_replugged_onto_another_port() -> None:
    """The cable comes out in the middle of a press and goes in elsewhere: within two seconds everything is right, and
    the press has counted once. Its health says what happened in between."""
    with Bench() as bench:
        bench.ready()
        show(bench, shown(1, 1))
        paths = set()
        for n in range(12):
            paths.add(bench.health.says)
            bench.hold(SEATS[n % 5])
            bench.run(10 * n)
            bench.unplug()
            bench.run(30)
            bench.release(SEATS[n % 5])
            bench.run(400)
            bench.plug_in()
            display = shown(n % 9, 3)
            show(bench, display)
            bench.until(
                lambda display=display, n=n: is_right(bench, display) and len(bench.touches) == n + 1, RIGHT_AGAIN_MS
            )
        bench.run(1000)
        assert bench.touches == [seat(n % 5) for n in range(12)]
        assert len(paths) == 12  # each time another name
        bench.unplug()
        bench.run(1500)
        assert not bench.health.ok


def test_power_lost_and_back() -> None:
    """A box that was switched off and on, the port still open, is greeted anew: its display is whole, its first press
    counts, though it is numbered as one before."""
    with Bench() as bench:
        bench.ready()
        show(bench, shown(6, 1))
        for _ in range(3):
            bench.press(SEATS[0])
            bench.restart_box()
            bench.until(lambda: is_right(bench, shown(6, 1)), RIGHT_AGAIN_MS)
            bench.press(SEATS[1])
        assert bench.touches == [seat(0), seat(1)] * 3


@pytest.mark.parametrize("version", [2, 65_535])
def test_another_version_is_told_not_used(version: int) -> None:
    """A box of another protocol version gets no display and is not listened to; health says what to do, and so do its
    lights."""
    with Bench(version=version) as bench:
        show(bench, shown(5, 5))
        bench.press(SEATS[0])
        bench.run(8000)
        bench.press(SEATS[1])
        assert bench.touches == []
        assert not bench.health.ok
        assert f"version {version}" in bench.health.says
        assert "make flash" in bench.health.says
        assert {pixel for bar in bench.firmware.bars for pixel in bar} <= {meters.VIOLET, meters.DARK}
        assert not any(line.startswith(b"\nSHOW") for _, _, line in bench.lines)


# A bad line ---------------------------------------------------------------------------------------------


def nth(number: int, fault: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """A fault that hits every so many lines."""
    count = 0

    def hit(line: bytes) -> bytes:
        nonlocal count
        count += 1
        return fault(line) if count % number == 0 else line

    return hit


@pytest.mark.parametrize("way", ["to_box", "to_host"])
@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(lambda line: b"", id="lost"),
        pytest.param(lambda line: line * 2, id="twice"),
        pytest.param(lambda line: line[:6], id="cut"),
        pytest.param(lambda line: line[6:], id="beheaded"),
        pytest.param(lambda line: line.rstrip(b"\n"), id="joined"),
        pytest.param(lambda line: bytes(range(256)) * 4 + line, id="garbage"),
        pytest.param(lambda line: b">>> Traceback\r\n" + line, id="talk"),
        pytest.param(lambda line: b"ACK 1*" + line, id="half a line before"),
    ],
)
def test_nothing_is_lost_or_doubled_on_a_bad_line(way: str, fault: Callable[[bytes], bytes]) -> None:
    """Every second line suffers, acknowledgements among them: each press counts once, the display comes to be right."""
    with Bench() as bench:
        bench.ready()
        setattr(bench, way, nth(2, fault))
        for n in range(10):
            display = shown(n % 9, 9 - n % 9 - 1, lamps=("on",) if n % 2 else ("off", "on"))
            show(bench, display)
            bench.press(SEATS[n % 5])
            bench.until(
                lambda display=display, n=n: is_right(bench, display) and len(bench.touches) > n, RIGHT_AGAIN_MS
            )
        assert bench.touches == [seat(n % 5) for n in range(10)]


@pytest.mark.parametrize("kind", [b"READY", b"ACK", b"SHOW", b"HELLO", b"PRESS", b"PING"])
def test_a_kind_of_line_that_never_arrives_for_a_while(kind: bytes) -> None:
    """Whichever line is missing for a second and a half, the next two seconds mend it."""
    with Bench() as bench:
        bench.ready()
        bench.to_box = bench.to_host = lambda line: b"" if line[1:].startswith(kind) else line
        show(bench, shown(2, 8))
        bench.press(SEATS[2])
        bench.run(1500)
        bench.to_box = bench.to_host = clean
        bench.until(lambda: is_right(bench, shown(2, 8)) and bench.touches == [seat(2)], RIGHT_AGAIN_MS)
        bench.run(1000)
        assert bench.touches == [seat(2)]


# Ten thousand faults --------------------------------------------------------------------------------------


class Faults:
    """Random harm to the lines, one at a time, from a seed."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.done = 0

    def spoil(self, line: bytes) -> bytes:
        """What becomes of one line."""
        self.done += 1
        rng = self._rng
        cut, noise = rng.randrange(len(line)), rng.randbytes(rng.randrange(1, 12))
        match rng.randrange(10):
            case 0 | 1:
                return b""
            case 2:
                return line[:cut]
            case 3:
                return line[cut:]
            case 4:
                return line * rng.choice((2, 2, 3))
            case 5:
                return line[:cut] + bytes([line[cut] ^ 1 << rng.randrange(8)]) + line[cut + 1 :]
            case 6:
                return line[:cut] + noise + line[cut:]
            case 7:
                return noise + b"\n" + line
            case 8:
                return line[:cut] + line[rng.randrange(cut, len(line)) :]
        return line[:-1] + rng.choice((b"", b"\r\n", b" \n", b"\x00\n"))


class Mischief:
    """Joins a bench to faults: those that are due hit the next lines of a direction."""

    def __init__(self, bench: Bench, rng: Random) -> None:
        self.bench, self.rng, self.faults = bench, rng, Faults(rng)
        self.due = {"to_box": 0, "to_host": 0}
        bench.to_box = lambda line: self._carry("to_box", line)
        bench.to_host = lambda line: self._carry("to_host", line)
        self.expected: list[Observation] = []
        self.display = shown(0, 0)
        show(bench, self.display)

    def _carry(self, way: str, line: bytes) -> bytes:
        if not self.due[way]:
            return line
        self.due[way] -= 1
        return self.faults.spoil(line)

    def act(self) -> None:
        """Something happens: a new display, a press, a step of the dial, or two of them."""
        bench, rng = self.bench, self.rng
        if rng.random() < 0.5:
            self.display = shown(rng.randrange(9), rng.randrange(9), lamps=("off",) * rng.randrange(5) + ("on",))
            show(bench, self.display)
        for _ in range(rng.choice((0, 1, 1, 2))):
            if rng.random() < 0.25:
                bench.turn(1, ms=5)
                self.expected.append(DialTurned(steps=1))
            else:
                number = rng.randrange(5)
                bench.hold(SEATS[number])
                bench.run(40, step=20)
                bench.release(SEATS[number])
                bench.run(40, step=20)
                self.expected.append(seat(number))

    def all_done(self) -> bool:
        """Whether no fault is due any more."""
        return not any(self.due.values())

    def is_right(self) -> bool:
        """Whether everything pressed has been told, and the box shows what it shall."""
        return len(self.bench.touches) >= len(self.expected) and is_right(self.bench, self.display)


def test_ten_thousand_faults() -> None:
    """After each of 10,000 random faults display and presses are right within two seconds; none is lost or doubled."""
    with Bench() as bench:
        bench.ready()
        mischief, slowest = Mischief(bench, Random(1)), 0
        while mischief.faults.done < 10_000:
            mischief.due[mischief.rng.choice(("to_box", "to_host"))] = mischief.rng.choice((1, 1, 1, 2, 3))
            mischief.act()
            bench.until(mischief.all_done, 5000, step=20)
            slowest = max(slowest, bench.until(mischief.is_right, RIGHT_AGAIN_MS, step=20))
            assert bench.touches == mischief.expected
            bench.forget()
            mischief.expected.clear()
        assert slowest > 200  # some of it did harm
        assert bench.box.report.lost > 1000
