"""hardware.md: its drawings and tables say what the programs do."""

from __future__ import annotations

import math
import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest

from companion.devices.gpio import BOARD, Pins
from scripts.draw_wiring import DOCS, ROOT, drawings, pico
from scripts.wiring_drawing import NETS, channels, spread

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("name", drawings())
def test_the_drawing_is_up_to_date(name: str) -> None:
    """What is kept in docs/ is what the script draws; `python scripts/draw_wiring.py` draws it anew."""
    assert (DOCS / name).read_text("utf-8") == drawings()[name]


@pytest.mark.parametrize("name", drawings())
def test_no_wire_crosses_another(name: str) -> None:
    """Lines of two wires don't meet; but what ends on ground may meet there, and so may 5 V."""
    lines = []
    for number, wire in enumerate(ElementTree.fromstring(drawings()[name]).iter(f"{SVG}polyline")):
        points = [tuple(map(float, point.split(","))) for point in wire.attrib["points"].split()]
        lines += [(number, wire.attrib["stroke"], line) for line in pairwise(points)]
    assert len({number for number, colour, _ in lines if colour not in NETS.values()}) >= 6
    joined = set(NETS.values())
    pairs = [
        (a, b) for (m, one, a), (n, two, b) in combinations(lines, 2) if m != n and not (one == two and one in joined)
    ]
    assert [(a, b) for a, b in pairs if meet(a, b)] == []


def meet(a: tuple[tuple[float, ...], ...], b: tuple[tuple[float, ...], ...]) -> bool:
    """Whether two upright or level lines have a point in common."""
    return all(
        max(min(p[axis] for p in a), min(p[axis] for p in b)) <= min(max(p[axis] for p in a), max(p[axis] for p in b))
        for axis in (0, 1)
    )


def test_other_pins_are_drawn_without_crossings_too() -> None:
    """Whatever pins are configured: any part next to any other."""
    for pins in ([96, 118, 140], [96, 400, 510], [470, 492, 514], [96, 118, 140, 162, 184, 500]):
        places = spread(pins, [34] * len(pins))
        order = channels(pins, places)
        assert len(order) == len(pins)
        ups = [order[n] for n, (pin, y) in enumerate(zip(pins, places, strict=True)) if y <= pin]
        assert ups == sorted(ups)


def test_the_table_in_hardware_md_has_the_same_pins() -> None:
    """Each button's and the lamp's row names its BCM number and its pin of the header."""
    rows = [line.split("|")[1:4] for line in (ROOT / "hardware.md").read_text("utf-8").splitlines() if "|" in line]
    listed = {cells[0].strip(): [cell.strip() for cell in cells[1:]] for cells in rows if len(cells) == 3}
    for name, bcm in Pins().used().items():
        assert listed["lamp" if name == "led" else name] == [str(bcm), str(BOARD[bcm])]


def test_the_box_s_table_has_the_firmware_s_pins() -> None:
    """Each GP number beside the pin of the Pico at which the drawing shows it."""
    header, parts = pico(ROOT / "firmware" / "board.py")
    drawn = {(header.names[pin].removeprefix("GP"), str(pin)) for part in parts for _, pin in part.pins}
    rows = re.findall(r"\| (\d+) \| (\d+) ", (ROOT / "hardware.md").read_text("utf-8").split("## The box")[1])
    assert drawn <= set(rows)
    assert len(drawn) == 16


def test_every_part_of_the_box_has_all_its_contacts() -> None:
    """Each ends on ground, on one wire or two; the bars are named as they are printed, and they alone take 5 V."""
    header, parts = pico(ROOT / "firmware" / "board.py")
    contacts = {part.label: {name for name, _ in (*part.pins, *part.nets)} for part in parts}
    assert contacts["dial"] == {"A", "B", "C", "push 1", "push 2"}
    assert contacts["bar 1"] == contacts["bar 2"] == {"DIN", "5V", "GND"}
    assert [part.label for part in parts if "ground" not in {net for _, net in part.nets}] == []
    assert {part.label for part in parts if "5 V" in {net for _, net in part.nets}} == {"bar 1", "bar 2"}
    assert header.names[header.power or 0] == "VBUS"
    assert [header.names[pin] for pin in header.grounds] == ["ground", "ground"]


@pytest.mark.parametrize("name", drawings())
def test_the_drawing_stands_on_white_and_can_be_read(name: str) -> None:
    """On a dark page too; and 800 pixels wide its smallest words are ten pixels high."""
    root = ElementTree.fromstring(drawings()[name])
    width, height = root.attrib["viewBox"].split()[2:]
    ground = next(root.iter(f"{SVG}rect"))
    assert (ground.attrib["width"], ground.attrib["height"], ground.attrib["fill"]) == (width, height, "#fff")
    assert min(int(words.attrib["font-size"]) for words in root.iter(f"{SVG}text")) * 800 / int(width) >= 10


@pytest.mark.parametrize("name", drawings())
def test_words_in_a_part_keep_clear_of_lines(name: str) -> None:
    """Three pixels at least from its frame and from the wire that runs through it, descenders counted."""
    root = ElementTree.fromstring(drawings()[name])
    frames = [box(rect) for rect in root.iter(f"{SVG}rect") if rect.get("rx") == "7"]
    lines = [
        tuple(map(float, level.groups()))
        for path in root.iter(f"{SVG}path")
        if (level := LEVEL.fullmatch(path.attrib["d"]))
    ]
    labels = 0
    for words in root.iter(f"{SVG}text"):
        x, base, size = (float(words.attrib[key]) for key in ("x", "y", "font-size"))
        top, bottom = base - 0.72 * size - 3, base + 0.22 * size + 3
        for left, upper, right, lower in frames:
            if left < x < right and upper < base < lower:
                labels += words.attrib["font-weight"] == "bold"
                assert upper < top, words.text
                assert bottom < lower, words.text
                if words.attrib["text-anchor"] == "middle" and words.attrib["font-weight"] == "bold":
                    assert not any(min(a, b) < x < max(a, b) and top < y < bottom for a, y, b in lines), words.text
    assert labels >= len(frames) > 5


LEVEL = re.compile(r"M([\d.]+),([\d.]+)L([\d.]+),\2")


def box(rect: ElementTree.Element) -> tuple[float, float, float, float]:
    """Left, upper, right and lower edge."""
    x, y, width, height = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def test_the_table_of_heights_is_computed() -> None:
    """A camera 66 degrees wide sees so much, and a module gets so many pixels of it."""
    rows = re.findall(r"\| (\d+) cm \| (\d+) cm \| (.*) \|", (ROOT / "hardware.md").read_text("utf-8"))
    assert len(rows) == 5
    for high, wide, figures in rows:
        assert int(high) == pytest.approx(int(wide) / (2 * math.tan(math.radians(33))), abs=0.6)
        codes = [(25, 1920), (20, 1920), (15, 1920), (12, 1920), (25, 1280)]
        pixels = [picture * code / (21 * 10 * int(wide)) for code, picture in codes]
        told = [float(re.sub("[^0-9.]", "", cell)) for cell in figures.split("|")]
        assert told == pytest.approx(pixels, abs=0.06)


def test_what_hardware_md_shows_is_there() -> None:
    """Every picture and file that it names."""
    words = (ROOT / "hardware.md").read_text("utf-8")
    assert [name for name in drawings() if f"docs/{name}" not in words] == []
    assert (ROOT / "scripts" / "tablekeeper.service").is_file()
