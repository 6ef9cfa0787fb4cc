"""Detects cubes in the areas of a mat: how many of each color, and whether that is certain.

Law: pure. A count is `certain` if every colored blob can be explained by cubes of the known size in only one way, and
everything else is the mat's pavement. It is `guessed` if it has the likeliest numbers, but others are possible. It is
`unknown` if the light is too poor, too few color charts are visible, or something else covers the area. A stack is
counted as one cube; a count says how many stacks there may be.

Measured on simulated frames of 1600 x 900, where a cube of 8 mm is 19 px wide. In each lane the cubes stood in a queue;
in half of the queues the cubes were pushed together, often cubes of the same color. Good light means: warm or cold,
from any side, exposure down to 1/2, blur of up to 0.9 px, noise of up to 4 gray levels. In good light, the counts of
235 of 240 lanes were certain, and all of these were right. In poor light (exposure down to 1/160, blur of up to 2.5 px,
noise of up to 14 gray levels), 57 of 240 were certain, all of them right; 4 were guessed, the rest unknown. From 1280 x
720 (15 px per cube) to 1920 x 1080, and with lenses of 60 to 78 degrees, all certain counts were right.

Known errors: with a flat scrap (gray, white, brass or wooden) on a cube, 2 of 480 counts were certain. One of them was
wrong: brass beside a yellow cube was counted as yellow cubes. With a coin or a chip of 13 to 30 mm, none of 200 counts
was both certain and wrong. With a round bead of 9 or 10 mm in a cube's color, 7 of 37 counts were. A cube of bare wood
is mistaken for a yellow one (20 of 23 counts were certain). A flat square of 8 or 9 mm in a cube's color is mistaken
for a cube (28 of 43 counts were certain). On boards with three crossings per side, the last of four cubes in single
file may stand outside the area. So in 21 of 324 counts, only three cubes were counted, and the count was certain.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.tabletop.token_colors import Polygon, TokenColors
from vision.cubes.blob_fitting import Blob, CameraPosition, CubeFitter
from vision.cubes.color_calibration import (
    NEUTRAL,
    PX_PER_MM,
    UNKNOWN,
    ColorCalibration,
    Floats,
    Labels,
    calibrate_colors,
    print_color_lab,
    rectify,
)
from vision.cubes.pavement_occlusion import is_paved, occluded_pavement, visible_pavement
from vision.geometry import Frame, Matrix, PixelMask, Points, scale_about_centroid

Certainty = Literal["certain", "guessed", "unknown"]
Reason = Literal["", "dark", "patches", "covered", "unclear"]

FOCAL_LENGTH: Final = 0.82
"""The assumed focal length of the lens, as a multiple of the frame's width. It corresponds to a field of view of 63
degrees. With another lens, cube tops near the edges of the frame are displaced by about a millimeter."""
MARGIN_MM: Final = 12.0
"""The margin of a window around its area. With this margin, a cube whose center is in the area is entirely in the
window."""
MAX_TILE_PER_CODE: Final = 1.75
"""The largest width of a printed tile relative to that of its code."""
MIN_SHADOW_BRIGHTNESS: Final = 0.12
"""Ground in a shadow keeps at least this share of its brightness. Anything darker is something else."""
MAX_BLACK_EDGE_BRIGHTNESS: Final = 0.13
"""At the edge of a black cube, the brightness relative to that of the ground is lower than this. Halfway between black
and the ground, it is about a third."""
BLACK_TONE_OFFSET: Final = 8.0
"""This is added to the lightness of black cubes before tones are compared, because the lightness of black is mostly
noise. CIE lightness is from 0 to 100."""
MIN_WHITE_BRIGHTNESS: Final = 1.5
"""The least brightness of white print relative to that of the ground."""
MAX_LINE_MM: Final = 4.0
"""The printed white lines are narrower than this."""
MIN_BLOB_AREA: Final = 0.06
"""The area of the smallest blob that is not noise, relative to the area of a cube's top."""
MAX_FOREIGN_AREA: Final = 0.2
"""How much of an area may be neither ground nor cube, relative to the area of a cube's top."""
BLUR_MARGIN_MM: Final = 1.0
"""The pavement is not clearly visible within this distance of a cube or a tile."""
BLEED_MARGIN_MM: Final = 2.0
"""Within this distance of a cube or a tile, compression may tint the ground."""
MAX_OCCLUDED_AREA: Final = 0.3
"""The largest area of pavement that may be hidden in one place by something other than a cube or a tile, relative to
the area of a cube's top."""
MAX_COST_PER_CUBE: Final = 0.8
"""A blob whose best fit costs more than this per cube (see `CubeFit`) does not consist of cubes."""
MIN_BORDER_DISTANCE_MM: Final = 1.5
"""A cube whose center is closer than this to an area's border may belong to either side."""

MAX_OVERHANG_MM: Final = 2.5
"""A cube whose center is at most this far outside a field still lies on the component and counts."""
FIELD_REACH_MM: Final = 3.0
"""With a cube that stands closer than this to a field, but does not count, a count of the field is not certain."""


@dataclass(frozen=True)
class CubeCount:
    """The number of cubes of each color in an area. `cubes` leaves out zeros, and is None if the numbers are unknown.
    `reason` says what prevents certainty. `possible_stacks` is how many of these cubes may really be stacks of two.
    Noise changes this number, so it is ignored when counts are compared."""

    area: str
    cubes: Mapping[str, int] | None
    certainty: Certainty
    reason: Reason = ""
    possible_stacks: int = field(default=0, compare=False)


def count_cubes(
    frame: Frame, to_mm: Matrix, token_colors: TokenColors, areas: Sequence[str], codes: Sequence[Points] = ()
) -> tuple[CubeCount, ...]:
    """Counts the cubes in each of the `areas` in a color `frame`. `to_mm` maps homogeneous pixels to millimeters on the
    mat; `codes` are the corners of the visible codes in pixels, 4 x 2 each."""
    calibration = calibrate_colors(frame, to_mm, token_colors)
    if not isinstance(calibration, ColorCalibration):
        return tuple(CubeCount(area, None, "unknown", calibration) for area in areas)
    fitter = CubeFitter(camera_position(to_mm, frame.shape), token_colors.cube_mm, token_colors.max_per_area)
    return tuple(_count_area(frame, to_mm, token_colors, area, calibration, fitter, codes) for area in areas)


def camera_position(to_mm: Matrix, shape: tuple[int, ...]) -> CameraPosition:
    """The position of the camera, computed from the homography `to_mm` (pixels to places on the mat). `shape` is the
    height and width of the frame."""
    height, width = shape[:2]
    focal = FOCAL_LENGTH * width
    intrinsics = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1]])
    pose = np.linalg.solve(intrinsics, np.linalg.inv(to_mm))
    pose /= math.sqrt(np.linalg.norm(pose[:, 0]) * np.linalg.norm(pose[:, 1])) * np.sign(pose[2, 2])
    rotation = np.column_stack([pose[:, 0], pose[:, 1], np.cross(pose[:, 0], pose[:, 1])])
    x, y, z = -np.linalg.solve(rotation, pose[:, 2])
    return CameraPosition((float(x), float(y)), float(-z))


def _count_area(
    frame: Frame,
    to_mm: Matrix,
    token_colors: TokenColors,
    area: str,
    calibration: ColorCalibration,
    fitter: CubeFitter,
    codes: Sequence[Points],
) -> CubeCount:
    """The count of the cubes in `area`."""
    window = Window(token_colors.areas[area])
    lab = calibration.to_lab(rectify(frame, to_mm, window.origin, window.size), window.origin)
    tiles = window.mask([pixels_to_mm(scale_about_centroid(code, MAX_TILE_PER_CODE), to_mm) for code in codes])
    return _ClassifiedWindow(window, lab, calibration.classify(lab), tiles, token_colors).count(area, fitter)


class Window:
    """The axis-aligned rectangle on the rectified mat that encloses an area and a margin. `origin` is its top left
    corner, `size` its width and height, `outline` has the corners of the area; all in mm."""

    def __init__(self, polygon: Polygon) -> None:
        corners = np.array(polygon)
        low, high = corners.min(0) - MARGIN_MM, corners.max(0) + MARGIN_MM
        self.origin = (float(low[0]), float(low[1]))
        self.size = (float(high[0] - low[0]), float(high[1] - low[1]))
        self.outline = corners

    def mask(self, polygons: Sequence[Points]) -> PixelMask:
        """Mask of the window's pixels that are inside any of `polygons`, which are in millimeters on the mat."""
        mask = np.zeros((max(1, round(self.size[1] * PX_PER_MM)), max(1, round(self.size[0] * PX_PER_MM))), np.uint8)
        for polygon in polygons:
            px = np.round(((polygon - self.origin) * PX_PER_MM - 0.5) * 16).astype(np.int32)
            cv2.fillPoly(mask, [px], 1, cv2.LINE_8, 4)
        return mask.astype(bool)

    def border_distance(self, x: float, y: float) -> float:
        """The distance in mm from the point (x, y) of the mat to the area's border. It is negative outside the area."""
        return float(cv2.pointPolygonTest(self.outline.astype(np.float32), (x, y), measureDist=True))


class _ClassifiedWindow:
    """A window with the CIE Lab values and the label of each of its pixels. `tiles` masks the printed tiles that have a
    code."""

    def __init__(
        self, window: Window, lab: Floats, labels: Labels, tiles: PixelMask, token_colors: TokenColors
    ) -> None:
        self._window, self._lab, self._token_colors = window, lab, token_colors
        self._tiles, self._area = tiles, window.mask([window.outline])
        self._top_px = (token_colors.cube_mm * PX_PER_MM) ** 2
        self._brightness = luminance(lab[..., 0]) / luminance(print_color_lab(token_colors.ground_color)[0])
        self._labels = labels = self._with_edges_of_black(labels) if token_colors.black_kind else labels
        self._unclear = (labels == UNKNOWN) | (self._brightness < MIN_SHADOW_BRIGHTNESS) & (labels == NEUTRAL)
        self._masks = [self._color_mask(label) for label in range(1, len(token_colors.kinds) + 1)]

    def _with_edges_of_black(self, labels: Labels) -> Labels:
        """The labels with the edges of black objects, where black blends into what is beside it."""
        black = len(self._token_colors.kinds)
        near = cv2.dilate((labels == black).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        is_edge = near & np.isin(labels, (NEUTRAL, UNKNOWN)) & (self._brightness < MAX_BLACK_EDGE_BRIGHTNESS)
        return np.where(is_edge, black, labels).astype(np.uint8)

    def count(self, area: str, fitter: CubeFitter) -> CubeCount:
        """Counts the cubes in the area that this window shows. `area`: the name of the area, for the result. `fitter`
        fits cubes to each colored blob. The count is unknown if something else covers the area."""
        if self._tile_may_hide_cube() or self._has_occluded_pavement(area):
            return CubeCount(area, None, "unknown", "covered")
        cubes: Counter[str] = Counter()
        certain, stacks, explained = True, 0, self._tiles.copy()
        is_field = area in self._token_colors.fields
        for kind, mask in self._blob_masks(_dilated(self._area, FIELD_REACH_MM) if is_field else self._area):
            fit = fitter.fit(self._blob(kind, mask))
            is_foreign = not fit.cubes or fit.cost > MAX_COST_PER_CUBE * len(fit.cubes)
            if is_foreign and is_field and (mask & self._area).sum() < MIN_BLOB_AREA * self._top_px:
                continue  # beside the field, for example print of a card that lies partly below this one
            if fit.cost > MAX_COST_PER_CUBE * max(1, len(fit.cubes)):
                return CubeCount(area, None, "unknown", "covered")
            distances = [self._window.border_distance(x, y) for x, y, _ in fit.cubes]
            if is_field:
                clear = [distance > -MAX_OVERHANG_MM for distance in distances]
                cubes[kind] += sum(clear)
            else:
                clear = [abs(distance) > MIN_BORDER_DISTANCE_MM for distance in distances]
                cubes[kind] += sum(distance > 0 for distance in distances)
            certain &= fit.is_certain and all(clear)
            stacks += fit.possible_stacks
            explained |= mask
        too_many = cubes.total() > self._token_colors.max_per_area
        if too_many or self._has_foreign_object(area, explained):
            return CubeCount(area, None, "unknown", "covered")
        if is_field and not self._shows_pavement(area, explained):
            return CubeCount(area, None, "unknown", "covered")
        if not certain:
            return CubeCount(area, dict(+cubes), "guessed", "unclear")
        return CubeCount(area, dict(+cubes), "certain", possible_stacks=stacks)

    def _tile_may_hide_cube(self) -> bool:
        """Whether tiles cover enough of the area to hide a cube."""
        side = max(1, round(0.8 * self._token_colors.cube_mm * PX_PER_MM))
        hidden = (self._tiles & self._area).astype(np.uint8)
        return bool(cv2.erode(hidden, np.ones((side, side), np.uint8), borderValue=0).any())

    def _blob_masks(self, area: PixelMask) -> Iterator[tuple[str, PixelMask]]:
        """Yields the kind and the mask of every colored blob that reaches into `area`."""
        for kind, mask in zip(self._token_colors.kinds, self._masks, strict=True):
            _, components = cv2.connectedComponents(mask.astype(np.uint8), connectivity=4)
            for component in np.unique(components[mask & area]):
                blob = components == component
                if blob.sum() >= MIN_BLOB_AREA * self._top_px:
                    yield kind, blob

    def _color_mask(self, label: int) -> PixelMask:
        """Mask of the pixels with this `label` outside tiles, without specks and pinholes."""
        mask = ((self._labels == label) & ~self._tiles).astype(np.uint8)
        for operation in (cv2.MORPH_OPEN, cv2.MORPH_CLOSE):
            mask = cv2.morphologyEx(mask, operation, np.ones((3, 3), np.uint8)).astype(np.uint8)
        return np.asarray(mask, bool)

    def _blob(self, kind: str, mask: PixelMask) -> Blob:
        """The blob of this `kind` with this `mask`, in a crop of the window with a margin of one cube."""
        pad = round(self._token_colors.cube_mm * PX_PER_MM)
        rows, columns = np.nonzero(mask)
        top, left = max(0, rows.min() - pad), max(0, columns.min() - pad)
        crop = (slice(top, rows.max() + pad), slice(left, columns.max() + pad))
        is_black = kind == self._token_colors.black_kind
        lightness = self._lab[..., 0][crop] + (BLACK_TONE_OFFSET if is_black else 0)
        origin = (self._window.origin[0] + left / PX_PER_MM, self._window.origin[1] + top / PX_PER_MM)
        tone = lightness / max(1.0, float(np.median(lightness[mask[crop]])))
        hidden, other = self._tiles | self._unclear & ~mask, np.any(self._masks, 0) & ~mask
        return Blob(origin, mask[crop], hidden[crop], other[crop], np.asarray(tone, np.float32), is_black)

    def _has_foreign_object(self, area: str, explained: PixelMask) -> bool:
        """Whether the area shows something that is neither cube nor ground, away from the pixels in `explained`. A
        webcam's compression makes colors bleed from cubes into the ground around them, and tints the ground elsewhere.
        So a tinted place that shows the pattern of the pavement counts as ground."""
        white = _opened((self._brightness > MIN_WHITE_BRIGHTNESS) & self._area, round(MAX_LINE_MM * PX_PER_MM))
        odd = _opened((self._labels != NEUTRAL) | self._unclear, 3)
        tinted = self._labels == UNKNOWN
        foreign = (white | odd & ~(tinted & _dilated(explained, BLEED_MARGIN_MM))) & self._area
        foreign &= ~_dilated(explained, BLUR_MARGIN_MM)
        limit = MAX_FOREIGN_AREA * self._top_px
        if foreign.sum() > limit and (foreign & tinted).any():
            expected = ~self._tiles & self._area & np.isin(self._labels, (NEUTRAL, UNKNOWN))
            stones, colors = self._light_stones(area), self._token_colors.stone_colors
            foreign &= white | ~(tinted & visible_pavement(self._brightness, stones, expected, colors))
        return bool(foreign.sum() > limit)

    def _has_occluded_pavement(self, area: str) -> bool:
        """Whether something other than a cube hides the pavement, even if it is as gray as the street."""
        other = (self._labels != NEUTRAL) | self._unclear | self._tiles | ~self._area
        stones, colors = self._light_stones(area), self._token_colors.stone_colors
        occluded = occluded_pavement(self._brightness, stones, ~_dilated(other, BLUR_MARGIN_MM), colors)
        sizes = cv2.connectedComponentsWithStats(occluded.astype(np.uint8))[2][1:, cv2.CC_STAT_AREA]
        return bool((sizes > MAX_OCCLUDED_AREA * self._top_px).any())

    def _shows_pavement(self, area: str, explained: PixelMask) -> bool:
        """Whether the pavement is visible between the pixels in `explained`. It is not on a component that was printed
        before it had a field."""
        bare = self._area & ~_dilated(explained, BLUR_MARGIN_MM)
        return is_paved(self._brightness, self._light_stones(area), bare, self._token_colors.stone_colors)

    def _light_stones(self, area: str) -> PixelMask:
        """Mask of the squares of the pavement that are printed light."""
        return self._window.mask([np.array(stone) for stone in self._token_colors.light_stones[area]])


def _opened(mask: PixelMask, side: int) -> PixelMask:
    """`mask` without everything that is narrower than `side` pixels."""
    return np.asarray(cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((side, side), np.uint8)), bool)


def _dilated(mask: PixelMask, margin_mm: float) -> PixelMask:
    """`mask`, extended by `margin_mm` to the right, left, top and bottom."""
    side = 2 * round(margin_mm * PX_PER_MM) + 1
    return np.asarray(cv2.dilate(mask.astype(np.uint8), np.ones((side, side), np.uint8)), bool)


def pixels_to_mm(corners: Points, to_mm: Matrix) -> Points:
    """The places on the mat, in mm, of these `corners` in pixels: n x 2."""
    return np.asarray(cv2.perspectiveTransform(corners[None].astype(float), to_mm)[0])


def luminance(lightness: NDArray[np.float32]) -> NDArray[np.float32]:
    """Converts CIE lightness L* (0 to 100) to luminance relative to white (0 to 1), as defined in CIE 15."""
    high = ((lightness + 16) / 116) ** 3
    return np.asarray(np.where(lightness > 8, high, lightness / 903.3), np.float32)
