"""`tablekeeper read` and `tablekeeper watch`."""

from __future__ import annotations

import json
import os
import sys
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import cv2

from companion.commands import CommandError
from companion.games import GAMES
from companion.tabletop.mat import Mat
from vision.camera import CameraError, FrameSource, load_image, open_source
from vision.debug_view import write_stages as draw_stages
from vision.decoding.decoder import precompute_templates, read_codes
from vision.frame_timing import FrameTiming
from vision.geometry import Code
from vision.tracking.tracker import TrackEvent
from vision.tracking.watcher import Watcher


def add(subparsers: Any) -> None:
    """Adds both commands."""
    _add_read(subparsers)
    _add_watch(subparsers)


def _add_read(subparsers: Any) -> None:
    parser: ArgumentParser = subparsers.add_parser(
        "read",
        help="decode the codes in pictures",
        description="Decodes the codes in pictures and says where they lie.",
        epilog="example: tablekeeper read --json table.jpg",
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a picture")
    parser.add_argument("--all", action="store_true", help="codes that are not Tablekeeper's too")
    parser.add_argument("--explain", action="store_true", help="write what was seen, stage by stage, as pictures here")
    parser.add_argument("images", nargs="+", metavar="IMAGE")
    parser.set_defaults(run=run_read)


def _add_watch(subparsers: Any) -> None:
    parser: ArgumentParser = subparsers.add_parser(
        "watch",
        help="follow a camera, a video or a stream",
        description="Follows a camera, a video or a stream; prints what appears, moves, turns and leaves.",
        epilog="SOURCE is a camera (0, /dev/video0, picamera2), a video, a folder of pictures (ten a second)\n"
        "or a URL of an MJPEG or RTSP stream.\n\n"
        "example: tablekeeper watch --json --game systems-failing 0",
        formatter_class=RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="one JSON object an event")
    parser.add_argument("--game", choices=sorted(GAMES), help="know this game's codes only")
    parser.add_argument("--stats", action="store_true", help="end with how long the frames took")
    parser.add_argument("source", metavar="SOURCE")
    parser.set_defaults(run=run_watch)


def known_things(games: Iterable[str] = GAMES) -> frozenset[str]:
    """The ids of the games' things."""
    return frozenset(code for game in games for code in GAMES[game].physical.components.kinds)


def other_sides(games: Iterable[str] = GAMES) -> dict[str, str]:
    """The code on the other side, of things that have two."""
    return {code: other for game in games for code, other in GAMES[game].physical.components.other_side.items()}


def mats_of(games: Iterable[str] = GAMES) -> dict[str, Mat]:
    """The games' mats, by game."""
    return {game: mat for game in games if (mat := GAMES[game].physical.components.mat) is not None}


def known_codes() -> frozenset[str]:
    """Every id that is printed, the mats' corners too."""
    return known_things() | {corner.id for mat in mats_of().values() for corner in mat.corners}


# read


def run_read(args: Namespace) -> int:
    """Reads every picture; 1 if one of them could not be read."""
    cv2.setNumThreads(1)
    known, failed = known_codes(), False
    precompute_templates(known)
    with quietly():
        for name in args.images:
            answer = read_picture(name, known, args.all)
            failed |= "error" in answer
            if args.explain and "error" not in answer:
                write_stages(name, known)
            if args.json:
                print(json.dumps(answer), flush=True)
            else:
                print(in_words(answer), file=sys.stderr if "error" in answer else sys.stdout, flush=True)
    return int(failed)


def read_picture(name: str, known: frozenset[str], foreign_too: bool) -> dict[str, Any]:
    """The contract's object for a picture."""
    try:
        grey = load_image(Path(name), cv2.IMREAD_GRAYSCALE)
    except OSError as error:
        return unreadable(name, f"{name} can't be opened: {(error.strerror or str(error)).lower()}.")
    except ValueError:
        return unreadable(name, "This is no file name.")
    if grey is None:
        return unreadable(name, f"{name} is no picture; PNG and JPEG can be read.")
    start = time.perf_counter()
    codes = read_codes(grey, known)
    ms = (time.perf_counter() - start) * 1e3
    told = [code_as_json(code) for code in codes if foreign_too or code.id]
    return {"image": name, "ms": round(ms, 3), "codes": told}


def write_stages(name: str, known: frozenset[str]) -> None:
    """Writes the stages of reading a picture into the working folder, and says where."""
    picture = load_image(Path(name), cv2.IMREAD_GRAYSCALE)
    try:
        paths = draw_stages(picture, known, Path(Path(name).stem)) if picture is not None else []
    except OSError as error:
        raise CommandError(f"The stages can't be written here ({error.strerror}); go to another folder.") from error
    print(f"What was seen: {', '.join(map(str, paths))}", file=sys.stderr, flush=True)


def unreadable(name: str, message: str) -> dict[str, Any]:
    return {"image": name, "error": {"code": "unreadable", "message": message}}


def code_as_json(code: Code) -> dict[str, Any]:
    corners = [[round(float(v), 2) for v in corner] for corner in code.corners]
    return {"id": code.id, "text": code.text, "corners": corners, "angle": round(code.angle, 2)}


def in_words(answer: dict[str, Any]) -> str:
    """The same for people."""
    if "error" in answer:
        return str(answer["error"]["message"])
    lines = [f"{answer['image']}: {len(answer['codes'])} codes, {answer['ms']:.1f} ms"]
    for code in answer["codes"]:
        x, y = (sum(c[i] for c in code["corners"]) / 4 for i in (0, 1))
        lines.append(f"  {code['id'] or repr(code['text'])} at {x:.0f}, {y:.0f}, turned {code['angle']:z.0f}°")
    return "\n".join(lines)


# watch


def run_watch(args: Namespace) -> int:
    """Follows the source to its end, or until Ctrl-C."""
    cv2.setNumThreads(1)
    games = [args.game] if args.game else list(GAMES)
    foreign = silent if args.json else say_foreign
    watcher = Watcher(known_things(games), mats_of(games), foreign, other_sides(games))
    stats = FrameTiming()
    try:
        with closing(open_source(args.source)) as source, quietly():
            follow(source, watcher, stats, event_as_line if args.json else event_in_words)
        with quietly():
            report(stats, watcher, args)
    except CameraError as error:
        raise CommandError(str(error)) from error
    return 0


def report(stats: FrameTiming, watcher: Watcher, args: Namespace) -> None:
    if args.stats:
        decodes = watcher.decodes
        print(json.dumps(stats.to_json(decodes)) if args.json else stats.summary(decodes), flush=True)


def follow(source: FrameSource, watcher: Watcher, stats: FrameTiming, line: Callable[[TrackEvent], str]) -> None:
    """Prints a line for every event."""
    for t, frame in source:
        with stats.measure():
            events = watcher.process(frame, t)
        for event in events:
            print(line(event), flush=True)


def silent(text: str) -> None:
    """With --json nothing but the contract's lines is printed."""


def say_foreign(text: str) -> None:
    print(f"A code that is not ours is ignored: {text[:60]!r}", file=sys.stderr)


def event_as_line(event: TrackEvent) -> str:
    """The contract's line."""
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


def event_in_words(event: TrackEvent) -> str:
    where = f" in {event.zone}" if event.zone else ""
    at = f"{event.mm[0]:.0f}, {event.mm[1]:.0f} mm" if event.mm else f"{event.px[0]:.0f}, {event.px[1]:.0f} px"
    return f"{event.t:8.2f} s  {event.id} {event.kind}{where} ({at}, {event.angle:.0f}°)"


@contextmanager
def quietly() -> Iterator[None]:
    """Ctrl-C and a reader that has gone away end the work, without a word."""
    try:
        yield
    except KeyboardInterrupt:
        return
    except BrokenPipeError:
        # What Python would flush at exit goes nowhere, instead of complaining.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
