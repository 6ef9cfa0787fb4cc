"""The temporary folder for the files of the PDF queue. Folders of services that were killed are deleted here too."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from companion.platform_calls import FolderLock

PREFIX = "tablekeeper-prints-"


class PrintFolder:
    """A new temporary folder, which stays locked as long as its service runs. Raises OSError if the folder can't be
    made or locked."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._lock = FolderLock(self.path)
        if not self._lock.acquire_alone():
            self._lock.close()
            raise OSError(f"{self.path} is in use")

    def delete(self) -> None:
        """Deletes the folder and everything in it."""
        self._lock.close()
        shutil.rmtree(self.path, ignore_errors=True)


def delete_abandoned_folders() -> None:
    """Deletes the folders that killed services of this user have left behind."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # somebody else's, or gone meanwhile
            if path.is_symlink() or not path.is_dir() or (hasattr(os, "getuid") and path.stat().st_uid != os.getuid()):
                continue
            lock = FolderLock(path)
            is_abandoned = lock.acquire_alone()
            lock.close()
            if is_abandoned:
                shutil.rmtree(path, ignore_errors=True)
