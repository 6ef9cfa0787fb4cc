"""Renders tables whose codes are known exactly: the data set on which the constants of code reading are measured.

A pinhole camera, 66 degrees wide, sees 900 mm of a table in 1920 x 1080 pixels. On the table lie cards with codes of
ours, cards with foreign QR codes, cards without a code, and cubes. The codes are as large as the wanted pixels per
module require. All lengths are millimeters on the table, measured from its top left corner, unless they are called
`px`. Pictures are gray, and depend only on their seed.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import cv2
import numpy as np
import segno
from numpy.typing import NDArray

from companion.component_qr_codes import MODULES, matrix, payload
from companion.games import GAMES
from companion.printing.options import PrintOptions
from companion.printing.printable_components import printables
from vision.cubes.cube_rendering import draw_cube, draw_shadow
from vision.geometry import Frame, GrayImage, Matrix, Points, clip_box
from vision.known_codes import component_codes
from vision.simulated_camera import (
    PlacedPrint,
    Texture,
    component_patch,
    placement_matrix,
    texture_matrix,
)
from vision.tracking.distortion import RadialDistortion

Random = np.random.Generator
Range = tuple[float, float]
Floats = NDArray[np.float32]

SIZE = (1920, 1080)
TABLE_WIDTH_MM = 900.0
FIELD_OF_VIEW_DEG = 66.0
CARD_MM = (63.0, 88.0)
QUIET_MODULES = 4
GRID = (7, 4)
"""The columns and rows of the grid in which cards lie, each a little off its cell's center."""
KNOWN_CARDS, FOREIGN_CARDS, PLAIN_CARDS = 20, 5, 3
"""The number of cards on a table with a code of ours, with a foreign code, and without a code."""
MIN_TEXTURE_PX_PER_MM = 5.0
COVER_EDGE_SHARE = (0.25, 0.55)
"""The edge of a cube that lies on a code, as a share of the code's side."""
MIN_GLARE_CONTRAST = 1 / 3
"""Where a reflection leaves less than this share of the contrast, a code counts as covered."""
WORDS = (
    "draw",
    "two",
    "cards",
    "repair",
    "one",
    "system",
    "lose",
    "the",
    "orange",
    "cube",
    "end",
    "your",
    "turn",
    "zone",
)
LIGHT_STRIDE_PX = 8
"""Light and reflections are computed at every eighth pixel."""


@dataclass(frozen=True)
class Preset:
    """How bad the pictures of a data set are. Values are drawn from ranges, all with equal probability; shares are
    probabilities."""

    tilt_deg: Range
    blur_px: Range
    motion_share: float
    motion_px: Range
    noise: Range
    gradient: float
    """The share of the light that is missing at the darkest edge of the picture, about."""
    shadow_share: float
    glare_share: float
    cube_share: float
    """The share of codes on which a cube lies."""
    jpeg_share: float
    distortion: Range = (0.0, 0.0)
    """The coefficient of radial distortion, as in `RadialDistortion`: positive for a barrel."""
    jpeg_quality: tuple[int, int] = (70, 92)


PRESETS: Mapping[str, Preset] = {
    "typical": Preset((0, 15), (0.5, 0.8), 0.15, (1, 2.5), (2.5, 4.5), 0.25, 0.5, 0.4, 0.25, 0.5),
    "hard": Preset((15, 25), (0.8, 1.2), 0.5, (2, 4), (4, 7), 0.45, 1.0, 1.0, 0.4, 1.0, (-0.06, 0.1)),
}
PICTURE_KINDS = (
    ("typical", 1.5),
    ("hard", 2.5),
    ("typical", 2.5),
    ("hard", 2.0),
    ("typical", 1.25),
    ("hard", 3.0),
    ("typical", 2.0),
    ("hard", 4.0),
    ("typical", 3.5),
    ("hard", 1.75),
)
"""The preset and the pixels per module of each picture, by turns."""
MAT_MARGIN_MM = 80.0
"""How much of the table is in the picture on the left and right of a mat."""
PLACEMENTS_OF_A_GAME = 20
"""The number of components on a table of a game."""


@dataclass(frozen=True, eq=False)
class TrueCode:
    """A code in a picture. `id` is None for a foreign code. `corners` (4 x 2, px) are as in `Code`. `visible` is the
    share of the code and one module around it that nothing covers, not even a reflection."""

    id: str | None
    corners: Points
    visible: float


@dataclass(frozen=True, eq=False)
class TablePicture:
    """A picture with its codes."""

    gray: GrayImage
    codes: tuple[TrueCode, ...]
    preset: str


@dataclass(frozen=True, eq=False)
class Card:
    """A printed card. `corners` (4 x 2) are those of its code, in pixels of the texture; None without a code."""

    texture: Texture
    id: str | None
    corners: Points | None


def card_tables(count: int, seed: int) -> Iterator[TablePicture]:
    """Yields pictures of tables full of cards, with the presets and sizes of `PICTURE_KINDS` by turns."""
    for number in range(count):
        rng = np.random.default_rng((seed, number))
        yield card_table(rng, *PICTURE_KINDS[number % len(PICTURE_KINDS)])


def card_table(rng: Random, preset: str, module_px: float) -> TablePicture:
    """A table with cards of all kinds, all with codes of one size: `module_px` pixels per module in the middle of the
    picture."""
    code_mm = module_px * MODULES * TABLE_WIDTH_MM / SIZE[0]
    ids = rng.choice(sorted(known_ids()), KNOWN_CARDS, replace=False)
    cards = [
        *(printed_card(rng, str(id), modules_of(str(id)), code_mm) for id in ids),
        *(printed_card(rng, None, foreign_modules(rng), code_mm) for _ in range(FOREIGN_CARDS)),
        *(printed_card(rng, None, None, code_mm) for _ in range(PLAIN_CARDS)),
    ]
    spots = scattered_spots(rng)[: len(cards)]
    placements = [PlacedPrint(str(n), x, y, rng.uniform(0, 360)) for n, (x, y) in enumerate(spots)]
    return render_table(rng, preset, cards, placements, code_mm)


def game_tables(game: str, count: int, seed: int, small: bool = False) -> Iterator[TablePicture]:
    """Yields pictures of the mat's corner codes and some components of a game, with codes as large as they are printed.
    All components lie apart from each other; the table is as large as the mat with a margin. `small`: whether cards are
    printed small."""
    mat = GAMES[game].physical.components.mat
    assert mat
    sizes = printed_sizes(game, small)
    for number in range(count):
        rng = np.random.default_rng((seed, number, len(sizes)))
        # The smaller codes are few, but must not be missing.
        order = sorted(rng.permutation(sorted(sizes)), key=lambda id: sizes[id] != min(sizes.values()))
        ids = [*order[:5], *rng.permutation(order[5:])[: PLACEMENTS_OF_A_GAME - 5]]
        cards = [sticker(corner.id, corner.code_mm) for corner in mat.corners]
        cards += [sticker(str(id), sizes[id]) for id in ids]
        scale = TABLE_WIDTH_MM / (mat.size[0] + 2 * MAT_MARGIN_MM)
        top = (TABLE_WIDTH_MM * SIZE[1] / SIZE[0] / scale - mat.size[1]) / 2
        spots = [((x + MAT_MARGIN_MM) * scale, (y + top) * scale) for x, y in (corner.center for corner in mat.corners)]
        inside = [spot for spot in scattered_spots(rng) if min(math.dist(spot, other) for other in spots) > 80]
        placements = [
            PlacedPrint(str(n), x, y, rng.uniform(0, 360)) for n, (x, y) in enumerate([*spots, *inside][: len(cards)])
        ]
        preset = ("typical", "hard")[number % 2]
        yield render_table(rng, preset, cards[: len(placements)], placements, 25.0, scale)


def dense_table(seed: int) -> TablePicture:
    """A table with 240 codes side by side, at 2.5 pixels per module."""
    rng = np.random.default_rng((seed, 240))
    code_mm = 2.5 * MODULES * TABLE_WIDTH_MM / SIZE[0]
    cards = [sticker(id, code_mm) for id in sorted(known_ids())[:240]]
    step = TABLE_WIDTH_MM / 20
    placements = [
        PlacedPrint(str(n), (n % 20 + 0.5) * step, (n // 20 + 0.5) * 42, 90.0 * rng.integers(4) + rng.uniform(-4, 4))
        for n in range(len(cards))
    ]
    return render_table(rng, "typical", cards, placements, code_mm)


@cache
def known_ids() -> frozenset[str]:
    return component_codes()


@cache
def printed_sizes(game: str, small: bool) -> dict[str, float]:
    """The side of the code of each component of a game, in mm. `small`: whether cards are printed small."""
    coded = printables(GAMES[game], PrintOptions(small=small))
    return {each.component.id: each.code_mm for each in coded if each.code_mm}


def scattered_spots(rng: Random) -> list[tuple[float, float]]:
    """The centers of the cards: the cells of a grid in random order, each center a little off."""
    columns, rows = GRID
    width, height = TABLE_WIDTH_MM / columns, TABLE_WIDTH_MM * SIZE[1] / SIZE[0] / rows
    cells = rng.permutation(columns * rows)
    off = rng.uniform(-1, 1, (len(cells), 2)) * 12
    return [
        ((cell % columns + 0.5) * width + dx, (cell // columns + 0.5) * height + dy)
        for cell, (dx, dy) in zip(cells, off, strict=True)
    ]


def modules_of(id: str) -> Frame:
    """The modules of one of our codes: 1 for a dark module."""
    return np.array([[int(bit) for bit in row] for row in matrix(id)], np.uint8)


def foreign_modules(rng: Random) -> Frame:
    """The modules of a foreign code: in half of the cases that of a known text with one character changed, otherwise a
    random text or a longer address, in a larger code."""
    letters = list(string.ascii_uppercase + string.digits)
    characters = list(payload(str(rng.choice(sorted(known_ids())))))
    if rng.random() < 0.5:
        characters[int(rng.integers(3, len(characters)))] = str(rng.choice(letters))
    elif rng.random() < 0.5:
        characters = [str(letter) for letter in rng.choice(letters, rng.integers(6, 12))]
    else:
        return qr_modules("HTTPS://EXAMPLE.ORG/" + "".join(rng.choice(letters, rng.integers(3, 30))))
    text = "".join(characters)
    return foreign_modules(rng) if text.removeprefix("TK:") in known_ids() else qr_modules(text)


def qr_modules(text: str) -> Frame:
    """The modules of a code of any text, at the error level of our codes."""
    code = segno.make_qr(text, error="q", boost_error=False)
    return np.array([[module & 1 for module in row] for row in code.matrix], np.uint8)


def smooth_noise(rng: Random, width: int, height: int, feature_x: float, feature_y: float | None = None) -> Floats:
    """Smooth noise with a standard deviation of about 1 and features of this size in pixels."""
    shape = (max(2, int(height / (feature_y or feature_x)) + 2), max(2, int(width / feature_x) + 2))
    small = rng.standard_normal(shape).astype(np.float32)
    return np.asarray(cv2.resize(small, (width, height), interpolation=cv2.INTER_CUBIC), np.float32)


def printed_card(rng: Random, id: str | None, modules: Frame | None, code_mm: float) -> Card:
    """A card with a title, a picture, some text and, unless `modules` is None, a code on its white sticker."""
    per_module = math.ceil(MIN_TEXTURE_PX_PER_MM * code_mm / MODULES)
    scale = per_module * MODULES / code_mm
    width, height = (round(side * scale) for side in CARD_MM)
    paper = rng.uniform(90, 225)
    image = np.clip(paper + 3 * smooth_noise(rng, width, height, 40), 0, 255).astype(np.uint8)
    sticker_height = round(code_mm * scale * (1 + 2 * QUIET_MODULES / MODULES)) if modules is not None else 0
    draw_print(rng, image[: height - sticker_height - round(3 * scale)], paper, scale)
    if modules is None:
        return Card(bgr_texture(image, *CARD_MM), None, None)
    # A larger code has smaller modules, so that all codes are about as large.
    module = max(2, round(per_module * MODULES / modules.shape[0]))
    ink = code_image(rng, modules, module)
    side = len(ink)
    left = int(rng.integers(max(1, width - side + 1)))
    top = max(0, height - side - round(1.5 * scale))
    image[top : top + side, left : left + side] = ink[: height - top, : width - left]
    start = np.array([left, top]) + QUIET_MODULES * module - 0.5
    return Card(bgr_texture(image, *CARD_MM), id, start + square(module * modules.shape[0]))


def sticker(id: str, code_mm: float) -> Card:
    """One of our codes on nothing but its white sticker."""
    per_module = math.ceil(MIN_TEXTURE_PX_PER_MM * code_mm / MODULES)
    image = code_image(np.random.default_rng(1), modules_of(id), per_module)
    side_mm = code_mm * image.shape[0] / (MODULES * per_module)
    corners = QUIET_MODULES * per_module - 0.5 + square(per_module * MODULES)
    return Card(bgr_texture(image, side_mm, side_mm), id, corners)


def code_image(rng: Random, modules: Frame, module_px: int) -> GrayImage:
    """A code with its quiet zone, printed in ink of a random tone."""
    paper, ink = rng.uniform(205, 240), rng.uniform(20, 50)
    tones = np.where(np.pad(modules, QUIET_MODULES) > 0, ink, paper).astype(np.uint8)
    return np.asarray(np.kron(tones, np.ones((module_px, module_px), np.uint8)))


def square(side: float) -> Points:
    """The corners of a square: top left, top right, bottom right, bottom left."""
    return np.array([[0, 0], [side, 0], [side, side], [0, side]], float)


def bgr_texture(gray: GrayImage, width_mm: float, height_mm: float) -> Texture:
    return Texture(np.asarray(cv2.merge([gray] * 3), np.uint8), width_mm, height_mm)


def draw_print(rng: Random, image: GrayImage, paper: float, scale: float) -> None:
    """Fills a part of a card with a title on a dark bar, a picture of random shapes, and lines of small text. `scale`:
    pixels per mm."""
    height, width = image.shape
    bar, font = round(8 * scale), cv2.FONT_HERSHEY_DUPLEX
    margin = round(3 * scale)
    cv2.rectangle(image, (margin, margin), (width - margin, margin + bar), paper * 0.5, -1)
    title, size = " ".join(rng.choice(WORDS, 2)), scale / 6
    cv2.putText(image, title, (2 * margin, margin + round(bar * 0.7)), font, size, 235, 1, cv2.LINE_AA)
    top = margin * 2 + bar
    middle = top + max(0, (height - top) // 2)
    picture = image[top:middle, margin : width - margin]
    if picture.size:
        rows, columns = picture.shape
        picture[:] = np.clip(rng.uniform(60, 190) + 25 * smooth_noise(rng, columns, rows, 12 * scale), 0, 255)
        for _ in range(rng.integers(2, 7)):
            at, tone = (int(rng.integers(columns)), int(rng.integers(rows))), rng.uniform(20, 230)
            if rng.random() < 0.5:
                thickness = -1 if rng.random() < 0.7 else round(scale)
                cv2.circle(picture, at, round(rng.uniform(1, 8) * scale), tone, thickness, cv2.LINE_AA)
            else:
                end = (at[0] + round(rng.uniform(3, 20) * scale), at[1] + round(rng.uniform(2, 9) * scale))
                cv2.rectangle(picture, at, end, tone, -1)
    for y in range(middle + round(4 * scale), height, round(3.5 * scale)):
        words = " ".join(rng.choice(WORDS, 7))
        cv2.putText(image, words, (margin, y), font, scale / 11, 30, 1, cv2.LINE_AA)


def render_table(
    rng: Random,
    preset_name: str,
    cards: Sequence[Card],
    placements: Sequence[PlacedPrint],
    code_mm: float,
    scale: float = 1.0,
) -> TablePicture:
    """A picture of the cards at their places, with the disturbances of a preset. Cubes lie on some of the codes.
    `code_mm`: the side of most codes. `scale`: how much smaller the table is than `TABLE_WIDTH_MM`; cards and codes are
    drawn this much larger."""
    preset = PRESETS[preset_name]
    projection = tilted_projection(rng, preset)
    table_to_px = projection[:, [0, 1, 3]]
    background = table_background(rng)
    frame, owner = np.asarray(cv2.merge([background] * 3), np.uint8), np.zeros(SIZE[::-1], np.uint8)
    textures = {f"{n}/front": scaled(card.texture, scale) for n, card in enumerate(cards)}
    quads = list[Points | None]()
    for number, (card, placement) in enumerate(zip(cards, placements, strict=True)):
        texture = textures[f"{number}/front"]
        if patch := component_patch(textures, table_to_px, SIZE, placement):
            patch.draw(frame)
        to_px = table_to_px @ placement_matrix(placement) @ texture_matrix(texture)
        height, width = texture.image.shape[:2]
        outline = warp(np.array([[0.0, 0], [width, 0], [width, height], [0, height]], float) - 0.5, to_px)
        cv2.fillConvexPoly(owner, np.round(outline).astype(np.int32), number + 1)
        quads.append(None if card.corners is None else warp(card.corners, to_px))
    to_mm = np.asarray(np.linalg.inv(table_to_px), float)
    on = [warp(quad, to_mm).mean(0) for quad in quads if quad is not None and rng.random() < preset.cube_share]
    draw_cubes(rng, frame, owner, projection, on, code_mm * scale)
    light, glare = light_and_glare(rng, preset)
    # White paper has a gray level of about 220, ink 35.
    owner[185 * light * (1 - MIN_GLARE_CONTRAST) < 220 * light + glare - 255] = 0
    lens = RadialDistortion(rng.uniform(*preset.distortion), SIZE)
    sharp, owner = (through_lens(lens, each) for each in (frame[:, :, 0] * light + glare, owner))
    quads = [None if quad is None else lens.distort(quad) for quad in quads]
    gray = expose(rng, preset, sharp)
    codes = [
        TrueCode(card.id, quad, visible_share(owner, number + 1, quad))
        for number, (card, quad) in enumerate(zip(cards, quads, strict=True))
        if quad is not None
    ]
    return TablePicture(gray, tuple(codes), preset_name)


def scaled(texture: Texture, scale: float) -> Texture:
    return Texture(texture.image, texture.width_mm * scale, texture.height_mm * scale)


def warp(points: Points, homography: Matrix) -> Points:
    """The points (n x 2), mapped by a homography."""
    return np.asarray(cv2.perspectiveTransform(points[None], homography)[0])


def tilted_projection(rng: Random, preset: Preset) -> Matrix:
    """The 3 x 4 projection from homogeneous (x, y, height, 1) in mm to pixels. The camera is tilted in a random
    direction."""
    w, h = SIZE
    focal = w / 2 / math.tan(math.radians(FIELD_OF_VIEW_DEG / 2))
    axis, tilt = rng.uniform(0, 2 * math.pi), math.radians(rng.uniform(*preset.tilt_deg))
    turn = cv2.Rodrigues(np.array([math.cos(axis) * tilt, math.sin(axis) * tilt, 0.0]))[0]
    extrinsics = np.column_stack([turn[:, 0], turn[:, 1], -turn[:, 2], (0, 0, focal * TABLE_WIDTH_MM / w)])
    center = (TABLE_WIDTH_MM / 2, TABLE_WIDTH_MM * h / w / 2)
    centering = np.array([[1, 0, 0, -center[0]], [0, 1, 0, -center[1]], [0, 0, 1, 0], [0, 0, 0, 1]])
    intrinsics = np.array([[focal, 0, (w - 1) / 2], [0, focal, (h - 1) / 2], [0, 0, 1]])
    return np.asarray(intrinsics @ extrinsics @ centering, float)


def through_lens(lens: RadialDistortion, image: NDArray[Any]) -> NDArray[Any]:
    """An image as a distorting lens shows it. Numbers of cards are not mixed."""
    if not lens.coefficient:
        return image
    w, h = SIZE
    # Exact to a thousandth of a pixel, and much faster than for every pixel.
    x, y = (np.linspace(0, side - 1, side // 8 + 1) for side in SIZE)
    coarse = lens.undistort(np.stack(np.meshgrid(x, y), 2).reshape(-1, 2)).reshape(len(y), len(x), 2)
    to_coarse = [np.linspace(0, len(axis) - 1, side, dtype=np.float32) for axis, side in ((x, w), (y, h))]
    grid_x, grid_y = np.meshgrid(*to_coarse)
    at_x, at_y = (cv2.remap(coarse[..., k].astype(np.float32), grid_x, grid_y, cv2.INTER_LINEAR) for k in (0, 1))
    method = cv2.INTER_NEAREST if image.dtype == np.uint8 else cv2.INTER_LINEAR
    return np.asarray(cv2.remap(image, at_x, at_y, method, borderMode=cv2.BORDER_REPLICATE))


def table_background(rng: Random) -> GrayImage:
    """A bare table: wood with fibers, cloth with a weave, or plain laminate."""
    w, h = SIZE
    material, base = rng.integers(3), rng.uniform(45, 200)
    grain = 4 * smooth_noise(rng, w, h, 500)
    if material == 0:
        grain += 7 * smooth_noise(rng, w, h, 340, 2.5) + 5 * smooth_noise(rng, w, h, 130, 8)
        for y in np.arange(rng.uniform(0, 200), h, rng.uniform(170, 300)):
            cv2.line(grain, (0, int(y)), (w, int(y)), -35.0, 1)
    elif material == 1:
        grain += 4 * smooth_noise(rng, w, h, 2)
    return np.asarray(np.clip(base + grain * (base / 130 + 0.2), 0, 255), np.uint8)


def draw_cubes(
    rng: Random, frame: Frame, owner: Frame, projection: Matrix, on: Sequence[Points], code_mm: float
) -> None:
    """Draws a cube near each of the points `on` (mm), which are centers of codes, and marks in `owner` what it
    covers."""
    covered = np.zeros_like(owner)
    for center in on:
        x, y = center + rng.uniform(-0.6, 0.6, 2) * code_mm
        angle, edge, tone = rng.uniform(0, 90), rng.uniform(*COVER_EDGE_SHARE) * code_mm, rng.uniform(20, 230)
        draw_shadow(frame, projection, x, y, angle, edge)
        draw_cube(frame, projection, x, y, angle, edge, (tone, tone, tone))
        draw_cube(covered, projection, x, y, angle, edge, (255.0, 255.0, 255.0))
    owner[covered > 0] = 0


def light_and_glare(rng: Random, preset: Preset) -> tuple[Floats, Floats]:
    """The light at each pixel as a factor, and the gray levels that reflections add."""
    w, h = SIZE
    y, x = np.mgrid[0:h:LIGHT_STRIDE_PX, 0:w:LIGHT_STRIDE_PX].astype(np.float32)
    u, v, source = x / w - 0.5, y / h - 0.5, rng.uniform(0, 2 * math.pi)
    slope = 0.5 + u * math.cos(source) + v * math.sin(source)
    light = (1 - preset.gradient * rng.uniform(0.7, 1.2) * slope) * (1 - 0.4 * preset.gradient * (u * u + v * v))
    for _ in range(2 if rng.random() < preset.shadow_share else 0):
        mask, angles = np.zeros_like(light), np.sort(rng.uniform(0, 2 * math.pi, 9))
        reach = rng.uniform(0.1, 0.3) * w / LIGHT_STRIDE_PX * rng.uniform(0.7, 1.1, 9)
        outline = np.column_stack([np.cos(angles), np.sin(angles)]) * reach[:, None]
        outline += rng.uniform(0, 1, 2) * mask.shape[::-1]
        cv2.fillPoly(mask, [outline.astype(np.int32)], 1.0)
        light *= 1 - rng.uniform(0.3, 0.55) * cv2.GaussianBlur(mask, (0, 0), rng.uniform(1, 5))
    glare = np.zeros_like(light)
    for _ in range(rng.integers(1, 4) if rng.random() < preset.glare_share else 0):
        spot = np.zeros_like(light)
        at = tuple(int(share * side) for share, side in zip(rng.uniform(0, 1, 2), spot.shape[::-1], strict=True))
        axes = (int(rng.uniform(2, 8)), int(rng.uniform(1, 4)))
        cv2.ellipse(spot, at, axes, rng.uniform(0, 180), 0, 360, rng.uniform(80, 220), -1)
        glare += cv2.GaussianBlur(spot, (0, 0), rng.uniform(1, 3)) + 0.4 * cv2.GaussianBlur(spot, (0, 0), 8)
    full_light, full_glare = (np.asarray(cv2.resize(each, (w, h)), np.float32) for each in (light, glare))
    return full_light, full_glare


def expose(rng: Random, preset: Preset, sharp: Floats) -> GrayImage:
    """What the sensor makes of the light that falls on the lens: blur, motion blur, noise and JPEG."""
    seen = cv2.GaussianBlur(sharp.astype(np.float32), (0, 0), rng.uniform(*preset.blur_px))
    if rng.random() < preset.motion_share:
        seen = cv2.filter2D(seen, -1, motion_kernel(rng.uniform(*preset.motion_px), rng.uniform(0, math.pi)))
    seen = seen + rng.standard_normal(seen.shape, np.float32) * np.float32(rng.uniform(*preset.noise))
    gray = np.clip(seen, 0, 255).astype(np.uint8)
    if rng.random() < preset.jpeg_share:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(*preset.jpeg_quality))]
        gray = np.asarray(cv2.imdecode(cv2.imencode(".jpg", gray, quality)[1], cv2.IMREAD_GRAYSCALE), np.uint8)
    return np.asarray(gray, np.uint8)


def motion_kernel(length_px: float, angle: float) -> Floats:
    """The kernel of a motion blur along a line, `angle` in radians."""
    fine, side = 10, 11
    large = np.zeros((fine * side, fine * side), np.float32)
    step = np.array([math.cos(angle), math.sin(angle)]) * length_px * fine / 2
    middle = np.full(2, fine * side / 2)
    start, end = (tuple(int(each) for each in middle + sign * step) for sign in (-1, 1))
    cv2.line(large, start, end, 1.0, 3)
    kernel = cv2.resize(large, (side, side), interpolation=cv2.INTER_AREA)
    return np.asarray(kernel / kernel.sum(), np.float32)


def visible_share(owner: Frame, number: int, quad: Points) -> float:
    """The share of a code and one module around it that belongs to its card in the picture."""
    grown = quad.mean(0) + (quad - quad.mean(0)) * (1 + 2 / MODULES)
    low, high = np.floor(grown.min(0)).astype(int) - 1, np.ceil(grown.max(0)).astype(int) + 2
    mask = np.zeros((high - low)[::-1], np.uint8)
    cv2.fillConvexPoly(mask, np.round(grown - low).astype(np.int32), 1)
    x0, y0, x1, y1 = clip_box((int(low[0]), int(low[1]), int(high[0]), int(high[1])), owner.shape)
    if x0 >= x1 or y0 >= y1:
        return 0.0
    inside = mask[y0 - low[1] : y1 - low[1], x0 - low[0] : x1 - low[0]]
    return float((inside * (owner[y0:y1, x0:x1] == number)).sum() / mask.sum())
