"""The texts of Systems Failing: log, buttons, prompts, meters and results."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.games import move_json
from companion.games.rules import HOUSE, REFEREE, SPECTATOR, Move, Seat, play
from companion.games.systems_failing import text
from companion.games.systems_failing.cube_multiset import Color
from companion.games.systems_failing.game import GAME
from companion.games.systems_failing.log_lines import log_line
from companion.games.systems_failing.moves import Draw
from companion.games.systems_failing.playout_figures import outcome
from companion.games.systems_failing.rules import State
from companion.tabletop.physical_instructions import physical_instructions
from tests.rendered_texts import english, in_english, rendered
from tests.systems_failing_positions import act, begin, draw, hands_dealt, house, random_game, resting, reveal, ship
from tests.systems_failing_tables import new_table, seen

label, meters, pause_label, prompt = map(in_english, (text.label, text.meters, text.pause_label, text.prompt))

NAMES = ("Ann", "Bo")
"""The players' names."""


def log_after(state: State, move: str, code: str = "en", **keys: Any) -> str:
    """The log entry for a move of a seat or the house, in a language."""
    if "cubes" in keys:
        keys["cubes"] = keys["cubes"].split()
    made = move_json.from_json(GAME, 2, {"seat": keys.pop("seat", state.turn), "move": move, **keys})
    return str(rendered(log_line(state, made, play(state, made), Seat(0), NAMES), code))


def test_the_player_who_is_asked_for_a_cube_reads_your() -> None:
    """The player who is asked for a cube reads "your"; everyone else reads that player's name."""
    state = ship({1: ["D01 blue"], 2: ["D11"]}, ("red red", "orange blue"))
    asked = move_json.from_json(GAME, 2, {"seat": 0, "move": "transfer", "color": "orange"})
    assert label(state, asked, Seat(0), NAMES)[0] == "Take a cube from Bo"
    assert label(state, asked, Seat(1), NAMES)[0] == "Take a cube from you"
    assert label(state, asked, SPECTATOR, NAMES)[0] == "Take a cube from Bo"


def test_a_button_that_uses_the_role_says_what_happens() -> None:
    """The button of a repair with the role's ability says that the role's color is not needed and that the card leaves
    the table."""
    state = ship({1: ["D01"]}, ("", "blue"), active_player=1, first_player=1)
    paths = [
        label(state, move, Seat(1), NAMES)[-1] for move in state.legal_moves() if move_json.to_json(move).get("ability")
    ]
    assert paths
    assert all(path.endswith(f"repaired without {state.ignored_color}") for path in paths)


def test_moves_are_logged_with_names() -> None:
    """The log names the player, and articles and numbers agree."""
    state = ship({1: ["D01 blue"], 2: ["D11"]}, ("red red", "orange blue"))
    assert log_after(state, "scavenge") == "Ann scavenges."
    assert log_after(state, "transfer", color="orange") == "Bo gives Ann an orange cube."
    assert log_after(state, "discard") == "Ann empties the pool into the bag."
    assert log_after(state, "end_turn") == "Ann ends the turn."
    assert log_after(state, "repair", card="D11", cubes="red") == "Ann puts a red cube on D11 Shorted relay."
    assert log_after(state, "repair", card="D01", cubes="red").endswith("D01 Hull breach is repaired and discarded.")


def test_repairs_name_all_that_left() -> None:
    """The log of a repair names every card that left: the top card, repaired cards below it, and escape sequences. The
    same is true of a repair with the ability."""
    state = ship({1: ["D01 blue", "D05 red blue"]}, active_player=1, first_player=1)
    words = log_after(state, "repair", card="D01", cubes="", ability=True)
    assert words.startswith("Bo needs no red for D01 Hull breach.")
    assert words.endswith("D01 Hull breach and D05 Jammed airlock are repaired and discarded.")
    state = ship(pools=("red", ""), escape="E2 orange yellow blue")
    assert log_after(state, "repair", card="E2", cubes="red", ability=True).endswith("E2 is repaired and goes to Ann.")


def test_a_white_cube_tells_of_its_surges() -> None:
    """The log of a white cube names each card that moves, from right to left, and then the hit."""
    state = ship({1: ["D05", "D06", "D01"], 2: ["D11", "D12", "D13"], 3: ["D21"]})
    words = log_after(act(state, "scavenge"), "draw", to=0, cube="white")
    assert re.fullmatch(
        r"Ann draws a white cube: a surge\. D21 .* surges into Zone 2\. D13 .* surges into Zone 1\. "
        r"D01 Hull breach hits the core: damage rises by 1 to 1\.",
        words,
    )


def test_a_surge_with_the_last_action_is_logged_too() -> None:
    """A surge that is caused by the last action is logged before the end of the turn."""
    state = draw(act(ship({2: ["D11"]}, actions_left=1), "scavenge"), "red")
    assert "D11 Shorted relay surges into Zone 1." in log_after(state, "draw", to=0, cube="white")


def test_moving_disasters_are_no_surge() -> None:
    """When all disasters move, this is not logged as a surge. The log names the disasters that hit the core, and says
    that the white cubes return to the bag."""
    words = log_after(resting(zones={1: ["D01"], 2: ["D11"]}, whites_on_deck=1), "advance")
    assert words == (
        "Every disaster moves one zone toward the core. D01 Hull breach hits the core: damage rises by 1 to 1. "
        "The white cubes on the deck go back into the bag."
    )


def test_two_disasters_that_hit_the_core_are_named_in_one_sentence() -> None:
    words = log_after(resting(zones={1: ["D01", "D11"]}), "advance")
    assert "D01 Hull breach and D11 Shorted relay hit the core: damage rises by" in words


def test_the_set_up_is_logged() -> None:
    """The log of the set-up mentions the white cubes that join, a start that is too mild, and the building of the
    deck."""
    state = hands_dealt(begin())
    assert "replaced" not in log_after(state, "reveal", card="D01")
    state = reveal(state, "D01 D11 D21")
    words = log_after(state, "reveal", card="D02")
    assert words.startswith("D02 Coolant leak appears in Zone 3. D11 Shorted relay is too mild for the start")
    state = reveal(state, "D02")
    assert prompt(state, Seat(0), NAMES) == (
        "Set D11 Shorted relay aside and reveal another disaster to replace it in Zone 1."
    )
    assert log_after(state, "reveal", card="D04").endswith(
        "The deck is built from five stacks, each with a systems-failing card."
    )


def test_endings() -> None:
    """The log distinguishes a win, an explosion and a breakdown."""
    state = ship(pools=("black", ""), escape="E1 orange blue yellow red", escape_deck=frozenset())
    assert log_after(state, "repair", card="E1", cubes="black").endswith("you win!")
    over = house(resting(zones={1: ["D04"]}, damage=9), "advance")
    assert prompt(over, Seat(1), NAMES) == "The core explodes. You’ve lost."
    assert outcome(over) == {"won": False, "cause": "damage", "rounds": 1}
    assert prompt(ship(end_cause="stability"), Seat(0), NAMES).startswith("The ship’s systems have failed")


def test_prompts_speak_to_the_viewer() -> None:
    """In prompts, the player in turn reads "your"; the other player reads a name."""
    state = ship()
    assert prompt(state, Seat(0), NAMES) == "Your turn: 4 actions left."
    assert prompt(state.replace(actions_left=1), Seat(1), NAMES) == "Ann’s turn: 1 action left."
    over = draw(act(ship(pools=("red red red red red blue blue blue blue blue", "")), "scavenge"), "green green")
    assert prompt(over, Seat(0), NAMES) == "Your pool has more than 10 cubes: return 2 to the bag."
    drawing = act(state, "scavenge")
    assert prompt(drawing, Seat(0), NAMES) == "You draw 2 cubes from the bag; a white one goes on the deck."
    assert prompt(drawing, Seat(1), NAMES).startswith("Ann draws 2 cubes")
    assert "Put the white cubes on the deck back" in prompt(resting(whites_on_deck=1), Seat(0), NAMES)


def test_the_companion_waits_when_disasters_move_and_appear() -> None:
    """The companion waits for people when disasters move and appear, and proceeds by itself otherwise."""
    assert (pause_label(resting()), pause_label(house(resting(), "advance"))) == ("Move disasters", "Next disaster")
    assert (pause_label(ship()), pause_label(act(ship(), "scavenge")), pause_label(begin())) == (None, None, None)


def test_meters_show_how_bad_it_is() -> None:
    """The level of a meter, which determines its color, is that of the region on the meter card."""
    levels = [(m.value, m.highest, m.level) for m in meters(ship(stability=3, damage=8))]
    assert levels == [(3, 8, "fair"), (8, 10, "poor")]


def test_labels_are_paths_that_tell_moves_apart() -> None:
    """No two legal moves have the same label."""
    for state in random_game(5)[::3]:
        moves: list[Move] = [*state.legal_moves(), *(move for move, _ in state.chances())]
        paths = [label(state, move, Seat(0), NAMES) for move in moves]
        assert len(set(paths)) == len(paths)
        assert all(part for path in paths for part in path)


@pytest.mark.slow
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6), viewer=st.sampled_from([0, 1, "spectator"]))
def test_words_are_sentences_in_every_position(seed: int, viewer: Any) -> None:
    """In whole games, each move has a log entry, each position has a prompt, and each change has physical instructions,
    all in proper sentences."""
    states = random_game(seed, difficulty="hard")
    words = GAME.physical.components.vocabulary(NAMES)
    for before, after in pairwise(states):
        assert re.fullmatch(r"[A-Z].*[.!]", prompt(before, viewer, NAMES))
        assert all(
            said.endswith(".") and "SF-" not in said
            for said in english(
                physical_instructions(
                    GAME.physical.layout(before, REFEREE), GAME.physical.layout(after, REFEREE), words
                )
            )
        )
        for move in [*before.legal_moves(), *(move for move, _ in before.chances())][:12]:
            line = english(log_line(before, move, play(before, move), viewer, NAMES))
            assert re.fullmatch(r"[A-Z].*[.!]", line), line
            assert "None" not in line
            assert "  " not in line
    assert states[-1].turn != HOUSE


def test_instructions_say_where_a_dealt_card_goes() -> None:
    """If people deal, instructions say what to shuffle first, and that a new card goes on top of its zone."""
    state = begin()
    assert prompt(state, Seat(0), NAMES) == "Shuffle the escape sequences and reveal one."
    state = hands_dealt(state)
    assert prompt(state, Seat(0), NAMES).startswith("Shuffle the disasters, without the five systems-failing cards,")
    assert prompt(reveal(state, "D01"), Seat(0), NAMES).endswith("put it on top of Zone 1.")
    assert prompt(reveal(state, "D01 D11"), Seat(0), NAMES) == "Reveal a starting disaster for Zone 2."
    assert "Put it on top of its zone" in prompt(house(resting(), "advance"), Seat(0), NAMES)


def test_instructions_say_how_the_deck_is_made() -> None:
    """If people deal, they are told to shuffle the cards that were set aside into the stacks and to put the five stacks
    on top of each other. If the companion deals, nothing is said about the deck."""
    table = new_table(dealers={"cards": "table"})
    for card in ("E1", "D05", "D03", "D11", "D07", "D06"):
        table.submit(Seat(0), {"seat": "house", "move": "reveal", "card": card})
    shuffled, laid, stacks = seen(table).tabletop.physical_instructions
    assert shuffled == "Shuffle the cards set aside (1 card) into the deck."
    assert laid == "Put D06 on top of Zone 1."
    assert stacks.startswith("Split the deck into 5 stacks")
    assert "on top of one another" in stacks
    assert not any("stacks" in said for said in seen(new_table()).tabletop.physical_instructions)


def drawn(state: State, *draws: tuple[int, str]) -> list[str]:
    """The log lines for cubes that are drawn one after the other."""
    steps = []
    for to, cube in draws:
        made, before = Draw(to=Seat(to), cube=Color(cube)), state
        state = state.play(made)
        steps.append((before, made, state))
    assert GAME.text.log_lines
    return [str(line) for line in GAME.text.log_lines(steps, SPECTATOR, NAMES)]


def test_cubes_that_are_drawn_in_a_row_are_one_line() -> None:
    """The log has a single line, with the number of cubes, for cubes that a player draws in a row. A white cube has a
    line of its own, and so has a cube that is drawn alone. The line of the last draw also says what follows from it."""
    scavenging = act(ship({1: ["D05", "D06", "D01"], 2: ["D11"]}), "scavenge")
    assert drawn(scavenging, (0, "black"), (0, "black")) == ["Ann draws 2 black."]
    assert drawn(scavenging, (0, "black"), (0, "blue")) == ["Ann draws 1 blue and 1 black."]
    white, red = drawn(scavenging, (0, "white"), (0, "red"))
    assert white.startswith("Ann draws a white cube: a surge. D11")
    assert red == "Ann draws a red cube."
    one_action = act(ship({2: ["D11"]}, actions_left=1), "scavenge")
    (line,) = drawn(one_action, (0, "red"), (0, "blue"))
    assert line.startswith("Ann draws 1 blue and 1 red.")
