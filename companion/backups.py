"""Backups of a table: one file with its games, calibration, certificates, boards and settings.

A backup is a compressed tar archive. Its first member, `manifest.json`, names the version of Tablekeeper, the time, and
the size and checksum of each other member. The backups of a table are numbered, because a Pi has no clock of its own,
so its dates may be wrong. A backup contains the private keys of the table's certificates and reveals the players'
hands, so only its owner may read it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import sqlite3
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from companion.match.acknowledged_count import AcknowledgedCount, counter_path, write_counter
from companion.match.journal_file_access import (
    PRIVATE_FILE,
    PRIVATE_FOLDER,
    copy_in_memory,
    database_files,
    make_private_folder,
    sync,
)
from companion.match.journal_integrity import count_in, is_sound
from companion.match.journal_schema import NewerSchema
from companion.platform_calls import sync_folder
from companion.text.messages import TextError, _
from companion.version import product_version

FOLDER = "backups"
"""The folder for backups, within the data folder."""
KEPT = 14
"""How many backups are kept in the folder of backups. Older ones are removed."""
KEPT_REPLACED = 3
"""A restore moves the files that it replaces into a folder of their own. This many of these folders are kept."""
REPLACED = "replaced-"
"""The prefix of these folders' names; the date follows it."""
JOURNAL = "journal.sqlite3"
SETTINGS = "settings.toml"
MANIFEST = "manifest.json"
FORMAT = 1
PATTERNS = ("camera.json", "boards/*.toml", "tls/*.pem")
"""The files in the data folder that are backed up in addition to the journal."""
MEMBER = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
MAX_BYTES = 4 * 1024**3
NAME = re.compile(r"tablekeeper-(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)\d\d\.tar\.gz")
READ_ERRORS = (
    *(OSError, EOFError, tarfile.TarError, zlib.error),
    *(ValueError, KeyError, TypeError, msgspec.ValidationError),
)
"""The exceptions that reading a damaged backup, or a file that is no backup, may raise."""


class ManifestEntry(Struct, frozen=True):
    """The entry in the manifest for a member of a backup: its size and its SHA-256."""

    bytes: int
    sha256: str


class Manifest(Struct, frozen=True):
    """The first member of a backup. `made`: when the backup was made, in ISO format. `games` and `acts`: how many the
    journal contains. `files`: the other members, by name. `number`: the number of the backup, which is higher than
    those of earlier backups; 0 if it was made by an old version that did not number backups."""

    format: int
    version: str
    made: str
    games: int
    acts: int
    files: Mapping[str, ManifestEntry]
    number: int = 0


class BackupError(TextError):
    """The error for a backup that can't be written, read or restored; the message says what to do."""


@dataclass(frozen=True)
class Backup:
    """A backup: its file, when and by which version of Tablekeeper it was made, and how many games and acts it
    contains."""

    path: Path
    made: str
    version: str
    games: int
    acts: int

    @property
    def size(self) -> int:
        """The size of the file, in bytes."""
        return self.path.stat().st_size


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
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".backup-") as place:
            folder = Path(place)
            count = _copy_journal(data / JOURNAL, folder / JOURNAL)
            _copy_files(data, settings, folder)
            manifest = _manifest(folder, count, _next_number(data))
            _write_archive(folder, manifest, path)
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


def manifest_of(path: Path) -> Manifest | None:
    """The manifest of a backup; None if it can't be read. Nothing in the backup is verified."""
    with suppress(BackupError, *READ_ERRORS), tarfile.open(path, "r:gz") as archive:
        return msgspec.convert(_manifest_in(archive, path), Manifest)
    return None


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


def verify(path: Path, data: Path) -> None:
    """Verifies everything in a backup. Unpacks it into a temporary folder within `data`. Raises BackupError if the
    backup is incomplete or damaged, comes from a newer version, or can't be unpacked."""
    try:
        with tempfile.TemporaryDirectory(dir=data, prefix=".verify-") as place:
            extract(path, Path(place))
    except OSError as error:
        raise _write_error(error, data) from error


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


def _write_error(error: OSError, path: Path) -> BackupError:
    return BackupError(
        _("Can’t write to {path} ({why}).", path=error.filename or path, why=error.strerror or str(error))
    )


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


def _members(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path


def _manifest(folder: Path, count: AcknowledgedCount, number: int) -> Manifest:
    return Manifest(
        format=FORMAT,
        version=product_version(),
        made=datetime.now().astimezone().isoformat(timespec="seconds"),
        games=count.games,
        acts=count.acts,
        files={name: ManifestEntry(path.stat().st_size, _checksum(path)) for name, path in _members(folder)},
        number=number,
    )


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _write_archive(folder: Path, manifest: Manifest, path: Path) -> None:
    """Writes the archive under a temporary name, and renames it when it is complete and durable."""
    partial = folder / "archive.part"
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w:gz") as archive:
        content = json.dumps(msgspec.to_builtins(manifest), indent=1).encode()
        header = tarfile.TarInfo(MANIFEST)
        header.size, header.mode = len(content), PRIVATE_FILE
        archive.addfile(header, io.BytesIO(content))
        for name, member in _members(folder):
            if member != partial:
                archive.add(member, name, recursive=False, filter=_without_owner)
    sync(partial)
    partial.replace(path)
    sync_folder(path.parent)


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mode = PRIVATE_FILE
    return member


def extract(path: Path, folder: Path) -> Backup:
    """Unpacks a backup into an empty folder and verifies everything in it. Raises BackupError if the file is not a
    backup, is incomplete or damaged, or comes from a newer version."""
    try:
        with tarfile.open(path, "r:gz") as archive:
            value = _manifest_in(archive, path)
            if value["format"] > FORMAT:
                raise BackupError(
                    _("{path} comes from a newer version of Tablekeeper. Update this one first.", path=path)
                )
            manifest = msgspec.convert(value, Manifest)
            expected = dict(manifest.files)
            _unpack(archive, expected, folder)
        if expected:
            raise BackupError(_("{path} is incomplete. Missing: {names}.", path=path, names=", ".join(expected)))
        found = Backup(path, manifest.made, manifest.version, manifest.games, manifest.acts)
    except READ_ERRORS as error:
        why = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise BackupError(_("{path} can’t be read as a backup ({why}).", path=path, why=why)) from error
    _check_journal(found, folder / JOURNAL)
    return found


def _manifest_in(archive: tarfile.TarFile, path: Path) -> Any:
    """The manifest in a backup, as JSON. Raises BackupError if the first member is not the manifest."""
    first = archive.next()
    if first is None or first.name != MANIFEST:
        raise BackupError(_("{path} isn’t a Tablekeeper backup.", path=path))
    return json.loads(_content(archive, first, MAX_BYTES))


def _unpack(archive: tarfile.TarFile, expected: dict[str, ManifestEntry], folder: Path) -> None:
    """Unpacks the members after the manifest, and removes each of them from `expected`. Raises BackupError if a member
    differs from the manifest."""
    while member := archive.next():
        entry = expected.pop(member.name, None)
        target = folder / member.name
        if entry is None or not member.isfile() or not MEMBER.fullmatch(member.name) or entry.bytes != member.size:
            raise BackupError(_("The backup is damaged: {name} doesn’t match the manifest.", name=repr(member.name)))
        content = _content(archive, member, entry.bytes)
        if hashlib.sha256(content).hexdigest() != entry.sha256:
            raise BackupError(_("The backup is damaged: {name} doesn’t match the manifest.", name=repr(member.name)))
        target.parent.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
        target.touch(PRIVATE_FILE)
        target.write_bytes(content)
        sync(target)


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo, size: int) -> bytes:
    file = archive.extractfile(member)
    if file is None or member.size > min(size, MAX_BYTES):
        raise tarfile.ReadError(f"{member.name} is too large")
    return file.read()


def _check_journal(backup: Backup, journal: Path) -> None:
    try:
        with closing(sqlite3.connect(journal)) as db:
            if not is_sound(db, count_in(db)):
                raise BackupError(_("The games in {path} are damaged. Use an older backup.", path=backup.path))
    except sqlite3.Error as error:
        raise BackupError(
            _("The games in {path} can’t be read ({why}). Use an older backup.", path=backup.path, why=error)
        ) from error
    except NewerSchema as error:
        raise BackupError(
            _("{path} comes from a newer version of Tablekeeper. Update this one first.", path=backup.path)
        ) from error


def restore_backup(path: Path, data: Path) -> tuple[Backup, Path]:
    """Verifies a backup and replaces the files in the data folder with those of the backup. No service may be using the
    folder. Returns the backup, and the folder with the files that were replaced. Only the last three of these folders
    are kept. Raises BackupError if the backup is not sound (see `extract`) or the files can't be written."""
    try:
        make_private_folder(data)
        with tempfile.TemporaryDirectory(dir=data, prefix=".restore-") as place:
            new = Path(place)
            backup = extract(path, new)
            aside = data / f"{REPLACED}{datetime.now():%Y%m%d-%H%M%S-%f}"
            aside.mkdir(PRIVATE_FOLDER)
            _set_journal_aside(data / JOURNAL, aside)
            with closing(sqlite3.connect(new / JOURNAL)) as db:
                count = count_in(db)
            write_counter(counter_path(data / JOURNAL), count)
            for name, file in _members(new):
                _replace(file, data / name, aside / name)
            sync_folder(data)
    except OSError as error:
        raise _write_error(error, data) from error
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
