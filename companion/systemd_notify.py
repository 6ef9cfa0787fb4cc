"""Messages from the service to systemd, and what systemd passes to the service: sd_notify(3), sd_watchdog_enabled(3),
sd_listen_fds(3)."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

FIRST_PASSED_DESCRIPTOR = 3


def notify(state: str, environment: Mapping[str, str] = os.environ) -> None:
    """Reports a state to systemd, such as `READY=1`. Does nothing if systemd does not expect such messages."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.connect("\0" + address[1:] if address[0] == "@" else address)
        channel.sendall(state.encode())


def is_started_by_systemd(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether this is a service of systemd. If it is, perhaps nobody is looking at its output."""
    return bool(environment.get("NOTIFY_SOCKET"))


def watchdog_interval_s(environment: Mapping[str, str] = os.environ) -> float | None:
    """The interval at which to feed the watchdog, in seconds: half of its timeout. None if there is no watchdog."""
    microseconds = environment.get("WATCHDOG_USEC", "")
    is_for_us = environment.get("WATCHDOG_PID", str(os.getpid())) == str(os.getpid())
    return int(microseconds) / 2e6 if microseconds.isdecimal() and is_for_us else None


def passed_socket(environment: Mapping[str, str] = os.environ) -> socket.socket | None:
    """The socket on which systemd already listens for this service; None if there is none."""
    if environment.get("LISTEN_PID") != str(os.getpid()) or environment.get("LISTEN_FDS") != "1":
        return None
    return socket.socket(fileno=os.dup(FIRST_PASSED_DESCRIPTOR))


@contextmanager
def fed_watchdog(works: Callable[[], bool], environment: Mapping[str, str] = os.environ) -> Iterator[None]:
    """During the block, calls `works` at each interval of the watchdog, and feeds the watchdog if `works` returns true.
    If `works` hangs, the watchdog is not fed."""
    interval_s = watchdog_interval_s(environment)
    if interval_s is None:
        yield
        return
    closing = threading.Event()

    def feed() -> None:
        while True:
            if works():
                notify("WATCHDOG=1", environment)
            if closing.wait(interval_s):
                return

    thread = threading.Thread(target=feed, name="watchdog", daemon=True)
    thread.start()
    try:
        yield
    finally:
        closing.set()
