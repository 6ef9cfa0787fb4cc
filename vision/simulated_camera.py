"""Renders what a camera above the mat would see, from the images of the print sheets.

Law: no I/O except in `load_textures`, no clock; the noise comes from a seeded generator. Positions are millimeters on
the mat. The last scene is cached without its noise: rendering the same scene again only adds fresh noise to a copy, and
light and blur are computed only where the next scene differs.
"""

from __future__ import annotations

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


@dataclass(frozen=True)
class Texture:
    """The image (blue, green, red) of one side of a printed component, and the component's size."""

    image: Frame
    width_mm: float
    height_mm: float


Textures = Mapping[str, Texture]
"""The textures by name, such as `mat`, `SF-D07/front`, `SF-D07/back`."""


def bare_table(size: tuple[int, int] = FRAME_SIZE) -> Frame:
    """A frame of a table with nothing on it."""
    return np.full((size[1], size[0], 3), TABLE_BGR, np.uint8)


def load_textures(folder: Path) -> dict[str, Texture]:
    """Loads the textures in a folder of PNG files with an `index.json`: `{name: {"file", "width_mm", "height_mm"}}`.
    Raises OSError if the index can't be read, and ValueError if the index is not JSON or a texture is not an image."""
    textures = {}
    for name, entry in json.loads((folder / "index.json").read_text(encoding="utf-8")).items():
        path = folder / entry["file"]
        image = cv2.imread(str(path), cv2.IMREAD_COLOR)
        if image is None:
            raise ValueError(f"{path} is not an image. Generate the textures again.")
        textures[name] = Texture(np.asarray(image, np.uint8), float(entry["width_mm"]), float(entry["height_mm"]))
    return textures


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
    """The folder from which `load_textures` reads; None for a bare table."""


def component_patch(
    textures: Textures, table_to_px: Matrix, frame_size: tuple[int, int], placement: PlacedPrint
) -> tuple[tuple[int, int], Frame, NDArray[np.float32]] | None:
    """A component as it looks in the frame: the place of its top left pixel, its pixels, and their alpha. None if the
    component is outside the frame. `table_to_px` maps millimeters on the table to pixels."""
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
    alpha = cv2.warpPerspective(np.ones((h, w), np.float32), to_patch, size, flags=cv2.INTER_LINEAR)
    patch = supersampled_warp(texture.image, to_patch, size)
    return (int(low[0]), int(low[1])), patch, np.asarray(alpha, np.float32)[:, :, None]


class SimulatedCamera:
    """A camera that renders scenes. `seed` determines the noise and the grain of the table."""

    def __init__(self, textures: Textures, seed: int = 1, size: tuple[int, int] = FRAME_SIZE) -> None:
        self._textures = textures
        self._rng = np.random.default_rng(seed)
        self.size = size
        mat = textures["mat"]
        self._projection = projection_matrix(mat.width_mm, mat.height_mm, size)
        self._nadir = camera_nadir(self._projection)
        self.to_px = self._projection[:, [0, 1, 3]]
        self._background = self._render_background()
        self._illumination = self._illumination_gradient()
        self._noise = self._noise_field()
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
        return np.asarray(np.minimum(lit, 255, out=lit), np.uint8)

    def _draw_unlit(self, scene: Scene) -> Frame:
        """A new frame of the scene without noise, light and blur."""
        picture = self._background.copy()
        for placement in scene.placements:
            self._draw_component(picture, placement)
        self._draw_tokens(picture, scene.tokens)
        if scene.hand:
            self._draw_hand(picture, scene.hand)
        return picture

    def _draw_component(self, picture: Frame, placement: PlacedPrint) -> None:
        cached = self._cached_patch(placement)
        if cached is None:
            return
        (x, y), patch, alpha = cached
        area = picture[y : y + patch.shape[0], x : x + patch.shape[1]]
        area[:] = area * (1 - alpha) + patch * alpha

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

    def _render_background(self) -> Frame:
        """A frame of the table with nothing but the mat on it, without noise."""
        w, h = self.size
        grain = cv2.resize(self._rng.normal(0, 6, (h // 3, w // 90)).astype(np.float32), (w, h))
        table = np.clip(np.array(TABLE_BGR) + grain[:, :, None], 0, 255).astype(np.uint8)
        mat = self._textures["mat"]
        to_px = self.to_px @ np.diag([mat.width_mm / mat.image.shape[1], mat.height_mm / mat.image.shape[0], 1])
        alpha = cv2.warpPerspective(np.ones(mat.image.shape[:2], np.uint8), to_px, self.size)
        return np.where(alpha[:, :, None] > 0, supersampled_warp(mat.image, to_px, self.size), table)

    def _illumination_gradient(self) -> NDArray[np.float32]:
        """The relative brightness of each pixel, height x width x 3. It falls off to the right, to the bottom and
        toward the corners."""
        w, h = self.size
        y, x = np.mgrid[0:h, 0:w].astype(np.float32)
        u, v = x / w - 0.5, y / h - 0.5
        light = np.asarray(1.0 - 0.15 * u - 0.08 * v - 0.2 * (u * u + v * v), np.float32)
        return np.asarray(cv2.merge([light] * 3), np.float32)

    def _noise_field(self) -> tuple[Frame, Frame]:
        """Gaussian noise, wider and higher than a frame by `NOISE_MARGIN_PX`. Returns two images: how much lighter the
        noise makes each pixel, and how much darker."""
        w, h = self.size
        shape = (h + NOISE_MARGIN_PX, w + NOISE_MARGIN_PX, 3)
        noise = np.clip(self._rng.standard_normal(shape, np.float32) * NOISE_SIGMA + 128, 0, 255).astype(np.uint8)
        middle = np.full_like(noise, 128)
        return np.asarray(cv2.subtract(noise, middle), np.uint8), np.asarray(cv2.subtract(middle, noise), np.uint8)


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
            self._camera = scene.texture_folder, SimulatedCamera(load_textures(scene.texture_folder))
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
