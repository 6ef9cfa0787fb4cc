"""Stickers that turn a standard deck into the deck of Commute: their content, and that the decoder reads them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion import component_qr_codes
from companion.__main__ import main
from companion.games import GAMES
from companion.games.commute.board_reader import boards
from companion.games.commute.card_sticker_art import MAX_CODE_MM, STICKER_SIZE, StickerArt
from companion.games.commute.component_art import CARD_SIZE
from companion.games.commute.components import CARDS, all_components
from companion.games.commute.suits_and_ranks import DECK
from companion.printing.raster import PixelArray, rendered_pages, write_textures
from tests.game_variants import with_components
from tests.printed_pages import PX, payloads, read, warped
from tests.recording_canvas import assert_tidy, drawn
from tests.test_commute_table import TOWN
from vision.decoding.decoder import read_codes as decode
from vision.known_codes import component_codes

GAME = GAMES["commute"]
ART = StickerArt(boards()["metropolis"])
STUCK = GAME.physical.components.with_stickers()
assert STUCK
FIRST_OF_THE_MAT = 10
"""The first page of the mat, counted from 0."""
CAMERA_PX = 2.5
"""Pixels per millimeter for a camera of 1920 pixels that sees the whole mat: 2.6 pixels per module of a sticker's
code."""
STICKERS = [sticker for sticker in all_components() if sticker.id in CARDS]


@pytest.fixture(scope="module", params=["a4", "letter"])
def pages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[PixelArray]:
    """All pages except those of the mat. They are printed with a small town, because that is fast."""
    path, town = (tmp_path_factory.mktemp("print") / name for name in ("print.pdf", "town.toml"))
    town.write_text(TOWN)
    asked = ["print", "commute", "--stickers", "--paper", request.param, "-o", str(path)]
    assert main([*asked, "--option", f"board={town}"]) == 0
    return list(islice(rendered_pages(path, PX), FIRST_OF_THE_MAT))


@pytest.mark.slow
def test_every_code_stands_in_the_print_once(pages: list[PixelArray]) -> None:
    """The print contains the code of each of the forty stickers, the “Uh-Oh!” cards and the pieces exactly once,
    followed by the mat."""
    assert Counter(text for page in pages for text in read(page)) == Counter(payloads([t.id for t in all_components()]))


def test_the_stickers_fill_one_sheet_of_labels_alone(pages: list[PixelArray]) -> None:
    """Page 3 has all stickers and nothing else. Its back is blank except for the margins."""
    assert set(read(pages[2])) == payloads([*CARDS])
    back = pages[3][:, 10 * PX : -10 * PX]
    assert (back > 250).mean() > 0.995
    assert set(read(warped(pages[2], np.random.default_rng(5)))) == payloads([*CARDS])


@pytest.mark.parametrize("code_mm", [10.0, 22.0, 25.0])
def test_text_on_a_sticker_keeps_clear_of_the_code(code_mm: float) -> None:
    """Text stays inside the sticker and outside the quiet zone of the code. The code always fits on the sticker."""
    for sticker in STICKERS:
        found = drawn(lambda canvas, sticker=sticker: ART.face(canvas, sticker, code_mm))  # type: ignore[misc]
        assert [code for code, _ in found.codes] == [sticker.id]
        assert_tidy(found, (0.0, 0.0, *STICKER_SIZE))
        card = CARDS[sticker.id]
        assert [words for words, _ in found.texts] == [card[:-1], sticker.title]
        assert drawn(lambda canvas, sticker=sticker: ART.back(canvas, sticker, code_mm)) == drawn(lambda canvas: None)  # type: ignore[misc]


def test_the_camera_reads_stuck_cards(tmp_path: Path) -> None:
    """The service's decoder reads every card of a bought deck with stickers, as a camera above the mat sees it:
    slightly blurred, noisy and dim, with pips around the codes."""
    write_textures(with_components(GAME, replace(STUCK, mat=None, components=tuple(STICKERS))), tmp_path, 10.0)
    picture = np.full((1080, 1920), 80, np.uint8)
    width, height = (round(side * CAMERA_PX) for side in CARD_SIZE)
    for number, sticker in enumerate(STICKERS):
        x, y = 20 + 190 * (number % 10), 15 + 265 * (number // 10)
        picture[y : y + height, x : x + width] = stuck_card(cv2.imread(str(tmp_path / f"{sticker.id}-front.png"), 0))
    rng = np.random.default_rng(2)
    seen = cv2.GaussianBlur(picture, (0, 0), 0.6) * 0.8 + 15 + rng.normal(0, 4, picture.shape)
    found = decode(np.clip(seen, 0, 255).astype(np.uint8), component_codes())
    assert {code.id for code in found} == {*CARDS}


def stuck_card(sticker: Any) -> Any:
    """The picture, in gray, of a card from a bought deck with its sticker: dark pips in two columns, indices in the
    corners."""
    width, height = (round(side * CAMERA_PX) for side in CARD_SIZE)
    card = np.full((height, width), 240, np.uint8)
    for down in range(5):
        for across in (0.28, 0.72):
            cv2.circle(card, (round(width * across), round(height * (0.14 + 0.18 * down))), 13, 40, -1)
    for place in ((4, 24), (width - 20, height - 8)):
        cv2.putText(card, "8", place, cv2.FONT_HERSHEY_SIMPLEX, 0.7, 30, 2)
    small = cv2.resize(sticker, [round(side * CAMERA_PX) for side in STICKER_SIZE], interpolation=cv2.INTER_AREA)
    y, x = (height - small.shape[0]) // 2, (width - small.shape[1]) // 2
    card[y : y + small.shape[0], x : x + small.shape[1]] = small
    return card


def test_games_with_cards_of_their_own_have_no_stickers(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Asking for stickers of another game is wrong usage, with a line that says what to do."""
    assert main(["print", "system-won", "--stickers", "-o", str(tmp_path / "x.pdf")]) == 2
    assert "without --stickers" in capsys.readouterr().err
    assert not (tmp_path / "x.pdf").exists()


def test_stickers_change_nothing_but_the_art() -> None:
    """With stickers the components have the same codes; only the art differs."""
    assert STUCK
    assert replace(STUCK, art=None, advice=None) == replace(GAME.physical.components, art=None)
    assert len(STICKERS) == len(DECK) == 40
    assert max(len(component_qr_codes.payload(sticker.id)) for sticker in STICKERS) <= 16
    assert min(STICKER_SIZE) > MAX_CODE_MM
