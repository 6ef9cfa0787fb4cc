"""Equal copies of System WON's cards: which copy was laid, which is still in a hand, and which was shuffled back."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.games import move_json
from companion.games.rules import SPECTATOR, Seat
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import CardSeen, MatSeen
from tests.scripted_camera_table import everything_visible
from tests.system_won_tables import GAME, HANDS, SystemWonTable, specify


@pytest.mark.parametrize("restarted", [False, True])
def test_the_very_copy_that_was_laid_leaves_the_hand(restarted: bool, tmp_path: Path) -> None:
    """If a hand has two red 1s, exactly the copy that was put down leaves it, even after the hand was rearranged or the
    service restarted. An equal card of another hand is not mistaken for it."""
    real = SystemWonTable(path=tmp_path / "journal").deal()
    real.lay("SW-R1B", "discard")
    assert real.state["discard"] == [], "that one is Ben's"
    real.take("SW-R1B")
    real.move(0, move="discard", slot=1)
    real.show("SW-R1C")
    real.move(1, move="discard", slot=4)
    real.show("SW-G2A")
    real.move(0, move="arrange", order=[4, 1, 2, 3, 0])
    assert real.state["hands"][0] == ["R1", "Y3", "G4", "B5", "R1"]
    if restarted:
        real.restart()
    real.lay("SW-R1A", "discard")
    assert real.state["hands"][0].index("R1") == 0


@pytest.mark.parametrize("on_its_way", [False, True])
def test_another_copy_counts_while_the_first_is_not_in_its_pile_yet(on_its_way: bool) -> None:
    """Ben's discard of his red 1 counts, even while Ann's red 1, which was played, is still in Play or on its way to
    its pile."""
    real = SystemWonTable().deal()
    real.lay("SW-R1A", "play")
    real.show("SW-G3A")
    if on_its_way:
        real.take("SW-R1A")
    real.lay("SW-R1B", "discard")
    assert (real.state["systems"]["red"], real.state["discard"]) == (1, ["R1"])
    assert real.discrepancies() == (
        ["Red 1 is in Play: put it in Red system."] if not on_its_way else ["Put red 1 in Red system."]
    )
    real.lay("SW-R1A", "system-red")
    assert real.discrepancies() == []


@pytest.mark.parametrize("move", ["play", "discard"])
def test_of_two_equal_cards_the_other_one_may_be_laid(move: str) -> None:
    """If Ann taps her first red 1 and puts down the second, there is no discrepancy. Straightening that card on her
    next turn is no move, and her other red 1 is not affected."""
    real = SystemWonTable().deal(("R1", "R2", "Y3", "G4", "R1", *HANDS[6:], "B4"))
    zone = "system-red" if move == "play" else "discard"
    real.move(0, move=move, slot=0)
    real.lay("SW-R1B", zone)
    real.show("SW-G3A")
    assert real.discrepancies() == []
    real.move(1, move="discard", slot=0)
    real.lay("SW-Y1A", "discard")
    real.show("SW-G2A")
    version = real.view().version
    for change in ("moved", "appeared"):
        real.lay("SW-R1B", zone, change)
    assert (real.view().version, real.discrepancies()) == (version, [])
    real.lay("SW-R1A", "discard")
    assert real.state["discard"][-1] == "R1"
    assert real.state["hands"][0] == ["R2", "Y3", "G4", "G3"]


@pytest.mark.parametrize("first", ["SW-R1A", "SW-R1B"])
@pytest.mark.parametrize("then", ["still in Play", "on its way", "covered", "covered, after a restart"])
def test_a_second_copy_counts_though_nobody_has_seen_either(first: str, then: str, tmp_path: Path) -> None:
    """The code that was put down is stored. A card with another code counts as a second copy, wherever the first copy
    is now."""
    real = SystemWonTable("unseen", path=tmp_path / "journal")
    place = "discard" if "covered" in then else "play"
    second = "SW-R1B" if first == "SW-R1A" else "SW-R1A"
    real.lay(first, place)
    real.table.submit(Seat(0), move_json.to_json(real.view(0).choices.possible_moves[2]))
    if "covered" in then:
        real.lay("SW-G2A", "discard")
        real.table.submit(Seat(1), move_json.to_json(real.view(1).choices.possible_moves[0]))
    if then != "still in Play":
        real.take(first)
    if "restart" in then:
        real.restart()
    turn = real.state["turn"]
    real.lay(second, place)
    assert {move.card for move in real.view(turn).choices.possible_moves} == {"R1"}
    real.table.submit(Seat(turn), move_json.to_json(real.view(turn).choices.possible_moves[1]))
    assert [item for item in real.discrepancies() if "hand that it came from" in item] == []


def test_a_card_laid_out_of_turn_does_not_count_by_a_nudge() -> None:
    """If Ben puts his card down on Ann's turn, nudging it on his own turn does not count. He must pick it up and put it
    down again."""
    real = SystemWonTable().deal()
    real.lay("SW-Y1A", "play")
    real.move(0, move="discard", slot=1)
    real.show("SW-G2A")
    assert real.state["turn"] == 1
    real.lay("SW-Y1A", "play", "moved")
    assert real.state["systems"]["yellow"] == 0
    real.take("SW-Y1A")
    real.lay("SW-Y1A", "play")
    assert real.state["systems"]["yellow"] == 1


def test_a_card_that_was_shuffled_back_can_be_dealt_again() -> None:
    """After the Contractor had two discards shuffled into the deck, their codes can be dealt and put down again."""
    real = SystemWonTable(roles="contractor,engineer").deal()
    contractor = real.state["roles"].index("contractor")
    for card, drawn in (("SW-R1A", "SW-G3A"), ("SW-R1B", "SW-G3B")):
        real.lay(card, "discard")
        real.take(card)
        real.show(drawn)
    if contractor == 1:
        real.move(0, move="specify", target=1, rank=3)
    real.move(contractor, move="ability", use="recycle")
    real.table.submit(None, {"seat": "house", "move": "recycle", "cards": ["R1", "R1"]})
    other = 1 - contractor
    real.move(other, move="play", slot=0)
    real.show("SW-R1A")
    assert real.state["hands"][other][-1] == "R1"
    real.move(contractor, move="specify", target=other, rank=1)
    played = real.state["systems"]["red"]
    real.lay("SW-R1A", "play")
    assert real.state["systems"]["red"] == played + 1


@pytest.mark.slow
def test_a_message_about_a_laid_card_does_not_reveal_another_copy() -> None:
    """Ann taps her first card and puts down a red 1. Her phone says the same, whether it is the tapped card or her
    other red 1."""
    for zone in ("play", "discard", "system-red", "errors", "system-blue", None):
        said = []
        for hand, laid in ((("R1A", "R2A", "Y3A", "G4A", "R1B"), "R1B"), (("R1B", "R2A", "Y3A", "G4A", "B5A"), "R1B")):
            real = SystemWonTable()
            for card in (*hand, "Y1A", "G1A", "B1A", "B2A", "B3A"):
                real.show(f"SW-{card}")
            real.move(0, move="play", slot=0)
            real.lay(f"SW-{laid}", zone)
            view = real.view(0)
            said.append(
                (
                    view.tabletop.discrepancies,
                    view.tabletop.physical_instructions,
                    view.choices.possible_moves,
                    view.notice,
                    view.state,
                    view.log,
                )
            )
        assert said[0] == said[1], zone


def test_of_two_equal_discards_nobody_knows_which_was_shuffled_back() -> None:
    """Of two equal discards, one is shuffled back. Whichever card is drawn afterwards, its holder's phone says the same
    about the copy that is still on the pile."""
    said = []
    for drawn in ("SW-R1A", "SW-B3A"):
        real = SystemWonTable(roles="contractor,engineer").deal()
        contractor = real.state["roles"].index("contractor")
        for card, next_one in (("SW-R1A", "SW-G3A"), ("SW-R1B", "SW-G3B")):
            real.lay(card, "discard")
            real.show(next_one)
        real.move(0, move="discard", slot=0)
        real.show("SW-Y4A")
        real.move(1, move="specify", target=0, rank=4)
        if contractor == 1:
            real.move(0, move="specify", target=1, rank=3)
        real.move(contractor, move="ability", use="recycle")
        real.take("SW-R1A")
        real.table.submit(None, {"seat": "house", "move": "recycle", "cards": ["R1", "R2"]})
        other = 1 - contractor
        real.move(other, move="discard", slot=0)
        real.show(drawn)
        said.append(
            [item.message for item in real.view(other).tabletop.discrepancies if "red 1" in item.message.lower()]
        )
    assert said[0] == said[1]


def test_each_code_belongs_to_one_recorded_card() -> None:
    """While a recorded red 1 is in view, the next red 1 is recorded as a different card, and so is a third one."""
    real = SystemWonTable("unseen")
    for seat, card in ((0, "SW-R1B"), (1, "SW-G2A"), (0, "SW-R1A"), (1, "SW-G3A")):
        real.lay(card, "discard")
        real.table.submit(Seat(seat), move_json.to_json(real.view(seat).choices.possible_moves[0]))
    real.take("SW-R1A")
    real.lay("SW-R1C", "discard")
    assert len(real.view(0).choices.possible_moves) == 5


@pytest.mark.parametrize("by", ["the phone", "the Engineer"])
def test_after_an_undo_a_nudged_card_does_not_count(by: str) -> None:
    """After an undo the card must be picked up and put down again, as the phones say."""
    real = SystemWonTable(roles="engineer,designer").deal()
    real.lay("SW-R1A", "discard")
    if by == "the phone":
        real.table.undo(None)
    else:
        real.show("SW-G2A")
        real.move(real.state["roles"].index("engineer"), move="ability", use="undo")
    real.lay("SW-R1A", "discard", "moved")
    assert real.state["discard"] == []
    real.take("SW-R1A")
    real.lay("SW-R1A", "discard")
    assert real.state["discard"] == ["R1"]


def test_a_card_in_a_hand_is_not_dealt_again() -> None:
    """If a code in the zone for showing disappears and appears again, it is still the same card, even if the card has
    copies. Phones say nothing about it."""
    real = SystemWonTable()
    for _ in range(2):
        real.show("SW-R1A")
    assert real.state["hands"] == [["R1"], []]
    assert real.view().notice == ""
    real.show("SW-R1B")
    assert real.state["hands"] == [["R1", "R1"], []]


@pytest.mark.parametrize("played_by", ["camera", "phone"])
def test_a_card_on_the_table_is_not_dealt_again(played_by: str) -> None:
    """Ann has played her red 1, and a draw is due. If somebody shows this red 1 to the camera, it is not dealt, and a
    discrepancy names it, because everyone knows where it belongs. Only after it was shuffled back into the deck can it
    be dealt."""
    real = SystemWonTable().deal()
    if played_by == "phone":
        real.move(0, move="play", slot=0)
    real.lay("SW-R1A", "system-red")
    assert real.view().turn == "house"
    real.take("SW-R1A")
    real.lay("SW-R1A", "show")
    assert real.state["hands"][0] == ["R2", "Y3", "G4", "B5"]
    assert real.discrepancies(0) == ["Red 1 is in Show the camera: put it in Red system."]
    real.lay("SW-R1A", "system-red", "moved")
    real.show("SW-G2A")
    assert (real.state["hands"][0][-1], real.discrepancies()) == ("G2", [])


@pytest.mark.parametrize("move", ["play", "discard"])
def test_a_card_that_was_played_on_a_phone_is_not_dealt_again(move: str) -> None:
    """Ann plays her red 1 on her phone and shows it to the camera instead of a drawn card. It is not dealt, although
    the camera has never seen it on the table."""
    real = SystemWonTable().deal()
    real.move(0, move=move, slot=0)
    real.lay("SW-R1A", "show")
    assert real.state["hands"][0] == ["R2", "Y3", "G4", "B5"]
    place = "Red system" if move == "play" else "Discards"
    assert real.discrepancies(0) == ["Pick up what is in “Show the camera”.", f"Put red 1 in {place}."]
    real.take("SW-R1A")
    real.lay("SW-R1A", "system-red" if move == "play" else "discard")
    real.show("SW-R1C")
    assert (real.state["hands"][0][-1], real.discrepancies()) == ("R1", [])


def test_copies_swapped_between_hand_and_table_are_equal() -> None:
    """If Ann swaps the red 1 that she played for her other red 1, there is no discrepancy, because any copy is right.
    The copy that is now in her hand counts when it is played."""
    real = SystemWonTable().deal(("R1", "R2", "R1", "G4", "B5", *HANDS[5:9], "B4"))
    real.lay("SW-R1A", "system-red")
    real.show("SW-G2A")
    real.move(1, move="discard", slot=1)
    real.lay("SW-Y1A", "discard")
    real.take("SW-R1A")
    real.lay("SW-R1B", "system-red")
    real.show("SW-G3A")
    assert real.discrepancies() == []
    real.lay("SW-R1A", "discard")
    assert real.state["discard"] == ["Y1", "R1"]


def test_a_card_that_is_dropped_beside_the_zone_for_showing_is_not_named() -> None:
    """If a card is dropped beside the zone "Show the camera", what the phones say does not depend on the card."""
    mat, said = GAME.physical.components.mat, set()
    assert mat
    left, top = mat.zone("show").polygon[0]
    for card in ("SW-R1A", "SW-B5A"):
        real = SystemWonTable()
        spot = (left - 3, top + 40)
        assert mat.zone_at(spot) is None
        real.table.observe(CardSeen(t=1, code=card, zone=None, mm=spot, angle=0, change="appeared"))
        said |= {(viewer, *real.discrepancies(viewer)) for viewer in (0, 1, SPECTATOR)}
    assert said == {(who, "Pick up what is next to “Show the camera”, and show it there.") for who in (0, 1, SPECTATOR)}


def test_a_card_laid_in_another_turn_asks_nobody() -> None:
    """Ann puts down a card that nobody has seen, but gives a hint on her phone. On Ben's turn the card is a
    discrepancy, and Ben is not asked about it."""
    real = SystemWonTable("unseen")
    real.lay("SW-R1A", "discard")
    real.move(0, move="specify", target=1, color="red", slots=[1, 3])
    real.lay("SW-R1A", "discard", "moved")
    assert [real.view(seat).choices.possible_moves for seat in (0, 1)] == [(), ()]
    assert real.discrepancies()[-1].endswith("if it was meant as a move, enter it on a phone on its owner’s turn.")
    real.take("SW-R1A")
    real.lay("SW-R1A", "discard")
    assert len(real.view(1).choices.possible_moves) == 5


def test_an_unread_copy_leaves_the_hand_if_the_other_copy_was_read() -> None:
    """If a hand has two red 1s, only one of which was read when it was dealt, and another code is put down, the unread
    card leaves the hand, and no phone asks which one it was."""
    real = SystemWonTable().deal()
    real.move(0, move="discard", slot=1)
    real.table.submit(None, {"seat": "house", "move": "deal", "to": 0, "card": "R1"})
    real.move(1, move="discard", slot=4)
    real.show("SW-G2A")
    real.move(0, move="arrange", order=[4, 1, 2, 3, 0])
    real.lay("SW-R1C", "discard")
    assert real.state["hands"][0].index("R1") == 3


def test_a_copy_whose_draw_was_undone_is_not_the_one_in_the_hand() -> None:
    """Ann's draw of a second red 1 is undone. If that card is put on the discards, it comes from the deck, and the one
    in her hand stays hidden. If people have put the wrong one back on the deck, she enters the move on her phone."""
    real = SystemWonTable().deal()
    real.move(0, move="discard", slot=1)
    real.show("SW-R1C")
    real.table.undo(None)
    real.table.undo(None)
    assert real.state["hands"][0].count("R1") == 1
    real.lay("SW-R1C", "discard")
    assert (real.state["discard"], real.state["hands"][0].count("R1")) == ([], 1)
    real.move(0, move="discard", slot=real.state["hands"][0].index("R1"))
    assert real.state["discard"] == ["R1"]
    assert not any("ed 1" in said for said in real.discrepancies())


def test_nobody_knows_which_of_two_copies_was_shuffled_back() -> None:
    """If one copy was read when it was discarded and the other was discarded on the phone, either may be the copy that
    is still on the pile after the other was shuffled back."""
    real = SystemWonTable(roles="contractor,engineer").deal(("R1", "R2", "Y3", "G4", "R1", *HANDS[5:]))
    assert real.state["roles"] == ["engineer", "contractor"]
    real.lay("SW-R1A", "discard")
    real.show("SW-B4A")
    real.move(1, move="discard", slot=1)
    real.show("SW-Y4A")
    real.move(0, move="discard", slot=3)
    real.lay("SW-R1B", "discard")
    real.show("SW-G2A")
    real.move(1, move="ability", use="recycle")
    real.table.submit(None, {"seat": "house", "move": "recycle", "cards": ["R1", "Y1"]})
    real.take("SW-R1A")
    assert [said for said in real.discrepancies() if "Red 1" in said] == []


@pytest.mark.parametrize("taken", ["SW-Y3A", "SW-Y3B"])
def test_either_of_two_copies_that_lie_together_may_be_taken_up(taken: str) -> None:
    """If one copy was played and another was put in the same place by mistake, people may pick up either."""
    real = SystemWonTable().deal(("Y3", "R2", "R1", "G4", "B5", "Y3", "Y1", "G1", "B1", "B2"))
    real.lay("SW-Y3A", "play")
    real.lay("SW-Y3B", "play")
    real.take(taken)
    assert real.discrepancies() == ["Yellow 3 is in Play: put it in Errors."]
    real.show("SW-G2A")
    real.lay("SW-Y3A" if taken == "SW-Y3B" else "SW-Y3B", "errors", "moved")
    assert real.discrepancies() == []
    assert real.state["errors"] == ["Y3"]


def test_a_copy_is_followed_through_undos() -> None:
    """The table knows which copy is in the hand after a draw was undone and another copy was shown, and after the
    Engineer's undo."""
    real = SystemWonTable(roles="engineer,designer").deal()
    real.move(0, move="discard", slot=1)
    real.show("SW-R1C")
    real.table.undo(None)
    real.show("SW-G2A")
    real.table.undo(None)
    real.show("SW-R1C")
    engineer = real.state["roles"].index("engineer")
    real.move(engineer, move="ability", use="undo")
    real.move(0, move="discard", slot=0)
    real.show("SW-R1C")
    assert real.state["hands"][0] == ["R2", "Y3", "G4", "B5", "R1"]
    real.move(1, move="discard", slot=4)
    real.show("SW-Y4A")
    real.lay("SW-R1B", "play")
    assert real.state["systems"]["red"] == 0, "Ben's own"
    real.lay("SW-R1C", "play")
    assert real.state["hands"][0] == ["R2", "Y3", "G4", "B5"]


def test_two_tables_that_a_seat_can_not_tell_apart_tell_it_the_same() -> None:
    """If two tables differ only in Ann's own hand, her phone says exactly the same at both, whatever is on the
    table."""
    visible = []
    for hand in (("R1", "R2", "Y3", "G4", "B5"), ("Y2", "R3", "G5", "G4", "B4")):
        real = SystemWonTable().deal((*hand, *HANDS[5:]))
        real.lay("SW-Y1A", "play")
        specify(real)
        real.lay("SW-G1A", "system-green")
        real.show("SW-B3A")
        view = real.view(0)
        visible.append(everything_visible(view))
    assert visible[0] == visible[1]


def test_which_card_leaves_a_hand_does_not_depend_on_the_other_hands() -> None:
    """Ben has a red 1 that was read when it was dealt, and an unread card. If he puts down another red 1, that is his
    unread card, whatever Ann has."""
    for own in ("SW-R1B", "SW-Y3A"):
        real = SystemWonTable()
        for card in (own, "SW-R2A", "SW-G3A", "SW-G4A", "SW-B5A", "SW-R1A", "SW-B1A", "SW-B2A", "SW-Y4A"):
            real.show(card)
        real.table.submit(None, {"seat": "house", "move": "deal", "to": 1, "card": "?"})
        real.move(0, move="specify", target=1, color="yellow", slots=[3])
        real.lay("SW-R1C", "discard")
        assert real.view(0).state["hands"][1] == ["R1", "B1", "B2", "Y4"]


@pytest.mark.parametrize("seat", [0, 1])
def test_an_equal_card_on_a_pile_is_another_card(seat: int, tmp_path: Path) -> None:
    """If a red 1 is deep in the discard pile, where the camera has not seen it since it started, another red 1 that is
    laid on top counts as a discard or, out of turn, as a mistake."""
    real = SystemWonTable(path=tmp_path / "journal").deal(("R1", "R2", "Y3", "G4", "R1", *HANDS[5:]))
    real.lay("SW-R1A", "discard")
    real.show("SW-G3A")
    real.lay("SW-Y1A", "discard")
    real.show("SW-G2A")
    if seat == 1:
        real.move(0, move="specify", target=1, color="red")
    real.restart()
    real.lay("SW-Y1A", "discard", found=True)
    real.lay("SW-R1B", "discard")
    if seat == 0:
        assert real.state["discard"] == ["R1", "Y1", "R1"]
    else:
        assert [said for said in real.discrepancies() if "Red 1 is in Discards" in said]
        real.take("SW-R1B")
        assert not [said for said in real.discrepancies() if "Discards" in said]


def test_a_card_that_is_covered_in_its_old_place_is_asked_for() -> None:
    """If a card from deep in the discard pile is played on a phone, people are asked to put it on its system until
    somebody has taken it out of the pile."""
    real = SystemWonTable(roles="technician,engineer").deal()
    real.lay("SW-R1A", "discard")
    real.show("SW-G3A")
    real.lay("SW-Y1A", "discard")
    real.show("SW-G2A")
    assert real.state["roles"] == ["engineer", "technician"]
    specify(real)
    real.move(1, move="ability", use="play_from_discard", card="R1")
    assert "Put red 1 in Red system." in real.discrepancies()
    real.lay("SW-R1A", "system-red")
    assert not [said for said in real.discrepancies() if "ed 1" in said]


@pytest.mark.parametrize("then", ["system-red", "play"])
def test_a_recorded_card_begins_no_move_of_the_next_player(then: str) -> None:
    """With cards that nobody has seen, Ann puts red 1 on Play and chooses it on her phone. When she puts it in the red
    system, as the list says, or lifts it and puts it down again, Ben's phone offers no moves for it."""
    real = SystemWonTable("unseen")
    real.lay("SW-R1C", "play")
    real.table.submit(Seat(0), move_json.to_json(real.view(0).choices.possible_moves[2]))
    assert real.state["turn"] == 1
    real.lay("SW-R1C", "system-red", "moved")
    real.take("SW-R1C")
    real.lay("SW-R1C", then)
    view = real.view(1)
    assert view.tabletop is not None
    assert view.tabletop.begun_move is None
    assert (view.choices.possible_moves, view.choices.explanations) == ((), ())


@pytest.mark.parametrize("zone", ["discard", "play", "system-red"])
@pytest.mark.parametrize("first", ["R1", "Y2"])
def test_a_card_from_the_deck_does_not_show_an_equal_one_in_a_hand(zone: str, first: str) -> None:
    """If a copy of red 1 that was never dealt is put down on Ann's turn, it means no move, whether or not Ann holds
    another copy."""
    real = SystemWonTable().deal((first, *HANDS[1:]))
    version = real.view().version
    real.lay("SW-R1C", zone)
    assert real.view().version == version
    assert any(said.startswith("Red 1 is in") for said in real.discrepancies(0))


def test_an_equal_copy_in_place_of_an_unseen_discard_begins_no_move() -> None:
    """If a card that nobody had seen was discarded, and people then swap it for an equal one, the player to move is not
    asked which card of the hand this is."""
    real = SystemWonTable("unseen")
    real.lay("SW-R1A", "discard")
    real.table.submit(Seat(0), move_json.to_json(real.view(0).choices.possible_moves[2]))
    real.take("SW-R1A")
    real.lay("SW-R1B", "discard")
    assert (real.view(1).tabletop.begun_move, real.view(1).choices.possible_moves) == (None, ())


def test_a_card_that_is_straightened_where_it_belongs_begins_no_move() -> None:
    """A card on the table for an earlier move may be turned a little in the next turn, also if nobody had seen the
    cards of the hand."""
    real = SystemWonTable("unseen")
    real.lay("SW-R1A", "discard")
    real.table.submit(Seat(0), move_json.to_json(real.view(0).choices.possible_moves[2]))
    real.lay("SW-R1A", "discard", "turned")
    assert (real.view(1).tabletop.begun_move, real.view(1).choices.possible_moves) == (None, ())


def test_a_pile_that_is_put_back_in_another_order_opens_no_hand(tmp_path: Path) -> None:
    """Two cards were discarded on phones, then the service restarted. If somebody puts the lower one on top of the
    pile, it counts as uncovered, although the player to move holds an equal card."""
    real = SystemWonTable(path=tmp_path / "journal").deal(("R1", "R2", "Y3", "G4", "B5", "Y1", "G2", "B4", "R1", "B1"))
    for seat, slot, code, drawn in ((0, 0, "SW-R1A", "SW-G1A"), (1, 0, "SW-Y1A", "SW-G3A")):
        real.move(seat, move="discard", slot=slot)
        real.lay(code, "discard")
        real.show(drawn)
    real.move(0, move="specify", target=1, color="blue")
    assert "R1" in real.state["hands"][1]
    real.restart()
    real.lay("SW-Y1A", "discard", found=True)
    version = real.view().version
    real.lay("SW-R1A", "discard")
    assert real.view().version == version
    assert "Put yellow 1 on top of Discards." in real.discrepancies()


def test_an_equal_card_above_does_not_make_an_uncovered_one_new(tmp_path: Path) -> None:
    """The discards are a red 1, a yellow 1 and a red 1, all discarded on phones before the service restarted. If the
    yellow 1 is put on top, it counts as uncovered: the red 1 in view may be the upper one."""
    real = SystemWonTable(path=tmp_path / "journal").deal(("R1", "R2", "Y3", "G4", "R1", "Y1", "G2", "B4", "Y1", "B1"))
    for seat, slot, code, drawn in ((0, 0, "SW-R1A", "SW-G1A"), (1, 0, "SW-Y1A", "SW-G3A"), (0, 3, "SW-R1B", "SW-G4B")):
        real.move(seat, move="discard", slot=slot)
        real.lay(code, "discard")
        real.show(drawn)
    assert (real.state["discard"], real.state["turn"]) == (["R1", "Y1", "R1"], 1)
    real.restart()
    real.lay("SW-R1B", "discard", found=True)
    version = real.view().version
    real.lay("SW-Y1A", "discard")
    assert real.view().version == version


def test_a_card_from_the_deck_is_no_copy_that_was_swapped() -> None:
    """Ann has swapped the red 1 that she played for her other one. A third red 1, which was never dealt, comes from the
    deck. So it is not the one in her hand."""
    real = SystemWonTable().deal(("R1", "R2", "R1", "G4", "B5", "Y1", "G2", "B4", "G1", "B1"))
    real.lay("SW-R1A", "system-red")
    real.show("SW-G2B")
    real.move(1, move="discard", slot=0)
    real.lay("SW-Y1A", "discard")
    real.take("SW-R1A")
    real.lay("SW-R1B", "system-red")
    real.show("SW-G3A")
    version = real.view().version
    real.lay("SW-R1C", "discard")
    assert real.view().version == version


def test_a_card_on_the_table_opens_no_hand_that_phones_hold() -> None:
    """If the companion deals, players don't know their cards, and no card comes from a hand. So a card that somebody
    puts on the discards is no move, although the player to move holds an equal one."""
    real = SystemWonTable("companion")
    face = real.state["hands"][0][0]
    real.lay(f"SW-{face}A", "discard")
    assert real.state["discard"] == []
    assert " is in Discards: put it face down on the deck" in real.discrepancies(1)[0]


@pytest.mark.parametrize("is_late", [False, True])
def test_what_lay_below_a_leftover_is_no_move(is_late: bool, tmp_path: Path) -> None:
    """Cards of the last game lie on the discards when the service starts. When the upper one is picked up, the lower
    one comes into view at once. It is no discard, although Ann may hold that card. The camera may report only later
    that the upper one has gone."""
    real = SystemWonTable("unseen", path=tmp_path / "journal")
    real.table = Table(Journal(real.path), lambda: 0.0)
    real.table.observe(MatSeen(t=0, mat="MAT-SW"))
    real.lay("SW-R2A", "discard", found=True)
    if not is_late:
        real.take("SW-R2A")
    real.lay("SW-R1A", "discard")
    assert real.view(0).choices.possible_moves == ()
