"""The page on which people look up the rules of a game."""

from __future__ import annotations

from flask import Blueprint, Response, request

from companion.games import GAMES
from companion.text.guidebook import guidebook
from companion.text.messages import _, joined
from web.context import AppContext
from web.render import render
from web.templating.page_head import page_title


class HelpPage:
    """The handler of the page with the rules."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def routes(self) -> Blueprint:
        """The blueprint with the route of the page."""
        routes = Blueprint("help", __name__)
        routes.add_url_rule("/help", view_func=self.page)
        return routes

    def page(self) -> Response:
        """The guidebook of the game that the request names, or else of the current game."""
        view = self._context.table.view()
        games_with_guidebook = [game for game in GAMES.values() if game.text.guidebook_file]
        name = request.args.get("game") or (view.game.name if view else "")
        game = next((game for game in games_with_guidebook if game.name == name), games_with_guidebook[0])
        assert game.text.guidebook_file
        title = page_title(joined(": ", (_("Rules"), _(game.title))))
        return render(
            self._context,
            "help.html",
            None,
            title=title,
            game=game,
            games_with_guidebook=games_with_guidebook,
            guidebook=guidebook(game.text.guidebook_file),
        )
