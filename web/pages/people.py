"""The pages under /people: everybody who plays here, a page for each person, and files with their games.

Like past games, they are open to everyone who has joined. Only a host, or the person's own phone, may change the
profile.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from flask import Blueprint, Response, request

from companion.match.journal_error import JournalError
from companion.text.default_names import default_name
from companion.text.messages import _
from web.context import AppContext
from web.error_responses import RequestError, as_request_error
from web.localization import translate
from web.pages.redirects import redirect_strangers, see_other
from web.people.bg_stats import bg_stats_file
from web.people.csv_file import games_csv
from web.people.profiles import COLORS, NOBODY, SHAPES, Profile
from web.people.statistics import PersonRecord, game_counts, record_of
from web.render import render
from web.results.summaries import GameSummary
from web.templating.page_head import page_title


class PeoplePages:
    """The handlers of the pages under /people. `games` returns the summaries of all finished games, oldest first."""

    def __init__(self, context: AppContext, games: Callable[[], Sequence[GameSummary]]) -> None:
        self._context, self._games = context, games

    def routes(self) -> Blueprint:
        """The blueprint with the routes under /people."""
        routes = Blueprint("people", __name__, url_prefix="/people")
        routes.before_request(partial(redirect_strangers, self._context))
        routes.add_url_rule("", view_func=self.people)
        routes.add_url_rule("/<int:id>", view_func=self.person)
        routes.add_url_rule("/<int:id>", view_func=self.change, methods=["POST"])
        routes.add_url_rule("/games.csv", view_func=self.all_csv)
        routes.add_url_rule("/games.bgsplay", view_func=self.all_bg_stats)
        routes.add_url_rule("/<int:id>.csv", view_func=self.csv)
        routes.add_url_rule("/<int:id>.bgsplay", view_func=self.bg_stats)
        return routes

    def people(self) -> Response:
        """The page that lists everybody who plays here."""
        counts = game_counts(self._games())
        people = [(profile, counts[profile.key]) for profile in self._context.profiles.all()]
        return render(self._context, "people.html", None, title=page_title(_("People")), people=people)

    def person(self, id: int) -> Response:
        """The page of a person: statistics and, for those who may change it, the profile."""
        return self._person_page(self._context.profiles.get(id))

    def change(self, id: int) -> Response:
        """Renames a person, gives the person another sign, or deletes the person."""
        profiles, profile = self._context.profiles, self._context.profiles.get(id)
        may = profiles.may_delete if request.form.keys() & {"delete", "name"} else profiles.may_change
        if not may(profile, self._context.session()):
            message = _("Only the host and {name}’s own phone can do that.", name=profile.display_name)
            raise RequestError(403, "not_yours", message)
        if request.form.get("who") != profile.name:
            return self._person_page(profile, RequestError(409, "stale", _("The name has changed. Look again.")))
        try:
            if "delete" in request.form:
                profiles.delete(profile, lambda seat: str(default_name(seat)), translate(NOBODY))
                self._context.shared_replay.end()  # the shared replay still shows the old name
                return see_other("/people")
            if "name" in request.form:
                profiles.rename(profile, request.form["name"])
            else:
                profiles.set_sign(profile, request.form.get("color", ""), request.form.get("shape", ""))
        except (RequestError, JournalError) as error:
            return self._person_page(profile, as_request_error(error))
        return see_other(f"/people/{id}")

    def all_csv(self) -> Response:
        """All finished games as CSV."""
        return _file(games_csv(self._games()), "games.csv", "text/csv")

    def all_bg_stats(self) -> Response:
        """All finished games as a file for the app BG Stats. The file names the requesting phone's player as the owner
        of the app."""
        own = self._context.profiles.of_phone(self._context.session())
        return self._bg_stats_response(self._games(), own)

    def csv(self, id: int) -> Response:
        """The finished games of a person as CSV."""
        return _file(games_csv(self._games_of(self._context.profiles.get(id))), f"person-{id}.csv", "text/csv")

    def bg_stats(self, id: int) -> Response:
        """The finished games of a person as a file for the app BG Stats. The file names this person as the owner of the
        app."""
        profile = self._context.profiles.get(id)
        return self._bg_stats_response(self._games_of(profile), profile)

    def _bg_stats_response(self, games: Sequence[GameSummary], me: Profile | None) -> Response:
        text = bg_stats_file(games, me.key if me else "", self._context.profiles.is_name)
        return _file(text, "tablekeeper.bgsplay", "application/octet-stream")

    def _games_of(self, profile: Profile) -> list[GameSummary]:
        return [play.game for play in self._record(profile, self._games()).plays]

    def _record(self, profile: Profile, games: Sequence[GameSummary]) -> PersonRecord:
        return record_of(profile.key, games, self._context.profiles.is_name)

    def _person_page(self, profile: Profile, refused: RequestError | None = None) -> Response:
        return render(
            self._context,
            "person.html",
            None,
            refused,
            title=page_title(profile.display_name),
            profile=profile,
            record=self._record(profile, self._games()),
            may_change=self._context.profiles.may_change(profile, self._context.session()),
            may_delete=self._context.profiles.may_delete(profile, self._context.session()),
            colors=COLORS,
            shapes=SHAPES,
        )


def _file(text: str, name: str, mimetype: str) -> Response:
    headers = {"Content-Disposition": f"attachment; filename={name}"}
    return Response(text, mimetype=mimetype, headers=headers)
