"""`tablekeeper backup` and `tablekeeper restore`: the games and settings of a table in one file."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from companion import backups
from companion.backup_archive import SETTINGS, Backup, BackupError, manifest_of
from companion.backup_restore import restore_backup
from companion.commands import CommandError, UsageError
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.data_folder import add_data, data_folder
from companion.commands.data_folder_lock import exclusive_lock


def add(subparsers: Subparsers) -> None:
    """Adds the commands `backup` and `restore` and their arguments."""
    backup = command_parser(
        subparsers,
        "backup",
        "tablekeeper backup\n         tablekeeper backup -o evening.tar.gz\n"
        "         tablekeeper backup --copy-to /media/stick",
    )
    backup.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help=f"backups/ in the data folder by default, where the last {backups.KEPT} are kept",
    )
    backup.add_argument(
        "--copy-to", type=Path, metavar="DIR", help="also copy it to this folder, for example on a USB stick"
    )
    backup.add_argument(
        "--copy-to-stick", type=Path, metavar="DIR", help="the same, but only if a disk is mounted at this folder"
    )
    backup.add_argument("--config", type=Path, metavar="FILE", help="also save this settings file")
    add_data(backup)
    backup.set_defaults(run=run_backup)
    restore = command_parser(
        subparsers,
        "restore",
        "tablekeeper restore --list\n         tablekeeper restore evening.tar.gz",
    )
    restore.add_argument("file", type=Path, metavar="FILE", nargs="?", help="the backup, or its name in --list")
    restore.add_argument("--list", action="store_true", help="list the backups in the data folder")
    add_data(restore)
    restore.set_defaults(run=run_restore)


def run_backup(args: argparse.Namespace) -> int:
    """Makes a backup, and says what is in it."""
    data = args.data or data_folder()
    print(f"Backing up {data} …", flush=True)
    try:
        made = backups.make_backup(data, args.config, args.output)
        print(f"{made.path}: {_contents(made)}")
        if args.copy_to:
            print(f"{backups.copy_to(made, args.copy_to)}: the same")
        if args.copy_to_stick and args.copy_to_stick.is_mount():
            print(f"{backups.copy_to(made, args.copy_to_stick)}: the same")
    except BackupError as error:
        raise CommandError(str(error)) from error
    return 0


def run_restore(args: argparse.Namespace) -> int:
    """Restores a backup, or lists the backups."""
    data = args.data or data_folder()
    if args.list:
        _print_list(backups.backups(data))
        return 0
    if args.file is None:
        raise UsageError("Name the backup, or list them with --list.")
    # Not `Path.exists`, which fails in a folder that the user tablekeeper may not enter, such as somebody's home.
    path = args.file if os.path.exists(args.file) else data / backups.FOLDER / args.file.name
    with exclusive_lock(data):
        print(f"Verifying {path} …", flush=True)
        try:
            restored, aside = restore_backup(path, data)
        except BackupError as error:
            raise CommandError(str(error)) from error
    print(f"Restored: {_contents(restored)}, made {restored.made} by version {restored.version}.")
    print(f"What was here before is in {aside}.")
    if (data / SETTINGS).exists():
        print(f"The settings of that time are in {data / SETTINGS}; compare them with yours.")
    return 0


def _print_list(newest_first: Sequence[Path]) -> None:
    """Prints a line for each backup."""
    for path in newest_first:
        found = manifest_of(path)
        what = f"{_count(found.games, 'game')} with {_count(found.acts, 'act')}" if found else "damaged"
        print(f"{path.name}  {path.stat().st_size / 1e6:5.1f} MB  {what}")
    if backups.has_wrong_dates([path.name for path in newest_first]):
        print("The newest is first. The table’s clock was wrong at times, so some of the dates are wrong too.")


def _contents(backup: Backup) -> str:
    return f"{_count(backup.games, 'game')} with {_count(backup.acts, 'act')}, {backup.size / 1e6:.1f} MB"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
