"""The backups of a table: the games, calibration, certificates, boards and settings, in files that are numbered.

They are numbered, because a Pi has no clock of its own, so its dates may be wrong.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path

from companion.backup_archive import JOURNAL, SETTINGS, Backup, BackupError, manifest_of, new_manifest, write_archive
from companion.match.acknowledged_count import AcknowledgedCount
from companion.match.journal_file_access import copy_in_memory, make_private_folder, sync
from companion.match.journal_integrity import count_in
from companion.platform_calls import sync_folder
from companion.text.messages import _

FOLDER = "backups"
"""The folder for backups, within the data folder."""
KEPT = 14
"""How many backups are kept in the folder of backups. Older ones are removed."""
PATTERNS = ("camera.json", "boards/*.toml", "tls/*.pem")
"""The files in the data folder that are backed up in addition to the journal."""
NAME = re.compile(r"tablekeeper-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)\d\d\.tar\.gz")


def make_backup(data: Path, settings: Path | None = None, target: Path | None = None) -> Backup:
    """Backs up the data folder and the settings file. A service may be using the folder meanwhile. Without `target`,
    the backup is written to the folder of backups, and the oldest backups there are removed. Raises BackupError if
    there is no journal, the journal can't be read, or the backup can't be written."""
    if not (data / JOURNAL).exists():
        raise BackupError(_("There’s no journal in {folder}.", folder=data))
    path = target or _new_path(data)
    try:
        if target is None:
            make_private_folder(path.parent)
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".backup-") as temporary:
            folder = Path(temporary)
            count = _copy_journal(data / JOURNAL, folder / JOURNAL)
            _copy_files(data, settings, folder)
            manifest = new_manifest(folder, count, _next_number(data))
            write_archive(folder, manifest, path)
    except OSError as error:
        # The error may name a temporary file, which means nothing to people.
        raise BackupError(_("Can’t write to {path} ({why}).", path=path, why=error.strerror or str(error))) from error
    if target is None:
        _remove_oldest(path.parent, keep=path)
    return Backup(path, manifest.made, manifest.version, manifest.games, manifest.acts)


def backups(data: Path) -> tuple[Path, ...]:
    """All backups in the data folder `data`, the newest first. Backups that can't be read, or have no number, count as
    the oldest."""
    return _newest_first(data / FOLDER)


def _newest_first(folder: Path) -> tuple[Path, ...]:
    found = [path for path in folder.glob("*.tar.gz") if NAME.fullmatch(path.name)]
    return tuple(sorted(found, key=lambda path: (_number(path), path.name), reverse=True))


def _number(path: Path) -> int:
    found = manifest_of(path)
    return found.number if found else 0


def _next_number(data: Path) -> int:
    return 1 + max(map(_number, backups(data)), default=0)


def date_in_name(path: Path) -> str:
    """The date and time in the name of a backup: when it was made, according to the table's clock."""
    found = NAME.fullmatch(path.name)
    return "{}-{}-{} {}:{}".format(*found.groups()) if found else ""


def has_wrong_dates(newest_first: Sequence[str]) -> bool:
    """Whether the dates in the backups' names are out of order. Then the table's clock was wrong when one of them was
    made. `newest_first`: the names, sorted by the backups' numbers, the highest first."""
    return [*newest_first] != sorted(newest_first, reverse=True)


def kept_backup(data: Path, name: str) -> Path:
    """The backup in the data folder with this name. Raises BackupError if there is none."""
    for path in backups(data):
        if path.name == name:
            return path
    raise BackupError(_("There’s no backup {name} on this table.", name=repr(name)))


def back_up_before_restore(data: Path, settings: Path | None) -> Backup:
    """Backs up the games that a restore is about to replace. Removes no older backup, since it may be the backup that
    is to be restored. Raises BackupError if this fails, as `make_backup` does."""
    make_private_folder(data / FOLDER)
    return make_backup(data, settings, _new_path(data))


def _new_path(data: Path) -> Path:
    """An unused path for a backup that is made now. The name contains the current second or, if that name is taken, the
    next second that is free."""
    made = datetime.now()
    while (path := data / FOLDER / f"tablekeeper-{made:%Y%m%d-%H%M%S}.tar.gz").exists():
        made += timedelta(seconds=1)
    return path


def copy_to(backup: Backup, folder: Path) -> Path:
    """Copies a backup to a folder on another disk, such as a USB stick, and removes the oldest backups there. Raises
    BackupError if the folder can't be written to."""
    target = folder / backup.path.name
    try:
        partial = target.with_suffix(".part")
        shutil.copyfile(backup.path, partial)
        sync(partial)
        partial.replace(target)
        sync_folder(folder)
    except OSError as error:
        raise BackupError(_("Can’t write to {path} ({why}).", path=target, why=error.strerror or "")) from error
    _remove_oldest(folder, keep=target)
    return target


def _remove_oldest(folder: Path, keep: Path) -> None:
    """Removes the oldest backups in a folder, but never `keep`, the one that was just made. Otherwise `keep` might be
    removed, because backups of another table in the same folder may have higher numbers."""
    others = [path for path in _newest_first(folder) if path != keep]
    for path in others[KEPT - 1 :]:
        with suppress(OSError):
            path.unlink()


def _copy_journal(journal: Path, target: Path) -> AcknowledgedCount:
    """Copies the journal with SQLite's online backup; returns how many games, acts and changes the copy contains.
    Raises BackupError if the journal is damaged or can't be read."""
    try:
        copy = copy_in_memory(journal)
        if copy is None:
            raise BackupError(_("The journal is damaged. Start Tablekeeper once to repair it, then try again."))
        with closing(copy), closing(sqlite3.connect(target)) as file:
            copy.backup(file)
            return count_in(file)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            raise BackupError(_("Can’t write to {path} ({why}).", path=target.parent.parent, why=error)) from error
        raise BackupError(_("Can’t read the journal ({error}).", error=error)) from error


def _copy_files(data: Path, settings: Path | None, folder: Path) -> None:
    for pattern in PATTERNS:
        for path in sorted(data.glob(pattern)):
            target = folder / path.relative_to(data)
            target.parent.mkdir(exist_ok=True)
            shutil.copyfile(path, target)
    if settings and settings.exists():
        shutil.copyfile(settings, folder / SETTINGS)
