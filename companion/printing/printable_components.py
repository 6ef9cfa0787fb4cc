"""Everything that is printed for a game: each component with its size and its two sides, and the mat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import floor
from typing import Any

from reportlab.lib.colors import HexColor

from companion.component_qr_codes import MIN_CODE_MM
from companion.drawing.canvas import PAPER, Canvas, Drawing
from companion.games.game import Game
from companion.printing.camera_height import max_height_cm, min_height_cm
from companion.printing.default_art import DefaultArt
from companion.printing.options import SMALL_SCALE, PrintOptions
from companion.tabletop.components import Art, Component
from companion.tabletop.token_colors import NEUTRAL_COLORS, TokenColors

Size = tuple[float, float]
"""Width and height, in mm."""

PATCH_MARGIN_MM = 0.5
"""The width of the white border around each patch of a color chart."""
USUAL_CODE_MM = 25.0
"""The side length of the code on cards that have room for it."""


class PrintError(ValueError):
    """The error for a print that can't be made. The message is one line: the reason, and what would work."""


@dataclass(frozen=True)
class Printable:
    """A component to cut out, with the functions that draw its two sides. `code_mm` is the side length of its code; 0
    if it has none."""

    component: Component
    size: Size
    front: Drawing
    back: Drawing
    code_mm: float = 0.0

    @property
    def needs_back(self) -> bool:
        """Whether people or the camera need what is printed on the back. The back of a card only hides its front, and a
        sleeve does that too."""
        return not self.code_mm or bool(self.component.reverse)


def art_of(game: Game[Any]) -> Art:
    """The art of the game itself or, if it has none, the default art: plain cards with names and codes."""
    components = game.physical.components
    return components.art() if components.art else DefaultArt(game.title, components.mat)


def with_stickers(game: Game[Any]) -> Game[Any]:
    """The game with stickers as the components to print, in place of the cards that people stick them on. Raises
    PrintError if the game has no stickers."""
    components = game.physical.components.with_stickers()
    if components is None:
        raise PrintError(f"There are no stickers for {game.title}; print it without --stickers.")
    return replace(game, physical=replace(game.physical, components=components))


def printables(game: Game[Any], options: PrintOptions | None = None) -> tuple[Printable, ...]:
    """All components to cut out, those with codes first.

    Raises PrintError if codes of the chosen size don't fit, or if no component can be printed small.
    """
    art, options = art_of(game), options or PrintOptions()
    _check_code_size(game, art, options)
    coded = tuple(_printable(game, art, component, options) for component in game.physical.components.components)
    if options.small and coded and all(each.size == art.size(each.component) for each in coded):
        raise PrintError(_why_not_small(game, art, options))
    return (*coded, *(_extra(art, component) for component in art.extras()))


def can_be_small(game: Game[Any]) -> bool:
    """Whether a camera that sees the whole mat can read the codes of smaller cards."""
    art = art_of(game)
    return any(_scale(game, art, each, PrintOptions(small=True)) < 1 for each in game.physical.components.components)


def _printable(game: Game[Any], art: Art, component: Component, options: PrintOptions) -> Printable:
    scale = _scale(game, art, component, options)
    code_mm = _code_mm(art, component, options, scale)
    front, back = (_scaled(draw, component, code_mm, scale) for draw in (art.face, art.back))
    width, height = art.size(component)
    return Printable(component, (width * scale, height * scale), front, back, code_mm)


def _scaled(draw: Callable[..., None], component: Component, code_mm: float, scale: float) -> Drawing:
    """A function that draws one side of a component at a scale. `code_mm` is the side length of its code on paper."""
    side = partial(draw, component=component, code_mm=code_mm / scale)
    return side if scale == 1 else partial(_draw_scaled, scale, side)


def _draw_scaled(scale: float, draw: Drawing, canvas: Canvas) -> None:
    with canvas.at(0, 0, scale=scale):
        draw(canvas)


def _extra(art: Art, component: Component) -> Printable:
    """The printable for a component without a code. It has its full colors even in a print that saves ink, because
    tokens are told apart by color."""
    front, back = (
        partial(_draw_in_full_ink, partial(draw, component=component, code_mm=0.0)) for draw in (art.face, art.back)
    )
    return Printable(component, art.size(component), front, back)


def _draw_in_full_ink(draw: Drawing, canvas: Canvas) -> None:
    with canvas.full_ink():
        draw(canvas)


def _code_mm(art: Art, component: Component, options: PrintOptions, scale: float) -> float:
    """The side length of a component's code, if the component is printed at this scale."""
    wanted = USUAL_CODE_MM * scale if options.code_mm is None else options.code_mm
    return min(wanted, art.largest_code(component) * scale)


def _scale(game: Game[Any], art: Art, component: Component, options: PrintOptions) -> float:
    """The scale at which a component is printed. It is less than 1 only if a camera that is high enough to see the
    whole mat can read the component's code."""
    if not options.small:
        return 1.0
    code_mm, mat = _code_mm(art, component, options, SMALL_SCALE), game.physical.components.mat
    is_readable = code_mm >= MIN_CODE_MM and (mat is None or max_height_cm(code_mm) >= min_height_cm(mat))
    return SMALL_SCALE if is_readable else 1.0


def _why_not_small(game: Game[Any], art: Art, options: PrintOptions) -> str:
    """Why no component of the game can be printed small."""
    mat = game.physical.components.mat
    largest = max(_code_mm(art, each, options, SMALL_SCALE) for each in game.physical.components.components)
    if mat is None:
        return f"{game.title} can’t be printed smaller: its codes would be smaller than {MIN_CODE_MM:g} mm."
    return (
        f"{game.title} can’t be printed smaller: a camera that sees the whole mat, from {min_height_cm(mat)} cm, "
        f"reads no codes of {largest:g} mm, only from {max_height_cm(largest)} cm or lower."
    )


def draw_mat(game: Game[Any], canvas: Canvas) -> None:
    """Draws the mat with its corner codes and color charts. Raises PrintError if the game has no mat."""
    mat = game.physical.components.mat
    if mat is None:
        raise PrintError(f"{game.title} has no mat.")
    height = mat.size[1]
    draw_mat_art(game, canvas)
    for corner in mat.corners:
        x, y = corner.center
        canvas.code(corner.id, x, height - y, corner.code_mm)
    if mat.token_colors:
        _draw_in_full_ink(partial(_draw_charts, mat.token_colors, height), canvas)


def draw_mat_art(game: Game[Any], canvas: Canvas) -> None:
    """Draws the mat without codes and color charts. Draws nothing if the game has no mat."""
    mat = game.physical.components.mat
    if mat is not None:
        canvas.stamp("mat", mat.size, art_of(game).mat)


def _draw_charts(token_colors: TokenColors, mat_height: float, canvas: Canvas) -> None:
    """Draws the color charts, from which the camera learns how the token colors look under the current light."""
    colors, margin = {**token_colors.colors, **NEUTRAL_COLORS}, PATCH_MARGIN_MM
    for patch in chain(*token_colors.charts):
        (x, y), (width, height) = patch.top_left, patch.size
        bottom = mat_height - y - height
        canvas.box(x - margin, bottom - margin, width + 2 * margin, height + 2 * margin, fill=PAPER)
        canvas.box(x, bottom, width, height, fill=HexColor(colors[patch.kind]))


def _check_code_size(game: Game[Any], art: Art, options: PrintOptions) -> None:
    """Raises PrintError if the components have no room for codes of the chosen size."""
    largest = [art.largest_code(component) for component in game.physical.components.components]
    if min(largest, default=USUAL_CODE_MM) < MIN_CODE_MM:
        raise PrintError(
            f"{game.title} has no room for codes of {MIN_CODE_MM:g} mm here; smaller ones can’t be printed."
        )
    room, requested = max(largest, default=USUAL_CODE_MM), options.code_mm
    room *= SMALL_SCALE if options.small else 1
    if requested is not None and not MIN_CODE_MM <= requested <= room:
        raise PrintError(
            f"A code of {requested:g} mm can’t be used on the cards of {game.title}: "
            f"choose {MIN_CODE_MM:g} to {floor(room)} mm."
        )
