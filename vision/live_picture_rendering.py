"""Renders the live picture for a page: a frame, scaled down, and outlines of what was recognized in it.

Law: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import cv2
import numpy as np

from companion.diagnostics.live_picture_types import LivePicture, PictureOutline, Quality
from companion.tabletop.mat import Mat
from companion.text.messages import Number, TextLike, _, joined
from vision.decoded_codes import Code
from vision.geometry import Frame, Points
from vision.image_quality import QualityMetrics, ZoneMetrics, measure_quality
from vision.image_quality_advice import (
    MAX_BLUR,
    MIN_CONTRAST,
    MIN_RELATIVE_BRIGHTNESS,
    MIN_RELIABLE_MODULE_PX,
    quality_findings,
    rounded_down,
)
from vision.tracking.camera_calibration import ReadRate
from vision.yuv import to_gray

MIN_MODULE_PX = 1.5
"""Codes with at least this many pixels per module are read in good light."""
MIN_READ_ATTEMPTS = 8
"""The read rate of a zone is shown only after this many attempts to read a code there."""
MAX_JPEG_WIDTH, JPEG_QUALITY = 1280, 75


def live_picture(
    frame: Frame,
    codes: Sequence[Code],
    known: frozenset[str],
    mats: Sequence[Mat],
    read_rates: Mapping[str, ReadRate] = MappingProxyType({}),
    shake_px: float = 0.0,
    marked_quads: Mapping[str, Points] = MappingProxyType({}),
) -> LivePicture:
    """The live picture of a frame: the frame as JPEG, the outlines of what was recognized in it, and the findings about
    the quality of the picture. `codes`: the codes that were read in the frame. `read_rates`: the read rate of each
    zone. `shake_px`: how far the camera moves from frame to frame. `marked_quads`: see
    `MatRegistration.marked_quads`."""
    metrics = replace(measure_quality(to_gray(frame), codes, known, mats, marked_quads), shake_px=shake_px)
    return LivePicture(
        encode_jpeg(frame), metrics.size, tuple(outlines(metrics, read_rates)), tuple(quality_findings(metrics))
    )


def encode_jpeg(frame: Frame) -> bytes:
    """The frame as JPEG, no wider than MAX_JPEG_WIDTH."""
    scale = min(1.0, MAX_JPEG_WIDTH / frame.shape[1])
    small = cv2.resize(frame, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else frame
    return bytes(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1])


def outlines(metrics: QualityMetrics, read_rates: Mapping[str, ReadRate]) -> Iterator[PictureOutline]:
    """Yields the outlines of the mat, of its zones, and of the codes, from the largest to the smallest."""
    if metrics.outline is not None:
        yield PictureOutline("mat", rounded_polygon(metrics.outline), metrics.mat.name if metrics.mat else "")
    brightest = max((zone.brightness for zone in metrics.zones), default=0.0)
    for zone in metrics.zones:
        share = zone.brightness / max(brightest, 1.0)
        message: TextLike = _(
            "{n} pixels per module, {share}% of the light", n=rounded_down(zone.module_px), share=Number(100 * share, 0)
        )
        read_rate = read_rates.get(zone.zone.name, ReadRate())
        if read_rate.attempts >= MIN_READ_ATTEMPTS:
            looks = _(", read at {n} of 100 looks", n=Number(100 * read_rate.rate, 0))
            message = joined("", (message, looks))
        yield PictureOutline("zone", rounded_polygon(zone.outline), zone.zone.title, zone_quality(zone, share), message)
    for code in metrics.codes:
        id = code.code.id or ""
        quality: Quality = "good" if code.blur <= MAX_BLUR and code.contrast >= MIN_CONTRAST else "fair"
        yield PictureOutline(
            "corner" if id in metrics.corners else "component",
            rounded_polygon(code.code.corners),
            id,
            quality,
            _("{n} pixels per module", n=rounded_down(code.module_px)),
        )


def zone_quality(zone: ZoneMetrics, relative_brightness: float) -> Quality:
    """How well codes in a zone can be read. `relative_brightness` is the brightness of the zone divided by that of the
    brightest zone."""
    if not zone.in_frame or zone.module_px < MIN_MODULE_PX:
        return "poor"
    return (
        "good"
        if zone.module_px >= MIN_RELIABLE_MODULE_PX and relative_brightness >= MIN_RELATIVE_BRIGHTNESS
        else "fair"
    )


def rounded_polygon(points: Points) -> tuple[tuple[float, float], ...]:
    """The points rounded to a tenth of a pixel. Coordinates are clipped, because a badly estimated pose of the mat can
    put points extremely far outside the frame."""
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in np.clip(points, -1e4, 1e5))
