"""The checks of the camera and its picture, for `tablekeeper doctor` and the set-up page."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from unittest.mock import MagicMock

import cv2
import numpy as np
import pytest

from companion.diagnostics.findings import Finding
from companion.games import GAMES
from tests.rendered_mat import seen_mat
from tests.vision_scenes import CARDS, textures
from tests.vision_scenes import KNOWN as SCENE_KNOWN
from tests.vision_scenes import MAT as SCENE_MAT
from vision.decoding.decoder import read_codes
from vision.frame_source import CameraError
from vision.geometry import GrayImage
from vision.image_quality import measure_quality
from vision.image_quality_advice import check_camera, code_size_finding, quality_findings
from vision.known_codes import known_codes
from vision.live_picture_rendering import live_picture, outlines
from vision.open_frame_source import open_source
from vision.simulated_camera import FRAME_SIZE, PlacedPrint, Scene, SimulatedCamera
from vision.simulated_disturbances import shake
from vision.tracking.distortion import RadialDistortion
from vision.yuv import to_gray
from web.setup.camera_setup import STEPS

MAT = GAMES["systems-failing"].physical.components.mat
assert MAT is not None
MATS = tuple(game.physical.components.mat for game in GAMES.values() if game.physical.components.mat)
KNOWN = known_codes()


def found(picture: GrayImage) -> dict[str, Finding]:
    """The findings about an image, by the name of the check."""
    return {
        finding.name: finding
        for finding in quality_findings(measure_quality(picture, read_codes(picture, KNOWN), KNOWN, MATS))
    }


def failed(picture: GrayImage) -> list[str]:
    return [name for name, finding in found(picture).items() if not finding.ok]


def test_a_good_picture_passes_every_step() -> None:
    """A good image passes every check. The checks come in order, and none gives advice."""
    good = found(seen_mat(MAT, 2.6))
    assert list(good) == list(STEPS)
    assert all(finding.ok and not finding.remedy for finding in good.values()), good


def test_the_smallest_number_of_pixels_per_module_is_reported() -> None:
    """The finding about code size gives the smallest number of pixels per module, to a tenth. If it is below two, the
    finding says how to get more."""
    metrics_of = {
        px: measure_quality(seen_mat(MAT, px), read_codes(seen_mat(MAT, px), KNOWN), KNOWN, MATS) for px in (1.7, 3.0)
    }
    for px, measured in metrics_of.items():
        assert measured.module_px == pytest.approx(px, abs=0.1)
    assert failed(seen_mat(MAT, 1.7)) == ["code size"]
    assert "Lower the camera" in str(found(seen_mat(MAT, 1.7))["code size"].remedy)


@pytest.mark.parametrize(
    ("module_px", "told", "ok", "quality"), [(1.97, "1.9", False, "fair"), (2.0, "2.0", True, "good")]
)
def test_too_small_a_size_never_reads_as_if_it_were_enough(module_px: float, told: str, ok: bool, quality: str) -> None:
    """Sizes just below the limit are rounded down in the finding, and in the map of the zones. Otherwise both would say
    that 2.0 pixels are too few, or call 2.0 pixels fair in one zone and good in another."""
    picture = seen_mat(MAT, 2.6)
    measured = measure_quality(picture, read_codes(picture, KNOWN), KNOWN, MATS)
    measured = replace(measured, zones=tuple(replace(zone, module_px=module_px) for zone in measured.zones))
    finding = code_size_finding(measured)
    assert (finding.ok, f"at least {told} pixels" in str(finding.message)) == (ok, True)
    zone = next(outline for outline in outlines(measured, {}) if outline.kind == "zone")
    assert (zone.quality, str(zone.message).partition(" ")[0]) == (quality, told)


def test_a_blurred_picture_is_reported() -> None:
    """An image that is out of focus but readable is reported."""
    blurred = np.asarray(cv2.GaussianBlur(seen_mat(MAT, 2.6), (0, 0), 2.4), np.uint8)
    assert failed(blurred) == ["sharpness"]


def test_a_missing_mat_light_or_corner_is_reported() -> None:
    """A missing mat, missing light and a missing corner are each reported as such. Checks that are then impossible are
    left out."""
    good = seen_mat(MAT, 2.6)
    assert list(found(np.full_like(good, 128))) == ["mat"]
    assert "black" in str(found(np.full_like(good, 4))["mat"].message)
    covered = good.copy()
    covered[: len(covered) // 3, : len(covered) // 3] = 128
    assert "top left" in str(found(covered)["corners"].message)
    assert "top right" not in str(found(covered)["corners"].message)


def test_poor_light_is_reported() -> None:
    """Darkness, a shadow on one side and a lamp reflected on a code are reported, each with its own remedy."""
    good = seen_mat(MAT, 2.6)
    assert "Light the table better" in str(found(good // 4)["light"].remedy)
    shaded = good.copy()
    shaded[:, int(0.55 * good.shape[1]) :] //= 3
    assert "to the side" in str(found(shaded)["light"].remedy)
    assert "less than half" in str(found(shaded)["light"].message)
    mirrored = good.copy()
    corner = mirrored[:200, :200]
    corner[:] = (corner * 0.2 + 190).astype(np.uint8)
    assert MAT.corners[0].id in str(found(mirrored)["light"].message)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scale", "lens", "ok", "percent"), [(1.0, 0.0, True, 100), (1.0, 0.12, True, 100), (0.97, 0.0, False, 97)]
)
def test_cards_of_another_scale_than_the_mat_are_reported(scale: float, lens: float, ok: bool, percent: int) -> None:
    """A finding says at what scale the cards are printed, measured by the mat. It is right to 0.5%, also through
    a lens with distortion, and it is no step of the set-up."""
    prints = {
        name: replace(each, width_mm=each.width_mm * scale, height_mm=each.height_mm * scale)
        for name, each in textures().items()
        if name != "mat"
    }
    cards = [PlacedPrint(card, 90 + 80 * (n % 4), 55 + 95 * (n // 4), 25.0 * n) for n, card in enumerate(CARDS[:8])]
    camera = SimulatedCamera({**prints, "mat": textures()["mat"]}, size=FRAME_SIZE)
    frame = to_gray(camera.render(Scene(tuple(cards))))
    y, x = np.mgrid[0 : frame.shape[0], 0 : frame.shape[1]].astype(float)
    at = RadialDistortion(lens, FRAME_SIZE).undistort(np.stack([x.ravel(), y.ravel()], 1)).astype(np.float32)
    columns, rows = at.reshape(*frame.shape, 2).transpose(2, 0, 1)
    seen = np.asarray(cv2.remap(frame, columns, rows, cv2.INTER_LINEAR), np.uint8)
    metrics = measure_quality(seen, read_codes(seen, SCENE_KNOWN), SCENE_KNOWN, [SCENE_MAT])
    assert np.median([each.measured_mm / each.usual_mm for each in metrics.code_sizes]) == pytest.approx(
        scale, abs=5e-3
    )
    findings = {each.name: each for each in quality_findings(metrics)}
    print_size = findings["print size"]
    assert print_size.ok == ok
    assert f"{percent}%" in str(print_size.message)
    assert ("100 mm ruler" in str(print_size.remedy)) == (not ok)
    assert "print size" not in STEPS


class FakeCamera:
    """A camera that delivers these frames, or fails."""

    def __init__(self, *frames: GrayImage, fps: float = 20.0, fails: str = "") -> None:
        self.frames, self.fps, self.fails, self.closed = frames, fps, fails, False

    def __iter__(self) -> Iterator[tuple[float, Any]]:
        for number, frame in enumerate(self.frames):
            yield number / self.fps, frame
        if self.fails:
            raise CameraError(self.fails)

    def close(self) -> None:
        self.closed = True


def test_a_camera_is_opened_timed_and_closed() -> None:
    """The frame rate is measured by the camera's own clock, and a slow rate is reported. A single image has no rate."""
    good = seen_mat(MAT, 2.6)
    for source, ok, says in (
        (FakeCamera(*[good] * 12, fps=14.9), True, "14.9 frames per second"),
        (FakeCamera(*[good] * 6, fps=2.0), False, "2.0 frames per second"),
        (FakeCamera(good), True, "one picture"),
        (FakeCamera(), False, "No frame"),
        (FakeCamera(good, fails="It went away."), False, "It went away."),
    ):
        first = next(check_camera(lambda source=source: source, KNOWN, MATS))  # type: ignore[misc]
        assert (first.ok, says in str(first.message)) == (ok, True), first
        assert source.closed
        assert first.ok or first.remedy


def test_a_pi_without_a_camera_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the Pi has no camera, the finding says what to check."""
    module = MagicMock()
    module.Picamera2.side_effect = IndexError("list index out of range")
    monkeypatch.setitem(sys.modules, "picamera2", module)
    (finding,) = check_camera(lambda: open_source("picamera2"), KNOWN, MATS)
    assert not finding.ok
    assert "rpicam-hello" in str(finding.message)


@pytest.mark.slow
def test_a_camera_that_shakes_is_reported() -> None:
    """If the camera shakes, a finding says by how many pixels, and what to do about it."""
    good, rng = np.asarray(cv2.cvtColor(seen_mat(MAT, 2.6), cv2.COLOR_GRAY2BGR), np.uint8), np.random.default_rng(1)
    disturb = shake(rng, 0.8)
    shaking = [disturb(good, 0.0) for _ in range(30)]
    for frames, ok in (([good] * 30, True), (shaking, False)):
        findings = {each.name: each for each in check_camera(lambda frames=frames: FakeCamera(*frames), KNOWN, MATS)}  # type: ignore[misc]
        assert findings["sharpness"].ok == ok
    shaken = findings["sharpness"]
    pixels = re.search(r"shakes by (\d\.\d) pixels", str(shaken.message))
    assert pixels
    assert float(pixels[1]) == pytest.approx(0.8 * 2**0.5, abs=0.3)
    assert "arm" in str(shaken.remedy)


def test_a_live_picture_has_outlines_in_its_own_pixels() -> None:
    """The live picture has the outlines of the mat, its zones, its corners and a card, in pixels of the image. A zone
    that is too far away is marked as poor."""
    picture = seen_mat(MAT, 2.6, {"SF-D07": (300.0, 170.0)})
    seen = live_picture(picture, read_codes(picture, KNOWN), KNOWN, MATS)
    kinds = [outline.kind for outline in seen.outlines]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        "mat": 1,
        "zone": len(MAT.zones),
        "corner": 4,
        "component": 1,
    }
    assert seen.size == picture.shape[1::-1]
    (card,) = [outline for outline in seen.outlines if outline.kind == "component"]
    middle = np.mean(card.points, 0) * MAT.corners[0].code_mm / 21 / 2.6 - 20
    assert middle == pytest.approx((300, 170), abs=1)
    assert {outline.quality for outline in seen.outlines} == {"good"}
    small = seen_mat(MAT, 1.3)
    far = live_picture(small, read_codes(small, KNOWN), KNOWN, MATS)
    assert {outline.quality for outline in far.outlines if outline.kind == "zone"} == {"poor"}
    decoded = cv2.imdecode(np.frombuffer(seen.jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert decoded is not None
    assert decoded.shape[1] == min(1280, picture.shape[1])
