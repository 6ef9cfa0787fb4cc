"""Draws docs/hardware/camera-side-view.svg, docs/hardware/drill-template.pdf and a picture of the template. The figures
come from the code: the camera's heights from companion/printing/camera_height.py, the box's parts from
firmware/hardware.py.

.venv/bin/python scripts/draw_stand_and_box_lid.py
"""

from __future__ import annotations

import ast
import io
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pypdfium2
from PIL import Image
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas as PdfCanvas

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from companion.drawing.canvas import BOLD, FAINT, INK, MEDIUM, MUTED, Canvas  # noqa: E402
from companion.games import GAMES  # noqa: E402
from companion.printing.camera_height import (  # noqa: E402
    FIELD_OF_VIEW_DEGREES,
    WIDTH_PER_HEIGHT,
    max_height_cm,
    min_height_cm,
)
from companion.printing.printable_components import USUAL_CODE_MM  # noqa: E402

FOLDER = ROOT / "docs" / "hardware"
SIDE_VIEW, TEMPLATE, TEMPLATE_PICTURE = "camera-side-view.svg", "drill-template.pdf", "drill-template.webp"

RECOMMENDED_CM = 54
"""The height of the camera in the side view: the one that hardware.md recommends for most games."""
PX_PER_CM = 6
WIDTH_PX, TABLE_Y_PX, CENTER_X_PX = 800, 640, 400

PAPER_MM = (297.0, 210.0)
"""A4, landscape. Everything is drawn well inside, so that it fits on Letter too."""
LID_MM = (200.0, 120.0)
CHECK_LINE_MM = 50.0
SEATS_MM = ((-76.0, -30.0), (-76.0, 30.0), (0.0, 42.0), (76.0, 30.0), (76.0, -30.0))
"""The centers of the seat buttons, from the middle of the lid, y up: clockwise from seat 1 at the bottom left."""
DIAL_MM, BUZZER_MM = (0.0, -36.0), (32.0, -36.0)
BARS_MM = ((0.0, 14.0), (0.0, -6.0))
BUTTON_HOLES_MM = (16.0, 24.0, 30.0)
"""The diameters of the common kinds of lit buttons."""
DIAL_HOLE_MM, SOUND_HOLE_MM, SOUND_HOLE_DISTANCE_MM = 7.0, 2.0, 4.0
PIXEL_PITCH_MM, SLOT_HEIGHT_MM = 6.5, 6.0
"""The width of a bar for each of its pixels, and the height of its slot."""


def box_parts() -> Mapping[str, Any]:
    """The constants of firmware/hardware.py. The file is parsed, not run, because it needs a Pico."""
    lines = ast.parse((ROOT / "firmware" / "hardware.py").read_text("utf-8")).body
    return {
        ast.unparse(line.targets[0]): ast.literal_eval(line.value) for line in lines if isinstance(line, ast.Assign)
    }


def side_view() -> str:
    """The side view as the text of an SVG file, drawn to scale."""
    return "\n".join(["".join(_head()), *_stand(), *_view(), *_dimensions(), *_lamp(), "</svg>", ""])


def _y(height_cm: float) -> float:
    """The y coordinate, in pixels, of a height above the table."""
    return round(TABLE_Y_PX - height_cm * PX_PER_CM, 1)


def _head() -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH_PX} 740" font-family="sans-serif" '
        'fill="#131c33" stroke-linecap="round">\n'
    )
    yield "  <title>The camera above the table, from the side</title>\n"
    yield "  <!-- Drawn by scripts/draw_stand_and_box_lid.py. -->\n"
    yield f'  <rect width="{WIDTH_PX}" height="740" fill="#fff"/>\n'
    yield _text(CENTER_X_PX, 32, "The camera above the table, from the side", size=20, bold=True)


def _stand() -> Iterator[str]:
    post_x, arm_y, below_px = 92, _y(RECOMMENDED_CM) - 20, TABLE_Y_PX + 44
    yield _shape(f"M30,{TABLE_Y_PX + 7}H{WIDTH_PX - 30}V{TABLE_Y_PX + 19}H30Z", fill="#d8c3a5")
    yield _shape(f"M{post_x},{below_px}V{arm_y}H{CENTER_X_PX}", stroke="#66718a", width=9)
    yield _shape(
        f"M{post_x + 22},{below_px - 8}H{post_x - 18}V{TABLE_Y_PX + 2}H{post_x + 22}", stroke="#66718a", width=5
    )
    yield _text(post_x + 14, arm_y - 14, "arm with a clamp at the table’s edge", anchor="start")
    yield _shape(f"M{CENTER_X_PX - 22},{arm_y}h44v14h-15v6h-14v-6h-15Z", fill="#131c33")
    yield _text(CENTER_X_PX + 12, arm_y - 14, "camera, above the middle of the mat", anchor="start")


def _view() -> Iterator[str]:
    lens_y, half = _y(RECOMMENDED_CM), round(RECOMMENDED_CM * WIDTH_PER_HEIGHT / 2 * PX_PER_CM, 1)
    left, right = CENTER_X_PX - half, CENTER_X_PX + half
    yield (
        f'  <path id="view" d="M{left},{TABLE_Y_PX}L{CENTER_X_PX},{lens_y}L{right},{TABLE_Y_PX}" fill="#e0eaff" '
        'fill-opacity="0.55" stroke="#1d4fb8" stroke-width="1.5" stroke-dasharray="7 5"/>'
    )
    mat = _mat_cm() * PX_PER_CM / 2
    yield (
        f'  <rect id="mat" x="{CENTER_X_PX - mat:g}" y="{TABLE_Y_PX}" width="{2 * mat:g}" height="7" fill="#17824a"/>'
    )
    yield _text(CENTER_X_PX, lens_y + 96, f"{FIELD_OF_VIEW_DEGREES:g}°", size=16, bold=True, color="#1d4fb8")
    yield _text(CENTER_X_PX, lens_y + 115, "angle of view", color="#1d4fb8")


def _mat_cm() -> float:
    """The width in cm of the mat in the side view, which is the mat of Systems Failing."""
    mat = GAMES["systems-failing"].physical.components.mat
    assert mat
    return mat.size[0] / 10


def _dimensions() -> Iterator[str]:
    game_mat = GAMES["systems-failing"].physical.components.mat
    assert game_mat
    lowest, highest = min_height_cm(game_mat), max_height_cm(USUAL_CODE_MM)
    visible = round(RECOMMENDED_CM * WIDTH_PER_HEIGHT)
    yield _text(CENTER_X_PX, TABLE_Y_PX - 12, f"mat {_mat_cm():g} cm", color="#17824a", bold=True)
    half = RECOMMENDED_CM * WIDTH_PER_HEIGHT / 2 * PX_PER_CM
    yield from _across(TABLE_Y_PX + 60, CENTER_X_PX - half, CENTER_X_PX + half, f"visible width {visible} cm")
    lens_y, x = _y(RECOMMENDED_CM), 152
    yield _shape(f"M{x - 12},{lens_y}H{CENTER_X_PX}", stroke="#8791a5", width=1)
    yield from _upright(x, lens_y, TABLE_Y_PX, "#131c33")
    turned = (
        f'font-size="15" text-anchor="middle" transform="translate({x - 12} {(lens_y + TABLE_Y_PX) / 2}) rotate(-90)"'
    )
    height = f'<tspan font-weight="bold">height {RECOMMENDED_CM} cm</tspan>'
    yield f"  <text {turned}>{height}, from the mat to the lens</text>"
    x = WIDTH_PX - 46
    yield from _upright(x, _y(highest), _y(lowest), "#b36b00")
    for at, words in ((highest, f"{highest} cm: highest for codes of {USUAL_CODE_MM:g} mm"), (lowest, f"{lowest} cm:")):
        yield _text(x - 12, _y(at) + 5, words, anchor="end", color="#8a5200", bold=True)
    yield _text(x - 12, _y(lowest) + 24, "lowest for the whole mat", anchor="end", color="#8a5200", bold=True)


def _lamp() -> Iterator[str]:
    x, y = 640, _y(27)
    yield _shape(f"M{x + 34},{y + 26}L{x + 6},{y - 22}L{x - 14},{y - 10}L{x + 14},{y + 38}Z", fill="#f4b400")
    yield _shape(f"M{x - 14},{y + 26}L{x - 70},{y + 62}", stroke="#f4b400", width=3)
    yield _shape(f"M{x - 4},{y + 42}L{x - 44},{y + 92}", stroke="#f4b400", width=3)
    yield _text(x + 102, y - 50, "wide lamp at the side:", anchor="end")
    yield _text(x + 102, y - 31, "no reflection in view", anchor="end")


def _shape(path: str, fill: str = "none", stroke: str = "none", width: float = 1.5) -> str:
    return f'  <path d="{path}" fill="{fill}" stroke="{stroke}" stroke-width="{width:g}"/>'


def _text(
    x: float,
    y: float,
    words: str,
    *,
    size: int = 15,
    bold: bool = False,
    anchor: str = "middle",
    color: str = "#131c33",
) -> str:
    weight = "bold" if bold else "normal"
    return (
        f'  <text x="{x:g}" y="{y:g}" font-size="{size}" font-weight="{weight}" fill="{color}" '
        f'text-anchor="{anchor}">{words}</text>'
    )


def _across(y: float, left: float, right: float, words: str) -> Iterator[str]:
    ends = "".join(f"M{x:.1f},{y - 7:g}v14" for x in (left, right))
    yield _shape(f"M{left:.1f},{y:g}H{right:.1f}{ends}", stroke="#1d4fb8", width=2)
    yield _text((left + right) / 2, y + 22, words, bold=True, color="#1d4fb8")


def _upright(x: float, top: float, bottom: float, color: str) -> Iterator[str]:
    ends = "".join(f"M{x - 7:g},{y:g}h14" for y in (top, bottom))
    yield _shape(f"M{x:g},{top:g}V{bottom:g}{ends}", stroke=color, width=2)


def template() -> bytes:
    """The drill template as a PDF file of one page."""
    written = io.BytesIO()
    pdf = PdfCanvas(written, pagesize=(PAPER_MM[0] * mm, PAPER_MM[1] * mm), pageCompression=1, invariant=1)
    pdf.setTitle("Drill template for the box")
    pdf.setAuthor("Tablekeeper")
    pdf.setViewerPreference("PrintScaling", "None")
    canvas = Canvas(pdf)
    with canvas.at(PAPER_MM[0] / 2, PAPER_MM[1] / 2 + 6):
        _draw_lid(canvas)
        _draw_notes(canvas)
    pdf.showPage()
    pdf.save()
    return written.getvalue()


def _draw_lid(canvas: Canvas) -> None:
    parts = box_parts()
    canvas.box(-LID_MM[0] / 2, -LID_MM[1] / 2, *LID_MM, stroke=INK, line=0.3, radius=3)
    canvas.text(0, LID_MM[1] / 2 + 2, f"lid, {LID_MM[0]:g} × {LID_MM[1]:g} mm, from above", 4, align="center")
    for seat, (x, y) in enumerate(SEATS_MM[: len(parts["SEAT_BUTTONS"])], 1):
        for number, diameter in enumerate(BUTTON_HOLES_MM):
            dash = () if number == 0 else (1.2, 1.2)
            canvas.circle(x, y, diameter / 2, stroke=MUTED if number else INK, line=0.2, dash=dash)
        _draw_center(canvas, x, y)
        canvas.text(x + (24 if x <= 0 else -24), y - 1.5, f"seat {seat}", 4.4, font=BOLD, align="center")
        canvas.text(x + (24 if x <= 0 else -24), y - 5.5, f"{BUTTON_HOLES_MM[0]:g} mm", 3, align="center")
    slot = parts["PIXELS_PER_BAR"] * PIXEL_PITCH_MM
    for bar, (x, y) in enumerate(BARS_MM[: len(parts["BARS"])], 1):
        canvas.box(x - slot / 2, y - SLOT_HEIGHT_MM / 2, slot, SLOT_HEIGHT_MM, stroke=INK, line=0.2)
        for pixel in range(parts["PIXELS_PER_BAR"]):
            _draw_center(canvas, x - slot / 2 + (pixel + 0.5) * PIXEL_PITCH_MM, y, 1)
        label = f"bar {bar}: slot {slot:g} × {SLOT_HEIGHT_MM:g} mm, first pixel on the left"
        canvas.text(x, y + SLOT_HEIGHT_MM / 2 + 1.8, label, 3, align="center")
    canvas.circle(*DIAL_MM, DIAL_HOLE_MM / 2, stroke=INK, line=0.2)
    _draw_center(canvas, *DIAL_MM)
    canvas.text(DIAL_MM[0], DIAL_MM[1] + 7, "dial", 4.4, font=BOLD, align="center")
    canvas.text(DIAL_MM[0], DIAL_MM[1] - 8, f"{DIAL_HOLE_MM:g} mm", 3, align="center")
    for across in (-1, 0, 1):
        for up in (-1, 0, 1):
            x, y = BUZZER_MM[0] + across * SOUND_HOLE_DISTANCE_MM, BUZZER_MM[1] + up * SOUND_HOLE_DISTANCE_MM
            canvas.circle(x, y, SOUND_HOLE_MM / 2, stroke=INK, line=0.2)
    canvas.text(BUZZER_MM[0], BUZZER_MM[1] + 9, "buzzer", 4.4, font=BOLD, align="center")
    canvas.text(BUZZER_MM[0], BUZZER_MM[1] - 9, f"9 × {SOUND_HOLE_MM:g} mm", 3, align="center")


def _draw_center(canvas: Canvas, x: float, y: float, arm: float = 2.5) -> None:
    canvas.line((x - arm, y), (x + arm, y), line=0.15)
    canvas.line((x, y - arm), (x, y + arm), line=0.15)


def _draw_notes(canvas: Canvas) -> None:
    top = -LID_MM[1] / 2 - 10
    half = CHECK_LINE_MM / 2
    canvas.line((-100, top), (-100 + CHECK_LINE_MM, top), color=INK, line=0.3)
    for x in (-100, -100 + CHECK_LINE_MM):
        canvas.line((x, top - 2), (x, top + 2), color=INK, line=0.3)
    canvas.text(-100 + half, top - 6, f"must measure {CHECK_LINE_MM:g} mm", 4.4, font=BOLD, align="center")
    canvas.box(-38, top - 13, 138, 17, stroke=FAINT, line=0.2, radius=2)
    text = (
        "Print at 100% (“actual size”). Cut along the lid’s outline, tape the sheet on, and punch the centers. Solid "
        "circles are for buttons of 16 mm, dashed ones for 24 and 30 mm. Measure your parts first. The hole of 12 mm "
        "for the cable goes into the back wall."
    )
    canvas.paragraph(-35, top - 0.6, text, 3.6, 132, font=MEDIUM)
    canvas.text(0, LID_MM[1] / 2 + 12, "The box: drill template, 1:1", 7, font=BOLD, align="center")


def template_picture(pdf: bytes, px_per_mm: float) -> Image.Image:
    """The page of the template as a picture."""
    return pypdfium2.PdfDocument(pdf)[0].render(scale=px_per_mm / mm).to_pil().convert("RGB")


def main() -> None:
    """Writes the files."""
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / SIDE_VIEW).write_text(side_view(), "utf-8")
    (FOLDER / TEMPLATE).write_bytes(template())
    template_picture(template(), 4).save(FOLDER / TEMPLATE_PICTURE, "webp", lossless=True, method=6)


if __name__ == "__main__":
    main()
