"""The texts of System WON: log, buttons, prompts and meters."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

from companion.games.rules import HOUSE, SPECTATOR, Seat, play
from companion.games.system_won import text
from companion.games.system_won.game import GAME
from companion.games.system_won.log_lines import log_line
from companion.games.system_won.rules import State
from tests.rendered_texts import english, in_english, rendered
from tests.system_won_positions import act, deal, move, random_game, table, use

label, meters, prompt = map(in_english, (text.label, text.meters, text.prompt))

NAMES = ("Ann", "Bob", "Cid", "Dot")
ROLES = "designer contractor engineer"


def log_after(state: State, name: str, seat: int | None = None, code: str = "en", **keys: Any) -> str:
    """The log entry for a seat's move, as everyone reads it, in a language."""
    made = move(state, name, seat, **keys)
    return str(rendered(log_line(state, made, play(state, made), SPECTATOR, NAMES), code))


def test_a_specification_names_the_cards() -> None:
    """Cards in the log are counted from 1."""
    state = table()
    assert log_after(state, "specify", target=1, rank=2) == "Ann gives a hint: Bob’s cards 3 and 4 are 2s."
    assert log_after(state, "specify", target=2, color="blue") == "Ann gives a hint: Cid’s cards 1 and 2 are blue."
    assert log_after(state, "specify", target=1, color="blue") == "Ann gives a hint: Bob’s card 5 is the only blue one."
    assert log_after(state, "specify", target=1, rank=4) == "Ann gives a hint: Bob’s card 5 is the only 4."


def test_the_log_says_where_a_card_went() -> None:
    """The log says whether a card was discarded, was added to a system, or was an error, and whether it completed a
    system."""
    state = table(systems="B4")
    assert log_after(state, "discard", slot=0) == "Ann discards a red 1."
    assert log_after(state, "play", slot=0) == "Ann plays a red 1."
    assert log_after(state, "play", slot=1) == "Ann plays a red 2, an error."
    assert log_after(state, "play", slot=4) == "Ann plays a blue 5. The blue system is complete."
    assert log_after(state, "arrange", order=[4, 3, 2, 1, 0]) == "Ann rearranges the hand."


@pytest.mark.parametrize(
    ("role", "keys", "words"),
    [
        ("designer", {"use": "restore"}, "Ann (Designer) turns a specification card up."),
        (
            "designer",
            {"use": "specify_two", "hints": [{"target": 1, "rank": 4}, {"target": 2, "color": "blue"}]},
            "Ann (Designer) gives two hints for free: Bob’s card 5 is the only 4; Cid’s cards 1 and 2 are blue.",
        ),
        (
            "contractor",
            {"use": "play_two", "slots": [1, 0]},
            "Ann (Contractor) plays two cards: red 1 and red 2, an error.",
        ),
        ("contractor", {"use": "recycle"}, "Ann (Contractor) has 2 discards shuffled back into the deck."),
        (
            "operations",
            {"use": "extra_turn", "target": 2},
            "Ann (Operations) gives Cid an extra turn after this one.",
        ),
        ("operations", {"use": "skip", "count": 1}, "Ann (Operations) skips the next turn."),
        (
            "technician",
            {"use": "play_from_discard", "card": "G1"},
            "Ann (Technician) plays from the discard pile: green 1.",
        ),
        (
            "technician",
            {"use": "play_from_errors", "card": "B4"},
            "Ann (Technician) plays from the error pile: blue 4, an error again.",
        ),
        ("engineer", {"use": "play_other", "target": 1, "slot": 0}, "Ann (Engineer) plays a card of Bob’s: yellow 1."),
    ],
)
def test_abilities_are_logged(role: str, keys: dict[str, Any], words: str) -> None:
    """The log of an ability names the player, the role and the result."""
    state = table(roles=(role, None, None), specifications=5, discard="G1 R3", errors="B4")
    assert log_after(state, "ability", **keys) == words


def test_an_undo_names_the_turn() -> None:
    """The log of an undo names the player whose turn was undone."""
    state = act(table(roles=ROLES), "specify", target=1, rank=2)
    assert log_after(state, "ability", seat=2, use="undo") == "Cid (Engineer) undoes Ann’s last turn."


def test_the_last_card_and_the_end_are_logged() -> None:
    """The log tells how many turns are left after the last card, and at the end the score."""
    state = act(table(deck="G1"), "discard", slot=0)
    due, _ = next(state.chances())
    words = english(log_line(state, due, play(state, due), Seat(1), NAMES))
    assert words == "Ann gets a green 1. That was the last card of the deck: 3 turns left."
    words = log_after(table(systems="R5 Y5 G5 B4"), "play", slot=4)
    assert words.startswith("Ann plays a blue 5. The blue system is complete. You’ve won! The score is 20: Green wave.")
    over = act(table(deck="", regular_turns_left=0, systems="R2", errors="B3"), "discard", slot=0)
    assert prompt(over, Seat(0), NAMES).startswith("The score is 1: Gridlock.")


def test_the_prompt_says_what_to_do() -> None:
    """The prompt tells each player what they may do; in the last round it says so."""
    state = table()
    assert prompt(state, Seat(0), NAMES) == (
        "Your turn: tap your own card to play or discard it, or another player’s card to give a hint."
    )
    said = "Ann can give a hint, or discard or play a card. Hints only, no other talk."
    assert prompt(state, Seat(1), NAMES) == prompt(state, SPECTATOR, NAMES) == said
    assert prompt(table(specifications=0), Seat(0), NAMES).endswith("There are no hints left.")
    drawing = act(state, "discard", slot=0)
    assert prompt(drawing, Seat(0), NAMES).startswith("Draw a card from the deck. Don’t look at it")
    assert prompt(drawing, Seat(1), NAMES).startswith("Ann draws a card without looking, and shows it")
    last = deal(act(table(deck="G1"), "discard", slot=0), "G1")
    assert "3 turns left" in prompt(last, SPECTATOR, NAMES)
    last = act(act(last, "discard", slot=0), "discard", slot=0)
    assert "the last turn of the game" in prompt(last, SPECTATOR, NAMES)
    recycling = use(table(roles="contractor designer engineer", discard="R3 G1"), "recycle")
    assert prompt(recycling, Seat(0), NAMES).startswith("Take 2 random cards from the discard pile")
    assert prompt(GAME.rules.begin(2, {}).state, Seat(0), NAMES) == "Deal a role card to Ann, face up."


def test_meters() -> None:
    """The meters show score, errors, specifications and cards left. The score may be negative."""
    shown = {m.name: (m.value, m.lowest, m.level) for m in meters(table(systems="R3", errors="B3", specifications=1))}
    assert (shown["Score"], shown["Errors"]) == ((2, 0, "good"), (1, 0, "poor"))
    assert shown["Hints left"] == (1, 0, "fair")
    assert {m.name: m.lowest for m in meters(table(errors="B3 B3"))}["Score"] == -2
    for state in random_game(3)[::5]:
        assert all(m.lowest <= m.value <= m.highest for m in meters(state))


@pytest.mark.parametrize("seed", range(3))
def test_words_are_sentences_in_every_position(seed: int) -> None:
    """In any game every move has a log entry and every position a prompt, for every viewer."""
    for before, after in pairwise(random_game(seed, 2 + seed, abilities=0.1)):
        for viewer in (Seat(0), Seat(1), SPECTATOR):
            assert re.fullmatch(r"[A-Z].*[.!]", prompt(after, viewer, NAMES))
        for made in [*before.legal_moves(), *(made for made, _ in before.chances())][::7]:
            words = english(log_line(before, made, play(before, made), Seat(1), NAMES))
            assert re.fullmatch(r"[A-Z].*[.!]", words), words
            assert "None" not in words
            assert "  " not in words


def test_buttons_count_cards_from_one() -> None:
    """Labels of moves count cards from 1 and differ for each kind of move."""
    state = table(roles="contractor designer engineer")
    assert label(state, move(state, "play", slot=0), Seat(0), NAMES) == ("Play", "card 1")
    assert label(state, move(state, "specify", target=2, rank=3), Seat(0), NAMES) == ("Give a hint", "Cid", "all 3s")
    two = move(state, "ability", use="play_two", slots=[0, 4])
    assert label(state, two, Seat(0), NAMES) == ("My ability", "Play two cards", "card 1", "card 5")
    assert label(state, move(state, "arrange", order=[1, 0, 2, 3, 4]), Seat(0), NAMES)[0] == "Rearrange"
    dealing = act(state, "discard", slot=0)
    assert dealing.turn == HOUSE
    paths = [label(dealing, made, Seat(1), NAMES) for made, _ in dealing.chances()]
    assert paths[-1] == ("Drawn", "not seen")
