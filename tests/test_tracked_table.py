"""The tracked table: what it concludes from the order of sightings, and the context that a game gets with a
sighting."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Literal

import pytest

from companion.tabletop.observations import CardGone, CardHidden, CardInView, CardSeen
from companion.tabletop.tracked_table import TrackedTable, Turn

FRONT, BACK = "X-1", "X-1X"
OTHER_SIDE = {FRONT: BACK, BACK: FRONT}
Change = Literal["appeared", "moved", "turned"]


def seen(  # the fields of a sighting
    code: str,
    t: float,
    x: float = 100,
    change: Change = "appeared",
    *,
    zone: str | None = "left",
    angle: float = 0,
    was_initially_present: bool = False,
) -> CardSeen:
    return CardSeen(
        t=t,
        code=code,
        zone=zone,
        mm=(x, 100.0),
        angle=angle,
        change=change,
        was_initially_present=was_initially_present,
    )


def flips_after(*observations: CardSeen | CardGone) -> list[str]:
    table = TrackedTable()
    for observation in observations:
        table = table.after(observation, 0, OTHER_SIDE)
    return [*table.context().flips]


def turn_after(*sightings: tuple[CardSeen, Turn]) -> Turn:
    table = TrackedTable()
    for sighting, turn in sightings:
        table = table.after(sighting, turn)
    return table.turns[FRONT]


def test_a_sighting_holds_what_a_camera_reports_and_nothing_else() -> None:
    """Conclusions from several sightings are stored separately; the sightings stay as the camera reported them."""
    assert {field.name for field in fields(CardSeen)} == {
        *("t", "code", "zone", "mm", "angle", "change", "was_initially_present"),
    }
    sightings = [seen(FRONT, 1), seen(BACK, 2)]
    table = TrackedTable()
    for sighting in sightings:
        table = table.after(sighting, 0, OTHER_SIDE)
    assert [*table.visible.values()] == sightings


def test_the_other_side_in_the_same_place_is_a_flip() -> None:
    """If the other side appears in the same place, this counts as a flip until the component is seen again, and as a
    recent flip until the next act."""
    assert flips_after(seen(FRONT, 1), CardGone(t=2, code=FRONT), seen(BACK, 3)) == [BACK]
    assert flips_after(seen(FRONT, 1), seen(BACK, 3), seen(BACK, 4, 103, "moved")) == []
    table = TrackedTable().after(seen(FRONT, 1)).after(seen(BACK, 2), 0, OTHER_SIDE)
    assert table.after(seen(BACK, 3, 103, "moved"), 0, OTHER_SIDE).context().recent_flips == {BACK}


def test_a_component_turned_over_and_back_unseen_is_no_flip() -> None:
    """If the back was seen first and then the front twice, this is no flip, because the last sighting of the other side
    is too old."""
    assert flips_after(seen(BACK, 1), seen(FRONT, 2), seen(FRONT, 3)) == []


def test_a_rotation_is_no_flip() -> None:
    """A component that was rotated in place still shows the same side, so this is no flip."""
    assert flips_after(seen(FRONT, 1), seen(BACK, 2, change="turned")) == []


def test_a_component_belongs_to_the_turn_in_which_it_was_put_down() -> None:
    """A component belongs to the turn in which it was put down. A nudge does not change this turn; moving the component
    to another zone, or picking it up and putting it down, does."""
    assert turn_after((seen(FRONT, 1), 0), (seen(FRONT, 2, 105, "moved"), 1)) == 0
    assert turn_after((seen(FRONT, 1), 0), (seen(FRONT, 2, 205, "moved", zone="right"), 1)) == 1
    assert turn_after((seen(FRONT, 1), 0), (seen(FRONT, 2), 1)) == 1
    assert turn_after((seen(FRONT, 1, was_initially_present=True), 0)) is None


def test_a_component_that_was_taken_away_belongs_to_no_turn() -> None:
    """A component that was removed, or whose turns were cleared, belongs to no turn until it is put down again."""
    table = TrackedTable().after(seen(FRONT, 1), 0)
    assert table.after(CardGone(t=2, code=FRONT)).turns == {}
    assert table.without_turns([FRONT]).after(seen(FRONT, 2, 105, "moved"), 0).turns == {FRONT: None}
    assert table.without_turns([FRONT]).after(seen(FRONT, 2), 1).turns == {FRONT: 1}


@pytest.mark.parametrize("times", [(1, 2), (2, 1)])
def test_the_context_lists_the_zones_in_the_order_of_the_last_sightings(times: tuple[float, float]) -> None:
    """The context lists the components in each zone in the order of their last sightings: the one that was seen last
    counts as the top one."""
    table = TrackedTable().after(seen("X-2", times[0])).after(seen("X-3", times[1], zone=None))
    expected = {"X-2": "left", "X-3": None}
    assert [*table.context().zones.items()] == sorted(expected.items(), reverse=times == (2, 1))


def test_a_component_was_lifted_if_what_lay_below_it_is_in_view() -> None:
    """A component that is out of sight was picked up if another one, which nobody laid, is in view in its place. When
    its code is read there again, it was laid again, on top of the other one. If somebody laid the other one, it only
    lies on top."""
    both = TrackedTable().after(seen("X-2", 1), 0).after(seen("X-3", 2), 0)
    hidden, again = CardHidden(t=5, code="X-2"), CardInView(t=9, code="X-2")
    below = both.with_uncovered("X-3", now=3)
    assert (set(below.visible), below.as_sighting_if_returned(again)) == ({"X-3"}, seen("X-2", 9))
    both_again = below.after(CardGone(t=9, code="X-3")).after(seen("X-2", 9), 1, piles={"left"})
    assert (both_again.turns, set(both_again.visible)) == ({"X-2": 1}, {"X-2", "X-3"})
    assert both_again.hidden == {"X-3"}
    on_top = both.after(hidden)
    assert (set(on_top.visible), on_top.as_sighting_if_returned(again)) == ({"X-2", "X-3"}, again)


def test_a_component_that_is_moved_comes_to_rest_after_the_others() -> None:
    """A card that is taken from below a pile and put on top lies above the others, also when all of them are hidden."""
    table = TrackedTable()
    for observation in (seen(FRONT, 1), seen("Y", 2), seen(FRONT, 3, x=120, change="moved")):
        table = table.after(observation)
    assert [*table.zones_by_code] == ["Y", FRONT]
    for code in ("Y", FRONT):
        table = table.after(CardHidden(t=4, code=code))
    assert [*table.zones_by_code] == ["Y", FRONT]


def test_a_component_was_uncovered_only_if_another_one_left_its_pile() -> None:
    """A component that comes into view at the moment at which another one leaves its pile was uncovered. If the other
    one leaves another zone, or is only nudged, the component was laid."""
    laid = seen(FRONT, 2)

    def turn_after_change(first: CardSeen, change: CardSeen | CardGone) -> Turn:
        table = TrackedTable().after(first, 1, now=1).after(change, 0, now=2)
        return table.after(laid, 0, piles={"left"}, now=2).turns[FRONT]

    assert turn_after_change(seen("Y", 1), CardGone(t=2, code="Y")) is None
    assert turn_after_change(seen("Y", 1, zone="right"), CardGone(t=2, code="Y")) == 0
    assert turn_after_change(seen("Y", 1), seen("Y", 2, x=106, change="moved")) == 0


def test_a_component_that_lay_in_a_pile_comes_back_only_below_what_was_uncovered() -> None:
    """X-1 was picked up, and X-2 below it came into view. If X-2 leaves just when X-1 comes back, it is hidden below
    X-1. If a component leaves that was laid there later, it has really gone."""
    table = TrackedTable().after(seen("X-1", 1), 0, now=1).with_uncovered("X-2", 2)
    lifted = table.after(CardGone(t=3, code="X-1"), now=3)
    below = replace(lifted, lifted=frozenset({"X-1"})).after(seen("X-2", 4), 0, piles={"left"}, now=4)
    for other, hidden in (("X-2", {"X-2"}), ("X-3", set[str]())):
        before = replace(below, uncovered=frozenset({"X-2"})).after(seen("X-3", 5), 0, now=5)
        gone = before.after(CardGone(t=9, code=other), now=9)
        assert gone.after(seen("X-1", 9), 0, piles={"left"}, now=9).hidden == hidden


def test_two_components_that_were_picked_up_may_go_at_the_same_moment() -> None:
    """X-2 came into view when X-1 was picked up. When X-2 goes and X-1 is back, X-2 may lie below. X-3 then comes into
    view below both, so both have gone."""
    table = TrackedTable().after(seen("X-1", 1), now=1).after(seen("X-2", 2), now=2).with_uncovered("X-2", 2)
    table = table.after(CardGone(t=3, code="X-2"), now=3)
    table = table.after(table.as_sighting_if_returned(CardInView(t=3, code="X-1")), now=3)
    assert (set(table.visible), table.hidden) == ({"X-1", "X-2"}, {"X-2"})
    assert set(table.after(seen("X-3", 3.3), now=3.3).with_uncovered("X-3", 3.3).visible) == {"X-3"}


@pytest.mark.parametrize("leaves", [CardGone(t=10, code="X-1"), seen("X-1", 10, 250, "moved", zone="right")])
def test_what_a_returned_component_has_hidden_goes_with_it(leaves: CardSeen | CardGone) -> None:
    """X-1 is back at its place, and X-2, which has gone at that moment, may lie below. When X-1 leaves, X-2 is not
    there, because the camera would see it."""
    table = TrackedTable().after(seen("X-1", 1), now=1).after(seen("X-2", 2), now=2).with_uncovered("X-2", 2)
    table = table.after(CardGone(t=3, code="X-2"), now=3)
    table = table.after(table.as_sighting_if_returned(CardInView(t=3, code="X-1")), now=3)
    assert "X-2" not in table.after(leaves, now=10).visible
    assert "X-2" in table.after(seen("X-2", 9), now=9).after(leaves, now=10).visible


def test_what_lies_below_a_returned_component_is_hidden_even_if_it_is_reported_as_gone() -> None:
    """X-1 was picked up, X-2 below it came into view, and X-3 was laid on it. When X-1 is put back on top, the camera
    thinks that it was there all the time, and that the others have gone. What goes later, or lay elsewhere, has really
    gone."""
    table = TrackedTable().after(seen("X-1", 1), now=1).after(seen("X-2", 2), now=2).with_uncovered("X-2", 2)
    table = table.after(seen("X-3", 5), 0, now=5).after(seen("Y", 6, x=160), 0, now=6)
    assert table.lifted == {"X-1"}
    again = table.as_sighting_if_returned(CardInView(t=9, code="X-1"))
    table = table.after(again, 0, piles={"left"}, now=9)
    for code in ("X-3", "X-2", "Y"):
        table = table.after(CardGone(t=9.2, code=code), now=9.2)
    assert (set(table.visible), table.hidden) == ({"X-1", "X-2", "X-3"}, {"X-2", "X-3"})
    assert set(table.after(CardGone(t=10, code="X-3"), now=10.0).visible) == {"X-1", "X-2"}
