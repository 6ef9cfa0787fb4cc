"""The page for a big screen: the table as everyone may see it, or with all hands."""

from __future__ import annotations

from flask import Blueprint, Response, request

from companion.games.rules import REFEREE
from web.access.phone_cookie import give_cookie, phone_token
from web.context import AppContext
from web.pages.replay import shared_page
from web.render import render
from web.results.end_screens import EndScreens


class BigScreenPage:
    """The handler of the page for a big screen."""

    def __init__(self, context: AppContext, end_screens: EndScreens) -> None:
        self._context, self._end_screens = context, end_screens

    def routes(self) -> Blueprint:
        """The blueprint with the route of the page."""
        routes = Blueprint("table", __name__)
        routes.add_url_rule("/table", view_func=self.page)
        return routes

    def page(self) -> Response:
        """The page for a big screen: what everyone may see, or all hands if the request has the right key. While people
        watch a replay together, it shows that replay."""
        if shared := self._context.shared_replay.current():
            return shared_page(self._context, shared)
        lobby, view = self._context.lobby, self._context.table.view()
        has_free_seat = lobby.phones.taken_seat_count < len(self._context.table.names)
        token = (
            lobby.hidden_information.show_hands(phone_token(), view.id, request.args.get("hands", "")) if view else None
        )
        if token:
            view = self._context.table.view(REFEREE)
        page = render(
            self._context,
            "big_screen.html",
            view,
            shows_join_code=self._context.may_see_join_code(),
            has_free_seat=has_free_seat,
            hands=token is not None,
            end=self._end_screens.of(view),
        )
        return give_cookie(page, token) if token else page
