"""Commute on a real table: what a sighting means and what each player is told, with printed cards and with phones
only."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from companion.games import GAMES, move_json
from companion.games.commute.board_reader import boards
from companion.games.commute.components import piece_component
from companion.games.commute.mat import SPACE_RADIUS, space_center
from companion.games.commute.reachability import walk_ends
from companion.games.commute.suits_and_ranks import title
from companion.games.rules import REFEREE, SPECTATOR, Seat
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import CardHidden, CardInView, CardSeen, MatSeen
from tests.manual_clock import ManualClock
from tests.scripted_camera_table import ScriptedCameraTable, everything_visible
from tests.systems_failing_tables import hasty_clock

GAME = GAMES["commute"]
BOARD = boards()["metropolis"]
MAT = GAME.physical.components.mat
assert MAT is not None
NAMES = ("Ann", "Ben")
DECK = ("2H", "2S", "5D", "3C", "7H", "9S", "AH", "AD", "4H")
"""Ann's three cards, Ben's three, and the cards drawn afterwards."""
ANN, BEN, BEN_AT_H5 = "CM-P1", "CM-P2", "CM-P5"


class CommuteTable(ScriptedCameraTable):
    """A table with a mat under a camera and both pieces at their houses. The time `t` advances by itself."""

    def __init__(self, cards: str = "companion", uh_oh: str = "companion", **setup: object) -> None:
        self.journal = Journal(None)
        super().__init__(self.journal)
        options = {"deck": [*DECK], **setup}
        self.table.start("commute", 2, options, {"cards": cards, "uh_oh": uh_oh}, NAMES, "s")
        self.table.observe(MatSeen(t=0, mat="MAT-CM"))
        self.lay(ANN, "h1")
        self.lay(BEN, "h2")

    def lay(self, code: str, zone: str | None, change: str = "appeared", found: bool = False) -> None:
        """Lets the camera see a component come to rest in the middle of a zone. With `found`, the component was there
        when the camera started."""
        self.t += 1
        mm = _middle(zone) if zone else (365.0, 1.0)
        seen = CardSeen(t=self.t, code=code, zone=zone, mm=mm, angle=0, change=change, was_initially_present=found)  # type: ignore[arg-type]
        self.table.observe(seen)

    def restart(self) -> None:
        """Stops the service. A new one, with a clock that stands still, resumes the game from the journal and sees the
        mat."""
        self.clock = ManualClock()
        self.table = Table(self.journal, self.clock)
        self.table.observe(MatSeen(t=0, mat="MAT-CM"))

    def show(self, *cards: str) -> CommuteTable:
        """Shows cards to the camera, and takes each into the hand that is due a card."""
        for card in cards:
            self.lay(f"CM-{card}", "show")
            self.take(f"CM-{card}")
        return self

    def play_5(self, space: str) -> None:
        """Lays Ann's 5 on the discard pile and moves her piece to `space`."""
        self.lay("CM-5D", "discard")
        self.lay(ANN, space, "moved")

    def reach(self, seat: int) -> dict[str, list[str]]:
        """For each space, the cards with which the player in turn can reach it."""
        found: dict[str, list[str]] = {}
        for move in self.view(seat).choices.legal:
            value = move_json.to_json(move)
            found.setdefault(value["to"], []).append(value["card"])
        return found

    def by_one(self, seat: int, card: str) -> str:
        """A space that only this card of the hand reaches. It is not an “Uh-Oh!” space, and there is no piece on it."""
        taken = self.state["positions"]
        plain = (s for s, by in self.reach(seat).items() if by == [card] and s not in taken)
        return next(s for s in plain if BOARD.spaces[s].kind != "uh_oh")

    @property
    def last(self) -> dict[str, Any]:
        return move_json.to_json(self.view(REFEREE).log[-1].moves[0])


def _middle(zone: str) -> tuple[float, float]:
    assert MAT
    points = MAT.zone(zone).polygon
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def test_every_space_has_a_place_of_its_own() -> None:
    """Around the center of each space there is room for a piece, outside of other zones, piles and corner codes."""
    assert MAT
    for space in BOARD.spaces:
        x, y = space_center(BOARD, space)
        turns = [number * math.pi / 8 for number in range(16)]
        near = 0.9 * SPACE_RADIUS
        assert {MAT.zone_at((x + near * math.cos(turn), y + near * math.sin(turn))) for turn in turns} == {space}
        assert all(math.dist((x, y), corner.center) > SPACE_RADIUS + corner.code_mm for corner in MAT.corners)
    names = Counter(zone.name for zone in MAT.zones)
    assert set(names) == {*BOARD.spaces, "deck", "discard", "show", "uh-oh-deck", "uh-oh"}
    assert set(names.values()) == {1}


def test_only_what_is_shown_is_secret() -> None:
    """Only the zone for showing cards is secret; all other zones are public."""
    assert MAT
    assert [zone.name for zone in MAT.zones if zone.secret] == ["show"]


def test_the_workplace_has_room_for_all() -> None:
    """Five pieces of 34 mm in two rows fit on the workplace, each with its center in the zone."""
    assert MAT
    x, y = space_center(BOARD, BOARD.work)
    places = [(x + across * 34, y + 14) for across in (-1, 0, 1)] + [
        (x + across * 34, y - 20) for across in (-0.5, 0.5)
    ]
    assert {MAT.zone_at(place) for place in places} == {BOARD.work}


def test_a_board_of_ones_own_brings_its_own_mat() -> None:
    """The mat of a user's own board has the usual corners and piles, but its own spaces. It is cached, so every use of
    the game gets the same object."""
    own = {"file": "town.toml", "text": TOWN}
    start = GAME.rules.begin(2, {"board": own})
    assert start.components
    mat = GAME.on_board(start).physical.components.mat
    assert mat
    assert MAT
    assert mat.corners == MAT.corners
    assert {zone.name for zone in mat.zones} - {"deck", "discard", "show", "uh-oh-deck", "uh-oh"} == {
        *("s1", "s2", "h1", "h2", "work")
    }
    assert all(0 <= x <= mat.size[0] and 0 <= y <= mat.size[1] for zone in mat.zones for x, y in zone.polygon)
    assert GAME.rules.begin(2, {}).components is GAME.rules.begin(2, {}).components


TOWN = """
[board]
name = "town"
[streets]
s1 = [100, 100, 1]
s2 = [200, 100, 2]
[houses]
h1 = [20, 100]
h2 = [100, 20]
[work]
work = [300, 100]
[roads]
main-street = ["h1", "s1", "s2", "work"]
mill-lane = ["h2", "s1"]
"""


PIECE_MOVED = "Ann: now put the card on the discards or choose it on the phone, or put the amber piece back."
"""What every phone says after Ann has moved her piece, but has laid no card."""


def card_laid(name: str) -> str:
    """What every phone says after Ann has laid a card but has not moved her piece."""
    return f"Ann: now move the amber piece, or pick up the {name} again."


def test_a_piece_alone_never_plays_a_hidden_card() -> None:
    """A moved piece alone makes no move, even if only one card takes Ann's piece to that space, because the piece may
    be one space off. Until she lays a card, phones say what is missing, and there is no discrepancy."""
    for space in (CommuteTable().by_one(0, "5D"), next(iter(CommuteTable().reach(0)))):
        real = CommuteTable()
        version = real.view().version
        real.lay(ANN, space, "moved")
        assert real.view().version == version
        assert [(real.begun(viewer), real.discrepancies(viewer)) for viewer in (0, 1, SPECTATOR)] == [
            (PIECE_MOVED, [])
        ] * 3
    real.lay(ANN, "h1", "moved")
    assert (real.begun(), real.discrepancies()) == (None, []), "she has put it back"


def test_the_card_for_a_moved_piece_may_be_laid_or_chosen_on_the_phone() -> None:
    """If Ann has two 2s, the card on the discard pile says which one she has played. Without printed cards, her phone,
    and no other, offers the cards of her hand that take the piece there."""
    real = CommuteTable()
    space = next(space for space, cards in real.reach(0).items() if cards == ["2H", "2S"])
    real.lay(ANN, space, "moved")
    offered = [move_json.to_json(move) for move in real.view(0).choices.possible_moves]
    assert offered == [{"seat": 0, "move": "travel", "card": card, "to": space} for card in ("2H", "2S")]
    assert real.view(1).choices.possible_moves == real.view(SPECTATOR).choices.possible_moves == ()
    real.lay("CM-2S", "discard")
    assert real.last == {"seat": 0, "move": "travel", "card": "2S", "to": space}


def test_a_piece_on_a_space_that_no_card_reaches_is_put_back() -> None:
    """A piece on a space that no card from 1 to 10 reaches does not count as a begun move, and must be put back."""
    real = CommuteTable()
    ends = {end for ends in walk_ends(BOARD, BOARD.work, frozenset(), "h1") for end in ends}
    space = next(space for space in BOARD.spaces if space not in {*ends, "h1", "h2"})
    real.lay(ANN, space, "moved")
    assert real.begun() is None
    assert [said.rpartition(": ")[2] for said in real.discrepancies()] == ["put it in house A."]


def test_a_piece_moved_in_an_earlier_turn_counts_for_no_card() -> None:
    """If Ben's piece was moved on Ann's turn, it does not count on his own turn: a card alone is only half a move, and
    he must move the piece too."""
    real = CommuteTable()
    real.move(0, move="travel", card="5D", to=real.by_one(0, "5D"))
    space = real.by_one(1, "7H")
    real = CommuteTable()
    real.lay(BEN, space, "moved")
    real.move(0, move="travel", card="5D", to=real.by_one(0, "5D"))
    version = real.view().version
    real.lay("CM-7H", "discard")
    assert real.view().version == version
    assert real.begun() == "Ben: now move the violet piece, or pick up the 7 of hearts again."
    real.lay(BEN, space)
    assert real.last == {"seat": 1, "move": "travel", "card": "7H", "to": space}


def play_at_random(real: CommuteTable, rng: Random) -> None:
    """Makes a random move, or goes on after a pause."""
    view = real.view()
    if isinstance(view.turn, int):
        real.table.submit(Seat(view.turn), move_json.to_json(rng.choice(real.view(view.turn).choices.legal)))
    else:
        real.table.proceed(Seat(0))


@pytest.mark.slow
def test_a_piece_laid_for_an_earlier_turn_begins_no_move_in_the_next_one() -> None:
    """Once Ann has arrived, Ben moves in each turn. His piece has not been moved for the next turn if it still lies
    where he laid it for the last one."""
    real = CommuteTable()
    rng = Random("alone")
    while not (real.view().turn == 1 and real.state["arrived"] == [True, False]):
        seat = real.view().turn
        state = real.table._game.match.state  # type: ignore[union-attr]  # a match is in progress
        legal = real.view(seat).choices.legal
        move = GAME.policies.by_name["random" if seat else "careful"](state, Seat(seat), legal, rng)
        real.table.submit(Seat(seat), move_json.to_json(move))
    real.lay(BEN, real.state["positions"][1], found=True)
    card = real.view(1).choices.legal[0].card  # type: ignore[attr-defined]  # a travel move
    space = real.by_one(1, card)
    real.lay(f"CM-{card}", "discard")
    real.lay(BEN, space, "moved")
    assert real.last["to"] == space
    assert real.view().turn == 1
    card = real.view(1).choices.legal[0].card  # type: ignore[attr-defined]  # a travel move
    real.move(1, move="travel", card=card, to=real.by_one(1, card))
    assert real.view().turn == 1
    assert real.begun() is None


def test_the_card_may_be_laid_first() -> None:
    """A card on the discard pile is half a move. Phones say what is missing until the player moves the piece."""
    real = CommuteTable()
    space = next(space for space, cards in real.reach(0).items() if cards == ["2H", "2S"])
    version = real.view().version
    real.lay("CM-2H", "discard")
    assert real.view().version == version
    assert (real.begun(), real.discrepancies()) == (card_laid("2 of hearts"), [])
    real.lay(ANN, space, "moved")
    assert real.last["card"] == "2H"
    assert real.discrepancies() == []


def stray(name: str) -> str:
    """The discrepancy about a card that is on the discard pile but was not played."""
    return f"The {name} is in Discards: put it face down on the deck, or in the hand it came from."


def test_a_wrong_card_among_the_discards_is_named_alike_whoever_holds_it() -> None:
    """The message about a wrong card on the discard pile is the same whether it is from the player's hand, another hand
    or the deck, so it reveals nobody's hand. If the player then moves the piece by its value, the card must go back."""
    for card in ("2H", "7H", "10S"):
        real = CommuteTable()
        held = [seat for seat, hand in enumerate(real.state["hands"]) if card in hand]
        assert held == {"2H": [0], "7H": [1], "10S": []}[card]
        real.lay(f"CM-{card}", "discard")
        for viewer in (0, 1, SPECTATOR):
            assert (real.begun(viewer), real.discrepancies(viewer)) == (card_laid(title(card)), [])
        if held != [0]:
            value = 7 if card == "7H" else 10
            space = walk_ends(BOARD, BOARD.work, frozenset(), "h1")[value - 1][0]
            real.lay(ANN, space, "moved")
            for viewer in (0, 1, SPECTATOR):
                assert real.begun(viewer) is None
                assert stray(title(card)) in real.discrepancies(viewer)


def test_a_card_that_does_not_take_the_piece_there_is_no_move() -> None:
    """If the card on the discard pile does not take the piece to its new space, nothing is recorded, and the phones say
    so. If the piece goes back, the card is half a move."""
    real = CommuteTable()
    space, version = real.by_one(0, "5D"), real.view().version
    real.lay("CM-2H", "discard")
    real.lay(ANN, space, "moved")
    assert real.view().version == version
    wrong = "Ann: the 2 of hearts does not take the amber piece there. Move it on, or pick up the 2 of hearts again."
    assert (real.begun(), real.discrepancies()) == (wrong, [])
    real.lay(ANN, "h1", "moved")
    assert (real.begun(), real.discrepancies()) == (card_laid("2 of hearts"), [])


def test_a_piece_that_walks_space_by_space_may_rest_between_them() -> None:
    """A piece that rests between two spaces, after its card was laid, is on its way."""
    real = CommuteTable()
    space = real.by_one(0, "5D")
    real.lay("CM-5D", "discard")
    real.lay(ANN, None, "moved")
    assert (real.begun(), real.discrepancies()) == (card_laid("5 of diamonds"), [])
    real.lay(ANN, space, "moved")
    assert (real.last["card"], real.last["to"]) == ("5D", space)


def test_a_card_of_another_hand_does_not_hide_the_card_below_it() -> None:
    """Ben puts his card on Ann's before she has moved her piece. When she moves it, she has played her own card."""
    real = CommuteTable()
    space = real.by_one(0, "5D")
    real.lay("CM-5D", "discard")
    real.lay("CM-9S", "discard")
    real.lay(ANN, space, "moved")
    assert (real.last["seat"], real.last["card"], real.last["to"]) == (0, "5D", space)


def test_a_card_for_an_earlier_move_on_a_phone_may_come_late() -> None:
    """Ann enters her move on the phone, and puts down her card only after Ben has put down his. Ben's move counts."""
    real = CommuteTable()
    real.move(0, move="travel", card="5D", to=real.by_one(0, "5D"))
    space = real.by_one(1, "7H")
    for code in ("CM-7H", "CM-5D"):
        real.lay(code, "discard")
    real.lay(BEN, space, "moved")
    assert (real.last["seat"], real.last["card"], real.last["to"]) == (1, "7H", space)


def test_a_player_names_an_unclear_card_on_the_phone() -> None:
    """If the piece has moved but the card is unclear, the player enters the card on the phone, and the discrepancy
    disappears."""
    real = CommuteTable()
    space = next(space for space, cards in real.reach(0).items() if cards == ["2H", "2S"])
    real.lay(ANN, space, "moved")
    real.move(0, move="travel", card="2S", to=space)
    assert real.discrepancies() == []


def test_a_walk_that_ends_where_it_began_is_entered_on_the_phone() -> None:
    """A walk that ends where it began must be entered on the phone, because it moves no piece, and a card on the
    discard pile may belong to another walk."""
    ways = walk_ends(BOARD, BOARD.work, frozenset(), "s1")
    start, steps = next(
        (space, steps)
        for space in ways[4]
        for steps, ends in enumerate(walk_ends(BOARD, BOARD.work, frozenset(), space), 1)
        if space in ends and BOARD.spaces[space].kind != "uh_oh" and space != BOARD.work and steps != 6
    )
    card = f"{'A' if steps == 1 else steps}C"
    real = CommuteTable(deck=["6D", card, "2S", "2H", "2D", "3S", "8H", "8D"])
    real.lay("CM-6D", "discard")
    real.lay(ANN, start, "moved")
    assert real.state["positions"][0] == start
    real.move(1, **{k: v for k, v in move_json.to_json(real.view(1).choices.legal[0]).items() if k != "seat"})
    version = real.view().version
    assert real.view().turn == 0
    real.lay(f"CM-{card}", "discard")
    real.lay(ANN, start, "moved")
    assert real.view().version == version
    real.move(0, move="travel", card=card, to=start)
    assert real.state["positions"][0] == start


@pytest.mark.parametrize("change", ["appeared", "moved"])
def test_another_players_piece_is_never_a_move(change: str) -> None:
    """Moving Ben's piece on Ann's turn is a discrepancy and never a move."""
    real = CommuteTable()
    version, space = real.view().version, real.by_one(0, "5D")
    real.lay(BEN, space, change)
    real.lay(ANN, "h1", "moved")
    real.lay(ANN, None, "moved")
    assert real.view().version == version
    assert f"The violet piece is in space {space}: put it in house B." in real.discrepancies()


def test_a_piece_turned_on_its_space_is_no_move() -> None:
    """A piece that is rotated on its space makes no move."""
    real = CommuteTable()
    version = real.view().version
    real.lay(ANN, real.by_one(0, "5D"), "turned")
    assert real.view().version == version


def test_a_piece_moved_while_the_house_deals_is_not_recorded() -> None:
    """A piece that is moved while a card is due is not recorded. Ben's piece counts only when it is put down after Ann
    has drawn."""
    real = CommuteTable(cards="table").show(*DECK[:6])
    space = real.by_one(0, "5D")
    real.lay("CM-5D", "discard")
    real.lay(ANN, space, "moved")
    assert real.view().turn == "house"
    real.lay(BEN, "s20", "moved")
    assert real.discrepancies() == ["The violet piece is in space s20: put it in house B."]
    real.show("AH")
    assert real.view().turn == 1
    assert real.state["positions"][1] == "h2"
    space = real.by_one(1, "7H")
    real.lay("CM-7H", "discard")
    real.lay(BEN, space, "moved")
    assert real.last["to"] == space


def test_a_piece_that_is_bumped_is_moved_by_the_newcomer() -> None:
    """If Ben lands on Ann's space, moving Ann's piece by the value of one of Ben's cards counts as the bump."""
    real = CommuteTable(houses=["h1", "h5"], deck=["5D", "2H", "2S", "4C", "8H", "9S"])
    reached = {to for to, by in real.reach(0).items() if by == ["5D"]}
    for space in sorted(reached):
        real = CommuteTable(houses=["h1", "h5"], deck=["5D", "2H", "2S", "4C", "8H", "9S"])
        real.lay("CM-P5", "h5")
        real.play_5(space)
        if real.view().turn == 1 and real.reach(1).get(space, []) in (["4C"], ["8H"], ["9S"]):
            break
    else:
        pytest.fail("no space where the two meet")
    (card,) = real.reach(1)[space]
    real.lay(f"CM-{card}", "discard")
    real.lay("CM-P5", space, "moved")
    assert real.state["pending"] == {"kind": "bump", "seat": 1, "target": 0}
    on, (card,) = next(item for item in real.reach(1).items() if len(item[1]) == 1 and item[0] not in (space, "work"))
    real.lay(ANN, on, "moved")
    assert (
        real.begun() == "Ben: now put the card on the discards or choose it on the phone, or put the amber piece back."
    )
    real.lay(f"CM-{card}", "discard")
    assert real.last["move"] == "bump"
    assert (real.last["seat"], real.last["to"]) == (1, on)


@pytest.mark.parametrize("order", [(BEN_AT_H5, ANN), (ANN, BEN_AT_H5)])
def test_both_cards_of_a_bump_may_be_laid_before_a_piece_moves(order: tuple[str, str]) -> None:
    """Ben puts down his card and the one that sends Ann's piece on, and then moves both pieces, in any order. Each card
    counts for its own piece, although the second one would take Ben's piece there, too."""
    real = CommuteTable(houses=["h1", "h5"], deck=["5D", "2H", "2S", "4C", "4H", "9S"])
    real.lay(BEN_AT_H5, "h5")
    space = next(to for to in sorted(real.reach(0)) if to in fours("h5"))
    real.move(0, move="travel", card=real.reach(0)[space][0], to=space)
    real.lay(ANN, space, "moved")
    on = next(to for to in fours(space) if to not in (space, "work"))
    for card in ("CM-4C", "CM-4H"):
        real.lay(card, "discard")
    for piece in order:
        real.lay(piece, {BEN_AT_H5: space, ANN: on}[piece], "moved")
    moves = [move_json.to_json(entry.moves[0]) for entry in real.view(REFEREE).log[-2:]]
    assert [(move["move"], move["card"], move["to"]) for move in moves] == [("travel", "4C", space), ("bump", "4H", on)]


def fours(start: str) -> list[str]:
    """The spaces that a card of value 4 reaches."""
    return walk_ends(BOARD, BOARD.work, frozenset(), start)[3]


def test_a_chosen_house_brings_its_piece() -> None:
    """Ben lives in house E, so his piece is the brown one."""
    real = CommuteTable(houses=["h1", "h5"])
    assert real.discrepancies() == [
        "The violet piece is in house B: put it in the box.",
        "Put the brown piece in house E.",
    ]


def test_with_more_houses_than_pieces_every_seat_has_a_piece() -> None:
    """If there are more houses than piece colors, each seat gets the piece with its own number."""
    crowded = replace(BOARD, houses=(*BOARD.houses, "s1"))
    assert [piece_component(BOARD, 0, "h3"), piece_component(crowded, 0, "h3"), piece_component(crowded, 1, "s1")] == [
        "CM-P3",
        "CM-P1",
        "CM-P2",
    ]


def test_a_card_shown_is_dealt_to_whom_it_is_due() -> None:
    """A card that is shown to the camera is dealt to the player who is due one. Only that player and the referee know
    it."""
    real = CommuteTable(cards="table").show(*DECK[:6])
    assert real.state["hands"] == [[*DECK[:3]], [*DECK[3:6]]]
    assert real.view(1).state["hands"] == [["?"] * 3, [*DECK[3:6]]]
    assert real.view(SPECTATOR).state["hands"] == [["?"] * 3] * 2
    for viewer, visible in ((0, True), (1, False), (SPECTATOR, False)):
        assert ("the 2 of hearts" in str([act.words for act in real.view(viewer).log])) == visible


def test_the_place_for_showing_names_no_card() -> None:
    """While a card is in the zone for showing, what the phones say does not depend on the card."""
    said = set()
    for card in ("CM-2H", "CM-10S"):
        real = CommuteTable(cards="table")
        real.lay(card, "show")
        said |= {(viewer, *real.discrepancies(viewer), real.view(viewer).notice) for viewer in (1, SPECTATOR)}
    assert said == {(who, "Pick up what is in “Show the camera”.", "") for who in (1, SPECTATOR)}


def test_a_piece_at_the_place_for_showing_is_named() -> None:
    """A spare piece in or beside the zone for showing is no hidden card. It is named, and can be ignored. A piece of
    the game belongs at its place."""
    real = CommuteTable()
    real.lay("CM-P4", "show")
    assert real.discrepancies() == ["The rose piece is in Show the camera: put it in the box."]
    real.table.observe(CardSeen(t=9, code="CM-P4", zone=None, mm=(30, 390), angle=0, change="moved"))
    assert real.discrepancies() == ["The rose piece is next to Show the camera: put it in the box."]
    real.table.ignore(Seat(1), "CM-P4")
    assert real.discrepancies() == []
    real.lay(BEN, "show", "moved")
    assert real.discrepancies() == ["The violet piece is in Show the camera: put it in house B."]


def test_cards_that_nobody_shows_are_known_when_they_are_played() -> None:
    """If cards are dealt face down, a moved piece could mean any card. The card on the discard pile says which card was
    played."""
    real = CommuteTable(cards="unseen")
    assert real.state["hands"] == [["?"] * 3] * 2
    version = real.view().version
    real.lay(ANN, "s4", "moved")
    assert real.view().version == version
    value = next(card for card in real.reach(0)["s4"])
    real.lay(f"CM-{value}", "discard")
    assert real.last == {"seat": 0, "move": "travel", "card": value, "to": "s4"}


def test_a_card_laid_too_early_counts_when_it_is_laid_again_after_a_restart() -> None:
    """Ben lays his 7 too early, and the service restarts. When he takes it up, the camera reads the card below it for
    the first time, and only loses sight of the 7. Nobody has laid the card below. Ben then lays the 7 for his move; the
    camera finds it where it lay before."""
    real = CommuteTable()
    space = real.by_one(0, "5D")
    real.play_5(space)
    real.restart()
    real.lay(ANN, space, found=True)
    real.lay(BEN, "h2", found=True)
    real.lay("CM-7H", "discard", found=True)
    real.lay("CM-5D", "discard")
    real.table.observe(CardHidden(t=real.t + 3, code="CM-7H"))
    real.clock.now += 10
    to = real.by_one(1, "7H")
    real.take("CM-5D")
    real.table.observe(CardInView(t=real.t, code="CM-7H"))
    real.clock.now += 10
    assert real.discrepancies() == []
    real.lay(BEN, to, "moved")
    assert real.last == {"seat": 1, "move": "travel", "card": "7H", "to": to}


def test_a_card_of_an_earlier_move_does_not_count() -> None:
    """If Ann's card is on the discard pile when Ben moves, only his own card on top of it counts for his move."""
    real = CommuteTable(cards="unseen")
    real.lay(ANN, "s4", "moved")
    first, second = real.reach(0)["s4"][:2]
    real.lay(f"CM-{first}", "discard")
    version = real.view().version
    real.lay(BEN, "s19", "moved")
    real.lay(f"CM-{first}", "discard", "moved")
    assert real.view().version == version
    own = next(card for card in real.reach(1)["s19"] if card not in (first, second))
    real.lay(f"CM-{own}", "discard")
    assert real.last == {"seat": 1, "move": "travel", "card": own, "to": "s19"}


def test_an_uh_oh_card_is_drawn_by_laying_it_open() -> None:
    """If people draw the “Uh-Oh!” cards, a card that comes to rest in the zone for them counts as drawn. In the zone
    for showing it does not."""
    real = CommuteTable(uh_oh="table", deck=["AH", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H", "10H"])
    space, (card,) = next(
        (s, by) for s, by in real.reach(0).items() if BOARD.spaces[s].kind == "uh_oh" and len(by) == 1
    )
    real.lay(ANN, space, "moved")
    real.lay(f"CM-{card}", "discard")
    assert real.view().turn == "house"
    real.lay("CM-U05", "show")
    real.take("CM-U05")
    assert real.state["uh_oh"] is None
    real.lay("CM-U05", "uh-oh")
    assert real.last == {"seat": "house", "move": "uh_oh", "to": 0, "card": "U05"}
    assert real.view().turn == 1
    assert real.discrepancies() == []


def test_a_random_card_of_a_swap_is_shown() -> None:
    """If people deal, the random card of a swap is shown to the camera like a dealt card. A card from another hand is
    not accepted."""
    real = CommuteTable(cards="table", uh_oh="table")
    real.show("AH", "2H", "3H", "4H", "5H", "6H")
    space, (card,) = next(
        (s, by) for s, by in real.reach(0).items() if BOARD.spaces[s].kind == "uh_oh" and len(by) == 1
    )
    real.lay(ANN, space, "moved")
    real.lay(f"CM-{card}", "discard")
    real.lay("CM-U15", "uh-oh")
    real.move(0, move="choose", option=1)
    held = real.state["hands"][0]
    real.show("4H")
    assert real.state["hands"][0] == held, "Ben's card does not come from Ann's hand"
    real.show(held[0], "5H")
    assert "5H" in real.state["hands"][0]
    assert held[0] in real.state["hands"][1]


def test_cards_on_phones_need_not_be_on_the_table() -> None:
    """If the companion deals and no card was ever seen, no card needs to be on the table, but the pieces do."""
    real = CommuteTable()
    space = real.by_one(0, "5D")
    real.move(0, move="travel", card="5D", to=space)
    assert real.discrepancies() == [f"The amber piece is in house A: put it in space {space}."]
    assert real.view().tabletop.physical_instructions == (), "nothing is said twice"
    real.lay(ANN, space, "moved")
    assert real.discrepancies() == []
    assert real.view().tabletop.physical_instructions == (), "what the camera has seen is neither asked for nor undone"


def test_after_a_move_by_camera_nothing_is_left_to_do() -> None:
    """After a move that the camera has recognized, the layout has the piece in its new place, so there is no
    discrepancy."""
    real = CommuteTable(cards="table").show(*DECK[:6])
    space = real.by_one(0, "5D")
    real.lay("CM-5D", "discard")
    real.lay(ANN, space, "moved")
    assert real.state["positions"][0] == space
    assert [said for said in real.view().tabletop.physical_instructions if "piece" in said] == []


def test_printed_cards_in_use_are_put_where_they_belong() -> None:
    """Once a printed card has been seen, a card that is played on the phone must be put on the discard pile."""
    real = CommuteTable(cards="table").show(*DECK[:6])
    space = real.by_one(0, "5D")
    real.move(0, move="travel", card="5D", to=space)
    assert "Put the 5 of diamonds in Discards." in real.discrepancies()
    assert real.view().tabletop.physical_instructions == ()


def test_on_phones_alone_nobody_is_sent_to_the_table() -> None:
    """Without a camera that sees the mat, nobody is asked to do anything on the table."""
    table = Table(Journal(None), hasty_clock())
    table.start("commute", 2, {"deck": [*DECK]}, {}, NAMES, "s")
    view = table.view(Seat(0))
    assert view
    table.submit(Seat(0), move_json.to_json(view.choices.legal[0]))
    after = table.view(Seat(0))
    assert after
    assert after.tabletop.physical_instructions == ()


def test_phones_say_the_same_at_tables_that_a_seat_can_not_tell_apart() -> None:
    """If two tables differ only in Ann's hand, except for the card that she plays, Ben's phone says exactly the same at
    both, whatever is on the table."""
    visible = []
    for hand in (("5D", "2H", "2S"), ("5D", "8C", "10C")):
        real = CommuteTable(cards="table").show(*hand, *DECK[3:6])
        space = "s5"
        real.lay("CM-5D", "discard")
        real.lay(BEN, "s20", "moved")
        real.lay("CM-4C", "show")
        real.lay(ANN, space, "moved")
        view = real.view(1)
        visible.append(everything_visible(view))
    assert visible[0] == visible[1]
    assert visible[0][0]["positions"][0] == "s5", "the move was made"


def test_a_pile_that_becomes_the_deck_is_shuffled_as_a_whole_after_a_restart() -> None:
    """After a restart, the camera has read only the top card of the discards. When they become the new deck, people are
    asked to shuffle all of them, and not to take away one card after another."""
    real, rng = CommuteTable(), Random("deck")
    while len(real.table._game.match.state.deck.discard) < 12:  # type: ignore[union-attr]  # a match is in progress
        play_at_random(real, rng)
    real.restart()
    while discards := real.table._game.match.state.deck.discard:  # type: ignore[union-attr]  # a match is in progress
        top = discards[-1]
        play_at_random(real, rng)
    real.restart()
    real.table.undo(Seat(0))
    real.lay(f"CM-{top}", "discard", found=True)
    real.table.redo(Seat(0))
    real.clock.now += 60.0
    assert "Shuffle all cards from Discards. They’re the new deck." in real.discrepancies()


@pytest.mark.slow
def test_the_card_that_was_just_played_belongs_to_the_pile_that_becomes_the_deck() -> None:
    """After a restart, the camera has read only the top card of the discards. Then this card is taken away, and a card
    is played. If the discards now become the new deck, people are asked to shuffle all of them."""
    real, rng = CommuteTable(), Random("deck")
    while len(real.table._game.match.state.deck.discard) < 12:  # type: ignore[union-attr]  # a match is in progress
        play_at_random(real, rng)
    while discards := real.table._game.match.state.deck.discard:  # type: ignore[union-attr]  # a match is in progress
        top = discards[-1]
        play_at_random(real, rng)
    move = real.last
    real.table.undo(Seat(0))
    real.restart()
    for piece, space in zip((ANN, BEN), real.state["positions"], strict=True):
        real.lay(piece, space, found=True)
    real.lay(f"CM-{top}", "discard", found=True)
    real.take(f"CM-{top}")
    real.clock.now += 1.0
    real.lay(f"CM-{move['card']}", "discard")
    real.lay((ANN, BEN)[move["seat"]], move["to"], "moved")
    assert real.state["positions"][move["seat"]] == move["to"]
    real.clock.now += 60.0
    assert "Shuffle all cards from Discards. They’re the new deck." in real.discrepancies()


def test_the_layout_of_a_seat_holds_no_hand() -> None:
    """The layout for a seat has no hand, not even the seat's own, because hands are not on the table."""
    start = GAME.rules.begin(2, {"deck": [*DECK]})
    state = start.state
    while state.turn == "house":
        state = state.play(next(move for move, weight in state.chances() if weight))
    held = {card for hand in state.hands for card in hand}
    for viewer in (Seat(0), Seat(1), SPECTATOR):
        lying = {kind for kinds in GAME.physical.layout(state, viewer).cards.values() for kind in kinds}
        assert lying == {ANN, BEN}
    everything = {kind for kinds in GAME.physical.layout(state, REFEREE).cards.values() for kind in kinds}
    assert everything == {ANN, BEN, *(f"CM-{card}" for card in held)}


def test_a_card_may_be_exchanged_for_another_in_one_movement() -> None:
    """Ann has laid her 5 on the discards, and exchanges it for her 2 so quickly that the camera sees both changes at
    once. The 2 was laid, although another card left the pile at the same time."""
    real = CommuteTable()
    real.restart()
    real.lay(ANN, "h1", found=True)
    real.lay(BEN, "h2", found=True)
    space = next(to for to, by in real.reach(0).items() if set(by) == {"2H", "2S"})
    real.lay("CM-5D", "discard")
    real.take("CM-5D")
    real.lay("CM-2S", "discard")
    assert real.begun() == "Ann: now move the amber piece, or pick up the 2 of spades again."
    real.lay(ANN, space, "moved")
    assert real.last == {"seat": 0, "move": "travel", "card": "2S", "to": space}


def test_a_card_that_was_believed_to_be_hidden_is_played_again() -> None:
    """Ann takes back her move, and her card from below others, so the camera believes that it is still there, out of
    sight. When she puts it on the discards again, it has been put down, not nudged."""
    real = CommuteTable()
    space = next(to for to, by in real.reach(0).items() if set(by) == {"2H", "2S"})
    real.lay("CM-2S", "discard")
    real.lay(ANN, space, "moved")
    assert real.last == {"seat": 0, "move": "travel", "card": "2S", "to": space}
    real.table.undo(None)
    real.table.observe(CardHidden(t=real.t, code="CM-2S"))
    real.lay("CM-2S", "discard", "moved")
    real.lay(ANN, "h1", "moved")
    assert real.begun() == "Ann: now move the amber piece, or pick up the 2 of spades again."


def test_a_leftover_that_comes_into_view_again_is_not_played() -> None:
    """Ann's move is undone after a power cut, so her 5 should leave the discards. She puts a card on it that is not
    hers, moves her piece to where the 5 takes it, and picks that card up, as she is asked to. She has not played the 5
    again."""
    real = CommuteTable()
    space = real.by_one(0, "5D")
    real.move(0, move="travel", card="5D", to=space)
    real.restart()
    for code, zone in ((ANN, space), (BEN, "h2"), ("CM-5D", "discard")):
        real.lay(code, zone, found=True)
    real.table.undo(Seat(0))
    version = real.view().version
    real.lay("CM-10C", "discard")
    real.table.observe(CardHidden(t=real.t, code="CM-5D"))
    real.lay(ANN, next(to for to, cards in real.reach(0).items() if "5D" in cards and to != space), "moved")
    real.clock.now += 10.0
    real.take("CM-10C")
    real.table.observe(CardInView(t=real.t, code="CM-5D"))
    assert real.view().version == version
    real.take("CM-5D")
    real.clock.now += 10.0
    real.lay("CM-5D", "discard")
    assert (real.last["move"], real.last["card"]) == ("travel", "5D")


def test_a_card_that_left_the_discards_unseen_can_be_played_there() -> None:
    """Another card came into view in the place of Ann's 5, so the camera thought that the 5 had been picked up. When
    she puts it down again, a few millimeters away, she plays it."""
    real = CommuteTable()
    space = real.by_one(0, "5D")
    real.restart()
    for code, zone in ((ANN, "h1"), (BEN, "h2"), ("CM-5D", "discard")):
        real.lay(code, zone, found=True)
    for code in ("CM-10C", "CM-9C"):
        real.lay(code, "discard")
        real.clock.now += 10.0
    x, y = _middle("discard")
    real.table.observe(CardSeen(t=real.t + 1, code="CM-5D", zone="discard", mm=(x + 4, y), angle=0, change="appeared"))
    real.lay(ANN, space, "moved")
    assert (real.last["card"], real.last["to"]) == ("5D", space)


@pytest.mark.parametrize("change", ["pushed", "restarted"])
def test_a_card_whose_deal_was_undone_must_be_dealt_again(change: str) -> None:
    """The deal of a card is undone, and the card is left lying. If it is pushed a little, or if the camera starts
    again, it is not dealt. Once it was picked up, it can be dealt again."""
    real = CommuteTable(cards="table")
    real.lay("CM-2H", "show")
    dealt = real.view().version
    real.table.undo(Seat(0))
    if change == "restarted":
        real.restart()
    real.lay("CM-2H", "show", "appeared" if change == "restarted" else "moved", found=change == "restarted")
    assert real.view().version == dealt + 1
    real.take("CM-2H")
    real.lay("CM-2H", "show")
    assert real.view().version == dealt + 2


def test_what_lay_below_a_leftover_is_not_played() -> None:
    """A 2 of the last game lies below another card when the service starts. When that one is picked up, the 2 comes
    into view. Ann has not played it, even if she holds it and moves her piece."""
    real = CommuteTable()
    real.restart()
    real.lay(ANN, "h1", found=True)
    real.lay(BEN, "h2", found=True)
    space = next(to for to, by in real.reach(0).items() if set(by) == {"2H", "2S"})
    real.lay("CM-9S", "discard", found=True)
    real.take("CM-9S")
    real.lay("CM-2S", "discard")
    assert real.begun() is None
    last = real.last
    real.lay(ANN, space, "moved")
    assert real.last == last


def test_the_piece_in_a_hand_is_not_asked_for_while_the_card_is_played() -> None:
    """Ann has laid her card, and holds her piece. She is told to move it, and not where it was."""
    real = CommuteTable()
    real.lay("CM-5D", "discard")
    real.take(ANN)
    assert real.begun() is not None
    assert real.discrepancies() == []
