"""Draws the cards and tokens of Systems Failing for print.

Each code is on a white ground for the camera. The panel beside it has bold symbols for people. The heading of a card is
in the top 18 mm, and its text or cubes are in the bottom 24 mm, so the code stays visible when another card overlaps
either end.
"""

from __future__ import annotations

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import (
    BOLD,
    FAINT,
    INK,
    MUTED,
    PAPER,
    TINT,
    Canvas,
    fitting_size,
    text_width,
    with_quiet_zone,
    wrapped_lines,
)
from companion.games.systems_failing import emblems
from companion.games.systems_failing.card_fields import CARD_SIZE, FIELD_LEFT, FIELD_SIZE, FIELD_TOP
from companion.games.systems_failing.catalog import PREFIX, Disaster, Escape, Role, catalog
from companion.games.systems_failing.emblems import ALARM, ALERT, HAZARD, PALE_POD, POD, RESOURCES, SPACE
from companion.games.systems_failing.mat_art import draw_mat
from companion.games.systems_failing.meter_card_art import METER_SIZE, draw_meter
from companion.games.systems_failing.pavement import PAVING_COLORS, light_squares
from companion.games.systems_failing.token_sheet_art import SHEET_SIZE, draw_token_sheet
from companion.tabletop.components import Component

Rectangle = tuple[float, float, float, float]
"""A rectangle: left, bottom, width and height, in mm."""

MARKER_SIZE = (50.0, 56.0)
EDGE = 3.0
"""The unprinted margin of a card, in mm. It allows for inaccurate cuts."""
INNER = CARD_SIZE[0] - 2 * EDGE
"""The width of a card between its margins, in mm."""
HEAD, FOOT = 70.0, 24.0
"""The upper and the lower limit of the area for a card's code, as heights above the card's lower edge, in mm."""
NEEDS_INSET, NEEDS_GAP = 1.6, 1.4
"""How far the squares of the needed cubes are from the edge of their panel, and from each other, in mm."""
STRIP = 6.0
"""The height of the strip that shows the zone, in mm."""

FIRST = f"{PREFIX}FIRST"
METER = Component(f"{PREFIX}METER", "the meter card", "Meter card")
TOKENS = Component(f"{PREFIX}CUBES", "the cubes", "Cubes and markers")
PALE_ALERT = HexColor("#fbe4dc")


class SystemsFailingArt:
    """The drawings of all cards and tokens of Systems Failing, and of its mat. Implements the `Art` protocol."""

    def extras(self) -> tuple[Component, ...]:
        return (METER, TOKENS)

    def size(self, component: Component) -> tuple[float, float]:
        return {FIRST: MARKER_SIZE, METER.id: METER_SIZE, TOKENS.id: SHEET_SIZE}.get(component.id, CARD_SIZE)

    def largest_code(self, component: Component) -> float:
        return (HEAD - STRIP - FOOT - 1) / with_quiet_zone(1.0)

    def face(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        name, cards = component.face, catalog()
        if component == METER:
            draw_meter(canvas, beginner=False)
        elif component == TOKENS:
            draw_token_sheet(canvas, mirrored=False)
        elif component.id == FIRST:
            _draw_first_marker(canvas, code_mm)
        elif name in cards.roles:
            _draw_role(canvas, cards.roles[name], code_mm)
        elif name in cards.disasters:
            _draw_disaster(canvas, cards.disasters[name], code_mm)
        elif name in cards.escapes:
            _draw_escape(canvas, cards.escapes[name], code_mm)
        else:
            _draw_systems_failing_card(canvas, name, code_mm)

    def back(self, canvas: Canvas, component: Component, code_mm: float) -> None:
        name, cards = component.face, catalog()
        if component == METER:
            draw_meter(canvas, beginner=True)
        elif component == TOKENS:
            draw_token_sheet(canvas, mirrored=True)
        elif component.id == FIRST:
            _draw_first_marker_back(canvas)
        elif name in cards.disasters or name in cards.failing_cards:
            canvas.stamp("disaster-back", CARD_SIZE, _draw_disaster_back)
        elif name in cards.escapes:
            canvas.stamp("escape-back", CARD_SIZE, _draw_escape_back)
        else:
            canvas.stamp("role-back", CARD_SIZE, _draw_role_back)

    def mat(self, canvas: Canvas) -> None:
        draw_mat(canvas)


def _draw_heading(canvas: Canvas, name: str, kind: str, title: str, color: Color, width: float) -> None:
    """Draws the band at the top of a card: the card's id, its kind, and its title in one or two lines that fit into
    `width` mm."""
    canvas.box(EDGE, 71, INNER, 14, fill=color, radius=2)
    canvas.text(6, 80.6, name, 3.6, font=BOLD, color=PAPER)
    offset = 6 + (text_width(name, 3.6, BOLD) + 1.4 if name else 0)
    canvas.text(offset, 80.75, kind.upper(), 2.4, color=PAPER, track=0.35)
    rows = [title] if fitting_size(title, 6.2, width) >= 5.4 else wrapped_lines(title, 4.6, width, BOLD)
    size = fitting_size(max(rows, key=len), 6.2 if len(rows) == 1 else 4.6, width)
    baseline = 74.0 if len(rows) == 1 else 76.4
    for row in rows:
        canvas.text(6, baseline, row, size, font=BOLD, color=PAPER)
        baseline -= 4.2


def _draw_code(canvas: Canvas, code: str, code_mm: float, high: float = HEAD) -> Rectangle:
    """Draws the code on the left side of a card, below the height `high`. Returns the area for the panel beside the
    code."""
    side = with_quiet_zone(code_mm)
    canvas.code(code, EDGE + side / 2, (FOOT + high) / 2, code_mm)
    return EDGE + side + 1.5, FOOT + 0.8, INNER - side - 1.5, high - FOOT - 1.6


def _draw_panel(canvas: Canvas, seed: str, x: float, y: float, width: float, height: float) -> None:
    canvas.box(x, y, width, height, fill=SPACE, radius=2)
    with canvas.clip_box(x, y, width, height, 2), canvas.at(x, y):
        emblems.rocks(canvas, seed, width, height)


def _draw_disaster(canvas: Canvas, card: Disaster, code_mm: float) -> None:
    _draw_heading(canvas, card.id, "Disaster", card.name, INK, 33)
    emblems.burst(canvas, 50.8, 77.6, 10.4, PAPER)
    emblems.burst(canvas, 50.8, 77.6, 9.3)
    canvas.text(50.8, 74.1, str(card.damage), 10, font=BOLD, color=PAPER, align="center")
    _draw_zone_strip(canvas, card.zone)
    x, y, width, height = _draw_code(canvas, PREFIX + card.id, code_mm, high=HEAD - STRIP)
    _draw_panel(canvas, card.id, x, y, width, height)
    left = _draw_needs(canvas, card.needs, x, y, width, height)
    length = min(height * 0.82, (x + width - left) * 2.4)
    with canvas.at((left + x + width) / 2, y + (height - length) / 2 + length * 0.04, 90, length / 104):
        emblems.ship(canvas, card.zone)
        emblems.impact(canvas, card.id, card.zone, card.damage)
    _draw_field(canvas)


def _draw_zone_strip(canvas: Canvas, zone: int) -> None:
    """Draws the mat's four columns as arrows that point toward the core. The disaster's own zone is highlighted."""
    pitch, point, low, high = 13.75, 2.0, HEAD - STRIP + 0.7, HEAD - 0.3
    for column, label in enumerate(("CORE", "1", "2", "3")):
        left, right, here = EDGE + column * pitch + 0.5, EDGE + (column + 1) * pitch - 0.5, column == zone
        middle = (low + high) / 2
        arrow = [(left, middle), (left + point, high), (right + point, high)]
        arrow += [(right, middle), (right + point, low), (left + point, low)]
        canvas.shape(arrow, fill=ALERT if here else TINT)
        words, color = (f"ZONE {label}", PAPER) if here else (label, MUTED)
        size = 2.9 if here else 2.3
        canvas.text(
            (left + right + point) / 2,
            middle - size * 0.35,
            words,
            size,
            font=BOLD,
            color=color,
            align="center",
        )


def _draw_needs(canvas: Canvas, needs: tuple[str, ...], x: float, y: float, width: float, height: float) -> float:
    """Draws a column of squares in a panel, one for each cube that the card needs. Returns the left edge of the room
    beside the column, in mm."""
    pitch = min(10.4, (height - 2 * NEEDS_INSET + NEEDS_GAP) / len(needs))
    side, top = pitch - NEEDS_GAP, y + (height + len(needs) * pitch - NEEDS_GAP) / 2
    for number, color in enumerate(needs):
        low = top - number * pitch - side
        canvas.box(x + NEEDS_INSET - 0.4, low - 0.4, side + 0.8, side + 0.8, fill=PAPER, radius=side * 0.15)
        emblems.cube(canvas, color, x + NEEDS_INSET, low, side)
    return x + NEEDS_INSET + side + 0.4


def _draw_field(canvas: Canvas) -> None:
    """Draws the checkered field at the foot of a card, where its cubes belong. The camera recognizes its pattern, so
    nothing is printed on it."""
    light, dark = (HexColor(color) for color in PAVING_COLORS)
    bottom = CARD_SIZE[1] - FIELD_TOP - FIELD_SIZE[1]
    with canvas.full_ink():
        canvas.box(FIELD_LEFT - 0.5, bottom - 0.5, FIELD_SIZE[0] + 1, FIELD_SIZE[1] + 1, fill=dark, radius=1.2)
        for square in light_squares(FIELD_LEFT, FIELD_TOP, FIELD_SIZE):
            canvas.shape([(x, CARD_SIZE[1] - y) for x, y in square], fill=light)
    words = "REPAIR FIELD: CUBES SIDE BY SIDE"
    canvas.text(CARD_SIZE[0] / 2, bottom + FIELD_SIZE[1] + 1.8, words, 2.1, color=MUTED, align="center", track=0.3)


def _draw_escape(canvas: Canvas, card: Escape, code_mm: float) -> None:
    _draw_heading(canvas, card.id, "Escape sequence", "Launch the pods", POD, INNER - 6)
    x, y, width, height = _draw_code(canvas, PREFIX + card.id, code_mm)
    _draw_panel(canvas, card.id, x, y, width, height)
    with canvas.clip_box(x, y, width, height, 2):
        for ring in range(1, 5):
            canvas.circle(x + width / 2, y + 2, ring * 6.5, stroke=POD, line=0.5)
        left = _draw_needs(canvas, card.needs, x, y, width, height)
        emblems.pod(canvas, (left + x + width) / 2, y + height * 0.55, (x + width - left) * 1.4, PAPER, POD, HAZARD)
    _draw_field(canvas)


def _draw_systems_failing_card(canvas: Canvas, name: str, code_mm: float) -> None:
    _draw_heading(canvas, name, "At once", "Systems failing", ALARM, INNER - 6)
    x, y, width, height = _draw_code(canvas, PREFIX + name, code_mm)
    canvas.box(x, y, width, height, fill=HAZARD, radius=2)
    with canvas.clip_box(x, y, width, height, 2):
        for step in range(-6, 10):
            rise = y + step * 8.0
            canvas.shape([(x, rise), (x + width, rise + width), (x + width, rise + width + 4), (x, rise + 4)], fill=INK)
    canvas.circle(x + width / 2, y + height / 2, width * 0.42, fill=PAPER)
    emblems.warning(canvas, x + width / 2, y + height / 2 + 0.8, width * 0.52, ALARM)
    canvas.box(EDGE, EDGE, INNER, 20.4, fill=PALE_ALERT, radius=2)
    steps = (
        "Move stability one step on.",
        "Put one more white cube into the bag.",
        "Discard this and reveal another card.",
    )
    for number, words in enumerate(steps):
        y = 17.6 - number * 5.6
        canvas.circle(7.4, y + 0.2, 2.1, fill=ALARM)
        canvas.text(7.4, y - 0.85, str(number + 1), 3.0, font=BOLD, color=PAPER, align="center")
        canvas.text(10.8, y - 0.95, words, 3.45)


def _draw_role(canvas: Canvas, role: Role, code_mm: float) -> None:
    resource = RESOURCES[role.ignores]
    _draw_heading(canvas, "", "Crew", role.title, INK, INNER - 18)
    x, y, width, height = _draw_code(canvas, role.component, code_mm)
    canvas.box(x, y, width, height, fill=resource.color, stroke=INK, line=0.2, radius=2)
    emblems.draw_emblem(canvas, role.ignores, x + width / 2, y + height * 0.58, width * 0.72)
    size = fitting_size(resource.title.upper(), 3.0, width - 3)
    canvas.text(x + width / 2, y + 4, resource.title.upper(), size, font=BOLD, color=resource.ink, align="center")
    emblems.cube(canvas, role.ignores, 47.5, 73, 10)
    canvas.line((46.2, 71.9), (58.8, 84.1), color=PAPER, line=1.8)
    canvas.line((46.2, 71.9), (58.8, 84.1), color=ALERT, line=1.0)
    canvas.box(EDGE, EDGE, INNER, 20.4, fill=TINT, radius=2)
    words = (
        f"When your repair takes a card out of play at once, "
        f"you may leave out every {role.ignores} cube that it still needs."
    )
    canvas.paragraph(6.5, 18.2, words, 3.75, INNER - 6.5)


def _draw_first_marker(canvas: Canvas, code_mm: float) -> None:
    width, height = MARKER_SIZE
    canvas.box(2, height - 13, width - 4, 11, fill=INK, radius=2)
    emblems.draw_emblem(canvas, "black", 8.2, height - 7.5, 8.5, HAZARD)
    canvas.text(15, height - 9.6, "First player", 6.0, font=BOLD, color=PAPER)
    canvas.code(FIRST, width / 2, (height - 13) / 2, code_mm)


def _draw_first_marker_back(canvas: Canvas) -> None:
    width, height = MARKER_SIZE
    canvas.box(2, 2, width - 4, height - 4, fill=TINT, radius=2)
    canvas.circle(width / 2, height / 2 + 4, 16, fill=INK)
    emblems.draw_emblem(canvas, "black", width / 2, height / 2 + 4, 22, HAZARD)
    canvas.text(width / 2, 6.5, "First player", 5.4, font=BOLD, align="center")


def _draw_back(canvas: Canvas, ground: Color, ray: Color, accent: Color, kind: str) -> None:
    """Draws what all backs have in common: a light ground with rays, and at both ends the game's name and the kind of
    card."""
    width, height = CARD_SIZE
    canvas.box(EDGE, EDGE, width - 2 * EDGE, height - 2 * EDGE, fill=ground, radius=3)
    with canvas.clip_box(EDGE, EDGE, width - 2 * EDGE, height - 2 * EDGE, 3), canvas.at(width / 2, height / 2):
        for turn in range(0, 360, 15):
            with canvas.at(0, 0, turn):
                canvas.shape([(0, 0), (25.5, 1.7), (25.5, -1.7)], fill=ray)
    canvas.box(EDGE + 2, EDGE + 2, width - 2 * EDGE - 4, height - 2 * EDGE - 4, stroke=accent, line=0.45, radius=2)
    for turn in (0, 180):
        with canvas.at(width / 2, height / 2, turn):
            canvas.text(0, 33.4, "SYSTEMS FAILING", 5.0, font=BOLD, color=accent, align="center", track=0.5)
            canvas.text(0, 29.6, kind.upper(), 2.4, color=accent, align="center", track=0.7)
    canvas.circle(width / 2, height / 2, 19.5, fill=ground)
    canvas.circle(width / 2, height / 2, 18, fill=accent)
    canvas.circle(width / 2, height / 2, 16.6, stroke=ground, line=0.35)


def _draw_disaster_back(canvas: Canvas) -> None:
    _draw_back(canvas, TINT, FAINT, INK, "Disaster")
    with canvas.at(CARD_SIZE[0] / 2, CARD_SIZE[1] / 2):
        emblems.burst(canvas, 0, 0, 14.5)
        with canvas.at(-10.4, 0, scale=0.22):
            emblems.ship(canvas, hull=INK, seam=PAPER)


def _draw_escape_back(canvas: Canvas) -> None:
    _draw_back(canvas, PALE_POD, HexColor("#bfe0dd"), POD, "Escape sequence")
    emblems.pod(canvas, CARD_SIZE[0] / 2, CARD_SIZE[1] / 2, 25, PAPER, POD, HAZARD)


def _draw_role_back(canvas: Canvas) -> None:
    _draw_back(canvas, TINT, FAINT, INK, "Crew")
    with canvas.at(CARD_SIZE[0] / 2, CARD_SIZE[1] / 2):
        for index, color in enumerate(RESOURCES):
            if color != "white":
                with canvas.at(0, 0, index * 60), canvas.at(0, 10.3, -index * 60):
                    canvas.circle(0, 0, 4.1, fill=RESOURCES[color].color, stroke=PAPER, line=0.3)
                    emblems.draw_emblem(canvas, color, 0, 0, 5)
        canvas.circle(0, 0, 3.2, fill=PAPER)
        canvas.circle(0, 0, 1.5, fill=INK)
