"""Turns measurements of the camera into findings for people: what is wrong, and how to fix it.

The findings come in the order in which somebody who sets up a camera works through them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np

from companion.component_qr_codes import MIN_CODE_MM
from companion.diagnostics.findings import Finding
from companion.printing.options import SMALL_SCALE
from companion.tabletop.mat import Mat
from companion.text.messages import Number, TextLike, _, joined
from vision.decoding.decoder import read_codes
from vision.frame_source import CameraError, FrameSource
from vision.image_quality import CodeSize, QualityMetrics, measure_quality
from vision.tracking.image_stabilization import Stabilizer
from vision.tracking.reduced_image import reduce
from vision.yuv import CameraImage, as_frame, to_gray

CAMERA, PRINT_SIZE = "camera", "print size"
MAX_SAMPLE_FRAMES, MAX_SAMPLE_S = 30, 2.0
"""Sampling ends after this many frames or seconds, whichever comes first. Cameras take a second to adjust their
exposure."""
MIN_FPS = 5.0
MAX_BLUR = 0.7
"""The highest blur that is accepted, as a standard deviation in modules. With more blur, some codes are missed."""
MAX_SHAKE_PX = 0.5
"""The highest shake that is accepted. Codes are still read while the camera shakes more, but motion blur smears them in
poor light, and each frame takes longer to process."""
MIN_RELIABLE_MODULE_PX = 2.0
"""Codes with at least this many pixels per module are read in any light."""
MIN_BRIGHTNESS = 25.0
"""A frame with a lower mean gray level is nearly black."""
MIN_PAPER_BRIGHTNESS = 70.0
"""If paper has a lower gray level, there is too little light."""
MIN_RELATIVE_BRIGHTNESS = 0.5
"""A zone with less than this share of the brightest zone's light is too dark."""
MIN_UNIFORM_BRIGHTNESS = 0.95
"""The finding about the light names only zones that have less than this share of the brightest zone's light."""
MIN_CONTRAST = 0.35
"""A code with less contrast (0 to 1) lies under a reflection."""
MIN_MEASURED_CODES = 5
"""With fewer codes on components than this, nothing is said about the size of the print."""
MAX_SCALE_ERROR = 0.015
"""How far the scale of the cards may differ from that of the mat. In rendered tables with codes of 1.5 to 3 pixels per
module, the median of five codes or more is off by less than half of this. Home printers are off by up to 0.5%."""
MAX_CHOSEN_SIZE_ERROR = 0.004
"""How far codes may differ from a size in whole millimeters to count as printed in this size on purpose. The next wrong
scale is often only 1% away."""


def check_camera(
    open_camera: Callable[[], FrameSource], known: frozenset[str], mats: Sequence[Mat]
) -> Iterator[Finding]:
    """Opens the camera, and yields the findings about its frame rate and the quality of its picture."""
    try:
        with closing(open_camera()) as source:
            times, frame, shake_px = sample_frames(source)
    except CameraError as error:
        yield Finding(
            CAMERA, False, error.message, _("Name another one with --camera, or as camera in the settings file.")
        )
        return
    if frame is None:
        yield Finding(CAMERA, False, _("No frame arrived."), _("Unplug the camera and plug it in again."))
        return
    yield frame_rate_finding(times, frame)
    gray = to_gray(frame)
    metrics = measure_quality(gray, read_codes(gray, known), known, mats)
    yield from quality_findings(replace(metrics, shake_px=shake_px))


def sample_frames(source: FrameSource) -> tuple[list[float], CameraImage | None, float]:
    """Reads up to `MAX_SAMPLE_FRAMES` frames, for at most `MAX_SAMPLE_S` seconds. Returns the times of the frames in
    seconds, the last frame (None if there is no frame), and how far the camera shakes, in pixels."""
    times, last, stabilizer = list[float](), None, Stabilizer()
    for t, frame in source:
        times.append(t)
        last = frame
        stabilizer.motion(reduce(to_gray(frame)))
        if len(times) >= MAX_SAMPLE_FRAMES or t - times[0] >= MAX_SAMPLE_S:
            break
    return times, last, stabilizer.shake_px


def frame_rate_finding(times: Sequence[float], image: CameraImage) -> Finding:
    """The finding about the camera's resolution and frame rate. `times`: the times of successive frames in seconds.
    `image`: one of these frames."""
    height, width = as_frame(image).shape[:2]
    passed = times[-1] - times[0]
    if not passed:
        return Finding(
            CAMERA, True, _("It gives one picture of {width} × {height} pixels.", width=width, height=height)
        )
    fps = (len(times) - 1) / passed
    message = _(
        "It works: {width} × {height} pixels, {n} frames per second.", width=width, height=height, n=Number(fps, 1)
    )
    if fps >= MIN_FPS:
        return Finding(CAMERA, True, message)
    remedy = _("Give it more light and its own USB port. Close other programs that use it.")
    return Finding(CAMERA, False, message, remedy)


def quality_findings(metrics: QualityMetrics) -> Iterator[Finding]:
    """Yields a finding for each step toward a good picture: mat, corners, sharpness, code size, light. Then yields one
    about the scale of the print, which is no step: a table with cards of another scale plays well. Leaves out what
    can't be measured yet."""
    yield mat_finding(metrics)
    if metrics.mat is None:
        return
    yield corners_finding(metrics, metrics.mat)
    if not metrics.codes:
        yield no_codes_finding()
        return
    yield sharpness_finding(metrics)
    if metrics.zones:
        yield code_size_finding(metrics)
    yield light_finding(metrics)
    if len(metrics.code_sizes) >= MIN_MEASURED_CODES:
        yield print_size_finding(metrics.code_sizes)


def mat_finding(metrics: QualityMetrics) -> Finding:
    """The finding about whether the mat is in the picture, or why it can't be seen."""
    if metrics.mat is not None:
        return Finding("mat", True, _("The mat {name} is in view.", name=metrics.mat.name))
    if metrics.brightness < MIN_BRIGHTNESS:
        return Finding(
            "mat", False, _("The picture is almost black."), _("Take the cap off the lens, and switch on a lamp.")
        )
    count = len(metrics.codes)
    message = (
        _("The camera sees {n} cards or pieces, but not the mat.", n=count)
        if count
        else _("The camera doesn’t see the mat.")
    )
    return Finding(
        "mat",
        False,
        message,
        _("Get the whole mat in view. If it already is, focus the lens or lower the camera."),
    )


def corners_finding(metrics: QualityMetrics, mat: Mat) -> Finding:
    """The finding about whether all four corner codes are read or the corners are marked by hand, and whether all zones
    are in the frame."""
    missing = [
        place for place, corner in zip(CORNER_NAMES, mat.corners, strict=True) if corner.id not in metrics.corners
    ]
    if missing and not metrics.is_marked:
        message = _(
            "{n} of the mat’s four corner codes are read. Missing: {corners}.",
            n=len(metrics.corners),
            corners=joined(", ", missing),
        )
        remedy = _("Move the camera or the mat until all four are in view, uncovered and without reflections.")
        return Finding("corners", False, message, remedy)
    cut = [_(zone.zone.title) for zone in metrics.zones if not zone.in_frame]
    if cut:
        message = (
            _("The corners are marked by hand, but the picture cuts off {zones}.", zones=join_names(cut))
            if missing
            else _("All four corner codes are read, but the picture cuts off {zones}.", zones=join_names(cut))
        )
        return Finding("corners", False, message, _("Move the camera until the whole mat is in view."))
    if missing:
        message = _(
            "{n} of the mat’s four corner codes are read. All corners are marked by hand.", n=len(metrics.corners)
        )
        return Finding("corners", True, message)
    return Finding("corners", True, _("All four corner codes are read."))


def no_codes_finding() -> Finding:
    """The finding if no code is read, which is possible on a mat whose corners are marked by hand."""
    message = _("No code is read yet, so the sharpness can’t be measured.")
    return Finding("sharpness", False, message, _("Put a few cards on the mat. If they aren’t read, focus the lens."))


CORNER_NAMES = (_("top left"), _("top right"), _("bottom right"), _("bottom left"))
"""The names of the corners of a mat, as seen by a player who can read the mat. In the frame they may be elsewhere."""


def sharpness_finding(metrics: QualityMetrics) -> Finding:
    """The finding about whether the camera stands still and its picture is sharp."""
    if metrics.shake_px > MAX_SHAKE_PX:
        message = _("The camera shakes by {n} pixels.", n=Number(metrics.shake_px, 1))
        remedy = _("Tighten its arm, or attach the arm where nobody leans on the table.")
        return Finding("sharpness", False, message, remedy)
    message = _(
        "The edges of the codes are blurred over {share} of a module; up to {most} is sharp enough.",
        share=Number(metrics.blur, 2),
        most=Number(MAX_BLUR, 1),
    )
    if metrics.blur <= MAX_BLUR:
        return Finding("sharpness", True, message)
    remedy = _("Wipe the lens, focus it until the corner codes are sharp, and make sure that the camera doesn’t move.")
    return Finding("sharpness", False, message, remedy)


def code_size_finding(metrics: QualityMetrics) -> Finding:
    message = _(
        "A code of the mat’s size has at least {n} pixels per module everywhere.", n=rounded_down(metrics.module_px)
    )
    if metrics.module_px >= MIN_RELIABLE_MODULE_PX:
        return Finding("code size", True, message)
    enough = Number(MIN_RELIABLE_MODULE_PX, 0)
    remedy = _("It needs {n}. Lower the camera, or choose a higher resolution. The mat may fill the picture.", n=enough)
    return Finding("code size", False, message, remedy)


def rounded_down(module_px: float) -> Number:
    """A module size with one decimal. It is rounded down, so that one that is too small never reads like the size that
    is needed."""
    return Number(math.floor(10 * module_px) / 10, 1)


def light_finding(metrics: QualityMetrics) -> Finding:
    """The finding about whether the light is bright enough, even and without reflections on codes."""
    brightest = max((zone.brightness for zone in metrics.zones), default=max(code.paper for code in metrics.codes))
    shaded = [_(zone.zone.title) for zone in metrics.zones if zone.brightness < MIN_RELATIVE_BRIGHTNESS * brightest]
    low_contrast = [code.code.id or "" for code in metrics.codes if code.contrast < MIN_CONTRAST]
    if brightest < MIN_PAPER_BRIGHTNESS:
        message = _("Paper looks dark ({n} of 255).", n=Number(brightest, 0))
        return Finding("light", False, message, _("Light the table better."))
    if low_contrast:
        remedy = _("A lamp is reflected there. Move it to the side, and use matte paper and matte sleeves.")
        return Finding("light", False, _("Little contrast on {things}.", things=join_names(low_contrast)), remedy)
    if shaded:
        message = _("These zones get less than half of the brightest zone’s light: {zones}.", zones=join_names(shaded))
        return Finding("light", False, message, _("Put the lamp to the side and higher, or add one on the other side."))
    darker = sorted((zone.brightness / brightest, zone.zone.title) for zone in metrics.zones)
    shares = [
        joined(" ", (_(title), f"{100 * share:.0f} %")) for share, title in darker if share < MIN_UNIFORM_BRIGHTNESS
    ]
    percent = Number(100 * MIN_UNIFORM_BRIGHTNESS, 0)
    if shares:
        zones = join_names(shares, 12)
        message = _(
            "Even enough. Compared with the brightest zone: {zones}, all others at least {n}%.",
            zones=zones,
            n=percent,
        )
    else:
        message = _("Even: every zone gets at least {n}% of the brightest zone’s light.", n=percent)
    return Finding("light", True, message)


def print_size_finding(sizes: Sequence[CodeSize]) -> Finding:
    """The finding about whether cards and mat were printed at the same scale. The codes of a small print, or of one
    with codes in whole millimeters (`print --code-mm`), are smaller on purpose."""
    usual, small = (median_ratio(sizes, [scale * size.usual_mm for size in sizes]) for scale in (1.0, SMALL_SCALE))
    if abs(usual - 1) <= MAX_SCALE_ERROR:
        message = _("Cards and mat are printed at the same scale: {n}%.", n=Number(100 * usual, 0))
        return Finding(PRINT_SIZE, True, message)
    percent = Number(100 * usual, 0)
    if abs(small - 1) <= MAX_SCALE_ERROR:
        return Finding(PRINT_SIZE, True, _("The codes have {n}% of their usual size, as in a small print.", n=percent))
    chosen_mm = range(int(MIN_CODE_MM), int(max(size.usual_mm for size in sizes)) + 1)
    for code_mm in chosen_mm:
        ratio = median_ratio(sizes, [min(code_mm, size.usual_mm) for size in sizes])
        if abs(ratio - 1) <= MAX_CHOSEN_SIZE_ERROR:
            message = _(
                "The codes have {n}% of their usual size, as in a print with codes of {mm} mm.", n=percent, mm=code_mm
            )
            return Finding(PRINT_SIZE, True, message)
    scale = min(usual, small, key=lambda ratio: abs(np.log(ratio)))
    message = _("The cards are printed at {n}% of the mat’s scale.", n=Number(100 * scale, 0))
    remedy = _(
        "You can play like this. To correct it, check the 100 mm ruler at the edge of each sheet, and print what is "
        "off again at 100% (“actual size”)."
    )
    return Finding(PRINT_SIZE, False, message, remedy)


def median_ratio(sizes: Sequence[CodeSize], expected_mm: Sequence[float]) -> float:
    """The median of the measured sizes, each divided by the expected one. Of two middle values, the lower: their mean
    would be wrong if cards of two prints are mixed."""
    ratios = [size.measured_mm / expected for size, expected in zip(sizes, expected_mm, strict=True)]
    return float(np.quantile(ratios, 0.5, method="lower"))


def join_names(names: Sequence[TextLike], limit: int = 4) -> TextLike:
    """A text that lists names: the first `limit` names, and how many more there are."""
    rest = len(names) - limit
    first = joined(", ", names[:limit])
    return _("{first} and {n} more", first=first, n=rest) if rest > 0 else first
