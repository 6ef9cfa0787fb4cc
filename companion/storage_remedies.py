"""What people can do if the data folder can't be used, or its disk is full or slow. It depends on how Tablekeeper was
installed."""

from __future__ import annotations

from pathlib import Path

from companion.installation import DATA, is_installed_table
from companion.text.messages import TextLike, _


def unusable_folder_remedy(folder: Path) -> TextLike:
    """What to do if the data folder can't be used. `folder`: the data folder."""
    if is_installed_table():
        if not folder.is_relative_to(DATA):
            return _(
                "The table may write to {folder} only: put {setting} back into the settings file. For another disk, "
                "mount it there.",
                folder=DATA,
                setting=f'data = "{DATA}"',
            )
        return _(
            "Let the table write to it: sudo chown -R tablekeeper: {folder}; or mount another disk there.", folder=DATA
        )
    return _("Name another folder with --data.")


def full_disk_remedy() -> TextLike:
    """What to do if the disk with the data folder is full."""
    if is_installed_table():
        return _("Make room on the disk, or mount another one at {folder}.", folder=DATA)
    return _("Make room on the disk, or name another folder with --data.")


def slow_disk_remedy() -> TextLike:
    """What to do if the disk with the data folder takes too long to store something."""
    if is_installed_table():
        return _("The SD card is worn out or slow. Use a new one, or mount a USB disk at {folder}.", folder=DATA)
    return _("The SD card is worn out or slow. Use a new one, or name a USB disk with --data.")
