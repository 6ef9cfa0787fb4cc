"""The file format of backups: how a backup is written, and how it is read and verified.

A backup is a compressed tar archive. Its first member, `manifest.json`, names the version of Tablekeeper, the time, and
the size and checksum of each other member. A backup contains the private keys of the table's certificates and reveals
the players' hands, so only its owner may read it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import sqlite3
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from companion.match.acknowledged_count import AcknowledgedCount
from companion.match.journal_file_access import PRIVATE_FILE, PRIVATE_FOLDER, sync
from companion.match.journal_integrity import count_in, is_sound
from companion.match.journal_schema import NewerSchema
from companion.platform_calls import sync_folder
from companion.text.messages import TextError, _
from companion.version import product_version

JOURNAL = "journal.sqlite3"
SETTINGS = "settings.toml"
MANIFEST = "manifest.json"
FORMAT = 1
MEMBER = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
MAX_BYTES = 4 * 1024**3
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


def new_manifest(folder: Path, count: AcknowledgedCount, number: int) -> Manifest:
    return Manifest(
        format=FORMAT,
        version=product_version(),
        made=datetime.now().astimezone().isoformat(timespec="seconds"),
        games=count.games,
        acts=count.acts,
        files={name: ManifestEntry(path.stat().st_size, _checksum(path)) for name, path in members(folder)},
        number=number,
    )


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_archive(folder: Path, manifest: Manifest, path: Path) -> None:
    """Writes the archive under a temporary name, and renames it when it is complete and durable."""
    partial = folder / "archive.part"
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w:gz") as archive:
        content = json.dumps(msgspec.to_builtins(manifest), indent=1).encode()
        header = tarfile.TarInfo(MANIFEST)
        header.size, header.mode = len(content), PRIVATE_FILE
        archive.addfile(header, io.BytesIO(content))
        for name, member in members(folder):
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


def members(folder: Path) -> Iterator[tuple[str, Path]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path


def manifest_of(path: Path) -> Manifest | None:
    """The manifest of a backup; None if it can't be read. Nothing in the backup is verified."""
    with suppress(BackupError, *READ_ERRORS), tarfile.open(path, "r:gz") as archive:
        return msgspec.convert(_manifest_in(archive, path), Manifest)
    return None


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


def write_error(error: OSError, path: Path) -> BackupError:
    return BackupError(
        _("Can’t write to {path} ({why}).", path=error.filename or path, why=error.strerror or str(error))
    )


def verify(path: Path, data: Path) -> None:
    """Verifies everything in a backup. Unpacks it into a temporary folder within `data`. Raises BackupError if the
    backup is incomplete or damaged, comes from a newer version, or can't be unpacked."""
    try:
        with tempfile.TemporaryDirectory(dir=data, prefix=".verify-") as folder:
            extract(path, Path(folder))
    except OSError as error:
        raise write_error(error, data) from error
