"""The camera process and its worker, on the simulated table."""

from __future__ import annotations

import json
import multiprocessing
import os
import queue
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.games import GAMES
from companion.tabletop.observations import CardGone, CardSeen, DeviceHealth, MatSeen, Observation
from tests.vision_scenes import CARDS, CORNERS, KNOWN, MAT, film, still, textures
from vision import camera_process
from vision.calibration_store import load_calibration
from vision.camera_process import CameraProcess, create_camera_process
from vision.decoding.decoder import find_with_zxing
from vision.simulated_camera import PlacedPrint, Scene, TextureFolder

PATIENCE_S = 30
TABLE = Scene((PlacedPrint(CARDS[0], 100, 125, 10), PlacedPrint(CARDS[1], 240, 110, 100)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Texture files as `companion.printing` writes them."""
    path = tmp_path_factory.mktemp("textures")
    index = {}
    for name, texture in textures().items():
        file = name.replace("/", "-") + ".png"
        cv2.imwrite(str(path / file), texture.image)
        index[name] = {"file": file, "width_mm": texture.width_mm, "height_mm": texture.height_mm}
    (path / "index.json").write_text(json.dumps(index))
    return path


class Listener:
    """Iterates a camera process in a thread, and lets the test wait for its observations."""

    def __init__(self, process: CameraProcess, prints: Path | None = None) -> None:
        self.process, self._prints = process, prints
        self._told: queue.SimpleQueue[Observation] = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._listen)
        self.thread.start()

    def show(self, scene: Scene) -> None:
        """Shows the camera a scene, and gives it the textures of the scene's components."""
        self.process.set_scene(replace(scene, texture_folder=self._prints))

    def _listen(self) -> None:
        for observation in self.process:
            self._told.put(observation)

    def until(self, wanted: Callable[[Observation], bool]) -> list[Observation]:
        """The observations up to the first one that is wanted. Fails if none comes."""
        heard: list[Observation] = []
        while not heard or not wanted(heard[-1]):
            heard.append(self._told.get(timeout=PATIENCE_S))
        return heard

    def until_all(self, *wanted: Callable[[Observation], bool]) -> list[Observation]:
        """The observations until each wanted one has come, in any order."""
        heard: list[Observation] = []
        while not all(any(map(want, heard)) for want in wanted):
            heard += self.until(lambda _: True)
        return heard


@pytest.fixture
def listener(folder: Path) -> Iterator[Listener]:
    process = create_camera_process("simulated", {"systems-failing": MAT}, KNOWN)
    listening = Listener(process, folder)
    yield listening
    process.close()
    listening.thread.join(PATIENCE_S)
    assert not listening.thread.is_alive()


def saw(code: str, change: str) -> Callable[[Observation], bool]:
    return lambda o: isinstance(o, CardSeen) and (o.code, o.change) == (code, change)


@pytest.mark.slow
def test_from_scenes_to_observations(listener: Listener) -> None:
    """The process reports cards that are placed, moved or taken away, and whether the mat is in view. It delivers a
    snapshot and a live picture on request."""
    listener.show(Scene())
    listener.until(lambda o: isinstance(o, MatSeen) and o.mat is not None)
    listener.show(TABLE)
    appeared = {CARDS[0], CARDS[1]}

    def both(o: Observation) -> bool:
        appeared.discard(o.code if isinstance(o, CardSeen) else "")
        return not appeared

    heard = listener.until(both)
    assert {o.zone for o in heard if isinstance(o, CardSeen)} == {"left", "right"}
    listener.show(Scene((PlacedPrint(CARDS[0], 100, 125, 10), PlacedPrint(CARDS[1], 300, 130, 100))))
    (moved,) = [o for o in listener.until(saw(CARDS[1], "moved")) if isinstance(o, CardSeen)]
    assert moved.mm is not None
    assert abs(moved.angle - 100) < 3
    jpeg = listener.process.snapshot()
    assert jpeg is not None
    assert cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR) is not None
    live = listener.process.live_picture()
    assert live is not None
    assert {outline.label for outline in live.outlines} >= {*CARDS[:2], *(corner.id for corner in MAT.corners)}
    assert [finding.name for finding in live.findings if finding.name != "camera" and finding.ok][:2] == [
        "mat",
        "corners",
    ]
    assert "frames per second" in str(live.findings[0].message)
    other = listener.process.live_picture(frozenset(GAMES["commute"].physical.components.codes()))
    assert other is not None
    assert other.outlines == (), "codes that the request does not name are left out"
    assert [finding.ok for finding in other.findings if finding.name != "camera"] == [False]
    listener.show(Scene((PlacedPrint(CARDS[1], 300, 130, 100),)))
    listener.until(lambda o: isinstance(o, CardGone) and o.code == CARDS[0])


@pytest.mark.slow
def test_the_calibration_is_saved_at_the_end(folder: Path, tmp_path: Path) -> None:
    """If enough codes are visible, the camera is calibrated, and the next process can load the calibration from the
    file."""
    listening = Listener(
        create_camera_process("simulated", {"systems-failing": MAT}, KNOWN, calibration_path=tmp_path / "camera.json"),
        folder,
    )
    cards = tuple(PlacedPrint(CARDS[n], 80 + 80 * n, 125) for n in range(4))
    listening.show(Scene(cards[:3]))
    listening.until_all(lambda o: isinstance(o, MatSeen), *(saw(card.id, "appeared") for card in cards[:3]))
    listening.show(Scene(cards))  # a mat that came after the first frame is read again before the next card
    listening.until_all(saw(cards[3].id, "appeared"))
    listening.process.close()
    listening.thread.join(PATIENCE_S)
    learned = load_calibration(tmp_path / "camera.json")
    assert learned is not None
    assert learned.corners.keys() == {corner.id for corner in MAT.corners}


def kill_child() -> None:
    (child,) = [p for p in multiprocessing.active_children() if p.name == "camera-worker"]
    os.kill(child.pid or 0, signal.SIGKILL)


@pytest.mark.slow
def test_a_worker_that_dies_is_restarted(listener: Listener, monkeypatch: pytest.MonkeyPatch) -> None:
    """When a worker has died, the process reports once that no mat is in view, and why. Components that are still there
    are not reported a second time, and those that were taken in the meantime are reported as gone."""
    monkeypatch.setattr(camera_process, "RESTART_DELAYS_S", (0.01,))
    monkeypatch.setattr(camera_process, "REDISCOVERY_S", 0.5)
    listener.show(TABLE)
    listener.until_all(
        saw(CARDS[0], "appeared"), saw(CARDS[1], "appeared"), lambda o: isinstance(o, MatSeen) and o.is_searched
    )
    kill_child()
    listener.show(Scene((TABLE.placements[0], PlacedPrint(CARDS[2], 330, 140, 0))))
    heard = listener.until_all(
        saw(CARDS[2], "appeared"), lambda o: isinstance(o, CardGone), lambda o: isinstance(o, DeviceHealth) and o.ok
    )
    mats = [(o.mat is not None, o.is_searched) for o in heard if isinstance(o, MatSeen)]
    assert mats[:2] == [(False, True), (True, False)]
    (trouble,) = [str(o.message) for o in heard if isinstance(o, DeviceHealth) and not o.ok]
    assert trouble == "The camera program has stopped. Tablekeeper keeps trying by itself."
    assert {o.code for o in heard if isinstance(o, CardGone)} == {CARDS[1]}
    assert [o.code for o in heard if isinstance(o, CardSeen)] == [CARDS[2]]


@pytest.mark.slow
def test_the_end_of_a_source_is_reported(tmp_path: Path) -> None:
    """After the last image of a folder, the camera no longer reports that it works."""
    cv2.imwrite(str(tmp_path / "one.png"), np.full((90, 120), 128, np.uint8))
    process = create_camera_process(str(tmp_path), {}, frozenset())
    told = [o for o in process if isinstance(o, DeviceHealth)]
    process.close()
    assert [health.ok for health in told] == [True, False]
    assert str(told[-1].message) == f"{tmp_path} has ended, so there are no more pictures."


@pytest.mark.slow
def test_a_mat_that_comes_into_view_later_gives_components_their_zones(tmp_path: Path) -> None:
    """When the mat comes into view later, components on it are marked as present from the start, so that they do not
    lead to moves."""
    frames = [frame for _, frame in film(still(TABLE, 10))]
    corners = [code for code in find_with_zxing(np.asarray(frames[0][..., 1]), KNOWN) if code.id in CORNERS]
    for number, frame in enumerate(frames):
        for corner in corners if number < 5 else ():
            cv2.circle(frame, (round(corner.centroid[0]), round(corner.centroid[1])), 70, (96, 120, 110), -1)
        cv2.imwrite(str(tmp_path / f"{number}.png"), frame)
    process = create_camera_process(str(tmp_path), {"systems-failing": MAT}, KNOWN)
    seen = [o for o in process if isinstance(o, CardSeen)]
    process.close()
    assert [(o.zone, o.was_initially_present) for o in seen[:2]] == [(None, True)] * 2
    assert {(o.code, o.zone, o.was_initially_present) for o in seen[2:]} == {
        (CARDS[0], "left", True),
        (CARDS[1], "right", True),
    }
    assert len(seen) == 4


def test_a_source_that_can_not_be_opened_is_reported() -> None:
    """If a source can't be opened, the health report contains the error message, and the process keeps trying until it
    is closed."""
    listener = Listener(create_camera_process("/nowhere.avi", {}, frozenset()))
    mat_seen, health, *_ = listener.until_all(lambda o: isinstance(o, DeviceHealth))
    assert isinstance(mat_seen, MatSeen)
    assert mat_seen.mat is None
    assert isinstance(health, DeviceHealth)
    assert not health.ok
    assert str(health.message) == (
        "/nowhere.avi doesn’t exist. Name a camera (0, /dev/video0, picamera2), a video, a folder or a URL. "
        "Tablekeeper keeps trying by itself."
    )
    listener.process.close()
    listener.thread.join(PATIENCE_S)
    assert not listener.thread.is_alive()


def test_textures_come_from_files(folder: Path) -> None:
    """`TextureFolder` reads the file and the size of each texture from the index."""
    loaded = TextureFolder(folder)
    assert loaded["mat"].width_mm == MAT.size[0]
    assert loaded.keys() == textures().keys()


def test_a_texture_is_read_when_it_is_first_used(folder: Path, tmp_path: Path) -> None:
    """A file that is not an image is no trouble as long as its component is in the box."""
    copied = Path(shutil.copytree(folder, tmp_path / "textures"))
    loaded = TextureFolder(copied)
    for file in copied.glob("*.png"):
        if file.stem != "mat":
            file.write_bytes(b"not an image")
    assert loaded["mat"].height_mm == MAT.size[1]
    with pytest.raises(ValueError, match="is not an image"):
        loaded[next(name for name in loaded if name != "mat")]
