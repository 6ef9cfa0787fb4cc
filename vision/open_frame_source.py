"""Opens the frame source that people name: a camera, a stream, a video file or a folder of images."""

from __future__ import annotations

from pathlib import Path

from companion.text.messages import _
from vision.camera_backends import NetworkStream, PiCamera, UsbCamera
from vision.file_frame_sources import ImageFolder, VideoFile
from vision.frame_source import CameraError, FrameSource, source_name
from vision.latest_frame_source import LatestFrameSource

STREAM_SCHEMES = ("http://", "https://", "rtsp://", "rtsps://", "tcp://", "udp://")


def open_source(spec: str) -> FrameSource:
    """Opens the frame source that `spec` names: a camera (`0`, `/dev/video0`, `picamera2`), a video file, a folder of
    images or a URL. Raises CameraError if `spec` names none of these, a file that is not a video, or a folder without
    images."""
    if spec.isdecimal() or spec.startswith("/dev/"):
        return LatestFrameSource(lambda: UsbCamera(spec))
    if spec == "picamera2":
        return LatestFrameSource(PiCamera)
    if spec.lower().startswith(STREAM_SCHEMES):
        return LatestFrameSource(lambda: NetworkStream(spec))
    path = Path(spec)
    if path.is_dir():
        return ImageFolder(path)
    if path.is_file():
        return VideoFile(path)
    raise CameraError(
        _(
            "{source} doesn’t exist. Name a camera (0, /dev/video0, picamera2), a video, a folder or a URL.",
            source=source_name(spec),
        )
    )
