"""The outermost error handling of the command line: any failure is one line and an exit status, never a traceback."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion import __main__ as command_line
from companion.__main__ import main
from companion.commands import journal_commands
from tests.vision_scenes import tile

ROOT = Path(__file__).parents[1]


def run(*words: str | bytes, shell: str = "") -> subprocess.CompletedProcess[bytes]:
    """Runs `tablekeeper` in a process of its own, with its output redirected by `shell`."""
    command = [b"sh", b"-c", b'exec "$@" ' + shell.encode(), b"sh", os.fsencode(sys.executable), b"-m", b"companion"]
    given = [word if isinstance(word, bytes) else word.encode() for word in words]
    return subprocess.run([*command, *given], cwd=ROOT, capture_output=True, check=False)


def one_line(said: bytes) -> str:
    text = said.decode()
    assert text.count("\n") == 1, text
    return text


@pytest.mark.parametrize("words", [("codes", "--json"), ("cards", "systems-failing", "--json")])
def test_output_that_can_not_be_written_is_reported_in_one_line(words: tuple[str, ...]) -> None:
    """If output can't be written, as on a full disk or device, the exit status is 1 and one line gives the reason. The
    interpreter adds nothing at exit."""
    done = run(*words, shell=">/dev/full")
    assert done.returncode == 1
    assert "No space left" in one_line(done.stderr)


@pytest.mark.slow
def test_a_closed_pipe_prints_no_error() -> None:
    """`tablekeeper codes --json | head -c 1` prints no error."""
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m companion codes --json | head -c 1"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&- >&-", "2>&-"])
def test_output_to_a_closed_stream_is_discarded(closed: str, tmp_path: Path) -> None:
    """Output to a closed stream is discarded. It does not go to another stream, or into a file that got the same
    descriptor."""
    good = run("games", "--data", str(tmp_path), shell=closed)
    assert (good.returncode, good.stderr) == (0, b"")
    bad = run("verify", "--data", str(tmp_path), "none", shell=closed)
    assert (bad.returncode, bad.stdout) == (1, b"")
    assert bad.stderr.count(b"\n") == ("2>&-" not in closed)


@pytest.mark.slow
def test_a_seed_that_is_not_utf_8_is_wrong_usage() -> None:
    """A seed that is not valid UTF-8 is wrong usage, because JSON can't contain it."""
    done = run("simulate", "systems-failing", "--games", "1", "--json", "--seed", b"\xff")
    assert done.returncode == 2
    assert b"--seed" in done.stderr
    assert b"Traceback" not in done.stderr


def huge_png() -> bytes:
    """The beginning of a PNG image of 20000 x 20000 pixels."""
    size = struct.pack(">IIBBBBB", 20000, 20000, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", size), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b""))
    parts = (struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.slow
def test_read_refuses_at_once_what_it_can_not_read(tmp_path: Path) -> None:
    """`read` refuses a device, a pipe without a writer, and an image larger than any camera makes, before reading
    it."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "huge.png").write_bytes(huge_png())
    done = run("read", "/dev/zero", str(tmp_path / "pipe"), str(tmp_path / "huge.png"))
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == [
        "Can’t open /dev/zero: not a regular file.",
        f"Can’t open {tmp_path / 'pipe'}: not a regular file.",
        f"Can’t open {tmp_path / 'huge.png'}: more than 200 megapixels.",
    ]


@pytest.mark.slow
def test_printing_never_fails_by_encoding(tmp_path: Path) -> None:
    """Characters that a terminal can't show, such as the degree sign, are written as escapes."""
    cv2.imwrite(str(tmp_path / "code.png"), tile("SF-D07", 5))
    done = subprocess.run(
        [sys.executable, "-m", "companion", "read", str(tmp_path / "code.png")],
        cwd=ROOT,
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert b"rotated 0\\xb0" in done.stdout


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(28, "No space left on device", "/srv/t"), "/srv/t: No space left on device"),
        (TypeError("inward"), "This is a bug in Tablekeeper; please report it: TypeError at companion/__main__.py:"),
    ],
)
def test_an_unexpected_error_is_one_line(
    error: Exception, says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An unexpected error gives exit status 1 and one line that names its place in the code."""

    def broken(*_: object) -> int:
        raise error

    monkeypatch.setattr(journal_commands, "run_games", broken)
    monkeypatch.delenv(command_line.TRACEBACK, raising=False)
    assert main(["games"]) == 1
    assert says in one_line(capsys.readouterr().err.encode())


def test_developers_get_the_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Developers can get the traceback by setting an environment variable."""

    def broken(*_: object) -> int:
        raise TypeError("inward")

    monkeypatch.setattr(journal_commands, "run_games", broken)
    monkeypatch.setenv(command_line.TRACEBACK, "1")
    with pytest.raises(TypeError):
        main(["games"])


@pytest.mark.parametrize("size", [(1, 1), (2, 2), (4, 4), (100, 1), (1, 100), (15, 40)])
def test_watch_takes_pictures_of_any_size(
    size: tuple[int, int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`watch` accepts images smaller than a cell of the motion map or than any code."""
    for name in "ab":
        cv2.imwrite(str(tmp_path / f"{name}.png"), np.zeros((*size, 3), np.uint8))
    assert main(["watch", "--json", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""
