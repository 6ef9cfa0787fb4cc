"""A whole game of System WON under a camera that reads every card as it is drawn, played or discarded."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from companion.games import move_json
from companion.games.rules import HOUSE
from companion.games.system_won.components import BACK_SUFFIX
from companion.match.history import fold
from companion.match.journal import Journal
from tests.system_won_tables import GAME, SystemWonTable

DECK = tuple(code.id for code in GAME.physical.components.components if code.home_zone == "deck")
RESTARTS = (25, 9)
"""The service restarts when this many cards are left in the deck."""


class PlayersUnderCamera(SystemWonTable):
    """Two players, a shuffled deck, and the components on the mat. The players know all hands."""

    def __init__(self, path: Path, rng: Random) -> None:
        self.rng, self.deck = rng, rng.sample(DECK, len(DECK))
        self.held: tuple[list[str], list[str]] = ([], [])
        """The components in each hand, oldest first."""
        self.lying: dict[str, str | None] = {}
        super().__init__(path=path)

    def lay(self, code: str, zone: str | None, change: str = "appeared", found: bool = False) -> None:
        self.lying[code] = zone
        super().lay(code, zone, change, found)

    def take(self, code: str) -> None:
        del self.lying[code]
        super().take(code)

    def restart(self) -> None:
        """Restarts the service. The camera finds the components again."""
        super().restart()
        for code, zone in self.lying.items():
            self.lay(code, zone, found=True)

    def draw(self) -> None:
        """Shows the next card to the camera, and gives it to the player who is due a card."""
        due = next(move["to"] for move in map(move_json.to_json, self.view().choices.reports))
        self.show(code := self.deck.pop())
        self.held[due].append(code)

    def act(self) -> None:
        """Lets the player in turn play a fitting card, specify, discard, or make an error."""
        state = self.state
        seat, hand = state["turn"], self.held[state["turn"]]
        fitting = [code for code in hand if fits(state, code)]
        if fitting:
            self.play(fitting[0], f"system-{color_of(state, fitting[0])}")
        elif state["specifications"] and self.rng.random() < 0.5:
            self.move(seat, move="specify", target=1 - seat, rank=int(state["hands"][1 - seat][0][1]))
        elif self.rng.random() < 0.2:
            self.lay(self.play(hand[0], "play"), "errors", "moved")
        else:
            self.play(self.rng.choice(hand), "discard")
        self.turn_specifications()

    def play(self, code: str, zone: str) -> str:
        """Lets the player in turn put this card down in a zone."""
        self.held[self.state["turn"]].remove(code)
        self.lay(code, zone)
        return code

    def turn_specifications(self) -> None:
        """Turns specification cards over until as many are face up as recorded."""
        fronts = [f"SW-SPEC{number}" for number in range(1, 9)]
        for number, front in enumerate(fronts):
            up = number < self.state["specifications"]
            was, now = (front + BACK_SUFFIX, front) if up else (front, front + BACK_SUFFIX)
            if was in self.lying:
                self.lay(now, "specifications")
                self.take(was)

    def check(self) -> None:
        """Checks that there is no discrepancy, that the recorded hands are right, and that no player is told a card of
        their own hand."""
        assert self.state["hands"] == [[code[3:5] for code in hand] for hand in self.held]
        for seat in (0, 1):
            assert self.discrepancies(seat) == []
            assert self.state["over"] or set(self.view(seat).state["hands"][seat]) <= {"?"}


def color_of(state: Any, code: str) -> str:
    """The system to which a card belongs."""
    return next(color for color in state["systems"] if color[0].upper() == code[3])


def fits(state: Any, code: str) -> bool:
    """Whether a card can be played on its system."""
    return bool(state["systems"][color_of(state, code)] == int(code[4]) - 1)


@pytest.mark.slow
def test_a_whole_game_under_the_camera_is_recorded(tmp_path: Path) -> None:
    """Every card is shown when drawn and put down when played or discarded, so phones are needed only for
    specifications. The service restarts now and then, and the journal replays to the same end."""
    path = tmp_path / "journal"
    players, restarts = PlayersUnderCamera(path, Random(0)), set(RESTARTS)
    while not (state := players.state)["over"]:
        if len(players.deck) in restarts:
            restarts.remove(len(players.deck))
            players.restart()
        elif state["turn"] == HOUSE:
            players.draw()
        else:
            players.act()
            players.check()
    assert players.deck == []
    assert restarts == set()
    assert state["score"] > 0
    assert state["errors"]
    kept = Journal(path).running_game()
    assert kept
    assert fold(kept).state.to_json() == state
