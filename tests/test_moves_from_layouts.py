"""What each game says about sightings and begun moves agrees with its layouts: hands make moves by the physical acts in
which the layouts before and after them differ, in many orders. `python -m tests.moves_from_layouts` tries many more."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from companion.games.rules import Move
from companion.games.traffic_congestion.moves import Go, Redirect
from companion.match.sighting_interpreter import SightingInterpreter
from companion.tabletop.begun_move import BegunMove
from tests.evenings.evening import HANDS
from tests.evenings.hand_acts import Carry, Lay, Rotate
from tests.forked_python import start
from tests.moves_from_layouts.physical_acts import acts_of
from tests.moves_from_layouts.positions import Extent, PlayedGame, type_of
from tests.moves_from_layouts.trial import Trial
from tests.repetitions import repetitions

POSITIONS = repetitions(20, at_least=2)
"""In how many positions of each game moves are tried."""


@pytest.mark.slow
@pytest.mark.parametrize("name", HANDS)
def test_a_move_is_recorded_or_begun_whatever_the_order_of_its_acts(name: str) -> None:
    """A half-made move is never called wrong, a complete one is recorded or asked for, and one that was taken back
    leaves nothing behind."""
    command = [sys.executable, "-m", "tests.moves_from_layouts", name, "--games=1", "--jobs=1"]
    running = start([*command, f"--positions={POSITIONS}"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert running.stdout
    with running.stdout as output:
        printed = output.read()
    assert running.wait() == 0, printed
    assert f"{POSITIONS} positions" in printed


FirstTrial = Callable[[str, Callable[[Trial], bool]], Trial]


@pytest.fixture
def first_trial() -> Iterator[FirstTrial]:
    """A function that plays a game until a trial fits, and returns the trial. After the test, the games are closed."""
    with ExitStack() as games:

        def play(name: str, fits: Callable[[Trial], bool]) -> Trial:
            played = PlayedGame(name, "1.0")
            games.callback(played.close)
            while True:
                if played.can_be_tried and (found := next(filter(fits, played.trials(Extent(1))), None)):
                    return found
                played.go_on()

        yield play


def is_of_type(*names: str) -> Callable[[Trial], bool]:
    """Whether a trial is of a move of one of these types, with two or more acts. In it, nothing is taken back."""
    return lambda trial: type_of(trial.move) in names and len(trial.acts) > 1 and not trial.taken_back


def test_the_acts_of_a_move_are_those_in_which_its_layouts_differ(first_trial: FirstTrial) -> None:
    """For a Go that redirects its signal, each car is carried through the signal, and the signal is turned."""
    found = first_trial("traffic-congestion", is_of_type("go"))
    assert isinstance(found.move, Go)
    assert isinstance(found.move.then, Redirect)
    lane, after = found.move.lane, found.group.state.play(found.move)
    acts = acts_of(found.hands, found.move)
    gone = Counter(found.group.state.queue(lane)) - Counter(after.queue(lane))
    assert Counter(act.kind for act in acts if isinstance(act, Carry) and act.source == lane) == gone
    (turned,) = (act for act in acts if not isinstance(act, Carry))
    assert isinstance(turned, Rotate)
    assert found.group.world.zone_of(turned.component) == lane


@pytest.mark.parametrize(
    ("name", "move"), [("commute", "travel"), ("systems-failing", "repair"), ("traffic-congestion", "go keep")]
)
def test_a_begun_move_that_is_called_wrong_is_noticed(
    name: str, move: str, first_trial: FirstTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trial fails if a half-made move does not count as begun."""
    monkeypatch.setattr("tests.moves_from_layouts.trial.REST_RATE", 1.0)
    monkeypatch.setattr(SightingInterpreter, "begun_move", lambda *args: None)
    assert first_trial(name, is_of_type(move)).run().startswith("said after “")


@pytest.mark.parametrize(
    ("meaning", "problem"), [(lambda legal: None, "not recorded"), (lambda legal: legal[0], "recorded instead: move")]
)
def test_a_move_that_is_not_recorded_is_noticed(
    meaning: Callable[[list[Move]], Move | None], problem: str, first_trial: FirstTrial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A trial fails if the cardboard means no move, or another one."""
    found = first_trial("commute", is_of_type("travel"))
    legal = [move for move in found.group.state.legal_moves() if move != found.move]
    monkeypatch.setattr(SightingInterpreter, "meaning_of", lambda *args: meaning(legal))
    assert found.run().startswith(problem)


def test_a_move_that_is_not_let_go_is_noticed(first_trial: FirstTrial, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trial fails if a move still counts as begun after its acts were taken back."""
    found = first_trial("commute", lambda trial: trial.taken_back == 1)
    begun, always = SightingInterpreter.begun_move, BegunMove(0, frozenset(), "Go on!")
    monkeypatch.setattr(SightingInterpreter, "begun_move", lambda *args: begun(*args) or always)
    assert found.run().startswith("said after it was taken back to spectator: Go on!")


def test_a_repair_may_begin_with_its_card(first_trial: FirstTrial) -> None:
    """A card that is put on the discard pile before any cube is moved belongs to its repair, which the player's phone
    offers in the end."""

    def begins_with_card(trial: Trial) -> bool:
        first = trial.acts[0]
        is_repair = is_of_type("repair", "repair True")(trial)
        return is_repair and isinstance(first, Lay) and first.zone == "discard" and isinstance(trial.acts[-1], Carry)

    assert first_trial("systems-failing", begins_with_card).run() == ""
