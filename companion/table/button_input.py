"""Carries out the commands of `buttons_and_dial` when a button is pressed or the dial is turned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from companion.games import move_json
from companion.table import buttons_and_dial
from companion.table.act_performer import ActPerformer
from companion.table.consent import Consent
from companion.table.current_game import CurrentGame
from companion.table.transient_prompts import TransientPrompts
from companion.tabletop.observations import ButtonPressed
from companion.text.messages import _
from companion.text.refusal_errors import IllegalMove

MIN_PRESS_INTERVAL_S: Final = 0.8
"""If a button that had an effect is pressed again within this time, the second press is taken for an accident. Undo may
be pressed as often as people like."""


class ButtonInput:
    """Carries out presses of buttons and turns of the dial. The caller tells everyone that the table has changed. Not
    thread-safe: the table's lock guards it."""

    def __init__(
        self,
        clock: Callable[[], float],
        game: CurrentGame,
        prompts: TransientPrompts,
        acts: ActPerformer,
        consent: Consent,
    ) -> None:
        self._clock, self._game, self._prompts, self._acts, self._consent = clock, game, prompts, acts, consent
        self._last_press: tuple[ButtonPressed, float] | None = None
        """The last press of a button that had an effect, and when it was made; None if the dial has been turned since,
        or if it was an undo."""

    def press(self, pressed: ButtonPressed, version: int | None = None) -> None:
        """Carries out the command that the press of a button means now. Raises Refusal if the command is refused (Stale
        if `version` is not the current version), and JournalError if its result can't be stored."""
        match = self._game.require_match()
        match.check_version(version)
        self._carry_out(buttons_and_dial.command_of(match, pressed, self._prompts.request, self._prompts.dial), pressed)

    def _carry_out(self, command: buttons_and_dial.ButtonCommand, pressed: ButtonPressed) -> None:
        if command != "undo" and self._is_pressed_again(pressed):
            raise IllegalMove(_("Two quick presses count as one. Press again to go on."))
        match command:
            case "undo" if self._prompts.request is not None:
                self._acts.undo(None)
            case "undo":
                self._acts.undo(None)
                self._prompts.notice = buttons_and_dial.undo_message(pressed.repeats)
            case "proceed":
                self._acts.proceed(None)
            case buttons_and_dial.GiveConsent(seat):
                self._consent.answer(seat, agreed=True)
            case buttons_and_dial.PlayMove(move) if move.seat in self._game.active_companion_seats:
                raise IllegalMove(_("It’s the companion’s turn. It moves by itself."))
            case buttons_and_dial.PlayMove(move) if move.consenting_seat() is not None and isinstance(move.seat, int):
                self._consent.ask(move.seat, move_json.to_json(move))
            case buttons_and_dial.PlayMove(move):
                self._acts.make_device_move(move)
            case buttons_and_dial.Refuse(why):
                raise IllegalMove(why)
        self._last_press = None if command == "undo" else (pressed, self._clock())

    def _is_pressed_again(self, pressed: ButtonPressed) -> bool:
        """Whether the same button has just had an effect."""
        if self._last_press is None:
            return False
        last, at = self._last_press
        return (last.button, last.seat) == (pressed.button, pressed.seat) and self._clock() - at < MIN_PRESS_INTERVAL_S

    def turn_dial(self, steps: int) -> None:
        """Selects the move that the dial steps to, and shows it in the notice. Raises NoGame if no game is in
        progress."""
        match, self._last_press = self._game.require_match(), None
        self._prompts.dial = dial = buttons_and_dial.turn_dial(match, self._prompts.dial, steps)
        if dial:
            self._prompts.notice = buttons_and_dial.dial_message(match, dial)
        else:
            self._prompts.notice = _("There’s nothing to choose with the dial right now.")
