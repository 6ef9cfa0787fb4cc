"""The C extension computes the same as the numpy code that it stands in for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, TypeVar

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.commands.bench_vision import table_image
from vision.decoded_codes import Code
from vision.decoding import coarse_match, native, pose_refinement, template_match
from vision.decoding.candidate_regions import (
    MIN_PEAK_REGION_TEXTURE,
    MIN_REGION_CELLS,
    MIN_REGION_TEXTURE,
    REGION_EDGE_RATIO,
    are_on_codes,
    code_response,
    connected_regions,
    find_peaks,
    mean_response,
    measure_texture,
    normalize_texture,
)
from vision.decoding.decoder import read_codes, remove_duplicates
from vision.decoding.module_size_field import (
    MEDIUM_SCALES,
    NARROW_SCALES,
    WIDE_SCALES,
    measure_quads,
    uniform_field,
)
from vision.decoding.pose_refinement import Poses, poses_from_corners, project_corners, refine_poses, sample_modules
from vision.decoding.templates import SAMPLE_COUNT, TemplateBank, build_template_bank
from vision.geometry import GrayImage
from vision.known_codes import known_codes
from vision.tracking.change_detection import compare_cells, update_cells
from vision.tracking.reduced_image import cell_features, reduce

Result = TypeVar("Result")

KNOWN = known_codes()
IDS = sorted(KNOWN)[:24]

pytestmark = pytest.mark.skipif(
    not native.is_compiled(),
    reason="the C extension is not built: it needs gcc and Python.h when Tablekeeper is installed",
)


@pytest.fixture(autouse=True)
def extension() -> Iterator[None]:
    """The extension is in use after each test, as it was before."""
    yield
    native.enable(enabled=True)


@pytest.fixture(scope="module")
def bank() -> TemplateBank:
    return build_template_bank(KNOWN)


def both(compute: Callable[[], Result]) -> tuple[Result, Result]:
    """What `compute` returns with the extension, and with numpy alone."""
    results = []
    for enabled in (True, False):
        native.enable(enabled=enabled)
        assert native.is_enabled() == enabled
        results.append(compute())
    return results[0], results[1]


def random_image(rng: np.random.Generator, height: int, width: int) -> GrayImage:
    """Blurred noise, which has edges in all directions."""
    noise = cv2.GaussianBlur(rng.normal(0, 1, (height, width)), (0, 0), 1.2)
    return np.asarray(np.clip(128 + 90 * noise / noise.std(), 0, 255), np.uint8)


def rendered_image() -> GrayImage:
    return table_image(IDS, 2.0)


def some_poses(bank: TemplateBank) -> tuple[Poses, NDArray[np.int64]]:
    """The poses of the codes in `rendered_image`, slightly off, and which codes they are."""
    codes = [code for code in read_codes(rendered_image(), KNOWN) if code.id]
    rng = np.random.default_rng(5)
    poses = poses_from_corners([code.corners + rng.normal(0, 0.4, (4, 2)) for code in codes])
    return poses, np.array([bank.index_of[code.id or ""] for code in codes])


@pytest.mark.parametrize("shape", [(8, 8), (9, 24), (41, 64), (96, 136), (203, 317)])
def test_texture(shape: tuple[int, int]) -> None:
    """The texture is the same to the bit, also in a part of an image and in an image whose columns are not neighbors in
    memory."""
    image = random_image(np.random.default_rng(sum(shape)), shape[0] + 3, 2 * shape[1] + 5)
    for part in (image[: shape[0], : shape[1]], image[3:, 5 : 5 + shape[1]], image[: shape[0], : 2 * shape[1] : 2]):
        ours, reference = both(lambda part=part: measure_texture(part))  # type: ignore[misc]
        np.testing.assert_array_equal(ours, reference)


@pytest.mark.parametrize("side", [3, 5, 11, 41])
def test_response(side: int) -> None:
    """The response is the same, even if the square of a code is larger than the grid."""
    for image in (rendered_image(), random_image(np.random.default_rng(side), 131, 90)):
        texture = normalize_texture(image, measure_texture(image))
        for function in (mean_response, code_response):
            ours, reference = both(lambda function=function, texture=texture: function(texture, side))  # type: ignore[misc]
            np.testing.assert_allclose(ours, reference, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("shape", [(8, 8), (9, 24), (96, 136), (203, 317)])
def test_normalized_texture(shape: tuple[int, int]) -> None:
    """The texture relative to the brightness is the same."""
    image = random_image(np.random.default_rng(sum(shape)), *shape)
    image[: shape[0] // 2] //= 3
    texture = measure_texture(image)
    ours, reference = both(lambda: normalize_texture(image, texture))
    np.testing.assert_allclose(ours, reference, rtol=1e-6)


@pytest.mark.parametrize("shape", [(1, 1), (1, 30), (30, 1), (17, 23), (40, 64)])
def test_peaks_of_texture(shape: tuple[int, int]) -> None:
    """The peaks are the same, also at the edge and where the response is the same all over."""
    rng = np.random.default_rng(sum(shape))
    for response in (cv2.GaussianBlur(rng.uniform(0, 99, shape), (0, 0), 1.0), np.full(shape, 9.0)):
        grid = np.asarray(response, np.float32).reshape(shape)
        for side in (3, 7, 11):
            ours, reference = both(lambda grid=grid, side=side: find_peaks(grid, side, 8.0))  # type: ignore[misc]
            np.testing.assert_allclose(ours, reference, atol=0.01)


def test_regions() -> None:
    """The regions are the same in random grids of any shape, and of any density."""
    rng = np.random.default_rng(4)
    for _ in range(300):
        noise = cv2.GaussianBlur(rng.normal(0, 1, rng.integers(1, 40, 2)), (0, 0), rng.uniform(0.3, 3))
        grid = np.asarray(noise / max(noise.std(), 1e-6) * 8 + rng.uniform(0, 15), np.float32)
        grid = grid.reshape(noise.shape if noise.ndim == 2 else (-1, 1))
        limits = MIN_REGION_TEXTURE, MIN_PEAK_REGION_TEXTURE, REGION_EDGE_RATIO, MIN_REGION_CELLS
        assert sorted(native.find_regions(grid, *limits).tolist()) == sorted(connected_regions(grid).tolist())


def test_points_on_codes() -> None:
    """The points that lie on the sticker of a code are the same."""
    rng = np.random.default_rng(7)
    square = np.array([[-20, -20], [20, -20], [20, 20], [-20, 20]])
    for count in (1, 5):
        quads = rng.uniform(0, 200, (count, 1, 2)) + square + rng.normal(0, 4, (count, 4, 2))
        points = rng.uniform(0, 200, (500, 2))
        ours, reference = both(lambda quads=quads, points=points: are_on_codes(points, quads))  # type: ignore[misc]
        np.testing.assert_array_equal(ours, reference)
        assert 0.05 < ours.mean() < 0.9


def test_shapes_of_codes() -> None:
    """The size and the scale of codes are the same, and so are the duplicates that are removed."""
    rng = np.random.default_rng(6)
    square = np.array([[-20, -20], [20, -20], [20, 20], [-20, 20]])
    for _ in range(100):
        count = int(rng.integers(1, 12))
        quads = rng.uniform(0, 200, (count, 1, 2)) + square * rng.uniform(0.2, 1.5, (count, 1, 1))
        quads += rng.normal(0, 4, quads.shape)
        codes = [Code(str(n) if rng.random() < 0.5 else None, str(n), quad) for n, quad in enumerate(quads)]
        ours, reference = both(lambda codes=codes: [code.text for code in remove_duplicates(codes)])  # type: ignore[misc]
        assert ours == reference
        fields = both(lambda quads=quads: measure_quads(quads))  # type: ignore[misc]
        for field, expected in zip(*fields, strict=True):
            np.testing.assert_allclose(field, expected, rtol=1e-9)


@pytest.mark.parametrize("side", [23, 31])
def test_edge_directions(side: int) -> None:
    """The dominant edge directions are the same."""
    rng = np.random.default_rng(side)
    patches = np.stack([random_image(rng, side, side) for _ in range(5)]).astype(np.float32)
    patches[3] = 100  # a plain patch
    ours, reference = both(lambda: coarse_match.sum_edge_directions(patches))
    np.testing.assert_allclose(ours, reference, rtol=1e-4, atol=1e-4 * np.abs(reference).max())


@pytest.mark.parametrize("scales", [NARROW_SCALES, MEDIUM_SCALES, WIDE_SCALES])
@pytest.mark.parametrize("module_px", [1.25, 2.0, 4.0])
def test_coarse_poses(bank: TemplateBank, scales: tuple[float, ...], module_px: float) -> None:
    """Nearly all coarse poses are the same. OpenCV rounds the samples to gray levels and the extension does not, so
    another of two poses that match equally well may be the best."""
    image, rng = table_image(IDS, module_px), np.random.default_rng(8)
    centers = np.array([code.center for code in read_codes(image, KNOWN) if code.id])
    centers = np.vstack([centers + rng.normal(0, 3, centers.shape), [[0, 0], [1919, 1079], [700, -40]]])
    module_scales = uniform_field(module_px * 1.03).module_scales(centers)
    (ours, candidate), (reference, expected) = both(
        lambda: coarse_match.find_coarse_poses(image, centers, module_scales, bank, scales)
    )
    same = [
        np.abs(pose - reference[expected == index]).max((1, 2), initial=0).min(initial=np.inf) < 1e-6
        for pose, index in zip(ours, candidate, strict=True)
    ]
    assert len(same) > 20
    assert np.mean(same) > 0.9
    assert abs(len(ours) - len(reference)) <= 0.05 * len(reference)


def test_coarse_poses_of_impossible_places(bank: TemplateBank) -> None:
    """Numbers that are infinite or no numbers read only pixels of the image."""
    for value in (np.nan, np.inf, -np.inf, 1e30):
        for shape in ((1, 1), (40, 40)):
            image = np.full(shape, 7, np.uint8)
            for centers, size in (([[value, 3]], 2.0), ([[3, 3]], value)):
                scales = np.full((1, 2, 2), size)
                native.rectify_patches(image, np.full((1, 2, 3), size, np.float32), 31)
                pairs = coarse_match.template_pairs(bank, NARROW_SCALES), coarse_match.axis_polynomials(), NARROW_SCALES
                places = np.array(centers, float), scales
                native.find_coarse_poses(image, places, (7, 1.5), pairs, (68.0, 0.33, 0.8, 4))


def test_rectified_patches() -> None:
    """The samples around a candidate differ by little more than what OpenCV rounds."""
    image = random_image(np.random.default_rng(2), 200, 300)
    centers = np.array([[100.0, 80.0], [5.0, 190.0], [290.3, 10.7]])
    module_scales = np.array([[[2.0, 0.2], [0.2, 1.7]]] * 3)
    ours, reference = both(lambda: coarse_match.rectify_patches(image, centers, module_scales, 5))
    assert np.abs(ours - reference).max() < 4
    assert np.abs(ours - reference).mean() < 0.6


@pytest.mark.parametrize("step", [1, 2])
def test_unit_samples(bank: TemplateBank, step: int) -> None:
    """The samples that are compared with all codes are nearly the same."""
    gray, (poses, codes) = rendered_image(), some_poses(bank)
    ours, reference = both(lambda: pose_refinement.sample_unit_modules(gray, poses, step))
    np.testing.assert_allclose(np.linalg.norm(ours, axis=1), 1, rtol=1e-5)
    assert ((ours * reference).sum(1) > 0.9999).all()
    (found, scores), (expected, expected_scores) = both(
        lambda: template_match.identify(gray, poses, bank, is_sparse=step == 2)
    )
    np.testing.assert_array_equal(found, codes)
    np.testing.assert_array_equal(expected, codes)
    np.testing.assert_allclose(scores, expected_scores, atol=0.01)


@pytest.mark.parametrize("own_model", [False, True])
def test_refined_poses(bank: TemplateBank, own_model: bool) -> None:
    """The corners of refined poses are the same to a fiftieth of a pixel. OpenCV rounds the samples to gray levels, the
    extension does not."""
    gray, (poses, codes) = rendered_image(), some_poses(bank)
    models = (bank.models_of(codes),) * 3 if own_model else bank.common_models
    ours, reference = both(lambda: project_corners(refine_poses(gray, poses, models)))
    assert len(ours) > 20
    np.testing.assert_allclose(ours, reference, atol=0.02)
    if own_model:
        quads = project_corners(poses)
        ours, reference = both(lambda: pose_refinement.refine_quads(gray, quads, bank.models_of(codes), 2))
        np.testing.assert_allclose(ours, reference, atol=0.02)


def test_poses_outside_of_the_image(bank: TemplateBank) -> None:
    """A pose may lie at the edge of an image or outside of it, where the samples repeat the pixels of the edge. Even a
    degenerate pose reads only pixels of the image."""
    gray, (poses, _) = rendered_image(), some_poses(bank)
    small = np.ascontiguousarray(gray[100:160, 130:190])
    poses = poses.copy()
    poses[:, :2] -= np.array([[[160.0], [130.0]]]) * poses[:, 2:]
    ours, reference = both(lambda: project_corners(refine_poses(small, poses[:3], bank.common_models[:1])))
    np.testing.assert_allclose(ours, reference, atol=0.2)
    native.enable(enabled=True)
    for broken in (np.zeros((1, 3, 3)), np.full((1, 3, 3), np.nan), np.full((1, 3, 3), 1e300)):
        refine_poses(small, broken, bank.common_models)
        refine_poses(np.zeros((1, 1), np.uint8), broken, bank.common_models)


def test_module_votes(bank: TemplateBank) -> None:
    """The votes are the same for the right codes, for wrong codes and for samples that show no code."""
    poses, codes = some_poses(bank)
    samples = sample_modules(rendered_image(), poses)
    noise = np.random.default_rng(3).uniform(0, 255, samples.shape).astype(np.float32)
    for rows in (samples, noise, np.zeros_like(samples)):
        for expected in (codes, np.roll(codes, 1)):
            votes = lambda rows=rows, expected=expected: template_match.module_votes(rows, expected, bank)  # noqa: E731
            ours, reference = both(votes)
            np.testing.assert_allclose(ours, reference, atol=1e-3)


@pytest.mark.parametrize("module_px", [1.5, 2.0, 2.5])
def test_the_same_codes_are_read(module_px: float) -> None:
    """The same codes are read with and without the extension, at the same places."""
    image = table_image(IDS, module_px)
    ours, reference = both(lambda: {code.id: code for code in read_codes(image, KNOWN)})
    assert ours.keys() == reference.keys() >= set(IDS[:20])
    for code_id, code in reference.items():
        np.testing.assert_allclose(ours[code_id].corners, code.corners, atol=0.05)
        assert ours[code_id].confidence == pytest.approx(code.confidence, abs=0.01)


def test_wrong_arrays_are_refused(bank: TemplateBank) -> None:
    """An array of another type or size raises an error, instead of being read beyond its end."""
    texture, patches = np.zeros((4, 5, 6), np.float32), np.zeros((2, 23, 23), np.float32)
    poses, model = np.zeros((2, 3, 3)), bank.common_models[0]
    gray, fields = np.zeros((40, 40), np.uint8), model.fields()
    limits, sampling = pose_refinement.UPDATE_LIMITS, pose_refinement.SAMPLING
    grid, wrong = sampling[0], bank.models_of(np.array([0, 999])).fields()
    votes = (np.zeros((2, SAMPLE_COUNT), np.float32), np.array([0, len(bank.ids)]))
    templates = bank.templates, bank.unit_templates, bank.modules
    filters = template_match.SHADING_ROWS, *template_match.padded_kernels()
    pairs = coarse_match.template_pairs(bank, NARROW_SCALES), coarse_match.axis_polynomials(), NARROW_SCALES
    places, coarse_limits = (np.zeros((2, 2)), np.zeros((2, 2, 2))), (68.0, 0.33, 0.8, 4)
    calls: list[Callable[[], Any]] = [
        lambda: native.measure_texture(gray, 48, 40, 3),
        lambda: native.measure_texture(gray.astype(np.float32), 40, 40, 3),
        lambda: native.mean_response(texture.astype(float), 3, 0.5),
        lambda: native.mean_response(texture[:, :, ::2], 3, 0.5),
        lambda: native.mean_response(texture[:3], 3, 0.5),
        lambda: native.mean_response(texture, 4, 0.5),
        lambda: native.sum_edge_directions(patches[:, :6, :6]),
        lambda: native.sum_edge_directions(patches[:, :20]),
        lambda: native.normalize_texture(gray, texture, 1.0, 40.0),
        lambda: native.normalize_texture(gray, texture[:2], 1.0, 40.0),
        lambda: native.find_peaks(texture[0], 4, 1.0),
        lambda: native.find_peaks(texture[0, 0], 3, 1.0),
        lambda: native.find_regions(texture, 1.0, 2.0, 0.5, 3),
        lambda: native.find_regions(texture[0, :, ::2], 1.0, 2.0, 0.5, 3),
        lambda: native.measure_quads(np.zeros((2, 4, 3)), 21),
        lambda: native.find_duplicates(np.zeros((2, 4, 2)), [True], (1, 1, 1, 1)),
        lambda: native.are_on_codes(np.zeros((2, 3)), np.zeros((2, 4, 2)), 1.4),
        lambda: native.are_on_codes(np.zeros((2, 2)), np.zeros((2, 4, 3)), 1.4),
        lambda: native.rectify_patches(gray, np.zeros((2, 3, 3)), 31),
        lambda: native.rectify_patches(gray, np.zeros((2, 2, 3)), 65),
        lambda: native.sample_codes(gray, poses[:, :2], sampling, is_unit=True),
        lambda: native.sample_codes(gray, poses, sampling, is_unit=True, step=0),
        lambda: native.find_coarse_poses(gray, places, (8, 1.5), pairs, coarse_limits),
        lambda: native.find_coarse_poses(gray, places, (-1, 1.5), pairs, coarse_limits),
        lambda: native.find_coarse_poses(gray, (places[0][:1], places[1]), (3, 1.5), pairs, coarse_limits),
        lambda: native.find_coarse_poses(gray, places, (3, 1.5), (pairs[0][:, :, 1:], *pairs[1:]), coarse_limits),
        lambda: native.find_coarse_poses(gray, places, (3, 1.5), (pairs[0][:, :0], *pairs[1:]), coarse_limits),
        lambda: native.find_coarse_poses(gray, places, (3, 1.5), (*pairs[:2], WIDE_SCALES), coarse_limits),
        lambda: native.refine_quads(gray, np.zeros((2, 4, 2)), 1, fields, grid, limits),
        lambda: native.refine_quads(gray, np.zeros((2, 4, 2)), 1, wrong, grid, limits),
        lambda: native.refine_poses(gray[:0], poses, 1, fields, grid, limits),
        lambda: native.refine_poses(gray, poses[:, :2], 1, fields, grid, limits),
        lambda: native.refine_poses(gray, poses, 1, (model.inverse[1:], *fields[1:]), grid, limits),
        lambda: native.refine_poses(gray, poses, 1, (np.stack([model.inverse] * 3), *fields[1:]), grid, limits),
        lambda: native.identify(votes[0], bank.short_templates[1], 32767),
        lambda: native.identify(votes[0], bank.short_templates[0][:0], 32767),
        lambda: native.identify(votes[0], bank.short_templates[0], 65536),
        lambda: native.module_votes(*votes, templates, filters, template_match.VOTE_LIMITS),
        lambda: native.module_votes(votes[0], votes[1][:1] - 1, templates, filters, template_match.VOTE_LIMITS),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"needed|smaller|no such code"):
            call()


@pytest.mark.parametrize("shape", [(10, 40), (16, 16), (33, 50), (203, 317)])
def test_reduced_image(shape: tuple[int, int]) -> None:
    """A reduced color image is the same but for rounding, also in a part of an image. The features of its cells are the
    same."""
    rng = np.random.default_rng(sum(shape))
    color = np.stack([random_image(rng, shape[0] + 3, shape[1] + 5) for _ in range(3)], 2)
    for frame in (color, color[3:, 5:], color[::-1, ::2]):
        ours, reference = both(lambda frame=frame: reduce(frame))  # type: ignore[misc]
        assert np.abs(ours.astype(int) - reference).max() <= 1
        np.testing.assert_array_equal(*both(lambda ours=ours: cell_features(ours)))  # type: ignore[misc]


def test_reduced_levels() -> None:
    """An image of a single gray level keeps it. Others are as bright as with numpy."""
    ours, reference = both(lambda: reduce(np.random.default_rng(1).integers(0, 256, (640, 960, 3)).astype(np.uint8)))
    assert abs(ours.mean() - reference.mean()) < 0.05
    for level in range(256):
        assert (reduce(np.full((16, 32, 3), level, np.uint8)) == level).all()


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (7, 1), (12, 37), (67, 120)])
def test_compared_cells(shape: tuple[int, int]) -> None:
    """The motion of the cells, their masks and what is remembered of them are the same, frame after frame."""
    rng = np.random.default_rng(sum(shape))
    background, last = (rng.uniform(0, 255, (2, *shape)).astype(np.float32) for _ in range(2))
    start = background, rng.uniform(0, 2, shape).astype(np.float32), np.zeros(shape, np.float32)
    frames = [background + rng.normal(0, spread, (2, *shape)).astype(np.float32) for spread in (0.5, 2, 6, 40)]

    def results() -> list[NDArray[np.generic]]:
        state, results = tuple(each.copy() for each in start), list[NDArray[np.generic]]()
        for t, (before, features) in enumerate(pairwise([last, *frames]), 5):
            overexposed = np.asarray(features[0] > 240)
            threshold, motion, changes = compare_cells(features, state[0], before, state[1], overexposed, 0.02)
            masks = update_cells(state, features, motion, threshold, overexposed, t / 10)  # type: ignore[arg-type]
            results += [threshold, motion, np.array(changes), masks.moving, masks.calm, masks.changed]
            results += [masks.calm_seconds, *(each.copy() for each in state)]
        return results

    for ours, reference in zip(*both(results), strict=True):
        np.testing.assert_allclose(ours, reference, rtol=1e-5, atol=1e-4)
