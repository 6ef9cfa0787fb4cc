"""`tablekeeper record`: turns recording of the table on or off, and lists or deletes the recordings."""

from __future__ import annotations

import argparse

from companion.commands import CommandError
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.data_folder import add_data, data_folder
from companion.recordings.recording_store import RecordingStore


def add(subparsers: Subparsers) -> None:
    """Adds the command `record` and its arguments."""
    record = command_parser(
        subparsers,
        "record",
        "tablekeeper record\n         tablekeeper record --stop\n         tablekeeper record --list",
    )
    do = record.add_mutually_exclusive_group()
    do.add_argument("--stop", action="store_true", help="stop recording, and keep the recordings")
    do.add_argument("--list", action="store_true", help="list the recordings")
    do.add_argument("--delete", action="store_true", help="delete all recordings")
    add_data(record)
    record.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Turns recording on or off, or lists or deletes the recordings."""
    if args.data and not args.data.is_dir():
        raise CommandError(f"{args.data} is not a folder. Give the data folder of the service.")
    store = RecordingStore(args.data or data_folder())
    try:
        if args.delete:
            store.delete_all()
        elif args.stop:
            store.turn_off()
        elif not args.list:
            store.turn_on()
    except OSError as error:
        raise CommandError(f"{store.folder} can’t be changed ({error.strerror}).") from error
    for each in store.recordings():
        print(f"{store.folder / each.name}  {each.size / 1e6:.2f} MB")
    state = "The table is recorded while the service runs." if store.is_on else "The table is not recorded."
    print(f"{state} The recordings stay on this machine, in {store.folder}.")
    return 0
