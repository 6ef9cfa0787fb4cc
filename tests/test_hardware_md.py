"""The drawings, tables and links of hardware.md and docs/hardware/ agree with the programs and the files."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from companion import component_qr_codes
from companion.devices import debounce, gpio
from companion.devices.pins import BOARD, Pins
from companion.games import GAMES
from companion.printing import camera_height
from scripts import draw_stand_and_box_lid
from scripts.screenshot_pages import has_changed

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
DRAWINGS = ("wiring-pi.svg", "wiring-box.svg")
SVG = "{http://www.w3.org/2000/svg}"
GROUND, POWER = "#20242e", "#d0191f"
"""The colors of the wires that join many contacts."""
PIN_REACH = 12
"""The distance from the center of a pin's circle to its edge, where wires end, in the drawing's pixels."""
PICO_GP = dict(zip((1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27, 29, 31, 32, 34),
                   (*range(23), 26, 27, 28), strict=True))  # fmt: skip
"""The GP number of each printed pin number, from the Pico's data sheet."""
Place = tuple[float, ...]
Contact = tuple[str, str]
"""A part and its contact, named as in the drawing. Contacts without a name are numbered, "@0", "@1"."""


class Drawing:
    """A wiring diagram from a file in docs/."""

    def __init__(self, source: str) -> None:
        self.root = ElementTree.fromstring(source)

    @property
    def pins(self) -> Mapping[int, tuple[str, Place]]:
        """The pins of the header by their printed numbers: the name and the position of each."""
        groups = [group for group in self.root.iter(f"{SVG}g") if "data-pin" in group.attrib]
        return {int(group.attrib["data-pin"]): (group.attrib["data-name"], middle(group[0])) for group in groups}

    @property
    def contacts(self) -> Mapping[Contact, Place]:
        """The position of each contact of each part."""
        groups = [group for group in self.root.iter(f"{SVG}g") if "data-part" in group.attrib]
        found: dict[Contact, Place] = {}
        for group in groups:
            circles = [circle for circle in group.iter(f"{SVG}circle") if "data-contact" in circle.attrib]
            for number, circle in enumerate(circles):
                found[group.attrib["data-part"], circle.attrib["data-contact"] or f"@{number}"] = middle(circle)
        return found

    @property
    def wires(self) -> list[tuple[str, list[Place]]]:
        """The color and the corners of each wire."""
        lines = self.root.iter(f"{SVG}polyline")
        return [
            (line.attrib["stroke"], [tuple(map(float, point.split(","))) for point in line.attrib["points"].split()])
            for line in lines
        ]

    def wired(self) -> dict[Contact, int]:
        """For each contact, the pin to which its own wire leads."""
        return {contact: pin for contact, at in self.contacts.items() for pin in self._led_to(at)}

    def _led_to(self, contact: Place) -> Iterator[int]:
        for color, (start, *_, end) in self.wires:
            if end == contact and color not in (GROUND, POWER):
                yield from (pin for pin, (_, at) in self.pins.items() if near(start, at))

    def on(self, color: str) -> set[Contact]:
        """The contacts at which a wire of this color begins or ends."""
        ends = [end for hue, corners in self.wires if hue == color for end in (corners[0], corners[-1])]
        return {contact for contact, at in self.contacts.items() if at in ends}

    def feeds(self, color: str) -> set[str]:
        """The names of the pins at which wires of this color begin."""
        starts = [corners[0] for hue, corners in self.wires if hue == color]
        return {name for name, at in self.pins.values() if any(near(start, at) for start in starts)}


def middle(circle: ElementTree.Element) -> Place:
    """The center of a circle."""
    return float(circle.attrib["cx"]), float(circle.attrib["cy"])


def near(end: Place, pin: Place) -> bool:
    """Whether a wire ends at a pin, which means at the pin's edge and at the same height."""
    return end[1] == pin[1] and abs(end[0] - pin[0]) <= PIN_REACH


def drawing(name: str) -> Drawing:
    return Drawing((DOCS / name).read_text("utf-8"))


@pytest.mark.parametrize("name", DRAWINGS)
def test_no_wire_crosses_another(name: str) -> None:
    """No two wires meet, unless both are ground or both are 5 V."""
    lines = [
        (number, color, line)
        for number, (color, corners) in enumerate(drawing(name).wires)
        for line in pairwise(corners)
    ]
    joined = {GROUND, POWER}
    assert len({number for number, color, _ in lines if color not in joined}) >= 6
    pairs = [
        (a, b) for (m, one, a), (n, two, b) in combinations(lines, 2) if m != n and not (one == two and one in joined)
    ]
    assert [(a, b) for a, b in pairs if meet(a, b)] == []


def meet(a: tuple[tuple[float, ...], ...], b: tuple[tuple[float, ...], ...]) -> bool:
    """Whether two vertical or horizontal lines have a point in common."""
    return all(
        max(min(p[axis] for p in a), min(p[axis] for p in b)) <= min(max(p[axis] for p in a), max(p[axis] for p in b))
        for axis in (0, 1)
    )


def on_the_pi(pins: Pins) -> dict[Contact, int]:
    """The pin of the Pi's header to which each contact must be wired."""
    parts = {"led": ("lamp", "@0"), "buzzer": ("buzzer", "+")}
    return {parts.get(name, (name, "@0")): BOARD[bcm] for name, bcm in pins.used().items()}


def on_the_pico(board: str) -> dict[Contact, int]:
    """The pin of the Pico to which each contact must be wired, from the source of the firmware."""
    pins = {gp: pin for pin, gp in PICO_GP.items()}
    gps = constants(board)
    wired = {
        **{(f"seat {n}", "@0"): gp for n, gp in enumerate(gps["SEAT_BUTTONS"], 1)},
        **{(f"lamp {n}", "@0"): gp for n, gp in enumerate(gps["SEAT_LAMPS"], 1)},
        **{(f"bar {n}", "DIN"): gp for n, gp in enumerate(gps["BARS"], 1)},
        ("dial", "A"): gps["DIAL_A"][0],
        ("dial", "B"): gps["DIAL_B"][0],
        ("dial", "push 1"): gps["DIAL_PUSH"][0],
        ("buzzer", "@0"): gps["BUZZER"][0],
    }
    return {contact: pins[gp] for contact, gp in wired.items()}


def constants(board: str) -> dict[str, tuple[int, ...]]:
    """The integer constants of `firmware/hardware.py`. The file is parsed, not run, because it needs a Pico."""
    found = {}
    for node in ast.parse(board).body:
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


BUZZER_IN_THE_DRAWING = 25
HARDWARE_SOURCE = (ROOT / "firmware" / "hardware.py").read_text("utf-8")


def test_the_pi_is_drawn_as_the_companion_uses_it() -> None:
    """In the drawing of the Pi, each part's wire leads to the pin that the program uses."""
    assert drawing("wiring-pi.svg").wired() == on_the_pi(Pins(buzzer=BUZZER_IN_THE_DRAWING))


def test_the_box_is_drawn_as_the_firmware_uses_it() -> None:
    """In the drawing of the box, each part's wire leads to the pin that the firmware uses."""
    wired = drawing("wiring-box.svg").wired()
    assert wired == on_the_pico(HARDWARE_SOURCE)
    assert len(wired) == 16


def test_a_pin_that_changes_in_the_code_is_found() -> None:
    """The checks fail if a pin changes on the Pi, in the firmware, or at the end of a wire in the drawing."""
    pins = Pins(buzzer=BUZZER_IN_THE_DRAWING)
    for name, bcm in pins.used().items():
        other = Pins(**{**asdict(pins), name: next(gpio for gpio in BOARD if gpio not in pins.used().values())})
        assert BOARD[bcm] in drawing("wiring-pi.svg").wired().values()
        assert drawing("wiring-pi.svg").wired() != on_the_pi(other)
    moved = re.sub(r"^BUZZER = \d+", "BUZZER = 22", HARDWARE_SOURCE, flags=re.MULTILINE)
    assert moved != HARDWARE_SOURCE
    assert drawing("wiring-box.svg").wired() != on_the_pico(moved)
    source = (DOCS / "wiring-box.svg").read_text("utf-8")
    rewired = source.replace('points="384,214 312,214', 'points="384,366 312,366')
    assert rewired != source
    assert Drawing(rewired).wired() != on_the_pico(HARDWARE_SOURCE)


@pytest.mark.parametrize("name", DRAWINGS)
def test_pins_are_named_as_on_the_board(name: str) -> None:
    """Every pin of the header has the name that its number has on the board."""
    pins = {pin: called for pin, (called, _) in drawing(name).pins.items()}
    assert [*sorted(pins)] == [*range(1, 41)]
    names = {
        "wiring-pi.svg": {pin: f"GPIO {bcm}" for bcm, pin in BOARD.items()},
        "wiring-box.svg": {pin: f"GP{gp}" for pin, gp in PICO_GP.items()},
    }[name]
    assert {pin: called for pin, called in pins.items() if called.startswith("GP")} == names


BUTTONS_PAGE, CAMERA_PAGE = DOCS / "hardware" / "buttons.md", DOCS / "hardware" / "camera.md"


def test_the_table_of_buttons_has_the_same_pins() -> None:
    """The rows of each button and of the lamp name its BCM number and its pin of the header."""
    rows = [line.split("|")[1:4] for line in BUTTONS_PAGE.read_text("utf-8").splitlines() if "|" in line]
    listed = {cells[0].strip(): [cell.strip() for cell in cells[1:]] for cells in rows if len(cells) == 3}
    for name, bcm in Pins().used().items():
        assert listed["lamp" if name == "led" else name] == [str(bcm), str(BOARD[bcm])]


def test_the_box_s_table_has_the_firmware_s_pins() -> None:
    """The table of the box's pins gives each GP number together with the same pin of the Pico as in the drawing."""
    drawn = {(str(PICO_GP[pin]), str(pin)) for pin in drawing("wiring-box.svg").wired().values()}
    rows = re.findall(r"\| (\d+) \| (\d+) ", (ROOT / "docs" / "hardware" / "box.md").read_text("utf-8"))
    assert drawn <= set(rows)
    assert len(drawn) == 16


def test_every_part_of_the_box_has_all_its_contacts() -> None:
    """Each contact of the box's parts is wired to ground or to one or two wires. The contacts of the bars are named as
    printed on them, and only the bars and the capacitor use 5 V."""
    box = drawing("wiring-box.svg")
    parts: dict[str, set[str]] = {}
    for part, contact in box.contacts:
        parts.setdefault(part, set()).add(contact)
    assert parts["dial"] == {"A", "B", "C", "push 1", "push 2"}
    assert parts["bar 1"] == parts["bar 2"] == {"DIN", "5V", "GND"}
    assert {part for part, _ in box.on(GROUND)} == set(parts)
    assert {part for part, _ in box.on(POWER)} == {"bar 1", "bar 2", "capacitor"}
    assert set(box.wired()) | box.on(GROUND) | box.on(POWER) == set(box.contacts)
    assert box.feeds(POWER) == {"VBUS"}
    assert box.feeds(GROUND) == {"ground"}


@pytest.mark.parametrize("name", DRAWINGS)
def test_the_drawing_stands_on_white_and_can_be_read(name: str) -> None:
    """The drawing has a white background on dark pages too. When 800 pixels wide, its smallest text is ten pixels
    high."""
    root = drawing(name).root
    width, height = root.attrib["viewBox"].split()[2:]
    ground = next(root.iter(f"{SVG}rect"))
    assert (ground.attrib["width"], ground.attrib["height"], ground.attrib["fill"]) == (width, height, "#fff")
    assert min(int(words.attrib["font-size"]) for words in root.iter(f"{SVG}text")) * 800 / int(width) >= 10


@pytest.mark.parametrize("name", DRAWINGS)
def test_words_in_a_part_keep_clear_of_lines(name: str) -> None:
    """Text in a part, including its descenders, is at least three pixels away from the part's frame and from any wire
    through the part."""
    root = drawing(name).root
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
    """The left, upper, right and lower edge."""
    x, y, width, height = (float(rect.attrib[key]) for key in ("x", "y", "width", "height"))
    return x, y, x + width, y + height


def test_the_table_of_heights_is_computed() -> None:
    """The table of heights gives, as computed by the code, the width that a camera with a 66 degree lens sees at each
    height, and the pixels per module."""
    rows = re.findall(r"\| (\d+) cm \| (\d+) cm \| (.*) \|", CAMERA_PAGE.read_text("utf-8"))
    assert len(rows) == 5
    for high, wide, figures in rows:
        assert int(high) == pytest.approx(int(wide) / (2 * math.tan(math.radians(33))), abs=0.6)
        codes = [(25, 1920), (20, 1920), (15, 1920), (12, 1920), (25, 1280)]
        pixels = [picture * code / (21 * 10 * int(wide)) for code, picture in codes]
        stated = [float(re.sub("[^0-9.]", "", cell)) for cell in figures.split("|")]
        assert stated == pytest.approx(pixels, abs=0.06)


def test_the_documents_show_every_drawing() -> None:
    """Each wiring diagram is on the page about the buttons or the page about the box, and the systemd unit is where the
    documents say."""
    text = "".join(path.read_text("utf-8") for path in (BUTTONS_PAGE, DOCS / "hardware" / "box.md"))
    assert [name for name in DRAWINGS if f"/{name})" not in text] == []
    assert (ROOT / "appliance" / "tablekeeper.service").is_file()


def test_the_table_of_cameras_is_computed() -> None:
    """For each angle of view, the table gives the visible width, and the least and the greatest height, as the code
    computes them."""
    row = re.compile(r"\| (\d+)° \| ([\d.]+) cm \| (\d+) cm \| (\d+) cm \|")
    rows = [tuple(map(float, found)) for found in row.findall(CAMERA_PAGE.read_text("utf-8"))]
    mat = GAMES["systems-failing"].physical.components.mat
    assert mat
    assert len(rows) == 5
    for degrees, wide, least, greatest in rows:
        ratio = 2 * math.tan(math.radians(degrees / 2))
        readable = (
            camera_height.FRAME_WIDTH_PX
            * 25
            / component_qr_codes.MODULES
            / camera_height.MIN_PX_PER_MODULE
            / 10
            / ratio
        )
        assert wide == pytest.approx(ratio, abs=0.006)
        assert least == math.ceil((mat.size[0] + 2 * camera_height.MAT_MARGIN_MM) / 10 / ratio)
        assert greatest == math.floor(readable)
        if degrees == camera_height.FIELD_OF_VIEW_DEGREES:
            assert (least, greatest) == (camera_height.min_height_cm(mat), camera_height.max_height_cm(25))


def test_the_side_view_is_to_scale_and_up_to_date() -> None:
    """The side view is as the script draws it. Its rays form the angle of view, and its labels give its lengths."""
    text = (DOCS / "hardware" / draw_stand_and_box_lid.SIDE_VIEW).read_text("utf-8")
    assert text == draw_stand_and_box_lid.side_view()
    left, floor, lens_x, lens_y, right = map(
        float, re.findall(r'id="view" d="M([\d.]+),([\d.]+)L([\d.]+),([\d.]+)L([\d.]+),', text)[0]
    )
    high, wide = (floor - lens_y) / draw_stand_and_box_lid.PX_PER_CM, (right - left) / draw_stand_and_box_lid.PX_PER_CM
    angle = 2 * math.degrees(math.atan((right - lens_x) / (floor - lens_y)))
    assert angle == pytest.approx(camera_height.FIELD_OF_VIEW_DEGREES, abs=0.1)
    assert re.findall(r"visible width (\d+) cm", text) == [str(round(wide))]
    assert re.findall(r"height (\d+) cm", text) == [str(round(high))]


def test_the_drill_template_is_up_to_date_and_true_to_scale() -> None:
    """The PDF looks as the script draws it and has the size of A4, and its check line is as long as it says."""
    stored = (DOCS / "hardware" / draw_stand_and_box_lid.TEMPLATE).read_bytes()
    page = draw_stand_and_box_lid.template_picture(stored, 10)
    assert not has_changed(page, draw_stand_and_box_lid.template_picture(draw_stand_and_box_lid.template(), 10))
    assert page.size == pytest.approx((2970, 2100), abs=1)
    dark = np.asarray(page.convert("L")) < 128
    below_the_lid = dark[1620:1850, 300:1100]
    longest = max(below_the_lid, key=np.count_nonzero)
    across = np.flatnonzero(longest)
    assert across[-1] - across[0] == pytest.approx(10 * draw_stand_and_box_lid.CHECK_LINE_MM, abs=5)


def test_the_drill_template_has_a_hole_for_each_part_of_the_firmware() -> None:
    """There is a place for each seat button and each bar, no two holes overlap, and all are on the lid. The slot named
    in the documents has room for the firmware's pixels."""
    parts = draw_stand_and_box_lid.box_parts()
    assert len(draw_stand_and_box_lid.SEATS_MM) == len(parts["SEAT_BUTTONS"])
    assert len(draw_stand_and_box_lid.BARS_MM) == len(parts["BARS"])
    radius, slot = (
        max(draw_stand_and_box_lid.BUTTON_HOLES_MM) / 2,
        parts["PIXELS_PER_BAR"] * draw_stand_and_box_lid.PIXEL_PITCH_MM,
    )
    rooms = [(x - radius, y - radius, x + radius, y + radius) for x, y in draw_stand_and_box_lid.SEATS_MM]
    rooms += [(x - slot / 2, y - 5, x + slot / 2, y + 5) for x, y in draw_stand_and_box_lid.BARS_MM]
    rooms += [
        (x - 8, y - 8, x + 8, y + 8) for x, y in (draw_stand_and_box_lid.DIAL_MM, draw_stand_and_box_lid.BUZZER_MM)
    ]
    wide, high = draw_stand_and_box_lid.LID_MM
    for left, low, right, top in rooms:
        assert -wide / 2 + 3 <= left < right <= wide / 2 - 3
        assert -high / 2 + 3 <= low < top <= high / 2 - 3
    for a, b in combinations(rooms, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    text = (DOCS / "hardware" / "box.md").read_text("utf-8")
    assert f"a slot of {slot:g} × {draw_stand_and_box_lid.SLOT_HEIGHT_MM:g} mm" in text
    assert f"a lid of {wide:g} × {high:g} mm" in text
    assert f"measures {draw_stand_and_box_lid.CHECK_LINE_MM:g} mm" in text


def test_the_totals_are_sums() -> None:
    """Each total in hardware.md is the sum of its column, and the box costs what its own list adds up to."""
    table = (ROOT / "hardware.md").read_text("utf-8").split("| part | phones only |")[1].split("\n\n")[0]
    rows = [[cell.strip(" *") for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]
    *parts, total = rows
    assert len(parts) > 10
    for column in (1, 2, 3, 4):
        assert sum(int(row[column] or 0) for row in parts) == int(total[column])
    listed = (DOCS / "hardware" / "box.md").read_text("utf-8").split("| part, for five seats |")[1].split("\n\n")[0]
    *prices, box_total = map(int, re.findall(r"\| \**(\d+) €", listed))
    assert sum(prices) == box_total
    assert [row[4] for row in parts if row[0].startswith("all [parts of the box]")] == [str(box_total)]


def test_the_page_of_the_buttons_has_the_times_of_the_code() -> None:
    """The page about the buttons names the same times and counts for debouncing and undo as the code."""
    text = " ".join(BUTTONS_PAGE.read_text("utf-8").split())
    assert f"stable for {gpio.BOUNCE_S * 1000:g} ms" in text
    assert f"at least {debounce.MIN_PRESS_INTERVAL_S * 1000:g} ms apart" in text
    assert f"within {debounce.MIN_RELEASE_S * 1000:g} ms after a release" in text
    assert f"one more every {gpio.HOLD_S:g} seconds" in text
    assert debounce.MAX_HOLD_REPEATS == 20
    assert "twenty times at most" in text


DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)#?([^)\s]*)\)")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document: Path) -> None:
    """Relative links name an existing file of the repository and an existing heading in it."""
    broken = [
        f"{file}#{anchor}"
        for file, anchor in LINK.findall(document.read_text("utf-8"))
        if not (target := document.parent / file if file else document).exists()
        or (anchor and anchor not in anchors(target))
    ]
    assert broken == []


def anchors(document: Path) -> set[str]:
    """The anchors that GitHub gives a document's headings."""
    headings = re.findall(r"^#+ (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
