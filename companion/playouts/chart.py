"""Draws the results of simulated games as an SVG picture: a bar for each figure, with its confidence interval as a
whisker. Several line-ups of policies are drawn one below the other.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from companion.playouts.results import LineupResults
from companion.playouts.statistics import shares, wilson_interval

WIDTH, LABEL_WIDTH, VALUE_WIDTH = 720, 230, 120
ROW, GAP, TOP, BOTTOM = 24, 14, 64, 16
"""The height of a bar's row, the space above each figure, and the top and bottom margins, in pixels."""
COLORS = ("#2f6f9f", "#b35900", "#4f7d3a", "#7a4f9a", "#8a3b3b", "#5a5a5a")
"""The colors of the line-ups. They are not the only distinction: each bar also has its line-up's name."""


class Bar(NamedTuple):
    """A bar. `low` and `high`: the ends of its confidence interval; both are `value` if it has no interval."""

    lineup: int
    value: float
    low: float
    high: float
    text: str


class Figure(NamedTuple):
    """A figure, such as a rate or a mean, with a bar for each line-up. `least` and `most`: the values at the left and
    at the right end of its scale. Bars begin at zero, which lies between them."""

    name: str
    bars: tuple[Bar, ...]
    least: float
    most: float

    def x(self, value: float) -> float:
        """Where a value is on the scale, in pixels from the left edge of the chart."""
        width = WIDTH - LABEL_WIDTH - VALUE_WIDTH
        return LABEL_WIDTH + (value - self.least) / (self.most - self.least) * width


def chart(title: str, subtitle: str, lineups: Sequence[LineupResults]) -> str:
    """A chart of the results of simulated games, as the text of an SVG file. `lineups`: the results to draw, one for
    each line-up."""
    figures = [*_figures(lineups)]
    names = [each.policy for each in lineups]
    height = TOP + BOTTOM + sum(GAP + ROW * (len(figure.bars) + (len(names) > 1)) for figure in figures)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'font-family="system-ui, sans-serif" font-size="14" role="img" aria-label="{escape(title)}">',
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="16" y="28" font-size="18" font-weight="600">{escape(title)}</text>',
        f'<text x="16" y="48" fill="#555">{escape(subtitle)}</text>',
    ]
    y = float(TOP)
    for figure in figures:
        y += GAP
        if len(names) > 1:
            lines.append(f'<text x="16" y="{y + 16:.0f}" font-weight="600">{escape(_short(figure.name, 80))}</text>')
            y += ROW
        for bar in figure.bars:
            label = names[bar.lineup] if len(names) > 1 else figure.name
            lines += _bar(bar, figure, _short(label, 30), y)
            y += ROW
    return "\n".join((*lines, "</svg>\n"))


def _bar(bar: Bar, figure: Figure, label: str, y: float) -> Iterator[str]:
    """Yields the SVG elements of a bar whose row begins at `y`."""
    color, middle = COLORS[bar.lineup % len(COLORS)], y + ROW / 2
    left, right = sorted((figure.x(0.0), figure.x(bar.value)))
    low, high = figure.x(bar.low), figure.x(bar.high)
    yield f'<text x="{LABEL_WIDTH - 8}" y="{middle + 5:.0f}" text-anchor="end">{escape(label)}</text>'
    yield f'<rect x="{left:.1f}" y="{y + 4:.0f}" width="{right - left:.1f}" height="{ROW - 8}" fill="{color}"/>'
    if figure.least < 0:
        yield f'<path stroke="#888" d="M{figure.x(0.0):.1f} {y:.0f}v{ROW}"/>'
    if bar.high > bar.low:
        yield (
            f'<path stroke="#111" stroke-width="1.5" fill="none" d="M{low:.1f} {middle:.0f}H{high:.1f}'
            f'M{low:.1f} {middle - 5:.0f}v10M{high:.1f} {middle - 5:.0f}v10"/>'
        )
    yield f'<text x="{WIDTH - VALUE_WIDTH + 10}" y="{middle + 5:.0f}">{escape(bar.text)}</text>'


def _figures(lineups: Sequence[LineupResults]) -> Iterator[Figure]:
    """Yields the figures, in the order of the results. A result that counts texts yields one figure for each text."""
    for key, first in lineups[0].results.items():
        if isinstance(first, Mapping):
            counts = [each.counts(key) for each in lineups]
            for text in dict.fromkeys(text for each in counts for text in each):
                bars = [_share_bar(index, each, text) for index, each in enumerate(counts)]
                yield Figure(f"{key}: {text}" if text else key, tuple(bars), 0.0, 1.0)
        else:
            yield _numbers(key, lineups)


def _share_bar(index: int, counts: Mapping[str, int], text: str) -> Bar:
    share = shares(counts).get(text, 0.0)
    return Bar(index, share, *wilson_interval(counts.get(text, 0), sum(counts.values())), f"{share:.1%}")


def _numbers(key: str, lineups: Sequence[LineupResults]) -> Figure:
    """The figure of a rate or a mean. The scale of a rate ends at 1. That of a mean contains zero and all of the
    confidence intervals."""
    bars, is_rate = [], key in lineups[0].rates
    for index, each in enumerate(lineups):
        value = each.number(key)
        low, high = each.interval(key) or (value, value)
        bars.append(Bar(index, value, low, high, f"{value:.1%}" if is_rate else f"{value:.2f}"))
    least = min(0.0, *(bar.low for bar in bars))
    return Figure(key, tuple(bars), least, 1.0 if is_rate else max(*(bar.high for bar in bars), 0.0 if least else 1e-9))


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
