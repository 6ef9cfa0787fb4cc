"""The careful policy of Systems Failing: what it prefers, and how often it wins.

Share of 600 games that the policy wins (`tablekeeper simulate systems-failing --policy choose_carefully --games 600
--seed w`):

              easy  medium  hard
normal side    62 %    44 %   27 %
beginner's     69 %    59 %   37 %
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from companion.games.rules import Move, Seat
from companion.games.systems_failing.game import GAME
from companion.games.systems_failing.moves import Discard, EndTurn, Repair, Return, Scavenge, Transfer
from companion.games.systems_failing.policy import choose_carefully
from companion.games.systems_failing.rules import State
from companion.playouts.series import play_out
from tests.repetitions import repetitions
from tests.systems_failing_positions import act, random_game, ship


def choice(state: State) -> Move:
    """The policy's move on its turn."""
    seat = state.active_player
    return choose_carefully(state.as_known_to(seat), seat, list(state.legal_moves()), Random(1))


def real(zones: dict[int, list[str]], pools: tuple[str, str], **fields: Any) -> State:
    """A position with the game's own cards."""
    return ship(zones, pools, catalog=GAME.rules.begin(2, {}).state.catalog, **fields)


@pytest.mark.parametrize("seed", range(3))
def test_it_chooses_legal_moves_in_any_position(seed: int) -> None:
    """The policy chooses legal moves even in positions that it would never have reached itself."""
    for state in random_game(seed, difficulty="hard", side="beginner"):
        if isinstance(state.turn, int):
            assert choice(state) in list(state.legal_moves())


def test_it_repairs_what_would_hit_the_core() -> None:
    """If the core is close to exploding, the policy repairs a disaster with damage 4 in zone 1."""
    state = real({1: ["D06"]}, ("orange blue black green", ""), damage=7, actions_left=1)
    assert choice(state) == Repair(seat=Seat(0), card="D06", cubes=("orange", "blue", "black"), ability=True)  # type: ignore[arg-type]


def test_it_finishes_the_last_sequence() -> None:
    """The policy prefers repairing the last escape sequence, which wins the game, to anything else."""
    state = real({1: ["D06"]}, ("black orange blue", ""), escape="E1 orange blue yellow red", escape_deck=frozenset())
    chosen = choice(state)
    while not isinstance(chosen, Repair):
        assert isinstance(chosen, Scavenge)
        state = state.replace(actions_left=state.actions_left - 1)
        chosen = choice(state)
    assert (chosen.card, chosen.cubes) == ("E1", ("black",))


def test_it_asks_for_the_cube_that_is_missing() -> None:
    """As the second player of the round, the policy takes a cube from the other player, who can't act any more, and
    then repairs."""
    state = real({1: ["D06"]}, ("black green", "orange blue"), first_player=Seat(1), actions_left=3, damage=6)
    state_after = state
    done = []
    while state_after.turn == 0:
        move = choice(state_after)
        done.append(move)
        state_after = state_after.play(move)
        if isinstance(move, Scavenge):
            break
    assert isinstance(done[0], Transfer)
    assert [move.color for move in done if isinstance(move, Transfer)] == ["orange", "blue"]
    assert isinstance(done[2], Repair)


def test_it_puts_its_part_on_a_card_that_the_other_can_finish() -> None:
    """As the first player of the round, the policy places its cubes on a card and leaves the rest to the other player's
    turn."""
    state = real({1: ["D06"]}, ("orange blue", "black green"), actions_left=1, damage=6)
    chosen = choice(state)
    assert isinstance(chosen, Repair)
    assert (chosen.card, chosen.ability) == ("D06", False)


def test_it_returns_what_it_needs_least() -> None:
    """The policy does not return a cube of a color that the escape sequence needs."""
    state = real(
        {}, ("black red red red red green green green green yellow yellow", ""), escape="E1 orange blue yellow red"
    )
    chosen = choice(state)
    assert isinstance(chosen, Return)
    assert "black" not in chosen.cubes


def test_it_ends_its_turn_by_putting_cubes_where_they_stay() -> None:
    """With one action left, the policy places its few cubes on the escape sequence, because its pool will be
    refilled."""
    state = real({}, ("orange blue yellow", "green green"), first_player=Seat(1), actions_left=1)
    assert choice(state) == Repair(seat=Seat(0), card="E1", cubes=("orange", "blue", "yellow"))  # type: ignore[arg-type]


def test_it_changes_a_useless_pool_for_fresh_cubes() -> None:
    """The policy discards a useless pool as its last action, as the rules suggest: "Typically performed as a player's
    last action prior to the Players Stock Up phase." """
    state = real({}, ("green green green", ""), first_player=Seat(1), actions_left=1, escape="E1 orange")
    assert choice(state) == Discard(seat=Seat(0))


def test_it_does_not_scavenge_if_a_surge_would_end_the_game() -> None:
    """The policy does not scavenge if many cubes in the bag are white and any surge would end the game."""
    state = real({1: ["D04"]}, ("", ""), damage=9, stability=7, first_player=Seat(1), actions_left=1)
    assert choice(state) == EndTurn(seat=Seat(0))
    assert act(state, "end_turn").phase == "stock_up"


@pytest.mark.slow
def test_harder_is_harder() -> None:
    """On fixed seeds, the policy wins most easy games, fewer medium games and few hard games. The beginner's side
    helps."""
    won = {
        (difficulty, side): _won(repetitions(60, at_least=30), difficulty=difficulty, side=side)
        for difficulty, side in [("easy", "normal"), ("medium", "normal"), ("hard", "normal"), ("hard", "beginner")]
    }
    assert won["easy", "normal"] > 0.45
    assert won["easy", "normal"] > won["medium", "normal"] > won["hard", "normal"] > 0.05
    assert won["hard", "normal"] < 0.4
    assert won["hard", "beginner"] > won["hard", "normal"]


def _won(games: int, **setup: str) -> float:
    start = GAME.rules.begin(2, setup)
    ends: list[Any] = [play_out(GAME, start, choose_carefully, f"w/{n}")[0] for n in range(games)]
    return sum(bool(GAME.playouts.outcome(end)["won"]) for end in ends) / games
