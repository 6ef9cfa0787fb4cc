"""The roles of System WON and their abilities."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.rules import HOUSE, Seat
from companion.games.system_won.rules import State
from companion.text.refusal_errors import NotYourTurn
from tests.system_won_positions import (
    act,
    cant_be_dealt,
    deal,
    faces_due,
    hand,
    house,
    known,
    move,
    refused,
    shown,
    table,
    use,
)

FIVE = "R1 R2 Y3 G4 B5"


def with_role(role: str, hands: str = "", **fields: Any) -> State:
    """A position in which seat 0 must act and has this role; seats 1 and 2 have others."""
    others = [name for name in ("technician", "operations", "designer") if name != role][:2]
    more = {"hands": hands} if hands else {}
    return table(**more, roles=(role, *others), **fields)


def uses(state: State, seat: int = 0) -> set[str]:
    """The abilities that a seat can use."""
    return {made.use for made in state.legal_moves() if made.NAME == "ability" and made.seat == seat}  # type: ignore[attr-defined]


WAYS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "designer": [
        ("specify_two", {"hints": [{"target": 1, "color": "green"}, {"target": 2, "rank": 5}]}),
        ("restore", {}),
    ],
    "contractor": [("play_two", {"slots": [0, 1]}), ("recycle", {})],
    "operations": [("extra_turn", {"target": 2}), ("skip", {"count": 1})],
    "technician": [("play_from_discard", {"card": "R1"}), ("play_from_errors", {"card": "Y2"})],
    "engineer": [("play_other", {"target": 1, "slot": 0}), ("undo", {})],
}
ANY_TIME = {"restore", "extra_turn", "skip", "play_other", "undo"}


def ready(role: str, turn: int = 0) -> State:
    """A position in which seat 0 could use every ability of its role: a turn was taken, and the piles are not empty."""
    state = with_role(
        role,
        specifications=6,
        discard="R1 G1",
        errors="Y2",
        active_player=Seat((turn + 2) % 3),
        next_regular_player=Seat(turn),
    )
    return act(state, "specify", target=(turn + 1) % 3, rank=4)


def after_house_moves(state: State) -> State:
    """The position after the house has made its pending moves."""
    while state.turn == HOUSE:
        due, _ = next(state.chances())
        state = state.play(due)
    return state


EVERY = [(role, ability, keys) for role, ways in WAYS.items() for ability, keys in ways]


@pytest.mark.parametrize(("role", "ability", "keys"), EVERY)
def test_an_ability_is_used_once(role: str, ability: str, keys: dict[str, Any]) -> None:
    """ "An ability that may be used ONE TIME ONLY": a role can use one of its two abilities, and not both."""
    state = after_house_moves(use(ready(role), ability, seat=0, **keys))
    assert shown(state)["roles_used"] == [role]
    while state.turn != 0:
        state = after_house_moves(act(state, "discard", slot=0))
    assert uses(state) == set()
    for again, more in WAYS[role]:
        assert "once" in refused(state, "ability", seat=0, use=again, **more)


@pytest.mark.parametrize(("role", "ability", "keys"), EVERY)
def test_only_its_role_has_an_ability(role: str, ability: str, keys: dict[str, Any]) -> None:
    """Only the holder of a role may use its abilities. In a game without roles there are none."""
    for other in WAYS:
        if other != role:
            assert (
                refused(ready(other), "ability", seat=0, use=ability, **keys) == f"Only the {role.title()} can do that."
            )
    plain = ready(role).replace(roles=None)
    assert refused(plain, "ability", seat=0, use=ability, **keys) == "This game is played without roles."


@pytest.mark.parametrize(("role", "ability", "keys"), EVERY)
def test_an_ability_has_its_time(role: str, ability: str, keys: dict[str, Any]) -> None:
    """ "Played as an action or be played at any time": "any time" means between turns or before the current seat
    acts."""
    state = ready(role, turn=1)
    assert (ability in uses(state)) == (ability in ANY_TIME)
    if ability in ANY_TIME:
        use(state, ability, seat=0, **keys)
    else:
        with pytest.raises(NotYourTurn):
            use(state, ability, seat=0, **keys)
    with pytest.raises(NotYourTurn):
        use(act(state, "discard", slot=0), ability, seat=0, **keys)
    assert ability in uses(ready(role))


@pytest.mark.parametrize(("role", "ability", "keys"), EVERY)
def test_an_action_is_the_turn(role: str, ability: str, keys: dict[str, Any]) -> None:
    """An ability used "as your action" ends the turn. After one that may be used "at any time", it is still the same
    seat's turn."""
    state = ready(role)
    after = after_house_moves(use(state, ability, seat=0, **keys))
    assert after.turn == {"undo": 2}.get(ability, 0 if ability in ANY_TIME else 1)


def test_roles_are_listed_in_the_order_of_use() -> None:
    """Used roles are listed in the order in which they were used: "`roles_used`: names in order of use"."""
    state = table(roles="operations engineer designer", specifications=3)
    state = use(state, "restore", seat=2)
    state = deal(use(state, "play_other", seat=1, target=0, slot=0), "G1")
    assert shown(use(state, "skip", count=1))["roles_used"] == ["designer", "engineer", "operations"]


@pytest.mark.parametrize("specifications", [0, 5, 8])
def test_two_pieces_of_information_are_free(specifications: int) -> None:
    """ "SPECIFY two pieces of information for no cost": "also with none face up". They may be about the same player or
    about two players."""
    state = with_role("designer", specifications=specifications)
    after = use(state, "specify_two", hints=[{"target": 1, "color": "green"}, {"target": 1, "rank": 4}])
    assert (after.specifications, after.turn) == (specifications, 1)
    assert [(m["color"], m["rank"]) for m in known(after, 1)] == [(None, None)] * 2 + [("green", None)] * 2 + [
        (None, 4)
    ]
    after = use(state, "specify_two", hints=[{"target": 1, "rank": 4}, {"target": 2, "rank": 4}])
    assert [m["rank"] for m in known(after, 2)] == [None, None, None, 4, None]


@pytest.mark.parametrize(
    ("hints", "why"),
    [
        ([{"target": 1, "rank": 4}], "exactly two"),
        ([], "exactly two"),
        ([{"target": 1, "rank": 4}, {"target": 1, "rank": 2}, {"target": 2, "rank": 4}], "exactly two"),
        ([{"target": 1, "rank": 4}, {"target": 1, "rank": 4}], "must differ"),
        ([{"target": 1, "rank": 4}, {"target": 0, "rank": 4}], "not your own"),
        ([{"target": 1, "rank": 4}, {"target": 1, "rank": 5}], "None matches"),
        ([{"target": 1, "rank": 4}, {"target": 1, "rank": 7}], "1 to 5"),
    ],
)
def test_two_pieces_of_information_are_two(hints: list[Any], why: str) -> None:
    """ "Exactly two specifications": they must differ, and each must be legal by itself."""
    assert why in refused(with_role("designer"), "ability", use="specify_two", hints=hints)


def test_each_pair_is_listed_once() -> None:
    """ "Their order means nothing, `legal` lists each pair once": a pair in the other order is accepted, and has the
    same effect."""
    state = with_role("designer")
    pairs = [made.hints for made in state.legal_moves() if made.NAME == "ability" and made.use == "specify_two"]  # type: ignore[attr-defined]
    single = [made for made in state.legal_moves() if made.NAME == "specify"]
    assert len(pairs) == len({frozenset(pair) for pair in pairs}) == len(single) * (len(single) - 1) // 2
    both = [{"target": 2, "color": "blue"}, {"target": 1, "rank": 1}]
    assert use(state, "specify_two", hints=both) == use(state, "specify_two", hints=both[::-1])


def test_a_specification_is_restored() -> None:
    """The Designer may "at any time, flip over one SPECIFICATION card right side up"; "one must be down"."""
    assert use(with_role("designer", specifications=7), "restore").specifications == 8
    assert "already face up" in refused(with_role("designer"), "ability", use="restore")


def test_two_cards_are_played_in_the_order_named() -> None:
    """The Contractor plays two cards: "Both slots named before the first is played; played in the order named; then as
    many are drawn"."""
    state = use(with_role("contractor"), "play_two", slots=[0, 1])
    assert (shown(state)["systems"]["red"], hand(state, 0), state.turn) == (2, "Y3 G4 B5", HOUSE)
    state = deal(state, "G1")
    assert state.turn == HOUSE
    state = deal(state, "G5")
    assert (hand(state, 0), state.turn) == ("Y3 G4 B5 G1 G5", 1)
    state = use(with_role("contractor"), "play_two", slots=[1, 0])
    assert (shown(state)["systems"]["red"], state.errors) == (1, ("R2",))


@pytest.mark.parametrize(
    ("slots", "why"),
    [
        ([0], "two cards"),
        ([], "two cards"),
        ([0, 1, 2], "two cards"),
        ([1, 1], "once"),
        ([0, 5], "0 to 4"),
        ([-1, 0], "0 to 4"),
    ],
)
def test_two_cards_are_two(slots: list[int], why: str) -> None:
    """The two slots must be different slots of the player's own hand."""
    assert why in refused(with_role("contractor"), "ability", use="play_two", slots=slots)


def test_with_one_card_in_the_deck_one_is_drawn() -> None:
    """ "After a play or a discard the seat draws, if the deck has a card": after two cards were played, only one is
    drawn if the deck has no more."""
    state = use(with_role("contractor", deck="B2"), "play_two", slots=[0, 1])
    state = deal(state, "B2")
    assert (hand(state, 0), state.turn, state.deck_size, state.turns_left) == ("Y3 G4 B5 B2", 1, 0, 3)
    state = use(with_role("contractor", deck="", regular_turns_left=2), "play_two", slots=[0, 1])
    assert (hand(state, 0), state.turn, state.turns_left) == ("Y3 G4 B5", 1, 2)


def test_a_hand_of_one_card_has_no_move_with_two_slots() -> None:
    """With one card in hand, no move that needs two slots is listed."""
    state = table("R1 / Y1 G2", roles="contractor designer", deck="", regular_turns_left=1)
    assert uses(state) == set()
    assert refused(state, "ability", use="play_two", slots=[0, 1])


def test_two_discards_are_shuffled_back() -> None:
    """ "Randomly choose two cards from the discard pile to shuffle back into the deck": the house chooses them, the
    oldest copies leave the pile, and nothing is drawn."""
    state = with_role("contractor", discard="R3 G1 R3 B2", deck="Y1 Y2")
    state = use(state, "recycle")
    assert state.turn == HOUSE
    assert faces_due(state) == {"G1 R3": 2, "R3 R3": 1, "B2 R3": 2, "B2 G1": 1}
    after = house(state, "recycle", cards=["R3", "B2"])
    assert after == house(state, "recycle", cards=["B2", "R3"])
    assert (after.discard, after.deck_size, after.turn) == (("G1", "R3"), 4, 1)
    for cards in (["R3"], [], ["R3", "B5"], ["G1", "G1"], ["R3", "G1", "B2"]):
        with pytest.raises(Exception, match="Next is 2 of the discards"):
            house(state, "recycle", cards=cards)
    assert {face for face, weight in faces_due(act(after, "discard", slot=0)).items() if weight} == {
        "Y1",
        "Y2",
        "R3",
        "B2",
    }


def test_a_single_discard_is_shuffled_back_alone() -> None:
    """If there is only one discard, it is shuffled back alone: "one if only one exists; none: not allowed"."""
    state = use(with_role("contractor", discard="G1"), "recycle")
    assert faces_due(state) == {"G1": 1}
    assert house(state, "recycle", cards=["G1"]).discard == ()
    assert "empty" in refused(with_role("contractor"), "ability", use="recycle")


@pytest.mark.parametrize("target", [0, 1, 2])
def test_an_extra_turn_comes_right_after_this_one(target: int) -> None:
    """An extra turn comes right after this one: "The named seat (any) takes a turn right after the current turn, then
    play goes on as it would have." """
    state = use(with_role("operations"), "extra_turn", target=target)
    assert (shown(state)["pending"], state.turn) == ({"extra": [target], "skip": 0}, 0)
    state = act(state, "specify", target=1, rank=4)
    assert (state.turn, shown(state)["pending"]) == (target, {"extra": [], "skip": 0})
    state = after_house_moves(act(state, "discard", slot=0))
    assert state.turn == 1
    assert after_house_moves(act(state, "discard", slot=0)).turn == 2


@pytest.mark.parametrize(("count", "following"), [(1, 2), (2, 0), (3, 1), (4, 2), (3 * 10**9, 1)])
def test_skipped_seats_lose_their_turns(count: int, following: int) -> None:
    """A skip takes effect after the current turn: "The seat in turn still acts, the n ≥ 1 seats after it lose their
    turns (n may wrap around)." """
    state = use(with_role("operations"), "skip", count=count)
    assert (shown(state)["pending"], state.turn) == ({"extra": [], "skip": count}, 0)
    state = act(state, "specify", target=1, rank=4)
    assert (state.turn, shown(state)["pending"]) == (following, {"extra": [], "skip": 0})
    state = act(state, "specify", target=(following + 1) % 3, rank=4)
    assert state.turn == (following + 1) % 3, "once"


def test_skips_of_one_and_more_are_legal() -> None:
    """ "`legal` lists 1 to the number of seats", but any number of one or more is legal."""
    state = with_role("operations")
    listed = [made.count for made in state.legal_moves() if made.NAME == "ability" and made.use == "skip"]  # type: ignore[attr-defined]
    assert listed == [1, 2, 3]
    for count in (0, -1):
        assert "at least one player" in refused(state, "ability", use="skip", count=count)


def test_a_skip_before_another_seats_turn_counts_from_that_seat() -> None:
    """A skip counts from the seat in turn: if seat 1 is in turn, seat 2 loses its turn."""
    state = use(ready("operations", turn=1), "skip", seat=0, count=1)
    assert act(state, "specify", target=0, rank=5).turn == 0


def test_a_discard_is_played() -> None:
    """ "PLAY any card from the discard pile": the oldest copy of that face is played, and there is "no draw"."""
    state = use(with_role("technician", discard="G1 R1 G1"), "play_from_discard", card="G1")
    assert (shown(state)["systems"]["green"], state.discard, state.turn, len(state.hands[0])) == (1, ("R1", "G1"), 1, 5)
    state = use(with_role("technician", discard="G1 R3"), "play_from_discard", card="R3")
    assert (state.discard, state.errors) == (("G1",), ("R3",))
    assert "no blue 1 in the discard" in refused(with_role("technician"), "ability", use="play_from_discard", card="B1")


def test_an_error_is_played() -> None:
    """ "PLAY any card from the error pile": the card no longer costs a point."""
    state = with_role("technician", errors="G1 R3")
    after = use(state, "play_from_errors", card="G1")
    assert (after.errors, shown(after)["systems"]["green"], shown(after)["score"], after.turn) == (("R3",), 1, 0, 1)
    assert "no blue 1 in the error" in refused(state, "ability", use="play_from_errors", card="B1")


def test_an_error_that_fails_again_goes_to_the_end() -> None:
    """ "A card from the errors that fails again goes to the end of that pile." """
    state = use(with_role("technician", errors="R3 B4 R3 G2"), "play_from_errors", card="R3")
    assert (state.errors, shown(state)["score"]) == (("B4", "R3", "G2", "R3"), -4)


def test_another_players_card_is_played() -> None:
    """ "Play another player's card": "its owner draws", and it is still the same seat's turn."""
    state = ready("engineer", turn=2)
    after = use(state, "play_other", seat=0, target=1, slot=0)
    assert (shown(after)["systems"]["yellow"], hand(after, 1), after.turn) == (1, "Y1 G2 G2 B4", HOUSE)
    assert cant_be_dealt(after, "G5", to=0)
    after = deal(after, "G5")
    assert (hand(after, 1), after.turn) == ("Y1 G2 G2 B4 G5", 2)
    assert use(state, "play_other", seat=0, target=1, slot=4).errors == ("Y2", "B4")
    assert "not your own" in refused(state, "ability", seat=0, use="play_other", target=0, slot=0)
    assert "0 to 4" in refused(state, "ability", seat=0, use="play_other", target=1, slot=5)


def test_any_five_restores_a_specification() -> None:
    """ "Any successful 5, however played, restores one specification if one is down (automatic)." """
    tops = "R4 Y4 G4 B4"
    played = [
        use(with_role("engineer", systems=tops, specifications=2), "play_other", target=2, slot=4),
        use(with_role("contractor", systems=tops, specifications=2), "play_two", slots=[0, 4]),
        use(with_role("technician", systems=tops, specifications=2, discard="G5"), "play_from_discard", card="G5"),
        use(with_role("technician", systems=tops, specifications=2, errors="G5"), "play_from_errors", card="G5"),
    ]
    assert [state.specifications for state in played] == [3] * 4


def test_the_json_of_an_ability_selects_its_class() -> None:
    """The field `use` of the JSON selects the class of the move."""
    for role, ability, keys in EVERY:
        assert move(ready(role), "ability", 0, use=ability, **keys).use == ability
