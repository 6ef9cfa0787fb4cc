"""Renders cubes on the printed mat of Traffic Congestion in many kinds of light, and gives their true counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import copy, deepcopy
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas as PdfCanvas

from companion.drawing.canvas import Canvas
from companion.games.game import Game
from companion.games.traffic_congestion.board import CAPACITY, COLORS
from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.mat_street_geometry import LaneGeometry, StreetPlan, street_plan
from companion.games.traffic_congestion.signal_dimensions import signal_side
from companion.printing.printable_components import draw_mat
from companion.printing.raster import rendered_pages
from companion.tabletop.mat import Mat, Point
from companion.tabletop.token_colors import TokenColors
from tests.traffic_positions import begin
from vision.geometry import Frame, Points
from vision.simulated_camera import (
    NOISE_MARGIN_PX,
    PlacedPrint,
    PlacedToken,
    Scene,
    SimulatedCamera,
    Texture,
    Textures,
    placement_matrix,
)

PX_PER_MM = 4.0
CODE_RATIO = 20 / 34
"""The side of the code on a tile, relative to that of the tile."""
BOARD = "grid-2x2"
GAMMA = 2.2
"""The exponent that converts gray levels to linear light."""


@cache
def game(board: str = BOARD) -> Game[Any]:
    """The game with the components of a board."""
    return GAME.on_board(GAME.rules.begin(2, GAME.rules.resolve_setup({"board": board})))


@cache
def mat(board: str = BOARD) -> Mat:
    found = game(board).physical.components.mat
    assert found is not None
    return found


def token_colors(board: str = BOARD) -> TokenColors:
    found = mat(board).token_colors
    assert found is not None
    return found


@cache
def laid_out(board: str = BOARD) -> StreetPlan:
    return street_plan(begin(board=board).network)


def lanes(board: str = BOARD) -> dict[str, LaneGeometry]:
    """The lanes in which cars are counted, by name."""
    return {name: laid_out(board).lanes[name] for name in token_colors(board).areas}


@cache
def textures(board: str = BOARD) -> Textures:
    """The textures of the printed mat, and of a tile with a code in an ink frame."""
    tile = np.full((136, 136, 3), (144, 70, 29), np.uint8)
    tile[28:108, 28:108] = 255
    side = signal_side(laid_out(board))
    return {"mat": printed_mat(game(board)), "tile/front": Texture(tile, side, side)}


def printed_mat(game: Game[Any], canvas_type: type[Canvas] = Canvas) -> Texture:
    """The print of a game's mat on a canvas of this type."""
    mat, buffer = game.physical.components.mat, BytesIO()
    assert mat is not None
    pdf = PdfCanvas(buffer, pagesize=(mat.size[0] * mm, mat.size[1] * mm))
    draw_mat(game, canvas_type(pdf))
    pdf.save()
    (picture,) = rendered_pages(buffer.getvalue(), PX_PER_MM)
    return Texture(picture, *mat.size)


def new_camera(board: str = BOARD) -> SimulatedCamera:
    """A camera whose noise doesn't depend on what other tests have rendered. The images that a camera renders in
    advance take a second, so all cameras share them."""
    found = copy(_unused_camera(board))
    found._rng = deepcopy(found._rng)
    return found


@cache
def _unused_camera(board: str) -> SimulatedCamera:
    return SimulatedCamera(textures(board))


@cache
def camera() -> SimulatedCamera:
    return new_camera()


def to_mm() -> Points:
    return np.asarray(np.linalg.inv(camera().to_px), float)


def stand(
    lane: str, colors: Iterable[str], rng: np.random.Generator, *, touching: bool = False, board: str = BOARD
) -> Iterator[PlacedToken]:
    """Yields cars in a lane as people place them by hand: near their marks, or `touching` each other."""
    geometry, back = lanes(board)[lane], 4.5
    for color, (place, right) in zip(colors, geometry.car_offsets, strict=False):
        if touching and geometry.is_single_file:
            at, turn = geometry.point(back, rng.normal(0, 0.5)), geometry.heading + rng.normal(0, 1.5)
            back += 8.15 + abs(rng.normal(0, 1.0))
        else:
            at = geometry.point(place + rng.normal(0, 0.3), right + rng.normal(0, 0.3))
            turn = geometry.heading + rng.normal(0, 5)
        yield PlacedToken(color, *at, turn)


def tile(lane: str, board: str = BOARD) -> PlacedPrint:
    """A signal tile at the end of a lane."""
    geometry = lanes(board)[lane]
    return PlacedPrint("tile", *geometry.point(-geometry.width / 2), geometry.heading)


def places(lane: str, board: str = BOARD) -> tuple[tuple[Point, float], ...]:
    """The places of the cars in a full queue and their angles, in degrees."""
    geometry = lanes(board)[lane]
    return tuple((geometry.point(*offset), geometry.heading) for offset in geometry.car_offsets)


def code_of(placement: PlacedPrint, board: str = BOARD) -> Points:
    """The corners of the code on a tile, in pixels."""
    half = signal_side(laid_out(board)) * CODE_RATIO / 2
    square = np.array([[-half, -half, 1], [half, -half, 1], [half, half, 1], [-half, half, 1]])
    return np.asarray(
        cv2.perspectiveTransform((square @ placement_matrix(placement).T)[None, :, :2], camera().to_px)[0]
    )


@dataclass(frozen=True)
class CubeTable:
    scene: Scene
    truth: Mapping[str, Mapping[str, int]]
    codes: tuple[Points, ...]


def table(rng: np.random.Generator, board: str = BOARD) -> CubeTable:
    """A random table: cars in all lanes, half of the lanes with touching cars, often of one color. Half of the lanes
    end at a signal."""
    tokens: list[PlacedToken] = []
    truth, tiles = {}, []
    for lane in lanes(board):
        colors = [str(color) for color in rng.choice(COLORS, rng.integers(CAPACITY + 1))]
        if rng.random() < 0.4:
            colors = colors[:1] * len(colors)
        tokens += stand(lane, colors, rng, touching=bool(rng.random() < 0.5), board=board)
        truth[lane] = dict(Counter(colors))
        tiles += [tile(lane, board)] * bool(rng.random() < 0.5)
    return CubeTable(Scene(tuple(tiles), tuple(tokens)), truth, tuple(code_of(each, board) for each in tiles))


@dataclass(frozen=True)
class Lamp:
    """A light. `tint` is the gain of blue, green and red. `slope` is the logarithmic falloff across and down the frame.
    `blur` (px) and `noise` (gray levels) are standard deviations."""

    tint: tuple[float, float, float] = (1.0, 1.0, 1.0)
    exposure: float = 1.0
    slope: tuple[float, float] = (0.0, 0.0)
    blur: float = 0.4
    noise: float = 1.0


def good_lamp(rng: np.random.Generator) -> Lamp:
    """A random light that is good enough to count in: warm or cold, from any side, with an exposure down to about a
    half."""
    tint = (rng.uniform(0.6, 1.1), rng.uniform(0.85, 1.0), rng.uniform(0.75, 1.15))
    slope = (rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5))
    return Lamp(tint, rng.uniform(0.55, 1.1), slope, rng.uniform(0.3, 0.9), rng.uniform(0, 4))


def poor_lamp(rng: np.random.Generator) -> Lamp:
    """A random light that is too poor to count in: dim, strongly tinted, out of focus and noisy."""
    tint = (rng.uniform(0.2, 1.3), rng.uniform(0.6, 1.0), rng.uniform(0.6, 1.4))
    slope = (rng.uniform(-1, 1), rng.uniform(-1, 1))
    return Lamp(tint, 10 ** rng.uniform(-1.8, 0.0), slope, rng.uniform(0.5, 2.0), rng.uniform(2, 10))


def lit(frame: Frame, lamp: Lamp, rng: np.random.Generator) -> Frame:
    """The frame in the light of this lamp: scales the linear light, and applies the camera's gamma. A falloff is
    multiplied afterwards, as a power of itself, because that takes less time than a gamma for each pixel."""
    h, w = frame.shape[:2]
    linear = ((np.arange(256) / 255) ** GAMMA)[:, None] * np.array(lamp.tint) * lamp.exposure
    seen = cv2.LUT(frame, (255 * linear ** (1 / GAMMA)).astype(np.float32)[:, None])
    if any(lamp.slope):
        across, down = (np.linspace(-0.5, 0.5, n, dtype=np.float32) for n in (w, h))
        slope = np.exp((lamp.slope[0] * across[None, :] + lamp.slope[1] * down[:, None]) / GAMMA)
        cv2.multiply(seen, cv2.merge([slope.astype(np.float32)] * 3), dst=seen)
    seen = cv2.GaussianBlur(np.minimum(seen, 255, out=seen), (0, 0), lamp.blur)
    y, x = rng.integers(NOISE_MARGIN_PX, size=2)
    seen = cv2.scaleAdd(_noise_field(frame.shape)[y : y + h, x : x + w], lamp.noise, seen)
    return np.clip(seen, 0, 255, out=seen).astype(np.uint8)


@cache
def _noise_field(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Gaussian noise with the standard deviation 1, a little wider and higher than a frame of this shape."""
    h, w, channels = shape
    return np.random.default_rng(1).standard_normal((h + NOISE_MARGIN_PX, w + NOISE_MARGIN_PX, channels), np.float32)


def compressed(frame: Frame, quality: int) -> Frame:
    """The frame as a webcam sends it: as a JPEG of this quality."""
    encoded = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    return np.asarray(cv2.imdecode(encoded, cv2.IMREAD_COLOR), np.uint8)


def with_arm_shadow(frame: Frame, rng: np.random.Generator) -> Frame:
    """The frame with the shadow of an arm: a straight band with sharp edges, in which 0.35 to 0.6 of the light is
    left."""
    height, width = frame.shape[:2]
    angle, x, y = rng.uniform(0, np.pi), rng.uniform(0.25, 0.75) * width, rng.uniform(0.25, 0.75) * height
    across, down = np.arange(width) - x, np.arange(height)[:, None] - y
    is_dark = np.abs(across * np.sin(angle) - down * np.cos(angle)) < rng.uniform(40, 110)
    light = cv2.GaussianBlur(np.where(is_dark, rng.uniform(0.35, 0.6), 1.0).astype(np.float32), (0, 0), 2)
    linear = cv2.LUT(frame, ((np.arange(256) / 255) ** 2.2).astype(np.float32)) * light[:, :, None]
    return (linear ** (1 / 2.2) * 255).astype(np.uint8)


def shifted(to_mm: Points, distance_mm: float, rng: np.random.Generator) -> Points:
    """The homography `to_mm` with an error: everything seems to be `distance_mm` away from its place, in a random
    direction."""
    angle = rng.uniform(0, 2 * np.pi)
    error = np.array([[1, 0, np.cos(angle) * distance_mm], [0, 1, np.sin(angle) * distance_mm], [0, 0, 1]])
    return np.asarray(error @ to_mm, float)
