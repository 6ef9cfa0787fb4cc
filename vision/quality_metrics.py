"""Measures how well the codes in a picture can be read. `vision.quality_advice` turns the figures into advice.

Law: no I/O, no clock, no state. Lengths are pixels unless they say mm; light is 0 to 255.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from companion.codes import MODULES
from companion.tabletop.mat import Mat, Point, Zone, rectangle
from vision.decoding.pose_refinement import poses_from_corners, sample_modules
from vision.decoding.templates import Floats, build_template_bank, normalize_rows, remove_shading, render_samples
from vision.geometry import Code, GrayImage, Points, clip_box
from vision.tracking.mat_registration import estimate_mat_pose

BLURS = (0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1.1, 1.3)
"""Standard deviations in modules; the smallest is sharper than a picture of so few pixels can be."""
WHITE = 95
"""Percent of a zone's pixels are no brighter than its paper: mats are pale, and print has light in it."""
TELLING = 3
"""So many of its corners tell well enough where all of a mat lies."""
LIGHT, DARK = 90, 10
"""Percentiles of a code's samples: its paper and its ink."""


@dataclass(frozen=True, eq=False)
class Seen:
    """A code of ours. `module_px`: how many pixels one of its modules has, `blur` how far the picture smears it, as
    standard deviation in modules, `paper` and `ink` how light they look."""

    code: Code
    module_px: float
    blur: float
    paper: float
    ink: float

    @property
    def contrast(self) -> float:
        """0 to 1; a reflection makes ink light."""
        return (self.paper - self.ink) / max(self.paper, 1.0)


@dataclass(frozen=True, eq=False)
class Spot:
    """A zone of the mat in the picture. `outline` may reach beyond the picture, `inside` says that it does not;
    `module_px` is of a code as large as the mat's own, where the zone has the fewest."""

    zone: Zone
    outline: Points
    inside: bool
    module_px: float
    light: float


@dataclass(frozen=True, eq=False)
class Survey:
    """What a picture tells. `corners` are the ids of the mat's codes that were read, `outline` the mat's own where
    they tell it; `spots` then are its zones."""

    size: tuple[int, int]
    light: float
    codes: tuple[Seen, ...]
    mat: Mat | None = None
    corners: frozenset[str] = frozenset()
    outline: Points | None = None
    spots: tuple[Spot, ...] = ()

    @property
    def module_px(self) -> float:
        """Pixels a module where the mat has the fewest; without a mat the least of what was read; 0 without any."""
        return min((spot.module_px for spot in self.spots), default=min((s.module_px for s in self.codes), default=0.0))

    @property
    def blur(self) -> float:
        """In modules, of most codes; 0 without any."""
        return float(np.median([seen.blur for seen in self.codes])) if self.codes else 0.0


def survey(grey: GrayImage, codes: Sequence[Code], known: frozenset[str], mats: Sequence[Mat]) -> Survey:
    """Measures a picture in which these codes were read."""
    codes = [code for code in codes if code.id]
    seen, size, light = tuple(measured(grey, codes, known)), (grey.shape[1], grey.shape[0]), float(grey.mean())
    quads = {code.id: code.corners for code in codes if code.id}
    mat = max(mats, key=lambda mat: len(here(mat, quads)), default=None)
    if mat is None or not here(mat, quads):
        return Survey(size, light, seen)
    corners, pose = here(mat, quads), estimate_mat_pose(quads, mat)
    if pose is None or len(corners) < TELLING:
        return Survey(size, light, seen, mat, corners)
    to_px = np.asarray(np.linalg.inv(pose.to_mm), float)
    spots = tuple(spot(grey, zone, mat, to_px) for zone in mat.zones)
    return Survey(size, light, seen, mat, corners, on_picture(rectangle(0, 0, *mat.size), to_px), spots)


def here(mat: Mat, quads: Mapping[str, Points]) -> frozenset[str]:
    """Which of a mat's corner codes were read."""
    return frozenset(corner.id for corner in mat.corners if corner.id in quads)


def measured(grey: GrayImage, codes: Sequence[Code], known: frozenset[str]) -> Iterator[Seen]:
    """The codes, with how they look."""
    if not codes:
        return
    patterns = build_template_bank(known)
    modules = patterns.modules[[patterns.index_of[code.id or ""] for code in codes]]
    samples = sample_modules(grey, poses_from_corners([code.corners for code in codes]))
    papers, inks = np.percentile(samples, LIGHT, axis=1), np.percentile(samples, DARK, axis=1)
    for code, blur, paper, ink in zip(codes, blurs(samples, modules), papers, inks, strict=True):
        yield Seen(code, code.side_px / MODULES, blur, float(paper), float(ink))


def blurs(samples: Floats, modules: Floats) -> list[float]:
    """How far the picture smears each code, in modules: that of BLURS with which its pattern looks most like it."""
    shapes = normalize_rows(remove_shading(samples))
    alike = [(shapes * normalize_rows(remove_shading(render_samples(modules, blur)))).sum(1) for blur in BLURS]
    return [BLURS[best] for best in np.argmax(alike, 0)]


def on_picture(points: Sequence[Point], to_px: Points) -> Points:
    """Places on the mat in pixels."""
    at = np.array([[x, y, 1.0] for x, y in points]) @ to_px.T
    return np.asarray(at[:, :2] / at[:, 2:])


def spot(grey: GrayImage, zone: Zone, mat: Mat, to_px: Points) -> Spot:
    """A zone, measured."""
    outline = on_picture(zone.polygon, to_px)
    height, width = grey.shape
    inside = bool(((outline >= 0) & (outline <= (width - 1, height - 1))).all())
    module_mm = mat.corners[0].code_mm / MODULES
    module_px = least_px(zone.polygon, to_px) * module_mm
    pixels = within(grey, outline)
    light = float(np.percentile(pixels, WHITE)) if pixels.size else 0.0
    return Spot(zone, outline, inside and bool(pixels.size), module_px, light)


def least_px(points: Sequence[Point], to_px: Points) -> float:
    """How many pixels a millimetre has, at the one of the points and in the direction in which it has the fewest."""
    here = on_picture(points, to_px)
    right = on_picture([(x + 1, y) for x, y in points], to_px) - here
    down = on_picture([(x, y + 1) for x, y in points], to_px) - here
    return float(np.linalg.svd(np.stack([right, down], -1), compute_uv=False).min())


def within(grey: GrayImage, outline: Points) -> GrayImage:
    """The pixels inside an outline."""
    low, high = outline.min(0), outline.max(0)
    x0, y0, x1, y1 = clip_box((int(low[0]), int(low[1]), int(high[0]) + 1, int(high[1]) + 1), grey.shape)
    part = grey[y0:y1, x0:x1] if x0 < x1 and y0 < y1 else grey[:0, :0]
    mask = np.zeros(part.shape, np.uint8)
    if part.size:
        cv2.fillPoly(mask, [(outline - (x0, y0)).round().clip(-9999, 9999).astype(np.int32)], 1)
    return np.asarray(part[mask > 0], np.uint8)
