"""Many simulated tables at one venue. Measures the time from a move to the wall and how much processor time and memory
it takes, and checks that every result arrives.

    .venv/bin/python -m tests.venue_run                                    # 200 tables, ten restarts of the broker
    .venv/bin/python -m tests.venue_run --tables 20 --seconds 20 --restarts 2

Each table has a connection and an account of its own, over TLS. First all of them play while the delays are measured.
Then the broker is stopped and killed in turn, and the venue is killed once, while games end at all tables. In the end
the database must hold each result exactly once.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sqlite3
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median, quantiles

from companion.venue.results import FILE
from tests.reporting_tables import ReportingTable
from tests.running_service import until
from tests.venue_processes import ClubBroker, VenueProcess

MOVE_EVERY_S = 10.0
"""The mean time between two moves at a table."""
GAME_MOVES = 6
"""How many moves a game has."""
CARD = re.compile(r'data-key=\\"(table-\d+)\\".*?Round (\d+)')
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Report:
    """The results of a run. Delays are in milliseconds, memory is in MiB, and processor time is in seconds per
    second."""

    tables: int
    moves: int = 0
    delays_ms: list[float] = field(default_factory=list)
    connect_s: float = 0.0
    memory_mb: dict[str, float] = field(default_factory=dict)
    cpu: dict[str, float] = field(default_factory=dict)
    broker_restarts: int = 0
    venue_restarts: int = 0
    finished: int = 0
    stored: int = 0
    drain_s: float = 0.0
    problems: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The report, for people."""
        yield f"{self.tables} tables connected in {self.connect_s:.1f} s"
        if len(self.delays_ms) > 1:
            p95 = quantiles(self.delays_ms, n=20)[-1]
            yield (
                f"{self.moves} moves, {len(self.delays_ms)} seen on the wall: "
                f"p50 {median(self.delays_ms):.1f} ms, p95 {p95:.1f} ms, longest {max(self.delays_ms):.0f} ms"
            )
        for name in self.memory_mb:
            yield f"{name}: {self.memory_mb[name]:.0f} MiB, {100 * self.cpu[name]:.1f} % of a core"
        yield f"{self.broker_restarts} restarts of the broker, {self.venue_restarts} of the venue"
        yield f"{self.finished} games ended, {self.stored} results stored, the last one after {self.drain_s:.1f} s"
        yield from self.problems


class WallClient:
    """A page of the wall that notes when each round of each table arrives. A round also counts as arrived when a later
    one arrives, because of two moves in quick succession only the second is shown. It reconnects by itself, like a
    browser."""

    def __init__(self, venue: VenueProcess) -> None:
        self.seen: dict[tuple[str, int], float] = {}
        self._last: dict[str, int] = {}
        self._venue, self._closed = venue, False
        threading.Thread(target=self._follow, daemon=True).start()

    def close(self) -> None:
        self._closed = True

    def _follow(self) -> None:
        while not self._closed:
            try:
                with urllib.request.urlopen(f"{self._venue.address}/events?page=wall", timeout=20) as stream:
                    for line in stream:
                        if line.startswith(b"data: "):
                            self._note(line.decode())
            except (OSError, ValueError):
                time.sleep(0.2)

    def _note(self, line: str) -> None:
        now = time.monotonic()
        for table, found in CARD.findall(line):
            for round in range(self._last.get(table, 0) + 1, int(found) + 1):
                self.seen[table, round] = now
            self._last[table] = int(found)


class PlayingTables:
    """Tables that play by themselves, each at its own pace."""

    def __init__(self, tables: Sequence[ReportingTable], *, ends: bool) -> None:
        self._tables, self._ends = tables, ends
        self.moved_at: dict[tuple[str, int], float] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._play, daemon=True)

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Lets the tables play during the block."""
        self._thread.start()
        try:
            yield
        finally:
            self._stop.set()
            self._thread.join()

    def _play(self) -> None:
        rng = Random(1)
        pause = MOVE_EVERY_S / len(self._tables)
        while not self._stop.wait(rng.uniform(0.5, 1.5) * pause):
            table = rng.choice(self._tables)
            moved_at = table.move()
            self.moved_at[table.name, table.round] = moved_at
            if self._ends and table.round % GAME_MOVES == 0:
                table.end()
            for each in self._tables:
                each.repeat_results()


def memory_mb(pid: int) -> float:
    """The memory that a process uses, MiB."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def cpu_s(pid: int) -> float:
    """The processor time that a process has used, in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def run(folder: Path, count: int, seconds: float, restarts: int, walls: int = 4) -> Report:
    """Lets `count` tables play: first for `seconds` while everything is measured, then during the restarts of the
    broker."""
    report = Report(count)
    with ExitStack() as stack:
        broker = stack.enter_context(ClubBroker(folder, count))
        venue = stack.enter_context(VenueProcess(broker, folder / "venue"))
        began = time.monotonic()
        tables = [stack.enter_context(ReportingTable(broker, f"table-{n}")) for n in range(1, count + 1)]
        for table in tables:
            table.wait(60)
        report.connect_s = time.monotonic() - began
        clients = [stack.enter_context(closing(WallClient(venue))) for _ in range(walls)]
        measure(report, tables, clients[0], seconds, {"venue": venue.pid, "broker": broker.pid})
        with PlayingTables(tables, ends=True).playing():
            restart(report, broker, venue, tables, restarts)
        drain(report, tables)
        check(report, folder / "venue" / FILE, tables)
    return report


def measure(
    report: Report, tables: Sequence[ReportingTable], wall: WallClient, seconds: float, pids: dict[str, int]
) -> None:
    """Measures delays, memory and processor time while all tables play."""
    party = PlayingTables(tables, ends=False)
    before = {name: cpu_s(pid) for name, pid in pids.items()}
    began = time.monotonic()
    with party.playing():
        time.sleep(seconds)
    took = time.monotonic() - began
    until(lambda: party.moved_at.keys() <= wall.seen.keys(), "the last move on the wall", 20)
    report.moves = len(party.moved_at)
    report.delays_ms = [1000 * (wall.seen[move] - moved_at) for move, moved_at in party.moved_at.items()]
    report.memory_mb = {name: memory_mb(pid) for name, pid in pids.items()}
    report.cpu = {name: (cpu_s(pid) - before[name]) / took for name, pid in pids.items()}


def restart(
    report: Report, broker: ClubBroker, venue: VenueProcess, tables: Sequence[ReportingTable], restarts: int
) -> None:
    """Stops and kills the broker alternately, and kills the venue once. Between two restarts games end."""
    for n in range(restarts):
        wanted = sum(len(table.finished) for table in tables) + max(1, len(tables) // 10)
        until(lambda: sum(len(table.finished) for table in tables) >= wanted, "the end of games", 120)  # noqa: B023
        broker.stop(signal.SIGKILL if n % 2 else signal.SIGTERM)
        if n == restarts // 2:
            venue.stop(signal.SIGKILL)
        broker.start()
        report.broker_restarts += 1
        if n == restarts // 2:
            venue.start()  # after the broker, so that tables may already be connected
            report.venue_restarts += 1
        for table in tables:
            table.wait(60)


def drain(report: Report, tables: Sequence[ReportingTable]) -> None:
    """Waits until all results are acknowledged."""
    for table in tables:
        table.move()
        table.end()
    began = time.monotonic()

    def is_done() -> bool:
        for table in tables:
            table.repeat_results()
        return all(len(table.acknowledged) == len(table.finished) for table in tables)

    try:
        until(is_done, "the last acknowledgment", 120)
    except AssertionError as error:
        report.problems.append(str(error))
    report.drain_s = time.monotonic() - began


def check(report: Report, database: Path, tables: Sequence[ReportingTable]) -> None:
    """Compares the database with what the tables have reported."""
    with closing(sqlite3.connect(database)) as db:
        stored = db.execute("SELECT reporter, id FROM results").fetchall()
    wanted = {(table.name, id) for table in tables for id in table.finished}
    report.finished, report.stored = len(wanted), len(stored)
    if missing := wanted - {*stored}:
        report.problems.append(f"missing: {sorted(missing)[:5]}")
    if strange := {*stored} - wanted:
        report.problems.append(f"nobody has reported: {sorted(strange)[:5]}")
    if len(stored) != len({*stored}):
        report.problems.append("some results are stored twice")


def main() -> int:
    """Runs the test with the numbers from the command line, and prints the report."""
    parser = argparse.ArgumentParser(description="Many simulated tables at one venue.")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120, help="how long the delays are measured")
    parser.add_argument("--restarts", type=int, default=10, help="how often the broker restarts")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report = run(Path(folder), args.tables, args.seconds, args.restarts)
    print(*report.lines(), sep="\n")
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main())
