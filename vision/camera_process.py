"""Runs the camera's worker process as a device: an iterable of observations with `close()`.

One thread iterates the `CameraProcess`; its other methods may be called from any thread. A worker that dies, or that
sends nothing for `HEARTBEAT_TIMEOUT_S`, is restarted. The delay before a restart grows with each successive failure.
Each failure is reported with its cause. A component that was on the table before a restart, and that the new worker
doesn't detect, is reported as gone.
"""

from __future__ import annotations

import multiprocessing
import pickle
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from companion.diagnostics.live_picture_types import LivePicture
from companion.tabletop.mat import Mat, Point
from companion.tabletop.observations import (
    CardGone,
    CardHidden,
    CardInView,
    CardSeen,
    DeviceHealth,
    MatSeen,
    Observation,
)
from companion.text.messages import TextLike, _
from vision.camera_worker import DEVICE, MAX_FPS, WorkerSettings, run_worker
from vision.camera_worker_messages import (
    CountTokensRequest,
    LivePictureRequest,
    LivePictureResponse,
    MarkCornersRequest,
    ObservationBatch,
    PublicPictureRequest,
    PublicPictureResponse,
    Response,
    ResponseT,
    SnapshotRequest,
    SnapshotResponse,
    StopRequest,
    WorkerEnded,
)
from vision.frame_source import source_name
from vision.simulated_camera import Scene
from vision.tracking.tracker import MIN_MOVE_MM

HEARTBEAT_TIMEOUT_S = 30.0
RESTART_DELAYS_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""The delays before restarts after successive failures; the last one repeats."""
MIN_STABLE_S = 60.0
"""If a worker has run for longer than this, the next failure counts as the first one, with the shortest delay."""
REDISCOVERY_S = 3.0
"""How long a restarted worker may take to detect all components, in seconds of the source's time. The time is counted
from when the worker detects the mat. A component that it has not detected by then counts as gone."""
RESPONSE_TIMEOUT_S = 3.0
TERMINATION_TIMEOUT_S = 2
"""How long each attempt to end the worker may take."""


def create_camera_process(
    source: str,
    mats: Mapping[str, Mat],
    known: frozenset[str],
    other_side: Mapping[str, str] | None = None,
    max_fps: float = MAX_FPS,
    calibration_path: Path | None = None,
    cube_mm: float | None = None,
) -> CameraProcess:
    """A `CameraProcess` with these settings, which `WorkerSettings` explains. The worker starts when the device is
    first iterated."""
    return CameraProcess(WorkerSettings(source, mats, known, other_side or {}, max_fps, calibration_path, cube_mm))


class CameraProcess:
    """A device that reports what its worker process sees with a camera. Only one thread may iterate it. The iteration
    ends when the device is closed, or at the end of a file."""

    def __init__(self, settings: WorkerSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._pipe: Connection | None = None
        self._scene = Scene()
        self._token_mat: tuple[int, Mat | None] = (0, None)
        self._responses: dict[type, Response] = {}
        self._response_received = threading.Condition()
        self._closed = threading.Event()
        self._close_reader, self._close_writer = multiprocessing.Pipe(duplex=False)
        self._last_seen: dict[str, CardSeen] = {}
        self._undetected_codes: set[str] = set()
        self._hidden_codes: set[str] = set()
        self._mat_seen_at: float | None = None
        self._t = 0.0

    def __iter__(self) -> Iterator[Observation]:
        failures = 0
        while not self._closed.is_set():
            started_at = time.monotonic()
            failure = yield from self._run_worker()
            if self._closed.is_set():
                return
            if not failure:
                message = _(
                    "{source} has ended, so there are no more pictures.", source=source_name(self._settings.source)
                )
                yield DeviceHealth(device=DEVICE, ok=False, message=message)
                return
            failures = 0 if time.monotonic() - started_at > MIN_STABLE_S else failures
            delay = RESTART_DELAYS_S[min(failures, len(RESTART_DELAYS_S) - 1)]
            failures += 1
            yield MatSeen(t=self._t, mat=None)
            message = _("{why} Tablekeeper keeps trying by itself.", why=failure)
            yield DeviceHealth(
                device=DEVICE,
                ok=False,
                message=message,
                remedy=_("Name another one with --camera, or as camera in the settings file."),
            )
            self._closed.wait(delay)

    def set_scene(self, scene: Scene) -> None:
        """Sets the scene that the simulated camera sees from now on."""
        self._scene = scene
        self._send(scene)

    def count_tokens(self, match: int, mat: Mat | None) -> None:
        """Makes the worker count the tokens on `mat` from now on. If `mat` is None, the worker counts nothing. `match`
        is the number of the game: when it changes, the worker forgets earlier counts. Does nothing if neither has
        changed."""
        if (match, mat) != self._token_mat:
            self._token_mat = match, mat
            self._send(CountTokensRequest(mat))

    def mark_corners(self, game: str, corners: tuple[Point, Point, Point, Point] | None) -> None:
        """Tells the worker where people see the corners of a game's mat, as shares of the image's width and height;
        None makes only the corner codes count again."""
        self._send(MarkCornersRequest(game, corners))

    def snapshot(self) -> bytes | None:
        """The last frame as JPEG with the outlines of the tracked codes; None if the worker doesn't respond in time."""
        response = self._request(SnapshotRequest(), SnapshotResponse)
        return response.jpeg if response else None

    def live_picture(self, codes: frozenset[str] = frozenset()) -> LivePicture | None:
        """The last frame, everything recognized in it, and its quality; None if the worker doesn't respond in time.

        Only `codes` are shown, or all codes if `codes` is empty. The codes of an earlier game should not be shown,
        because they are no longer on the table.
        """
        response = self._request(LivePictureRequest(codes), LivePictureResponse)
        return response.picture if response else None

    def public_picture(self, request: PublicPictureRequest) -> bytes:
        """A picture of the mat that everyone may see, as WebP; no bytes if no picture can be taken now, for example
        while a hand is in view."""
        response = self._request(request, PublicPictureResponse)
        return response.webp if response else b""

    def _request(self, request: object, kind: type[ResponseT]) -> ResponseT | None:
        with self._response_received:
            self._responses.pop(kind, None)
            self._send(request)
            self._response_received.wait_for(lambda: kind in self._responses, RESPONSE_TIMEOUT_S)
            response = self._responses.get(kind)
            return response if isinstance(response, kind) else None

    def close(self) -> None:
        """Stops the worker, and ends the iteration over the observations."""
        self._closed.set()
        self._send(StopRequest())
        with self._lock:
            if not self._close_writer.closed:
                self._close_writer.send(None)

    def _send(self, message: object) -> None:
        with self._lock:
            if self._pipe is not None:
                try:
                    self._pipe.send(message)
                except OSError:
                    return  # the worker has just died; the next one gets the scene and the mat when it starts

    def _run_worker(self) -> Generator[Observation, None, TextLike]:
        """Starts a worker, and yields its observations until it ends. Returns why it failed, or "" if it did not
        fail."""
        self._undetected_codes, self._mat_seen_at = set(self._last_seen), None
        try:
            process, pipe = self._start_worker()
        except OSError as error:
            return _("Can’t start the camera program: {why}.", why=error)
        try:
            return (yield from self._receive(pipe))
        finally:
            with self._lock:
                self._pipe = None
            stop_process(process)
            pipe.close()

    def _start_worker(self) -> tuple[BaseProcess, Connection]:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=run_worker, args=(theirs, self._settings), name="camera-worker", daemon=True)
        process.start()
        theirs.close()
        with self._lock:
            self._pipe = ours
        self._send(self._scene)
        self._send(CountTokensRequest(self._token_mat[1]))
        return process, ours

    def _receive(self, pipe: Connection) -> Generator[Observation, None, TextLike]:
        """Yields the observations that come through the pipe. Returns why the worker failed, or "" if its source has
        ended or the device was closed."""
        while True:
            ready = wait([pipe, self._close_reader], HEARTBEAT_TIMEOUT_S)
            if self._close_reader in ready:
                return ""
            if not ready:
                return _("The camera program hasn’t answered for {n} s.", n=f"{HEARTBEAT_TIMEOUT_S:.0f}")
            try:
                message = pipe.recv()
            except (EOFError, OSError, pickle.UnpicklingError):
                return _("The camera program has stopped.")
            match message:
                case ObservationBatch(observations, t):
                    yield from self._without_repeats(observations)
                    yield from self._report_gone(t)
                case SnapshotResponse() | LivePictureResponse() | PublicPictureResponse():
                    self._store_response(message)
                case WorkerEnded(failure):
                    return failure

    def _store_response(self, response: Response) -> None:
        with self._response_received:
            self._responses[type(response)] = response
            self._response_received.notify_all()

    def _without_repeats(self, observations: Iterable[Observation]) -> Iterator[Observation]:
        """Yields the observations, except those of components that appear where a previous worker already reported
        them. If such a component was last reported as hidden, it is now reported as in view."""
        for observation in observations:
            match observation:
                case MatSeen(t=t, mat=mat):
                    self._mat_seen_at = t if mat else None
                case CardSeen(code=code):
                    self._undetected_codes.discard(code)
                    before, self._last_seen[code] = self._last_seen.get(code), observation
                    was_hidden = code in self._hidden_codes
                    self._hidden_codes.discard(code)
                    if observation.change == "appeared" and before is not None and is_same_place(before, observation):
                        if was_hidden:
                            yield CardInView(t=observation.t, code=code)
                        continue
                case CardGone(code=code):
                    self._undetected_codes.discard(code)
                    self._hidden_codes.discard(code)
                    self._last_seen.pop(code, None)
                case CardHidden(code=code):
                    self._hidden_codes.add(code)
                case CardInView(code=code):
                    self._hidden_codes.discard(code)
            yield observation

    def _report_gone(self, t: float) -> Iterator[Observation]:
        """Yields CardGone for each component that a previous worker reported but the current worker hasn't detected
        within `REDISCOVERY_S`. `t`: the current time of the source."""
        self._t = t
        if self._mat_seen_at is not None and t - self._mat_seen_at >= REDISCOVERY_S:
            for code in sorted(self._undetected_codes):
                del self._last_seen[code]
                yield CardGone(t=t, code=code)
            self._undetected_codes.clear()


def is_same_place(before: CardSeen, now: CardSeen) -> bool:
    """Whether two sightings show a component in the same place: at most `MIN_MOVE_MM` apart on the mat in x and in y.
    If one of them has no coordinates on the mat, whether both are in the same zone."""
    if before.mm is None or now.mm is None:
        return before.zone == now.zone
    return abs(before.mm[0] - now.mm[0]) <= MIN_MOVE_MM and abs(before.mm[1] - now.mm[1]) <= MIN_MOVE_MM


def stop_process(process: BaseProcess) -> None:
    """Waits for a process to end by itself. If it does not end in time, terminates it; if that does not help, kills
    it."""
    process.join(TERMINATION_TIMEOUT_S)
    if process.is_alive():
        process.terminate()
        process.join(TERMINATION_TIMEOUT_S)
    if process.is_alive():
        process.kill()
        process.join()
    process.close()
