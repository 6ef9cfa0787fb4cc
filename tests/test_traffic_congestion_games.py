"""Whole games of Traffic Congestion compared with the slow reference, and invariants of every position.

`python -m tests.test_traffic_congestion_games 1000` does many more of the same checks: a thousand games on each board
with each number of seats, for both driving sides.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice, product
from random import Random
from typing import Any

import pytest

from companion.games import move_json
from companion.games.rules import Move
from companion.games.traffic_congestion.board_reader import board_files
from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.legality import is_gridlocked
from companion.games.traffic_congestion.rules import State
from companion.text.refusal_errors import IllegalMove
from tests.repetitions import repetitions
from tests.traffic_positions import begin, read
from tests.traffic_reference import ReferenceBoard, broken, legal, played

TABLES = [*product(board_files(), (2, 3, 4), ("right", "left"))]
every_table = pytest.mark.parametrize(("board", "seats", "driving"), TABLES)

Step = tuple[State, Move, State]


def drawing_of(state: State) -> ReferenceBoard:
    """The reference's board for a position on a shipped board."""
    text = board_files()[state.network.board.name].read_text("utf-8")
    return ReferenceBoard(text, state.network.driving_side, state.network.u_turns)


def game(seed: int, state: State) -> Iterator[Step]:
    """Yields the steps of a random game. For odd seeds, careful players play it and make a random move now and then."""
    rng = Random(seed)
    while state.turn is not None and not GAME.playouts.is_stuck(state):
        moves = list(state.legal_moves())
        random = seed % 2 == 0 or rng.random() < 0.2
        policy = GAME.policies.by_name["random" if random else "careful"]
        move = policy(state.as_known_to(state.turn), state.turn, moves, rng)
        after = state.play(move)
        yield state, move, after
        state = after


def shown(state: State) -> dict[str, Any]:
    """The JSON of a position, which is the same for everybody."""
    return state.to_json()


def key(move: dict[str, Any]) -> str:
    """A move as a line of text; equal moves have equal lines."""
    return json.dumps(move, sort_keys=True)


def check_moves(state: State, drawing: ReferenceBoard) -> None:
    """Checks that the legal moves are exactly those of the reference."""
    listed = [key(move_json.to_json(move)) for move in state.legal_moves()]
    assert sorted(listed) == sorted(map(key, legal(drawing, shown(state))))


def check_step(step: Step, drawing: ReferenceBoard) -> None:
    """Checks that the next position is the same as that of the reference, and that it breaks no invariant."""
    before, move, after = shown(step[0]), move_json.to_json(step[1]), shown(step[2])
    assert after == played(drawing, before, move)
    assert broken(drawing, before, move, after) == []


@every_table
def test_games_agree_with_the_reference(board: str, seats: int, driving: str) -> None:
    """In random games and in games between careful players, with and without U-turns, every position and its legal
    moves are the same as those of the reference."""
    rng = Random(f"{board}{seats}{driving}")
    for seed, u_turns in ((0, True), (1, False)):
        start = begin(seats, board=board, driving=driving, u_turns=u_turns)
        drawing = drawing_of(start)
        steps = list(game(seed, start))
        for step in rng.sample(steps, min(repetitions(60), len(steps))) + steps[-1:]:
            check_step(step, drawing)
        for before, _, _ in rng.sample(steps, repetitions(3)):
            check_moves(before, drawing)


@every_table
def test_paths_never_cross_and_cars_never_vanish(board: str, seats: int, driving: str) -> None:
    """After every step, no lane has more than five cars, no exit has a car, and no paths cross. No step lowers a score,
    and cars only appear by entering and only leave through exits."""
    start = begin(seats, board=board, driving=driving)
    drawing = drawing_of(start)
    for before, move, after in islice(game(seats, start), 350):
        assert broken(drawing, shown(before), move_json.to_json(move), shown(after)) == []


def test_a_broken_position_is_noticed() -> None:
    """The checks detect positions that break an invariant."""
    start = begin()
    drawing, before = drawing_of(start), shown(start)
    signal = {"seat": 0, "move": "signal", "lane": "west1>A", "to": "A>B"}
    for spoiled, why in (
        ({"lanes": before["lanes"] | {"A>B": ["red"] * 6}}, "more than five"),
        ({"lanes": before["lanes"] | {"A>north1": ["red"]}}, "in an exit"),
        ({"signals": {"west1>A": "A>B", "north1>A": "A>C"}}, "cross"),
        ({"scores": {"blue": -1, "red": 0}}, "score fell"),
        ({"lanes": before["lanes"] | {"A>B": ["red"]}}, "came or went"),
    ):
        assert any(why in found for found in broken(drawing, before, signal, before | spoiled))


def test_every_conceivable_move_is_judged_as_by_the_reference() -> None:
    """Every conceivable move is accepted if, and only if, the reference lists it. Each refusal gives a reason."""
    state = begin(2, board="crossroads", u_turns=False)
    for step in list(game(3, state))[5:25]:
        state = step[0]
        taken = {key(move) for move in legal(drawing_of(state), shown(state))}
        for start, end in drawing_of(state).lanes:
            lane = f"{start}>{end}"
            for move in _said(state, lane):
                assert (key(move) in taken) == _takes(state, move), move


def _said(state: State, lane: str) -> Iterator[dict[str, Any]]:
    yield {"seat": state.active_player, "move": "pass"}
    yield {"seat": state.active_player, "move": "enter", "lane": lane}
    for to in state.network.lanes:
        yield {"seat": state.active_player, "move": "signal", "lane": lane, "to": to}
        yield {"seat": state.active_player, "move": "go", "lane": lane, "then": {"to": to}}
    for then in ("keep", "remove"):
        yield {"seat": state.active_player, "move": "go", "lane": lane, "then": then}


def _takes(state: State, move: dict[str, Any]) -> bool:
    try:
        state.play(read(state, move))
    except IllegalMove as refusal:
        assert str(refusal).endswith(".")  # noqa: PT017
        return False
    return True


def main(games: int) -> None:
    """Compares every step of many games with the reference, and the legal moves of one position in fifty."""
    for board, seats, driving in TABLES:
        ends: Counter[str] = Counter()
        turns = 0
        for seed in range(games):
            start = begin(seats, board=board, driving=driving, u_turns=seed % 4 < 2)
            drawing, last = drawing_of(start), start
            for step in game(seed, start):
                check_step(step, drawing)
                last = step[2]
                if last.turns_taken % 50 == seed % 50:
                    check_moves(last, drawing)
            ends["gridlock" if is_gridlocked(last) else f"seat {last.winner}"] += 1
            turns += last.turns_taken
        print(board, seats, driving, dict(sorted(ends.items())), f"{turns / games:.0f} turns", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
