"""Draws what hardware.md shows of the wiring, from the same pins that the programs use.

    .venv/bin/python scripts/draw_wiring.py        # writes docs/wiring-*.svg anew

Lengths are the drawing's own pixels, x to the right and y down.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from companion.devices.gpio import BOARD, Pins  # noqa: E402

DOCS = ROOT / "docs"
ROWS = 20
WIDE, NARROW, FEW = 62, 40, 6
"""Between two parts, where there are few and where there are more."""
MIDDLE, TOP, WIDTH = 460, 96, 920
CHANNEL = 9
"""Between two wires that run side by side."""
REACH = 165
"""From the pins to the parts."""
RAIL = 395
"""From the middle to the ground rail."""
INK, PALE, WIRE, GROUND = "#131c33", "#8a94a8", "#1d4fb8", "#4d5a77"
FILLS = {"button": "#f5b921", "lamp": "#62d391", "buzzer": "#d9a6ff", "data": "#9cc0ff"}

Kind = Literal["button", "lamp", "buzzer", "data"]
Side = Literal["left", "right"]


@dataclass(frozen=True)
class Part:
    """Something on one pin of the header, by its printed number, and otherwise on ground."""

    pin: int
    kind: Kind
    label: str
    note: str = ""


@dataclass(frozen=True)
class Header:
    """Pins in two columns, from the top: their printed numbers, and what is printed or known of them."""

    title: str
    hint: str
    left: Sequence[int]
    right: Sequence[int]
    names: Mapping[int, str]
    grounds: tuple[int, int]
    """The ones that the drawing uses, left and right; above or below all others that are used."""
    row: int
    """Between two pins."""

    def place(self, pin: int) -> tuple[Side, int]:
        """Its column and the y of its middle."""
        side: Side = "left" if pin in self.left else "right"
        return side, TOP + self.row * (self.left if side == "left" else self.right).index(pin)


def raspberry(pins: Pins) -> tuple[Header, list[Part]]:
    """The Pi's header with what hangs on it."""
    names = {pin: f"GPIO {bcm}" for bcm, pin in BOARD.items()}
    names |= dict.fromkeys((1, 17), "3.3 V") | dict.fromkeys((2, 4), "5 V") | dict.fromkeys((27, 28), "ID")
    names |= dict.fromkeys((6, 9, 14, 20, 25, 30, 34, 39), "ground")
    header = Header(
        "Raspberry Pi: the 40 pins",
        "Pin 1 is at the end away from the USB sockets, in the inner row. Every part ends on ground.",
        range(1, 40, 2),
        range(2, 41, 2),
        names,
        (39, 34),
        22,
    )
    kinds: dict[str, Kind] = {"led": "lamp", "buzzer": "buzzer"}
    notes = {"led": "330 Ω, then the LED's long leg", "buzzer": "an active one, 3.3 V; if wanted"}
    return header, [
        Part(BOARD[bcm], kinds.get(name, "button"), "lamp" if name == "led" else name, notes.get(name, ""))
        for name, bcm in pins.used().items()
    ]


PICO_LEFT = ("GP0", "GP1", "ground", "GP2", "GP3", "GP4", "GP5", "ground", "GP6", "GP7", "GP8", "GP9", "ground", "GP10",
             "GP11", "GP12", "GP13", "ground", "GP14", "GP15")  # fmt: skip
PICO_RIGHT = ("VBUS, 5 V", "VSYS", "ground", "3V3 EN", "3.3 V", "ADC VREF", "GP28", "ground", "GP27", "GP26", "RUN",
              "GP22", "ground", "GP21", "GP20", "GP19", "GP18", "ground", "GP17", "GP16")  # fmt: skip


def pico(board: Path) -> tuple[Header, list[Part]]:
    """The Pico's pins with what hangs on them, as the firmware's board names them."""
    left, right = range(1, 21), range(40, 20, -1)
    names = dict(zip((*left, *right), PICO_LEFT + PICO_RIGHT, strict=True))
    pins = {name: pin for pin, name in names.items() if name.startswith("GP")}
    header = Header(
        "The box: a Raspberry Pi Pico from above",
        "The USB socket is at the top. Each lamp has a resistor of 330 Ω; the bars take 5 V from pin 40.",
        left,
        right,
        names,
        (3, 38),
        34,
    )
    wired = constants(board)
    parts = [Part(pins[f"GP{gp}"], "button", f"seat {n}") for n, gp in enumerate(wired["SEAT_BUTTONS"], 1)]
    parts += [Part(pins[f"GP{gp}"], "lamp", f"lamp {n}") for n, gp in enumerate(wired["SEAT_LAMPS"], 1)]
    dial = {"dial, A": "DIAL_A", "dial, B": "DIAL_B", "dial, push": "DIAL_PUSH"}
    parts += [Part(pins[f"GP{wired[name][0]}"], "button", label) for label, name in dial.items()]
    parts += [Part(pins[f"GP{gp}"], "data", f"bar {n}: data in") for n, gp in enumerate(wired["BARS"], 1)]
    return header, [*parts, Part(pins[f"GP{wired['BUZZER'][0]}"], "buzzer", "buzzer", "a passive one")]


def constants(board: Path) -> dict[str, tuple[int, ...]]:
    """The pins in the firmware's board: names and GP numbers. It is read, not run: it wants a Pico."""
    found = {}
    for node in ast.parse(board.read_text("utf-8")).body:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                pairs = list(zip(names, values, strict=True))
            case ast.Assign(targets=[name], value=value):
                pairs = [(name, value)]
            case _:
                continue
        for name, value in pairs:
            number = ast.literal_eval(value)
            found[ast.unparse(name)] = number if isinstance(number, tuple) else (number,)
    return found


# Drawing ----------------------------------------------------------------------------------------------


def drawing(header: Header, parts: Sequence[Part]) -> str:
    """The whole drawing."""
    height = TOP + header.row * ROWS + 40
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="13" fill="{INK}" stroke-linecap="round" stroke-linejoin="round">',
        f"<title>{escape(header.title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        text(WIDTH / 2, 34, header.title, size=19, weight="bold"),
        text(WIDTH / 2, 56, header.hint, fill=GROUND),
    ]
    for side in ("left", "right"):
        mine = sorted((part for part in parts if header.place(part.pin)[0] == side), key=lambda p: header.place(p.pin))
        lines += wired(header, side, mine)
    lines += pins_of(header, {part.pin: part.kind for part in parts})
    return "\n".join([*lines, "</svg>", ""])


def wired(header: Header, side: Side, parts: Sequence[Part]) -> Iterator[str]:
    """The parts of one side, their wires, and the rail that joins them to ground."""
    if not parts:
        return
    way = -1 if side == "left" else 1
    pins = [header.place(part.pin)[1] for part in parts]
    places = spread(pins)
    for part, pin, y, channel in zip(parts, pins, places, channels(pins, places), strict=True):
        bend = MIDDLE + way * (80 + CHANNEL * channel)
        yield wire([(MIDDLE + way * 22, pin), (bend, pin), (bend, y), (MIDDLE + way * REACH, y)], WIRE)
        yield from symbol(part, way, y)
    rail, ground = MIDDLE + way * RAIL, header.place(header.grounds[side == "right"])[1]
    far = places[0] if ground > places[0] else places[-1]
    yield wire([(rail, far), (rail, ground), (MIDDLE + way * 22, ground)], GROUND)
    yield text(rail - way * 8, ground - 8, "ground", fill=GROUND, anchor="start" if way < 0 else "end")


def spread(pins: Sequence[int]) -> list[int]:
    """The y of each part, far enough apart, around the middle of their pins."""
    apart = WIDE if len(pins) <= FEW else NARROW
    first = max(TOP, sum(pins) / len(pins) - apart * (len(pins) - 1) / 2)
    return [round(first + apart * number) for number in range(len(pins))]


def channels(pins: Sequence[int], places: Sequence[int]) -> list[int]:
    """In which channel each wire bends, so that none crosses another: of those that go up the uppermost bends first,
    of those that go down the lowest."""
    up = [n for n, (pin, y) in enumerate(zip(pins, places, strict=True)) if y <= pin]
    down = [n for n in reversed(range(len(pins))) if n not in up]
    order = {n: channel for group in (up, down) for channel, n in enumerate(group)}
    return [order[n] for n in range(len(pins))]


def symbol(part: Part, way: int, y: int) -> Iterator[str]:
    """A part: a box with its name, what to mind, and its wire to the rail."""
    near, far, rail = MIDDLE + way * REACH, MIDDLE + way * (REACH + 112), MIDDLE + way * RAIL
    left = min(near, far)
    yield wire([(far, y), (rail, y)], GROUND)
    yield (
        f'<rect x="{left}" y="{y - 15}" width="112" height="30" rx="8" fill="{FILLS[part.kind]}" '
        f'stroke="{INK}" stroke-width="1.5"/>'
    )
    yield text(left + 56, y + 5, part.label, weight="bold")
    if part.note:
        yield text(left + 56, y + 28, part.note, fill=GROUND, size=11)
    yield f'<circle cx="{rail}" cy="{y}" r="3.5" fill="{GROUND}"/>'


def pins_of(header: Header, used: Mapping[int, Kind]) -> Iterator[str]:
    """The two columns of pins, those that are used in the colour of their part."""
    height = header.row * (ROWS - 1) + 28
    yield (
        f'<rect x="{MIDDLE - 24}" y="{TOP - 14}" width="48" height="{height}" rx="6" fill="#eef1f6" stroke="{PALE}"/>'
    )
    for column, way in ((header.left, -1), (header.right, 1)):
        for row, pin in enumerate(column):
            y, x = TOP + header.row * row, MIDDLE + way * 11
            fill = FILLS[used[pin]] if pin in used else GROUND if pin in header.grounds else "#fff"
            ink = "#fff" if pin in header.grounds else INK if pin in used else PALE
            yield f'<circle cx="{x}" cy="{y}" r="9" fill="{fill}" stroke="{INK if pin in used else PALE}"/>'
            yield text(x, y + 4, str(pin), size=10, fill=ink, weight="bold" if pin in used else "normal")
            if pin in used or pin in header.grounds:
                yield text(MIDDLE + way * 28, y - 4, header.names[pin], size=9, fill=GROUND, anchor=away(way))


def away(way: int) -> str:
    """The anchor of words that begin at the header."""
    return "end" if way < 0 else "start"


def wire(points: Sequence[tuple[float, float]], colour: str) -> str:
    """A line along the points."""
    along = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polyline points="{along}" fill="none" stroke="{colour}" stroke-width="2.5"/>'


def text(
    x: float,
    y: float,
    words: str,
    *,
    size: int = 13,
    weight: str = "normal",
    fill: str = INK,
    anchor: str = "middle",
) -> str:
    """Words on the drawing."""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" font-weight="{weight}" fill="{fill}" '
        f'text-anchor="{anchor}">{escape(words)}</text>'
    )


def drawings() -> dict[str, str]:
    """Every drawing by the name of its file in docs/."""
    return {
        "wiring-pi.svg": drawing(*raspberry(Pins(buzzer=25))),
        "wiring-box.svg": drawing(*pico(ROOT / "firmware" / "board.py")),
    }


def main() -> None:
    """Writes them."""
    for name, svg in drawings().items():
        (DOCS / name).write_text(svg, encoding="utf-8")
        print(DOCS / name)


if __name__ == "__main__":
    main()
