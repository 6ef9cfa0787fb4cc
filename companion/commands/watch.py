"""`tablekeeper watch`: the command and its arguments. `companion.commands.run_watch` does the work."""

from __future__ import annotations

import argparse

from companion.commands.command_list import Subparsers, command_parser
from companion.games import GAMES

SOURCE_HELP = (
    "a camera (0, /dev/video0, picamera2), a video, a folder of images (10 per second), or the URL of an MJPEG or RTSP "
    "stream"
)


def add(subparsers: Subparsers) -> None:
    """Adds the command `watch` and its arguments."""
    watch = command_parser(
        subparsers,
        "watch",
        "tablekeeper watch --json --game systems-failing 0",
    )
    watch.add_argument("--json", action="store_true", help="print one JSON object per event")
    watch.add_argument("--game", choices=sorted(GAMES), help="recognize only this game’s codes")
    watch.add_argument("--stats", action="store_true", help="print the processing times at the end")
    watch.add_argument("source", metavar="SOURCE", help=SOURCE_HELP)
    watch.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Follows the codes in a camera, video or stream until it ends, or until Ctrl-C."""
    # Imported here, because the vision code is slow to load.
    from companion.commands.run_watch import watch_source

    return watch_source(args)
