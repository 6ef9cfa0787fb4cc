"""The calibration of a camera is kept across restarts, and discarded after the camera was moved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.vision_scenes import CARDS, CORNERS, KNOWN, MAT, film, still
from vision.calibration_store import load_calibration, save_calibration
from vision.decoding.decoder import read_codes
from vision.decoding.module_size_field import MEDIUM_SCALES, NARROW_SCALES, WIDE_SCALES
from vision.geometry import Frame, Points
from vision.live_picture_rendering import live_picture
from vision.simulated_camera import PlacedPrint, Scene
from vision.tracking.camera_calibration import (
    Calibration,
    ReadRate,
    from_json,
    to_json,
)
from vision.tracking.distortion import RadialDistortion, estimate_distortion
from vision.tracking.mat_registration import MatRegistration, corner_square
from vision.tracking.table_watcher import TableWatcher
from vision.tracking.tracker import TrackEvent
from vision.yuv import to_gray

CARD = PlacedPrint(CARDS[0], 100, 125, 10)
ROWS = tuple(PlacedPrint(CARDS[n], 70 + 90 * (n % 4), 70 + 100 * (n // 4)) for n in range(8))
SIZE = (1920, 1080)


def watch_from(
    frames: Iterable[tuple[float, Frame]], calibration: Calibration | None = None
) -> tuple[TableWatcher, list[TrackEvent]]:
    """A watcher that started with a saved calibration and has processed these frames, and its events."""
    watcher = TableWatcher(KNOWN, {"systems-failing": MAT}, saved_calibration=calibration)
    return watcher, [event for t, frame in frames for event in watcher.process(frame, t)]


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    """A calibration from five seconds of a table with eight cards."""
    calibration = watch_from(film(still(Scene(ROWS), 60)))[0].calibration()
    assert calibration is not None
    return calibration


def cover_corners(frame: Frame) -> Frame:
    """Covers all but the first corner of the mat with napkins."""
    hidden = frame.copy()
    hidden[:130, 900:] = hidden[560:, 900:] = hidden[560:, :220] = 170
    return hidden


def knock_camera(frame: Frame) -> Frame:
    """The frame as the camera would see it after it was turned and shifted."""
    shift = cv2.getRotationMatrix2D((560, 350), 3, 1.0) + np.array([[0, 0, 25], [0, 0, -12]])
    return np.asarray(cv2.warpAffine(frame, shift, frame.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8)


@pytest.mark.slow
def test_a_calibration_survives_the_file(calibration: Calibration, tmp_path: Path) -> None:
    """Saving and loading keeps every value to a hundredth of a pixel. Saving again replaces the file and leaves nothing
    else behind."""
    path = tmp_path / "camera.json"
    save_calibration(path, calibration)
    save_calibration(path, calibration)
    again = load_calibration(path)
    assert again is not None
    assert (again.size, again.game, again.read_rates) == (calibration.size, "systems-failing", calibration.read_rates)
    assert again.corners.keys() == set(CORNERS)
    for name, quad in calibration.corners.items():
        assert np.abs(again.corners[name] - quad).max() < 0.01
    assert np.allclose(again.module_size.coefficients, calibration.module_size.coefficients)
    assert again.module_size.search_scales == calibration.module_size.search_scales
    assert np.abs(again.noise - calibration.noise).max() < 0.01
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.slow
def test_the_sizes_of_all_codes_survive_the_file(calibration: Calibration) -> None:
    """The codes on the pieces of Commute are smaller than those on its cards. A file of an earlier version, without
    these sizes, is still valid."""
    field = replace(calibration.module_size, ratios=(1.0, 0.88))
    text = to_json(replace(calibration, module_size=field))
    again = from_json(text)
    assert again is not None
    assert again.module_size.ratios == (1.0, 0.88)
    earlier = from_json(text.replace(', "ratios": [1.0, 0.88]', ""))
    assert earlier is not None
    assert earlier.module_size.ratios == (1.0,)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "scales"), [(1, NARROW_SCALES), (2, MEDIUM_SCALES), (4, WIDE_SCALES)])
def test_files_keep_their_numbers_for_sets_of_scales(
    calibration: Calibration, number: int, scales: tuple[float, ...]
) -> None:
    """The number for each set of scales is that of earlier versions, however many scales the set has now."""
    text = to_json(replace(calibration, module_size=replace(calibration.module_size, search_scales=scales)))
    assert f'"sizes": {number},' in text
    again = from_json(text)
    assert again is not None
    assert again.module_size.search_scales == scales


@pytest.mark.parametrize("spoiled", ["", "[]", "null", "{}", '{"version": 2}', "\x00", "[" * 100_000])
def test_a_malformed_calibration_is_ignored(spoiled: str, tmp_path: Path) -> None:
    """A malformed or missing calibration file is ignored."""
    assert from_json(spoiled) is None
    assert load_calibration(tmp_path / "camera.json") is None


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ('"version": 2', '"version": 1'),
        ('"size": [1120', '"size": [NaN'),
        ('"module_px": ', '"module_px": 100000000'),
        ('"ratios": [1.0', '"ratios": [0.0'),
        ('"ratios": [1.0', '"ratios": [NaN'),
        ('"ratios": [1.0', f'"ratios": [{"1.0, " * 8}1.0'),
    ],
)
def test_an_impossible_calibration_is_ignored(was: str, now: str, calibration: Calibration) -> None:
    """A calibration file is ignored if it has another version, sizes that are not numbers, or codes that are larger
    than any image."""
    text = to_json(calibration)
    assert was in text
    assert from_json(text) is not None
    assert from_json(text.replace(was, now)) is None


def test_after_a_restart_one_corner_is_enough_for_the_mat(calibration: Calibration) -> None:
    """After a restart, a stored calibration gives places on the mat even if three corner codes are covered. Without the
    calibration there are no places."""
    frames = [(t, cover_corners(frame)) for t, frame in film(still(Scene((CARD,)), 6))]
    _, (event,) = watch_from(frames, calibration)
    assert event.zone == "left"
    assert event.mm is not None
    _, (before,) = watch_from(frames)
    assert before.mm is None


@pytest.mark.slow
def test_a_camera_knocked_between_runs_starts_over(calibration: Calibration) -> None:
    """If the camera was moved between two runs, places on the mat are computed from the present corners, and each event
    is reported once."""
    frames = [(t, knock_camera(frame)) for t, frame in film(still(Scene((CARD,)), 30))]
    watcher, (event,) = watch_from(frames, calibration)
    assert event.mm is not None
    _, (plain,) = watch_from(film(still(Scene((CARD,)), 6)))
    assert np.linalg.norm(np.subtract(event.mm, plain.mm or (0, 0))) < 1.5
    assert np.linalg.norm(watcher.registration.quads[CORNERS[0]] - calibration.corners[CORNERS[0]]) > 5


def test_an_image_of_another_size_is_of_another_camera(calibration: Calibration) -> None:
    """If images have another size, the stored calibration is ignored, and everything works without it."""
    frames = [(t, np.asarray(cv2.resize(frame, (900, 560)), np.uint8)) for t, frame in film(still(Scene((CARD,)), 6))]
    _, (event,) = watch_from(frames, calibration)
    assert event.zone == "left"


def test_read_rates_are_counted_per_zone(calibration: Calibration) -> None:
    """In good light every attempt to read a code succeeds. The sweep visits every code within five seconds."""
    assert calibration.read_rates.keys() == {"left", "right"}
    assert all(tally.rate == 1 for tally in calibration.read_rates.values())
    tally = ReadRate().with_attempt(success=True).with_attempt(success=False)
    assert 0.4 < tally.rate < 0.5


def test_the_sweep_measures_no_code_again() -> None:
    """While the codes lie still, the estimated size of modules stays the same. The sweep finds corners less exactly,
    and measuring the codes again would take time in each frame with a sweep."""
    scene = Scene(tuple(replace(card, angle=4.0 * n) for n, card in enumerate(ROWS)))
    watcher, first = watch_from([])[0], None
    for t, frame in film(still(scene, 82)):
        watcher.process(frame, t)
        first = first or watcher.calibration()
    last = watcher.calibration()
    assert first is not None
    assert last is not None
    assert last.module_size is first.module_size


def test_the_live_picture_says_how_well_a_zone_is_read() -> None:
    """The live picture shows a zone's read rate after enough attempts."""
    _, frame = next(film([Scene(ROWS)]))
    codes = read_codes(to_gray(frame), KNOWN)
    zones = {"left": ReadRate(40, 30), "right": ReadRate(2, 0)}
    says = {
        o.label: str(o.message) for o in live_picture(frame, codes, KNOWN, [MAT], zones).outlines if o.kind == "zone"
    }
    assert says["Left"].endswith("read at 75 of 100 looks")
    assert "looks" not in says["Right"]


def distort(strength: float, mm: Points) -> Points:
    """The pixels at which a distorting lens shows places on the mat, from its model by iterative inversion."""
    to_px = np.array([[2.6, 0.1, 390], [-0.05, 2.7, 170], [1e-5, 1e-4, 1]])
    straight = cv2.perspectiveTransform(mm[None].astype(float), to_px)[0]
    px = straight.copy()
    for _ in range(30):
        px += straight - RadialDistortion(strength, SIZE).undistort(px)
    return np.asarray(px, float)


@pytest.mark.parametrize("strength", [-0.08, -0.03, 0.05])
def test_distortion_is_estimated_from_the_mat(strength: float) -> None:
    """From corners with 0.1 px of noise, the distortion is estimated to within 0.01. Correcting it at least halves the
    error of places on the mat."""
    rng = np.random.default_rng(2)
    quads = {c.id: distort(strength, corner_square(c)) + rng.normal(0, 0.1, (4, 2)) for c in MAT.corners}
    px, mm = (np.concatenate(v) for v in zip(*((quads[c.id], corner_square(c)) for c in MAT.corners), strict=True))
    lens = estimate_distortion(px, mm, SIZE)
    assert lens is not None
    assert abs(lens.coefficient - strength) < 0.01
    with_lens, without = MatRegistration({"game": MAT}), MatRegistration({"game": MAT})
    with_lens.size = SIZE
    places = np.array([[x, y] for x in (60.0, 210, 360) for y in (50.0, 125, 200)])
    off = []
    for view in with_lens, without:
        view.update(quads)
        located = [view.locate(p) or (1e9, 1e9) for p in distort(strength, places)]
        off.append(float(np.linalg.norm(np.subtract(located, places), axis=1).mean()))
    assert off[0] < 0.5 * off[1]
    assert off[0] < 0.3


def test_noise_is_no_distortion() -> None:
    """Noise in the corners is not taken for distortion: a lens without distortion gets no correction."""
    rng = np.random.default_rng(3)
    mm = np.concatenate([corner_square(c) for c in MAT.corners])
    assert all(estimate_distortion(distort(0, mm) + rng.normal(0, 0.3, mm.shape), mm, SIZE) is None for _ in range(20))
