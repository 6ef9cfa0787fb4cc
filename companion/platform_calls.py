"""System calls that some operating systems lack, in one place: locks, access to bytes in the middle of a file, errors
of terminals, the limits of a process, and how cameras are opened.

On Linux and macOS the locks are the system's own. Elsewhere they are those of the filelock package, which has no shared
locks.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import filelock


def _optional(name: str) -> Any:
    """A module of the standard library; None on a system that does not have it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


_fcntl, _resource, _termios = _optional("fcntl"), _optional("resource"), _optional("termios")

CLOSE_ON_EXEC: int = getattr(os, "O_CLOEXEC", 0)
"""The flag for opening a file that programs started by this process must not inherit."""
BINARY: int = getattr(os, "O_BINARY", 0)
"""The flag that keeps Windows from changing line endings."""
HAS_V4L2 = sys.platform == "linux"
"""Whether cameras are opened by Video4Linux. Elsewhere OpenCV chooses from what the system offers."""
TerminalError: type[Exception] = _termios.error if _termios else OSError
"""The exception that a serial line may raise, besides OSError."""


def give_to_owner_of(folder: Path, *paths: Path) -> None:
    """If this process runs as root, gives files to the owner of a folder. Otherwise a service that runs as this owner
    could not use them."""
    if getattr(os, "geteuid", lambda: -1)() == 0:
        owner = folder.stat()
        for path in paths:
            os.chown(path, owner.st_uid, owner.st_gid)


class FolderLock:
    """The lock on a folder. Either one process holds it alone, or several processes share it. The system releases it
    when the process ends. On a system without shared locks, `share` does nothing."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._lock = -1, None
        if _fcntl:
            self._folder = os.open(folder, os.O_RDONLY | CLOSE_ON_EXEC)
        else:
            self._lock = filelock.FileLock(folder / "folder.lock")

    def acquire(self) -> bool:
        """Locks the folder, alone if nobody else has it, otherwise shared. Returns whether the lock is held alone."""
        for _ in range(2):
            if self.acquire_alone():
                return True
            self.share()  # waits while another process holds the lock alone; the next try may then succeed
        return False

    def acquire_alone(self) -> bool:
        """Locks the folder for this process alone if nobody else has locked it. Returns whether this process now has
        the lock."""
        if self._lock:
            return _acquired(self._lock)
        return _flock(self._folder, shared=False)

    def share(self) -> None:
        """Takes a shared lock on the folder. Waits while another process holds an exclusive lock. Does nothing on a
        system without shared locks."""
        if _fcntl:
            _fcntl.flock(self._folder, _fcntl.LOCK_SH)

    def close(self) -> None:
        """Releases the lock."""
        if self._lock:
            self._lock.release(force=True)
        else:
            os.close(self._folder)


@contextmanager
def exclusive_file(file: int, path: Path) -> Iterator[None]:
    """Locks a file, which is open as `file`, during the block. Waits while another process has it locked."""
    if not _fcntl:
        with filelock.FileLock(_lock_path(path)):
            yield
        return
    _fcntl.flock(file, _fcntl.LOCK_EX)
    try:
        yield
    finally:
        _fcntl.flock(file, _fcntl.LOCK_UN)


class FileLock:
    """The lock on a file, which is open as `file`. The lock lasts until `close`."""

    def __init__(self, file: int, path: Path) -> None:
        self._file, self._lock = file, None if _fcntl else filelock.FileLock(_lock_path(path))

    def acquire(self, *, shared: bool = False) -> bool:
        """Locks the file if possible, without waiting; returns whether the file is locked now. If `shared`, others can
        have a shared lock on the file too."""
        return _acquired(self._lock) if self._lock else _flock(self._file, shared=shared)

    def close(self) -> None:
        """Releases the lock. On Linux and macOS this does nothing, because closing the file releases the lock."""
        if self._lock:
            self._lock.release(force=True)


def _lock_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.lock")


def _acquired(lock: filelock.BaseFileLock) -> bool:
    try:
        lock.acquire(blocking=False)
    except filelock.Timeout:
        return False
    return True


def _flock(file: int, *, shared: bool) -> bool:
    try:
        _fcntl.flock(file, (_fcntl.LOCK_SH if shared else _fcntl.LOCK_EX) | _fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def read_at(file: int, size: int, start: int) -> bytes:
    """Reads at most `size` bytes of an open file, starting at byte number `start`."""
    if hasattr(os, "pread"):
        return os.pread(file, size, start)
    os.lseek(file, start, os.SEEK_SET)
    return os.read(file, size)


def write_at(file: int, data: bytes, start: int) -> None:
    """Writes to an open file, starting at byte number `start`."""
    if hasattr(os, "pwrite"):
        os.pwrite(file, data, start)
    else:
        os.lseek(file, start, os.SEEK_SET)
        os.write(file, data)


def sync_folder(folder: Path) -> None:
    """Makes the creation, renaming and deletion of files in a folder durable. Does nothing on a system where programs
    can't do that."""
    try:
        file = os.open(folder, os.O_RDONLY | CLOSE_ON_EXEC)
    except PermissionError:
        if _fcntl:
            raise
        return
    try:
        os.fsync(file)
    finally:
        os.close(file)


def raise_open_file_limit(wanted: int) -> None:
    """Raises the limit on this process's open files to `wanted`, or as far as the system allows."""
    if not _resource:
        return
    soft, hard = _resource.getrlimit(_resource.RLIMIT_NOFILE)
    if hard != _resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft < wanted:
        with suppress(ValueError):  # macOS allows less than it says
            _resource.setrlimit(_resource.RLIMIT_NOFILE, (wanted, hard))


def limit_memory(most_bytes: int) -> None:
    """Limits this process to this much memory, and keeps it from leaving a core dump. Does nothing on a system without
    such limits."""
    if _resource:
        _lower_limit(_resource.RLIMIT_CORE, 0)
        _lower_limit(_resource.RLIMIT_DATA, most_bytes)


def limit_cpu_time(more_s: int) -> None:
    """Lets this process use `more_s` more seconds of CPU time; after that the system kills it. Does nothing on a system
    without such a limit."""
    if _resource:
        usage = _resource.getrusage(_resource.RUSAGE_SELF)
        _lower_limit(_resource.RLIMIT_CPU, int(usage.ru_utime + usage.ru_stime) + more_s)


def _lower_limit(kind: int, limit: int) -> None:
    """Sets a soft limit of this process to `limit`, or to the hard limit if that is lower."""
    hard = _resource.getrlimit(kind)[1]
    _resource.setrlimit(kind, (limit if hard == _resource.RLIM_INFINITY else min(limit, hard), hard))
