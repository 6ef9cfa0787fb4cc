"""The prints are true to scale, their codes are readable, and the front and the back of a component are printed in the
same place."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import zxingcpp
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas as PdfCanvas

from companion import component_qr_codes
from companion.__main__ import main
from companion.drawing.canvas import Canvas
from companion.games import GAMES
from companion.games.game import Game
from companion.printing import instructions, raster
from companion.printing.imposition import PAPERS, PlacedPrintable, Sheet, cut_marks, sheets
from companion.printing.margin_marks import RULER_X_MM
from companion.printing.mat_tiles import MARGIN_MM, OVERLAP_MM, tiling
from companion.printing.options import Contents, PrintOptions
from companion.printing.pdf import print_game
from companion.printing.printable_components import Printable, PrintError, printables
from companion.printing.raster import PixelArray, rendered_pages
from companion.tabletop.components import Component, ComponentSet
from tests.game_variants import with_components
from tests.printed_pages import PX, component_pictures, payloads, read, warped
from tests.repetitions import thorough_except

GAME = GAMES["systems-failing"]
MAT = GAME.physical.components.mat
assert MAT is not None


@pytest.fixture(scope="module", params=thorough_except(["a4", "letter"], "a4"))
def paper(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def pdf(paper: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("print") / f"{paper}.pdf"
    print_game(GAME, path, PrintOptions(paper))
    return path


@pytest.fixture(scope="module")
def pages(pdf: Path) -> list[PixelArray]:
    return list(rendered_pages(pdf, PX))


@pytest.fixture(scope="module")
def looks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, PixelArray]:
    """Both sides of each component and the mat, as the simulator gets them."""
    return component_pictures(GAME, tmp_path_factory.mktemp("textures"), PX)


def laid(paper: str) -> list[Sheet]:
    return sheets(printables(GAME), PAPERS[paper])


def cut_out(page: PixelArray, place: PlacedPrintable, paper: str) -> PixelArray:
    """The part of a page that contains a piece."""
    left, top = round(place.x * PX), round((PAPERS[paper].height - place.top) * PX)
    width, height = (round(side * PX) for side in place.printable.size)
    return page[top : top + height, left : left + width]


def likeness(one: PixelArray, other: PixelArray) -> float:
    """The similarity of two images of the same size; 1 means equal. Shifts by a pixel hardly matter."""
    same = (cv2.resize(each, (other.shape[1], other.shape[0])) for each in (one, other))
    a, b = (cv2.GaussianBlur(cv2.cvtColor(each, cv2.COLOR_BGR2GRAY), (0, 0), 2).ravel() for each in same)
    return float(np.corrcoef(a, b)[0, 1])


@pytest.mark.slow
def test_every_code_stands_in_the_print_once(pages: list[PixelArray]) -> None:
    """Each card, the marker and each corner of the mat has its own code in the print, exactly once."""
    found = Counter(text for page in pages for text in read(page))
    assert found == Counter(payloads([*GAME.physical.components.codes()]))


@pytest.mark.slow
def test_every_code_is_read_from_a_warped_picture(pages: list[PixelArray]) -> None:
    """Every code of the print can be read despite perspective, blur, dim light and noise."""
    rng = np.random.default_rng(7)
    found = {text for page in pages for text in read(warped(page, rng))}
    assert found == payloads([*GAME.physical.components.codes()])


def test_a_noise_picture_holds_no_code() -> None:
    """The reader finds no code in an image of noise, so the codes in the test above must come from the print."""
    rng = np.random.default_rng(8)
    assert read(warped(np.full((800, 600, 3), 200, np.uint8), rng)) == []


def test_pages_have_the_papers_size(pages: list[PixelArray], paper: str) -> None:
    """Each page has the size of the paper, in portrait or landscape, to a pixel."""
    sizes = {tuple(sorted(page.shape[:2])) for page in pages}
    want = sorted((PAPERS[paper].width * PX, PAPERS[paper].height * PX))
    assert all(abs(a - b) <= 1 for size in sizes for a, b in zip(size, want, strict=True))


@pytest.mark.slow
def test_pages_come_in_pairs(pages: list[PixelArray], paper: str) -> None:
    """The cover, each sheet and each tile have a front and a back page, so that duplex printing keeps them together."""
    assert len(pages) == 2 * (1 + len(laid(paper)) + len(tiling(MAT.size, PAPERS[paper]).tiles))


@pytest.mark.slow
@pytest.mark.parametrize("code_mm", thorough_except([20.0, 25.0], 25.0))
def test_codes_are_true_to_scale(paper: str, code_mm: float, tmp_path: Path) -> None:
    """A code (21 modules) has the requested size to a tenth of a millimeter."""
    path, px = tmp_path / "print.pdf", 12
    print_game(GAME, path, PrintOptions(paper, code_mm))
    page = next(islice(rendered_pages(path, px), 2, None))
    for found in zxingcpp.read_barcodes(page, formats=zxingcpp.BarcodeFormat.QRCode):
        corner, edge = found.position.top_left, round(2 * code_mm / 21 * px)
        size = round(code_mm * px)
        around = page[corner.y - edge : corner.y + size + edge, corner.x - edge : corner.x + size + edge]
        dark = np.argwhere(around.max(axis=2) < 128)
        high, wide = dark.max(axis=0) - dark.min(axis=0) + 1
        assert high / px == pytest.approx(code_mm, abs=0.1)
        assert wide / px == pytest.approx(code_mm, abs=0.1)


@pytest.mark.slow
def test_rulers_measure_100_mm(pages: list[PixelArray], paper: str) -> None:
    """The first page and each front and back have a ruler of 100 mm at the left edge."""
    for page in [pages[0], *pages[2 : 2 + 2 * len(laid(paper))]]:
        column = round(RULER_X_MM * PX)
        dark = np.flatnonzero((page[:, column - 1 : column + 2].max(axis=2) < 200).any(axis=1))
        assert (dark[-1] - dark[0] + 1) / PX == pytest.approx(100, abs=0.5)


@pytest.mark.slow
def test_every_component_has_its_back_behind_its_front(
    pages: list[PixelArray], paper: str, looks: dict[str, PixelArray]
) -> None:
    """With the sheet turned over its long edge, each component's back is exactly behind its front."""
    for number, sheet in enumerate(laid(paper)):
        front, back = pages[2 + 2 * number], pages[3 + 2 * number]
        seen_through = back[:, ::-1]
        for place in sheet:
            component = place.printable.component.id
            assert likeness(cut_out(front, place, paper), looks[f"{component}/front"]) > 0.95
            assert likeness(cut_out(seen_through, place, paper)[:, ::-1], looks[f"{component}/back"]) > 0.95


@pytest.mark.slow
def test_likeness_tells_different_components_apart(looks: dict[str, PixelArray]) -> None:
    """`likeness` clearly distinguishes different components."""
    assert likeness(looks["SF-D01/front"], looks["SF-E1/front"]) < 0.9
    assert likeness(looks["SF-D01/back"], looks["SF-E1/back"]) < 0.95
    assert likeness(looks["SF-D01/front"], looks["SF-D02/front"]) < 0.99


def test_cards_of_one_deck_have_the_same_back(looks: dict[str, PixelArray]) -> None:
    """Cards that are shuffled together have identical backs: disasters and systems-failing cards, all sequences, and
    all roles."""
    for deck in ("DS", "E", "R"):
        backs = [picture for name, picture in looks.items() if name.endswith("back") and name[3] in deck]
        assert len(backs) >= 6
        assert all(np.array_equal(back, backs[0]) for back in backs)


def test_marks_cross_no_piece_and_mirror_on_the_back(paper: str) -> None:
    """Cut marks are on the paper, outside of all pieces, and those of front and back coincide."""
    held = PAPERS[paper]
    for sheet in laid(paper):
        marks = set(cut_marks(sheet))
        assert marks
        for ends in marks:
            for x, y in ends:
                assert 0 < x < held.width
                assert 0 < y < held.height
                assert not any(place.holds((x, y)) for place in sheet)
        backs = cut_marks(tuple(place.mirrored(held) for place in sheet))
        assert {rounded(mark, held.width) for mark in backs} == {rounded(mark) for mark in marks}


def rounded(mark: tuple[tuple[float, float], ...], mirror: float | None = None) -> tuple[tuple[float, float], ...]:
    return tuple((round(x if mirror is None else mirror - x, 3), round(y, 3)) for x, y in mark)


def test_pieces_lie_apart_and_on_the_paper(paper: str) -> None:
    """Every piece is on a sheet, inside the paper, and overlaps no other one."""
    placed = laid(paper)
    assert Counter(place.printable.component.id for sheet in placed for place in sheet) == Counter(
        piece.component.id for piece in printables(GAME)
    )
    for sheet in placed:
        for number, place in enumerate(sheet):
            assert place.x > 4
            assert place.y > 4
            assert place.right < PAPERS[paper].width - 4
            assert place.top < PAPERS[paper].height - 4
            for other in sheet[:number]:
                assert (
                    place.x >= other.right - 1e-6
                    or place.right <= other.x + 1e-6
                    or place.y >= other.top - 1e-6
                    or place.top <= other.y + 1e-6
                )


@pytest.mark.slow
def test_tiles_make_up_the_mat(pages: list[PixelArray], paper: str, looks: dict[str, PixelArray]) -> None:
    """When they are cut and glued, the tiles look like the mat, and the mat's corner codes are where its data say."""
    plan = tiling(MAT.size, PAPERS[paper])
    glued = np.zeros_like(looks["mat"])
    for page, tile in zip(pages[-2 * len(plan.tiles) :: 2], plan.tiles, strict=True):
        left, top = (plan.paper.width - tile.width) / 2, (plan.paper.height - tile.height) / 2
        part = page[
            round(top * PX) : round((top + tile.height) * PX), round(left * PX) : round((left + tile.width) * PX)
        ]
        y, x = round(tile.y * PX), round(tile.x * PX)
        room = glued[y : y + part.shape[0], x : x + part.shape[1]]
        room[:] = part[: room.shape[0], : room.shape[1]]
    assert likeness(glued, looks["mat"]) > 0.97
    middles = {corner.id: corner.center for corner in MAT.corners}
    found = list(zxingcpp.read_barcodes(glued, formats=zxingcpp.BarcodeFormat.QRCode))
    assert {each.text for each in found} == payloads([*middles])
    for each in found:
        at = each.position
        across = [point.x for point in (at.top_left, at.top_right, at.bottom_right, at.bottom_left)]
        down = [point.y for point in (at.top_left, at.top_right, at.bottom_right, at.bottom_left)]
        middle = (sum(across) / 4 / PX, sum(down) / 4 / PX)
        assert middle == pytest.approx(middles[each.text.removeprefix(component_qr_codes.SCHEME)], abs=0.5)


def test_neighboring_tiles_share_a_strip(paper: str) -> None:
    """Each tile fits the paper and overlaps the next by the width of the glue strip. Together they reach the far
    edges."""
    plan = tiling(MAT.size, PAPERS[paper])
    assert plan.rows * plan.columns == len(plan.tiles) == 6
    for tile in plan.tiles:
        assert tile.width <= plan.paper.width - 2 * MARGIN_MM
        assert tile.height <= plan.paper.height - 2 * MARGIN_MM
    for one, two in zip(plan.tiles, plan.tiles[1:], strict=False):
        if one.row == two.row:
            assert one.x + one.width - two.x == pytest.approx(OVERLAP_MM)
    last = plan.tiles[-1]
    assert (last.x + last.width, last.y + last.height) == pytest.approx(MAT.size)
    assert [tile.name for tile in plan.tiles] == ["A1", "A2", "A3", "B1", "B2", "B3"]


@pytest.mark.parametrize("code_mm", [0.0, -25.0, 9.0, 29.0, 60.0, float("nan"), float("inf")])
def test_a_code_that_does_not_suit_the_cards_is_refused(code_mm: float, tmp_path: Path) -> None:
    """A code size that is too large, too small or not a number is refused with a line that gives the possible range. No
    file is written."""
    with pytest.raises(PrintError, match="choose 10 to 28 mm"):
        print_game(GAME, tmp_path / "x.pdf", PrintOptions(code_mm=code_mm))
    assert list(tmp_path.iterdir()) == []


def test_a_piece_larger_than_the_paper_is_refused() -> None:
    """A piece that is larger than the paper is refused, such as a poster on A4."""
    poster = Printable(Component("X-1", "X", "Poster"), (300.0, 400.0), lambda canvas: None, lambda canvas: None)
    with pytest.raises(PrintError, match="Poster of 300 x 400 mm does not fit on A4"):
        sheets([poster], PAPERS["a4"])


def test_a_game_without_art_is_printed_plainly(tmp_path: Path) -> None:
    """A new game for which nobody has drawn art yet gets plain cards and a plain mat."""
    plain = with_components(GAME, replace(GAME.physical.components, art=None))
    print_game(plain, tmp_path / "plain.pdf")
    found = Counter(text for page in rendered_pages(tmp_path / "plain.pdf", PX) for text in read(page))
    assert found == Counter(payloads([*plain.physical.components.codes()]))


def test_a_plain_back_with_a_code_carries_it(tmp_path: Path) -> None:
    """A component that the camera must recognize on both sides has a code on each, and neither is hidden by the art."""
    token = Component("X-1", "a token", "Token", reverse="X-2")
    print_game(with_components(GAME, ComponentSet(components=(token,))), tmp_path / "token.pdf")
    found = [text for page in rendered_pages(tmp_path / "token.pdf", PX) for text in read(page)]
    assert found == ["TK:X-1", "TK:X-2"]


@pytest.mark.parametrize("name", [game.name for game in GAMES.values() if game.physical.components.components])
def test_the_cards_on_the_first_page_cover_no_words(
    name: str, paper: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pictures of cards on the first page are there, and cover no words: with and without them, the page has the
    same words."""
    _write_cover(GAMES[name], paper, tmp_path / "with.pdf")
    monkeypatch.setattr(instructions, "_draw_fan", lambda *_: None)
    _write_cover(GAMES[name], paper, tmp_path / "without.pdf")
    drawn, bare = (next(rendered_pages(tmp_path / f"{file}.pdf", PX)) for file in ("with", "without"))
    rows = np.flatnonzero((bare[:, PX * 20 :] < 250).any((1, 2)))
    assert np.array_equal(drawn[: rows[-1] + 1], bare[: rows[-1] + 1])
    assert (drawn[rows[-1] :] < 250).any()


def _write_cover(game: Game[Any], paper: str, path: Path) -> None:
    options = PrintOptions(paper)  # type: ignore[arg-type]
    pdf = PdfCanvas(str(path), pagesize=(PAPERS[paper].width * mm, PAPERS[paper].height * mm))
    contents = Contents(pages=29, sheets=15, both_sides=(1, 29), mat=(17, 29), smallest_code_mm=25)
    instructions.draw_instructions(Canvas(pdf), PAPERS[paper], game, options, contents)
    pdf.save()


def test_the_cards_on_the_first_page_are_below_the_words(tmp_path: Path) -> None:
    """The cards are drawn below the words. If the words reach the bottom of the page, no cards are drawn."""
    pdf = PdfCanvas(str(tmp_path / "x.pdf"))
    rooms = (90, 70, 10)
    for room in rooms:
        instructions._draw_fan(Canvas(pdf), PAPERS["a4"], GAME, room)
        pdf.showPage()
    pdf.save()
    for page, room in zip(rendered_pages(tmp_path / "x.pdf", 1), rooms, strict=True):
        rows = np.flatnonzero((page < 250).any((1, 2)))
        assert rows.size == 0 if room == 10 else len(page) - room - 2 <= rows[0] <= len(page) - room + 5


def test_a_game_without_components_or_mat_still_prints(tmp_path: Path) -> None:
    """A game without components or mat prints its first sheet."""
    bare = with_components(GAME, ComponentSet())
    print_game(bare, tmp_path / "bare.pdf")
    assert len(list(rendered_pages(tmp_path / "bare.pdf", 1))) == 2


@pytest.mark.slow
def test_textures_have_their_size_in_millimeters(tmp_path: Path) -> None:
    """The index gives the simulator the file and the size in mm of each picture."""
    raster.write_textures(GAME, tmp_path, 2.0)
    index = json.loads((tmp_path / "index.json").read_text())
    components = {*(component.id for component in GAME.physical.components.components), "SF-METER", "SF-CUBES"}
    assert set(index) == {"mat", *(f"{component}/{side}" for component in components for side in ("front", "back"))}
    for entry in index.values():
        height, width = cv2.imread(str(tmp_path / entry["file"])).shape[:2]
        assert width == pytest.approx(entry["width_mm"] * 2, abs=1)
        assert height == pytest.approx(entry["height_mm"] * 2, abs=1)


class TestCommands:
    """`print`, `codes` and `mat` as a user or a script calls them."""

    @pytest.fixture(autouse=True)
    def _in_a_folder_of_its_own(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)

    def test_print_names_the_file_that_it_wrote(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Without -o the file is named after the game."""
        assert main(["print", "systems-failing", "--paper", "letter", "--code-mm", "22"]) == 0
        assert capsys.readouterr().out.startswith("systems-failing.pdf")
        assert Path("systems-failing.pdf").read_bytes().startswith(b"%PDF")

    def test_print_says_why_it_could_not_write(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A missing folder gives one line on standard error and exit status 1."""
        assert main(["print", "systems-failing", "-o", "nowhere/x.pdf"]) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert "nowhere/x.pdf can’t be written" in err
        assert err.count("\n") == 1

    def test_print_refuses_a_code_too_large(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A code that fits on no card gives one line on standard error and exit status 1."""
        assert main(["print", "systems-failing", "--code-mm", "40"]) == 2
        assert "choose 10 to 28 mm" in capsys.readouterr().err

    @pytest.mark.parametrize("command", ["print", "codes", "mat"])
    def test_an_unknown_game_is_wrong_usage(self, command: str, capsys: pytest.CaptureFixture[str]) -> None:
        """An unknown game gives exit status 2 and the list of games."""
        with pytest.raises(SystemExit) as stopped:
            main([command, "chess"])
        assert stopped.value.code == 2
        assert "systems-failing" in capsys.readouterr().err

    @pytest.mark.parametrize("command", ["print", "codes", "mat"])
    def test_help_shows_an_example(self, command: str, capsys: pytest.CaptureFixture[str]) -> None:
        """--help ends with an example to copy."""
        with pytest.raises(SystemExit) as stopped:
            main([command, "--help"])
        assert stopped.value.code == 0
        assert f"example: tablekeeper {command} " in capsys.readouterr().out

    def test_codes_in_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        """`codes --json` prints JSON in the contract's form, which includes the corners of the mat."""
        assert main(["codes", "systems-failing", "--json"]) == 0
        listed = json.loads(capsys.readouterr().out)
        assert [each["id"] for each in listed] == [*GAME.physical.components.codes()]
        assert {"SF-D07", "SF-FIRST", "SF-R6", "MAT-SF-4"} <= {each["id"] for each in listed}
        for each in listed:
            assert set(each) == {"id", "payload", "error", "matrix"}
            assert each["payload"] == f"TK:{each['id']}"
            assert each["error"] == "Q"
            assert each["matrix"] == list(component_qr_codes.matrix(each["id"]))

    def test_codes_in_words(self, capsys: pytest.CaptureFixture[str]) -> None:
        """`codes` prints one line per code. Without a game, it prints the codes of all games."""
        assert main(["codes"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split() for line in lines] == [
            [code, f"TK:{code}"] for game in GAMES.values() for code in game.physical.components.codes()
        ]

    def test_mat_in_json_and_words(self, capsys: pytest.CaptureFixture[str]) -> None:
        """`mat` prints JSON for scripts and a table for people."""
        assert main(["mat", "systems-failing", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["size_mm"] == [*MAT.size]
        assert main(["mat", "systems-failing"]) == 0
        assert "zone-2" in capsys.readouterr().out
