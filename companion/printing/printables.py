"""Everything that is printed for a game: each component with its size and its two sides, and the mat."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import floor
from typing import Any

from reportlab.lib.colors import HexColor

from companion.drawing.canvas import PAPER, Canvas, Drawing
from companion.games.game import Game
from companion.printing.default_art import DefaultArt
from companion.qr_codes import MIN_CODE_MM
from companion.tabletop.components import Art, Component
from companion.tabletop.token_counting import NEUTRAL_COLORS, TokenColors

Size = tuple[float, float]
"""Width and height, mm."""

PATCH_MARGIN_MM = 0.5
"""The width of the white border around each patch of a color chart."""
USUAL_CODE_MM = 25.0
"""The side of the code on cards that have room for it."""


class PrintError(ValueError):
    """The error for a print that can't be made. The message is one line: the reason, and what would work."""


@dataclass(frozen=True)
class Printable:
    """A component to cut out, with the functions that draw its two sides."""

    component: Component
    size: Size
    front: Drawing
    back: Drawing


def art_of(game: Game[Any]) -> Art:
    """The art of the game itself or, if it has none, the default art: plain cards with names and codes."""
    components = game.physical.components
    return components.art() if components.art else DefaultArt(game.title, components.mat)


def printables(game: Game[Any], code_mm: float | None = None) -> tuple[Printable, ...]:
    """All components to cut out, those with codes first. `code_mm` is the side of the codes; by default it is 25 mm, or
    less if only smaller codes fit.

    Raises PrintError if codes of this size don't fit.
    """
    art = art_of(game)
    code_mm = _checked_code_mm(game, art, code_mm)
    return tuple(
        Printable(
            component,
            art.size(component),
            partial(art.face, component=component, code_mm=code_mm),
            partial(art.back, component=component, code_mm=code_mm),
        )
        for component in (*game.physical.components.components, *art.extras())
    )


def draw_mat(game: Game[Any], canvas: Canvas) -> None:
    """Draws the mat with its corner codes and color charts. Raises PrintError if the game has no mat."""
    mat = game.physical.components.mat
    if mat is None:
        raise PrintError(f"{game.title} has no mat.")
    width, height = mat.size
    canvas.stamp("mat", (width, height), art_of(game).mat)
    for corner in mat.corners:
        x, y = corner.center
        canvas.code(corner.id, x, height - y, corner.code_mm)
    if mat.token_colors:
        _draw_charts(mat.token_colors, height, canvas)


def _draw_charts(token_colors: TokenColors, mat_height: float, canvas: Canvas) -> None:
    """Draws the color charts, from which the camera learns how the token colors look under the current light."""
    colors, margin = {**token_colors.colors, **NEUTRAL_COLORS}, PATCH_MARGIN_MM
    for patch in chain(*token_colors.charts):
        (x, y), (width, height) = patch.top_left, patch.size
        bottom = mat_height - y - height
        canvas.box(x - margin, bottom - margin, width + 2 * margin, height + 2 * margin, fill=PAPER)
        canvas.box(x, bottom, width, height, fill=HexColor(colors[patch.kind]))


def _checked_code_mm(game: Game[Any], art: Art, requested: float | None) -> float:
    components = game.physical.components.components
    largest = min((art.largest_code(component) for component in components), default=USUAL_CODE_MM)
    if largest < MIN_CODE_MM:
        raise PrintError(
            f"{game.title} has no room for codes of {MIN_CODE_MM:g} mm here; smaller ones can't be printed."
        )
    code_mm = min(USUAL_CODE_MM, largest) if requested is None else requested
    if not MIN_CODE_MM <= code_mm <= largest:
        raise PrintError(
            f"A code of {code_mm:g} mm can't be used on the cards of {game.title}: "
            f"choose {MIN_CODE_MM:g} to {floor(largest)} mm."
        )
    return code_mm
