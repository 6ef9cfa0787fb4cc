"""The printed mat of System WON: city blocks for the cards, streets between them, and a summary of the turn.

The zones are those of `mat.MAT`. Here y points up, as on the canvas.
"""

from __future__ import annotations

from reportlab.lib.colors import Color, HexColor

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, PAPER, Canvas
from companion.drawing.polygon_corners import points_around
from companion.games.system_won import emblems
from companion.games.system_won.catalog import RANKS, catalog
from companion.games.system_won.emblems import PALE_SPEECH, SPEECH, SUITS
from companion.games.system_won.mat import (
    GAP,
    HELP,
    MAT,
    PILE_AREA,
    PLAY,
    ROLE_CARD,
    ROWS,
    SIZE,
    SPECIFICATION_CARD,
    SYSTEMS,
    role_places,
    specification_places,
    system_zone,
)
from companion.tabletop.mat import Zone

GROUND = HexColor("#dde3ea")
PALE_INK = HexColor("#cfd6e1")

TURN = (
    ("Give a hint", "Turn a specification card over. Point out all cards of one color or number in a hand."),
    ("Discard", "Put a card on the discards. Turn a specification card face up again. Draw."),
    ("Play", "Put a card on Play. If it’s next in its color, it joins that system. If not, it’s an error. Draw."),
)
SCORE = "The highest number of each system, minus one for each error. 20 is a perfect system."


def draw_mat(canvas: Canvas) -> None:
    """Draws the whole mat except the corner codes."""
    canvas.box(0, 0, *SIZE, fill=GROUND)
    _draw_streets(canvas)
    _draw_corner_areas(canvas)
    for zone in MAT.zones:
        _draw_city_block(canvas, zone)
    for color in catalog().colors:
        _draw_system(canvas, color)
    _draw_play_zone(canvas)
    _draw_error_pile(canvas)
    _draw_discard_pile(canvas)
    _draw_deck(canvas)
    _draw_camera_zone(canvas)
    _draw_role_zone(canvas)
    _draw_specification_zone(canvas)
    _draw_title(canvas)
    _draw_turn_summary(canvas)
    _draw_scoring_summary(canvas)


def _canvas_y(y: float) -> float:
    return SIZE[1] - y


def _zone_box(name: str) -> tuple[float, float, float, float]:
    """The left edge, the bottom edge, the width and the height of a zone, in mm. Here y points up."""
    (left, top), _, (right, bottom), _ = MAT.zone(name).polygon
    return left, _canvas_y(bottom), right - left, bottom - top


def _zone_center(name: str) -> tuple[float, float]:
    x, y, width, height = _zone_box(name)
    return x + width / 2, y + height / 2


def _draw_streets(canvas: Canvas) -> None:
    """Draws dashed lines between the rows."""
    for row in (1, 2):
        y = _canvas_y(ROWS[row] - GAP / 2)
        canvas.line((8, y), (SIZE[0] - 8, y), color=PAPER, line=0.9, dash=(7, 5))


def _draw_corner_areas(canvas: Canvas) -> None:
    """Draws the white areas around the corner codes."""
    for corner in MAT.corners:
        x, y = corner.center
        canvas.box(x - 18.6, _canvas_y(y) - 18.6, 37.2, 37.2, fill=PAPER, radius=3)


def _draw_city_block(canvas: Canvas, zone: Zone) -> None:
    x, y, width, height = _zone_box(zone.name)
    canvas.box(x, y, width, height, fill=PAPER, radius=4)


def _draw_ticks(canvas: Canvas, x: float, y: float, width: float, height: float, color: Color = MUTED) -> None:
    """Draws a mark in each corner of the area for a card. The lower left corner of the area is at (x, y)."""
    for corner_x, inwards in ((x, 1), (x + width, -1)):
        for corner_y, up in ((y, 1), (y + height, -1)):
            elbow = [(corner_x + 5 * inwards, corner_y), (corner_x, corner_y), (corner_x, corner_y + 5 * up)]
            canvas.shape(elbow, stroke=color, line=0.35, closed=False)


def _draw_pile_area(canvas: Canvas, name: str, ground: Color, edge: Color) -> tuple[float, float]:
    """Draws the zone of a pile and returns its center."""
    x, y, width, height = _zone_box(name)
    canvas.box(x, y, width, height, fill=ground, stroke=edge, line=0.9, radius=4)
    middle = (x + width / 2, y + height / 2)
    _draw_ticks(canvas, middle[0] - ROLE_CARD[0] / 2, middle[1] - ROLE_CARD[1] / 2, *ROLE_CARD, edge)
    return middle


def _draw_pile_label(canvas: Canvas, name: str, color: Color, words: str) -> None:
    """Writes a pile's name, and `words` below it."""
    x, y = _zone_center(name)
    canvas.text(x, y - 22, MAT.zone(name).title.upper(), 6.4, font=BOLD, color=color, align="center", track=0.5)
    canvas.paragraph(x, y - 29, words, 4.6, PILE_AREA[0] - 12, color=color, align="center")


def _draw_system(canvas: Canvas, color: str) -> None:
    """Draws the zone of a color's system: the suit's sign above five rising steps."""
    suit = SUITS[color]
    letter = next(each.letter for each in catalog().suits if each.color == color)
    x, y = _draw_pile_area(canvas, system_zone(color), suit.pale, suit.color)
    emblems.draw_suit(canvas, color, letter, x, y + 17, 29, solid=True)
    for rank in RANKS:
        left = x + (rank - 3) * 11.4
        canvas.box(left - 4.9, y - 26, 9.8, 9 + rank * 2.2, fill=suit.color, radius=1.2)
        canvas.text(left, y - 23.6, str(rank), 8, font=BOLD, color=suit.ink, align="center")
    canvas.text(x, y - 37, MAT.zone(system_zone(color)).title.upper(), 5.2, font=BOLD, align="center", track=0.5)


def _draw_play_zone(canvas: Canvas) -> None:
    x, y = _draw_pile_area(canvas, "play", PAPER, INK)
    with canvas.at(x, y + 8, scale=30):
        emblems.draw_arrow(canvas, INK)
    _draw_pile_label(canvas, "play", INK, "One card, for all to see.")
    gap = (PLAY + PILE_AREA[0], SYSTEMS)
    with canvas.at(sum(gap) / 2, y, scale=15):
        emblems.draw_arrow(canvas, PAPER)


def _draw_error_pile(canvas: Canvas) -> None:
    x, y = _draw_pile_area(canvas, "errors", PALE_INK, INK)
    with canvas.at(x, y + 12):
        canvas.shape(points_around([16.0] * 8, 22.5), fill=INK)
        canvas.text(0, -5.8, "−1", 17, font=BOLD, color=PAPER, align="center")
    _draw_pile_label(canvas, "errors", INK, "Each one costs a point.")


def _draw_discard_pile(canvas: Canvas) -> None:
    x, y = _draw_pile_area(canvas, "discard", PAPER, MUTED)
    for turn in (16, -14, 2):
        with canvas.at(x, y + 11, turn):
            canvas.box(-9, -13, 18, 26, fill=PAPER, stroke=MUTED, line=1, radius=2)
    _draw_pile_label(canvas, "discard", MUTED, "Anyone may look through them.")


def _draw_deck(canvas: Canvas) -> None:
    x, y = _draw_pile_area(canvas, "deck", PAPER, INK)
    for number in range(4):
        canvas.box(x - 12 + number * 1.6, y - 4 + number * 1.6, 19, 27, fill=INK, stroke=PAPER, line=0.8, radius=2)
    _draw_pile_label(canvas, "deck", INK, "Draw without looking.")


def _draw_camera_zone(canvas: Canvas) -> None:
    x, y = _draw_pile_area(canvas, "show", PALE_SPEECH, SPEECH)
    with canvas.at(x, y + 12, scale=28):
        emblems.draw_camera(canvas, SPEECH)
    canvas.text(x, y - 16, "SHOW THE CAMERA", 5.6, font=BOLD, color=SPEECH, align="center", track=0.4)
    words = "Put your new card here, face up, and look away. Then pick it up."
    canvas.paragraph(x, y - 23, words, 4.6, PILE_AREA[0] - 10, color=SPEECH, align="center")


def _draw_role_zone(canvas: Canvas) -> None:
    x, y, width, height = _zone_box("roles")
    canvas.box(x, y, width, height, stroke=INK, line=0.9, radius=4)
    for (left, top), role in zip(role_places(), catalog().roles, strict=False):
        low = _canvas_y(top + ROLE_CARD[1])
        _draw_ticks(canvas, left, low, *ROLE_CARD)
        with canvas.at(left + ROLE_CARD[0] / 2, low + 50, scale=26):
            emblems.draw_role(canvas, role, FAINT, PAPER)
        canvas.text(left + ROLE_CARD[0] / 2, low + 22, "ROLE", 7, font=BOLD, color=MUTED, align="center", track=0.8)
        canvas.text(left + ROLE_CARD[0] / 2, low + 15.6, "Used? Turn it over.", 4.8, color=MUTED, align="center")


def _draw_specification_zone(canvas: Canvas) -> None:
    x, y, width, height = _zone_box("specifications")
    canvas.box(x, y, width, height, fill=PALE_SPEECH, stroke=SPEECH, line=0.9, radius=4)
    with canvas.at(x + 14, y + height - 13.4, scale=12):
        emblems.draw_bubble(canvas, SPEECH)
    canvas.text(x + 25, y + height - 15.6, "SPECIFICATIONS", 9, font=BOLD, color=SPEECH, track=0.7)
    words = "READY: use one to give a hint.  USED: a discard or a finished system turns it face up."
    canvas.text(x + width - 8, y + height - 15, words, 5, color=SPEECH, align="right")
    for number, (left, top) in enumerate(specification_places(), 1):
        low = _canvas_y(top + SPECIFICATION_CARD[1])
        canvas.box(left, low, *SPECIFICATION_CARD, fill=PAPER, radius=2)
        _draw_ticks(canvas, left, low, *SPECIFICATION_CARD, SPEECH)
        canvas.text(left + 22, low + 25, str(number), 20, font=BOLD, color=PALE_SPEECH, align="center")


def _draw_title(canvas: Canvas) -> None:
    """Draws the title and the aim of the game above the first row of zones."""
    canvas.text(PLAY, _canvas_y(20.5), "SYSTEM WON", 19, font=BOLD, track=2.4)
    words = "Build all four traffic systems, 1 to 5, seeing every hand but your own"
    canvas.text(562, _canvas_y(20), words, 6.4, color=INK, align="right", track=0.1)


def _draw_turn_summary(canvas: Canvas) -> None:
    """Draws the summary of a turn next to the systems."""
    left, width = HELP
    top = _canvas_y(ROWS[0])
    canvas.box(left, top - PILE_AREA[1], width, PILE_AREA[1], fill=INK, radius=4)
    canvas.text(left + 6, top - 11, "YOUR TURN: ONE OF THREE", 6.2, font=BOLD, color=PAPER, track=0.3)
    y = top - 22
    for number, (title, words) in enumerate(TURN, 1):
        canvas.circle(left + 9, y + 1.7, 3.6, fill=PAPER)
        canvas.text(left + 9, y - 0.1, str(number), 5.2, font=BOLD, align="center")
        canvas.text(left + 16, y, title, 6.2, font=BOLD, color=PAPER)
        y = canvas.paragraph(left + 16, y - 6.2, words, 4.9, width - 22, color=PAPER) - 4.6


def _draw_scoring_summary(canvas: Canvas) -> None:
    """Draws the rules for scoring and for the last round next to the specification cards."""
    left, width = HELP
    top = _canvas_y(ROWS[2])
    canvas.text(left + 6, top - 12, "SCORE", 6.2, font=BOLD, track=0.3)
    canvas.paragraph(left + 6, top - 20, SCORE, 5.2, width - 12)
    canvas.text(left + 6, top - 46, "LAST CARD DRAWN?", 6.2, font=BOLD, track=0.3)
    canvas.paragraph(left + 6, top - 54, "Everybody has one more turn.", 5.2, width - 12)
