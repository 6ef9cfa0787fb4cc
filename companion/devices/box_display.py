"""What the box shows of the table: lamps at the seats, two light bars, the dial's point, a beep.

Law: pure, and made of what everyone may see.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.games.game import Meter
from companion.match.view import View

SEATS = ("seat0", "seat1", "seat2", "seat3", "seat4")
"""The box's names for its seat buttons."""
BARS = 2
BEEPS = 1000
"""Where the count of beeps begins again."""

Lamp = Literal["off", "on", "blinking"]

_LAMPS: dict[Lamp, str] = {"off": "0", "on": "1", "blinking": "b"}
_LEVELS = {"good": "g", "fair": "y", "poor": "r"}
_MOST = 99_999


@dataclass(frozen=True)
class Display:
    """All that a box shows. `dial`: which of how many things is dialled, from 0; `beeps`: the beeps so far."""

    lamps: tuple[Lamp, ...] = ()
    bars: tuple[Meter, ...] = ()
    dial: tuple[int, int] | None = None
    turn: int | None = None
    beeps: int = 0

    def args(self) -> tuple[str, ...]:
        """As a SHOW of the line's protocol has it."""
        lamps = "".join(_LAMPS[lamp] for lamp in self.lamps[: len(SEATS)]).ljust(len(SEATS), "0")
        bars = [_bar(meter) for meter in self.bars[:BARS]] + ["-"] * (BARS - len(self.bars))
        return lamps, *bars, f"{self.dial[0]}:{self.dial[1]}" if self.dial else "-", str(self.beeps)


def _bar(meter: Meter) -> str:
    """`value:lowest:highest:level`; a bar has at least one step, and a value beyond its ends is at the end."""
    lowest = max(-_MOST, meter.lowest)
    highest = min(_MOST, max(meter.highest, lowest + 1))
    return f"{min(max(meter.value, lowest), highest)}:{lowest}:{highest}:{_LEVELS[meter.level]}"


def display(view: View | None, before: Display) -> Display:
    """What the box shows now, after what it showed. It beeps when the turn has come to a seat."""
    if view is None:
        return Display(beeps=before.beeps)
    turn = view.turn if isinstance(view.turn, int) else None
    came = turn is not None and turn != before.turn
    return Display(
        lamps=tuple(_lamp(view, seat) for seat in range(view.seats)),
        bars=bars(view),
        dial=view.dial,
        turn=turn,
        beeps=(before.beeps + came) % BEEPS,
    )


def _lamp(view: View, seat: int) -> Lamp:
    """Lit: its turn. Blinking: its word is asked for; all of them where the companion waits for people's hands."""
    if view.pause or (view.request and view.request.asked == seat):
        return "blinking"
    return "on" if view.turn == seat else "off"


def bars(view: View) -> tuple[Meter, ...]:
    """The first two meters; where players have meters of their own and there are more, those of the seat in turn."""
    of_turn = tuple(meter for meter in view.meters if meter.seat in (None, view.turn))
    return view.meters if len(view.meters) <= BARS else of_turn[:BARS]
