"""The buttons and the dial on the table: the command that each press or turn means.

Law: pure. Everyone sees these presses, so nothing here depends on hidden information.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.games.rules import SPECTATOR, Move, Seat
from companion.games.view import ConsentRequest
from companion.match.match import Match
from companion.tabletop.observations import Button, ButtonPressed
from companion.tabletop.sighting_context import NO_CONTEXT
from companion.text.messages import PlayerName, Text, TextLike, _, joined, plural


@dataclass(frozen=True)
class DialSelection:
    """The moves that the dial steps through, and the index of the selected one."""

    moves: tuple[Move, ...]
    index: int

    @property
    def move(self) -> Move:
        return self.moves[self.index]


@dataclass(frozen=True)
class GiveConsent:
    """The command to consent to the pending request. `seat`: whose button was pressed; None for a button that belongs
    to no seat."""

    seat: Seat | None


@dataclass(frozen=True)
class PlayMove:
    """The command to make a move. If the move needs another player's consent, that player is asked first."""

    move: Move


@dataclass(frozen=True)
class Refuse:
    """The answer to a press that can't be carried out now. `message` says why."""

    message: TextLike


ButtonCommand = GiveConsent | PlayMove | Refuse | Literal["undo", "proceed"]


def turn_dial(match: Match, dial: DialSelection | None, steps: int) -> DialSelection | None:
    """The dial after a turn by `steps`; None if there is no move to select. The first step clockwise selects the first
    move."""
    moves = match.game.dial_moves(match.state)
    before = dial.index if dial else -1 if steps > 0 else 0
    return DialSelection(moves, (before + steps) % len(moves)) if moves else None


def dial_message(match: Match, dial: DialSelection) -> Text:
    """The notice about the selected move: its name, its number, and how to make it."""
    what = joined(": ", match.game.text.label(match.state, dial.move, SPECTATOR, match.names))
    count = len(dial.moves)
    return _(
        "{what} ({n} of {count}). Push the dial to choose it, or keep turning.",
        what=what,
        n=dial.index + 1,
        count=count,
    )


def undo_message(repeats: int) -> TextLike:
    """The notice while the undo button is held; "" when it has just been pressed."""
    if not repeats:
        return ""
    return plural(
        "Holding Undo: {n} step undone. Let go to stop.",
        "Holding Undo: {n} steps undone. Let go to stop.",
        repeats + 1,
    )


def command_of(
    match: Match, pressed: ButtonPressed, request: ConsentRequest | None, dial: DialSelection | None
) -> ButtonCommand:
    """The command that the press of a button means in the current position."""
    if pressed.button == "undo":
        return "undo"
    if pressed.seat is not None:
        return _seat_command(match, pressed, pressed.seat, request, dial)
    if request and pressed.button == "confirm":
        return GiveConsent(None)
    return _table_command(match, pressed, dial if pressed.button == "confirm" else None)


def _table_command(match: Match, pressed: ButtonPressed, dial: DialSelection | None) -> ButtonCommand:
    if match.pause_label():
        return "proceed"
    if dial:
        return PlayMove(dial.move)
    move = match.game.physical.meaning_of(match.state, pressed, NO_CONTEXT)
    return PlayMove(move) if move else Refuse(_no_effect_text(pressed.button))


def _no_effect_text(button: Button) -> Text:
    match button:
        case "next":
            return _("There’s nothing to continue right now.")
        case "confirm":
            return _("There’s nothing to confirm right now.")
        case "draw":
            return _("There’s nothing to draw right now.")
        case "undo":
            return _("There’s nothing to undo.")


def _seat_command(
    match: Match, pressed: ButtonPressed, seat: int, request: ConsentRequest | None, dial: DialSelection | None
) -> ButtonCommand:
    """The command of a seat's own button. While a request is pending, the button of the player who was asked means
    consent, and all other seats' buttons are refused. Without a request, the button works like one that belongs to no
    seat, but it is refused on another seat's turn."""
    turn = match.state.turn
    if not 0 <= seat < len(match.names):
        return Refuse(_("Nobody has that seat in this game."))
    if request:
        if seat == request.asked:
            return GiveConsent(Seat(seat))
        return Refuse(_("{name} has to answer. That seat’s button means yes.", name=PlayerName(request.asked)))
    if isinstance(turn, int) and turn != seat:
        return Refuse(_("It’s {name}’s turn now.", name=PlayerName(turn)))
    return _table_command(match, pressed, dial)
