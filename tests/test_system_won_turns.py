"""Turns of System WON: specifying, discarding, playing, and the knowledge of hidden cards."""

from __future__ import annotations

import pytest

from companion.games.rules import HOUSE
from companion.text.refusal_errors import NotYourTurn
from tests.system_won_positions import act, deal, hand, known, random_game, refused, shown, table

BLANK = {"color": None, "rank": None, "not_colors": [], "not_ranks": []}


def test_one_action_a_turn_then_to_the_left() -> None:
    """A turn is one action, and then the next seat is in turn: "A player must complete one, and only one, of the
    following three actions"; "play continues to the left"."""
    state = table()
    for seat in (0, 1, 2, 0):
        assert state.turn == seat
        state = act(state, "specify", target=(seat + 1) % 3, rank=4)
    for seat in (1, 2, 0):
        assert state.turn == seat
        state = deal(act(state, "discard", slot=0), "G1")
    with pytest.raises(NotYourTurn):
        act(state, "play", seat=2, slot=0)


def test_nobody_may_skip_a_turn() -> None:
    """ "They are not allowed to skip their turn": apart from abilities, every move of the seat in turn is one of the
    three actions, and at least one is always legal."""
    for state in random_game(1, 3, roles="none"):
        if isinstance(state.turn, int):
            assert {move.NAME for move in state.legal_moves()} <= {"specify", "discard", "play"}
            assert list(state.legal_moves())


def test_specifying_turns_a_specification_down() -> None:
    """Specifying costs a specification card: "First, flip over one of the 8 SPECIFICATION cards." """
    assert act(table(), "specify", target=1, color="yellow").specifications == 7


def test_without_a_specification_face_up_nothing_is_specified() -> None:
    """Specifying is illegal without a specification card that is face up: "This action cannot be performed if all
    specification cards have been flipped over." """
    state = table(specifications=0)
    assert "No specification card is face up" in refused(state, "specify", target=1, color="yellow")
    assert {move.NAME for move in state.legal_moves()} == {"discard", "play"}
    assert act(table(specifications=1), "specify", target=1, color="yellow").specifications == 0


def test_a_specification_is_complete() -> None:
    """ "A player must give complete information": all red cards are pointed at, and the others are not."""
    state = act(table(), "specify", target=2, color="blue")
    assert [mark["color"] for mark in known(state, 2)] == ["blue", "blue", None, None, None]
    assert [mark["not_colors"] for mark in known(state, 2)] == [[], [], ["blue"], ["blue"], ["blue"]]
    state = act(table(), "specify", target=1, rank=2)
    assert [mark["rank"] for mark in known(state, 1)] == [None, None, 2, 2, None]
    assert [mark["not_ranks"] for mark in known(state, 1)] == [[2], [2], [], [], [2]]


def test_slots_of_a_known_hand_must_be_all_that_match() -> None:
    """In a hand without unseen cards, the slots must be all that match: "The informer cannot only point to one of them,
    they must point to BOTH"."""
    state = table()
    assert act(state, "specify", target=1, rank=2, slots=[3, 2]) == act(state, "specify", target=1, rank=2)
    for slots in ([2], [2, 3, 4], [], [2, 2, 3], [2, 3, 9], [-1, 2, 3]):
        assert refused(state, "specify", target=1, rank=2, slots=slots)


def test_a_specification_names_another_player() -> None:
    """A specification must be about another player: "Give another player information"; "a target that is not the
    speaker"."""
    assert "not your own" in refused(table(), "specify", target=0, color="red")


def test_at_least_one_card_matches() -> None:
    """A specification needs "at least one matching card", as the ruling says. A rank that does not exist is out of
    range."""
    assert "None matches" in refused(table(), "specify", target=1, color="red")
    assert "None matches" in refused(table(), "specify", target=1, rank=5)
    for rank in (0, 6, -1, 10**30):
        assert "1 to 5" in refused(table(), "specify", target=1, rank=rank)


def test_nothing_is_inferred() -> None:
    """ "`color` and `rank` only by a specification that pointed at the card, nothing inferred; `not_…` only what was
    denied": if three colors are denied, the fourth is not inferred."""
    state = table("R1 R2 Y3 G4 B5 / Y1 Y1 G2 R2 B4")
    for color in ("yellow", "green", "red"):
        state = act(state, "specify", target=1, color=color)
        state = act(state, "specify", target=0, color="red")
    mark = known(state, 1)[4]
    assert mark == {"color": None, "rank": None, "not_colors": ["red", "yellow", "green"], "not_ranks": []}
    assert known(state, 1)[0] == {**BLANK, "color": "yellow", "not_colors": ["red", "green"]}


def test_a_drawn_card_starts_blank() -> None:
    """Nothing is known of a drawn card. What is known of the other cards moves with them."""
    state = act(act(table(), "specify", target=1, color="green"), "discard", slot=2)
    state = deal(state, "G5")
    assert (hand(state, 1), known(state, 1)[4]) == ("Y1 Y1 G2 B4 G5", BLANK)
    assert [mark["color"] for mark in known(state, 1)] == [None, None, "green", None, None]


def test_discarding_restores_a_specification() -> None:
    """Discarding restores a specification: "This action flips a SPECIFICATION card right side up"; it "places a card …
    into the discard pile face up"."""
    state = act(table(specifications=3), "discard", slot=2)
    assert (state.specifications, state.discard, state.errors) == (4, ("Y3",), ())


def test_discarding_with_all_face_up_restores_nothing() -> None:
    """ "Discard is allowed with all 8 specifications face up; it then restores nothing." """
    assert act(table(), "discard", slot=0).specifications == 8


def test_after_a_discard_a_card_is_drawn() -> None:
    """ "Then they take a new card from the deck without looking at it": the other cards close the gap, and the new card
    becomes the last one of the hand."""
    state = act(table(), "discard", slot=1)
    assert (state.turn, hand(state, 0)) == (HOUSE, "R1 Y3 G4 B5")
    state = deal(state, "R5")
    assert (state.turn, hand(state, 0)) == (1, "R1 Y3 G4 B5 R5")


def test_a_card_that_fits_joins_its_system() -> None:
    """ "The card either begins, adds to or completes a system": the player need not know its color."""
    state = act(table(), "play", slot=0)
    assert (shown(state)["systems"]["red"], state.errors, shown(state)["score"]) == (1, (), 1)
    state = act(table(systems="G3"), "play", slot=3)
    assert shown(state)["systems"]["green"] == 4


@pytest.mark.parametrize(("slot", "systems"), [(1, ""), (0, "R1"), (0, "R3"), (2, "Y1"), (3, "B3")])
def test_a_card_that_does_not_fit_is_an_error(slot: int, systems: str) -> None:
    """ "Placed in the SYSTEM ERROR pile and subtract 1 point for each card": a card is an error unless it has the next
    number of its color."""
    state = table(systems=systems)
    after = act(state, "play", slot=slot)
    assert (after.systems, after.errors) == (state.systems, (hand(state, 0).split()[slot],))
    assert shown(after)["score"] == shown(state)["score"] - 1


def test_after_a_play_a_card_is_drawn() -> None:
    """ "After playing a card, the player then takes a new card from the deck without looking at it." """
    for slot in (0, 1):
        state = act(table(), "play", slot=slot)
        assert state.turn == HOUSE
        assert hand(deal(state, "G5"), 0).endswith("B5 G5")


def test_a_completed_system_restores_a_specification() -> None:
    """ "BONUS for completing a SYSTEM": one specification is restored "if one is down"."""
    assert act(table(systems="B4", specifications=2), "play", slot=4).specifications == 3
    assert act(table(systems="B4"), "play", slot=4).specifications == 8
    assert act(table(systems="G3", specifications=2), "play", slot=3).specifications == 2
    assert act(table(specifications=2), "play", slot=4).specifications == 2, "a 5 that fails restores nothing"


def test_a_slot_out_of_range_is_refused() -> None:
    """A slot number out of range is illegal."""
    for name in ("play", "discard"):
        for slot in (5, -1):
            assert "slots 0 to 4" in refused(table(), name, slot=slot)


def test_a_card_named_for_a_known_face_is_ignored() -> None:
    """A `card` in a move is "ignored where the face is known"."""
    assert act(table(), "play", slot=0, card="B5") == act(table(), "play", slot=0)
    assert act(table(), "discard", slot=0, card="R2") == act(table(), "discard", slot=0)


def test_a_hand_can_be_rearranged() -> None:
    """A player "can rearrange his or her hand": what is known of each card moves with it. This may be done at any time
    and does not count as a turn."""
    state = act(table(), "specify", target=2, rank=1)
    after = act(state, "arrange", seat=2, order=[2, 0, 1, 3, 4])
    assert hand(after, 2) == "R3 B1 B1 R4 Y5"
    assert [mark["rank"] for mark in known(after, 2)] == [None, 1, 1, None, None]
    assert (after.turn, after.specifications) == (state.turn, state.specifications)
    assert hand(act(after, "arrange", seat=1, order=[4, 3, 2, 1, 0]), 1) == "B4 G2 G2 Y1 Y1"


@pytest.mark.parametrize(
    "order", [[], [0, 1, 2, 3], [0, 1, 2, 3, 3], [0, 1, 2, 3, 5], [0, 1, 2, 3, 4, 4], [-1, 0, 1, 2, 3]]
)
def test_an_arrangement_is_a_full_permutation(order: list[int]) -> None:
    """An arrangement must contain each slot once."""
    assert "each card" in refused(table(), "arrange", order=order)


def test_no_hand_is_rearranged_while_the_house_acts() -> None:
    """A hand may be rearranged at "any time but while the house acts". This is never listed among the legal moves."""
    state = act(table(), "play", slot=0)
    with pytest.raises(NotYourTurn):
        act(state, "arrange", seat=1, order=[0, 1, 2, 3, 4])
    assert all(move.NAME != "arrange" for move in table().legal_moves())
