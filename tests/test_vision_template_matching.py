"""Matches codes that no reader can read with the templates of all known codes. Foreign codes are never accepted."""

from __future__ import annotations

import string
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import pytest
import segno

from companion.component_qr_codes import matrix, payload
from tests.repetitions import repetitions
from tests.vision_constants.small_codes import FOREIGN_TEXTS, OUR_TEXTS, accepted_ids
from tests.vision_scenes import CARDS, KNOWN, render_code
from vision.decoded_codes import Code, remove_duplicates
from vision.decoding.candidate_regions import (
    MAX_CANDIDATES,
    find_candidates,
    is_textured_all_over,
    measure_texture,
    normalize_texture,
    total_texture,
)
from vision.decoding.decoder import (
    accepted_codes,
    find_and_match,
    find_with_zxing,
    match_candidates,
    match_in_place,
    read_codes,
)
from vision.decoding.module_size_field import COMPONENT_RATIOS, NARROW_SCALES, fit_module_size, uniform_field
from vision.decoding.pose_refinement import poses_from_corners, project_corners, sample_modules
from vision.decoding.template_match import (
    CODEWORDS,
    DATA_CODEWORDS,
    MIN_ACCEPTED_CONFIDENCE,
    MIN_LIKELY_CONFIDENCE,
    MIN_UNCOVERED_CONFIDENCE,
    codeword_of_modules,
    confidences,
)
from vision.decoding.templates import build_template_bank
from vision.decoding_stage_images import TILE_PX, write_stages
from vision.geometry import Frame, Points
from vision.known_codes import known_codes
from vision.tracking.read_scheduler import ReadScheduler

CODE = np.array([[0, 0], [21, 0], [21, 21], [0, 21]], float)


@cache
def dark_modules(text: str) -> Frame:
    """The modules of a code of any text, with the error level of our codes: 1 for a dark module. Cached, because segno
    takes longer than everything that is done with the code."""
    return np.array([list(row) for row in segno.make_qr(text, error="q", boost_error=False).matrix], np.uint8)


def draw_code(picture: Frame, text: str, x: int, y: int, module_px: float) -> None:
    """Draws a code of any text with its center at x, y, upright."""
    dark = dark_modules(text)
    fine = np.kron(np.where(np.pad(dark, 4) > 0, 30, 225), np.ones((8, 8))).astype(np.uint8)
    side = round(fine.shape[0] / 8 * module_px)
    picture[y - side // 2 : y - side // 2 + side, x - side // 2 : x - side // 2 + side] = cv2.resize(
        fine, (side, side), interpolation=cv2.INTER_AREA
    )


def draw_table(texts: list[str], module_px: float, seed: int = 1) -> Frame:
    """An image of codes in rows on a dark table, a little blurred and noisy."""
    step = round(32 * module_px)
    rows = -(-len(texts) // 8)
    picture = np.full((rows * step, 8 * step), 110, np.uint8)
    for k, text in enumerate(texts):
        draw_code(picture, text, step // 2 + k % 8 * step, step // 2 + k // 8 * step, module_px)
    noise = np.random.default_rng(seed).normal(0, 3, picture.shape)
    return np.clip(cv2.GaussianBlur(picture, (0, 0), 0.6) + noise, 0, 255).astype(np.uint8)


def near_miss(rng: np.random.Generator) -> str:
    """The text of a known code with one character changed."""
    while True:
        text = list(payload(str(rng.choice(CARDS))))
        text[int(rng.integers(3, len(text)))] = str(rng.choice(list(string.ascii_uppercase + string.digits)))
        if "".join(text).removeprefix("TK:") not in KNOWN:
            return "".join(text)


def ids(found: list[Code]) -> list[str | None]:
    return [code.id for code in found]


@pytest.mark.parametrize("angle", [0, 37, 90, 158, 200, 311])
def test_a_code_too_small_for_any_reader_is_read(angle: int) -> None:
    """A code of 1.3 px per module is read at any angle, even if no other code shows the module size. Its center is
    accurate to 0.2 px."""
    picture, truth = render_code("SF-D07", angle, 1.3, blur=0.6)
    assert find_with_zxing(picture, KNOWN) == []
    (code,) = read_codes(picture, KNOWN)
    assert (code.id, code.text) == ("SF-D07", "TK:SF-D07")
    assert np.linalg.norm(code.center - truth.mean(0)) < 0.2
    assert np.abs(code.corners - truth).max() < 0.5


@pytest.mark.parametrize("angle", [0, 37, 158, 311])
@pytest.mark.parametrize("module_px", [0.95, 1])
def test_a_code_of_one_pixel_per_module_is_read(module_px: float, angle: int) -> None:
    """A code of 1 px per module is read at any angle, even if no other code shows the module size."""
    picture, truth = render_code("SF-D07", angle, module_px)
    (code,) = read_codes(picture, KNOWN)
    assert code.id == "SF-D07"
    assert np.abs(code.corners - truth).max() < 0.5


def test_the_far_codes_of_a_tilted_table_are_read() -> None:
    """Codes with less than 1 px per module are read, too, if other codes show how the table is tilted."""
    known = sorted(known_codes())[:32]
    picture = np.full((800, 1000), 110, np.uint8)
    for k, code_id in enumerate(known):
        module_px = (23, 27, 31, 35)[k // 8] / 29
        x, y = 500 + (k % 8 - 3.5) * 110 * module_px, 100 + k // 8 * 200
        draw_code(picture, payload(code_id), round(x), y, module_px)
    noise = np.random.default_rng(1).normal(0, 3, picture.shape)
    picture = np.clip(cv2.GaussianBlur(picture, (0, 0), 0.5) + noise, 0, 255).astype(np.uint8)
    assert sorted(code.id or "" for code in read_codes(picture, frozenset(known))) == known


@pytest.mark.parametrize(("module_px", "tilt", "blur", "noise"), [(2, 0.15, 1.1, 5), (2.5, 0.1, 1.4, 6), (3, 0, 2, 4)])
def test_a_code_out_of_focus_is_read(module_px: float, tilt: float, blur: float, noise: float) -> None:
    """A code in perspective, with noise, and blurred beyond what zxing-cpp reads, is read."""
    picture, truth = render_code("SF-D03", 25, module_px, tilt, blur, noise)
    assert find_with_zxing(picture, KNOWN) == []
    (code,) = read_codes(picture, KNOWN)
    assert code.id == "SF-D03"
    assert np.linalg.norm(code.center - truth.mean(0)) < 0.5


@pytest.mark.parametrize("corner", [0, 1, 2, 3])
def test_a_code_with_a_thumb_on_any_corner_is_read(corner: int) -> None:
    """A code is read with a thumb on any corner, even if it covers a finder pattern, without which no reader finds the
    code."""
    picture, truth = render_code("SF-D05", 12, 2.5)
    x, y = truth[corner] * 0.9 + truth.mean(0) * 0.1
    cv2.circle(picture, (int(x), int(y)), 10, 120, -1)
    assert ids(read_codes(picture, KNOWN)) == ["SF-D05"]


def test_a_code_with_glare_on_a_finder_pattern_is_read() -> None:
    """A code with a reflection on a finder pattern is read although the reflection leaves no contrast at one corner,
    and only half of the contrast around it."""
    picture, truth = render_code("SF-D05", 10, 2.5)
    x, y = truth[0]
    spot = cv2.circle(np.zeros_like(picture), (int(x), int(y)), 12, 200, -1)
    glare = cv2.GaussianBlur(spot, (0, 0), 4)
    assert ids(read_codes(np.asarray(cv2.add(picture, glare), np.uint8), KNOWN)) == ["SF-D05"]


@pytest.mark.slow
def test_a_light_edge_across_a_code_is_no_evidence_against_it() -> None:
    """A blurred code that lies partly in a reflection and partly in a shadow is accepted at every angle. At most angles
    it counts as uncovered."""
    confidences_ = [confidence_in_two_lights(angle) for angle in range(0, 360, 15)]
    assert min(confidences_) > MIN_ACCEPTED_CONFIDENCE
    assert np.median(confidences_) > MIN_UNCOVERED_CONFIDENCE


def confidence_in_two_lights(angle: float) -> float:
    """The confidence of the match for a code that lies between a reflection and a shadow."""
    picture, truth = render_code("SF-D05", angle, 2.5, blur=1.1, noise=2)
    x, y = truth.mean(0)
    bright = cv2.circle(np.zeros(picture.shape, np.float32), (int(x) - 30, int(y) - 10), 30, 90, -1)
    dark = cv2.circle(np.ones(picture.shape, np.float32), (int(x) + 32, int(y) + 8), 30, 0.45, -1)
    lit = picture * cv2.GaussianBlur(dark, (0, 0), 6) + cv2.GaussianBlur(bright, (0, 0), 6)
    gray = np.clip(lit, 0, 255).astype(np.uint8)
    _, matched = find_and_match(gray, measure_texture(gray), KNOWN)
    return max((code.confidence for code in matched if code.id == "SF-D05"), default=-1)


@pytest.mark.slow
@pytest.mark.parametrize(("bend", "off_px"), [(0.7, 0.5), (1.2, 2)])
def test_curved_shading_does_not_shift_a_code(bend: float, off_px: float) -> None:
    """A code at the edge of a lamp's light is read at every angle, and its corners are accurate."""
    for angle in range(0, 360, 15):
        picture, truth = render_code("SF-D05", angle, 2.5, tilt=0.05, blur=1.1, noise=2)
        x, y = truth.mean(0)
        rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]]
        away = ((columns - x - 12) ** 2 + (rows - y - 8) ** 2) / 40**2
        lit = picture * 0.25 + 120 * np.exp(-bend * away)
        (code,) = read_codes(np.clip(lit, 0, 255).astype(np.uint8), KNOWN)
        assert code.id == "SF-D05"
        assert np.abs(code.corners - truth).max() < off_px


@pytest.mark.parametrize("angle", range(0, 180, 15))
def test_lines_and_edges_are_no_candidates(angle: int) -> None:
    """Lines and edges are not candidates at any angle, although they have as much texture as the code beside them."""
    picture, truth = render_code("SF-D05", angle, 2)
    x, y = np.meshgrid(np.arange(80.0), np.arange(160.0))
    turn = np.radians(angle)
    stripes = 128 + 100 * np.sin((x * np.cos(turn) + y * np.sin(turn)) * 2 * np.pi / 7)
    picture[80:240, 236:316] = stripes.astype(np.uint8)
    steps = measure_texture(picture)
    assert total_texture(steps)[12:28, 31:37].mean() > 0.6 * total_texture(steps)[18:22, 18:22].mean()
    places = find_candidates(normalize_texture(picture, steps), [], 42)
    assert np.linalg.norm(places[0] - truth.mean(0)) < 14
    assert len(places) < 4


@pytest.mark.slow
@pytest.mark.parametrize("module_px", [1.4, 2.0, 2.6])
def test_foreign_codes_are_never_accepted(module_px: float) -> None:
    """Of hundreds of codes that differ from a known code in one character, none is accepted. Depending on the size,
    zxing-cpp reads only a few of them, or all."""
    rng = np.random.default_rng(7)
    for seed in range(3):
        picture = draw_table([near_miss(rng) for _ in range(64)], module_px, seed)
        found, matched = find_and_match(picture, measure_texture(picture), KNOWN)
        assert not any(ids(found))
        assert max((code.confidence for code in matched), default=0) < MIN_LIKELY_CONFIDENCE


@pytest.mark.parametrize("module_px", [0.9, 1.1, 1.3, 1.5])
@pytest.mark.parametrize("text", FOREIGN_TEXTS)
def test_small_foreign_codes_are_never_accepted(text: str, module_px: float) -> None:
    """Foreign codes that differ from a known code in the fewest possible codewords are not taken for it, even if the
    image shows little of their modules."""
    assert accepted_ids(text, module_px, 20) == []


@pytest.mark.parametrize("text", OUR_TEXTS)
def test_small_codes_of_ours_are_accepted(text: str) -> None:
    """The known codes that small foreign codes resemble are accepted."""
    accepted = accepted_ids(text, 1.0, 20)
    assert len(accepted) >= 18
    assert set(accepted) == {text.removeprefix("TK:")}


def test_codes_outside_the_bank_are_foreign() -> None:
    """Codes that are not in the bank resemble some code of the bank, but none of them is accepted."""
    picture = draw_table([payload(card) for card in CARDS], 1.5)
    others = frozenset(f"SF-S{n}" for n in range(1, 8)) | frozenset(f"SF-E{n}" for n in range(1, 7))
    assert not any(ids(read_codes(picture, others)))
    assert sorted(map(str, ids(read_codes(picture, KNOWN)))) == sorted(CARDS)


def test_known_codes_are_found_among_foreign_ones() -> None:
    """At 1.5 px per module, where only template matching can read codes, each known code is found once, and no other
    code is found."""
    rng = np.random.default_rng(3)
    texts = [payload(card) for card in CARDS] + [near_miss(rng) for _ in range(36)]
    order = rng.permutation(len(texts))
    found = read_codes(draw_table([texts[k] for k in order], 1.5), KNOWN)
    assert sorted(code.id for code in found if code.id) == sorted(CARDS)


@pytest.mark.slow
def test_only_accepted_matches_are_read() -> None:
    """As dirt on a code grows, the match goes from accepted through likely to unlikely. It never becomes a match of
    another code."""
    confidence = []
    for radius in range(4, 30, 2):
        picture, truth = render_code("SF-D05", 0, 2.5)
        x, y = truth.mean(0)
        cv2.circle(picture, (int(x), int(y)), radius, 140, -1)
        _, matched = find_and_match(picture, measure_texture(picture), KNOWN)
        assert all(code.id == "SF-D05" for code in matched if code.confidence >= MIN_LIKELY_CONFIDENCE)
        if not find_with_zxing(picture, KNOWN):
            confidence.append(max((code.confidence for code in matched), default=-1.0))
            assert (ids(read_codes(picture, KNOWN)) == ["SF-D05"]) == (confidence[-1] >= MIN_ACCEPTED_CONFIDENCE)
    assert min(confidence) < MIN_LIKELY_CONFIDENCE < MIN_ACCEPTED_CONFIDENCE < max(confidence)


def test_each_module_belongs_to_a_codeword() -> None:
    """Each code has 26 codewords of 8 modules. Two codes with the same mask differ in at least 14 of these, as error
    level Q guarantees."""
    words = codeword_of_modules()
    assert sorted(np.bincount(words[words >= 0])) == [8] * CODEWORDS
    dark = {card: np.array([list(row) for row in matrix(card)]) for card in CARDS}
    masks = {card: "".join(modules[8, [0, 1, 2, 3, 4, 5]]) for card, modules in dark.items()}
    pairs = [(a, b) for a, b in combinations(CARDS, 2) if masks[a] == masks[b]]
    assert pairs
    for a, b in pairs:
        differ = set(words[dark[a] != dark[b]].tolist())
        assert len(differ) > CODEWORDS - DATA_CODEWORDS
        assert -1 not in differ


def test_samples_match_one_code_only() -> None:
    """The confidence is high for the right code and low for all others."""
    bank = build_template_bank(KNOWN)
    picture, truth = render_code("SF-D07", 30, 2)
    samples = np.repeat(sample_modules(picture, poses_from_corners([truth])), len(bank.ids), 0)
    confidence = dict(zip(bank.ids, confidences(samples, np.arange(len(bank.ids)), bank), strict=True))
    assert confidence.pop("SF-D07") > MIN_UNCOVERED_CONFIDENCE
    assert max(confidence.values()) < MIN_LIKELY_CONFIDENCE


@pytest.mark.parametrize(
    ("text", "square", "gray"),
    [("TK:ZC-SIG30", (5, 4, 6, 6), 30), ("TK:DM-2H", (6, 2, 6, 6), 30), ("TK:YW-TECX", (5, 8, 8, 3), 225)],
)
def test_a_square_that_covers_the_difference_forges_no_code(
    text: str, square: tuple[int, int, int, int], gray: int
) -> None:
    """A code that differs from a known code in one letter, but has a black cube or a white scrap exactly there, is
    never accepted, although many images of such codes resemble the known code. `square` is x, y, width and height in
    modules."""
    known = known_codes()
    x, y, w, h = (n * 8 for n in square)
    bank = build_template_bank(known)
    noise = np.random.default_rng(5)
    best = -1.0
    for turn in range(0, 360, 8):
        picture = np.full((400, 400), 140, np.uint8)
        draw_code(picture, text, 200, 200, 8)
        corner = 200 - 29 * 8 // 2 + 32
        picture[corner + y : corner + y + h, corner + x : corner + x + w] = gray
        way = cv2.getRotationMatrix2D((200, 200), turn, 0.35)
        small = cv2.GaussianBlur(cv2.warpAffine(picture, way, (400, 400), flags=cv2.INTER_AREA), (0, 0), 0.9)
        seen = np.clip(small[120:280, 120:280] + noise.normal(0, 2, (160, 160)), 0, 255).astype(np.uint8)
        found = match_candidates(seen, np.array([[80.0, 80.0]]), uniform_field(8 * 0.35), bank)
        best = max([best, *(code.confidence for code in found)])
    assert 0.1 < best < MIN_ACCEPTED_CONFIDENCE


def test_corners_are_refined_to_a_fraction_of_a_pixel() -> None:
    """zxing-cpp is off by half a pixel. After refinement, the center is accurate to 0.2 px and the angle to 0.3
    degrees."""
    for angle in range(0, 360, 24):
        picture, truth = render_code("SF-D11", angle, 2.5, tilt=0.1)
        (code,) = read_codes(picture, KNOWN)
        assert np.linalg.norm(code.corners.mean(0) - truth.mean(0)) < 0.2
        edge = truth[1] - truth[0]
        true = np.degrees(np.arctan2(edge[1], edge[0]))
        assert abs((code.angle - true + 180) % 360 - 180) < 0.3


def test_poses_and_corners_convert_both_ways() -> None:
    """Converting corners to a pose and back gives the same corners."""
    quad = np.array([[10.0, 12], [50, 9], [55, 52], [8, 47]])
    assert np.allclose(project_corners(poses_from_corners([quad]))[0], quad, atol=1e-3)


def corners_on_tilted_table(turns: Points) -> list[Points]:
    """The corners in pixels of codes on a tilted table."""
    to_px = np.array([[2.0, 0.1, 100], [-0.05, 1.7, 80], [0.0002, 0.0004, 1]])
    places = np.array([[x, y] for x in range(60, 700, 120) for y in range(60, 400, 110)], float)
    quads_mm = []
    for (x, y), turn in zip(places, turns, strict=False):
        c, s = np.cos(turn), np.sin(turn)
        quads_mm.append((CODE - 10.5) * 1.2 @ np.array([[c, s], [-s, c]]) + (x, y))
    return list(cv2.perspectiveTransform(np.array(quads_mm), to_px))


@pytest.mark.parametrize("module_px", [1.25, 2.0])
def test_a_code_is_matched_where_it_was_read_before(module_px: float) -> None:
    """The earlier corners may be off by half a module. A code of no known component is not accepted there."""
    bank = build_template_bank(KNOWN)
    picture, corners = render_code(CARDS[3], 25, module_px, blur=0.8)
    off = corners + np.random.default_rng(1).uniform(-0.5, 0.5, (4, 2)) * module_px
    (code,) = accepted_codes(match_in_place(picture, [off], bank))
    assert code.id == CARDS[3]
    assert np.abs(code.corners - corners).max() < 0.4
    others = build_template_bank(KNOWN - {CARDS[3]})
    assert not accepted_codes(match_in_place(picture, [corners], others))
    assert not match_in_place(picture, [], bank)


def test_module_size_is_estimated_from_other_codes() -> None:
    """On a tilted table, the estimated module size is accurate to 8 % for codes at any angle, and also for a crop of
    the image."""
    corners = corners_on_tilted_table(np.random.default_rng(1).uniform(0, 6.28, 99))
    codes = [Code("SF-D01", "", quad) for quad in corners]
    known, rest = codes[::2], codes[1::2]
    scale = fit_module_size(known)
    assert scale is not None
    assert scale.is_reliable
    centers = np.array([code.corners.mean(0) for code in rest])
    for code, metric, part in zip(
        rest, scale.module_scales(centers), scale.with_origin(30, 40).module_scales(centers - (30, 40)), strict=True
    ):
        side = np.sqrt(np.linalg.det(metric)) * 21
        assert abs(side / np.sqrt(cv2.contourArea(code.corners.astype(np.float32))) - 1) < 0.08
        assert np.allclose(metric, part)
    assert fit_module_size([]) is None


@pytest.mark.parametrize("ratio", [0.63, 0.95])
def test_module_size_is_that_of_components(ratio: float) -> None:
    """The codes of components may be smaller than the corner codes of the mat, which still show how the table is
    tilted. A ratio of nearly 1 may be an error of measurement, so all codes count as equally large then."""
    quads = corners_on_tilted_table(np.zeros(99))
    corners = [Code(f"MAT-SF-{n}", "", quads[index]) for n, index in enumerate((0, 3, -4, -1), 1)]
    cards = [
        Code(f"SF-D{n:02}", "", quad.mean(0) + ratio * (quad - quad.mean(0))) for n, quad in enumerate(quads[4:7], 1)
    ]
    scale, alone = fit_module_size([*corners, *cards[:1]]), fit_module_size(corners)
    assert scale
    assert alone
    assert (scale.ratios, alone.ratios) == ((1.0,), COMPONENT_RATIOS)
    centers = np.array([code.corners.mean(0) for code in cards])
    for code, metric in zip(cards, scale.module_scales(centers), strict=True):
        side = np.sqrt(np.linalg.det(metric)) * 21
        assert abs(side / np.sqrt(cv2.contourArea(code.corners.astype(np.float32))) - 1) < 0.08


def test_codes_in_two_sizes_are_searched_for_in_both() -> None:
    """If pieces have smaller codes than cards, codes of both sizes are searched for, no matter which are more. All
    cards lie in two piles."""
    quads = corners_on_tilted_table(np.zeros(99))
    corners = [Code(f"MAT-SF-{n}", "", quads[index]) for n, index in enumerate((0, 3, -4, -1), 1)]
    cards = [Code(name, "", quads[1 + n % 2]) for n, name in enumerate(CARDS[:20])]
    small = [quad.mean(0) + 0.87 * (quad - quad.mean(0)) for quad in quads[5:8]]
    pieces = [Code(f"CM-P{n}", "", quad) for n, quad in enumerate(small, 1)]
    for components, ratio in (([*cards, *pieces], 0.87), ([*pieces, *cards[:1]], 1 / 0.87)):
        size = fit_module_size([*corners, *components])
        assert size
        assert size.ratios == pytest.approx((1, ratio), abs=0.04)
        usual = [code for code in components if (code in pieces) == (ratio > 1)]
        sides = np.sqrt(np.linalg.det(size.module_scales(np.array([code.center for code in usual])))) * 21
        areas = [cv2.contourArea(code.corners.astype(np.float32)) for code in usual]
        assert sides == pytest.approx(np.sqrt(areas), rel=0.03)


def test_a_code_in_the_less_usual_size_is_matched() -> None:
    """A piece is read although zxing-cpp can't read its code, and the codes of the cards are larger."""
    picture, truth = render_code("CM-P1", 25, 1.3, blur=0.6)
    texture, known = measure_texture(picture), KNOWN | {"CM-P1"}
    cards = replace(uniform_field(1.3 / 0.87), search_scales=NARROW_SCALES)
    both = replace(cards, ratios=(1.0, 0.87))
    assert find_with_zxing(picture, known) == []
    read = [accepted_codes(find_and_match(picture, texture, known, size, np.inf)[1]) for size in (cards, both)]
    assert [ids(codes) for codes in read] == [[], ["CM-P1"]]
    assert np.abs(read[1][0].corners - truth).max() < 0.5


def code_on_slanted_table(x: float, y: float) -> Points:
    """The corners in the image of a code of 25 mm at this place (mm) on a table that is tilted by 30 degrees."""
    slant = np.radians(30)
    turn = np.array([[1, 0, 0], [0, np.cos(slant), -np.sin(slant)], [0, np.sin(slant), np.cos(slant)]])
    square = np.array([(x - 12.5, y - 12.5), (x + 12.5, y - 12.5), (x + 12.5, y + 12.5), (x - 12.5, y + 12.5)])
    seen = np.column_stack([square, np.zeros(4)]) @ turn.T + (0, 0, 700)
    return np.asarray(1480 * seen[:, :2] / seen[:, 2:] + (960, 540))


def test_a_near_corner_counts_although_perspective_makes_it_large() -> None:
    """With the camera tilted by 30 degrees, the near corner of a mat is more than one and a half times as large as the
    two far ones. It still counts, so that the size of a code beside it is accurate to 8 %."""
    near, *far = (code_on_slanted_table(x, y) for x, y in ((-300, -330), (-300, 330), (300, 330)))
    sides = [np.sqrt(cv2.contourArea(quad.astype(np.float32))) for quad in (near, *far)]
    assert sides[0] > 1.5 * np.median(sides)
    card = Code("SF-D01", "", code_on_slanted_table(200, 200))
    size = fit_module_size([*(Code(f"MAT-SF-{n}", "", quad) for n, quad in enumerate((near, *far), 1)), card])
    assert size
    beside = code_on_slanted_table(-250, -300)
    estimate = np.sqrt(np.linalg.det(size.module_scales(beside.mean(0)[None])[0]))
    assert estimate == pytest.approx(np.sqrt(cv2.contourArea(beside.astype(np.float32))) / 21, rel=0.08)


def test_module_size_extrapolates_across_a_tilted_table() -> None:
    """With the camera tilted by 30 degrees and codes in only one half of the image, the estimated size at the other end
    is accurate to 3 %."""
    near = [Code(f"SF-D{n:02}", "", code_on_slanted_table(100 * (n % 6) - 250, 60 * (n // 6) - 240)) for n in range(30)]
    scale = fit_module_size(near)
    assert scale
    far = Code("SF-D20", "", code_on_slanted_table(0, 240))
    estimate = np.sqrt(np.linalg.det(scale.module_scales(far.center[None])[0]))
    area = cv2.contourArea(far.corners.astype(np.float32))
    assert abs(estimate / (np.sqrt(area) / 21) - 1) < 0.03


def test_a_noisy_image_is_not_textured_all_over() -> None:
    """Noise of 22 levels in each color, all over an image, is not taken for texture, so that codes are searched for."""
    noise = np.random.default_rng(1).normal(200, 22, (768, 1366, 3))
    gray = np.asarray(cv2.cvtColor(np.clip(noise, 0, 255).astype(np.uint8), cv2.COLOR_BGR2GRAY), np.uint8)
    assert not is_textured_all_over(measure_texture(gray))


def test_an_image_textured_all_over_costs_little() -> None:
    """A large image full of finder patterns shows no table and is not searched."""
    finder = np.pad(np.pad(np.ones((3, 3)), 1), 1, constant_values=1)
    finders = np.tile(1 - np.kron(np.pad(finder, 1), np.ones((3, 3))), (40, 71))[:1080, :1920] * 255
    gray = finders.astype(np.uint8)
    assert is_textured_all_over(measure_texture(gray))
    assert read_codes(gray, KNOWN) == []
    assert len(find_candidates(normalize_texture(gray, measure_texture(gray)), [], 40)) <= MAX_CANDIDATES


def test_codes_nested_in_foreign_codes_are_kept() -> None:
    """A code inside a foreign code is kept, because some are printed that way on purpose. A code inside a known code is
    bogus, and is dropped."""
    outer, inner = Code(None, "outer", CODE * 10), Code(None, "inner", CODE * 3 + 70)
    assert set(remove_duplicates([outer, inner])) == {outer, inner}
    ours = Code("SF-D01", "TK:SF-D01", CODE * 10)
    assert remove_duplicates([ours, inner]) == [ours]
    assert remove_duplicates([outer, Code(None, "again", CODE * 9)]) == [outer]


def test_explaining_draws_every_stage(tmp_path: Path) -> None:
    """`--explain` draws four images. The matched code is outlined in green, and nearly all of its modules are green."""
    picture, truth = render_code("SF-D07", 0, 1.6)
    paths = write_stages(picture, KNOWN, tmp_path / "table")
    assert [path.name for path in paths] == [
        "table-1-found.png",
        "table-2-candidates.png",
        "table-3-matched.png",
        "table-4-modules.png",
    ]
    found, _, matched, modules = (np.asarray(cv2.imread(str(path)), int) for path in paths)
    x, y = np.round((truth[2] + truth[3]) / 2).astype(int)
    for drawn in found, matched:
        edge = drawn[y - 1 : y + 2, x]
        assert (edge[:, 1] - edge[:, 2]).max() > 60
    right = modules[24:-8, 8 + TILE_PX : 2 * TILE_PX]
    assert (right[..., 1] > right[..., 2]).mean() > 0.9


@pytest.mark.slow
def test_a_code_that_is_mostly_covered_is_not_read() -> None:
    """The visible rest of a mostly covered code agrees with every code, so it is not read."""
    rng = np.random.default_rng(5)
    for _ in range(repetitions(60)):
        picture, truth = render_code(str(rng.choice(CARDS)), float(rng.uniform(0, 360)), 2.5)
        x, y = truth.mean(0) + rng.uniform(-8, 8, 2)
        cv2.circle(picture, (int(x), int(y)), int(rng.integers(20, 30)), int(rng.integers(20, 230)), -1)
        assert read_codes(picture, KNOWN) == []


def test_a_repeated_likely_match_is_not_accepted() -> None:
    """A likely match is not accepted just because it is repeated in a second frame: with a still table, that is not
    independent evidence."""
    near = Code(
        "SF-D07",
        "TK:SF-D07",
        np.array([[10.0, 10], [60, 10], [60, 60], [10, 60]]),
        (MIN_LIKELY_CONFIDENCE + MIN_ACCEPTED_CONFIDENCE) / 2,
    )
    sure = replace(near, confidence=MIN_ACCEPTED_CONFIDENCE + 0.01)
    for code, believed in ((near, False), (sure, True)):
        reader = ReadScheduler(frozenset({"SF-D07"}))
        answers = []
        for _ in range(3):
            reader.skip_frame()
            answers.append(reader._is_confirmed(code))
        assert answers == [False, believed, believed]
