"""Cars on the simulated table are where they are in the recorded state, regardless of what was done to the cubes
before."""

from __future__ import annotations

import math
from itertools import combinations
from random import Random

import pytest

from companion.games import GAMES
from companion.games.rules import play
from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.mat_street_geometry import CAR_MM, StreetPlan, street_plan
from companion.games.traffic_congestion.rules import State
from companion.simulator.draw_from_pile import MatchSnapshot
from companion.simulator.scene_contents import Token
from companion.simulator.simulated_table import SimulatedTable
from companion.simulator.tidy_arrangement import placed_tokens
from companion.tabletop.expected_layout import TokenPlacement
from tests.test_traffic_congestion_table import every_board
from tests.traffic_positions import act, begin, go, streets

RUSH = {"west1>A": "blue red blue", "A>B": "red"}


class MatchAndTable:
    """A match that a test can replace, and the simulated table that follows it."""

    def __init__(self, state: State) -> None:
        self.version, self.table = 0, SimulatedTable(GAME, {}, lambda: MatchSnapshot(1, self.state), hand_s=0)
        self.turn_to(state)

    def turn_to(self, state: State) -> None:
        self.version, self.state = self.version + 1, state
        self.table.sync_tokens(self.version)

    @property
    def tokens(self) -> tuple[Token, ...]:
        return self.table.scene.tokens


def queued(tokens: tuple[Token, ...], laid: StreetPlan) -> dict[str, list[str]]:
    """The cars in each lane that has any, in the order of the lane's printed marks."""
    there = {(round(token.x, 3), round(token.y, 3)): token.kind for token in tokens}
    found: dict[str, list[str]] = {}
    for lane, geometry in laid.lanes.items():
        places = [geometry.point(*place) for place in geometry.car_offsets]
        cars = [there.get((round(x, 3), round(y, 3))) for x, y in places]
        found |= {lane: [car for car in cars if car]} if any(cars) else {}
        assert None not in cars[: len(found.get(lane, ()))]  # the cars have moved up to the stop line
    return found


@every_board
def test_cars_queue_as_recorded(board: str, driving: str) -> None:
    """In every position of a game, each lane has the right colors in the right order from its stop line, and each score
    has its marker."""
    state, rng = begin(3, board=board, driving=driving), Random(board)
    laid = street_plan(state.network)
    for _ in range(150):
        stands = GAME.physical.token_placements(state)
        tokens = placed_tokens((), stands)
        assert queued(tokens, laid) == {lane: [*cars] for lane, cars in state.queues.items() if cars}
        assert all(math.dist((a.x, a.y), (b.x, b.y)) >= CAR_MM for a, b in combinations(tokens, 2))
        assert len(tokens) == sum(map(len, state.queues.values())) + 3
        state = play(state, rng.choice([*state.legal_moves()]))


def test_cubes_move_with_the_match() -> None:
    """When a move is made, cubes that stay in their place are not touched, and the cubes that leave one lane are those
    that arrive in the other. An undo brings them back."""
    state = streets(RUSH, {"west1>A": "A>B"})
    match = MatchAndTable(state)
    before = {token.number: token for token in match.tokens}
    match.turn_to(go(state, "west1>A"))
    assert {token.number for token in match.tokens} == set(before)
    stayed = [token for token in match.tokens if token == before[token.number]]
    assert len(stayed) == 3  # the car in front, and both scores
    assert queued(match.tokens, street_plan(state.network)) == {"A>B": ["red", "blue", "red", "blue"]}
    match.turn_to(state)
    assert queued(match.tokens, street_plan(state.network))["west1>A"] == ["blue", "red", "blue"]
    match.turn_to(act(state, "enter", "south1>C"))
    assert len(match.tokens) == len(before) + 1


def test_a_cube_put_wrong_stays_wrong_until_the_next_move_or_put_right() -> None:
    """A misplaced cube stays in its wrong place until the next move, so that people can see how the companion
    reacts."""
    state = streets(RUSH)
    match = MatchAndTable(state)
    right = match.tokens
    match.table.move_token(1, 300, 20)
    match.table.sync_tokens(match.version)
    assert match.tokens != right
    match.table.tidy()
    assert {*match.tokens} == {*right}
    match.table.take_token(2)
    match.turn_to(act(state, "enter", "south1>C"))
    assert len(match.tokens) == len(right) + 1


def test_moving_cubes_takes_no_hand_away() -> None:
    """A hand over the table stays there while the match goes on."""
    match = MatchAndTable(streets(RUSH))
    match.table.listen(lambda world: None)
    match.table._hand_s = 60
    match.table.hold_hand(100, 100)
    match.turn_to(streets())
    assert match.table.scene.hand == (100, 100)


def test_another_game_clears_the_streets() -> None:
    """No cube of the last game remains, even if the version is the same."""
    match = MatchAndTable(streets(RUSH))
    match.state = streets()
    match.table.start_game(7)
    match.table.sync_tokens(match.version)
    assert len(match.tokens) == 2


def test_cubes_stay_until_a_pool_changes() -> None:
    """In a game with cubes on cards, none moves while the pools on the mat are as they were."""
    game = GAMES["systems-failing"]
    table = SimulatedTable(game, {}, lambda: MatchSnapshot(1, game.rules.begin(2, {}).state), hand_s=0)
    table.put_token("red", 100, 100)
    table.sync_tokens(1)
    assert [token.kind for token in table.scene.tokens] == ["red"]


@pytest.mark.parametrize("there", [(), (Token(4, "red", 9, 9), Token(7, "blue", 1, 1), Token(9, "red", 5, 5))])
def test_no_two_tokens_share_a_number(there: tuple[Token, ...]) -> None:
    """New tokens get unused numbers, whatever was there before."""
    wanted = [
        TokenPlacement("red", 5, 5),
        TokenPlacement("red", 6, 6),
        TokenPlacement("red", 7, 7),
        TokenPlacement("blue", 2, 2),
    ]
    found = placed_tokens(there, wanted)
    assert [(token.kind, token.x) for token in found] == [(stand.kind, stand.x) for stand in wanted]
    assert len({token.number for token in found}) == len(wanted)
