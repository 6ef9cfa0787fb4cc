"""Replays of stored games for the requesting phone: which games may be replayed, and whose knowledge a replay shows."""

from __future__ import annotations

from collections.abc import Sequence

from companion.games.rules import REFEREE, SPECTATOR, Seat, Viewer
from companion.match.history import ReplayError
from companion.match.replay import Replay
from companion.text.messages import TextLike, _
from web.access.phone_session import PhoneSession, viewer_of
from web.context import AppContext
from web.error_responses import RequestError
from web.templating.game_pages import page_of

OPEN = "open"
TABLE = "table"
"""Values of the query's `as`, which says whose knowledge a replay shows. OPEN: all hands. TABLE: only what everyone at
the table knew. The third kind of value, a seat's number, means what that player knew."""


def is_open(replay: Replay) -> bool:
    """Whether everyone may see all hands, because the game has finished or was ended early."""
    return replay.stored.closed is not None or replay.is_finished


def stored_replay(context: AppContext, id: int) -> Replay:
    """The replay of any game. Raises RequestError if there is no such game, or if it can't be replayed."""
    try:
        return Replay.from_stored(context.table.journal.game(id))
    except KeyError as error:
        raise RequestError(404, "no_such_game", _("There’s no game {number} in the journal.", number=id)) from error
    except ReplayError as error:
        message = _("Can’t replay game {number}: {why}", number=id, why=error)
        raise RequestError(409, "not_replayed", message) from error


def open_replay(context: AppContext, id: int) -> Replay:
    """The replay of a game that has finished or was ended early. Raises RequestError for a game that is still
    running."""
    replay = stored_replay(context, id)
    if not is_open(replay):
        raise RequestError(403, "not_over", _("That game is still running. This is available when it’s over."))
    return replay


def replay_for_page(context: AppContext, id: int) -> Replay:
    """The replay of a game. Raises RequestError if the game can't be replayed, or if it is still running and players
    must not be reminded of earlier acts."""
    replay = stored_replay(context, id)
    if not is_open(replay):
        view = replay.at(replay.length, SPECTATOR)
        if not page_of(view.game).may_look_back(view):
            message = _("Phones remember nothing in this game, so you can replay it when it’s over.")
            raise RequestError(403, "not_over", message)
    return replay


def perspectives(replay: Replay) -> Sequence[tuple[str, TextLike]]:
    """The perspectives among which people can choose (see OPEN and TABLE), each with its title. There are none in a
    game without hidden information, and none while the game is running."""
    if not (is_open(replay) and replay.history.game.rules.has_hidden_information):
        return ()
    seats = ((str(seat), name) for seat, name in enumerate(replay.stored.header.names))
    return ((OPEN, _("All hands")), *seats, (TABLE, _("The table")))


def viewer_in(replay: Replay, perspective: str, session: PhoneSession) -> Viewer:
    """The viewer whose knowledge a replay shows to a phone. While the game is running, that is always the phone's own
    viewer, whatever the phone asks for."""
    if not is_open(replay):
        return viewer_of(session)
    if perspective not in dict(perspectives(replay)) or perspective == OPEN:
        return REFEREE
    return SPECTATOR if perspective == TABLE else Seat(int(perspective))
