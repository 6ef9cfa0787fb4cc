"""The careful policy of System WON uses only what its seat knows, and plays well.

Mean score and share of perfect games (`tablekeeper simulate system-won --policy careful --seed w`, with `--seats` and
`--option roles=…`; some hundreds of games each, give or take 0.15):

                2 seats       3 seats       4 seats
no roles     17.1   7 %    17.5   8 %    17.1   2 %
all roles    17.5  11 %    18.5  35 %    18.6  33 %

Points that single rules of the policy add, measured in 200 games without the rule (three seats, no roles; give or take
0.15): 1.1 for trust in the promise of a fresh hint, and 0.2 for the value of plays in the round after the next. The
value of what a holder learns adds 0.8 with two seats, and nothing with more.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from companion.games.game import Policy, choose_at_random
from companion.games.rules import Move, Seat, play
from companion.games.system_won.card_knowledge import HandCard
from companion.games.system_won.catalog import catalog
from companion.games.system_won.game import GAME
from companion.games.system_won.moves import Discard, Play, PlayFromErrors, PlayOther, Specify
from companion.games.system_won.policy.careful_policy import choose_carefully
from companion.games.system_won.rules import State
from companion.playouts.series import play_out
from tests.repetitions import repetitions
from tests.system_won_positions import act, move, random_game, table

DULL = "Y4 G3 B4 B3 G4"
"""A hand without playable cards and without the last copy of any card."""


def choice(state: State, seed: int = 1) -> Move:
    """The policy's move for the position as the seat in turn knows it."""
    assert isinstance(state.turn, int)
    known, legal = state.as_known_to(state.turn), [made for made in state.legal_moves() if made.seat == state.turn]
    return choose_carefully(known, state.turn, legal, Random(seed))


def turns(seats: int, roles: str) -> list[State]:
    """The positions of a random game in which a player must act."""
    return [state for state in random_game(f"{seats} {roles}", seats, roles=roles) if isinstance(state.turn, int)]


@pytest.mark.parametrize("roles", ["all", "none"])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_it_chooses_legal_moves_in_any_position(seats: int, roles: str) -> None:
    """The policy chooses legal moves even in positions that it would never have reached itself."""
    for state in turns(seats, roles):
        chosen = choice(state)
        assert chosen in list(state.legal_moves())
        play(state, chosen)


@pytest.mark.parametrize("seats", [2, 3])
def test_it_specifies_nothing_of_cards_that_nobody_has_seen(seats: int) -> None:
    """The policy makes no specification about unseen cards, because the rules would require it to name the slots."""
    for state in turns(seats, "all"):
        hidden = state.with_hands_hidden(((state.active_player + 1) % seats,))
        chosen = choice(hidden)
        assert chosen in list(hidden.legal_moves())
        play(hidden, chosen)


def test_it_knows_only_its_view() -> None:
    """In two worlds that its seat can't tell apart, the policy makes the same move, whatever the random generator
    is."""
    for state in turns(3, "all"):
        other = _dealt_otherwise(state)
        assert other.as_known_to(state.active_player) == state.as_known_to(state.active_player)
        assert choice(state, 1) == choice(other, 2)


def _dealt_otherwise(state: State) -> State:
    """The position with the seat's own hand replaced by cards from the deck that agree with what the seat knows."""
    seat = state.active_player
    hand = list(state.hands[seat])
    for slot, held in enumerate(hand):
        state = state.with_copies_unseen(held.face)
        cards = (card for card in catalog().cards.values() if state.unseen_copies[card.face_index])
        other = next((card.face for card in cards if held.knowledge.allows(card) and card.face != held.face), held.face)
        hand[slot] = held.replace(face=other)
        state = state.with_copy_seen(other)
    return state.with_hand(seat, tuple(hand))


def test_it_plays_what_is_certain() -> None:
    """The policy plays a card whose rank and color were specified, if the card's system needs it."""
    state = table(f"Y4 R1 G3 B4 B3 / {DULL}")
    for said in ({"rank": 1}, {"color": "red"}):
        state = state.replace(active_player=Seat(1))
        state = act(state, "specify", target=0, **said)
    assert choice(state.replace(active_player=Seat(0))) == Play(seat=Seat(0), slot=1)


def test_it_believes_a_fresh_specification() -> None:
    """The policy plays the newest card that was pointed at since the last draw, even if the card is not certain."""
    state = act(table(f"Y4 R3 G3 R1 B3 / {DULL}", active_player=Seat(1)), "specify", target=0, color="red")
    assert choice(state.replace(active_player=Seat(0))) == Play(seat=Seat(0), slot=3)


def test_it_does_not_believe_a_stale_specification() -> None:
    """The policy does not play a card because of a specification from before the last draw, which was about other cards
    or was already followed."""
    state = act(table(f"Y4 R3 G3 B3 R4 / {DULL}", active_player=Seat(1)), "specify", target=0, color="red")
    hand = (*state.hands[0][:4], HandCard("Y1"))
    assert not isinstance(choice(state.with_hand(0, hand).replace(active_player=Seat(0))), Play)


def test_it_shows_what_can_be_played() -> None:
    """The policy specifies the next player's only playable card."""
    state = table(f"{DULL} / Y4 G2 R1 B3 B4", deck="R2 R3 Y2 Y3 G2")
    chosen = choice(state)
    assert isinstance(chosen, Specify)
    assert chosen.value in ("red", 1)


def test_it_saves_a_card_that_can_not_be_replaced() -> None:
    """The policy warns the next player, who would otherwise discard the only red 5."""
    state = table("Y4 G4 B4 Y4 / R5 G4 B4 Y3", specifications=1, deck="Y2 Y2 G2 G2 B2 B2 R3 R4")
    chosen = choice(state)
    assert isinstance(chosen, Specify)
    assert chosen.value in ("red", 5)


def test_it_discards_what_is_of_no_use() -> None:
    """The policy discards a card that is known to have been played already, rather than the oldest card."""
    state = table(f"Y4 G4 G3 R1 B3 / {DULL}", systems="R2", specifications=2, active_player=Seat(1))
    for said in ({"rank": 1}, {"color": "red"}):
        state = act(state.replace(active_player=Seat(1)), "specify", target=0, **said)
    assert choice(state.replace(active_player=Seat(0))) == Discard(seat=Seat(0), slot=3)


def test_it_plays_an_error() -> None:
    """The policy uses "PLAY any card from the error pile", which is worth two points."""
    state = table(f"Y4 G3 B4 B3 G4 / {DULL}", roles="technician engineer", errors="R2", systems="R1")
    assert choice(state) == move(state, "ability", use="play_from_errors", card="R2")
    assert isinstance(choice(state), PlayFromErrors)


def test_it_plays_the_card_that_another_would_discard() -> None:
    """The policy uses "At any time, play another player's card" when the next player is about to discard the last red
    3."""
    state = table(
        "Y4 G4 B4 G4 / R3 G3 B4 Y3",
        roles="engineer technician",
        specifications=0,
        systems="R2",
        discard="R3",
        deck="R4 R5 Y2",
    )
    assert choice(state) == PlayOther(seat=Seat(0), target=Seat(1), slot=0)


@pytest.mark.slow
def test_it_plays_well() -> None:
    """On fixed seeds, with three seats and no roles, the policy completes most systems. Random play completes none."""
    assert _mean(choose_carefully, repetitions(40, at_least=6), 3, "none") > 16
    assert _mean(choose_at_random, repetitions(30), 3, "none") < 0


@pytest.mark.parametrize(("seats", "roles"), [(2, "none"), (4, "none"), (2, "all"), (3, "all"), (4, "all")])
def test_it_plays_well_at_any_table(seats: int, roles: str) -> None:
    """The policy also plays well with other numbers of seats and with abilities."""
    assert _mean(choose_carefully, repetitions(12, at_least=4), seats, roles) > 14.5


def _mean(policy: Policy, games: int, seats: int, roles: str) -> float:
    start = GAME.rules.begin(seats, {"roles": roles})
    ends: list[Any] = [play_out(GAME, start, policy, f"w/{n}")[0] for n in range(games)]
    return sum(end.score for end in ends) / games
