"""What a game prints: each thing with its size and its two sides, and the mat."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import floor
from typing import Any

from reportlab.lib.colors import HexColor

from companion.codes import SMALLEST_MM
from companion.drawing.canvas import PAPER, Canvas, Drawing
from companion.games.game import Game
from companion.printing.default_art import PlainArt
from companion.tabletop.components import Art, Component
from companion.tabletop.token_colors import NEUTRAL_COLORS, TokenColors

Size = tuple[float, float]
"""Width and height, mm."""


RIM = 0.5
"""White around the patches of colour, mm."""
USUAL_MM = 25.0
"""The side of a card's code, where it has room for it."""


class PrintError(ValueError):
    """A print that can't be made; one line that says why and what would do."""


@dataclass(frozen=True)
class Piece:
    """One thing to cut out."""

    thing: Component
    size: Size
    front: Drawing
    back: Drawing


def art_of(game: Game[Any]) -> Art:
    """The game's own art, or plain cards with name and code."""
    return (
        game.physical.components.art()
        if game.physical.components.art
        else PlainArt(game.title, game.physical.components.mat)
    )


def pieces(game: Game[Any], code_mm: float | None = None) -> tuple[Piece, ...]:
    """Everything to cut out, coded things first, with codes of 25 mm, or as large as fits, if none are asked for.

    Raises PrintError if the code does not suit them.
    """
    art = art_of(game)
    code_mm = _code_mm(game, art, code_mm)
    return tuple(
        Piece(
            thing,
            art.size(thing),
            partial(art.face, thing=thing, code_mm=code_mm),
            partial(art.back, thing=thing, code_mm=code_mm),
        )
        for thing in (*game.physical.components.components, *art.extras())
    )


def draw_mat(game: Game[Any], canvas: Canvas) -> None:
    """The mat with its corner codes, where the mat's data says."""
    if game.physical.components.mat is None:
        raise PrintError(f"{game.title} has no mat.")
    canvas.stamp("mat", game.physical.components.mat.size, art_of(game).mat)
    for corner in game.physical.components.mat.corners:
        x, y = corner.center
        canvas.code(corner.id, x, game.physical.components.mat.size[1] - y, corner.code_mm)
    if game.physical.components.mat.token_colors:
        _draw_charts(game.physical.components.mat.token_colors, game.physical.components.mat.size[1], canvas)


def _draw_charts(token_colors: TokenColors, height: float, canvas: Canvas) -> None:
    """The colour charts for the camera, on white paper."""
    colors = {**token_colors.colors, **NEUTRAL_COLORS}
    for patch in chain(*token_colors.charts):
        (x, y), (width, tall) = patch.top_left, patch.size
        bottom = height - y - tall
        canvas.box(x - RIM, bottom - RIM, width + 2 * RIM, tall + 2 * RIM, fill=PAPER)
        canvas.box(x, bottom, width, tall, fill=HexColor(colors[patch.kind]))


def _code_mm(game: Game[Any], art: Art, asked: float | None) -> float:
    largest = min((art.largest_code(thing) for thing in game.physical.components.components), default=USUAL_MM)
    if largest < SMALLEST_MM:
        raise PrintError(f"{game.title} has no room for codes of {SMALLEST_MM:g} mm here; none smaller can be printed.")
    code_mm = min(USUAL_MM, largest) if asked is None else asked
    if not SMALLEST_MM <= code_mm <= largest:
        raise PrintError(
            f"A code of {code_mm:g} mm does not suit the cards of {game.title}: "
            f"choose {SMALLEST_MM:g} to {floor(largest)} mm."
        )
    return code_mm
