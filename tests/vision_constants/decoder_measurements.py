"""Measures the constants of `decoder`."""

from __future__ import annotations

import numpy as np

from companion.component_qr_codes import MODULES
from tests.vision_constants.figures import CODES, Figure, codes_pass, count_of, joined, quantile, share_of
from tests.vision_constants.picture_analysis import Analysis, Samples, as_code, nearest, patched
from vision.decoded_codes import Code, stack_corners
from vision.decoding import decoder
from vision.decoding.candidate_regions import TEXTURE_CELL_PX, find_candidates, total_texture
from vision.decoding.decoder import MAX_FAILED_CANDIDATES, MAX_REFINEMENT_MODULES, MIN_PEAK_TEXTURE, refine_corners
from vision.geometry import mean_side_lengths

MAX_CANDIDATE_SIDES = 0.5
"""A candidate this close to a code's center, in sides of the code, is one for this code."""
MAX_ERROR_MODULES = 1.0
"""A refined code with a corner that is off by more has been refined to a wrong place."""


def measure_decoder(analysis: Analysis, samples: Samples) -> None:
    preset = analysis.picture.preset
    total = total_texture(analysis.texture)
    for code in analysis.visible:
        low, high = ((edge(code.corners, 0) // TEXTURE_CELL_PX).astype(int) for edge in (np.min, np.max))
        samples.add("peak texture", preset, [total[low[1] : high[1] + 1, low[0] : high[0] + 1].max(initial=0)])
    measure_refinement(analysis, samples)
    measure_failed_candidates(analysis, samples)


def measure_refinement(analysis: Analysis, samples: Samples) -> None:
    """How far the corners that zxing-cpp gives move when they are refined. Corners that move too far are measured
    too."""
    truth = {code.id: code.corners for code in analysis.picture.codes}
    known = [code for code in analysis.found if code.id and code.id in truth]
    with patched(decoder, MAX_REFINEMENT_MODULES=np.inf):
        refined = refine_corners(analysis.gray, known, analysis.bank)
    if not known:
        return
    before, after = stack_corners(known), stack_corners(refined)
    module_px = mean_side_lengths(before) / MODULES
    moved = np.abs(after - before).max((1, 2)) / module_px
    off = np.abs(after - np.array([truth[code.id] for code in known])).max((1, 2)) / module_px
    samples.add("moved", analysis.picture.preset, moved[off <= MAX_ERROR_MODULES])
    samples.add("moved", "wrong", moved[off > MAX_ERROR_MODULES])


def measure_failed_candidates(analysis: Analysis, samples: Samples) -> None:
    """How many candidates that are no codes come directly before each code that zxing-cpp has not read, in the order in
    which they are tried."""
    candidates = find_candidates(analysis.normalized, analysis.found, analysis.size.module_px * MODULES)
    read = {code.id for code in analysis.found}
    first = dict[int, Code]()
    for code in (*analysis.visible, *analysis.covered):
        index, distance = nearest(candidates, as_code(code).center)
        if code.id not in read and distance < MAX_CANDIDATE_SIDES * as_code(code).side_px:
            first[index] = as_code(code)
    failures, runs = 0, list[int]()
    for index in range(len(candidates)):
        if index in first:
            runs.append(failures)
        failures = 0 if index in first else failures + 1
    samples.add("failures", analysis.picture.preset, runs)
    samples.add("candidates", "pictures", [len(candidates) - len(first)])


def max_failed_candidates(samples: Samples) -> Figure:
    limit = MAX_FAILED_CANDIDATES - 1
    parts = [
        count_of(samples.get("failures", preset), limit, f"{preset} codes that zxing-cpp misses", above=False)
        for preset in CODES
    ]
    runs, tried = samples.get("failures", *CODES), samples.get("candidates", "pictures")
    return Figure(
        f"{' and '.join(parts)} come after fewer in a row, at most {max(runs, default=0):.0f}; a picture has "
        f"{quantile(tried, 0.5)} candidates that are no codes in the median, at most {max(tried, default=0):.0f}",
        share_of(runs, limit, above=False) if len(runs) else None,
    )


def max_refinement_modules(samples: Samples) -> Figure:
    codes = codes_pass(samples, "moved", MAX_REFINEMENT_MODULES, "that zxing-cpp reads move less", above=False)
    moved, wrong = samples.get("moved", *CODES), samples.get("moved", "wrong")
    more = "none of them ends more than one module off"
    if len(wrong):
        more = count_of(wrong, MAX_REFINEMENT_MODULES, "that end more than one module off") + " move further"
    return joined(codes, f"99 % move by at most {quantile(moved, 0.99)} modules", more)


def min_peak_texture(samples: Samples) -> Figure:
    texture = samples.get("peak texture", *CODES)
    codes = codes_pass(samples, "peak texture", MIN_PEAK_TEXTURE, "have a cell with more")
    return joined(codes, f"1 % have at most {quantile(texture, 0.01)}")
