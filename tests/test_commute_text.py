"""The texts of Commute: log, buttons, prompts, meters and outcome."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.commute import display_names, text
from companion.games.commute.display_names import signed
from companion.games.commute.end_screen import ending as ending_sentence
from companion.games.commute.game import GAME
from companion.games.commute.position_parts import SwapTask
from companion.games.commute.rules import State
from companion.games.commute.uh_oh_cards import uh_oh_cards
from companion.games.rules import HOUSE, REFEREE, SPECTATOR, Seat, Viewer, play
from tests.commute_positions import GAME_IN_TOWN, act, choose, deal, move, random_game, start, travel, under_way
from tests.rendered_texts import english, in_english, rendered

effect_summary, ending, pause_label, prompt = map(
    in_english, (display_names.effect_summary, ending_sentence, text.pause_label, text.prompt)
)

NAMES = ("Ann", "Bob", "Cid")
HANDS = ("AH 2H 3H", "4D 5D 6D", "7C 8C 9C")


def log_after(state: State, seat: int | str, name: str, viewer: Viewer = REFEREE, code: str = "en", **keys: Any) -> str:
    """The log entry for a move, in a language."""
    made = move(state, seat, name, **keys)
    return str(rendered(GAME.text.log_line(state, made, play(state, made), viewer, NAMES), code))


def test_the_log_of_a_journey_has_its_minutes_and_its_effects() -> None:
    """The log entry of a journey gives the card, the space, the minutes of both, the player who is bumped, and the
    arrival."""
    state = under_way(["c", "d", "h2"], HANDS)
    assert log_after(state, 0, "travel", card="AH", to="d") == (
        "Ann plays the ace of hearts and travels to d, +5 minutes. Bob is there and must be sent on."
    )
    sent = travel(state, "AH", "d")
    assert log_after(sent, 0, "bump", card="2H", to="p") == (
        "Ann plays the 2 of hearts and sends Bob to p, +5 minutes, red line."
    )
    home = log_after(under_way(["l", "h1", "h2"], HANDS), 0, "travel", card="AH", to="work")
    assert home == "Ann plays the ace of hearts and travels to work, +1 minute. Ann arrives."


def test_the_log_says_goes_home() -> None:
    """The English log says "goes home", not "to home"."""
    state = under_way(["a", "work", "work"], HANDS, commute=1)
    assert (
        log_after(state, 0, "travel", card="AH", to="h0")
        == "Ann plays the ace of hearts and travels home, +1 minute. Ann arrives."
    )


def test_the_log_names_a_dealt_card_to_its_owner_only() -> None:
    """The log names a dealt card only to its owner. Others read only that a card was dealt."""
    state = start(2).state
    assert log_after(state, HOUSE, "deal", Seat(0), to=0, card="7H") == "Ann is dealt the 7 of hearts."
    assert log_after(state, HOUSE, "deal", Seat(1), to=0, card="7H") == "Ann is dealt a card."
    assert log_after(state, HOUSE, "deal", SPECTATOR, to=0, card="7H") == "Ann is dealt a card."


def test_a_hand_dealt_is_one_line() -> None:
    """The log has one line for all cards that a player is dealt in a row. It names them to their owner only."""
    before, steps = start(2).state, []
    for to, card in ((0, "7H"), (0, "AS"), (0, "2C"), (1, "9D")):
        made = move(before, HOUSE, "deal", to=to, card=card)
        after = play(before, made)
        steps.append((before, made, after))
        before = after
    assert GAME.text.log_lines
    lines = {viewer: [*map(str, GAME.text.log_lines(steps, viewer, NAMES))] for viewer in (Seat(0), Seat(1), SPECTATOR)}
    own = "Ann is dealt 3 cards: 7 of hearts, ace of spades and 2 of clubs."
    assert lines[Seat(0)] == [own, "Bob is dealt a card."]
    assert lines[Seat(1)] == ["Ann is dealt 3 cards.", "Bob is dealt the 9 of diamonds."]
    assert lines[SPECTATOR] == ["Ann is dealt 3 cards.", "Bob is dealt a card."]


def test_the_log_of_an_uh_oh_card_has_its_effect() -> None:
    """The log of an “Uh-Oh!” card gives the card's own text and the changes in minutes and reputation."""
    state = travel(under_way(["e", "h1", "h2"], HANDS), "AH", "f")
    said = log_after(state, HOUSE, "uh_oh", to=0, card="U05")
    assert said.startswith("Ann draws “Who has my time card?”: “")
    assert said.endswith("Ann: +6 minutes.")


def swapping() -> State:
    """A position in which Ann has drawn a swap and chosen Bob."""
    effect = {"kind": "swap", "gives": "chosen", "gets": "random"}
    state = under_way(["e", "h1", "h2"], HANDS, cards={"U01": effect})
    return act(travel(state, "AH", "f"), HOUSE, "uh_oh", to=0, card="U01")


def test_the_log_of_a_swap_keeps_its_secrets() -> None:
    """The log says who the partner of a swap is and when the swap is done, but names no card to players who may not see
    it."""
    state = swapping()
    assert log_after(state, 0, "choose", option=1) == "Ann wants to swap with Bob."
    state = choose(state, 1)
    assert log_after(state, 0, "choose", Seat(0), option="2H") == "Ann offers the 2 of hearts to swap."
    assert log_after(state, 0, "choose", Seat(1), option="2H") == "Ann offers a card to swap."
    state = choose(state, "2H")
    said = log_after(state, HOUSE, "pick", Seat(2), from_=1, card="5D")
    assert said == "A card is drawn from Bob’s hand. Ann and Bob swap cards."
    assert "The 5 of diamonds" in log_after(state, HOUSE, "pick", Seat(0), from_=1, card="5D")


@pytest.mark.parametrize(
    ("effect", "option", "said"),
    [
        ({"kind": "skip_turn", "who": "other"}, 2, "Cid will lose a turn."),
        ({"kind": "close_line", "turns": 1}, "blue", "Ann closes the blue line."),
        (
            {"kind": "choice", "of": [{"kind": "minutes", "amount": -4}, {"kind": "reputation", "amount": 1}]},
            0,
            "Ann chooses: −4 minutes. Ann: −3 minutes.",
        ),
    ],
)
def test_the_log_says_what_was_chosen(effect: dict[str, Any], option: Any, said: str) -> None:
    """The log says who chose what, and the result. It does not let minutes fall below zero."""
    state = travel(under_way(["e", "h1", "h2"], HANDS, cards={"U01": effect}), "AH", "f")
    state = act(state, HOUSE, "uh_oh", to=0, card="U01")
    assert log_after(state, 0, "choose", option=option) == said


def test_the_companion_waits_between_commutes() -> None:
    """The companion waits between commutes until somebody lets it deal, but neither before the first commute nor after
    the last."""
    before = under_way(["l", "work", "work"], HANDS, arrived=(False, True, True))
    state = travel(before, "2H", "work")
    assert (pause_label(before), pause_label(state)) == (None, "Deal for the evening")
    assert prompt(state, SPECTATOR, NAMES).startswith("The morning is over.")
    dealt = deal(state, "7H")
    assert (pause_label(dealt), prompt(dealt, SPECTATOR, NAMES)) == (None, "Deal a card to Ann.")
    assert pause_label(travel(before.replace(commute_count=1), "2H", "work")) is None
    assert pause_label(start(3).state) is None


def test_the_log_of_a_commutes_end_has_points_and_winners() -> None:
    """At the end of a commute, the log gives everyone's minutes and points and, at the end of the game, the winner."""
    state = under_way(
        ["l", "work", "work"], HANDS, arrived=(False, True, True), minutes=(90, 100, 110), commute_count=1
    )
    said = log_after(state, 0, "travel", card="2H", to="work")
    assert "Ann arrives." in said
    assert "The morning of round 1 is over: Ann 92 minutes, −8, Bob 100 minutes, +0, Cid 110 minutes, −17" in said
    assert said.endswith("Bob wins with 0 reputation.")


def test_shared_wins_are_named_together() -> None:
    """If several players win, all of them are named. A winner reads "you"."""
    state = under_way(["work"] * 3, HANDS).replace(reputation=(3, 3, 1), is_over=True)
    assert ending(state, NAMES) == "Ann and Bob share the win, with 3 reputation each."
    assert (
        english(GAME.text.prompt(state, SPECTATOR, NAMES))
        == english(GAME.text.prompt(state, Seat(2), NAMES))
        == ending(state, NAMES)
    )
    assert english(GAME.text.prompt(state, Seat(0), NAMES)) == "You and Bob share the win, with 3 reputation each!"
    assert (
        english(GAME.text.prompt(state.replace(reputation=(3, 5, 1)), Seat(1), NAMES)) == "You win with 5 reputation!"
    )


def test_prompts_say_who_must_do_what() -> None:
    """The prompt tells the player who must act what to do, and the others who must act."""
    state = under_way(["c", "d", "h2"], HANDS)
    assert english(GAME.text.prompt(state, Seat(0), NAMES)).startswith("Your turn: play a card and travel to work")
    assert english(GAME.text.prompt(state, Seat(1), NAMES)) == "Ann plays a card to travel to work."
    assert "The fewer minutes" in english(GAME.text.prompt(state.replace(commute=1), Seat(0), NAMES))
    sent = travel(state, "AH", "d")
    assert english(GAME.text.prompt(sent, Seat(0), NAMES)).startswith("You landed on Bob")
    assert english(GAME.text.prompt(sent, Seat(1), NAMES)) == "Ann must play a card to send you on."
    assert english(GAME.text.prompt(start(2).state, Seat(1), NAMES)) == "Deal a card to Ann."
    assert english(GAME.text.prompt(start(2).state, Seat(0), NAMES)) == "You draw a card."
    asked = swapping()
    assert english(GAME.text.prompt(asked, Seat(0), NAMES)) == "Choose who to swap with."
    assert english(GAME.text.prompt(asked, Seat(2), NAMES)) == "Ann is choosing who to swap with."
    picked = choose(choose(asked, 1), "2H")
    assert english(GAME.text.prompt(picked, Seat(1), NAMES)) == "Draw a random card from your hand."
    assert english(GAME.text.prompt(picked, Seat(0), NAMES)) == "Draw a random card from Bob’s hand."
    landed = travel(under_way(["e", "h1", "h2"], HANDS), "AH", "f")
    assert english(GAME.text.prompt(landed, Seat(1), NAMES)) == "Reveal an “Uh-Oh!” card for Ann."


def test_every_position_has_a_prompt_and_every_move_a_log_entry() -> None:
    """In whole games every position has a prompt and every move a log entry, for every viewer."""
    for state, made in random_game(3, "words", unseen=0.2, rounds=1):
        for viewer in (Seat(0), Seat(1), SPECTATOR, REFEREE):
            assert english(GAME.text.prompt(state, viewer, NAMES))
            if made:
                line = english(GAME.text.log_line(state, made, play(state, made), viewer, NAMES))
                assert line.removesuffix("”").endswith((".", "!", "?"))


def test_a_card_of_a_swap_has_a_button_that_does_not_name_it() -> None:
    """To players who may not see a card of a swap, its button gives only the card's position in the hand."""
    state = choose(choose(swapping(), 1), "2H")
    assert isinstance(state.uh_oh.tasks[0], SwapTask)
    labels = {english(GAME.text.label(state, made, Seat(2), NAMES)) for made, _ in state.chances()}
    assert labels == {("Draw from Bob", f"card {n}") for n in (1, 2, 3)}
    assert ("Draw from Bob", "4 of diamonds") in {
        english(GAME.text.label(state, m, Seat(1), NAMES)) for m, _ in state.chances()
    }


def test_effects_are_put_into_few_words() -> None:
    """The effect of each “Uh-Oh!” card is described in a few words."""
    assert {effect_summary(card.effect) for card in uh_oh_cards().values()} > {"+6 minutes", "close a metro line"}
    cat = uh_oh_cards()["U04"].effect
    assert effect_summary(cat) == "+10 minutes and +5 reputation or −1 reputation"
    assert (signed(3), signed(0), signed(-3)) == ("+3", "+0", "−3")


def test_meters_show_minutes_and_reputation() -> None:
    """Each seat has a meter for minutes and one for reputation. They are named after the player and never out of
    range."""
    state = under_way(["c", "h1", "h2"], HANDS).replace(minutes=(80, 0, 230), reputation=(5, -3, -300))
    meters = english(GAME.physical.meters(state))
    assert [meter.name.format(*NAMES) for meter in meters[:2]] == ["Ann: minutes", "Ann: reputation"]
    assert all(meter.lowest <= meter.value <= meter.highest for meter in meters)
    assert [meter.level for meter in meters] == ["fair", "good", "good", "poor", "poor", "poor"]


def test_labels_are_short_paths() -> None:
    """A move's label consists of the action, the card and the space."""
    state = under_way(["c", "d", "h2"], HANDS)
    labels = {english(GAME_IN_TOWN.text.label(state, made, Seat(0), NAMES)) for made in state.legal_moves()}
    assert ("Travel", "ace of hearts", "d, +5 minutes") in labels
    assert all(len(path) == 3 for path in labels)
