"""The box's display: seat lamps, two light bars, the dial's light, and the beeps of the buzzer.

Law: pure. It is made from the spectators' view.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.games.game import Meter
from companion.games.view import View

SEATS = ("seat0", "seat1", "seat2", "seat3", "seat4")
"""The box's names for its seat buttons."""
BARS = 2
BEEPS = 1000
"""The number of beeps starts again at 0 when it reaches this number."""

Lamp = Literal["off", "on", "blinking"]

_LAMPS: dict[Lamp, str] = {"off": "0", "on": "1", "blinking": "b"}
_LEVELS = {"good": "g", "fair": "y", "poor": "r"}
_MAX_VALUE = 99_999


@dataclass(frozen=True)
class Display:
    """Everything that a box shows. `lamps`: one for each seat. `bars`: the meters on the light bars. `dial`: the index
    of the selected move, and the number of moves; None if no move is selected. `turn`: the seat to move; None if no
    seat is. `beeps`: the number of beeps so far."""

    lamps: tuple[Lamp, ...] = ()
    bars: tuple[Meter, ...] = ()
    dial: tuple[int, int] | None = None
    turn: int | None = None
    beeps: int = 0

    def args(self) -> tuple[str, ...]:
        """The display as the arguments of a SHOW message to the box."""
        lamps = "".join(_LAMPS[lamp] for lamp in self.lamps[: len(SEATS)]).ljust(len(SEATS), "0")
        bars = [_bar(meter) for meter in self.bars[:BARS]] + ["-"] * (BARS - len(self.bars))
        return lamps, *bars, f"{self.dial[0]}:{self.dial[1]}" if self.dial else "-", str(self.beeps)


def _bar(meter: Meter) -> str:
    """A meter as text, `value:lowest:highest:level`. The range has at least one step, and the value is clamped to
    it."""
    lowest = max(-_MAX_VALUE, meter.lowest)
    highest = min(_MAX_VALUE, max(meter.highest, lowest + 1))
    return f"{min(max(meter.value, lowest), highest)}:{lowest}:{highest}:{_LEVELS[meter.level]}"


def display(view: View | None, before: Display) -> Display:
    """The display for a view, or for no game if `view` is None. `before`: the display until now. If another seat is to
    move now, the new display has one more beep."""
    if view is None:
        return Display(beeps=before.beeps)
    turn = view.turn if isinstance(view.turn, int) else None
    is_new_turn = turn is not None and turn != before.turn
    return Display(
        lamps=tuple(_lamp(view, seat) for seat in range(view.seats)),
        bars=bars(view),
        dial=view.tabletop.dial,
        turn=turn,
        beeps=(before.beeps + is_new_turn) % BEEPS,
    )


def _lamp(view: View, seat: int) -> Lamp:
    """The lamp of a seat: on if the seat is to move, blinking if it is asked for consent. All lamps blink while the
    companion waits for people."""
    if view.choices.pause_label or (view.choices.request and view.choices.request.asked == seat):
        return "blinking"
    return "on" if view.turn == seat else "off"


def bars(view: View) -> tuple[Meter, ...]:
    """The meters for the light bars: all meters of the view or, if there are more than two, the first two that belong
    to the seat to move or to no seat."""
    of_turn = tuple(meter for meter in view.meters if meter.seat in (None, view.turn))
    return view.meters if len(view.meters) <= BARS else of_turn[:BARS]
