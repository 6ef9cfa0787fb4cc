"""Draws the picture of a game's end that people share: the result, the figures, all hands and a chart.

Sizes and coordinates are millimeters; the picture has PX_PER_MM pixels per millimeter.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import cos, pi, sin
from pathlib import Path

from reportlab.lib.colors import Color, HexColor

from companion import games
from companion.drawing.canvas import (
    BOLD,
    CAP_HEIGHT,
    FAINT,
    INK,
    MEDIUM,
    MUTED,
    PAPER,
    SEMIBOLD,
    TINT,
    Canvas,
    fitting_size,
    text_width,
    wrapped_lines,
)
from companion.drawing.emblem_files import FILE_SIZE, load_emblem
from companion.games.end_screen import KeyFigure, OpenCard
from companion.text.messages import Day, Number, TextLike, _
from companion.text.player_names import clean_line
from companion.text.translation import NO_BREAK_SPACE
from web.graphics.charts import HEIGHT, MIN_LABEL_DISTANCE, WIDTH, Chart, ChartLine
from web.results.end_screens import EndScreen, PlayerResult
from web.results.summaries import MAX_STARS

PX_PER_MM = 10.0
SIZE = (108.0, 135.0)
"""The width and height of the picture."""
MARGIN = 6.0
INNER = SIZE[0] - 2 * MARGIN
HEAD_HEIGHT = 38.0
FOOT_HEIGHT = 9.0
ROW_HEIGHT = 8.0
"""The maximum height of a player's row."""
CARD_HEIGHT = 5.6
SPACE, ON_SPACE, HAZARD, GOOD = HexColor("#17233f"), HexColor("#f3f6ff"), HexColor("#f5b921"), HexColor("#1a7a43")
"""The colors of a banner, of text on a banner, of stars, and of winners: the same as on pages."""
LINE_LOOKS: tuple[tuple[Color, tuple[float, ...]], ...] = (
    (HexColor("#1d4fb8"), ()),
    (HexColor("#b4172c"), (1.9, 0.8)),
    (HexColor("#1a7a43"), (0.5, 0.8)),
    (HexColor("#8a5d00"), (2.6, 0.8, 0.5, 0.8)),
    (HexColor("#5b2a86"), (1.1, 0.5)),
)
"""The color and the dashes of each line of a chart."""

Translate = Callable[[TextLike], str]
_RENDERING = threading.Lock()
"""Held while a picture is rendered, because PDFium is not thread-safe."""


def end_picture(end: EndScreen, translate: Translate) -> bytes:
    """The picture as a PNG file, in the language of `translate`."""
    # Imported here, because loading these modules takes a second, and few phones ever share a picture.
    import cv2

    from companion.printing.raster import pdf_of, rendered_pages

    picture = _Picture(end, lambda text: clean_line(translate(text).replace(NO_BREAK_SPACE, " ")))
    with _RENDERING:
        (pixels,) = rendered_pages(pdf_of([(picture.draw, SIZE)]), PX_PER_MM)
    return cv2.imencode(".png", pixels)[1].tobytes()


@dataclass(frozen=True)
class _Picture:
    """The picture of a game's end."""

    end: EndScreen
    text: Translate

    def draw(self, canvas: Canvas) -> None:
        canvas.box(0, 0, *SIZE, fill=PAPER)
        self._draw_head(canvas)
        top = SIZE[1] - HEAD_HEIGHT - 4
        top = self._draw_figures(canvas, self.end.figures, top) - 4
        rows = len(self.end.standings)
        row = min(ROW_HEIGHT, (top - FOOT_HEIGHT - 36) / rows)
        for standing in self.end.standings:
            self._draw_standing(canvas, standing, top, row)
            top -= row
        self._draw_charts(canvas, self.end.charts, top - 2)
        canvas.text(SIZE[0] / 2, 3.2, "Tablekeeper", 3.6, color=MUTED, align="center")

    def _draw_head(self, canvas: Canvas) -> None:
        """Draws the title of the game, the date, how the game ended, and the common score with its stars."""
        summary, y = self.end.summary, SIZE[1] - 7.5
        canvas.box(0, SIZE[1] - HEAD_HEIGHT, SIZE[0], HEAD_HEIGHT, fill=SPACE)
        canvas.text(MARGIN, y, self.text(summary.title), 5, font=BOLD, color=HAZARD)
        date = self.text(Day(summary.began.date()))
        about = f"{self.text(_('What if'))} · {date}" if summary.what_if else date
        canvas.text(SIZE[0] - MARGIN, y, about, 4, color=ON_SPACE, align="right")
        score = summary.score
        room = HEAD_HEIGHT - 14 - (9 if score and score.stars is not None else 0)
        self._draw_headline(canvas, y - 3, room)
        if score and score.stars is not None:
            for n in range(MAX_STARS):
                _draw_star(canvas, MARGIN + 3.6 + 8.4 * n, SIZE[1] - HEAD_HEIGHT + 6.2, lit=n < score.stars)
            text = f"{self.text(Number(score.points))}/{score.highest}"
            canvas.text(SIZE[0] - MARGIN, SIZE[1] - HEAD_HEIGHT + 4, text, 9, font=BOLD, color=ON_SPACE, align="right")

    def _draw_headline(self, canvas: Canvas, top: float, room: float) -> None:
        """Draws how the game ended, as large as the room allows."""
        text = self.text(self.end.headline)
        fits = (size for size in (9.0, 7.5, 6.2, 5.2) if len(wrapped_lines(text, size, INNER, BOLD)) * size <= room)
        size = next(fits, 4.4)
        canvas.paragraph(MARGIN, top - size, text, size, INNER, font=BOLD, color=ON_SPACE, leading=1.05)

    def _draw_figures(self, canvas: Canvas, figures: Sequence[KeyFigure], top: float) -> float:
        """Draws the figures side by side; returns the y coordinate of their bottom edge."""
        gap, height = 2.0, 15.0
        width = (INNER - gap * (len(figures) - 1)) / len(figures)
        for n, figure in enumerate(figures):
            left = MARGIN + n * (width + gap)
            value, label = self.text(figure.value), self.text(figure.label)
            middle = left + width / 2
            canvas.box(left, top - height, width, height, fill=TINT, radius=2)
            size = fitting_size(value, 7, width - 2, BOLD)
            canvas.text(middle, top - 7, value, size, font=BOLD, align="center")
            size = fitting_size(label, 3.6, width - 2, MEDIUM)
            canvas.text(middle, top - 12, label, size, font=MEDIUM, color=MUTED, align="center")
        return top - height

    def _draw_standing(self, canvas: Canvas, standing: PlayerResult, top: float, row: float) -> None:
        """Draws a player's name, hand and score."""
        right, base = SIZE[0] - MARGIN, top - row / 2 - 4.6 * CAP_HEIGHT / 2
        color = GOOD if standing.is_winner else INK
        canvas.line((MARGIN, top - row), (right, top - row), color=FAINT, line=0.2)
        if standing.score is not None:
            canvas.text(right, base, self.text(standing.score), 5.4, font=BOLD, color=color, align="right")
            right -= 13
        scale = min(1.0, (row - 0.8) / CARD_HEIGHT)
        cards = sum(_card_width(card) + 1 for card in standing.cards) * scale
        canvas_left = right - cards
        for card in standing.cards:
            with canvas.at(canvas_left, top - row / 2 - CARD_HEIGHT * scale / 2, scale=scale):
                self._draw_card(canvas, card)
            canvas_left += (_card_width(card) + 1) * scale
        name = self.text(standing.name)
        size = fitting_size(name, 4.6, right - cards - MARGIN - 8, SEMIBOLD)
        left = MARGIN
        if standing.is_winner:
            _draw_star(canvas, MARGIN + 2, top - row / 2, lit=True, radius=2)
            left += 5.5
        canvas.text(left, base, name, size, font=BOLD if standing.is_winner else SEMIBOLD, color=color)

    def _draw_card(self, canvas: Canvas, card: OpenCard) -> None:
        width = _card_width(card)
        canvas.box(0, 0, width, CARD_HEIGHT, fill=card.fill, stroke=FAINT, line=0.15, radius=1)
        across = width / 2
        if card.text:
            across, base = 1 + text_width(card.text, 4.2, BOLD) / 2, CARD_HEIGHT / 2 - 4.2 * CAP_HEIGHT / 2
            canvas.text(across, base, card.text, 4.2, font=BOLD, color=card.ink, align="center")
        if card.emblem:
            path = _emblem_folder(self.end.summary.name) / f"{card.emblem}.svg"
            with canvas.at(width - 2.6 if card.text else across, CARD_HEIGHT / 2, scale=3.4 / FILE_SIZE):
                load_emblem(path).draw(canvas, card.ink, card.fill)

    def _draw_charts(self, canvas: Canvas, charts: Sequence[Chart], top: float) -> None:
        """Draws the charts one below the other, in the space between `top` and the foot of the picture."""
        if not charts:
            return
        height = (top - FOOT_HEIGHT) / len(charts)
        for chart in charts:
            canvas.text(MARGIN, top - 4, self.text(chart.title), 4, font=BOLD)
            with canvas.at(MARGIN, top - height):
                _draw_chart(canvas, chart, INNER, height - 6, self.text)
            top -= height


def _draw_chart(canvas: Canvas, chart: Chart, width: float, height: float, text: Callable[[TextLike], str]) -> None:
    across, up = width / WIDTH, height / HEIGHT

    def at(x: float, y: float) -> tuple[float, float]:
        return x * across, (HEIGHT - y) * up

    for y, value in chart.grid:
        start = at(chart.left, y)
        canvas.line(start, at(chart.right, y), color=MUTED if value == 0 else FAINT, line=0.2)
        canvas.text(start[0] - 1.5, start[1] - 1, f"{value}".replace("-", "−"), 3, color=MUTED, align="right")
    for line in chart.lines:
        _draw_line(canvas, line, [at(*point) for point in line.points])
        size = min(3.2, MIN_LABEL_DISTANCE * up) if len(chart.lines) > 1 else 3.2
        label = f"{clean_line(text(line.label))} {line.last}".strip().replace("-", "−")
        end = at(chart.right, line.end)
        canvas.text(end[0] + 1.5, end[1] - size * CAP_HEIGHT / 2, label, size, font=BOLD)


def _draw_line(canvas: Canvas, line: ChartLine, points: list[tuple[float, float]]) -> None:
    color, dash = LINE_LOOKS[line.number % len(LINE_LOOKS)]
    canvas.shape(points, stroke=color, line=0.7, dash=dash, closed=False)


def _draw_star(canvas: Canvas, x: float, y: float, *, lit: bool, radius: float = 3.6) -> None:
    radii = (radius, radius * 0.42) * 5
    points = [(x + r * sin(n * pi / 5), y + r * cos(n * pi / 5)) for n, r in enumerate(radii)]
    canvas.shape(points, fill=HAZARD if lit else HexColor("#3a4660"))


def _card_width(card: OpenCard) -> float:
    if not card.text:
        return CARD_HEIGHT
    return 2 + text_width(card.text, 4.2, BOLD) + (4.2 if card.emblem else 0)


def _emblem_folder(game: str) -> Path:
    return Path(games.__file__).parent / game.replace("-", "_") / "svg"
