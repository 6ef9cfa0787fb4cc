"""The thresholds of vision that determine what people are told. Each test fails if its threshold changes noticeably."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from companion.diagnostics.findings import Finding
from companion.tabletop.observations import CardSeen
from tests.cube_scenes import camera, lanes, mat, to_mm, token_colors
from tests.vision_scenes import MAT
from vision.camera_process import is_same_place
from vision.cubes import count_scheduler
from vision.cubes.blob_fitting import CameraPosition, CubeFitter
from vision.cubes.color_calibration import NEUTRAL, UNKNOWN, ColorCalibration, lit_charts
from vision.cubes.count_scheduler import CountScheduler
from vision.cubes.cube_detection import Certainty, CubeCount, count_cubes
from vision.decoded_codes import Code
from vision.geometry import CELL_PX
from vision.image_quality import CodeMetrics, CodeSize, QualityMetrics, ZoneMetrics
from vision.image_quality_advice import quality_findings
from vision.live_picture_rendering import zone_quality
from vision.simulated_camera import PlacedToken, Scene
from vision.tracking.changed_regions import max_card_cells
from vision.tracking.mat_registration import MatPose
from vision.tracking.recheck_after_camera_move import Recheck
from vision.tracking.tracker import Detection, motion_in_image

SQUARE = np.array([[0, 0], [50, 0], [50, 50], [0, 50]], float)
CODE = CodeMetrics(Code("SF-D01", "TK:SF-D01", SQUARE), module_px=2.4, blur=0.5, paper=200.0, ink=50.0)
ZONE = ZoneMetrics(MAT.zones[0], SQUARE, in_frame=True, module_px=2.4, brightness=200.0)
GOOD = QualityMetrics(
    (1280, 720), 120.0, (CODE,), MAT, frozenset(corner.id for corner in MAT.corners), SQUARE, (ZONE, ZONE)
)


def finding(name: str, metrics: QualityMetrics) -> Finding:
    return next(finding for finding in quality_findings(metrics) if finding.name == name)


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("sharpness", {"codes": (replace(CODE, blur=0.7),)}, {"codes": (replace(CODE, blur=0.75),)}),
        ("code size", {"zones": (replace(ZONE, module_px=2.0),)}, {"zones": (replace(ZONE, module_px=1.95),)}),
        ("light", {"zones": (replace(ZONE, brightness=70.0),)}, {"zones": (replace(ZONE, brightness=69.0),)}),
        ("light", {"zones": (ZONE, replace(ZONE, brightness=101))}, {"zones": (ZONE, replace(ZONE, brightness=98))}),
        ("light", {"codes": (replace(CODE, ink=129.0),)}, {"codes": (replace(CODE, ink=131.0),)}),
    ],
    ids=["blur", "pixels per module", "brightness", "evenness", "contrast"],
)
def test_the_limits_of_a_good_picture(name: str, good: dict[str, Any], bad: dict[str, Any]) -> None:
    """The limits are a blur of 0.7 modules, 2 px per module, paper brightness 70, half of the brightest zone's light,
    and a contrast of 0.35."""
    assert finding(name, replace(GOOD, **good)).ok
    assert not finding(name, replace(GOOD, **bad)).ok


@pytest.mark.parametrize(
    ("sizes", "ok", "says"),
    [
        ([(25, 25)] * 5, True, "same scale: 100%"),
        ([(25, 24.64)] * 5, True, "same scale: 99%"),
        ([(25, 24.25)] * 5, False, "at 97% of the mat"),
        ([(25, 25.5)] * 5, False, "at 102% of the mat"),
        ([(25, 17.5)] * 5, True, "70% of their usual size, as in a small print"),
        ([(25, 17.3)] * 5, True, "69% of their usual size, as in a small print"),
        ([(20.57, 13.8)] * 5, False, "at 96% of the mat"),
        ([(25, 24)] * 5, True, "96% of their usual size, as in a print with codes of 24 mm"),
        ([(25, 24.07)] * 5, True, "codes of 24 mm"),
        ([(25, 24.15)] * 5, False, "at 97% of the mat"),
        ([(25, 20)] * 4 + [(22, 20)] * 2, True, "codes of 20 mm"),
        ([(25, 22)] * 3 + [(25, 25)] * 3, True, "codes of 22 mm"),
        ([(25, 25)] * 3 + [(25, 26)] * 2, True, "same scale"),
    ],
)
def test_the_scale_of_the_cards(sizes: list[tuple[float, float]], ok: bool, says: str) -> None:
    """The median scale may be off by 1.5%. A small print, one with codes in whole millimeters (to 0.4%), and stickers
    of 22 mm among cards are sizes that people chose."""
    metrics = replace(GOOD, code_sizes=tuple(CodeSize(*each) for each in sizes))
    found = finding("print size", metrics)
    assert (found.ok, bool(found.remedy)) == (ok, not ok)
    assert says in str(found.message)


def test_a_few_codes_say_nothing_about_the_print() -> None:
    """With fewer than five codes on components, there is no finding about their size."""
    few = replace(GOOD, code_sizes=(CodeSize(25, 24.25),) * 4)
    assert "print size" not in [each.name for each in quality_findings(few)]


def test_a_black_frame_is_said_to_be_black() -> None:
    """Below a mean gray level of 25 the message mentions the lens cap."""
    says = [finding("mat", QualityMetrics((1280, 720), level, ())).message for level in (24.0, 26.0)]
    assert ["black" in str(each) for each in says] == [True, False]


def test_a_zone_is_poor_below_one_and_a_half_pixels_per_module() -> None:
    """A zone is good if it has at least two pixels per module and at least half of the brightest zone's light. It is
    poor below one and a half pixels per module."""
    sizes = (1.45, 1.55, 1.95, 2.0)
    assert [zone_quality(replace(ZONE, module_px=px), 1.0) for px in sizes] == ["poor", "fair", "fair", "good"]
    assert zone_quality(ZONE, 0.45) == "fair"


def lab(hue_deg: float, saturation: float) -> np.ndarray[Any, np.dtype[np.float32]]:
    """A pixel in CIE Lab with lightness 42."""
    chroma, hue = saturation * 50, np.radians(hue_deg)
    return np.array([[[42, chroma * np.cos(hue), chroma * np.sin(hue)]]], np.float32)


@pytest.mark.parametrize(
    ("hue_deg", "saturation", "label"),
    [
        (27, 1.0, 1), (29, 1.0, UNKNOWN), (103, 1.0, UNKNOWN),
        (0, 0.44, 1), (0, 0.40, UNKNOWN), (0, 0.26, UNKNOWN), (0, 0.24, NEUTRAL),
    ],
)  # fmt: skip
def test_a_pixel_is_a_token_near_its_hue_and_saturation(hue_deg: float, saturation: float, label: int) -> None:
    """A pixel belongs to a token if it is within 28 degrees of the token's hue and has at least 0.42 of the patch's
    saturation. Below 0.25 of that saturation the pixel is neutral."""
    black = np.zeros(3, np.float32)
    calibration = ColorCalibration(np.zeros((3, 3), np.float32), black, np.array([0.0, 180.0]), np.array([1.0, 1.0]))
    assert calibration.classify(lab(hue_deg, saturation)).item() == label


def test_hues_that_are_close_have_narrower_limits() -> None:
    """For two close hues the limit is 0.42 of the distance between them."""
    black = np.zeros(3, np.float32)
    calibration = ColorCalibration(np.zeros((3, 3), np.float32), black, np.array([0.0, 50.0]), np.array([1.0, 1.0]))
    assert [calibration.classify(lab(hue, 1.0)).item() for hue in (20, 22, 28, 30)] == [1, UNKNOWN, UNKNOWN, 2]


@pytest.mark.parametrize("shadow", [(0, 3), (1, 4), (2, 5), (0, 1), (2,), ()])
def test_charts_in_the_shadow_of_an_arm_are_not_lit(shadow: tuple[int, ...]) -> None:
    """Of three charts at either side of the mat, an arm may shade one or two, also both at the same height. The others
    count as lit, even if the light falls off toward one corner."""
    places = np.array([(1.0, x, y) for x in (10.0, 590.0) for y in (60.0, 200.0, 340.0)])
    levels = places @ (0.0, 0.0005, -0.0004)
    levels[list(shadow)] += np.log(0.45)
    assert lit_charts(places, levels).tolist() == [number not in shadow for number in range(6)]


@pytest.mark.parametrize(("distance", "certainty"), [(-1.0, "guessed"), (1.0, "guessed"), (2.0, "certain")])
def test_a_cube_near_the_border_of_its_area_is_not_certain(distance: float, certainty: Certainty) -> None:
    """A cube closer to the border than 1.5 mm may belong to either side."""
    side = min(y for _, y in token_colors().areas["west1>A"])
    x, _ = lanes()["west1>A"].point(20)
    scene = Scene((), (PlacedToken("red", x, side + distance),))
    (count,) = count_cubes(camera().render(scene), to_mm(), token_colors(), ["west1>A"])
    assert count.certainty == certainty


@pytest.mark.parametrize(("cost", "is_certain"), [(0.47, True), (0.49, False)])
def test_cubes_that_explain_a_blob_badly_are_not_certain(
    cost: float, is_certain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two cubes are certain up to a cost of 0.24 for each, if no other number of cubes comes near."""
    fits = [
        SimpleNamespace(cubes=[(0.0, 0.0, 0.0), (8.0, 0.0, 0.0)], cost=cost),
        SimpleNamespace(cubes=[(4.0, 0.0, 0.0)], cost=2.0),
    ]
    monkeypatch.setattr(CubeFitter, "_fits_by_count", lambda fitter, blob: fits)
    monkeypatch.setattr(CubeFitter, "_refined", lambda fitter, blob, fit: fit)
    monkeypatch.setattr(CubeFitter, "_is_flat", lambda fitter, blob, cubes: False)
    monkeypatch.setattr(CubeFitter, "_may_be_stack", lambda fitter, blob, fit, number: False)
    blob: Any = SimpleNamespace(origin=(0.0, 0.0))
    fit = CubeFitter(CameraPosition((0.0, 0.0), 600.0), cube_mm=8.0, max_cubes=4).fit(blob)
    assert (len(fit.cubes), fit.is_certain) == (2, is_certain)


class CounterBench:
    """A `CountScheduler` with one area, and a fake watcher that says when something last moved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, result: CubeCount, uncertain_mm: float) -> None:
        self.counts = 0
        self._result = result
        monkeypatch.setattr(count_scheduler, "count_cubes", self._count)
        areas = {result.area: token_colors().areas[result.area]}
        self._counter = CountScheduler()
        self._counter.set_mat(replace(mat(), token_colors=replace(token_colors(), areas=areas)))
        pose = MatPose(to_mm(), frozenset(), uncertain_mm)
        self._watcher: Any = SimpleNamespace(
            registration=SimpleNamespace(pose=pose),
            mat_in_view=mat().name,
            change_masks=object(),
            tracker=SimpleNamespace(tracks={}),
            visible_tracks=dict,
            last_motion_in=lambda outline: 0.0,
        )

    def _count(self, *_: object) -> Iterator[CubeCount]:
        self.counts += 1
        yield self._result

    def counts_until(self, *times: float) -> list[int]:
        """How often the area has been counted by each of these times. There is a frame every 0.02 s."""
        frame, counts = np.zeros((9, 16, 3), np.uint8), []
        for since, until in pairwise((0.0, *times)):
            for t in np.arange(since, until, 0.02):
                list(self._counter.update(frame, float(t), self._watcher))
            counts.append(self.counts)
        return counts


def test_an_area_is_counted_at_rest_and_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An area is counted after 0.4 s of rest and once more 0.2 s later. Then it is not counted again while nothing
    moves."""
    bench = CounterBench(monkeypatch, CubeCount("west1>A", {}, "certain"), uncertain_mm=1.9)
    assert bench.counts_until(0.38, 0.43, 0.58, 0.65, 9.0) == [0, 1, 1, 2, 2]


def test_an_uncertain_count_is_repeated_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """An uncertain count is repeated three seconds after it was confirmed."""
    bench = CounterBench(monkeypatch, CubeCount("west1>A", None, "unknown", "dark"), uncertain_mm=1.9)
    assert bench.counts_until(0.65, 3.5, 3.8) == [2, 2, 3]


def test_nothing_is_counted_on_a_mat_of_uncertain_position(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is counted if the position of the mat is uncertain by more than two millimeters."""
    bench = CounterBench(monkeypatch, CubeCount("west1>A", {}, "certain"), uncertain_mm=2.1)
    assert bench.counts_until(2.0) == [0]


def test_a_component_within_six_millimeters_has_not_moved() -> None:
    """A component that is within six millimeters of its earlier place is not reported again after a restart of the
    worker. If positions are unknown, only the zones are compared."""

    def seen(x: float | None, zone: str = "left") -> CardSeen:
        return CardSeen(t=0, code="SF-D01", zone=zone, mm=None if x is None else (x, 0.0), angle=0, change="appeared")

    assert [is_same_place(seen(0), seen(x)) for x in (5.9, 6.1)] == [True, False]
    assert [is_same_place(seen(None), seen(None, zone)) for zone in ("left", "right")] == [True, False]


@pytest.mark.parametrize(
    ("confidence", "degrees", "motion"),
    [(1, 6.9, None), (1, 7.1, "turned"), (0.15, 14.9, None), (0.15, 15.1, "turned")],
)
def test_a_component_turned_by_more_than_seven_degrees_has_turned(
    confidence: float, degrees: float, motion: str | None
) -> None:
    """A code that was matched with little confidence may be half covered, so its angle must differ by 15 degrees."""
    square = np.array([[-10, -10], [10, -10], [10, 10], [-10, 10]], float)
    turn = np.deg2rad(degrees)
    rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    before, now = (Detection(Code("SF-D01", "", points, confidence)) for points in (square, square @ rotation))
    assert motion_in_image(before, now) == motion


@pytest.mark.parametrize(("unread", "missing"), [(5, 5), (6, 0)])
def test_codes_are_missing_if_most_others_were_read_again(unread: int, missing: int) -> None:
    """If five of eleven codes can't be read, their components count as gone. If six can't, something is assumed to
    cover them."""
    names = {f"SF-D{n:02}" for n in range(11)}
    recheck = Recheck.start(10.0, set(names), mat_changed=False)
    for name in sorted(names)[unread:]:
        recheck.discard(name)
    recheck.update(12.9)
    assert recheck.is_running
    recheck.update(13.1)
    assert (recheck.is_running, len(recheck.missing)) == (False, missing)


@pytest.mark.parametrize("code_mm", [20.0, 25.0])
@pytest.mark.parametrize("side_px", [30.0, 60.0, 120.0])
def test_a_poker_card_may_have_a_small_code(code_mm: float, side_px: float) -> None:
    """The place of a poker card that was taken away is not too large for a card, whether its code is 20 or 25 mm wide.
    A card with a small code once stayed on the table for good."""
    cells_per_mm = side_px / code_mm / CELL_PX
    width, height = 63 * cells_per_mm, 88 * cells_per_mm
    assert width * height + width + height < max_card_cells(side_px) < 3 * width * height + 3 * (width + height)
