"""Traffic Congestion in print: every board's mat and signals, read back from the pages."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import zxingcpp

from companion import codes
from companion.__main__ import main
from companion.games.rules import Game
from companion.games.traffic_congestion.catalog import files
from companion.games.traffic_congestion.game import GAME
from companion.games.traffic_congestion.plan import plan
from companion.games.traffic_congestion.signs import INKS
from companion.printing.pdf import print_game
from companion.printing.pieces import PrintError
from companion.printing.raster import Picture, pictures, textures
from tests.traffic import begin

PX = 5
"""Pixels per millimetre of the pages that are read back."""
BOARDS = [*product(files(), ("right", "left"))]
every_board = pytest.mark.parametrize(("board", "driving"), BOARDS)


def on(**setup: Any) -> Game[Any]:
    """The game on a board."""
    return GAME.on(GAME.begin(2, GAME.settle(setup)))


def read(picture: Picture) -> list[str]:
    return [found.text for found in zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)]


@cache
def drawn(board: str, driving: str, folder: Path) -> dict[str, Picture]:
    """The mat and a signal's two sides."""
    textures(on(board=board, driving=driving), folder / f"{board}-{driving}", PX)
    index = json.loads((folder / f"{board}-{driving}" / "index.json").read_text())
    names = ("mat", "TC-SIG01/front", "TC-SIG01/back")
    return {name: cv2.imread(str(folder / f"{board}-{driving}" / index[name]["file"])) for name in names}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("boards")


@pytest.mark.parametrize(("board", "paper"), [("grid-2x2", "a4"), ("grid-3x3", "letter"), ("crossroads", "a4")])
def test_every_code_stands_in_the_print_once(board: str, paper: str, tmp_path: Path) -> None:
    """Each signal's, and each corner's of the mat."""
    game = on(board=board)
    print_game(game, tmp_path / "x.pdf", paper)
    found = Counter(text for page in pictures(tmp_path / "x.pdf", PX) for text in read(page))
    assert found == Counter(codes.payload(code) for code in GAME.equipment.codes())


@pytest.mark.parametrize(("board", "largest"), [("grid-2x2", 20), ("grid-3x3", 15), ("crossroads", 20)])
def test_codes_are_as_large_as_the_lanes_allow(board: str, largest: int, tmp_path: Path) -> None:
    """Up to that many millimetres; larger ones are refused, with what would do."""
    print_game(on(board=board), tmp_path / "x.pdf", code_mm=largest)
    with pytest.raises(PrintError, match=rf"choose 10 to {largest} mm"):
        print_game(on(board=board), tmp_path / "x.pdf", code_mm=largest + 1)


def test_a_signal_is_an_arrow_up(folder: Path) -> None:
    """Blue at the tip in the middle, paper beside it; the code stands upright below; the back holds none."""
    looks = drawn("grid-2x2", "right", folder)
    front = looks["TC-SIG01/front"]
    tip = front[round(1.6 * PX)]
    assert tip[front.shape[1] // 2, 0] > 100 > tip[front.shape[1] // 2, 2]
    assert tip[2 * PX].min() > 250
    (found,) = zxingcpp.read_barcodes(front, formats=zxingcpp.BarcodeFormat.QRCode)
    assert abs(found.orientation) < 2
    assert read(looks["TC-SIG01/back"]) == []


def share(picture: Picture, inks: list[tuple[int, int, int]]) -> float:
    """How much of a picture is of these colors, blue green red."""
    near = [np.abs(picture.astype(int) - ink).max(axis=2) < 12 for ink in inks]
    return float(np.mean(np.any(near, axis=0)))


def bgr(color: str) -> tuple[int, int, int]:
    red, green, blue = (round(255 * part) for part in INKS[color].full.rgb())
    return blue, green, red


@every_board
def test_the_way_home_has_its_color(board: str, driving: str, folder: Path) -> None:
    """At the outer end of each exit stands its side's color, and no other's; at that of an entrance none."""
    looks, found = drawn(board, driving, folder), plan(begin(board=board, driving=driving).roads)
    for name, stretch in found.stretches.items():
        x, y = stretch.at(-6) if stretch.lane.kind == "exit" else stretch.at(stretch.length + 6)
        around = looks["mat"][round((y - 4) * PX) : round((y + 4) * PX), round((x - 4) * PX) : round((x + 4) * PX)]
        for color in INKS:
            home = color in found.roads.goals.get(name, ())
            assert (share(around, [bgr(color)]) > 0.2) == home, (name, color)


@every_board
def test_what_stands_on_the_street_is_for_the_camera_pale(board: str, driving: str, folder: Path) -> None:
    """Where a signal or cars lie, the mat is neither dark nor of a car's color, so that both stand out."""
    looks, found = drawn(board, driving, folder), plan(begin(board=board, driving=driving).roads)
    for stretch in found.stretches.values():
        places = [*(stretch.at(back, right) for back, right in stretch.queue), stretch.at(-stretch.width / 2)]
        for x, y in places if stretch.lane.kind != "exit" else ():
            around = looks["mat"][round((y - 4) * PX) : round((y + 4) * PX), round((x - 4) * PX) : round((x + 4) * PX)]
            assert around.min() > 150
            assert np.ptp(around.astype(int), axis=2).max() < 40


def test_the_commands_take_a_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`print` and `mat` take the options of the game: another board, a file of one's own, the other side."""
    town = tmp_path / "town.toml"
    town.write_text(files()["crossroads"].read_text("utf-8").replace('id = "A"', 'id = "Oak"').replace('"A"', '"Oak"'))
    assert main(["mat", "traffic-congestion", "--json", "--option", f"board={town}"]) == 0
    assert json.loads(capsys.readouterr().out)["zones"][0]["name"] == "north1>Oak"
    assert main(["print", "traffic-congestion", "-o", str(tmp_path / "x.pdf"), "--option", f"board={town}"]) == 0
    assert main(["mat", "traffic-congestion", "--json", "--option", "driving=left"]) == 0
    left = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert left != GAME.equipment.mat.as_json()  # type: ignore[union-attr]
    assert main(["mat", "traffic-congestion", "--option", "board=nowhere"]) == 2
    assert "board" in capsys.readouterr().err
