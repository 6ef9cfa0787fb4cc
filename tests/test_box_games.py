"""Whole games played with the buttons and the box alone: real firmware, real drivers, and the real table."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from companion.devices import gpio
from companion.devices.gpio import Gpio, mock_pins
from companion.devices.pins import Pins
from companion.games.system_won.moves import Discard, Play
from companion.games.systems_failing.moves import Transfer
from companion.games.view import View
from companion.match.history import fold
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import Button
from firmware import light_bar_pixels
from tests.box_bench import PUSH, SEATS, Bench, needs_micropython
from tests.rendered_texts import english
from tests.systems_failing_tables import hasty_clock

pytestmark = needs_micropython

PINS = Pins()


class Hands(Bench):
    """A table with a box and four buttons, and players who use nothing else."""

    def __init__(self, game: str, setup: dict[str, Any]) -> None:
        super().__init__()
        self.journal = Journal(None)
        self.table = Table(self.journal, hasty_clock())
        self.factory = mock_pins()
        self.gpio = Gpio(self.factory, PINS)
        self._pressed = iter(self.gpio)
        self.table.observe(next(self._pressed))
        self.table.start(game, 2, setup, {}, ("Ann", "Bob"), "a box")
        self._told = 0
        self.ready()
        self.settle()

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        self.gpio.close()
        self.factory.close()

    def step(self, ms: int = 10) -> None:
        """Advances the bench by `ms`, then does what the service does between two steps."""
        super().step(ms)
        for observation in self.heard[self._told :]:
            self.table.observe(observation)
        self._told = len(self.heard)
        self.box.show(self.table.view())

    def settle(self) -> None:
        """Steps until the box shows the state of the table."""
        self.run(40)

    @property
    def view(self) -> View:
        view = self.table.view()
        assert view
        return english(view)

    @property
    def state(self) -> Any:
        match = self.table._game.match
        assert match
        return match.state

    def button(self, name: Button) -> None:
        """Presses one of the four buttons on the Pi's pins."""
        pin = self.factory.pin(getattr(PINS, name))
        pin.drive_low()
        pin.drive_high()
        self.table.observe(next(self._pressed))
        self.run(200)

    def seat(self, number: int) -> None:
        """Presses a seat's button on the box."""
        self.press(SEATS[number], ms=30)
        self.settle()

    def dial(self, at: int) -> None:
        """Turns the dial to the move with this number, the shorter way round."""
        of = len(self.view.game.dial_moves(self.state))
        if not self.view.tabletop.dial:
            self.turn(1)
            self.settle()
        assert self.view.tabletop.dial
        ahead = (at - self.view.tabletop.dial[0]) % of
        self.turn(ahead if ahead <= of // 2 else ahead - of)
        self.settle()
        assert self.view.tabletop.dial == (at, of)
        assert self.firmware.bars[1][at % 8] == light_bar_pixels.WHITE

    def push(self) -> None:
        """Pushes the dial."""
        self.press(PUSH, ms=30)
        self.settle()

    def dial_a(self, *kinds: type) -> bool:
        """Dials the first move of one of these kinds. Returns whether there is such a move."""
        found = [n for n, move in enumerate(self.view.game.dial_moves(self.state)) if isinstance(move, kinds)]
        if found:
            self.dial(found[0])
        return bool(found)

    def lit(self, bar: int) -> int:
        """The number of lit pixels of a bar."""
        return sum(pixel != light_bar_pixels.DARK for pixel in self.firmware.bars[bar])


@pytest.fixture
def hands(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hands]:
    with Hands(*request.param) as made:
        monkeypatch.setattr(gpio.time, "monotonic", lambda: made.now / 1000)
        yield made


def check_display(hands: Hands, first: int, second: int) -> None:
    """Checks that the lamp of the seat in turn is lit and that the bars show this many pixels."""
    turn = hands.view.turn
    if isinstance(turn, int) and not hands.view.choices.request:
        assert hands.firmware.lamps == "".join("1" if seat == turn else "0" for seat in range(5)), hands.tail()
    assert (hands.lit(0), hands.lit(1)) == (first, second)


def part(value: int, highest: int) -> int:
    """How many of eight pixels are lit for `value`, if the highest value is `highest`."""
    return 8 if value >= highest else min(7, -(-8 * value // highest))


def check_kept(hands: Hands) -> None:
    """Checks that replaying the journal gives the game that was played."""
    kept = hands.journal.running_game()
    assert kept
    assert fold(kept).state.to_json() == hands.state.to_json()


@pytest.mark.parametrize("hands", [("systems-failing", {"difficulty": "hard"})], indirect=True)
def test_systems_failing(hands: Hands) -> None:
    """A game is played from the first cube to the end with the buttons and the box: *draw* draws, the dial repairs and
    requests, the seats' buttons consent and end turns, *next* proceeds and *undo* takes back. The bars show stability
    and damage."""
    rng, asked = Random(4), 0
    pool = hands.state.pools[0].total
    hands.button("draw")
    assert hands.state.actions_left == 3
    hands.button("undo")
    assert (hands.state.actions_left, hands.state.pools[0].total) == (4, pool)
    hands.seat(1)
    assert hands.view.notice == "It’s Ann’s turn now."
    while hands.state.turn is not None:
        check_display(hands, hands.state.stability, part(hands.state.damage, 10))
        if hands.view.choices.pause_label:
            hands.button("next") if rng.random() < 0.5 else hands.seat(rng.randrange(2))
            continue
        before = hands.view.version
        if hands.state.cubes_to_return:
            hands.dial(rng.randrange(len(hands.view.game.dial_moves(hands.state))))
            hands.push()
        elif rng.random() < 0.1 and hands.dial_a(Transfer):
            asked += 1
            ask_and_agree(hands)
        elif rng.random() < 0.3:
            hands.seat(hands.state.turn)
        else:
            hands.dial(rng.randrange(min(12, len(hands.view.game.dial_moves(hands.state)))))
            hands.push()
            if hands.view.choices.request:
                hands.seat(hands.view.choices.request.asked)
        assert hands.view.version == before + 1, hands.view.notice
    assert asked
    assert hands.firmware.lamps == "00000"
    check_kept(hands)


def ask_and_agree(hands: Hands) -> None:
    """Requests a transfer with the dial. Checks that pushing the dial asks the other seat, that this seat's lamp
    blinks, and that only this seat's button consents."""
    asker, version = hands.state.turn, hands.view.version
    hands.push()
    assert hands.view.choices.request
    looks = set()
    for _ in range(90):
        hands.step()
        looks.add(hands.firmware.lamps[1 - asker])
    assert looks == {"0", "1"}
    hands.seat(asker)
    assert hands.view.version == version
    assert "That seat’s button means yes" in hands.view.notice
    hands.seat(1 - asker)
    assert not hands.view.choices.request


@pytest.mark.slow
@pytest.mark.parametrize("hands", [("system-won", {"roles": "none"})], indirect=True)
def test_system_won(hands: Hands) -> None:
    """A game is played to the last turn: the dial chooses a card to play or discard, and pushing the dial, *confirm* or
    the seat's button confirms the move; *undo* takes it back. Specifications are made on phones. The bars show score
    and errors."""
    rng = Random(5)
    ways = [hands.push, lambda: hands.button("confirm"), lambda: hands.seat(hands.state.turn)]
    hands.button("next")
    assert "nothing to continue right now" in hands.view.notice
    hands.dial_a(Play)
    hands.push()
    assert (hands.view.version, hands.state.turn) == (2, 1)
    hands.button("undo")
    assert hands.state.turn == 0
    while hands.state.turn is not None:
        state = hands.state
        score, errors = state.score, len(state.errors)
        check_display(hands, part(score - min(0, score), 20 - min(0, score)), part(errors, 20))
        version = hands.view.version
        moves = hands.view.game.dial_moves(state)
        assert [type(move) for move in moves] == [Play] * (len(moves) // 2) + [Discard] * (len(moves) // 2)
        hands.dial(rng.randrange(len(moves)))
        rng.choice(ways)()
        assert hands.view.version == version + 1, hands.view.notice
    assert hands.state.deck_size == 0 or hands.state.is_won
    check_kept(hands)
