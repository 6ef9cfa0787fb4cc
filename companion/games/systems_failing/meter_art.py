"""How the meter card and the cubes of Systems Failing look; regions and counts come from the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, PAPER, TINT, Pen
from companion.games.systems_failing import emblems
from companion.games.systems_failing.catalog import Catalog, catalog
from companion.games.systems_failing.cubes import COLORS
from companion.games.systems_failing.emblems import ALARM

METER_SIZE = (126.0, 88.0)
TOKENS_SIZE = (70.0, 60.0)

EDGE, TRACK = 3.0, 105.0
"""Paper around the meter card's face, and the length of a track up to its explosion, mm."""
LEFT = EDGE + 1.5
CELL = 12.0
"""Height of a track's cell, mm."""
STABILITY_Y, BAND_Y, DAMAGE_Y = 55.0, 32.0, 16.0
BAND = 20.0

REGION_INKS = (HexColor("#1f8f4d"), HexColor("#d99a06"), HexColor("#cf2338"))
REGION_WORDS = (PAPER, INK, PAPER)
REGION_TINTS = (HexColor("#d6eedd"), HexColor("#fdf0c4"), HexColor("#fad9d8"))

TOKEN = 10.0
"""Side of a cube's token, mm."""


def draw_meter(pen: Pen, *, beginner: bool) -> None:
    """One side of the meter card."""
    cards = catalog()
    _title(pen, beginner=beginner)
    stability = [region.stability_from for region in cards.regions]
    damage = [region.damage_from for region in cards.regions]
    _track(pen, "STABILITY", STABILITY_Y, [*stability, cards.stability_explodes_at], REGION_TINTS)
    plain = (TINT,) * len(REGION_TINTS)
    _track(pen, "DAMAGE", DAMAGE_Y, [*damage, cards.damage_explodes_at], plain if beginner else REGION_TINTS)
    _difficulties(pen, cards)
    _bands(pen, cards, beginner=beginner)
    for y in (STABILITY_Y, DAMAGE_Y):
        emblems.burst(pen, LEFT + TRACK + 6.4, y + CELL / 2, 7.2)
        emblems.warning(pen, LEFT + TRACK + 6.4, y + CELL / 2 + 0.5, 5.4, ALARM)
    words = "A marker on a burst: the ship is lost. The small figures at stability: white cubes in play."
    pen.text(METER_SIZE[0] / 2, 5.2, words, 2.75, color=MUTED, align="center")


def _title(pen: Pen, *, beginner: bool) -> None:
    side, rule = (
        ("Beginners", "Stability alone tells how many disasters appear.")
        if beginner
        else ("Normal", "The worse of both meters tells how many disasters appear.")
    )
    width, height = METER_SIZE
    pen.box(EDGE, height - 14, width - 2 * EDGE, 11, fill=INK, radius=2)
    pen.text(LEFT + 2, height - 10.3, "Meters", 6.0, font=BOLD, color=PAPER)
    pen.text(LEFT + 21, height - 10.1, side.upper(), 3.4, color=emblems.HAZARD, track=0.5)
    pen.text(width - LEFT - 1, height - 10.0, rule, 3.4, color=PAPER, align="right")


def _spans(starts: list[int]) -> Iterator[tuple[int, int, float, float]]:
    """Each region's first position, the one after its last, and its left edge and width in mm.

    Regions are as wide on both tracks; the longer track, damage, tells how wide.
    """
    cards = catalog()
    damage = [*(region.damage_from for region in cards.regions), cards.damage_explodes_at]
    unit = TRACK / damage[-1]
    for (first, after), (left, right) in zip(pairwise(starts), pairwise(damage), strict=True):
        yield first, after, LEFT + left * unit, (right - left) * unit


def _track(pen: Pen, label: str, y: float, starts: list[int], tints: tuple[Color, ...]) -> None:
    baseline = y + CELL + 1.6 if label == "STABILITY" else y - 3.8
    pen.text(LEFT + TRACK, baseline, label, 3.2, font=BOLD, align="right", track=0.4)
    for index, (first, after, left, width) in enumerate(_spans(starts)):
        cell = width / (after - first)
        for position in range(first, after):
            x = left + (position - first) * cell
            tint = tints[min(index, len(tints) - 1)]
            pen.box(x + 0.4, y, cell - 0.8, CELL, fill=tint, stroke=FAINT, line=0.25, radius=1.2)
            pen.text(x + cell / 2, y + 3.9, str(position), 6.2, font=BOLD, align="center")


def _difficulties(pen: Pen, cards: Catalog) -> None:
    """The start of each difficulty over its cell, and the white cubes in play in each."""
    starts = [*(region.stability_from for region in cards.regions), cards.stability_explodes_at]
    names = {difficulty.stability: difficulty.id for difficulty in cards.difficulties.values()}
    for first, after, left, width in _spans(starts):
        cell = width / (after - first)
        for position in range(first, after):
            x = left + (position - first + 1) * cell
            pen.box(x - 3.6, STABILITY_Y + 9.2, 2.0, 2.0, fill=PAPER, stroke=INK, line=0.2, radius=0.3)
            whites = str(position + cards.whites_at_zero)
            pen.text(x - 4.1, STABILITY_Y + 9.3, whites, 2.5, color=MUTED, align="right")
            if position in names:
                words = f"{names[position].upper()} STARTS"
                pen.text(x - cell / 2, STABILITY_Y + CELL + 1.4, words, 2.2, color=MUTED, align="center")


def _bands(pen: Pen, cards: Catalog, *, beginner: bool) -> None:
    """Each region's number of disasters, between the tracks that count for it."""
    starts = [*(region.stability_from for region in cards.regions), cards.stability_explodes_at]
    inks = zip(REGION_INKS, REGION_WORDS, strict=True)
    for region, (ink, words), (_, _, left, width) in zip(cards.regions, inks, _spans(starts), strict=False):
        low, high = BAND_Y if beginner else DAMAGE_Y + CELL + 1, STABILITY_Y - 1
        pen.box(left + 0.4, low, width - 0.8, high - low, fill=ink, radius=2)
        middle = (low + high) / 2
        pen.text(left + width / 2 - 1.5, middle - 5, str(region.draws), 14, font=BOLD, color=words, align="right")
        pen.text(left + width / 2 + 0.5, middle + 0.6, "new", 3.8, color=words)
        pen.text(left + width / 2 + 0.5, middle - 3.6, "disasters", 3.8, color=words)


def draw_tokens(pen: Pen, *, mirrored: bool) -> None:
    """Flat cubes for who has none: a row a colour, whites and two markers beside; the back mirrors them."""
    cards = catalog()
    width, height = TOKENS_SIZE
    columns = int(width // TOKEN)
    beside = ["white"] * cards.white + ["stability", "damage"]
    for row, color in enumerate(COLORS):
        spare = columns - cards.of_each_color
        kinds = [color] * cards.of_each_color + beside[row * spare : (row + 1) * spare]
        for column, kind in enumerate(kinds):
            x = (columns - 1 - column if mirrored else column) * TOKEN
            _token(pen, kind, x + (width - columns * TOKEN) / 2, height - (row + 1) * TOKEN)


def _token(pen: Pen, kind: str, x: float, y: float) -> None:
    pen.box(x, y, TOKEN, TOKEN, stroke=FAINT, line=0.15, dash=(0.8, 0.8))
    if kind in (*COLORS, "white"):
        emblems.cube(pen, kind, x + 0.6, y + 0.6, TOKEN - 1.2)
        return
    pen.circle(x + TOKEN / 2, y + TOKEN / 2, 4.2, fill=INK)
    pen.text(x + TOKEN / 2, y + 3.5, kind[0].upper(), 4.6, font=BOLD, color=PAPER, align="center")
