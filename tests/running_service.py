"""The real service in a process of its own, and phones that talk to it, for end-to-end tests."""

from __future__ import annotations

import json
import re
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any, Self, TypeVar

from tests.forked_python import start
from tests.shared_prints import link_prints

T = TypeVar("T")
TRUSTING = ssl.create_default_context()
"""Accepts any certificate, because each service under test has a new authority of its own."""
TRUSTING.check_hostname, TRUSTING.verify_mode = False, ssl.CERT_NONE


def until(found: Callable[[], T], what: str = "it", seconds: float = 60, every: float = 0.05) -> T:
    """Waits until `found` returns a true value, and returns this value. Calls `found` every `every` seconds, and fails
    after `seconds`."""
    end = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < end, f"{what} did not come within {seconds:.0f} s"
        time.sleep(every)
    return value


def free_port() -> int:
    """A TCP port of this machine that is not in use."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def url_text(url: str) -> tuple[int, str]:
    """The status and the text at a URL; the status is 0 if nobody answers there."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()
    except OSError:
        return 0, ""


def join_code(page: str) -> str:
    """The join code on a host's page."""
    found = re.search(r">\s*([A-Z]{4})\s*<", page)
    assert found, "no join code on the host's page"
    return found[1]


class RunningService:
    """A running `tablekeeper run` on a free port. `said` contains the lines that it prints."""

    def __init__(self, data: Path, *options: str) -> None:
        self.data, self._options = data, options
        self.said: list[str] = []
        self.address = self.host_link = ""
        self._port = 0
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        if "--simulate" in self._options:
            link_prints(self.data / "prints")
        command = [sys.executable, "-m", "companion", "run", "--port", str(self._port)]
        command += ["--data", str(self.data), *self._options]
        self._process = start(command, forks_workers=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        assert self._ready.wait(60), "".join(self.said)
        assert self.host_link, "".join(self.said)
        self.address = self.host_link.split("/host")[0]
        self._port = int(self.address.rpartition(":")[2])
        return self

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self.said.append(line)
            if found := re.search(r"http://[^/\s]+(:\d+/host\?key=\S+)", line):
                self.host_link = f"http://localhost{found[1]}"
            if self.host_link and "data" in line:
                self._ready.set()
        self._ready.set()

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.stop()

    def restart(self, number: int = signal.SIGTERM) -> None:
        """Stops the service with a signal, and starts it again with the same data at the same address."""
        assert self.stop(number) == (0 if number == signal.SIGTERM else -number)
        self.host_link = ""
        self._ready.clear()
        self.__enter__()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Sends a signal and waits for the exit. Returns the exit status."""
        self._process.send_signal(number)
        try:
            status = self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        finally:
            self._listener.join(5)
            if self._process.stdout:
                self._process.stdout.close()
        return status


class HttpPhone:
    """A client with cookies, but without a browser. It trusts any certificate."""

    def __init__(self, address: str, jar: CookieJar | None = None) -> None:
        self.address, self.jar = address, jar if jar is not None else CookieJar()
        handlers = [urllib.request.HTTPCookieProcessor(self.jar), urllib.request.HTTPSHandler(context=TRUSTING)]
        self._opener = urllib.request.build_opener(*handlers)

    def get(self, path: str) -> Any:
        """The JSON at `path`, or the text of a page."""
        return self._answer(urllib.request.Request(self.address + path))

    def post(self, path: str, body: object) -> Any:
        """Sends JSON. Raises urllib's HTTPError if it is refused."""
        data = json.dumps(body).encode()
        return self._answer(urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"}))

    def _answer(self, request: urllib.request.Request) -> Any:
        try:
            with self._opener.open(request, timeout=10) as answer:
                text = answer.read().decode()
                return json.loads(text) if answer.headers.get_content_type() == "application/json" else text
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(f"{request.full_url}: {error.code} {error.read().decode()[:300]}") from error

    def view(self) -> Any:
        """The view of this seat."""
        return self.get("/api/view")

    def move(self, move: dict[str, Any]) -> Any:
        """Makes a move that is based on the current version."""
        return self.post("/api/moves", {"move": move, "version": self.view()["version"], "id": str(uuid.uuid4())})
