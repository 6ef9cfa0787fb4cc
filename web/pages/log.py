"""The log of the game, as a page and as a text file."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint, Response

from companion.games.view import LogEntry
from web.access.phone_session import viewer_of
from web.context import AppContext
from web.localization import translate
from web.render import render
from web.templating.game_pages import page_of


class LogPage:
    """The handlers of the log."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def routes(self) -> Blueprint:
        """The blueprint with the routes of the log."""
        routes = Blueprint("log", __name__)
        routes.add_url_rule("/log", view_func=self.page)
        routes.add_url_rule("/log.txt", view_func=self.file)
        return routes

    def page(self) -> Response:
        """The page with the log of the game."""
        view, lines = self._context.view(), self._entries()
        lines = page_of(view.game).group_log(lines) if view else ()
        return render(self._context, "log.html", view, lines=lines)

    def file(self) -> Response:
        """The log as a text file to download."""
        text = "".join(
            f"{'–' if line.kind == 'notice' else f'{line.version}.'} {' '.join(map(translate, line.words))}\n"
            for line in self._entries()
        )
        return Response(text, mimetype="text/plain", headers={"Content-Disposition": "attachment; filename=game.txt"})

    def _entries(self) -> Sequence[LogEntry]:
        view = self._context.view()
        if view is None:
            return ()
        lines = self._context.table.log_after(view.viewer, 0)
        if viewer_of(self._context.session()) != view.viewer:
            return self._entries()  # the next game has begun meanwhile; see `AppContext.view`
        return self._context.lobby.notices.merged_with(page_of(view.game).log(view, lines), view.id)
