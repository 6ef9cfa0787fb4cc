"""The live picture: a frame, made small enough for a page, and what is seen in it.

Law: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import cv2
import numpy as np

from companion.diagnostics.findings import LivePicture, Outline, Quality
from companion.tabletop.mat import Mat
from companion.text.translation import _, decimal
from vision.geometry import Code, Frame, Points
from vision.quality_advice import CLEAR, ENOUGH_PX, EVEN, SHARP, steps
from vision.quality_metrics import Spot, Survey, survey
from vision.tracking.calibration import ReadRate
from vision.yuv import to_gray

LEAST_PX = 1.5
"""Pixels a module that are read in good light."""
FEWEST_LOOKS = 8
"""Before that nothing is said of how well a zone is read."""
JPEG_WIDTH, JPEG_QUALITY = 1280, 75


def live(
    frame: Frame,
    codes: Sequence[Code],
    known: frozenset[str],
    mats: Sequence[Mat],
    zones: Mapping[str, ReadRate] = MappingProxyType({}),
) -> LivePicture:
    """A frame and what is seen in it, for a page; `zones` tells how well each was read so far."""
    found = survey(to_gray(frame), codes, known, mats)
    return LivePicture(jpeg(frame), found.size, tuple(outlines(found, zones)), tuple(steps(found)))


def jpeg(frame: Frame) -> bytes:
    """The frame, not larger than a screen shows it."""
    share = min(1.0, JPEG_WIDTH / frame.shape[1])
    small = cv2.resize(frame, None, fx=share, fy=share, interpolation=cv2.INTER_AREA) if share < 1 else frame
    return bytes(cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])[1])


def outlines(found: Survey, zones: Mapping[str, ReadRate]) -> Iterator[Outline]:
    """What there is to draw, from the largest to the smallest."""
    if found.outline is not None:
        yield Outline("mat", polygon(found.outline), found.mat.name if found.mat else "")
    brightest = max((spot.light for spot in found.spots), default=0.0)
    for spot in found.spots:
        share = spot.light / max(brightest, 1.0)
        says = _(
            "{n} pixels a module, {share} % of the light", n=decimal(spot.module_px, 1), share=decimal(100 * share, 0)
        )
        tally = zones.get(spot.zone.name, ReadRate())
        if tally.attempts >= FEWEST_LOOKS:
            says += _(", read at {n} of 100 looks", n=decimal(100 * tally.rate, 0))
        yield Outline("zone", polygon(spot.outline), spot.zone.title, quality(spot, share), says)
    for seen in found.codes:
        thing = seen.code.id or ""
        good: Quality = "good" if seen.blur <= SHARP and seen.contrast >= CLEAR else "fair"
        yield Outline(
            "corner" if thing in found.corners else "thing",
            polygon(seen.code.corners),
            thing,
            good,
            _("{n} pixels a module", n=decimal(seen.module_px, 1)),
        )


def quality(spot: Spot, share: float) -> Quality:
    """How well codes in a zone can be read, `share` of the light being there."""
    if not spot.inside or spot.module_px < LEAST_PX:
        return "poor"
    return "good" if spot.module_px >= ENOUGH_PX and share >= EVEN else "fair"


def polygon(points: Points) -> tuple[tuple[float, float], ...]:
    return tuple((round(float(x), 1), round(float(y), 1)) for x, y in np.clip(points, -1e4, 1e5))
