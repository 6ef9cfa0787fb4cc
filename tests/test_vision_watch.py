"""Follows films of a simulated table with the real decoder, and checks the events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.tabletop.mat import Mat, Point
from tests.vision_scenes import (
    CARDS,
    FPS,
    KNOWN,
    MAT,
    SIZE,
    camera,
    film,
    film_of_a_change,
    glide,
    kinds_and_ids,
    mat_texture,
    new_watcher,
    still,
    textures,
    watch,
)
from vision.decoded_codes import Code
from vision.decoding.decoder import find_with_zxing
from vision.geometry import CellGrid, Frame, GrayImage
from vision.simulated_camera import PlacedPrint, PlacedToken, Scene, SimulatedCamera, Texture
from vision.tracking.change_detection import ChangeDetector, ChangeMasks, FrameComparison
from vision.tracking.changed_regions import CARD_REACH_SIDES
from vision.tracking.read_scheduler import ReadScheduler
from vision.tracking.reduced_image import cell_features, reduce
from vision.tracking.table_watcher import TableWatcher
from vision.tracking.tracker import Detection, TrackEvent, motion_in_image
from vision.yuv import YuvImage

A, B, C = (
    PlacedPrint(CARDS[n], x, y, angle)
    for n, (x, y, angle) in enumerate(((100, 125, 10), (240, 110, 100), (330, 140, 0)))
)
TABLE = Scene((A, B, C))
START = {("appeared", CARDS[0]), ("appeared", CARDS[1]), ("appeared", CARDS[2])}


def code_center(placement: PlacedPrint) -> Point:
    """Where the center of a test card's code lies: 19 mm below the card's center."""
    turn = np.radians(placement.angle)
    return placement.x_mm - 19 * np.sin(turn), placement.y_mm + 19 * np.cos(turn)


def events_after_start(scenes: list[Scene]) -> list[tuple[str, str]]:
    """The events that a watcher reports for these scenes after ten frames of a still table."""
    events = watch(still(TABLE, 10) + scenes)
    assert set(kinds_and_ids(events[:3])) == START
    return kinds_and_ids(events[3:])


def test_a_card_appears_once() -> None:
    """In a still but noisy film, a card appears once, with its place on the mat, its zone and its angle."""
    events = watch(still(TABLE, 40))
    assert set(kinds_and_ids(events)) == START
    assert len(events) == 3
    for event, placement in zip(sorted(events, key=lambda e: e.id), (A, B, C), strict=True):
        assert event.t <= 3 / FPS
        assert event.mm is not None
        assert np.linalg.norm(np.subtract(event.mm, code_center(placement))) < 1.5
        assert event.mat_angle is not None
        assert abs(event.mat_angle - placement.angle) < 2
        assert event.zone == MAT.zone_at(code_center(placement))


def test_cards_that_arrive_during_the_first_frame_appear() -> None:
    """Cards that arrive while the whole first image is being searched are read as soon as they rest."""
    events = watch([Scene(), *still(TABLE, 5)])
    assert set(kinds_and_ids(events)) == START
    assert {round(event.t * FPS) for event in events} == {2}


def test_components_in_the_first_frame_were_initially_present() -> None:
    """Components in the first frame are marked as initially present; later ones are not."""
    events = watch([*still(Scene((A, C)), 5), *still(TABLE, 12)])
    assert [(event.id, event.was_initially_present) for event in events] == [
        (A.id, True),
        (C.id, True),
        (B.id, False),
    ]


def test_components_there_before_the_lens_was_sharp_were_initially_present() -> None:
    """Components that become readable while the camera focuses after opening are marked as initially present."""
    watcher = new_watcher()
    events: list[TrackEvent] = []
    for number, (t, frame) in enumerate(film([*still(Scene((A, C)), 24), *still(TABLE, 12)])):
        seen = np.asarray(cv2.GaussianBlur(frame, (0, 0), 6), np.uint8) if number < 12 else frame
        events += watcher.process(seen, t)
    assert {(event.id, event.was_initially_present) for event in events} == {
        (A.id, True),
        (C.id, True),
        (B.id, False),
    }
    assert len(events) == 3


def test_an_empty_table_gives_no_events() -> None:
    """Neither noise nor the mat's own codes cause events."""
    assert watch(still(Scene(), 30)) == []


def test_a_glide_is_one_move() -> None:
    """A card that glides over the table is reported as moved once: in the place where it comes to rest, at most one
    frame later."""
    end = PlacedPrint(CARDS[0], 150, 170, 10)
    way = glide(CARDS[0], (100, 125, 10), (150, 170, 10))
    events = watch(still(TABLE, 10) + [Scene((B, C, step)) for step in way] + still(Scene((B, C, end)), 15))[3:]
    assert kinds_and_ids(events) == [("moved", CARDS[0])]
    assert events[0].mm is not None
    assert np.linalg.norm(np.subtract(events[0].mm, code_center(end))) < 1.5
    assert round(events[0].t * FPS) - (10 + len(way) - 1) <= 1


@pytest.mark.parametrize(
    ("degrees", "confidence", "motion"), [(10, 1, "turned"), (10, 0.18, None), (20, 0.18, "turned"), (5, 1, None)]
)
def test_a_code_half_under_an_arm_is_not_turned(degrees: float, confidence: float, motion: str | None) -> None:
    """The measured angle of a half-covered code is off by some degrees, but this does not count as a turn."""
    way = cv2.getRotationMatrix2D((50, 50), degrees, 1)
    square = np.array([[30.0, 30], [70, 30], [70, 70], [30, 70]])
    whole = Code("SF-D07", "TK:SF-D07", square)
    turned = np.asarray(square @ way[:, :2].T + way[:, 2], np.float64)
    covered = Code("SF-D07", "TK:SF-D07", turned, confidence)
    assert motion_in_image(Detection(whole), Detection(covered)) == motion
    assert motion_in_image(Detection(covered), Detection(whole)) == motion


def test_a_turn_in_place_is_turned() -> None:
    """If only the angle of a card changes, and not its place, this is one event, a turn."""
    ways = np.linspace(10, 70, 6)
    x, y = code_center(A)
    turning = [
        PlacedPrint(CARDS[0], x + 19 * np.sin(np.radians(way)), y - 19 * np.cos(np.radians(way)), float(way))
        for way in ways
    ]
    assert events_after_start([Scene((B, C, step)) for step in turning] + still(Scene((B, C, turning[-1])), 12)) == [
        ("turned", CARDS[0])
    ]


def test_place_and_angle_together_are_moved() -> None:
    """A change of place and angle is one event."""
    way = glide(CARDS[0], (100, 125, 10), (140, 150, 80))
    assert events_after_start([Scene((B, C, step)) for step in way] + still(Scene((B, C, way[-1])), 12)) == [
        ("moved", CARDS[0])
    ]


def test_a_card_taken_away_leaves_within_a_second() -> None:
    """A card that was taken is reported within a second, once its place is seen without it."""
    events = watch(still(TABLE, 10) + still(Scene((A, C)), 13))[3:]
    assert kinds_and_ids(events) == [("left", CARDS[1])]
    assert events[0].t - 10 / FPS <= 1.0


def test_a_card_taken_away_by_hand_leaves() -> None:
    """A hand comes, takes the card and goes. Afterwards the card is reported as gone."""
    reach = [Scene((A, B, C), hand=(240, 20 + 15 * k)) for k in range(6)]
    take = [Scene((A, replace(B, y_mm=110 - 40 * k), C), hand=(240, 95 - 40 * k)) for k in range(8)]
    assert events_after_start(reach + take + still(Scene((A, C)), 14)) == [("left", CARDS[1])]


@pytest.mark.parametrize("rest", [2, 3, 5])
def test_a_card_taken_right_after_its_neighbor_came_leaves(rest: int) -> None:
    """A component that came to rest while the card was fully visible does not cover it, so the card's removal is
    reported."""
    beside = PlacedPrint(CARDS[3], 174, 138, 10)
    lay = [*still(Scene((A, C)), 10), *still(Scene((A, C, beside), hand=(185, 110)), 4)]
    events = watch([*lay, *still(Scene((A, C, beside)), rest), *still(Scene((C, beside)), 13)])
    assert kinds_and_ids(events[2:]) == [("appeared", CARDS[3]), ("left", CARDS[0])]
    assert events[-1].t - (len(lay) + rest) / FPS <= 1.0


@pytest.mark.parametrize("aside", [20, 35, 50])
def test_a_card_under_one_that_is_nudged_stays(aside: float) -> None:
    """If a card on another one is pushed, but too little to count as a move, the card below is not reported as gone."""
    over = replace(A, id=CARDS[3], x_mm=A.x_mm + aside)
    nudged = replace(over, x_mm=over.x_mm - 3)
    scenes = [
        *still(Scene((A, C)), 10),
        *still(Scene((A, C, over)), 3),
        *still(Scene((A, C, nudged)), 30),
    ]
    assert kinds_and_ids(watch(scenes)[2:]) == [("appeared", CARDS[3])]


@pytest.mark.parametrize("frames", [3, 15, 40])
def test_a_hand_over_a_card_takes_nothing_away(frames: int) -> None:
    """A hand above a card removes nothing, however long and still it stays."""
    reach = [Scene((A, B, C), hand=(245, 20 + 15 * k)) for k in range(8)]
    rest = still(Scene((A, B, C), hand=(245, 135)), frames)
    assert events_after_start(reach + rest + reach[::-1] + still(TABLE, 14)) == []


@pytest.mark.parametrize("shade", [(30, 30, 30), (230, 230, 230), (60, 40, 40)])
@pytest.mark.parametrize("box", [(150, 100, 1000, 650), (0, 250, 1120, 700)])
def test_a_plain_object_over_most_of_a_row_removes_no_card(box: tuple[int, ...], shade: tuple[int, ...]) -> None:
    """A book, or a sleeve above the table, is not taken for a change of light, and no card is reported as gone."""
    watcher = new_watcher()
    events = []
    for number, (t, frame) in enumerate(film(still(TABLE, 46))):
        if 12 <= number < 34:
            cv2.rectangle(frame, box[:2], box[2:], shade, -1)
        events += watcher.process(frame, t)
    assert set(kinds_and_ids(events)) == START
    assert len(events) == len(START)


@pytest.mark.parametrize("light", [0.4, 1.3])
def test_a_card_taken_in_another_light_leaves(light: float) -> None:
    """If all rows of cells change in the same way, that is a change of light. A card that is taken at the same time is
    still reported as gone."""
    watcher = new_watcher()
    events = []
    for number, (t, frame) in enumerate(film([*still(TABLE, 24), *still(Scene((A, C)), 14)])):
        seen = scaled(frame, light) if number >= 12 else frame
        events += watcher.process(seen, t)
    assert kinds_and_ids(events)[3:] == [("left", CARDS[1])]


def test_a_cube_on_a_code_takes_nothing_away() -> None:
    """A cube on a code causes no event, neither while it is there nor when it is taken."""
    x, y = code_center(B)
    cube = Scene((A, B, C), (PlacedToken("red", x + 2, y - 1),))
    assert events_after_start(still(cube, 40) + still(TABLE, 14)) == []


def test_a_card_under_another_stays() -> None:
    """A card that is covered by another one is not reported as gone, even after the other one has moved away again."""
    on_top = replace(A, x_mm=238, y_mm=112, angle=95)
    way = glide(CARDS[0], (100, 125, 10), (238, 112, 95))
    there = [Scene((B, C, step)) for step in way] + still(Scene((B, C, on_top)), 30)
    back = [Scene((B, C, step)) for step in [*reversed(way[:-1]), A]]
    assert events_after_start(there + back + still(TABLE, 14)) == [("moved", CARDS[0])] * 2


def test_two_cards_that_change_places_move() -> None:
    """Two cards that swap places both move, and nothing is reported as gone."""
    swapped = Scene((replace(A, x_mm=B.x_mm, y_mm=B.y_mm), replace(B, x_mm=A.x_mm, y_mm=A.y_mm), C))
    ways = zip(
        glide(CARDS[0], (A.x_mm, A.y_mm, A.angle), (B.x_mm, B.y_mm, A.angle)),
        glide(CARDS[1], (B.x_mm, B.y_mm, B.angle), (A.x_mm, A.y_mm, B.angle)),
        strict=True,
    )
    changes = events_after_start([Scene((a, b, C)) for a, b in ways] + still(swapped, 14))
    assert sorted(changes) == [("moved", CARDS[0]), ("moved", CARDS[1])]


def test_a_card_turned_over_leaves() -> None:
    """The back of a card has no code, so turning it over is reported as leaving."""
    assert events_after_start(still(Scene((A, replace(B, face="back"), C)), 14)) == [("left", CARDS[1])]


def test_dimmed_light_is_no_event() -> None:
    """A cloud, a lamp or the exposure makes the image darker by a third within a second, and brighter again. This
    causes no event."""
    watcher, events = new_watcher(), []
    for number, (t, frame) in enumerate(film(still(TABLE, 60))):
        gain = 1 - 0.35 * np.clip((number - 20) / 10, 0, 1) + 0.35 * np.clip((number - 45) / 3, 0, 1)
        events += watcher.process(scaled(frame, gain), t)
    assert len(events) == 3


def test_gray_frames_work_too() -> None:
    """A gray image, such as a camera's luma plane, can be a frame."""
    watcher = new_watcher()
    events = [event for t, frame in film(still(TABLE, 5)) for event in watcher.process(frame[..., 1].copy(), t)]
    assert set(kinds_and_ids(events)) == START


def test_foreign_codes_are_reported_once_and_ignored() -> None:
    """Foreign codes cause no event. The text of each is reported once."""
    texts: list[str] = []
    watcher = TableWatcher(KNOWN - {CARDS[0]}, {"systems-failing": MAT}, texts.append)
    events = [event for t, frame in film(still(TABLE, 12)) for event in watcher.process(frame, t)]
    assert set(kinds_and_ids(events)) == START - {("appeared", CARDS[0])}
    assert texts == [f"TK:{CARDS[0]}"]


def test_order_counts_along_the_zone() -> None:
    """In a zone that is ordered from left to right, B comes before C."""
    events = {event.id: event for event in watch(still(TABLE, 5))}
    last = max((events[CARDS[1]], events[CARDS[2]]), key=lambda event: event.mm or (0, 0))
    assert {events[CARDS[1]].zone, events[CARDS[2]].zone} == {"right"}
    assert last.id == CARDS[2]
    assert last.order in (0, 1)


def test_a_still_table_is_cheap() -> None:
    """After the first frames only the sweep decodes: one tile in six frames."""
    watcher, early = new_watcher(), 0
    for number, (t, frame) in enumerate(film(still(TABLE, 80)), 1):
        watcher.process(frame, t)
        early = watcher.decodes if number == 40 else early
    assert 0 < early < watcher.decodes <= early + 11


def test_a_knocked_camera_moves_nothing_on_the_mat() -> None:
    """The whole image shifts and turns a little; places on the mat stay the same."""
    watcher = new_watcher()
    events = [event for t, frame in film_of_a_knock(still(TABLE, 60), 15) for event in watcher.process(frame, t)]
    assert set(kinds_and_ids(events)) == START
    assert len(events) == 3


def scaled(frame: Frame, gain: float | Frame) -> Frame:
    """The frame in more or less light."""
    factor = gain if isinstance(gain, np.ndarray) else (float(gain),) * 4
    return np.asarray(cv2.multiply(frame, factor, dtype=cv2.CV_8U), np.uint8)


def film_of_a_knock(
    scenes: Iterable[Scene], at: int, shift_px: float = 25, simulated: SimulatedCamera | None = None
) -> Iterator[tuple[float, Frame]]:
    """The film of a camera that is shifted and turned a little at frame number `at`."""
    shift = cv2.getRotationMatrix2D((560, 350), 3, 1.0) + np.array([[0, 0, shift_px], [0, 0, -shift_px / 2]])

    def knock(frame: Frame) -> Frame:
        return np.asarray(cv2.warpAffine(frame, shift, frame.shape[1::-1], borderMode=cv2.BORDER_REPLICATE), np.uint8)

    return film_of_a_change(scenes, at, knock, simulated)


def test_a_straw_on_the_table_keeps_no_frame_from_being_skipped() -> None:
    """A straw is too thin to be a card, so nothing waits for it to become part of the background."""
    watcher = new_watcher()
    for number, (t, frame) in enumerate(film(still(TABLE, 64))):
        if number >= 48:
            frame[324:332, 324:410] //= 2
        watcher.process(frame, t)
    assert watcher.change_masks is not None
    assert watcher.change_masks.changed.any()
    assert watcher.is_at_rest


@pytest.mark.slow
def test_after_a_knock_a_hidden_corner_of_the_mat_costs_nothing() -> None:
    """A cup hides one corner while the camera is moved, and stays there. Frames that look the same are still
    skipped."""
    watcher, before = new_watcher(), 0
    x, y = camera().project(MAT.corners[0].center)
    for number, (t, frame) in enumerate(film_of_a_knock(still(TABLE, 120), 15)):
        if number >= 15:
            cv2.circle(frame, (int(x) + 10, int(y) + 10), 70, (40, 60, 160), -1)
        watcher.process(frame, t)
        before = watcher.decodes if number == 96 else before
    assert watcher.decodes - before <= 4  # the sweep
    assert watcher.is_at_rest


@pytest.mark.parametrize("shift", [12, 25])
def test_a_knocked_camera_moves_nothing_on_a_plain_table(shift: int) -> None:
    """Without a mat, a motion that all cards share counts as a motion of the camera. A card that is moved or taken
    later is reported."""
    plain = np.full((250 * 4, 420 * 4, 3), (96, 120, 110), np.uint8)
    simulated = SimulatedCamera({**textures(), "mat": Texture(plain, 420.0, 250.0)}, 1, SIZE)
    nudged = PlacedPrint(ROWS[3].id, ROWS[3].x_mm, ROWS[3].y_mm + 12)
    later = [*still(Scene((*ROWS[:3], *ROWS[4:10], nudged)), 12), *still(Scene((*ROWS[1:3], *ROWS[4:10], nudged)), 12)]
    watcher, events = new_watcher(), list[TrackEvent]()
    for t, frame in film_of_a_knock((*still(Scene(ROWS), 60), *later), 15, shift, simulated):
        events += watcher.process(frame, t)
    assert set(kinds_and_ids(events[:10])) == {("appeared", placement.id) for placement in ROWS}
    assert kinds_and_ids(events[10:]) == [("moved", nudged.id), ("left", ROWS[0].id)]


def test_a_few_cards_moved_alike_have_moved() -> None:
    """If three of ten cards on a plain table are pushed aside together, the cards have moved, not the camera."""
    plain = np.full((250 * 4, 420 * 4, 3), (96, 120, 110), np.uint8)
    simulated = SimulatedCamera({**textures(), "mat": Texture(plain, 420.0, 250.0)}, 1, SIZE)
    pushed = [replace(placement, x_mm=placement.x_mm + 10) for placement in ROWS[7:]]
    scenes = (*still(Scene(ROWS), 15), *still(Scene((*ROWS[:7], *pushed)), 12))
    watcher = new_watcher()
    events = [event for n, scene in enumerate(scenes) for event in watcher.process(simulated.render(scene), n / FPS)]
    assert sorted(kinds_and_ids(events[10:])) == [("moved", placement.id) for placement in pushed]


ROWS = tuple(PlacedPrint(CARDS[n], 60 + 75 * (n % 5), 70 + 100 * (n // 5)) for n in range(10))


@pytest.mark.parametrize(("before", "gone"), [(10, 4), (10, 1), (1, 1)])
def test_components_taken_during_a_knock_leave(before: int, gone: int) -> None:
    """All components that were taken while the camera was moved are reported as gone once, provided that most codes are
    read again. If there is only a single card, the corner codes of the mat are the majority."""
    scenes = [*still(Scene(ROWS[:before]), 12), *still(Scene(ROWS[gone:before]), 50)]
    watcher = new_watcher()
    events = [event for t, frame in film_of_a_knock(scenes, 12) for event in watcher.process(frame, t)]
    assert set(kinds_and_ids(events[:before])) == {("appeared", placement.id) for placement in ROWS[:before]}
    assert sorted(kinds_and_ids(events[before:])) == [("left", placement.id) for placement in ROWS[:gone]]


a, b, c, d = (replace(corner, id=f"MAT-SW-{n}") for n, corner in enumerate(MAT.corners, 1))
OTHER_MAT = Mat(MAT.size, (a, b, c, d), tuple(replace(zone, name=f"{zone.name}-2") for zone in MAT.zones))


def watcher_of_two_mats() -> TableWatcher:
    return TableWatcher(
        KNOWN | {corner.id for corner in OTHER_MAT.corners}, {"systems-failing": MAT, "system-won": OTHER_MAT}
    )


@pytest.mark.slow
def test_components_leave_with_their_mat() -> None:
    """Another game's mat is laid in place of this one. Components that are not read again are reported as gone, and
    don't appear again when the first mat returns."""
    watcher = watcher_of_two_mats()
    events: list[list[str]] = []
    for start, mat, scene in (
        (0, MAT, Scene(ROWS)),
        (60, OTHER_MAT, Scene(ROWS[4:5])),
        (120, MAT, Scene()),
    ):
        simulated = SimulatedCamera({**textures(), "mat": mat_texture(mat)}, 1, SIZE)
        frames = [watcher.process(simulated.render(scene), (start + n) / FPS) for n in range(60)]
        events.append([" ".join(each) for each in sorted(kinds_and_ids(event for frame in frames for event in frame))])
    assert events[0] == [f"appeared {placement.id}" for placement in ROWS]
    assert events[1:] == [
        [f"left {placement.id}" for placement in ROWS if placement != ROWS[4]],
        [f"left {ROWS[4].id}"],
    ]


def test_a_card_taken_from_a_mat_that_came_after_the_first_frame_leaves() -> None:
    """Another game's mat is laid while the camera opens, and a card is laid on it at once. When the card is taken, it
    is reported as gone."""
    watcher = new_watcher()
    frames = film([*still(Scene(), 3), *still(Scene((A,)), 12), *still(Scene(), 30)])
    events: list[TrackEvent] = []
    for number, (t, frame) in enumerate(frames):
        if number == 0:
            frame[150:600, 100:1000] //= 2
        events += watcher.process(frame, t)
    assert kinds_and_ids(events) == [("appeared", A.id), ("left", A.id)]


def test_a_card_taken_from_a_darker_mat_leaves() -> None:
    """Another game's darker mat is laid, and a card on it at once. The mat is not mistaken for dimmed light, so the
    card's removal is reported."""
    watcher, events = watcher_of_two_mats(), list[TrackEvent]()
    dark = mat_texture(OTHER_MAT)
    dark.image[200:-200, 200:-200] //= 2
    second = SimulatedCamera({**textures(), "mat": dark}, 1, SIZE)
    scenes = [*still(Scene(), 3), *still(Scene((A,)), 12), *still(Scene(), 30)]
    frames = [*(camera().render(Scene()) for _ in range(12)), *(second.render(scene) for scene in scenes)]
    for number, frame in enumerate(frames):
        events += watcher.process(frame, number / FPS)
    assert kinds_and_ids(events) == [("appeared", A.id), ("left", A.id)]


@pytest.mark.slow
def test_after_a_knock_the_usual_evidence_counts_again() -> None:
    """After the camera was moved, a cloth over most of the table removes nothing. A card that is taken later is
    reported."""
    watcher, events = new_watcher(), []
    cloth = (np.indices((700, 1120)).sum(0) // 48 % 2 * 90 + 40).astype(np.uint8)[:, :, None]
    scenes = [*still(TABLE, 70), *still(Scene((A, C)), 14)]
    for number, (t, frame) in enumerate(film(scenes)):
        if 12 <= number < 60:
            frame[:, :1000] = cloth[:, :1000]
        events += watcher.process(frame, t)
    assert set(kinds_and_ids(events[:3])) == START
    assert kinds_and_ids(events[3:]) == [("left", CARDS[1])]


@pytest.mark.parametrize("share", [0.8, 1.3])
def test_tracking_continues_with_frames_of_another_size(share: float) -> None:
    """If the camera comes back with another resolution, components that are still on the mat stay, and those that were
    taken are reported as gone."""
    watcher, events = new_watcher(), []
    scenes = [*still(TABLE, 12), *still(Scene((A, C)), 50)]
    for number, (t, frame) in enumerate(film(scenes)):
        resized = cv2.resize(frame, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        events += watcher.process(np.asarray(resized, np.uint8) if number >= 12 else frame, t)
    assert set(kinds_and_ids(events[:3])) == START
    assert kinds_and_ids(events[3:]) == [("left", CARDS[1])]


def test_frames_of_any_size_are_accepted() -> None:
    """Frames may shrink from one to the next by any amount."""
    watcher = new_watcher()
    for number, (t, frame) in enumerate(film(still(TABLE, 14))):
        watcher.process(
            np.ascontiguousarray(frame[: 700 - 3 * number**2, : 1120 - 9 * number]) if number > 6 else frame, t
        )
    assert watcher.tracker.tracks.keys() == {CARDS[0], CARDS[1], CARDS[2]}


def test_the_reach_of_a_card_covers_a_poker_card() -> None:
    """The reach of a code of 25 mm covers a poker card with its diagonal of 108 mm."""
    assert CARD_REACH_SIDES * 25 > 108


def test_a_card_turned_over_shows_one_side_at_a_time() -> None:
    """When a card is turned over, the side that comes up does not count as covering the other side. The other side is
    reported as gone at once, and may appear again."""
    sides = {CARDS[0]: CARDS[1], CARDS[1]: CARDS[0]}
    watcher = TableWatcher(KNOWN, {"systems-failing": MAT}, other_side=sides)
    one, other = (Scene((PlacedPrint(card, 120, 125, 5),)) for card in CARDS[:2])
    turning, back = (replace(side, hand=(120, 125)) for side in (one, other))
    film_of_turns = [*still(one, 8), *still(turning, 4), *still(other, 12), *still(back, 4), *still(one, 12)]
    events = kinds_and_ids(event for t, frame in film(film_of_turns) for event in watcher.process(frame, t))
    first, second = CARDS[:2]
    assert [(kind, card) for kind, card in events if card in sides] == [
        ("appeared", first),
        ("left", first),
        ("appeared", second),
        ("left", second),
        ("appeared", first),
    ]


def test_a_frame_that_looks_the_same_is_skipped() -> None:
    """A frame that differs only in its noise is skipped. A card that is taken afterwards is still reported at once."""
    watcher, frames_ = new_watcher(), film(still(TABLE, 60) + still(Scene((A, B)), 14))
    frames = list(frames_)
    for t, frame in frames[:48]:
        watcher.process(frame, t)
    before = watcher.decodes
    events = [event for t, frame in frames[48:60] for event in watcher.process(frame, t)]
    assert events == []
    assert watcher.decodes - before == 2  # the sweep
    events = [event for t, frame in frames[60:] for event in watcher.process(frame, t)]
    assert kinds_and_ids(events) == [("left", CARDS[2])]
    assert events[0].t * FPS <= 62.5


@pytest.mark.slow
def test_a_table_at_rest_is_seldom_searched_for_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a table at rest, the sweep alone reads the codes of the cards and of the mat again and again. Only one frame
    in thirty is also searched for changes."""
    watcher, searched = new_watcher(), list[float]()
    detect = ChangeDetector.update

    def update(detector: ChangeDetector, reduced: GrayImage, features: CellGrid, t: float, *rest: Any) -> ChangeMasks:
        searched.append(t)
        return detect(detector, reduced, features, t, *rest)

    monkeypatch.setattr(ChangeDetector, "update", update)
    frames = [frame for _, frame in film(still(TABLE, 12))]
    for number in range(260):
        watcher.process(frames[number % len(frames)], number / FPS)
    assert sum(t >= 80 / FPS for t in searched) <= 180 / 30 + 1
    assert watcher.mat_in_view
    assert min(track.read_at for track in watcher.tracker.tracks.values()) > (260 - 80) / FPS


@pytest.mark.slow
def test_the_sweep_finds_a_card_even_if_no_change_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a card comes that looks almost like the table, the frame seems unchanged. The card is reported all the same,
    once the sweep has found its code."""
    watcher = new_watcher()
    before, after = ([frame for _, frame in film(still(scene, 12))] for scene in (Scene((A, B)), TABLE))
    events = [event for n in range(60) for event in watcher.process(before[n % 12], n / FPS)]
    assert watcher.is_at_rest
    monkeypatch.setattr(FrameComparison, "is_unchanged", lambda *_: True)
    monkeypatch.setattr(ReadScheduler, "must_detect_changes_next", lambda *_: False)
    events = [event for n in range(60, 140) for event in watcher.process(after[n % 12], n / FPS)]
    assert kinds_and_ids(events) == [("appeared", CARDS[2])]


def to_yuv(frame: Frame) -> YuvImage:
    """The frame as a Raspberry Pi camera delivers it."""
    return YuvImage(np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2YUV_I420), np.uint8), frame.shape[1])


@pytest.mark.parametrize("planes", [False, True])
def test_a_sleeve_as_light_as_the_table_takes_no_cards(planes: bool) -> None:
    """A sleeve that only its color distinguishes from the mat causes no event, neither while it is there nor when it is
    gone."""
    watcher = new_watcher()
    events: list[TrackEvent] = []
    for number, (t, frame) in enumerate(film(still(TABLE, 70))):
        if 20 <= number < 50:
            light = int(np.median(frame[..., 1]))
            frame[: frame.shape[0] * 6 // 10] = (light - 20, light, light - 60)
        events += watcher.process(to_yuv(frame) if planes else frame, t)
    assert set(kinds_and_ids(events)) == START
    assert len(events) == 3


def test_yuv_images_give_the_same_events(monkeypatch: pytest.MonkeyPatch) -> None:
    """With YUV images, a card that moves and a card that leaves give the same events. While the table is still, nothing
    is converted to BGR."""
    moved = replace(A, x_mm=150.0, y_mm=170.0)
    scenes = [*still(TABLE, 30), *still(Scene((moved, B, C)), 10), *still(Scene((moved, B)), 14)]
    frames = list(film(scenes))
    pictures = [(t, to_yuv(frame)) for t, frame in frames]
    watcher = new_watcher()
    with monkeypatch.context() as without_colors:
        without_colors.delattr(cv2, "cvtColor")
        events = [event for t, picture in pictures[:30] for event in watcher.process(picture, t)]
    events += [event for t, picture in pictures[30:] for event in watcher.process(picture, t)]
    other = new_watcher()
    assert kinds_and_ids(events) == kinds_and_ids(event for t, frame in frames for event in other.process(frame, t))
    assert kinds_and_ids(events[3:]) == [("moved", CARDS[0]), ("left", CARDS[2])]


def film_of_a_lamp(scenes: Iterable[Scene], at: int, share: float) -> Iterator[tuple[float, Frame]]:
    """The film with a lamp on the left that goes on or off at frame number `at`. The right side gets a fifth of the
    change."""

    def switch(frame: Frame) -> Frame:
        gain = 1 + (share - 1) * np.linspace(1, 0.2, frame.shape[1], dtype=np.float32)
        return scaled(frame, np.broadcast_to(gain[None, :, None], frame.shape))

    return film_of_a_change(scenes, at, switch)


@pytest.mark.parametrize("at", [1, 15])
@pytest.mark.parametrize("share", [0.35, 1.5])
def test_a_lamp_that_is_switched_is_no_event(at: int, share: float) -> None:
    """A lamp that is switched from the second frame on causes no event: every card appears once, and one that is taken
    later is reported."""
    watcher = new_watcher()
    scenes = [*still(TABLE, 60), *still(Scene((A, C)), 20)]
    events = [event for t, frame in film_of_a_lamp(scenes, at, share) for event in watcher.process(frame, t)]
    assert set(kinds_and_ids(events[:3])) == START
    assert kinds_and_ids(events[3:]) == [("left", CARDS[1])]


@pytest.mark.parametrize("at", [1, 2])
def test_a_camera_knocked_at_the_start_loses_nothing(at: int) -> None:
    """If the camera is moved while the first frames are read, every card still appears once, and a card that is taken
    later is reported as gone."""
    watcher = new_watcher()
    scenes = [*still(TABLE, 60), *still(Scene((A, C)), 20)]
    events = [event for t, frame in film_of_a_knock(scenes, at) for event in watcher.process(frame, t)]
    assert set(kinds_and_ids(events[:3])) == START
    assert kinds_and_ids(events[3:]) == [("left", CARDS[1])]


def test_small_codes_are_tracked() -> None:
    """Even if the camera is so far away that no reader can read the codes, the cards appear within five frames and
    move, and none is reported as gone."""
    far = np.array([[0.42, 0, 20], [0, 0.42, 15], [0, 0, 1.0]])

    def small(scenes: Iterable[Scene]) -> Iterator[tuple[float, Frame]]:
        for t, frame in film(scenes):
            away = cv2.warpPerspective(frame, far, (520, 340), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
            yield t, np.asarray(away, np.uint8)

    moved = replace(A, x_mm=130.0, y_mm=160.0)
    watcher = new_watcher()
    _, first = next(small([TABLE]))
    assert not any(code.id for code in find_with_zxing(np.ascontiguousarray(first[..., 1]), KNOWN))
    events = [
        event
        for t, frame in small(still(TABLE, 60) + still(Scene((moved, B, C)), 40))
        for event in watcher.process(frame, t)
    ]
    assert set(kinds_and_ids(events[:3])) == START
    assert all(event.t * FPS <= 5 for event in events[:3])
    assert kinds_and_ids(events[3:]) == [("moved", CARDS[0])]


def test_a_card_taken_off_a_pile_leaves_and_the_one_beneath_stays() -> None:
    """When a card is taken off a pile, the code beneath it is read again in the same place. This proves that the upper
    card has left, because nothing can be read through a card."""
    low, high = PlacedPrint(CARDS[0], 120, 125, 5), PlacedPrint(CARDS[1], 121, 126, 3)
    hand = Scene((low, high), hand=(120, 125))
    piled = [
        *still(Scene((low,)), 8),
        *still(Scene((low, high)), 12),
        *still(hand, 4),
        *still(Scene((low,)), 12),
    ]
    assert kinds_and_ids(watch(piled)) == [("appeared", CARDS[0]), ("appeared", CARDS[1]), ("left", CARDS[1])]


def test_a_card_moved_onto_another_covers_it() -> None:
    """If the lower of two cards is moved onto the upper one, it is reported as moved, and the card that is now beneath
    it is not reported as gone."""
    low, high = PlacedPrint(CARDS[0], 120, 125, 5), PlacedPrint(CARDS[1], 121, 126, 3)
    aside = PlacedPrint(CARDS[0], 300, 125, 5)
    film_of_it = [
        *still(Scene((low,)), 8),
        *still(Scene((low, high)), 10),
        *still(Scene((high, aside)), 10),
        *still(Scene((high, replace(aside, x_mm=121, y_mm=125))), 20),
    ]
    assert kinds_and_ids(watch(film_of_it)) == [
        ("appeared", CARDS[0]),
        ("appeared", CARDS[1]),
        ("moved", CARDS[0]),
        ("moved", CARDS[0]),
    ]


@pytest.mark.parametrize("texture", [0, 40])
def test_plain_areas_are_not_searched_for_codes(texture: int) -> None:
    """Where a plain sleeve has come to rest, there can be no code. Where a print has come to rest, there may be one."""
    scheduler, shape = ReadScheduler(KNOWN), (40, 60)
    noise = np.random.default_rng(1)
    plain = noise.normal(120, 3, (640, 960))
    calm, moving, seconds = np.ones(shape, bool), np.zeros(shape, bool), np.full(shape, 1.0, np.float32)

    def read(pixels: NDArray[np.float64], masks: ChangeMasks) -> None:
        frame = pixels.astype(np.uint8)
        scheduler.read(frame, cell_features(reduce(frame))[1], masks)

    read(plain, ChangeMasks(moving, calm, moving, seconds))
    before, changed = scheduler.decodes, moving.copy()
    changed[10:20, 10:20] = True
    read(plain, ChangeMasks(changed, ~changed, changed, np.where(changed, 0, seconds)))
    squares = texture * (np.indices((640, 960)) // 12 % 2).sum(0)
    printed = np.where(np.kron(changed, np.ones((16, 16))) > 0, plain + squares, plain)
    read(printed, ChangeMasks(moving, calm, changed, seconds))
    assert scheduler.decodes - before == (texture > 0)
    assert scheduler.is_idle()


def test_a_remnant_of_a_region_is_not_due_for_ever() -> None:
    """When most cells around a half-covered code have been read for the last time, a single one may be left, which is
    too small for a code. It does not keep the table from being at rest."""
    scheduler, shape = ReadScheduler(KNOWN), (40, 60)
    frame = np.full((640, 960), 120, np.uint8)
    moving, seconds = np.zeros(shape, bool), np.full(shape, 1.0, np.float32)
    texture = cell_features(reduce(frame))[1]

    def read(*, still: bool) -> None:
        calm = np.ones(shape, bool)
        calm[13, 10] = still
        scheduler.read(frame, texture, ChangeMasks(moving, calm, moving, seconds))

    read(still=True)
    assert scheduler.is_idle()
    remnant = moving.copy()
    remnant[10:14:3, 10] = True
    scheduler._schedule.mark_pending(remnant)
    read(still=False)
    assert not scheduler.is_idle()  # the other cell has yet to come to rest
    read(still=True)
    assert scheduler.is_idle()
