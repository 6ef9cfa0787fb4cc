"""The eyes: vision in a process of its own, so that pictures never make a phone wait.

The child opens the camera, follows the table and sends observations through a pipe. In the parent whoever
iterates the `Eyes` receives them; `show`, `snapshot` and `close` may be called from any thread. A child that
dies or says nothing for `HUNG_S` is started again, after ever longer pauses; its end is reported once, with the
cause. Whatever lay there before and is not seen again in the new life has gone.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

import cv2

from companion.diagnostics.findings import LivePicture
from companion.tabletop.mat import Mat
from companion.tabletop.observations import CardGone, CardSeen, DeviceHealth, MatSeen, Observation
from companion.text.translation import language, later, speaking
from vision.calibration_store import CalibrationStore
from vision.camera import CameraError, FrameSource, open_source
from vision.cubes.counter import CubeCounter
from vision.decoding.decoder import find_with_zxing
from vision.frame_timing import FrameTiming
from vision.geometry import remove_duplicates
from vision.live_view import encode_jpeg, live_picture
from vision.quality_advice import MAX_SAMPLE_FRAMES, frame_rate_finding
from vision.simulated_camera import Scene, SimulatedSource
from vision.to_observations import Places, drawn, of_count, of_event
from vision.tracking.tracker import MIN_MOVE_MM
from vision.tracking.watcher import Watcher
from vision.worker_messages import Answer, CountOn, Ended, LookClosely, Looked, Picture, Stop, TakePicture, Told
from vision.yuv import CameraImage, to_bgr, to_gray

DEVICE = "camera"
MOST_FPS = 15.0
ALIVE_S = 1.0
HUNG_S = 30.0
BACK_OFF_S = (1.0, 2.0, 5.0, 10.0, 30.0)
STEADY_S = 60.0
"""After a life so long the pauses begin anew with the shortest."""
FOUND_S = 3.0
"""In the source's time: eyes that opened again find what lies there so soon after the mat."""
SNAPSHOT_S = 3.0
SIMULATED = "simulated"


@dataclass(frozen=True)
class Settings:
    """What the child needs to know."""

    source: str
    mats: Mapping[str, Mat]
    known: frozenset[str]
    other_side: Mapping[str, str]
    most_fps: float = MOST_FPS
    memory: Path | None = None


def start(
    source: str,
    mats: Mapping[str, Mat],
    known: frozenset[str],
    other_side: Mapping[str, str] | None = None,
    most_fps: float = MOST_FPS,
    memory: Path | None = None,
) -> Eyes:
    """Eyes on a source (see `vision.camera.open_source`, or `simulated`); they open when first iterated. In the file
    `memory` they keep what they learn about the camera."""
    return Eyes(Settings(source, mats, known, other_side or {}, most_fps, memory))


class Eyes:
    """A device that sees. Iterate it in one thread; it ends when closed or when a file has been read."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._pipe: Connection | None = None
        self._scene = Scene()
        self._count_on: tuple[int, Mat | None] = (0, None)
        self._answers: dict[type, Picture | Looked] = {}
        self._pictured = threading.Condition()
        self._closed = threading.Event()
        self._waker, self._wake = multiprocessing.Pipe(duplex=False)
        self._seen: dict[str, CardSeen] = {}
        self._missed: set[str] = set()
        self._mat_at: float | None = None
        self._t = 0.0

    def __iter__(self) -> Iterator[Observation]:
        failures = 0
        while not self._closed.is_set():
            began = time.monotonic()
            failure = yield from self._one_life()
            if self._closed.is_set():
                return
            if not failure:
                says = later(
                    "{source} has come to its end: the eyes see nothing any more.", source=self._settings.source
                )
                yield DeviceHealth(device=DEVICE, ok=False, says=says)
                return
            failures = 0 if time.monotonic() - began > STEADY_S else failures
            pause = BACK_OFF_S[min(failures, len(BACK_OFF_S) - 1)]
            failures += 1
            yield MatSeen(t=self._t, mat=None)
            says = later("{why} It is tried again by itself.", why=failure)
            yield DeviceHealth(device=DEVICE, ok=False, says=says, mend=later("Another one is named with --camera."))
            self._closed.wait(pause)

    def show(self, scene: Scene) -> None:
        """What the simulated camera sees from now on."""
        self._scene = scene
        self._send(scene)

    def count_on(self, game: int, mat: Mat | None) -> None:
        """Counts the pieces on the mat of a game; that it is said again changes nothing."""
        if (game, mat) != self._count_on:
            self._count_on = game, mat
            self._send(CountOn(mat))

    def snapshot(self) -> bytes | None:
        """The last frame as JPEG with boxes around what is known; None if none comes in time."""
        answer = self._ask(TakePicture(), Picture)
        return answer.jpeg if answer else None

    def live(self, codes: frozenset[str] = frozenset()) -> LivePicture | None:
        """The last frame, with everything that is seen and how well; None if none comes in time. Where codes are
        named, the others are passed over: what is remembered of a game before lies there no more."""
        answer = self._ask(LookClosely(language(), codes), Looked)
        return answer.live if answer else None

    def _ask(self, question: object, kind: type[Answer]) -> Answer | None:
        with self._pictured:
            self._answers.pop(kind, None)
            self._send(question)
            self._pictured.wait_for(lambda: kind in self._answers, SNAPSHOT_S)
            answer = self._answers.get(kind)
            return answer if isinstance(answer, kind) else None

    def close(self) -> None:
        """Ends the child and the iteration."""
        self._closed.set()
        self._send(Stop())
        with self._lock:
            if not self._wake.closed:
                self._wake.send(None)

    def _send(self, message: object) -> None:
        with self._lock:
            if self._pipe is not None:
                try:
                    self._pipe.send(message)
                except OSError:
                    return  # the child has just died; its next life begins with the scene

    def _one_life(self) -> Generator[Observation, None, str]:
        """Observations of one child, from its start to its end; returns why it failed, if it did."""
        self._missed, self._mat_at = set(self._seen), None
        try:
            process, pipe = self._spawn()
        except OSError as error:
            return later("The eyes do not start: {why}.", why=error)
        try:
            return (yield from self._listen(pipe))
        finally:
            with self._lock:
                self._pipe = None
            end(process)
            pipe.close()

    def _spawn(self) -> tuple[BaseProcess, Connection]:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=look, args=(theirs, self._settings), name="eyes", daemon=True)
        process.start()
        theirs.close()
        with self._lock:
            self._pipe = ours
        self._send(self._scene)
        self._send(CountOn(self._count_on[1]))
        return process, ours

    def _listen(self, pipe: Connection) -> Generator[Observation, None, str]:
        while True:
            ready = wait([pipe, self._waker], HUNG_S)
            if self._waker in ready:
                return ""
            if not ready:
                return later("The eyes have said nothing for {n} s.", n=f"{HUNG_S:.0f}")
            try:
                message = pipe.recv()
            except (EOFError, OSError, pickle.UnpicklingError):
                return later("The eyes have stopped.")
            match message:
                case Told(observations, t):
                    yield from self._news(observations)
                    yield from self._gone_meanwhile(t)
                case Picture() | Looked():
                    self._deliver(message)
                case Ended(failure):
                    return failure

    def _deliver(self, answer: Picture | Looked) -> None:
        with self._pictured:
            self._answers[type(answer)] = answer
            self._pictured.notify_all()

    def _news(self, observations: Iterable[Observation]) -> Iterator[Observation]:
        """Without what was known before the eyes were opened again: a card does not appear twice."""
        for observation in observations:
            match observation:
                case MatSeen(t=t, mat=mat):
                    self._mat_at = t if mat else None
                case CardSeen(thing=thing):
                    self._missed.discard(thing)
                    was, self._seen[thing] = self._seen.get(thing), observation
                    if observation.change == "appeared" and was is not None and same(was, observation):
                        continue
                case CardGone(thing=thing):
                    self._missed.discard(thing)
                    self._seen.pop(thing, None)
            yield observation

    def _gone_meanwhile(self, t: float) -> Iterator[Observation]:
        """What lay there when the eyes shut, if they have looked around since and have not found it."""
        self._t = t
        if self._mat_at is not None and t - self._mat_at >= FOUND_S:
            for thing in sorted(self._missed):
                del self._seen[thing]
                yield CardGone(t=t, thing=thing)
            self._missed.clear()


def same(was: CardSeen, now: CardSeen) -> bool:
    """Whether a thing lies where it lay, on a mat."""
    if was.mm is None or now.mm is None:
        return was.zone == now.zone
    return abs(was.mm[0] - now.mm[0]) <= MIN_MOVE_MM and abs(was.mm[1] - now.mm[1]) <= MIN_MOVE_MM


def end(process: BaseProcess) -> None:
    """Waits for a child that ends by itself, and ends one that hangs."""
    process.join(2)
    if process.is_alive():
        process.terminate()
        process.join(2)
    if process.is_alive():
        process.kill()
        process.join()
    process.close()


# In the child


def look(pipe: Connection, settings: Settings) -> None:
    """The child's whole life."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then says Stop
    cv2.setNumThreads(1)
    try:
        Looking(pipe, settings).run()
    except (CameraError, OSError, ValueError) as error:
        farewell(pipe, error.args[0] if isinstance(error, CameraError) else str(error))
    except EOFError:
        return  # the parent has gone
    except Exception as error:  # a mistake of ours: told like any failure, and the eyes open again
        farewell(pipe, later("The eyes failed ({why}).", why=f"{type(error).__name__}: {error}"))


def farewell(pipe: Connection, failure: str) -> None:
    try:
        pipe.send(Ended(failure or later("The eyes have failed.")))
    except OSError:
        return


class Looking:
    """The child's loop: a frame, its events, and what the parent wants meanwhile."""

    def __init__(self, pipe: Connection, settings: Settings) -> None:
        self._pipe, self._settings = pipe, settings
        self._calibration_store = CalibrationStore(settings.memory)
        learned = self._calibration_store.load()
        self._watcher = Watcher(
            settings.known, settings.mats, other_side=settings.other_side, saved_calibration=learned
        )
        self._counter = CubeCounter()
        self._timing = FrameTiming()
        self._places = Places()
        self._scene = Scene()
        self._last: CameraImage | None = None
        self._counting = False
        self._times = deque[float](maxlen=MAX_SAMPLE_FRAMES)
        self._alive_at = 0.0
        self._mat_in_view: str | None = None
        self._stopped = False

    def run(self) -> None:
        """Raises CameraError when no frames come, EOFError when the parent has gone."""
        self._obey(self._pipe.recv())  # the scene, which the parent sends first: no frame shows what is not there
        source = self._open()
        self._pipe.send(Told((DeviceHealth(device=DEVICE, ok=True, says=later("The camera works.")),)))
        begin = time.monotonic()
        try:
            for t, frame in source:
                self._rest_until(begin + t)  # a film at its own pace
                self._look_at(t, frame)
                self._rest_until(time.monotonic() + 1 / self._settings.most_fps)  # and the Pi stays cool
                if self._stopped:
                    return
        finally:
            source.close()
            self._keep()
        self._pipe.send(Ended())

    def _open(self) -> FrameSource:
        if self._settings.source == SIMULATED:
            return SimulatedSource(lambda: self._scene, MOST_FPS)
        return open_source(self._settings.source)

    def _rest_until(self, moment: float) -> None:
        """Waits in the pipe, so that the parent's wishes are met at once."""
        while not self._stopped and self._pipe.poll(max(0.0, moment - time.monotonic())):
            self._obey(self._pipe.recv())

    def _obey(self, message: object) -> None:
        match message:
            case Scene() as scene:
                self._scene = scene
            case CountOn(mat):
                self._counting = mat is not None
                self._counter.set_mat(mat)
            case TakePicture():
                self._pipe.send(Picture(self._snapshot()))
            case LookClosely(spoken, codes):
                with speaking(spoken):
                    self._pipe.send(Looked(self._look_closely(codes or self._watcher.known_ids)))
            case Stop():
                self._stopped = True

    def _look_at(self, t: float, picture: CameraImage) -> None:
        with self._timing.measure():
            events = self._watcher.process(picture, t)
        counted = list(self._counted(t, picture))
        self._last = picture
        self._times.append(t)
        if self._calibration_store.is_due():
            self._keep()
        anew = self._places.told_anew(t, self._watcher.tracker.tracks.values(), events)
        told = [*self._mat(t), *(of_event(event) for event in events), *anew, *counted]
        if told or t - self._alive_at >= ALIVE_S:
            self._alive_at = t
            self._pipe.send(Told(tuple(told), t))

    def _counted(self, t: float, picture: CameraImage) -> Iterator[Observation]:
        """Colours are made only for a game whose pieces are counted."""
        if self._counting:
            yield from (of_count(count, t) for count in self._counter.update(to_bgr(picture), t, self._watcher))

    def _keep(self) -> None:
        trouble = self._calibration_store.save(self._watcher.calibration())
        if trouble:
            self._pipe.send(Told((DeviceHealth(device=DEVICE, ok=True, says=trouble),)))

    def _mat(self, t: float) -> Iterator[Observation]:
        mat = self._watcher.mat_in_view
        if mat != self._mat_in_view:
            self._mat_in_view = mat
            yield MatSeen(t=t, mat=mat)

    def _snapshot(self) -> bytes:
        if self._last is None:
            return b""
        return encode_jpeg(drawn(to_bgr(self._last), self._watcher))

    def _look_closely(self, known: frozenset[str]) -> LivePicture | None:
        """What is easily read in the last frame, and what was read before: a picture a second must not cost the game
        its eyes."""
        if self._last is None:
            return None
        remembered = (code for code in self._watcher.current_codes() if code.id in known)
        codes = remove_duplicates([*find_with_zxing(to_gray(self._last), known), *remembered])
        mats = tuple(mat for mat in self._settings.mats.values() if known.issuperset(c.id for c in mat.corners))
        seen = live_picture(to_bgr(self._last), codes, known, mats, self._watcher.read_rates)
        return replace(seen, findings=(frame_rate_finding(self._times, self._last), *seen.findings))
