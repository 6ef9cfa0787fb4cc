"""Copies of a card, and components with codes on both sides: what a layout that lists kinds requires, and what people
are told."""

from __future__ import annotations

from dataclasses import replace

from companion.tabletop.components import BACK, Component, ComponentSet
from companion.tabletop.copy_assignment import KnownCopies, assign_copies
from companion.tabletop.discrepancies import discrepancies
from companion.tabletop.expected_layout import Layout
from companion.tabletop.mat import Corner, Mat, Zone, rectangle
from companion.tabletop.observations import CardHidden, CardInView, CardSeen
from companion.tabletop.physical_instructions import physical_instructions
from companion.tabletop.tracked_table import TrackedTable
from tests.rendered_texts import english

CORNERS = tuple(Corner(f"MAT-X-{n}", (0, 0), 25) for n in range(1, 5))
MAT = Mat(
    (400, 100),
    (CORNERS[0], CORNERS[1], CORNERS[2], CORNERS[3]),
    (
        Zone("red", "the red pile", rectangle(0, 0, 100, 100), "pile"),
        Zone("blue", "the blue pile", rectangle(100, 0, 100, 100), "pile"),
        Zone("tokens", "the tokens", rectangle(200, 0, 200, 100), "any"),
    ),
)
COPIES = tuple(Component(f"X-R{copy}", "R", "Red", "on the deck", "deck", kind="X-R") for copy in "ABC")
BLACK = Component("X-B", "B", "Black", "on the deck", "deck")
TOKENS = tuple(Component(f"X-T{n}", "a token", "Token", kind="X-T", reverse=f"X-U{n}") for n in (1, 2))
EQUIPMENT = ComponentSet(components=(*COPIES, BLACK, *TOKENS), mat=MAT)


def tracked_table(**lying: float) -> TrackedTable:
    """A tracked table with codes at these x positions, all 50 mm down the mat. `XRA` stands for X-RA."""
    found = TrackedTable(mat="MAT-X")
    for t, (name, x) in enumerate(lying.items()):
        code = f"X-{name[1:]}"
        mm = (x, 50.0)
        found = found.after(CardSeen(t=t, code=code, zone=MAT.zone_at(mm), mm=mm, angle=0, change="appeared"))
    return found


def messages(layout: Layout, **lying: float) -> list[str]:
    return [str(item.message) for item in discrepancies(layout, tracked_table(**lying), EQUIPMENT, ())]


def test_any_copy_will_do() -> None:
    """If the layout requires a red card, any copy of the card is right."""
    layout = Layout({"red": ("X-R",)})
    assert messages(layout, XRB=50) == []
    assert assign_copies(layout, EQUIPMENT, {"X-RB": "red"}).cards["red"] == ("X-RB",)


def test_a_hand_keeps_the_copy_that_is_known_to_be_there() -> None:
    """If one of two copies outside the deck was moved back to it, the instructions leave the other copy in the hand
    that has it."""
    layout, where = Layout({"hand-1": ("X-R",)}), dict.fromkeys(("X-RA", "X-RB"))
    for held in where:
        assert assign_copies(layout, EQUIPMENT, where, KnownCopies({held})).cards["hand-1"] == (held,)


def test_a_surplus_copy_is_reported_once() -> None:
    """If two copies are where one belongs, there is one discrepancy: one of them must be put back."""
    assert messages(Layout({"red": ("X-R",)}), XRA=40, XRC=60) == [
        "There seems to be one too many in the red pile: lift R, and if another one lies below, put one on the deck."
    ]


def test_a_misplaced_copy_goes_where_one_is_missing() -> None:
    """If each of two piles should have one copy but both copies are on one pile, one of them must be moved, and no
    third copy is asked for."""
    said = messages(Layout({"red": ("X-R",), "blue": ("X-R",)}), XRA=40, XRB=60)
    assert said == ["R is in the red pile: put it in the blue pile."]


def test_the_copy_that_stayed_in_a_pile_is_the_lower_one() -> None:
    """Two equal cards belong on a pile with another card between them. If the upper one has slid off, it goes back on
    top."""
    other = Component("X-B", "B", "Blue", "on the deck")
    game, layout = replace(EQUIPMENT, components=(*COPIES, other)), Layout({"red": ("X-R", "X-B", "X-R")})
    table = tracked_table(XRA=40, XB=45, XRB=340)
    assert assign_copies(layout, game, table.zones_by_code).cards["red"] == ("X-RB", "X-B", "X-RA")
    said = [str(item.message) for item in discrepancies(layout, table, game, ())]
    assert said == ["R is in the tokens: put it on top of the red pile."]


def test_the_copy_that_is_seen_on_a_pile_is_the_upper_one() -> None:
    """If two copies belong on a pile and the camera sees one of them, this is the upper one, even if the camera has
    never seen the lower one."""
    other = Component("X-B", "B", "Blue", "on the deck")
    game, layout = replace(EQUIPMENT, components=(*COPIES, other)), Layout({"red": ("X-R", "X-B", "X-R")})
    assert discrepancies(layout, tracked_table(XRA=40), game, ()) == ()
    assert discrepancies(layout, tracked_table(XB=45, XRA=40), game, ()) == ()


def test_a_copy_that_is_still_seen_lies_above_a_hidden_card() -> None:
    """Somebody has drawn the lower red card out from under a pile and laid it on top, where a red card was missing. The
    camera reads its code where it was, and no longer that of the card that covered it. No other red card is asked
    for."""
    other = Component("X-B", "B", "Blue", "on the deck")
    game, layout = replace(EQUIPMENT, components=(*COPIES, other)), Layout({"red": ("X-R", "X-B", "X-R")})
    table = tracked_table(XRA=40, XB=45)
    said = [str(item.message) for item in discrepancies(layout, table, game, ())]
    assert said == ["Put R on top of the red pile."]
    for seen in (CardHidden(t=2, code="X-B"), CardInView(t=2, code="X-RA")):
        table = table.after(seen)
    assert discrepancies(layout, table, game, ()) == ()


def test_a_hidden_card_is_not_on_top_of_its_pile() -> None:
    """A red card belongs on top of a pile, but the card that belongs below it is in view. The red card may have been
    drawn out from under the pile, where the camera could not see it. It is asked for."""
    other = Component("X-B", "B", "Blue", "on the deck")
    game = replace(EQUIPMENT, components=(*COPIES, other))
    table = tracked_table(XRA=40, XB=45).after(CardHidden(t=5, code="X-RA"))
    said = [str(item.message) for item in discrepancies(Layout({"red": ("X-R", "X-B")}), table, game, ())]
    assert said == ["Put R on top of the red pile."]
    assert discrepancies(Layout({"red": ("X-B", "X-R")}), table, game, ()) == ()


def test_a_copy_that_a_pile_should_hide_is_assumed_to_be_there() -> None:
    """If the lower card of a pile was never seen, an equal copy elsewhere is another one, and is not to be put below
    the pile. It is if the lower card was seen there and has left."""
    other = Component("X-B", "B", "Blue", "on the deck")
    game, layout = replace(EQUIPMENT, components=(*COPIES, other)), Layout({"red": ("X-B", "X-R")})
    table = tracked_table(XB=40, XRC=150)

    def said(*confirmed: str) -> list[str]:
        found = discrepancies(layout, table, game, (), KnownCopies(confirmed=confirmed))
        return [str(item.message) for item in found]

    assert said("X-B") == ["R is in the blue pile: put it on the deck."]
    assert said("X-B", "X-RA") == ["R is in the blue pile: put it in the red pile, under B."]


def test_a_component_with_the_wrong_side_up_must_be_turned_over() -> None:
    """If one of two equal components should be face up and the other face down, but both are face up, the only
    instruction is to turn one of them over. It says which side must be up."""
    layout = Layout({"tokens": ("X-T", "X-T" + BACK)})
    assert messages(layout, XT1=250, XU2=350) == []
    assert messages(layout, XU1=250, XT2=350) == []
    assert messages(layout, XT1=250, XT2=350) == ["Turn a token in the tokens face down."]
    assert messages(layout, XU1=250, XU2=350) == ["Turn a token in the tokens face up."]


def test_a_component_with_neither_side_in_view_is_missing() -> None:
    """The second token is reported as missing when neither of its sides is in view."""
    assert messages(Layout({"tokens": ("X-T", "X-T")}), XU1=250) == [
        "Turn a token in the tokens face up.",
        "Put a token in the tokens.",
    ]


def test_a_layout_may_require_more_copies_than_there_are() -> None:
    """A layout may require a fourth card of a kind that has only three copies. The result still names the kind."""
    found = assign_copies(Layout({"red": ("X-R",) * 4}), EQUIPMENT, {})
    assert set(found.cards["red"]) == {"X-RA", "X-RB", "X-RC", "X-R"}


def test_instructions_count_copies_and_say_what_to_turn_over() -> None:
    """Physical instructions count copies, and turning over is not described as moving."""
    words = EQUIPMENT.vocabulary(())
    before = Layout({"red": ("X-R",), "tokens": ("X-T", "X-T")})
    after = Layout({"red": ("X-R",), "blue": ("X-R",), "tokens": ("X-T", "X-T" + BACK)})
    assert english(physical_instructions(before, after, words)) == (
        "Turn a token in the tokens face down.",
        "Put R in the blue pile.",
    )
    assert english(physical_instructions(after, before, words)) == (
        "Turn a token in the tokens face up.",
        "Put R back on the deck.",
    )


def test_several_missing_copies_are_one_discrepancy() -> None:
    """If three copies of a card are missing, this is a single discrepancy."""
    assert messages(Layout({"tokens": ("X-T", "X-T")})) == ["Put a token in the tokens (2 of them)."]


def test_a_card_that_is_shown_to_the_camera_stands_for_no_other() -> None:
    """While a red card is missing from the red pile, another card is shown only to the camera. What people are told is
    the same whether that card is red or not."""
    zones = (*MAT.zones[:2], replace(MAT.zones[2], secret=True))
    equipment = replace(EQUIPMENT, mat=replace(MAT, zones=zones))
    layout, said = Layout({"red": ("X-R",)}), []
    for table in (tracked_table(XRA=250), tracked_table(XB=250)):
        said.append([str(item.message) for item in discrepancies(layout, table, equipment, ())])
    assert said[0] == said[1] == ["Pick up what is in “the tokens”.", "Put R in the red pile."]
