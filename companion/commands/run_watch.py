"""Follows the codes in front of a camera, in a video or in a stream, and prints what happens to them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import closing

from companion.commands import CommandError
from companion.commands.interrupts import quiet_exit
from companion.games import GAMES
from vision import use_one_thread
from vision.frame_processing_time import FrameTiming
from vision.frame_source import CameraError, FrameSource
from vision.known_codes import code_reaches, component_codes, mats_by_game, other_sides
from vision.open_frame_source import open_source
from vision.tracking.table_watcher import TableWatcher
from vision.tracking.tracker import TrackEvent


def watch_source(args: argparse.Namespace) -> int:
    """Follows the codes in a camera, video or stream until it ends, or until Ctrl-C; returns the exit status 0. Raises
    CommandError if the source can't be opened or read."""
    use_one_thread()
    games = [args.game] if args.game else list(GAMES)
    on_foreign_code = ignore_foreign_code if args.json else report_foreign_code
    known, mats, reaches = component_codes(games), mats_by_game(games), code_reaches(games)
    watcher = TableWatcher(known, mats, on_foreign_code, other_sides(games), reaches=reaches)
    timing = FrameTiming()
    try:
        with closing(open_source(args.source)) as source, quiet_exit():
            print_events(source, watcher, timing, event_json if args.json else event_text)
    except CameraError as error:
        raise CommandError(str(error)) from error
    if args.stats:
        with quiet_exit():
            decodes = watcher.decodes
            print(json.dumps(timing.to_json(decodes)) if args.json else timing.summary(decodes), flush=True)
    return 0


def print_events(
    source: FrameSource, watcher: TableWatcher, timing: FrameTiming, to_line: Callable[[TrackEvent], str]
) -> None:
    """Passes every frame of the source to the watcher, and prints a line for every event. `timing` measures the
    processing; `to_line` formats an event."""
    for t, frame in source:
        with timing.measure():
            events = watcher.process(frame, t)
        for event in events:
            print(to_line(event), flush=True)


def ignore_foreign_code(text: str) -> None:
    """Ignores a code that doesn't belong to Tablekeeper. Used with --json, which prints only the documented lines."""


def report_foreign_code(text: str) -> None:
    """Prints to standard error the text of a code that doesn't belong to Tablekeeper."""
    print(f"Ignoring a foreign code: {text[:60]!r}", file=sys.stderr)


def event_json(event: TrackEvent) -> str:
    """An event as a line of JSON, in the documented format."""
    return json.dumps(
        {
            "t": round(event.t, 3),
            "event": event.kind,
            "id": event.id,
            "zone": event.zone,
            "order": event.order,
            "mm": [round(v, 1) for v in event.mm] if event.mm else None,
            "angle": round(event.angle, 1),
            "px": [round(v, 1) for v in event.px],
        }
    )


def event_text(event: TrackEvent) -> str:
    """An event as a line of text."""
    zone = f" in {event.zone}" if event.zone else ""
    position = f"{event.mm[0]:.0f}, {event.mm[1]:.0f} mm" if event.mm else f"{event.px[0]:.0f}, {event.px[1]:.0f} px"
    return f"{event.t:8.2f} s  {event.id} {event.kind}{zone} ({position}, {event.angle:.0f}°)"
