"""What the service tells systemd: that it is ready, and that moves can be made."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from companion.commands.run_service import can_move
from companion.systemd_notify import fed_watchdog, notify, passed_socket, watchdog_interval_s
from tests.running_service import free_port, until, url_text
from tests.web_table import new_web_table, served


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    """The socket on which systemd would wait for messages."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(str(tmp_path / "notify"))
        channel.settimeout(30)
        yield channel


def environment(channel: socket.socket, **others: str) -> dict[str, str]:
    return {"NOTIFY_SOCKET": channel.getsockname(), **others}


def test_the_socket_stops_and_starts_with_the_service() -> None:
    """When people stop the service, its socket stops too; otherwise the next request of a phone would start the service
    again. When people start the service, a socket that has failed with it starts too: the service could not open port
    80 itself."""
    folder = Path(__file__).parents[1] / "appliance"
    service, socket_unit = ((folder / f"tablekeeper.{kind}").read_text() for kind in ("service", "socket"))
    assert "\nPartOf=tablekeeper.service\n" in socket_unit
    assert "\nStartLimitIntervalSec=0\n" in socket_unit
    assert "\nWants=tablekeeper.socket\n" in service
    assert "\nAfter=network.target time-sync.target tablekeeper.socket\n" in service


def test_without_systemd_nothing_is_said() -> None:
    """Without systemd, the service sends no messages, and there is neither a watchdog nor a passed socket."""
    notify("READY=1", {})
    assert watchdog_interval_s({}) is None
    assert passed_socket({}) is None
    assert passed_socket({"LISTEN_PID": "1", "LISTEN_FDS": "1"}) is None  # meant for another process
    assert watchdog_interval_s({"WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "1"}) is None
    assert watchdog_interval_s({"WATCHDOG_USEC": "60000000"}) == 30


def test_the_watchdog_starves_while_the_table_hangs(systemd: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    """The watchdog is fed while moves can be made. While the table hangs it is not fed, even if phones still get some
    answers. It is fed again once the table works."""
    monkeypatch.setattr("companion.commands.run_service.RESPONSE_TIMEOUT_S", 0.5)
    web_table = new_web_table()
    with (
        served(web_table) as server,
        fed_watchdog(partial(can_move, web_table.table, server.port), environment(systemd, WATCHDOG_USEC="20000")),
    ):
        assert systemd.recv(100) == b"WATCHDOG=1"
        with web_table.table._condition:
            time.sleep(0.6)  # time for messages that are already on their way
            drain(systemd)
            systemd.settimeout(2)
            with pytest.raises(TimeoutError):
                systemd.recv(100)
        systemd.settimeout(30)
        assert systemd.recv(100) == b"WATCHDOG=1"


def drain(channel: socket.socket) -> None:
    """Reads all messages that have arrived."""
    channel.settimeout(0)
    try:
        while channel.recv(100):
            pass
    except BlockingIOError:
        return


def test_the_watchdog_starves_if_the_journal_must_be_opened_again() -> None:
    """If only a restart helps, the watchdog is not fed, so that systemd restarts the service. With a full disk it is
    fed, because a restart would not help."""
    web_table = new_web_table()
    with served(web_table) as server:
        assert can_move(web_table.table, server.port)
        web_table.table.journal._database._db.close()  # nothing can be stored, and /healthz has status 503
        assert can_move(web_table.table, server.port)
        web_table.table.journal._database._is_count_lost = True
        assert not can_move(web_table.table, server.port)
    assert not can_move(web_table.table, server.port)


LISTENING = """
import os, socket, sys
listener = socket.create_server(("127.0.0.1", int(sys.argv[1])))
os.dup2(listener.fileno(), 3)
os.set_inheritable(3, True)
os.environ["LISTEN_PID"], os.environ["LISTEN_FDS"] = str(os.getpid()), "1"
os.execv(sys.executable, [sys.executable, "-m", "companion", "run", "--port", "0", *sys.argv[2:]])
"""
"""Does what systemd does for a service with a socket: listens, passes the socket on, and becomes the service."""


@pytest.mark.slow
@pytest.mark.parametrize("works", [True, False])
def test_the_service_is_ready_on_the_socket_that_it_got(tmp_path: Path, systemd: socket.socket, works: bool) -> None:
    """When its pages can be opened on the socket that systemd passed, the service says that it is ready, and feeds the
    watchdog. A service that can't start does the same, with a page that says why."""
    port, settings = free_port(), tmp_path / "table.toml"
    settings.write_text(f'[service]\ndata = "{tmp_path}/data"\n' if works else "[service]\ndata = 7\n")
    variables = {**os.environ, **environment(systemd, WATCHDOG_USEC="2000000")}
    command = [sys.executable, "-c", LISTENING, str(port), "--config", str(settings)]
    with subprocess.Popen(
        command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            message = systemd.recv(500).decode()
            status, _page = url_text(f"http://127.0.0.1:{port}/join")
            until(lambda: systemd.recv(500) == b"WATCHDOG=1", seconds=20)
        finally:
            process.terminate()
            process.communicate(timeout=20)
    assert message.startswith("READY=1\nSTATUS=")
    assert ("Nobody can play" in message) != works
    assert status == (200 if works else 503)
    assert process.returncode == 0
