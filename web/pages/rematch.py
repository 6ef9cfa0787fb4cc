"""Plays a finished game once more, with the same people and the same options. Everybody moves up one seat, so that
another player starts. The players for whom the companion played last are again played by the companion."""

from __future__ import annotations

import threading

from companion.games import GAMES
from companion.text.messages import _
from web.context import AppContext
from web.error_responses import RequestError
from web.game_start import GameSetup, begin_game
from web.pages.companion_forms import last_companions


class Rematch:
    """Starts the game that follows a finished game. Thread-safe: two taps start only one game."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._lock = threading.Lock()

    def start(self, finished: int, *, by: int | None = None) -> None:
        """Starts a game like the one with the id `finished`. `by`: the seat of the person who starts it; the companion
        does not play for this person. Does nothing if another game has been started since. Raises RequestError if the
        end of the finished game has been undone, Stale if that happens during the call, SetupError if the game's set-up
        no longer fits the rules, JournalError if the new game can't be stored."""
        context = self._context
        with self._lock:
            view = context.table.view()
            if view is None or view.id != finished:
                return
            if view.turn is not None:
                raise RequestError(409, "stale", _("The game is still running. End it first."))
            last = context.table.journal.game(finished).header
            known = {option.name for option in GAMES[last.game].rules.options}
            options = {name: value for name, value in last.setup.items() if name in known}
            count, companions = len(last.players), last_companions(context.table)
            setup = GameSetup(
                options={},
                dealers=last.dealers,
                players=(*last.players[1:], last.players[0]),
                companions={(seat - 1) % count: policy for seat, policy in companions.items() if seat != by},
                follows=(view.id, view.version),
            )
            begin_game(context, last.game, options, setup, {seat: (seat - 1) % count for seat in range(count)})
