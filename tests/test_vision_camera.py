"""Frame sources, without a camera."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import MagicMock

import cv2
import numpy as np
import pytest

from vision.camera import FRAME_HEIGHT, FRAME_WIDTH, CameraError, LiveSource, PiCamera, VideoFile, open_source
from vision.geometry import Frame
from vision.yuv import as_frame


def picture(value: int) -> Frame:
    return np.full((48, 64, 3), value, np.uint8)


def test_a_video_gives_every_frame_in_its_own_time(tmp_path: Path) -> None:
    """t is the number of the frame divided by the frame rate."""
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 12, (64, 48))
    for value in (10, 90, 200):
        writer.write(picture(value))
    writer.release()
    source = open_source(str(path))
    seen = list(source)
    source.close()
    assert [round(t * 12) for t, _ in seen] == [0, 1, 2]
    assert [round(float(frame.mean()), -1) for _, frame in seen] == [10, 90, 200]


def test_a_folder_gives_its_pictures_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Other files are left out; broken pictures too, and each is told once."""
    for name, value in (("b.png", 20), ("a.png", 10), ("c.jpg", 30)):
        cv2.imwrite(str(tmp_path / name), picture(value))
    (tmp_path / "aa.png").write_bytes(b"no picture")
    (tmp_path / "notes.txt").write_text("no picture either")
    (tmp_path / "folder.png").mkdir()
    assert [round(float(frame.mean())) for _, frame in open_source(str(tmp_path))] == [10, 20, 30]
    assert capsys.readouterr().err.splitlines() == [
        f"Skipping {tmp_path / 'aa.png'}: not an image.",
        f"Skipping {tmp_path / 'folder.png'}: is a directory.",
    ]


@pytest.mark.parametrize("spec", ["/nowhere/film.mp4", "/dev/video99", "97", "picamera2", "http://127.0.0.1:9/stream"])
def test_what_can_not_be_opened_is_said_in_a_sentence(spec: str, capfd: pytest.CaptureFixture[str]) -> None:
    """And nothing else: OpenCV's own warnings stay silent."""
    with pytest.raises(CameraError, match=r"\w+.*[.?]"):
        open_source(spec)
    assert capfd.readouterr().err == ""


def test_no_video_is_no_source(tmp_path: Path) -> None:
    """A text file, and a folder without pictures."""
    (tmp_path / "film.mp4").write_text("not a film")
    with pytest.raises(CameraError):
        VideoFile(tmp_path / "film.mp4")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CameraError, match="no pictures"):
        open_source(str(tmp_path / "empty"))


class Script:
    """A camera that gives what the test lets it give; None is a failure."""

    def __init__(self, frames: Iterator[Frame | None], gate: threading.Semaphore) -> None:
        self._frames, self._gate = frames, gate
        self.closed = False

    def read(self) -> Frame | None:
        self._gate.acquire()
        return next(self._frames, None)

    def close(self) -> None:
        self.closed = True


def test_a_live_source_comes_back_after_a_failure() -> None:
    """The camera is closed before it is opened again, and frames go on."""
    gate, opened = threading.Semaphore(100), []

    def connect() -> Script:
        frames = [[picture(10), None], [picture(20)] * 90][min(len(opened), 1)]
        opened.append(Script(iter(frames), gate))
        return opened[-1]

    source = LiveSource(connect)
    values = (int(as_frame(frame).mean()) for _, frame in source)
    assert next(value for value in values if value == 20) == 20
    assert opened[0].closed
    source.close()


def test_closing_ends_the_wait_for_a_frame() -> None:
    """From another thread, while nothing comes."""
    gate = threading.Semaphore(0)
    source = LiveSource(lambda: Script(iter([picture(1)]), gate))
    closer = threading.Thread(target=lambda: (gate.release(100), source.close()))
    closer.start()
    for _ in source:
        pass
    closer.join(10)
    assert not closer.is_alive()


@pytest.mark.parametrize(
    ("controls", "told"), [({"AfMode": (0, 2, 0)}, [{"AfMode": 2}]), ({"Brightness": (0, 1, 0)}, [])]
)
def test_a_pi_camera_that_can_focus_does(
    controls: dict[str, object], told: list[dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """libcamera leaves the lens alone unless it is told; a camera without autofocus is told nothing."""
    module = MagicMock()
    pi = module.Picamera2.return_value
    pi.camera_controls = controls
    monkeypatch.setitem(sys.modules, "picamera2", module)
    PiCamera().close()
    assert [call.args[0] for call in pi.set_controls.call_args_list] == told
    pi.close.assert_called_once()


@pytest.mark.parametrize("stride", [FRAME_WIDTH, FRAME_WIDTH + 128])
def test_a_pi_camera_gives_light_without_work_and_colours_on_demand(
    stride: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked for I420; the light is a view of what it gives, however long its rows are, and red is red."""
    stored = np.full((FRAME_HEIGHT * 3 // 2, stride), 128, np.uint8)
    stored[:FRAME_HEIGHT] = 82
    stored[FRAME_HEIGHT : FRAME_HEIGHT * 5 // 4], stored[FRAME_HEIGHT * 5 // 4 :] = 90, 240
    stored[5, 7] = 200
    module = MagicMock()
    pi = module.Picamera2.return_value
    pi.capture_array.return_value = stored
    monkeypatch.setitem(sys.modules, "picamera2", module)
    pictures = PiCamera().read()
    assert pi.create_video_configuration.call_args.args[0] == {"size": (FRAME_WIDTH, FRAME_HEIGHT), "format": "YUV420"}
    assert pictures is not None
    assert pictures.luma.shape == (FRAME_HEIGHT, FRAME_WIDTH)
    assert np.shares_memory(pictures.luma, stored)
    assert pictures.luma[5, 7] == 200
    assert pictures.bgr.shape == (FRAME_HEIGHT, FRAME_WIDTH, 3)
    blue, green, red = pictures.bgr[500, 500]
    assert max(blue, green) < 10
    assert red > 250
