"""Unseen cards: they are dealt as `?`, turned up when they are played, and pointed at by slot."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import Any

import pytest

from companion.games import move_json
from companion.games.rules import Move, Seat, play
from companion.games.system_won.catalog import RANKS, catalog
from companion.games.system_won.game import GAME
from companion.games.system_won.legality import refusal
from companion.games.system_won.rules import State
from companion.games.system_won.unseen_card_statement_rules import is_consistent
from companion.text.refusal_errors import IllegalMove
from tests.system_won_positions import (
    act,
    cant_be_dealt,
    deal,
    faces_due,
    hand,
    house,
    known,
    random_game,
    refused,
    shown,
    table,
    use,
)

UNSEEN = "R1 R2 Y3 G4 B5 / ? ? G2 G2 B4"


def test_a_card_may_be_drawn_unseen() -> None:
    """ "`?`: drawn, not seen": the deck is one card smaller, and any face may still come."""
    state = deal(act(table("R1 R2 / Y1 Y2"), "discard", slot=0), "?")
    assert (hand(state, 0), state.unseen_in_hands, state.turn) == ("R2 ?", 1, 1)
    assert shown(state)["deck"] == shown(table("R1 R2 / Y1 Y2"))["deck"] - 1
    assert set(faces_due(act(state, "discard", slot=0))) >= {"R1", "G5", "?"}


TURNED: list[tuple[str, dict[str, Any], str]] = [
    ("discard", {"slot": 0, "card": "R5"}, "discard"),
    ("play", {"slot": 0, "card": "R5"}, "errors"),
    ("ability", {"use": "play_other", "target": 0, "slot": 0, "seat": 1, "card": "R5"}, "errors"),
]


@pytest.mark.parametrize(("name", "keys", "pile"), TURNED)
def test_a_card_is_turned_up_when_it_leaves_the_hand(name: str, keys: dict[str, Any], pile: str) -> None:
    """A move that takes an unseen card out of the hand reveals it: "`discard`, `play` and `play_other` take `card` …
    when a `?` is revealed"."""
    state = table("? R1 / Y1 Y2", roles="contractor engineer")
    after = act(state, name, **keys)
    assert (shown(after)[pile], after.unseen_in_hands) == (["R5"], 0)
    assert cant_be_dealt(after, "R5"), "it is no longer in the deck"


@pytest.mark.parametrize(("name", "keys", "pile"), TURNED)
def test_the_face_of_a_turned_up_card_must_be_stated(name: str, keys: dict[str, Any], pile: str) -> None:
    """A move that turns up an unseen card must state its face in `card`. `legal` lists the move without it."""
    state = table("? R1 / Y1 Y2", roles="contractor engineer")
    bare = {key: value for key, value in keys.items() if key != "card"}
    assert "Enter which one it is" in refused(state, name, **bare)
    seat = bare.pop("seat", 0)
    assert move_json.from_json(GAME, 2, {"seat": seat, "move": name, **bare}) in list(state.legal_moves())


def test_two_cards_are_turned_up() -> None:
    """ "`play_two` takes `cards`": one card for each slot in the order named, or only for the slots that need it."""
    state = table("? R2 ? Y1 / G1 G2", roles="contractor engineer")
    assert hand(use(state, "play_two", slots=[2, 0], cards=["B1", "B2"]), 0) == "R2 Y1"
    assert shown(use(state, "play_two", slots=[2, 0], cards=["B1", "B2"]))["systems"]["blue"] == 2
    assert use(state, "play_two", slots=[0, 1], cards=["R1"]) == use(
        state, "play_two", slots=[0, 1], cards=["R1", "B5"]
    )
    assert shown(use(state, "play_two", slots=[0, 1], cards=["R1"]))["systems"]["red"] == 2
    for cards in (None, [], ["B1"], ["B1", "B2", "B3"], ["B5", "B5"]):
        keys = {} if cards is None else {"cards": cards}
        assert refused(state, "ability", use="play_two", slots=[2, 0], **keys)


def test_a_face_must_fit_what_is_known_of_the_card() -> None:
    """ "A revealed face that contradicts what is known of the card is `illegal_move`", whether specifications have
    named a color or rank or ruled it out."""
    state = table("R1 R2 / ? ? G2")
    state = act(state, "specify", target=1, color="red", slots=[0])
    for slot, card in ((0, "Y1"), (1, "R1")):
        assert f"that card {slot + 1} can’t be a" in refused(state, "discard", slot=slot, card=card)
    assert act(state, "discard", slot=0, card="R3").discard == ("R3",)
    state = act(table("R1 R2 / ? ? G2"), "specify", target=1, rank=3, slots=[1])
    for slot, card in ((1, "R2"), (0, "R3")):
        assert f"that card {slot + 1} can’t be a" in refused(state, "play", slot=slot, card=card)


def test_a_face_must_have_a_copy_left() -> None:
    """A face can't be stated if all of its copies are visible."""
    assert "Every red 5 has been seen elsewhere" in refused(table("? R1 / R5 Y2"), "play", slot=0, card="R5")
    assert "Every red 5 has been seen elsewhere" in refused(
        table("? R1 / Y1 Y2", discard="R5"), "play", slot=0, card="R5"
    )
    assert "Every red 5 has been seen elsewhere" in refused(
        table("? R1 / Y1 Y2", systems="R5"), "play", slot=0, card="R5"
    )


def test_several_unseen_cards_must_fit_together() -> None:
    """A deal must leave a possible face for each unseen card, and no more cards can be pointed at than there are
    copies."""
    state = table("R1 R2 / ? ? G2", discard="Y5 G5")
    state = act(state, "specify", target=1, rank=5, slots=[0, 1])
    assert cant_be_dealt(act(state, "discard", slot=2), "R5"), "the two hold R5 and B5 between them"
    assert not cant_be_dealt(act(state, "discard", slot=2), "R4")
    state = table("R1 R2 / ? ? ? G2", discard="Y5 G5")
    assert "none of the remaining cards" in refused(state, "specify", target=1, rank=5, slots=[0, 1, 2])


def test_the_speaker_names_the_slots() -> None:
    """ "Where the hand holds a `?`, the speaker names the slots pointed at". The cards in these slots, and no others,
    are marked."""
    state = act(table(UNSEEN), "specify", target=1, color="green", slots=[3, 1, 2])
    assert [mark["color"] for mark in known(state, 1)] == [None, "green", "green", "green", None]
    assert [mark["not_colors"] for mark in known(state, 1)] == [["green"], [], [], [], ["green"]]
    assert state.specifications == 7


@pytest.mark.parametrize(
    ("slots", "why"),
    [
        (None, "Enter which"),
        ([], "every card that matches"),
        ([0, 1], "every card that matches"),
        ([0, 2], "every card that matches"),
        ([2, 3, 4], "every card that matches"),
        ([2, 2, 3], "once"),
        ([2, 3, 5], "0 to 4"),
    ],
)
def test_the_slots_hold_all_known_matches_and_no_others(slots: list[int] | None, why: str) -> None:
    """The stated slots must contain every known match and no card that is known not to match."""
    keys = {} if slots is None else {"slots": slots}
    assert why in refused(table(UNSEEN), "specify", target=1, color="green", **keys)


def test_pointing_must_fit_what_was_said() -> None:
    """A card that is known to be red can be pointed at for red but not for blue. A card known not to be red can't be
    pointed at for red."""
    state = act(table(UNSEEN), "specify", target=1, color="red", slots=[0])
    state = act(state, "specify", target=0, rank=1)
    assert "card 2 can’t be red. Don’t" in refused(state, "specify", target=1, color="red", slots=[0, 1])
    assert "card 1 must be red. Point at it too" in refused(state, "specify", target=1, color="red", slots=[1])
    assert "card 1 can’t be blue. Don’t" in refused(state, "specify", target=1, color="blue", slots=[0, 4])
    assert act(state, "specify", target=1, color="red", slots=[0]).specifications == 5


def test_nothing_pointed_at_is_no_specification() -> None:
    """At least one card must match, even in a hand with unseen cards."""
    assert "at least one card" in refused(table(UNSEEN), "specify", target=1, color="red", slots=[])


def test_two_hints_name_slots_as_well() -> None:
    """A player who gives two hints must say for each of them which slots it points at. Both must be possible
    together."""
    state = table("R1 R2 / ? G2", roles="designer engineer")
    after = use(
        state,
        "specify_two",
        hints=[{"target": 1, "color": "red", "slots": [0]}, {"target": 1, "rank": 2, "slots": [0, 1]}],
    )
    assert known(after, 1)[0] == {"color": "red", "rank": 2, "not_colors": [], "not_ranks": []}
    hints = [{"target": 1, "color": "red", "slots": [0]}, {"target": 1, "color": "blue", "slots": [0]}]
    rank = {"target": 1, "rank": 2, "slots": [0, 1]}
    assert refused(state, "ability", use="specify_two", hints=hints)
    assert "Enter which" in refused(state, "ability", use="specify_two", hints=[{**hints[0], "slots": None}, rank])


def test_knowledge_stays_with_an_unseen_card() -> None:
    """What is known of an unseen card moves with the card when the hand is rearranged or a gap closes."""
    state = act(table(UNSEEN), "specify", target=1, color="red", slots=[0])
    state = act(state, "arrange", seat=1, order=[4, 3, 2, 1, 0])
    assert known(state, 1)[4]["color"] == "red"
    assert "that card 5 can’t be a blue 1" in refused(state, "discard", slot=4, card="B1")


def test_a_returned_unseen_card_is_unseen() -> None:
    """After an undo has put a `?` back on the deck, the next card may have any face. A known card that was put back is
    drawn again, even if nobody sees it."""
    state = table("R1 R2 / Y1 Y2", roles="contractor engineer")
    back = use(deal(act(state, "discard", slot=0), "?"), "undo", seat=1)
    assert back.unseen_in_hands == 0
    assert len(faces_due(act(back, "discard", slot=0))) > 10
    back = use(deal(act(state, "discard", slot=0), "B1"), "undo", seat=1)
    assert hand(deal(act(back, "discard", slot=0), "?"), 0) == "R2 B1"


def test_an_undone_reveal_is_unseen_again() -> None:
    """After an undo, a revealed card is unseen again: "The position just before the last turn's move comes back"."""
    state = table("? R2 / Y1 Y2", roles="contractor engineer")
    back = use(deal(act(state, "play", slot=0, card="B1"), "?"), "undo", seat=1)
    assert (hand(back, 0), back.unseen_in_hands, shown(back)["systems"]["blue"]) == ("? R2", 1, 0)


def completions(state: State, made: Move) -> list[dict[str, Any]]:
    """Every complete form of a listed move: with each possible set of slots to point at, and each possible face to turn
    up."""
    value = move_json.to_json(made)
    slots = [list(s) for n in range(6) for s in combinations(range(5), n)]
    if value["move"] == "specify":
        return [value, *(value | {"slots": s} for s in slots if max(s, default=0) < len(state.hands[value["target"]]))]
    if value["move"] in ("discard", "play"):
        return [value, *(value | {"card": face} for face in catalog().faces)]
    return [value]


def taken(state: State, value: dict[str, Any]) -> bool:
    """Whether the rules accept a move."""
    return refusal(state, move_json.from_json(GAME, len(state.hands), value)) is None


def unseen_game(seed: int, scanned: float) -> list[State]:
    """Positions of a random game in which some cards are scanned when drawn and others are not."""
    rng = Random(seed)
    state, states = GAME.rules.begin(2, {"roles": "none"}).state, list[State]()
    while state.turn is not None and len(states) < 60:
        if state.turn == "house":
            seen = rng.random() < scanned
            due = [move for move, weight in state.chances() if (weight > 0 if seen else move.face == "?")]
            state = play(state, rng.choice(due))
        else:
            made = rng.choice(list(state.legal_moves()))
            truths = [value for value in completions(state, made) if taken(state, value)]
            state = play(state, move_json.from_json(GAME, 2, rng.choice(truths)))
        states.append(state)
    return states


@pytest.mark.parametrize(("seed", "scanned"), [(0, 0.0), (1, 0.0), (2, 0.5), (3, 0.5), (4, 0.9)])
def test_a_move_is_listed_exactly_if_it_can_be_completed(seed: int, scanned: float) -> None:
    """A move is listed exactly if the rules accept it with some slots or faces (checked by brute force). The recorded
    position is always possible."""
    for state in unseen_game(seed, scanned)[::7]:
        assert is_consistent(state)
        if state.turn in ("house", None):
            continue
        seat, other = Seat(state.active_player), Seat(1 - state.active_player)
        said: list[dict[str, Any]] = [
            {"seat": seat, "move": name, "slot": slot} for name in ("discard", "play") for slot in range(5)
        ]
        said += [{"seat": seat, "move": "specify", "target": other, "color": color} for color in catalog().colors]
        said += [{"seat": seat, "move": "specify", "target": other, "rank": rank} for rank in RANKS]
        listed = list(state.legal_moves())
        for value in said:
            made = move_json.from_json(GAME, 2, value)
            assert (made in listed) == any(taken(state, full) for full in completions(state, made)), value


@pytest.mark.parametrize("seed", range(4))
def test_without_unseen_cards_listed_moves_are_complete(seed: int) -> None:
    """If all cards are known, the listed moves are exactly those that no rule refuses."""
    for state in random_game(seed, 2, roles="none")[::6]:
        listed = list(state.legal_moves())
        if isinstance(state.turn, int):
            seat, other = state.active_player, 1 - state.active_player
            said = [{"seat": seat, "move": n, "slot": slot} for n in ("discard", "play") for slot in range(-1, 6)]
            said += [{"seat": seat, "move": "specify", "target": t, "rank": r} for t in (seat, other) for r in range(7)]
            for value in said:
                made = move_json.from_json(GAME, 2, value)
                assert (made in listed) == (refusal(state, made) is None)


def test_an_impossible_deal_is_refused_with_its_reason() -> None:
    """The refusal of an impossible deal says why: no copy is left, it is another seat's turn, or the move is of the
    wrong kind."""
    state = act(table("R5 R2 / Y1 Y2"), "discard", slot=1)
    assert cant_be_dealt(state, "R5")
    assert cant_be_dealt(state, "R1", to=1)
    with pytest.raises(IllegalMove, match=r"can.t be next in the deck\. Next is a card off the deck for seat 0"):
        deal(state, "R5")
    with pytest.raises(IllegalMove, match=r"can.t come now\. Next is a card off the deck for seat 0"):
        house(state, "deal", to=1, card="R1")


def test_the_refusal_of_a_deal_does_not_reveal_the_deck() -> None:
    """The refusal of a deal is the same whether all copies of the face are visible, or the next card of the deck is
    known to be another card. Nobody may learn which of the two is the reason."""
    before = table("R5 R2 Y1 / Y1 Y2 G1", deck="B1 B2 B3", roles=("engineer", "designer"), role_cards=("engineer",))
    undone = use(deal(act(before, "discard", slot=0), "B2"), "undo", seat=0)
    again = act(undone, "discard", slot=0)
    said = set()
    for face in ("R2", "B1"):
        with pytest.raises(IllegalMove) as caught:
            deal(again, face)
        said.add(str(caught.value))
    assert len(said) == 1
