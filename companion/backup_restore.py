"""Restoring a backup: replaces the files in the data folder with those of the backup, and keeps the replaced files."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from datetime import datetime
from pathlib import Path

from companion.backup_archive import JOURNAL, Backup, extract, members, write_error
from companion.match.acknowledged_count import counter_path, write_counter
from companion.match.journal_file_access import PRIVATE_FILE, PRIVATE_FOLDER, database_files, make_private_folder, sync
from companion.match.journal_integrity import count_in
from companion.platform_calls import sync_folder

KEPT_REPLACED = 3
"""A restore moves the files that it replaces into a folder of their own. This many of these folders are kept."""
REPLACED = "replaced-"
"""The prefix of these folders' names; the date follows it."""


def restore_backup(path: Path, data: Path) -> tuple[Backup, Path]:
    """Verifies a backup and replaces the files in the data folder with those of the backup. No service may be using the
    folder. Returns the backup, and the folder with the files that were replaced. Only the last three of these folders
    are kept. Raises BackupError if the backup is not sound (see `extract`) or the files can't be written."""
    try:
        make_private_folder(data)
        with tempfile.TemporaryDirectory(dir=data, prefix=".restore-") as temporary:
            new = Path(temporary)
            backup = extract(path, new)
            aside = data / f"{REPLACED}{datetime.now():%Y%m%d-%H%M%S-%f}"
            aside.mkdir(PRIVATE_FOLDER)
            _set_journal_aside(data / JOURNAL, aside)
            with closing(sqlite3.connect(new / JOURNAL)) as db:
                count = count_in(db)
            write_counter(counter_path(data / JOURNAL), count)
            for name, file in members(new):
                _replace(file, data / name, aside / name)
            sync_folder(data)
    except OSError as error:
        raise write_error(error, data) from error
    _remove_oldest_replaced(data, aside)
    return backup, aside


def _remove_oldest_replaced(data: Path, aside: Path) -> None:
    """Removes the oldest folders with replaced files, but never `aside`, the one that was just made. Its date may be
    older than the others if the clock was wrong."""
    others = sorted((path for path in data.glob(f"{REPLACED}*-*-*") if path != aside), reverse=True)
    for path in others[KEPT_REPLACED - 1 :]:
        shutil.rmtree(path, ignore_errors=True)


def _set_journal_aside(journal: Path, aside: Path) -> None:
    """If the journal can be read, merges the write-ahead log into it. Then moves the log and the counter to `aside`,
    because they must not be used with the restored journal."""
    if journal.exists():
        with suppress(sqlite3.Error), closing(sqlite3.connect(journal)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for path in (*database_files(journal)[1:], counter_path(journal)):
        if path.exists():
            path.rename(aside / path.name)


def _replace(new: Path, path: Path, aside: Path) -> None:
    """Copies the file `path` to `aside`, then replaces it atomically with `new`. There is always either the old file or
    the new one."""
    path.parent.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    if path.exists():
        aside.parent.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        shutil.copyfile(path, aside)
        aside.chmod(PRIVATE_FILE)
        sync(aside)
    new.replace(path)
