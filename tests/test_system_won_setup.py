"""How a game of System WON begins, and its data file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from companion.games.rules import HOUSE, SPECTATOR, Seat, play
from companion.games.system_won.catalog import CARDS, catalog, read
from companion.games.system_won.game import GAME
from companion.games.system_won.rules import State
from companion.match.chance_player import ChancePlayer
from companion.text.refusal_errors import SetupError
from companion.text.toml_files import DataError, load
from tests.system_won_positions import cant_be_dealt, faces_due, house, random_game, shown

FACES = [f"{letter}{rank}" for letter in "RYGB" for rank in range(1, 6)]


def dealt(seats: int, seed: str = "x", **setup: Any) -> list[State]:
    """The positions of a set-up, up to the first turn."""
    start = GAME.rules.begin(seats, setup)
    state, dealer, states = start.state, ChancePlayer(seed, start.script), [start.state]
    while state.turn == HOUSE:
        state = play(state, dealer.next_move(state, len(states)))
        states.append(state)
    return states


def faces(seats: int, seed: str = "x", **setup: Any) -> list[str]:
    """The faces of the cards dealt in a set-up, in order."""
    return [face for hand in shown(dealt(seats, seed, **setup)[-1])["hands"] for face in hand]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_specifications_begin_face_up(seats: int) -> None:
    """All specifications begin face up: "Place each of the 8 SPECIFICATION cards face up." """
    assert shown(GAME.rules.begin(seats, {}).state)["specifications"] == 8


def test_each_player_gets_a_role_that_everyone_sees() -> None:
    """ "Deal a ROLE card to each player face up so everyone can see it": all roles are different, and spectators see
    them too."""
    state = dealt(4)[-1]
    roles = state.as_known_to(SPECTATOR).to_json()["roles"]
    assert len(set(roles)) == 4
    assert set(roles) <= {"designer", "contractor", "operations", "technician", "engineer"}
    assert roles == state.as_known_to(Seat(0)).to_json()["roles"]


@pytest.mark.parametrize(("seats", "cards"), [(2, 5), (3, 5), (4, 4)])
def test_hands(seats: int, cards: int) -> None:
    """The size of a hand depends on the number of players: "Deal 5 SYSTEM cards to each player for a 2-3 player game OR
    4 cards for a 4-player game." """
    state = dealt(seats)[-1]
    assert [len(hand) for hand in shown(state)["hands"]] == [cards] * seats
    assert shown(state)["deck"] == 40 - seats * cards
    assert state.turn == 0, "seat 0 begins"


def test_nobody_sees_the_own_hand() -> None:
    """Players see all hands but their own: "DO NOT LOOK AT THEM! … the other players can see the fronts of the
    cards." """
    state = dealt(3)[-1]
    for seat in range(3):
        seen, whole = state.as_known_to(Seat(seat)).to_json()["hands"], shown(state)["hands"]
        assert seen[seat] == ["?"] * 5
        assert [seen[other] for other in range(3) if other != seat] == [whole[o] for o in range(3) if o != seat]
    assert state.as_known_to(SPECTATOR).to_json()["hands"] == [["?"] * 5] * 3


def test_a_discard_and_an_error_pile_begin_empty() -> None:
    """The discard pile and the error pile begin empty: "Place the SYSTEM deck …, leaving room for a discard pile";
    "leave room for an error pile"."""
    state = shown(dealt(2)[-1])
    assert (state["discard"], state["errors"], state["score"]) == ([], [], 0)
    assert state["systems"] == {"red": 0, "yellow": 0, "green": 0, "blue": 0}


def test_the_cards() -> None:
    """ "Three 1s, two each of 2, 3, 4, one 5: 40 cards". Copies have different ids."""
    cards = GAME.rules.card_data() if GAME.rules.card_data else {}
    assert Counter(card["card"] for card in cards["cards"]) == {
        f"{letter}{rank}": count for letter in "RYGB" for rank, count in enumerate((3, 2, 2, 2, 1), 1)
    }
    assert [card["id"] for card in cards["cards"]][:5] == ["R1a", "R1b", "R1c", "R2a", "R2b"]
    assert len({card["id"] for card in cards["cards"]}) == 40
    assert cards["roles"] == ["designer", "contractor", "operations", "technician", "engineer"]


def test_the_order_of_the_deal() -> None:
    """The house deals in this order: "Roles first (seat by seat, all different), then seat 0's whole hand, then the
    next." """
    states = dealt(3)
    due = [next((move.NAME, move.to) for move, _ in state.chances()) for state in states[:-1]]  # type: ignore[attr-defined]
    assert due == [("role", 0), ("role", 1), ("role", 2), *(("deal", to) for to in range(3) for _ in range(5))]
    assert shown(states[1])["roles"][1:] == [None, None], "roles not dealt yet are null"
    assert all(state.turn == HOUSE and not list(state.legal_moves()) for state in states[:-1])


def test_a_role_comes_once_and_in_turn() -> None:
    """The house can't deal a role twice, a role to the wrong seat, or a card before the roles."""
    state = house(GAME.rules.begin(2, {}).state, "role", to=0, role="designer")
    assert set(faces_due(state)) == {"contractor", "operations", "technician", "engineer"}
    assert cant_be_dealt(state, "R1", to=0)
    with pytest.raises(Exception, match="Next is a role for seat 1"):
        house(state, "role", to=0, role="engineer")
    with pytest.raises(Exception, match="already been dealt"):
        house(state, "role", to=1, role="designer")


def test_every_copy_is_equally_likely() -> None:
    """The weight of a face is the number of copies left. A card dealt by hand may be unseen, with weight 0."""
    state = GAME.rules.begin(2, {"roles": "none"}).state
    assert faces_due(state) == {
        **{f: n for c in "RYGB" for f, n in zip([f"{c}{r}" for r in range(1, 6)], (3, 2, 2, 2, 1), strict=True)},
        "?": 0,
    }
    state = house(state, "deal", to=0, card="R5")
    assert "R5" not in faces_due(state)
    assert cant_be_dealt(state, "R5")


@pytest.mark.parametrize("roles", ["none", None])
def test_a_game_without_roles(roles: Any) -> None:
    """ "Difficulty: roles all, none": in a game without roles, `roles` is null."""
    assert shown(dealt(3, roles=roles)[-1])["roles"] is None


def test_a_set_of_roles() -> None:
    """ "Difficulty: … or any set": only roles of the given set are dealt."""
    for seed in range(5):
        state = dealt(2, str(seed), roles="engineer, designer,operations")[-1]
        assert set(shown(state)["roles"]) < {"engineer", "designer", "operations"}


def test_the_communication_option_changes_no_rule() -> None:
    """ "Communication strict (only specifications) or open": the option changes only what phones say."""
    strict, free = (dealt(2, communication=how)[-1] for how in ("strict", "open"))
    assert shown(strict) == shown(free)
    assert [str(GAME.text.prompt(s, Seat(1), ["Ann", "Bob"])).split(". ")[-1] for s in (strict, free)] == [
        "Hints only, no other talk.",
        "Talk as you like.",
    ]


def test_a_set_up_prescribes_the_first_cards_and_roles() -> None:
    """A set-up prescribes the first cards of the deck and the first roles. The rest is random."""
    deck = ["B5", "B1", "B1", "R1", "R2", "G1", "G5"]
    assert faces(2, deck=deck)[:7] == deck
    assert len({tuple(faces(2, str(seed), deck=deck)) for seed in range(5)}) > 1
    assert shown(dealt(2, roles=["engineer", "designer"])[-1])["roles"] == ["engineer", "designer"]
    seconds = {shown(dealt(2, str(seed), roles=["engineer"])[-1])["roles"][1] for seed in range(20)}
    assert seconds == {"designer", "contractor", "operations", "technician"}


def test_a_whole_deck_can_be_fixed() -> None:
    """A set-up may prescribe the order of the whole deck."""
    deck = [face for face, count in zip(FACES, (3, 2, 2, 2, 1) * 4, strict=True) for _ in range(count)][::-1]
    start = GAME.rules.begin(2, {"roles": "none", "deck": deck})
    state, dealer, came = start.state, ChancePlayer("x", start.script), list[str]()
    for ply in range(200):
        if state.turn is None:
            break
        if state.turn == HOUSE:
            made = dealer.next_move(state, ply)
            came.append(made.face)
        else:
            made = next(move for move in state.legal_moves() if move.NAME == "discard")  # type: ignore[assignment]
        state = play(state, made)
    assert came == deck


@pytest.mark.parametrize(
    ("seats", "setup", "why"),
    [
        (2, {"deck": ["R5", "R5"]}, "R5 2 times; the game has 1"),
        (2, {"deck": ["R1"] * 4}, "R1 4 times; the game has 3"),
        (2, {"deck": ["R6"]}, "'R6'"),
        (2, {"deck": ["?"]}, "'\\?'"),
        (2, {"deck": [7]}, "7"),
        (2, {"deck": [["R1"]]}, "deck contains"),
        (2, {"deck": "R1"}, "must be a list"),
        (2, {"deck": None}, "must be a list"),
        (2, {"roles": ["designer", "designer"]}, "designer twice"),
        (2, {"roles": ["designer", "engineer", "operations"]}, "3 roles for 2"),
        (2, {"roles": ["captain"]}, "'captain'"),
        (2, {"roles": [None]}, "None"),
        (2, {"roles": "designer"}, "at least 2"),
        (4, {"roles": "designer,engineer,operations"}, "at least 4"),
        (2, {"roles": "designer,designer"}, "twice"),
        (2, {"roles": "designer,captain"}, "'captain'"),
        (2, {"roles": ""}, "''"),
        (2, {"roles": 3}, "roles must be"),
        (2, {"communication": "loud"}, "strict, open"),
        (2, {"aid": "none"}, "no set-up key 'aid'"),
    ],
)
def test_an_invalid_set_up_is_refused_in_one_line(seats: int, setup: dict[str, Any], why: str) -> None:
    """ "A card twice, unknown, too many", and fewer roles than seats, are each refused in one line."""
    with pytest.raises(SetupError, match=why) as caught:
        GAME.rules.begin(seats, setup)
    assert "\n" not in str(caught.value)


def test_it_is_for_two_to_four() -> None:
    """The game is for two to four. Other numbers of seats are refused."""
    for seats in (1, 5):
        with pytest.raises(SetupError, match="2 to 4"):
            GAME.rules.seat_count(seats)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("copies = [3, 2, 2, 2, 1]", "copies = [3, 2, 2, 2]", "line 8: copies contains 4"),
        ("copies = [3, 2, 2, 2, 1]", "copies = [3, 2, 2, 2, 0]", "line 8: copies contains 0"),
        ('letter = "Y"', 'letter = "R"', "line 18: letter R is in"),
        ('color = "green"', 'color = "red"', "line 23: color red is in"),
        ("count = 8", "count = 0", "line 33: count is 0"),
        ("cards = [5, 5, 4]", "cards = [5, 5]", "line 30: cards contains 2"),
        ('abilities = ["play_two", "recycle"]', 'abilities = ["fly"]', "line 45: abilities contains 'fly'"),
        ('abilities = ["play_two", "recycle"]', 'abilities = ["undo"]', "undo is in the file twice"),
        ('id = "contractor"', 'id = "designer"', "line 43: id designer is in"),
        ("from = 6", "from = 30", "line 75: each rating must begin at a higher score"),
        ('title = "Steady"', 'titel = "Steady"', "title is missing"),
    ],
)
def test_a_mistake_in_the_data_file_names_its_line(tmp_path: Path, old: str, new: str, why: str) -> None:
    """An error in the data file is reported with its line."""
    text = CARDS.read_text()
    assert old in text
    (tmp_path / "cards.toml").write_text(text.replace(old, new))
    with pytest.raises(DataError, match=why):
        read(load(tmp_path / "cards.toml"))


def test_an_ability_can_be_taken_from_its_role(tmp_path: Path) -> None:
    """An ability can be removed from its role in the data file: "For a more challenging game, remove one or all
    abilities from role cards." """
    text = CARDS.read_text().replace('["play_other", "undo"]', "[]").replace('["designer", "restore"]', '["restore"]')
    (tmp_path / "cards.toml").write_text(text)
    cards = read(load(tmp_path / "cards.toml"))
    assert cards.roles["engineer"].abilities == ()
    assert "undo" not in cards.role_by_ability


def test_hands_must_leave_a_deck(tmp_path: Path) -> None:
    """Hands so large that no deck remains are refused."""
    (tmp_path / "cards.toml").write_text(
        CARDS.read_text()
        .replace("copies = [3, 2, 2, 2, 1]", "copies = [1, 1, 1, 1, 1]")
        .replace("[5, 5, 4]", "[5, 5, 5]")
    )
    with pytest.raises(DataError, match="use up all 20 cards"):
        read(load(tmp_path / "cards.toml"))


def test_cards_add_up() -> None:
    """In every position of a game each of the 40 cards is in one place."""
    every = Counter(dict(zip(catalog().faces, catalog().copies, strict=True)))
    for seed in range(6):
        for state in random_game(seed, 2 + seed % 3):
            assert +cards_of(state) == every
            assert state.deck_size == sum(state.unseen_copies) + len(state.deck_top) - state.unseen_in_hands
            assert state.unseen_in_hands == 0


def cards_of(state: State) -> Counter[str]:
    """All cards of a position, counted by face."""
    cards = catalog().cards.values()
    return Counter(
        [
            *(held.face for hand in state.hands for held in hand),
            *state.discard,
            *state.errors,
            *state.deck_top,
            *(card.face for card in cards if card.rank <= state.systems[card.suit]),
            *(card.face for card in cards for _ in range(state.unseen_copies[card.face_index])),
        ]
    )
