"""Which cards a face-down card can be, before and after the discards have become the deck."""

from __future__ import annotations

from random import Random

import pytest

from companion.games.commute import uh_oh_effect_types
from companion.games.commute.chance import private_reports
from companion.games.commute.moves import Bump, Deal, Travel
from companion.games.commute.position_parts import SwapTask
from companion.games.commute.position_updates import with_uh_oh
from companion.games.commute.possible_faces import possible_faces
from companion.games.commute.rules import State
from companion.games.commute.suits_and_ranks import DECK, UNSEEN
from companion.games.rules import HOUSE, Seat, play
from companion.text.refusal_errors import IllegalMove
from tests.commute_positions import act, choose, travel, under_way

HELD = ("2H", "3H", "4H", "5H", "6H")
"""The cards that nobody has seen when the deck runs out."""


def offered(state: State) -> set[str]:
    """The cards that the seat in turn may play."""
    return {move.card for move in state.legal_moves() if isinstance(move, Travel | Bump)}


def reshuffled() -> State:
    """A position in which seat 0 has played the ace, the empty deck has been replaced by the discards, and seat 0 has
    been dealt one of them face down."""
    discard = " ".join(card for card in DECK if card not in ("AH", *HELD))
    state = under_way(["c", "g"], ["AH ? ?", "? ? ?"], discard=discard)
    assert state.deck_size == 0
    return act(travel(state, "AH", "d"), HOUSE, "deal", to=0, card=UNSEEN)


def test_an_older_face_down_card_was_never_face_up() -> None:
    """A face-down card that was dealt before the reshuffle can't be a card that was face up before it."""
    state = reshuffled()
    assert (state.turn, state.deck_size) == (1, 34)
    assert offered(state) == {*HELD}
    with pytest.raises(IllegalMove, match="don’t have the ace of spades"):
        travel(state, "AS", "h", seat=1)
    assert travel(state, "2H", "i", seat=1).hands[1] == ("?", "?")


def test_a_newer_card_is_one_of_the_discards() -> None:
    """A hand with one older and one newer face-down card may play a face of either kind. After that, the remaining card
    must be of the other kind."""
    state = reshuffled()
    state = act(travel(state, "2H", "i", seat=1), HOUSE, "deal", to=1, card=UNSEEN)
    assert offered(state) == {*DECK} - {"2H"}
    newer, older = travel(state, "AS", "e"), travel(state, "3H", "g")
    assert {*newer.face_candidates[0]} == {frozenset(HELD)}
    assert {*older.face_candidates[0]} == {frozenset(HELD), frozenset(DECK) - {*HELD}}


def test_only_cards_that_went_into_the_deck_can_be_dealt() -> None:
    """After the reshuffle, a player may report only a card that was on the discard pile at the reshuffle."""
    state = travel(reshuffled(), "2H", "i", seat=1)
    reportable = {move.card for move in private_reports(state, Seat(1)) if isinstance(move, Deal)}
    assert reportable == {*DECK} - {*HELD}
    with pytest.raises(IllegalMove, match="Next is a card for seat 1"):
        act(state, HOUSE, "deal", to=1, card="3H", told=True)
    assert "AS" in act(state, HOUSE, "deal", to=1, card="AS", told=True).hands[1]


def test_a_new_commute_begins_with_all_cards() -> None:
    """ "Each commute starts with all 40 shuffled": at its start a face-down card can be any card."""
    state = reshuffled().replace(locations=("l", "l"), arrived=(True, False), commute_count=2)
    state = travel(state, "2H", "work", seat=1)
    for to in (0, 0, 0, 1, 1, 1):
        state = act(state, HOUSE, "deal", to=to, card=UNSEEN)
    assert offered(state) == {*DECK}


@pytest.mark.parametrize("seed", range(3))
def test_players_can_always_play_the_cards_they_hold(seed: int) -> None:
    """In a morning with a real deck, dealt face down, players can always play the cards that they really hold."""
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
        if len(state.deck.discard) < len(before.deck.discard):
            deck = rng.sample(sorted({*DECK} - {card for hand in hands for card in hand}), state.deck_size)
            reshuffles += 1


def test_a_card_that_changed_hands_can_be_any() -> None:
    """A player who gets a card in a swap does not know when it was dealt, so it can be any card. What is known about
    the cards that stay in the hand does not change."""
    swap = {"kind": "swap", "gives": "chosen", "gets": "chosen"}
    state = reshuffled().replace(active_player=Seat(0), locations=("e", "g"), stage="uh_oh")
    state = with_uh_oh(state, card="U01", tasks=(SwapTask(Seat(0), Seat(1), uh_oh_effect_types.read(swap)),))  # type: ignore[arg-type]
    after = choose(choose(state, UNSEEN), UNSEEN, seat=1)
    assert possible_faces(after, Seat(1)) == {*DECK}
    assert after.face_candidates[1] == (frozenset(HELD),) * 2
    assert after.face_candidates[0] == ()
