"""Renders what a camera above the mat would see, from the images of the print sheets.

Law: no I/O except in `TextureFolder`, no clock; the noise comes from a seeded generator. Positions are millimeters on
the mat. The last scene is cached without its noise: rendering the same scene again only adds fresh noise to a copy, and
light and blur are computed only where the next scene differs. The noise of a seed is cached for all cameras of the
process.
"""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.tabletop.mat import Point
from vision.cubes.cube_rendering import draw_cube, draw_shadow, fill_polygon
from vision.geometry import Frame, Matrix, PixelBox, Points, clip_box

FRAME_SIZE = (1600, 900)
"""The width and height of a frame. With a mat of 608 mm, codes of 25 mm have 2.8 px per module."""
DEFAULT_SEED = 1
MARGIN_MM = 36.0
"""How much of the table is in the frame on each side of the mat."""
TILT_DEG = 5.0
FIELD_OF_VIEW_DEG = 60.0
NOISE_SIGMA = 3.0
BLUR_SIGMA_PX = 0.6
BLUR_RADIUS_PX = 4
"""How far a pixel spreads in the blurred image, at most."""
CUBE_MM = 8.0
TABLE_BGR = (62, 88, 118)
SKIN_BGR = (128, 160, 208)
TOKEN_BGR = {
    "red": (40, 40, 190), "orange": (30, 125, 235), "yellow": (60, 205, 235), "green": (70, 150, 60),
    "blue": (170, 95, 40), "purple": (130, 50, 110), "white": (225, 228, 230), "black": (40, 38, 38),
}  # fmt: skip
UNKNOWN_TOKEN_BGR = (120, 120, 120)
MAX_PATCHES = 256
"""How many rendered components are cached."""
NOISE_MARGIN_PX = 64
"""The noise of a frame is cut from a random place in a precomputed field, which is this much wider and higher than a
frame. That is much faster than generating noise for each frame."""


@dataclass(frozen=True, eq=False)
class Texture:
    """The image (blue, green, red) of one side of a printed component, and the component's size."""

    image: Frame
    width_mm: float
    height_mm: float


Floats = NDArray[np.float32]
Textures = Mapping[str, Texture]
"""The textures by name, such as `mat`, `SF-D07/front`, `SF-D07/back`."""


def bare_table(size: tuple[int, int] = FRAME_SIZE) -> Frame:
    """A frame of a table with nothing on it."""
    return np.full((size[1], size[0], 3), TABLE_BGR, np.uint8)


class TextureFolder(Mapping[str, Texture]):
    """The textures in a folder of PNG files with an `index.json`: `{name: {"file", "width_mm", "height_mm"}}`. Each is
    loaded when it is first used, because most components stay in the box."""

    def __init__(self, folder: Path) -> None:
        """Raises OSError if the index can't be read, and ValueError if it is not JSON."""
        self._folder = folder
        self._index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
        self._loaded = dict[str, Texture]()

    def __getitem__(self, name: str) -> Texture:
        """Raises ValueError if the texture's file is not an image."""
        if name not in self._loaded:
            entry = self._index[name]
            path = self._folder / entry["file"]
            image = cv2.imread(str(path), cv2.IMREAD_COLOR)
            if image is None:
                raise ValueError(f"{path} is not an image. Generate the textures again.")
            texture = Texture(np.asarray(image, np.uint8), float(entry["width_mm"]), float(entry["height_mm"]))
            self._loaded[name] = texture
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._index)

    def __len__(self) -> int:
        return len(self._index)


@dataclass(frozen=True)
class PlacedPrint:
    """A printed component on the table, such as a card. `x_mm` and `y_mm` are its center. `angle` is in degrees,
    clockwise."""

    id: str
    x_mm: float
    y_mm: float
    angle: float = 0.0
    face: Literal["front", "back"] = "front"


@dataclass(frozen=True)
class PlacedToken:
    """A wooden cube on the table. `x_mm` and `y_mm` are its center. `angle` is in degrees, clockwise. `level` is the
    number of cubes below it."""

    color: str
    x_mm: float
    y_mm: float
    angle: float = 0.0
    level: int = 0


@dataclass(frozen=True)
class Scene:
    """The things on the table: printed components from bottom to top, tokens above them, and a hand above
    everything."""

    placements: tuple[PlacedPrint, ...] = ()
    tokens: tuple[PlacedToken, ...] = ()
    hand: Point | None = None
    """The tip of the hand's middle finger, in mm; None without a hand."""
    texture_folder: Path | None = None
    """The folder of the textures; None for a bare table."""


@dataclass(frozen=True, eq=False)
class Patch:
    """A component as it looks in the frame. `x` and `y` are the place of its top left pixel. `covered` is not 0 where
    the component hides what is below. `edge` are the rows and columns of the pixels that it hides in part, and
    `edge_alpha` says how much of each."""

    x: int
    y: int
    picture: Frame
    covered: Frame
    edge: tuple[NDArray[np.intp], ...]
    edge_alpha: NDArray[np.float32]

    def draw(self, frame: Frame) -> None:
        """Draws the component into a frame."""
        height, width = self.picture.shape[:2]
        area = frame[self.y : self.y + height, self.x : self.x + width]
        edge = area[self.edge] * (1 - self.edge_alpha) + self.picture[self.edge] * self.edge_alpha
        cv2.copyTo(self.picture, self.covered, area)
        area[self.edge] = edge


def component_patch(
    textures: Textures, table_to_px: Matrix, frame_size: tuple[int, int], placement: PlacedPrint
) -> Patch | None:
    """A component as it looks in the frame; None if it is outside the frame. `table_to_px` maps millimeters on the
    table to pixels."""
    texture = textures[f"{placement.id}/{placement.face}"]
    to_px = table_to_px @ placement_matrix(placement) @ texture_matrix(texture)
    h, w = texture.image.shape[:2]
    outline = cv2.perspectiveTransform(np.array([[[0, 0], [w, 0], [w, h], [0, h]]], float), to_px)[0]
    low = np.clip(np.floor(outline.min(0)).astype(int) - 1, 0, frame_size)
    high = np.clip(np.ceil(outline.max(0)).astype(int) + 2, 0, frame_size)
    if (high <= low).any():
        return None
    to_patch = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]]) @ to_px
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    alpha = np.asarray(cv2.warpPerspective(np.ones((h, w), np.float32), to_patch, size), np.float32)
    edge = np.nonzero((alpha > 0) & (alpha != 1))
    picture = supersampled_warp(texture.image, to_patch, size)
    return Patch(int(low[0]), int(low[1]), picture, (alpha == 1).astype(np.uint8), edge, alpha[edge][:, None])


class SimulatedCamera:
    """A camera that renders scenes. `seed` determines the noise and the grain of the table."""

    def __init__(self, textures: Textures, seed: int = DEFAULT_SEED, size: tuple[int, int] = FRAME_SIZE) -> None:
        self._textures = textures
        self.size = size
        mat = textures["mat"]
        self._projection = projection_matrix(mat.width_mm, mat.height_mm, size)
        self._nadir = camera_nadir(self._projection)
        self.to_px = self._projection[:, [0, 1, 3]]
        grain, self._noise, rng = seeded_noise(seed, size)
        self._rng = copy.deepcopy(rng)
        self._background = bare_mat(mat, grain, self.to_px)
        self._illumination = illumination_gradient(size)
        # Not a cached method: its cache would belong to the class, and keep the cameras of earlier games in memory.
        self._cached_patch = lru_cache(MAX_PATCHES)(partial(component_patch, textures, self.to_px, size))
        self._clean: tuple[Scene, Frame] | None = None
        self._unlit: Frame | None = None
        """The last scene without its light; None before the first one."""

    def render(self, scene: Scene) -> Frame:
        """A new frame of the scene, with fresh noise."""
        return self.add_noise(self.render_clean(scene))

    def render_clean(self, scene: Scene) -> Frame:
        """A frame of the scene without noise. The last one is cached, so don't change it."""
        if self._clean is None or self._clean[0] != scene:
            self._clean = (scene, self._draw(scene))
        return self._clean[1]

    def add_noise(self, clean: Frame) -> Frame:
        """A new frame: `clean` with fresh noise."""
        y, x = self._rng.integers(NOISE_MARGIN_PX, size=2)
        lighter, darker = (part[y : y + self.size[1], x : x + self.size[0]] for part in self._noise)
        lit = cv2.add(clean, lighter)
        return np.asarray(cv2.subtract(lit, darker, dst=lit), np.uint8)

    def project(self, mm: Point) -> Point:
        """The pixel that shows a point on the mat (mm)."""
        x, y, w = self.to_px @ (mm[0], mm[1], 1.0)
        return float(x / w), float(y / w)

    def _draw(self, scene: Scene) -> Frame:
        """A new frame of the scene without noise. Light and blur are computed only where the scene differs from the
        last one."""
        picture = self._draw_unlit(scene)
        if self._clean is None or self._unlit is None:
            lit = self._with_light(picture, (0, 0, *self.size))
        else:
            lit = self._clean[1].copy()
            if box := changed_box(picture, self._unlit):
                lit[box[1] : box[3], box[0] : box[2]] = self._with_light(picture, box)
        self._unlit = picture
        return lit

    def _with_light(self, picture: Frame, box: PixelBox) -> Frame:
        """The part of a picture inside a box, blurred by the lens and lit."""
        x0, y0, x1, y1 = box
        left, top, right, bottom = with_blur_margin(box, picture.shape)
        blurred = cv2.GaussianBlur(picture[top:bottom, left:right], (0, 0), BLUR_SIGMA_PX)[y0 - top :, x0 - left :]
        light = self._illumination[y0:y1, x0:x1]
        lit = cv2.multiply(blurred[: y1 - y0, : x1 - x0], light, dtype=cv2.CV_32F)
        return np.asarray(cv2.threshold(lit, 255, 255, cv2.THRESH_TRUNC, lit)[1], np.uint8)

    def _draw_unlit(self, scene: Scene) -> Frame:
        """A new frame of the scene without noise, light and blur."""
        picture = self._background.copy()
        for placement in scene.placements:
            if patch := self._cached_patch(placement):
                patch.draw(picture)
        self._draw_tokens(picture, scene.tokens)
        if scene.hand:
            self._draw_hand(picture, scene.hand)
        return picture

    def _draw_tokens(self, picture: Frame, tokens: tuple[PlacedToken, ...]) -> None:
        """Draws the cubes farthest from the camera first, because the nearer ones hide parts of them."""
        for token in tokens:
            height = token.level * CUBE_MM
            draw_shadow(picture, self._projection, token.x_mm, token.y_mm, token.angle, CUBE_MM, height)
        for token in sorted(tokens, key=lambda each: (each.level, -math.dist((each.x_mm, each.y_mm), self._nadir))):
            color, height = TOKEN_BGR.get(token.color, UNKNOWN_TOKEN_BGR), token.level * CUBE_MM
            draw_cube(picture, self._projection, token.x_mm, token.y_mm, token.angle, CUBE_MM, color, height)

    def _draw_hand(self, picture: Frame, fingertip: Point) -> None:
        """Draws a hand whose middle finger ends at `fingertip` (mm). The arm comes from the nearer long edge of the
        frame."""
        tip, scale = np.array(self.project(fingertip)), self._px_per_mm()
        down = 1.0 if tip[1] > self.size[1] / 2 else -1.0
        for across, back, width in ((-28, 24, 16), (-10, 4, 17), (8, 0, 17), (26, 10, 16), (48, 70, 20)):
            self._draw_finger(picture, tip + np.array([across, back * down]) * scale, tip, down, width * scale)
        palm = np.array([(-40, 75), (46, 75), (40, 170), (44, 900), (-44, 900), (-36, 170)]) * (1, down)
        fill_polygon(picture, tip + palm * scale, SKIN_BGR)

    def _draw_finger(self, picture: Frame, end: Points, tip: Points, down: float, width: float) -> None:
        root = tip + np.array([(end[0] - tip[0]) * 0.8, 90 * down * self._px_per_mm()])
        ends = [(int(p[0]), int(p[1])) for p in (end, root)]
        cv2.line(picture, ends[0], ends[1], SKIN_BGR, max(1, int(width)), cv2.LINE_AA)

    def _px_per_mm(self) -> float:
        return math.dist(self.project((0, 0)), self.project((100, 0))) / 100


class SimulatedSource:
    """A source of frames of the current scene. The time of a frame is its number divided by `fps`; the source doesn't
    wait between frames."""

    def __init__(self, current_scene: Callable[[], Scene], fps: float) -> None:
        self._current_scene, self._fps = current_scene, fps
        self._camera: tuple[Path, SimulatedCamera] | None = None

    def __iter__(self) -> Iterator[tuple[float, Frame]]:
        for number in count():
            yield number / self._fps, self._frame(self._current_scene())

    def _frame(self, scene: Scene) -> Frame:
        """A frame of the scene. Raises OSError or ValueError if the textures can't be read."""
        if scene.texture_folder is None:
            return bare_table()
        if self._camera is None or self._camera[0] != scene.texture_folder:
            self._camera = scene.texture_folder, SimulatedCamera(TextureFolder(scene.texture_folder))
        return self._camera[1].render(scene)

    def close(self) -> None:
        """Does nothing, because the source has no open resources."""


def changed_box(picture: Frame, before: Frame) -> PixelBox | None:
    """The box around the pixels in which two pictures differ, with a margin for the blur; None if they are equal."""
    h, w = picture.shape[:2]
    difference = cv2.absdiff(picture, before).reshape(h, w * 3)
    rows, columns = np.flatnonzero(difference.max(1)), np.flatnonzero(difference.max(0)) // 3
    if not len(rows):
        return None
    box = (int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1)
    return with_blur_margin(box, picture.shape)


def with_blur_margin(box: PixelBox, shape: tuple[int, ...]) -> PixelBox:
    """The box, extended by as far as a pixel spreads in the blurred image. `shape`: the height and width of the
    image."""
    margin = BLUR_RADIUS_PX
    return clip_box((box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin), shape)


@lru_cache(maxsize=2)
def seeded_noise(seed: int, size: tuple[int, int]) -> tuple[Floats, tuple[Frame, Frame], np.random.Generator]:
    """The random parts of a camera with this seed: the grain of the table, as large as a frame; Gaussian noise, wider
    and higher than a frame by `NOISE_MARGIN_PX`; and the generator, which continues after them. The noise is in two
    images: how much lighter it makes each pixel, and how much darker."""
    rng, (w, h) = np.random.default_rng(seed), size
    grain = cv2.resize(rng.normal(0, 6, (h // 3, w // 90)).astype(np.float32), (w, h))
    shape = (h + NOISE_MARGIN_PX, w + NOISE_MARGIN_PX, 3)
    noise = np.clip(rng.standard_normal(shape, np.float32) * NOISE_SIGMA + 128, 0, 255).astype(np.uint8)
    middle = np.full_like(noise, 128)
    lighter, darker = cv2.subtract(noise, middle), cv2.subtract(middle, noise)
    return np.asarray(grain, np.float32), (np.asarray(lighter, np.uint8), np.asarray(darker, np.uint8)), rng


def bare_mat(mat: Texture, grain: Floats, to_px: Matrix) -> Frame:
    """A frame of the table with nothing but the mat on it, without noise. `to_px` maps millimeters on the mat to
    pixels."""
    height, width = grain.shape
    to_px = to_px @ np.diag([mat.width_mm / mat.image.shape[1], mat.height_mm / mat.image.shape[0], 1])
    picture = supersampled_warp(mat.image, to_px, (width, height))
    beside = cv2.warpPerspective(np.ones(mat.image.shape[:2], np.uint8), to_px, (width, height)) == 0
    picture[beside] = np.clip(np.array(TABLE_BGR) + grain[beside][:, None], 0, 255)
    return picture


@lru_cache(maxsize=2)
def illumination_gradient(size: tuple[int, int]) -> Floats:
    """The relative brightness of each pixel, height x width x 3. It falls off to the right, to the bottom and toward
    the corners."""
    w, h = size
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    u, v = x / w - 0.5, y / h - 0.5
    light = np.asarray(1.0 - 0.15 * u - 0.08 * v - 0.2 * (u * u + v * v), np.float32)
    return np.asarray(cv2.merge([light] * 3), np.float32)


def projection_matrix(width_mm: float, height_mm: float, size: tuple[int, int]) -> Matrix:
    """The 3 x 4 projection from homogeneous (x, y, height, 1) in mm to pixels. The camera is a slightly tilted pinhole
    camera above the center of the mat, with the whole mat in view."""
    w, h = size
    focal = w / 2 / math.tan(math.radians(FIELD_OF_VIEW_DEG / 2))
    scale = min(w / (width_mm + 2 * MARGIN_MM), h / (height_mm + 2 * MARGIN_MM))
    tilt = cv2.Rodrigues(np.array([math.radians(TILT_DEG), 0.0, 0.0]))[0]
    extrinsics = np.column_stack([tilt[:, 0], tilt[:, 1], -tilt[:, 2], (0, 0, focal / scale)])
    centering = np.array([[1, 0, 0, -width_mm / 2], [0, 1, 0, -height_mm / 2], [0, 0, 1, 0], [0, 0, 0, 1]])
    intrinsics = np.array([[focal, 0, (w - 1) / 2], [0, focal, (h - 1) / 2], [0, 0, 1]])
    return np.asarray(intrinsics @ extrinsics @ centering, float)


def camera_nadir(projection: Matrix) -> Point:
    """The point on the mat vertically below the camera, in mm."""
    x, y, _ = np.linalg.solve(projection[:, :3], -projection[:, 3])
    return float(x), float(y)


def placement_matrix(placement: PlacedPrint) -> Matrix:
    """The matrix (3 x 3) that maps millimeters relative to a component's center to millimeters on the mat."""
    c, s = math.cos(math.radians(placement.angle)), math.sin(math.radians(placement.angle))
    return np.array([[c, -s, placement.x_mm], [s, c, placement.y_mm], [0, 0, 1]])


def texture_matrix(texture: Texture) -> Matrix:
    """The matrix (3 x 3) that maps pixels of a texture to millimeters relative to its center."""
    h, w = texture.image.shape[:2]
    x, y = texture.width_mm / w, texture.height_mm / h
    return np.array([[x, 0, (0.5 * x) - texture.width_mm / 2], [0, y, (0.5 * y) - texture.height_mm / 2], [0, 0, 1]])


def supersampled_warp(image: Frame, to_px: Matrix, size: tuple[int, int]) -> Frame:
    """The image warped by `to_px` (3 x 3) to `size`. Warps at twice the size and averages, so that fine print doesn't
    turn into moiré."""
    double = np.array([[2, 0, 0.5], [0, 2, 0.5], [0, 0, 1]]) @ to_px
    large = cv2.warpPerspective(image, double, (size[0] * 2, size[1] * 2), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.resize(large, size, interpolation=cv2.INTER_AREA), np.uint8)
