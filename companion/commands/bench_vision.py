"""The vision benchmarks of `tablekeeper bench`: Tablekeeper's code reader against zxing-cpp and pyzbar on the same
images."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

import cv2
import numpy as np

from companion.commands.benchmark_comparison import Comparison, compare
from companion.component_qr_codes import matrix
from companion.games import GAMES
from vision.decoding.decoder import find_with_zbar, find_with_zxing, precompute_templates, read_codes, zbar
from vision.geometry import Frame, GrayImage
from vision.tracking.table_watcher import TableWatcher

FRAME_SHAPE = (1080, 1920)
CARDS = 24
CARDS_PER_ROW = 6
MODULE_PX = 2.5
SMALL_MODULE_PX = 1.5
NOISE_SIGMA = 3.0
WARM_UP_FRAMES = 60
"""After this many frames, the watcher has measured the image noise."""


def vision_benchmark(quick: bool) -> Iterator[Comparison]:
    """Yields comparisons of Tablekeeper with other code readers: how fast each reads images of 24 cards. If pyzbar
    works on this machine, also how fast each follows videos of a still table, and a video in which a card appears and
    disappears. `quick`: fewer rounds."""
    known = frozenset(component.id for game in GAMES.values() for component in game.physical.components.components)
    precompute_templates(known)
    rounds = 3 if quick else 15
    decode = zbar()
    for module_px in (MODULE_PX, SMALL_MODULE_PX):
        image = table_image(sorted(known)[:CARDS], module_px)
        yield from compare_readers(image, known, module_px, decode, rounds)
    if decode is None:
        return
    image = table_image(sorted(known)[:CARDS])
    for name, frames in table_videos(sorted(known)).items():
        yield compare(name, watch_next_frame(known, frames), "pyzbar", partial(decode, image), rounds * 4)


def table_videos(codes: list[str]) -> dict[str, list[Frame]]:
    """The frames of each video by its name: a still table in color and in gray, and a table on which the last of
    CARDS cards appears and disappears."""
    image, one_card_less = table_image(codes[:CARDS]), table_image(codes[: CARDS - 1])
    still = [_add_noise(image, seed) for seed in range(10)]
    changing = [image] * 3 + [one_card_less] * 3
    return {
        "watching a still table, a BGR frame": [
            np.asarray(cv2.cvtColor(frame, cv2.COLOR_GRAY2BGR), np.uint8) for frame in still
        ],
        "watching a still table, a gray frame": still,
        "watching a card come and go, a gray frame": [_add_noise(frame, n) for n, frame in enumerate(changing)],
    }


def compare_readers(
    image: GrayImage,
    known: frozenset[str],
    module_px: float,
    decode: Callable[[GrayImage], object] | None,
    rounds: int,
) -> Iterator[Comparison]:
    """Yields comparisons of Tablekeeper's code reader with zxing-cpp and pyzbar on one image. `decode`: pyzbar's
    reader; None if pyzbar does not work on this machine. The names of the comparisons say how many codes each reader
    found."""
    ours, zxing = len(read_codes(image, known)), len(find_with_zxing(image, known))
    name = f"{CARDS} cards at {module_px} px per module, {ours} read"
    peer = f"zxing-cpp, {zxing} read"
    yield compare(name, lambda: read_codes(image, known), peer, lambda: find_with_zxing(image, known), rounds)
    if decode:
        peer = f"pyzbar, {len(find_with_zbar(image, known))} read"
        yield compare(name, lambda: read_codes(image, known), peer, lambda: decode(image), rounds)


def watch_next_frame(known: frozenset[str], frames: list[Frame]) -> Callable[[], object]:
    """A function that lets a watcher process the next of `frames` each time it is called, and starts over after the
    last frame. To warm up, the watcher has already processed some frames."""
    watcher, ticks = TableWatcher(known, {}), count()

    def watch() -> None:
        tick = next(ticks)
        watcher.process(frames[tick % len(frames)], tick / 10)

    for _ in range(WARM_UP_FRAMES):
        watch()
    return watch


def table_image(codes: list[str], module_px: float = MODULE_PX) -> GrayImage:
    """An image of a table with `codes` in rows, each at a different angle: gray, 1080 pixels high and 1920 wide,
    slightly blurred and noisy. `module_px`: the size of a code's modules, in pixels."""
    image = np.full(FRAME_SHAPE, 150, np.uint8)
    rng = np.random.default_rng(1)
    for number, code in enumerate(codes):
        x, y = 160 + 320 * (number % CARDS_PER_ROW), 135 + 270 * (number // CARDS_PER_ROW)
        _draw_code(image, code, (x, y), float(rng.uniform(0, 360)), module_px)
    return _add_noise(np.asarray(cv2.GaussianBlur(image, (0, 0), 0.7), np.uint8), 0)


def _draw_code(image: GrayImage, code: str, center: tuple[int, int], angle: float, module_px: float) -> None:
    modules = np.array([[0 if bit == "1" else 255 for bit in row] for row in matrix(code)], np.uint8)
    tile = cv2.copyMakeBorder(modules, 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=(255,))
    rotation = cv2.getRotationMatrix2D((14, 14), angle, module_px)
    rotation[:, 2] += np.array(center) - 14
    enlarged = cv2.resize(tile, None, fx=4, fy=4, interpolation=cv2.INTER_NEAREST)
    from_enlarged = rotation @ np.array([[0.25, 0, -0.375], [0, 0.25, -0.375], [0, 0, 1]])
    cv2.warpAffine(enlarged, from_enlarged, FRAME_SHAPE[::-1], image, cv2.INTER_AREA, cv2.BORDER_TRANSPARENT)


def _add_noise(image: GrayImage, seed: int) -> GrayImage:
    noise = np.random.default_rng(seed).normal(0, NOISE_SIGMA, image.shape)
    return np.clip(image + noise, 0, 255).astype(np.uint8)
