"""The box's display: seat lamps, two light bars, the dial's light, and the beeps of the buzzer.

Law: pure. The display is made from the spectators' view.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.games.game import Meter
from companion.games.view import View
from companion.tabletop.discrepancy import Discrepancy
from companion.tabletop.mat import Mat

SEATS = ("seat0", "seat1", "seat2", "seat3", "seat4")
"""The box's names for its seat buttons."""
BARS = 2
EIGHTHS = 8
"""The number of columns into which the mat is divided: one for each eighth of a light bar."""
BEEPS = 1000
"""The beep counter returns to 0 when it reaches this number."""

Lamp = Literal["off", "on", "blinking"]

_LAMPS: dict[Lamp, str] = {"off": "0", "on": "1", "blinking": "b"}
_LEVELS = {"good": "g", "fair": "y", "poor": "r"}
_MAX_VALUE = 99_999


@dataclass(frozen=True)
class Display:
    """Everything that a box shows. `lamps`: one for each seat. `bars`: the meters on the light bars. `dial`: the index
    of the selected move, and the number of moves; None if no move is selected. `turn`: the seat to move; None if no
    seat is to move. `beeps`: the number of beeps so far, modulo BEEPS. `fix`: where to fix something on the table, as
    two columns of the mat, counted from 0 at the left. A component must be taken from the first column and belongs in
    the second. A column is None if it is unknown or beside the mat."""

    lamps: tuple[Lamp, ...] = ()
    bars: tuple[Meter, ...] = ()
    dial: tuple[int, int] | None = None
    turn: int | None = None
    beeps: int = 0
    fix: tuple[int | None, int | None] = (None, None)

    def args(self, *, has_fix: bool = False) -> tuple[str, ...]:
        """The display as the arguments of a SHOW message to the box. `has_fix`: whether the box's firmware can show
        what to fix."""
        lamps = "".join(_LAMPS[lamp] for lamp in self.lamps[: len(SEATS)]).ljust(len(SEATS), "0")
        bars = [_bar(meter) for meter in self.bars[:BARS]] + ["-"] * (BARS - len(self.bars))
        fix = ":".join("-" if column is None else str(column) for column in self.fix)
        dial = f"{self.dial[0]}:{self.dial[1]}" if self.dial else "-"
        return lamps, *bars, dial, str(self.beeps), *((fix,) if has_fix else ())


def _bar(meter: Meter) -> str:
    """A meter as text, `value:lowest:highest:level`. The range has at least one step, and the value is clamped to
    it."""
    lowest = max(-_MAX_VALUE, meter.lowest)
    highest = min(_MAX_VALUE, max(meter.highest, lowest + 1))
    return f"{min(max(meter.value, lowest), highest)}:{lowest}:{highest}:{_LEVELS[meter.level]}"


def display(view: View | None, before: Display) -> Display:
    """The display for a view; if `view` is None, the display without a game. `before`: the previous display. If a seat
    is to move that was not to move in `before`, the beep counter is increased by one (modulo BEEPS)."""
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
        fix=_fix(view),
    )


def _fix(view: View) -> tuple[int | None, int | None]:
    """The columns for `Display.fix`: those of the first discrepancy for which at least one column is known; (None,
    None) if there is no such discrepancy."""
    if not view.tabletop.discrepancies or (mat := view.game.physical.components.mat) is None:
        return None, None
    found = ((_from_column(each, mat), _to_column(each, mat)) for each in view.tabletop.discrepancies)
    return next((columns for columns in found if columns != (None, None)), (None, None))


def _from_column(found: Discrepancy, mat: Mat) -> int | None:
    """The column from which a component must be taken. None if the component may stay where it is, or if nobody knows
    where it lies."""
    if found.at is None or (not found.is_stray and found.fix.place in (None, found.zone)):
        return None
    return _column(found.at[0], mat)


def _to_column(found: Discrepancy, mat: Mat) -> int | None:
    """The column of the zone in which a component must be put or turned; None if the component belongs in no zone."""
    place = None if found.is_stray else found.fix.place or found.zone
    zone = next((zone for zone in mat.zones if zone.name == place), None)
    return _column(sum(x for x, _ in zone.polygon) / len(zone.polygon), mat) if zone else None


def _column(x: float, mat: Mat) -> int:
    """The column of the mat that contains a point `x` mm to the right of the mat's left edge."""
    return min(max(int(x * EIGHTHS / mat.size[0]), 0), EIGHTHS - 1)


def _lamp(view: View, seat: int) -> Lamp:
    """The lamp of a seat: on if the seat is to move, blinking if it is asked for consent. All lamps blink while the
    companion waits for people."""
    if view.choices.pause_label or (view.choices.request and view.choices.request.asked == seat):
        return "blinking"
    return "on" if view.turn == seat else "off"


def bars(view: View) -> tuple[Meter, ...]:
    """The meters for the light bars: all meters of the view, if there are at most two. Otherwise, the first two that
    belong to the seat to move or to no seat."""
    of_turn = tuple(meter for meter in view.meters if meter.seat in (None, view.turn))
    return view.meters if len(view.meters) <= BARS else of_turn[:BARS]
