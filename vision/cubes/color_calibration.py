"""Calibrates colors with the printed color charts: how white, black and each token color look in this frame.

Law: pure. Pixels are converted to reflectances relative to white paper, with an illumination that varies smoothly over
the mat. Hue and saturation (chroma over lightness) then identify a color, and neither changes in a shadow. Black has no
hue; it is darker than any shadow on the ground. The patches of the charts also verify the calibration: if their own
pixels would be misclassified at half their brightness, the light is too poor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.tabletop.token_colors import NEUTRAL_COLORS, ColorChart, ColorPatch, PrintColor, TokenColors
from vision.geometry import Frame, Matrix

Floats = NDArray[np.float32]
Labels = NDArray[np.uint8]
CalibrationFailure = Literal["dark", "patches"]
"""Why colors can't be calibrated. "dark": the light is too weak or too tinted to distinguish colors. "patches": too few
charts are visible."""

PX_PER_MM: Final = 2.0
"""Resolution of the rectified mat: about that of a camera that has the whole mat in view."""
PATCH_MARGIN_MM: Final = 1.0
"""Width of a margin inside each edge of a patch. The pixels in this margin are not measured, because blur mixes them
with the print beside the patch."""
MAX_CHART_SHIFT_MM: Final = 2.0
"""How far a chart may be from its nominal place."""
GAMMA: Final = 2.2
"""The exponent that converts gray levels to linear light."""
NEUTRAL, UNKNOWN = 0, 255
"""Labels of pixels that are gray, and of pixels with no known color. The kinds of tokens are numbered from 1; the black
kind comes last."""
MIN_SATURATION, MAX_NEUTRAL_SATURATION = 0.42, 0.25
"""A pixel has a token's color if its saturation is at least MIN_SATURATION times that of the token's patch. It is
neutral if its saturation is below MAX_NEUTRAL_SATURATION times that of the least saturated patch."""
MAX_BLACK_BRIGHTNESS = 0.1
"""A pixel is black if its brightness, relative to that of the ground, is lower than this and it has little color.
Ground in the shadow of a cube keeps 0.35 of its brightness or more, and 0.12 where the shadow of an arm falls on it,
too."""
MAX_BLACK_CHROMA = 12.0
"""The greatest CIE chroma of black. Compression tints it. The darkest side of a blue cube has more."""
MAX_PATCH_HUE_ERROR_DEG = 25.0
"""If the hue of a patch differs by this much from its print color, something covers the patch or is reflected in it."""
MAX_PIXEL_HUE_ERROR_DEG = 28.0
"""How far the hue of a pixel may be from that of its patch. The limit is smaller where two hues are close together."""
MAX_HUE_ERROR_RELATIVE = 0.42
"""How far the hue of a pixel may be from that of its patch, as a share of the distance to the nearest other hue."""
SHADE_BRIGHTNESS = 0.5
"""The assumed brightness of the sides of a cube, and of anything in its shadow, relative to full light."""
MIN_SHADED_ACCURACY = 0.9
"""The share of the pixels of each kind's patch that must still be classified correctly in the shade."""
MIN_SHADED_NEUTRAL = 0.85
"""The share of the pixels of the gray patches that must still be classified correctly in the shade. It is lower than
MIN_SHADED_ACCURACY, because a webcam's compression leaves a little color in gray. Gray that is taken for UNKNOWN makes
a count uncertain, but never wrong."""
MIN_WHITE_CONTRAST = 40.0
"""The least difference between white and black in a usable chart, in gray levels."""
MAX_LIGHT_DEVIATION = 0.2
"""A chart is in a shadow or in a reflection if the logarithm of its brightness differs by more than this from that of
the light around it."""
MIN_CHARTS = 2
"""The number of charts that must be visible."""

LINEAR: Final = ((np.arange(256) / 255) ** GAMMA).astype(np.float32)
"""Lookup table from gray levels to linear light (0 to 1)."""


@dataclass(frozen=True, eq=False)
class ColorCalibration:
    """How colors look in one frame.

    `white` (3 x 3) describes the light on white paper. It has a row (a, b, c) for each channel: at the place (x, y) of
    the mat, in mm, the logarithm of the linear light is a + bx + cy. `stray` is the linear light of a black surface in
    each channel. `hues` (degrees) and `saturations` have a value for each kind of token but the black one.
    `max_black_lightness` is the CIE lightness below which a pixel may be black; 0 if no cubes are black.
    """

    white: Floats
    stray: Floats
    hues: Floats
    saturations: Floats
    max_black_lightness: float = 0.0

    def to_lab(self, rectified: Frame, origin: tuple[float, float]) -> Floats:
        """The CIE Lab values of every pixel of `rectified`, a window of the rectified mat. `origin` is the top left
        corner of the window, in mm."""
        rows, columns = rectified.shape[:2]
        y, x = np.mgrid[0:rows, 0:columns].astype(np.float32) / np.float32(PX_PER_MM)
        position = np.stack([np.ones_like(x), x + np.float32(origin[0]), y + np.float32(origin[1])], 2)
        return reflectance_lab(LINEAR[rectified], np.exp(position @ self.white.T), self.stray)

    def classify(self, lab: Floats) -> Labels:
        """Decides by color what every pixel of `lab` (CIE Lab) belongs to: a kind of token (by its number, from 1),
        NEUTRAL or UNKNOWN."""
        hue, saturation = hue_and_saturation(lab)
        error = hue_distance(hue[..., None], self.hues)
        kind = error.argmin(-1)
        relative = saturation / self.saturations[kind]
        same_hue = np.take_along_axis(error, kind[..., None], -1)[..., 0] <= hue_tolerances(self.hues)[kind]
        is_kind = same_hue & (relative >= MIN_SATURATION)
        is_neutral = saturation < MAX_NEUTRAL_SATURATION * self.saturations.min()
        labels = np.where(is_kind, kind + 1, np.where(is_neutral, NEUTRAL, UNKNOWN))
        chroma = np.hypot(lab[..., 1], lab[..., 2])
        is_black = (lab[..., 0] < self.max_black_lightness) & (chroma < MAX_BLACK_CHROMA)
        return np.asarray(np.where(is_black, len(self.hues) + 1, labels), np.uint8)


def rectify(frame: Frame, to_mm: Matrix, origin: tuple[float, float], size: tuple[float, float]) -> Frame:
    """A window of the mat as seen from directly above, slightly smoothed. `origin` is the top left corner of the window
    and `size` its width and height, in mm. `to_mm` maps homogeneous pixels of `frame` to millimeters on the mat."""
    to_window = np.array([[1, 0, -origin[0]], [0, 1, -origin[1]], [0, 0, 1 / PX_PER_MM]])
    px = (max(1, round(size[0] * PX_PER_MM)), max(1, round(size[1] * PX_PER_MM)))
    rectified = cv2.warpPerspective(frame, to_window @ to_mm, px, borderMode=cv2.BORDER_REPLICATE)
    smooth = cv2.GaussianBlur(rectified, (3, 3), 0)
    ycc = cv2.cvtColor(smooth, cv2.COLOR_BGR2YCrCb)
    ycc[..., 1:] = cv2.medianBlur(ycc, 5)[..., 1:]
    return np.asarray(cv2.cvtColor(ycc, cv2.COLOR_YCrCb2BGR), np.uint8)


def reflectance_lab(linear: Floats, white: Floats, stray: Floats) -> Floats:
    """The CIE Lab values that surfaces would have under white light. `linear` is the linear light of each pixel.
    `white` and `stray` are the linear light of white paper and of a black surface."""
    reflectance = np.clip((linear - stray) / np.maximum(white - stray, 1e-4), 0, 2)
    rows = reflectance.reshape(-1, 1, 3).astype(np.float32)
    return np.asarray(cv2.cvtColor(rows, cv2.COLOR_LBGR2Lab), np.float32).reshape(reflectance.shape)


def hue_and_saturation(lab: Floats) -> tuple[Floats, Floats]:
    """The hue (in degrees) and the saturation (chroma over lightness) of CIE Lab values."""
    a, b = lab[..., 1], lab[..., 2]
    return np.degrees(np.arctan2(b, a)), np.hypot(a, b) / (lab[..., 0] + np.float32(8))


def hue_distance(one: Floats, other: Floats) -> Floats:
    """The angle between two hues, from 0 to 180 degrees."""
    return np.asarray(np.abs((one - other + 180) % 360 - 180))


def hue_tolerances(hues: Floats) -> Floats:
    """For each kind of token, how far the hue of a pixel of this kind may be from the hue of the kind, in degrees.
    `hues`: the hues of the kinds, in degrees."""
    distances = hue_distance(hues[:, None], hues) + 360 * np.eye(len(hues), dtype=np.float32)
    return np.asarray(np.minimum(MAX_PIXEL_HUE_ERROR_DEG, MAX_HUE_ERROR_RELATIVE * distances.min(1)), np.float32)


def print_color_lab(color: PrintColor) -> Floats:
    """The CIE Lab values of a print color."""
    levels = np.array([int(color[at : at + 2], 16) for at in (5, 3, 1)], np.uint8)
    return reflectance_lab(LINEAR[levels], np.ones(3, np.float32), np.zeros(3, np.float32))


def calibrate_colors(frame: Frame, to_mm: Matrix, token_colors: TokenColors) -> ColorCalibration | CalibrationFailure:
    """The color calibration of a color `frame`, or the reason why there is none. `to_mm` maps homogeneous pixels to
    millimeters on the mat."""
    charts = [_ObservedChart(frame, to_mm, chart) for chart in token_colors.charts]
    kinds = tuple(token_colors.colors)
    print_colors = np.stack([print_color_lab(color) for color in token_colors.colors.values()])
    usable = [chart for chart in charts if chart.is_lit and chart.matches_print(kinds, print_colors)]
    if len(usable) < MIN_CHARTS:
        bright = np.percentile(frame[::16, ::16], 99) >= 2 * MIN_WHITE_CONTRAST
        return "patches" if bright and sum(chart.is_lit for chart in charts) < MIN_CHARTS else "dark"
    hues, saturations = np.median([chart.hues_and_saturations(kinds) for chart in usable], 0)
    stray = np.mean([chart.stray for chart in usable], 0)
    max_black = _max_black_lightness(token_colors) if token_colors.black_kind else 0.0
    calibration = ColorCalibration(_white_plane(usable), stray, hues, saturations, max_black)
    return calibration if _classifies_patches(calibration, usable, kinds) else "dark"


def _max_black_lightness(token_colors: TokenColors) -> float:
    """The CIE lightness of ground that has MAX_BLACK_BRIGHTNESS of its brightness left."""
    ground = LINEAR[[int(token_colors.ground_color[at : at + 2], 16) for at in (5, 3, 1)]]
    return float(reflectance_lab(MAX_BLACK_BRIGHTNESS * ground, np.ones(3, np.float32), np.zeros(3, np.float32))[0])


def _white_plane(charts: Sequence[_ObservedChart]) -> Floats:
    """The `white` of a `ColorCalibration`: for each channel a least-squares plane through the charts, or a constant if
    they don't determine a plane. Charts in the shadow of an arm are left out."""
    positions = np.array([[1, *chart.position] for chart in charts])
    logs = np.log([chart.white for chart in charts])
    if len(charts) < 4 or not _determine_plane(positions):
        return np.array([[level, 0, 0] for level in logs.mean(0)], np.float32)
    lit = lit_charts(positions, logs.mean(1))
    return np.asarray(np.linalg.lstsq(positions[lit], logs[lit], None)[0].T, np.float32)


def _determine_plane(positions: Matrix) -> bool:
    """Whether the `positions` are far enough from a common line to determine a plane. There is a row (1, x, y) for each
    position, in mm."""
    return bool(np.linalg.matrix_rank(positions - positions.mean(0), tol=20) == 2)


def lit_charts(positions: Matrix, levels: Matrix) -> NDArray[np.bool_]:
    """Mask of the charts in full light: those near the plane that fits the brightness of all charts best. The cost of
    an outlier doesn't grow with its distance from the plane, so outliers can't tilt the plane (MSAC). Outliers brighter
    than the plane cost twice as much as darker ones, because shadows are more common than reflections. If the lit
    charts can't determine a plane, all charts count as lit. `positions` has a row (1, x, y) for each chart, `levels`
    the logarithm of each chart's brightness."""
    best, least = np.zeros(len(levels)), math.inf
    for three in map(list, combinations(range(len(levels)), 3)):  # a plane through three of the charts
        if _determine_plane(positions[three]):
            deviations = levels - positions @ np.linalg.solve(positions[three], levels[three])
            costs = np.clip(deviations, -MAX_LIGHT_DEVIATION, MAX_LIGHT_DEVIATION)
            cost = float(np.abs(costs).sum() + MAX_LIGHT_DEVIATION * (deviations > MAX_LIGHT_DEVIATION).sum())
            if cost < least:
                best, least = np.abs(deviations), cost
    lit = best < MAX_LIGHT_DEVIATION
    return lit if _determine_plane(positions[lit]) else np.ones(len(levels), bool)


def _classifies_patches(
    calibration: ColorCalibration, charts: Sequence[_ObservedChart], kinds: tuple[str, ...]
) -> bool:
    """Whether the pixels of all patches would be classified correctly even in shadow."""
    expected = {**{kind: number for number, kind in enumerate(kinds, 1)}, "gray": NEUTRAL}
    if calibration.max_black_lightness:
        expected["black"] = len(kinds) + 1
    for kind, label in expected.items():
        labels = np.concatenate([calibration.classify(chart.shaded_lab(kind)) for chart in charts])
        least = MIN_SHADED_NEUTRAL if label == NEUTRAL else MIN_SHADED_ACCURACY
        if float((labels == label).mean()) < least:
            return False
    return True


class _ObservedChart:
    """A color chart as seen in a frame: the linear light of the pixels of each patch, and of the chart's white and
    black."""

    def __init__(self, frame: Frame, to_mm: Matrix, chart: ColorChart) -> None:
        shift = chart_shift(frame, to_mm, chart)
        self._pixels = {patch.kind: LINEAR[patch_pixels(frame, to_mm, patch, shift)] for patch in chart}
        self._medians = {kind: np.median(pixels, 0) for kind, pixels in self._pixels.items()}
        self.position = next(patch.center for patch in chart if patch.kind == "white")
        self.white = np.maximum(self._medians["white"], 1e-4)
        ink = LINEAR[int(NEUTRAL_COLORS["black"][1:3], 16)]
        self.stray = np.maximum(0, (self._medians["black"] - ink * self.white) / (1 - ink))

    @property
    def is_lit(self) -> bool:
        """Whether enough light falls on the chart: white contrasts with black, and gray is between the two."""
        levels = {kind: 255 * float(np.mean(self._medians[kind])) ** (1 / GAMMA) for kind in NEUTRAL_COLORS}
        contrast = levels["white"] - levels["black"]
        return contrast >= MIN_WHITE_CONTRAST and bool(levels["black"] < levels["gray"] < levels["white"])

    def matches_print(self, kinds: tuple[str, ...], print_colors: Floats) -> bool:
        """Whether the patches of the color chart have about the colors in which they were printed. Otherwise a hand
        covers a patch, or a patch reflects a lamp. `print_colors`: the CIE Lab values as printed, one row for each of
        `kinds`."""
        hues, saturations = self.hues_and_saturations(kinds)
        print_hues, print_saturations = hue_and_saturation(print_colors)
        error = hue_distance(hues, print_hues)
        gray = hue_and_saturation(self._lab(self._medians["gray"]))[1]
        return bool(
            (error < MAX_PATCH_HUE_ERROR_DEG).all()
            and (saturations > 0.5 * print_saturations).all()
            and gray < MAX_NEUTRAL_SATURATION * print_saturations.min()
        )

    def hues_and_saturations(self, kinds: tuple[str, ...]) -> tuple[Floats, Floats]:
        """The hue in degrees and the saturation of the patch of each kind in `kinds`."""
        return hue_and_saturation(np.stack([self._lab(self._medians[kind]) for kind in kinds]))

    def shaded_lab(self, kind: str) -> Floats:
        """The CIE Lab values that the pixels of the patch of `kind` would have in shadow: n x 3. The noise of the
        pixels stays as strong as in full light."""
        median = self._medians[kind]
        return self._lab(self._pixels[kind] - (1 - SHADE_BRIGHTNESS) * np.maximum(median - self.stray, 0))

    def _lab(self, linear: Floats) -> Floats:
        return reflectance_lab(linear, self.white, self.stray)


def chart_shift(frame: Frame, to_mm: Matrix, chart: ColorChart) -> tuple[float, float]:
    """How far `chart` is from its nominal place, in mm: right and down. Paper is wavy, so `to_mm` may be wrong by a
    millimeter there. The chart is where the color of each patch is most uniform."""
    reach = round(MAX_CHART_SHIFT_MM * PX_PER_MM)
    corners = np.array([(patch.top_left, np.add(patch.top_left, patch.size)) for patch in chart])
    low, high = corners.min((0, 1)) - MAX_CHART_SHIFT_MM, corners.max((0, 1)) + MAX_CHART_SHIFT_MM
    window = rectify(frame, to_mm, (float(low[0]), float(low[1])), (float(high[0] - low[0]), float(high[1] - low[1])))
    integrals = cv2.integral2(window, sdepth=cv2.CV_64F, sqdepth=cv2.CV_64F)
    variation = np.zeros((2 * reach + 1, 2 * reach + 1))
    for patch in chart:
        left, top = (round(float(each) * PX_PER_MM) - reach for each in np.subtract(patch.top_left, low))
        width, height = (round(side * PX_PER_MM) for side in patch.size)
        mean, square = (_box_sums(each, (left, top), (width, height), reach) / width / height for each in integrals)
        variation += (square - mean**2).sum(2)
    down, right = np.unravel_index(int(variation.argmin()), variation.shape)
    return (float(right) - reach) / PX_PER_MM, (float(down) - reach) / PX_PER_MM


def _box_sums(integral: Any, top_left: tuple[int, int], size: tuple[int, int], reach: int) -> Any:
    """The sum of the pixels in a box, for each shift of the box from -`reach` to `reach` pixels down and right: rows x
    columns x channels. `integral` is the integral image. `top_left` is the corner of the box at the shift of
    -`reach`."""
    (left, top), (width, height), n = top_left, size, 2 * reach + 1
    at = [[integral[y : y + n, x : x + n] for x in (left, left + width)] for y in (top, top + height)]
    return at[1][1] - at[0][1] - at[1][0] + at[0][0]


def patch_pixels(frame: Frame, to_mm: Matrix, patch: ColorPatch, shift: tuple[float, float]) -> Frame:
    """The pixels of `patch` in `frame`, without the blurred margin of the patch: n x 3. `shift`: how far the patch is
    from its nominal place, in mm."""
    margin = round(PATCH_MARGIN_MM * PX_PER_MM)
    left, top = patch.top_left[0] + shift[0], patch.top_left[1] + shift[1]
    rectified = rectify(frame, to_mm, (left, top), patch.size)[margin:-margin, margin:-margin]
    return rectified.reshape(-1, 3)
