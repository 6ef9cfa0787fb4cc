"""What the holder of a hidden hand can work out: from marks and from the cards in sight, and from nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.rules import Seat
from companion.games.system_won.card_counting import possible_faces, unaccounted_copies
from companion.games.system_won.catalog import catalog
from companion.games.system_won.rules import State
from tests.won_table import act, random_game, table


def told(state: State, *hints: dict[str, Any]) -> State:
    """The position after seat 1 told seat 0 all this."""
    for hint in hints:
        state = act(state.replace(active_player=Seat(1)), "specify", target=0, **hint)
    return state


def work_out(state: State) -> list[str]:
    """What seat 0 finds, card by card."""
    return [" ".join(faces) for faces in possible_faces(state.as_known_to(Seat(0)), 0)]


def test_what_was_said_and_denied() -> None:
    """A card pointed at is of that color or rank, the others are not; a drawn one may be anything."""
    state = told(table("R1 Y2 / G3 G4"), {"color": "red"}, {"rank": 2})
    assert work_out(state) == ["R1 R3 R4 R5", "Y2 G2 B2"]


def test_what_lies_in_sight_is_elsewhere() -> None:
    """Cards of other hands, of piles and of systems are counted."""
    state = told(table("R1 R4 / R5 R3", systems="R1", discard="R3 R2", errors="R2"), {"color": "red"})
    assert work_out(state) == ["R1 R4", "R1 R4"]


def test_a_sure_card_is_not_another() -> None:
    """The only red 5 is known in one slot, so the other red card is none; and so on."""
    state = told(table("R5 R4 / Y1 Y2", discard="R4 R1 R1 R1 R2 R2", errors="R3 R3"), {"color": "red"}, {"rank": 5})
    assert work_out(state) == ["R5", "R4"]


def test_own_cards_are_not_counted() -> None:
    """Until they are known they may be anywhere."""
    state = table("R5 R4 / Y1 Y2")
    assert unaccounted_copies(state.as_known_to(Seat(0)), 0)[catalog().cards["R5"].face_index] == 1


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_truth_is_always_among_it(seats: int) -> None:
    """In any position of a random game, whoever holds the hand."""
    for state in random_game("counting", seats):
        for seat, held in enumerate(state.hands):
            found = possible_faces(state.as_known_to(Seat(seat)), seat)
            assert all(card.face in faces for card, faces in zip(held, found, strict=True))
