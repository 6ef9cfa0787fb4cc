"""`tablekeeper replay-table`: runs a recording of the table through today's code."""

from __future__ import annotations

import argparse
from pathlib import Path

from companion.commands import CommandError
from companion.commands.command_list import Subparsers, command_parser
from companion.games import GAMES
from companion.recordings.recording_format import RecordingError
from companion.recordings.recording_regression import Difference, ReplayResult, replay_recording
from companion.text.player_names import clean_line

MAX_FILE_BYTES = 100_000_000
"""A file that is larger than this is not a recording."""


def add(subparsers: Subparsers) -> None:
    """Adds the command `replay-table` and its arguments."""
    command = command_parser(
        subparsers,
        "replay-table",
        "tablekeeper replay-table recording.jsonl",
    )
    command.add_argument("file", type=Path, metavar="FILE", help="a recording that `tablekeeper record` made")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
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
    product = clean_line(first.product)
    return (
        f"{GAMES[first.game].title} with {first.seats} players, {_time(result.seconds)} min, recorded with Tablekeeper "
        f"{product}\n{result.observations} observations, {result.acts} acts ({result.read_acts} of them read by the "
        f"camera), {result.discrepancies} discrepancies reported"
    )


def _described(difference: Difference) -> str:
    """A difference as text, in three or more lines."""
    where = f"line {difference.line}, at {_time(difference.seconds)}, after act {difference.acts}: {difference.what}"
    then, today = (clean_line("; ".join(texts)) or "none" for texts in (difference.then, difference.today))
    return f"{where}\n  then:  {then}\n  today: {today}"


def _time(seconds: float) -> str:
    """The time in minutes and seconds, such as 12:05."""
    return f"{int(seconds // 60)}:{int(seconds % 60):02}"
