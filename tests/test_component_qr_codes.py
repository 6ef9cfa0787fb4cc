"""The printed codes: their content, and that any QR reader reads them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
import zxingcpp

from companion import component_qr_codes
from companion.games import GAMES
from vision.known_codes import known_codes

EVERY = [code for game in GAMES.values() for code in game.physical.components.codes()]


def picture(code: str, px: int = 4) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    """A gray image of the code, with its quiet zone."""
    modules = np.array([[module == "0" for module in row] for row in component_qr_codes.matrix(code)], np.uint8) * 255
    framed = np.pad(modules, 4, constant_values=255)
    return np.kron(framed, np.ones((px, px), np.uint8))


def test_payload_is_the_scheme_and_the_id_in_capitals() -> None:
    """The payload is `TK:` and the component's id in capitals."""
    assert component_qr_codes.payload("SF-D07") == "TK:SF-D07"
    assert component_qr_codes.payload("SW-R1a") == "TK:SW-R1A"


@pytest.mark.parametrize("text", ["SF-D07", "TK:SF-D99", "tk:SF-D07", "TK:", "https://example.org", ""])
def test_other_texts_name_nothing(text: str) -> None:
    """Codes of other products and of unknown components are ignored."""
    assert component_qr_codes.id_in(text, frozenset({"SF-D07"})) is None


def test_the_text_of_a_code_names_its_component() -> None:
    """The text of a code names its component: `id_in` returns the id from which `payload` made the text."""
    assert component_qr_codes.id_in(component_qr_codes.payload("SF-D07"), frozenset({"SF-D07"})) == "SF-D07"


def test_ids_are_distinct_and_differ_by_more_than_case() -> None:
    """No two printed components share a code."""
    assert len({component_qr_codes.payload(code) for code in EVERY}) == len(EVERY)


def test_matrices_are_distinct_squares_of_21_modules() -> None:
    """Every code is a QR code of version 1, and no two look the same."""
    matrices = {component_qr_codes.matrix(code) for code in EVERY}
    assert len(matrices) == len(EVERY)
    for matrix in matrices:
        assert len(matrix) == component_qr_codes.MODULES
        assert {len(row) for row in matrix} == {component_qr_codes.MODULES}
        assert set("".join(matrix)) == {"0", "1"}


@pytest.mark.parametrize("name", GAMES)
def test_masks_are_stored_for_every_printed_code(name: str) -> None:
    """The stored mask patterns are those that segno chooses. `python scripts/write_qr_masks.py` adds missing ones."""
    codes, masks = {*GAMES[name].physical.components.codes()}, component_qr_codes.masks()
    if codes.isdisjoint(masks):
        pytest.skip(f"{name} has no stored masks yet: python scripts/write_qr_masks.py")
    assert {id: masks.get(id) for id in codes} == {id: component_qr_codes.encode(id).mask for id in codes}


def test_only_printed_codes_have_masks() -> None:
    """The file has no codes of components that no longer exist."""
    assert set(component_qr_codes.masks()) <= known_codes()


def test_a_code_without_a_stored_mask() -> None:
    """A code without a stored mask, as in a game that somebody has added, gets the mask pattern that segno chooses."""
    assert "XX-1" not in component_qr_codes.masks()
    assert component_qr_codes.matrix("XX-1") == tuple(
        "".join(map(str, row)) for row in component_qr_codes.encode("XX-1").matrix
    )


def test_a_reader_reads_each() -> None:
    """zxing-cpp reads every code with the right payload and error correction level."""
    for code in EVERY:
        (found,) = zxingcpp.read_barcodes(picture(code), formats=zxingcpp.BarcodeFormat.QRCode)
        assert (found.text, found.ec_level) == (component_qr_codes.payload(code), component_qr_codes.ERROR_LEVEL)


def test_survives_a_stain() -> None:
    """A code can be read despite a stain on part of its data, thanks to error correction level Q."""
    for code in EVERY:
        stained = picture(code)
        cv2.circle(stained, (64, 76), 7, 128, -1)
        assert [found.text for found in zxingcpp.read_barcodes(stained)] == [component_qr_codes.payload(code)]
