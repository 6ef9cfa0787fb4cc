"""Draws the sides of Commute's mat: the piles, a legend with the name of the game, and white squares for the corner
codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, PAPER, Canvas, with_quiet_zone
from companion.games.commute import emblems
from companion.games.commute.board import Board
from companion.games.commute.emblems import HOUSES, UH_OH_DARK, line_color
from companion.games.commute.mat import DECK, DISCARD, SHOW, SIZE, SLOT, SLOTS, UH_OH_DECK, mat_for
from companion.games.commute.mat import UH_OH as UH_OH_PILE
from companion.tabletop.mat import Zone

CARD_SIZE: Final = (63.0, 88.0)
"""Width and height of a card, in mm."""
PILE_CAPTIONS: Final = (
    (DECK, "face down"),
    (DISCARD, "the card you play"),
    (SHOW, "one card, for a moment"),
    (UH_OH_DECK, "face down"),
    (UH_OH_PILE, "the card you draw"),
)
"""The caption of each pile, which says what belongs on the pile."""


def draw_sides(canvas: Canvas, board: Board) -> None:
    """Draws everything that is beside the city on the mat."""
    mat = mat_for(board)
    for name, words in PILE_CAPTIONS:
        _draw_pile(canvas, mat.zone(name), words)
    _draw_legend(canvas, board)
    for corner in mat.corners:
        side = with_quiet_zone(corner.code_mm) + 4
        x, y = corner.center[0] - side / 2, SIZE[1] - corner.center[1] - side / 2
        canvas.box(x, y, side, side, fill=PAPER, radius=2)


def _draw_pile(canvas: Canvas, zone: Zone, words: str) -> None:
    """Draws the place for a pile of cards: a frame with a picture, the title of the pile's zone, and the caption
    `words`."""
    (left, top), *_ = zone.polygon
    with canvas.at(left, SIZE[1] - top - SLOT[1]):
        yellow = zone.name in (UH_OH_DECK, UH_OH_PILE)
        canvas.box(0, 0, *SLOT, fill=emblems.UH_OH if yellow else INK, radius=4)
        x, y = (SLOT[0] - CARD_SIZE[0]) / 2, (SLOT[1] - CARD_SIZE[1]) / 2
        canvas.box(x, y, *CARD_SIZE, fill=PAPER, radius=2.5)
        with canvas.at(SLOT[0] / 2, SLOT[1] / 2 + 8):
            _draw_pile_symbol(canvas, zone.name)
        canvas.text(SLOT[0] / 2, 27, zone.title, 6.6, font=BOLD, align="center")
        canvas.text(SLOT[0] / 2, 20.5, words, 4.4, color=MUTED, align="center")


def _draw_pile_symbol(canvas: Canvas, name: str) -> None:
    """Draws a small picture of what belongs on the pile `name`, around the origin."""
    match name:
        case "deck" | "uh-oh-deck":
            color = INK if name == DECK else emblems.UH_OH
            for turn, shade in ((10, FAINT), (-8, color)):
                with canvas.at(0, 0, turn):
                    canvas.box(-10, -14, 20, 28, fill=shade, stroke=PAPER, line=1, radius=2)
            with canvas.at(0, 0, -8):
                if name == DECK:
                    emblems.draw_walker(canvas, 0, -7.5, 15, PAPER)
                else:
                    emblems.draw_burst(canvas, 0, 0, 8, UH_OH_DARK, 16)
        case "discard":
            with canvas.at(0, 0, 8):
                canvas.box(-10, -14, 20, 28, fill=PAPER, stroke=FAINT, line=1, radius=2)
                for suit, at in zip("HSCD", ((-4, 5.5), (4, 5.5), (-4, -5.5), (4, -5.5)), strict=True):
                    emblems.draw_suit(canvas, suit, *at, 6.5, emblems.SUIT_COLORS[suit])
        case "show":
            canvas.box(-15, -10, 30, 20, fill=INK, radius=3)
            canvas.box(-7, 8, 14, 5, fill=INK, radius=1.5)
            canvas.circle(0, 0, 8, fill=PAPER)
            canvas.circle(0, 0, 5.6, fill=MUTED)
        case _:
            with canvas.at(0, 0, 8):
                canvas.box(-10, -14, 20, 28, fill=emblems.UH_OH, stroke=UH_OH_DARK, line=1, radius=2)
                canvas.text(0, -6.6, "!", 19, font=BOLD, color=UH_OH_DARK, align="center")


def _draw_legend(canvas: Canvas, board: Board) -> None:
    """Draws the legend: the name of the game, and the signs on the board with their meanings."""
    with canvas.at(SLOTS[0][1], SIZE[1] - SLOTS[1][2] - SLOT[1]):
        canvas.box(0, 0, *SLOT, fill=PAPER, radius=4)
        canvas.box(0, 74, SLOT[0], 22, fill=INK, radius=4)
        canvas.text(SLOT[0] / 2, 84, "COMMUTE", 12, font=BOLD, color=PAPER, align="center", track=1.4)
        canvas.text(SLOT[0] / 2, 77.6, board.name.replace("-", " ").upper(), 4.2, color=FAINT, align="center", track=1)
        for number, (draw, title, words) in enumerate(LEGEND):
            y = 65.5 - number * 14.2
            with canvas.at(10, y):
                draw(canvas, board)
            canvas.text(19.5, y + 0.6, title, 5.0, font=BOLD)
            canvas.text(19.5, y - 4.6, words, 4.2, color=MUTED)


def _draw_minutes_sign(canvas: Canvas, board: Board) -> None:
    canvas.circle(0, 0, 5.6, fill=PAPER, stroke=INK, line=0.6)
    canvas.text(0, -1.8, "+3", 5, font=BOLD, color=emblems.BAD, align="center")


def _draw_uh_oh_sign(canvas: Canvas, board: Board) -> None:
    emblems.draw_burst(canvas, 0, 0, 6.4, UH_OH_DARK, 16)
    canvas.text(0, -2.5, "!", 7, font=BOLD, color=emblems.UH_OH, align="center")


def _draw_metro_signs(canvas: Canvas, board: Board) -> None:
    for number, line in enumerate(board.lines[:3]):
        emblems.draw_metro_sign(canvas, (number - 1) * 5.7, 0, 2.6, line_color(line, number))


def _draw_home_sign(canvas: Canvas, board: Board) -> None:
    with canvas.at(0, -1):
        emblems.draw_house(canvas, 8, HOUSES[0])


def _draw_clock_sign(canvas: Canvas, board: Board) -> None:
    emblems.draw_clock(canvas, 0, 0, 5, INK)


LEGEND: Final[tuple[tuple[Callable[[Canvas, Board], None], str, str], ...]] = (
    (_draw_minutes_sign, "Land here", "and add these minutes."),
    (_draw_uh_oh_sign, "Uh-Oh!", "Land here and draw one."),
    (_draw_metro_signs, "Metro", "One step to the next stop."),
    (_draw_home_sign, "Home", "Nobody else comes in."),
    (_draw_clock_sign, "Morning", "Arrive at 100 minutes."),
)
"""The entries of the legend. Each has the function that draws a sign, the sign's title and its meaning."""
