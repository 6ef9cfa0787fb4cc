"""Measures the constants of `candidate_regions`: the texture of codes, and of everything else."""

from __future__ import annotations

import cv2
import numpy as np

from tests.vision_constants.figures import CODES, Figure, codes_pass, count_of, joined, percent, quantile, share_of
from tests.vision_constants.picture_analysis import Analysis, Samples, centers_of
from tests.vision_constants.rendered_tables import dense_table
from vision.decoding.candidate_regions import (
    HIGH_TEXTURE,
    MAX_HIGH_TEXTURE_SHARE,
    MIN_ISOTROPY,
    MIN_TEXTURE,
    MIN_TEXTURE_RATIO,
    STICKER_SIDES,
    TEXTURE_CELL_PX,
    code_response,
    find_peaks,
    find_regions,
    isotropy,
    measure_texture,
    total_texture,
)
from vision.decoding.decoder import find_in_regions
from vision.geometry import CellGrid, Points, mean_side_lengths
from vision.known_codes import known_codes

HIGH_ISOTROPY, USUAL_RATIO = 0.8, 0.45
"""Values that the docstrings of MIN_ISOTROPY and MIN_TEXTURE_RATIO mention."""
NEARBY_SIDES = 1.2
"""Peaks within this distance of a code's center belong to the code or to what is printed around it."""
PLACE_STRIDE_CELLS = 4


def measure_regions(analysis: Analysis, samples: Samples) -> None:
    preset, side = analysis.picture.preset, analysis.side_cells
    response = code_response(analysis.normalized, side)
    mean = [cv2.blur(each, (side, side), borderType=cv2.BORDER_CONSTANT) for each in analysis.normalized]
    least = np.minimum(isotropy(*mean[:2]), isotropy(*mean[2:]))
    total = mean[0] + mean[1]
    centers = centers_of(analysis.visible)
    peaks = find_peaks(response, side, 1e-3)
    samples.add("high texture", "pictures", [(total_texture(analysis.texture) > HIGH_TEXTURE).mean()])
    boxes = find_regions(analysis.normalized, analysis.gray.shape)
    area = sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in boxes)
    samples.add("regions", "pictures", [area / analysis.gray.size])
    in_regions = {code.text for code in find_in_regions(analysis.gray, analysis.normalized, known_codes())}
    samples.add("regions", "codes", [float(code.text in in_regions) for code in analysis.found])
    elsewhere = analysis.is_elsewhere(peaks)
    samples.add("response", "print", at(response, peaks[elsewhere]))
    if not len(centers):
        return
    responses = np.array([highest_near(response, center) for center in centers])
    samples.add("response", preset, responses)
    samples.add("response ratio", preset, responses / np.median(responses))
    samples.add("response ratio", "print", at(response, peaks[elsewhere]) / np.median(responses))
    samples.add("isotropy", preset, at(least, centers))
    places = grid_of_places(response.shape)
    places = places[analysis.is_elsewhere(places) & (at(total, places) >= at(total, centers).min())]
    samples.add("isotropy", "print", at(least, places))
    samples.add("sticker", "codes", stray_peaks(analysis, peaks[at(response, peaks) >= MIN_TEXTURE]))


def at(grid: CellGrid, points: Points) -> CellGrid:
    """The values of the cells at these points (px)."""
    cells = np.clip(points // TEXTURE_CELL_PX, 0, np.array(grid.shape[::-1]) - 1).astype(int)
    return np.asarray(grid[cells[:, 1], cells[:, 0]])


def highest_near(grid: CellGrid, center: Points) -> float:
    """The highest value in the 3 x 3 cells around a point (px)."""
    column, row = (int(n) for n in center // TEXTURE_CELL_PX)
    return float(grid[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2].max())


def grid_of_places(shape: tuple[int, ...]) -> Points:
    """Places all over the picture, n x 2 px."""
    y, x = np.mgrid[0 : shape[0] : PLACE_STRIDE_CELLS, 0 : shape[1] : PLACE_STRIDE_CELLS]
    return (np.stack([x.ravel(), y.ravel()], 1) + 0.5) * TEXTURE_CELL_PX


def stray_peaks(analysis: Analysis, peaks: Points) -> list[float]:
    """For each peak of the response on or near a code: the side of the smallest square about the code's center, turned
    and tilted as the code is, that contains the peak, in sides of the code."""
    quads = np.array([code.corners for code in analysis.visible])
    reach = []
    for quad, side in zip(quads, mean_side_lengths(quads), strict=True):
        near = peaks[np.linalg.norm(peaks - quad.mean(0), axis=1) < NEARBY_SIDES * side]
        to_unit = cv2.getPerspectiveTransform(
            quad.astype(np.float32), np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32)
        )
        if len(near):
            reach += np.abs(cv2.perspectiveTransform(near[None], to_unit)[0]).max(1).tolist()
    return reach


def min_texture(samples: Samples) -> Figure:
    codes, other = codes_pass(samples, "response", MIN_TEXTURE, "have more"), samples.get("response", "print")
    less = count_of(other, MIN_TEXTURE, "other peaks", above=False)
    return joined(codes, f"{less} have less", stopped=share_of(other, MIN_TEXTURE, above=False))


def region_texture(samples: Samples) -> Figure:
    codes, shares = samples.get("regions", "codes"), samples.get("regions", "pictures")
    return Figure(
        f"{count_of(codes, 1, 'codes that zxing-cpp reads in the whole picture')} are read in the regions, too; these "
        f"are {100 * float(quantile(shares, 0.5)):.0f} % of a picture in the median",
        share_of(codes, 1),
    )


def min_isotropy(samples: Samples) -> Figure:
    codes = codes_pass(samples, "isotropy", MIN_ISOTROPY, "have more")
    print_ = samples.get("isotropy", "print")
    high = " and ".join(percent(share_of(samples.get("isotropy", preset), HIGH_ISOTROPY)) for preset in CODES)
    return joined(
        codes,
        f"{high} have {HIGH_ISOTROPY}",
        f"{count_of(print_, MIN_ISOTROPY, 'other places with as much texture', above=False)} have less, "
        f"{percent(share_of(print_, HIGH_ISOTROPY))} have {HIGH_ISOTROPY}",
        stopped=share_of(print_, MIN_ISOTROPY, above=False),
    )


def min_texture_ratio(samples: Samples) -> Figure:
    codes = codes_pass(samples, "response ratio", MIN_TEXTURE_RATIO, "have more")
    usual = " and ".join(percent(share_of(samples.get("response ratio", preset), USUAL_RATIO)) for preset in CODES)
    other = samples.get("response ratio", "print")
    less = count_of(other, MIN_TEXTURE_RATIO, "other peaks", above=False)
    stopped = share_of(other, MIN_TEXTURE_RATIO, above=False)
    return joined(codes, f"{usual} have {USUAL_RATIO}", f"{less} have less", stopped=stopped)


def sticker_sides(samples: Samples) -> Figure:
    reach = samples.get("sticker", "codes")
    share = share_of(reach, STICKER_SIDES, above=False)
    peaks = f"peaks within {NEARBY_SIDES} sides of a code's center"
    return Figure(f"{count_of(reach, STICKER_SIDES, peaks, above=False)} lie on the sticker", share)


def high_texture(samples: Samples) -> Figure:
    shares = samples.get("high texture", "pictures")
    dense = float((total_texture(measure_texture(dense_table(1).gray)) > HIGH_TEXTURE).mean())
    return Figure(
        f"of {len(shares)} tables of cards, at most {percent(shares.max())} of the cells have more texture than "
        f"{HIGH_TEXTURE:g} (95 % of the tables: at most {100 * float(quantile(shares, 0.95)):.0f} %); of a table with "
        f"240 codes, {percent(dense)}",
        float((np.append(shares, dense) <= MAX_HIGH_TEXTURE_SHARE).mean()),
    )
