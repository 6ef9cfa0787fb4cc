"""The list of past games with their results and statistics, and each game as a file and as a picture.

Everyone who has joined may look at a game that has finished or was ended early, including the hands. A game is closed
once it has left the table. The page that replays a game is in `web.pages.replay`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial

from flask import Blueprint, Response, make_response, render_template

from companion.match.game_import_export import export_lines
from companion.match.history import ReplayError
from companion.match.replay import Replay
from companion.match.stored_game import StoredGame
from companion.table.companion_seats import companion_seats_by_game
from companion.text.messages import TextLike, _, joined
from web.context import AppContext
from web.error_responses import RequestError
from web.graphics.charts import charts
from web.pages.redirects import redirect_strangers
from web.pages.replay_access import open_replay
from web.render import render
from web.results.game_statistics import tallies
from web.results.summaries import GameSummary, duration_text, game_summary, result_text, stars
from web.templating.page_head import page_title


class PastGames:
    """The handlers of the pages under /games."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._summaries: dict[int, tuple[tuple[str, ...], GameSummary | None]] = {}
        """Cached summaries of closed games, by game id, each with the players' names at that time. The summary is None
        if the game can't be replayed."""

    def routes(self) -> Blueprint:
        """The blueprint with the routes under /games."""
        routes = Blueprint("past_games", __name__, url_prefix="/games")
        routes.before_request(partial(redirect_strangers, self._context))
        routes.app_template_global("result_text")(result_text)
        routes.app_template_global("stars")(stars)
        routes.app_template_global("duration_text")(duration_text)
        routes.app_template_global("with_companions")(self._with_companions)
        routes.add_url_rule("", view_func=self.list)
        routes.add_url_rule("/<int:id>.jsonl", view_func=self.file)
        routes.add_url_rule("/<int:id>.svg", view_func=self.picture)
        return routes

    def list(self) -> Response:
        """The page that lists all games with their results."""
        games = self._context.table.journal.games()
        summaries = self.summaries(games)
        return render(
            self._context,
            "past_games.html",
            None,
            title=page_title(_("Past games")),
            summaries=summaries[::-1],
            tallies=tuple(tallies(summaries)),
            unreadable_count=len(games) - len(summaries),
            companion_seats=companion_seats_by_game(self._context.table.journal),
        )

    def _with_companions(self, players: Sequence[str], companions: Collection[int]) -> TextLike:
        """The list of a game's players. The name of a seat that the companion played is followed by "(companion)",
        unless it is a default name, such as "Companion"."""
        is_name = self._context.profiles.is_name
        return joined(
            ", ",
            (
                _("{name} (companion)", name=name) if seat in companions and is_name(name) else name
                for seat, name in enumerate(players)
            ),
        )

    def finished(self) -> tuple[GameSummary, ...]:
        """The summaries of all games that were played to their end, oldest first. What-ifs don't count."""
        return tuple(
            game for game in self.summaries(self._context.table.journal.games()) if game.ending and not game.what_if
        )

    def summaries(self, games: Sequence[StoredGame]) -> tuple[GameSummary, ...]:
        """The summaries of the games that the present rules can replay."""
        companions = companion_seats_by_game(self._context.table.journal)
        found = filter(None, map(self._summary, games))
        return tuple(replace(game, companion_seats=companions.get(game.id, {}).keys()) for game in found)

    def file(self, id: int) -> Response:
        """The whole game as an export file. Raises RequestError if the game is not closed, or if it can't be
        replayed."""
        replay = open_replay(self._context, id)
        if replay.stored.closed is None:
            message = _("The file contains things that some players may not know yet. End the game first.")
            raise RequestError(403, "not_closed", message)
        return _download_response(
            "".join(f"{line}\n" for line in export_lines(replay.stored)), f"game-{id}.jsonl", "text/plain"
        )

    def picture(self, id: int) -> Response:
        """The game's charts as an SVG picture."""
        replay = open_replay(self._context, id)
        replay_charts = charts(replay.curves(), replay.stored.header.labels, replay.length)
        svg = render_template("game_charts.svg", charts=replay_charts, summary=game_summary(replay))
        return _download_response(svg, f"game-{id}.svg", "image/svg+xml")

    def _summary(self, stored: StoredGame) -> GameSummary | None:
        """A game's summary; None if the present rules can't replay it."""
        players, summary = self._summaries.get(stored.id, ((), None))
        if players == stored.header.players:
            return summary
        try:
            summary = game_summary(Replay.from_stored(stored))
        except ReplayError:
            summary = None
        if stored.closed or summary is None:
            self._summaries[stored.id] = stored.header.players, summary
        return summary


def _download_response(text: str, name: str, mimetype: str) -> Response:
    response = make_response(text)
    response.mimetype = mimetype
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    return response
