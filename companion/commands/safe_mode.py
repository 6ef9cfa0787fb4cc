"""Safe mode: when the service can't start, a page says what is wrong, why, and what to do. Nobody can play then."""

from __future__ import annotations

import socket
import sys

from companion import systemd_notify
from companion.commands import CommandError
from companion.commands.interrupts import stop_signal
from companion.commands.settings_file import HOST, Settings
from companion.text.messages import TextLike
from web.startup_failure_page import create_failure_app, serving


def run_safe_mode(settings: Settings, error: CommandError) -> int:
    """Serves the page about `error` until Ctrl-C or SIGTERM; returns the exit status 0. Raises `error` if the port of
    the pages can't be used, for example because another Tablekeeper is using it."""
    why: TextLike = getattr(error, "message", str(error))
    with stop_signal() as wait_for_signal:
        try:
            listener = systemd_notify.passed_socket() or socket.create_server((HOST, settings.port))
            with serving(create_failure_app(why), listener):
                print(f"tablekeeper: {error} Until then, its pages say this.", file=sys.stderr, flush=True)
                systemd_notify.notify(f"READY=1\nSTATUS=Nobody can play: {' '.join(str(error).split())}")
                with systemd_notify.fed_watchdog(lambda: True):
                    wait_for_signal()
        except OSError:
            raise error from None
    return 0
