"""Reads other people's photographs of QR codes with the real decoder. `tests/photographs/README.md` says whose they
are."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.decoding.decoder import read_codes
from vision.file_frame_sources import load_image
from vision.known_codes import known_codes
from vision.photo_worker import read_photo

FOLDER = Path(__file__).parent / "photographs"
PHOTOGRAPHS = {str(path.relative_to(FOLDER).with_suffix("")): path for path in sorted(FOLDER.glob("*/*.png"))}
"""The files, by their names without suffix."""
CORRECTED = {"qrcode-2/13": "The 2005 USGS aerial photography of the Washington Monument is censored."}
"""The right text where an answer has a typing error. `tests/photographs/README.md` says how we know."""
INNER_CODES = {"qrcode-2/16": "[内側QRコード]\r\n\r\n*ダブルQR*\r\nhttp://d-qr.net/ex/"}
"""The text of the second code in a photograph. The answer has only that of the first."""


def answer_of(name: str) -> str:
    """The text in the file beside a photograph, with its line ends."""
    return PHOTOGRAPHS[name].with_suffix(".txt").read_bytes().decode()


def texts_in(name: str) -> list[str]:
    """The texts of the codes in a photograph, sorted."""
    inner = [INNER_CODES[name]] if name in INNER_CODES else []
    return sorted([CORRECTED.get(name) or answer_of(name), *inner])


def test_every_photograph_has_an_answer() -> None:
    """Each photograph has a file with its text, and each of these files belongs to a photograph."""
    answers = {str(path.relative_to(FOLDER).with_suffix("")) for path in FOLDER.glob("*/*.txt")}
    assert answers == {*PHOTOGRAPHS}
    assert len(PHOTOGRAPHS) == 21
    assert [name for name, text in CORRECTED.items() if answer_of(name) == text] == []


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_a_photograph_is_read_in_four_directions(name: str) -> None:
    """The right texts and no others are read, however the photograph is turned. No code is taken for one of ours."""
    gray = load_image(PHOTOGRAPHS[name], cv2.IMREAD_GRAYSCALE)
    assert gray is not None
    for quarter_turns in range(4):
        turned = np.ascontiguousarray(np.rot90(gray, quarter_turns))
        codes = read_codes(turned, known_codes(), wants_foreign=True)
        assert sorted(code.text for code in codes) == texts_in(name), quarter_turns
        assert [code.id for code in codes if code.id] == [], quarter_turns


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_no_card_is_seen_in_a_phone_s_photograph(name: str) -> None:
    """If a phone sends such a photograph, it shows none of our cards."""
    assert read_photo(PHOTOGRAPHS[name].read_bytes(), known_codes()) == frozenset()
