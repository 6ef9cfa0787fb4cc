"""The doctor's checks of storage: free space, the journal, how long a write takes, the wear of the disk, and the
automatic backups."""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

from companion.diagnostics.findings import Finding
from companion.diagnostics.systemd_units import unit_state
from companion.installation import is_installed_table
from companion.match.acknowledged_count import counter_path
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.storage_remedies import slow_disk_remedy, unusable_folder_remedy
from companion.tabletop.observations import DeviceHealth
from companion.text.messages import Number, Text, TextLike, _

BACKUP_UNIT = "tablekeeper-backup.service"
MIN_FREE_MB = 200
TIMED_WRITES = 20
"""The number of writes to a journal that are timed to find the median."""
MAX_WRITE_S = 0.5
"""The longest acceptable time to store a move durably. An SD card needs a twentieth of this time."""


def disk(data: Path) -> Iterator[Finding]:
    """Checks the free space for the journal in the folder `data`, and the time that it takes to store a move
    durably."""
    # Not Path.exists, which raises PermissionError if a parent folder may not be read.
    folder = next(path for path in (data, *data.absolute().parents) if os.path.exists(path))
    if not os.path.isdir(folder):
        yield Finding("disk", False, _("{folder} isn’t a folder.", folder=folder), unusable_folder_remedy(data))
        return
    yield free_space(folder)
    try:
        seconds = commit_latency_s(folder)
    except (OSError, JournalError) as error:
        yield Finding("journal", False, _unwritable_message(folder, error), _ownership_remedy(data, folder))
        return
    message = _("Moves are saved in {n} ms.", n=Number(seconds * 1000, 1))
    yield Finding("journal", seconds < MAX_WRITE_S, message, "" if seconds < MAX_WRITE_S else slow_disk_remedy())


def free_space(folder: Path) -> Finding:
    """Checks the free space in an existing folder. Raises OSError if the file system can't be asked."""
    free = shutil.disk_usage(folder).free // 10**6
    message = _("{folder} has {size} GB free.", folder=folder, size=Number(free / 1000, 1))
    remedy = _("Make room. The journal and the print files need at least {size} MB.", size=MIN_FREE_MB)
    return Finding("disk", free >= MIN_FREE_MB, message, "" if free >= MIN_FREE_MB else remedy)


def disk_health(folder: Path) -> DeviceHealth:
    """The health of the disk that holds this folder."""
    try:
        found = free_space(folder)
    except OSError as error:
        return DeviceHealth(device="disk", ok=False, message=error.strerror or str(error))
    return DeviceHealth(device="disk", ok=found.ok, message=found.message, remedy=found.remedy)


def journal(path: Path) -> Iterator[Finding]:
    """Checks whether the journal is sound and complete. Yields nothing if there is none."""
    if not (os.path.exists(path) or os.path.exists(counter_path(path))):
        return
    try:
        with closing(Journal.read_only(path)) as found:
            damage = found.damage
    except JournalError as error:
        yield Finding("journal", False, error.message)
        return
    remedy = _("`tablekeeper run` sets it aside and keeps what is intact.")
    yield Finding("journal", not damage, damage or _("The journal is intact."), remedy if damage else "")


def _unwritable_message(folder: Path, error: OSError | JournalError) -> Text:
    why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return _("Can’t write to {folder} ({error}).", folder=folder, error=why)


def _ownership_remedy(data: Path, folder: Path) -> TextLike:
    """The remedy for a data folder that belongs to another user. `folder`: the part of the path `data` that exists."""
    if is_installed_table():
        return unusable_folder_remedy(data)
    command = f"sudo chown -R $USER {data}" if folder == data else f"sudo mkdir -p {data} && sudo chown $USER {data}"
    return _("Make the folder yours: {command}; or name another one with --data.", command=command)


def commit_latency_s(folder: Path) -> float:
    """The median time, in seconds, that a journal in this folder takes to store something durably."""
    with (
        tempfile.TemporaryDirectory(prefix="doctor-", dir=folder) as temporary,
        closing(Journal(Path(temporary) / "journal.sqlite3")) as journal,
    ):
        return statistics.median(_elapsed_s(partial(journal.save_note, "doctor", n)) for n in range(TIMED_WRITES))


def _elapsed_s(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


BLOCK_DEVICES, FILE_SYSTEMS = Path("/sys/block"), Path("/sys/fs/ext4")
WORN_LIFE_TIME = 9
"""The value of `life_time` from which a disk is worn: it has used up more than 80% of its life (JEDEC eMMC, where each
step is 10%)."""
WORN_RESERVE = 2
"""The value of `pre_eol_info` from which a disk is worn: it has used up 80% of its spare blocks."""


def disk_wear(devices: Path = BLOCK_DEVICES, file_systems: Path = FILE_SYSTEMS) -> Iterator[Finding]:
    """Checks how worn the disk is, and whether the file system has noted errors. Most SD cards do not report their
    wear; the file system notes errors on any disk. Yields nothing if neither is known."""
    remedy = _("Back up the games, then copy everything to a new card.")
    for folder in sorted(devices.glob("mmcblk*/device")):
        used = max(_numbers(folder / "life_time"), default=0)
        reserve = max(_numbers(folder / "pre_eol_info"), default=0)
        if used or reserve:
            is_fine = used < WORN_LIFE_TIME and reserve < WORN_RESERVE
            message = _("The disk has used up about {n}% of its life.", n=min(used, 10) * 10)
            yield Finding("disk wear", is_fine, message, "" if is_fine else remedy)
    counts = [count for path in sorted(file_systems.glob("*/errors_count")) for count in _numbers(path)]
    if sum(counts):
        yield Finding("disk wear", False, _("The file system has noted {n} errors.", n=sum(counts)), remedy)
    elif counts:
        yield Finding("disk wear", True, _("The file system has noted no errors."))


def _numbers(path: Path) -> list[int]:
    """The numbers in a file of the kernel, such as "0x01 0x02"; none if it can't be read."""
    try:
        return [int(word, 0) for word in path.read_text().split()]
    except (OSError, ValueError):
        return []


def automatic_backups() -> Iterator[Finding]:
    """Checks the automatic backups. Yields nothing if the last one has not failed, or on a machine without systemd."""
    yield from backup_findings(unit_state(BACKUP_UNIT))


def backup_findings(state: dict[str, str]) -> Iterator[Finding]:
    """Yields a finding if the last automatic backup has failed. `state`: the properties of its unit, as `systemctl
    show` names them."""
    if state.get("ActiveState") == "failed":
        why = _("To see why: sudo journalctl -u tablekeeper-backup -n 20.")
        yield Finding("backups", False, _("The last automatic backup has failed."), why)
