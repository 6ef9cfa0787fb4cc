"""Attacks on the running service by one device on the network, while six phones play.

`python -m tests.attacks` runs each attack for half a minute, or for as many seconds as its argument says. With `--tls`,
the attacks use https. It prints how long the slowest answer to a phone took.
"""

from __future__ import annotations

import argparse
import re
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from ssl import SSLWantReadError, SSLWantWriteError

from tests.running_service import TRUSTING, HttpPhone, RunningService, join_code

Address = tuple[str, int]
HOST = b"Host: localhost\r\n"
BODY = b"POST /api/moves HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n{"
STREAM = b"GET /api/events HTTP/1.1\r\n" + HOST + b"\r\n"
SEATS, PHONES = 4, 6
DRIP_S = 3.0
"""The time between the bytes that a slow connection sends, in seconds."""
RUN_S = 30.0
"""How long each attack lasts, in seconds."""


class Flood:
    """Connections that are opened again whenever the service closes them. `first`: the bytes that each connection sends
    at once. `drip`: the bytes that it sends every DRIP_S seconds. With `deaf`, the service's answers are not read. With
    `tls`, each connection that sends something is encrypted."""

    def __init__(
        self,
        address: Address,
        count: int,
        first: bytes = b"",
        drip: bytes = b"",
        *,
        deaf: bool = False,
        tls: bool = False,
    ) -> None:
        self._address, self._first, self._drip, self._deaf, self._tls = address, first, drip, deaf, tls
        self._open = [self._connect() for _ in range(count)]
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._keep_open, daemon=True)
        self._thread.start()

    def _connect(self) -> socket.socket | None:
        with suppress(OSError):
            connection = socket.create_connection(self._address, timeout=5)
            if self._deaf:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            if self._tls and self._first:
                connection = TRUSTING.wrap_socket(connection)
            connection.setblocking(False)
            if self._first:
                connection.send(self._first)
            return connection
        return None

    def _keep_open(self) -> None:
        next_drip = time.monotonic()
        while not self._stop.wait(0.2):
            dripping = self._drip and time.monotonic() >= next_drip
            next_drip = time.monotonic() + DRIP_S if dripping else next_drip
            for number, connection in enumerate(self._open):
                if connection is None or self._is_closed(connection) or (dripping and not self._send(connection)):
                    if connection:
                        connection.close()
                    self._open[number] = self._connect()

    def _is_closed(self, connection: socket.socket) -> bool:
        try:
            return not self._deaf and connection.recv(65536) == b""
        except (BlockingIOError, SSLWantReadError):
            return False
        except OSError:
            return True

    def _send(self, connection: socket.socket) -> bool:
        try:
            connection.send(self._drip)
        except (BlockingIOError, SSLWantWriteError):
            return True
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Ends the attack."""
        self._stop.set()
        self._thread.join()
        for connection in filter(None, self._open):
            connection.close()


ATTACKS: Mapping[str, Callable[..., Flood]] = {
    "idle": partial(Flood, count=420),
    "dripping headers": partial(Flood, count=500, first=b"GET / HTTP/1.1\r\n" + HOST + b"X: ", drip=b"x"),
    "half-sent bodies": partial(Flood, count=300, first=BODY, drip=b" "),
    "event streams": partial(Flood, count=300, first=STREAM),
    "streams never read": partial(Flood, count=60, first=STREAM, deaf=True),
}


class SixPhones:
    """Six phones at a running game: four have seats, and two watch. `address`: where the phones find the service."""

    def __init__(self, service: RunningService, address: str = "") -> None:
        host = HttpPhone(service.address)
        code = join_code(host.get(service.host_link.removeprefix(service.address)))
        host.post("/api/start", {"game": "traffic-congestion", "seats": SEATS})
        self.phones = [HttpPhone(address or service.address) for _ in range(PHONES)]
        for seat, phone in enumerate(self.phones):
            phone.post("/api/join", {"code": code, "seat": seat if seat < SEATS else None, "name": f"Player {seat}"})

    def play_round(self) -> Iterator[float]:
        """Loads the page of each phone, and makes a move on the phone whose turn it is. Yields the duration of each
        answer, in seconds. Raises an exception if a phone gets no answer."""
        for phone in self.phones:
            began = time.monotonic()
            assert "<main" in phone.get("/play")
            yield time.monotonic() - began
        for phone in self.phones[:SEATS]:
            if legal := phone.get("/api/view")["legal"]:
                began = time.monotonic()
                phone.move(legal[0])
                yield time.monotonic() - began
                return


@contextmanager
def attacked(address: str, name: str) -> Iterator[None]:
    """Runs the attack `name` on the service at `address` while the block runs. The address may be an https address."""
    with ExitStack() as stack:
        flood = ATTACKS[name](("127.0.0.1", int(address.rpartition(":")[2])), tls=address.startswith("https"))
        stack.callback(flood.close)
        yield


def secure_address(service: RunningService) -> str:
    """The address at which a service that was started with `--tls 0` serves https."""
    found = re.search(r"https://\S+:(\d+)/", "".join(service.said))
    assert found, service.said
    return f"https://localhost:{found[1]}"


def main(seconds: float, *, tls: bool) -> int:
    """Runs every attack, and prints how long the slowest page and the slowest move took. The exit status is 1 if any of
    them took more than a second."""
    slowest = 0.0
    with (
        tempfile.TemporaryDirectory() as folder,
        RunningService(Path(folder), *(["--tls", "0"] if tls else [])) as service,
    ):
        address = secure_address(service) if tls else service.address
        players = SixPhones(service, address)
        for name in (None, *ATTACKS):
            with attacked(address, name) if name else ExitStack():
                took, end = [], time.monotonic() + seconds
                while time.monotonic() < end:
                    try:
                        took += players.play_round()
                    except (AssertionError, OSError) as error:
                        print(f"{name}: no answer: {error!r}", file=sys.stderr)
                        return 1
            slowest = max(slowest, *took)
            print(
                f"{name or 'no attack':20} {len(took):5} answers, the slowest after {max(took) * 1000:5.0f} ms",
                flush=True,
            )
    return int(slowest > 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Attacks a service while six phones play.")
    parser.add_argument("seconds", type=float, nargs="?", default=RUN_S, help="how long each attack lasts")
    parser.add_argument("--tls", action="store_true", help="attack over https")
    arguments = parser.parse_args()
    raise SystemExit(main(arguments.seconds, tls=arguments.tls))
