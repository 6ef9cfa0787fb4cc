"""The printed patches -> the light: what white, black and each colour look like in this very picture.

Law: pure. Pixels become reflectances, the share of white paper's light, with a white that changes smoothly over the
mat; then hue and richness (chroma over lightness) say what a colour is, and a shadow changes neither. The patches judge
the light themselves: if their own pixels, half as bright, would be taken for something else, it is too poor.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.tabletop.token_colors import NEUTRAL_COLORS, ColorChart, ColorPatch, PrintColor, TokenColors
from vision.geometry import Frame, Points

Floats = NDArray[np.float32]
Labels = NDArray[np.uint8]
Trouble = Literal["dark", "patches"]
"""Too little light, or too coloured, to tell colours apart; no patches to know them by."""

PX_PER_MM: Final = 2.0
"""Of the flattened mat: about what a camera sees that has all of it in view."""
INNER_MM: Final = 1.0
"""The rim of a patch is blurred into its neighbours."""
GAMMA: Final = 2.2
NEUTRAL, UNSURE = 0, 255
"""Labels; the kinds are numbered from 1 between them."""
RICH, POOR = 0.42, 0.25
"""A pixel is coloured with this share of its patch's richness, and neutral below that of the least rich."""
FAR_DEG = 25.0
"""A patch this far in hue from its paint is no patch."""
REACH_DEG = 28.0
"""And this far a pixel may be from its patch; less where hues are nearer to one another."""
SHADE = 0.5
"""How bright the sides of a cube and what lies in its shadow are."""
SURE = 0.93
"""The share of a patch's pixels in the shade that must still be known."""
LEAST_WHITE = 40.0
"""Grey levels between black and white in a picture that shows something."""
FEWEST = 2
"""Charts that must be in view."""

LINEAR: Final = ((np.arange(256) / 255) ** GAMMA).astype(np.float32)


@dataclass(frozen=True, eq=False)
class Light:
    """How things look in this picture. `white`: 3 x 3, of each channel the logarithm of white's light as a plane over
    the mat; `stray`: the light that comes from everywhere; `hues` in degrees and `riches` of the kinds."""

    white: Floats
    stray: Floats
    hues: Floats
    riches: Floats

    def lab(self, flat: Frame, corner: tuple[float, float]) -> Floats:
        """Lightness and colour of every pixel of a flattened piece of the mat, by its top left corner in mm."""
        rows, columns = flat.shape[:2]
        y, x = np.mgrid[0:rows, 0:columns].astype(np.float32) / np.float32(PX_PER_MM)
        place = np.stack([np.ones_like(x), x + np.float32(corner[0]), y + np.float32(corner[1])], 2)
        return reflected(LINEAR[flat], np.exp(place @ self.white.T), self.stray)

    def labels(self, lab: Floats) -> Labels:
        """The kind of every pixel, NEUTRAL or UNSURE."""
        hue, rich = tint(lab)
        off = np.abs((hue[..., None] - self.hues + 180) % 360 - 180)
        kind = off.argmin(-1)
        share = rich / self.riches[kind]
        known = (np.take_along_axis(off, kind[..., None], -1)[..., 0] <= reaches(self.hues)[kind]) & (share >= RICH)
        plain = rich < POOR * self.riches.min()
        return np.asarray(np.where(known, kind + 1, np.where(plain, NEUTRAL, UNSURE)), np.uint8)


def flattened(frame: Frame, to_mm: Points, corner: tuple[float, float], size: tuple[float, float]) -> Frame:
    """A piece of the mat (top left corner and size, mm) as seen from right above."""
    low = np.array([[1, 0, -corner[0]], [0, 1, -corner[1]], [0, 0, 1 / PX_PER_MM]])
    px = (max(1, round(size[0] * PX_PER_MM)), max(1, round(size[1] * PX_PER_MM)))
    flat = cv2.warpPerspective(frame, low @ to_mm, px, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(cv2.GaussianBlur(flat, (3, 3), 0), np.uint8)


def reflected(linear: Floats, white: Floats, stray: Floats) -> Floats:
    """Light -> lightness and colour (CIE Lab), as if it were seen by white light."""
    share = np.clip((linear - stray) / np.maximum(white - stray, 1e-4), 0, 2)
    rows = share.reshape(-1, 1, 3).astype(np.float32)
    return np.asarray(cv2.cvtColor(rows, cv2.COLOR_LBGR2Lab), np.float32).reshape(share.shape)


def tint(lab: Floats) -> tuple[Floats, Floats]:
    """Hue in degrees, and richness: chroma over lightness."""
    a, b = lab[..., 1], lab[..., 2]
    return np.degrees(np.arctan2(b, a)), np.hypot(a, b) / (lab[..., 0] + np.float32(8))


def reaches(hues: Floats) -> Floats:
    """How far from its hue each kind is known, degrees."""
    apart = np.abs((hues[:, None] - hues + 180) % 360 - 180) + 360 * np.eye(len(hues), dtype=np.float32)
    return np.asarray(np.minimum(REACH_DEG, 0.42 * apart.min(1)), np.float32)


def paint_lab(paint: PrintColor) -> Floats:
    """What a paint is in print."""
    levels = np.array([int(paint[at : at + 2], 16) for at in (5, 3, 1)], np.uint8)
    return reflected(LINEAR[levels], np.ones(3, np.float32), np.zeros(3, np.float32))


# The patches ------------------------------------------------------------------------------------------


def light(frame: Frame, to_mm: Points, counting: TokenColors) -> Light | Trouble:
    """The light of a coloured picture; `to_mm` maps homogeneous pixels to millimetres on the mat."""
    seen = [_Chart(frame, to_mm, each) for each in counting.charts]
    kinds = tuple(counting.colors)
    paints = np.stack([paint_lab(paint) for paint in counting.colors.values()])
    good = [each for each in seen if each.lit and each.as_printed(kinds, paints)]
    if len(good) < FEWEST:
        bright = np.percentile(frame[::16, ::16], 99) >= 2 * LEAST_WHITE
        return "patches" if bright and sum(each.lit for each in seen) < FEWEST else "dark"
    hues, riches = np.median([each.tints(kinds) for each in good], 0)
    found = Light(_plane(good), np.mean([each.stray for each in good], 0), hues, riches)
    return found if _tells_apart(found, good, kinds) else "dark"


def _plane(charts: Sequence[_Chart]) -> Floats:
    """White over the mat: a plane, if charts in all its parts are in view."""
    places = np.array([[1, *each.place] for each in charts])
    logs = np.log([each.white for each in charts])
    if len(charts) < 4 or np.linalg.matrix_rank(places - places.mean(0), tol=20) < 2:
        return np.array([[level, 0, 0] for level in logs.mean(0)], np.float32)
    return np.asarray(np.linalg.lstsq(places, logs, None)[0].T, np.float32)


def _tells_apart(light: Light, charts: Sequence[_Chart], kinds: tuple[str, ...]) -> bool:
    """Whether the pixels of the patches, in the shade, are what they are."""
    wanted = {**{kind: number for number, kind in enumerate(kinds, 1)}, "grey": NEUTRAL}
    for kind, number in wanted.items():
        labels = np.concatenate([light.labels(each.shaded(kind)) for each in charts])
        if float((labels == number).mean()) < SURE:
            return False
    return True


class _Chart:
    """One chart as it is seen: the light of every pixel of its patches."""

    def __init__(self, frame: Frame, to_mm: Points, chart: ColorChart) -> None:
        self._pixels = {patch.kind: LINEAR[inside(frame, to_mm, patch)] for patch in chart}
        self._medians = {kind: np.median(pixels, 0) for kind, pixels in self._pixels.items()}
        self.place = next(patch.center for patch in chart if patch.kind == "white")
        self.white = np.maximum(self._medians["white"], 1e-4)
        dark = LINEAR[int(NEUTRAL_COLORS["black"][1:3], 16)]
        self.stray = np.maximum(0, (self._medians["black"] - dark * self.white) / (1 - dark))

    @property
    def lit(self) -> bool:
        """Whether white is white enough, and grey lies between black and white."""
        levels = {kind: 255 * float(np.mean(self._medians[kind])) ** (1 / GAMMA) for kind in NEUTRAL_COLORS}
        bright = levels["white"] - levels["black"] >= LEAST_WHITE
        return bright and bool(levels["black"] < levels["grey"] < levels["white"])

    def as_printed(self, kinds: tuple[str, ...], paints: Floats) -> bool:
        """Whether every colour is what was printed: no hand over it, no reflection."""
        hues, riches = self.tints(kinds)
        wanted, full = tint(paints)
        off = np.abs((hues - wanted + 180) % 360 - 180)
        grey = tint(self._lab(self._medians["grey"]))[1]
        return bool((off < FAR_DEG).all() and (riches > 0.5 * full).all() and grey < POOR * full.min())

    def tints(self, kinds: tuple[str, ...]) -> tuple[Floats, Floats]:
        """Hue and richness of each kind."""
        return tint(np.stack([self._lab(self._medians[kind]) for kind in kinds]))

    def shaded(self, kind: str) -> Floats:
        """The pixels of a patch as they would be with less light, and the same noise."""
        median = self._medians[kind]
        return self._lab(self._pixels[kind] - (1 - SHADE) * np.maximum(median - self.stray, 0))

    def _lab(self, linear: Floats) -> Floats:
        return reflected(linear, self.white, self.stray)


def inside(frame: Frame, to_mm: Points, patch: ColorPatch) -> Frame:
    """The pixels of a patch without its rim: n x 3."""
    rim = round(INNER_MM * PX_PER_MM)
    flat = flattened(frame, to_mm, patch.top_left, patch.size)[rim:-rim, rim:-rim]
    return flat.reshape(-1, 3)
