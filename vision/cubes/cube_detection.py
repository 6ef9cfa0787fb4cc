"""Cubes in the areas of a mat: how many of each colour, and whether that is certain.

Law: pure. `certain`: every coloured area is explained by cubes of the known size, in one way only, and all the rest is
the mat's ground. `guessed`: the likeliest numbers, of which something speaks for others. `unknown`: the light is too
poor, the patches are not in view, or something else lies there. One cube on another is not seen.

Measured on simulated pictures of 1600 x 900, where a cube of 8 mm is 19 px wide. In good light (warm and cold, from
any side, exposed down to a half, blurred by up to 0.9 px, with noise of up to 4 grey levels), half of the queues pushed
together and often of one colour: 235 of 240 lanes certain, all of them right. In poor light (exposed down to 1/160,
blur of up to 2.5 px, noise of up to 14 levels): 57 of 240 certain, all of them right, 4 guessed, the others unknown.
From 1280 x 720 (15 px a cube) to 1920 x 1080, and with lenses of 60 to 78 degrees, all that was certain was right.
With a flat scrap on a cube, grey, white, brass or of wood: 2 of 480 lanes certain, one of them wrong, where brass
beside a yellow cube was taken for yellow ones. With a coin or a chip of 13 to 30 mm none of 200 was certain and wrong;
with a round bead of 9 or 10 mm in a cube's colour 7 of 37 were. Not told apart either: a cube of bare wood from a
yellow one (20 of 23 certain), and a flat square of 8 or 9 mm in a cube's colour from a cube (28 of 43). On three
crossings a side, of four cubes in single file the last may stand outside the area: 21 of 324 were certain of three.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.tabletop.token_colors import Polygon, TokenColors
from vision.cubes import pavement_occlusion
from vision.cubes.blob_fitting import Blob, Eye, Fitter, Mask
from vision.cubes.color_calibration import (
    NEUTRAL,
    PX_PER_MM,
    UNSURE,
    Floats,
    Labels,
    Light,
    flattened,
    light,
    paint_lab,
)
from vision.geometry import Frame, Points, scale_about_center

Certainty = Literal["certain", "guessed", "unknown"]
Why = Literal["", "dark", "patches", "covered", "unclear"]

FOCAL: Final = 0.82
"""Of the lens, in widths of the picture: 63 degrees wide. Another lens moves tops by a millimetre at the edges."""
MARGIN_MM: Final = 12.0
"""Around an area: a cube whose middle lies in it is in view as a whole."""
TILE: Final = 1.75
"""What is printed with a code may be so many times as wide as the code."""
SHADOW: Final = 0.3
"""Ground in a shadow has at least this share of its light; what is darker is something else."""
BRIGHT: Final = 1.5
LINE_MM: Final = 4.0
"""White in an area is narrower than this."""
CRUMB: Final = 0.06
"""A coloured spot smaller than this share of a cube's top is noise."""
STRANGE: Final = 0.2
"""So much of a cube's top may be neither ground nor cube."""
BLURRED_MM: Final = 1.0
"""So near to a cube or to a tile the ground is not seen clearly."""
BURIED: Final = 0.3
"""So much of the ground, in tops of cubes, may be hidden in one place by nothing that is known."""
NO_CUBE: Final = 0.8
"""A spot that cubes explain no better than this, in tops a cube, is something else."""
BORDER_MM: Final = 1.5
"""A cube whose middle is so near an area's border may belong to either side."""


@dataclass(frozen=True)
class Count:
    """The cubes in an area: None where they are unknown, else without zeros; `why` says what is in the way."""

    area: str
    cubes: Mapping[str, int] | None
    certainty: Certainty
    why: Why = ""


def counts(
    frame: Frame, to_mm: Points, counting: TokenColors, areas: Sequence[str], coded: Sequence[Points] = ()
) -> tuple[Count, ...]:
    """The cubes in some areas of a coloured picture. `to_mm` maps homogeneous pixels to millimetres on the mat; `coded`
    are the corners in pixels of the codes in view."""
    lit = light(frame, to_mm, counting)
    if not isinstance(lit, Light):
        return tuple(Count(area, None, "unknown", lit) for area in areas)
    fitter = Fitter(eye(to_mm, frame.shape), counting.cube_mm, counting.max_per_area)
    return tuple(_count(frame, to_mm, counting, area, lit, fitter, coded) for area in areas)


def eye(to_mm: Points, shape: tuple[int, ...]) -> Eye:
    """Where the camera hangs, from how it sees the mat."""
    height, width = shape[:2]
    focal = FOCAL * width
    lens = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
    pose = np.linalg.solve(lens, np.linalg.inv(to_mm))
    pose /= math.sqrt(np.linalg.norm(pose[:, 0]) * np.linalg.norm(pose[:, 1])) * np.sign(pose[2, 2])
    turn = np.column_stack([pose[:, 0], pose[:, 1], np.cross(pose[:, 0], pose[:, 1])])
    x, y, z = -np.linalg.solve(turn, pose[:, 2])
    return Eye((float(x), float(y)), float(-z))


def _count(
    frame: Frame,
    to_mm: Points,
    counting: TokenColors,
    area: str,
    lit: Light,
    fitter: Fitter,
    coded: Sequence[Points],
) -> Count:
    window = Window(counting.areas[area])
    lab = lit.lab(flattened(frame, to_mm, window.corner, window.size), window.corner)
    hidden = window.filled([place(scale_about_center(code, TILE), to_mm) for code in coded])
    seen = _Seen(window, lab, lit.labels(lab), hidden, counting)
    return seen.count(area, fitter)


class Window:
    """An upright piece of the mat around an area, flattened."""

    def __init__(self, polygon: Polygon) -> None:
        corners = np.array(polygon)
        low, high = corners.min(0) - MARGIN_MM, corners.max(0) + MARGIN_MM
        self.corner = (float(low[0]), float(low[1]))
        self.size = (float(high[0] - low[0]), float(high[1] - low[1]))
        self.outline = corners

    def filled(self, polygons: Sequence[Points]) -> Mask:
        """The pixels of places in millimetres."""
        mask = np.zeros((max(1, round(self.size[1] * PX_PER_MM)), max(1, round(self.size[0] * PX_PER_MM))), np.uint8)
        for polygon in polygons:
            px = np.round(((polygon - self.corner) * PX_PER_MM - 0.5) * 16).astype(np.int32)
            cv2.fillPoly(mask, [px], 1, cv2.LINE_8, 4)
        return mask.astype(bool)

    def inside(self, x: float, y: float) -> float:
        """How far within the area's border a place on the mat lies, mm; negative outside."""
        return float(cv2.pointPolygonTest(self.outline.astype(np.float32), (x, y), measureDist=True))


class _Seen:
    """A window with what its pixels are."""

    def __init__(self, window: Window, lab: Floats, labels: Labels, hidden: Mask, counting: TokenColors) -> None:
        self._window, self._lab, self._labels, self._counting = window, lab, labels, counting
        self._hidden, self._inside = hidden, window.filled([window.outline])
        self._top_px = (counting.cube_mm * PX_PER_MM) ** 2
        self._share = luminance(lab[..., 0]) / luminance(paint_lab(counting.ground_color)[0])
        self._dim = (labels == UNSURE) | (self._share < SHADOW) & (labels == NEUTRAL)
        self._masks = [self._mask(number) for number in range(1, len(counting.colors) + 1)]

    def count(self, area: str, fitter: Fitter) -> Count:
        if self._room_hidden():
            return Count(area, None, "unknown", "covered")
        found: Counter[str] = Counter()
        sure, explained = True, self._hidden.copy()
        for kind, shown in self._spots():
            fit = fitter.fit(self._blob(shown))
            if fit.cost > NO_CUBE * max(1, len(fit.cubes)):
                return Count(area, None, "unknown", "covered")
            depths = [self._window.inside(x, y) for x, y, _ in fit.cubes]
            found[kind] += sum(depth > 0 for depth in depths)
            sure &= fit.sure and all(abs(depth) > BORDER_MM for depth in depths)
            explained |= shown
        if found.total() > self._counting.max_per_area or self._strange(explained) or self._buried(area):
            return Count(area, None, "unknown", "covered")
        return Count(area, dict(+found), *(("certain", "") if sure else ("guessed", "unclear")))

    def _room_hidden(self) -> bool:
        """Whether a cube may lie under what is printed with a code."""
        side = max(1, round(0.8 * self._counting.cube_mm * PX_PER_MM))
        hidden = (self._hidden & self._inside).astype(np.uint8)
        return bool(cv2.erode(hidden, np.ones((side, side), np.uint8), borderValue=0).any())

    def _spots(self) -> Iterator[tuple[str, Mask]]:
        """The coloured spots that reach into the area."""
        for kind, mine in zip(self._counting.colors, self._masks, strict=True):
            _, numbers = cv2.connectedComponents(mine.astype(np.uint8), connectivity=4)
            for number in np.unique(numbers[mine & self._inside]):
                shown = numbers == number
                if shown.sum() >= CRUMB * self._top_px:
                    yield kind, shown

    def _mask(self, number: int) -> Mask:
        """The pixels of a kind, without specks and pinholes."""
        mine = ((self._labels == number) & ~self._hidden).astype(np.uint8)
        for way in (cv2.MORPH_OPEN, cv2.MORPH_CLOSE):
            mine = cv2.morphologyEx(mine, way, np.ones((3, 3), np.uint8)).astype(np.uint8)
        return np.asarray(mine, bool)

    def _blob(self, shown: Mask) -> Blob:
        """A spot with room for cubes around it."""
        pad = round(self._counting.cube_mm * PX_PER_MM)
        rows, columns = np.nonzero(shown)
        top, left = max(0, rows.min() - pad), max(0, columns.min() - pad)
        cut = (slice(top, rows.max() + pad), slice(left, columns.max() + pad))
        lightness = self._lab[..., 0][cut]
        corner = (self._window.corner[0] + left / PX_PER_MM, self._window.corner[1] + top / PX_PER_MM)
        tone = lightness / max(1.0, float(np.median(lightness[shown[cut]])))
        hidden, other = self._hidden | self._dim & ~shown, np.any(self._masks, 0) & ~shown
        return Blob(corner, shown[cut], hidden[cut], other[cut], np.asarray(tone, np.float32))

    def _strange(self, explained: Mask) -> bool:
        """Whether something lies there that is neither a cube nor the ground."""
        near = cv2.dilate(explained.astype(np.uint8), np.ones((5, 5), np.uint8)).astype(bool)
        odd = ((self._labels != NEUTRAL) | self._dim).astype(np.uint8)
        odd = cv2.morphologyEx(odd, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)).astype(np.uint8)
        side = round(LINE_MM * PX_PER_MM)
        white = ((self._share > BRIGHT) & self._inside).astype(np.uint8)
        broad = cv2.morphologyEx(white, cv2.MORPH_OPEN, np.ones((side, side), np.uint8))
        strange = ((odd + broad) > 0) & ~near & self._inside
        return bool(strange.sum() > STRANGE * self._top_px)

    def _buried(self, area: str) -> bool:
        """Whether something hides the paving that is no cube: no cloth as grey as the street lies there."""
        reach = 2 * round(BLURRED_MM * PX_PER_MM) + 1
        other = ((self._labels != NEUTRAL) | self._dim | self._hidden | ~self._inside).astype(np.uint8)
        clear = ~cv2.dilate(other, np.ones((reach, reach), np.uint8)).astype(bool)
        paved = self._window.filled([np.array(stone) for stone in self._counting.light_stones[area]])
        lost = pavement_occlusion.hidden(self._share, paved, clear, self._counting.stone_colors)
        sizes = cv2.connectedComponentsWithStats(lost.astype(np.uint8))[2][1:, cv2.CC_STAT_AREA]
        return bool((sizes > BURIED * self._top_px).any())


def place(corners: Points, to_mm: Points) -> Points:
    """Pixels -> millimetres, n x 2."""
    return np.asarray(cv2.perspectiveTransform(corners[None].astype(float), to_mm)[0])


def luminance(lightness: NDArray[np.float32]) -> NDArray[np.float32]:
    """CIE lightness -> the share of white's light."""
    high = ((lightness + 16) / 116) ** 3
    return np.asarray(np.where(lightness > 8, high, lightness / 903.3), np.float32)
