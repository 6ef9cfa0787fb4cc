"""`tablekeeper record` and `tablekeeper replay-table`: make recordings of the table, and run them through today's
code."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.commands import CommandError
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.data_folder import add_data, data_folder
from companion.games import GAMES
from companion.recordings.recording_format import RecordingError
from companion.recordings.recording_store import RecordingStore
from companion.recordings.table_replay import Difference, ReplayResult, replay_recording

MAX_FILE_BYTES = 100_000_000
"""A larger file is no recording."""


def add(subparsers: Subparsers) -> None:
    """Adds the commands `record` and `replay-table` and their arguments."""
    record = command_parser(
        subparsers,
        "record",
        "tablekeeper record\n         tablekeeper record --stop\n         tablekeeper record --list",
    )
    do = record.add_mutually_exclusive_group()
    do.add_argument("--stop", action="store_true", help="record nothing more; the recordings are kept")
    do.add_argument("--list", action="store_true", help="list the recordings")
    do.add_argument("--delete", action="store_true", help="delete all recordings")
    add_data(record)
    record.set_defaults(run=run_record)
    replay = command_parser(
        subparsers,
        "replay-table",
        "tablekeeper replay-table recording.jsonl",
    )
    replay.add_argument("file", type=Path, metavar="FILE", help="a recording that `tablekeeper record` made")
    replay.set_defaults(run=run_replay)


def run_record(args: argparse.Namespace) -> int:
    """Turns recording on or off, or lists or deletes the recordings."""
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


def run_replay(args: argparse.Namespace) -> int:
    """Runs a recording through this version, and prints where the results differ from those in the recording. Raises
    CommandError if they differ anywhere, or if the file is not a recording."""
    try:
        if args.file.stat().st_size > MAX_FILE_BYTES:
            raise CommandError(f"{args.file} is too large for a recording.")
        result = replay_recording(args.file.read_bytes())
    except OSError as error:
        raise CommandError(f"{args.file} can’t be read ({error.strerror}).") from error
    except RecordingError as error:
        raise CommandError(f"{args.file}, {error}.") from error
    print(_summary(result))
    for difference in result.differences:
        print(_described(difference))
    if result.differences:
        count = len(result.differences)
        places = "1 place" if count == 1 else f"{count} places"
        raise CommandError(f"{args.file}: this version gives different results in {places}.")
    print("This version gives the same results.")
    return 0


def _summary(result: ReplayResult) -> str:
    """The contents of the recording, in two lines of text."""
    first = result.first
    return (
        f"{GAMES[first.game].title} with {first.seats} players, {_time(result.seconds)} min, recorded with Tablekeeper "
        f"{first.product}\n{result.observations} observations, {result.acts} acts ({result.read_acts} of them read by "
        f"the camera), {result.discrepancies} discrepancies reported"
    )


def _described(difference: Difference) -> str:
    """A difference as text, in three or more lines."""
    where = f"line {difference.line}, at {_time(difference.seconds)}, after act {difference.acts}: {difference.what}"
    then = "; ".join(difference.then) or "none"
    today = "; ".join(difference.today) or "none"
    return f"{where}\n  then:  {then}\n  today: {today}"


def _time(seconds: float) -> str:
    """The time in minutes and seconds, such as 12:05."""
    return f"{int(seconds // 60)}:{int(seconds % 60):02}"
