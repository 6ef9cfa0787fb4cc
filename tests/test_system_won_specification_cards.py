"""System WON on a real table: specification cards that people turn over to spend or restore them."""

from __future__ import annotations

import pytest

from tests.system_won_tables import HANDS, NAMES, SystemWonTable, specify


def turn_over(real: SystemWonTable, code: str, other: str, zone: str = "specifications") -> None:
    """Lets the camera see a player turn a component over in place: the other side appears, then the first side is
    gone."""
    real.lay(other, zone)
    real.take(code)


def test_a_spent_specification_is_to_be_turned_over_any_of_them() -> None:
    """After a specification on the phone, any specification card may be turned over, and then there is no
    discrepancy."""
    real = SystemWonTable().deal()
    specify(real)
    assert real.view().tabletop.physical_instructions == (), "nothing is said twice"
    assert real.discrepancies() == ["Turn a specification card in Specifications face down."]
    turn_over(real, "SW-SPEC5", "SW-SPEC5X")
    assert real.discrepancies() == []
    assert real.view().tabletop.physical_instructions == (), "what the camera sees done is not asked for"


def test_a_message_says_which_side_of_a_component_belongs_up() -> None:
    """If a role or specification card lies with the wrong side up, a single message names its place and the side that
    belongs up."""
    real = SystemWonTable(roles="designer,engineer").deal()
    real.lay("SW-ENG", "roles")
    real.lay("SW-DESX", "errors")
    assert real.discrepancies() == ["The Designer card is in Errors: put it in Roles, face up."]
    real.lay("SW-DESX", None, "moved")
    assert real.discrepancies() == ["Put the Designer card in Roles, face up."]
    real.lay("SW-DES", "roles")
    real.take("SW-DESX")
    assert real.discrepancies() == []


def designed() -> SystemWonTable:
    """A table with a Designer and an Engineer, whose cards are in view. Ann has specified Ben's red card, and SPEC2 is
    face down."""
    real = SystemWonTable(roles="designer,engineer").deal()
    real.lay("SW-ENG", "roles")
    real.lay("SW-DES", "roles")
    specify(real)
    assert real.discrepancies() == ["Turn a specification card in Specifications face down."]
    turn_over(real, "SW-SPEC2", "SW-SPEC2X")
    assert real.discrepancies() == []
    return real


@pytest.mark.parametrize("order", ["role first", "specification first"])
def test_the_designer_restores_by_turning_one_up_and_the_role_over(order: str) -> None:
    """Turning up a specification card and turning over the Designer's card, in either order, uses the ability. One of
    the two alone does not, and a nudged card does not count as turned."""
    real = designed()
    version = real.view().version
    real.lay("SW-SPEC3", "specifications", "moved")
    both = [("SW-SPEC2X", "SW-SPEC2", "specifications"), ("SW-DES", "SW-DESX", "roles")]
    first, second = both if order == "specification first" else both[::-1]
    turn_over(real, *first)
    assert real.view().version == version
    turn_over(real, *second)
    assert real.view().version == version + 1
    assert real.state["roles_used"] == ["designer"]
    assert real.state["specifications"] == 8


def test_the_designer_s_card_alone_restores_nothing() -> None:
    """If more specification cards are face up than recorded, because nobody has turned one down yet, turning over only
    the Designer's card uses no ability."""
    real = designed()
    real.move(1, move="specify", target=0, rank=3)
    turn_over(real, "SW-DES", "SW-DESX", "roles")
    assert (real.state["roles_used"], real.state["specifications"]) == ([], 6)
    turn_over(real, "SW-SPEC5", "SW-SPEC5X")
    assert (real.state["roles_used"], real.state["specifications"]) == ([], 6)


def test_a_specification_turned_up_for_a_discard_that_has_not_counted_restores_nothing() -> None:
    """A discard is not recorded until somebody clarifies it on the phone, because the Designer's card was turned over
    for another ability. So turning up a specification card for the discard restores nothing yet."""
    real = designed()
    turn_over(real, "SW-DES", "SW-DESX", "roles")
    real.lay("SW-Y1A", "discard")
    turn_over(real, "SW-SPEC2X", "SW-SPEC2")
    assert (real.state["roles_used"], real.state["specifications"], real.state["discard"]) == ([], 7, [])


@pytest.mark.parametrize("order", ["flip first", "discard first"])
def test_a_specification_turned_up_with_a_discard_uses_no_role(order: str) -> None:
    """ "This action flips a SPECIFICATION card right side up": a player may turn it up before the discard. Until the
    card is discarded, phones say what the turned card may mean."""
    real = designed()

    def flip() -> None:
        turn_over(real, "SW-SPEC2X", "SW-SPEC2")

    def lay() -> None:
        real.lay("SW-Y1A", "discard")

    for act in (flip, lay) if order == "flip first" else (lay, flip):
        act()
        if order == "flip first" and act is flip:
            assert real.begun() == (
                "Now discard the card or turn over the Designer, or turn the specification card face down again."
            )
            assert real.discrepancies() == []
    assert real.state["discard"] == ["Y1"]
    assert real.state["roles_used"] == []
    assert real.state["specifications"] == 8
    assert not [says for says in real.discrepancies() if "Turn " in says]


def test_a_specification_turned_down_before_the_phone_is_used_is_explained() -> None:
    """If a specification card is turned down first, phones ask for the specification. After it is entered, there is no
    discrepancy."""
    real = SystemWonTable().deal()
    turn_over(real, "SW-SPEC5", "SW-SPEC5X")
    assert real.discrepancies() == []
    assert real.begun() == "Ann: enter the hint on your phone, or turn the card face up again."
    specify(real)
    assert real.discrepancies() == []


def test_a_card_turned_down_for_the_last_hint_is_not_part_of_the_next_one() -> None:
    """If a second specification card is turned down, only this card belongs to the hint that was begun. The first one
    was turned down for the last hint; turning up both would leave one too many face up."""
    real = SystemWonTable().deal()
    specify(real)
    turn_over(real, "SW-SPEC7", "SW-SPEC7X")
    assert real.discrepancies() == []
    turn_over(real, "SW-SPEC2", "SW-SPEC2X")
    begun = real.view().tabletop.begun_move
    assert begun is not None
    assert begun.codes == frozenset({"SW-SPEC2X"})


def test_a_card_laid_after_a_role_was_turned_over_is_not_recorded() -> None:
    """If the Engineer's card was turned over, a card that either Ben or Ann may have put down is not recorded as Ann's
    play."""
    real = designed()
    version = real.view().version
    turn_over(real, "SW-ENG", "SW-ENGX", "roles")
    named = NAMES[real.state["roles"].index("engineer")]
    assert real.begun() == f"{named}: enter the ability on your phone, or turn the Engineer face up again."
    assert real.discrepancies() == []
    real.lay("SW-Y1A", "play")
    assert real.view().version == version
    engineer = real.state["roles"].index("engineer")
    other = 1 - engineer
    slot = real.state["hands"][other].index(HANDS[5 * other])
    real.move(engineer, move="ability", use="play_other", target=other, slot=slot)
    assert real.state["roles_used"] == ["engineer"]


@pytest.mark.parametrize(("face", "zone"), [("R1", "system-red"), ("R1", "play"), ("Y3", "errors")])
def test_the_technician_plays_a_card_of_a_pile_before_the_phone_is_used(face: str, zone: str) -> None:
    """If the Technician's card was turned over, a discard that is moved to where it is played belongs to the
    ability."""
    real = SystemWonTable(roles="technician,engineer").deal()
    for role in ("SW-TEC", "SW-ENG"):
        real.lay(role, "roles")
    for card, drawn in ((f"SW-{face}A", "SW-G2A"), ("SW-B1A", "SW-G2B")):
        real.lay(card, "discard")
        real.show(drawn)
    seat = real.state["roles"].index("technician")
    if real.view().turn != seat:
        real.move(1 - seat, move="specify", target=seat, color="green")
        turn_over(real, "SW-SPEC1", "SW-SPEC1X")
    assert real.discrepancies() == []
    turn_over(real, "SW-TEC", "SW-TECX", "roles")
    real.lay(f"SW-{face}A", zone, "moved")
    assert real.discrepancies() == []
    assert real.begun() == f"{NAMES[seat]}: enter the ability on your phone, or turn the Technician face up again."
    real.move(seat, move="ability", use="play_from_discard", card=face)
    assert real.state["roles_used"] == ["technician"]


def test_a_card_that_is_carried_to_its_pile_begins_no_move() -> None:
    """Carrying a played card to its system does not begin a move: if Ann does so on Ben's turn and Ben then turns up a
    specification card, phones ask for his discard, and there is no discrepancy."""
    real = designed()
    real.lay("SW-Y1A", "play")
    real.show("SW-G3A")
    real.lay("SW-Y1A", "system-yellow", "moved")
    turn_over(real, "SW-SPEC2X", "SW-SPEC2")
    assert "Now discard the card" in (real.begun() or "")
    assert real.discrepancies() == []
