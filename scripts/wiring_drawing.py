"""How a header with parts on its pins is drawn: each part one block with all its contacts, each wire in a colour.

Lengths are the drawing's own pixels, x to the right and y down. `way` is -1 on the left of the header and 1 on its
right: whatever is drawn once is drawn on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape

MIDDLE, TOP, WIDTH = 460, 100, 920
ROWS = 20
CHANNEL = 8
"""Between two wires that run side by side."""
EDGE, FIRST, REACH, BLOCK, RAIL, POWER_RAIL = 76, 92, 205, 160, 395, 425
"""From the middle: to a pin's edge, to the first channel, to the parts (each `BLOCK` wide), to the wires that join
their grounds and their 5 V."""
PITCH, LOW, GAP, WIDE_GAP, FEW = 28, 40, 6, 28, 6
"""Between two contacts of a part; the height of a part with one; between two parts where they are many, and few."""

INK, PALE, SOFT = "#131c33", "#8a94a8", "#3c4760"
GROUND, POWER = "#20242e", "#d0191f"
Kind = Literal["button", "lamp", "buzzer", "dial", "bar"]
WIRES: Mapping[Kind, str] = {
    "button": "#b36b00",
    "lamp": "#17824a",
    "buzzer": "#8a3fc0",
    "dial": "#00727f",
    "bar": "#1d4fb8",
}
FILLS: Mapping[Kind, str] = {
    "button": "#fdeecb",
    "lamp": "#daf4e4",
    "buzzer": "#f0e2fb",
    "dial": "#d7f1f3",
    "bar": "#dfe9fd",
}
Side = Literal["left", "right"]
Net = Literal["ground", "5 V"]
NETS: Mapping[Net, str] = {"ground": GROUND, "5 V": POWER}


@dataclass(frozen=True)
class Part:
    """A part with all its contacts, from the top: `pins` towards the header, each with its name and the printed number
    of its pin, and `nets` on the other side."""

    kind: Kind
    label: str
    pins: Sequence[tuple[str, int]]
    nets: Sequence[tuple[str, Net]] = (("", "ground"),)

    @property
    def height(self) -> int:
        """Room for all contacts of a side."""
        return LOW + PITCH * (max(len(self.pins), len(self.nets)) - 1)


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
    legend: tuple[int, int]
    """Where it begins."""
    power: int | None = None
    """The pin of 5 V, the uppermost on the right, if a part wants it."""
    socket: str = ""
    """What is at its upper end."""

    def place(self, pin: int) -> tuple[Side, int]:
        """Its column and the y of its middle."""
        side: Side = "left" if pin in self.left else "right"
        return side, TOP + self.row * (self.left if side == "left" else self.right).index(pin)


def drawing(header: Header, parts: Sequence[Part], legend: Sequence[tuple[str, str]]) -> str:
    """The whole drawing; `legend` is colours and words."""
    height = TOP + header.row * ROWS + 50
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="sans-serif" '
        f'font-size="13" fill="{INK}" stroke-linecap="round" stroke-linejoin="round">',
        f"<title>{escape(header.title)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        text(WIDTH / 2, 32, header.title, size=20, weight="bold"),
        text(WIDTH / 2, 52, header.hint, fill=SOFT, size=14),
    ]
    power = []
    for side in ("left", "right"):
        mine = [part for part in parts if header.place(part.pins[0][1])[0] == side]
        mine.sort(key=lambda part: header.place(part.pins[0][1]))
        tops = stacked(header, mine)
        lines += wired(header, side, mine, tops)
        power += [(side, y) for _, net, y in on_nets(mine, tops) if net == "5 V"]
    lines += powered(header, power, height - 24)
    lines += pins_of(header, {pin: WIRES[part.kind] for part in parts for _, pin in part.pins})
    return "\n".join([*lines, *explained(header.legend, legend), "</svg>", ""])


def stacked(header: Header, parts: Sequence[Part]) -> list[int]:
    """The y of each part's upper edge: around the middle of their pins."""
    pins = [header.place(pin)[1] for part in parts for _, pin in part.pins]
    return spread(pins, [part.height for part in parts])


def spread(pins: Sequence[int], heights: Sequence[int]) -> list[int]:
    """The upper edges of blocks of these heights, far enough apart, around the middle of the pins."""
    gap = WIDE_GAP if len(heights) <= FEW else GAP
    total = sum(heights) + gap * (len(heights) - 1)
    first = max(TOP - LOW // 2, round(sum(pins) / max(1, len(pins)) - total / 2))
    return [first + sum(heights[:n]) + gap * n for n in range(len(heights))]


def levels(part: Part, top: int, count: int) -> list[int]:
    """The y of each of `count` contacts on one side of a part."""
    return [round(top + part.height * (2 * n + 1) / (2 * count)) for n in range(count)]


def on_nets(parts: Sequence[Part], tops: Sequence[int]) -> list[tuple[Part, Net, int]]:
    """Every contact that is on ground or 5 V, with its y."""
    return [
        (part, net, y)
        for part, top in zip(parts, tops, strict=True)
        for (_, net), y in zip(part.nets, levels(part, top, len(part.nets)), strict=True)
    ]


def channels(pins: Sequence[int], places: Sequence[int]) -> list[int]:
    """In which channel each wire bends, so that none crosses another: of those that go up the uppermost bends first,
    of those that go down the lowest."""
    up = [n for n, (pin, y) in enumerate(zip(pins, places, strict=True)) if y <= pin]
    down = [n for n in reversed(range(len(pins))) if n not in up]
    order = {n: channel for group in (up, down) for channel, n in enumerate(group)}
    return [order[n] for n in range(len(pins))]


# Wires ------------------------------------------------------------------------------------------------


def wired(header: Header, side: Side, parts: Sequence[Part], tops: Sequence[int]) -> Iterator[str]:
    """The parts of one side, their wires, and the one that joins them to ground."""
    way = -1 if side == "left" else 1
    pins = [header.place(pin)[1] for part in parts for _, pin in part.pins]
    kinds = [part.kind for part in parts for _ in part.pins]
    places = [y for part, top in zip(parts, tops, strict=True) for y in levels(part, top, len(part.pins))]
    for kind, pin, y, channel in zip(kinds, pins, places, channels(pins, places), strict=True):
        bend = MIDDLE + way * (FIRST + CHANNEL * channel)
        along = [(MIDDLE + way * EDGE, pin), (bend, pin), (bend, y), (MIDDLE + way * REACH, y)]
        yield wire(along, WIRES[kind])
    grounds = [y for _, net, y in on_nets(parts, tops) if net == "ground"]
    start = header.place(header.grounds[side == "right"])[1]
    yield from grounded(way, start, grounds)
    for part, top in zip(parts, tops, strict=True):
        yield from block(part, way, top)


def grounded(way: int, start: int, ends: Sequence[int]) -> Iterator[str]:
    """The wire from a ground pin at `start` along the far side, and from it to each contact."""
    rail = MIDDLE + way * RAIL
    far = max(ends) if start < min(ends) else min(ends)
    yield wire([(MIDDLE + way * EDGE, start), (rail, start), (rail, far)], GROUND)
    for y in ends:
        yield wire([(MIDDLE + way * (REACH + BLOCK), y), (rail, y)], GROUND)
        yield dot(rail, y, GROUND)
    yield text(MIDDLE + way * (RAIL - 8), start - 7, "ground", fill=GROUND, anchor=away(-way), weight="bold")


def powered(header: Header, ends: Sequence[tuple[Side, int]], bottom: int) -> Iterator[str]:
    """The wire of 5 V: from its pin through the diode, around the right side and below everything."""
    if header.power is None:
        return
    y, right = header.place(header.power)[1], MIDDLE + POWER_RAIL
    diode = MIDDLE + 190
    yield wire([(MIDDLE + EDGE, y), (diode, y)], POWER)
    yield arrow(diode, y, 1, POWER)
    yield text(diode + 9, y - 16, "diode 1N4001: its ring on the right", fill=POWER, size=12)
    yield text(right, y - 10, "5 V", fill=POWER, weight="bold")
    last = MIDDLE - RAIL
    lefts = [level for side, level in ends if side == "left"]
    down = [(right, bottom), (last, bottom), (last, max(lefts))] if lefts else []
    yield wire([(diode + 18, y), (right, y), *(down or [(right, max(level for _, level in ends))])], POWER)
    for side, level in ends:
        way = -1 if side == "left" else 1
        x = last if side == "left" else right
        yield wire([(MIDDLE + way * (REACH + BLOCK), level), (x, level)], POWER)
        yield dot(x, level, POWER)


# Parts ------------------------------------------------------------------------------------------------


def block(part: Part, way: int, top: int) -> Iterator[str]:
    """A part: its frame, what is in it, and its contacts with their names."""
    near, far = MIDDLE + way * REACH, MIDDLE + way * (REACH + BLOCK)
    colour = WIRES[part.kind]
    yield (
        f'<rect x="{min(near, far)}" y="{top}" width="{BLOCK}" height="{part.height}" rx="7" '
        f'fill="{FILLS[part.kind]}" stroke="{colour}" stroke-width="1.5"/>'
    )
    yield from inside(part, way, top)
    for (_, _), y in zip(part.pins, levels(part, top, len(part.pins)), strict=True):
        yield dot(near, y, colour)
    for (name, net), y in zip(part.nets, levels(part, top, len(part.nets)), strict=True):
        yield dot(far, y, NETS[net])
        yield text(far - way * 9, y + 5, name, anchor=away(-way), weight="bold", fill=NETS[net])


def inside(part: Part, way: int, top: int) -> Iterator[str]:
    """What a part is made of, between its contacts."""
    near, y = MIDDLE + way * REACH, round(top + part.height / 2)
    far, middle = near + way * BLOCK, near + way * BLOCK / 2
    match part.kind:
        case "button":
            yield switch(near, y, way)
            yield line(near + way * 48, y, far, y)
            yield text(near + way * 106, y - 7, part.label, weight="bold")
        case "lamp":
            yield from resistor(near, y, way)
            yield arrow(near + way * 66, y, way, WIRES["lamp"])
            yield line(near + way * 84, y, far, y)
            yield text(near + way * 120, y - 7, part.label, weight="bold")
            yield text(near + way * 59, y - 7, "+", weight="bold")
        case "buzzer" | "dial":
            yield text(middle, y + 5, part.label, weight="bold")
            yield from named(part, near, top, way, 9)
        case "bar":
            yield from resistor(near, y, way)
            yield from named(part, near, top, way, 62)
            yield text(near + way * 82, top + 18, part.label, weight="bold")
            yield from pixels(middle, top + part.height - 15)


def named(part: Part, near: float, top: int, way: int, gap: int) -> Iterator[str]:
    """The names of the contacts towards the header."""
    for (name, _), y in zip(part.pins, levels(part, top, len(part.pins)), strict=True):
        yield text(near + way * gap, y + 5, name, anchor=away(way), weight="bold", fill=WIRES[part.kind])


def resistor(near: float, y: float, way: int) -> Iterator[str]:
    """330 Ω, from a part's edge inwards."""
    yield line(near, y, near + way * 60, y)
    x = min(near + way * 8, near + way * 52)
    yield f'<rect x="{x:g}" y="{y - 9:g}" width="44" height="18" fill="#fff" stroke="{INK}" stroke-width="1.5"/>'
    yield text(x + 22, y + 4, "330 Ω", size=12)


def switch(near: float, y: float, way: int) -> str:
    """An open push button, from a part's edge inwards."""
    a, b = near + way * 18, near + way * 46
    return (
        f'<path d="M{near:g},{y:g}H{a:g}M{a:g},{y - 9:g}H{b:g}M{(a + b) / 2:g},{y - 9:g}v-5" fill="none" '
        f'stroke="{INK}" stroke-width="2"/><circle cx="{a:g}" cy="{y:g}" r="2.5"/>'
        f'<circle cx="{b:g}" cy="{y:g}" r="2.5"/>'
    )


def arrow(x: float, y: float, way: int, colour: str) -> str:
    """An LED or a diode, 18 long: current goes from the triangle's base to the bar."""
    tip = x + way * 18
    return (
        f'<path d="M{x:g},{y - 9:g}V{y + 9:g}L{tip:g},{y:g}ZM{tip:g},{y - 9:g}V{y + 9:g}" fill="{colour}" '
        f'stroke="{colour}" stroke-width="2.5"/>'
    )


def pixels(middle: float, y: float) -> Iterator[str]:
    """The row of a bar's pixels."""
    for n in range(8):
        yield f'<rect x="{middle - 40 + 10 * n:g}" y="{y:g}" width="8" height="8" fill="#fff" stroke="{WIRES["bar"]}"/>'


# The header and the legend ----------------------------------------------------------------------------


def pins_of(header: Header, used: Mapping[int, str]) -> Iterator[str]:
    """The two columns of pins, those that are used in the colour of their wire."""
    shown = {**used, **dict.fromkeys(header.grounds, GROUND)}
    if header.power is not None:
        shown[header.power] = POWER
    height = header.row * (ROWS - 1) + 32
    yield (
        f'<rect x="{MIDDLE - 80}" y="{TOP - 16}" width="160" height="{height}" rx="8" fill="#eef1f6" stroke="{PALE}"/>'
    )
    if header.socket:
        yield f'<rect x="{MIDDLE - 28}" y="{TOP - 39}" width="56" height="24" rx="4" fill="#c9cfda" stroke="{SOFT}"/>'
        yield text(MIDDLE, TOP - 22, header.socket, size=12)
    for column, way in ((header.left, -1), (header.right, 1)):
        for row, pin in enumerate(column):
            y, x = TOP + header.row * row, MIDDLE + way * 65
            colour = shown.get(pin)
            yield f'<circle cx="{x}" cy="{y}" r="10.5" fill="{colour or "#fff"}" stroke="{colour or PALE}"/>'
            yield text(
                x, y + 4, str(pin), size=12, fill="#fff" if colour else SOFT, weight="bold" if colour else "normal"
            )
            if colour:
                yield text(MIDDLE + way * 51, y + 4, header.names[pin], size=12, fill=colour, anchor=away(-way))


def explained(at: tuple[int, int], entries: Sequence[tuple[str, str]]) -> Iterator[str]:
    """What the colours mean."""
    x, y = at
    for n, (colour, words) in enumerate(entries):
        if colour:
            yield line(x, y + 20 * n - 4, x + 24, y + 20 * n - 4, colour, 4)
        yield text(x + 34, y + 20 * n, words, anchor="start")


def away(way: int) -> str:
    """The anchor of words that begin here and go this way."""
    return "end" if way < 0 else "start"


def wire(points: Sequence[tuple[float, float]], colour: str) -> str:
    """A line along the points."""
    along = " ".join(f"{x:g},{y:g}" for x, y in points)
    return f'<polyline points="{along}" fill="none" stroke="{colour}" stroke-width="2.5"/>'


def line(x: float, y: float, to_x: float, to_y: float, colour: str = INK, width: float = 2) -> str:
    """A line within a part, or in the legend."""
    return f'<path d="M{x:g},{y:g}L{to_x:g},{to_y:g}" stroke="{colour}" stroke-width="{width:g}"/>'


def dot(x: float, y: float, colour: str) -> str:
    """A contact, or where wires are joined."""
    return f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{colour}"/>'


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
