"""`tablekeeper read` and `watch` from the command line."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import cv2
import numpy as np
import pytest

from companion.commands import CommandError, read, watch
from companion.games import GAMES
from tests.vision_scenes import CARDS, FPS, SIZE, film, glide, still, tile
from vision.known_codes import known_codes
from vision.simulated_camera import PlacedPrint, Scene


def run(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers()
    for command in (read, watch):
        command.add(subparsers)
    args = parser.parse_args(argv)
    status: int = args.run(args)
    return status


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    captured = capsys.readouterr()
    assert captured.err == ""
    return [json.loads(line) for line in captured.out.splitlines()]


@pytest.fixture
def stills(tmp_path: Path) -> dict[str, str]:
    """A folder with files to read: an image with a code, an image without one, and two files that are not images."""
    ours = tmp_path / "ours.png"
    cv2.imwrite(str(ours), tile("SF-D07", 5))
    foreign = np.where(np.kron(np.eye(2), np.ones((9, 9))) > 0, 0, 255).astype(np.uint8)
    cv2.imwrite(str(tmp_path / "none.png"), foreign)
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "text.png").write_bytes(b"not a picture\n")
    return {path.stem: str(path) for path in tmp_path.iterdir()}


FIRST_IMPORT = """
import os, sys

class Probe:
    def find_spec(self, name, *_):
        if name in ("numpy", "cv2"):
            print("threads:", os.environ.get("OPENBLAS_NUM_THREADS"), file=sys.stderr)

sys.meta_path.insert(0, Probe())
from companion.__main__ import main
main(sys.argv[1:])
"""


@pytest.mark.slow
@pytest.mark.parametrize("command", [("read", "none.png"), ("watch", "none.avi")])
def test_numpy_is_imported_after_its_settings_were_made(command: tuple[str, ...]) -> None:
    """The settings are made before NumPy and OpenCV are imported, because NumPy reads the number of its threads at
    import, and OpenCV the size of the largest image."""
    environment = {key: value for key, value in os.environ.items() if key != "OPENBLAS_NUM_THREADS"}
    child = [sys.executable, "-c", FIRST_IMPORT, *command]
    errors = subprocess.run(child, capture_output=True, text=True, env=environment, timeout=60).stderr
    settings = [line for line in errors.splitlines() if line.startswith("threads:")]
    assert settings
    assert set(settings) == {"threads: 1"}


def test_read_prints_the_contracts_object(stills: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """`read --json` prints an object with id, text, corners in the code's own order, angle and milliseconds, as the
    contract says."""
    assert run("read", "--json", stills["ours"]) == 0
    (answer,) = lines(capsys)
    assert answer.keys() == {"image", "ms", "codes"}
    (code,) = answer["codes"]
    assert (code["id"], code["text"]) == ("SF-D07", "TK:SF-D07")
    assert np.allclose(code["corners"], [[19.5, 19.5], [124.5, 19.5], [124.5, 124.5], [19.5, 124.5]], atol=1.1)
    assert abs(code["angle"]) < 1


def test_unreadable_files_are_reported_and_the_others_read(
    stills: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each unreadable file gives an error, and the exit status is 1. The readable file is still read."""
    names = [stills["empty"], stills["text"], "/nowhere.png", stills["ours"]]
    assert run("read", "--json", *names) == 1
    answers = lines(capsys)
    assert [answer["image"] for answer in answers] == names
    assert [("error" in answer) for answer in answers] == [True, True, True, False]
    assert all(answer["error"]["message"].endswith(".") for answer in answers[:3])


def test_read_all_includes_foreign_codes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --all foreign codes are printed with the id null; without it they are left out."""
    path = tmp_path / "odd.png"
    cv2.imwrite(str(path), tile("SF-X99", 5))
    assert run("read", "--json", str(path)) == 0
    assert lines(capsys)[0]["codes"] == []
    assert run("read", "--json", "--all", str(path)) == 0
    assert [(code["id"], code["text"]) for code in lines(capsys)[0]["codes"]] == [(None, "TK:SF-X99")]


def test_read_prints_text(stills: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """Without --json, `read` prints a line for the image and one for each code."""
    run("read", stills["ours"])
    said = capsys.readouterr().out
    assert "1 code," in said
    assert "SF-D07 at 72, 72" in said


def test_errors_of_read_go_to_standard_error(stills: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    """`read` reports an error as one line on standard error, with exit status 1."""
    assert run("read", stills["text"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A video in which two cards appear, one slides to the right and the other is taken."""
    path = tmp_path_factory.mktemp("films") / "game.avi"
    a, b = PlacedPrint(CARDS[0], 100, 125, 10), PlacedPrint(CARDS[1], 240, 110, 100)
    way = glide(CARDS[0], (100, 125, 10), (150, 160, 10))
    scenes = [
        *still(Scene((a, b)), 8),
        *(Scene((b, step)) for step in way),
        *still(Scene((b, way[-1])), 6),
    ]
    scenes += still(Scene((way[-1],)), 12)
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), FPS, SIZE)
    for _, frame in film(scenes):
        writer.write(frame)
    writer.release()
    return str(path)


def test_watch_prints_the_events_of_a_video(video: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`watch --json` prints the events as the documented JSON lines, followed by statistics."""
    assert run("watch", "--json", "--stats", "--game", "systems-failing", video) == 0
    *events, stats = lines(capsys)
    assert [(e["event"], e["id"]) for e in sorted(events[:2], key=lambda e: str(e["id"]))] == [
        ("appeared", CARDS[0]),
        ("appeared", CARDS[1]),
    ]
    assert [(e["event"], e["id"]) for e in events[2:]] == [("moved", CARDS[0]), ("left", CARDS[1])]
    assert events[0].keys() == {"t", "event", "id", "zone", "order", "mm", "angle", "px"}
    assert round(events[2]["t"] * FPS) in (13, 14)
    assert stats.keys() == {"frames", "median_ms", "p95_ms", "decodes"}
    assert stats["frames"] == 32


def test_watch_prints_text(video: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --json events are printed as text."""
    assert run("watch", "--stats", video) == 0
    said = capsys.readouterr().out
    assert f"{CARDS[0]} moved" in said
    assert "32 frames, median" in said


def test_a_missing_source_is_a_command_error() -> None:
    """If the source is missing, the command prints one line without a traceback."""
    with pytest.raises(CommandError, match="/nowhere doesn’t exist"):
        run("watch", "/nowhere")


def test_a_pi_without_a_camera_is_a_command_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the Pi has no camera, `watch` says what to check, and doesn't ask people to report a bug."""
    module = MagicMock()
    module.Picamera2.side_effect = IndexError("list index out of range")
    monkeypatch.setitem(sys.modules, "picamera2", module)
    with pytest.raises(CommandError, match="rpicam-hello"):
        run("watch", "picamera2")


def test_every_printed_code_is_known() -> None:
    """The known codes are those of the components and mat corners of all games."""
    known = known_codes()
    for game in GAMES.values():
        assert {component.id for component in game.physical.components.components} <= known
        assert (
            game.physical.components.mat is None
            or {corner.id for corner in game.physical.components.mat.corners} <= known
        )


@pytest.mark.parametrize("command", ["read", "watch"])
def test_help_shows_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The help of every command contains an example."""
    with pytest.raises(SystemExit):
        run(command, "--help")
    assert f"example: tablekeeper {command}" in capsys.readouterr().out


@pytest.mark.parametrize("ending", [".png", ".jpg"])
def test_libraries_print_nothing_about_a_broken_image(
    ending: str, stills: dict[str, str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A broken image and the next file each give a result, and libraries print nothing to standard error."""
    whole = cv2.imencode(ending, tile("SF-D07", 5))[1]
    spoiled = np.delete(whole, slice(-400, -2))  # libjpeg misses its data
    if ending == ".png":
        spoiled = np.where(np.arange(whole.size) == whole.size // 2, whole ^ 1, whole)  # libpng finds a wrong checksum
    (tmp_path / f"broken{ending}").write_bytes(spoiled.tobytes())
    run("read", "--json", str(tmp_path / f"broken{ending}"), stills["ours"])
    out, err = capfd.readouterr()
    assert len(out.splitlines()) == 2
    assert err == ""


@pytest.mark.parametrize("size", [(1, 1), (7, 7), (3, 1920), (1, 40), (60, 80)])
def test_explain_writes_the_stages_of_any_image(
    size: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--explain` works for any image, even one that is too small for a code."""
    cv2.imwrite(str(tmp_path / "small.png"), np.full(size, 90, np.uint8))
    monkeypatch.chdir(tmp_path)
    assert run("read", "--explain", "small.png") == 0
    assert len(list(tmp_path.glob("small-*.png"))) == 4
