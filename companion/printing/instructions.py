"""Draws the first sheet of a print, which says how to print it, how to cut it and how to put the mat together."""

from __future__ import annotations

from collections.abc import Iterator
from math import cos, radians, sin
from typing import Any

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, PAPER, TINT, Canvas, fitting_size, text_width
from companion.games.game import Game
from companion.printing.camera_height import max_height_cm, min_height_cm
from companion.printing.imposition import Paper
from companion.printing.mat_tiles import OVERLAP_MM, Tiling
from companion.printing.options import Contents, Pages, PrintOptions
from companion.printing.printable_components import art_of, draw_mat_art

MARGIN_MM = 20.0
"""The margin at each side of the text."""
FAN_ANGLE_DEGREES = 14.0
"""The angle between neighboring cards of the fan."""
FAN_RADIUS_MM = 80.0
"""The distance from the fan's center, about which the cards are rotated, to their lower edges."""
MAX_FAN_CENTER_Y_MM = -65.0
"""The greatest height of the fan's center above the paper's lower edge. Negative: the center is below the paper."""
MIN_FAN_Y_MM = -40.0
"""The least height of the cards' lower edges above the paper's lower edge. If they would lie lower, the fan is left
out."""


def draw_instructions(canvas: Canvas, paper: Paper, game: Game[Any], options: PrintOptions, contents: Contents) -> None:
    """Draws the cover: the game's title, what the file consists of, and the instructions, step by step."""
    width = paper.width - 2 * MARGIN_MM
    y = paper.height - 56
    canvas.box(MARGIN_MM - 6, y - 8, width + 12, 50, fill=INK, radius=3)
    canvas.text(MARGIN_MM, y + 28, "TABLEKEEPER · TO PRINT AND PLAY", 4.2, color=FAINT, track=0.5)
    canvas.text(MARGIN_MM, y + 11, game.title, fitting_size(game.title, 17, width), font=BOLD, color=PAPER)
    canvas.paragraph(MARGIN_MM, y + 2.5, game.rules.summary, 4.6, width, color=FAINT)
    _draw_facts(canvas, y - 25, width, _facts(paper, options, contents))
    y -= 37
    for number, (title, words) in enumerate(_steps(paper, game, options, contents), 1):
        canvas.circle(MARGIN_MM + 3.4, y + 1.4, 4.2, fill=TINT)
        canvas.text(MARGIN_MM + 3.4, y - 0.4, str(number), 5.4, font=BOLD, align="center")
        canvas.text(MARGIN_MM + 12, y, title, 5.6, font=BOLD)
        y = canvas.paragraph(MARGIN_MM + 12, y - 6.2, words, 4.3, width - 12, color=MUTED) - 5.5
    _draw_fan(canvas, paper, game, y)


def _facts(paper: Paper, options: PrintOptions, contents: Contents) -> list[tuple[str, str]]:
    """The facts that people need before they print: a short title and a value for each."""
    facts = [
        ("PAPER", f"{paper.name}, {_counted(contents.sheets, 'sheet')}"),
        ("PAGES", str(contents.pages)),
        ("SCALE", "100%"),
        ("SIDES", _sides(contents)),
    ]
    if contents.smallest_code_mm:
        facts.append(("SIZE", " × ".join(f"{round(side)}" for side in contents.card_mm) + " mm"))
    if options.low_ink:
        facts.append(("INK", "little"))
    return facts


def _sides(contents: Contents) -> str:
    if contents.both_sides and contents.one_side:
        (first, last), (next_first, next_last) = contents.both_sides, contents.one_side
        return f"{first}–{last} both, {next_first}–{next_last} one"
    return "both" if contents.both_sides else "one"


def _draw_facts(canvas: Canvas, y: float, width: float, facts: list[tuple[str, str]]) -> None:
    """Draws the facts side by side in boxes, each as wide as its text needs."""
    gap = 3.0
    needs = [max(text_width(value, 5.0, BOLD), text_width(title, 2.6)) for title, value in facts]
    padding = (width + 12 - gap * (len(facts) - 1) - sum(needs)) / len(facts) / 2
    x = MARGIN_MM - 6
    for (title, value), need in zip(facts, needs, strict=True):
        canvas.box(x, y, need + 2 * padding, 13, stroke=FAINT, line=0.3, radius=2)
        canvas.text(x + padding + need / 2, y + 8.6, title, 2.6, color=MUTED, align="center")
        canvas.text(x + padding + need / 2, y + 2.8, value, 5.0, font=BOLD, align="center")
        x += need + 2 * padding + gap


def _draw_fan(canvas: Canvas, paper: Paper, game: Game[Any], room: float) -> None:
    """Draws the backs of three cards as a fan below the steps. `room` is the height in mm at which the steps end. The
    fan shows no codes, because codes belong only on the table. It is left out if little of the cards would be
    visible."""
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


def _steps(paper: Paper, game: Game[Any], options: PrintOptions, contents: Contents) -> Iterator[tuple[str, str]]:
    """Yields the title and the text of each step."""
    yield (
        "Print at 100%",
        f"Choose {paper.name}, 100% (“actual size”, never “fit to page”). The ruler at the left edge must "
        "measure 100 mm: the camera counts on it.",
    )
    yield _sides_step(options, contents)
    yield (
        "Matte paper, black codes",
        "Matte paper of 160 g or more keeps glare off the codes. Use matte sleeves: glossy ones blind "
        "the camera. Keep a code and its white frame free of pieces and ink.",
    )
    yield (
        "Cut along the marks",
        "Put a steel ruler across the sheet, from mark to mark. Dashed squares, where there are any, are cubes.",
    )
    if game.physical.components.advice:
        yield game.physical.components.advice
    if contents.mat:
        yield (
            "Assemble the mat",
            f"{_named(contents.mat)}. {'Overleaf' if options.sides != 'one' else 'On page 2'} is the plan. Trim each "
            f"sheet at its solid marks; glue the next onto the last {OVERLAP_MM:g} mm, up to the dashed marks.",
        )
    if contents.smallest_code_mm:
        yield "Mount the camera", _camera_advice(game, contents.smallest_code_mm)


def _sides_step(options: PrintOptions, contents: Contents) -> tuple[str, str]:
    """The step that says which pages to print on both sides of the paper, and which on one side."""
    if options.sides == "paired":
        text = "All pages come in pairs, each front followed by its back, so the whole file can go through at once."
        return "Both sides, flipped on the long edge", text
    if contents.both_sides and contents.one_side:
        text = (
            f"First print {_named(contents.both_sides, capital=False)} on both sides, flipped on the long edge. Then "
            f"print {_named(contents.one_side, capital=False)} on one side: their backs stay blank."
        )
        return "Print in two passes", text
    if contents.both_sides:
        return "Both sides, flipped on the long edge", "Each front is followed by its back."
    steps = []
    if contents.glued:
        steps.append(
            f"On {_named(contents.glued, capital=False)}, each front is followed by its back: glue them together."
        )
    if contents.sleeved:
        cards = "The other cards" if contents.glued else "The cards"
        steps.append(f"{cards} have no backs: put them into opaque sleeves, or into clear ones, in front of old cards.")
    return "Print on one side", " ".join(steps) or "The other side of the paper stays blank."


def _camera_advice(game: Game[Any], code_mm: float) -> str:
    """The advice on how high to mount the camera, so that it reads the codes and sees the whole mat."""
    mat, height = game.physical.components.mat, max_height_cm(code_mm)
    lowest = min_height_cm(mat) if mat else 0
    if lowest > height:
        advice = (
            f"Codes of {code_mm:.3g} mm are too small for a camera that sees the whole mat: it would have to be "
            f"{lowest} cm above the table, and can read them from at most {height} cm. Print larger codes."
        )
    elif not lowest:
        advice = f"Mount it at most {height} cm above the table, to read codes of {code_mm:.3g} mm."
    else:
        heights = f"{lowest} cm" if lowest == height else f"{lowest} to {height} cm"
        advice = (
            f"Mount it {heights} above the table: high enough to see the whole mat, and low enough to read codes of "
            f"{code_mm:.3g} mm."
        )
    return (
        f"{advice} This is for a picture 1920 pixels wide and a view of 66 degrees, as a Camera Module 3 has; without "
        "a camera, any size will do."
    )


def _named(pages: Pages, *, capital: bool = True) -> str:
    first, last = pages
    text = f"page {first}" if first == last else f"pages {first} to {last}"
    return text.capitalize() if capital else text


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def draw_assembly_plan(canvas: Canvas, paper: Paper, game: Game[Any], tiling: Tiling) -> None:
    """Draws the second page: a small picture of the mat, without codes, divided into its tiles, and the
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
            draw_mat_art(game, canvas)
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
        "solid marks, lay the neighbor’s trimmed edge on the dashed marks, and press. Then check with a long "
        f"rule: the codes of the upper corners stand {apart:g} mm apart, middle to middle."
    )
    canvas.paragraph(MARGIN_MM, bottom - 10, words, 4.5, paper.width - 2 * MARGIN_MM, color=MUTED)
