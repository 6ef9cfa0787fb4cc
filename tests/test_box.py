"""The box on a test bench: real firmware in a real MicroPython, connected to the real driver by a pty, in lockstep."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from companion.devices.box_lights_and_buzzer import Display
from companion.tabletop.observations import DialTurned
from firmware import light_bar_pixels
from tests.box_bench import (
    CONFIRM,
    PUSH,
    RIGHT_AGAIN_MS,
    SEATS,
    Bench,
    clean,
    is_right,
    needs_micropython,
    pixels,
    seat,
    show,
    shown,
)

pytestmark = needs_micropython

LOST_MS = 3000
"""After this much silence the box considers its host lost."""


def test_presses_and_dial_steps_are_reported_once() -> None:
    """Each press of a button or of the dial, and each step of the dial, is reported once and in order. Holding a button
    adds nothing."""
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


def test_a_bouncing_switch_is_pressed_once() -> None:
    """A switch that bounces for some milliseconds, at both ends of a press, is pressed once. A single spike is no
    press."""
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


def test_the_box_shows_what_the_host_sends() -> None:
    """Lamps, both bars and the dial's light show what the host sends, and the buzzer beeps once for each count."""
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
        assert bench.firmware.bars[1] == [light_bar_pixels.WHITE if n == 1 else light_bar_pixels.DARK for n in range(8)]


def test_the_bars_show_what_to_fix() -> None:
    """A blinking dot on the first bar shows where to pick up a component, and a blinking dot on the second bar shows
    where it belongs. Between blinks, the bars show the meters."""
    with Bench() as bench:
        bench.ready()
        show(bench, replace(shown(3, 7), fix=(3, 2)))
        bench.run(100)
        found = set()
        for _ in range(100):
            bench.step()
            found.add(tuple(map(tuple, bench.firmware.bars)))
        dots = tuple(
            tuple(light_bar_pixels.CYAN if n == at else light_bar_pixels.DARK for n in range(8)) for at in (3, 2)
        )
        assert found == {(tuple(pixels(3)), tuple(pixels(7))), dots}
        show(bench, replace(shown(3, 7), fix=(None, 7)))
        bench.until(
            lambda: (
                bench.firmware.bars
                == ([light_bar_pixels.DARK] * 8, [light_bar_pixels.DARK] * 7 + [light_bar_pixels.CYAN])
            )
        )


def test_the_lamp_of_a_seat_that_is_asked_blinks() -> None:
    """The lamp of a seat whose answer is awaited blinks."""
    with Bench() as bench:
        bench.ready()
        show(bench, Display(lamps=("off", "blinking")))
        seen = set()
        for _ in range(100):
            bench.step()
            seen.add(bench.firmware.lamps)
        assert seen == {"00000", "01000"}


def test_it_starts_without_a_host() -> None:
    """Without a host the box shows that it waits, accepts no press and keeps running. A host that appears minutes later
    finds it."""
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


def test_nothing_is_lost_when_the_clock_wraps_around() -> None:
    """After twelve days the Pico's clock restarts at 0. The box then loses neither the connection nor the display nor a
    press, not even a press that must be sent again at that moment."""
    with Bench(ticks=(1 << 30) - 2000) as bench:
        bench.ready()
        show(bench, shown(4, 4))
        bench.to_host = first_time(b"PRESS", lambda line: b"")
        bench.run(1900)
        bench.press(SEATS[4])
        bench.until(lambda: bench.touches == [seat(4)], RIGHT_AGAIN_MS)
        bench.forget()
        for n in range(8):
            bench.press(SEATS[n % 5])
            bench.run(500)
            assert is_right(bench, shown(4, 4))
        assert bench.touches == [seat(n % 5) for n in range(8)]


def test_the_display_follows_when_command_numbers_wrap_around() -> None:
    """After 65535 commands the count restarts at 0, and the display still follows."""
    with Bench(seq=65_500) as bench:
        bench.ready()
        for n in range(90):
            show(bench, shown(n % 9, 8 - n % 9))
            bench.run(40)
            assert is_right(bench, shown(n % 9, 8 - n % 9))


def test_a_held_dial_keeps_the_program_from_starting() -> None:
    """Holding the dial at power-up keeps the firmware from starting, so that new firmware can be copied to the box: the
    running firmware treats Ctrl-C like any other byte. The watchdog stays off, because it would restart the Pico during
    the copy."""
    with Bench(held=PUSH) as bench:
        assert not bench.firmware.runs
        assert bench.firmware.watchdog_ms == 0


def test_no_byte_of_the_line_ends_the_program() -> None:
    """No byte on the line stops the firmware, not even Ctrl-C. If it stopped, the box would show an old state
    forever."""
    with Bench() as bench:
        bench.ready()
        bench.to_box = first_time(b"PING", lambda line: bytes(range(256)) + line)
        bench.run(1000)
        bench.press(SEATS[0])
        assert bench.touches == [seat(0)]


def test_the_watchdog_is_fed_at_the_end_of_each_round() -> None:
    """The watchdog is fed once per round, at its end, so that a round that hangs anywhere is noticed within two
    seconds. A feed inside a waiting loop would hide that."""
    with Bench() as bench:
        assert bench.firmware.watchdog_ms == 2000
        pixels = [pixel for bar in bench.firmware.bars for pixel in bar]
        assert set(pixels) != {light_bar_pixels.DARK}, "the bars are still dark after the first round"
        bench.ready()
        bench.run(1000)
        show(bench, shown(3, 7))
        bench.step()
        assert is_right(bench, shown(3, 7))


def test_a_host_that_reads_nothing_does_not_keep_the_loop_waiting() -> None:
    """If the host does not read, the line is full after some seconds and the loop keeps running. When the host reads
    again, the display becomes right."""
    with Bench() as bench:
        bench.ready()
        show(bench, shown(2, 2))
        bench.run(100)
        bench.firmware.leave_unread()
        for n in range(20):
            bench.press(SEATS[n % 5])
            bench.run(1000, step=50)
        bench.firmware.is_read = True
        show(bench, shown(7, 7))
        bench.until(lambda: is_right(bench, shown(7, 7)), RIGHT_AGAIN_MS)


def test_the_bars_are_written_only_when_they_change() -> None:
    """The bars are written only when they change: each write disables all interrupts, those of the serial line too, for
    a quarter of a millisecond."""
    with Bench() as bench:
        bench.ready()
        show(bench, shown(3, 7))
        bench.run(300)
        before = bench.firmware.changes
        bench.run(3000)
        assert bench.firmware.changes == before


def test_a_lost_host_is_shown_until_it_is_back() -> None:
    """Both bars show that the host has fallen silent. Until the host is back, presses cause a low sound and do not
    count. After that, the whole display is restored, even if nothing has changed."""
    with Bench() as bench:
        bench.ready()
        show(bench, shown(5, 2))
        bench.run(100)
        bench.to_box = bench.to_host = lambda line: b""
        bench.run(LOST_MS - 700)
        assert is_right(bench, shown(5, 2))
        bench.run(1000)
        assert bench.firmware.lamps == "00000"
        assert all(
            pixel in (light_bar_pixels.RED, light_bar_pixels.DARK) for bar in bench.firmware.bars for pixel in bar
        )
        bench.press(SEATS[3])
        bench.to_box = bench.to_host = clean
        bench.until(lambda: is_right(bench, shown(5, 2)), RIGHT_AGAIN_MS)
        bench.run(1000)
        assert bench.touches == []


def test_a_press_is_kept_while_the_line_is_broken() -> None:
    """A press just before the connection broke counts if the connection is back within five seconds, but not after
    that."""
    with Bench() as bench:
        bench.ready()
        for ms, counts in ((1500, 1), (3500, 2), (6000, 2), (1500, 3)):
            bench.unplug()
            bench.press(SEATS[0])
            bench.run(ms)
            bench.plug_in()
            bench.until(lambda: bench.box.state.phase == "ready", RIGHT_AGAIN_MS)
            bench.run(1000)
            assert len(bench.touches) == counts


def test_a_new_service_gets_no_old_press() -> None:
    """A press meant for a service that has gone is not reported to the next service."""
    with Bench() as bench:
        bench.ready()
        bench.to_host = lambda line: b""
        bench.press(SEATS[0])
        bench.restart_host()
        bench.to_host = clean
        bench.ready()
        bench.press(SEATS[1])
        assert bench.touches == [seat(1)]


@pytest.mark.parametrize("pressed", [True, False])
def test_unread_lines_of_the_last_service_do_not_count(*, pressed: bool) -> None:
    """An old READY does not answer a later greeting. So the new service's first display is shown at once, and presses
    from before its greeting do not count."""
    with Bench() as bench:
        bench.ready()
        bench.run(20_000, step=100)
        unread: list[bytes] = []
        bench.to_host = lambda line: (unread.append(line), b"")[1]
        bench.run(2600)
        if pressed:
            bench.press(SEATS[2])
        bench.to_host = clean
        bench.restart_host(next(line for line in reversed(unread) if line[1:].startswith(b"READY")))
        bench.forget()
        show(bench, shown(7, 1, lamps=("off", "on")))
        bench.until(lambda: is_right(bench, shown(7, 1, lamps=("off", "on"))), RIGHT_AGAIN_MS)
        bench.run(1000)
        assert bench.touches == []
        bench.press(SEATS[3])
        assert bench.touches == [seat(3)]


def test_replugged_onto_another_port() -> None:
    """If the cable is unplugged during a press and plugged into another port, the display is right within two seconds,
    and the press has counted once. The health reports say what happened."""
    with Bench() as bench:
        bench.ready()
        show(bench, shown(1, 1))
        paths = set()
        for n in range(12):
            paths.add(str(bench.health.message))
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
        assert len(paths) > 6  # another name nearly each time; other programs take and leave some too
        bench.unplug()
        bench.run(1500)
        assert not bench.health.ok


def test_power_lost_and_back() -> None:
    """A box that was switched off and on while the port stayed open is greeted again. Its display is then complete, and
    its first press counts, although it has the same number as an earlier press."""
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
def test_a_box_of_another_version_is_reported_but_not_used(version: int) -> None:
    """A box with another protocol version gets no display and its presses are ignored. The health report and the box's
    lights say what to do."""
    with Bench(version=version) as bench:
        show(bench, shown(5, 5))
        bench.press(SEATS[0])
        bench.run(8000)
        bench.press(SEATS[1])
        assert bench.touches == []
        assert not bench.health.ok
        assert f"version {version}" in str(bench.health.message)
        assert "make flash" in str(bench.health.remedy)
        assert {pixel for bar in bench.firmware.bars for pixel in bar} <= {
            light_bar_pixels.VIOLET,
            light_bar_pixels.DARK,
        }
        assert not any(line.startswith(b"\nSHOW") for _, _, line in bench.lines)


def first_time(kind: bytes, fault: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """A fault that hits only the first line of this kind."""
    done = False

    def hit(line: bytes) -> bytes:
        nonlocal done
        if done or not line[1:].startswith(kind):
            return line
        done = True
        return fault(line)

    return hit


def nth(number: int, fault: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """A fault that hits every line whose number is a multiple of `number`."""
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
    """If every second line has a fault, including acknowledgments, each press still counts once, and the display
    becomes right."""
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
    """If one kind of line is lost for a second and a half, everything is right again within two seconds."""
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


def test_a_lost_acknowledgment_is_given_again() -> None:
    """If an acknowledgment is lost and the box repeats the press, the host acknowledges it again. Then the box stops
    repeating it."""
    with Bench() as bench:
        bench.ready()
        bench.to_box = first_time(b"ACK", lambda line: b"")
        bench.press(SEATS[0])
        bench.run(500)
        bench.forget()
        bench.run(2000)
        assert not any(line[1:].startswith(b"PRESS") for _, _, line in bench.lines)
        assert bench.touches == []


def test_an_acknowledgment_takes_nothing_else_with_it() -> None:
    """If the line of the second of two presses is lost and the first press is acknowledged twice, both presses still
    count."""
    with Bench() as bench:
        bench.ready()
        bench.to_host = first_time(b"PRESS 2", lambda line: b"")
        bench.to_box = first_time(b"ACK 1", lambda line: line * 2)
        bench.hold(SEATS[0])
        bench.hold(SEATS[1])
        bench.run(1000)
        assert bench.touches == [seat(0), seat(1)]


def test_a_display_that_comes_late_is_not_shown() -> None:
    """An older display that arrives again after a newer one changes nothing."""
    with Bench() as bench:
        bench.ready()
        show(bench, shown(3, 3))
        bench.run(50)
        late = next(line for _, _, line in reversed(bench.lines) if line[1:].startswith(b"SHOW"))
        show(bench, shown(7, 7))
        bench.run(50)
        bench.to_box = first_time(b"PING", lambda line: line + late)
        bench.run(1000)
        assert is_right(bench, shown(7, 7))
