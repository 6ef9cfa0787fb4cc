"""The page with a phone's settings: sound, vibration, speech, language."""

from __future__ import annotations

from flask import Blueprint, Response, request

from companion.games import GAMES
from companion.text.messages import _
from companion.text.translation import LANGUAGES
from web.context import AppContext
from web.localization import set_language_cookie
from web.pages.redirects import see_other
from web.render import render
from web.templating.page_head import page_title


class SettingsPage:
    """The handlers of the settings."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def routes(self) -> Blueprint:
        """The blueprint with the routes of the settings."""
        routes = Blueprint("settings", __name__)
        routes.add_url_rule("/settings", view_func=self.page)
        routes.add_url_rule("/settings", view_func=self.act, methods=["POST"])
        return routes

    def page(self) -> Response:
        """The page with the settings of the requesting phone."""
        return render(
            self._context, "settings.html", None, title=page_title(_("This phone")), languages=LANGUAGES, games=[*GAMES]
        )

    def act(self) -> Response:
        """Sets the phone's language, and remembers it for the phone's player. If the form has a field `sense`, only
        remembers what the player has switched on or off, because the phone itself keeps that setting."""
        session, form, profiles = self._context.session(), request.form, self._context.profiles
        if "sense" in form:
            profiles.set_sense(session, form["sense"], on=form.get("on") == "true")
            return see_other("/settings")
        response = set_language_cookie(see_other("/settings"), form.get("language", ""))
        profiles.set_language(session, form["language"])
        return response
