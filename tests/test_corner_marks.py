"""The corners of the mat that people mark by hand, because corner codes can't be read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from companion.tabletop.mat import rectangle
from companion.tabletop.observations import MatSeen
from tests.running_service import until
from tests.test_vision_mat import TO_PX, corner_quads, px, worst_mm
from tests.test_vision_process import PATIENCE_S, Listener, folder, saw  # noqa: F401
from tests.vision_scenes import CARDS, CORNERS, FPS, KNOWN, MAT, SIZE, camera, film, new_watcher, still, textures
from vision.calibration_store import load_calibration
from vision.camera_process import create_camera_process
from vision.decoding.decoder import read_codes
from vision.geometry import Frame, Points
from vision.image_quality import measure_quality
from vision.image_quality_advice import quality_findings
from vision.simulated_camera import FRAME_SIZE as SIZE_OF_PROCESS
from vision.simulated_camera import PlacedPrint, Scene, SimulatedCamera
from vision.tracking.camera_calibration import Calibration, from_json, to_json
from vision.tracking.mat_registration import MARK_UNCERTAINTY_MM, MatRegistration
from vision.tracking.table_watcher import TableWatcher
from vision.tracking.tracker import TrackEvent
from vision.yuv import to_gray

GAME = "systems-failing"
OUTLINE = np.array(rectangle(0, 0, *MAT.size), float)
SLIPS_PX = np.array([[3.0, -2], [-3, -2], [-2, 3], [3, 3]])
"""How far a finger misses the corners: 4 px are 2 mm in the rendered scenes."""
ROWS = tuple(PlacedPrint(CARDS[n], 70 + 90 * (n % 4), 70 + 100 * (n // 4)) for n in range(8))
MAX_ERROR_MM = 3.0


def marked_registration(slips: Points = SLIPS_PX) -> MatRegistration:
    registration = MatRegistration({GAME: MAT})
    registration.size = (1120, 700)
    registration.mark(GAME, px(OUTLINE) + slips)
    return registration


def seen_outline() -> Points:
    """The corners of the mat in the rendered scenes, as a finger marks them."""
    return np.asarray(np.array([camera().project((x, y)) for x, y in OUTLINE]) + SLIPS_PX, float)


def without_corners(frame: Frame) -> Frame:
    """Covers all corner codes of the mat with napkins."""
    covered = frame.copy()
    covered[:130, :220] = covered[:130, 900:] = covered[560:, 900:] = covered[560:, :220] = 170
    return covered


def film_without_corners(scenes: list[Scene], start: int = 0) -> list[tuple[float, Frame]]:
    return [(start / FPS + t, without_corners(frame)) for t, frame in film(scenes)]


def play(watcher: TableWatcher, frames: list[tuple[float, Frame]]) -> list[TrackEvent]:
    return [event for t, frame in frames for event in watcher.process(frame, t)]


def test_marks_give_places() -> None:
    """Places follow from exact marks exactly. Slips of a finger make them less exact, by about as much."""
    assert worst_mm(marked_registration(0 * SLIPS_PX)) < 0.01
    assert worst_mm(marked_registration()) < MAX_ERROR_MM
    pose = marked_registration().pose
    assert pose is not None
    assert pose.uncertainty_mm == MARK_UNCERTAINTY_MM, "cubes would be counted"


def test_codes_that_are_read_take_the_place_of_marks() -> None:
    """Each corner code that is read near its mark makes the pose more exact. With three codes the marks are not
    used."""
    registration, codes = marked_registration(), corner_quads()
    errors = [worst_mm(registration)]
    for name in CORNERS[:3]:
        assert registration.update({name: codes[name]}) == "refined"
        errors.append(worst_mm(registration))
    assert errors[-1] < 0.01 < errors[-2] < errors[0]
    assert registration.marks is not None
    assert registration.update(corner_quads(jitter=0.2)) == "refined"
    assert registration.read_quads.keys() == set(CORNERS)


@pytest.mark.parametrize(("off_mm", "stays"), [(10.0, True), (15.0, False)])
def test_a_code_that_is_read_elsewhere_ends_the_marks(off_mm: float, stays: bool) -> None:
    """A corner code may be up to half its side from its mark, which is 12 mm. If it is farther away, the marks are
    wrong."""
    registration = marked_registration(0 * SLIPS_PX)
    moved = corner_quads(to_px=px_shifted(off_mm))
    change = registration.update({CORNERS[0]: moved[CORNERS[0]]})
    assert (change, registration.marks is not None) == (("refined", True) if stays else ("moved", False))
    assert registration.are_marks_dropped == (not stays)


def px_shifted(mm: float) -> Points:
    """TO_PX for a mat that lies `mm` further to the right."""
    return np.asarray(TO_PX @ np.array([[1, 0, mm], [0, 1, 0], [0, 0, 1]]))


def test_a_knock_that_a_code_reveals_ends_the_marks() -> None:
    """If a corner code that was read moves by more than 3 mm, the camera was moved, and the marks are wrong too."""
    registration = marked_registration()
    registration.update({CORNERS[0]: corner_quads()[CORNERS[0]]})
    assert registration.update({CORNERS[0]: corner_quads(to_px=px_shifted(5))[CORNERS[0]]}) == "moved"
    assert registration.marks is None
    assert registration.quads.keys() == {CORNERS[0]}


def test_marks_can_be_taken_back() -> None:
    """Without marks, only the corner codes that were read count. Marks that were taken back do not count as wrong."""
    registration = marked_registration()
    registration.update({CORNERS[0]: corner_quads()[CORNERS[0]]})
    registration.unmark()
    assert registration.quads.keys() == {CORNERS[0]}
    assert registration.locate(px(OUTLINE)[2]) is None
    assert not registration.are_marks_dropped
    registration.mark("no such game", px(OUTLINE))
    assert registration.marks is None


@pytest.mark.slow
def test_cards_get_their_zones_from_marks() -> None:
    """On a table where no corner code can be read, cards have no zones. Once the corners are marked, the mat is in view
    for as long as nothing else is read, and cards are in the right places to a few millimeters."""
    watcher = new_watcher()
    play(watcher, film_without_corners(still(Scene(ROWS[:6]), 18)))
    assert watcher.mat_in_view is None
    assert {track.latest.zone for track in watcher.tracker.tracks.values()} == {None}
    watcher.mark_corners(GAME, seen_outline())
    assert watcher.mat_in_view == MAT.name
    scene = Scene((*ROWS[:6], PlacedPrint(CARDS[8], 250, 125, 40)))
    (event,) = play(watcher, film_without_corners(still(scene, 18), 18))
    assert (event.kind, event.id, event.zone) == ("appeared", CARDS[8], "right")
    places = {track.latest.id: track.latest.mm for track in watcher.tracker.tracks.values()}
    for placed in scene.placements:
        code_mm = cv2.transform(np.array([[[0.0, 19.0]]]), turn(placed.angle))[0, 0] + (placed.x_mm, placed.y_mm)
        assert np.linalg.norm(np.subtract(places[placed.id] or (1e9, 1e9), code_mm)) < MAX_ERROR_MM
    play(watcher, film_without_corners(still(scene, 3), round(30 * FPS)))
    assert watcher.mat_in_view == MAT.name, "half a minute later"


def turn(degrees: float) -> Points:
    """The 2 x 2 matrix that turns clockwise."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.array([[c, -s], [s, c]])


@pytest.mark.slow
def test_a_knock_ends_marks_and_moves_no_card() -> None:
    """If all cards seem to have moved together, the camera was moved. No card counts as moved, and the mat is out of
    view until its corners are marked again."""
    watcher, scene = new_watcher(), still(Scene(ROWS), 30)
    play(watcher, film_without_corners(scene[:18]))
    watcher.mark_corners(GAME, seen_outline())
    play(watcher, film_without_corners(scene[:18], 18))
    shift = np.array([[1.0, 0, 20], [0, 1, -12]])
    knocked = [
        (t, np.asarray(cv2.warpAffine(frame, shift, SIZE, borderMode=cv2.BORDER_REPLICATE), np.uint8))
        for t, frame in film_without_corners(scene, 36)
    ]
    assert play(watcher, knocked) == []
    assert watcher.registration.are_marks_dropped
    assert watcher.mat_in_view is None


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    """The calibration of a table whose corners are marked, before any card is on it."""
    watcher = new_watcher()
    play(watcher, film_without_corners(still(Scene(), 6)))
    watcher.mark_corners(GAME, seen_outline())
    calibration = watcher.calibration()
    assert calibration is not None
    return calibration


def test_marks_survive_a_restart(calibration: Calibration) -> None:
    """Marks are saved with the calibration, even if no code has been read. After a restart the mat is in view at once.
    A file of an earlier version has no marks, and is still valid."""
    text = to_json(calibration)
    watcher = TableWatcher(KNOWN, {GAME: MAT}, saved_calibration=from_json(text))
    (event,) = play(watcher, film_without_corners(still(Scene(ROWS[:1]), 12)))
    assert (event.zone, watcher.mat_in_view) == ("left", MAT.name)
    earlier = json.loads(text)
    del earlier["marks"]
    read = from_json(json.dumps(earlier))
    assert read is not None
    assert read.marks is None


@pytest.mark.parametrize("marks", [[[0, 0]] * 3, "x", [[0, 0], [1, 0], [1, 1], [0, None]]])
def test_impossible_marks_in_a_file_are_refused(marks: object, calibration: Calibration) -> None:
    """A calibration file with marks that are not four points is ignored."""
    data = json.loads(to_json(calibration)) | {"marks": marks}
    assert from_json(json.dumps(data)) is None
    degenerate = from_json(json.dumps(data | {"marks": [[5, 5]] * 4}))
    registration = MatRegistration({GAME: MAT})
    assert degenerate is not None
    assert degenerate.marks is not None
    registration.mark(GAME, degenerate.marks)
    assert registration.locate(np.array([5.0, 5.0])) is None


@pytest.mark.slow
def test_the_findings_about_a_marked_mat() -> None:
    """With marks, the step for the corners is done, and all zones are measured. Without any code, the sharpness can't
    be measured, so not everything is set."""
    registration = MatRegistration({GAME: MAT})
    registration.mark(GAME, seen_outline())
    for cards, failed in ((ROWS[:2], []), ((), ["sharpness"])):
        gray = to_gray(without_corners(camera().render(Scene(cards))))
        metrics = measure_quality(gray, read_codes(gray, KNOWN), KNOWN, [MAT], registration.marked_quads)
        assert len(metrics.zones) == len(MAT.zones)
        findings = {each.name: each for each in quality_findings(replace(metrics, size=SIZE))}
        assert findings["mat"].ok
        assert str(findings["corners"].message).startswith("0 of the mat’s four corner codes are read. All corners")
        assert [name for name, each in findings.items() if not each.ok and name in ("corners", "sharpness")] == failed
        assert all(each.ok or each.remedy for each in findings.values())


@pytest.fixture
def calibrating(folder: Path, tmp_path: Path) -> Iterator[Listener]:  # noqa: F811
    """A camera process that keeps its calibration in a file, above a mat that is in view."""
    process = create_camera_process("simulated", {GAME: MAT}, KNOWN, calibration_path=tmp_path / "camera.json")
    listening = Listener(process, folder)
    listening.show(Scene(ROWS[:3]))
    listening.until_all(
        lambda o: isinstance(o, MatSeen) and o.mat is not None, *(saw(c.id, "appeared") for c in ROWS[:3])
    )
    yield listening
    process.close()
    listening.thread.join(PATIENCE_S)


def marks_of(listening: Listener) -> str:
    live = listening.process.live_picture()
    assert live is not None
    return live.marks


@pytest.mark.slow
def test_marks_reach_the_camera_and_its_file(calibrating: Listener, tmp_path: Path) -> None:
    """Marks reach the camera's process as shares of the picture, and are saved at once. Taken back, they are gone from
    the file too."""
    shares = [(x / SIZE_OF_PROCESS[0], y / SIZE_OF_PROCESS[1]) for x, y in process_outline()]
    calibrating.process.mark_corners(GAME, (shares[0], shares[1], shares[2], shares[3]))
    until(lambda: marks_of(calibrating) == "set", "the marks in the live picture")
    saved = load_calibration(tmp_path / "camera.json")
    assert saved is not None
    assert saved.marks is not None
    assert np.abs(saved.marks - process_outline()).max() < 1
    calibrating.process.mark_corners(GAME, None)
    until(lambda: marks_of(calibrating) == "none", "the live picture without marks")
    assert not (tmp_path / "camera.json").exists()


@pytest.mark.slow
def test_wrong_marks_end_when_a_code_is_read(calibrating: Listener, tmp_path: Path) -> None:
    """Marks that are wrong end as soon as a corner code is read, and the live picture says so. They are gone from the
    file too, so that they don't return after a restart."""
    calibrating.process.mark_corners(GAME, ((0.3, 0.3), (0.7, 0.3), (0.7, 0.7), (0.3, 0.7)))
    until(lambda: marks_of(calibrating) == "dropped", "the end of the marks")
    saved = load_calibration(tmp_path / "camera.json")
    assert saved is None or saved.marks is None


def process_outline() -> Points:
    """The corners of the mat in the pictures of the simulated camera's process."""
    return np.array([SimulatedCamera(textures(), size=SIZE_OF_PROCESS).project((x, y)) for x, y in OUTLINE])
