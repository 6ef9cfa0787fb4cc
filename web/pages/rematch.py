"""Starts a finished game again, or one that a host has ended, with the same people and the same options. Everybody
moves up one seat, so another player starts. The companion plays again for the players for whom it played last."""

from __future__ import annotations

import threading
from typing import NamedTuple

from companion.games import GAMES
from companion.table.companion_seats import stored_companion_seats
from companion.text.messages import Text, _
from web.context import AppContext
from web.error_responses import RequestError
from web.game_start import GameSetup, begin_game


class EndedGame(NamedTuple):
    """A game that a host has ended. `next_starter`: the player who starts if the same people play again."""

    id: int
    title: Text
    players: tuple[str, ...]
    next_starter: str


def ended_game(context: AppContext) -> EndedGame | None:
    """The game that was ended last, if there is no game on the table now. None if no game has ended since the service
    started."""
    id, last = context.table.game_and_version[0], context.table.journal.last_header()
    if not id or last is None or context.table.names:
        return None
    names = last.names
    return EndedGame(id, _(GAMES[last.game].title), names, names[1 % len(names)])


class Rematch:
    """Starts the game that follows a finished or ended game. Thread-safe: two taps start only one game."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._lock = threading.Lock()

    def start(self, finished: int, *, by: int | None = None) -> None:
        """Starts a game like the one with the id `finished`. `by`: the seat of the person who starts it; the companion
        does not play for this person. Does nothing if another game has been started since. Raises RequestError if the
        game is running, Stale if the game changes during the call, SetupError if its set-up no longer fits the rules,
        JournalError if the new game can't be stored."""
        context = self._context
        with self._lock:
            view, on_table = context.table.view(), context.table.game_and_version
            if on_table[0] != finished:
                return
            if view is not None and view.turn is not None:
                raise RequestError(409, "stale", _("The game is still running. End it first."))
            last = context.table.journal.game(finished).header
            companions = stored_companion_seats(context.table.journal, finished, GAMES[last.game])
            known = {option.name for option in GAMES[last.game].rules.options}
            options = {name: value for name, value in last.setup.items() if name in known}
            count = len(last.players)
            setup = GameSetup(
                options={},
                dealers=last.dealers,
                players=(*last.players[1:], last.players[0]),
                companions={(seat - 1) % count: policy for seat, policy in companions.items() if seat != by},
                follows=on_table,
            )
            begin_game(context, last.game, options, setup, {seat: (seat - 1) % count for seat in range(count)})
