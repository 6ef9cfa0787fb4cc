"""No ghosts: a card that was picked up is soon reported as gone, wherever it lay and whatever lay on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from companion.tabletop.mat import Point
from tests.evenings.ghost_trials import GhostTable
from tests.vision_scenes import CARDS, FPS, film, kinds_and_ids, new_watcher, still, watch
from vision.decoded_codes import Code
from vision.known_codes import code_reaches
from vision.simulated_camera import PlacedPrint, Scene
from vision.tracking.changed_regions import ABSORB_UNEXPLAINED_S, may_be_covered

BENEATH = PlacedPrint(CARDS[0], 240, 110, 100)
REST_FRAMES = 12
MAX_GHOST_S = 1.5
"""A hand is away after a quarter of a second, and judging the place takes another second."""


def laid_and_taken(upper: PlacedPrint, hand: Point) -> tuple[Iterator[Scene], int]:
    """Scenes in which a hand puts a card on another one and picks it up again, and the number of the first scene
    without the card."""
    alone, both = Scene((BENEATH,)), Scene((BENEATH, upper))
    hands = [replace(scene, hand=hand) for scene in still(alone, 3) + still(both, 3)]
    before = [*still(alone, REST_FRAMES), *hands, *still(both, REST_FRAMES), *reversed(hands)]
    return iter([*before, *still(alone, REST_FRAMES)]), len(before) - 3


def ghost_seconds(upper: PlacedPrint, hand: Point) -> list[float]:
    """How long a watcher believes that a card is still there after it was taken away, in seconds. The list is empty if
    the watcher never reports the card as gone."""
    scenes, gone = laid_and_taken(upper, hand)
    watcher = new_watcher()
    return [
        event.t - gone / FPS
        for t, frame in film(scenes)
        for event in watcher.process(frame, t)
        if (event.kind, event.id) == ("left", upper.id)
    ]


@pytest.mark.parametrize(("dx", "dy", "angle"), [(0, 0, 60), (15, -10, 75)])
def test_a_card_taken_up_from_another_leaves_though_print_comes_to_light(dx: float, dy: float, angle: float) -> None:
    """A card that is taken up is reported as gone although the print beneath it is as bright and as fine as its code,
    because its place looks as it did before the card came."""
    upper = PlacedPrint(CARDS[3], BENEATH.x_mm + dx, BENEATH.y_mm + dy, angle)
    (seconds,) = ghost_seconds(upper, (upper.x_mm, upper.y_mm))
    assert 0 <= seconds <= MAX_GHOST_S


def test_fingers_on_a_code_do_not_become_part_of_what_was_there_before() -> None:
    """A code beneath a card that was taken up is read although fingers cover a part of it. The fingers are not taken
    for the print beneath."""
    upper = PlacedPrint(CARDS[3], BENEATH.x_mm + 15, BENEATH.y_mm - 10, 75)
    (seconds,) = ghost_seconds(upper, (BENEATH.x_mm + 10, BENEATH.y_mm + 10))
    assert 0 <= seconds <= MAX_GHOST_S


def test_a_neighbor_that_turned_in_place_does_not_cover_a_card_that_was_taken_up() -> None:
    """A card that is taken up is reported as gone although the hand turned the card beside it: that card still lies
    where it lay, so it cannot have come to lie on top."""
    upper = PlacedPrint(CARDS[3], BENEATH.x_mm, BENEATH.y_mm, 60)
    neighbor = PlacedPrint(CARDS[1], BENEATH.x_mm + 75, BENEATH.y_mm)
    turned = replace(neighbor, angle=9)
    hand = {"hand": (upper.x_mm, upper.y_mm)}
    alone, both, after = Scene((BENEATH, neighbor)), Scene((BENEATH, neighbor, upper)), Scene((BENEATH, turned))
    lay = [*still(alone, 3), *still(replace(both, **hand), 3), *still(both, REST_FRAMES)]
    take = [*still(replace(both, **hand), 3), *still(replace(after, **hand), 3), *still(after, REST_FRAMES)]
    events = kinds_and_ids(watch([*still(alone, REST_FRAMES), *lay, *take]))
    assert ("turned", neighbor.id) in events
    assert ("left", upper.id) in events


def test_a_card_on_which_a_hand_rested_leaves() -> None:
    """A hand that rests becomes part of the background after a while. When it has gone, the table looks as it did
    before the hand came, so a card that is taken away soon after that is reported as gone."""
    card = Scene((PlacedPrint(CARDS[3], 240, 110),))
    rest = still(replace(card, hand=(240, 130)), round((ABSORB_UNEXPLAINED_S + 0.5) * FPS))
    before = [*still(Scene(), REST_FRAMES), *still(card, REST_FRAMES), *rest, *still(card, REST_FRAMES)]
    events = watch([*before, *still(Scene(), REST_FRAMES)])
    assert kinds_and_ids(events) == [("appeared", CARDS[3]), ("left", CARDS[3])]


@pytest.mark.parametrize("seed", [3, 12, 26])
def test_a_pile_that_is_taken_up_at_once_leaves(seed: int) -> None:
    """All cards of a pile are reported as gone, even if the top one is known to be gone before the others are. This
    is so with these seeds: the top card became part of the background before it was read."""
    rng, pile, scenes = Random(seed), tuple[PlacedPrint, ...](), still(Scene(), REST_FRAMES)
    height, jitter = rng.randint(3, 5), rng.choice([0.0, 0.5, 1.0, 2.0])
    x, y = BENEATH.x_mm, BENEATH.y_mm
    offsets = [[rng.uniform(-jitter, jitter) for _ in range(3)] for _ in range(height)]
    for code, (dx, dy, angle) in zip(CARDS, offsets, strict=False):
        pile = (*pile, PlacedPrint(code, x + dx, y + dy, angle))
        scenes += [*still(Scene(pile, hand=(x + dx, y + dy)), 5), *still(Scene(pile), rng.randint(6, 14))]
    events = kinds_and_ids(watch([*scenes, *still(Scene(pile), REST_FRAMES), *still(Scene(), 2 * REST_FRAMES)]))
    assert sorted(events[height:]) == sorted(("left", card.id) for card in pile)


def test_a_card_that_came_beside_a_pile_does_not_cover_it() -> None:
    """The cards of a pile are reported as gone although another card has come near since they were covered."""
    pile, beside = (PlacedPrint(CARDS[0], 240, 110), PlacedPrint(CARDS[1], 242, 111)), PlacedPrint(CARDS[2], 310, 110)
    laid = [*still(Scene(), REST_FRAMES), *still(Scene(pile[:1]), REST_FRAMES), *still(Scene(pile), REST_FRAMES)]
    events = watch([*laid, *still(Scene((*pile, beside)), REST_FRAMES), *still(Scene((beside,)), 2 * REST_FRAMES)])
    assert {("left", card.id) for card in pile} <= set(kinds_and_ids(events))
    assert ("left", beside.id) not in kinds_and_ids(events)


@pytest.mark.slow
def test_a_place_that_was_found_empty_below_a_hand_stays_empty() -> None:
    """A card is reported as gone although the change at its place was explained before the hand had gone: a code beside
    it was read then."""
    table = GhostTable("systems-failing", "8.25", has_shadow=False)
    assert [table.card_askew() for _ in range(4)] == 4 * [(True, False)]


@pytest.mark.slow
def test_a_piece_that_was_put_beside_a_pile_while_a_hand_covered_it_is_too_small_to_lie_on_it() -> None:
    """The cards of a pile are reported as gone although a piece has been put near the pile while a hand covered it."""
    table = GhostTable("commute", "45.23", has_shadow=False)
    assert [table.whole_pile() for _ in range(5)] == 5 * [(True, False)]


@pytest.mark.parametrize(("component", "is_near"), [("SF-D08", True), ("CM-P1", False)])
def test_only_a_component_that_is_large_enough_may_cover_a_code_nearby(component: str, is_near: bool) -> None:
    """From a place three sides of a code away, a card reaches the code, but a piece does not."""
    square = np.array([(0.0, 0.0), (20.0, 0.0), (20.0, 20.0), (0.0, 20.0)])
    code, other = Code(CARDS[0], "", square), Code(component, "", square + np.array([60.0, 0.0]))
    assert may_be_covered(code, other, code_reaches()[component]) == is_near


@pytest.mark.parametrize(("dx", "dy", "angle"), [(0, 15, -70), (20, 20, 145)])
def test_a_card_under_one_that_looks_like_what_was_there_before_stays(dx: float, dy: float, angle: float) -> None:
    """Cards of one game have similar prints, so an upper card may look like the place before the lower card came. This
    must not count as proof that the lower card has gone, at least while the hand is there or until the upper card is
    read."""
    middle = PlacedPrint(CARDS[1], BENEATH.x_mm + dx, BENEATH.y_mm + dy, angle)
    upper = replace(BENEATH, id=CARDS[3], x_mm=BENEATH.x_mm + 1, y_mm=BENEATH.y_mm - 1)
    piles = [Scene((BENEATH, middle, upper)[:height]) for height in (1, 2, 3)]
    hands = [replace(scene, hand=(BENEATH.x_mm, BENEATH.y_mm)) for scene in piles]
    lay_middle = [*still(piles[0], REST_FRAMES), *still(hands[0], 3), *still(hands[1], 3)]
    lay_upper = [*still(piles[1], REST_FRAMES), *still(hands[1], 3), *still(hands[2], 3)]
    events = watch([*lay_middle, *lay_upper, *still(piles[2], 2 * REST_FRAMES)])
    assert kinds_and_ids(events) == [("appeared", card.id) for card in (BENEATH, middle, upper)]
