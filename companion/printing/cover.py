"""The first sheet of a print: how to print, cut and put together."""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, PAPER, TINT, Canvas, fit
from companion.games.game import Game
from companion.printing.imposition import Paper
from companion.printing.printables import art_of
from companion.printing.tiles import OVERLAP, Tiling

LEFT = 20.0
"""Margin at both sides of the words, mm."""
FAN, WRIST = 14.0, 80.0
"""The outer cards' turn in the hand, degrees, and how far below the cards they turn about, mm."""
HIGHEST, LOWEST = -65.0, -40.0
"""Where that point lies at most, and the cards' lower edge at least, mm from the paper's."""


def instructions(canvas: Canvas, paper: Paper, game: Game[Any], first_mat: int, tiling: Tiling | None) -> None:
    """The front: title and steps; `first_mat` is the number of the mat's first page."""
    width = paper.width - 2 * LEFT
    y = paper.height - 62
    canvas.box(LEFT - 6, y - 8, width + 12, 50, fill=INK, radius=3)
    canvas.text(LEFT, y + 28, "TABLEKEEPER · TO PRINT AND PLAY", 4.2, color=FAINT, track=0.5)
    canvas.text(LEFT, y + 11, game.title, fit(game.title, 17, width), font=BOLD, color=PAPER)
    canvas.paragraph(LEFT, y + 2.5, game.rules.summary, 4.6, width, color=FAINT)
    y -= 22
    for number, (title, words) in enumerate(_steps(paper, game, first_mat, tiling), 1):
        canvas.circle(LEFT + 3.4, y + 1.4, 4.2, fill=TINT)
        canvas.text(LEFT + 3.4, y - 0.4, str(number), 5.4, font=BOLD, align="center")
        canvas.text(LEFT + 12, y, title, 5.6, font=BOLD)
        y = canvas.paragraph(LEFT + 12, y - 6.6, words, 4.5, width - 12, color=MUTED) - 7
    _fan(canvas, paper, game, y)


def _fan(canvas: Canvas, paper: Paper, game: Game[Any], room: float) -> None:
    """Three of the backs, as a hand of cards (codes belong on the table only), as high as there is room under the
    steps; none where little of them would show."""
    art = art_of(game)
    largest = max((art.size(thing) for thing in game.physical.components.components), default=(0.0, 0.0))
    plain = [thing for thing in game.physical.components.components if not thing.reverse and art.size(thing) == largest]
    chosen = [plain[len(plain) * part // 8] for part in (0, 6, 7)] if plain else []
    fan = [(thing, art.size(thing), turn) for thing, turn in zip(chosen, (FAN, 0, -FAN), strict=False)]
    tops = [cos(radians(turn)) * (WRIST + high) + abs(sin(radians(turn))) * wide / 2 for _, (wide, high), turn in fan]
    wrist = min(HIGHEST, room - max(tops, default=0))
    if wrist + WRIST < LOWEST:
        return
    for thing, (width, height), turn in fan:
        with canvas.at(paper.width / 2, wrist, turn), canvas.at(-width / 2, WRIST):
            canvas.box(0, 0, width, height, fill=PAPER, stroke=FAINT, line=0.2, radius=3)
            art.back(canvas, thing, 0)


def _steps(paper: Paper, game: Game[Any], first_mat: int, tiling: Tiling | None) -> list[tuple[str, str]]:
    steps = [
        (
            "Print true to scale",
            f"Choose {paper.name}, 100 % (“actual size”, never “fit to page”). The ruler at the left edge must "
            "measure 100 mm: the camera counts on it.",
        ),
        (
            "Both sides, flipped on the long edge",
            f"Pages 3 to {first_mat - 1} hold cards and tokens, each front followed by its back. All pages come "
            "in pairs, so the whole file can go through at once.",
        ),
        (
            "Matt paper, black ink",
            "Matt paper of 160 g or more keeps glare off the codes. Matt sleeves do well; glossy ones blind "
            "the camera. Keep a code and its white frame free of pieces and ink.",
        ),
        (
            "Cut along the marks",
            "Lay a steel rule from mark to mark across the sheet. Dashed squares, where there are any, are cubes.",
        ),
    ]
    if game.physical.components.advice:
        steps.append(game.physical.components.advice)
    if tiling:
        last = first_mat + 2 * len(tiling.tiles) - 1
        mat = (
            "Put the mat together",
            f"Pages {first_mat} to {last}, {len(tiling.tiles)} sheets. Overleaf is the plan. Trim each sheet at "
            f"its solid marks; glue the next onto the last {OVERLAP:g} mm, up to the dashed marks.",
        )
        steps.append(mat)
    return steps


def assembly(canvas: Canvas, paper: Paper, game: Game[Any], tiling: Tiling) -> None:
    """The back: a small picture of the mat (no codes in it) and of the sheets it is made of."""
    if game.physical.components.mat is None:
        return
    width, height = game.physical.components.mat.size
    scale = (paper.width - 2 * LEFT) / width
    low = paper.height - 50 - height * scale
    canvas.text(LEFT, paper.height - 34, "The mat", 12, font=BOLD)
    canvas.text(LEFT, paper.height - 41, f"{width:g} x {height:g} mm on {len(tiling.tiles)} sheets", 4.6, color=MUTED)
    with canvas.at(LEFT, low, scale=scale):
        with canvas.within(0, 0, width, height):
            canvas.stamp("mat", (width, height), art_of(game).mat)
        canvas.box(0, 0, width, height, stroke=INK, line=0.6)
        for tile in tiling.tiles:
            y = height - tile.y - tile.height
            canvas.box(tile.x, y, tile.width, tile.height, stroke=INK, line=1, dash=(5, 3))
            middle = (tile.x + tile.width / 2, y + tile.height / 2)
            canvas.circle(*middle, 16, fill=INK)
            canvas.text(middle[0], middle[1] - 5.4, tile.name, 16, font=BOLD, color=PAPER, align="center")
    apart = game.physical.components.mat.corners[1].center[0] - game.physical.components.mat.corners[0].center[0]
    words = (
        "Work from left to right, then from top to bottom: spread glue on the strip between the dashed and the "
        "solid marks, lay the neighbour's trimmed edge on the dashed marks, and press. Then check with a long "
        f"rule: the codes of the upper corners stand {apart:g} mm apart, middle to middle."
    )
    canvas.paragraph(LEFT, low - 10, words, 4.5, paper.width - 2 * LEFT, color=MUTED)
