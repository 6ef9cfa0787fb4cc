"""A club for tests: a real Mosquitto with the accounts that `tablekeeper venue accounts` writes, and a venue in a
process of its own. All connections are on 127.0.0.1."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from contextlib import redirect_stdout
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Self

from companion.commands.write_broker_accounts import CA, CONFIG, ENVIRONMENT, SLIPS, write_accounts
from tests.forked_python import start
from tests.mosquitto import Mosquitto
from tests.running_service import free_port

URL = re.compile(r"mqtts://([\w-]+):([\w-]+)@")


class ClubBroker(Mosquitto):
    """A broker with TLS and an account for each of `count` tables, as the command configures it."""

    def __init__(self, folder: Path, count: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.port, self.folder = free_port(), folder
        self.files, self.data = folder / "accounts", folder / "broker"
        self.data.mkdir(exist_ok=True)
        with redirect_stdout(StringIO()):
            write_accounts(self.files, count, "127.0.0.1", self.port, 8100)
        found = (self.files / SLIPS).read_text() + (self.files / ENVIRONMENT).read_text()
        self.passwords = dict(URL.findall(unescape(found)))
        self.ca = self.files / CA
        config = (self.files / CONFIG).read_text().replace(f"listener {self.port}", f"listener {self.port} 127.0.0.1")
        self._config = folder / "mosquitto.conf"
        self._config.write_text(
            f"persistence true\npersistence_location {self.data}/\nautosave_interval 1\nuser root\nlog_type error\n"
            f"{config}"
        )
        self._process = None

    def url_for(self, name: str) -> str:
        """The broker's address with the account of a table."""
        return f"mqtts://{name}:{self.passwords[name]}@127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The id of the broker's process."""
        assert self._process
        return self._process.pid


class VenueProcess:
    """`tablekeeper venue` at a broker, in a process of its own."""

    def __init__(self, broker: ClubBroker, data: Path) -> None:
        self._broker, self._data = broker, data
        self._process: subprocess.Popen[str] | None = None
        self.printed = ""
        self.port = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Starts the venue, and waits until it serves its pages."""
        command = [sys.executable, "-m", "companion", "venue", "--broker", self._broker.url_for("venue")]
        command += ["--ca", str(self._broker.ca), "--port", str(self.port), "--data", str(self._data)]
        self._process = start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert self._process.stdout
        lines = []
        for line in self._process.stdout:
            lines.append(line)
            if line.startswith("  data"):
                break
        self.printed = "".join(lines)
        found = re.search(r"wall +http://[^:]+:(\d+)/", self.printed)
        assert found, self.printed
        self.port = int(found[1])
        self._reader = threading.Thread(target=self._process.stdout.read, daemon=True)
        self._reader.start()

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Stops the venue with a signal."""
        if self._process:
            self._process.send_signal(number)
            self._process.wait(30)
            self._reader.join()
            assert self._process.stdout
            self._process.stdout.close()
            self._process = None

    @property
    def pid(self) -> int:
        """The id of the venue's process."""
        assert self._process
        return self._process.pid

    @property
    def address(self) -> str:
        """The address of the venue's pages."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def staff_path(self) -> str:
        """The address of the staff's page, with its key."""
        found = re.search(r"/staff\?key=\S+", self.printed)
        assert found, self.printed
        return found[0]
