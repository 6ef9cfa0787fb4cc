"""The live picture of the camera on the set-up page: the current frame, with the outlines of what was found in it.

Law: pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.diagnostics.findings import Finding
from companion.text.messages import TextLike

Quality = Literal["good", "fair", "poor"]


@dataclass(frozen=True)
class PictureOutline:
    """The outline of something in the camera's picture: a polygon in pixels. `label`: the name of the mat or the zone,
    or the id in a code. `quality`: how well codes there can be read. `message`: the measurements from which the quality
    follows, for people; "" if there are none."""

    kind: Literal["mat", "zone", "corner", "component"]
    points: tuple[tuple[float, float], ...]
    label: str
    quality: Quality = "good"
    message: TextLike = ""


@dataclass(frozen=True)
class LivePicture:
    """The current picture of the camera, as a JPEG. `size`: the width and height of the camera's frame, in pixels. The
    outlines refer to this size, even if the JPEG is smaller. `findings`: the frame rate, and how readable the picture
    is. `marks`: whether people have marked the corners of the mat by hand; "dropped" if their marks no longer count."""

    jpeg: bytes
    size: tuple[int, int]
    outlines: tuple[PictureOutline, ...] = ()
    findings: tuple[Finding, ...] = ()
    marks: Literal["none", "set", "dropped"] = "none"
