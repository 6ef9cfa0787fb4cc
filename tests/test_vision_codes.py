"""Reads codes in rendered images with the real decoders."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
import segno

from tests.vision_scenes import CARDS, KNOWN, render_code, tile
from vision.decoded_codes import Code, remove_duplicates
from vision.decoding import decoder
from vision.decoding.candidate_regions import (
    MAX_CANDIDATES,
    find_candidates,
    find_regions,
    measure_texture,
    normalize_texture,
)
from vision.decoding.decoder import find_in_regions, find_with_zxing, read_codes
from vision.geometry import GrayImage
from vision.photo_worker import read_photo


def ids(found: list[Code]) -> list[str | None]:
    return [code.id for code in found]


@pytest.mark.parametrize("angle", range(-165, 181, 30))
def test_a_code_is_read_at_any_angle(angle: int) -> None:
    """A code is read at any angle. Its corners are in the code's own order and accurate to 2.5 px, its angle to two
    degrees."""
    picture, truth = render_code("SF-D07", angle)
    (code,) = read_codes(picture, KNOWN)
    assert code.id == "SF-D07"
    assert code.text == "TK:SF-D07"
    assert np.abs(code.corners - truth).max() < 2.5
    assert np.linalg.norm(code.center - truth.mean(0)) < 0.8
    assert abs((code.angle - angle + 180) % 360 - 180) < 2


@pytest.mark.parametrize("module_px", [2, 2.5, 4, 7])
def test_a_code_is_read_at_any_size(module_px: float) -> None:
    """Codes are read from two pixels per module upward."""
    assert ids(read_codes(render_code("SF-D03", 20, module_px)[0], KNOWN)) == ["SF-D03"]


@pytest.mark.parametrize(("tilt", "blur", "noise"), [(0.3, 0.6, 4), (0, 1.1, 6), (0, 0.6, 14)])
def test_a_code_is_read_despite_perspective_blur_and_noise(tilt: float, blur: float, noise: float) -> None:
    """Codes are read with the largest tilt, blur and noise that are expected."""
    assert ids(read_codes(render_code("SF-D03", 20, 3, tilt, blur, noise)[0], KNOWN)) == ["SF-D03"]


def test_an_inverted_code_is_read_beside_a_normal_one() -> None:
    """An inverted code and a normal code are both read. Both are foreign, so no known code is found, and therefore
    zxing-cpp also tries inversion."""
    one, other = (tile(text, 4) for text in ("XX-A", "XX-B"))
    side = one.shape[0] + 40
    picture = np.full((side, 2 * side), 128, np.uint8)
    for k, drawn in enumerate((one, 255 - other)):
        picture[20 : 20 + drawn.shape[0], k * side + 20 : k * side + 20 + drawn.shape[1]] = drawn
    assert {code.text for code in read_codes(picture, KNOWN)} == {"TK:XX-A", "TK:XX-B"}


def test_a_code_with_a_thumb_on_it_is_read() -> None:
    """A code is read if an eighth of it is covered, but no finder pattern, thanks to error level Q."""
    picture, truth = render_code("SF-D05", 0, 4)
    x, y = truth[2]
    cv2.circle(picture, (int(x), int(y)), 20, 150, -1)
    assert ids(read_codes(picture, KNOWN)) == ["SF-D05"]


def test_a_code_under_a_reflection_is_read() -> None:
    """A code is read although a reflection takes half of the contrast on one side."""
    picture, _ = render_code("SF-D05", 10, 4)
    glare = cv2.GaussianBlur(cv2.circle(np.zeros_like(picture), (180, 160), 30, 110, -1), (0, 0), 12)
    assert ids(read_codes(np.asarray(cv2.add(picture, glare), np.uint8), KNOWN)) == ["SF-D05"]


@pytest.mark.parametrize("text", ["TK:SF-D99", "TK:SF-D0", "tk:SF-D07", "https://example.org/SF-D07", "SF-D07"])
def test_a_foreign_code_has_no_id(text: str) -> None:
    """A text that differs slightly from that of a known code is foreign. It is returned without an id."""
    dark = np.array([list(row) for row in segno.make_qr(text).matrix], np.uint8)
    picture = np.kron(np.where(np.pad(dark, 6) > 0, 30, 225), np.ones((5, 5))).astype(np.uint8)
    (code,) = read_codes(picture, KNOWN)
    assert code.id is None
    assert code.text == text


def test_a_known_code_of_another_game_is_foreign() -> None:
    """Only codes with one of the given ids are known; a code of another game is foreign."""
    assert ids(read_codes(render_code("SF-D07")[0], frozenset({"SF-D01"}))) == [None]


@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (1, 500), (7, 7), (25, 3), (90, 90)])
def test_no_image_is_too_small(shape: tuple[int, int]) -> None:
    """In tiny images nothing is read and no error is raised."""
    assert read_codes(np.full(shape, 90, np.uint8), KNOWN) == []


@pytest.mark.slow
def test_hostile_images_hold_no_code() -> None:
    """Noise, checkerboards and an image full of finder patterns contain no code, and the work on them is bounded."""
    rng = np.random.default_rng(2)
    finder = np.pad(np.pad(np.ones((3, 3)), 1), 1, constant_values=1)
    finders = np.tile(1 - np.kron(np.pad(finder, 1), np.ones((3, 3))), (20, 30)) * 255
    checker = np.indices((480, 640)).sum(0) // 3 % 2 * 255
    for picture in (rng.integers(0, 255, (480, 640)), checker, finders):
        gray = picture.astype(np.uint8)
        assert read_codes(gray, KNOWN) == []
        assert len(find_candidates(normalize_texture(gray, measure_texture(gray)), [], 40)) <= MAX_CANDIDATES


def test_a_code_with_scrambled_data_is_not_read() -> None:
    """A known code with all its data modules scrambled is not read."""
    rng = np.random.default_rng(3)
    picture = tile("SF-D07", 4)
    data = picture[4 * 13 : 4 * 25, 4 * 13 : 4 * 25]
    data[:] = np.kron(rng.integers(0, 2, (12, 12)) * 200, np.ones((4, 4)))
    assert not any(ids(read_codes(picture, KNOWN)))


def test_many_codes_in_one_image() -> None:
    """Each of many codes is read once, at its position."""
    picture = np.vstack([np.hstack([tile(code, 3) for code in CARDS[k : k + 4]]) for k in (0, 4, 8)])
    found = read_codes(picture, KNOWN)
    assert sorted(str(code.id) for code in found) == sorted(CARDS)
    for code in found:
        row, column = divmod(CARDS.index(str(code.id)), 4)
        assert np.abs(code.center - ((column + 0.5) * 87 - 0.5, (row + 0.5) * 87 - 0.5)).max() < 1


def test_a_bogus_code_inside_a_true_one_is_dropped() -> None:
    """A code that is reported inside another one (zxing-cpp issue 1162) is dropped, and so is one with an impossible
    shape."""
    square = np.array([[10, 10], [70, 10], [70, 70], [10, 70]], float)
    true = Code("SF-D07", "TK:SF-D07", square)
    inside = Code(None, "?", square * 0.5 + 20)
    flat = Code(None, "?", square * (1, 0.1) + 200)
    mirrored = Code(None, "?", square[::-1] + 300)
    assert remove_duplicates([inside, true, flat, mirrored]) == [true]


@pytest.mark.skipif(decoder.zbar() is None, reason="libzbar0 is not installed")
@pytest.mark.parametrize("angle", [0, 30, 75, 120, 200, 300])
def test_zbar_gives_corners_like_zxing(angle: int) -> None:
    """zbar's corners are converted to the code's own order, within four pixels of zxing-cpp's."""
    picture, truth = render_code("SF-D07", angle, 6)
    (code,) = decoder.find_with_zbar(picture, KNOWN)
    assert code.id == "SF-D07"
    assert np.abs(code.corners - truth).max() < 4


def test_everything_works_without_zbar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything works without pyzbar, which is optional at run time."""
    monkeypatch.setattr(decoder, "zbar", lambda: None)
    assert read_codes(np.full((200, 200), 90, np.uint8), KNOWN) == []
    assert ids(read_codes(render_code("SF-D07")[0], KNOWN)) == ["SF-D07"]


@pytest.mark.parametrize("turned", [False, True])
def test_codes_of_all_sizes_are_read_on_a_table(turned: bool) -> None:
    """On a large picture of a table, zxing-cpp searches only where there is the texture of codes. There it reads the
    same codes as in the whole picture, with modules of 3 to 8 px, at the same places."""
    rng = np.random.default_rng(1)
    picture = np.full((1080, 1920), 140, np.uint8)
    for n, module_px in enumerate((3, 4, 5, 6, 8)):
        drawn = tile(f"XX-A{n}", module_px)
        picture[100 : 100 + len(drawn), 20 + 380 * n : 20 + 380 * n + len(drawn)] = drawn
    drawn = tile("SF-D07", 4)
    picture[700 : 700 + len(drawn), 900 : 900 + len(drawn)] = drawn
    if turned:
        turn = cv2.getRotationMatrix2D((960, 540), 7, 0.9)
        picture = np.asarray(cv2.warpAffine(picture, turn, (1920, 1080), borderValue=(140,)), np.uint8)
    picture = np.clip(picture + rng.normal(0, 3, picture.shape), 0, 255).astype(np.uint8)
    texture = normalize_texture(picture, measure_texture(picture))
    regions = find_regions(texture, picture.shape)
    assert sum((x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in regions) < 0.3 * picture.size
    found = {code.text: code.corners for code in find_in_regions(picture, texture, KNOWN)}
    whole = {code.text: code.corners for code in find_with_zxing(picture, KNOWN)}
    assert found.keys() == whole.keys() == {"TK:SF-D07", *(f"TK:XX-A{n}" for n in range(5))}
    for text, corners in found.items():
        assert np.abs(corners - whole[text]).max() <= 1
    assert {code.text for code in read_codes(picture, KNOWN)} == whole.keys()


def test_weaker_print_beside_a_code_is_not_searched() -> None:
    """zxing-cpp searches the code, but not the print beside it whose texture is much weaker. Where there is no code,
    the same print is searched."""
    rng, picture = np.random.default_rng(1), np.full((1080, 1920), 150, np.uint8)
    drawn = tile("SF-D07", 3)
    side = len(drawn)
    weak = np.asarray(150 + 22 * (np.kron(rng.integers(0, 2, (side // 3, 100)), np.ones((3, 3))) * 2 - 1), np.uint8)
    for left, top in ((400, 300), (400, 700)):
        picture[top : top + len(weak), left + side : left + side + 300] = weak
    picture[300 : 300 + side, 400 : 400 + side] = drawn
    texture = normalize_texture(picture, measure_texture(picture))
    code, print_alone = sorted(find_regions(texture, picture.shape), key=lambda box: box[1])
    assert code[2] < 400 + side + 40
    assert print_alone[2] > 400 + side + 280
    assert [found.id for found in find_in_regions(picture, texture, KNOWN)] == ["SF-D07"]


def test_a_large_foreign_code_is_read_if_foreign_codes_are_wanted() -> None:
    """A foreign code with modules of 14 pixels is read beside a known one, wherever it lies in a large picture."""
    dark = np.array([list(row) for row in segno.make_qr("https://example.org").matrix], np.uint8)
    foreign = np.kron(np.where(np.pad(dark, 4) > 0, 30, 225), np.ones((14, 14))).astype(np.uint8)
    picture = np.full((1200, 1700), 225, np.uint8)
    known = tile("SF-D07", 4)
    picture[40 : 40 + len(known), 60 : 60 + known.shape[1]] = known
    picture[500 : 500 + len(foreign), 900 : 900 + foreign.shape[1]] = foreign
    found = {code.text for code in read_codes(picture, KNOWN, wants_foreign=True)}
    assert found == {"TK:SF-D07", "https://example.org"}


def photograph(angle: float, contrast: float, grain: float) -> GrayImage:
    """A photograph of a single code. `contrast` is relative to good print, `grain` in gray levels."""
    picture = np.pad(tile("SF-D07", 10), 60, constant_values=225)
    turn = cv2.getRotationMatrix2D((picture.shape[1] / 2, picture.shape[0] / 2), angle, 0.9)
    turned = cv2.warpAffine(picture, turn, picture.shape[1::-1], borderValue=(225,))
    noise = np.random.default_rng(1).normal(0, grain, turned.shape)
    return np.asarray(np.clip(225 - (225.0 - turned) * contrast + noise, 0, 255), np.uint8)


@pytest.mark.parametrize("angle", [0, 90, 170, 260])
@pytest.mark.parametrize(("contrast", "grain"), [(1.0, 90.0), (0.08, 1.0)], ids=["coarse grain", "faint print"])
def test_a_photograph_is_read_in_variants(contrast: float, grain: float, angle: float) -> None:
    """If zxing-cpp can't read a code in a photograph directly, variants of the image are tried. The code is read at any
    angle."""
    picture = photograph(angle, contrast, grain)
    assert find_with_zxing(picture, frozenset()) == []
    assert [code.text for code in read_codes(picture, frozenset())] == ["TK:SF-D07"]


def in_phone_format(picture: GrayImage) -> GrayImage:
    """The photograph enlarged to 2400 x 1800 px, as phones take them, with the code in the middle."""
    side = 1400
    large = cv2.resize(picture, (side, side), interpolation=cv2.INTER_CUBIC)
    edges = [((size - side) // 2, (size - side + 1) // 2) for size in (1800, 2400)]
    return np.asarray(np.pad(large, edges, mode="edge"), np.uint8)


def test_a_phone_s_photograph_is_read_in_variants_too() -> None:
    """In photographs from phones, variants are tried too, although these photographs are larger than many pictures of
    tables. Here the print is faint."""
    picture = in_phone_format(photograph(15, 0.08, 1.0))
    assert read_codes(picture, KNOWN) == []
    assert read_photo(cv2.imencode(".png", picture)[1].tobytes(), KNOWN) == {"SF-D07"}


@pytest.mark.skipif(decoder.zbar() is None, reason="libzbar0 is not installed")
def test_a_photograph_that_zxing_can_not_read_is_given_to_pyzbar(monkeypatch: pytest.MonkeyPatch) -> None:
    """pyzbar is used as the last resort for photographs of any size, but not for large pictures of tables."""
    monkeypatch.setattr(decoder, "run_zxing", lambda *_: [])
    picture = in_phone_format(photograph(15, 1.0, 0.0))
    assert [code.text for code in read_codes(picture, frozenset(), is_photo=True)] == ["TK:SF-D07"]
    assert read_codes(picture, frozenset()) == []
