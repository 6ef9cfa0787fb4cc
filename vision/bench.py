"""How fast seeing is, against zxing-cpp and pyzbar on the very same pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

import cv2
import numpy as np

from companion.codes import matrix
from companion.commands.bench import Comparison, compare
from companion.games import GAMES
from vision.decoding.decoder import find_with_zbar, find_with_zxing, precompute_templates, read_codes, zbar
from vision.geometry import Frame, GrayImage
from vision.tracking.watcher import Watcher

SIZE = (1080, 1920)
CARDS = 24
COLUMNS = 6
MODULE_PX = 2.5
SMALL_MODULE_PX = 1.5
NOISE = 3.0


def seeing(quick: bool) -> Iterator[Comparison]:
    """Pictures of 24 cards read, and a table watched on which nothing happens, or a card moves."""
    known = frozenset(thing.id for game in GAMES.values() for thing in game.physical.components.things)
    precompute_templates(known)
    rounds = 3 if quick else 15
    decode = zbar()
    for module_px in (MODULE_PX, SMALL_MODULE_PX):
        picture = table_picture(sorted(known)[:CARDS], module_px)
        yield from reading(picture, known, module_px, decode, rounds)
    if decode is None:
        return
    picture = table_picture(sorted(known)[:CARDS])
    still = [_noisy(picture, seed) for seed in range(10)]
    coloured = [np.asarray(cv2.cvtColor(frame, cv2.COLOR_GRAY2BGR), np.uint8) for frame in still]
    moved = table_picture(sorted(known)[1:CARDS])
    films = {
        "a frame of a still table watched, blue green red": coloured,
        "a frame of a still table watched, grey": still,
        "a frame while a card comes and goes, grey": [_noisy(p, n) for n, p in enumerate([picture] * 3 + [moved] * 3)],
    }
    for name, frames in films.items():
        yield compare(name, watching(known, frames), "pyzbar", partial(decode, picture), rounds * 4)


def reading(
    picture: GrayImage,
    known: frozenset[str],
    module_px: float,
    decode: Callable[[GrayImage], object] | None,
    rounds: int,
) -> Iterator[Comparison]:
    """A picture read; how many codes each reader reads stands beside its name."""
    ours, theirs = len(read_codes(picture, known)), len(find_with_zxing(picture, known))
    name = f"{CARDS} cards at {module_px} px a module, {ours} read"
    peer = f"zxing-cpp, {theirs} read"
    yield compare(name, lambda: read_codes(picture, known), peer, lambda: find_with_zxing(picture, known), rounds)
    if decode:
        peer = f"pyzbar, {len(find_with_zbar(picture, known))} read"
        yield compare(name, lambda: read_codes(picture, known), peer, lambda: decode(picture), rounds)


def watching(known: frozenset[str], frames: list[Frame]) -> Callable[[], object]:
    """Watches the next of the frames, over and over; the noise of each cell is known already."""
    watcher, ticks = Watcher(known, {}), count()

    def watch() -> None:
        tick = next(ticks)
        watcher.process(frames[tick % len(frames)], tick / 10)

    for _ in range(60):
        watch()
    return watch


def table_picture(things: list[str], module_px: float = MODULE_PX) -> GrayImage:
    """Codes in rows on a table, each turned another way, a little blurred and noisy; 1080 x 1920, grey."""
    picture = np.full(SIZE, 150, np.uint8)
    rng = np.random.default_rng(1)
    for number, thing in enumerate(things):
        x, y = 160 + 320 * (number % COLUMNS), 135 + 270 * (number // COLUMNS)
        _lay(picture, thing, (x, y), float(rng.uniform(0, 360)), module_px)
    return _noisy(np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.7), np.uint8), 0)


def _lay(picture: GrayImage, thing: str, center: tuple[int, int], angle: float, module_px: float) -> None:
    modules = np.array([[0 if bit == "1" else 255 for bit in row] for row in matrix(thing)], np.uint8)
    tile = cv2.copyMakeBorder(modules, 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=(255,))
    turn = cv2.getRotationMatrix2D((14, 14), angle, module_px)
    turn[:, 2] += np.array(center) - 14
    big = cv2.resize(tile, None, fx=4, fy=4, interpolation=cv2.INTER_NEAREST)
    shrink = turn @ np.array([[0.25, 0, -0.375], [0, 0.25, -0.375], [0, 0, 1]])
    cv2.warpAffine(big, shrink, SIZE[::-1], picture, cv2.INTER_AREA, cv2.BORDER_TRANSPARENT)


def _noisy(picture: GrayImage, seed: int) -> GrayImage:
    noise = np.random.default_rng(seed).normal(0, NOISE, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)
