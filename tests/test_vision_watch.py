"""Films of a simulated table -> events: the tracker's law, with the real decoder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.tabletop.mat import Point
from tests.vision_scenes import (
    CARDS,
    FPS,
    KNOWN,
    MAT,
    SIZE,
    camera,
    events,
    film,
    glide,
    printed,
    still,
    textures,
    told,
    watcher,
)
from vision.decoding.decoder import find_with_zxing
from vision.geometry import Code, Frame
from vision.simulated_camera import PlacedToken, Placement, Scene, SimulatedCamera
from vision.tracking.occlusion import CARD_REACH_SIDES
from vision.tracking.tracker import Detection, TrackEvent, motion_in_image
from vision.tracking.watcher import Watcher
from vision.yuv import YuvImage

A, B, C = (
    Placement(CARDS[n], x, y, angle) for n, (x, y, angle) in enumerate(((100, 125, 10), (240, 110, 100), (330, 140, 0)))
)
TABLE = Scene((A, B, C))
START = {("appeared", CARDS[0]), ("appeared", CARDS[1]), ("appeared", CARDS[2])}


def code_of(placement: Placement) -> Point:
    """Where the middle of a test card's code lies: 19 mm below the card's middle."""
    turn = np.radians(placement.angle)
    return placement.x_mm - 19 * np.sin(turn), placement.y_mm + 19 * np.cos(turn)


def after_start(scenes: list[Scene]) -> list[tuple[str, str]]:
    """What is told after ten frames of the still table."""
    happened = events(still(TABLE, 10) + scenes)
    assert set(told(happened[:3])) == START
    return told(happened[3:])


def test_a_card_appears_once() -> None:
    """In a still but noisy film, with its place on the mat, its zone and its angle."""
    happened = events(still(TABLE, 40))
    assert set(told(happened)) == START
    assert len(happened) == 3
    for event, placement in zip(sorted(happened, key=lambda e: e.id), (A, B, C), strict=True):
        assert event.t <= 3 / FPS
        assert event.mm is not None
        assert np.linalg.norm(np.subtract(event.mm, code_of(placement))) < 1.5
        assert event.mat_angle is not None
        assert abs(event.mat_angle - placement.angle) < 2
        assert event.zone == MAT.zone_at(code_of(placement))


def test_cards_laid_during_the_first_look_are_told() -> None:
    """What moves while the whole picture is read is read again as soon as it rests."""
    happened = events([Scene(), *still(TABLE, 5)])
    assert set(told(happened)) == START
    assert {round(event.t * FPS) for event in happened} == {2}


def test_what_lay_there_from_the_start_is_found() -> None:
    """Of what came later it was seen that it came."""
    happened = events([*still(Scene((A, C)), 5), *still(TABLE, 12)])
    assert [(event.id, event.was_initially_present) for event in happened] == [
        (A.id, True),
        (C.id, True),
        (B.id, False),
    ]


def test_what_lay_there_before_the_lens_was_sharp_is_found() -> None:
    """A camera that focuses when it is opened; what comes afterwards was seen to come."""
    seer = watcher()
    happened: list[TrackEvent] = []
    for number, (t, frame) in enumerate(film([*still(Scene((A, C)), 24), *still(TABLE, 12)])):
        seen = np.asarray(cv2.GaussianBlur(frame, (0, 0), 6), np.uint8) if number < 12 else frame
        happened += seer.process(seen, t)
    assert {(event.id, event.was_initially_present) for event in happened} == {
        (A.id, True),
        (C.id, True),
        (B.id, False),
    }
    assert len(happened) == 3


def test_an_empty_table_tells_nothing() -> None:
    """Noise is no event, the mat's own codes are none either."""
    assert events(still(Scene(), 30)) == []


def test_a_glide_is_one_move() -> None:
    """Told once the card rests, at the place where it rests, one frame later at the latest."""
    end = Placement(CARDS[0], 150, 170, 10)
    way = glide(CARDS[0], (100, 125, 10), (150, 170, 10))
    happened = events(still(TABLE, 10) + [Scene((B, C, step)) for step in way] + still(Scene((B, C, end)), 15))[3:]
    assert told(happened) == [("moved", CARDS[0])]
    assert happened[0].mm is not None
    assert np.linalg.norm(np.subtract(happened[0].mm, code_of(end))) < 1.5
    assert round(happened[0].t * FPS) - (10 + len(way) - 1) <= 1


@pytest.mark.parametrize(
    ("degrees", "proof", "told"), [(10, 1, "turned"), (10, 0.44, None), (20, 0.44, "turned"), (5, 1, None)]
)
def test_a_code_half_under_an_arm_is_not_turned(degrees: float, proof: float, told: str | None) -> None:
    """Its angle is off by some degrees, which is no turn."""
    way = cv2.getRotationMatrix2D((50, 50), degrees, 1)
    square = np.array([[30.0, 30], [70, 30], [70, 70], [30, 70]])
    whole = Code("SF-D07", "TK:SF-D07", square)
    turned = np.asarray(square @ way[:, :2].T + way[:, 2], np.float64)
    covered = Code("SF-D07", "TK:SF-D07", turned, proof)
    assert motion_in_image(Detection(whole), Detection(covered)) == told
    assert motion_in_image(Detection(covered), Detection(whole)) == told


def test_a_turn_in_place_is_turned() -> None:
    """The code's middle stays, its angle does not."""
    ways = np.linspace(10, 70, 6)
    x, y = code_of(A)
    turning = [
        Placement(CARDS[0], x + 19 * np.sin(np.radians(way)), y - 19 * np.cos(np.radians(way)), float(way))
        for way in ways
    ]
    assert after_start([Scene((B, C, step)) for step in turning] + still(Scene((B, C, turning[-1])), 12)) == [
        ("turned", CARDS[0])
    ]


def test_place_and_angle_together_are_moved() -> None:
    """One change, one event."""
    way = glide(CARDS[0], (100, 125, 10), (140, 150, 80))
    assert after_start([Scene((B, C, step)) for step in way] + still(Scene((B, C, way[-1])), 12)) == [
        ("moved", CARDS[0])
    ]


def test_a_card_taken_away_leaves_within_a_second() -> None:
    """Its place is seen without it."""
    happened = events(still(TABLE, 10) + still(Scene((A, C)), 13))[3:]
    assert told(happened) == [("left", CARDS[1])]
    assert happened[0].t - 10 / FPS <= 1.0


def test_a_card_taken_away_by_hand_leaves() -> None:
    """The hand comes, takes it and goes."""
    reach = [Scene((A, B, C), hand=(240, 20 + 15 * k)) for k in range(6)]
    take = [Scene((A, replace(B, y_mm=110 - 40 * k), C), hand=(240, 95 - 40 * k)) for k in range(8)]
    assert after_start(reach + take + still(Scene((A, C)), 14)) == [("left", CARDS[1])]


@pytest.mark.parametrize("rest", [2, 3, 5])
def test_a_card_taken_right_after_its_neighbour_came_leaves(rest: int) -> None:
    """What came to rest beside a card that was still in full view does not lie on it."""
    beside = Placement(CARDS[3], 174, 138, 10)
    lay = [*still(Scene((A, C)), 10), *still(Scene((A, C, beside), hand=(185, 110)), 4)]
    happened = events([*lay, *still(Scene((A, C, beside)), rest), *still(Scene((C, beside)), 13)])
    assert told(happened[2:]) == [("appeared", CARDS[3]), ("left", CARDS[0])]
    assert happened[-1].t - (len(lay) + rest) / FPS <= 1.0


@pytest.mark.parametrize("aside", [20, 35, 50])
def test_a_card_under_one_that_is_nudged_stays(aside: float) -> None:
    """The upper card is read, then pushed by less than is told."""
    over = replace(A, id=CARDS[3], x_mm=A.x_mm + aside)
    nudged = replace(over, x_mm=over.x_mm - 3)
    scenes = [
        *still(Scene((A, C)), 10),
        *still(Scene((A, C, over)), 3),
        *still(Scene((A, C, nudged)), 30),
    ]
    assert told(events(scenes)[2:]) == [("appeared", CARDS[3])]


@pytest.mark.parametrize("frames", [3, 15, 40])
def test_a_hand_over_a_card_takes_nothing_away(frames: int) -> None:
    """However long it rests there, and however still."""
    reach = [Scene((A, B, C), hand=(245, 20 + 15 * k)) for k in range(8)]
    rest = still(Scene((A, B, C), hand=(245, 135)), frames)
    assert after_start(reach + rest + reach[::-1] + still(TABLE, 14)) == []


@pytest.mark.parametrize("shade", [(30, 30, 30), (230, 230, 230), (60, 40, 40)])
@pytest.mark.parametrize("box", [(150, 100, 1000, 650), (0, 250, 1120, 700)])
def test_a_plain_thing_over_most_of_a_row_takes_nothing_away(box: tuple[int, ...], shade: tuple[int, ...]) -> None:
    """A book, or a sleeve of who leans over the table, is no change of light."""
    seer = watcher()
    happened = []
    for number, (t, frame) in enumerate(film(still(TABLE, 46))):
        if 12 <= number < 34:
            cv2.rectangle(frame, box[:2], box[2:], shade, -1)
        happened += seer.process(frame, t)
    assert set(told(happened)) == START
    assert len(happened) == len(START)


@pytest.mark.parametrize("light", [0.4, 1.3])
def test_a_card_taken_in_another_light_leaves(light: float) -> None:
    """All rows change alike: that is the lamp."""
    seer = watcher()
    happened = []
    for number, (t, frame) in enumerate(film([*still(TABLE, 24), *still(Scene((A, C)), 14)])):
        seen = np.clip(frame * (light if number >= 12 else 1.0), 0, 255).astype(np.uint8)
        happened += seer.process(seen, t)
    assert told(happened)[3:] == [("left", CARDS[1])]


def test_a_cube_on_a_code_takes_nothing_away() -> None:
    """Neither while it lies there nor when it is taken."""
    x, y = code_of(B)
    cube = Scene((A, B, C), (PlacedToken("red", x + 2, y - 1),))
    assert after_start(still(cube, 40) + still(TABLE, 14)) == []


def test_a_card_under_another_stays() -> None:
    """Covered by a card that moves there, also after that has moved away again."""
    on_top = replace(A, x_mm=238, y_mm=112, angle=95)
    way = glide(CARDS[0], (100, 125, 10), (238, 112, 95))
    there = [Scene((B, C, step)) for step in way] + still(Scene((B, C, on_top)), 30)
    back = [Scene((B, C, step)) for step in [*reversed(way[:-1]), A]]
    assert after_start(there + back + still(TABLE, 14)) == [("moved", CARDS[0])] * 2


def test_two_cards_change_places() -> None:
    """Two moves, nothing leaves."""
    swapped = Scene((replace(A, x_mm=B.x_mm, y_mm=B.y_mm), replace(B, x_mm=A.x_mm, y_mm=A.y_mm), C))
    ways = zip(
        glide(CARDS[0], (A.x_mm, A.y_mm, A.angle), (B.x_mm, B.y_mm, A.angle)),
        glide(CARDS[1], (B.x_mm, B.y_mm, B.angle), (A.x_mm, A.y_mm, B.angle)),
        strict=True,
    )
    told_ = after_start([Scene((a, b, C)) for a, b in ways] + still(swapped, 14))
    assert sorted(told_) == [("moved", CARDS[0]), ("moved", CARDS[1])]


def test_a_card_turned_over_leaves() -> None:
    """Its back shows no code: its place is seen without it."""
    assert after_start(still(Scene((A, replace(B, face="back"), C)), 14)) == [("left", CARDS[1])]


def test_dimmed_light_is_no_event() -> None:
    """Cloud, lamp or exposure: the picture gets darker by a third within a second, and brighter again."""
    seer, heard = watcher(), []
    for number, (t, frame) in enumerate(film(still(TABLE, 60))):
        gain = 1 - 0.35 * np.clip((number - 20) / 10, 0, 1) + 0.35 * np.clip((number - 45) / 3, 0, 1)
        heard += seer.process((frame * gain).astype(np.uint8), t)
    assert len(heard) == 3


def test_grey_frames_do_too() -> None:
    """A camera's grey plane is a frame."""
    seer = watcher()
    heard = [event for t, frame in film(still(TABLE, 5)) for event in seer.process(frame[..., 1].copy(), t)]
    assert set(told(heard)) == START


def test_foreign_codes_are_said_once_and_ignored() -> None:
    """What is not known is no event."""
    strangers: list[str] = []
    seer = Watcher(KNOWN - {CARDS[0]}, {"systems-failing": MAT}, strangers.append)
    heard = [event for t, frame in film(still(TABLE, 12)) for event in seer.process(frame, t)]
    assert set(told(heard)) == START - {("appeared", CARDS[0])}
    assert strangers == [f"TK:{CARDS[0]}"]


def test_order_counts_along_the_zone() -> None:
    """B lies left of C in a zone that is listed to the right."""
    happened = {event.id: event for event in events(still(TABLE, 5))}
    last = max((happened[CARDS[1]], happened[CARDS[2]]), key=lambda event: event.mm or (0, 0))
    assert {happened[CARDS[1]].zone, happened[CARDS[2]].zone} == {"right"}
    assert last.id == CARDS[2]
    assert last.order in (0, 1)


def test_a_still_table_is_cheap() -> None:
    """After the first look around only the sweep decodes: one tile in four frames."""
    seer = watcher()
    for t, frame in film(still(TABLE, 40)):
        seer.process(frame, t)
    early = seer.decodes
    for number in range(40, 80):
        seer.process(camera(number).render(TABLE), number / FPS)
    assert seer.decodes - early <= 11


def test_a_knocked_camera_moves_nothing_on_the_mat() -> None:
    """The whole picture shifts and turns a little; places on the mat stay what they were."""
    seer = watcher()
    heard = [event for t, frame in knocked(film(still(TABLE, 60)), 15) for event in seer.process(frame, t)]
    assert set(told(heard)) == START
    assert len(heard) == 3


def knocked(frames: Iterable[tuple[float, Frame]], at: int) -> Iterator[tuple[float, Frame]]:
    """The film of a camera that is shifted and turned a little at a frame."""
    shift = cv2.getRotationMatrix2D((560, 350), 3, 1.0) + np.array([[0, 0, 25], [0, 0, -12]])
    for number, (t, frame) in enumerate(frames):
        moved = cv2.warpAffine(frame, shift, frame.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
        yield t, np.asarray(moved, np.uint8) if number >= at else frame


ROWS = tuple(Placement(CARDS[n], 60 + 75 * (n % 5), 70 + 100 * (n // 5)) for n in range(10))


@pytest.mark.parametrize(("before", "gone"), [(10, 4), (10, 1), (1, 1)])
def test_what_went_during_a_knock_leaves(before: int, gone: int) -> None:
    """All of it, once, if most codes are read again: the mat's own have a say for a single card."""
    scenes = [*still(Scene(ROWS[:before]), 12), *still(Scene(ROWS[gone:before]), 50)]
    seer = watcher()
    happened = [event for t, frame in knocked(film(scenes), 12) for event in seer.process(frame, t)]
    assert set(told(happened[:before])) == {("appeared", placement.id) for placement in ROWS[:before]}
    assert sorted(told(happened[before:])) == [("left", placement.id) for placement in ROWS[:gone]]


def test_what_lay_on_another_mat_has_gone_with_it() -> None:
    """The mat is changed for another game's, all at once: what is not read again has left, and is not said to come
    again with the first mat."""
    others = tuple(f"MAT-SW-{n}" for n in range(1, 5))
    corners = tuple(replace(c, id=name) for c, name in zip(MAT.corners, others, strict=True))
    second = replace(MAT, corners=corners, zones=tuple(replace(z, name=f"{z.name}-2") for z in MAT.zones))
    seer = Watcher(KNOWN | set(others), {"systems-failing": MAT, "system-won": second})
    heard: list[list[str]] = []
    for start, mat, scene in (
        (0, MAT, Scene(ROWS)),
        (60, second, Scene(ROWS[4:5])),
        (120, MAT, Scene()),
    ):
        simulated = SimulatedCamera({**textures(), "mat": printed(mat)}, 1, SIZE)
        frames = [seer.process(simulated.render(scene), (start + n) / FPS) for n in range(60)]
        heard.append([" ".join(each) for each in sorted(told(event for frame in frames for event in frame))])
    assert heard[0] == [f"appeared {placement.id}" for placement in ROWS]
    assert heard[1:] == [
        [f"left {placement.id}" for placement in ROWS if placement != ROWS[4]],
        [f"left {ROWS[4].id}"],
    ]


def test_after_a_knock_the_usual_evidence_counts_again() -> None:
    """A cloth over most of the table takes nothing away; nor does it keep a card that is taken after it."""
    seer, heard = watcher(), []
    cloth = (np.indices((700, 1120)).sum(0) // 48 % 2 * 90 + 40).astype(np.uint8)[:, :, None]
    scenes = [*still(TABLE, 70), *still(Scene((A, C)), 14)]
    for number, (t, frame) in enumerate(film(scenes)):
        if 12 <= number < 60:
            frame[:, :1000] = cloth[:, :1000]
        heard += seer.process(frame, t)
    assert set(told(heard[:3])) == START
    assert told(heard[3:]) == [("left", CARDS[1])]


@pytest.mark.parametrize("share", [0.8, 1.3])
def test_frames_of_another_size_go_on(share: float) -> None:
    """A camera that comes back with another resolution: what lies on the mat stays, what went has left."""
    seer, heard = watcher(), []
    scenes = [*still(TABLE, 12), *still(Scene((A, C)), 50)]
    for number, (t, frame) in enumerate(film(scenes)):
        resized = cv2.resize(frame, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
        heard += seer.process(np.asarray(resized, np.uint8) if number >= 12 else frame, t)
    assert set(told(heard[:3])) == START
    assert told(heard[3:]) == [("left", CARDS[1])]


def test_pictures_of_every_size_make_no_trouble() -> None:
    """Each frame smaller than the last, by less than a cell or by more."""
    seer = watcher()
    for number, (t, frame) in enumerate(film(still(TABLE, 14))):
        seer.process(
            np.ascontiguousarray(frame[: 700 - 3 * number**2, : 1120 - 9 * number]) if number > 6 else frame, t
        )
    assert seer.tracker.tracks.keys() == {CARDS[0], CARDS[1], CARDS[2]}


def test_reach_covers_a_poker_card() -> None:
    """The law of places rests on it: 108 mm of diagonal, in sides of 25 mm."""
    assert CARD_REACH_SIDES * 25 > 108


def test_a_card_turned_over_shows_one_side_at_a_time() -> None:
    """The side that comes up in the place of the other is no cover: the other leaves at once, and may come again."""
    sides = {CARDS[0]: CARDS[1], CARDS[1]: CARDS[0]}
    seer = Watcher(KNOWN, {"systems-failing": MAT}, other_side=sides)
    one, other = (Scene((Placement(card, 120, 125, 5),)) for card in CARDS[:2])
    turning, back = (replace(side, hand=(120, 125)) for side in (one, other))
    film_of_turns = [*still(one, 8), *still(turning, 4), *still(other, 12), *still(back, 4), *still(one, 12)]
    happened = told(event for t, frame in film(film_of_turns) for event in seer.process(frame, t))
    first, second = CARDS[:2]
    assert [(kind, card) for kind, card in happened if card in sides] == [
        ("appeared", first),
        ("appeared", second),
        ("left", first),
        ("appeared", first),
        ("left", second),
    ]


def test_a_frame_that_looks_the_same_gets_a_glance_only() -> None:
    """Noise is no reason to look in earnest; a card that is taken during such frames is missed at once all the same."""
    seer, film_ = watcher(), film(still(TABLE, 60) + still(Scene((A, B)), 14))
    frames = list(film_)
    for t, frame in frames[:48]:
        seer.process(frame, t)
    before = seer.decodes
    heard = [event for t, frame in frames[48:60] for event in seer.process(frame, t)]
    assert heard == []
    assert seer.decodes - before == 2  # the sweep
    heard = [event for t, frame in frames[60:] for event in seer.process(frame, t)]
    assert told(heard) == [("left", CARDS[2])]
    assert heard[0].t * FPS <= 62.5


def as_planes(frame: Frame) -> YuvImage:
    """What a Pi's camera would have given."""
    return YuvImage(np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2YUV_I420), np.uint8), frame.shape[1])


@pytest.mark.parametrize("planes", [False, True])
def test_a_sleeve_as_light_as_the_table_takes_no_cards(planes: bool) -> None:
    """Only its colour tells it from the mat; nothing is told while it lies there, nor when it is gone."""
    seer = watcher()
    heard: list[TrackEvent] = []
    for number, (t, frame) in enumerate(film(still(TABLE, 70))):
        if 20 <= number < 50:
            light = int(np.median(frame[..., 1]))
            frame[: frame.shape[0] * 6 // 10] = (light - 20, light, light - 60)
        heard += seer.process(as_planes(frame) if planes else frame, t)
    assert set(told(heard)) == START
    assert len(heard) == 3


def test_a_picture_in_planes_tells_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card moves and another leaves; as long as the table is still, nobody asks for colours."""
    moved = replace(A, x_mm=150.0, y_mm=170.0)
    scenes = [*still(TABLE, 30), *still(Scene((moved, B, C)), 10), *still(Scene((moved, B)), 14)]
    frames = list(film(scenes))
    pictures = [(t, as_planes(frame)) for t, frame in frames]
    seer = watcher()
    with monkeypatch.context() as without_colours:
        without_colours.delattr(cv2, "cvtColor")
        heard = [event for t, picture in pictures[:30] for event in seer.process(picture, t)]
    heard += [event for t, picture in pictures[30:] for event in seer.process(picture, t)]
    other = watcher()
    assert told(heard) == told(event for t, frame in frames for event in other.process(frame, t))
    assert told(heard[3:]) == [("moved", CARDS[0]), ("left", CARDS[2])]


def switched(frames: Iterable[tuple[float, Frame]], at: int, share: float) -> Iterator[tuple[float, Frame]]:
    """The film while a lamp on the left goes on or off at a frame: the right gets a fifth of what changes."""
    for number, (t, frame) in enumerate(frames):
        falls = np.linspace(1, 0.2, frame.shape[1])[None, :, None]
        lit = np.clip(frame * (1 + (share - 1) * falls), 0, 255).astype(np.uint8)
        yield t, lit if number >= at else frame


@pytest.mark.parametrize("at", [1, 15])
@pytest.mark.parametrize("share", [0.35, 1.5])
def test_a_lamp_that_is_switched_is_no_event(at: int, share: float) -> None:
    """From the second frame on: every card appears once, none moves or leaves; one that is taken later leaves."""
    seer = watcher()
    scenes = [*still(TABLE, 60), *still(Scene((A, C)), 20)]
    heard = [event for t, frame in switched(film(scenes), at, share) for event in seer.process(frame, t)]
    assert set(told(heard[:3])) == START
    assert told(heard[3:]) == [("left", CARDS[1])]


@pytest.mark.parametrize("at", [1, 2])
def test_a_camera_knocked_at_the_start_loses_nothing(at: int) -> None:
    """While the first pictures are still being read: every card appears once, and one that is taken later leaves."""
    seer = watcher()
    scenes = [*still(TABLE, 60), *still(Scene((A, C)), 20)]
    heard = [event for t, frame in knocked(film(scenes), at) for event in seer.process(frame, t)]
    assert set(told(heard[:3])) == START
    assert told(heard[3:]) == [("left", CARDS[1])]


def test_small_codes_are_watched() -> None:
    """A camera so far away that no reader reads the cards: they appear within five frames, move, and never leave."""
    far = np.array([[0.42, 0, 20], [0, 0.42, 15], [0, 0, 1.0]])

    def small(scenes: Iterable[Scene]) -> Iterator[tuple[float, Frame]]:
        for t, frame in film(scenes):
            away = cv2.warpPerspective(frame, far, (520, 340), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
            yield t, np.asarray(away, np.uint8)

    moved = replace(A, x_mm=130.0, y_mm=160.0)
    seer = watcher()
    _, first = next(small([TABLE]))
    assert not any(code.id for code in find_with_zxing(np.ascontiguousarray(first[..., 1]), KNOWN))
    happened = [
        event
        for t, frame in small(still(TABLE, 60) + still(Scene((moved, B, C)), 40))
        for event in seer.process(frame, t)
    ]
    assert set(told(happened[:3])) == START
    assert all(event.t * FPS <= 5 for event in happened[:3])
    assert told(happened[3:]) == [("moved", CARDS[0])]


def test_a_card_taken_off_a_pile_leaves_and_what_lay_under_it_never_did() -> None:
    """The code beneath is read again in the very place: nothing is read through a card."""
    low, high = Placement(CARDS[0], 120, 125, 5), Placement(CARDS[1], 121, 126, 3)
    hand = Scene((low, high), hand=(120, 125))
    piled = [
        *still(Scene((low,)), 8),
        *still(Scene((low, high)), 12),
        *still(hand, 4),
        *still(Scene((low,)), 12),
    ]
    assert told(events(piled)) == [("appeared", CARDS[0]), ("appeared", CARDS[1]), ("left", CARDS[1])]


def test_a_card_laid_from_below_onto_another_covers_it() -> None:
    """The lower one is moved on top: it moves, and the other stays beneath."""
    low, high = Placement(CARDS[0], 120, 125, 5), Placement(CARDS[1], 121, 126, 3)
    aside = Placement(CARDS[0], 300, 125, 5)
    film_of_it = [
        *still(Scene((low,)), 8),
        *still(Scene((low, high)), 10),
        *still(Scene((high, aside)), 10),
        *still(Scene((high, replace(aside, x_mm=121, y_mm=125))), 20),
    ]
    assert told(events(film_of_it)) == [
        ("appeared", CARDS[0]),
        ("appeared", CARDS[1]),
        ("moved", CARDS[0]),
        ("moved", CARDS[0]),
    ]
