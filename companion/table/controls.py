"""What the buttons and the dial on the table mean: the table's own hand.

Law: pure. Everyone sees these presses, so nothing here depends on what is hidden.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from companion.games.rules import SPECTATOR, Move, Seat
from companion.match.match import Match
from companion.match.view import Ask
from companion.tabletop.observations import Button, ButtonPressed
from companion.text.translation import _, plural


@dataclass(frozen=True)
class Dial:
    """Where the dial stands: `at` of the moves that it goes through, from 0."""

    moves: tuple[Move, ...]
    at: int

    @property
    def move(self) -> Move:
        return self.moves[self.at]


@dataclass(frozen=True)
class Agree:
    """Yes to what is asked; `seat` None: said at the table."""

    seat: Seat | None


@dataclass(frozen=True)
class Make:
    """A move; one that needs another player's word is asked for first."""

    move: Move


@dataclass(frozen=True)
class Say:
    """Nothing but words, said in the language of who hears them."""

    words: Callable[[], str]


Deed = Agree | Make | Say | Literal["undo", "proceed"]


def turned(match: Match, dial: Dial | None, steps: int) -> Dial | None:
    """The dial after so many steps; the first one clockwise comes to the first move. None: there is nothing to dial."""
    moves = match.game.dial_moves(match.state)
    before = dial.at if dial else -1 if steps > 0 else 0
    return Dial(moves, (before + steps) % len(moves)) if moves else None


def dialled(match: Match, dial: Dial) -> str:
    """What the dial stands at, in words."""
    what = ": ".join(match.game.text.label(match.state, dial.move, SPECTATOR, match.names))
    count = len(dial.moves)
    return _("{what} ({n} of {count}). Push the dial to do it, or turn on.", what=what, n=dial.at + 1, count=count)


def going_back(held: int) -> str:
    """What pages say while undo is held; nothing for a press."""
    if not held:
        return ""
    return plural(
        "Undo is held: {n} act taken back. Let go to stop.",
        "Undo is held: {n} acts taken back. Let go to stop.",
        held + 1,
    )


def meaning_of(match: Match, pressed: ButtonPressed, ask: Ask | None, dial: Dial | None) -> Deed:
    """What a press does now."""
    if pressed.button == "undo":
        return "undo"
    if pressed.seat is not None:
        return _at_seat(match, pressed, pressed.seat, ask, dial)
    if ask and pressed.button == "confirm":
        return Agree(None)
    return _at_table(match, pressed, dial if pressed.button == "confirm" else None)


def _at_table(match: Match, pressed: ButtonPressed, dial: Dial | None) -> Deed:
    if match.pause():
        return "proceed"
    if dial:
        return Make(dial.move)
    move = match.game.physical.meaning_of(match.state, pressed)
    return Make(move) if move else Say(lambda: _nothing_to(pressed.button))


def _nothing_to(button: Button) -> str:
    match button:
        case "next":
            return _("There is nothing to go on with now.")
        case "confirm":
            return _("There is nothing to confirm now.")
        case "draw":
            return _("There is nothing to draw now.")
        case "undo":
            return _("There is nothing to take back.")


def _at_seat(match: Match, pressed: ButtonPressed, seat: int, ask: Ask | None, dial: Dial | None) -> Deed:
    """A seat's own button: yes to what it is asked, else the end of its turn or the move that is dialled."""
    turn = match.state.turn
    if not 0 <= seat < len(match.names):
        return Say(lambda: _("Nobody sits there in this game."))
    if ask:
        if seat == ask.asked:
            return Agree(Seat(seat))
        return Say(lambda: _("{name} is asked; the button there says yes.", name=match.names[ask.asked]))
    if isinstance(turn, int) and turn != seat:
        return Say(lambda: _("It is {name}'s turn.", name=match.names[turn]))
    return _at_table(match, pressed, dial)
