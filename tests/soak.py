"""A long run of the real service, whose use of memory, descriptors and threads must not keep growing.

`python -m tests.soak` plays for an hour, or for as many minutes as `--minutes` says. Six phones play all games one
after the other, load pages, hold event streams, come and go, and send photographs. The first sixth of the time is
warm-up. The rest is divided into six parts, and for each value the median of the last part is compared with that of the
second. The exit status is 1 if a value has grown by more than LIMITS allows.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cache
from itertools import cycle
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from companion.commands.interrupts import sigterm_as_interrupt
from companion.drill.phone import NoResponse, Phone, PhoneEventStream, Refused
from companion.drill.service_process import ServiceProcess
from companion.games import GAMES
from tests.phone_photo import photograph, printed

PROCESSES = Path("/proc")
PHONES = 6
MINUTES = 60.0
PARTS = 6
"""The number of equal parts into which the whole time is divided. The time after the warm-up is divided into the same
number of parts."""
SAMPLE_S = 2.0
LINE_S = 300.0
"""The time between two lines of the table, in seconds."""
PAUSE_S = 0.1
"""The pause after each round, seconds: six people are slower than a program."""
MIN_GAMES = 72
"""The smallest number of games. A game may take at most the time divided by this number, so that each part of the
time has games of every kind: some need more memory than others."""
PAGES = ("/", "/play", "/table", "/log", "/help", "/games", "/api/view", "/healthz", "/static/style.css")
PHOTO_SIZE = (1500, 1000)
PHOTO_CARDS = {"systems-failing": "SF-D07", "system-won": "SW-R1A", "commute": "CM-7H"}


@dataclass(frozen=True)
class Sample:
    """What the service and its child processes use in total: resident memory (MB), open files and sockets, threads, and
    processes."""

    memory_mb: float
    descriptors: float
    threads: float
    processes: float


LIMITS: Mapping[str, Callable[[float], float]] = {
    "memory_mb": lambda before: before * 1.03 + 3,
    "descriptors": lambda before: before + 3,
    "threads": lambda before: before + 4,
    "processes": lambda before: before,
}
"""How high the later median of each value may be, given the earlier one. Memory may grow by 3 % and 3 MB: games differ
in size. Descriptors vary by those of a few requests, threads by those that a pool starts on a busy machine."""


def sample(pid: int) -> Sample:
    """What a process and its descendants use now."""
    found = [used for process in _family(pid) if (used := _usage(process))]
    return Sample(*(sum(values) for values in zip(*found, strict=True)), len(found))


def _family(pid: int) -> Iterator[int]:
    """Yields a process and all its descendants."""
    parents = {int(path.name): _parent(path) for path in PROCESSES.iterdir() if path.name.isdecimal()}
    family = {pid}
    while children := {child for child, parent in parents.items() if parent in family} - family:
        family |= children
    yield from family


def _parent(process: Path) -> int:
    """The id of the parent of a process; 0 if the process has just ended."""
    try:
        return int((process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def _usage(pid: int) -> tuple[float, int, int] | None:
    """The memory in MB, the open descriptors and the threads of a process; None if it has just ended."""
    with suppress(OSError):
        status = dict(re.findall(r"^(\w+):\s+(\d+)", (PROCESSES / str(pid) / "status").read_text(), re.MULTILINE))
        descriptors = len(list((PROCESSES / str(pid) / "fd").iterdir()))
        if "VmRSS" in status:
            return int(status["VmRSS"]) / 1000, descriptors, int(status["Threads"])
    return None


def growth(samples: Sequence[Sample]) -> Mapping[str, tuple[float, float]]:
    """For each value, the medians of the second and of the last sixth of the samples after the warm-up."""
    steady = samples[len(samples) // PARTS :]
    size = len(steady) // PARTS
    early, late = steady[size : 2 * size], steady[-size:]
    return {
        field.name: (median(getattr(each, field.name) for each in early), median(getattr(e, field.name) for e in late))
        for field in fields(Sample)
    }


def leaks(samples: Sequence[Sample]) -> list[str]:
    """A sentence for each value that has grown by more than its limit."""
    return [
        f"{name} grew from {before:.1f} to {after:.1f}; the limit is {LIMITS[name](before):.1f}."
        for name, (before, after) in growth(samples).items()
        if after > LIMITS[name](before)
    ]


@cache
def photo(game: str) -> bytes:
    """A small photograph of a card of a game or, if no game is given, of an empty table."""
    card = PHOTO_CARDS.get(game)
    return photograph(*([printed(game, card)] if card else []), size=PHOTO_SIZE)


class SoakTable:
    """Six phones and a host, who play one game after the other, each for `max_game_s` seconds at most. `requests`
    counts what they have asked for, `games` the games that they have begun."""

    def __init__(self, service: ServiceProcess, random: Random, max_game_s: float) -> None:
        self._service, self._random, self._max_game_s = service, random, max_game_s
        self._games = cycle(GAMES.values())
        self.requests = self.games = 0
        self.host = Phone(service.port)
        self.host.get(service.host_path)
        self.phones = [Phone(service.port) for _ in range(PHONES)]
        self._streams: dict[int, PhoneEventStream] = {}
        self._rounds = 0
        self._began = 0.0
        self._start_game()

    def close(self) -> None:
        for stream in self._streams.values():
            stream.close()

    def _start_game(self) -> None:
        """Starts the next game; as many phones as possible get a seat, and the others watch."""
        self._began, self.games = time.monotonic(), self.games + 1
        game = next(self._games)
        self._game, self._seats = game.name, min(game.rules.seats[-1], PHONES)
        self.host.post("/api/start", {"game": self._game, "seats": self._seats})
        code = re.search(r">\s*([A-Z]{4})\s*<", self.host.get("/host"))
        for number, phone in enumerate(self.phones):
            seat = number if number < self._seats else None
            phone.post("/api/join", {"code": code and code[1], "seat": seat, "name": f"Player {number + 1}"})
            self._reconnect(number)

    def _reconnect(self, number: int) -> None:
        """Drops the event stream of a phone, and opens another one that continues it."""
        last = ""
        if old := self._streams.pop(number, None):
            old.close()
            last = old.last
        self._streams[number] = self.phones[number].listen(last)

    def play_round(self) -> None:
        """Each phone loads a page, and one move is made; now and then a phone comes or goes, or sends a photograph."""
        self._rounds += 1
        for phone in self.phones:
            self._ask(phone.get, self._random.choice(PAGES))
        self._ask(Phone(self._service.port).get, "/")  # somebody who has not joined
        if self._rounds % 7 == 0:
            self._reconnect(self._random.randrange(PHONES))
        if self._rounds % 60 == 1:
            self._ask(self.phones[0].post_photo, photo(self._game))
        self._move()
        if time.monotonic() - self._began > self._max_game_s:
            self._start_game()

    def _move(self) -> None:
        view = self.host.view()
        turn, version = view.state.turn, view.version
        request = {"version": version, "id": str(uuid.uuid4())}
        if isinstance(turn, int):
            legal = self.phones[turn].view().legal
            self._ask(self.phones[turn].post, "/api/moves", {**request, "move": self._random.choice(legal)})
        elif view.state.over:
            self._start_game()
        else:
            self._ask(self.phones[0].post, "/api/next", request)

    def _ask(self, ask: Callable[..., Any], *args: Any) -> None:
        """Makes a request. A refusal counts as an answer, but a failure of the service does not."""
        self.requests += 1
        try:
            ask(*args)
        except Refused as refused:
            if refused.status >= 500:
                raise


class Monitor:
    """Samples what a process uses, in a thread."""

    def __init__(self, pid: int) -> None:
        self.samples: list[Sample] = []
        self._pid, self._stop = pid, threading.Event()
        self._thread = threading.Thread(target=self._run, name="monitor", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(SAMPLE_S):
            self.samples.append(sample(self._pid))

    def close(self) -> None:
        self._stop.set()
        self._thread.join()


def line(began: float, table: SoakTable, now: Sample) -> str:
    """One line of the printed table."""
    minutes = (time.monotonic() - began) / 60
    return (
        f"{minutes:7.1f} {table.requests:9} {table.games:6} {now.memory_mb:10.1f} {now.descriptors:12.0f} "
        f"{now.threads:8.0f} {now.processes:10.0f}"
    )


def soak(service: ServiceProcess, seconds: float, requests: int = 0) -> list[Sample]:
    """Plays for at least this many seconds, and until at least this many requests have been made. Prints a line every
    five minutes. Returns the samples. Raises Refused if an answer has a status of 500 or above, and NoResponse if there
    is none."""
    print("minutes  requests  games  memory MB  descriptors  threads  processes", flush=True)
    began = printed_at = time.monotonic()
    table, monitor = SoakTable(service, Random(1), seconds / MIN_GAMES), Monitor(service.pid)
    try:
        while time.monotonic() - began < seconds or table.requests < requests:
            table.play_round()
            time.sleep(PAUSE_S)
            if time.monotonic() - printed_at >= LINE_S:
                printed_at += LINE_S
                print(line(began, table, sample(service.pid)), flush=True)
        print(line(began, table, sample(service.pid)), flush=True)
    finally:
        monitor.close()
        table.close()
    return monitor.samples


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the service, plays, and prints a verdict."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=MINUTES)
    args = parser.parse_args(argv)
    if not PROCESSES.is_dir():
        print("This system does not say in /proc what processes use.", file=sys.stderr)
        return 1
    with (
        sigterm_as_interrupt(),
        tempfile.TemporaryDirectory(prefix="tablekeeper-") as folder,
        ServiceProcess(Path(folder), "--box", "none") as service,
    ):
        try:
            samples = soak(service, args.minutes * 60)
        except (Refused, NoResponse) as error:
            print(f"FAIL  {error!r}; the service said: {service.printed[-3:]}")
            return 1
    for name, (before, after) in growth(samples).items():
        print(f"{name:12} median of the second sixth after the warm-up {before:8.1f}, of the last {after:8.1f}")
    found = leaks(samples)
    print("\n".join(f"FAIL  {each}" for each in found) or "ok    Nothing grows.")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
