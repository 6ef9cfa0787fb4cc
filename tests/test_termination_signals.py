"""Ctrl-C and SIGTERM end a command, whichever thread gets the signal."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

WAITING = """
import signal, sys, threading, time
from companion.commands.interrupts import stop_signal

main = threading.main_thread().ident

def kill_own_thread(number):
    seen = []
    while len(seen) < 50 or len(set(seen[-50:])) > 1 or seen[-1][0] == "<string>":
        frame = sys._current_frames()[main]
        seen.append((frame.f_code.co_filename, frame.f_lasti))
        time.sleep(0.001)  # lets the main thread run, until it has got no further for a while: it waits
    signal.pthread_kill(threading.get_ident(), number)
    other_thread_lives.wait()

other_thread_lives = threading.Event()
with stop_signal() as wait_for_signal:
    threading.Thread(target=kill_own_thread, args=(int(sys.argv[1]),), daemon=True).start()
    wait_for_signal()
print("stopped")
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_that_another_thread_gets_ends_the_wait(number: int) -> None:
    """The main thread wakes up even if the kernel delivers the signal to another thread of the service."""
    command = [sys.executable, "-c", WAITING, str(int(number))]
    assert subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout == "stopped\n"
