"""The thresholds of reading and tracking: each test fails if one of them changes noticeably."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from tests.vision_scenes import CORNERS, MAT
from vision.decoding import decoder
from vision.decoding.candidates import TEXTURE_CELL_PX, find_candidates, isotropy, response_threshold
from vision.decoding.coarse_match import find_peaks
from vision.decoding.decoder import accepted_codes, match_with_size
from vision.decoding.module_size import fit_module_size, search_scales_for
from vision.decoding.templates import Floats, build_template_bank
from vision.geometry import Code, GrayImage, Points, remove_duplicates
from vision.tracking.change_detection import CELL_PX, ChangeDetector, FrameComparison, deviating_rows
from vision.tracking.mat_registration import MatRegistration, corner_square
from vision.tracking.occlusion import (
    Appearance,
    border_cells,
    has_code_texture,
    is_visible,
    max_card_cells,
    may_be_covered,
)
from vision.tracking.read_scheduler import NEVER, ReadScheduler, RetrySchedule
from vision.tracking.recheck import Recheck
from vision.tracking.tracker import Detection, PlaceState, Track, Tracker, motion_in_image, motion_on_mat

KNOWN = frozenset({"SF-D07"})


def square(x: float, y: float, side: float) -> Points:
    """The corners of an upright square with this center."""
    half = side / 2
    return np.array([[x - half, y - half], [x + half, y - half], [x + half, y + half], [x - half, y + half]])


def code(x: float = 100, y: float = 100, side: float = 50, confidence: float = 1.0, name: str = "SF-D07") -> Code:
    return Code(name, f"TK:{name}", square(x, y, side), confidence)


# Geometry


@pytest.mark.parametrize(("distance", "count"), [(28, 1), (32, 2)])
def test_codes_closer_than_three_fifths_of_a_side_overlap(distance: float, count: int) -> None:
    """Of two codes 50 px wide."""
    assert len(remove_duplicates([code(), code(100 + distance)])) == count


@pytest.mark.parametrize(("side", "count"), [(11, 0), (13, 1)])
def test_a_code_has_edges_of_at_least_12_px(side: float, count: int) -> None:
    assert len(remove_duplicates([code(side=side)])) == count


@pytest.mark.parametrize(("ratio", "count"), [(2.3, 1), (2.7, 0)])
def test_the_longest_edge_is_at_most_two_and_a_half_times_the_shortest(ratio: float, count: int) -> None:
    assert len(remove_duplicates([Code(None, "", square(0, 0, 20) * (ratio, 1))])) == count


@pytest.mark.parametrize(("ratio", "count"), [(1.4, 1), (1.6, 2)])
def test_foreign_codes_that_differ_by_half_in_size_are_nested(ratio: float, count: int) -> None:
    """And both are kept."""
    assert (
        len(remove_duplicates([Code(None, "a", square(0, 0, 50)), Code(None, "b", square(0, 0, 50 * ratio))])) == count
    )


# Candidates


def test_there_are_at_most_96_candidates() -> None:
    """Of 150 separate spots of texture the strongest 96."""
    texture = np.zeros((4, 100, 150), np.float32)
    strength = np.linspace(40, 80, 150).reshape(10, 15)
    texture[:, 3:97:10, 3:147:10] = texture[:, 4:98:10, 3:147:10] = strength
    centers = find_candidates(texture, [], 4 * TEXTURE_CELL_PX)
    assert len(centers) == 96
    assert centers[:, 1].min() > 25


@pytest.mark.parametrize(("smaller", "count"), [(0.30, 0), (0.40, 1)])
def test_texture_must_be_about_equal_in_all_directions(smaller: float, count: int) -> None:
    """The smaller of two components is at least half of their mean, which is a third of the larger one."""
    texture = np.zeros((4, 40, 40), np.float32)
    texture[:, 17:22, 17:22] = 500
    texture[0] *= smaller
    assert len(find_candidates(texture, [], 42)) == count
    assert isotropy(texture[0, 19:20], texture[1, 19:20])[0, 19] == pytest.approx(2 * smaller / (1 + smaller))


def test_a_candidate_has_a_third_of_the_texture_of_the_codes() -> None:
    """Where three codes were read; otherwise an absolute limit."""
    response = np.full((30, 30), 100, np.float32)
    codes = [code(50 * n, 100) for n in range(1, 4)]
    assert response_threshold(response, codes) == pytest.approx(35, abs=3)
    assert response_threshold(response, codes[:2]) == pytest.approx(5, abs=1)


# Matching


def peak_scores(*values: float) -> Floats:
    """The scores of one candidate with separate peaks of these heights."""
    scores = np.zeros((1, 4, 1, 15, 15), np.float32)
    for n, value in enumerate(values):
        scores[0, n % 4, 0, 2 + 3 * (n // 4), 7] = value
    return scores


@pytest.mark.parametrize(
    ("scores", "count"),
    [
        ((0.30,), 0),
        ((0.36,), 1),
        ((0.9, 0.69), 1),
        ((0.9, 0.75), 2),
        ((0.9,) * 7, 4),
    ],
)
def test_coarse_poses_that_are_looked_into(scores: tuple[float, ...], count: int) -> None:
    """They correlate with 0.33 and reach 0.8 of the best; there are at most four."""
    assert len(find_peaks(peak_scores(*scores))[0]) == count


@pytest.mark.parametrize(("confidence", "accepted"), [(0.41, False), (0.43, True)])
def test_the_confidence_of_an_accepted_match(confidence: float, accepted: bool) -> None:
    """The best forgery of millions reached 0.409."""
    assert bool(accepted_codes([code(confidence=confidence)])) == accepted


@pytest.mark.parametrize(("codes", "tried"), [(16, 24), (1, 96)])
def test_matching_ends_after_24_failures(codes: int, tried: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once enough codes were read to know their size."""
    batches: list[int] = []

    def match_nothing(gray: GrayImage, centers: Points, *_: object) -> list[Code]:
        batches.append(len(centers))
        return []

    monkeypatch.setattr(decoder, "match_candidates", match_nothing)
    field = fit_module_size([code(60 * (n % 4), 60 * (n // 4)) for n in range(codes)])
    assert field is not None
    gray, centers = np.zeros((300, 300), np.uint8), np.zeros((96, 2))
    match_with_size(gray, centers, field, build_template_bank(KNOWN), [], decoder.MAX_FAILED_CANDIDATES)
    assert sum(batches) == tried


def test_the_range_of_sizes_narrows_with_the_codes_that_were_read() -> None:
    """From eight codes the tilt counts as known, from sixteen the size as exact."""
    assert [len(search_scales_for(n)) for n in (1, 7, 8, 15, 16)] == [4, 4, 2, 2, 1]


# Change detection


@pytest.mark.parametrize(("difference", "unchanged"), [(3, True), (6, False)])
def test_a_frame_is_unchanged_within_four_gray_levels(difference: int, unchanged: bool) -> None:
    """Per block of 32 x 32 px."""
    frame = np.full((320, 320), 100, np.uint8)
    comparison = FrameComparison()
    comparison.set_reference(frame)
    frame[64:96, 64:96] += difference
    assert comparison.is_unchanged(frame) == unchanged


@pytest.mark.parametrize(("levels", "moving", "changed"), [(4, 0, 0), (6, 4, 0), (9, 4, 4)])
def test_a_cell_moves_from_five_gray_levels_and_changes_from_seven(levels: int, moving: int, changed: int) -> None:
    """With the noise that is assumed at first: six times 0.8 gray levels, and half as much again."""
    frame = np.full((160, 160), 100, np.uint8)
    detector = ChangeDetector()
    detector.update(frame, 0)
    frame[32:64, 32:64] += levels
    masks = detector.update(frame, 0.1)
    assert (masks.moving.sum(), masks.changed.sum()) == (moving, changed)


@pytest.mark.parametrize(("gain", "deviates"), [(1.15, False), (1.25, True)])
def test_a_row_that_deviates_by_a_fifth_shows_something_else(gain: float, deviates: bool) -> None:
    change = np.ones(20, np.float32)
    change[5] = gain
    assert deviating_rows(change)[5] == deviates


# Occlusion


@pytest.mark.parametrize(("rows", "visible", "whole"), [(1, False, False), (3, True, False), (7, True, True)])
def test_a_quarter_of_a_code_shows_that_it_is_there(rows: int, visible: bool, whole: bool) -> None:
    """And three quarters that it is in full view; so many of eight rows of blocks look as before."""
    rng = np.random.default_rng(1)
    before = rng.integers(0, 255, (64, 64)).astype(np.uint8)
    now = np.full_like(before, 128)
    now[: 8 * rows] = before[: 8 * rows]
    appearance = Appearance((0, 0, 64, 64), before, np.ones((4, 4), bool), None)
    assert is_visible(appearance, now) == visible
    assert is_visible(appearance, now, 0.75) == whole


@pytest.mark.parametrize(("correlation", "visible"), [(0.5, False), (0.7, True)])
def test_a_block_looks_as_before_if_it_correlates_with_six_tenths(correlation: float, visible: bool) -> None:
    """The rest is noise."""
    rng = np.random.default_rng(1)
    code_part, noise = rng.normal(0, 30, (2, 64, 64))
    mixed = correlation * code_part + math.sqrt(1 - correlation**2) * noise
    before, now = (np.clip(128 + part, 0, 255).astype(np.uint8) for part in (code_part, mixed))
    appearance = Appearance((0, 0, 64, 64), before, np.ones((4, 4), bool), None)
    assert is_visible(appearance, now, 0.5) == visible


@pytest.mark.parametrize(("contrast", "coded"), [(0.45, False), (0.65, True)])
def test_half_of_the_texture_still_looks_like_a_code(contrast: float, coded: bool) -> None:
    before = np.random.default_rng(1).integers(0, 2, (64, 64)).astype(np.uint8) * 200
    appearance = Appearance((0, 0, 64, 64), before, np.ones((4, 4), bool), None)
    assert has_code_texture(appearance, (before * contrast).astype(np.uint8)) == coded


@pytest.mark.parametrize(("sides", "covered"), [(3.6, True), (3.9, False)])
def test_a_card_reaches_nearly_four_sides_of_its_code_onto_another(sides: float, covered: bool) -> None:
    assert may_be_covered(np.array([0.0, 0]), 50, [np.array([50 * sides, 0])]) == covered


def test_a_card_covers_about_eleven_times_its_code() -> None:
    """A poker card and its shadow, and a rim of cells that it only touches."""
    assert max_card_cells(8 * CELL_PX) == pytest.approx(11 * 64 + 30, rel=0.03)
    assert max_card_cells(0) == pytest.approx(30, abs=3)


def test_cells_at_the_border_are_counted() -> None:
    """An arm reaches over at least two of them."""
    region = np.zeros((10, 10), bool)
    region[4:6, 0] = True
    assert border_cells(region) == 2


# Reading


def test_an_unread_code_is_retried_after_twice_as_many_frames() -> None:
    """After 1, 2, 4, 8 and 16 frames; then it counts as print."""
    schedule, everywhere = RetrySchedule.create((1, 1)), np.ones((1, 1), bool)
    waits = []
    for _ in range(6):
        schedule.back_off(everywhere, 100)
        waits.append(int(schedule.due_frame[0, 0]))
    assert waits == [101, 102, 104, 108, 116, NEVER]
    assert not schedule.pending.any()


@pytest.mark.parametrize(("frames", "shift", "confirmed"), [(60, 0, True), (70, 0, False), (1, 4, True), (1, 6, False)])
def test_a_match_is_confirmed_at_the_same_place_within_64_frames(frames: int, shift: float, confirmed: bool) -> None:
    """The same place is within a tenth of the code's side, 50 px."""
    scheduler = ReadScheduler(KNOWN)
    assert not scheduler._is_confirmed(code(confidence=0.43))
    for _ in range(frames):
        scheduler.skip_frame()
    assert scheduler._is_confirmed(code(100 + shift, confidence=0.43)) == confirmed


# The mat and the tracker


@pytest.mark.parametrize(("mm", "update"), [(2.5, "same"), (3.5, "moved")])
def test_a_corner_code_that_shifts_by_3_mm_shows_that_the_camera_moved(mm: float, update: str) -> None:
    registration = MatRegistration({"systems-failing": MAT})
    quads = {corner.id: corner_square(corner) * 2.5 for corner in MAT.corners}
    registration.update(quads)
    assert registration.update({CORNERS[0]: quads[CORNERS[0]] + (mm * 2.5, 0)}) == update


@pytest.mark.parametrize(("mm", "motion"), [(3.5, None), (4.5, "moved")])
def test_a_code_that_shifts_by_4_mm_has_moved(mm: float, motion: str | None) -> None:
    """At 2 px per mm, for a code of 25 mm."""
    assert motion_in_image(Detection(code()), Detection(code(100 + 2 * mm))) == motion


@pytest.mark.parametrize(("mm", "motion"), [(5, None), (7, "moved")])
def test_after_the_camera_moved_6_mm_on_the_mat_are_a_move(mm: float, motion: str | None) -> None:
    assert motion_on_mat(Detection(code(), (0, 0), 0), Detection(code(), (mm, 0), 0)) == motion


@pytest.mark.parametrize(("degrees", "motion"), [(6, None), (8, "turned")])
def test_seven_degrees_are_a_turn(degrees: float, motion: str | None) -> None:
    way = cv2.getRotationMatrix2D((100, 100), degrees, 1)
    turned = Code("SF-D07", "TK:SF-D07", square(100, 100, 50) @ way[:, :2].T + way[:, 2])
    assert motion_in_image(Detection(code()), Detection(turned)) == motion


@pytest.mark.parametrize(("seconds", "left"), [(0.8, False), (1.0, True)])
def test_a_thing_leaves_nine_tenths_of_a_second_after_its_place_was_vacated(seconds: float, left: bool) -> None:
    """While something else moves."""
    tracker = Tracker()
    tracker.update(0, [Detection(code())], vacated, is_quiet=False)
    tracker.update(1, [], vacated, is_quiet=False)
    assert bool(tracker.update(1 + seconds, [], vacated, is_quiet=False)) == left


def vacated(track: Track) -> PlaceState:
    return "vacated"


@pytest.mark.parametrize(("unread", "missing"), [(4, 4), (5, 0)])
def test_after_a_recheck_the_majority_decides(unread: int, missing: int) -> None:
    """Fewer than half of ten codes unread: they are gone. Otherwise something covers them."""
    names = {f"SF-D{n:02}" for n in range(10)}
    recheck = Recheck.start(0, set(names), mat_changed=False)
    for name in sorted(names)[unread:]:
        recheck.discard(name)
    recheck.update(2.8)
    assert recheck.is_running
    recheck.update(3.2)
    assert not recheck.is_running
    assert recheck.deadline == math.inf
    assert len(recheck.missing) == missing
