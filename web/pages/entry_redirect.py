"""The first page, which redirects each phone to where it belongs."""

from __future__ import annotations

from flask import Blueprint, Response, request

from web.access.phone_cookie import give_cookie, phone_token
from web.context import AppContext
from web.pages.redirects import see_other


class EntryRedirect:
    """The handler of the first page."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def routes(self) -> Blueprint:
        """The blueprint with the route of the first page."""
        routes = Blueprint("entry_redirect", __name__)
        routes.add_url_rule("/", view_func=self.page)
        return routes

    def page(self) -> Response:
        """Redirects to the phone's seat, the host page, the table or the join page. If there is no host yet and the
        table's own screen is trusted, the browser on that screen becomes the host."""
        context, session = self._context, self._context.session()
        is_first = not context.lobby.phones.host_count and not session.has_joined
        if is_first and context.is_own_screen() and request.method == "GET":
            return give_cookie(see_other("/host"), context.lobby.claim_host(phone_token()))
        if not session.has_joined:
            return see_other("/join")
        if session.seat is not None:
            return see_other("/play")
        if session.host:
            return see_other("/host")
        return see_other("/table" if context.table.names else "/join")
