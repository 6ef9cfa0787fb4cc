"""The outlines of components, and cards whose codes are hidden under other components."""

from __future__ import annotations

import pytest

from companion.games import GAMES
from companion.tabletop.beliefs import is_out_of_view
from companion.tabletop.component_outline import CODE_SAMPLES, Outline, PlacedOutline
from companion.tabletop.components import Component, ComponentSet
from companion.tabletop.discrepancies import discrepancies
from companion.tabletop.expected_layout import Layout, Orientation
from companion.tabletop.mat import Mat, Point, Zone, corners, rectangle
from companion.tabletop.observations import CardGone, CardHidden, CardInView, CardSeen, Observation
from companion.tabletop.tracked_table import TrackedTable
from tests.evenings.printed_components import printed_components

CARD = Outline((63.0, 88.0), (0.0, 19.5))
SIZE = (600.0, 400.0)
MAT = Mat(
    SIZE,
    corners("MAT-X", SIZE),
    (
        Zone("row", "Row", rectangle(0, 0, 600, 200), "right"),
        Zone("place", "Place", rectangle(0, 200, 600, 200), "any"),
    ),
)
COMPONENTS = ComponentSet(
    components=tuple(Component(f"X-{n}", f"card {n}", f"Card {n}", outline=CARD) for n in (1, 2, 3)), mat=MAT
)


def card(code: str, t: float, mm: Point, angle: float = 0.0) -> CardSeen:
    return CardSeen(t=t, code=code, zone=MAT.zone_at(mm), mm=mm, angle=angle, change="appeared")


def tracked(*sightings: CardSeen) -> TrackedTable:
    table = TrackedTable(mat="MAT-X")
    for sighting in sightings:
        table = table.after(sighting)
    return table


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_the_outlines_are_those_of_the_prints(game: str) -> None:
    """The outline of each component agrees with its print: the size of the component and the place of the code. A code
    on the back may be in a slightly different place."""
    outlines = GAMES[game].physical.components.outlines
    if not outlines:
        pytest.skip(f"{game} has no outlines yet: Component.outline")
    components = printed_components(GAMES[game])
    for component in components.values():
        for code, tolerance_mm in ((component.front, 0.1), (component.back, 2.5)):
            if code is None:
                continue
            outline = outlines[code.id]
            assert outline.size == pytest.approx((component.width, component.height))
            assert outline.code_center == pytest.approx((code.dx, code.dy), abs=tolerance_mm)
            assert outline.code_mm == pytest.approx(code.side, abs=0.1)


@pytest.mark.parametrize(
    ("mm", "angle", "is_hidden"),
    [
        ((100, 150), 0, True),
        ((100, 250), 0, False),
        ((100, 250), 180, True),
        ((150, 200), 0, False),
        ((150, 200), 90, True),
        ((138, 200), 0, True),  # a quarter of it
        ((143, 200), 0, False),  # 1 mm of it
    ],
)
def test_a_code_under_the_body_of_a_later_card_is_hidden(mm: Point, angle: float, is_hidden: bool) -> None:
    """Whether a code is hidden depends on the size, the place and the angle of the later card, not on the distance
    between the codes. At angle 0, the card extends 64 mm above the center of its code, 24 mm below and 31 mm beside
    it."""
    table = tracked(card("X-1", 1, mm), card("X-2", 2, (100, 200), angle))
    assert is_out_of_view("X-1", table, COMPONENTS) is is_hidden
    assert not is_out_of_view("X-2", table, COMPONENTS)


@pytest.mark.parametrize(("points", "covered_mm", "is_hidden"), [(8, (10.5, 5.0), False), (9, (7.5, 7.5), True)])
def test_a_code_is_hidden_if_more_than_a_tenth_of_it_is_covered(
    points: int, covered_mm: tuple[float, float], is_hidden: bool
) -> None:
    """A code counts as hidden if more than a tenth of it is covered. It is checked at 81 points, of which the upper
    card here covers 8 (9.9 %) or 9 (11.1 %)."""
    upper = Outline((20.0, 20.0))
    center = tuple(100.0 + 12.5 + 10.0 - covered for covered in covered_mm)
    placed = PlacedOutline(upper, (center[0], center[1]), 0.0)
    code = [(100.0 + 25.0 * across, 100.0 + 25.0 * down) for across, down in CODE_SAMPLES]
    assert sum(map(placed.holds, code)) == points
    assert PlacedOutline(CARD, (100.0, 100.0), 0.0).is_hidden_by([placed]) is is_hidden


def test_several_cards_may_hide_a_code_together() -> None:
    """Two cards that each cover less than a tenth of a code may hide it together."""
    small = Outline((20.0, 20.0), code_mm=5.0)
    lower = PlacedOutline(CARD, (100.0, 100.0), 0.0)
    upper = [PlacedOutline(small, (100.0 + side * 15.0, 100.0 + side * 18.0), 0.0) for side in (-1, 1)]
    assert not any(lower.is_hidden_by([each]) for each in upper)
    assert lower.is_hidden_by(upper)


def test_nothing_is_said_about_a_hidden_card() -> None:
    """Nothing is reported about a hidden card: nobody can see whether it is still there, or what its place in the row
    is. Only a card whose direction matters must be put in full view."""
    layout = Layout({"row": ("X-2", "X-1")}, orientations={"place": Orientation(90.0, "row")})
    covers = card("X-3", 3, (100, 170))
    seen = (card("X-1", 1, (100, 120)), card("X-2", 2, (300, 120)))
    assert {each.code for each in discrepancies(layout, tracked(*seen), COMPONENTS, ())} == {"X-2"}
    assert {each.code for each in discrepancies(layout, tracked(*seen, covers), COMPONENTS, ())} == {"X-3"}
    turned = Layout({"place": ("X-1",), "row": ("X-3",)}, orientations={"place": Orientation(90.0, "row")})
    below = card("X-1", 1, (100, 220))
    upper = card("X-3", 3, (100, 170), 180)
    assert [each.fix.act for each in discrepancies(turned, tracked(below), COMPONENTS, ())][-1] == "rotate"
    found = discrepancies(turned, tracked(below, upper), COMPONENTS, ())
    assert [(each.code, each.fix.act, each.fix.place) for each in found] == [("X-1", "put", "place")]


def test_a_misplaced_card_is_not_reported_once_it_is_hidden() -> None:
    """A misplaced card is reported only until the body of a later card hides its code."""
    layout, stray = Layout({"row": ("X-3",)}), card("X-1", 1, (100, 120))
    assert [each.code for each in discrepancies(layout, tracked(stray), COMPONENTS, ())] == ["X-1", "X-3"]
    assert discrepancies(layout, tracked(stray, card("X-3", 3, (100, 170))), COMPONENTS, ()) == ()


def test_a_code_that_is_read_after_a_card_came_to_rest_is_not_hidden() -> None:
    """Until its code is read, nobody can say whether a card is below or above a neighbor that came later. Once the code
    is read, the card counts as visible, and is reported if it is in a wrong place."""
    table = tracked(card("X-1", 1, (100, 350)), card("X-2", 2, (130, 390)))
    assert is_out_of_view("X-1", table, COMPONENTS)
    layout = Layout({"place": ("X-2",)})
    assert discrepancies(layout, table, COMPONENTS, ()) == ()
    table = table.after(CardInView(t=3, code="X-1"))
    assert [each.code for each in discrepancies(layout, table, COMPONENTS, ())] == ["X-1"]
    assert is_out_of_view("X-1", table.after(card("X-3", 4, (130, 390))), COMPONENTS)


def hidden_card(layout: Layout, *after: Observation) -> list[str]:
    """What people are told about X-1, which was reported as hidden in the row. `after`: what the camera reports
    later."""
    table = tracked(card("X-1", 1, (100, 120))).after(CardHidden(t=5, code="X-1"), now=5)
    for observation in after:
        table = table.after(observation)
    return [str(each.message) for each in discrepancies(layout, table, COMPONENTS, ()) if each.code == "X-1"]


def test_a_hidden_card_is_to_be_put_in_full_view() -> None:
    """People are asked for a card that something unknown hides, where it belongs, until it is in view again or is seen
    to have left."""
    layout, hidden = Layout({"row": ("X-1",)}), CardHidden(t=5, code="X-1")
    (found,) = discrepancies(layout, tracked(card("X-1", 1, (100, 120))).after(hidden, now=5), COMPONENTS, ())
    assert (found.code, found.fix.act, found.fix.place, found.since) == ("X-1", "put", "row", 5)
    assert (found.zone, found.at) == ("row", (100, 120))
    asked = ["Can’t see card 1 in Row: put it in full view."]
    assert hidden_card(layout) == asked
    assert hidden_card(layout, CardHidden(t=6, code="X-2")) == asked
    assert hidden_card(layout, CardInView(t=6, code="X-1")) == []
    assert hidden_card(layout, card("X-1", 6, (130, 120))) == []
    assert hidden_card(layout, CardGone(t=6, code="X-1")) == ["Put card 1 in Row."]
    assert hidden_card(layout, CardGone(t=6, code="X-1"), card("X-1", 7, (100, 120))) == []


def test_nobody_is_asked_for_a_hidden_card_if_something_explains_why() -> None:
    """Another card may lie on top of the hidden one or just touch its code. A card that belongs elsewhere is asked for
    there. If it belongs nowhere, nothing is said: nobody knows whether it is still there."""
    row = Layout({"row": ("X-1", "X-2")})
    assert hidden_card(row, card("X-2", 2, (100, 170))) == []
    assert hidden_card(row, card("X-2", 2, (144, 120))) == []
    assert hidden_card(row, card("X-2", 2, (152, 120))) != []
    assert hidden_card(Layout({"place": ("X-1",)})) == ["Put card 1 in Place."]
    assert hidden_card(Layout({"row": ("X-2",)})) == []
    directed = Layout({"row": ("X-1",)}, orientations={"row": Orientation(0.0, "place")})
    assert hidden_card(directed) == ["Card 1 in Row is covered: put it in full view, pointing to Place."]


def test_tokens_may_have_hidden_a_code_before_the_camera_started() -> None:
    """A card on which tokens belong may lie there unseen since a power cut. Once its code was read, it is known to have
    gone."""
    bare, with_tokens = Layout({"row": ("X-1",)}), Layout({"row": ("X-1",)}, tokens={"X-1": {"red": 1}})
    never_read = tracked()
    gone = tracked(card("X-1", 1, (100, 120))).after(CardGone(t=2, code="X-1"))
    said = [
        [str(each.message) for each in discrepancies(layout, table, COMPONENTS, ())]
        for layout, table in ((bare, never_read), (with_tokens, never_read), (with_tokens, gone))
    ]
    assert said == [
        ["Put card 1 in Row."],
        ["Can’t see card 1 in Row: put it in full view."],
        ["Put card 1 in Row."],
    ]


def test_a_component_of_another_game_is_named_by_its_code() -> None:
    """What has no name in this game is called by what its code says."""
    (found,) = discrepancies(Layout({}), tracked(card("Y-1", 1, (100, 120))), COMPONENTS, ())
    assert str(found.message) == "Something that isn’t part of this game (Y-1) is in Row: put it in the box."


def test_the_order_of_a_row_leaves_out_hidden_cards() -> None:
    """Nobody is asked to sort a row because of where a hidden card was."""
    layout = Layout({"row": ("X-2", "X-1")})
    table = tracked(card("X-1", 1, (100, 120)), card("X-2", 2, (300, 120)))
    assert [each.fix.act for each in discrepancies(layout, table, COMPONENTS, ())] == ["sort"]
    table = table.after(CardHidden(t=5, code="X-1"))
    assert [each.fix.act for each in discrepancies(layout, table, COMPONENTS, ())] == ["put"]
