"""Measures the constants of `module_size_field`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from companion.component_qr_codes import MODULES
from companion.tabletop.mat import is_corner
from tests.vision_constants.figures import Figure, count_of, percent, quantile, share_of
from tests.vision_constants.picture_analysis import Analysis, Samples, Values, as_code, nearest, patched
from tests.vision_constants.rendered_tables import printed_sizes
from vision.decoded_codes import Code, stack_corners
from vision.decoding import module_size_field
from vision.decoding.candidate_regions import find_candidates
from vision.decoding.module_size_field import (
    MEDIUM_SCALES,
    MIN_CODES_FOR_MEDIUM,
    MIN_CODES_FOR_NARROW,
    MIN_RATIO_DIFFERENCE,
    MIN_SIZE_GAP,
    NARROW_SCALES,
    SLOPE_REGULARIZATION,
    WIDE_SCALES,
    _size_ratios,
    fit_module_size,
    scale_components,
)
from vision.decoding.template_match import MIN_ACCEPTED_CONFIDENCE, match_templates
from vision.geometry import Points

TOLERANCE = 1.08
"""A code that is larger or smaller than a search scale by no more than this factor counts as close enough."""
READ_COUNTS = (4, 8, 12)
"""The numbers of codes from which the module size is estimated, while the others show how wrong the estimate is."""
WEIGHT_FACTORS = (0.5, 1.0, 2.0, 4.0)
"""The weights of the regularization that are compared, as multiples of SLOPE_REGULARIZATION."""
SEARCHES = {
    "NARROW_SCALES": (NARROW_SCALES, MIN_CODES_FOR_NARROW),
    "MEDIUM_SCALES": (MEDIUM_SCALES, MIN_CODES_FOR_MEDIUM),
    "WIDE_SCALES": (WIDE_SCALES, 1),
}
"""The search scales with the least number of codes with which each is used."""
CORNERS = ("all corners", "three corners")
"""The populations of tables of games: by how many of the mat's corner codes are read."""
PRINTED_SIZES = ("17.5", "20.6", "22", "25")
"""The sides of the codes on these tables, in mm. The corner codes have 25 mm."""
SUBSETS = 4
"""How often codes are drawn from a picture, to estimate the size of the others."""


def measure_sizes(analysis: Analysis, samples: Samples) -> None:
    """Measures how well some codes, as they are read, predict the true size of the others, and which errors the search
    scales tolerate."""
    rng = np.random.default_rng(len(analysis.read))
    truth = [as_code(code) for code in analysis.picture.codes if code.id and code.visible > 0]

    def errors(count: int) -> Values:
        read = [analysis.read[k] for k in order[:count]]
        return size_errors(read, [code for code in truth if code.id not in {each.id for each in read}])

    for _ in range(SUBSETS):
        order = rng.permutation(len(analysis.read))
        for count in READ_COUNTS:
            for factor in WEIGHT_FACTORS if count <= len(order) else ():
                with patched(module_size_field, SLOPE_REGULARIZATION=SLOPE_REGULARIZATION * factor):
                    samples.add(f"{count} codes, {factor} weight", "codes", errors(count))
        for name, (_, least) in SEARCHES.items():
            if least <= len(order):
                samples.add(f"{name} error", "codes", errors(least))
    measure_search_scales(analysis, samples)


def size_errors(read: list[Code], others: list[Code]) -> Values:
    """The true size of each of the other codes, divided by the size that follows from the codes that were read."""
    field = fit_module_size(read)
    assert field
    centers = np.array([code.center for code in others])
    expected = np.sqrt(np.linalg.det(field.module_scales(centers)))
    return np.asarray(true_module_px(others) / expected)


def true_module_px(codes: list[Code]) -> Values:
    """The module size of each code as the geometric mean of both directions, like the square root of the determinant of
    a `ModuleScales` matrix."""
    xx, xy, yy = scale_components(stack_corners(codes)).T
    return np.asarray(np.sqrt(xx * yy - xy * xy))


def measure_search_scales(analysis: Analysis, samples: Samples) -> None:
    """Which codes are read if they are larger or smaller than expected."""
    candidates = find_candidates(analysis.normalized, [], analysis.size.module_px * MODULES)
    centers = list[Points]()
    for code in analysis.visible:
        index, distance = nearest(candidates, as_code(code).center)
        if distance < as_code(code).side_px / 2:
            centers.append(candidates[index])
    if not centers:
        return
    scales = analysis.size.module_scales(np.array(centers))
    for name, (search, _) in SEARCHES.items():
        for label, actual in (("usual", 1.0), ("small", min(search) / TOLERANCE), ("large", max(search) * TOLERANCE)):
            matches = match_templates(analysis.gray, np.array(centers), scales / actual, search, analysis.bank)
            read = sum(match.confidence >= MIN_ACCEPTED_CONFIDENCE for match in matches)
            samples.add(f"{name} {label}", "codes", [1.0] * read + [0.0] * (len(centers) - read))


def measure_printed_sizes(analysis: Analysis, samples: Samples, game: str, *, small: bool) -> None:
    """Measures the sizes of components' codes relative to the corner codes of the mat, from the codes that are read."""
    corners = [code for code in analysis.read if is_corner(code.id or "")]
    sizes = printed_sizes(game, small)
    components = [code for code in analysis.read if code.id in sizes]
    if len(corners) < module_size_field.MIN_CORNERS or not components:
        return
    population = "all corners" if len(corners) > module_size_field.MIN_CORNERS else "three corners"
    ratios = _size_ratios(stack_corners(components), stack_corners(corners))
    printed = np.array([sizes[code.id or ""] for code in components])
    for size in set(printed.tolist()):
        samples.add(f"ratio, {population}", f"{size:.3g} mm", [np.median(ratios[printed == size])])
        samples.add(f"gap, {population}", "same", np.diff(np.sort(np.log(ratios[printed == size]))))
    order = sorted(set(printed.tolist()))
    for smaller, larger in pairwise(order):
        gap = np.log(ratios[printed == larger]).min() - np.log(ratios[printed == smaller]).max()
        samples.add(f"gap, {population}", "different", [gap])


def within(ratios: Values, scales: tuple[float, ...]) -> Values:
    """1 for each code that is found with these search scales, 0 for the others. `ratios`: the true sizes, relative to
    the expected ones."""
    off = np.abs(np.log(ratios[:, None]) - np.log(scales))
    return np.asarray(off.min(1) <= np.log(TOLERANCE), float)


def slope_regularization(samples: Samples) -> Figure:
    parts = []
    for count in READ_COUNTS:
        wrong = [
            1000 * (1 - within(samples.get(f"{count} codes, {factor} weight", "codes"), (1.0,)).mean())
            for factor in WEIGHT_FACTORS
        ]
        parts.append(f"{' / '.join(f'{each:.0f}' for each in wrong)} with {count}")
    weights = " / ".join(f"{factor * SLOPE_REGULARIZATION:.3g}" for factor in WEIGHT_FACTORS)
    most = within(samples.get(f"{READ_COUNTS[-1]} codes, 1.0 weight", "codes"), (1.0,))
    return Figure(
        "codes in 1,000 that differ by more than 8 % from the size that others imply, with a weight of "
        f"{weights}: "
        f"{', '.join(parts)} others",
        float(most.mean()) if len(most) else None,
    )


def search_scales(samples: Samples, name: str) -> Figure:
    scales, least = SEARCHES[name]
    found = within(samples.get(f"{name} error", "codes"), scales)
    reads = [samples.get(f"{name} {label}", "codes") for label in ("small", "usual", "large")]
    others = "one other" if least == 1 else f"{least} others"
    small, usual, large = (percent(share_of(read, 1)) for read in reads)
    return Figure(
        f"{count_of(found, 1, 'codes')} are within 8 % of one of the sizes that follow from {others}; of "
        f"{len(reads[0]):,} codes {usual} are read in the expected size, {small} if they are {1 / TOLERANCE:.2f} times "
        f"as large as the smallest, {large} if {TOLERANCE} times as large as the largest",
        float(found.mean()) if len(found) else None,
    )


def narrow_scales(samples: Samples) -> Figure:
    return search_scales(samples, "NARROW_SCALES")


def medium_scales(samples: Samples) -> Figure:
    return search_scales(samples, "MEDIUM_SCALES")


def wide_scales(samples: Samples) -> Figure:
    return search_scales(samples, "WIDE_SCALES")


def min_size_gap(samples: Samples) -> Figure:
    parts = []
    for population in CORNERS:
        same, different = (samples.get(f"gap, {population}", which) for which in ("same", "different"))
        less = count_of(same, MIN_SIZE_GAP, "gaps between codes of one size", above=False)
        more = count_of(different, MIN_SIZE_GAP, "gaps between two sizes")
        parts.append(f"with {population} read, {less} are less and {more} more")
    gaps = samples.get(f"gap, {CORNERS[0]}", "same")
    return Figure("; ".join(parts), share_of(gaps, MIN_SIZE_GAP, above=False) if len(gaps) else None)


def min_ratio_difference(samples: Samples) -> Figure:
    parts = []
    for population in CORNERS:
        ranges = [
            f"{size} mm: {quantile(ratios, 0)} to {quantile(ratios, 1)}"
            for size in PRINTED_SIZES
            if len(ratios := samples.get(f"ratio, {population}", f"{size} mm"))
        ]
        parts.append(f"with {population} read, {', '.join(ranges)}")
    equal = np.abs(samples.get(f"ratio, {CORNERS[0]}", "25 mm") - 1)
    return Figure("; ".join(parts), share_of(equal, MIN_RATIO_DIFFERENCE, above=False) if len(equal) else None)
