"""`tablekeeper read`: decodes the codes in images."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from companion.commands import CommandError
from companion.commands.arguments import Subparsers, parser
from companion.commands.interrupts import quiet_exit


def add(subparsers: Subparsers) -> None:
    """Adds the command `read` and its arguments."""
    read = parser(
        subparsers, "read", "decode the codes in images, and print where they are", "tablekeeper read --json table.jpg"
    )
    read.add_argument("--json", action="store_true", help="print one JSON object per image")
    read.add_argument("--all", action="store_true", help="include codes that are not Tablekeeper's")
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
            failed |= "error" in result
            if args.explain and "error" not in result:
                explain(name, known)
            if args.json:
                print(json.dumps(result), flush=True)
            else:
                print(result_text(result), file=sys.stderr if "error" in result else sys.stdout, flush=True)
    return int(failed)


def read_image(name: str, known: frozenset[str], *, include_foreign: bool) -> dict[str, Any]:
    """The JSON object for an image file: the codes in the image, or an error. With `include_foreign`, codes that are
    not Tablekeeper's are included."""
    import cv2

    from vision.decoding.decoder import read_codes
    from vision.frame_files import load_image

    try:
        gray = load_image(Path(name), cv2.IMREAD_GRAYSCALE)
    except OSError as error:
        return unreadable(name, f"Can't open {name}: {(error.strerror or str(error)).lower()}.")
    except ValueError:  # a null byte
        return unreadable(name, "This is not a valid file name.")
    if gray is None:
        return unreadable(name, f"{name} is not an image. PNG and JPEG can be read.")
    start = time.perf_counter()
    codes = read_codes(gray, known)
    ms = (time.perf_counter() - start) * 1e3
    wanted = [
        {
            "id": code.id,
            "text": code.text,
            "corners": [[round(float(v), 2) for v in corner] for corner in code.corners],
            "angle": round(code.angle, 2),
        }
        for code in codes
        if include_foreign or code.id
    ]
    return {"image": name, "ms": round(ms, 3), "codes": wanted}


def explain(name: str, known: frozenset[str]) -> None:
    """Writes images of the decoding stages of an image file to the current folder, and prints their paths. `known`: the
    ids of all known codes. Raises CommandError."""
    import cv2

    from vision.debug_view import write_stages
    from vision.frame_files import load_image

    gray = load_image(Path(name), cv2.IMREAD_GRAYSCALE)
    try:
        paths = write_stages(gray, known, Path(Path(name).stem)) if gray is not None else []
    except OSError as error:
        reason = error.strerror
        raise CommandError(f"Can't write the decoding stages here ({reason}). Change to another folder.") from error
    print(f"Decoding stages: {', '.join(map(str, paths))}", file=sys.stderr, flush=True)


def unreadable(name: str, message: str) -> dict[str, Any]:
    return {"image": name, "error": {"code": "unreadable", "message": message}}


def result_text(result: dict[str, Any]) -> str:
    """The result of `read_image` as text: a line for the image and one for each code, or the message of the error."""
    if "error" in result:
        return str(result["error"]["message"])
    codes = result["codes"]
    lines = [f"{result['image']}: {len(codes)} {'code' if len(codes) == 1 else 'codes'}, {result['ms']:.1f} ms"]
    for code in codes:
        x, y = (sum(c[i] for c in code["corners"]) / 4 for i in (0, 1))
        lines.append(f"  {code['id'] or repr(code['text'])} at {x:.0f}, {y:.0f}, rotated {code['angle']:z.0f}°")
    return "\n".join(lines)
