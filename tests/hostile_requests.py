"""Sends random requests, many of them malformed, to the running service. It must not hang, print a traceback, or answer
with a status of 500 or above, except for the refusals with 503 that the contract lists.

`python -m tests.hostile_requests [COUNT]` sends 2,000 requests, or as many as its argument says.
"""

from __future__ import annotations

import json
import socket
import sys
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

from tests.running_service import HttpPhone, RunningService, join_code

COUNT = 2000
TIMEOUT_S = 10.0
MAX_ANSWER_BYTES = 100_000
"""A longer answer is not read to its end. An event stream ends when the client has closed its side."""
METHODS = ("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "BREW", "get", "")
PATHS = (
    "/", "/host", "/join", "/play", "/table", "/log", "/log.txt", "/settings", "/help", "/photo", "/request", "/games",
    "/games/1", "/games/99999999999999999999", "/games/1.jsonl", "/games/1.svg", "/healthz", "/api/view", "/api/join",
    "/api/moves", "/api/correct", "/api/ignore", "/api/undo", "/api/redo", "/api/next", "/api/ask", "/api/answer",
    "/api/photo", "/api/start", "/games/1.png", "/api/seats", "/api/openapi.json", "/setup", "/setup/now",
    "/simulator", "/simulator/state", "/static/style.css", "/static/../app.py", "/sw.js", "/manifest.webmanifest",
    "/people", "/people/1", "/people/99999999999999999999", "/people/1.csv", "/people/games.bgsplay",
    "*", "//", "/%", "/%00", "/%ff%fe", "/" + "a" * 9000,
    "http://localhost/healthz", "http://elsewhere/healthz",
)  # fmt: skip
VALUES: tuple[object, ...] = (
    None, True, 0, -1, 2**63, 2**200, 1e308, "", "x", "a" * 70_000, "\ud800", "\0", [], {}, [[]] * 50,
    {"seat": 0, "move": "specify"}, {"seat": "house", "move": "deal", "to": 0, "card": "R1"}, {"move": []},
)  # fmt: skip
KEYS = (
    "move",
    "version",
    "id",
    "seat",
    "code",
    "name",
    "agreed",
    "game",
    "seats",
    "options",
    "dealers",
    "players",
    "person",
    "who",
    "color",
    "shape",
    "delete",
    "sense",
    "on",
)
HEADERS = (
    "Content-Type: application/json", "Content-Type: image/jpeg", "Content-Type: multipart/form-data",
    "Content-Type: multipart/form-data; boundary=x", "Content-Type: text/plain; charset=nonsense",
    "Content-Type: application/x-www-form-urlencoded", "Content-Encoding: gzip", "Transfer-Encoding: chunked",
    "Transfer-Encoding: zip", "Expect: 100-continue", "Upgrade: websocket", "Connection: Upgrade",
    "Accept-Language: de;q=nonsense, *", "Accept-Language: " + "x" * 5000, "Accept-Encoding: gzip;q=2",
    "X-Fragment: 1.2.3", "X-Fragment: " + "9" * 400, "Last-Event-ID: 1.999999999999", "Range: bytes=0-", "Cookie: ;;=",
    "Cookie: tablekeeper=\xff\xfe", "Cookie: tablekeeper-language=../..", "If-Modified-Since: never", "Origin: null",
    "X-Forwarded-For: 1.2.3.4, x", "Content-Length: 5", "Content-Length: -5", "Content-Length: x", ": no name",
    "X" * 3000 + ": 1", "no colon",
)  # fmt: skip


def request(rng: Random, cookie: str) -> bytes:
    """A random request. Half of them carry the cookie of a host with a seat."""
    path = rng.choice(PATHS)
    if rng.random() < 0.3:
        path += "?" + "&".join(f"{rng.choice(('at', 'last', 'game', 'code', 'hands', 'key', 'shown'))}={_text(rng)}"
                               for _ in range(rng.randint(1, 3)))  # fmt: skip
    body = _body(rng) if rng.random() < 0.6 else b""
    lines = [f"{rng.choice(METHODS) if rng.random() < 0.4 else rng.choice(('GET', 'POST'))} {path} HTTP/1.1"]
    lines += ["Host: localhost"] if rng.random() < 0.95 else rng.choice((["Host: evil.example"], ["Host: ["], []))
    lines += [f"Cookie: {cookie}"] if rng.random() < 0.5 else []
    lines += ["Content-Type: application/json"] if body and rng.random() < 0.6 else []
    lines += rng.sample(HEADERS, rng.choice((0, 0, 1, 2)))
    lines += [f"Content-Length: {len(body)}"] if body and rng.random() < 0.9 else []
    lines += ["Connection: close"] if rng.random() < 0.9 else []
    data = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body
    if rng.random() < 0.1:
        data = data[: rng.randrange(len(data))]
    if rng.random() < 0.1:
        at = rng.randrange(len(data))
        data = data[:at] + rng.randbytes(rng.randint(1, 4)) + data[at + 1 :]
    return data


def _text(rng: Random) -> str:
    return rng.choice(("1", "-1", "99999999999999999999", "%00", "%ff", "x" * 300, "commute", "all", ""))


def _body(rng: Random) -> bytes:
    kind = rng.random()
    if kind < 0.6:
        value = {rng.choice(KEYS): rng.choice(VALUES) for _ in range(rng.randint(0, 4))}
        return json.dumps(value if rng.random() < 0.9 else rng.choice(VALUES)).encode("utf-8", "surrogatepass")
    if kind < 0.8:
        return "&".join(f"{rng.choice((*KEYS, 'do', 'ask', 'free', 'end', 'remove'))}={_text(rng)}"
                        for _ in range(rng.randint(1, 5))).encode()  # fmt: skip
    return rng.randbytes(rng.randint(1, 300))


REFUSED_503 = (b'"no_picture"', b'"busy"', b"No picture from the camera yet.")
"""Texts of answers with status 503 that any request may get."""


def answer_to(port: int, data: bytes) -> tuple[int, bytes]:
    """Sends bytes; returns the status and the rest of the answer. The status is 0 if the service closed the connection
    without an answer. Raises TimeoutError if the service neither answers nor closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT_S) as connection:
        with suppress(ConnectionError):
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        answer = b""
        with suppress(ConnectionError):
            while len(answer) < MAX_ANSWER_BYTES and (part := connection.recv(65536)):
                answer += part
    if answer.startswith(b"HTTP/1.1 100 "):
        answer = answer.partition(b"\r\n\r\n")[2]
    return int(answer.split(b" ", 2)[1]) if answer else 0, answer


def attack(service: RunningService, count: int, seed: int = 1) -> Counter[int]:
    """Sends random requests while a game is running; returns how often each status occurred. Raises AssertionError if a
    status is 500 or above and not 503, or if the service has printed anything."""
    port = int(service.address.rpartition(":")[2])
    host = HttpPhone(service.address)
    code = join_code(host.get(service.host_link.removeprefix(service.address)))
    host.post("/api/start", {"game": "system-won"})
    host.post("/api/join", {"code": code, "seat": 0})
    cookie = "; ".join(f"{each.name}={each.value}" for each in host.jar)
    printed, found, rng = len(service.said), Counter[int](), Random(seed)
    for number in range(count):
        data = request(rng, cookie)
        status, answer = answer_to(port, data)
        found[status] += 1
        is_fine = status < 500 or (status == 503 and any(text in answer for text in REFUSED_503))
        assert is_fine, (number, data[:2000], answer[:500], answer[-1000:])
    assert host.get("/healthz")["version"]
    assert service.said[printed:] == [], service.said[printed:]
    return found


def main(count: int = COUNT) -> int:
    """Sends the requests, and prints how often each status occurred."""
    with tempfile.TemporaryDirectory() as folder, RunningService(Path(folder), "--simulate") as service:
        for answer, times in sorted(attack(service, count).items()):
            print(f"{answer or 'closed'}: {times}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*map(int, sys.argv[1:])))
