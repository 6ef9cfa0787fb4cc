"""What the box shows on its lamps and bars, and when it beeps; also on a simulated box."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from companion.devices.box_lights_and_buzzer import Display, bars, display
from companion.devices.protocol import Message, encode
from companion.devices.simulated_box import SimulatedBox
from companion.games.game import Meter
from companion.games.rules import HOUSE
from companion.games.view import TabletopView
from companion.tabletop.observations import DeviceHealth, DialTurned
from tests.systems_failing_tables import new_table


def test_the_simulated_box_works_like_a_real_one() -> None:
    """The simulated box reports presses and shows the display of the table until it is closed."""
    device, table = SimulatedBox(), new_table()
    device.show(table.view())
    assert device.display.lamps == ("on", "off")
    device.send(DialTurned(steps=1))
    device.close()
    health, *reported = device.open()
    assert isinstance(health, DeviceHealth)
    assert reported == [DialTurned(steps=1)]


def view(turn: object, *meters: Meter, pause: str | None = None, asked: int | None = None, seats: int = 2) -> Any:
    ask = None if asked is None else SimpleNamespace(asked=asked)
    choices = SimpleNamespace(pause_label=pause, request=ask)
    return SimpleNamespace(turn=turn, meters=meters, choices=choices, seats=seats, tabletop=TabletopView())


def test_lamps_show_who_must_act() -> None:
    """A lamp is lit while it is that seat's turn, and blinks while that seat's consent is awaited. All lamps blink
    where anybody may let the companion proceed."""
    assert display(view(1, seats=3), Display()).lamps == ("off", "on", "off")
    assert display(view(0, asked=1), Display()).lamps == ("on", "blinking")
    assert display(view(HOUSE, pause="Move disasters"), Display()).lamps == ("blinking", "blinking")
    assert display(view(None), Display()).lamps == ("off", "off")
    assert display(None, Display(("on",))).lamps == ()


def test_it_beeps_when_the_turn_comes() -> None:
    """The box beeps exactly once each time a seat's turn begins, however often the display is updated."""
    shown, beeps = Display(), []
    for turn in (None, 0, 0, 1, 1, HOUSE, 1):
        shown = display(view(turn), shown)
        beeps.append(shown.beeps)
    assert beeps == [0, 1, 1, 2, 2, 2, 3]
    assert display(None, shown).beeps == 3


def test_bars_show_the_meters_that_matter() -> None:
    """If a game has two meters, the bars show these. If it has more, the bars show the first two among those of the
    table and of the seat in turn."""
    mine, yours, ours = (Meter(str(seat), 1, 0, 9, seat=seat) for seat in (0, 1, None))
    assert bars(view(1, mine, yours)) == (mine, yours)
    assert bars(view(1, mine, yours, ours)) == (yours, ours)
    assert bars(view(HOUSE, mine, yours, ours)) == (ours,)


@pytest.mark.parametrize(
    ("meter", "text"),
    [
        (Meter("", 3, 0, 8), "3:0:8:g"),
        (Meter("", 22, 0, 20, "fair"), "20:0:20:y"),
        (Meter("", -7, -5, 20, "poor"), "-5:-5:20:r"),
        (Meter("", 0, 0, 0), "0:0:1:g"),
        (Meter("", 10**9, 0, 10**9), "99999:0:99999:g"),
        (Meter("", -(10**9), -(10**9), 0), "-99999:-99999:0:g"),
    ],
)
def test_every_meter_fits_on_a_bar(meter: Meter, text: str) -> None:
    """A value beyond an end of its range is shown as that end, a bar has at least one step, and the longest display
    fits into one line."""
    assert Display(bars=(meter,)).args()[1] == text
    args = Display(("blinking",) * 9, (meter, meter), (12_345, 99_999), beeps=999).args()
    assert len(encode(Message("SHOW", 65_535, args))) <= 96
    assert len(args[0]) == 5
