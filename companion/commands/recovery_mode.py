"""Recovery mode: when the service can't start, a page says what is wrong, why, and what to do. Nobody can play then.
Hosts also see the log, and can restore a backup."""

from __future__ import annotations

import json
import logging
import secrets
import signal
import socket
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from companion import backups, systemd_notify
from companion.backup_archive import JOURNAL, BackupError, extract
from companion.backup_restore import restore_backup
from companion.commands import CommandError
from companion.commands.data_folder_lock import exclusive_lock
from companion.commands.interrupts import stop_signal
from companion.commands.service_log import RecentLines
from companion.commands.settings_file import HOST, Settings
from companion.match.journal_file_access import copy_in_memory
from companion.text.messages import TextLike
from web.access.lobby import NOTE_KEY
from web.access.phone_session import hash_of, to_bytes
from web.startup_failure_page import create_failure_app, serving

DELAY_S = 1.0
"""How many seconds recovery mode continues after a restore, so that the host's browser gets its answer."""


class RecoveryActions:
    """What hosts can do in recovery mode. `data` is the data folder; None if it is not known. Then nobody is a host.
    `log` keeps the lines of this start."""

    def __init__(self, data: Path | None, log: RecentLines) -> None:
        self._data, self._log = data, log
        self.has_restored = False

    def is_host(self, token: str | None, key: str) -> bool:
        """Whether a browser with this token is a host, or `key` is the key of the host link."""
        lobby = stored_lobby(self._data) if self._data and (token or key) else {}
        hosts = {phone.get("key") for phone in lobby.get("guests", ()) if phone.get("host")}
        host_key = str(lobby.get("host_key", ""))
        is_key = bool(host_key) and secrets.compare_digest(to_bytes(key), to_bytes(host_key))
        return is_key or (token is not None and hash_of(token) in hosts)

    def log(self) -> Sequence[str]:
        """The lines of the log since the start."""
        return self._log.lines()

    def backups(self) -> Sequence[str]:
        """The names of the backups on this table, the newest first."""
        return tuple(path.name for path in backups.backups(self._data)) if self._data else ()

    def restore(self, name: str) -> None:
        """Restores the backup with this name; a moment later, ends recovery mode so that the service starts. Raises
        BackupError if the backup can't be restored, or if a service is using the data folder."""
        assert self._data
        path = backups.kept_backup(self._data, name)
        try:
            with exclusive_lock(self._data):
                restore_backup(path, self._data)
        except CommandError as error:
            raise BackupError(str(error)) from error
        self.has_restored = True
        timer = threading.Timer(DELAY_S, signal.raise_signal, (signal.SIGTERM,))
        timer.daemon = True
        timer.start()


def stored_lobby(data: Path) -> Any:
    """The lobby that is stored in the journal. If the journal can't be read, the lobby in the newest backup that can be
    read; if there is none, an empty lobby."""
    if (lobby := _lobby_in(data / JOURNAL)) is not None:
        return lobby
    for path in backups.backups(data):
        with tempfile.TemporaryDirectory() as folder, suppress(BackupError):
            extract(path, Path(folder))
            if (lobby := _lobby_in(Path(folder) / JOURNAL)) is not None:
                return lobby
    return {}


def _lobby_in(journal: Path) -> Any:
    """The lobby in the journal; None if it can't be read."""
    with suppress(sqlite3.Error, OSError, ValueError):
        copy = copy_in_memory(journal) if journal.exists() else None
        if copy is not None:
            with closing(copy):
                row = copy.execute("SELECT value FROM notes WHERE key = ?", (NOTE_KEY,)).fetchone()
            return json.loads(row[0]) if row else None
    return None


def run_recovery_mode(settings: Settings, error: CommandError, log: RecentLines, data: Path | None) -> bool:
    """Serves the page about `error` until Ctrl-C or SIGTERM, or until a host has restored a backup; returns whether one
    has. `data`: the data folder; None if it is not known. Raises `error` if the port of the pages can't be used, for
    example because another Tablekeeper is using it."""
    why: TextLike = getattr(error, "message", str(error))
    recovery = RecoveryActions(data, log)
    cause = error.__cause__
    if cause:
        info = (type(cause), cause, cause.__traceback__)
        log.emit(logging.LogRecord("service", logging.ERROR, "", 0, str(error), None, info))
    with stop_signal() as wait_for_signal:
        try:
            listener = systemd_notify.passed_socket() or socket.create_server((HOST, settings.port))
            with serving(create_failure_app(why, recovery), listener):
                print(f"tablekeeper: {error} Until then, its pages say this.", file=sys.stderr, flush=True)
                systemd_notify.notify(f"READY=1\nSTATUS=Nobody can play: {' '.join(str(error).split())}")
                with systemd_notify.fed_watchdog(lambda: True):
                    wait_for_signal()
        except OSError:
            raise error from None
    return recovery.has_restored
