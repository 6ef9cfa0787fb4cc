"""How fast seeing is, against zxing-cpp and pyzbar on the very same pictures."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

import cv2
import numpy as np

from companion.codes import matrix
from companion.commands.bench import Comparison, compare
from companion.games import GAMES
from vision.codes import find, read, zbar
from vision.shapes import Grey
from vision.watcher import Watcher

SIZE = (1080, 1920)
CARDS = 24
COLUMNS = 6
MODULE_PX = 2.5
NOISE = 3.0


def seeing(quick: bool) -> Iterator[Comparison]:
    """A picture of 24 cards read, and a table watched on which nothing happens."""
    known = frozenset(thing.id for game in GAMES.values() for thing in game.equipment.things)
    picture = table_picture(sorted(known)[:CARDS])
    rounds = 3 if quick else 15
    decode = zbar()
    yield compare(
        "a picture of 24 cards read", lambda: read(picture, known), "zxing-cpp", lambda: find(picture, known), rounds
    )
    if decode is None:
        return
    yield compare("a picture of 24 cards read", lambda: read(picture, known), "pyzbar", lambda: decode(picture), rounds)
    watcher, ticks, frames = Watcher(known, {}), count(), [_noisy(picture, seed) for seed in range(10)]

    def watch() -> None:
        tick = next(ticks)
        watcher.see(frames[tick % len(frames)], tick / 10)

    for _ in range(60):  # until the noise of each cell is known
        watch()
    yield compare("a frame of a still table watched", watch, "pyzbar", lambda: decode(picture), rounds * 3)


def table_picture(things: list[str]) -> Grey:
    """Codes in rows on a table, each turned another way, a little blurred and noisy; 1080 x 1920, grey."""
    picture = np.full(SIZE, 150, np.uint8)
    rng = np.random.default_rng(1)
    for number, thing in enumerate(things):
        x, y = 160 + 320 * (number % COLUMNS), 135 + 270 * (number // COLUMNS)
        _lay(picture, thing, (x, y), float(rng.uniform(0, 360)))
    return _noisy(np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.7), np.uint8), 0)


def _lay(picture: Grey, thing: str, center: tuple[int, int], angle: float) -> None:
    modules = np.array([[0 if bit == "1" else 255 for bit in row] for row in matrix(thing)], np.uint8)
    tile = cv2.copyMakeBorder(modules, 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=(255,))
    turn = cv2.getRotationMatrix2D((14, 14), angle, MODULE_PX)
    turn[:, 2] += np.array(center) - 14
    big = cv2.resize(tile, None, fx=4, fy=4, interpolation=cv2.INTER_NEAREST)
    shrink = turn @ np.array([[0.25, 0, -0.375], [0, 0.25, -0.375], [0, 0, 1]])
    cv2.warpAffine(big, shrink, SIZE[::-1], picture, cv2.INTER_AREA, cv2.BORDER_TRANSPARENT)


def _noisy(picture: Grey, seed: int) -> Grey:
    noise = np.random.default_rng(seed).normal(0, NOISE, picture.shape)
    return np.clip(picture + noise, 0, 255).astype(np.uint8)
