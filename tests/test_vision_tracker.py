"""The tracker by itself: the order of its events."""

from __future__ import annotations

import numpy as np
import pytest

from companion.tabletop.observations import CardInView
from vision.decoded_codes import Code
from vision.observation_conversion import CodesInView
from vision.tracking.tracker import MAX_LEAVE_DELAY_S, Detection, Presence, Tracker


def code(id: str, x: float) -> Detection:
    """A code with sides of 20 px, centered at (x, 50)."""
    corners = np.array([(x - 10, 40), (x + 10, 40), (x + 10, 60), (x - 10, 60)], float)
    return Detection(Code(id, f"TK:{id}", corners, 1.0))


def test_leaving_is_reported_before_appearing() -> None:
    """If, in one frame, a card leaves, another is pushed aside, and the cards below them come into view, the events
    about leaving come first."""
    tracker = Tracker()
    tracker.update(0, [code("X-1", 50), code("X-2", 150)], lambda track: "present", True)
    events = tracker.update(1, [code("X-3", 50), code("X-4", 150), code("X-2", 190)], lambda track: "vacated", True)
    assert [(event.kind, event.id) for event in events] == [
        ("left", "X-1"),
        ("moved", "X-2"),
        ("appeared", "X-3"),
        ("appeared", "X-4"),
    ]


@pytest.mark.parametrize(("between", "left_at"), [(["occluded"] * 4, 0.9), (["occluded"] * 6, 1.6), (["present"], 1.1)])
def test_a_short_interruption_does_not_delay_that_a_card_left(between: list[Presence], left_at: float) -> None:
    """While something moves, a place must look empty for a while before its card counts as gone. If the place can't be
    judged for a moment in between, because the edge of a shadow passes over it, that time counts. The wait starts again
    if the place can't be judged for longer, or if the card is seen there."""
    assert MAX_LEAVE_DELAY_S == 0.9
    tracker = Tracker()
    tracker.update(-0.1, [code("X-1", 50)], lambda track: "present", True)
    seen: list[Presence] = ["vacated", *between, *["vacated"] * 20]
    times = [n / 10 for n in range(len(seen))]
    left = [t for t, each in zip(times, seen, strict=True) if tracker.update(t, [], lambda track, s=each: s, False)]
    assert left == [pytest.approx(left_at)]


def test_a_code_that_stays_in_view_beside_a_new_component_is_reported_once() -> None:
    """X-1, which is read again two frames after X-2 came to rest beside it, is reported once. X-3, which is far away,
    is not reported."""
    tracker, codes = Tracker(), CodesInView()

    def reported(t: float, *detections: Detection) -> list[CardInView]:
        events = tracker.update(t, detections, lambda track: "present", True)
        return list(codes.update(t, tracker.tracks, events))

    assert reported(0, code("X-1", 50), code("X-3", 400)) == []
    assert reported(1, code("X-2", 90)) == []
    assert reported(2) == []
    assert reported(3, code("X-1", 50), code("X-3", 400)) == [CardInView(t=3, code="X-1")]
    assert reported(4, code("X-1", 50), code("X-2", 90)) == []
