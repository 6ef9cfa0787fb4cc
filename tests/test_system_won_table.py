"""System WON on a real table: what a sighting means, what is told to whom, and three ways to have the cards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from companion.games import GAMES, notation
from companion.games.rules import REFEREE, SPECTATOR, Move, Seat
from companion.games.system_won.moves import Deal, Restore
from companion.games.view import View
from companion.match.journal import Journal
from companion.match.match import NotYourSeat
from companion.table.table import Table
from companion.tabletop.observations import CardGone, CardSeen, MatSeen
from companion.text.refusals import SetupError
from tests.rendering import english
from tests.tables import seen

GAME = GAMES["system-won"]
NAMES = ("Ann", "Ben")
HANDS = ("R1", "R2", "Y3", "G4", "B5", "R1", "Y1", "G1", "B1", "B2")
"""Ann's five, then Ben's."""


class RealTable:
    """A table with cards and a camera over its mat; `t` runs on by itself."""

    def __init__(self, dealer: str = "table", seed: str = "s", path: Path | None = None, **setup: object) -> None:
        self.path, self.table, self.t = path, Table(Journal(path)), 0.0
        options = {"roles": "none", **setup}
        self.table.start("system-won", 2, options, {"cards": dealer, "roles": "companion"}, NAMES, seed)
        self.table.observe(MatSeen(t=0, mat="MAT-SW"))
        for number in range(1, 9):
            self.lay(f"SW-SPEC{number}", "specifications")

    def restart(self) -> None:
        """The service goes down; another takes the game up from the journal, and sees the mat."""
        self.table = Table(Journal(self.path))
        self.table.observe(MatSeen(t=0, mat="MAT-SW"))

    def lay(self, thing: str, zone: str | None, change: str = "appeared", found: bool = False) -> None:
        """A thing comes to rest in the middle of a zone, or lay there as the camera started."""
        mat = GAME.physical.components.mat
        assert mat
        self.t += 1
        points = mat.zone(zone).polygon if zone else ((300.0, 1.0),)
        mm = (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
        seen = CardSeen(t=self.t, code=thing, zone=zone, mm=mm, angle=0, change=change, was_initially_present=found)  # type: ignore[arg-type]
        self.table.observe(seen)

    def take(self, thing: str) -> None:
        self.t += 1
        self.table.observe(CardGone(t=self.t, code=thing))

    def show(self, thing: str) -> None:
        """A card is shown to the camera and taken in hand."""
        self.lay(thing, "show")
        self.take(thing)

    def deal(self, faces: tuple[str, ...] = HANDS) -> RealTable:
        """Every card of both hands is shown; of each face the copies A, B, C in turn."""
        used: dict[str, int] = {}
        for face in faces:
            self.show(f"SW-{face}{'ABC'[used.get(face, 0)]}")
            used[face] = used.get(face, 0) + 1
        return self

    def move(self, seat: int, **move: object) -> None:
        self.table.submit(Seat(seat), {"seat": seat, **move})

    def view(self, viewer: Any = 0) -> View:
        view = self.table.view(viewer if isinstance(viewer, str) else Seat(viewer))
        assert view is not None
        return english(view)

    def discrepancies(self, viewer: Any = 0) -> list[str]:
        return [item.message for item in self.view(viewer).tabletop.discrepancies]

    @property
    def state(self) -> Any:
        return self.view(REFEREE).state


def test_what_lay_there_after_a_restart_is_put_right_and_no_move(tmp_path: Path) -> None:
    """Ann's card came to lie in Discards while nobody looked; taken up and laid again, it is her move."""
    real = RealTable(path=tmp_path / "journal").deal()
    before = real.view().version
    real.restart()
    real.lay("SW-R1A", "discard", found=True)
    assert real.view().version == before
    assert [item.code for item in real.view(1).tabletop.discrepancies if item.code == "SW-R1A"] == ["SW-R1A"]
    real.take("SW-R1A")
    real.lay("SW-R1A", "discard")
    assert real.view().version > before
    assert real.state["discard"] == ["R1"]


# Three ways to have the cards -----------------------------------------------------------------------------


def test_a_card_shown_to_the_camera_is_known_to_the_book_and_not_to_its_holder() -> None:
    """Scanned when drawn: others see it, its holder and spectators do not."""
    real = RealTable().deal()
    assert real.state["hands"] == [[*HANDS[:5]], [*HANDS[5:]]]
    assert real.view(0).state["hands"] == [["?"] * 5, [*HANDS[5:]]]
    assert real.view(1).state["hands"] == [[*HANDS[:5]], ["?"] * 5]
    assert real.view(SPECTATOR).state["hands"] == [["?"] * 5, ["?"] * 5]


def test_the_place_for_showing_names_no_card() -> None:
    """While it lies there every phone says the same, whatever it is; once it is taken up nothing is said."""
    said = set()
    for card in ("SW-R1A", "SW-B5A"):
        real = RealTable()
        real.lay(card, "show")
        assert real.view(REFEREE).log[-1].moves[0]["card"] == card[3:5]
        said |= {(viewer, *real.discrepancies(viewer)) for viewer in (0, 1, SPECTATOR)}
        assert {item.code for item in real.view(1).tabletop.discrepancies} == {""}
        real.take(card)
        assert real.discrepancies() == []
    assert said == {(who, "Pick up what is in Show the camera.") for who in (0, 1, SPECTATOR)}


def test_cards_that_nobody_shows_are_unseen() -> None:
    """The companion books a ? for each by itself; the camera reads a card when it is played, if it can be only one."""
    real = RealTable("unseen")
    assert real.state["hands"] == [["?"] * 5, ["?"] * 5]
    assert real.view().turn == 0
    real.lay("SW-R1A", "play")
    assert real.state["systems"]["red"] == 0, "any of five cards could be meant"
    assert real.discrepancies() == [
        "Red 1 is in Play: put it on the deck or in the hand it came from; or Ann chooses on the phone "
        "which card it was."
    ]
    real.move(0, move="play", slot=2, card="R1")
    assert real.state["systems"]["red"] == 1
    assert real.state["hands"][0] == ["?"] * 5, "the next card is unseen too"
    assert real.discrepancies() == ["Red 1 is in Play: put it in Red system."]


def test_who_laid_an_unseen_card_says_which_of_the_hand_it_was() -> None:
    """The phone of the seat in turn asks, and no other phone; what is told is booked,
    and a card that is then carried to its pile asks nothing. Where one card only can be meant nobody asks."""
    real = RealTable("unseen")
    real.move(0, move="specify", target=1, color="red", slots=[1, 3])
    real.lay("SW-R1A", "discard")
    assert real.discrepancies()[-1].endswith("; or Ben chooses on the phone which card it was.")
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
    """What not everyone may see is reported by no seat, whatever it says."""
    real = RealTable()
    assert [notation.to_json(move)["card"] for move in real.view().choices.reports] == ["?"]
    for seat in (0, 1):
        with pytest.raises(NotYourSeat, match="show it to the camera"):
            real.table.submit(Seat(seat), {"seat": "house", "move": "deal", "to": 0, "card": "R1"})
    real.table.submit(Seat(0), {"seat": "house", "move": "deal", "to": 0, "card": "?"})
    assert real.state["hands"][0] == ["?"]


def test_only_cards_can_stay_unseen() -> None:
    """Roles are dealt face up."""
    table = Table(Journal(None))
    with pytest.raises(SetupError, match="must know"):
        table.start("system-won", 2, {}, {"roles": "unseen"}, NAMES, "s")


def test_roles_dealt_at_the_table_are_seen_or_told() -> None:
    """A role card laid in its place is dealt to the seat that is due; a phone may say it too."""
    table = Table(Journal(None))
    table.start("system-won", 2, {}, {"roles": "table"}, NAMES, "s")
    mat = GAME.physical.components.mat
    assert mat
    table.observe(MatSeen(t=0, mat="MAT-SW"))
    table.observe(CardSeen(t=1, code="SW-ENG", zone="roles", mm=(400, 180), angle=0, change="appeared"))
    table.submit(Seat(1), {"seat": "house", "move": "role", "to": 1, "role": "designer"})
    assert seen(table).state["roles"] == ["engineer", "designer"]
    assert seen(table).turn == 0


# What lying down means ------------------------------------------------------------------------------------


@pytest.mark.parametrize("zone", ["play", "system-red"])
def test_a_card_laid_down_is_played_by_the_seat_in_turn(zone: str) -> None:
    """In the place to play, or straight on its system."""
    real = RealTable().deal()
    real.lay("SW-R1A", zone)
    assert real.state["systems"]["red"] == 1
    assert real.view(1).log[-1].moves[0] == {"seat": 0, "move": "play", "slot": 0}


def test_a_card_laid_on_the_discards_is_discarded() -> None:
    """By the seat in turn."""
    real = RealTable().deal()
    real.lay("SW-Y3A", "discard")
    assert real.state["discard"] == ["Y3"]


def test_a_card_on_a_wrong_pile_is_told_and_not_booked() -> None:
    """A red card on the blue system; and a card of the seat that is not in turn."""
    real = RealTable().deal()
    version = real.view().version
    real.lay("SW-R1A", "system-blue")
    real.lay("SW-B1A", "play")
    assert real.view().version == version
    assert real.discrepancies(SPECTATOR) == [
        "Red 1 is in Blue system: put it on the deck or in the hand it came from.",
        "Blue 1 is in Play: put it on the deck or in the hand it came from; or to make it count, "
        "pick it up and lay it again on its holder’s turn.",
    ]


def test_carrying_a_played_card_to_its_pile_is_no_second_play() -> None:
    """Ben holds a red 1 too: Ann's, lifted from the place to play and laid on the red system, is still Ann's."""
    real = RealTable().deal()
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


def test_a_card_laid_while_another_is_due_from_the_deck_is_told() -> None:
    """Fast hands make no ghost move: Ben's card counts once it is his turn and he lays it then."""
    real = RealTable().deal()
    real.lay("SW-R1A", "system-red")
    assert real.view().turn == "house"
    real.lay("SW-Y1A", "play")
    assert real.discrepancies() == [
        "Yellow 1 is in Play: put it on the deck or in the hand it came from; or pick it up and "
        "lay it again once the drawn card has been shown."
    ]
    real.show("SW-G2A")
    assert real.state["systems"] == {"red": 1, "yellow": 0, "green": 0, "blue": 0}
    real.take("SW-Y1A")
    real.lay("SW-Y1A", "play")
    assert real.state["systems"]["yellow"] == 1


def test_what_can_not_have_come_is_refused_in_words_that_tell_nothing() -> None:
    """Ann's B5 is shown again as Ben's draw: there is one only. Every phone hears the same of any such card."""
    notices = set()
    for card in ("SW-B5A", "SW-G4A", "SW-G4B"):
        real = RealTable().deal((*HANDS[:3], "G4", "B5", *HANDS[5:9]))
        if card == "SW-G4B":
            real.show("SW-G4B")
            real.move(0, move="discard", slot=0)
        real.lay(card, "show")
        notices |= {real.view(viewer).notice for viewer in (0, 1, SPECTATOR)}
    assert notices <= {"", "What was laid there can't be dealt now; check the table."}


# Turning over ---------------------------------------------------------------------------------------------


def turn_over(real: RealTable, thing: str, other: str, zone: str = "specifications") -> None:
    """A hand turns a card over where it lies: the other side comes to rest, then the first is missed."""
    real.lay(other, zone)
    real.take(thing)


def specify(real: RealTable) -> None:
    """Ann tells Ben of his red card."""
    real.move(0, move="specify", target=1, color="red")


def test_a_spent_specification_is_to_be_turned_over_any_of_them() -> None:
    """The phone's move comes first, the hand follows; then nothing is amiss."""
    real = RealTable().deal()
    specify(real)
    assert real.view().tabletop.physical_instructions == (), "nothing is said twice"
    assert real.discrepancies() == ["Turn over a specification card in Specifications."]
    turn_over(real, "SW-SPEC5", "SW-SPEC5X")
    assert real.discrepancies() == []
    assert real.view().tabletop.physical_instructions == (), "what the camera sees done is not asked for"


def designed() -> RealTable:
    """A Designer and an Engineer, their cards in view; Ann has told Ben of his red card, and SPEC2 lies spent."""
    real = RealTable(roles="designer,engineer").deal()
    real.lay("SW-ENG", "roles")
    real.lay("SW-DES", "roles")
    specify(real)
    assert real.discrepancies() == ["Turn over a specification card in Specifications."]
    turn_over(real, "SW-SPEC2", "SW-SPEC2X")
    assert real.discrepancies() == []
    return real


@pytest.mark.parametrize("order", ["role first", "specification first"])
def test_the_designer_restores_by_turning_one_up_and_the_role_over(order: str) -> None:
    """Either alone is no ability, both together are, in either order; a card that is only nudged was not turned."""
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
    """Nobody has turned a specification down yet: more lie front up than the book has, and none was turned up."""
    real = designed()
    real.move(1, move="specify", target=0, rank=3)
    turn_over(real, "SW-DES", "SW-DESX", "roles")
    assert (real.state["roles_used"], real.state["specifications"]) == ([], 6)
    turn_over(real, "SW-SPEC5", "SW-SPEC5X")
    assert (real.state["roles_used"], real.state["specifications"]) == ([], 6)


def test_a_specification_turned_up_for_a_discard_that_has_not_counted_restores_nothing() -> None:
    """The Designer's card lies turned over for another ability, so the discard waits; the phone settles it."""
    real = designed()
    turn_over(real, "SW-DES", "SW-DESX", "roles")
    real.lay("SW-Y1A", "discard")
    turn_over(real, "SW-SPEC2X", "SW-SPEC2")
    assert (real.state["roles_used"], real.state["specifications"], real.state["discard"]) == ([], 7, [])


@pytest.mark.parametrize("order", ["flip first", "discard first"])
def test_a_specification_turned_up_with_a_discard_uses_no_role(order: str) -> None:
    """ "This action flips a SPECIFICATION card right side up": a quick hand may do it first. Till the discard lies
    there phones say what it may be."""
    real = designed()

    def flip() -> None:
        turn_over(real, "SW-SPEC2X", "SW-SPEC2")

    def lay() -> None:
        real.lay("SW-Y1A", "discard")

    for act in (flip, lay) if order == "flip first" else (lay, flip):
        act()
        if order == "flip first" and act is flip:
            assert real.discrepancies() == [
                "Turn over a specification card in Specifications; or lay the discard, or turn the "
                "Designer’s card over too."
            ]
    assert real.state["discard"] == ["Y1"]
    assert real.state["roles_used"] == []
    assert real.state["specifications"] == 8
    assert not [says for says in real.discrepancies() if "Turn over" in says]


def test_a_specification_turned_down_before_the_phone_is_used_is_explained() -> None:
    """The phone still has to say what was told; when it has, nothing is amiss."""
    real = RealTable().deal()
    turn_over(real, "SW-SPEC5", "SW-SPEC5X")
    assert real.discrepancies() == [
        "Turn over a specification card in Specifications; or enter the specification on the phone."
    ]
    specify(real)
    assert real.discrepancies() == []


def test_a_card_laid_while_a_role_waits_for_a_word_is_not_booked() -> None:
    """The Engineer's card is turned over and Ben's card, which Ann in turn could hold too, is laid: no play of hers."""
    real = designed()
    version = real.view().version
    turn_over(real, "SW-ENG", "SW-ENGX", "roles")
    assert "Turn over the Engineer in Roles; or its holder reports the ability on the phone." in real.discrepancies()
    real.lay("SW-Y1A", "play")
    assert real.view().version == version
    engineer = real.state["roles"].index("engineer")
    other = 1 - engineer
    slot = real.state["hands"][other].index(HANDS[5 * other])
    real.move(engineer, move="ability", use="play_other", target=other, slot=slot)
    assert real.state["roles_used"] == ["engineer"]


@pytest.mark.parametrize("restarted", [False, True])
def test_the_very_copy_that_was_laid_leaves_the_hand(restarted: bool, tmp_path: Path) -> None:
    """Two red 1s in a hand, one of them laid: that one goes, wherever it was moved to, and the same card of another
    hand is no play of this one; after a restart too."""
    real = RealTable(path=tmp_path / "journal").deal()
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
    """Ann's red 1 was played and still lies in Play, or is in the hand that carries it; Ben discards his."""
    real = RealTable().deal()
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
    """Ann taps her first red 1 and lays the second: nothing is amiss, and straightening it is no move on her next turn,
    nor does it matter to the one that she still holds."""
    real = RealTable().deal(("R1", "R2", "Y3", "G4", "R1", *HANDS[6:], "B4"))
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
    """Which code was laid is kept: another one is another card, wherever the first is now."""
    real = RealTable("unseen", path=tmp_path / "journal")
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
    """Ben lays his card while it is Ann's turn; when it is his, he takes it up and lays it again."""
    real = RealTable().deal()
    real.lay("SW-Y1A", "play")
    real.move(0, move="discard", slot=1)
    real.show("SW-G2A")
    assert real.state["turn"] == 1
    real.lay("SW-Y1A", "play", "moved")
    assert real.state["systems"]["yellow"] == 0
    real.take("SW-Y1A")
    real.lay("SW-Y1A", "play")
    assert real.state["systems"]["yellow"] == 1


def test_a_card_that_was_shuffled_back_is_followed_anew() -> None:
    """The Contractor has two discards shuffled into the deck: the code is on the table no more, is dealt again, and
    counts when it is laid again."""
    real = RealTable(roles="contractor,engineer").deal()
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


def test_what_is_said_of_a_laid_card_does_not_tell_whether_its_holder_has_another() -> None:
    """Ann taps her first card and lays a red 1, which was that card or her other red 1; wherever it lies, and with what
    she holds besides, her phone says the same."""
    for zone in ("play", "discard", "system-red", "errors", "system-blue", None):
        said = []
        for hand, laid in ((("R1A", "R2A", "Y3A", "G4A", "R1B"), "R1B"), (("R1B", "R2A", "Y3A", "G4A", "B5A"), "R1B")):
            real = RealTable()
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
    """Whatever is drawn after that, its holder's phone says the same of the one that still lies there."""
    said = []
    for drawn in ("SW-R1A", "SW-B3A"):
        real = RealTable(roles="contractor,engineer").deal()
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


def test_the_code_that_is_kept_is_that_of_the_card_that_was_asked_about() -> None:
    """A red 1 that was booked long ago lies in view: the next one is another, and so is a third."""
    real = RealTable("unseen")
    for seat, card in ((0, "SW-R1B"), (1, "SW-G2A"), (0, "SW-R1A"), (1, "SW-G3A")):
        real.lay(card, "discard")
        real.table.submit(Seat(seat), notation.to_json(real.view(seat).choices.possible_moves[0]))
    real.take("SW-R1A")
    real.lay("SW-R1C", "discard")
    assert len(real.view(0).choices.possible_moves) == 5


@pytest.mark.parametrize("by", ["the phone", "the Engineer"])
def test_what_was_taken_back_does_not_count_by_a_nudge(by: str) -> None:
    """It is laid anew, as the phones say."""
    real = RealTable(roles="engineer,designer").deal()
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
    """A code that flickers in the place for showing is one card, of which there are others too; nothing is said."""
    real = RealTable()
    for _ in range(2):
        real.show("SW-R1A")
    assert real.state["hands"] == [["R1"], []]
    assert real.view().notice == ""
    real.show("SW-R1B")
    assert real.state["hands"] == [["R1", "R1"], []]


def test_what_was_laid_in_another_turn_is_put_right_and_asks_nobody() -> None:
    """Ann lays a card nobody has seen, tells Ben something instead, and it is Ben's turn: his it was not."""
    real = RealTable("unseen")
    real.lay("SW-R1A", "discard")
    real.move(0, move="specify", target=1, color="red", slots=[1, 3])
    real.lay("SW-R1A", "discard", "moved")
    assert [real.view(seat).choices.possible_moves for seat in (0, 1)] == [(), ()]
    assert real.discrepancies()[-1].endswith("to make it count, pick it up and lay it again on its holder’s turn.")
    real.take("SW-R1A")
    real.lay("SW-R1A", "discard")
    assert len(real.view(1).choices.possible_moves) == 5


def test_a_copy_that_was_not_read_is_none_that_was() -> None:
    """The other red 1 of the hand is known to be another card: the unread one goes, and nothing is guessed."""
    real = RealTable().deal()
    real.move(0, move="discard", slot=1)
    real.table.submit(None, {"seat": "house", "move": "deal", "to": 0, "card": "R1"})
    real.move(1, move="discard", slot=4)
    real.show("SW-G2A")
    real.move(0, move="arrange", order=[4, 1, 2, 3, 0])
    real.lay("SW-R1C", "discard")
    assert real.state["hands"][0].index("R1") == 3


def test_the_only_copy_of_a_hand_is_laid_whichever_it_is() -> None:
    """Of two red 1s people put the wrong one back on the deck when a draw was taken back; the other is played."""
    real = RealTable().deal()
    real.move(0, move="discard", slot=1)
    real.show("SW-R1C")
    real.table.undo(None)
    real.table.undo(None)
    assert real.state["hands"][0].count("R1") == 1
    real.lay("SW-R1C", "discard")
    assert real.state["discard"] == ["R1"]
    assert real.state["hands"][0].count("R1") == 0


def test_nobody_knows_which_of_two_copies_was_shuffled_back() -> None:
    """One was read as it was laid, the other was discarded on the phone. Whichever is left is right where it lies."""
    real = RealTable(roles="contractor,engineer").deal(("R1", "R2", "Y3", "G4", "R1", *HANDS[5:]))
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
    """One was played, the other laid there by mistake: whichever is taken up, the other is as good."""
    real = RealTable().deal(("Y3", "R2", "R1", "G4", "B5", "Y3", "Y1", "G1", "B1", "B2"))
    real.lay("SW-Y3A", "play")
    real.lay("SW-Y3B", "play")
    real.take(taken)
    assert real.discrepancies() == ["Yellow 3 is in Play: put it in Errors."]
    real.show("SW-G2A")
    real.lay("SW-Y3A" if taken == "SW-Y3B" else "SW-Y3B", "errors", "moved")
    assert real.discrepancies() == []
    assert real.state["errors"] == ["Y3"]


def test_a_copy_is_followed_through_what_is_taken_back() -> None:
    """A draw taken back and shown as another copy, and the Engineer's undo: it is known which copy lies in the hand."""
    real = RealTable(roles="engineer,designer").deal()
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


# Two worlds -----------------------------------------------------------------------------------------------


def test_two_tables_that_a_seat_can_not_tell_apart_tell_it_the_same() -> None:
    """Ann's own hand differs, nothing else; whatever lies where, her phone says the same to the letter."""
    told = []
    for hand in (("R1", "R2", "Y3", "G4", "B5"), ("Y2", "R3", "G5", "G4", "B4")):
        real = RealTable().deal((*hand, *HANDS[5:]))
        real.lay("SW-Y1A", "play")
        specify(real)
        real.lay("SW-G1A", "system-green")
        real.show("SW-B3A")
        view = real.view(0)
        told.append(
            (
                view.state,
                view.choices.legal,
                view.tabletop.discrepancies,
                view.log,
                view.tabletop.physical_instructions,
                view.notice,
                view.prompt,
                view.meters,
            )
        )
    assert told[0] == told[1]


def test_which_card_leaves_a_hand_does_not_depend_on_the_other_hands() -> None:
    """Ben's red 1 was read as it was dealt: another copy that he lays is the card that was not, whatever Ann holds."""
    for own in ("SW-R1B", "SW-Y3A"):
        real = RealTable()
        for card in (own, "SW-R2A", "SW-G3A", "SW-G4A", "SW-B5A", "SW-R1A", "SW-B1A", "SW-B2A", "SW-Y4A"):
            real.show(card)
        real.table.submit(None, {"seat": "house", "move": "deal", "to": 1, "card": "?"})
        real.move(0, move="specify", target=1, color="yellow", slots=[3])
        real.lay("SW-R1C", "discard")
        assert real.view(0).state["hands"][1] == ["R1", "B1", "B2", "Y4"]


# On phones alone ------------------------------------------------------------------------------------------


def test_without_a_camera_and_cardboard_nobody_is_sent_to_the_table() -> None:
    """Dealt by the companion, the whole game is on the phones, though a camera may see the bare mat; where a card of it
    lies on the table, hands are told."""
    table = Table(Journal(None))
    table.start("system-won", 2, {"roles": "none"}, {}, NAMES, "s")
    table.submit(Seat(0), {"seat": 0, "move": "discard", "slot": 0})
    assert seen(table).tabletop.physical_instructions == ()
    table.observe(MatSeen(t=0, mat="MAT-SW"))
    assert (seen(table).tabletop.physical_instructions, seen(table).tabletop.discrepancies) == ((), ())
    assert seen(table).tabletop.is_on_phones, "a bare table is not right or wrong: it is not used"
    table.observe(CardSeen(t=1, code="SW-SPEC1", zone="specifications", mm=(50, 30), angle=0, change="appeared"))
    assert (seen(table).tabletop.physical_instructions, len(seen(table).tabletop.discrepancies)) == ((), 2)
    assert seen(table).tabletop.discrepancies
    assert not seen(table).tabletop.is_on_phones


def test_the_moves_named_here_are_moves_of_the_game() -> None:
    """What a sighting makes can be written down and read again."""
    moves: list[Move] = [Restore(seat=Seat(0)), Deal(to=Seat(0), card="R1")]  # type: ignore[arg-type]
    for move in moves:
        assert notation.from_json(GAME, 2, notation.to_json(move)) == move


def test_things_in_places_of_another_mat_trouble_nobody() -> None:
    """What was seen on the mat of the game before is no place of this one."""
    real = RealTable().deal()
    version = real.view().version
    real.table.observe(CardSeen(t=99, code="SW-R1A", zone="zone-1", mm=(5, 5), angle=0, change="appeared"))
    assert real.view().version == version
    assert real.discrepancies(1)
