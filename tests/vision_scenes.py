"""A small simulated table for the vision tests: plain cards with real codes, and films of scenes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy, deepcopy
from functools import cache, lru_cache

import cv2
import numpy as np

from companion.component_qr_codes import matrix
from companion.tabletop.mat import Corner, Mat, Zone, rectangle
from vision.geometry import Frame, Points
from vision.simulated_camera import PlacedPrint, Scene, SimulatedCamera, Texture
from vision.tracking.table_watcher import TableWatcher
from vision.tracking.tracker import TrackEvent

CARDS = tuple(f"SF-D{n:02}" for n in range(1, 13))
CORNERS = tuple(f"MAT-SF-{n}" for n in range(1, 5))
KNOWN = frozenset(CARDS) | frozenset(CORNERS)
FPS = 12.0
SIZE = (1120, 700)
PX_PER_MM = 6
INK, PAPER = 30, 225
SEEN_PX = 320

MAT = Mat(
    (420.0, 250.0),
    (
        Corner(CORNERS[0], (22.0, 22.0), 25.0),
        Corner(CORNERS[1], (398.0, 22.0), 25.0),
        Corner(CORNERS[2], (398.0, 228.0), 25.0),
        Corner(CORNERS[3], (22.0, 228.0), 25.0),
    ),
    (
        Zone("left", "Left", rectangle(50, 10, 150, 230)),
        Zone("right", "Right", rectangle(210, 10, 160, 230), "right"),
    ),
)


def tile(code: str, module_px: int = 8, quiet: int = 4) -> Frame:
    """A code on its white sticker, in gray."""
    dark = np.array([[int(bit) for bit in row] for row in matrix(code)], np.uint8)
    ink = np.where(np.pad(dark, quiet) > 0, INK, PAPER).astype(np.uint8)
    return np.kron(ink, np.ones((module_px, module_px), np.uint8))


def render_code(
    code: str, angle: float = 0, module_px: float = 3, tilt: float = 0, blur: float = 0.5, noise: float = 3
) -> tuple[Frame, Points]:
    """An image of a code in the middle of a gray table, and the true corners in pixels."""
    print_ = tile(code)
    scale, turn = module_px / 8, np.radians(angle)
    c, s = np.cos(turn) * scale, np.sin(turn) * scale
    middle = (print_.shape[0] - 1) / 2
    pose = np.array([[c, -s, SEEN_PX / 2 + 0.3], [s, c, SEEN_PX / 2 - 0.2], [tilt * c / 150, tilt * -s / 150, 1]])
    to_px = pose @ np.array([[1, 0, -middle], [0, 1, -middle], [0, 0, 1]])
    double = np.array([[4, 0, 1.5], [0, 4, 1.5], [0, 0, 1]]) @ to_px
    large = cv2.warpPerspective(print_, double, (SEEN_PX * 4, SEEN_PX * 4), borderValue=130)
    small = cv2.GaussianBlur(cv2.resize(large, (SEEN_PX, SEEN_PX), interpolation=cv2.INTER_AREA), (0, 0), blur)
    rng = np.random.default_rng(1)
    grainy = np.clip(small + rng.normal(0, noise, small.shape), 0, 255).astype(np.uint8)
    quad = np.array([[31.5, 31.5], [199.5, 31.5], [199.5, 199.5], [31.5, 199.5]])
    return grainy, cv2.perspectiveTransform(quad[None], to_px)[0]


def stick(picture: Frame, code: str, x_mm: float, y_mm: float, code_mm: float) -> None:
    """Draws a code on a color image. `x_mm` and `y_mm` are the code's center."""
    side = round(code_mm * 29 / 21 * PX_PER_MM)
    x, y = round(x_mm * PX_PER_MM - side / 2), round(y_mm * PX_PER_MM - side / 2)
    small = cv2.resize(tile(code), (side, side), interpolation=cv2.INTER_AREA)
    picture[y : y + side, x : x + side] = small[:, :, None]


def card(code: str, tint: tuple[int, int, int]) -> Texture:
    """The texture of a card of 63 x 88 mm: a dark title, a few shapes, and the code below the center."""
    picture = np.full((88 * PX_PER_MM, 63 * PX_PER_MM, 3), tint, np.uint8)
    cv2.rectangle(picture, (18, 18), (63 * PX_PER_MM - 18, 72), (60, 40, 30), -1)
    cv2.circle(picture, (120, 170), 60, (90, 160, 200), -1)
    cv2.putText(picture, code, (30, 60), cv2.FONT_HERSHEY_DUPLEX, 1.2, (240, 240, 240), 2)
    stick(picture, code, 31.5, 63, 25)
    return Texture(picture, 63.0, 88.0)


def mat_texture(mat: Mat) -> Texture:
    """The texture of a plain mat with its corner codes."""
    width, height = (round(side * PX_PER_MM) for side in mat.size)
    picture = np.full((height, width, 3), (96, 120, 110), np.uint8)
    for corner in mat.corners:
        stick(picture, corner.id, *corner.center, corner.code_mm)
    return Texture(picture, *mat.size)


@cache
def textures() -> dict[str, Texture]:
    tints = ((200, 190, 170), (150, 190, 160), (170, 160, 205))
    cards = {f"{code}/front": card(code, tints[n % 3]) for n, code in enumerate(CARDS)}
    back = Texture(np.full((88 * PX_PER_MM, 63 * PX_PER_MM, 3), (120, 60, 50), np.uint8), 63.0, 88.0)
    return {"mat": mat_texture(MAT), **cards, **{f"{code}/back": back for code in CARDS}}


def camera(seed: int = 1) -> SimulatedCamera:
    """A simulated camera in its initial state. Cameras with the same seed share their rendered tables, but not their
    noise."""
    shared = copy(_camera(seed))
    shared._rng = deepcopy(shared._rng)
    return shared


@lru_cache(maxsize=4)
def _camera(seed: int) -> SimulatedCamera:
    return SimulatedCamera(textures(), seed, SIZE)


def new_watcher() -> TableWatcher:
    """A watcher of the test mat, without a calibration."""
    return TableWatcher(KNOWN, {"systems-failing": MAT})


def still(scene: Scene, frames: int) -> list[Scene]:
    return [scene] * frames


def glide(
    code: str, start: tuple[float, float, float], end: tuple[float, float, float], steps: int = 6
) -> list[PlacedPrint]:
    """The placements of a card that moves from `start` to `end`, each an (x, y, angle). The card accelerates and
    brakes."""
    shares = [k / steps for k in range(1, steps + 1)]
    eased = [s * s * (3 - 2 * s) for s in shares]
    (x, y, angle), (dx, dy, turn) = start, (b - a for a, b in zip(start, end, strict=True))
    return [PlacedPrint(code, x + dx * e, y + dy * e, angle + turn * e) for e in eased]


def film(scenes: Iterable[Scene], seed: int = 1) -> Iterator[tuple[float, Frame]]:
    """Yields one frame for each scene, with its time."""
    simulated = camera(seed)
    for number, scene in enumerate(scenes):
        yield number / FPS, simulated.render(scene)


def film_of_a_change(
    scenes: Iterable[Scene], at: int, change: Callable[[Frame], Frame], simulated: SimulatedCamera | None = None
) -> Iterator[tuple[float, Frame]]:
    """Yields one frame for each scene, with its time. From frame `at` on, `change` is applied to what the camera sees,
    before the noise of its sensor is added. Scenes that repeat the previous scene reuse its changed image."""
    simulated = simulated or camera()
    changed: tuple[Scene, Frame] | None = None
    for number, scene in enumerate(scenes):
        if number < at:
            yield number / FPS, simulated.render(scene)
            continue
        if changed is None or changed[0] != scene:
            changed = scene, change(simulated.render_clean(scene))
        yield number / FPS, simulated.add_noise(changed[1])


def watch(scenes: Iterable[Scene], seed: int = 1) -> list[TrackEvent]:
    """The events that a new watcher reports for a film."""
    watcher = new_watcher()
    return [event for t, frame in film(scenes, seed) for event in watcher.process(frame, t)]


def kinds_and_ids(events: Iterable[TrackEvent]) -> list[tuple[str, str]]:
    return [(event.kind, event.id) for event in events]
