"""The join page: a phone enters the join code, and its player takes a seat, watches, or says who they are."""

from __future__ import annotations

from flask import Blueprint, Response, request

from companion.match.journal_error import JournalError
from companion.text.refusal_errors import Refusal
from web.access.phone_cookie import give_cookie, phone_token
from web.access.view_permissions import EVERYTHING
from web.context import AppContext
from web.entered_names import entered_name
from web.error_responses import RequestError, as_request_error
from web.localization import chosen_language
from web.pages.form_fields import whole_number
from web.pages.redirects import see_other
from web.people.profile_preferences import apply_profile
from web.render import render


class JoinPage:
    """The handlers of the join page and of its forms."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def routes(self) -> Blueprint:
        """The blueprint with the routes of the join page."""
        routes = Blueprint("join", __name__)
        routes.add_url_rule("/join", view_func=self.page)
        routes.add_url_rule("/join", view_func=self.act, methods=["POST"])
        return routes

    def page(self) -> Response:
        """The join page: free seats, and the join code for phones that have joined. When a game begins, a phone that
        has waited on this page is redirected to its seat, if it still has one."""
        view, before = self._context.table.view(), request.headers.get("X-Fragment", "").partition(".")
        if view and before[1] and before[0] != f"{view.id}" and self._context.session().seat is not None:
            return see_other("/play")
        return self._rendered()

    def act(self) -> Response:
        """Gives the phone a seat, takes its seat away so that it only watches, or records who the phone's player is.
        Also handles three requests: to set up a new table; to become the host, for which somebody must press a button
        at the table; and to see everything, which needs another player's consent."""
        form, seat, lobby = request.form, request.form.get("seat", ""), self._context.lobby
        try:
            if "claim" in form:
                return give_cookie(see_other("/join"), lobby.request_host(phone_token()))
            if "set-up" in form and self._context.new_table:
                token = self._context.new_table.accept(phone_token())
                return give_cookie(see_other("/setup/first" if self._context.has_setup_page else "/host"), token)
            if "withdraw" in form:
                lobby.hidden_information.withdraw_request(self._context.session())
                return see_other("/join")
            if seat == EVERYTHING:
                lobby.hidden_information.ask_to_see_everything(self._context.host())
                return see_other("/join")
            wanted, name = whole_number(seat) if seat != "watch" else None, entered_name(form.get("name", ""))
            if "person" in form:
                wanted, name = self._seat_and_name(whole_number(form["person"]) or 0)
            token = lobby.join(phone_token(), form.get("code", ""), wanted, name, request.remote_addr or "")
            profile = self._context.profiles.greet(lobby.phones.session(token))
        except (Refusal, RequestError, JournalError) as error:
            return self._rendered(as_request_error(error))
        chooses_seat = "person" in form and wanted is None
        response = give_cookie(see_other("/join" if chooses_seat else "/"), token)
        if profile and not profile.language and (chosen := chosen_language(request)):
            self._context.profiles.set_language(lobby.phones.session(token), chosen)
        return apply_profile(response, profile) if profile else response

    def _seat_and_name(self, id: int) -> tuple[int | None, str]:
        """The seat and the name for the requesting phone, whose player has chosen the person with this id. Raises
        RequestError if that person is already here with another phone."""
        profiles, session = self._context.profiles, self._context.session()
        profile = profiles.get(id)
        profiles.require_free(profile, session)
        return profiles.seat_for(profile, session), profile.name

    def _rendered(self, refused: RequestError | None = None) -> Response:
        code = "" if refused and refused.code == "wrong_code" else request.values.get("code", "")[:64]
        return render(
            self._context,
            "join.html",
            self._context.table.view(),
            refused,
            shows_join_code=self._context.may_see_join_code(),
            code=code,
            # A short code is not checked here, so that nobody can guess it by opening the page.
            may_see_people=self._context.session().has_joined or self._context.lobby.join_code.is_secret(code),
            may_set_up=self._context.may_set_up(),
            is_waiting_to_host=self._context.lobby.is_waiting_to_host(phone_token()),
            submitted_name=request.form.get("name", ""),
        )
