"""Measures how well the codes in a frame can be read. `vision.image_quality_advice` turns the metrics into advice.

Law: no I/O, no clock, no state. Lengths are in pixels unless their names end in mm. Brightness is a gray level from 0
to 255.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import cv2
import numpy as np

from companion.component_qr_codes import MODULES
from companion.tabletop.mat import Mat, Point, Zone, rectangle
from vision.decoded_codes import Code
from vision.decoding.decoder import refine_corners
from vision.decoding.pose_refinement import poses_from_corners, sample_modules
from vision.decoding.template_match import MIN_UNCOVERED_CONFIDENCE
from vision.decoding.templates import Floats, build_template_bank, normalize_rows, remove_shading, render_samples
from vision.geometry import GrayImage, Matrix, Points, clip_box, mean_side_lengths
from vision.known_codes import usual_code_sizes
from vision.tracking.mat_registration import estimate_mat_pose, with_distortion

BLUR_LEVELS = (0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1.1, 1.3)
"""The blurs that are tried, as standard deviations in modules. Every real image of a table is more blurred than the
first of them."""
ZONE_PAPER_PERCENTILE = 95
"""The percentile of the gray levels in a zone that is taken as the brightness of its paper. It is high because print
darkens most pixels, and below 100 because noise and reflections brighten a few."""
MIN_CORNERS = 3
"""If this many of a mat's corner codes were read, its outline is known well enough."""
PAPER_PERCENTILE, INK_PERCENTILE = 90, 10
"""The percentiles of the samples of a code that are taken as the brightness of its light and of its dark modules."""


@dataclass(frozen=True, eq=False)
class CodeMetrics:
    """The metrics of a known code. `module_px` is the size of a module. `blur` is the standard deviation of the blur,
    in modules. `paper` and `ink` are the brightness of the code's light and dark modules."""

    code: Code
    module_px: float
    blur: float
    paper: float
    ink: float

    @property
    def contrast(self) -> float:
        """The difference in brightness between paper and ink, divided by the brightness of the paper (0 to 1). A
        reflection brightens the ink, which lowers the contrast."""
        return (self.paper - self.ink) / max(self.paper, 1.0)


@dataclass(frozen=True, eq=False)
class ZoneMetrics:
    """The metrics of a zone of the mat. `in_frame`: whether the whole `outline` is inside the frame. `module_px`: the
    module size of a code as large as the mat's corner codes, at the place in the zone where the code would appear
    smallest. `brightness`: the brightness of the paper in the zone."""

    zone: Zone
    outline: Points
    in_frame: bool
    module_px: float
    brightness: float


@dataclass(frozen=True)
class CodeSize:
    """The side length of a code on a component, in mm: in the usual print, and as measured. The mat is the measure."""

    usual_mm: float
    measured_mm: float


@dataclass(frozen=True, eq=False)
class QualityMetrics:
    """The metrics of a frame. `size` is the width and height of the frame, `brightness` its mean gray level. `mat` is
    the mat in view, and `corners` are the ids of the mat's corner codes that were read. `is_marked`: whether people
    have marked the corners of the mat. `outline` is the outline of the mat in the image. If fewer than `MIN_CORNERS`
    corner codes were read and the corners are not marked, `outline` and `zones` are unknown."""

    size: tuple[int, int]
    brightness: float
    codes: tuple[CodeMetrics, ...]
    mat: Mat | None = None
    corners: frozenset[str] = frozenset()
    outline: Points | None = None
    zones: tuple[ZoneMetrics, ...] = ()
    code_sizes: tuple[CodeSize, ...] = ()
    """The sizes of the codes on components; empty unless all four corner codes of the mat were read."""
    is_marked: bool = False
    shake_px: float = 0.0
    """How far the camera moves from frame to frame: the root mean square in pixels."""

    @property
    def module_px(self) -> float:
        """The smallest module size in any zone of the mat. If the zones are unknown, the smallest module size of any
        code; 0 if there is no code either."""
        return min((zone.module_px for zone in self.zones), default=min((c.module_px for c in self.codes), default=0.0))

    @property
    def blur(self) -> float:
        """The median blur of the codes, in modules; 0 without codes."""
        return float(np.median([code.blur for code in self.codes])) if self.codes else 0.0


def measure_quality(
    gray: GrayImage,
    codes: Sequence[Code],
    known: frozenset[str],
    mats: Sequence[Mat],
    marked_quads: Mapping[str, Points] = MappingProxyType({}),
) -> QualityMetrics:
    """The metrics of a frame in which `codes` were read. `known`: the ids of all known codes. `marked_quads`: see
    `MatRegistration.marked_quads`."""
    codes = [code for code in codes if code.id]
    metrics, size = tuple(measure_codes(gray, codes, known)), (gray.shape[1], gray.shape[0])
    brightness = float(gray.mean())
    quads = {code.id: code.corners for code in codes if code.id}
    known_quads = {**marked_quads, **quads}
    mat = max(mats, key=lambda mat: len(visible_corners(mat, known_quads)), default=None)
    if mat is None or not visible_corners(mat, known_quads):
        return QualityMetrics(size, brightness, metrics)
    corners, is_marked = visible_corners(mat, quads), bool(visible_corners(mat, marked_quads))
    pose = estimate_mat_pose(known_quads if len(corners) < MIN_CORNERS else quads, mat)
    if pose is None or len(pose.corners) < MIN_CORNERS:
        return QualityMetrics(size, brightness, metrics, mat, corners, is_marked=is_marked)
    to_px = np.asarray(np.linalg.inv(pose.to_mm), float)
    outline = mm_to_pixels(rectangle(0, 0, *mat.size), to_px)
    zones = tuple(measure_zone(gray, zone, mat, to_px) for zone in mat.zones)
    code_sizes = tuple(measure_code_sizes(gray, codes, known, mat))
    return QualityMetrics(size, brightness, metrics, mat, corners, outline, zones, code_sizes, is_marked)


def visible_corners(mat: Mat, quads: Mapping[str, Points]) -> frozenset[str]:
    """The ids of the mat's corner codes that were read. `quads`: the corners of each code that was read, by its id."""
    return frozenset(corner.id for corner in mat.corners if corner.id in quads)


def measure_codes(gray: GrayImage, codes: Sequence[Code], known: frozenset[str]) -> Iterator[CodeMetrics]:
    if not codes:
        return
    bank = build_template_bank(known)
    modules = bank.modules[[bank.index_of[code.id or ""] for code in codes]]
    samples = sample_modules(gray, poses_from_corners([code.corners for code in codes]))
    papers, inks = np.percentile(samples, PAPER_PERCENTILE, axis=1), np.percentile(samples, INK_PERCENTILE, axis=1)
    for code, blur, paper, ink in zip(codes, estimate_blurs(samples, modules), papers, inks, strict=True):
        yield CodeMetrics(code, code.side_px / MODULES, blur, float(paper), float(ink))


def measure_code_sizes(gray: GrayImage, codes: Sequence[Code], known: frozenset[str], mat: Mat) -> Iterator[CodeSize]:
    """Yields the sizes of the uncovered codes on components. Yields nothing unless all four corner codes of the mat are
    uncovered. A card on a pile is nearer to the camera, so it looks larger: by 1% on a pile of twenty cards."""
    uncovered = [code for code in codes if code.confidence >= MIN_UNCOVERED_CONFIDENCE]
    quads = {code.id or "": code.corners for code in refine_corners(gray, uncovered, build_template_bank(known))}
    pose = estimate_mat_pose(quads, mat)
    if pose is None or len(pose.corners) < len(mat.corners):
        return
    pose = with_distortion(pose, quads, mat, (gray.shape[1], gray.shape[0]))
    sizes = usual_code_sizes()
    for name in quads.keys() & sizes.keys():
        on_mat = np.array([[pose.locate(corner) for corner in quads[name]]], float)
        yield CodeSize(sizes[name], float(mean_side_lengths(on_mat)[0]))


def estimate_blurs(samples: Floats, modules: Floats) -> list[float]:
    """The blur of each code in modules: the one in `BLUR_LEVELS` with which the template of the code correlates best
    with the code's samples."""
    shapes = normalize_rows(remove_shading(samples))
    correlations = [
        (shapes * normalize_rows(remove_shading(render_samples(modules, blur)))).sum(1) for blur in BLUR_LEVELS
    ]
    return [BLUR_LEVELS[best] for best in np.argmax(correlations, 0)]


def mm_to_pixels(points: Sequence[Point], to_px: Matrix) -> Points:
    """Where points on the mat (in mm) appear in the image: n x 2 pixels. `to_px`: the homography from the mat to
    pixels, 3 x 3."""
    homogeneous = np.array([[x, y, 1.0] for x, y in points]) @ to_px.T
    return np.asarray(homogeneous[:, :2] / homogeneous[:, 2:])


def measure_zone(gray: GrayImage, zone: Zone, mat: Mat, to_px: Matrix) -> ZoneMetrics:
    outline = mm_to_pixels(zone.polygon, to_px)
    height, width = gray.shape
    in_frame = bool(((outline >= 0) & (outline <= (width - 1, height - 1))).all())
    module_mm = mat.corners[0].code_mm / MODULES
    module_px = min_px_per_mm(zone.polygon, to_px) * module_mm
    pixels = pixels_inside(gray, outline)
    brightness = float(np.percentile(pixels, ZONE_PAPER_PERCENTILE)) if pixels.size else 0.0
    return ZoneMetrics(zone, outline, in_frame and bool(pixels.size), module_px, brightness)


def min_px_per_mm(points: Sequence[Point], to_px: Matrix) -> float:
    """The lowest resolution, in pixels per millimeter, at any of the points and in any direction (smallest singular
    value of the Jacobian)."""
    here = mm_to_pixels(points, to_px)
    right = mm_to_pixels([(x + 1, y) for x, y in points], to_px) - here
    down = mm_to_pixels([(x, y + 1) for x, y in points], to_px) - here
    return float(np.linalg.svd(np.stack([right, down], -1), compute_uv=False).min())


def pixels_inside(gray: GrayImage, outline: Points) -> GrayImage:
    """The gray levels of the pixels inside an outline, as a flat array."""
    low, high = outline.min(0), outline.max(0)
    x0, y0, x1, y1 = clip_box((int(low[0]), int(low[1]), int(high[0]) + 1, int(high[1]) + 1), gray.shape)
    crop = gray[y0:y1, x0:x1] if x0 < x1 and y0 < y1 else gray[:0, :0]
    mask = np.zeros(crop.shape, np.uint8)
    if crop.size:
        cv2.fillPoly(mask, [(outline - (x0, y0)).round().clip(-9999, 9999).astype(np.int32)], 1)
    return np.asarray(crop[mask > 0], np.uint8)
