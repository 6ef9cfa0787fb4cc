"""Restores a backup that the host chose on the set-up page. The service closes all its parts first, so the files that
are then set aside contain every acknowledged move. These files are also backed up before the restore.
"""

from __future__ import annotations

import logging
import signal
import threading
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from companion import backups
from companion.backup_archive import BackupError, verify
from companion.backup_restore import restore_backup
from companion.commands.journal_commands import open_journal
from companion.match.journal import Journal
from companion.match.stored_game import StoredGame
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from companion.text.messages import TextLike
from web.access.lobby import NOTE_KEY, Lobby

DELAY_S = 1.0
"""How many seconds the service keeps running after a request, so that the host's browser gets its answer."""


class RequestedRestore:
    """A host's request to restore a backup of the data folder, and the restore itself. `settings`: the settings
    file."""

    def __init__(self, data: Path, settings: Path | None) -> None:
        self._data, self._settings = data, settings
        self._path: Path | None = None
        self._made = ""
        self._problem: TextLike = ""

    @property
    def is_requested(self) -> bool:
        """Whether the service is about to stop and restore a backup."""
        return self._path is not None

    def request(self, name: str) -> None:
        """Verifies a backup, then stops the service so that `run` can restore it. Raises BackupError if there is no
        such backup, or if it is damaged."""
        path = backups.kept_backup(self._data, name)
        verify(path, self._data)
        self._path = path
        timer = threading.Timer(DELAY_S, signal.raise_signal, (signal.SIGTERM,))
        timer.daemon = True
        timer.start()

    def run(self) -> None:
        """Backs up the current games, then restores the backup. The lobby stays as it is, with its phones and its hosts
        (but see `_keep_lobby`). No service may be using the data folder. If the backup can't be restored, nothing
        changes."""
        path, self._path, self._made, self._problem = self._path, None, "", ""
        assert path
        # A damaged journal can't be backed up, but is not lost: `restore_backup` sets all its files aside.
        with suppress(BackupError):
            backups.back_up_before_restore(self._data, self._settings)
        with closing(open_journal(self._data)) as journal:
            lobby, game = journal.note(NOTE_KEY), journal.running_game()
        try:
            restored, _aside = restore_backup(path, self._data)
        except BackupError as error:
            self._problem = error.message
            return
        with closing(open_journal(self._data)) as journal:
            _keep_lobby(journal, lobby, game)
        self._made = f"{datetime.fromisoformat(restored.made):%Y-%m-%d %H:%M}"
        logging.getLogger("restore").info("Restored %s", path.name)

    def report(self, table: Table, lobby: Lobby) -> None:
        """Tells people how a restore ended: a notice in the game's log gives the date of the backup, or the host page
        says why the restore failed."""
        if self._made:
            lobby.notices.add("restored", self._made)
        if self._problem:
            table.observe(DeviceHealth(device="restore", ok=False, message=self._problem))
            logging.getLogger("restore").warning("%s", self._problem)


def _keep_lobby(journal: Journal, lobby: Any, game: StoredGame | None) -> None:
    """Stores the lobby from before the restore in the restored journal. If another game is running in that journal, the
    backup decides who has which seat and who has seen which cards. Otherwise a player might get another player's
    hand."""
    if lobby is None:
        return
    if _identity(journal.running_game()) != _identity(game):
        backup: Any = journal.note(NOTE_KEY) or {}
        seats = {guest["key"]: guest["seat"] for guest in backup.get("guests", ())}
        lobby["guests"] = [{**guest, "seat": seats.get(guest["key"])} for guest in lobby.get("guests", ())]
        lobby["views"] = backup.get("views", {})
    journal.save_note(NOTE_KEY, lobby)


def _identity(game: StoredGame | None) -> object:
    """A value that identifies a game and stays the same while the game is played; None without a game."""
    return game and (game.id, game.header.seed)
