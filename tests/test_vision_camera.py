"""Frame sources: video files, folders of images, and simulated live cameras."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from itertools import count, repeat
from pathlib import Path
from unittest.mock import MagicMock

import cv2
import numpy as np
import pytest

from companion import platform_calls
from vision import latest_frame_source
from vision.camera_backends import FRAME_HEIGHT, FRAME_WIDTH, NetworkStream, PiCamera, UsbCamera
from vision.file_frame_sources import VideoFile
from vision.frame_source import CameraError, source_name
from vision.geometry import Frame
from vision.latest_frame_source import LatestFrameSource
from vision.open_frame_source import open_source
from vision.yuv import as_frame


def plain_frame(value: int) -> Frame:
    return np.full((48, 64, 3), value, np.uint8)


def test_a_video_yields_every_frame_with_its_time(tmp_path: Path) -> None:
    """A video yields every frame with its time `t`, which is the frame number divided by the frame rate."""
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 12, (64, 48))
    for value in (10, 90, 200):
        writer.write(plain_frame(value))
    writer.release()
    source = open_source(str(path))
    frames = list(source)
    source.close()
    assert [round(t * 12) for t, _ in frames] == [0, 1, 2]
    assert [round(float(frame.mean()), -1) for _, frame in frames] == [10, 90, 200]


def test_a_folder_yields_its_images_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder yields its images in order. Other files are ignored. Broken images are skipped, and each is reported
    once."""
    for name, value in (("b.png", 20), ("a.png", 10), ("c.jpg", 30)):
        cv2.imwrite(str(tmp_path / name), plain_frame(value))
    (tmp_path / "aa.png").write_bytes(b"no picture")
    (tmp_path / "notes.txt").write_text("no picture either")
    (tmp_path / "folder.png").mkdir()
    assert [round(float(frame.mean())) for _, frame in open_source(str(tmp_path))] == [10, 20, 30]
    assert capsys.readouterr().err.splitlines() == [
        f"Skipping {tmp_path / 'aa.png'}: not an image.",
        f"Skipping {tmp_path / 'folder.png'}: is a directory.",
    ]


@pytest.mark.parametrize("spec", ["/nowhere/film.mp4", "/dev/video99", "97", "picamera2", "http://127.0.0.1:9/stream"])
def test_a_source_that_can_not_be_opened_raises_a_sentence(spec: str, capfd: pytest.CaptureFixture[str]) -> None:
    """If a source can't be opened, the error is a readable sentence, and OpenCV prints no warnings of its own."""
    with pytest.raises(CameraError, match=r"\w+.*[.?]"):
        open_source(spec)
    assert capfd.readouterr().err == ""


def test_a_file_without_frames_is_no_source(tmp_path: Path) -> None:
    """A text file and a folder without images are refused as sources."""
    (tmp_path / "film.mp4").write_text("not a film")
    with pytest.raises(CameraError):
        VideoFile(tmp_path / "film.mp4")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CameraError, match="no pictures"):
        open_source(str(tmp_path / "empty"))


class ScriptedCamera:
    """A camera that delivers the given frames, one each time the test releases a semaphore. A frame of None is a
    failure."""

    def __init__(self, frames: Iterator[Frame | None], gate: threading.Semaphore) -> None:
        self._frames, self._gate = frames, gate
        self._frame: Frame | None = None
        self.closed, self.retrieved, self.grabbed = False, 0, threading.Semaphore(0)

    def grab(self) -> bool:
        self._gate.acquire()
        self._frame = next(self._frames, None)
        self.grabbed.release()
        return self._frame is not None

    def retrieve(self) -> Frame | None:
        self.retrieved += 1
        return self._frame

    def close(self) -> None:
        self.closed = True


def test_a_live_source_reconnects_after_a_failure() -> None:
    """After a failure, the camera is closed before it is opened again, and frames continue."""
    gate, opened = threading.Semaphore(100), []

    def connect() -> ScriptedCamera:
        frames = [[plain_frame(10), None], [plain_frame(20)] * 90][min(len(opened), 1)]
        opened.append(ScriptedCamera(iter(frames), gate))
        return opened[-1]

    source = LatestFrameSource(connect)
    values = (int(as_frame(frame).mean()) for _, frame in source)
    assert next(value for value in values if value == 20) == 20
    assert opened[0].closed
    source.close()


def driver_failure(*_: object) -> None:
    raise RuntimeError("the driver has failed")


@pytest.mark.parametrize("method", ["grab", "retrieve", "close"])
def test_a_live_source_reconnects_whatever_the_driver_raises(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver may raise any exception when a frame is captured or decoded, when the camera is closed, and when it is
    opened again. The source goes on trying, and frames continue."""
    monkeypatch.setattr(latest_frame_source, "RECONNECT_DELAYS_S", (0.0,))
    gate, attempts = threading.Semaphore(1_000_000), count(1)

    def connect() -> ScriptedCamera:
        attempt = next(attempts)
        if attempt in (2, 3):
            driver_failure()
        if attempt > 1:
            return ScriptedCamera(repeat(plain_frame(20)), gate)
        camera = ScriptedCamera(iter([None]) if method == "close" else repeat(plain_frame(10)), gate)
        monkeypatch.setattr(camera, method, driver_failure)
        return camera

    source = LatestFrameSource(connect)
    values = (int(as_frame(frame).mean()) for _, frame in source)
    assert next(value for value in values if value == 20) == 20
    source.close()


def test_only_frames_that_somebody_waits_for_are_decoded() -> None:
    """Only frames that somebody waits for are decoded. All other frames are only grabbed, so that the next frame is
    never stale."""
    gate = threading.Semaphore(0)
    device = ScriptedCamera((plain_frame(n) for n in range(1, 200)), gate)
    source = LatestFrameSource(lambda: device)
    gate.release(5)
    for _ in range(5):
        device.grabbed.acquire()
    assert device.retrieved == 0
    found: list[int] = []
    waiting = threading.Thread(target=lambda: found.append(int(as_frame(next(iter(source))[1]).mean())))
    waiting.start()
    while waiting.is_alive():
        gate.release()
        waiting.join(0.01)
    gate.release(100)
    source.close()
    assert device.retrieved == 1
    assert found[0] > 5


def test_closing_interrupts_the_wait_for_a_frame() -> None:
    """Closing the source from another thread ends the wait for a frame, even if no frame arrives."""
    gate = threading.Semaphore(0)
    source = LatestFrameSource(lambda: ScriptedCamera(iter([plain_frame(1)]), gate))
    closer = threading.Thread(target=lambda: (gate.release(100), source.close()))
    closer.start()
    for _ in source:
        pass
    closer.join(10)
    assert not closer.is_alive()


@pytest.mark.parametrize(
    ("controls", "calls"), [({"AfMode": (0, 2, 0)}, [{"AfMode": 2}]), ({"Brightness": (0, 1, 0)}, [])]
)
def test_a_pi_camera_with_autofocus_uses_it(
    controls: dict[str, object], calls: list[dict[str, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If a Pi camera has autofocus, it is switched on, because libcamera does not focus by default. A camera without
    autofocus is not asked to focus."""
    module = MagicMock()
    pi = module.Picamera2.return_value
    pi.camera_controls = controls
    monkeypatch.setitem(sys.modules, "picamera2", module)
    PiCamera().close()
    assert [call.args[0] for call in pi.set_controls.call_args_list] == calls
    pi.close.assert_called_once()


@pytest.mark.parametrize("stride", [FRAME_WIDTH, FRAME_WIDTH + 128])
def test_a_pi_camera_delivers_luma_without_a_copy_and_colors_on_demand(
    stride: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The Pi's camera is asked for I420. The luma plane is a view of the camera's buffer, whatever the stride, and a
    red image is red after conversion to BGR."""
    stored = np.full((FRAME_HEIGHT * 3 // 2, stride), 128, np.uint8)
    stored[:FRAME_HEIGHT] = 82
    stored[FRAME_HEIGHT : FRAME_HEIGHT * 5 // 4], stored[FRAME_HEIGHT * 5 // 4 :] = 90, 240
    stored[5, 7] = 200
    module = MagicMock()
    pi = module.Picamera2.return_value
    pi.capture_request.return_value.make_array.return_value = stored
    monkeypatch.setitem(sys.modules, "picamera2", module)
    pi_camera = PiCamera()
    assert pi_camera.grab()
    pictures = pi_camera.retrieve()
    pi_camera.grab()
    assert pi.capture_request.return_value.release.call_count == 1
    assert pi.create_video_configuration.call_args.args[0] == {"size": (FRAME_WIDTH, FRAME_HEIGHT), "format": "YUV420"}
    assert pictures is not None
    assert pictures.luma.shape == (FRAME_HEIGHT, FRAME_WIDTH)
    assert np.shares_memory(pictures.luma, stored)
    assert pictures.luma[5, 7] == 200
    assert pictures.bgr.shape == (FRAME_HEIGHT, FRAME_WIDTH, 3)
    blue, green, red = pictures.bgr[500, 500]
    assert max(blue, green) < 10
    assert red > 250


def test_a_pi_camera_may_expose_longer_in_the_evening(monkeypatch: pytest.MonkeyPatch) -> None:
    """The frame rate may drop to 10 frames per second, so that the exposure can be longer: at picamera2's fixed 30
    frames per second it could be 33 ms at most."""
    module = MagicMock()
    monkeypatch.setitem(sys.modules, "picamera2", module)
    PiCamera().close()
    configuration = module.Picamera2.return_value.create_video_configuration.call_args.kwargs
    assert configuration["controls"] == {"FrameDurationLimits": (33_333, 100_000)}


def test_a_pi_without_a_camera_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a camera, picamera2 raises IndexError. The message says what to check."""
    module = MagicMock()
    module.Picamera2.side_effect = IndexError("list index out of range")
    monkeypatch.setitem(sys.modules, "picamera2", module)
    with pytest.raises(CameraError, match=r"cable.*`rpicam-hello --list-cameras`"):
        open_source("picamera2")


def test_a_pi_camera_that_fails_to_start_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Pi camera that can't be started is closed, because otherwise it could not be opened again. The message names
    the reason."""
    module = MagicMock()
    pi = module.Picamera2.return_value
    pi.start.side_effect = RuntimeError("Failed to start camera")
    monkeypatch.setitem(sys.modules, "picamera2", module)
    with pytest.raises(CameraError, match="RuntimeError: Failed to start camera"):
        open_source("picamera2")
    pi.close.assert_called_once()


def test_a_pi_camera_is_closed_even_if_it_does_not_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Pi camera that fails while its buffer is given back, and while it is stopped, is closed all the same."""
    module = MagicMock()
    pi = module.Picamera2.return_value
    pi.capture_request.return_value.release.side_effect = pi.stop.side_effect = RuntimeError("no camera")
    monkeypatch.setitem(sys.modules, "picamera2", module)
    camera = PiCamera()
    camera.grab()
    with pytest.raises(RuntimeError):
        camera.close()
    pi.close.assert_called_once()


@pytest.mark.parametrize(("has_v4l2", "backend"), [(True, cv2.CAP_V4L2), (False, cv2.CAP_ANY)])
def test_a_usb_camera_is_opened_as_its_system_does(
    has_v4l2: bool, backend: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cameras are opened through Video4Linux only on Linux. On macOS and Windows, OpenCV chooses the interface."""
    opened: list[object] = []
    monkeypatch.setattr(platform_calls, "HAS_V4L2", has_v4l2)
    monkeypatch.setattr(cv2, "VideoCapture", lambda *given: opened.append(given) or MagicMock())
    UsbCamera("1")
    assert opened == [(1, backend)]


def test_messages_do_not_have_the_password_of_a_camera() -> None:
    """Messages about a camera name only the host of a URL, because everyone can read them on /healthz and on an MQTT
    broker, and the rest of the URL may contain a password or a token."""
    with pytest.raises(CameraError) as unknown:
        open_source("ftp://ann:secret@camera.lan/stream?token=secret")
    assert "ftp://camera.lan doesn’t exist." in str(unknown.value)
    with pytest.raises(CameraError) as silent:
        NetworkStream("http://ann:secret@127.0.0.1:9/user=ann&password=secret?token=secret")
    assert "No stream from http://127.0.0.1:9." in str(silent.value)
    assert source_name("rtsp://ann:se/cr@t@camera.lan:554/1") == "rtsp://camera.lan:554"
    assert source_name("/dev/video0") == "/dev/video0"
    for spec in ("http://10.0.0.9/video?pwd=p@ss", "http://ann:s?cr@pass", "http://10.0.0.9/pw=p@ss"):
        assert source_name(spec) == "http://…"
    for spec in ("http:/ann:pass@10.0.0.9/", "ann:pass@10.0.0.9/video"):
        assert source_name(spec) == "…"
