"""The drawings on the cards of System WON. Each shows the part of a traffic system that the card represents.

Ranks 1 to 3 represent the same parts in every suit: a sensor sees the cars, a device in a cabinet passes the data on,
and a screen shows the data. Ranks 4 and 5 show the purpose of each suit: red is for safety, yellow for shorter queues,
green for flow, and blue for information. Coordinates are in mm from the center of a window of 33 x 31 mm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reportlab.lib.colors import Color

from companion.drawing.canvas import BOLD, FAINT, INK, PAPER, Canvas
from companion.games.system_won.emblems import ASPHALT, SUITS, arc

DrawFunction = Callable[[Canvas, Color], None]


@dataclass(frozen=True)
class SystemPart:
    """A part of a traffic system: its title, and a function that draws it in a color."""

    title: str
    draw: DrawFunction


def system_part(color: str, rank: int) -> SystemPart:
    """The part of a traffic system that the card of a color and a rank represents."""
    return FOUNDATION[rank] if rank in FOUNDATION else FEATURES[color, rank]


def draw_system_part(canvas: Canvas, color: str, rank: int, width: float, height: float) -> None:
    """Draws the part of a traffic system that a card represents. The picture is `width` x `height` mm and is centered
    on the origin."""
    suit = SUITS[color]
    with canvas.clip_box(-width / 2, -height / 2, width, height, 2):
        canvas.box(-width / 2, -height / 2, width, height, fill=suit.pale)
        system_part(color, rank).draw(canvas, suit.color)


def _draw_road(canvas: Canvas, y: float, width: float = 9) -> None:
    """Draws a road across the window, with its center line at `y`."""
    canvas.box(-30, y - width / 2, 60, width, fill=ASPHALT)
    for step in range(-3, 4):
        canvas.box(step * 7 - 2, y - 0.4, 4, 0.8, fill=PAPER)


def _draw_car(canvas: Canvas, x: float, y: float, color: Color, size: float = 8) -> None:
    """Draws a car from the side, `size` mm long and facing right. Its wheels touch the ground at `y`."""
    with canvas.at(x, y, scale=size):
        canvas.shape([(-0.28, 0.3), (-0.16, 0.54), (0.16, 0.54), (0.3, 0.3)], fill=INK, stroke=INK, line=0.06)
        canvas.shape([(-0.2, 0.32), (-0.12, 0.48), (0.0, 0.48), (0.0, 0.32)], fill=PAPER)
        canvas.shape([(0.05, 0.32), (0.05, 0.48), (0.13, 0.48), (0.22, 0.32)], fill=PAPER)
        canvas.box(-0.5, 0.1, 1.0, 0.24, fill=color, stroke=INK, line=0.05, radius=0.1)
        for wheel in (-0.27, 0.27):
            canvas.circle(wheel, 0.1, 0.11, fill=INK)
            canvas.circle(wheel, 0.1, 0.045, fill=PAPER)


def _draw_traffic_lights(canvas: Canvas, x: float, y: float, lit: int, color: Color, high: float = 11) -> None:
    """Draws traffic lights on a pole that stands at (x, y); `lit` is the index of the lit lamp, from the top."""
    canvas.line((x, y), (x, y + high), color=INK, line=0.9)
    canvas.box(x - 2.1, y + high - 5, 4.2, 10.6, fill=INK, radius=1.2)
    for lamp in range(3):
        canvas.circle(x, y + high + 3.6 - lamp * 3.3, 1.3, fill=color if lamp == lit else ASPHALT)


def _draw_radar(canvas: Canvas, color: Color) -> None:
    _draw_road(canvas, -10.5)
    canvas.line((10, -6), (10, 10), color=INK, line=1.3)
    canvas.line((10, 9), (5, 11), color=INK, line=1.1)
    for radius in (6, 10, 14):
        canvas.shape(arc(radius, 195, 255, 4, 10.5), stroke=color, line=1.3, closed=False)
    with canvas.at(4, 10.5, -45):
        canvas.box(-3.4, -1.6, 6.8, 4.4, fill=color, stroke=INK, line=0.6, radius=0.8)
    _draw_car(canvas, -7, -11.5, color, 11)


def _draw_cabinet(canvas: Canvas, color: Color) -> None:
    canvas.box(-30, -20, 60, 8.5, fill=ASPHALT)
    canvas.box(-9, -12.5, 15, 25, fill=INK, radius=0.8)
    canvas.box(-10, 12, 17, 2, fill=INK, radius=0.8)
    canvas.box(-7.6, -11, 12.2, 22, fill=PAPER)
    canvas.shape([(6, -12), (13, -14), (13, 10.5), (6, 12.3)], fill=color, stroke=INK, line=0.6)
    for number in range(4):
        y = 6.2 - number * 5.2
        canvas.box(-6.8, y, 10.6, 3.8, fill=color if number == 1 else FAINT, radius=0.5)
        for lamp in range(3):
            canvas.circle(-5.2 + lamp * 1.7, y + 1.9, 0.55, fill=PAPER if number == 1 else INK)
        canvas.line((0.6, y + 1.9), (2.6, y + 1.9), color=PAPER if number == 1 else INK, line=0.6)


def _draw_screen(canvas: Canvas, color: Color) -> None:
    canvas.box(-14.5, -8.5, 29, 21, fill=INK, radius=1.4)
    canvas.box(-13, -7, 26, 18, fill=PAPER)
    canvas.shape([(-3, -8.5), (3, -8.5), (4, -13), (-4, -13)], fill=INK)
    canvas.box(-7.5, -14, 15, 1.6, fill=INK, radius=0.6)
    for start, end in (((-13, 6), (3, 6)), ((-8, -7), (-8, 11)), ((-13, -3), (3, 2)), ((-2, -7), (-2, 11))):
        canvas.line(start, end, color=FAINT, line=1.3)
    canvas.shape([(-8, -6), (-8, -1.3), (-2, 0.4), (-2, 6), (2.6, 6)], stroke=color, line=1.4, closed=False)
    canvas.circle(-8, -5.4, 1.3, fill=INK)
    for number, high in enumerate((4, 7, 5.5, 10)):
        canvas.box(5 + number * 1.9, -5.6, 1.4, high, fill=color)
    canvas.box(5, 7.2, 7.1, 1.8, fill=INK, radius=0.4)


def _draw_wrong_way_alert(canvas: Canvas, color: Color) -> None:
    _draw_road(canvas, -10.5)
    with canvas.at(0, 4.2):
        canvas.circle(0, 0, 9.6, fill=PAPER)
        canvas.circle(0, 0, 9, fill=color)
        canvas.box(-6, -1.7, 12, 3.4, fill=PAPER, radius=0.4)
    _draw_car(canvas, 6.5, -12.5, PAPER, 10)
    canvas.shape([(-4, -10), (-9, -10), (-9, -8.4), (-12.5, -11), (-9, -13.6), (-9, -12), (-4, -12)], fill=color)


def _draw_crossing(canvas: Canvas, color: Color) -> None:
    canvas.box(-30, -20, 60, 14, fill=ASPHALT)
    for step in range(-3, 4):
        canvas.shape(
            [(step * 5 - 1.4, -7.2), (step * 5 + 1.4, -7.2), (step * 5.9 + 1.7, -14.6), (step * 5.9 - 1.7, -14.6)],
            fill=PAPER,
        )
    canvas.circle(-1.2, 10.6, 2.5, fill=INK)
    canvas.shape([(-1.4, 6.8), (-2.2, -0.6)], stroke=INK, line=3.6, closed=False)
    canvas.shape([(-2, 0), (1.4, -3.6), (2.6, -9.2)], stroke=INK, line=2, closed=False)
    canvas.shape([(-2.4, 0), (-3.6, -4.4), (-6.4, -8.6)], stroke=INK, line=2, closed=False)
    canvas.shape([(-1.4, 6.4), (2.4, 3.4), (5, 4)], stroke=INK, line=1.6, closed=False)
    canvas.shape([(-1.6, 6.4), (-5, 3.6), (-5.4, 0.6)], stroke=INK, line=1.6, closed=False)
    _draw_traffic_lights(canvas, 11.5, -6, 0, color, 10)


def _draw_queue_warning(canvas: Canvas, color: Color) -> None:
    _draw_road(canvas, -10.5)
    for number in range(3):
        _draw_car(canvas, -11 + number * 11, -12.4, color if number == 2 else PAPER, 9.6)
    triangle = [(0, 13.2), (10.2, -4), (-10.2, -4)]
    canvas.shape(triangle, fill=INK, stroke=INK, line=2)
    canvas.shape([(0, 10.6), (8, -2.8), (-8, -2.8)], fill=color, stroke=color, line=0.6)
    canvas.shape([(-1.2, 7), (1.2, 7), (0.8, 1.6), (-0.8, 1.6)], fill=INK)
    canvas.circle(0, -0.6, 1.2, fill=INK)


def _draw_merging(canvas: Canvas, color: Color) -> None:
    canvas.box(-7.5, -20, 12, 40, fill=ASPHALT)
    canvas.shape([(4, 9), (4, -2), (12, -20), (22, -20), (6, 9)], fill=ASPHALT)
    for step in range(-2, 3):
        canvas.box(-2, step * 7 - 2, 0.9, 4, fill=PAPER)
    for x, y, turn in ((-4.7, -8, 0), (-4.7, 6, 0), (1.4, 11, 0), (9.6, -7, 24)):
        with canvas.at(x, y, turn):
            canvas.box(-1.7, -3, 3.4, 6, fill=color if turn else PAPER, stroke=INK, line=0.5, radius=1)
            canvas.box(-1.1, 0.2, 2.2, 1.4, fill=INK, radius=0.3)
    _draw_traffic_lights(canvas, 12.6, -3, 2, color, 7)


def _draw_green_wave(canvas: Canvas, color: Color) -> None:
    _draw_road(canvas, -10.5)
    for number in range(3):
        _draw_traffic_lights(canvas, -11 + number * 10.5, -6, 2, color, 8 + number * 2.2)
    _draw_car(canvas, -2, -12.4, color, 10)
    for back in (9, 11, 13):
        canvas.line((-back, -9.4 + (back % 4)), (-back - 3, -9.4 + (back % 4)), color=PAPER, line=0.7)


def _draw_cleaner_air(canvas: Canvas, color: Color) -> None:
    _draw_road(canvas, -12)
    canvas.line((-5, -7.5), (-5, 4), color=INK, line=1.8)
    for x, y, radius in ((-5.0, 6.5, 6.0), (-9.0, 2.5, 4.6), (-1.0, 2.5, 4.6)):
        canvas.circle(x, y, radius, fill=color)
    canvas.shape([(-5, -3), (-8, 0.6)], stroke=INK, line=1, closed=False)
    canvas.shape([(-5, -1), (-2.4, 2)], stroke=INK, line=1, closed=False)
    for x, y, radius in ((7.0, 9.2, 2.4), (10.0, 10.4, 3.0), (12.8, 9.2, 2.2)):
        canvas.circle(x, y, radius, fill=PAPER)
    canvas.box(5, 6.8, 10, 2.6, fill=PAPER, radius=1.3)
    _draw_car(canvas, 8, -13.6, PAPER, 11)


def _draw_travel_times(canvas: Canvas, color: Color) -> None:
    canvas.line((-9, -16), (-9, 4), color=INK, line=1.6)
    canvas.line((9, -16), (9, 4), color=INK, line=1.6)
    canvas.box(-14.5, -5, 29, 17, fill=color, stroke=INK, line=0.8, radius=1.5)
    canvas.circle(-7.4, 3.5, 5, fill=PAPER)
    canvas.shape([(-7.4, 7), (-7.4, 3.5), (-5, 2)], stroke=INK, line=1, closed=False)
    canvas.text(6, 1.7, "12", 9.5, font=BOLD, color=PAPER, align="center")
    canvas.text(6, -2.8, "MIN", 4.2, font=BOLD, color=PAPER, align="center", track=0.3)
    _draw_road(canvas, -13.5, 6)


def _draw_forecast(canvas: Canvas, color: Color) -> None:
    canvas.shape([(-13, 12), (-13, -11.5), (13.5, -11.5)], stroke=INK, line=1.2, closed=False)
    for number, high in enumerate((6, 10, 15)):
        canvas.box(-11 + number * 5, -10.8, 3.6, high, fill=color)
    for number, high in enumerate((19, 12)):
        canvas.box(4.2 + number * 5, -10.6, 3.2, high, fill=PAPER, stroke=color, line=0.6, dash=(1.2, 0.8))
    line = [(-9.2, -1.6), (-4.2, 2.4), (0.8, 7.2)]
    canvas.shape(line, stroke=INK, line=1.1, closed=False)
    canvas.shape([(0.8, 7.2), (5.8, 11), (10.8, 4.4)], stroke=INK, line=1.1, dash=(1.6, 1.2), closed=False)
    for x, y in line:
        canvas.circle(x, y, 1.2, fill=INK)


FOUNDATION: Mapping[int, SystemPart] = {
    1: SystemPart("Roadside radar", _draw_radar),
    2: SystemPart("Roadside cabinet", _draw_cabinet),
    3: SystemPart("Map on a screen", _draw_screen),
}
FEATURES: Mapping[tuple[str, int], SystemPart] = {
    ("red", 4): SystemPart("Wrong-way alert", _draw_wrong_way_alert),
    ("red", 5): SystemPart("Safe crossings", _draw_crossing),
    ("yellow", 4): SystemPart("Queue warning", _draw_queue_warning),
    ("yellow", 5): SystemPart("Smooth merging", _draw_merging),
    ("green", 4): SystemPart("Green wave", _draw_green_wave),
    ("green", 5): SystemPart("Cleaner air", _draw_cleaner_air),
    ("blue", 4): SystemPart("Travel times", _draw_travel_times),
    ("blue", 5): SystemPart("Forecast", _draw_forecast),
}
