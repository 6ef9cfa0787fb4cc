"""Equal copies of System WON's cards on a real table: people swap copies, the service restarts, acts take a copy out of
play, and moves are undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.tabletop.observations import CardSeen
from tests.system_won_tables import GAME, HANDS, SystemWonTable

TWO_OF_A_KIND = ("R1", "R2", "R1", "G4", "B5", *HANDS[5:9], "B4")
"""Ann has two copies of red 1, A and B; Ben has the third, C, and yellow 1, green 1, blue 1 and blue 4."""


def test_a_swapped_copy_opens_no_hand_after_a_restart(tmp_path: Path) -> None:
    """Ann has played her red 1 A, and then swapped it for her red 1 B. After a restart, the camera does not see the
    copy on the table, because other cards cover it. If red 1 A is put on the discards, it may have been taken from
    below them. So it is no move until Ann enters it on her phone."""
    real = SystemWonTable(path=tmp_path / "journal").deal(TWO_OF_A_KIND)
    real.lay("SW-R1A", "system-red")
    real.show("SW-G2A")
    real.lay("SW-Y1A", "discard")
    real.take("SW-R1A")
    real.lay("SW-R1B", "system-red")
    real.show("SW-G3A")
    real.restart()
    real.lay("SW-R1A", "discard")
    assert real.state["discard"] == ["Y1"]
    real.move(0, move="discard", slot=real.state["hands"][0].index("R1"))
    assert real.state["discard"] == ["Y1", "R1"]
    assert not any("ed 1" in said for said in real.discrepancies() if "Red system" not in said)


def test_one_of_two_equal_cards_opens_no_hand_after_a_swap_and_a_restart(tmp_path: Path) -> None:
    """Ben has two copies of red 1: B and C. He swaps B for the red 1 A on the table. After a restart, the camera does
    not see the copy on the table. Red 1 A is no move when it is put on the discards."""
    real = SystemWonTable(path=tmp_path / "journal").deal()
    real.move(0, move="specify", target=1, rank=1)
    real.lay("SW-Y1A", "discard")
    real.show("SW-R1C")
    real.lay("SW-R1A", "system-red")
    real.take("SW-R1A")
    real.lay("SW-R1B", "system-red")
    real.show("SW-G2A")
    real.restart()
    real.lay("SW-R1A", "discard")
    assert real.state["discard"] == ["Y1"]


def test_a_swapped_copy_counts_though_its_zone_should_have_one(tmp_path: Path) -> None:
    """Red 1 A counts when Ann discards it after she swapped it for the discarded red 1 B, even though a third copy
    should be in the red system but is out of view."""
    real = SystemWonTable(path=tmp_path / "journal").deal(TWO_OF_A_KIND)
    real.move(0, move="specify", target=1, rank=1)
    real.lay("SW-R1C", "system-red")
    real.show("SW-G2A")
    real.restart()
    real.lay("SW-R1A", "discard")
    real.show("SW-G3A")
    real.take("SW-R1A")
    real.lay("SW-R1B", "discard")
    real.move(1, move="specify", target=0, rank=1)
    assert real.state["discard"] == ["R1"]
    real.lay("SW-R1A", "discard")
    assert real.state["discard"] == ["R1", "R1"]


def test_a_copy_is_dealt_again_though_an_equal_card_stays(tmp_path: Path) -> None:
    """Two copies of red 1 were discarded, and one is out of view. After the Contractor had the visible copy shuffled
    into the deck, it can be dealt again."""
    real = SystemWonTable(roles="contractor,engineer", path=tmp_path / "journal").deal(TWO_OF_A_KIND)
    contractor = real.state["roles"].index("contractor")
    for card, drawn in (("SW-R1B", "SW-G3A"), ("SW-Y1A", "SW-G2A"), ("SW-B5A", "SW-G2B"), ("SW-R1C", "SW-G3B")):
        real.lay(card, "discard")
        real.show(drawn)
    real.restart()
    real.lay("SW-R1C", "discard", found=True)
    if contractor == 1:
        real.move(0, move="specify", target=1, rank=3)
    real.move(contractor, move="ability", use="recycle")
    real.table.submit(None, {"seat": "house", "move": "recycle", "cards": ["R1", "Y1"]})
    real.take("SW-R1C")
    other = 1 - contractor
    real.move(other, move="discard", slot=3)
    real.show("SW-R1C")
    assert real.state["hands"][other][-1] == "R1"


def test_an_undone_discard_is_to_be_taken_back_from_its_equals(tmp_path: Path) -> None:
    """If Ann undoes a discard, she is told to take the card back, although an equal card was discarded earlier: that
    one belongs on the pile, but is out of view."""
    real = SystemWonTable(path=tmp_path / "journal").deal(TWO_OF_A_KIND)
    real.move(0, move="specify", target=1, rank=1)
    real.lay("SW-R1C", "discard")
    real.show("SW-G3A")
    real.restart()
    real.lay("SW-R1A", "discard")
    real.table.undo(None)
    assert [said for said in real.discrepancies() if said.startswith("Red 1 is in Discards: put it face down on")]
    real.table.redo(None)
    assert [said for said in real.discrepancies() if "Red 1" in said] == []


def test_a_role_that_was_shown_face_down_and_put_away_is_dealt() -> None:
    """A role card that was shown face down and put away comes back in the same place with its front up. It counts as
    dealt, not as turned over."""
    real = SystemWonTable()
    real.table.end()
    real.table.start("system-won", 2, {"roles": "all"}, {"cards": "table", "roles": "table"}, ("Ann", "Ben"), "s")
    real.lay("SW-OPEX", "roles")
    real.take("SW-OPEX")
    real.lay("SW-OPE", "roles")
    assert "operations" in real.state["roles"]


@pytest.mark.parametrize(("shift_mm", "is_reported"), [(8.0, False), (9.0, True)])
def test_a_card_that_shifts_out_of_its_zone_stays_there(shift_mm: float, is_reported: bool) -> None:
    """A knock against the camera shifts every card by a few millimeters. A card at the edge of its zone still counts as
    in the zone."""
    real = SystemWonTable().deal()
    real.lay("SW-R1A", "discard")
    mat = GAME.physical.components.mat
    assert mat
    edge = max(x for x, _ in mat.zone("discard").polygon)
    y = mat.zone("discard").polygon[0][1] + 40
    for x in (edge - 0.5, edge - 0.5 + shift_mm):
        zone = mat.zone_at((x, y))
        real.table.observe(CardSeen(t=real.t, code="SW-R1A", zone=zone, mm=(x, y), angle=0, change="moved"))
    assert (real.discrepancies() != []) == is_reported


def test_a_card_is_not_exchanged_for_its_equal_below_a_pile(tmp_path: Path) -> None:
    """Ann plays red 1 on her phone, and red 2 covers it. After a restart, the camera does not know which copy lies
    there. Ann lays her other red 1 too early. She is told to take it back, not to put it below red 2."""
    real = SystemWonTable(path=tmp_path / "journal").deal(TWO_OF_A_KIND)
    real.move(0, move="play", slot=0)
    real.lay("SW-R1A", "system-red")
    real.show("SW-G2A")
    real.lay("SW-Y1A", "discard")
    real.show("SW-G3A")
    real.lay("SW-R2A", "system-red")
    real.show("SW-B4B")
    real.restart()
    real.lay("SW-R2A", "system-red", found=True)
    real.lay("SW-Y1A", "discard", found=True)
    real.lay("SW-R1B", "play")
    (said,) = (each for each in real.discrepancies() if "Red 1" in each)
    assert said.startswith("Red 1 is in Play: put it face down on the deck, or in the hand it came from")


def table_after_recycle() -> tuple[SystemWonTable, int]:
    """A table and the Contractor's seat. Red 1 B, yellow 1 and red 1 A were discarded in this order. The Contractor had
    yellow 1 and a red 1 shuffled into the deck. Nobody has taken the two cards from the pile yet."""
    real = SystemWonTable(roles="contractor,engineer").deal(TWO_OF_A_KIND)
    contractor = real.state["roles"].index("contractor")
    for card, drawn in (("SW-R1B", "SW-G3A"), ("SW-Y1A", "SW-G2A"), ("SW-R1A", "SW-G2B")):
        real.lay(card, "discard")
        real.show(drawn)
    if contractor == 0:
        real.move(1, move="specify", target=0, rank=4)
    real.move(contractor, move="ability", use="recycle")
    real.table.submit(None, {"seat": "house", "move": "recycle", "cards": ["R1", "Y1"]})
    return real, contractor


def test_either_of_two_equal_cards_may_be_taken_from_a_pile() -> None:
    """Two copies of red 1 were discarded, with yellow 1 between them. The Contractor has yellow 1 and a red 1 shuffled
    into the deck. People may take the lower red 1, which the camera can't see. The upper one is then right."""
    real, _ = table_after_recycle()
    assert real.state["discard"] == ["R1"]
    assert [said for said in real.discrepancies() if "Red 1" in said] == []
    real.take("SW-R1A")
    assert [said for said in real.discrepancies() if "red 1" in said.lower()] == []


def test_either_of_two_equal_cards_may_be_taken_after_a_later_move_is_undone() -> None:
    """Red 1 A was discarded on yellow 1 and red 1 B. The Contractor has yellow 1 and a red 1 shuffled into the deck.
    People take the lower red 1, which the camera can't see. Then moves are undone and redone. Red 1 A still belongs on
    the pile, whether the card under it is back or not."""
    real, contractor = table_after_recycle()
    real.move(1 - contractor, move="specify", target=contractor, rank=int(real.state["hands"][contractor][0][1]))
    for step in (real.table.undo, real.table.redo, real.table.undo, real.table.undo, real.table.redo):
        step(None)
        assert [said for said in real.discrepancies() if "red 1" in said.lower()] == []


def test_an_equal_card_that_comes_into_view_is_not_surplus_after_one_was_taken() -> None:
    """Two copies of red 1 were discarded, A on top of B. Somebody has put B on top of A, so the camera thinks that A
    was picked up. The Contractor has a red 1 shuffled into the deck, and people take B. A comes into view where B was.
    It belongs there."""
    real = SystemWonTable(roles="contractor,engineer").deal(TWO_OF_A_KIND)
    contractor = real.state["roles"].index("contractor")
    for card, drawn in (("SW-R1B", "SW-G3A"), ("SW-Y1A", "SW-G2A"), ("SW-R1A", "SW-G2B")):
        real.lay(card, "discard")
        real.show(drawn)
    real.take("SW-R1A")
    if contractor == 0:
        real.move(1, move="specify", target=0, rank=4)
    real.move(contractor, move="ability", use="recycle")
    real.table.submit(None, {"seat": "house", "move": "recycle", "cards": ["R1", "Y1"]})
    real.lay("SW-R1A", "discard")
    assert real.state["discard"] == ["R1"]
    assert [said for said in real.discrepancies() if "red 1" in said.lower()] == []


@pytest.mark.parametrize("is_seen_to_leave", [True, False])
def test_a_drawn_card_may_change_places_with_an_equal_one_on_the_table(is_seen_to_leave: bool) -> None:
    """Ann has played red 1 A, draws red 1 C, and puts it on the red system by mistake. Then she picks up A instead
    of C, which the camera may not notice, because C lies on it. She shows A as the drawn card, so it is dealt to her,
    and C belongs where it lies."""
    real = SystemWonTable().deal()
    real.lay("SW-R1A", "system-red")
    real.lay("SW-R1C", "system-red")
    assert [said for said in real.discrepancies() if "red 1" in said.lower()]
    if is_seen_to_leave:
        real.take("SW-R1A")
    real.lay("SW-R1A", "show", change="appeared" if is_seen_to_leave else "moved")
    assert "R1" in real.state["hands"][0]
    real.take("SW-R1A")
    assert [said for said in real.discrepancies() if "red 1" in said.lower()] == []


def test_a_card_that_was_uncovered_after_a_restart_is_not_surplus(tmp_path: Path) -> None:
    """Red 1 C was discarded, and yellow 1 on top of it. After a restart, the camera has read only yellow 1. Somebody
    picks it up, which the camera does not notice, and red 1 C comes into view. Only yellow 1 is asked for, and at
    once."""
    real = SystemWonTable(path=tmp_path / "journal").deal(TWO_OF_A_KIND)
    real.move(0, move="specify", target=1, rank=4)
    real.lay("SW-R1C", "discard")
    real.show("SW-G3A")
    real.move(0, move="specify", target=1, rank=4)
    real.lay("SW-Y1A", "discard")
    real.show("SW-G2A")
    real.restart()
    real.lay("SW-Y1A", "discard", found=True)
    real.lay("SW-R1C", "discard")
    assert real.state["discard"] == ["R1", "Y1"]
    said = [each for each in real.discrepancies() if "specification" not in each]
    assert said == ["Put yellow 1 on top of Discards."]


def test_a_card_may_be_swapped_slowly() -> None:
    """Ann takes red 1 A from the red system, and puts her red 1 B there some time later. It counts as a replacement,
    and not as a move."""
    real = SystemWonTable().deal(TWO_OF_A_KIND)
    real.lay("SW-R1A", "system-red")
    real.show("SW-G2A")
    real.move(1, move="specify", target=0, rank=1)
    version = real.view().version
    real.take("SW-R1A")
    real.lay("SW-R1B", "system-red")
    assert real.view().version == version
    assert [said for said in real.discrepancies() if "red 1" in said.lower()] == []


def test_an_undone_play_of_a_card_that_replaces_an_equal_one_leaves_it_there() -> None:
    """Ann takes red 1 A from the red system. After a hint on a phone, Ben puts red 1 C there, which counts as a play.
    When it is undone, red 1 C replaces red 1 A, and nothing has to be put there or taken away."""
    real = SystemWonTable().deal(TWO_OF_A_KIND)
    real.lay("SW-R1A", "system-red")
    real.show("SW-G2A")
    real.take("SW-R1A")
    real.move(1, move="specify", target=0, rank=1)
    real.move(0, move="specify", target=1, rank=1)
    real.lay("SW-R1C", "system-red")
    real.table.undo(None)
    assert [said for said in real.discrepancies() if "red 1" in said.lower()] == []


def test_an_equal_card_may_be_put_back_after_an_undone_deal() -> None:
    """Ann gets red 1 A and then red 1 B. The second deal is undone. Whichever of the two she puts back on the deck can
    be dealt to her again, and both can be played."""
    for back, kept in (("SW-R1A", "SW-R1B"), ("SW-R1B", "SW-R1A")):
        real = SystemWonTable()
        for code in ("SW-R1A", "SW-R2A", "SW-R1B"):
            real.show(code)
        real.table.undo(None)
        real.show(back)
        assert real.state["hands"][0] == ["R1", "R2", "R1"]
        for code in ("SW-G4A", "SW-B5A", "SW-B1A", "SW-Y1A", "SW-G1A", "SW-R1C", "SW-B2A"):
            real.show(code)
        real.lay(back, "system-red")
        real.show("SW-Y5A")
        assert real.state["hands"][0].count("R1") == 1
        real.move(1, move="specify", target=0, rank=1)
        real.lay(kept, "discard")
        assert "R1" not in real.state["hands"][0]


def test_an_equal_card_on_a_pile_may_have_replaced_the_one_that_belongs_there() -> None:
    """While the played card is out of view, the message does not claim that there are two. Once the camera knows that
    it has gone, the other one is right in its place."""
    real = SystemWonTable().deal()
    real.lay("SW-R1A", "system-red")
    real.lay("SW-R1C", "system-red")
    (message,) = real.discrepancies()
    assert message.startswith(
        "There seems to be one too many in Red system: lift red 1, and if another one lies below, put one face down"
    )
    real.take("SW-R1A")
    assert real.discrepancies() == []


@pytest.mark.parametrize("is_new_first", [True, False])
def test_a_swapped_card_that_rests_elsewhere_for_a_moment_is_no_longer_in_play(is_new_first: bool) -> None:
    """Somebody exchanges the played red 1 for an equal one, and sets it down beside the piles before taking it away.
    Nothing is to be fixed then, and the card may be dealt later."""
    real = SystemWonTable().deal(("R1", "R2", "Y3", "G4", "B5", "Y2", "Y1", "G1", "B1", "B2"))
    real.lay("SW-R1A", "system-red")
    real.show("SW-G2A")
    if is_new_first:
        real.lay("SW-R1C", "system-red")
    real.lay("SW-R1A", None, "moved")
    if not is_new_first:
        real.lay("SW-R1C", "system-red")
    real.take("SW-R1A")
    assert real.discrepancies() == []
    real.lay("SW-Y2A", "discard")
    assert real.state["discard"] == ["Y2"]
    real.show("SW-R1A")
    assert real.state["hands"][1][-1] == "R1"
