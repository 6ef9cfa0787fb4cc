"""What a card that was dealt face down can be, before and after the discards have become the deck."""

from __future__ import annotations

from random import Random

import pytest

from companion.games.commute import card_effects
from companion.games.commute.chance import private_reports
from companion.games.commute.hidden_cards import possible_faces
from companion.games.commute.moves import Bump, Deal, Travel
from companion.games.commute.playing_cards import DECK, UNSEEN
from companion.games.commute.position_types import SwapTask
from companion.games.commute.rules import State
from companion.games.rules import HOUSE, Seat, play
from companion.text.refusals import IllegalMove
from tests.commute_town import act, choose, travel, under_way

HELD = ("2H", "3H", "4H", "5H", "6H")
"""What nobody has seen when the deck runs out."""


def offered(state: State) -> set[str]:
    """The cards that the seat whose turn it is may play."""
    return {move.card for move in state.legal_moves() if isinstance(move, Travel | Bump)}


def reshuffled() -> State:
    """Seat 0 played the ace, the deck was empty, the discards became it, and seat 0 got one of them face down."""
    discard = " ".join(card for card in DECK if card not in ("AH", *HELD))
    state = under_way(["c", "g"], ["AH ? ?", "? ? ?"], discard=discard)
    assert state.deck_size == 0
    return act(travel(state, "AH", "d"), HOUSE, "deal", to=0, card=UNSEEN)


def test_what_lay_open_is_no_older_card() -> None:
    """A card dealt before the discards became the deck is one that was never seen; others are refused."""
    state = reshuffled()
    assert (state.turn, state.deck_size) == (1, 34)
    assert offered(state) == {*HELD}
    with pytest.raises(IllegalMove, match="don't hold the ace of spades"):
        travel(state, "AS", "h", seat=1)
    assert travel(state, "2H", "i", seat=1).hands[1] == ("?", "?")


def test_a_newer_card_is_one_of_the_discards() -> None:
    """With both in the hand either may be played; what is left then is the other."""
    state = reshuffled()
    state = act(travel(state, "2H", "i", seat=1), HOUSE, "deal", to=1, card=UNSEEN)
    assert offered(state) == {*DECK} - {"2H"}
    newer, older = travel(state, "AS", "e"), travel(state, "3H", "g")
    assert {*newer.face_candidates[0]} == {frozenset(HELD)}
    assert {*older.face_candidates[0]} == {frozenset(HELD), frozenset(DECK) - {*HELD}}


def test_only_what_went_into_the_deck_can_be_dealt() -> None:
    """A player may tell of the own card what was among the discards when they became the deck, and nothing older."""
    state = travel(reshuffled(), "2H", "i", seat=1)
    told = {move.card for move in private_reports(state, Seat(1)) if isinstance(move, Deal)}
    assert told == {*DECK} - {*HELD}
    with pytest.raises(IllegalMove, match="expected: a card for seat 1"):
        act(state, HOUSE, "deal", to=1, card="3H", told=True)
    assert "AS" in act(state, HOUSE, "deal", to=1, card="AS", told=True).hands[1]


def test_a_new_commute_begins_with_all_cards() -> None:
    """ "Each commute starts with all 40 shuffled": nothing is ruled out there."""
    state = reshuffled().replace(locations=("l", "l"), arrived=(True, False), commute_count=2)
    state = travel(state, "2H", "work", seat=1)
    for to in (0, 0, 0, 1, 1, 1):
        state = act(state, HOUSE, "deal", to=to, card=UNSEEN)
    assert offered(state) == {*DECK}


@pytest.mark.parametrize("seed", range(3))
def test_the_truth_is_never_refused(seed: int) -> None:
    """A morning with a real deck, all of it dealt face down and shuffled again: who must act may play what is held."""
    rng, commutes = Random(seed), {"stage": "deal", "commute_count": 1}
    state = under_way(["h0", "h1", "h2"], ["", "", ""], cards={"U01": {"kind": "minutes", "amount": 1}}, **commutes)
    deck, hands, reshuffles = rng.sample(DECK, 40), [list[str]() for _ in range(3)], 0
    while reshuffles < 3:
        before = state
        if state.turn == HOUSE:
            due = [move for move, _ in state.chances()]
            state = play(state, due[-1])
            if isinstance(due[-1], Deal):
                hands[due[-1].to].append(deck.pop())
        else:
            held = hands[int(state.turn)]  # type: ignore[arg-type]
            assert {*held} <= offered(state)
            true = [move for move in state.legal_moves() if isinstance(move, Travel | Bump) and move.card in held]
            move = rng.choice([move for move in true if move.to != "work"])
            held.remove(move.card)
            state = play(state, move)
        if len(state.discard) < len(before.discard):
            deck = rng.sample(sorted({*DECK} - {card for hand in hands for card in hand}), state.deck_size)
            reshuffles += 1


def test_a_card_that_changed_hands_can_be_any() -> None:
    """Who gets it is not told when it was dealt; of what its owner keeps the same stays known."""
    swap = {"kind": "swap", "gives": "chosen", "gets": "chosen"}
    state = reshuffled().replace(active_player=Seat(0), locations=("e", "g"), uh_oh="U01")
    state = state.replace(stage="uh_oh", tasks=(SwapTask(Seat(0), Seat(1), card_effects.read(swap)),))  # type: ignore[arg-type]
    after = choose(choose(state, UNSEEN), UNSEEN, seat=1)
    assert possible_faces(after, Seat(1)) == {*DECK}
    assert after.face_candidates[1] == (frozenset(HELD),) * 2
    assert after.face_candidates[0] == ()
