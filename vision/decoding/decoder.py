"""Reads the QR codes in a gray image, in five stages.

1. `find_in_regions`: runs zxing-cpp where the image has the texture of codes, or on the whole image if it is small or a
   photograph. If nothing is found in a photograph, `find_in_variants` tries four variants of the photograph: two with
   other thresholds, one blurred, and one darker. Foreign codes are read only in this stage and in the last one.
2. `find_candidates`: finds places that have the texture of a code, but where no code has been read. Takes a quarter of
   a millisecond.
3. `match_candidates`: compares these places with the templates of all known codes, in the size that the other codes
   imply.
4. `refine_corners`: locates the corners of all known codes to a tenth of a pixel.
5. `find_with_fallbacks`: if no known code was found, tries all options of zxing-cpp, then pyzbar. In other people's
   photographs of single codes, about one code in 70 is read by pyzbar, but not by zxing-cpp. On tables, pyzbar reads no
   more than zxing-cpp.

Law: no I/O, no clock, no state. No image raises an error, and the work is bounded by the size of the image.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import Any

import cv2
import numpy as np
import zxingcpp

from companion.component_qr_codes import MODULES, id_in, payload
from vision import decoded_codes
from vision.decoded_codes import Code, are_no_duplicates, stack_corners
from vision.decoding import native
from vision.decoding.candidate_regions import (
    NormalizedTexture,
    TextureMap,
    find_candidates,
    find_regions,
    is_textured_all_over,
    measure_texture,
    normalize_texture,
    side_in_cells,
    total_texture,
)
from vision.decoding.coarse_match import build_coarse_templates, template_pairs
from vision.decoding.module_size_field import (
    MEDIUM_SCALES,
    NARROW_SCALES,
    WIDE_SCALES,
    ModuleSizeField,
    fit_module_size,
    measure_quads,
    uniform_field,
)
from vision.decoding.pose_refinement import poses_from_corners, project_corners, refine_quads
from vision.decoding.template_match import MIN_ACCEPTED_CONFIDENCE, match_templates, refine_and_score
from vision.decoding.templates import TemplateBank, build_template_bank
from vision.geometry import GrayImage, Points, Quads

SMALL_BATCH, LARGE_BATCH = 8, 24
"""The number of candidates that are matched at once: few until the size of the codes is reliable, then many, because 24
take little longer than one."""
MAX_FAILED_CANDIDATES = 24
"""Matching ends after this many candidates in a row that are not known codes, because the rest is then probably
print."""
MAX_INITIAL_CANDIDATES = 16
"""The number of candidates that are tried with each of `INITIAL_MODULE_PX` while the size of the codes is unknown."""
INITIAL_MODULE_PX = (1.5, 2.2, 1.25, 1.8, 2.7, 3.3, 1.0)
"""The module sizes in pixels that are tried, in this order, while the size of the codes is unknown. They are small,
because codes that zxing-cpp can't read are small or blurred. The smallest comes last, so only images in which no code
has another size take longer."""
REDUCED_PIXELS = 200_000
"""The number of pixels to which a large image that is textured all over is reduced."""
MIN_REDUCTION = 4
"""An image that is textured all over is reduced if it has more than this many times `REDUCED_PIXELS`."""
CORNER_REFINEMENTS = 2
"""The number of iterations that refine the corners of a code that was read."""
MAX_REFINEMENT_MODULES = 1.5
"""If a corner moves further than this while it is refined, the refinement has diverged."""
MIN_PEAK_TEXTURE = 24.0
"""In an image with codes, the texture of at least one cell is higher than this: 99.6 % of the codes have such a
cell."""
MAX_FALLBACK_PIXELS = 1_500_000
"""Images with at least this many pixels are assumed to show tables, unless they are known to be photographs of single
cards. Their variants are not tried, and they are not given to pyzbar, which on tables reads no code that zxing-cpp
misses."""
ZBAR_PIXELS = 400_000
"""The number of pixels to which a larger image is reduced for pyzbar."""
THRESHOLD_SIDE_PX, VARIANT_BLUR_PX, VARIANT_GAMMA = 61, 2.0, 2.0
"""The parameters of three variants of a photograph in which nothing was read. Black and white: the side of the square
whose mean is the threshold for the pixel at its center. Blurred: the standard deviation of the blur. Darker: the
exponent of the gamma correction."""
Finder = Callable[[GrayImage, NormalizedTexture, frozenset[str]], list[Code]]
"""Reads the codes in an image, given its texture and the ids of the known codes."""
QR_CODES = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCode)
USUAL_QR_CODES = zxingcpp.BarcodeFormats(zxingcpp.BarcodeFormat.QRCodeModel2)
"""All except Micro QR codes and those of model 1, on which zxing-cpp spends a sixth of its time."""
DECODE_AS_IS = partial(zxingcpp.read_barcodes, try_invert=False, try_downscale=False)


def read_codes(
    gray: GrayImage, known_ids: frozenset[str], *, is_photo: bool = False, wants_foreign: bool = False
) -> list[Code]:
    """All codes in the image that can be read with certainty, known and foreign. `is_photo`: whether the image is a
    photograph of a single card, taken with a phone. For such photographs everything is tried. Small images always count
    as photographs. `wants_foreign`: whether foreign codes matter. Otherwise, large ones may be left out."""
    texture = measure_texture(gray)
    if is_too_busy(gray, texture):
        return find_in_reduced_image(gray, known_ids)
    is_photo = is_photo or gray.size < MAX_FALLBACK_PIXELS
    find = find_in_variants if is_photo else None if wants_foreign else find_in_regions
    found, matched = find_and_match(gray, texture, known_ids, find=find)
    accepted = accepted_codes(matched)
    codes = remove_duplicates(found + accepted) if accepted else found
    if any(code.id for code in codes) or not (total_texture(texture) > MIN_PEAK_TEXTURE).any():
        return codes
    return find_with_fallbacks(gray, known_ids, codes, is_photo=is_photo)


def precompute_templates(known_ids: frozenset[str]) -> None:
    """Computes and caches the templates of the known codes, so that the first image takes no longer to read than the
    others. Takes 0.2 s for 250 codes."""
    bank = build_template_bank(known_ids)
    for scales in (NARROW_SCALES, MEDIUM_SCALES, WIDE_SCALES) if known_ids else ():
        build_coarse_templates(bank, scales)
        template_pairs(bank, scales)


def find_and_match(
    gray: GrayImage,
    texture: TextureMap,
    known_ids: frozenset[str],
    module_size: ModuleSizeField | None = None,
    max_failures: float = MAX_FAILED_CANDIDATES,
    find: Finder | None = None,
) -> tuple[list[Code], list[Code]]:
    """Reads the codes in an image with zxing-cpp, and then by matching with the templates of the known codes. Returns
    the codes from both steps, separately; those matched with templates include codes with low confidence.
    `module_size`: None if it is not known in advance. `max_failures`: gives up matching after this many candidates in a
    row that match no known code. `find`: what to use instead of `find_with_zxing`."""
    if min(gray.shape) < MODULES:
        return [], []
    bank = build_template_bank(known_ids)
    normalized = normalize_texture(gray, texture)
    found = find(gray, normalized, known_ids) if find else find_with_zxing(gray, known_ids)
    found = refine_corners(gray, remove_duplicates(found), bank)
    if not bank.ids:
        return found, []
    return found, match_unread_codes(gray, normalized, found, bank, module_size, max_failures)


def remove_duplicates(codes: Iterable[Code]) -> list[Code]:
    """See `decoded_codes.remove_duplicates`."""
    return decoded_codes.remove_duplicates(codes, chosen_codes)


def chosen_codes(quads: Quads, is_known: list[bool]) -> list[bool]:
    """See `decoded_codes.are_no_duplicates`."""
    if not native.is_enabled():
        return are_no_duplicates(quads, is_known)
    d = decoded_codes
    limits = d.MIN_EDGE_PX, d.MAX_EDGE_RATIO, d.MAX_OVERLAP_DISTANCE_SIDES, d.MAX_DUPLICATE_SIZE_RATIO
    return native.find_duplicates(quads, is_known, limits)


def find_exactly(gray: GrayImage, known_ids: frozenset[str]) -> list[Code]:
    """The codes that zxing-cpp reads in an image, with exact corners and without duplicates."""
    if min(gray.shape) < MODULES:
        return []
    return refine_corners(gray, remove_duplicates(find_with_zxing(gray, known_ids)), build_template_bank(known_ids))


def match_near(
    gray: GrayImage,
    texture: TextureMap,
    found: list[Code],
    known_ids: frozenset[str],
    module_size: ModuleSizeField | None = None,
    max_failures: float = math.inf,
) -> list[Code]:
    """Like `find_and_match`, but only matches with templates, where `texture` says that there may be a code. Leaves out
    the codes that were `found` before. Includes codes with low confidence."""
    bank = build_template_bank(known_ids)
    if min(gray.shape) < MODULES or not bank.ids:
        return []
    return match_unread_codes(gray, normalize_texture(gray, texture), found, bank, module_size, max_failures)


def is_too_busy(gray: GrayImage, texture: TextureMap) -> bool:
    """Whether the image is large and textured all over. Such an image shows no table, and searching it for codes would
    take too long."""
    return is_textured_all_over(texture) and gray.size > MIN_REDUCTION * REDUCED_PIXELS


def accepted_codes(codes: list[Code]) -> list[Code]:
    """The codes with enough confidence to be accepted."""
    return [code for code in codes if code.confidence >= MIN_ACCEPTED_CONFIDENCE]


def find_with_fallbacks(gray: GrayImage, known_ids: frozenset[str], codes: list[Code], *, is_photo: bool) -> list[Code]:
    """The last resort, for an image in which no known code was found. Returns `codes` and the codes that zxing-cpp
    reads if it also inverts and reduces the image. If there are no codes even then, and the image is a photograph of a
    single card, returns the codes that pyzbar reads."""
    found = remove_duplicates(codes + codes_from_zxing(run_zxing(gray, zxingcpp.read_barcodes), known_ids))
    if found or not is_photo:
        return found
    return remove_duplicates(find_with_zbar(gray, known_ids))


def find_with_zxing(gray: GrayImage, known_ids: frozenset[str]) -> list[Code]:
    """The codes that zxing-cpp reads in the image as it is. This takes half as long as letting zxing-cpp also invert
    and reduce the image."""
    return codes_from_zxing(run_zxing(gray, DECODE_AS_IS), known_ids)


def find_in_regions(gray: GrayImage, texture: NormalizedTexture, known_ids: frozenset[str]) -> list[Code]:
    """The codes that zxing-cpp reads where the image has the texture of a code. This takes a quarter to two thirds of
    the time that it takes for the whole image. Where zxing-cpp finds many parts of codes that it can't read, it spends
    most of its time on combining those of different codes."""
    barcodes, origins = [], list[tuple[int, int]]()
    for x0, y0, x1, y1 in find_regions(texture, gray.shape):
        if found := run_zxing(gray[y0:y1, x0:x1], DECODE_AS_IS, USUAL_QR_CODES):
            barcodes += found
            origins += [(x0, y0)] * len(found)
    return codes_from_zxing(barcodes, known_ids, origins)


def find_in_variants(gray: GrayImage, _texture: NormalizedTexture, known_ids: frozenset[str]) -> list[Code]:
    """The codes that zxing-cpp reads in a photograph. If it reads none, tries changed versions of the photograph
    (with other thresholds, blurred, darker), and returns the codes in the first version in which any are read."""
    found = find_with_zxing(gray, known_ids)
    if not found:
        decode = partial(zxingcpp.read_barcodes, try_invert=False, binarizer=zxingcpp.Binarizer.GlobalHistogram)
        found = codes_from_zxing(run_zxing(gray, decode), known_ids)
    for vary in VARIANTS:
        found = found or find_with_zxing(vary(gray), known_ids)
    return found


def with_local_threshold(gray: GrayImage) -> GrayImage:
    """The image in black and white: each pixel is compared with the mean of its surroundings."""
    flags = (cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY)
    return np.asarray(cv2.adaptiveThreshold(gray, 255, *flags, THRESHOLD_SIDE_PX, 0), np.uint8)


def blurred(gray: GrayImage) -> GrayImage:
    return np.asarray(cv2.GaussianBlur(gray, (0, 0), VARIANT_BLUR_PX), np.uint8)


def with_gamma(gray: GrayImage) -> GrayImage:
    """The image made darker, with more contrast in its light parts."""
    levels = 255 * (np.arange(256) / 255) ** VARIANT_GAMMA
    return np.asarray(cv2.LUT(gray, levels.astype(np.uint8)), np.uint8)


VARIANTS = (with_local_threshold, blurred, with_gamma)


def run_zxing(
    gray: GrayImage, decode: Callable[..., list[Any]], formats: zxingcpp.BarcodeFormats = QR_CODES
) -> list[Any]:
    """The barcodes that zxing-cpp reads in the image. `decode`: its `read_barcodes`, perhaps with some options set."""
    if min(gray.shape) < MODULES:
        return []
    # zxing-cpp takes twice as long to understand an array as it takes for its buffer.
    return decode(gray.data, formats=formats, text_mode=zxingcpp.TextMode.Plain)


def codes_from_zxing(
    barcodes: list[Any], known_ids: frozenset[str], origins: Sequence[tuple[int, int]] = ()
) -> list[Code]:
    """The codes that zxing-cpp found, in our coordinates. Our origin is the center of the top left pixel; that of
    zxing-cpp is the corner of this pixel. `origins`: if the codes were read in parts of an image, the top left pixel of
    the part for each code."""
    positions = [barcode.position for barcode in barcodes]
    corners = [q for p in positions for q in (p.top_left, p.top_right, p.bottom_right, p.bottom_left)]
    quads = np.array([n for q in corners for n in (q.x, q.y)], float).reshape(-1, 4, 2) - 0.5
    if origins:
        quads += np.array(origins)[:, None]
    texts = [barcode.text for barcode in barcodes]
    return [Code(id_in(text, known_ids), text, quad) for text, quad in zip(texts, quads, strict=True)]


def find_in_reduced_image(gray: GrayImage, known_ids: frozenset[str]) -> list[Code]:
    """The codes that `find_with_zxing` reads once the image is reduced to `REDUCED_PIXELS`. Their corners are in pixels
    of the original image."""
    ratio = math.sqrt(REDUCED_PIXELS / gray.size)
    small = np.asarray(cv2.resize(gray, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA), np.uint8)
    return remove_duplicates(enlarge(code, ratio) for code in find_with_zxing(small, known_ids))


def enlarge(code: Code, ratio: float) -> Code:
    """Converts a code that was read in an image reduced by `ratio` to pixels of the original image."""
    return Code(code.id, code.text, (code.corners + 0.5) / ratio - 0.5)


def match_unread_codes(
    gray: GrayImage,
    texture: NormalizedTexture,
    found: list[Code],
    bank: TemplateBank,
    module_size: ModuleSizeField | None,
    max_failures: float,
) -> list[Code]:
    """Searches for the known codes that zxing-cpp could not read: compares each part of the image that has the texture
    of a code with the templates. Returns the matches, even those with low confidence. `found`: the codes that zxing-cpp
    has read. `module_size`: None if it is not known in advance. `max_failures`: gives up after this many candidates in
    a row that match no known code."""
    matched: list[Code] = []
    module_size = module_size or fit_module_size(found)
    if module_size is None:
        matched = match_with_guessed_sizes(gray, texture, found, bank)
        module_size = fit_module_size(accepted_codes(matched))
    while module_size:
        known = found + accepted_codes(matched)
        more, better_size = list[Code](), module_size
        for ratio in module_size.ratios:
            size = module_size.scaled(ratio)
            centers = find_candidates(texture, known, size.module_px * MODULES)
            here, better_size = match_with_size(gray, centers, size, bank, known, max_failures)
            more += here
            if accepted_codes(here) and not module_size.is_reliable:
                break
        matched = accepted_codes(matched) + more
        module_size = better_size if accepted_codes(more) and not module_size.is_reliable else None
    return matched


def match_with_size(
    gray: GrayImage,
    centers: Points,
    module_size: ModuleSizeField,
    bank: TemplateBank,
    known: list[Code],
    max_failures: float,
) -> tuple[list[Code], ModuleSizeField]:
    """The codes matched at `centers` (candidates, strongest first), and the module size estimated from these codes and
    the `known` codes. Once the size is reliable, `max_failures` failed candidates in a row end the search."""
    matched, failures, start = list[Code](), 0, 0
    while start < len(centers) and failures < max_failures:
        count = LARGE_BATCH if module_size.is_reliable else SMALL_BATCH
        more = match_candidates(gray, centers[start : start + count], module_size, bank)
        matched, start = matched + more, start + count
        failures = 0 if accepted_codes(more) else failures + count if module_size.is_reliable else 0
        if accepted_codes(more):
            module_size = fit_module_size(known + accepted_codes(matched)) or module_size
    return matched, module_size


def match_with_guessed_sizes(
    gray: GrayImage, texture: NormalizedTexture, found: list[Code], bank: TemplateBank
) -> list[Code]:
    """The codes matched at the strongest candidates while the module size is unknown. Tries the sizes in
    `INITIAL_MODULE_PX` one after the other, until a match is accepted; if none is, returns no codes."""
    centers = dict[int, Points]()
    for module_px in INITIAL_MODULE_PX:
        side = side_in_cells(module_px * MODULES)
        if side not in centers:
            centers[side] = find_candidates(texture, found, module_px * MODULES)[:MAX_INITIAL_CANDIDATES]
        matched = match_candidates(gray, centers[side], uniform_field(module_px), bank)
        if accepted_codes(matched):
            return matched
    return []


def match_candidates(gray: GrayImage, centers: Points, module_size: ModuleSizeField, bank: TemplateBank) -> list[Code]:
    """Compares each of the candidates, centered at `centers`, with the templates of all known codes. Returns the best
    match of each candidate, even if its confidence is low; candidates that do not look like a code are left out."""
    if not len(centers):
        return []
    matches = match_templates(gray, centers, module_size.module_scales(centers), module_size.search_scales, bank)
    return [Code(m.id, payload(m.id), m.corners, m.confidence) for m in matches]


def match_in_place(gray: GrayImage, quads: Sequence[Points], bank: TemplateBank) -> list[Code]:
    """Compares the codes with about these corners (`quads`) with the templates of all known codes. Returns the best
    match of each code, even if its confidence is low."""
    if not quads:
        return []
    poses, codes, confidence = refine_and_score(gray, poses_from_corners(quads), bank)
    ids = [bank.ids[code] for code in codes]
    return [
        Code(*each) for each in zip(ids, map(payload, ids), project_corners(poses), confidence.tolist(), strict=True)
    ]


def refine_corners(gray: GrayImage, codes: list[Code], bank: TemplateBank) -> list[Code]:
    """Moves the corners of each known code to where the template of the whole code fits best. Returns the known codes
    with refined corners, then the foreign codes (codes of no known component) unchanged."""
    known = [code for code in codes if code.id]
    if not known:
        return codes
    model = bank.models_of(np.array([bank.index_of[code.id or ""] for code in known]))
    before = stack_corners(known)
    refined = refine_quads(gray, before, model, CORNER_REFINEMENTS)
    limit = MAX_REFINEMENT_MODULES * measure_quads(before)[:, 2] / MODULES
    converged = (np.abs(before - refined).reshape(-1, 8).max(1) < limit).tolist()
    better = [Code(c.id, c.text, quad) if ok else c for c, quad, ok in zip(known, refined, converged, strict=True)]
    return better + [code for code in codes if not code.id]


@cache
def zbar() -> Callable[[GrayImage], list[Any]] | None:
    """pyzbar's decoder for QR codes; None if pyzbar or the system's libzbar0 is not installed."""
    try:
        from pyzbar import pyzbar
    except (ImportError, OSError):
        return None
    return lambda gray: list(pyzbar.decode(gray, symbols=[pyzbar.ZBarSymbol.QRCODE]))


def find_with_zbar(gray: GrayImage, known_ids: frozenset[str]) -> list[Code]:
    """The codes that pyzbar reads. Large images are reduced first, because the time that pyzbar takes grows with the
    number of edges in the image."""
    decode = zbar()
    if decode is None or min(gray.shape) < MODULES:
        return []
    ratio = min(1.0, math.sqrt(ZBAR_PIXELS / gray.size))
    small = gray if ratio == 1 else cv2.resize(gray, None, fx=ratio, fy=ratio, interpolation=cv2.INTER_AREA)
    codes = (code_from_zbar(symbol, known_ids) for symbol in decode(np.ascontiguousarray(small)))
    return [enlarge(code, ratio) for code in codes if code]


QUARTER_TURNS = {"UP": 0, "RIGHT": 1, "DOWN": 2, "LEFT": 3}
"""For each direction of a code's top, as pyzbar names it: how far the code is turned clockwise, in quarter turns."""


def code_from_zbar(symbol: Any, known_ids: frozenset[str]) -> Code | None:
    """The code in a symbol that pyzbar found; None if its corners or its orientation are missing.

    pyzbar gives the corners in no particular order, and the direction of the code's top to the nearest quarter turn.
    """
    quarter = QUARTER_TURNS.get(symbol.orientation)
    if quarter is None or len(symbol.polygon) != 4:
        return None
    points = np.array(symbol.polygon, float)
    directions = np.arctan2(*(points - points.mean(0)).T[::-1])
    from_top_left = (directions - math.pi * (quarter * 2 - 3) / 4 + math.pi / 4) % (2 * math.pi)
    text = symbol.data.decode("utf-8", "replace")
    return Code(id_in(text, known_ids), text, points[np.argsort(from_top_left)])
