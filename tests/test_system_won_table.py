"""System WON on a real table: what sightings mean, what phones say, and three ways to deal the cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.games import move_json
from companion.games.rules import REFEREE, SPECTATOR, Move, Seat
from companion.games.system_won.moves import Deal, Play, Restore
from companion.match.journal import Journal
from companion.match.match import NotYourSeat
from companion.table.table import Table
from companion.tabletop.observations import CardSeen, MatSeen
from companion.text.refusal_errors import SetupError
from tests.system_won_tables import GAME, HANDS, NAMES, SystemWonTable
from tests.systems_failing_tables import hasty_clock, seen


def test_a_card_laid_while_the_service_was_down_is_no_move(tmp_path: Path) -> None:
    """If Ann puts a card on Discards while the service is down, it is a discrepancy. When she picks the card up and
    puts it down again, it is her move."""
    real = SystemWonTable(path=tmp_path / "journal").deal()
    before = real.view().version
    real.restart()
    real.lay("SW-R1A", "discard", found=True)
    assert real.view().version == before
    assert [item.code for item in real.view(1).tabletop.discrepancies if item.code == "SW-R1A"] == ["SW-R1A"]
    real.take("SW-R1A")
    real.lay("SW-R1A", "discard")
    assert real.view().version > before
    assert real.state["discard"] == ["R1"]


def test_a_card_shown_to_the_camera_is_recorded_and_not_known_to_its_holder() -> None:
    """A card that is scanned when drawn is visible to the others, but neither to its holder nor to spectators."""
    real = SystemWonTable().deal()
    assert real.state["hands"] == [[*HANDS[:5]], [*HANDS[5:]]]
    assert real.view(0).state["hands"] == [["?"] * 5, [*HANDS[5:]]]
    assert real.view(1).state["hands"] == [[*HANDS[:5]], ["?"] * 5]
    assert real.view(SPECTATOR).state["hands"] == [["?"] * 5, ["?"] * 5]


def test_the_place_for_showing_names_no_card() -> None:
    """While a card is in the zone for showing, what the phones say does not depend on the card. After it is gone, they
    say nothing."""
    said = set()
    for card in ("SW-R1A", "SW-B5A"):
        real = SystemWonTable()
        real.lay(card, "show")
        assert move_json.to_json(real.view(REFEREE).log[-1].moves[0])["card"] == card[3:5]
        said |= {(viewer, *real.discrepancies(viewer)) for viewer in (0, 1, SPECTATOR)}
        assert {item.code for item in real.view(1).tabletop.discrepancies} == {""}
        real.take(card)
        assert real.discrepancies() == []
    assert said == {(who, "Pick up what is in “Show the camera”.") for who in (0, 1, SPECTATOR)}


def test_a_role_or_specification_at_the_place_for_showing_is_named() -> None:
    """Role cards and specification cards are no secret, so they are named in the zone for showing too."""
    real = SystemWonTable().deal()
    real.lay("SW-DES", "show")
    assert real.discrepancies() == ["The Designer card is in Show the camera: put it in the box."]
    real.take("SW-DES")
    real.lay("SW-SPEC1", "show", "moved")
    assert real.discrepancies() == ["A specification card is in Show the camera: put it in Specifications."]


def test_cards_that_nobody_shows_are_unseen() -> None:
    """The companion records each card as "?" by itself. The camera reads a card when it is played, if only one card can
    be meant."""
    real = SystemWonTable("unseen")
    assert real.state["hands"] == [["?"] * 5, ["?"] * 5]
    assert real.view().turn == 0
    real.lay("SW-R1A", "play")
    assert real.state["systems"]["red"] == 0, "any of five cards could be meant"
    assert real.discrepancies() == []
    assert real.begun() == "Ann: choose on your phone which card it was, or pick it up again."
    real.move(0, move="play", slot=2, card="R1")
    assert real.state["systems"]["red"] == 1
    assert real.state["hands"][0] == ["?"] * 5, "the next card is unseen too"
    assert real.discrepancies() == ["Red 1 is in Play: put it in Red system."]


def test_the_player_who_laid_an_unseen_card_is_asked_which_it_was() -> None:
    """When an unseen card is put down, only the phone of the seat in turn asks which card of the hand it was, unless
    only one is possible. When the recorded card is carried to its pile, no phone asks."""
    real = SystemWonTable("unseen")
    real.move(0, move="specify", target=1, color="red", slots=[1, 3])
    real.lay("SW-R1A", "discard")
    assert real.begun() == "Ben: choose on your phone which card it was, or pick it up again."
    assert real.view(0).choices.possible_moves == real.view(SPECTATOR).choices.possible_moves == ()
    asked = [move_json.to_json(move) for move in real.view(1).choices.possible_moves]
    assert asked == [{"seat": 1, "move": "discard", "slot": slot, "card": "R1"} for slot in range(5)]
    real.table.submit(Seat(1), asked[3])
    assert real.state["discard"] == ["R1"]
    assert [real.view(seat).choices.possible_moves for seat in (0, 1)] == [(), ()]
    real.move(0, move="specify", target=1, color="red", slots=[1])
    real.lay("SW-R3A", "play")
    assert real.state["errors"] == ["R3"]


def test_a_phone_reports_that_a_card_was_drawn_but_never_which() -> None:
    """No seat can report the face of a card that not everyone may see."""
    real = SystemWonTable()
    assert [move_json.to_json(move)["card"] for move in real.view().choices.reports] == ["?"]
    for seat in (0, 1):
        with pytest.raises(NotYourSeat, match="Show it to the camera"):
            real.table.submit(Seat(seat), {"seat": "house", "move": "deal", "to": 0, "card": "R1"})
    real.table.submit(Seat(0), {"seat": "house", "move": "deal", "to": 0, "card": "?"})
    assert real.state["hands"][0] == ["?"]


def test_only_cards_can_stay_unseen() -> None:
    """Roles are dealt face up and can't be "?"."""
    table = Table(Journal(None), hasty_clock())
    with pytest.raises(SetupError, match="needs to know"):
        table.start("system-won", 2, {}, {"roles": "unseen"}, NAMES, "s")


def test_roles_dealt_at_the_table_are_seen_or_reported() -> None:
    """A role card in its zone is dealt to the seat that is due one. A phone may report it too."""
    table = Table(Journal(None), hasty_clock())
    table.start("system-won", 2, {}, {"roles": "table"}, NAMES, "s")
    mat = GAME.physical.components.mat
    assert mat
    table.observe(MatSeen(t=0, mat="MAT-SW"))
    table.observe(CardSeen(t=1, code="SW-ENG", zone="roles", mm=(400, 180), angle=0, change="appeared"))
    table.submit(Seat(1), {"seat": "house", "move": "role", "to": 1, "role": "designer"})
    assert seen(table).state["roles"] == ["engineer", "designer"]
    assert seen(table).turn == 0


@pytest.mark.parametrize("zone", ["play", "system-red"])
def test_a_card_laid_down_is_played_by_the_seat_in_turn(zone: str) -> None:
    """A card is played in the zone Play or directly on its system."""
    real = SystemWonTable().deal()
    real.lay("SW-R1A", zone)
    assert real.state["systems"]["red"] == 1
    assert real.view(1).log[-1].moves[0] == Play(seat=Seat(0), slot=0)


def test_a_card_laid_on_the_discards_is_discarded() -> None:
    """A card on the discard pile is discarded by the seat in turn."""
    real = SystemWonTable().deal()
    real.lay("SW-Y3A", "discard")
    assert real.state["discard"] == ["Y3"]


def test_a_card_laid_on_the_errors_is_played_if_it_is_an_error() -> None:
    """Whoever sees that the card is an error may lay it on the errors at once. A card that would join its system is not
    played there."""
    real = SystemWonTable().deal()
    version = real.view().version
    real.lay("SW-R1A", "errors")
    assert real.view().version == version
    (said,) = real.discrepancies()
    assert said.startswith(
        "Red 1 is in Errors: put it face down on the deck, or in the hand it came from; or if it was meant"
    )
    real.take("SW-R1A")
    real.lay("SW-Y3A", "errors")
    assert real.view(1).log[-1].moves[0] == Play(seat=Seat(0), slot=2)
    assert real.state["errors"] == ["Y3"]
    assert real.discrepancies() == []


def test_a_card_on_a_wrong_pile_is_a_discrepancy_and_no_move() -> None:
    """A red card on the blue system, and a card of a seat that is not in turn, are discrepancies and not moves."""
    real = SystemWonTable().deal()
    version = real.view().version
    real.lay("SW-R1A", "system-blue")
    real.lay("SW-B1A", "play")
    assert real.view().version == version
    assert real.discrepancies(SPECTATOR) == [
        "Red 1 is in Blue system: put it face down on the deck, or in the hand it came from.",
        "Blue 1 is in Play: put it face down on the deck, or in the hand it came from; or if it was meant "
        "as a move, enter it on a phone on its owner’s turn.",
    ]


def test_carrying_a_played_card_to_its_pile_is_no_second_play() -> None:
    """When Ann's red 1 is carried from Play to the red system, this is not recorded as a play by Ben, who also has a
    red 1."""
    real = SystemWonTable().deal()
    real.lay("SW-R1A", "play")
    real.show("SW-G2A")
    assert real.view().turn == 1
    real.take("SW-R1A")
    real.lay("SW-R1A", "system-red")
    real.lay("SW-R1A", "system-red", "moved")
    assert real.view().turn == 1
    assert real.discrepancies() == []
    real.lay("SW-R1B", "play")
    assert real.state["errors"] == ["R1"], "Ben's own copy does count"


def test_a_card_laid_before_the_due_draw_is_no_move() -> None:
    """A card that Ben puts down while Ann is due a card is not a move. It counts when he puts it down again on his
    turn."""
    real = SystemWonTable().deal()
    real.lay("SW-R1A", "system-red")
    assert real.view().turn == "house"
    real.lay("SW-Y1A", "play")
    assert real.discrepancies() == [
        "Yellow 1 is in Play: put it face down on the deck, or in the hand it came from; or pick it up, and "
        "put it down again after showing the drawn card."
    ]
    real.show("SW-G2A")
    assert real.state["systems"] == {"red": 1, "yellow": 0, "green": 0, "blue": 0}
    real.take("SW-Y1A")
    real.lay("SW-Y1A", "play")
    assert real.state["systems"]["yellow"] == 1


def test_the_refusal_of_an_impossible_draw_reveals_nothing() -> None:
    """If Ann's B5 is shown as Ben's draw, it is refused, because there is only one B5. The refusal is the same for
    every such card and on every phone."""
    notices = set()
    for card in ("SW-B5A", "SW-G4A", "SW-G4B"):
        real = SystemWonTable().deal((*HANDS[:3], "G4", "B5", *HANDS[5:9]))
        if card == "SW-G4B":
            real.show("SW-G4B")
            real.move(0, move="discard", slot=0)
        real.lay(card, "show")
        notices |= {real.view(viewer).notice for viewer in (0, 1, SPECTATOR)}
    assert notices <= {"", "That can’t be dealt now. Check the table."}


def test_without_a_camera_and_cardboard_nobody_is_sent_to_the_table() -> None:
    """If the companion deals, the whole game is on the phones, even if a camera sees the empty mat. Once a card of the
    game is on the table, instructions appear."""
    table = Table(Journal(None), hasty_clock())
    table.start("system-won", 2, {"roles": "none"}, {}, NAMES, "s")
    table.submit(Seat(0), {"seat": 0, "move": "discard", "slot": 0})
    assert seen(table).tabletop.physical_instructions == ()
    table.observe(MatSeen(t=0, mat="MAT-SW"))
    assert (seen(table).tabletop.physical_instructions, seen(table).tabletop.discrepancies) == ((), ())
    assert seen(table).tabletop.is_on_phones, "nobody uses an empty table"
    table.observe(CardSeen(t=1, code="SW-SPEC1", zone="specifications", mm=(50, 30), angle=0, change="appeared"))
    assert (seen(table).tabletop.physical_instructions, len(seen(table).tabletop.discrepancies)) == ((), 2)
    assert seen(table).tabletop.discrepancies
    assert not seen(table).tabletop.is_on_phones


def test_the_moves_named_here_are_moves_of_the_game() -> None:
    """The moves that sightings create can be written and read again."""
    moves: list[Move] = [Restore(seat=Seat(0)), Deal(to=Seat(0), card="R1")]  # type: ignore[arg-type]
    for move in moves:
        assert move_json.from_json(GAME, 2, move_json.to_json(move)) == move


def test_components_in_zones_of_another_mat_are_ignored() -> None:
    """Components that were seen in zones of the previous game's mat are ignored."""
    real = SystemWonTable().deal()
    version = real.view().version
    real.table.observe(CardSeen(t=99, code="SW-R1A", zone="zone-1", mm=(5, 5), angle=0, change="appeared"))
    assert real.view().version == version
    assert real.discrepancies(1)


@pytest.mark.parametrize("zone", ["play", "show", "discard"])
def test_a_component_of_another_game_belongs_in_the_box(zone: str) -> None:
    """A signal of Traffic Congestion means no move, so people are only told to put it away."""
    real = SystemWonTable().deal()
    real.lay("TC-SIG25", zone)
    said = [each for each in real.discrepancies() if "TC-SIG25" in each]
    assert len(said) == 1
    assert said[0].endswith(": put it in the box.")
