"""Emblems: SVG files that are drawn both in prints and on pages."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pypdfium2
import pytest
from PIL import Image
from reportlab.lib.colors import HexColor
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas as PdfCanvas

from companion import games
from companion.drawing.canvas import PAPER, Canvas
from companion.drawing.emblem_files import load_emblem
from tests.web_table import new_web_table

FILES = sorted(Path(games.__file__).parent.glob("*/svg/*.svg"))
RED, BLUE, GREEN = (HexColor(color) for color in ("#ff0000", "#0000ff", "#00ff00"))
SIDE_MM = 40


def printed(path: Path, tmp_path: Path, **how: object) -> Image.Image:
    """The emblem in red on a white square, with its origin in the middle, at ten pixels per unit."""
    file = tmp_path / "emblem.pdf"
    pdf = PdfCanvas(str(file), pagesize=(SIDE_MM * mm, SIDE_MM * mm))
    canvas = Canvas(pdf)
    with canvas.at(SIDE_MM / 2, SIDE_MM / 2):
        load_emblem(path).draw(canvas, RED, PAPER, **how)  # type: ignore[arg-type]
    pdf.showPage()
    pdf.save()
    return pypdfium2.PdfDocument(file)[0].render(scale=10 * 25.4 / 72).to_pil().convert("RGB")


def pixel(picture: Image.Image, x: float, y: float) -> object:
    """The color at a point of the file."""
    return picture.getpixel((round((SIDE_MM / 2 + x) * 10), round((SIDE_MM / 2 + y) * 10)))


def svg(tmp_path: Path, inside: str, attributes: str = 'viewBox="-12 -12 24 24"') -> Path:
    """An SVG file with the shapes `inside`."""
    path = tmp_path / f"{abs(hash(inside + attributes))}.svg"
    path.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}>{inside}</svg>')
    return path


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_every_emblem_is_drawn_whole_in_print_and_on_the_web(path: Path, tmp_path: Path) -> None:
    """Every emblem is visible, and is completely within the box that a page shows."""
    left, top, width, height = map(float, ElementTree.parse(path).getroot().attrib["viewBox"].split())
    ends = [
        (x, -y)
        for shape in load_emblem(path).shapes
        for subpath in shape.subpaths
        for x, y in (subpath.start, *(step[-1] for step in subpath.steps))
    ]
    assert ends
    assert all(left <= x <= left + width and top <= y <= top + height for x, y in ends)
    symbol = ElementTree.fromstring(load_emblem(path).symbol("one"))
    assert symbol.attrib["id"] == "one"
    assert len([*symbol.iter()]) == len([*ElementTree.parse(path).getroot().iter()])


def test_what_an_svg_editor_writes_is_drawn_in_the_right_place(tmp_path: Path) -> None:
    """Relative and curved paths, arcs, groups, transforms and styles are drawn in the right place: y points down in the
    file and up in print."""
    shapes = """
      <g transform="translate(6 -6)"><rect x="-2" y="-2" width="4" height="4" style="fill:#0000ff"/></g>
      <path d="m-8-8h4v4h-4z"/>
      <path d="M-8 6A2 2 0 1 1-4 6 2 2 0 1 1-8 6z"/>
      <path d="M4 4q2 0 4 4t-4-2z" fill="none" stroke="currentColor" stroke-width="1"/>
    """
    picture = printed(svg(tmp_path, shapes), tmp_path)
    assert [pixel(picture, *at) for at in ((6, -6), (-6, -6), (-6, 6), (4, 4))] == [
        (0, 0, 255),
        *[(255, 0, 0)] * 3,
    ]
    assert pixel(picture, 6, 10) == pixel(picture, 0, 0) == (255, 255, 255)


def test_size_and_box_of_the_file_do_not_move_it(tmp_path: Path) -> None:
    """The emblem's origin stays in the same place if an editor adds a paper size or crops the view box."""
    circle = '<circle cx="3" cy="-2" r="4"/>'
    files = [svg(tmp_path, circle), svg(tmp_path, circle, 'viewBox="-20 -10 30 20" width="60mm" height="40mm"')]
    shapes = [load_emblem(path).shapes for path in files]
    starts = [shape[0].subpaths[0].start for shape in shapes]
    assert starts[0] == pytest.approx((7, 2))
    assert starts[1] == pytest.approx((7, 2), abs=0.001)


def test_colors_take_the_place_of_those_in_the_file(tmp_path: Path) -> None:
    """A shape without a color is drawn in the ink color, and a white shape in the background color. Other colors can be
    replaced, holes are transparent, and shapes can be left out by id."""
    shapes = """
      <rect x="-10" y="-10" width="20" height="20"/>
      <path fill="#fff" fill-rule="evenodd" d="M-8-8H8V8H-8zM-4-4V4H4V-4z"/>
      <circle id="spot" r="2" fill="#f5b921"/>
    """
    path = svg(tmp_path, shapes)
    picture = printed(path, tmp_path, colors={"#f5b921": GREEN, "#ffffff": BLUE})
    assert [pixel(picture, x, 0) for x in (9, 6, 3, 0)] == [(255, 0, 0), (0, 0, 255), (255, 0, 0), (0, 255, 0)]
    assert pixel(printed(path, tmp_path, hidden={"spot"}), 0, 0) == (255, 0, 0)


@pytest.mark.parametrize("game", games.GAMES)
def test_pages_have_every_symbol_that_they_use(game: str) -> None:
    """Every symbol to which a page refers with <use> is defined on it once."""
    web_table = new_web_table()
    web_table.table.start(game, None, {}, {}, (), "s")
    page = web_table.phone(0).get("/play").text
    ids = re.findall(r'<(?:symbol|g) [^>]*?\bid="([^"]+)"', page)
    used = set(re.findall(r'<use [^>]*?href="#([^"]+)"', page))
    assert used
    assert used <= set(ids)
    assert all(ids.count(id) == 1 for id in used)
