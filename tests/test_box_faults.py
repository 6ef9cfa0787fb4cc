"""Ten thousand faults on the box's line, one after another: real firmware and real driver in lockstep."""

from __future__ import annotations

from random import Random

import pytest

from companion.tabletop.observations import DialTurned, Observation
from tests.box_bench import RIGHT_AGAIN_MS, SEATS, Bench, is_right, needs_micropython, seat, show, shown
from tests.repetitions import repetitions


class Faults:
    """Makes random faults in lines, one at a time, from a seed."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.done = 0

    def spoil(self, line: bytes) -> bytes:
        """The bytes that arrive instead of `line`."""
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


class FaultInjector:
    """Applies faults to a test bench. Each fault that is due hits the next line in its direction."""

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
        """Makes something happen: perhaps a new display, then up to two button presses or steps of the dial."""
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

    def replug(self) -> None:
        """Unplugs the cable and plugs it into another port."""
        self.bench.unplug()
        self.bench.run(self.rng.randrange(400), step=20)
        self.bench.plug_in()

    def all_done(self) -> bool:
        """Whether all faults have been applied."""
        return not any(self.due.values())

    def is_right(self) -> bool:
        """Whether every press has been reported and the box shows the right display."""
        return len(self.bench.touches) >= len(self.expected) and is_right(self.bench, self.display)


@pytest.mark.slow
@needs_micropython
def test_thousands_of_faults() -> None:
    """After each of thousands of random faults, with some replugging between them, everything is right within two
    seconds: the box shows the right display, and no press is lost or counted twice."""
    with Bench() as bench:
        bench.ready()
        mischief, slowest = FaultInjector(bench, Random(1)), 0
        while mischief.faults.done < repetitions(10_000):
            mischief.due[mischief.rng.choice(("to_box", "to_host"))] = mischief.rng.choice((1, 1, 1, 2, 3))
            mischief.act()
            if mischief.rng.random() < 0.01:
                mischief.replug()
            bench.until(mischief.all_done, 5000, step=100)
            slowest = max(slowest, bench.until(mischief.is_right, RIGHT_AGAIN_MS, step=100))
            assert bench.touches == mischief.expected
            bench.forget()
            mischief.expected.clear()
        assert slowest > 200  # some faults had an effect
        assert bench.box.state.lost > repetitions(1000)
