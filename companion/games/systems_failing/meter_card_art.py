"""Draws the meter card of Systems Failing. The regions of the meters come from the catalog."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, PAPER, TINT, Canvas
from companion.games.systems_failing import emblems
from companion.games.systems_failing.catalog import Catalog, catalog
from companion.games.systems_failing.emblems import ALARM

METER_SIZE = (126.0, 88.0)

EDGE, TRACK = 3.0, 105.0
"""The unprinted margin of the meter card, and the length of a meter's track up to its explosion, in mm."""
LEFT = EDGE + 1.5
CELL = 12.0
"""The height of a track's cells, in mm."""
STABILITY_Y, BAND_Y, DAMAGE_Y = 55.0, 32.0, 16.0
BAND = 20.0

REGION_INKS = (HexColor("#1f8f4d"), HexColor("#d99a06"), HexColor("#cf2338"))
REGION_WORDS = (PAPER, INK, PAPER)
REGION_TINTS = (HexColor("#d6eedd"), HexColor("#fdf0c4"), HexColor("#fad9d8"))


def draw_meter(canvas: Canvas, *, beginner: bool) -> None:
    """Draws one side of the meter card: the beginner's side if `beginner` is True, otherwise the normal side."""
    cards = catalog()
    _draw_title(canvas, beginner=beginner)
    stability = [region.stability_from for region in cards.regions]
    damage = [region.damage_from for region in cards.regions]
    _draw_track(canvas, "STABILITY", STABILITY_Y, [*stability, cards.stability_limit], REGION_TINTS)
    plain = (TINT,) * len(REGION_TINTS)
    _draw_track(canvas, "DAMAGE", DAMAGE_Y, [*damage, cards.damage_limit], plain if beginner else REGION_TINTS)
    _draw_difficulties(canvas, cards)
    _draw_bands(canvas, cards, beginner=beginner)
    for y in (STABILITY_Y, DAMAGE_Y):
        emblems.burst(canvas, LEFT + TRACK + 6.4, y + CELL / 2, 7.2)
        emblems.warning(canvas, LEFT + TRACK + 6.4, y + CELL / 2 + 0.5, 5.4, ALARM)
    words = "A marker on a burst: the ship is lost. The small figures at stability: white cubes in play."
    canvas.text(METER_SIZE[0] / 2, 5.2, words, 2.75, color=MUTED, align="center")


def _draw_title(canvas: Canvas, *, beginner: bool) -> None:
    side, rule = (
        ("Beginners", "Stability alone tells how many disasters appear.")
        if beginner
        else ("Normal", "The worse of both meters tells how many disasters appear.")
    )
    width, height = METER_SIZE
    canvas.box(EDGE, height - 14, width - 2 * EDGE, 11, fill=INK, radius=2)
    canvas.text(LEFT + 2, height - 10.3, "Meters", 6.0, font=BOLD, color=PAPER)
    canvas.text(LEFT + 21, height - 10.1, side.upper(), 3.4, color=emblems.HAZARD, track=0.5)
    canvas.text(width - LEFT - 1, height - 10.0, rule, 3.4, color=PAPER, align="right")


def _region_spans(starts: list[int]) -> Iterator[tuple[int, int, float, float]]:
    """Yields four values for each region of a track: its first position, the position after its last one, and its left
    edge and width in mm. `starts` are the first positions of all regions, followed by the position of the explosion.

    A region has the same width on both tracks. The width is proportional to the number of positions that the region has
    on the damage track, which is the longer one.
    """
    cards = catalog()
    damage = [*(region.damage_from for region in cards.regions), cards.damage_limit]
    unit = TRACK / damage[-1]
    for (first, after), (left, right) in zip(pairwise(starts), pairwise(damage), strict=True):
        yield first, after, LEFT + left * unit, (right - left) * unit


def _draw_track(canvas: Canvas, label: str, y: float, starts: list[int], tints: tuple[Color, ...]) -> None:
    baseline = y + CELL + 1.6 if label == "STABILITY" else y - 3.8
    canvas.text(LEFT + TRACK, baseline, label, 3.2, font=BOLD, align="right", track=0.4)
    for index, (first, after, left, width) in enumerate(_region_spans(starts)):
        cell = width / (after - first)
        for position in range(first, after):
            x = left + (position - first) * cell
            tint = tints[min(index, len(tints) - 1)]
            canvas.box(x + 0.4, y, cell - 0.8, CELL, fill=tint, stroke=FAINT, line=0.25, radius=1.2)
            canvas.text(x + cell / 2, y + 3.9, str(position), 6.2, font=BOLD, align="center")


def _draw_difficulties(canvas: Canvas, cards: Catalog) -> None:
    """Draws the name of each difficulty above its initial position, and the number of white cubes in play at each
    position."""
    starts = [*(region.stability_from for region in cards.regions), cards.stability_limit]
    names = {difficulty.stability: difficulty.id for difficulty in cards.difficulties.values()}
    for first, after, left, width in _region_spans(starts):
        cell = width / (after - first)
        for position in range(first, after):
            x = left + (position - first + 1) * cell
            canvas.box(x - 3.6, STABILITY_Y + 9.2, 2.0, 2.0, fill=PAPER, stroke=INK, line=0.2, radius=0.3)
            whites = str(position + cards.whites_at_zero)
            canvas.text(x - 4.1, STABILITY_Y + 9.3, whites, 2.5, color=MUTED, align="right")
            if position in names:
                words = f"{names[position].upper()} STARTS"
                canvas.text(x - cell / 2, STABILITY_Y + CELL + 1.4, words, 2.2, color=MUTED, align="center")


def _draw_bands(canvas: Canvas, cards: Catalog, *, beginner: bool) -> None:
    """Draws a band for each region between the two tracks, with the number of new disasters in this region. On the
    beginner's side, the bands don't reach down to the damage track, which does not count there."""
    starts = [*(region.stability_from for region in cards.regions), cards.stability_limit]
    inks = zip(REGION_INKS, REGION_WORDS, strict=True)
    for region, (ink, words), (_, _, left, width) in zip(cards.regions, inks, _region_spans(starts), strict=False):
        low, high = BAND_Y if beginner else DAMAGE_Y + CELL + 1, STABILITY_Y - 1
        canvas.box(left + 0.4, low, width - 0.8, high - low, fill=ink, radius=2)
        middle = (low + high) / 2
        canvas.text(left + width / 2 - 1.5, middle - 5, str(region.draws), 14, font=BOLD, color=words, align="right")
        canvas.text(left + width / 2 + 0.5, middle + 0.6, "new", 3.8, color=words)
        canvas.text(left + width / 2 + 0.5, middle - 3.6, "disasters", 3.8, color=words)
