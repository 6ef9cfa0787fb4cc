"""The prints of Traffic Congestion: the mat and the signals of every board are read back from the pages."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache, partial
from io import BytesIO
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pypdfium2 as pdfium
import pytest
import zxingcpp
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas as PdfCanvas

from companion import component_qr_codes
from companion.__main__ import main
from companion.drawing.canvas import Canvas, Drawing
from companion.games.game import Game
from companion.games.rules import REFEREE
from companion.games.traffic_congestion.board_reader import board_files
from companion.games.traffic_congestion.component_art import TrafficArt
from companion.games.traffic_congestion.emblems import INKS
from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.mat_street_geometry import street_plan
from companion.games.traffic_congestion.physical import layout
from companion.printing import raster
from companion.printing.options import PrintOptions
from companion.printing.pdf import print_game
from companion.printing.printable_components import PrintError, draw_mat, printables
from companion.printing.raster import PixelArray, rendered_pages
from companion.simulator.scene_contents import TableScene
from companion.simulator.tidy_arrangement import tidy
from companion.tabletop.copy_assignment import assign_copies
from companion.tabletop.mat import Point
from tests.recording_canvas import drawn
from tests.traffic_positions import begin
from vision.simulated_camera import PlacedPrint, Scene, SimulatedCamera, TextureFolder
from vision.tracking.table_watcher import TableWatcher

PX, MAT_PX = 5, 2
"""Pixels per millimeter of the pages that are read back, and of a rendered mat."""
BOARDS = [*product(board_files(), ("right", "left"))]
every_board = pytest.mark.parametrize(("board", "driving"), BOARDS)


def on(**setup: Any) -> Game[Any]:
    """The game on a board."""
    return GAME.on_board(GAME.rules.begin(2, GAME.rules.resolve_setup(setup)))


def read(picture: PixelArray) -> list[str]:
    return [found.text for found in zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)]


def rendered(size: tuple[float, float], draw: Drawing, px: float) -> PixelArray:
    """A drawing as an image."""
    buffer = BytesIO()
    pdf = PdfCanvas(buffer, pagesize=(size[0] * mm, size[1] * mm))
    draw(Canvas(pdf))
    pdf.save()
    return next(rendered_pages(buffer.getvalue(), px))


@cache
def mat_drawn(board: str, driving: str) -> PixelArray:
    game = on(board=board, driving=driving)
    assert game.physical.components.mat is not None
    return rendered(game.physical.components.mat.size, partial(draw_mat, game), MAT_PX)


def around(picture: PixelArray, point: Point, reach: float) -> PixelArray:
    """The square around a point of the mat."""
    left, top = ((at - reach) * MAT_PX for at in point)
    return picture[round(top) : round(top + 2 * reach * MAT_PX), round(left) : round(left + 2 * reach * MAT_PX)]


@pytest.mark.slow
@pytest.mark.parametrize(("board", "paper"), [("grid-2x2", "a4"), ("grid-3x3", "letter")])
def test_every_code_stands_in_the_print_once(board: str, paper: str, tmp_path: Path) -> None:
    """The print contains the code of each signal and of each corner of the mat exactly once."""
    game = on(board=board)
    print_game(game, tmp_path / "x.pdf", PrintOptions(paper))
    found = Counter(text for page in rendered_pages(tmp_path / "x.pdf", PX) for text in read(page))
    assert found == Counter(component_qr_codes.payload(code) for code in GAME.physical.components.codes())


@pytest.mark.parametrize(("board", "largest"), [("grid-2x2", 20), ("grid-3x3", 15), ("crossroads", 20)])
def test_codes_are_as_large_as_the_lanes_allow(board: str, largest: int) -> None:
    """On each board, codes may be as large as its lanes allow (`largest`, in mm). Larger codes are refused with a
    message that gives this size."""
    assert printables(on(board=board), PrintOptions(code_mm=largest))
    with pytest.raises(PrintError, match=rf"choose 10 to {largest} mm"):
        printables(on(board=board), PrintOptions(code_mm=largest + 1))


def test_a_board_without_room_for_codes_is_not_printed(tmp_path: Path) -> None:
    """A board is refused if a street is so short that no lane beside it is wide enough for a code."""
    path = tmp_path / "narrow.toml"
    path.write_text(board_files()["grid-2x2"].read_text("utf-8").replace("at = [3, ", "at = [40, "), "utf-8")
    with pytest.raises(PrintError, match="no room for codes"):
        printables(on(board=str(path)))


def test_a_signal_is_an_arrow_up() -> None:
    """A signal is a blue arrow that points up, with an upright code below it. Its back has a code of its own."""
    piece = printables(GAME)[0]
    front, back = (rendered(piece.size, side, PX) for side in (piece.front, piece.back))
    tip = front[round(1.6 * PX)]
    assert tip[front.shape[1] // 2, 0] > 100 > tip[front.shape[1] // 2, 2]
    assert tip[2 * PX].min() > 250
    (found,) = zxingcpp.read_barcodes(front, formats=zxingcpp.BarcodeFormat.QRCode)
    assert found.text == component_qr_codes.payload(piece.component.id)
    assert abs(found.orientation) < 2
    assert read(back) == [component_qr_codes.payload(piece.component.reverse)]


def share(picture: PixelArray, ink: tuple[int, int, int]) -> float:
    """The fraction of an image that has this color (blue, green, red)."""
    return float(np.mean(np.abs(picture.astype(int) - ink).max(axis=2) < 12))


def bgr(color: str) -> tuple[int, int, int]:
    red, green, blue = (round(255 * part) for part in INKS[color].full.rgb())
    return blue, green, red


@every_board
def test_the_way_home_has_its_color(board: str, driving: str) -> None:
    """The outer end of each exit has the color of its side and no other color. Entrances have no color."""
    mat, found = mat_drawn(board, driving), street_plan(begin(board=board, driving=driving).network)
    for name, geometry in found.lanes.items():
        sign = around(
            mat, geometry.point(-6) if geometry.lane.kind == "exit" else geometry.point(geometry.length + 6), 4
        )
        for color in INKS:
            home = color in found.network.scoring_colors.get(name, ())
            assert (share(sign, bgr(color)) > 0.2) == home, (name, color)


@every_board
def test_the_street_is_pale_where_signals_and_cars_lie(board: str, driving: str) -> None:
    """Where signals and cars are put, the mat is pale and has no color of a car, so that the camera can see them."""
    mat, found = mat_drawn(board, driving), street_plan(begin(board=board, driving=driving).network)
    for geometry in found.lanes.values():
        places = [
            *(geometry.point(back, right) for back, right in geometry.car_offsets),
            geometry.point(-geometry.width / 2),
        ]
        for place in places if geometry.lane.kind != "exit" else ():
            assert around(mat, place, 4).min() > 150
            assert np.ptp(around(mat, place, 4).astype(int), axis=2).max() < 40


def test_the_commands_take_a_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`print` and `mat` accept the options of the game: another board, a user's file, the other driving side."""
    town = tmp_path / "town.toml"
    town.write_text(
        board_files()["crossroads"].read_text("utf-8").replace('id = "A"', 'id = "Oak"').replace('"A"', '"Oak"')
    )
    assert main(["mat", "traffic-congestion", "--json", "--option", f"board={town}"]) == 0
    assert json.loads(capsys.readouterr().out)["zones"][0]["name"] == "north1>Oak"
    assert main(["print", "traffic-congestion", "-o", str(tmp_path / "x.pdf"), "--option", f"board={town}"]) == 0
    assert main(["mat", "traffic-congestion", "--json", "--option", "driving=left"]) == 0
    left = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert left != GAME.physical.components.mat.to_json()  # type: ignore[union-attr]
    assert main(["mat", "traffic-congestion", "--option", "board=nowhere"]) == 2
    assert "board" in capsys.readouterr().err


@pytest.mark.slow
def test_the_camera_sees_where_signals_point(tmp_path: Path) -> None:
    """Printed signals that are slightly rotated are found at 1600 x 900 pixels in the right lane and direction, by a
    camera that knows the usual mat."""
    game, (state, rng) = on(board="grid-3x3"), (begin(board="grid-3x3"), Random(3))
    while len(state.signals) < 10:
        state = state.play(rng.choice([*state.legal_moves()]))
    mat, usual = game.physical.components.mat, GAME.physical.components.mat
    assert mat is not None
    assert usual is not None
    laid = assign_copies(layout(state, REFEREE), game.physical.components, {})
    world = tidy(TableScene(), laid, mat, {}, frozenset())
    raster.write_textures(game, tmp_path, 4)
    scene = Scene(tuple(PlacedPrint(p.code, p.x, p.y, p.angle + rng.uniform(-10, 10)) for p in world.on_mat))
    camera, watcher = (
        SimulatedCamera(TextureFolder(tmp_path)),
        TableWatcher(frozenset(GAME.physical.components.kinds), {"tc": usual}),
    )
    seen = {event.id: event for n in range(12) for event in watcher.process(camera.render(scene), n / 15)}
    for lane, orientation in laid.orientations.items():
        found = seen[laid.cards[lane][0]]
        assert found.mm is not None
        assert found.mat_angle is not None
        assert mat.zone_at(found.mm) == lane
        assert orientation.matches(found.mat_angle)


def test_the_print_says_that_paper_cars_are_not_counted(tmp_path: Path) -> None:
    """The first page of the print says that the camera does not count paper cars."""
    print_game(GAME, tmp_path / "x.pdf")
    with pdfium.PdfDocument(tmp_path / "x.pdf") as printed:
        said = printed[0].get_textpage().get_text_range()
    assert "the camera can’t count them" in " ".join(said.split())


def test_gates_are_spelled_as_everywhere() -> None:
    """The mat shows the names that pages and sentences use for lanes: `north1`."""
    plan = street_plan(begin().network)
    assert set(plan.network.board.gates) <= {words for words, _ in drawn(TrafficArt(plan).mat).texts}
