"""Renders cards of Systems Failing on the printed mat, with cubes on their fields, and gives the true counts.

The light, the camera and the disturbances are those of `tests.cube_scenes`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO

import numpy as np
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas as PdfCanvas

from companion.drawing.canvas import Canvas
from companion.games.systems_failing.card_fields import CARD_SIZE, FIELD_LEFT, FIELD_SIZE, FIELD_TOP, field_places
from companion.games.systems_failing.catalog import PREFIX, catalog
from companion.games.systems_failing.component_art import SystemsFailingArt
from companion.games.systems_failing.game import GAME
from companion.games.systems_failing.mat import BOTTOM, COLUMNS, PILES, SLOT, TOP, WIDTH
from companion.printing.raster import rendered_pages
from companion.tabletop.component_outline import Outline
from companion.tabletop.components import Component
from companion.tabletop.mat import Point
from companion.tabletop.token_colors import TokenColors
from tests import pool_scenes
from tests.cube_scenes import PX_PER_MM
from vision.simulated_camera import PlacedPrint, PlacedToken, Scene, SimulatedCamera, Texture, Textures

CODE_MM = 25.0
FIELD_MIDDLE = (FIELD_LEFT + FIELD_SIZE[0] / 2 - CARD_SIZE[0] / 2, FIELD_TOP + FIELD_SIZE[1] / 2 - CARD_SIZE[1] / 2)
"""The middle of a field relative to the middle of the card."""
EDGE_MM = 2.0
"""How far inside a field the middle of a cube is that people put there with a little care."""
TOUCHING_PITCH_MM = 8.15
REACH_MM = 5.0
"""How far beyond the field the middle of a cube is at most that people put there without care."""


@cache
def components() -> Mapping[str, Component]:
    return {each.id: each for each in GAME.physical.components.components}


@cache
def textures() -> Textures:
    """The textures of the printed mat, and of all cards that cubes repair."""
    cards = catalog()
    codes = [PREFIX + card for card in (*cards.disasters, *cards.escapes)]
    return {"mat": pool_scenes.textures()["mat"], **{f"{code}/front": printed_card(code) for code in codes}}


def printed_card(code: str, canvas_type: type[Canvas] = Canvas) -> Texture:
    """The print of the face of a card on a canvas of this type."""
    buffer = BytesIO()
    pdf = PdfCanvas(buffer, pagesize=(CARD_SIZE[0] * mm, CARD_SIZE[1] * mm))
    SystemsFailingArt().face(canvas_type(pdf), components()[code], CODE_MM)
    pdf.save()
    (picture,) = rendered_pages(buffer.getvalue(), PX_PER_MM)
    return Texture(picture, *CARD_SIZE)


def new_camera() -> SimulatedCamera:
    """A camera whose noise doesn't depend on what other tests have rendered."""
    return pool_scenes.with_own_noise(_unused_camera())


@cache
def _unused_camera() -> SimulatedCamera:
    return SimulatedCamera(textures())


def on_mat(card: PlacedPrint, point: Point) -> Point:
    """The point on the mat at a point of a card, which is relative to the middle of the card."""
    cos, sin = math.cos(math.radians(card.angle)), math.sin(math.radians(card.angle))
    return card.x_mm + point[0] * cos - point[1] * sin, card.y_mm + point[0] * sin + point[1] * cos


def _token(card: PlacedPrint, color: str, point: Point, angle: float) -> PlacedToken:
    return PlacedToken(color, *on_mat(card, point), angle + card.angle)


def tidy(card: PlacedPrint, colors: list[str], rng: np.random.Generator) -> Iterator[PlacedToken]:
    """Yields cubes in a row with gaps."""
    for color, (x, y) in zip(colors, field_places(max(3, len(colors))), strict=False):
        yield _token(card, color, (x + rng.normal(0, 0.7), y + rng.normal(0, 1.0)), rng.normal(0, 8))


def pushed_together(card: PlacedPrint, colors: list[str], rng: np.random.Generator) -> Iterator[PlacedToken]:
    """Yields cubes in a row in which many touch each other."""
    x, y = FIELD_MIDDLE[0] - (len(colors) - 1) * TOUCHING_PITCH_MM / 2, FIELD_MIDDLE[1] + rng.normal(0, 1.5)
    x += rng.uniform(-5, 5) if len(colors) < 5 else 0
    for color in colors:
        yield _token(card, color, (x, y + rng.normal(0, 0.4)), rng.normal(0, 1.5))
        x += TOUCHING_PITCH_MM + abs(rng.normal(0, 0.8))


def strewn(
    card: PlacedPrint, colors: list[str], rng: np.random.Generator, edge: float = EDGE_MM
) -> Iterator[PlacedToken]:
    """Yields cubes at random places and at random angles, whose middles are `edge` mm or more inside the field."""
    placed = list[PlacedToken]()
    across, down = FIELD_SIZE[0] / 2 - edge, FIELD_SIZE[1] / 2 - edge
    for color in colors:
        for _ in range(400):
            point = FIELD_MIDDLE[0] + rng.uniform(-across, across), FIELD_MIDDLE[1] + rng.uniform(-down, down)
            cube = _token(card, color, point, rng.uniform(0, 90))
            if all(pool_scenes.are_apart(cube, other) for other in placed):
                placed.append(cube)
                break
    yield from placed


def careless(card: PlacedPrint, colors: list[str], rng: np.random.Generator) -> Iterator[PlacedToken]:
    """Yields cubes at random places, some of them only partly on the field or just beside it."""
    return strewn(card, colors, rng, -REACH_MM)


ARRANGEMENTS = (tidy, pushed_together, strewn)


@dataclass(frozen=True)
class FieldTable:
    """A table with cards. `truth` has the cubes on each card, by its code."""

    scene: Scene
    truth: Mapping[str, Mapping[str, int]]

    def token_colors(self, rng: np.random.Generator | None = None, error_mm: float = 0.0) -> TokenColors:
        """The token colors with the fields of the cards. With `rng`, each field is as far out of place as a code that
        was read in a noisy frame puts it, and `error_mm` more in a random direction."""
        colors, placed = pool_scenes.token_colors(), {}
        for card in self.scene.placements:
            outline = components()[card.id].outline
            assert isinstance(outline, Outline)
            (x, y), angle = on_mat(card, outline.code_center), card.angle
            if rng is not None:
                turn = rng.uniform(0, 2 * math.pi)
                x += rng.normal(0, 0.2) + error_mm * math.cos(turn)
                y += rng.normal(0, 0.2) + error_mm * math.sin(turn)
                angle += rng.normal(0, 0.5)
            placed[card.id] = colors.fields[card.id].placed((x, y), angle)
        return colors.with_fields_placed(placed)


def places() -> Iterator[Point]:
    """Yields the middles of the places of cards: three in each zone, and the escape sequence."""
    for left in COLUMNS[1:]:
        for row in range(3):
            yield left + WIDTH / 2, TOP + 4 + CARD_SIZE[1] / 2 + row * (BOTTOM - TOP - CARD_SIZE[1] - 8) / 2
    yield PILES + WIDTH / 2, TOP + SLOT / 2


def empty_table() -> FieldTable:
    """A table with a card in each place, and no cubes."""
    cards = catalog()
    names = [*list(cards.disasters)[:9], next(iter(cards.escapes))]
    placed = tuple(PlacedPrint(PREFIX + name, *at) for name, at in zip(names, places(), strict=True))
    return FieldTable(Scene(placed), {card.id: {} for card in placed})


def cube_points(card: PlacedPrint) -> tuple[tuple[Point, float], ...]:
    """The places of four cubes on the field of a card, and their angles in degrees."""
    return tuple((on_mat(card, point), card.angle) for point in field_places(4))


def table(rng: np.random.Generator, arrangements: Iterable[object] = ARRANGEMENTS) -> FieldTable:
    """A random table: a card in each place, with none or some of the cubes that it needs, in any arrangement."""
    cards, kinds = catalog(), list(arrangements)
    disasters = [str(card) for card in rng.choice([*cards.disasters], 9, replace=False)]
    names = [*disasters, str(rng.choice([*cards.escapes]))]
    placements, tokens, truth = [], [], {}
    for name, (x, y) in zip(names, places(), strict=True):
        needs = (cards.disasters.get(name) or cards.escapes[name]).needs
        placed = PlacedPrint(PREFIX + name, x + rng.normal(0, 2), y + rng.normal(0, 2), rng.normal(0, 3))
        colors = [str(color) for color in rng.permutation(needs)[: rng.integers(len(needs) + 1)]]
        arrange = kinds[rng.integers(len(kinds))]
        cubes = list(arrange(placed, colors, rng))  # type: ignore[operator]
        placements.append(placed)
        tokens += cubes
        truth[placed.id] = dict(Counter(cube.color for cube in cubes))
    return FieldTable(Scene(tuple(placements), tuple(tokens)), truth)
