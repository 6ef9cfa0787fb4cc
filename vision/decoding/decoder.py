"""A grey picture -> the QR codes in it, in a few stages, each a plain function.

Law: no I/O, no clock, no state. Whatever the picture, nothing is raised and the work is bounded by its size.

1. `find`: zxing-cpp on the picture as it is: the fast path, and the only one for codes that are not ours.
2. `find_candidates`: where the picture has the texture of a code that has not been read yet; half a millisecond.
3. `match`: those places held against the closed list of known codes, in a size that the others tell.
4. `settle`: the corners of all codes of ours to a tenth of a pixel.
5. `find_otherwise`: where no code of ours was found all that zxing-cpp can try, then pyzbar. Of single codes
   photographed by others pyzbar reads 1 in 70 that zxing-cpp misses; on tables it read nothing more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import cv2
import numpy as np
import zxingcpp

from companion.codes import MODULES, payload, thing_in
from vision.decoding.candidates import (
    TextureMap,
    find_candidates,
    is_textured_all_over,
    measure_texture,
    normalize_texture,
    total_texture,
)
from vision.decoding.coarse_match import build_coarse_templates
from vision.decoding.module_size import (
    MEDIUM_SCALES,
    NARROW_SCALES,
    WIDE_SCALES,
    ModuleSizeField,
    fit_module_size,
    uniform_field,
)
from vision.decoding.pose_refinement import poses_from_corners, project_corners, refine_poses
from vision.decoding.template_match import MIN_ACCEPTED_CONFIDENCE, match_templates
from vision.decoding.templates import TemplateBank, build_template_bank
from vision.geometry import Code, GrayImage, Points, mean_side_lengths, remove_duplicates, stack_corners

FEW, MANY = 8, 24
"""So many candidates are matched at once, few until the size of codes is sure; two dozen take little longer than one.
"""
VAIN = 24.0
"""After so many in vain the rest is print."""
FIRST = 16
"""So many candidates are tried while nothing is known of the size ..."""
FIRST_PX = (1.5, 2.2, 1.25, 1.8, 2.7, 3.3)
"""... which is then tried out, in pixels a module: codes that zxing-cpp can't read are small or blurred."""
SMALL_PX = 200_000
"""A picture that is texture all over is read in this size only."""
STRAYS = 1.5
"""Corners that settle more modules away have gone astray."""
EDGES = 24.0
"""Texture that at least one cell of a picture with a code has."""
NO_CAMERA_PX = 1_500_000
"""A larger picture shows a table, where pyzbar is no help."""
ZBAR_PX = 400_000
QR_CODES = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)


def read(grey: GrayImage, known: frozenset[str]) -> list[Code]:
    """All codes in the picture that are sure."""
    cells = measure_texture(grey)
    if is_textured_all_over(cells) and grey.size > 4 * SMALL_PX:
        return find_smaller(grey, known)
    found, matched = see(grey, cells, known)
    sure = proven(matched)
    codes = remove_duplicates(found + sure) if sure else found
    if any(code.id for code in codes) or not (total_texture(cells) > EDGES).any():
        return codes
    return find_otherwise(grey, known, codes)


def prepare(known: frozenset[str]) -> None:
    """Does what can be done before the first picture: 0.2 s for 250 codes."""
    patterns = build_template_bank(known)
    for tolerance in (NARROW_SCALES, MEDIUM_SCALES, WIDE_SCALES) if known else ():
        build_coarse_templates(patterns, tolerance)


def see(
    grey: GrayImage,
    cells: TextureMap,
    known: frozenset[str],
    scale: ModuleSizeField | None = None,
    patience: float = VAIN,
) -> tuple[list[Code], list[Code]]:
    """Stages 1 to 4: what was found, and what was matched, also with no proof worth the name. `scale` is what is
    known of the codes' size beforehand; for `patience` see `VAIN`."""
    if min(grey.shape) < MODULES:
        return [], []
    patterns = build_template_bank(known)
    found = settle(grey, remove_duplicates(find(grey, known)), patterns)
    return found, match_all(
        grey, normalize_texture(grey, cells), found, patterns, scale, patience
    ) if patterns.ids else []


def proven(codes: list[Code]) -> list[Code]:
    """Those that are believed at once."""
    return [code for code in codes if code.confidence >= MIN_ACCEPTED_CONFIDENCE]


def find_otherwise(grey: GrayImage, known: frozenset[str], codes: list[Code]) -> list[Code]:
    """Stage 5: besides these codes all that zxing-cpp can try, light on dark and made smaller step by step; then
    pyzbar."""
    found = remove_duplicates(codes + by_zxing(grey, known, zxingcpp.read_barcodes))
    return found or (remove_duplicates(find_with_zbar(grey, known)) if grey.size < NO_CAMERA_PX else [])


def find(grey: GrayImage, known: frozenset[str]) -> list[Code]:
    """Stage 1: what zxing-cpp reads in the picture as it is; half the time of all it can try."""
    return by_zxing(grey, known, partial(zxingcpp.read_barcodes, try_invert=False, try_downscale=False))


def by_zxing(grey: GrayImage, known: frozenset[str], decode: Callable[..., list[Any]]) -> list[Code]:
    """What zxing-cpp reads."""
    if min(grey.shape) < MODULES:
        return []
    seen = decode(np.ascontiguousarray(grey), formats=QR_CODES, text_mode=zxingcpp.TextMode.Plain)
    return [Code(thing_in(b.text, known), b.text, corners_of(b.position)) for b in seen]


def corners_of(position: Any) -> Points:
    """zxing-cpp's origin is the corner of the first pixel, ours its centre."""
    p = position
    points = [(q.x, q.y) for q in (p.top_left, p.top_right, p.bottom_right, p.bottom_left)]
    return np.array(points, float) - 0.5


def find_smaller(grey: GrayImage, known: frozenset[str]) -> list[Code]:
    """Stage 1 in a picture made smaller."""
    share = math.sqrt(SMALL_PX / grey.size)
    small = np.asarray(cv2.resize(grey, None, fx=share, fy=share, interpolation=cv2.INTER_AREA), np.uint8)
    return remove_duplicates(Code(c.id, c.text, (c.corners + 0.5) / share - 0.5) for c in find(small, known))


def match_all(
    grey: GrayImage,
    strength: TextureMap,
    found: list[Code],
    patterns: TemplateBank,
    scale: ModuleSizeField | None,
    patience: float,
) -> list[Code]:
    """Stages 2 and 3: the codes of the list that have not been found."""
    matched: list[Code] = []
    scale = scale or fit_module_size(found)
    if scale is None:
        matched = first_matches(grey, strength, found, patterns)
        scale = fit_module_size(proven(matched))
    while scale:
        known = found + proven(matched)
        places = find_candidates(strength, known, scale.module_px * MODULES)
        more, better = matches_of_size(grey, places, scale, patterns, known, patience)
        matched = proven(matched) + more
        scale = better if proven(more) and not scale.is_reliable else None
    return matched


def matches_of_size(
    grey: GrayImage, places: Points, scale: ModuleSizeField, patterns: TemplateBank, known: list[Code], patience: float
) -> tuple[list[Code], ModuleSizeField]:
    """What is matched at the places, strongest first, and what that tells of the size. Where the size is sure, too
    many in vain end it."""
    matched, vain, start = list[Code](), 0, 0
    while start < len(places) and vain < patience:
        count = MANY if scale.is_reliable else FEW
        more = match(grey, places[start : start + count], scale, patterns)
        matched, start = matched + more, start + count
        vain = 0 if proven(more) else vain + count if scale.is_reliable else 0
        if proven(more):
            scale = fit_module_size(known + proven(matched)) or scale
    return matched, scale


def first_matches(grey: GrayImage, strength: TextureMap, found: list[Code], patterns: TemplateBank) -> list[Code]:
    """The strongest candidates in one size after the other, until one is matched."""
    for module_px in FIRST_PX:
        places = find_candidates(strength, found, module_px * MODULES)
        matched = match(grey, places[:FIRST], uniform_field(module_px), patterns)
        if proven(matched):
            return matched
    return []


def match(grey: GrayImage, places: Points, scale: ModuleSizeField, patterns: TemplateBank) -> list[Code]:
    """Stage 3: what those places look most like that look like a code at all."""
    if not len(places):
        return []
    found = match_templates(grey, places, scale.module_scales(places), scale.search_scales, patterns)
    return [Code(m.id, payload(m.id), m.corners, m.confidence) for m in found]


def settle(grey: GrayImage, found: list[Code], patterns: TemplateBank) -> list[Code]:
    """Stage 4: the corners of our codes where their whole pattern fits best."""
    ours = [code for code in found if code.id]
    if not ours:
        return found
    fit = patterns.models_of(np.array([patterns.index_of[code.id or ""] for code in ours]))
    corners = project_corners(refine_poses(grey, poses_from_corners([code.corners for code in ours]), (fit, fit)))
    was = stack_corners(ours)
    near = np.abs(was - corners).max((1, 2)) < STRAYS * mean_side_lengths(was) / MODULES
    better = [Code(c.id, c.text, quad) if stays else c for c, quad, stays in zip(ours, corners, near, strict=True)]
    return better + [code for code in found if not code.id]


@cache
def zbar() -> Callable[[GrayImage], list[Any]] | None:
    """pyzbar's decoder for QR codes, or None where the system has no libzbar0."""
    try:
        from pyzbar import pyzbar
    except (ImportError, OSError):
        return None
    return lambda grey: list(pyzbar.decode(grey, symbols=[pyzbar.ZBarSymbol.QRCODE]))


def find_with_zbar(grey: GrayImage, known: frozenset[str]) -> list[Code]:
    """The last of stage 5: what pyzbar reads, in a large picture made smaller: its time grows with every edge."""
    decode = zbar()
    if decode is None or min(grey.shape) < MODULES:
        return []
    share = min(1.0, math.sqrt(ZBAR_PX / grey.size))
    small = grey if share == 1 else cv2.resize(grey, None, fx=share, fy=share, interpolation=cv2.INTER_AREA)
    codes = (from_zbar(symbol, known) for symbol in decode(np.ascontiguousarray(small)))
    return [Code(c.id, c.text, (c.corners + 0.5) / share - 0.5) for c in codes if c]


QUARTERS = {"UP": 0, "RIGHT": 1, "DOWN": 2, "LEFT": 3}


def from_zbar(symbol: Any, known: frozenset[str]) -> Code | None:
    """A code, unless its corners or its way round can't be told.

    pyzbar gives the corners in no order, and to the nearest quarter where the code's top is.
    """
    quarter = QUARTERS.get(symbol.orientation)
    if quarter is None or len(symbol.polygon) != 4:
        return None
    points = np.array(symbol.polygon, float)
    ways = np.arctan2(*(points - points.mean(0)).T[::-1])
    first = (ways - math.pi * (quarter * 2 - 3) / 4 + math.pi / 4) % (2 * math.pi)
    text = symbol.data.decode("utf-8", "replace")
    return Code(thing_in(text, known), text, points[np.argsort(first)])
