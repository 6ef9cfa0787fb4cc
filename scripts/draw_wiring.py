"""Draws what hardware.md shows of the wiring, from the same pins that the programs use.

.venv/bin/python scripts/draw_wiring.py        # writes docs/wiring-*.svg anew
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from companion.devices.gpio import BOARD, Pins  # noqa: E402
from scripts.wiring_drawing import GROUND, POWER, WIRES, Header, Net, Part, drawing  # noqa: E402

DOCS = ROOT / "docs"
PI_LEGEND = (
    (WIRES["button"], "a push button, to ground"),
    (WIRES["lamp"], "330 Ω, then the LED's long leg (+)"),
    (WIRES["buzzer"], "an active 3.3 V buzzer, if wanted"),
    (GROUND, "ground: one wire from part to part"),
)
BOX_LEGEND = (
    (POWER, "5 V for the bars, through the diode"),
    (GROUND, "ground: one wire from part to part"),
    (WIRES["button"], "buttons of the seats"),
    (WIRES["lamp"], "lamps of the seats: 330 Ω, then the"),
    ("", "long leg (+); the short one on ground"),
    (WIRES["dial"], "dial: A, C, B on one side of it,"),
    ("", "the push's two contacts on the other"),
    (WIRES["bar"], "bars: 330 Ω, then DIN; wire the end"),
    ("", "where the printed arrows begin"),
    (WIRES["buzzer"], "a passive buzzer, either way round"),
    ("", "A dot is a joint. No two wires cross."),
)


def raspberry(pins: Pins) -> tuple[Header, list[Part]]:
    """The Pi's header with what hangs on it."""
    names = {pin: f"GPIO {bcm}" for bcm, pin in BOARD.items()}
    names |= dict.fromkeys((1, 17), "3.3 V") | dict.fromkeys((2, 4), "5 V") | dict.fromkeys((27, 28), "ID")
    names |= dict.fromkeys((6, 9, 14, 20, 25, 30, 34, 39), "ground")
    header = Header(
        "Raspberry Pi: the 40 pins",
        "Pin 1 is at the end away from the USB sockets, in the inner row.",
        range(1, 40, 2),
        range(2, 41, 2),
        names,
        (39, 34),
        24,
        (100, 400),
    )
    return header, [on_the_pi(name, BOARD[bcm]) for name, bcm in pins.used().items()]


def on_the_pi(name: str, pin: int) -> Part:
    """What is called so, on its pin and on ground."""
    match name:
        case "led":
            return Part("lamp", "lamp", [("", pin)])
        case "buzzer":
            return Part("buzzer", "buzzer", [("+", pin)], [("−", "ground")])
        case _:
            return Part("button", name, [("", pin)])


PICO_LEFT = ("GP0", "GP1", "ground", "GP2", "GP3", "GP4", "GP5", "ground", "GP6", "GP7", "GP8", "GP9", "ground", "GP10",
             "GP11", "GP12", "GP13", "ground", "GP14", "GP15")  # fmt: skip
PICO_RIGHT = ("VBUS", "VSYS", "ground", "3V3 EN", "3.3 V", "ADC VREF", "GP28", "ground", "GP27", "GP26", "RUN",
              "GP22", "ground", "GP21", "GP20", "GP19", "GP18", "ground", "GP17", "GP16")  # fmt: skip
ON_PINS = ("SEAT_BUTTONS", "SEAT_LAMPS", "DIAL_A", "DIAL_B", "DIAL_PUSH", "BARS", "BUZZER")
"""What the firmware's board calls its pins."""


def pico(board: Path) -> tuple[Header, list[Part]]:
    """The Pico's pins with what hangs on them, as the firmware's board names them."""
    left, right = range(1, 21), range(40, 20, -1)
    names = dict(zip((*left, *right), PICO_LEFT + PICO_RIGHT, strict=True))
    pins = {name: pin for pin, name in names.items() if name.startswith("GP")}
    header = Header(
        "The box: a Raspberry Pi Pico from above",
        "The USB socket is at the top. Pins without a colour stay free.",
        left,
        right,
        names,
        (3, 38),
        38,
        (566, 230),
        40,
        "USB",
    )
    wired = {name: gps for name, gps in constants(board).items() if name in ON_PINS}
    return header, on_the_pico({name: [pins[f"GP{gp}"] for gp in gps] for name, gps in wired.items()})


def on_the_pico(pins: Mapping[str, Sequence[int]]) -> list[Part]:
    """The box's parts, where `pins` are the Pico's by the names that the firmware's board has for them."""
    a, b, push = (pins[name][0] for name in ("DIAL_A", "DIAL_B", "DIAL_PUSH"))
    bar: Sequence[tuple[str, Net]] = (("GND", "ground"), ("5V", "5 V"))
    return [
        *(Part("button", f"seat {n}", [("", pin)]) for n, pin in enumerate(pins["SEAT_BUTTONS"], 1)),
        *(Part("lamp", f"lamp {n}", [("", pin)]) for n, pin in enumerate(pins["SEAT_LAMPS"], 1)),
        Part("dial", "dial", [("A", a), ("B", b), ("push 1", push)], [("C", "ground"), ("push 2", "ground")]),
        *(Part("bar", f"bar {n}", [("DIN", pin)], bar) for n, pin in enumerate(pins["BARS"], 1)),
        Part("buzzer", "buzzer", [("", pins["BUZZER"][0])]),
    ]


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


def drawings() -> dict[str, str]:
    """Every drawing by the name of its file in docs/."""
    return {
        "wiring-pi.svg": drawing(*raspberry(Pins(buzzer=25)), PI_LEGEND),
        "wiring-box.svg": drawing(*pico(ROOT / "firmware" / "board.py"), BOX_LEGEND),
    }


def main() -> None:
    """Writes them."""
    for name, svg in drawings().items():
        (DOCS / name).write_text(svg, encoding="utf-8")
        print(DOCS / name)


if __name__ == "__main__":
    main()
