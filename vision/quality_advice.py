"""How well the camera reads the table, in words for people: what is seen, and what to do until all is well.

The steps stand in the order in which somebody who puts up a camera takes them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

from companion.diagnostics.findings import Finding
from companion.tabletop.mat import Mat
from companion.text.translation import _, decimal, later
from vision.camera import CameraError, Source
from vision.decoding.decoder import read_codes
from vision.quality_metrics import Survey, survey
from vision.yuv import CameraImage, as_frame, to_gray

CAMERA = "camera"
FRAMES, SECONDS = 30, 2.0
"""So many frames are looked at, or so long: cameras take a second to find the right exposure."""
FEWEST_FPS = 5.0
SHARP = 0.7
"""A picture that smears more of a module costs codes; see the table of pixels a module in hardware.md."""
ENOUGH_PX = 2.0
"""Pixels a module that are read in any light."""
NIGHT = 25.0
DIM = 70.0
"""Paper that looks no lighter than that is too dark, as grey levels."""
EVEN = 0.5
"""The darkest zone has at least this share of the lightest one's light."""
ALIKE = 0.95
"""Zones with so much of the brightest one's light need not be told apart."""
CLEAR = 0.35
"""With less contrast than that a code lies under a reflection."""


def camera(open_camera: Callable[[], Source], known: frozenset[str], mats: Sequence[Mat]) -> Iterator[Finding]:
    """Opens the camera, and says how fast and how well it sees."""
    try:
        with closing(open_camera()) as source:
            times, frame = watched(source)
    except CameraError as error:
        yield Finding(CAMERA, False, str(error), _("Another one is named with --camera."))
        return
    if frame is None:
        yield Finding(CAMERA, False, _("No frame has come."), _("Unplug the camera and plug it in again."))
        return
    yield speed(times, frame)
    grey = to_gray(frame)
    yield from steps(survey(grey, read_codes(grey, known), known, mats))


def watched(source: Source) -> tuple[list[float], CameraImage | None]:
    """The times of some frames in the source's seconds, and the last of the frames."""
    times, last = list[float](), None
    for t, frame in source:
        times.append(t)
        last = frame
        if len(times) >= FRAMES or t - times[0] >= SECONDS:
            break
    return times, last


def speed(times: Sequence[float], picture: CameraImage) -> Finding:
    """That it opens, and how many frames a second come."""
    height, width = as_frame(picture).shape[:2]
    passed = times[-1] - times[0]
    if not passed:
        return Finding(
            CAMERA, True, _("It gives one picture of {width} × {height} pixels.", width=width, height=height)
        )
    fps = (len(times) - 1) / passed
    says = _("It opens: {width} × {height} pixels, {n} frames a second.", width=width, height=height, n=decimal(fps, 1))
    if fps >= FEWEST_FPS:
        return Finding(CAMERA, True, says)
    mend = _("Give it more light and a USB socket of its own; close other programs that use it.")
    return Finding(CAMERA, False, says, mend)


def steps(found: Survey) -> Iterator[Finding]:
    """How well the picture can be read, step by step; what can't be measured yet is left out."""
    yield mat_in_picture(found)
    if found.mat is None:
        return
    yield corners(found, found.mat)
    yield sharpness(found)
    if found.spots:
        yield code_size(found)
    yield light(found)


def mat_in_picture(found: Survey) -> Finding:
    if found.mat is not None:
        return Finding("mat", True, _("The mat {name} is in the picture.", name=found.mat.name))
    if found.light < NIGHT:
        return Finding(
            "mat", False, _("The picture is nearly black."), _("Take the cap off the lens, and switch on a lamp.")
        )
    count = len(found.codes)
    says = _("The mat is not seen, but {n} cards or pieces.", n=count) if count else _("The mat is not seen.")
    return Finding(
        "mat",
        False,
        says,
        _(
            "Lay the mat under the camera, all of it in the picture. If it lies there: turn the lens until the picture "
            "is sharp, or hang the camera lower."
        ),
    )


def corners(found: Survey, mat: Mat) -> Finding:
    """All four corner codes."""
    missing = [_(place) for place, corner in zip(PLACES, mat.corners, strict=True) if corner.id not in found.corners]
    if missing:
        says = _(
            "{n} of the mat's four corner codes are read; missing: {corners}.",
            n=len(found.corners),
            corners=", ".join(missing),
        )
        mend = _(
            "Move the camera or the mat until all four are in the picture, with nothing on them and no lamp in them."
        )
        return Finding("corners", False, says, mend)
    cut = [_(spot.zone.title) for spot in found.spots if not spot.inside]
    if cut:
        says = _("All four corner codes are read, but the picture cuts off {zones}.", zones=listed(cut))
        return Finding("corners", False, says, _("Move the camera until the whole mat is in the picture."))
    return Finding("corners", True, _("All four corner codes are read."))


PLACES = (later("top left"), later("top right"), later("bottom right"), later("bottom left"))
"""A mat's corners as it is read, not as it lies in the picture."""


def sharpness(found: Survey) -> Finding:
    says = _(
        "The picture smears {share} of a module (up to {most} is sharp).",
        share=decimal(found.blur, 2),
        most=decimal(SHARP, 1),
    )
    if found.blur <= SHARP:
        return Finding("sharpness", True, says)
    mend = _("Turn the lens until the corner codes are crisp, wipe it, and see that the camera hangs still.")
    return Finding("sharpness", False, says, mend)


def code_size(found: Survey) -> Finding:
    says = _("A code of the mat's size has {n} pixels a module where it has the fewest.", n=decimal(found.module_px, 1))
    if found.module_px >= ENOUGH_PX:
        return Finding("code size", True, says)
    enough = decimal(ENOUGH_PX, 0)
    mend = _("{n} are enough: hang the camera lower, or choose a larger picture; the mat may fill it.", n=enough)
    return Finding("code size", False, says, mend)


def light(found: Survey) -> Finding:
    """Bright enough, even, and without reflections on codes."""
    brightest = max((spot.light for spot in found.spots), default=max(seen.paper for seen in found.codes))
    shaded = [_(spot.zone.title) for spot in found.spots if spot.light < EVEN * brightest]
    washed = [seen.code.id or "" for seen in found.codes if seen.contrast < CLEAR]
    if brightest < DIM:
        says = _("Paper looks dark ({n} of 255).", n=decimal(brightest, 0))
        return Finding("light", False, says, _("Give the table more light."))
    if washed:
        mend = _("A lamp is mirrored there: move it to the side; use matt paper and matt sleeves.")
        return Finding("light", False, _("Little contrast on {things}.", things=listed(washed)), mend)
    if shaded:
        says = _("Less than half of the brightest zone's light: {zones}.", zones=listed(shaded))
        return Finding("light", False, says, _("Put the lamp to the side and higher, or add one on the other side."))
    darker = sorted((spot.light / brightest, _(spot.zone.title)) for spot in found.spots)
    shares = [f"{title} {100 * share:.0f} %" for share, title in darker if share < ALIKE]
    most = decimal(100 * ALIKE, 0)
    if shares:
        zones = listed(shares, 12)
        says = _("Even. Of the brightest zone's light: {zones}; the others {n} % or more.", zones=zones, n=most)
    else:
        says = _("Even. Of the brightest zone's light: the others {n} % or more.", n=most)
    return Finding("light", True, says)


def listed(names: Sequence[str], most: int = 4) -> str:
    """The first few."""
    rest = len(names) - most
    first = ", ".join(names[:most])
    return _("{first} and {n} more", first=first, n=rest) if rest > 0 else first
