"""The C extension computes the same as the numpy code that it stands in for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from companion.commands.bench_vision import table_image
from vision.decoding import coarse_match, native, pose_refinement, template_match
from vision.decoding.candidate_regions import code_response, mean_response, measure_texture, normalize_texture
from vision.decoding.decoder import read_codes
from vision.decoding.pose_refinement import Poses, poses_from_corners, project_corners, refine_poses, sample_modules
from vision.decoding.templates import SAMPLE_COUNT, TemplateBank, build_template_bank
from vision.geometry import GrayImage
from vision.known_codes import known_codes

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


@pytest.mark.parametrize("side", [23, 31])
def test_coarse_match(side: int) -> None:
    """The dominant edge directions and the samples under each template are the same."""
    rng = np.random.default_rng(side)
    patches = np.stack([random_image(rng, side, side) for _ in range(5)]).astype(np.float32)
    patches[3] = 100  # a plain patch
    ours, reference = both(lambda: coarse_match.sum_edge_directions(patches))
    np.testing.assert_allclose(ours, reference, rtol=1e-4, atol=1e-4 * np.abs(reference).max())


@pytest.mark.parametrize("own_model", [False, True])
def test_refined_poses(bank: TemplateBank, own_model: bool) -> None:
    """The corners of refined poses are the same to a fiftieth of a pixel. OpenCV rounds the samples to gray levels, the
    extension does not."""
    gray, (poses, codes) = rendered_image(), some_poses(bank)
    models = (bank.models_of(codes),) * 3 if own_model else bank.common_models
    ours, reference = both(lambda: project_corners(refine_poses(gray, poses, models)))
    assert len(ours) > 20
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
    gray, fields = np.zeros((40, 40), np.uint8), (model.solver, model.template, model.tolerance, None)
    limits, sampling = pose_refinement.UPDATE_LIMITS, pose_refinement.SAMPLING
    votes = (np.zeros((2, SAMPLE_COUNT), np.float32), np.array([0, len(bank.ids)]))
    templates = bank.templates, bank.unit_templates, bank.modules
    filters = template_match.SHADING_ROWS, *template_match.padded_kernels()
    calls: list[Callable[[], Any]] = [
        lambda: native.measure_texture(gray, 48, 40),
        lambda: native.measure_texture(gray.astype(np.float32), 40, 40),
        lambda: native.mean_response(texture.astype(float), 3, 0.5),
        lambda: native.mean_response(texture[:, :, ::2], 3, 0.5),
        lambda: native.mean_response(texture[:3], 3, 0.5),
        lambda: native.mean_response(texture, 4, 0.5),
        lambda: native.sum_edge_directions(patches[:, :6, :6]),
        lambda: native.sum_edge_directions(patches[:, :20]),
        lambda: native.refine_poses(gray[:0], poses, 1, fields, sampling, limits),
        lambda: native.refine_poses(gray, poses[:, :2], 1, fields, sampling, limits),
        lambda: native.refine_poses(gray, poses, 1, (model.solver[1:], *fields[1:]), sampling, limits),
        lambda: native.refine_poses(gray, poses, 1, (np.stack([model.solver] * 3), *fields[1:]), sampling, limits),
        lambda: native.module_votes(*votes, templates, filters, template_match.VOTE_LIMITS),
        lambda: native.module_votes(votes[0], votes[1][:1] - 1, templates, filters, template_match.VOTE_LIMITS),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=r"needed|smaller|no such code"):
            call()
