"""The faces that the holder of a hidden hand can consider possible, given the specifications and the visible cards."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.rules import Seat
from companion.games.system_won.catalog import catalog
from companion.games.system_won.possible_faces import possible_faces, unaccounted_copies
from companion.games.system_won.rules import State
from tests.system_won_positions import act, random_game, table


def after_hints(state: State, *hints: dict[str, Any]) -> State:
    """The position after seat 1 has given seat 0 these hints."""
    for hint in hints:
        state = act(state.replace(active_player=Seat(1)), "specify", target=0, **hint)
    return state


def possible(state: State) -> list[str]:
    """The faces that seat 0 considers possible, card by card."""
    return [" ".join(faces) for faces in possible_faces(state.as_known_to(Seat(0)), 0)]


def test_specifications_limit_the_possible_faces() -> None:
    """A card that a specification pointed at has that color or rank, and the other cards don't. A drawn card can have
    any face."""
    state = after_hints(table("R1 Y2 / G3 G4"), {"color": "red"}, {"rank": 2})
    assert possible(state) == ["R1 R3 R4 R5", "Y2 G2 B2"]


def test_cards_seen_elsewhere_are_excluded() -> None:
    """Cards that are visible in other hands, piles and systems are excluded."""
    state = after_hints(table("R1 R4 / R5 R3", systems="R1", discard="R3 R2", errors="R2"), {"color": "red"})
    assert possible(state) == ["R1 R4", "R1 R4"]


def test_a_certain_card_is_excluded_from_the_other_slots() -> None:
    """If one slot certainly holds the only red 5, the other red card in the hand has another rank, and so on."""
    state = after_hints(
        table("R5 R4 / Y1 Y2", discard="R4 R1 R1 R1 R2 R2", errors="R3 R3"), {"color": "red"}, {"rank": 5}
    )
    assert possible(state) == ["R5", "R4"]


def test_own_cards_are_not_counted() -> None:
    """A card of the holder's own hand does not count as visible while the holder does not know it: that copy may be
    anywhere."""
    state = table("R5 R4 / Y1 Y2")
    assert unaccounted_copies(state.as_known_to(Seat(0)), 0)[catalog().cards["R5"].face_index] == 1


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_real_face_is_always_possible(seats: int) -> None:
    """In any position of a random game, the possible faces of each hand contain the real ones."""
    for state in random_game("counting", seats):
        for seat, held in enumerate(state.hands):
            found = possible_faces(state.as_known_to(Seat(seat)), seat)
            assert all(card.face in faces for card, faces in zip(held, found, strict=True))
