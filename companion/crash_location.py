"""Finds the place in Tablekeeper's own code at which an unexpected exception was raised, for bug reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from traceback import extract_tb

FOLDER = Path(__file__).resolve().parents[1]
"""The folder with the product's packages."""
PACKAGES = ("companion", "vision", "web")
FRAME = re.compile(r'^ *File "(.+)", line (\d+)', re.MULTILINE)
"""Matches a frame in a traceback that was printed as text."""


def crash_location(error: BaseException) -> str:
    """The file and the line of the innermost frame in Tablekeeper's own code, such as
    `companion/games/commute/rules.py:81`. If there is no such frame, the file and the line of the innermost frame of
    the whole traceback."""
    frames = [*_frames(error)]
    own = [(name, line) for path, line in frames if (name := _name_in_product(path))]
    file, line = own[-1] if own else (Path(frames[-1][0]).name, frames[-1][1])
    return f"{file}:{line}"


def _frames(error: BaseException) -> Iterator[tuple[str, int]]:
    """Yields the file and the line of each frame, the innermost frame last. The frames of a worker process come after
    those of this process, because a worker sends its traceback as text, as the cause of the exception."""
    for frame in extract_tb(error.__traceback__):
        yield frame.filename, frame.lineno or 0
    for file, line in FRAME.findall(str(error.__cause__ or "")):
        yield file, int(line)


def _name_in_product(path: str) -> str:
    """The path of a file relative to the product's folder; "" for a file that is not the product's."""
    file = Path(path)
    name = file.relative_to(FOLDER) if file.is_relative_to(FOLDER) else Path()
    return name.as_posix() if name.parts[:1] and name.parts[0] in PACKAGES else ""
