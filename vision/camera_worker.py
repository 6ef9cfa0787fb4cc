"""The worker process: reads frames, tracks the table, and sends observations through a pipe.

Decoding has a process of its own so that it never delays an answer to a phone. `vision.camera_process` starts and
restarts it.
"""

from __future__ import annotations

import signal
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Literal

import cv2
import numpy as np

from companion.diagnostics.live_picture_types import LivePicture
from companion.tabletop.mat import Mat
from companion.tabletop.observations import DeviceHealth, MatSeen, Observation
from companion.text.messages import TextLike, _
from vision.calibration_store import CalibrationStore
from vision.camera_worker_messages import (
    CountTokensRequest,
    LivePictureRequest,
    LivePictureResponse,
    MarkCornersRequest,
    ObservationBatch,
    PublicPictureRequest,
    PublicPictureResponse,
    SnapshotRequest,
    SnapshotResponse,
    StopRequest,
    WorkerEnded,
)
from vision.cubes.count_scheduler import CountScheduler
from vision.decoded_codes import remove_duplicates
from vision.decoding.decoder import find_with_zxing
from vision.frame_processing_time import FrameTiming
from vision.frame_rate_limit import FrameRateLimit
from vision.frame_source import CameraError, FrameSource
from vision.image_quality_advice import MAX_SAMPLE_FRAMES, frame_rate_finding
from vision.known_codes import code_reaches
from vision.live_picture_rendering import encode_jpeg, live_picture
from vision.observation_conversion import (
    CodesInView,
    HiddenCodes,
    ReportedPlaces,
    count_to_observation,
    event_to_observation,
)
from vision.open_frame_source import open_source
from vision.public_picture import encode_webp, placed_outlines, public_picture
from vision.simulated_camera import Scene, SimulatedSource
from vision.track_overlay import draw_tracks
from vision.tracking.table_watcher import TableWatcher
from vision.tracking.tracker import TrackEvent
from vision.yuv import CameraImage, as_frame, to_bgr, to_gray

DEVICE = "camera"
SIMULATED_SOURCE = "simulated"
MAX_FPS = 15.0
HEARTBEAT_S = 1.0
"""A worker that gets frames sends an empty batch if it has sent nothing else for this many seconds of the source's
time."""
MAX_FIRST_LOOK_S = 30.0
"""The first look at the table ends after this many seconds even if no mat is in view, or if the camera can't read all
of it, for example because a lamp flickers."""


@dataclass(frozen=True)
class WorkerSettings:
    """The settings of a worker. `source` is SIMULATED_SOURCE, or a name that `open_frame_source.open_source`
    understands. `mats` are the mats by game. `known` contains the codes to recognize. `max_fps` limits the frames per
    second. `other_side` maps the code on each side of a two-sided component to the code on its other side.
    `calibration_path` is the file in which the calibration is saved. `cube_mm` is the edge of the cubes on the table.
    If it is None, the cubes have the size that each mat is made for."""

    source: str
    mats: Mapping[str, Mat]
    known: frozenset[str]
    other_side: Mapping[str, str]
    max_fps: float = MAX_FPS
    calibration_path: Path | None = None
    cube_mm: float | None = None


class FirstLook:
    """The first look at the table, which ends when the camera has read the whole mat in view."""

    def __init__(self) -> None:
        self._mat: str | None = None
        self._since: float | None = None
        self._ended: set[str | None] = set()
        """The mats at which the camera has looked; None if it need not wait for a mat any more."""

    def has_ended(self, mat: str | None) -> bool:
        """Whether the first look has ended if this mat is in view."""
        return mat in self._ended

    def start_over(self, mat: str) -> None:
        """Makes the camera look at this mat once more, because a game has begun on it."""
        self._ended.discard(mat)
        self._since = None

    def update(self, t: float, mat: str | None, *, is_read: bool) -> None:
        """Updates the first look with a frame taken at `t` seconds. `mat`: the mat in view. `is_read`: whether nothing
        on it is still to be read or counted."""
        if self._since is None or mat != self._mat:
            self._mat, self._since = mat, t
        if (mat is not None and is_read) or t - self._since >= MAX_FIRST_LOOK_S:
            self._ended |= {mat, None}


def run_worker(pipe: Connection, settings: WorkerSettings) -> None:
    """The entry point of the worker process. Runs a worker until it ends. A failure is sent as a WorkerEnded
    message."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then sends a StopRequest
    cv2.setNumThreads(1)
    try:
        CameraWorker(pipe, settings).run()
    except (CameraError, OSError, ValueError) as error:
        send_failure(pipe, error.message if isinstance(error, CameraError) else str(error))
    except EOFError:
        return  # the parent has ended
    except Exception as error:  # a bug: reported like any failure, and the worker is restarted
        send_failure(pipe, _("The camera program failed ({why}).", why=f"{type(error).__name__}: {error}"))


def send_failure(pipe: Connection, failure: TextLike) -> None:
    try:
        pipe.send(WorkerEnded(failure or _("The camera program failed.")))
    except OSError:
        return


class CameraWorker:
    """The worker's main loop: processes a frame, sends observations, and answers requests in between."""

    def __init__(self, pipe: Connection, settings: WorkerSettings) -> None:
        self._pipe, self._settings = pipe, settings
        self._calibration_store = CalibrationStore(settings.calibration_path)
        self._watcher = TableWatcher(
            settings.known,
            settings.mats,
            other_side=settings.other_side,
            saved_calibration=self._calibration_store.load(),
            reaches=code_reaches(),
        )
        self._counter = CountScheduler(settings.cube_mm)
        self._timing = FrameTiming()
        self._reported_places = ReportedPlaces()
        self._codes_in_view = CodesInView()
        self._hidden_codes = HiddenCodes()
        self._scene = Scene()
        self._last_image: CameraImage | None = None
        self._counts_tokens = False
        self._frame_times = deque[float](maxlen=MAX_SAMPLE_FRAMES)
        self._last_sent = 0.0
        self._mat_in_view: str | None = None
        self._is_mat_searched = False
        self._first_look = FirstLook()
        self._has_marks = False
        self._stopped = False

    def run(self) -> None:
        """Processes frames until the source ends or a StopRequest arrives. Raises CameraError if the source fails, and
        EOFError if the parent process has ended."""
        self._handle(self._pipe.recv())  # the parent sends the scene first; without it the first frame would be empty
        source = self._open_source()
        self._send(DeviceHealth(device=DEVICE, ok=True, message=_("The camera works.")))
        limit = FrameRateLimit(self._settings.max_fps)  # keeps the Pi cool
        start = time.monotonic()
        try:
            for t, image in source:
                self._handle_requests_until(start + t)  # a recorded video then plays at its original speed
                next_due = limit.next_due(time.monotonic())
                self._process(t, image)
                self._handle_requests_until(next_due)
                if self._stopped:
                    return
        finally:
            source.close()
            self._save_calibration()
        self._pipe.send(WorkerEnded())

    def _open_source(self) -> FrameSource:
        if self._settings.source == SIMULATED_SOURCE:
            return SimulatedSource(lambda: self._scene, MAX_FPS)
        return open_source(self._settings.source)

    def _handle_requests_until(self, deadline: float) -> None:
        """Handles requests until `deadline`, in seconds of the monotonic clock. Waits on the pipe, so that requests are
        answered at once."""
        while not self._stopped and self._pipe.poll(max(0.0, deadline - time.monotonic())):
            self._handle(self._pipe.recv())

    def _handle(self, message: object) -> None:
        match message:
            case Scene() as scene:
                self._scene = scene
            case CountTokensRequest(mat):
                self._counts_tokens = mat is not None
                if mat is not None:
                    self._first_look.start_over(mat.name)
                self._counter.set_mat(mat)
            case SnapshotRequest():
                self._pipe.send(SnapshotResponse(self._snapshot()))
            case LivePictureRequest(codes):
                self._pipe.send(LivePictureResponse(self._live_picture(codes or self._watcher.known_ids)))
            case PublicPictureRequest() as request:
                self._pipe.send(PublicPictureResponse(self._public_picture(request)))
            case MarkCornersRequest() as request:
                self._mark_corners(request)
            case StopRequest():
                self._stopped = True

    def _process(self, t: float, image: CameraImage) -> None:
        with self._timing.measure():
            events = self._watcher.process(image, t)
        counts = list(self._token_counts(t, image))
        self._last_image = image
        self._forget_dropped_marks()
        self._frame_times.append(t)
        if self._calibration_store.is_due():
            self._save_calibration()
        tracks = self._watcher.tracker.tracks
        found = [*map(event_to_observation, events), *self._reported_places.corrections(t, tracks.values(), events)]
        in_view = [*self._codes_in_view.update(t, tracks, events), *self._hidden(t, events)]
        observations = [*self._mat_changes(t), *found, *in_view, *counts, *self._first_look_changes(t)]
        if observations or t - self._last_sent >= HEARTBEAT_S:
            self._last_sent = t
            self._send(*observations, t=t)

    def _hidden(self, t: float, events: Iterable[TrackEvent]) -> Iterator[Observation]:
        """Yields an observation for each code that is now hidden, or in view again."""
        watcher = self._watcher
        yield from self._hidden_codes.update(t, watcher.hidden_codes(t), watcher.visible_tracks().keys(), events)

    def _send(self, *observations: Observation, t: float = 0.0) -> None:
        self._pipe.send(ObservationBatch(observations, t))

    def _token_counts(self, t: float, image: CameraImage) -> Iterator[Observation]:
        """Yields the token counts that are new with this frame. Converts the frame to BGR only if tokens are to be
        counted."""
        if self._counts_tokens:
            for count in self._counter.update(to_bgr(image), t, self._watcher):
                yield count_to_observation(count, t)

    def _save_calibration(self) -> None:
        error = self._calibration_store.save(self._watcher.calibration())
        if error:
            self._send(DeviceHealth(device=DEVICE, ok=True, message=error))

    def _mark_corners(self, request: MarkCornersRequest) -> None:
        """Passes on the marks, and saves them at once. Does nothing before the first frame."""
        if self._last_image is None:
            return
        height, width = as_frame(self._last_image).shape[:2]
        corners = None if request.corners is None else np.array(request.corners, float) * (width, height) - 0.5
        self._watcher.mark_corners(request.game, corners)
        self._save_calibration()
        self._forget_dropped_marks()

    def _forget_dropped_marks(self) -> None:
        """Deletes the saved calibration when the marks have ended, so that they don't return after a restart."""
        had_marks, self._has_marks = self._has_marks, self._watcher.registration.marks is not None
        if had_marks and not self._has_marks:
            self._calibration_store.forget()

    def _mat_changes(self, t: float) -> Iterator[Observation]:
        mat = self._watcher.mat_in_view
        if mat != self._mat_in_view:
            self._mat_in_view, self._is_mat_searched = mat, self._first_look.has_ended(mat)
            yield MatSeen(t=t, mat=mat, is_searched=self._is_mat_searched)

    def _first_look_changes(self, t: float) -> Iterator[Observation]:
        """Yields an observation when the first look at the table has ended, or begins again with a new game."""
        look, mat = self._first_look, self._mat_in_view
        if not look.has_ended(mat):
            is_counted = not self._counts_tokens or self._counter.has_counted_all
            look.update(t, mat, is_read=is_counted and self._watcher.has_read_mat)
        if look.has_ended(mat) != self._is_mat_searched:
            self._is_mat_searched = look.has_ended(mat)
            yield MatSeen(t=t, mat=mat, is_searched=self._is_mat_searched)

    def _snapshot(self) -> bytes:
        if self._last_image is None:
            return b""
        return encode_jpeg(draw_tracks(to_bgr(self._last_image), self._watcher))

    def _public_picture(self, request: PublicPictureRequest) -> bytes:
        """The picture that everyone may see, as WebP. No bytes while something moves, while the mat is out of view, or
        while a code is in view that may not be shown. Also no bytes while the places on the mat follow from marks:
        cards are then cut out less exactly, so what lies beside them might be visible."""
        watcher, mat = self._watcher, request.mat
        pose = None if watcher.registration.depends_on_marks else watcher.registration.pose
        if self._last_image is None or not watcher.is_still or pose is None or watcher.mat_in_view != mat.name:
            return b""
        tracks = watcher.visible_tracks()
        if not request.visible.issuperset(tracks) or not (
            request.public is None or tracks.keys() <= request.public.keys()
        ):
            return b""
        shown = None if request.public is None else placed_outlines(tracks, request.public)
        return encode_webp(public_picture(to_bgr(self._last_image), pose, mat, request.px_per_mm, shown))

    def _live_picture(self, known: frozenset[str]) -> LivePicture | None:
        """The live picture of the last frame, with the codes that zxing-cpp reads in it and those that are tracked;
        None before the first frame. Only the fast first stage of decoding is run: running all stages every second would
        leave no time to track the game."""
        if self._last_image is None:
            return None
        tracked = (code for code in self._watcher.current_codes() if code.id in known)
        codes = remove_duplicates([*find_with_zxing(to_gray(self._last_image), known), *tracked])
        mats = tuple(mat for mat in self._settings.mats.values() if known.issuperset(c.id for c in mat.corners))
        watcher = self._watcher
        registration = watcher.registration
        marked = registration.marked_quads if registration.mat in mats else {}
        frame = to_bgr(self._last_image)
        picture = live_picture(frame, codes, known, mats, watcher.read_rates, watcher.shake_px, marked)
        frame_rate = frame_rate_finding(self._frame_times, self._last_image)
        marks: Literal["none", "set", "dropped"] = "dropped" if registration.are_marks_dropped else "none"
        return replace(picture, findings=(frame_rate, *picture.findings), marks="set" if marked else marks)
