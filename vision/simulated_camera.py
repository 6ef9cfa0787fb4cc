"""What a camera above the mat would see, made from the print sheets' own pictures.

Law: no I/O but `load_textures`, no clock; the noise comes from a seeded generator. Places are millimetres
on the mat. A scene that does not change costs a copy and fresh noise.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.tabletop.mat import Point
from vision.cubes.cube_projection import draw_cube, draw_shadow, fill_polygon
from vision.geometry import Frame, Points

SIZE = (1600, 900)
"""With a mat of 608 mm, codes of 25 mm have 2.8 px a module."""
MARGIN_MM = 36.0
"""Of table around the mat."""
TILT_DEG = 5.0
FIELD_DEG = 60.0
NOISE = 3.0
CUBE_MM = 8.0
TABLE_BGR = (62, 88, 118)
SKIN_BGR = (128, 160, 208)
COLOURS_BGR = {
    "red": (40, 40, 190), "orange": (30, 125, 235), "yellow": (60, 205, 235), "green": (70, 150, 60),
    "blue": (170, 95, 40), "purple": (130, 50, 110), "white": (225, 228, 230), "black": (40, 38, 38),
}  # fmt: skip
BANK_PX = 64
"""Noise is cut from a field larger by this at a random place: as good as new, and cheap."""


@dataclass(frozen=True)
class Texture:
    """A printed thing's picture, blue green red, and its true size."""

    picture: Frame
    width_mm: float
    height_mm: float


Textures = Mapping[str, Texture]
"""By name: `mat`, `SF-D07/front`, `SF-D07/back`."""


def bare_table(size: tuple[int, int] = SIZE) -> Frame:
    """A table with nothing on it."""
    return np.full((size[1], size[0], 3), TABLE_BGR, np.uint8)


def load_textures(folder: Path) -> dict[str, Texture]:
    """From PNG files and `index.json`, `{name: {"file", "width_mm", "height_mm"}}`; OSError, ValueError."""
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    return {name: _texture(folder / entry["file"], entry) for name, entry in index.items()}


def _texture(path: Path, entry: Mapping[str, float]) -> Texture:
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise ValueError(f"{path} is no picture; make the textures again.")
    return Texture(np.asarray(picture, np.uint8), float(entry["width_mm"]), float(entry["height_mm"]))


@dataclass(frozen=True)
class Lying:
    """A printed thing on the table; x and y are of its middle, the angle is clockwise."""

    thing: str
    x_mm: float
    y_mm: float
    angle: float = 0.0
    face: Literal["front", "back"] = "front"


@dataclass(frozen=True)
class Token:
    """A wooden cube; x and y are of its middle, the angle is clockwise."""

    colour: str
    x_mm: float
    y_mm: float
    angle: float = 0.0


@dataclass(frozen=True)
class Scene:
    """What is on the table: later things lie on top; cubes lie on cards, the hand is over all."""

    lying: tuple[Lying, ...] = ()
    tokens: tuple[Token, ...] = ()
    hand: Point | None = None
    prints: Path | None = None
    """The folder with the pictures of these things (see `load_textures`); None: there is nothing but a table."""


class SimulatedCamera:
    """Looks at scenes. `seed` settles the noise and the table's grain."""

    def __init__(self, textures: Textures, seed: int = 1, size: tuple[int, int] = SIZE) -> None:
        self._textures = textures
        self._rng = np.random.default_rng(seed)
        self.size = size
        mat = textures["mat"]
        self._lens = lens(mat.width_mm, mat.height_mm, size)
        self._foot = foot(self._lens)
        self.to_px = self._lens[:, [0, 1, 3]]
        self._empty = self._table()
        self._light = self._gradient()
        self._bank = self._noise_bank()
        self._warped = lru_cache(maxsize=256)(self._warp)
        self._clean: tuple[Scene, Frame] | None = None

    def frame(self, scene: Scene) -> Frame:
        """A fresh picture of the scene."""
        if self._clean is None or self._clean[0] != scene:
            self._clean = (scene, self._compose(scene))
        y, x = self._rng.integers(BANK_PX, size=2)
        noise = self._bank[y : y + self.size[1], x : x + self.size[0]]
        return np.asarray(cv2.addWeighted(self._clean[1], 1, noise, 1, -128), np.uint8)

    def px(self, mm: Point) -> Point:
        """Where a place on the mat is in the picture."""
        x, y, w = self.to_px @ (mm[0], mm[1], 1.0)
        return float(x / w), float(y / w)

    def _compose(self, scene: Scene) -> Frame:
        picture = self._empty.copy()
        for lying in scene.lying:
            self._lay(picture, lying)
        self._stand(picture, scene.tokens)
        if scene.hand:
            self._reach(picture, scene.hand)
        lit = cv2.GaussianBlur(picture, (0, 0), 0.6).astype(np.float32) * self._light
        return np.asarray(np.clip(lit, 0, 255), np.uint8)

    def _lay(self, picture: Frame, lying: Lying) -> None:
        warped = self._warped(lying)
        if warped is None:
            return
        (x, y), patch, alpha = warped
        area = picture[y : y + patch.shape[0], x : x + patch.shape[1]]
        area[:] = area * (1 - alpha) + patch * alpha

    def _warp(self, lying: Lying) -> tuple[tuple[int, int], Frame, NDArray[np.float32]] | None:
        """The thing as a patch of the picture: where it goes, its pixels, and how much they cover."""
        texture = self._textures[f"{lying.thing}/{lying.face}"]
        to_px = self.to_px @ placed(lying) @ sheet(texture)
        h, w = texture.picture.shape[:2]
        outline = cv2.perspectiveTransform(np.array([[[0, 0], [w, 0], [w, h], [0, h]]], float), to_px)[0]
        low = np.clip(np.floor(outline.min(0)).astype(int) - 1, 0, self.size)
        high = np.clip(np.ceil(outline.max(0)).astype(int) + 2, 0, self.size)
        if (high <= low).any():
            return None
        shift = np.array([[1, 0, -low[0]], [0, 1, -low[1]], [0, 0, 1]]) @ to_px
        size = (int(high[0] - low[0]), int(high[1] - low[1]))
        cover = cv2.warpPerspective(np.ones((h, w), np.float32), shift, size, flags=cv2.INTER_LINEAR)
        patch = shrinking_warp(texture.picture, shift, size)
        return (int(low[0]), int(low[1])), patch, np.asarray(cover, np.float32)[:, :, None]

    def _stand(self, picture: Frame, tokens: tuple[Token, ...]) -> None:
        """Cubes, the farthest from the camera first: the others hide parts of them."""
        for token in tokens:
            draw_shadow(picture, self._lens, token.x_mm, token.y_mm, token.angle, CUBE_MM)
        for token in sorted(tokens, key=lambda each: -math.dist((each.x_mm, each.y_mm), self._foot)):
            colour = COLOURS_BGR.get(token.colour, (120, 120, 120))
            draw_cube(picture, self._lens, token.x_mm, token.y_mm, token.angle, CUBE_MM, colour)

    def _reach(self, picture: Frame, hand: Point) -> None:
        """A hand whose middle fingertip is there; the arm comes from the nearer long edge."""
        tip, scale = np.array(self.px(hand)), self._px_per_mm()
        down = 1.0 if tip[1] > self.size[1] / 2 else -1.0
        for across, back, width in ((-28, 24, 16), (-10, 4, 17), (8, 0, 17), (26, 10, 16), (48, 70, 20)):
            self._finger(picture, tip + np.array([across, back * down]) * scale, tip, down, width * scale)
        palm = np.array([(-40, 75), (46, 75), (40, 170), (44, 900), (-44, 900), (-36, 170)]) * (1, down)
        fill_polygon(picture, tip + palm * scale, SKIN_BGR)

    def _finger(self, picture: Frame, end: Points, tip: Points, down: float, width: float) -> None:
        root = tip + np.array([(end[0] - tip[0]) * 0.8, 90 * down * self._px_per_mm()])
        ends = [(int(p[0]), int(p[1])) for p in (end, root)]
        cv2.line(picture, ends[0], ends[1], SKIN_BGR, max(1, int(width)), cv2.LINE_AA)

    def _px_per_mm(self) -> float:
        return math.dist(self.px((0, 0)), self.px((100, 0))) / 100

    def _table(self) -> Frame:
        """The bare table with the mat on it."""
        w, h = self.size
        grain = cv2.resize(self._rng.normal(0, 6, (h // 3, w // 90)).astype(np.float32), (w, h))
        table = np.clip(np.array(TABLE_BGR) + grain[:, :, None], 0, 255).astype(np.uint8)
        mat = self._textures["mat"]
        to_px = self.to_px @ np.diag([mat.width_mm / mat.picture.shape[1], mat.height_mm / mat.picture.shape[0], 1])
        cover = cv2.warpPerspective(np.ones(mat.picture.shape[:2], np.uint8), to_px, self.size)
        return np.where(cover[:, :, None] > 0, shrinking_warp(mat.picture, to_px, self.size), table)

    def _gradient(self) -> NDArray[np.float32]:
        """Light that falls off to the right and towards the corners."""
        w, h = self.size
        y, x = np.mgrid[0:h, 0:w].astype(np.float32)
        u, v = x / w - 0.5, y / h - 0.5
        return np.asarray(1.0 - 0.15 * u - 0.08 * v - 0.2 * (u * u + v * v), np.float32)[:, :, None]

    def _noise_bank(self) -> Frame:
        w, h = self.size
        bank = self._rng.standard_normal((h + BANK_PX, w + BANK_PX, 3), np.float32) * NOISE + 128
        return np.asarray(np.clip(bank, 0, 255), np.uint8)


class SimulatedSource:
    """Frames of whatever scene is to be seen now, as many a second as are told; time is counted, not waited for."""

    def __init__(self, scene: Callable[[], Scene], fps: float) -> None:
        self._scene, self._fps = scene, fps
        self._camera: tuple[Path, SimulatedCamera] | None = None

    def __iter__(self) -> Iterator[tuple[float, Frame]]:
        for number in count():
            yield number / self._fps, self._frame(self._scene())

    def _frame(self, scene: Scene) -> Frame:
        """Raises OSError or ValueError where the pictures can't be read."""
        if scene.prints is None:
            return bare_table()
        if self._camera is None or self._camera[0] != scene.prints:
            self._camera = scene.prints, SimulatedCamera(load_textures(scene.prints))
        return self._camera[1].frame(scene)

    def close(self) -> None:
        """Nothing is held open."""


def lens(width_mm: float, height_mm: float, size: tuple[int, int]) -> Points:
    """Millimetres on the mat and above it (x, y, height, 1) to pixels, 3 x 4, for a pinhole above its middle that sees
    all of it, leaning a little."""
    w, h = size
    focal = w / 2 / math.tan(math.radians(FIELD_DEG / 2))
    scale = min(w / (width_mm + 2 * MARGIN_MM), h / (height_mm + 2 * MARGIN_MM))
    lean = cv2.Rodrigues(np.array([math.radians(TILT_DEG), 0.0, 0.0]))[0]
    pose = np.column_stack([lean[:, 0], lean[:, 1], -lean[:, 2], (0, 0, focal / scale)])
    middle = np.array([[1, 0, 0, -width_mm / 2], [0, 1, 0, -height_mm / 2], [0, 0, 1, 0], [0, 0, 0, 1]])
    optics = np.array([[focal, 0, (w - 1) / 2], [0, focal, (h - 1) / 2], [0, 0, 1]])
    return np.asarray(optics @ pose @ middle, float)


def foot(lens: Points) -> Point:
    """The place on the mat right below the camera, mm."""
    x, y, _ = np.linalg.solve(lens[:, :3], -lens[:, 3])
    return float(x), float(y)


def placed(lying: Lying) -> Points:
    """Millimetres from a thing's middle to millimetres on the mat."""
    c, s = math.cos(math.radians(lying.angle)), math.sin(math.radians(lying.angle))
    return np.array([[c, -s, lying.x_mm], [s, c, lying.y_mm], [0, 0, 1]])


def sheet(texture: Texture) -> Points:
    """Pixels of a texture to millimetres from its middle."""
    h, w = texture.picture.shape[:2]
    x, y = texture.width_mm / w, texture.height_mm / h
    return np.array([[x, 0, (0.5 * x) - texture.width_mm / 2], [0, y, (0.5 * y) - texture.height_mm / 2], [0, 0, 1]])


def shrinking_warp(picture: Frame, to_px: Points, size: tuple[int, int]) -> Frame:
    """Warps at twice the size and averages, so that fine print does not turn into moiré."""
    double = np.array([[2, 0, 0.5], [0, 2, 0.5], [0, 0, 1]]) @ to_px
    large = cv2.warpPerspective(picture, double, (size[0] * 2, size[1] * 2), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.resize(large, size, interpolation=cv2.INTER_AREA), np.uint8)
