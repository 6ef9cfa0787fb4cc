"""The cubes on the fields of the cards of Systems Failing are counted, and no certain count is wrong."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.games.systems_failing.card_fields import FIELD_LEFT, FIELD_SIZE, FIELD_TOP
from companion.games.systems_failing.catalog import PREFIX, catalog
from companion.games.systems_failing.cube_multiset import COLORS
from companion.games.systems_failing.mat import COLUMNS, MAT, WIDTH
from companion.games.systems_failing.pavement import PAVING_COLORS, PAVING_SQUARE_MM
from companion.printing.low_ink import LowInkCanvas
from companion.printing.options import SMALL_SCALE
from companion.tabletop.mat import Point
from tests.cube_scenes import PX_PER_MM, Lamp, compressed, good_lamp, lit, poor_lamp, to_mm, with_arm_shadow
from tests.field_scenes import (
    ARRANGEMENTS,
    FIELD_MIDDLE,
    FieldTable,
    careless,
    components,
    new_camera,
    on_mat,
    printed_card,
    table,
    textures,
    tidy,
)
from tests.pool_scenes import token_colors
from tests.repetitions import repetitions, thorough_except
from tests.vision_scenes import FPS
from vision.cubes.count_scheduler import CountScheduler
from vision.cubes.cube_detection import CubeCount, count_cubes
from vision.cubes.cube_rendering import fill_polygon
from vision.geometry import Frame
from vision.known_codes import component_codes, mats_by_game
from vision.simulated_camera import PlacedPrint, PlacedToken, Scene, SimulatedCamera, Texture
from vision.tracking.table_watcher import TableWatcher

CARD, OTHER, ESCAPE = "SF-D06", "SF-D14", "SF-E2"
GAMES = ("systems-failing",)
DAY = Lamp()
PLACE = (COLUMNS[1] + WIDTH / 2, 76.0)
AT_PLACE = PlacedPrint(CARD, *PLACE)


def cubes(card: PlacedPrint, *colors: str) -> tuple[PlacedToken, ...]:
    """Cubes in a row on the field of a card."""
    return tuple(tidy(card, list(colors), np.random.default_rng(1)))


def cube_at(card: PlacedPrint, color: str, across: float, down: float) -> PlacedToken:
    """A cube at a place relative to the middle of the field of a card, in mm."""
    return PlacedToken(color, *on_mat(card, (FIELD_MIDDLE[0] + across, FIELD_MIDDLE[1] + down)), 4.0)


def rendered(card: PlacedPrint, *tokens: PlacedToken, above: tuple[PlacedPrint, ...] = ()) -> Frame:
    return lit(new_camera().render(Scene((card, *above), tokens)), DAY, np.random.default_rng(1))


def count(frame: Frame, card: PlacedPrint = AT_PLACE) -> CubeCount:
    colors = FieldTable(Scene((card,)), {}).token_colors()
    return count_cubes(frame, to_mm(), colors, [card.id])[0]


def with_flat(frame: Frame, card: PlacedPrint, corners: list[Point], paint: tuple[float, float, float]) -> Frame:
    """The frame with a flat polygon on a card. `corners` are relative to the middle of the card, in mm."""
    outline = cv2.perspectiveTransform(np.array([[on_mat(card, corner) for corner in corners]]), new_camera().to_px)[0]
    fill_polygon(frame, np.asarray(outline), paint)
    return frame


@pytest.mark.slow
@pytest.mark.parametrize(
    ("disturbance", "least"),
    thorough_except([("none", 0.95), ("arm", 0.85), ("wavy", 0.9), ("careless", 0.5)], ("none", 0.95)),
)
def test_the_counts_of_fields_are_right(disturbance: str, least: float) -> None:
    """In good light, most counts are certain, and none of these is wrong: with cubes in rows, pushed together or
    strewn, with the shadow of an arm, with cards that are 1 mm away from where their codes put them, and with cubes
    that stand partly beside the field."""
    source, certain, scenes = new_camera(), 0, repetitions(12, 5)
    for seed in range(scenes):
        rng = np.random.default_rng(seed)
        laid = table(rng, (careless,) if disturbance == "careless" else ARRANGEMENTS)
        frame = lit(source.render(laid.scene), good_lamp(rng), rng)
        if disturbance == "arm":
            frame = with_arm_shadow(frame, rng)
        colors = laid.token_colors(rng, 1.0 if disturbance == "wavy" else 0.0)
        for found in count_cubes(frame, to_mm(), colors, list(laid.truth)):
            assert found.certainty != "certain" or found.cubes == laid.truth[found.area], (seed, found)
            certain += found.certainty == "certain"
    assert certain >= least * scenes * len(laid.truth)


@pytest.mark.slow
def test_in_poor_light_no_field_is_certain_and_wrong() -> None:
    """In dim or tinted light and with strong compression, all certain counts are right."""
    for seed in range(repetitions(12, 5)):
        rng = np.random.default_rng(seed)
        laid = table(rng)
        frame = compressed(lit(new_camera().render(laid.scene), poor_lamp(rng), rng), 30)
        for found in count_cubes(frame, to_mm(), laid.token_colors(rng), list(laid.truth)):
            assert found.certainty != "certain" or found.cubes == laid.truth[found.area], (seed, found)


@pytest.mark.parametrize("color", COLORS)
def test_each_color_is_counted(color: str) -> None:
    """Cubes of each color are counted on a card, and an empty field is empty for certain."""
    assert count(rendered(AT_PLACE)) == CubeCount(CARD, {}, "certain")
    assert count(rendered(AT_PLACE, *cubes(AT_PLACE, color, color))) == CubeCount(CARD, {color: 2}, "certain")


@pytest.mark.parametrize("angle", [8.0, 90.0, 180.0, -65.0])
def test_a_card_may_lie_at_any_angle(angle: float) -> None:
    """The field is found from the code, at whatever angle the card lies."""
    card = replace(AT_PLACE, angle=angle)
    frame = rendered(card, *cubes(card, "orange", "blue", "black"))
    assert count(frame, card) == CubeCount(CARD, {"orange": 1, "blue": 1, "black": 1}, "certain")


def test_an_escape_sequence_with_five_cubes_is_counted() -> None:
    """Escape sequences have their code in another place than disasters, and need the most cubes."""
    card, colors = PlacedPrint(ESCAPE, 389.0, 76.0), catalog().escapes["E2"].needs
    assert count(rendered(card, *cubes(card, *colors)), card) == CubeCount(ESCAPE, dict(Counter(colors)), "certain")


@pytest.mark.parametrize(("down", "certainty"), [(9.0, "certain"), (11.5, "guessed"), (13.0, "guessed")])
def test_a_cube_at_the_edge_of_a_field(down: float, certainty: str) -> None:
    """A cube whose center is on the edge of the field counts. If it lies farther away, nobody knows whether people mean
    it to lie on the card."""
    found = count(rendered(AT_PLACE, cube_at(AT_PLACE, "red", 6.0, down)))
    assert found.certainty == certainty
    assert found.cubes == ({"red": 1} if certainty == "certain" else {})


@pytest.mark.parametrize("across", [0.0, 20.0, 40.0])
def test_a_card_over_a_field_leaves_it_uncertain(across: float) -> None:
    """If another card covers a part of a field, the count is not certain."""
    above = PlacedPrint(OTHER, PLACE[0] + across, PLACE[1] + 70.0)
    assert count(rendered(AT_PLACE, above=(above,))).certainty != "certain"


@pytest.mark.parametrize("colors", [(), ("red", "black")])
def test_print_of_a_card_below_does_not_make_a_count_uncertain(colors: tuple[str, ...]) -> None:
    """Cards overlap if a zone is full. Beside the field of the upper one, a red corner of the lower one is in view."""
    upper = replace(AT_PLACE, angle=7.4)
    lower = PlacedPrint("SF-D23", PLACE[0], PLACE[1] + 69.4, 5.0)
    scene = Scene((lower, upper), cubes(upper, *colors))
    found = count(lit(new_camera().render(scene), DAY, np.random.default_rng(1)), upper)
    assert found == CubeCount(CARD, dict(Counter(colors)), "certain")


@pytest.mark.parametrize("needs", [(), ("blue",), ("orange", "blue", "black", "green")])
def test_a_card_of_an_older_print_is_not_counted(needs: tuple[str, ...]) -> None:
    """Cards were printed without a field at first, with squares in the colors of the cubes in its place. With and
    without cubes on the squares, nothing is certain."""
    frame = rendered(AT_PLACE)
    left, top = FIELD_LEFT - 31.5, FIELD_TOP - 44.0
    right, bottom = left + FIELD_SIZE[0], top + FIELD_SIZE[1]
    with_flat(
        frame, AT_PLACE, [(left, top - 5), (right, top - 5), (right, bottom + 1), (left, bottom + 1)], (246, 242, 238)
    )
    assert count(frame).certainty != "certain"
    paints = {"blue": (200, 102, 37), "orange": (28, 138, 242), "black": (36, 31, 29), "green": (77, 143, 31)}
    for number, color in enumerate(needs):
        x = -12.6 * len(needs) / 2 + 14.2 * number
        square = [(x, top), (x + 12.6, top), (x + 12.6, top + 12.6), (x, top + 12.6)]
        with_flat(frame, AT_PLACE, square, paints[color])
    assert count(frame).certainty != "certain"


def test_a_small_card_is_not_counted() -> None:
    """A card of a small print has a smaller field in another place, so no count of it is certain, with or without
    cubes."""
    texture = printed_card(CARD)
    small = Texture(texture.image, texture.width_mm * SMALL_SCALE, texture.height_mm * SMALL_SCALE)
    source = SimulatedCamera({**textures(), f"{CARD}/front": small})
    outline = components()[CARD].outline
    assert outline
    x, y = outline.code_center
    colors = token_colors().fields[CARD].placed((PLACE[0] + x * SMALL_SCALE, PLACE[1] + y * SMALL_SCALE), 0.0)
    for tokens in ((), cubes(AT_PLACE, "red", "blue")):
        lying = tuple(replace(each, y_mm=PLACE[1] + (each.y_mm - PLACE[1]) * SMALL_SCALE) for each in tokens)
        frame = source.render(Scene((AT_PLACE,), lying))
        (found,) = count_cubes(frame, to_mm(), token_colors().with_fields_placed({CARD: colors}), [CARD])
        assert found.certainty != "certain"


def test_the_field_is_printed_where_the_data_says() -> None:
    """On every card that cubes repair, each square of the field has its print color, on a print that saves ink, too."""
    light, dark = PAVING_COLORS
    prints = [textures()[f"{PREFIX}{name}/front"] for name in (*catalog().disasters, *catalog().escapes)]
    for image in (each.image for each in (*prints, printed_card(CARD, LowInkCanvas))):
        for row in range(round(FIELD_SIZE[1] / PAVING_SQUARE_MM)):
            for column in range(round(FIELD_SIZE[0] / PAVING_SQUARE_MM)):
                x, y = FIELD_LEFT + (column + 0.5) * PAVING_SQUARE_MM, FIELD_TOP + (row + 0.5) * PAVING_SQUARE_MM
                blue, green, red = image[round(y * PX_PER_MM), round(x * PX_PER_MM)]
                assert f"#{red:02x}{green:02x}{blue:02x}" == (dark if (row + column) % 2 else light)


def test_a_field_has_its_place_relative_to_the_code() -> None:
    """A field turns and moves with its code."""
    assert MAT.token_colors
    outline = components()[CARD].outline
    assert outline
    field = MAT.token_colors.fields[CARD].placed((300.0, 200.0), 180.0)
    assert field.area[0] == pytest.approx(
        (300.0 - (FIELD_LEFT - 31.5 - outline.code_center[0]), 200.0 - (FIELD_TOP - 44.0 - outline.code_center[1]))
    )
    side = math.dist(field.area[0], field.area[1])
    assert side == pytest.approx(FIELD_SIZE[0])


class Film:
    """A watcher and a counter that process one scene of cards after another."""

    def __init__(self) -> None:
        self._watcher, self._counter = TableWatcher(component_codes(GAMES), mats_by_game(GAMES)), CountScheduler()
        self._counter.set_mat(MAT)
        self._camera, self._frames = new_camera(), 0

    def show(self, seconds: float, *cards: PlacedPrint, tokens: tuple[PlacedToken, ...] = ()) -> list[CubeCount]:
        """Shows a scene for some seconds. Returns the counts of cards that are reported in this time."""
        frame, found = self._camera.render(Scene(cards, tokens)), list[CubeCount]()
        for _ in range(round(seconds * FPS)):
            found += self._see(frame)
        return found

    def _see(self, frame: Frame) -> Iterator[CubeCount]:
        t = self._frames / FPS
        self._frames += 1
        self._watcher.process(frame, t)
        yield from (each for each in self._counter.update(frame, t, self._watcher) if each.area.startswith(PREFIX))


@pytest.mark.slow
def test_the_fields_of_the_cards_in_view_are_counted() -> None:
    """The count of a field is reported when its card has come to rest, when the cubes on it change, and again when the
    card was moved. A card that has left has no count."""
    film, other = Film(), PlacedPrint(OTHER, COLUMNS[2] + WIDTH / 2, 76.0)
    assert film.show(2.5, AT_PLACE, tokens=cubes(AT_PLACE, "blue")) == [CubeCount(CARD, {"blue": 1}, "certain")]
    assert film.show(2.5, AT_PLACE, other, tokens=cubes(AT_PLACE, "blue")) == [CubeCount(OTHER, {}, "certain")]
    both = (*cubes(AT_PLACE, "blue", "green"), *cubes(other, "red"))
    changed = film.show(2.5, AT_PLACE, other, tokens=both)
    assert {each.area: each.cubes for each in changed} == {CARD: {"blue": 1, "green": 1}, OTHER: {"red": 1}}
    moved = replace(AT_PLACE, x_mm=COLUMNS[0] + WIDTH / 2)
    found = film.show(2.5, moved, other, tokens=(*cubes(moved, "blue", "green"), *cubes(other, "red")))
    assert found[-1:] == [CubeCount(CARD, {"blue": 1, "green": 1}, "certain")]
    assert film.show(2.5, other, tokens=cubes(other, "red")) == []
