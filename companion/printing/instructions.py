"""Draws the first sheet of a print, which says how to print it, how to cut it and how to put the mat together."""

from __future__ import annotations

from math import cos, radians, sin
from typing import Any

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, PAPER, TINT, Canvas, fitting_size
from companion.games.game import Game
from companion.printing.imposition import Paper
from companion.printing.printables import art_of
from companion.printing.tiles import OVERLAP_MM, Tiling

MARGIN_MM = 20.0
"""The margin at each side of the text."""
FAN_ANGLE_DEGREES = 14.0
"""The angle between neighboring cards of the fan."""
FAN_RADIUS_MM = 80.0
"""The distance from the fan's center, the point that its cards are rotated about, to the cards' lower edges."""
MAX_FAN_CENTER_Y_MM = -65.0
"""The greatest height of the fan's center above the paper's lower edge. Negative: the center is below the paper."""
MIN_FAN_Y_MM = -40.0
"""The least height of the cards' lower edges above the paper's lower edge. If they would lie lower, the fan is left
out."""


def draw_instructions(canvas: Canvas, paper: Paper, game: Game[Any], first_mat: int, tiling: Tiling | None) -> None:
    """Draws the front of the first sheet: the game's title and the instructions, step by step. `first_mat` is the
    number of the mat's first page."""
    width = paper.width - 2 * MARGIN_MM
    y = paper.height - 62
    canvas.box(MARGIN_MM - 6, y - 8, width + 12, 50, fill=INK, radius=3)
    canvas.text(MARGIN_MM, y + 28, "TABLEKEEPER · TO PRINT AND PLAY", 4.2, color=FAINT, track=0.5)
    canvas.text(MARGIN_MM, y + 11, game.title, fitting_size(game.title, 17, width), font=BOLD, color=PAPER)
    canvas.paragraph(MARGIN_MM, y + 2.5, game.rules.summary, 4.6, width, color=FAINT)
    y -= 22
    for number, (title, words) in enumerate(_steps(paper, game, first_mat, tiling), 1):
        canvas.circle(MARGIN_MM + 3.4, y + 1.4, 4.2, fill=TINT)
        canvas.text(MARGIN_MM + 3.4, y - 0.4, str(number), 5.4, font=BOLD, align="center")
        canvas.text(MARGIN_MM + 12, y, title, 5.6, font=BOLD)
        y = canvas.paragraph(MARGIN_MM + 12, y - 6.6, words, 4.5, width - 12, color=MUTED) - 7
    _draw_fan(canvas, paper, game, y)


def _draw_fan(canvas: Canvas, paper: Paper, game: Game[Any], room: float) -> None:
    """Draws the backs of three cards as a fan below the steps. `room` is the height at which the steps end, mm. The fan
    shows no codes, because codes belong only on the table. It is left out if little of the cards would be visible."""
    art, components = art_of(game), game.physical.components.components
    largest = max(map(art.size, components), default=(0.0, 0.0))
    plain = [component for component in components if not component.reverse and art.size(component) == largest]
    chosen = [plain[len(plain) * part // 8] for part in (0, 6, 7)] if plain else []
    angles = (FAN_ANGLE_DEGREES, 0, -FAN_ANGLE_DEGREES)
    width, height = largest
    tops = [
        cos(radians(angle)) * (FAN_RADIUS_MM + height) + abs(sin(radians(angle))) * width / 2
        for _, angle in zip(chosen, angles, strict=False)
    ]
    center_y = min(MAX_FAN_CENTER_Y_MM, room - max(tops, default=0))
    if center_y + FAN_RADIUS_MM < MIN_FAN_Y_MM:
        return
    for component, angle in zip(chosen, angles, strict=False):
        with canvas.at(paper.width / 2, center_y, angle), canvas.at(-width / 2, FAN_RADIUS_MM):
            canvas.box(0, 0, width, height, fill=PAPER, stroke=FAINT, line=0.2, radius=3)
            art.back(canvas, component, 0)


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
            "Matte paper, black ink",
            "Matte paper of 160 g or more keeps glare off the codes. Matte sleeves do well; glossy ones blind "
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
            f"its solid marks; glue the next onto the last {OVERLAP_MM:g} mm, up to the dashed marks.",
        )
        steps.append(mat)
    return steps


def draw_assembly_plan(canvas: Canvas, paper: Paper, game: Game[Any], tiling: Tiling) -> None:
    """Draws the back of the first sheet: a small picture of the mat, without codes, divided into its tiles, and the
    instructions for gluing the tiles together."""
    mat = game.physical.components.mat
    if mat is None:
        return
    width, height = mat.size
    scale = (paper.width - 2 * MARGIN_MM) / width
    bottom = paper.height - 50 - height * scale
    canvas.text(MARGIN_MM, paper.height - 34, "The mat", 12, font=BOLD)
    canvas.text(
        MARGIN_MM, paper.height - 41, f"{width:g} x {height:g} mm on {len(tiling.tiles)} sheets", 4.6, color=MUTED
    )
    with canvas.at(MARGIN_MM, bottom, scale=scale):
        with canvas.clip_box(0, 0, width, height):
            canvas.stamp("mat", (width, height), art_of(game).mat)
        canvas.box(0, 0, width, height, stroke=INK, line=0.6)
        for tile in tiling.tiles:
            y = height - tile.y - tile.height
            canvas.box(tile.x, y, tile.width, tile.height, stroke=INK, line=1, dash=(5, 3))
            middle = (tile.x + tile.width / 2, y + tile.height / 2)
            canvas.circle(*middle, 16, fill=INK)
            canvas.text(middle[0], middle[1] - 5.4, tile.name, 16, font=BOLD, color=PAPER, align="center")
    apart = mat.corners[1].center[0] - mat.corners[0].center[0]
    words = (
        "Work from left to right, then from top to bottom: spread glue on the strip between the dashed and the "
        "solid marks, lay the neighbor's trimmed edge on the dashed marks, and press. Then check with a long "
        f"rule: the codes of the upper corners stand {apart:g} mm apart, middle to middle."
    )
    canvas.paragraph(MARGIN_MM, bottom - 10, words, 4.5, paper.width - 2 * MARGIN_MM, color=MUTED)
