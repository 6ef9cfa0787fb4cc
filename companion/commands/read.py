"""`tablekeeper read`: decodes the codes in images."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from companion.commands import CommandError
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.interrupts import quiet_exit


class FoundCode(Struct, frozen=True):
    """A code in an image. `id`: the component's id; None if the code doesn't belong to Tablekeeper. `corners`: in
    pixels, clockwise from the code's own top left corner. `angle`: in degrees clockwise."""

    id: str | None
    text: str
    corners: list[list[float]]
    angle: float


class ReadImage(Struct, frozen=True):
    """The codes in an image file. `ms`: how long it took to read them, in milliseconds."""

    image: str
    ms: float
    codes: list[FoundCode]


class ReadError(Struct, frozen=True):
    """Why an image can't be read."""

    code: str
    message: str


class UnreadableImage(Struct, frozen=True):
    """An image file that can't be read."""

    image: str
    error: ReadError


def add(subparsers: Subparsers) -> None:
    """Adds the command `read` and its arguments."""
    read = command_parser(subparsers, "read", "tablekeeper read --json table.jpg")
    read.add_argument("--json", action="store_true", help="print one JSON object per image")
    read.add_argument("--all", action="store_true", help="include codes that are not Tablekeeper’s")
    read.add_argument(
        "--explain", action="store_true", help="write images of the decoding stages to the current folder"
    )
    read.add_argument("images", nargs="+", metavar="IMAGE", help="an image file, such as a photo of the table")
    read.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Decodes the codes in every image and prints them. Returns the exit status: 1 if an image could not be read, else
    0. Imports the vision code only here, because it is slow to load."""
    from vision import use_one_thread
    from vision.decoding.decoder import precompute_templates
    from vision.known_codes import known_codes

    use_one_thread()
    known, failed = known_codes(), False
    precompute_templates(known)
    with quiet_exit():
        for name in args.images:
            result = read_image(name, known, include_foreign=args.all)
            is_unreadable = isinstance(result, UnreadableImage)
            failed |= is_unreadable
            if args.explain and not is_unreadable:
                explain(name, known)
            if args.json:
                print(json.dumps(msgspec.to_builtins(result)), flush=True)
            else:
                print(result_text(result), file=sys.stderr if is_unreadable else sys.stdout, flush=True)
    return int(failed)


def read_image(name: str, known: frozenset[str], *, include_foreign: bool) -> ReadImage | UnreadableImage:
    """The codes in an image file, or why it can't be read. If `include_foreign`, codes that don't belong to Tablekeeper
    are included."""
    import cv2

    from vision.decoding.decoder import read_codes
    from vision.file_frame_sources import load_image

    try:
        gray = load_image(Path(name), cv2.IMREAD_GRAYSCALE)
    except OSError as error:
        return unreadable(name, f"Can’t open {name}: {(error.strerror or str(error)).lower()}.")
    except ValueError:  # the name contains a null byte
        return unreadable(name, "This is not a valid file name.")
    if gray is None:
        return unreadable(name, f"{name} is not an image. PNG and JPEG can be read.")
    start = time.perf_counter()
    codes = read_codes(gray, known, wants_foreign=include_foreign)
    ms = (time.perf_counter() - start) * 1e3
    found = [
        FoundCode(
            id=code.id,
            text=code.text,
            corners=[[round(float(v), 2) for v in corner] for corner in code.corners],
            angle=round(code.angle, 2),
        )
        for code in codes
        if include_foreign or code.id
    ]
    return ReadImage(name, round(ms, 3), found)


def explain(name: str, known: frozenset[str]) -> None:
    """Decodes an image file, writes an image of each decoding stage to the current folder, and prints the paths of
    these images. `known`: the ids of all known codes. Raises CommandError if the images can't be written."""
    import cv2

    from vision.decoding_stage_images import write_stages
    from vision.file_frame_sources import load_image

    gray = load_image(Path(name), cv2.IMREAD_GRAYSCALE)
    try:
        paths = write_stages(gray, known, Path(Path(name).stem)) if gray is not None else []
    except OSError as error:
        reason = error.strerror
        raise CommandError(f"Can’t write the decoding stages here ({reason}). Change to another folder.") from error
    print(f"Decoding stages: {', '.join(map(str, paths))}", file=sys.stderr, flush=True)


def unreadable(name: str, message: str) -> UnreadableImage:
    """The result for an image file that can't be read, with the reason."""
    return UnreadableImage(name, ReadError("unreadable", message))


def result_text(result: ReadImage | UnreadableImage) -> str:
    """The result of `read_image` as text: a line for the image and one for each code, or the message of the error."""
    if isinstance(result, UnreadableImage):
        return result.error.message
    codes = result.codes
    lines = [f"{result.image}: {len(codes)} {'code' if len(codes) == 1 else 'codes'}, {result.ms:.1f} ms"]
    for code in codes:
        x, y = (sum(corner[i] for corner in code.corners) / 4 for i in (0, 1))
        lines.append(f"  {code.id or repr(code.text)} at {x:.0f}, {y:.0f}, rotated {code.angle:z.0f}°")
    return "\n".join(lines)
