"""Table packs: no blank pages, low-ink and small versions, and codes that the camera still reads at the height that the
sheets name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from companion.component_qr_codes import MODULES
from companion.games import GAMES
from companion.games.game import Game
from companion.printing.camera_height import (
    FRAME_WIDTH_PX,
    MIN_PX_PER_MODULE,
    WIDTH_PER_HEIGHT,
    max_height_cm,
    min_height_cm,
)
from companion.printing.options import Contents, PrintOptions
from companion.printing.pdf import contents_of, print_game
from companion.printing.printable_components import PrintError, can_be_small, printables, with_stickers
from companion.printing.raster import PixelArray, rendered_pages
from tests.repetitions import thorough_except
from tests.test_hardware_md import ROOT
from vision.decoding.decoder import read_codes
from vision.known_codes import known_codes

PACK = PrintOptions(sides="both")
SMALL_PACK = PrintOptions(sides="both", low_ink=True, small=True)
WITH_CARDS = sorted(name for name, game in GAMES.items() if game.physical.components.components)


def on(name: str, **options: str) -> Game[Any]:
    game = GAMES[name]
    return game.on_board(game.rules.begin(game.rules.seats[0], options))


def printed(
    game: Game[Any], options: PrintOptions, folder: Path, px_per_mm: float
) -> tuple[Contents, list[PixelArray]]:
    path = folder / "pack.pdf"
    contents = print_game(game, path, options)
    return contents, list(rendered_pages(path, px_per_mm))


def ink(picture: PixelArray) -> float:
    """The fraction of the page's area that is covered with ink."""
    return float(1 - picture.mean() / 255)


def codes_in(pages: list[PixelArray]) -> list[str]:
    """The codes that the camera's own decoder reads, on all pages."""
    grays = [np.asarray(cv2.GaussianBlur(cv2.cvtColor(page, cv2.COLOR_BGR2GRAY), (0, 0), 0.6)) for page in pages]
    return [code.id for gray in grays for code in read_codes(gray, known_codes()) if code.id]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"),
    thorough_except(
        [("commute", PACK), *((name, SMALL_PACK) for name in WITH_CARDS)],
        ("commute", PACK),
        ("systems-failing", SMALL_PACK),
    ),
    ids=lambda it: str(it)[:12],
)
def test_the_camera_reads_every_code_at_the_height_that_the_sheets_name(
    name: str, options: PrintOptions, tmp_path: Path
) -> None:
    """At the greatest height that the cover names, a camera's picture of the sheets has at least two pixels per module,
    and the product's own decoder reads each code once. No page is blank, and the stated number of pages is right."""
    contents = print_game(GAMES[name], tmp_path / "pack.pdf", options)
    px_per_mm = FRAME_WIDTH_PX / (WIDTH_PER_HEIGHT * max_height_cm(contents.smallest_code_mm) * 10)
    pages = list(rendered_pages(tmp_path / "pack.pdf", px_per_mm))
    assert px_per_mm * contents.smallest_code_mm / MODULES >= MIN_PX_PER_MODULE
    assert sorted(codes_in(pages)) == sorted(GAMES[name].physical.components.codes())
    assert len(pages) == contents.pages
    assert all(ink(page) > 0.004 for page in pages)


@pytest.mark.parametrize("name", WITH_CARDS)
def test_small_cards_are_read_from_where_the_whole_mat_is_seen(name: str) -> None:
    """A camera that is high enough to see the whole mat can read everything that is printed smaller."""
    game = GAMES[name]
    mat = game.physical.components.mat
    assert mat
    usual = {each.component.id: each for each in printables(game)}
    smaller = [each for each in printables(game, PrintOptions(small=True)) if each.size < usual[each.component.id].size]
    assert smaller
    assert all(max_height_cm(each.code_mm) >= min_height_cm(mat) for each in smaller)
    assert can_be_small(game)


def test_what_the_camera_could_not_read_is_not_printed_small() -> None:
    """Nothing is printed so small that the camera could not read it: the pieces of Commute keep their size, and a
    smaller print of signals, which are already small, is refused with the reason."""
    sizes = {each.component.id: each.size for each in printables(GAMES["commute"], PrintOptions(small=True))}
    assert sizes["CM-P1"] == (34.0, 34.0)
    assert sizes["CM-AH"] == pytest.approx((44.1, 61.6))
    small_lanes = on("traffic-congestion", board="grid-3x3")
    assert not can_be_small(small_lanes)
    with pytest.raises(PrintError, match="a camera that sees the whole mat, from 50 cm, reads no codes of 11"):
        printables(small_lanes, PrintOptions(small=True))


def test_the_size_of_a_small_code_is_its_size_on_paper() -> None:
    """For small cards, the requested size is the side of the code as it is printed, and the code must fit the smaller
    card."""
    found = printables(GAMES["systems-failing"], PrintOptions(small=True, code_mm=19))
    assert {each.code_mm for each in found if each.code_mm} == {19}
    with pytest.raises(PrintError, match="choose 10 to 19 mm"):
        printables(GAMES["systems-failing"], PrintOptions(small=True, code_mm=25))


@pytest.mark.slow
def test_pages_for_both_sides_come_first_and_in_pairs(tmp_path: Path) -> None:
    """The pages for printing on both sides come first, in pairs. The mat follows on separate pages without backs, and
    the number of sheets of paper is right."""
    contents, pages = printed(GAMES["systems-failing"], PACK, tmp_path, 1)
    assert contents.both_sides == (1, 14)
    assert contents.one_side == contents.mat == (15, 20)
    assert (contents.pages, contents.sheets) == (20, 7 + 6)
    widths = [page.shape[1] for page in pages]
    assert len(set(widths[:14])) == 1
    assert all(width > widths[0] for width in widths[14:])  # the mat lies across


def test_stickers_have_no_backs() -> None:
    """A sheet of stickers has nothing on its back, so it is among the pages for one side."""
    contents = contents_of(with_stickers(GAMES["commute"]), PACK)
    assert contents.one_side
    assert contents.mat
    assert contents.one_side[0] == contents.mat[0] - 1


@pytest.mark.slow
def test_single_sided_packs_have_only_the_backs_that_are_needed(tmp_path: Path) -> None:
    """A single-sided pack has backs only for the meter card, whose two sides people need, and for signals, which have a
    code on each side."""
    contents, pages = printed(GAMES["systems-failing"], PrintOptions(sides="one"), tmp_path, 2)
    assert contents.both_sides is None
    assert contents.glued == (3, 4)
    assert contents.sheets == contents.pages == len(pages)
    assert contents.pages < 20
    signals, pages = printed(GAMES["traffic-congestion"], PrintOptions(sides="one"), tmp_path, 3)
    assert sorted(codes_in(pages)) == sorted(GAMES["traffic-congestion"].physical.components.codes())
    assert signals.glued
    assert not signals.sleeved  # all of its cards have the backs that they need


@pytest.mark.parametrize("game", WITH_CARDS)
def test_opaque_sleeves_are_advised_only_for_cards_without_backs(game: str) -> None:
    """A single-sided pack of hidden cards says that they need opaque sleeves. Signals have nothing to hide."""
    assert contents_of(GAMES[game], PrintOptions(sides="one")).sleeved == (game != "traffic-congestion")
    assert not contents_of(GAMES[game], PrintOptions(sides="both")).sleeved


@pytest.mark.slow
def test_low_ink_saves_ink(tmp_path: Path) -> None:
    """A low-ink pack takes less than two thirds of the ink of a normal one."""
    usual, saving = (
        sum(map(ink, printed(GAMES["commute"], options, tmp_path, 1)[1]))
        for options in (PACK, PrintOptions(sides="both", low_ink=True))
    )
    assert saving < usual * 2 / 3


@pytest.mark.slow
def test_a_mat_on_which_cubes_are_counted_keeps_its_colors(tmp_path: Path) -> None:
    """A low-ink mat on which cubes are counted has the same colors as the normal mat, to the pixel, because the camera
    must recognize what covers the streets."""
    game = GAMES["traffic-congestion"]
    contents, usual = printed(game, PACK, tmp_path, 1)
    _, saving = printed(game, PrintOptions(sides="both", low_ink=True), tmp_path, 1)
    assert contents.mat
    for page in range(contents.mat[0] - 1, contents.mat[1]):
        assert np.array_equal(usual[page][20:-20, 20:-20], saving[page][20:-20, 20:-20])


def test_the_heights_in_the_documents_are_those_on_the_sheets() -> None:
    """The heights in docs/hardware/camera.md agree with those on the sheets: the greatest height for each size of
    codes, and the least height for each mat."""
    text = (ROOT / "docs" / "hardware" / "camera.md").read_text()
    for code_mm in (25.0, 22.0, 20.0, 17.5, 16.0):
        assert f"| {code_mm:g} mm | {max_height_cm(code_mm)} cm |" in text
    for name in ("systems-failing", "commute"):
        mat = GAMES[name].physical.components.mat
        assert mat
        assert f"from {min_height_cm(mat)} cm" in text


def test_the_reason_why_cards_can_not_be_small_names_the_chosen_codes() -> None:
    """If the chosen codes are too small, the message names the greatest height at which these codes can be read, not
    that of the usual codes."""
    with pytest.raises(PrintError, match=r"reads no codes of 10 mm, only from 3\d cm or lower"):
        printables(GAMES["commute"], PrintOptions(small=True, code_mm=10))
