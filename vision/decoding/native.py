"""The parts of reading codes and of detecting changes that are also written in C (native_*.c), for machines where the
extension could be compiled.

Each function does the same as the numpy code in the function that calls it. That code says what is computed, and runs
where there is no extension. `tests/test_vision_native.py` compares both.

Law: no I/O, no clock.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from vision.geometry import CellGrid, CellMask, Frame, GrayImage

Array = NDArray[Any]
Model = tuple[Array, Array, Array, Array, Array | None]
"""The fields of a `templates.AlignmentModel`."""

INT16_MAX = 32767


def _load_extension() -> tuple[Any, Any]:
    """The extension's `ffi` and `lib`; None for both if it is not installed."""
    try:
        from vision.decoding._native import ffi, lib
    except ImportError:
        return None, None
    return ffi, lib


_ffi, _lib = _load_extension()
_enabled = _lib is not None


def is_compiled() -> bool:
    """Whether the extension is installed."""
    return _lib is not None


def is_enabled() -> bool:
    """Whether the functions of this module can be called."""
    return _enabled


def enable(*, enabled: bool) -> None:
    """Switches between the extension, if there is one, and numpy. For tests and measurements."""
    global _enabled
    _enabled = enabled and is_compiled()


def measure_texture(gray: GrayImage, rows: int, columns: int, min_hidden_ratio: int) -> Array:
    """See `candidate_regions.measure_texture`. `rows`, `columns`: multiples of 8, at most those of the image."""
    gray, texture = _packed(gray), np.empty((4, rows // 8, columns // 8), np.uint8)
    if rows > gray.shape[0] or columns > gray.shape[1]:
        raise ValueError("the image is smaller than that")
    scratch, between = np.empty(2 * columns, np.uint16), np.empty(columns // 8, np.uint8)
    _lib.tk_measure_texture(
        *_image(gray)[:3],
        rows,
        columns,
        min_hidden_ratio,
        _pointer("uint16_t[]", scratch, np.uint16),
        _bytes(between),
        _bytes(texture),
    )
    return texture


def normalize_texture(gray: GrayImage, texture: Array, one_in: int, min_brightness: int) -> Array:
    """See `candidate_regions.normalize_texture`. `one_in`, `min_brightness`: the constants BACKGROUND_ONE_IN and
    MIN_BRIGHTNESS there."""
    gray, (_, rows, columns) = _packed(gray), texture.shape
    if len(texture) != 4 or rows > gray.shape[0] // 8 or columns > gray.shape[1] // 8 or one_in < 2:
        raise ValueError("the texture of this image is needed")
    normalized, scratch = np.empty(texture.shape, np.float32), np.empty(8 * columns, np.uint16)
    brightness, factors = np.empty((4, columns + 2), np.uint8), np.empty(columns, np.float32)
    _lib.tk_normalize_texture(
        *_image(gray)[:2],
        _bytes(texture),
        rows,
        columns,
        one_in,
        min_brightness,
        _pointer("uint16_t[]", scratch, np.uint16),
        _bytes(brightness),
        _floats(factors),
        _floats(normalized),
    )
    return normalized


def find_peaks(response: CellGrid, width: int, threshold: float) -> tuple[Array, Array]:
    """See `candidate_regions.find_peaks`: the response of each peak, in order of their rows, and its place in cells (x
    and y). `width`: of the square, odd."""
    if response.ndim != 2 or width < 1 or width % 2 == 0:
        raise ValueError("a grid and an odd width are needed")
    peaks, places = np.empty(response.size, np.int32), np.empty((response.size, 2), np.float32)
    count = _lib.tk_find_peaks(
        _floats(response), *response.shape, width, threshold, _pointer("int[]", peaks, np.int32), _floats(places)
    )
    return response.ravel()[peaks[:count]], places[:count]


def mean_response(texture: Array, side: int, min_isotropy: float) -> CellGrid:
    """See `candidate_regions.mean_response`. `side`: odd."""
    if texture.ndim != 3 or len(texture) != 4 or side < 1 or side % 2 == 0:
        raise ValueError("the texture of four directions and an odd side are needed")
    _, rows, columns = texture.shape
    response, scratch = np.empty((rows, columns), np.float32), np.empty((5, columns + side), np.float32)
    _lib.tk_mean_response(_floats(texture), rows, columns, side, min_isotropy, _floats(scratch), _floats(response))
    return response


def find_regions(response: CellGrid, low: float, high: float, ratio: float, min_cells: int) -> Array:
    """See `candidate_regions.connected_regions`. `low`, `high`, `min_cells`: the constants MIN_REGION_TEXTURE,
    MIN_PEAK_REGION_TEXTURE and MIN_REGION_CELLS there."""
    if response.ndim != 2:
        raise ValueError("a grid is needed")
    rows, columns = response.shape
    room = rows * (columns // 2 + 1)
    masks, runs = np.empty((3, rows, columns), np.uint8), np.empty((room, _lib.tk_run_size() // 4), np.int32)
    boxes = np.empty((room, 4), np.int32)
    count = _lib.tk_find_regions(
        _floats(response),
        rows,
        columns,
        low,
        high,
        ratio,
        min_cells,
        _bytes(masks),
        _pointer("int[]", runs, np.int32),
        _pointer("int[]", boxes, np.int32),
    )
    return boxes[:count]


def measure_quads(quads: Array, modules: int) -> Array:
    """The centroid (x, y), the mean edge length and the module scale (xx, xy, yy) of each quadrilateral: n x 6. See
    `geometry.centroids`, `geometry.mean_side_lengths` and `module_size_field.scale_components`."""
    _check_shapes((quads, (len(quads), 4, 2)))
    measures = np.empty((len(quads), 6))
    _lib.tk_measure_quads(_doubles(quads), len(quads), modules, _doubles(measures))
    return measures


def find_duplicates(quads: Array, known: list[bool], limits: tuple[float, float, float, float]) -> list[bool]:
    """Which codes `decoded_codes.remove_duplicates` keeps, best first. `known`: whether each code is known. `limits`:
    the constants MIN_EDGE_PX, MAX_EDGE_RATIO, MAX_OVERLAP_DISTANCE_SIDES and MAX_DUPLICATE_SIZE_RATIO there."""
    is_known, keep = np.array(known, np.uint8), np.empty(len(quads), np.uint8)
    _check_shapes((quads, (len(known), 4, 2)))
    _lib.tk_find_duplicates(
        _doubles(quads),
        _bytes(is_known),
        _doubles(measure_quads(quads, 1)),
        len(quads),
        *limits,
        _bytes(keep),
    )
    return list(keep.astype(bool).tolist())


def are_on_codes(points: Array, quads: Array, sticker_sides: float) -> Array:
    """See `candidate_regions.are_on_codes`. `sticker_sides`: the constant STICKER_SIDES there."""
    _check_shapes((points, (len(points), 2)), (quads, (len(quads), 4, 2)))
    are_on = np.empty(len(points), bool)
    _lib.tk_are_on_codes(
        _doubles(points), len(points), _doubles(quads), len(quads), sticker_sides, _bytes(are_on.view(np.uint8))
    )
    return are_on


def rectify_patches(gray: GrayImage, to_px: Array, side: int) -> Array:
    """See `coarse_match.rectify_patches`. `to_px`: n x 2 x 3, from half samples to pixels."""
    gray = _packed(gray)
    _check_shapes((to_px, (len(to_px), 2, 3)))
    if not 1 <= side <= _lib.MAX_PATCH_SIDE:
        raise ValueError("smaller patches are needed")
    patches = np.empty((len(to_px), side, side), np.float32)
    matrices = np.ascontiguousarray(to_px, np.float32)
    _lib.tk_rectify_patches(*_image(gray), _floats(matrices), len(to_px), side, _floats(patches))
    return patches


def find_coarse_poses(
    gray: GrayImage,
    places: tuple[Array, Array],
    search: tuple[int, float],
    templates: tuple[Array, Array, tuple[float, ...]],
    limits: tuple[float, float, float, int],
) -> tuple[Array, Array]:
    """See `coarse_match.find_coarse_poses`. `places`: the centers of the candidates and their module scales. `search`:
    the radius in samples, and the distance between samples in modules. `templates`: what `coarse_match.template_pairs`
    returns; three orthonormal polynomials along a side of a template (3 x samples); the sizes of the templates.
    `limits`: the constants NOISE_NORM, MIN_COARSE_CORRELATION, MIN_SCORE_RATIO and MAX_POSES_PER_CANDIDATE of that
    module."""
    (centers, module_scales), (radius, step), (pairs, axis, sizes) = places, search, templates
    gray, count, side, max_poses = _packed(gray), len(centers), axis.shape[1], limits[-1]
    pair_count = pairs.shape[1] * 6
    _check_shapes((centers, (count, 2)), (module_scales, (count, 2, 2)), (axis, (3, side)))
    _check_shapes((pairs, (len(pairs), pair_count // 6, (side**2 + 1) // 2, 6, 2)))
    positions = 2 * radius + 1
    if not 1 <= positions <= 2 * _lib.LANES or not 7 <= side + 2 * radius <= _lib.MAX_PATCH_SIDE or side % 2 == 0:
        raise ValueError("a smaller radius is needed")
    if not pair_count or pair_count % (2 * len(sizes)):
        raise ValueError("another number of templates is needed")
    area = positions * 2 * _lib.LANES
    scratch = np.empty((2 * pair_count + 5) * area, np.float32)
    choices, peaks = np.empty(4 * area, np.int32), np.empty(max_poses * 4, np.int32)
    poses, candidates = np.empty((count * max_poses, 3, 3)), np.empty(count * max_poses, np.int64)
    found = _lib.tk_find_coarse_poses(
        *_image(gray),
        _doubles(centers),
        _doubles(module_scales),
        count,
        radius,
        step,
        _floats(pairs),
        _floats(axis),
        len(pairs),
        side,
        pair_count // 2,
        _doubles(np.array(sizes)),
        len(sizes),
        *limits,
        _floats(scratch),
        _pointer("int[]", choices, np.int32),
        _pointer("int[]", peaks, np.int32),
        _doubles(poses),
        _pointer("int64_t[]", candidates, np.int64),
    )
    return poses[:found], candidates[:found]


def sum_edge_directions(patches: Array) -> Array:
    """See `coarse_match.sum_edge_directions`."""
    count, side = _square_patches(patches)
    sums = np.empty((count, 2), np.float32)
    _lib.tk_sum_edge_directions(_floats(patches), count, side, _floats(sums))
    return sums


def sample_codes(
    gray: GrayImage, poses: Array, sampling: tuple[Array, Array], *, is_unit: bool, step: int = 1
) -> Array:
    """Every `step`-th sample of the code in each pose, see `pose_refinement.sample_modules`. `is_unit`: without their
    shading, and with a norm of 1. `sampling`: the coordinates of the samples (2 x samples) and the shading basis (6 x
    samples)."""
    gray, (grid, shading) = _packed(gray), sampling
    _check_shapes((poses, (len(poses), 3, 3)), (grid, (2, _lib.SAMPLES)), (shading, (_lib.SHADING_TERMS, _lib.SAMPLES)))
    if step < 1:
        raise ValueError("a positive step is needed")
    samples = np.empty((len(poses), -(-_lib.SAMPLES // step)), np.float32)
    _lib.tk_sample_codes(
        *_image(gray),
        _doubles(poses),
        len(poses),
        _floats(grid),
        _floats(shading),
        is_unit,
        step,
        _floats(samples),
    )
    return samples


def refine_poses(
    gray: GrayImage, poses: Array, iterations: int, model: Model, grid: Array, limits: tuple[Array, float, float]
) -> Array:
    """The poses after some iterations with one alignment model, see `pose_refinement.refine_poses`. `grid`: the
    coordinates of the samples (2 x samples). `limits`: the constants MAX_UPDATE, MIN_HUBER_CONTRAST and MIN_DIVISOR of
    that module."""
    gray, refined = _packed(gray), np.array(poses, np.float64)
    _check_shapes((refined, (len(refined), 3, 3)))
    fields = _model_fields(model, len(refined), grid, limits)
    _lib.tk_refine_poses(*_image(gray), _doubles(refined), len(refined), iterations, *fields)
    return refined


def refine_quads(
    gray: GrayImage, quads: Array, iterations: int, model: Model, grid: Array, limits: tuple[Array, float, float]
) -> Array:
    """The corners of codes (n x 4 x 2) after some iterations with the code's own model. The other parameters are those
    of `refine_poses`."""
    gray, refined = _packed(gray), np.empty((len(quads), 4, 2))
    _check_shapes((quads, (len(quads), 4, 2)))
    if model[-1] is None:
        raise ValueError("the index of each code is needed")
    fields = _model_fields(model, len(quads), grid, limits)
    _lib.tk_refine_quads(
        *_image(gray), _doubles(quads), len(quads), _lib.MODULES, iterations, *fields, _doubles(refined)
    )
    return refined


def _model_fields(model: Model, count: int, grid: Array, limits: tuple[Array, float, float]) -> tuple[Any, ...]:
    """The arguments for an alignment model and `count` poses, see `refine_poses`."""
    inverse, template, weights, tolerance, which = model
    max_update, min_contrast, min_divisor = limits
    models = () if which is None else (len(inverse),)
    _check_shapes(
        (inverse, (*models, _lib.PARAMETERS, _lib.PARAMETERS)),
        (template, (*models, 3, _lib.SAMPLES)),
        (weights, (_lib.SAMPLES,)),
        (tolerance, (_lib.SAMPLES,)),
        (grid, (2, _lib.SAMPLES)),
        (max_update, (8,)),
    )
    index = _ffi.NULL if which is None else _indexes(which, count, len(inverse))
    arrays = (_floats(array) for array in (inverse, template, weights, tolerance))
    return (*arrays, index, _floats(grid), _doubles(max_update), min_contrast, min_divisor)


def identify(samples: Array, templates: Array, scale: int) -> tuple[Array, Array]:
    """See `template_match.identify`: the index of the code for each row of samples, and the correlation. `templates`:
    codes x samples, with a norm of `scale` in each row."""
    known_codes, size = templates.shape
    _check_shapes((samples, (len(samples), size)))
    if not known_codes or not 0 < scale <= INT16_MAX:
        raise ValueError("templates are needed, and a smaller scale")
    codes, scores = np.zeros(len(samples), np.int64), np.empty(len(samples), np.float32)
    _lib.tk_identify(
        _floats(samples),
        len(samples),
        size,
        _pointer("int16_t[]", templates, np.int16),
        known_codes,
        scale,
        _pointer("int16_t[]", np.empty((len(samples) + 3, size), np.int16), np.int16),
        _pointer("int64_t[]", codes, np.int64),
        _floats(scores),
    )
    return codes, scores


def module_votes(
    samples: Array,
    codes: Array,
    bank: tuple[Array, Array, Array],
    filters: tuple[Array, Array, Array],
    limits: tuple[int, float, float, float],
) -> Array:
    """See `template_match.module_votes`. `bank`: the templates, the unit templates and the modules of the known codes.
    `filters`: the shading basis (6 x samples), and what `template_match.padded_kernels` returns.
    `limits`: the constants ROBUST_ITERATIONS, MAX_RESIDUAL, MIN_CONTRAST and MIN_CORRELATION of that module."""
    (templates, unit_templates, modules), (shading, kernels, norms) = bank, filters
    blurs, known_codes = templates.shape[:2]
    _check_shapes(
        (samples, (len(codes), _lib.SAMPLES)),
        *((each, (blurs, known_codes, _lib.SAMPLES)) for each in (templates, unit_templates)),
        (modules, (known_codes, _lib.MODULES, _lib.MODULES)),
        (shading, (_lib.SHADING_TERMS, _lib.SAMPLES)),
        (kernels, (blurs, 2, _lib.GRID, _lib.ROW)),
        (norms, (blurs, _lib.MODULES)),
    )
    votes = np.empty((len(samples), _lib.MODULES, _lib.MODULES), np.float32)
    _lib.tk_module_votes(
        _floats(samples),
        _indexes(codes, len(samples), known_codes),
        len(samples),
        _floats(templates),
        _floats(unit_templates),
        _floats(modules),
        blurs,
        known_codes,
        _floats(shading),
        _floats(kernels),
        _floats(norms),
        *limits,
        _floats(votes),
    )
    return votes


def reduce(frame: Frame, rows: int, columns: int) -> GrayImage:
    """See `reduced_image.reduce`. The image is BGR. `rows`, `columns`: of the reduced image."""
    if 4 * rows > frame.shape[0] or 4 * columns > frame.shape[1]:
        raise ValueError("the image is smaller than that")
    if frame.dtype != np.uint8 or frame.shape[2:] != (3,):
        raise ValueError("a BGR image is needed")
    frame = frame if frame[:1].flags.c_contiguous else np.ascontiguousarray(frame)
    reduced, scratch = np.empty((rows, columns), np.uint8), np.empty(24 * columns, np.uint16)
    _lib.tk_reduce(
        *_image(frame)[:2],
        rows,
        columns,
        _pointer("uint16_t[]", scratch, np.uint16),
        _bytes(reduced),
    )
    return reduced


def cell_features(reduced: GrayImage) -> CellGrid:
    """See `reduced_image.cell_features`."""
    rows, columns = (n // 4 for n in reduced.shape)
    _check_shapes((reduced, (4 * rows, 4 * columns)))
    features, scratch = np.empty((2, rows, columns), np.float32), np.empty(8 * columns, np.uint16)
    _lib.tk_cell_features(_bytes(reduced), rows, columns, _pointer("uint16_t[]", scratch, np.uint16), _floats(features))
    return features


def compare_cells(
    features: CellGrid,
    background: CellGrid,
    last: CellGrid,
    noise: CellGrid,
    overexposed: CellMask,
    usual_noise: float,
    limits: tuple[float, float, float],
) -> tuple[CellGrid, CellGrid, int]:
    """See `change_detection.compare_cells`. `limits`: the constants MOTION_NOISE_RATIO, MIN_MOTION_THRESHOLD and
    MAX_MOTION_THRESHOLD there."""
    shape = noise.shape
    _check_shapes(*((each, (2, *shape)) for each in (features, background, last)), (overexposed, shape))
    threshold, motion = np.empty((2, *shape), np.float32)
    changes = _lib.tk_compare_cells(
        *map(_floats, (features, background, last, noise)),
        _bytes(overexposed.view(np.uint8)),
        noise.size,
        usual_noise,
        *limits,
        _floats(threshold),
        _floats(motion),
    )
    return threshold, motion, changes


def update_cells(
    state: tuple[CellGrid, CellGrid, CellGrid],
    features: CellGrid,
    motion: CellGrid,
    threshold: CellGrid,
    overexposed: CellMask,
    t: float,
    rates: tuple[float, float, float],
) -> tuple[CellMask, CellMask, CellMask, CellGrid]:
    """See `change_detection.update_cells`: the masks of the moving, calm and changed cells, and for how many seconds
    each has been calm. `rates`: the constants CHANGE_RATIO, NOISE_LEARNING_RATE and BACKGROUND_LEARNING_RATE there."""
    background, noise, last_motion = state
    rows, columns = shape = noise.shape
    _check_shapes((background, (2, *shape)), (features, (2, *shape)))
    _check_shapes(*((each, shape) for each in (last_motion, motion, threshold, overexposed)))
    masks, seconds = np.empty((3, *shape), bool), np.empty(shape, np.float32)
    _lib.tk_update_cells(
        *map(_floats, (background, noise, last_motion, features, motion, threshold)),
        _bytes(overexposed.view(np.uint8)),
        rows,
        columns,
        t,
        *rates,
        _bytes(np.empty((2, rows + 2, columns + 2), np.uint8)),
        _bytes(masks.view(np.uint8)),
        _floats(seconds),
    )
    moving, calm, changed = masks
    return moving, calm, changed, seconds


def _packed(gray: GrayImage) -> GrayImage:
    """The image, whose columns are neighbors in memory; a copy if they are not. Raises ValueError if it is empty or no
    gray image."""
    if gray.dtype != np.uint8 or gray.ndim != 2 or not gray.size:
        raise ValueError("a gray image is needed")
    return gray if gray.strides[1] == 1 else np.ascontiguousarray(gray)


def _image(frame: Frame) -> tuple[Any, int, int, int]:
    """The pixels of a packed image, for a call: their address, the distance between rows in bytes, height and width.
    The image may be a part of a larger one. The caller keeps it during the call."""
    return _ffi.cast("uint8_t *", frame.ctypes.data), frame.strides[0], *frame.shape[:2]


def _square_patches(patches: Array) -> tuple[int, int]:
    """The number of patches and their side. Raises ValueError if they are not n x side x side, or too small."""
    if patches.ndim != 3 or patches.shape[1] != patches.shape[2] or patches.shape[1] < 7:
        raise ValueError("square patches are needed")
    return patches.shape[0], patches.shape[1]


def _check_shapes(*arrays: tuple[Array, tuple[int, ...]]) -> None:
    """Raises ValueError if an array has another shape than the one beside it."""
    for array, shape in arrays:
        if array.shape != shape:
            raise ValueError(f"an array of {shape} is needed, not of {array.shape}")


def _indexes(indexes: Array, count: int, size: int) -> Any:
    """A pointer to `count` indexes into an array of `size` elements."""
    _check_shapes((indexes, (count,)))
    if count and not 0 <= int(indexes.min()) <= int(indexes.max()) < size:
        raise ValueError("there is no such code")
    return _pointer("int64_t[]", np.ascontiguousarray(indexes, np.int64), np.int64)


def _floats(array: Array) -> Any:
    """A pointer to the elements of an array of 32-bit floats, which keeps the array."""
    return _pointer("float[]", array, np.float32)


def _bytes(array: Array) -> Any:
    """A pointer to the elements of an array of bytes, which keeps the array."""
    return _pointer("uint8_t[]", array, np.uint8)


def _doubles(array: Array) -> Any:
    """A pointer to the elements of an array as 64-bit floats without gaps, which keeps the array or its copy."""
    return _pointer("double[]", np.ascontiguousarray(array, np.float64), np.float64)


def _pointer(kind: str, array: Array, dtype: type[np.generic]) -> Any:
    """A pointer to the elements of an array, which keeps the array. Raises ValueError if the array has another type or
    has gaps."""
    if array.dtype != dtype or not array.flags.c_contiguous:
        raise ValueError(f"an array of {np.dtype(dtype)} without gaps is needed")
    return _ffi.from_buffer(kind, array)
