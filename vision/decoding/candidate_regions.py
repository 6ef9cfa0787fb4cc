"""Finds candidates: places in an image that have the texture of a code, but where no code has been read.

Texture is the mean absolute difference of nearby pixels, in four directions, over cells of 8 x 8 px. A code has about
the same texture in every direction. Lines of print, wood grain and edges have more texture in some directions than in
others.

Law: pure. Only every other row of pixels is read.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.decoded_codes import Code, stack_corners
from vision.decoding import native
from vision.geometry import NEXT_CORNERS, CellGrid, CellMask, GrayImage, PixelBox, Points, Quads, centroids

Cells = NDArray[np.integer]
"""Rows or columns of cells."""
Boxes = NDArray[np.integer]
"""Rectangles, n x 4."""
TextureMap = NDArray[np.uint8]
"""The texture of each cell across, down and along both diagonals: 4 x rows x columns, in gray levels."""
NormalizedTexture = NDArray[np.float32]
"""The same above the background, in percent of the brightness nearby: what `normalize_texture` returns."""

TEXTURE_CELL_PX = 8
MIN_TEXTURE = 5.0
"""The least `code_response` of a candidate. The response is the horizontal plus the vertical texture above the
background, in percent of the brightness nearby; it is reduced if the texture depends on the direction."""
BACKGROUND_ONE_IN = 5
"""The texture of the background is a quantile of the cells' textures: one cell in this many has less texture."""
MIN_BRIGHTNESS = 40
"""A gray level. When texture is divided by the brightness nearby, darker places count as this bright, so that their
noise is not amplified."""
MIN_ISOTROPY = 0.5
"""The least `isotropy` of a candidate; at this isotropy, `code_response` falls to zero. 98 % of the codes have an
isotropy of 0.8 or more. Of the places with print or wood and as much texture, only one in twelve reaches 0.8. Motion
blur may halve the isotropy."""
MIN_TEXTURE_RATIO = 0.35
"""The least texture of a candidate, divided by the median texture of the codes that were read. 99 % of the codes have
at least 0.45, even in shade and under reflections; in the glare of a lamp some have less."""
MIN_CODES_FOR_RATIO = 3
"""`MIN_TEXTURE_RATIO` applies only if this many codes were read."""
STICKER_SIDES = 1.4
"""The side of the sticker on which a code is printed, in sides of the code. There is no candidate on the sticker of a
code that was read."""
MAX_CANDIDATES = 96
"""The maximum number of candidates in an image. The strongest are kept."""
REGION_SIDE = 5
"""The side of the square of cells whose response tells where the regions with codes are."""
MIN_REGION_TEXTURE, MIN_PEAK_REGION_TEXTURE = 12.0, 20.0
"""The least response of every cell in a region that may have a code, and of its strongest cell. Of the codes that
zxing-cpp reads in the whole image, it reads 99.8 % in such regions, too."""
MIN_HIDDEN_RATIO = 6
"""Edges are hidden between the rows that are compared if the rows between them differ more than this many times as
much."""
MIN_REGION_ISOTROPY = 0.0
"""At this isotropy, the response falls to zero when regions are searched for. In a small square of a large code, the
texture may be much stronger in one direction."""
REGION_EDGE_RATIO = 0.35
"""The least response of a cell in a region, divided by that of the strongest cell. So weaker print beside a code is
left out. Parts of a code with modules of more than 6 px may be left out, too, if smaller codes lie beside it."""
MIN_REGION_CELLS = 4
"""A region that is narrower is too small for a code that zxing-cpp can read."""
REGION_MARGIN_CELLS = 2
"""The margin around a region, in cells."""
REGION_ROW_STEP_PX = 24
"""Regions begin in multiples of this many rows of pixels. zxing-cpp searches every third row, and compares pixels with
squares of eight. With a multiple of both, it reads the same codes in a region as in the whole image."""
MAX_REGIONS_SHARE = 0.8
"""If the regions have a larger share of the image's pixels, it is faster to search the image as a whole."""
HIGH_TEXTURE = 40
MAX_HIGH_TEXTURE_SHARE = 0.85
"""If a larger share of an image's cells has more texture than HIGH_TEXTURE, the image shows no table. In a picture of
240 codes side by side, 0.42 of the cells have; noise of 22 levels in each color has a texture of 34."""


def measure_texture(gray: GrayImage) -> TextureMap:
    """The texture of each cell of an image, from pairs of pixels that are two pixels apart. Every other row is compared
    with the next one. In an upright code with modules of four pixels, all edges may be hidden between these pairs of
    rows. So where the rows between them differ much more, that counts instead."""
    rows, columns = (n // TEXTURE_CELL_PX * TEXTURE_CELL_PX for n in gray.shape)
    if not rows or not columns:
        return np.zeros((4, 1, 1), np.uint8)
    if native.is_enabled():
        return native.measure_texture(gray, rows, columns, MIN_HIDDEN_RATIO)
    upper, lower = (np.ascontiguousarray(gray[k:rows:4, :columns]) for k in (0, 2))
    below = gray[np.minimum(np.arange(4, rows + 4, 4), len(gray) - 1), :columns]
    pairs = [(upper, upper, 2), (upper, lower, 0), (upper, lower, 2), (lower, upper, 2), (lower, below, 0)]
    across, down, *diagonal, between = (cell_means(absolute_difference(*pair)) for pair in pairs)
    return np.stack([across, np.where(between > MIN_HIDDEN_RATIO * down.astype(int), between, down), *diagonal])


def absolute_difference(left: GrayImage, right: GrayImage, offset: int) -> GrayImage:
    """The absolute difference of each pixel in `left` and the pixel in `right` that is `offset` columns further to the
    right. The last `offset` columns are 0."""
    difference = np.zeros_like(left)
    cv2.absdiff(left[:, : left.shape[1] - offset], right[:, offset:], difference[:, : left.shape[1] - offset])
    return difference


def cell_means(every_fourth_row: GrayImage) -> GrayImage:
    """The mean gray level of each cell, rounded, from every fourth row of an image. Shrinks the image in two steps,
    since OpenCV is very fast at halving."""
    rows, columns = every_fourth_row.shape
    half = cv2.resize(every_fourth_row, (columns // 2, rows // 2), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(half, (columns // 8, rows // 2), interpolation=cv2.INTER_AREA), np.uint8)


def total_texture(texture: TextureMap | NormalizedTexture) -> CellGrid:
    """The sum of the horizontal and the vertical texture of each cell."""
    return np.asarray(texture[0].astype(np.float32) + texture[1])


def is_textured_all_over(texture: TextureMap) -> bool:
    """Whether nearly every cell has high texture."""
    is_high = texture[0].astype(np.int16) + texture[1] > HIGH_TEXTURE
    return bool(np.count_nonzero(is_high) > MAX_HIGH_TEXTURE_SHARE * is_high.size)


def normalize_texture(gray: GrayImage, texture: TextureMap) -> NormalizedTexture:
    """How much the texture of each cell exceeds that of the image's background, in percent of the brightness nearby. A
    code in the shade has less contrast, but also darker paper, so its normalized texture is about the same as in full
    light."""
    if min(gray.shape) < TEXTURE_CELL_PX:
        return texture.astype(np.float32)
    if native.is_enabled():
        return native.normalize_texture(gray, texture, BACKGROUND_ONE_IN, MIN_BRIGHTNESS)
    sample = texture[:, ::3, ::3].sum(0).ravel()
    background = float(np.partition(sample, sample.size // BACKGROUND_ONE_IN)[sample.size // BACKGROUND_ONE_IN]) / 4
    rows, columns = (n * TEXTURE_CELL_PX for n in texture.shape[1:])
    brightness = cv2.dilate(cell_means(np.ascontiguousarray(gray[:rows:4, :columns])), np.ones((3, 3), np.uint8))
    above = np.maximum(texture - np.float32(background), 0)
    return np.asarray(above * (np.float32(100) / np.maximum(brightness, MIN_BRIGHTNESS)), np.float32)


def find_regions(texture: NormalizedTexture, shape: tuple[int, ...]) -> list[PixelBox]:
    """Boxes around all regions of the image that have the texture of codes, with modules of up to 8 pixels. A single
    box around the whole image, if the regions cover most of it. `shape`: of the image."""
    response = mean_response(texture, REGION_SIDE, MIN_REGION_ISOTROPY)
    if native.is_enabled():
        limits = MIN_REGION_TEXTURE, MIN_PEAK_REGION_TEXTURE, REGION_EDGE_RATIO, MIN_REGION_CELLS
        regions = native.find_regions(response, *limits)
    else:
        regions = connected_regions(response)
    boxes = region_boxes(regions, shape)
    widths, heights = (boxes[:, 2:] - boxes[:, :2]).T
    if widths @ heights > MAX_REGIONS_SHARE * shape[0] * shape[1]:
        return [(0, 0, shape[1], shape[0])]
    return list(map(tuple, boxes.tolist()))


def connected_regions(response: CellGrid) -> Boxes:
    """The regions whose response is high enough: x, y, width and height in cells."""
    labels, _, peaks = label_regions(response > MIN_REGION_TEXTURE, response)
    limits = np.maximum(MIN_REGION_TEXTURE, REGION_EDGE_RATIO * peaks)
    _, boxes, peaks = label_regions((labels > 0) & (response > limits[labels]), response)
    return np.asarray(boxes[(peaks > MIN_PEAK_REGION_TEXTURE) & (boxes[:, 2:] >= MIN_REGION_CELLS).all(1)])


def label_regions(mask: CellMask, response: CellGrid) -> tuple[NDArray[np.int32], Boxes, CellGrid]:
    """The regions of neighboring cells, after closing gaps of up to two cells: the label of each cell, the box (x, y,
    width and height) and the highest response for each label. Label 0 is for cells in no region."""
    closed = cv2.morphologyEx(mask.view(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    _, components, stats, _ = cv2.connectedComponentsWithStats(closed, ltype=cv2.CV_32S)
    labels, peaks = np.asarray(components, np.int32), np.zeros(len(stats), np.float32)
    np.maximum.at(peaks, labels[closed > 0], response[closed > 0])
    return labels, np.asarray(stats[:, :4]), peaks


def region_boxes(regions: Boxes, shape: tuple[int, ...]) -> Boxes:
    """The boxes around the regions (x, y, width and height in cells) in pixels, with a margin: left, top, right and
    bottom. `shape`: of the image."""
    boxes = regions * TEXTURE_CELL_PX
    boxes[:, 2:] += boxes[:, :2] + REGION_MARGIN_CELLS * TEXTURE_CELL_PX
    boxes[:, :2] -= REGION_MARGIN_CELLS * TEXTURE_CELL_PX
    boxes[:, 1] -= boxes[:, 1] % REGION_ROW_STEP_PX
    height, width = shape
    return np.minimum(np.maximum(boxes, 0), (width, height, width, height))


def find_candidates(texture: NormalizedTexture, codes: Sequence[Code], side_px: float) -> Points:
    """Finds the candidates: spots that have the texture of a code but are on none of `codes`, which have already been
    read. Returns their centers in pixels (n x 2), strongest first. `side_px`: the expected side of a code."""
    side = side_in_cells(side_px)
    response, quads = code_response(texture, side), stack_corners(codes)
    centers = find_peaks(response, side, response_threshold(response, quads))
    return centers[~are_on_codes(centers, quads)][:MAX_CANDIDATES]


def side_in_cells(side_px: float) -> int:
    """The side of the square whose mean texture tells where codes are, in cells. `side_px`: the expected side of a
    code. Codes of nearly the same size share a square, and so their candidates."""
    return max(3, (int(side_px / TEXTURE_CELL_PX) - 1) | 1)


def are_on_codes(points: Points, quads: Quads) -> NDArray[np.bool_]:
    """Whether each of the points (px) lies on the sticker of one of the codes with these corners."""
    if not len(points) or not len(quads):
        return np.zeros(len(points), bool)
    if native.is_enabled():
        return native.are_on_codes(points, quads, STICKER_SIDES)
    centers = centroids(quads)[:, None]
    stickers = (quads - centers) * STICKER_SIDES + centers
    edges, offsets = stickers[:, NEXT_CORNERS] - stickers, points[:, None, None] - stickers
    areas = edges[..., 0] * offsets[..., 1] - edges[..., 1] * offsets[..., 0]
    return np.asarray(np.any(np.all(areas >= 0, 2) | np.all(areas <= 0, 2), 1))


def response_threshold(response: CellGrid, quads: Quads) -> float:
    """The least response of a candidate (see `code_response`): `MIN_TEXTURE`, or more if the codes that were read, with
    these corners, have a high response."""
    if len(quads) < MIN_CODES_FOR_RATIO:
        return MIN_TEXTURE
    last_cell = np.array(response.shape[::-1]) - 1
    columns, rows = np.minimum(np.maximum(centroids(quads) // TEXTURE_CELL_PX, 0), last_cell).astype(int).T
    at_codes: list[float] = response[rows, columns].tolist()
    return max(MIN_TEXTURE, MIN_TEXTURE_RATIO * median(at_codes))


def code_response(texture: NormalizedTexture, side: int) -> CellGrid:
    """How much each cell looks like the center of a code. This is the mean texture in a square as large as a code
    (`side` cells wide), reduced if the texture there is stronger in some directions than in others.

    A mean has a flat maximum, so the result is blurred with a Gaussian to get a single peak.
    """
    response = mean_response(texture, side)
    return np.asarray(cv2.GaussianBlur(response, (0, 0), side / 4, borderType=cv2.BORDER_CONSTANT), np.float32)


def mean_response(texture: NormalizedTexture, side: int, min_isotropy: float = MIN_ISOTROPY) -> CellGrid:
    """The same as `code_response`, but not blurred. `min_isotropy`: where it falls to zero."""
    if native.is_enabled():
        return native.mean_response(texture, side, min_isotropy)
    mean = [cv2.blur(each, (side, side), borderType=cv2.BORDER_CONSTANT) for each in texture]
    least = np.minimum(isotropy(*mean[:2]), isotropy(*mean[2:]))
    return np.asarray((mean[0] + mean[1]) * np.maximum(least - min_isotropy, 0) / (1 - min_isotropy), np.float32)


def isotropy(a: CellGrid, b: CellGrid) -> CellGrid:
    """How similar the textures of each cell in two directions are, from 0 to 1: the smaller one divided by the mean of
    both."""
    return np.asarray(2 * np.minimum(a, b) / np.maximum(a + b, 1e-3))


def find_peaks(response: CellGrid, side: int, threshold: float) -> Points:
    """Finds the local maxima of the response that are above `threshold`. Returns their pixel coordinates (n x 2),
    strongest first, interpolated between the cells.

    A local maximum is the highest response in a square around it that is half as wide as a code. `side` is the width of
    a code in cells. If the square were larger, a code beside small print would be lost.
    """
    width = max(3, side // 2 | 1)
    if native.is_enabled():
        heights, places = native.find_peaks(response, width, threshold)
    else:
        neighborhood = cv2.dilate(response, np.ones((width, width), np.uint8))
        rows, columns = np.nonzero((response >= neighborhood) & (response > threshold))
        x = columns + vertex_offset(response, rows, columns, 0, 1)
        y = rows + vertex_offset(response, rows, columns, 1, 0)
        heights, places = response[rows, columns], np.stack([x, y], 1)
    order = np.argsort(-heights, kind="stable")
    return np.asarray(places[order] * TEXTURE_CELL_PX + (TEXTURE_CELL_PX - 1) / 2, float)


def vertex_offset(response: CellGrid, rows: Cells, columns: Cells, down: int, across: int) -> CellGrid:
    """The offset in cells from each peak to the vertex of the parabola through the peak and its two neighbors in one
    direction. This correction halves the error in the position of a small code. At the edge of the grid, both neighbors
    are the inner one."""
    height, width = response.shape
    before, after = (
        response[mirrored(rows + sign * down, height), mirrored(columns + sign * across, width)] for sign in (-1, 1)
    )
    return np.asarray((after - before) / np.maximum(2 * (2 * response[rows, columns] - before - after), 1e-3))


def mirrored(index: Cells, size: int) -> Cells:
    """The indexes, of which those one beyond the edge are replaced by those one before it."""
    inside = np.abs(index)
    return np.asarray(np.minimum(inside, max(2 * size - 2, 0) - inside))
