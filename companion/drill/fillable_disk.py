"""Gives a service a disk of its own, which can be filled and emptied.

The disk is a file system in memory that only the service sees (in its own mount namespace), so the drill needs no
administrator rights. Where this is not allowed, the size of the service's files is limited instead.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from companion.drill.environment import DrillEnvironment
from companion.drill.outcome import DrillFailed, NotPossible
from companion.drill.service_process import PROCESSES, ServiceProcess

SIZE = 1 << 30
"""The size of the disk while there is room, in bytes. Unused space takes no memory."""
PAGE = 4096
NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount")
SCRIPT = 'mount -t tmpfs -o size="$1" tmpfs "$2" && ln -s "$3" "$2/prints" && shift 3 && exec "$@"'
"""A shell script that makes the disk and runs a command with it. Its arguments: the size, the folder, the folder with
the pictures of cards, and the command."""
TIMEOUT_S = 20.0


class Disk(Protocol):
    """A disk that can be made full, and the service that stores its data there."""

    @property
    def service(self) -> ServiceProcess: ...
    @property
    def data(self) -> Path:
        """The folder with the service's data, as this process can read it."""

    @property
    def limitation(self) -> str:
        """A sentence for the report if the disk can't become full as a real one does; "" if it can."""

    def fill(self) -> None:
        """Makes the disk full."""

    def empty(self) -> None:
        """Makes room on the disk again."""


def fillable_disk(environment: DrillEnvironment) -> Disk:
    """Prepares a disk that can be made full, and a service that will store its data there but has not been started yet.
    If this machine allows it, the disk is in memory. Otherwise it is the usual disk, and the size of the service's
    files is limited, which has the effect of a full disk. Raises NotPossible if neither is possible here."""
    if _can_mount(environment):
        return MemoryDisk(environment)
    if hasattr(resource, "prlimit"):
        return LimitedFiles(environment)
    raise NotPossible("this system allows neither a small disk nor a limit on the size of files.")


def _can_mount(environment: DrillEnvironment) -> bool:
    """Whether this machine lets a process mount a file system in a namespace of its own."""
    if not (shutil.which("unshare") and shutil.which("nsenter")):
        return False
    command = _in_namespace(environment.new_folder(), environment.prints, ("true",))
    try:
        return not subprocess.run(command, capture_output=True, timeout=TIMEOUT_S, check=False).returncode
    except (OSError, subprocess.TimeoutExpired):
        return False


def _in_namespace(folder: Path, prints: Path, command: Sequence[str]) -> Sequence[str]:
    return (*NAMESPACE, "sh", "-c", SCRIPT, "sh", str(SIZE), str(folder), str(prints), *command)


class MemoryDisk:
    """A file system in memory. To make it full, it is shrunk to the size that is in use."""

    limitation = ""

    def __init__(self, environment: DrillEnvironment) -> None:
        self._folder = environment.new_folder()
        command = _in_namespace(self._folder, environment.prints, environment.command)
        self.service = ServiceProcess(self._folder, "--box", "none", command=command)

    @property
    def data(self) -> Path:
        return PROCESSES / str(self.service.pid) / "root" / self._folder.relative_to("/")

    def fill(self) -> None:
        status = os.statvfs(self.data)
        self._resize((status.f_blocks - status.f_bfree) * status.f_frsize)

    def empty(self) -> None:
        self._resize(SIZE)

    def _resize(self, size: int) -> None:
        inside = ("nsenter", "--target", str(self.service.pid), "--user", "--mount", "--preserve-credentials")
        command = (*inside, "mount", "-o", f"remount,size={size}", str(self._folder))
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        if done.returncode:
            raise DrillFailed(f"The disk could not be resized: {done.stderr.strip()}")


class LimitedFiles:
    """A limit on the size of the service's files, used in place of a small disk: nothing can be written, although the
    disk has room."""

    limitation = " (This machine allows no small disk, so the size of files was limited instead.)"

    def __init__(self, environment: DrillEnvironment) -> None:
        self.service = environment.service()
        self.data = self.service.data

    def fill(self) -> None:
        _, hard = resource.prlimit(self.service.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.service.pid, resource.RLIMIT_FSIZE, (0, hard))

    def empty(self) -> None:
        _, hard = resource.prlimit(self.service.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.service.pid, resource.RLIMIT_FSIZE, (hard, hard))
