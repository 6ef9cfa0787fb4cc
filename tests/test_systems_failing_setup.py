"""Setting up Systems Failing: the deal, the difficulties, the starting disasters, and set-up files."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from companion.games.rules import HOUSE, play
from companion.games.systems_failing.chance import initial_stacks
from companion.games.systems_failing.game import GAME
from companion.games.systems_failing.rules import State
from companion.match.chance_player import ChancePlayer
from companion.text.refusal_errors import IllegalMove, SetupError
from tests.systems_failing_positions import begin, draw, hands_dealt, house, reveal, zones

HANDS = "red red blue blue green green orange orange yellow yellow black black"


def test_the_house_deals_in_order() -> None:
    """The house deals in this order: "The first escape sequence; roles, seat 0 then 1; the first player's six cubes,
    then the other's; the starting disasters." """
    state = begin()
    assert (
        state.turn,
        state.to_json()["phase"],
        state.to_json()["escape"]["left"],
    ) == (
        HOUSE,
        "setup",
        6,
    )
    assert {move.face for move, _ in state.chances()} == {f"E{n}" for n in range(1, 7)}
    state = reveal(state, "E3")
    assert state.to_json()["roles"] == [None, None]
    with pytest.raises(IllegalMove, match="a role for seat 0"):
        house(state, "role", to=1, role="medic")
    state = house(state, "role", to=0, role="medic")
    with pytest.raises(IllegalMove, match="a role for seat 1"):
        house(state, "role", to=1, role="medic")
    state = house(state, "role", to=1, role="navigator")
    for to in (0,) * 6 + (1,) * 6:
        assert {move.to for move, _ in state.chances()} == {to}  # type: ignore[attr-defined]
        with pytest.raises(IllegalMove):
            house(state, "draw", to=1 - to, cube="red")
        state = draw(state, next(color for color in state.bag if color != "white"))
    assert {move.face for move, _ in state.chances()} == set(state.catalog.disasters)


def test_whites_join_in_the_ply_of_the_twelfth_cube() -> None:
    """ "A white can't be drawn in setup; they join in the ply of the twelfth cube": the white cubes are in the bag only
    after that."""
    state = reveal(begin(difficulty="hard"), "E1")
    state = house(house(state, "role", to=0, role="medic"), "role", to=1, role="scientist")
    for cube in HANDS.split():
        assert state.bag["white"] == 0
        with pytest.raises(IllegalMove):
            house(state, "draw", to=0, cube="white")
        state = draw(state, cube)
    assert (state.bag["white"], state.phase) == (4, "setup")


@pytest.mark.parametrize(
    ("difficulty", "stability", "where"),
    [("easy", 0, [1, 1, 2, 3]), ("medium", 1, [1, 1, 2, 2]), ("hard", 2, [1, 1, 1, 2])],
)
def test_difficulties(difficulty: str, stability: int, where: list[int]) -> None:
    """Each difficulty has its stability, its number of white cubes (easy 2, medium 3, hard 4), and its zones for the
    four starting disasters (1, 1, 2, 3; 1, 1, 2, 2; 1, 1, 1, 2), whatever zones the cards name. If a zone gets two
    disasters, the later one is on top."""
    state = hands_dealt(begin(difficulty=difficulty))
    assert (state.stability, state.bag["white"]) == (stability, 2 + stability)
    expected: dict[int, list[str]] = {1: [], 2: [], 3: []}
    for card, zone in zip(("D24", "D14", "D23", "D13"), where, strict=True):
        assert (state.phase, state.to_json()["deck"]) == (
            "setup",
            30 - sum(map(len, expected.values())),
        )
        state = reveal(state, card)
        expected[zone].insert(0, card)
    assert zones(state) == expected
    assert (state.phase, state.turn, state.actions_left, state.round, state.first_player) == ("actions", 0, 4, 1, 0)
    assert state.to_json()["deck"] == 31, "26 disasters and the 5 systems-failing cards"


def test_systems_failing_cards_join_once_the_start_is_settled() -> None:
    """No systems-failing card can be revealed before the starting disasters are final."""
    with pytest.raises(IllegalMove, match="a starting disaster"):
        reveal(hands_dealt(begin()), "S1")


def test_a_start_of_seven_stands() -> None:
    """ "The total … of the four starting disaster cards must be 7 or higher": if it is exactly 7, no card is
    replaced."""
    assert reveal(hands_dealt(begin()), "D01 D02 D03 D11").phase == "actions"


def test_a_mild_start_is_judged_once_all_four_lie_there() -> None:
    """ "The lowest damage leaves, of those the lowest zone, of those the topmost, in the same ply …; its replacement is
    revealed into the same zone and place." Here D01 and D11 are in zone 1, with D11 on top, and D21 is in zone 2."""
    state = reveal(hands_dealt(begin()), "D01 D11 D21")
    assert zones(state) == {1: ["D11", "D01"], 2: ["D21"], 3: []}
    state = reveal(state, "D02")
    assert (zones(state), state.phase) == ({1: ["D01"], 2: ["D21"], 3: ["D02"]}, "setup")
    assert (state.to_json()["deck"], state.discard) == (26, ()), "the replaced card is in no pile"
    with pytest.raises(IllegalMove):
        reveal(state, "D11")
    state = reveal(state, "D04")
    assert (zones(state), state.phase) == ({1: ["D04", "D01"], 2: ["D21"], 3: ["D02"]}, "actions")
    assert (state.to_json()["deck"], "D11" in state.deck) == (31, True), "it returned when the start was settled"


def test_a_replacement_takes_the_place_of_the_card_that_left() -> None:
    """If the lower card of zone 1 leaves, its replacement goes below the top card."""
    state = reveal(hands_dealt(begin()), "D01 D02 D12 D11")
    assert zones(state) == {1: ["D02"], 2: ["D12"], 3: ["D11"]}
    assert zones(reveal(state, "D03"))[1] == ["D02", "D03"]


def test_a_replacement_may_be_replaced() -> None:
    """ "It is judged afresh (a replacement may be replaced)": here the damages 1 + 2 + 1 + 1, and then 2 + 2 + 1 + 1,
    are too low. The replaced cards return to the deck together."""
    state = reveal(hands_dealt(begin()), "D01 D02 D11 D21")
    assert zones(state) == {1: ["D02"], 2: ["D11"], 3: ["D21"]}
    state = reveal(state, "D30")
    assert zones(state) == {1: ["D02", "D30"], 2: [], 3: ["D21"]}
    state = reveal(state, "D22")
    assert (zones(state), state.phase) == ({1: ["D02", "D30"], 2: ["D22"], 3: ["D21"]}, "actions")
    assert {"D01", "D11"} <= state.deck


def test_the_deck_is_five_stacks() -> None:
    """The deck consists of "five stacks, sizes at most one apart, one systems-failing card shuffled into each." """
    stacks = reveal(hands_dealt(begin()), "D01 D02 D03 D04").stacks
    assert [stack.failing for stack in stacks] == [1] * 5
    sizes = [stack.disasters for stack in stacks]
    assert sum(sizes) == 26
    assert max(sizes) - min(sizes) <= 1
    assert sum(stack.failing for stack in initial_stacks(3, 7)) == 7


def played(count: int, seed: str = "x", **setup: Any) -> list[str]:
    """The faces of the house's first moves with a set-up."""
    start = GAME.rules.begin(2, setup)
    state: State = start.state
    dealer, faces = ChancePlayer(seed, start.script), list[str]()
    for ply in range(count):
        move = dealer.next_move(state, ply)
        faces.append(move.face)
        state = play(state, move)
    return faces


def test_a_set_up_can_prescribe_everything_that_chance_decides() -> None:
    """Sequences, roles, cubes and the cards of the deck are dealt in the order of the set-up file."""
    cubes = HANDS.split()
    deck = ["D06", "D14", "D23", "D26"]
    faces = played(19, escape=["E5"], roles=["mechanic", "chemist"], cubes=cubes, deck=deck)
    assert faces == ["E5", "mechanic", "chemist", *cubes, *deck]


def test_after_a_prescribed_part_of_the_deck_chance_decides() -> None:
    """After the prescribed cards, different seeds give different cards. An empty set-up gives an ordinary game."""
    assert played(3, escape=["E5"], roles=["mechanic"])[:2] == ["E5", "mechanic"]
    assert len({played(19, seed=str(seed), deck=["D26"])[16] for seed in range(10)}) > 1
    assert {played(19, seed=str(seed), deck=["D26"])[15] for seed in range(10)} == {"D26"}


def test_a_prescribed_white_cube_waits_until_it_can_come() -> None:
    """White cubes are not in the bag for the first hands, so a prescribed white cube waits until the first scavenge."""
    start = GAME.rules.begin(2, {"cubes": ["white", *HANDS.split(), "red"]})
    state, dealer = start.state, ChancePlayer("x", start.script)
    for ply in range(40):
        if state.turn == HOUSE:
            state = play(state, dealer.next_move(state, ply))
        elif state.actions_left == 4:
            state = play(state, next(move for move in state.legal_moves() if move.NAME == "scavenge"))
            assert dealer.next_move(state, ply).face == "white"
            return


def test_a_systems_failing_card_fixed_first_comes_right_after_the_start() -> None:
    """A systems-failing card that is prescribed first waits until the starting disasters are dealt. Two in a row can be
    prescribed, although no shuffle would give that."""
    start = GAME.rules.begin(2, {"deck": ["S2", "S1", "D26", "D23", "D14", "D06", "D01"]})
    state, dealer, faces = start.state, ChancePlayer("x", start.script), list[str]()
    for ply in range(60):
        if state.turn == HOUSE:
            move = dealer.next_move(state, ply)
            faces += [move.face] if move.NAME == "reveal" and move.face[0] != "E" else []
            state = play(state, move)
        else:
            state = play(state, next(move for move in state.legal_moves() if move.NAME == "end_turn"))
        if len(faces) == 7:
            break
    assert faces == ["D26", "D23", "D14", "D06", "S2", "S1", "D01"]


def test_zones_replace_the_dealt_start() -> None:
    """With prescribed zones, listed top first, no starting disasters are dealt or judged. The other cards are the
    deck."""
    state = begin(zones={"1": ["D01", "D11"], "3": ["D02"]})
    assert zones(state) == {1: ["D01", "D11"], 2: [], 3: ["D02"]}
    assert state.to_json()["deck"] == 27
    state = hands_dealt(state)
    assert (state.phase, state.turn, state.to_json()["deck"], state.bag["white"]) == (
        "actions",
        0,
        32,
        2,
    )
    assert hands_dealt(begin(zones={})).to_json()["deck"] == 35


@pytest.mark.parametrize(
    ("setup", "why"),
    [
        ({"difficulty": "brutal"}, "easy, medium, hard"),
        ({"difficulty": ["easy"]}, "difficulty is"),
        ({"side": "left"}, "normal, beginner"),
        ({"speed": 3}, "no set-up key 'speed'"),
        ({"deck": ["D01", "D01"]}, "D01 twice"),
        ({"deck": ["D99"]}, "'D99'"),
        ({"deck": ["E1"]}, "'E1'"),
        ({"deck": "D01"}, "must be a list"),
        ({"deck": [7]}, "contains 7"),
        ({"deck": [["D01"]]}, "contains"),
        ({"cubes": ["purple"]}, "'purple'"),
        ({"cubes": ["red"] * 6}, "6 red"),
        ({"cubes": ["white", *["red"] * 6]}, "6 red"),
        ({"roles": ["medic", "medic"]}, "medic twice"),
        ({"roles": ["medic", "chemist", "navigator"]}, "at most 2"),
        ({"roles": ["captain"]}, "'captain'"),
        ({"escape": ["E1", "E1"]}, "E1 twice"),
        ({"escape": ["E7"]}, "'E7'"),
        ({"zones": {"1": ["D01", "D02", "D03", "D04"]}}, "zone 1 contains 4"),
        ({"zones": {"1": ["D01"], "2": ["D01"]}}, "D01 twice"),
        ({"zones": {"1": ["S1"]}}, "'S1'"),
        ({"zones": {"4": []}}, "keys"),
        ({"zones": ["D01"]}, "object"),
        ({"zones": {"1": "D01"}}, "zone 1 must be a list"),
        ({"zones": {"1": ["D01"]}, "deck": ["D01"]}, "and in the deck"),
    ],
)
def test_an_invalid_set_up_is_refused_in_one_line(setup: dict[str, Any], why: str) -> None:
    """An invalid set-up ("A card twice, unknown, too many") is refused with one line that says what is wrong."""
    with pytest.raises(SetupError, match=why) as caught:
        GAME.rules.begin(2, setup)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 120


def test_it_is_for_two() -> None:
    """The game has two seats by default. Other numbers of seats are refused."""
    assert GAME.rules.seat_count(None) == 2
    for seats in (1, 3):
        with pytest.raises(SetupError, match="2 players"):
            GAME.rules.seat_count(seats)


def test_chance_is_fair() -> None:
    """Each cube in the bag is equally likely to be drawn, and each card of the top stack to be revealed."""
    state = hands_dealt(begin())
    assert set(Counter(weight for _, weight in state.chances())) == {1}
    state = draw_weights(state)
    assert {move.face: weight for move, weight in state.chances()} == state.bag.counts()


def draw_weights(state: State) -> State:
    """The position while seat 0 scavenges."""
    state = reveal(state, "D04 D14 D24 D23")
    return play(state, next(move for move in state.legal_moves() if move.NAME == "scavenge"))
