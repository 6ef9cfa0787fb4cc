"""System WON on a real table: what sightings mean, what phones say, and three ways to deal the cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.games import GAMES, notation
from companion.games.rules import REFEREE, SPECTATOR, Move, Seat
from companion.games.system_won.moves import Deal, Restore
from companion.match.journal import Journal
from companion.match.match import NotYourSeat
from companion.table.table import Table
from companion.tabletop.observations import CardSeen, MatSeen
from companion.text.refusals import SetupError
from tests.scripted_camera_table import ScriptedCameraTable, everything_visible
from tests.systems_failing_tables import hasty_clock, seen

GAME = GAMES["system-won"]
NAMES = ("Ann", "Ben")
HANDS = ("R1", "R2", "Y3", "G4", "B5", "R1", "Y1", "G1", "B1", "B2")
"""Ann's five cards, then Ben's."""


class SystemWonTable(ScriptedCameraTable):
    """A table with cards and a camera over its mat. Each observation is a second later than the one before."""

    def __init__(self, dealer: str = "table", seed: str = "s", path: Path | None = None, **setup: object) -> None:
        super().__init__(Journal(path))
        self.path = path
        options = {"roles": "none", **setup}
        self.table.start("system-won", 2, options, {"cards": dealer, "roles": "companion"}, NAMES, seed)
        self.table.observe(MatSeen(t=0, mat="MAT-SW"))
        for number in range(1, 9):
            self.lay(f"SW-SPEC{number}", "specifications")

    def restart(self) -> None:
        """The service stops. Another one resumes the game from the journal and sees the mat."""
        self.table = Table(Journal(self.path), hasty_clock())
        self.table.observe(MatSeen(t=0, mat="MAT-SW"))

    def lay(self, code: str, zone: str | None, change: str = "appeared", found: bool = False) -> None:
        """A component comes to rest in the middle of a zone. With `found`, it was there when the camera started."""
        mat = GAME.physical.components.mat
        assert mat
        self.t += 1
        points = mat.zone(zone).polygon if zone else ((300.0, 1.0),)
        mm = (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
        seen = CardSeen(t=self.t, code=code, zone=zone, mm=mm, angle=0, change=change, was_initially_present=found)  # type: ignore[arg-type]
        self.table.observe(seen)

    def show(self, code: str) -> None:
        """A card is shown to the camera and taken into a hand."""
        self.lay(code, "show")
        self.take(code)

    def deal(self, faces: tuple[str, ...] = HANDS) -> SystemWonTable:
        """Shows every card of both hands. Copies of a face are used in the order A, B, C."""
        used: dict[str, int] = {}
        for face in faces:
            self.show(f"SW-{face}{'ABC'[used.get(face, 0)]}")
            used[face] = used.get(face, 0) + 1
        return self


def test_a_card_laid_while_the_service_was_down_is_no_move(tmp_path: Path) -> None:
    """Ann's card came to Discards while the service was down. That is a discrepancy. When she picks the card up and
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
    """While a card is in the zone for showing, every phone says the same whatever card it is. Afterwards nothing is
    said."""
    said = set()
    for card in ("SW-R1A", "SW-B5A"):
        real = SystemWonTable()
        real.lay(card, "show")
        assert real.view(REFEREE).log[-1].moves[0]["card"] == card[3:5]
        said |= {(viewer, *real.discrepancies(viewer)) for viewer in (0, 1, SPECTATOR)}
        assert {item.code for item in real.view(1).tabletop.discrepancies} == {""}
        real.take(card)
        assert real.discrepancies() == []
    assert said == {(who, "Pick up what is in Show the camera.") for who in (0, 1, SPECTATOR)}


def test_cards_that_nobody_shows_are_unseen() -> None:
    """The companion records each card as "?" by itself. The camera reads a card when it is played, if only one card can
    be meant."""
    real = SystemWonTable("unseen")
    assert real.state["hands"] == [["?"] * 5, ["?"] * 5]
    assert real.view().turn == 0
    real.lay("SW-R1A", "play")
    assert real.state["systems"]["red"] == 0, "any of five cards could be meant"
    assert real.discrepancies() == []
    assert real.begun() == "Ann: choose on your phone which card it was, or take it back."
    real.move(0, move="play", slot=2, card="R1")
    assert real.state["systems"]["red"] == 1
    assert real.state["hands"][0] == ["?"] * 5, "the next card is unseen too"
    assert real.discrepancies() == ["Red 1 is in Play: put it in Red system."]


def test_the_player_who_laid_an_unseen_card_is_asked_which_it_was() -> None:
    """Only the phone of the seat in turn asks which card of the hand was put down, and not if only one is possible.
    Carrying the recorded card to its pile asks nothing."""
    real = SystemWonTable("unseen")
    real.move(0, move="specify", target=1, color="red", slots=[1, 3])
    real.lay("SW-R1A", "discard")
    assert real.begun() == "Ben: choose on your phone which card it was, or take it back."
    assert real.view(0).choices.possible_moves == real.view(SPECTATOR).choices.possible_moves == ()
    asked = [notation.to_json(move) for move in real.view(1).choices.possible_moves]
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
    assert [notation.to_json(move)["card"] for move in real.view().choices.reports] == ["?"]
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
    assert real.view(1).log[-1].moves[0] == {"seat": 0, "move": "play", "slot": 0}


def test_a_card_laid_on_the_discards_is_discarded() -> None:
    """A card on the discard pile is discarded by the seat in turn."""
    real = SystemWonTable().deal()
    real.lay("SW-Y3A", "discard")
    assert real.state["discard"] == ["Y3"]


def test_a_card_on_a_wrong_pile_is_a_discrepancy_and_no_move() -> None:
    """A red card on the blue system, and a card of a seat that is not in turn, are discrepancies and no moves."""
    real = SystemWonTable().deal()
    version = real.view().version
    real.lay("SW-R1A", "system-blue")
    real.lay("SW-B1A", "play")
    assert real.view().version == version
    assert real.discrepancies(SPECTATOR) == [
        "Red 1 is in Blue system: put it on the deck or in the hand it came from.",
        "Blue 1 is in Play: put it on the deck or in the hand it came from; or to make it count, "
        "pick it up and put it down again on its holder’s turn.",
    ]


def test_carrying_a_played_card_to_its_pile_is_no_second_play() -> None:
    """Ben has a red 1 too. When Ann's red 1 is carried from Play to the red system, that is no play of Ben's."""
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
    """A card that Ben puts down while Ann is due a card is no move. It counts when he puts it down on his turn."""
    real = SystemWonTable().deal()
    real.lay("SW-R1A", "system-red")
    assert real.view().turn == "house"
    real.lay("SW-Y1A", "play")
    assert real.discrepancies() == [
        "Yellow 1 is in Play: put it on the deck or in the hand it came from; or pick it up, and "
        "put it down again after showing the drawn card."
    ]
    real.show("SW-G2A")
    assert real.state["systems"] == {"red": 1, "yellow": 0, "green": 0, "blue": 0}
    real.take("SW-Y1A")
    real.lay("SW-Y1A", "play")
    assert real.state["systems"]["yellow"] == 1


def test_the_refusal_of_an_impossible_draw_reveals_nothing() -> None:
    """Ann's B5 is shown as Ben's draw, but there is only one B5. The refusal is the same for every such card and on
    every phone."""
    notices = set()
    for card in ("SW-B5A", "SW-G4A", "SW-G4B"):
        real = SystemWonTable().deal((*HANDS[:3], "G4", "B5", *HANDS[5:9]))
        if card == "SW-G4B":
            real.show("SW-G4B")
            real.move(0, move="discard", slot=0)
        real.lay(card, "show")
        notices |= {real.view(viewer).notice for viewer in (0, 1, SPECTATOR)}
    assert notices <= {"", "That can’t be dealt now. Check the table."}


def turn_over(real: SystemWonTable, code: str, other: str, zone: str = "specifications") -> None:
    """A player turns a component over in place: the other side appears, then the first is gone."""
    real.lay(other, zone)
    real.take(code)


def specify(real: SystemWonTable) -> None:
    """Ann specifies Ben's red card."""
    real.move(0, move="specify", target=1, color="red")


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
    """The message names the place of a role or specification card that lies with the wrong side up, and the side that
    belongs up. There is one message."""
    real = SystemWonTable(roles="designer,engineer").deal()
    real.lay("SW-ENG", "roles")
    real.lay("SW-DESX", "errors")
    assert real.discrepancies() == ["The Designer is in Errors: put it in Roles, face up."]
    real.lay("SW-DESX", None, "moved")
    assert real.discrepancies() == ["Put the Designer in Roles, face up."]
    real.lay("SW-DES", "roles")
    real.take("SW-DESX")
    assert real.discrepancies() == []


def designed() -> SystemWonTable:
    """A table with a Designer and an Engineer and their cards in view. Ann has specified Ben's red card, and SPEC2 is
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
    """Turning a specification up and the Designer's card over, in either order, uses the ability; one of the two alone
    does not. A card that is only nudged was not turned."""
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
    """More specification cards are face up than recorded, because nobody has turned one down yet. Turning over only the
    Designer's card uses no ability."""
    real = designed()
    real.move(1, move="specify", target=0, rank=3)
    turn_over(real, "SW-DES", "SW-DESX", "roles")
    assert (real.state["roles_used"], real.state["specifications"]) == ([], 6)
    turn_over(real, "SW-SPEC5", "SW-SPEC5X")
    assert (real.state["roles_used"], real.state["specifications"]) == ([], 6)


def test_a_specification_turned_up_for_a_discard_that_has_not_counted_restores_nothing() -> None:
    """The Designer's card was turned over for another ability, so the discard is not recorded until the phone clarifies
    it."""
    real = designed()
    turn_over(real, "SW-DES", "SW-DESX", "roles")
    real.lay("SW-Y1A", "discard")
    turn_over(real, "SW-SPEC2X", "SW-SPEC2")
    assert (real.state["roles_used"], real.state["specifications"], real.state["discard"]) == ([], 7, [])


@pytest.mark.parametrize("order", ["flip first", "discard first"])
def test_a_specification_turned_up_with_a_discard_uses_no_role(order: str) -> None:
    """ "This action flips a SPECIFICATION card right side up": a player may turn it up before the discard. As long as
    the discard is missing, phones say what the turned card may mean."""
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
    """A specification card was turned down first, and phones ask for the specification. After it is entered there is no
    discrepancy."""
    real = SystemWonTable().deal()
    turn_over(real, "SW-SPEC5", "SW-SPEC5X")
    assert real.discrepancies() == []
    assert real.begun() == "Ann: enter the hint on your phone, or turn the card face up again."
    specify(real)
    assert real.discrepancies() == []


def test_a_card_laid_after_a_role_was_turned_over_is_not_recorded() -> None:
    """The Engineer's card was turned over, and a card was put down that Ben or Ann may have held. It is not recorded as
    Ann's play."""
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


@pytest.mark.parametrize("restarted", [False, True])
def test_the_very_copy_that_was_laid_leaves_the_hand(restarted: bool, tmp_path: Path) -> None:
    """If a hand has two red 1s, the copy that was put down leaves it, also if the hand was rearranged or the service
    restarted. An equal card of another hand does not count as this one."""
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
    """Ann's red 1 was played, and is still in Play or on its way to its pile. Ben's discard of his red 1 counts."""
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
    """Ann taps her first red 1 and puts down the second. There is no discrepancy. Straightening that card on her next
    turn is no move, and her other red 1 is unaffected."""
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
    """The code that was put down is stored. A card with another code counts as another card, wherever the first one is
    now."""
    real = SystemWonTable("unseen", path=tmp_path / "journal")
    place = "discard" if "covered" in then else "play"
    second = "SW-R1B" if first == "SW-R1A" else "SW-R1A"
    real.lay(first, place)
    real.table.submit(Seat(0), notation.to_json(real.view(0).choices.possible_moves[2]))
    if "covered" in then:
        real.lay("SW-G2A", "discard")
        real.table.submit(Seat(1), notation.to_json(real.view(1).choices.possible_moves[0]))
    if then != "still in Play":
        real.take(first)
    if "restart" in then:
        real.restart()
    turn = real.state["turn"]
    real.lay(second, place)
    assert {move.card for move in real.view(turn).choices.possible_moves} == {"R1"}
    real.table.submit(Seat(turn), notation.to_json(real.view(turn).choices.possible_moves[1]))
    assert [item for item in real.discrepancies() if "hand that it came from" in item] == []


def test_a_card_laid_out_of_turn_does_not_count_by_a_nudge() -> None:
    """Ben puts his card down on Ann's turn. On his turn he must pick it up and put it down again."""
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
    """The Contractor has two discards shuffled into the deck. Their codes can be dealt and put down again."""
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


def test_a_message_about_a_laid_card_does_not_reveal_another_copy() -> None:
    """Ann taps her first card and puts down a red 1, either that card or her other red 1. Her phone says the same in
    both cases."""
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
    """Whatever card is drawn afterwards, the phone of its holder says the same about the copy that is still on the
    pile."""
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
    """A recorded red 1 is in view. The next red 1 is a different card, and so is a third one."""
    real = SystemWonTable("unseen")
    for seat, card in ((0, "SW-R1B"), (1, "SW-G2A"), (0, "SW-R1A"), (1, "SW-G3A")):
        real.lay(card, "discard")
        real.table.submit(Seat(seat), notation.to_json(real.view(seat).choices.possible_moves[0]))
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
    """If a code in the zone for showing disappears and comes again, it is still the same card, even if the card has
    copies. Phones say nothing."""
    real = SystemWonTable()
    for _ in range(2):
        real.show("SW-R1A")
    assert real.state["hands"] == [["R1"], []]
    assert real.view().notice == ""
    real.show("SW-R1B")
    assert real.state["hands"] == [["R1", "R1"], []]


@pytest.mark.parametrize("played_by", ["camera", "phone"])
def test_a_card_on_the_table_is_not_dealt_again(played_by: str) -> None:
    """Ann has played her red 1 and a draw is due. Somebody shows the red 1 to the camera: it is not dealt, and it is
    named, because everyone knows where it belongs. After it was shuffled back into the deck, it can be dealt."""
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


def test_copies_swapped_between_hand_and_table_are_equal() -> None:
    """Ann puts her other red 1 in the place of the played one. Any copy in the right place is right, and the copy that
    is now in her hand counts when it is played."""
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
    """Whatever card lies beside "Show the camera", every phone says the same."""
    mat, said = GAME.physical.components.mat, set()
    assert mat
    left, top = mat.zone("show").polygon[0]
    for card in ("SW-R1A", "SW-B5A"):
        real = SystemWonTable()
        spot = (left - 3, top + 40)
        assert mat.zone_at(spot) is None
        real.table.observe(CardSeen(t=1, code=card, zone=None, mm=spot, angle=0, change="appeared"))
        said |= {(viewer, *real.discrepancies(viewer)) for viewer in (0, 1, SPECTATOR)}
    assert said == {(who, "Pick up what is next to Show the camera, and show it there.") for who in (0, 1, SPECTATOR)}


def test_a_card_laid_in_another_turn_asks_nobody() -> None:
    """Ann puts down an unseen card but makes a specification. On Ben's turn the card is a discrepancy, and Ben is not
    asked about it."""
    real = SystemWonTable("unseen")
    real.lay("SW-R1A", "discard")
    real.move(0, move="specify", target=1, color="red", slots=[1, 3])
    real.lay("SW-R1A", "discard", "moved")
    assert [real.view(seat).choices.possible_moves for seat in (0, 1)] == [(), ()]
    assert real.discrepancies()[-1].endswith("to make it count, pick it up and put it down again on its holder’s turn.")
    real.take("SW-R1A")
    real.lay("SW-R1A", "discard")
    assert len(real.view(1).choices.possible_moves) == 5


def test_an_unread_copy_leaves_the_hand_if_the_other_copy_was_read() -> None:
    """The hand has two red 1s, and one of them was read when it was dealt. When another code is put down, the unread
    card leaves the hand, without a question."""
    real = SystemWonTable().deal()
    real.move(0, move="discard", slot=1)
    real.table.submit(None, {"seat": "house", "move": "deal", "to": 0, "card": "R1"})
    real.move(1, move="discard", slot=4)
    real.show("SW-G2A")
    real.move(0, move="arrange", order=[4, 1, 2, 3, 0])
    real.lay("SW-R1C", "discard")
    assert real.state["hands"][0].index("R1") == 3


def test_the_only_copy_of_a_hand_is_laid_whichever_it_is() -> None:
    """When a draw was undone, people put the wrong one of two red 1s back on the deck. Playing the other one still
    works."""
    real = SystemWonTable().deal()
    real.move(0, move="discard", slot=1)
    real.show("SW-R1C")
    real.table.undo(None)
    real.table.undo(None)
    assert real.state["hands"][0].count("R1") == 1
    real.lay("SW-R1C", "discard")
    assert real.state["discard"] == ["R1"]
    assert real.state["hands"][0].count("R1") == 0


def test_nobody_knows_which_of_two_copies_was_shuffled_back() -> None:
    """One copy was read when it was discarded, the other was discarded on the phone. Either may be the one that is
    still on the pile."""
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
    """One copy was played and the other was put there by mistake. Either may be picked up."""
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
    """After a draw was undone and another copy shown, and after the Engineer's undo, the copy in the hand is known."""
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
    """The two tables differ only in Ann's own hand. Whatever lies on the table, her phone says exactly the same at
    both."""
    told = []
    for hand in (("R1", "R2", "Y3", "G4", "B5"), ("Y2", "R3", "G5", "G4", "B4")):
        real = SystemWonTable().deal((*hand, *HANDS[5:]))
        real.lay("SW-Y1A", "play")
        specify(real)
        real.lay("SW-G1A", "system-green")
        real.show("SW-B3A")
        view = real.view(0)
        told.append(everything_visible(view))
    assert told[0] == told[1]


def test_which_card_leaves_a_hand_does_not_depend_on_the_other_hands() -> None:
    """Ben's red 1 was read when it was dealt. Another copy that he puts down is his unread card, whatever Ann has."""
    for own in ("SW-R1B", "SW-Y3A"):
        real = SystemWonTable()
        for card in (own, "SW-R2A", "SW-G3A", "SW-G4A", "SW-B5A", "SW-R1A", "SW-B1A", "SW-B2A", "SW-Y4A"):
            real.show(card)
        real.table.submit(None, {"seat": "house", "move": "deal", "to": 1, "card": "?"})
        real.move(0, move="specify", target=1, color="yellow", slots=[3])
        real.lay("SW-R1C", "discard")
        assert real.view(0).state["hands"][1] == ["R1", "B1", "B2", "Y4"]


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
        assert notation.from_json(GAME, 2, notation.to_json(move)) == move


def test_components_in_zones_of_another_mat_are_ignored() -> None:
    """Components that were seen in zones of the previous game's mat are ignored."""
    real = SystemWonTable().deal()
    version = real.view().version
    real.table.observe(CardSeen(t=99, code="SW-R1A", zone="zone-1", mm=(5, 5), angle=0, change="appeared"))
    assert real.view().version == version
    assert real.discrepancies(1)
