"""The direction in which components point: what a layout says about it, and what people are told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.tabletop.component_outline import Outline
from companion.tabletop.components import Component, ComponentSet
from companion.tabletop.discrepancies import discrepancies
from companion.tabletop.expected_layout import Layout, Orientation
from companion.tabletop.mat import Corner, Mat, Zone, rectangle
from companion.tabletop.observations import CardHidden, CardInView, CardSeen
from companion.tabletop.physical_instructions import physical_instructions
from companion.tabletop.tracked_table import TrackedTable
from tests.rendered_texts import english

CORNERS = tuple(Corner(f"MAT-X-{n}", (0, 0), 25) for n in range(1, 5))
MAT = Mat(
    (200, 100),
    (CORNERS[0], CORNERS[1], CORNERS[2], CORNERS[3]),
    (
        Zone("left", "the left field", rectangle(0, 0, 100, 100), "pile"),
        Zone("right", "the right field", rectangle(100, 0, 100, 100), "pile"),
    ),
)
ARROW = Component("X-ARROW", "the arrow", "Arrow", "in the box")
EQUIPMENT = ComponentSet(components=(ARROW,), mat=MAT)
TO_RIGHT = Layout({"left": ("X-ARROW",)}, orientations={"left": Orientation(90, "right")})
TO_LEFT = Layout({"left": ("X-ARROW",)}, orientations={"left": Orientation(-90, "left")})
NO_MATTER = Layout({"left": ("X-ARROW",)})


def seen(angle: float, x: float = 50) -> CardSeen:
    mm = (x, 50.0)
    return CardSeen(t=0, code="X-ARROW", zone=MAT.zone_at(mm), mm=mm, angle=angle, change="appeared")


def messages(layout: Layout, sighting: CardSeen) -> list[str]:
    return [
        str(each.message) for each in discrepancies(layout, TrackedTable(mat="MAT-X").after(sighting), EQUIPMENT, ())
    ]


@pytest.mark.parametrize("angle", [90, 61, 119, 450, -270])
def test_a_little_askew_is_right(angle: float) -> None:
    """A component that points slightly off its direction is accepted, and whole turns make no difference."""
    assert messages(TO_RIGHT, seen(angle)) == []


@pytest.mark.parametrize("angle", [0, 55, 125, 180, -90])
def test_a_component_that_points_the_wrong_way_must_be_turned(angle: float) -> None:
    """A component that points the wrong way is reported with the right direction. If the direction does not matter,
    nothing is reported."""
    assert messages(TO_RIGHT, seen(angle)) == ["Turn the arrow in the left field so that it points to the right field."]
    assert messages(NO_MATTER, seen(angle)) == []


def test_a_misplaced_component_is_only_to_be_moved() -> None:
    """A component in the wrong place is first moved; its direction is not mentioned yet."""
    assert messages(TO_RIGHT, seen(0, x=150)) == [
        "The arrow is in the right field: put it in the left field, pointing to the right field."
    ]


@pytest.mark.parametrize(("belongs", "x"), [("right", 103), ("left", 97)])
def test_a_component_that_its_neighbor_covers_is_to_be_put_in_full_view(belongs: str, x: float) -> None:
    """If a component is covered by a neighbor that is in its right place, people are told to put the component in full
    view, because otherwise the camera could not see it turn. If the neighbor is in a wrong place, it is enough to move
    the neighbor."""
    outline = Outline((40.0, 40.0))
    arrows = [replace(ARROW, outline=outline), Component("X-OTHER", "the other", "Other", outline=outline)]
    layout = replace(TO_RIGHT, cards={"left": ("X-ARROW",), "right": ("X-OTHER",)})
    table = TrackedTable(mat="MAT-X").after(seen(90, x=90))
    covering = CardSeen(t=1, code="X-OTHER", zone=belongs, mm=(x, 50.0), angle=0, change="appeared")
    found = discrepancies(layout, table.after(covering), ComponentSet(components=tuple(arrows), mat=MAT), ())
    assert [str(each.message) for each in found] == (
        ["The arrow in the left field is covered: put it in full view, pointing to the right field."]
        if belongs == "right"
        else ["The other is in the left field: put it in the right field."]
    )
    shown = table.after(covering).after(CardInView(t=2, code="X-ARROW"))
    still = discrepancies(layout, shown, ComponentSet(components=tuple(arrows), mat=MAT), ())
    assert not [each for each in still if "covered" in str(each.message)]


def test_people_are_asked_once_about_a_component_that_lies_on_an_equal_one() -> None:
    """If a component covers an equal one, people are asked whether two are there. If it also points where the lower one
    should, they are not told to put that one in full view as well, because it may have gone."""
    arrows = tuple(replace(ARROW, id=code, kind="X-ARROW") for code in ("X-ARROW", "X-ARROWB"))
    components = ComponentSet(components=arrows, mat=MAT)
    table = TrackedTable(mat="MAT-X").after(seen(90))
    for angle, is_asked_once in ((90, True), (0, False)):
        upper = replace(seen(angle), t=1, code="X-ARROWB")
        covered = table.after(upper).after(CardHidden(t=4, code="X-ARROW"))
        found = [str(each.message) for each in discrepancies(TO_RIGHT, covered, components, ())]
        assert "one too many" in found[0]
        assert (len(found) == 1) == is_asked_once


def test_instructions_say_how_to_place_and_to_turn() -> None:
    """Instructions mention components that must be placed, turned or removed, and no others."""
    words, nothing = EQUIPMENT.vocabulary(()), Layout({})
    assert english(physical_instructions(nothing, TO_RIGHT, words)) == (
        "Put the arrow in the left field, pointing to the right field.",
    )
    assert english(physical_instructions(nothing, NO_MATTER, words)) == ("Put the arrow in the left field.",)
    assert english(physical_instructions(TO_RIGHT, TO_LEFT, words)) == (
        "Turn the arrow in the left field so that it points to the left field.",
    )
    assert english(physical_instructions(TO_RIGHT, nothing, words)) == ("Put the arrow back in the box.",)
    assert english(physical_instructions(TO_RIGHT, TO_RIGHT, words)) == ()


def test_the_tracked_table_takes_the_zones_of_the_board_in_play() -> None:
    """The tracked table uses the zones of the mat in view. A component whose position on the mat is unknown keeps its
    reported zone."""
    swapped = Mat(MAT.size, MAT.corners, (Zone("up", "the upper field", rectangle(0, 0, 200, 60)),))
    tracked = TrackedTable(mat="MAT-X").after(seen(0))
    assert tracked.on_board(swapped).visible["X-ARROW"].zone == "up"
    assert TrackedTable(mat="MAT-Y", visible=tracked.visible).on_board(swapped).visible["X-ARROW"].zone == "left"
    nowhere = CardSeen(t=0, code="X-ARROW", zone=None, mm=None, angle=0, change="appeared")
    assert nowhere.located_on(swapped) == nowhere
    assert tracked.after(nowhere).on_board(swapped).visible["X-ARROW"] == nowhere
    assert tracked.on_board(None).visible["X-ARROW"] == seen(0)
