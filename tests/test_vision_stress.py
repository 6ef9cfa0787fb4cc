"""The stress films of `bench vision --stress`, how they are scored, and the disturbances in them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from companion.__main__ import main
from companion.commands.stress_films import CARDS, FPS, MAX_DELAY_FRAMES, StressFilm, score, stress_film
from tests.vision_scenes import camera
from vision.simulated_camera import Scene
from vision.simulated_disturbances import DISTURBANCES, mixed
from vision.tracking.tracker import EventKind, TrackEvent

IDS = [f"SF-D{n:02}" for n in range(1, 28)]
KINDS: dict[str, EventKind] = {"move": "moved", "turn": "turned", "leave": "left", "add": "appeared"}


def event(kind: EventKind, id: str, frame: int) -> TrackEvent:
    return TrackEvent(t=frame / FPS, kind=kind, id=id, zone=None, order=0, mm=None, angle=0.0, px=(0.0, 0.0))


def right_events(film: StressFilm) -> list[TrackEvent]:
    """The events that a perfect watcher reports for the film."""
    start = [event("appeared", id, 2) for id in film.first_ids]
    return start + [event(KINDS[action.kind], action.id, action.rest + 1) for action in film.actions]


@pytest.mark.parametrize("seed", range(5))
def test_a_stress_film_has_one_action_of_each_kind(seed: int) -> None:
    """A film shows sixteen cards. One card is moved, one turned, one taken away and one added. After that, nothing
    moves."""
    film = stress_film(IDS, seed)
    assert sorted(action.kind for action in film.actions) == sorted(KINDS)
    assert len({action.id for action in film.actions}) == len(KINDS)
    assert len(film.first_ids) == CARDS == len(film.scenes[-1].placements)
    for action in film.actions:
        assert film.scenes[action.start] != film.scenes[action.start - 1]
        assert film.scenes[action.rest] == film.scenes[action.rest + MAX_DELAY_FRAMES - 14]


def test_right_events_score_full_marks() -> None:
    """If all events are right, the score counts all cards, every action with its delay, and no false event."""
    film = stress_film(IDS, 1)
    found = score(film, right_events(film))
    assert (found.appeared, found.false) == (1.0, 0)
    assert [delay for _, delay in found.delays] == [1] * 4


@pytest.mark.parametrize("late", [MAX_DELAY_FRAMES, MAX_DELAY_FRAMES + 1])
def test_wrong_events_are_false(late: int) -> None:
    """An event that nothing caused, one that is reported twice, and one that comes too late count as false."""
    film = stress_film(IDS, 1)
    first, *others = film.actions
    events = [each for each in right_events(film) if each.id != first.id or each.t < 1]
    told_late = event(KINDS[first.kind], first.id, first.rest + late)
    found = score(film, [*events, told_late, event("left", "SF-D99", 50), event("moved", "SF-D99", 60)])
    in_time = late <= MAX_DELAY_FRAMES
    assert found.false == (2 if in_time else 3)
    assert found.delays[0] == (first.kind, late if in_time else None)
    assert len(others) == 3


@pytest.mark.parametrize("name", [*DISTURBANCES, "mixed"])
def test_a_disturbance_depends_only_on_its_seed(name: str) -> None:
    """A disturbance changes the frame and keeps its shape. The same seed gives the same result."""
    frame = camera().render(Scene())
    make = DISTURBANCES.get(name, mixed)
    one, again = (make(np.random.default_rng(3)) for _ in range(2))
    times = [0.0, 0.5, 1.0, 1.7, 2.2, 10.0]
    found = [one(frame, t) for t in times]
    assert all(each.shape == frame.shape and each.dtype == np.uint8 for each in found)
    assert any((each != frame).any() for each in found)
    assert all((a == again(frame, t)).all() for a, t in zip(found, times, strict=True))


@pytest.mark.slow
def test_the_benchmark_prints_percentages_beside_those_of_zxing(capsys: pytest.CaptureFixture[str]) -> None:
    """The benchmark prints 100 % for a film without a disturbance."""
    assert main(["bench", "vision", "--stress", "--seeds", "1", "--only", "none", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["stress"], found["films"], found["false_events"]) == ("none", 1, 0)
    assert found["appeared"] == found["right"] == found["left_in_time"] == 100
    assert found["zxing_read"] > 90


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--stress",), "needs the part `vision`"),
        (("vision", "--stress", "--seeds", "0"), "at least one seed"),
        (("vision", "--stress", "--only", "earthquake"), "Choose from: none, shake 0.3 px"),
        (("vision", "--seeds", "3"), "need --stress"),
        (("vision", "--only", "none"), "need --stress"),
    ],
)
def test_options_that_do_not_fit_together_are_wrong_usage(
    options: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options without any film to play, or without --stress, are refused with the exit status of wrong usage."""
    assert main(["bench", *options]) == 2
    assert told in capsys.readouterr().err


def test_different_seeds_make_different_films() -> None:
    """Different seeds make different films."""
    assert stress_film(IDS, 1) == stress_film(IDS, 1)
    assert replace(stress_film(IDS, 1), scenes=()) != replace(stress_film(IDS, 2), scenes=())
