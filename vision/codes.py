"""A grey picture -> the QR codes in it, in a few stages, each a plain function.

Law: no I/O, no clock, no state. Whatever the picture, nothing is raised and the work is bounded by its size.

1. `find`: zxing-cpp on the picture as it is; it reads nearly all codes from 2.5 px a module.
2. `candidates`: where the picture has the texture of a code that has not been read yet.
3. `look_closer`: those places sharpened and enlarged, zxing-cpp once more.
4. `find_with_zbar`: pyzbar, where nothing at all was found. On enlarged candidates it read nothing more among
   1,000 rendered codes of 1.5 to 4 px a module, and took longer than all else together; of single codes
   photographed by others it reads 1 in 70 that zxing-cpp misses.

A matcher against the closed list of known codes has its place after 3: it takes what is left of 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from typing import Any

import cv2
import numpy as np
import zxingcpp
from numpy.typing import NDArray

from companion.codes import thing_in

Grey = NDArray[np.uint8]
"""A picture, height x width."""
Cells = NDArray[np.float32]
"""A value for each cell of a picture, rows x columns."""
Points = NDArray[np.float64]
"""n x 2, pixels; the centre of the top left pixel is (0, 0)."""
Box = tuple[int, int, int, int]
"""x0, y0, x1, y1 in pixels, the last two excluded."""

CELL_PX = 8
"""Side of the squares in which texture is judged: a third of the smallest code that can be read."""
TEXTURE = 24.0
"""Mean grey step in x plus y from which a cell may belong to a code; print and wood grain stay below it."""
CLOSER = 2
"""Enlargement of a candidate; three times costs twice as much and reads no more."""
LIKE_FOUND = 0.45
"""Where codes have been found, a candidate has at least this share of their texture. Print has less: in rendered
scenes this spares four looks in five and loses no code."""
MOST = 64
"""At most so many candidates in a picture ..."""
VAIN = 16
"""... and at most so many looks in vain in a row: the strongest come first."""
ZBAR_PX = 400_000
REACH_PX = 56
"""A candidate's half side. Codes that stage 1 misses for want of pixels measure up to 63 px, and lie askew."""


@dataclass(frozen=True, eq=False)
class Code:
    """A code that was read. `id` is None unless it is one of the known things'.

    `corners` are those of its modules in the code's own order: top left, top right, bottom right, bottom left.
    """

    id: str | None
    text: str
    corners: Points

    @cached_property
    def middle(self) -> Points:
        """Where the diagonals cross: the middle of the printed code, also when it is seen at a slant."""
        return crossing(self.corners)

    @cached_property
    def angle(self) -> float:
        """Of the top edge, degrees clockwise in the picture, -180 to 180."""
        edge = self.corners[1] - self.corners[0]
        return math.degrees(math.atan2(edge[1], edge[0]))

    @cached_property
    def mean(self) -> tuple[float, float]:
        """Of the corners; cheaper than the middle."""
        return float(self.corners[:, 0].sum()) / 4, float(self.corners[:, 1].sum()) / 4

    @cached_property
    def side_px(self) -> float:
        """Mean length of an edge."""
        points = self.corners.tolist()
        return sum(math.dist(a, b) for a, b in pairwise([*points, points[0]])) / 4


def read(grey: Grey, known: frozenset[str]) -> list[Code]:
    """All codes in the picture."""
    found, cells = distinct(find(grey, known)), texture(grey)
    places = unexplained(grey, cells, found, least_texture(cells, found))
    closer = distinct(found + [code for _, codes in looks(grey, places, known) for code in codes])
    # In a picture full of texture pyzbar takes longest and finds least.
    return closer or ([] if len(places) == MOST else distinct(find_with_zbar(grey, known)))


def find(grey: Grey, known: frozenset[str]) -> list[Code]:
    """Stage 1: what zxing-cpp reads in the picture as it is."""
    if min(grey.shape) < 21:
        return []
    seen = zxingcpp.read_barcodes(
        np.ascontiguousarray(grey),
        formats=zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode),
        text_mode=zxingcpp.TextMode.Plain,
        try_invert=False,
        try_downscale=min(grey.shape) > 500,  # for codes too large for its finder patterns' search
    )
    return [Code(thing_in(b.text, known), b.text, corners_of(b.position)) for b in seen]


def corners_of(position: Any) -> Points:
    """zxing-cpp's origin is the corner of the first pixel, ours its centre."""
    p = position
    points = [(q.x, q.y) for q in (p.top_left, p.top_right, p.bottom_right, p.bottom_left)]
    return np.array(points, float) - 0.5


def least_texture(cells: Cells, found: Sequence[Code]) -> float:
    """What texture a candidate needs, judged by the codes that were found."""
    return max(TEXTURE, LIKE_FOUND * usual_strength(cells, found)) if len(found) >= 3 else TEXTURE


def candidates(grey: Grey, found: Sequence[Code], least: float = TEXTURE) -> list[Box]:
    """Stage 2: boxes around texture like a code's that no found code explains, the strongest first."""
    return unexplained(grey, texture(grey), found, least)


def unexplained(grey: Grey, cells: Cells, found: Sequence[Code], least: float) -> list[Box]:
    """The same, where the texture is known; it is cleared under what was found."""
    for code in found:
        cv2.fillConvexPoly(cells, np.round(grown(code.corners, 1.4) / CELL_PX - 0.5).astype(np.int32), 0.0)
    return [clip(around(x, y), grey.shape) for x, y in peaks(blurred(cells), least)]


def usual_strength(cells: Cells, found: Sequence[Code]) -> float:
    """The texture of the codes that were found, their median."""
    strength = blurred(cells)
    at = np.clip([c.middle // CELL_PX for c in found], 0, np.array(strength.shape[::-1]) - 1).astype(int)
    return float(np.median(strength[at[:, 1], at[:, 0]]))


def blurred(cells: Cells) -> Cells:
    """The mean over 40 x 40 px, the size of the codes that stage 1 misses."""
    return np.asarray(cv2.blur(cells, (5, 5), borderType=cv2.BORDER_CONSTANT), np.float32)


def peaks(strength: Cells, least: float) -> list[tuple[int, int]]:
    """The cells (x, y) that are the strongest within a code's reach, strongest first, at most MOST."""
    top = cv2.dilate(strength, np.ones((5, 5), np.uint8))
    rows, columns = np.nonzero((strength >= top) & (strength > least))
    order = np.argsort(-strength[rows, columns], kind="stable")[:MOST]
    return [(int(columns[i]), int(rows[i])) for i in order]


def around(x: int, y: int) -> Box:
    """The box in pixels in which a code lies whose middle is near that cell."""
    left, top = x * CELL_PX + CELL_PX // 2 - REACH_PX, y * CELL_PX + CELL_PX // 2 - REACH_PX
    return left, top, left + 2 * REACH_PX, top + 2 * REACH_PX


def texture(grey: Grey) -> Cells:
    """Mean absolute grey step in x plus in y, a value for each cell, from every other row."""
    rows, columns = (n // CELL_PX for n in grey.shape)
    if not rows or not columns:
        return np.zeros((1, 1), np.float32)
    whole = grey[: rows * CELL_PX, : columns * CELL_PX]
    lines = np.ascontiguousarray(whole[::2])
    steps = np.zeros_like(lines)
    steps[:, 2:] = cv2.absdiff(lines[:, 2:], lines[:, :-2])
    steps[:-1] = cv2.add(steps[:-1], cv2.absdiff(lines[1:], lines[:-1]))
    return np.asarray(cv2.resize(steps, (columns, rows), interpolation=cv2.INTER_AREA), np.float32)


def clip(box: Box, shape: tuple[int, ...]) -> Box:
    """The part of the box that lies in a picture of that shape (height, width, …)."""
    height, width = shape[:2]
    return max(box[0], 0), max(box[1], 0), min(box[2], width), min(box[3], height)


def looks(grey: Grey, places: Iterable[Box], known: frozenset[str]) -> Iterator[tuple[Box, list[Code]]]:
    """Stage 3 at one place after the other, until it has been in vain too often in a row."""
    vain = 0
    for box in places:
        found = look_closer(grey, box, known)
        yield box, found
        vain = 0 if found else vain + 1
        if vain >= VAIN:
            return


def look_closer(grey: Grey, box: Box, known: frozenset[str]) -> list[Code]:
    """Stage 3: zxing-cpp on the box sharpened and enlarged."""
    found = find(sharpened(grey[box[1] : box[3], box[0] : box[2]]), known)
    return [Code(c.id, c.text, (c.corners + 0.5) / CLOSER - 0.5 + box[:2]) for c in found]


def sharpened(grey: Grey) -> Grey:
    """Enlarged, with what optics and sampling have blurred brought back: small modules part again."""
    crisp = cv2.addWeighted(grey, 2.2, cv2.GaussianBlur(grey, (0, 0), 1.25), -1.2, 0)
    return np.asarray(cv2.resize(crisp, None, fx=CLOSER, fy=CLOSER, interpolation=cv2.INTER_CUBIC), np.uint8)


@cache
def zbar() -> Callable[[Grey], list[Any]] | None:
    """pyzbar's decoder for QR codes, or None where the system has no libzbar0."""
    try:
        from pyzbar import pyzbar
    except (ImportError, OSError):
        return None
    return lambda grey: list(pyzbar.decode(grey, symbols=[pyzbar.ZBarSymbol.QRCODE]))


def find_with_zbar(grey: Grey, known: frozenset[str]) -> list[Code]:
    """Stage 4: what pyzbar reads, in a large picture made smaller: its time grows with every edge."""
    decode = zbar()
    if decode is None or min(grey.shape) < 21:
        return []
    share = min(1.0, math.sqrt(ZBAR_PX / grey.size))
    small = grey if share == 1 else cv2.resize(grey, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    codes = (from_zbar(symbol, known) for symbol in decode(np.ascontiguousarray(small)))
    return [Code(c.id, c.text, (c.corners + 0.5) / share - 0.5) for c in codes if c]


QUARTERS = {"UP": 0, "RIGHT": 1, "DOWN": 2, "LEFT": 3}


def from_zbar(symbol: Any, known: frozenset[str]) -> Code | None:
    """A code, unless its corners or its way round can't be told.

    pyzbar gives the corners in no order, and to the nearest quarter where the code's top is.
    """
    quarter = QUARTERS.get(symbol.orientation)
    if quarter is None or len(symbol.polygon) != 4:
        return None
    points = np.array(symbol.polygon, float)
    ways = np.arctan2(*(points - points.mean(0)).T[::-1])
    first = (ways - math.pi * (quarter * 2 - 3) / 4 + math.pi / 4) % (2 * math.pi)
    text = symbol.data.decode("utf-8", "replace")
    return Code(thing_in(text, known), text, points[np.argsort(first)])


def distinct(codes: Iterable[Code]) -> list[Code]:
    """Without the shapes that no printed code has, and without what lies inside a code already listed.

    zxing-cpp 3 sometimes reads a second, bogus code from the pixels of a true one (its issue 1162).
    """
    kept: list[Code] = []
    for code in sorted(codes, key=lambda c: c.id is None):
        if square_enough(code.corners) and not any(same_place(code, other) for other in kept):
            kept.append(code)
    return kept


def square_enough(corners: Points) -> bool:
    """Convex, at least 12 px, and no edge more than 2.5 times as long as another."""
    points = corners.tolist()  # so few numbers are quicker without NumPy
    edges = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise([*points, points[0]])]
    lengths = [math.hypot(*edge) for edge in edges]
    convex = all(a[0] * b[1] > a[1] * b[0] for a, b in pairwise([*edges, edges[0]]))
    return convex and min(lengths) >= 12 and max(lengths) <= 2.5 * min(lengths)


def same_place(a: Code, b: Code) -> bool:
    """Whether the middle of one lies within the other."""
    return math.dist(a.mean, b.mean) < 0.6 * max(a.side_px, b.side_px)


def grown(corners: Points, factor: float) -> Points:
    """The quadrilateral enlarged about its middle."""
    middle = corners.mean(0)
    return np.asarray((corners - middle) * factor + middle)


def crossing(corners: Points) -> Points:
    """Where the diagonals of a quadrilateral cross; its mean where they are parallel."""
    a, b, c, d = corners
    across, other = c - a, d - b
    area = across[0] * other[1] - across[1] * other[0]
    if abs(area) < 1e-9:
        return np.asarray(corners.mean(0))
    share = ((b - a)[0] * other[1] - (b - a)[1] * other[0]) / area
    return np.asarray(a + across * share)
