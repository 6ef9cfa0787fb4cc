"""The texts of Traffic Congestion: log, buttons, prompts, scores and results."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from companion.games import move_json
from companion.games.rules import SPECTATOR, Seat, play
from companion.games.traffic_congestion import text
from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.log_lines import log_line
from companion.games.traffic_congestion.playout_figures import outcome
from companion.games.traffic_congestion.rules import State
from companion.match.journal import Journal
from companion.playouts.series import play_out
from companion.table.table import Table
from companion.text.refusal_errors import IllegalMove
from tests.rendered_texts import english, in_english, rendered
from tests.systems_failing_tables import SEED, act_some
from tests.traffic_positions import begin, go, read, streets
from tests.web_table import WebTable

label, meters, prompt = map(in_english, (text.label, text.meters, text.prompt))

NAMES = ("Ann", "Bob", "Cid", "Dot")
"""The players' names."""


def log_after(state: State, move: str, lane: str = "", code: str = "en", **keys: Any) -> str:
    """The log entry for a move of the seat in turn, in a language."""
    made = read(state, {"seat": state.active_player, "move": move, **({"lane": lane} if lane else {}), **keys})
    return str(rendered(log_line(state, made, play(state, made), SPECTATOR, NAMES), code))


def test_moves_are_logged() -> None:
    """The log says who did what and where."""
    assert log_after(begin(), "enter", "west1>A") == "Ann adds a blue car at west1>A."
    assert log_after(begin(), "signal", "west1>A", to="A>B") == "Ann places a signal from west1>A to A>B."
    state = streets({"west1>A": "red blue red"}, {"west1>A": "A>B"}, active_player=1)
    moved = "Bob moves 2 red cars and 1 blue car from west1>A to A>B and "
    assert log_after(state, "go", "west1>A", then="keep") == f"{moved}keeps the signal."
    assert log_after(state, "go", "west1>A", then="remove") == f"{moved}removes the signal."
    assert log_after(state, "go", "west1>A", then={"to": "A>C"}) == f"{moved}turns the signal to A>C."


def test_the_log_says_who_scores_and_what_is_lost() -> None:
    """After the action, the log says who scores and which cars are lost."""
    state = streets({"west1>A": "red blue blue"}, {"west1>A": "A>north1"})
    words = log_after(state, "go", "west1>A", then="remove")
    assert words.endswith("removes the signal. Ann scores 2. Back to the supply: 1 red car.")
    assert "scores" not in log_after(streets({"west1>A": "red"}, {"west1>A": "A>north1"}), "go", "west1>A", then="keep")


def test_the_end_is_logged() -> None:
    """The log and the prompt announce the winner. The winner's own phone says "you"."""
    state = streets({"west1>A": "blue"}, {"west1>A": "A>north1"}, (19, 3))
    ending = "Ann wins with 20 blue cars home!"
    assert log_after(state, "go", "west1>A", then="keep").endswith(ending)
    over = go(state, "west1>A")
    assert prompt(over, SPECTATOR, NAMES) == prompt(over, Seat(1), NAMES) == ending
    assert prompt(over, Seat(0), NAMES) == "You win with 20 blue cars home!"


def test_gridlock_is_explained() -> None:
    """In a gridlock, the log says why everyone passes, and the prompt suggests ending the game."""
    entrances = ("north1>A", "east1>A", "south1>A", "west1>A")
    full = dict.fromkeys(entrances, "red red red red red")
    state = streets(full, dict.fromkeys(entrances, "A>west1"), board="crossroads")
    with pytest.raises(IllegalMove):
        log_after(state, "pass")
    ring = {
        "A>B": "B>A",
        "B>A": "A>B",
        "C>A": "A>B",
        "D>B": "B>A",
        "A>C": "C>A",
        "C>D": "D>B",
        "B>D": "D>B",
        "D>C": "C>A",
    }
    ring |= {"north1>A": "A>B", "west1>A": "A>B", "north2>B": "B>A", "east1>B": "B>A"}
    ring |= {"south1>C": "C>A", "west2>C": "C>A", "south2>D": "D>B", "east2>D": "D>B"}
    jam = streets(dict.fromkeys(ring, "red red red red red"), ring)
    assert log_after(jam, "pass") == "Ann passes, with no other move left."
    for viewer in (Seat(0), Seat(1), SPECTATOR):
        assert prompt(jam, viewer, NAMES).startswith("Gridlock: nobody can move any more")
    assert outcome(jam)["winner"] == "nobody (gridlock)"
    assert outcome(streets())["winner"] == "nobody yet"


def test_buttons_lead_to_each_move() -> None:
    """Buttons name the action, the lane and the result. A Go shows which cars it moves."""
    state = streets({"west1>A": "red blue blue"}, {"west1>A": "A>B"})
    paths = {move_json.write(move): label(state, move, Seat(0), NAMES) for move in state.legal_moves()}
    assert ("Add a blue car", "north1>A") in paths.values()
    assert ("Place a signal", "at the end of B>A", "to A>north1") in paths.values()
    cars = "west1>A to A>B: 1 red car and 2 blue cars"
    assert ("Move cars", cars, "then keep the signal") in paths.values()
    assert ("Move cars", cars, "then remove the signal") in paths.values()
    assert ("Move cars", cars, "then turn the signal to A>C") in paths.values()
    assert len(set(paths.values())) == len(paths)


def test_the_prompt_says_whose_turn_it_is() -> None:
    """The prompt tells the player in turn what to do, and all others whose turn it is."""
    assert prompt(begin(), Seat(0), NAMES) == "Your turn: add a blue car, place a signal, or move cars through one."
    for viewer in (Seat(1), SPECTATOR):
        assert prompt(begin(), viewer, NAMES) == "Ann’s turn: playing blue."


def test_scores_are_meters() -> None:
    """Each player has a meter up to 20."""
    shown = [(meter.name.format(*NAMES), meter.value, meter.lowest, meter.highest) for meter in
             meters(streets(scores=(3, 7, 0), seats=3))]  # fmt: skip
    assert shown == [("Ann, blue", 3, 0, 20), ("Bob, red", 7, 0, 20), ("Cid, yellow", 0, 0, 20)]


def test_the_outcome_of_a_game() -> None:
    """The outcome of a game has the winner and the number of turns."""
    state, plies = play_out(
        GAME, GAME.rules.begin(2, {"colors": ["green", "red"]}), GAME.policies.by_name["careful"], "1"
    )
    assert isinstance(state, State)
    assert state.winner is not None
    color = ("green", "red")[state.winner]
    assert outcome(state) == {"winner": f"seat {state.winner} ({color})", "turns": plies}


def test_every_move_of_a_game_is_logged_in_sentences() -> None:
    """Every move has a log entry without internal identifiers."""
    state, rng = begin(4, board="grid-3x3"), Random(5)
    for _ in range(400):
        assert state.turn is not None
        move = rng.choice(list(state.legal_moves()))
        after = play(state, move)
        said = english(log_line(state, move, after, SPECTATOR, NAMES))
        assert said.startswith(NAMES[state.turn])
        assert said.endswith(".")
        state = after


def test_lanes_are_spelled_the_same_everywhere() -> None:
    """The phone, the big screen and the log write a lane as "north1>A", never "NORTH 1" or "north 1"."""
    table = Table(Journal(None))
    table.start("traffic-congestion", 2, {}, {}, ("Ann", "Bob"), SEED)
    act_some(table, Random(1), 12)
    web_table = WebTable(table)
    phone = web_table.phone(0)
    for path in ("/play", "/table", "/log"):
        page = phone.get(path).text
        spelled = set(re.findall(r"(?i)\b(?:north|east|south|west)[ _-]?\d", page))
        assert spelled, path
        assert all(re.fullmatch(r"(north|east|south|west)\d", each) for each in spelled), (path, spelled)
