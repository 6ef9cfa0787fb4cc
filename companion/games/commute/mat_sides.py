"""The sides of Commute's mat: the piles, the game's name, what the signs mean, and white round the corner codes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from companion.drawing.canvas import BOLD, FAINT, INK, MUTED, PAPER, Pen, with_quiet
from companion.games.commute import emblems
from companion.games.commute.board import Board
from companion.games.commute.emblems import HOUSES, UH_OH_DARK, line_color
from companion.games.commute.mat import DECK, DISCARD, SHOW, SIZE, SLOT, SLOTS, UH_OH_DECK, mat_of
from companion.games.commute.mat import UH_OH as UH_OH_PILE
from companion.tabletop.mat import Zone

CARD: Final = (63.0, 88.0)
LAID: Final = (
    (DECK, "face down"),
    (DISCARD, "the card you play"),
    (SHOW, "one card, for a moment"),
    (UH_OH_DECK, "face down"),
    (UH_OH_PILE, "the card you draw"),
)
"""What is laid on each pile."""


def draw_sides(pen: Pen, board: Board) -> None:
    """All that lies beside the city."""
    mat = mat_of(board)
    for name, words in LAID:
        _pile(pen, mat.zone(name), words)
    _legend(pen, board)
    for corner in mat.corners:
        side = with_quiet(corner.code_mm) + 4
        x, y = corner.center[0] - side / 2, SIZE[1] - corner.center[1] - side / 2
        pen.box(x, y, side, side, fill=PAPER, radius=2)


def _pile(pen: Pen, zone: Zone, words: str) -> None:
    (left, top), *_ = zone.polygon
    with pen.at(left, SIZE[1] - top - SLOT[1]):
        yellow = zone.name in (UH_OH_DECK, UH_OH_PILE)
        pen.box(0, 0, *SLOT, fill=emblems.UH_OH if yellow else INK, radius=4)
        x, y = (SLOT[0] - CARD[0]) / 2, (SLOT[1] - CARD[1]) / 2
        pen.box(x, y, *CARD, fill=PAPER, radius=2.5)
        with pen.at(SLOT[0] / 2, SLOT[1] / 2 + 8):
            _sign(pen, zone.name)
        pen.text(SLOT[0] / 2, 27, zone.title, 6.6, font=BOLD, align="center")
        pen.text(SLOT[0] / 2, 20.5, words, 4.4, color=MUTED, align="center")


def _sign(pen: Pen, name: str) -> None:
    match name:
        case "deck" | "uh-oh-deck":
            color = INK if name == DECK else emblems.UH_OH
            for turn, shade in ((10, FAINT), (-8, color)):
                with pen.at(0, 0, turn):
                    pen.box(-10, -14, 20, 28, fill=shade, stroke=PAPER, line=1, radius=2)
            with pen.at(0, 0, -8):
                if name == DECK:
                    emblems.walker(pen, 0, -7.5, 15, PAPER)
                else:
                    emblems.burst(pen, 0, 0, 8, UH_OH_DARK, 16)
        case "discard":
            with pen.at(0, 0, 8):
                pen.box(-10, -14, 20, 28, fill=PAPER, stroke=FAINT, line=1, radius=2)
                for suit, at in zip("HSCD", ((-4, 5.5), (4, 5.5), (-4, -5.5), (4, -5.5)), strict=True):
                    emblems.suit_sign(pen, suit, *at, 6.5, emblems.SUIT_COLORS[suit])
        case "show":
            pen.box(-15, -10, 30, 20, fill=INK, radius=3)
            pen.box(-7, 8, 14, 5, fill=INK, radius=1.5)
            pen.circle(0, 0, 8, fill=PAPER)
            pen.circle(0, 0, 5.6, fill=MUTED)
        case _:
            with pen.at(0, 0, 8):
                pen.box(-10, -14, 20, 28, fill=emblems.UH_OH, stroke=UH_OH_DARK, line=1, radius=2)
                pen.text(0, -6.6, "!", 19, font=BOLD, color=UH_OH_DARK, align="center")


def _legend(pen: Pen, board: Board) -> None:
    """The game's name, and what the signs mean."""
    with pen.at(SLOTS[0][1], SIZE[1] - SLOTS[1][2] - SLOT[1]):
        pen.box(0, 0, *SLOT, fill=PAPER, radius=4)
        pen.box(0, 74, SLOT[0], 22, fill=INK, radius=4)
        pen.text(SLOT[0] / 2, 84, "COMMUTE", 12, font=BOLD, color=PAPER, align="center", track=1.4)
        pen.text(SLOT[0] / 2, 77.6, board.name.replace("-", " ").upper(), 4.2, color=FAINT, align="center", track=1)
        for number, (sign, title, words) in enumerate(SIGNS):
            y = 65.5 - number * 14.2
            with pen.at(10, y):
                sign(pen, board)
            pen.text(19.5, y + 0.6, title, 5.0, font=BOLD)
            pen.text(19.5, y - 4.6, words, 4.2, color=MUTED)


def _added(pen: Pen, board: Board) -> None:
    pen.circle(0, 0, 5.6, fill=PAPER, stroke=INK, line=0.6)
    pen.text(0, -1.8, "+3", 5, font=BOLD, color=emblems.BAD, align="center")


def _uh_oh(pen: Pen, board: Board) -> None:
    emblems.burst(pen, 0, 0, 6.4, UH_OH_DARK, 16)
    pen.text(0, -2.5, "!", 7, font=BOLD, color=emblems.UH_OH, align="center")


def _station(pen: Pen, board: Board) -> None:
    for number, line in enumerate(board.lines[:3]):
        emblems.metro(pen, (number - 1) * 5.7, 0, 2.6, line_color(line, number))


def _home(pen: Pen, board: Board) -> None:
    with pen.at(0, -1):
        emblems.house(pen, 8, HOUSES[0])


def _score(pen: Pen, board: Board) -> None:
    emblems.clock(pen, 0, 0, 5, INK)


SIGNS: Final[tuple[tuple[Callable[[Pen, Board], None], str, str], ...]] = (
    (_added, "Land here", "and add these minutes."),
    (_uh_oh, "Uh-Oh!", "Land here and draw one."),
    (_station, "Metro", "One step to the next stop."),
    (_home, "Home", "Nobody else comes in."),
    (_score, "Morning", "100 minutes are best."),
)
"""What a legend tells: the sign, its name, and what it means."""
