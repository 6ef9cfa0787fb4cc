"""The benchmark `tablekeeper bench phones`: the time from a player's tap until the last phone shows the new page.

A service in a process of its own runs a game with a phone in each seat; the other phones are spectators. The phones do
what the script of the page does: they keep an event stream open, which brings what has changed on the page. The peer is
a bare asyncio server that sends one line to the same number of streams, in the same run. It does the least work that
any server in Python must do."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from companion.commands.benchmark_comparison import Comparison
from companion.drill.phone import Phone
from companion.drill.players import Players
from companion.drill.service_process import ServiceProcess
from companion.games import GAMES

PHONE_COUNTS = (6, 40, 200, 1000)
QUICK_PHONE_COUNTS = (6, 40)
ACTS = 60
QUICK_ACTS = 15
WARM_UP_ACTS = 5
DEFAULT_GAME = "traffic-congestion"
"""The game that the phones play by default. Nothing in it is left to chance, so every act is a player's tap."""
TIMEOUT_S = 60.0
"""The longest wait for the last phone, in seconds."""
SETTLE_S = 0.3
"""The pause before each act, in seconds. In this time the service finishes its work for the previous act."""
MAX_EVENT_BYTES = 2**22
PEER = "a bare asyncio server, one line to each"


@dataclass(frozen=True)
class Measured:
    """The measured times, in milliseconds. `times_ms`: for each act, the time from the tap until the last phone shows
    the act. `cpu_ms`: the mean processor time that the server needs for an act."""

    times_ms: Sequence[float]
    cpu_ms: float

    @property
    def p50(self) -> float:
        """The median time."""
        return median(self.times_ms)

    @property
    def p95(self) -> float:
        """The 95th percentile of the times."""
        return quantiles(self.times_ms, n=20)[-1]


def phones_benchmark(quick: bool, game: str = DEFAULT_GAME) -> Iterator[Comparison]:
    """Compares Tablekeeper with a minimal server. Yields three comparisons for each number of phones. Two are about the
    time from a tap until the last phone shows the result: its median, and its 95th percentile. The third is about the
    processor time for each act."""
    acts = QUICK_ACTS if quick else ACTS
    for count in QUICK_PHONE_COUNTS if quick else PHONE_COUNTS:
        ours = asyncio.run(measure_service(game, count, acts))
        peer = asyncio.run(measure_bare_server(count, acts))
        for what, our_ms, peer_ms in (
            ("p50", ours.p50, peer.p50),
            ("p95", ours.p95, peer.p95),
            ("CPU", ours.cpu_ms, peer.cpu_ms),
        ):
            yield Comparison(
                f"{count} phones, {game}: {what} of an act",
                round(our_ms, 3),
                PEER,
                round(peer_ms, 3),
                round(our_ms / peer_ms, 3),
            )


async def measure_service(game: str, count: int, acts: int) -> Measured:
    """Measures how fast Tablekeeper shows acts on `count` phones: starts a service, and makes `acts` acts."""
    with (
        tempfile.TemporaryDirectory() as folder,
        ServiceProcess(Path(folder), "--box", "none", simulate=False) as service,
    ):
        players = await asyncio.to_thread(Players, service, game, seats=max(GAMES[game].rules.seats))
        cookies = await asyncio.to_thread(_join, players, count)
        shows = [
            OpenPage(service.port, own_address(number), cookie, "/play" if number < len(players.phones) else "/table")
            for number, cookie in enumerate(cookies)
        ]
        for show in shows:
            await show.open()

        async def act() -> Callable[[], Awaitable[float]]:
            phone, move = await asyncio.to_thread(players.next_move)
            await asyncio.sleep(SETTLE_S)

            async def tap() -> float:
                for show in shows:
                    show.wait_for(move.version)
                start = time.perf_counter()
                await asyncio.to_thread(players.submit, phone, move)
                await asyncio.wait_for(asyncio.gather(*(show.shown for show in shows)), TIMEOUT_S)
                return (max(show.shown_at for show in shows) - start) * 1e3

            return tap

        try:
            return await _measure(act, service.pid, acts)
        finally:
            for show in shows:
                show.close()


def _join(players: Players, count: int) -> Sequence[str]:
    """Lets phones join until there are `count`: those of the players, then spectators. Returns their cookies."""
    seated = players.phones[:count]
    spectators = [players.new_phone(None) for _ in range(count - len(seated))]
    return [phone.cookie for phone in (*seated, *spectators)]


def own_address(number: int) -> str:
    """The address of this machine from which phone `number` connects. Each phone has an address of its own, because the
    service limits what one address may do."""
    return f"127.1.{number // 250}.{number % 250 + 1}"


class OpenPage:
    """A page that a phone shows, and the event stream that keeps it up to date."""

    def __init__(self, port: int, address: str, cookie: str, path: str) -> None:
        self._port, self._address, self._path = port, address, path
        self._head = f"Host: 127.0.0.1\r\nCookie: {cookie}\r\n"
        self._version = sys.maxsize
        self.shown: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done once the phone shows the version given to `wait_for`."""
        self.shown_at = 0.0
        self._task: asyncio.Task[None]
        self._writer: asyncio.StreamWriter

    async def open(self) -> None:
        """Loads the page and opens the stream; returns after the first event."""
        reader, self._writer = await asyncio.open_connection(
            "127.0.0.1", self._port, local_addr=(self._address, 0), limit=MAX_EVENT_BYTES
        )
        page = await self._get(reader, self._path)
        mark = page.partition('data-mark="')[2].partition('"')[0]
        request = f"GET /api/events?shares=1&page={self._path}&mark={mark} HTTP/1.1\r\n{self._head}\r\n"
        self._writer.write(request.encode())
        await reader.readuntil(b"event: look\n")
        self._task = asyncio.create_task(self._follow(reader))

    def wait_for(self, version: int) -> None:
        """Sets the version to wait for: the future `shown` is done once the phone shows that version."""
        self._version, self.shown = version, asyncio.get_running_loop().create_future()

    async def _follow(self, events: asyncio.StreamReader) -> None:
        while True:
            event = await events.readuntil(b"\n\n")
            if b"event: page\n" not in event:
                continue
            if b'"html":""' in event:
                raise ConnectionError("The event stream does not bring the page.")
            version = int(event.split(b"id: ", 1)[1].split(b"\n", 1)[0].split(b".")[1])
            if version >= self._version and not self.shown.done():
                self.shown_at = time.perf_counter()
                self.shown.set_result(None)

    async def _get(self, reader: asyncio.StreamReader, path: str) -> str:
        self._writer.write(f"GET {path} HTTP/1.1\r\n{self._head}\r\n".encode())
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        if not head.startswith(b"http/1.1 200 "):
            raise ConnectionError(head.decode())
        size = int(head.split(b"content-length: ", 1)[1].split(b"\r\n", 1)[0])
        return (await reader.readexactly(size)).decode()

    def close(self) -> None:
        """Closes the connection."""
        self._task.cancel()
        self._writer.close()


BARE_SERVER = """
import asyncio

streams = []
LINE = b"id: 1.1\\nevent: act\\ndata: {}\\n\\n"

async def serve(reader, writer):
    head = await reader.readuntil(b"\\r\\n\\r\\n")
    if head.startswith(b"GET"):
        streams.append(writer)
        writer.write(b"HTTP/1.1 200 OK\\r\\n\\r\\n")
        return
    for stream in streams:
        stream.write(LINE)
    writer.write(b"HTTP/1.1 204 No Content\\r\\n\\r\\n")
    writer.close()

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""
"""The source code of a server that sends a line to each stream at every POST request."""


async def measure_bare_server(count: int, acts: int) -> Measured:
    """Measures, for comparison, how fast a minimal server reaches `count` event streams. For each of `acts` acts it
    sends one line to each stream."""
    process = subprocess.Popen([sys.executable, "-c", BARE_SERVER], stdout=subprocess.PIPE, text=True)
    with ExitStack() as resources:
        resources.callback(process.wait)
        resources.callback(process.send_signal, signal.SIGTERM)
        assert process.stdout
        port = int(resources.enter_context(closing(process.stdout)).readline())
        streams = []
        for _ in range(count):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET / HTTP/1.1\r\n\r\n")
            await reader.readuntil(b"\r\n\r\n")
            streams.append(reader)
            resources.callback(writer.close)

        async def last_line(reader: asyncio.StreamReader) -> float:
            await reader.readuntil(b"\n\n")
            return time.perf_counter()

        async def act() -> Callable[[], Awaitable[float]]:
            waiting = [asyncio.create_task(last_line(reader)) for reader in streams]
            await asyncio.sleep(SETTLE_S)

            async def tap() -> float:
                start = time.perf_counter()
                await asyncio.to_thread(_post, port)
                return (max(await asyncio.gather(*waiting)) - start) * 1e3

            return tap

        return await _measure(act, process.pid, acts)


def _post(port: int) -> None:
    Phone(port).post("/", {})


async def _measure(act: Callable[[], Awaitable[Callable[[], Awaitable[float]]]], pid: int, acts: int) -> Measured:
    """Measures a number of acts. `act` prepares an act and returns a function, which performs the act and returns how
    many milliseconds the act took. `pid`: the process whose processor time is measured."""
    times, cpu_ms = [], 0.0
    for number in range(WARM_UP_ACTS + acts):
        tap = await act()
        before = cpu_time_ms(pid)
        elapsed = await tap()
        await asyncio.sleep(SETTLE_S)
        if number >= WARM_UP_ACTS:
            times.append(elapsed)
            cpu_ms += cpu_time_ms(pid) - before
    return Measured(times, cpu_ms / acts)


def cpu_time_ms(pid: int) -> float:
    """The processor time that the threads of a process have used, in milliseconds."""
    return sum(int((task / "schedstat").read_text().split()[0]) for task in Path(f"/proc/{pid}/task").iterdir()) / 1e6
