"""Hidden components: the camera reports a code that something at rest hides, unless a hand does."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from companion.tabletop.observations import HIDDEN_S, CardGone, CardHidden, CardInView, CardSeen, Observation
from tests.vision_scenes import CARDS, FPS, KNOWN, MAT, SIZE, kinds_and_ids, new_watcher, still, textures
from vision.camera_process import create_camera_process
from vision.camera_worker import CameraWorker, WorkerSettings
from vision.camera_worker_messages import ObservationBatch
from vision.observation_conversion import HiddenCodes
from vision.simulated_camera import PlacedPrint, Scene, SimulatedCamera, Texture
from vision.tracking.presence import Evidence, PresenceMonitor
from vision.tracking.tracker import Presence, Track, TrackEvent

CARD, OTHER = PlacedPrint(CARDS[0], 240, 125), PlacedPrint(CARDS[1], 110, 125)
LID = PlacedPrint("lid", 260, 125, 15)
"""The lid of a box, which has no code and is much larger than a card."""
OPEN, COVERED = Scene((CARD, OTHER)), Scene((CARD, OTHER, LID))
REST_FRAMES = round(2 * FPS)
HIDDEN_FRAMES = round((HIDDEN_S + 1.5) * FPS)


class Pipe:
    """Collects what the worker sends."""

    def __init__(self) -> None:
        self.observations: list[Observation] = []

    def send(self, message: object) -> None:
        if isinstance(message, ObservationBatch):
            self.observations += message.observations


def observed(scenes: list[Scene]) -> list[Observation]:
    """What a camera worker reports about hidden, visible and missing codes after the first second of these scenes."""
    lid = Texture(np.full((330, 450, 3), (60, 70, 90), np.uint8), 150.0, 110.0)
    camera, pipe = SimulatedCamera({**textures(), "lid/front": lid}, 1, SIZE), Pipe()
    worker = CameraWorker(pipe, WorkerSettings("simulated", {"systems-failing": MAT}, KNOWN, {}))  # type: ignore[arg-type]
    for number, scene in enumerate(scenes):
        worker._process(number / FPS, camera.render(scene))
    return [each for each in pipe.observations if isinstance(each, CardHidden | CardInView | CardGone) and each.t > 1]


@pytest.mark.slow
def test_a_card_under_a_lid_is_reported_as_hidden_and_later_as_in_view() -> None:
    """A card under a lid is reported as hidden once, after HIDDEN_S at rest, and as in view when the lid is gone. The
    card beside the lid is not mentioned."""
    covered_at = REST_FRAMES / FPS
    found = observed([*still(OPEN, REST_FRAMES), *still(COVERED, 2 * HIDDEN_FRAMES), *still(OPEN, REST_FRAMES)])
    assert [(type(each), each.code) for each in found] == [(CardHidden, CARD.id), (CardInView, CARD.id)]  # type: ignore[union-attr]
    assert covered_at + HIDDEN_S <= found[0].t <= covered_at + HIDDEN_S + 1  # type: ignore[union-attr]


@pytest.mark.slow
def test_a_lid_on_a_pile_is_not_mistaken_for_the_bare_table() -> None:
    """A lid is larger than a pile of cards, so all cards of the pile stay. Only the top one was in view before."""
    pile = [PlacedPrint(name, 240 + 4 * n, 125 - 3 * n, 2 * n) for n, name in enumerate(CARDS[:4])]
    laid = [still(Scene(tuple(pile[:count])), HIDDEN_FRAMES) for count in range(1, 5)]
    scenes = [scene for scenes in laid for scene in scenes]
    found = observed([*scenes, *still(Scene((*pile, LID)), HIDDEN_FRAMES), *still(Scene(tuple(pile)), REST_FRAMES)])
    codes = [card.id for card in pile]
    assert [each.code for each in found if isinstance(each, CardHidden)] == codes
    assert [each.code for each in found if isinstance(each, CardGone)] == []
    assert [each.code for each in found if isinstance(each, CardInView)][-1] == codes[-1]


@pytest.mark.slow
def test_a_card_under_a_hand_is_not_reported_as_hidden() -> None:
    """A hand may rest on a card for as long as it likes, although it becomes part of the background by then. The card
    is not reported as hidden until something else lies there."""
    resting = Scene(OPEN.placements, hand=(CARD.x_mm, CARD.y_mm))
    assert observed([*still(OPEN, REST_FRAMES), *still(resting, 2 * HIDDEN_FRAMES)]) == []


@pytest.mark.slow
def test_a_lid_that_is_put_down_again_and_again_hides_nothing_yet() -> None:
    """A card counts as hidden only after the lid has been at rest for HIDDEN_S, however often it was covered before."""
    moving = [still(scene, REST_FRAMES) for scene in (OPEN, COVERED) * 3]
    assert observed([scene for scenes in moving for scene in scenes]) == []


def test_a_card_that_was_wrongly_reported_as_gone_is_seen_as_soon_as_it_is_uncovered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A lid is as large as several cards, so one of the cards below it may seem to have left. It is seen again as soon
    as the lid is gone, although the table then looks as it did before."""
    first, second = PlacedPrint(CARDS[0], 222, 125), PlacedPrint(CARDS[1], 296, 125)
    judge = PresenceMonitor.judge

    def misjudge(self: PresenceMonitor, track: Track, evidence: Evidence, tracks: Mapping[str, Track]) -> Presence:
        presence = judge(self, track, evidence, tracks)
        wrong: Presence = "vacated" if track.latest.id == first.id else "occluded"
        return presence if presence == "present" else wrong

    monkeypatch.setattr(PresenceMonitor, "judge", misjudge)
    lid = Texture(np.full((330, 450, 3), (60, 70, 90), np.uint8), 150.0, 110.0)
    simulated, watcher = SimulatedCamera({**textures(), "lid/front": lid}, 1, SIZE), new_watcher()
    bare, covered = Scene((first, second)), Scene((first, second, LID))
    scenes = [*still(bare, REST_FRAMES), *still(covered, REST_FRAMES), *still(bare, REST_FRAMES)]
    frames = ((n / FPS, simulated.render(scene)) for n, scene in enumerate(scenes))
    events = [event for t, frame in frames for event in watcher.process(frame, t)][2:]
    assert kinds_and_ids(events) == [("left", first.id), ("appeared", first.id)]
    assert events[-1].t <= 2 * REST_FRAMES / FPS + 0.5


def left(name: str, t: float) -> TrackEvent:
    return TrackEvent(t=t, kind="left", id=name, zone=None, order=0, mm=None, angle=0, px=(0, 0))


def test_a_hidden_code_is_reported_once_until_it_is_seen() -> None:
    """A code stays reported while it is neither hidden nor in view, for example while a hand passes. An event about the
    code says everything, so nothing is added to it."""
    codes = HiddenCodes()

    def reported(t: float, hidden: set[str], visible: set[str], *events: TrackEvent) -> list[Observation]:
        return [*codes.update(t, hidden, visible, events)]

    assert reported(1, {"X-2", "X-1"}, {"X-3"}) == [CardHidden(t=1, code="X-1"), CardHidden(t=1, code="X-2")]
    assert reported(2, {"X-1"}, {"X-3"}) == []
    assert reported(3, {"X-1", "X-2"}, {"X-3"}) == []
    assert reported(4, {"X-1"}, {"X-2", "X-3"}) == [CardInView(t=4, code="X-2")]
    assert reported(5, set(), {"X-3"}, left("X-1", 5)) == []
    assert reported(6, {"X-1"}, set()) == [CardHidden(t=6, code="X-1")]


def test_a_worker_that_starts_again_reports_a_hidden_card_as_in_view() -> None:
    """If a new worker sees a component where the previous worker has reported it as hidden, the component is in view.
    Otherwise nothing is repeated."""
    device = create_camera_process("simulated", {}, KNOWN)
    sightings = [
        CardSeen(t=1, code=card.id, zone="left", mm=(card.x_mm, card.y_mm), angle=0, change="appeared")
        for card in (CARD, OTHER)
    ]
    hidden = CardHidden(t=2, code=CARD.id)
    assert [*device._without_repeats([*sightings, hidden])] == [*sightings, hidden]
    assert [*device._without_repeats(sightings)] == [CardInView(t=1, code=CARD.id)]
    assert [*device._without_repeats(sightings)] == []
    device.close()
