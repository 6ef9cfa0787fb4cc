"""The venue's pages as a Flask application."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from babel.dates import format_skeleton
from flask import Flask, Response, current_app, make_response, redirect, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.wrappers import Response as AnyResponse

from companion.games import GAMES
from companion.text.messages import Number, TextLike, _, joined, plural
from companion.text.player_names import bidi_isolate
from companion.venue.club_tables import ClubTables
from companion.venue.csv_files import results_csv, standings_csv
from companion.venue.results import ResultStore, has_won
from companion.venue.standings import MAX_WEEKS, WEEKS, PlayerStanding, curves, last_weeks, standings
from companion.venue.table_messages import Result
from companion.version import product_version
from web import localization
from web.access import request_checks, security_headers
from web.compression import compress_response
from web.error_responses import RequestError, as_request_error
from web.events.streams import STREAM, EventStream, Streams
from web.graphics.charts import charts
from web.json_bodies import json_response
from web.localization import translator
from web.templating.dedent import Dedent
from web.templating.environment import PageEnvironment
from web.templating.file_bundling import StaticFilesFlask
from web.templating.page_head import asset, page_title
from web.venue.event_feeds import StaffFeed, WallFeed, mark_text, parse_screen, revision_of
from web.venue.free_seats import summary_of
from web.venue.staff_report import staff_report
from web.venue.table_cards import CardPictures

COOKIE = "tablekeeper-staff"
COOKIE_LIFETIME_S = 30 * 24 * 3600
LATEST = 20
"""How many results the page with the standings lists."""


@dataclass(frozen=True)
class VenueContext:
    """The data that the pages of a venue use. `staff_key`: the key to the staff's page. `authority`: the certificate,
    as PEM, that tables need in order to trust the broker; None if they need no certificate."""

    club_tables: ClubTables
    store: ResultStore
    staff_key: str
    authority: bytes | None = None
    today: Callable[[], date] = date.today


def create_venue_app(context: VenueContext) -> Flask:
    """Returns the Flask application that serves a venue."""
    app = StaticFilesFlask("web")
    app.config["MAX_CONTENT_LENGTH"] = request_checks.MAX_BODY_BYTES
    app.jinja_environment = PageEnvironment
    localization.install(app)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.add_extension(Dedent)
    app.template_global("asset")(asset)
    app.extensions["streams"] = Streams(context.club_tables)
    VenuePages(app, context).add_routes()
    app.before_request(request_checks.check_request)
    app.after_request(compress_response)
    app.after_request(security_headers.add_security_headers)
    app.register_error_handler(Exception, _refusal)
    return app


class VenuePages:
    """The request handlers for the pages of a venue: the wall (the screen that shows all tables), the standings and the
    staff's page."""

    def __init__(self, app: Flask, context: VenueContext) -> None:
        self._app, self._context = app, context
        self._cards = CardPictures(app)

    def add_routes(self) -> None:
        """Adds the routes to the application."""
        routes: dict[str, Callable[[], ResponseReturnValue]] = {
            "/": self.wall,
            "/standings": self.standings,
            "/standings.csv": self.standings_file,
            "/results.csv": self.results_file,
            "/staff": self.staff,
            "/events": self.events,
            "/ca.pem": self.authority,
            "/healthz": self.healthz,
        }
        for path, view in routes.items():
            self._app.add_url_rule(path, view_func=view)

    def wall(self) -> str:
        """The wall: the page with all tables, or with the part of them that belongs to one of several screens."""
        club_tables, screen = self._context.club_tables, parse_screen(request.args.get("screen", ""))
        revision, tables = club_tables.revision, club_tables.on_wall()
        return self._render(
            "wall",
            _("Tables"),
            cards=self._cards.html(screen.own(tables), translator()),
            summary=summary_of(tables),
            club_tables=club_tables,
            mark=mark_text(revision),
            screen=f"{screen.number}of{screen.screens}",
        )

    def standings(self) -> str:
        """The page with all players, their wins, and the last results."""
        store, game, weeks = self._context.store, self._game(), self._weeks()
        found = self._standings(game, weeks)
        best = curves(found)
        return self._render(
            "standings",
            _("Standings"),
            found=found,
            weeks=weeks,
            game=game,
            games={name: _game_title(name) for name in store.games()},
            charts=charts(best, [standing.name for standing in found], 0) if best else (),
            latest=store.latest(LATEST),
            query=request.query_string.decode("ascii", "replace"),
            game_title=_game_title,
            result_text=result_text,
            day=_day,
        )

    def standings_file(self) -> Response:
        """The standings as CSV."""
        weeks = self._weeks()
        return _csv_response(standings_csv(self._standings(self._game(), weeks), weeks), "standings.csv")

    def results_file(self) -> Response:
        """All results as CSV."""
        return _csv_response(results_csv(self._context.store.all()), "results.csv")

    def staff(self) -> AnyResponse:
        """The staff's page. If the address contains the staff's key, stores the key in a cookie, and redirects to the
        address without it."""
        if "key" in request.args:
            self._check_key(request.args["key"])
            response: AnyResponse = redirect("/staff", 303)
            response.set_cookie(
                COOKIE,
                self._context.staff_key,
                max_age=COOKIE_LIFETIME_S,
                httponly=True,
                samesite="Lax",
                secure=request.is_secure,
            )
            return response
        self._check_staff()
        return make_response(self._render("staff", _("Staff"), report=staff_report(self._context.club_tables)))

    def events(self) -> Response:
        """The event stream that keeps a page up to date: the staff's page or a page of the wall."""
        club_tables, streams = self._context.club_tables, self._app.extensions["streams"]
        feed: WallFeed | StaffFeed
        if request.args.get("page") == "staff":
            self._check_staff()
            feed = StaffFeed(self._app, club_tables, translator())
        else:
            mark = request.headers.get("Last-Event-ID") or request.args.get("mark", "")
            screen = parse_screen(request.args.get("screen", ""))
            feed = WallFeed(self._app, club_tables, self._cards, translator(), screen, revision_of(mark))
        address = request.remote_addr or "?"
        if not streams.has_room(address):
            raise RequestError(503, "too_many_streams", _("Too many pages are open. Close one."))
        if request.method == "GET":
            request.environ[STREAM] = EventStream(feed, streams, address, lambda: None, lambda: None)
        return Response(mimetype="text/event-stream")

    def authority(self) -> Response:
        """The certificate of the authority that issued the broker's certificate."""
        if self._context.authority is None:
            raise RequestError(404, "not_found", _("The tables don’t need a certificate here."))
        return Response(self._context.authority, mimetype="application/x-pem-file")

    def healthz(self) -> Response:
        """Answers whether the venue receives messages and can store results."""
        club_tables = self._context.club_tables
        problems = [str(problem) for problem in (club_tables.broker_problem, club_tables.result_problem) if problem]
        online = sum(table.is_online for table in club_tables.all())
        return json_response(
            {
                "status": "degraded" if problems else "ok",
                "version": product_version(),
                "problems": problems,
                "tables": online,
                "results": self._context.store.count(),
            }
        )

    def _render(self, name: str, title: TextLike, **values: object) -> str:
        now = self._context.club_tables.now().timestamp()
        values = {"mark": mark_text(self._context.club_tables.revision), "now": now, **values}
        return render_template(f"venue/{name}.html", page=name, title=page_title(title), **values)

    def _check_staff(self) -> None:
        self._check_key(request.cookies.get(COOKIE, ""))

    def _check_key(self, key: str) -> None:
        if not hmac.compare_digest(key.encode(), self._context.staff_key.encode()):
            raise RequestError(403, "wrong_key", _("Open the staff page with the link on the venue’s console."))

    def _game(self) -> str | None:
        return request.args.get("game", "")[:40] or None

    def _weeks(self) -> tuple[date, ...]:
        count = request.args.get("weeks", WEEKS, type=int)
        return last_weeks(self._context.today(), min(max(count, 1), MAX_WEEKS))

    def _standings(self, game: str | None, weeks: tuple[date, ...]) -> tuple[PlayerStanding, ...]:
        return standings(self._context.store.weeks(weeks[0], game), weeks)


def result_text(result: Result) -> TextLike:
    """The result of a game in a few words: who has won, the common score, or whether all have won together."""
    names = [name for seat, name in enumerate(result.players) if has_won(result, seat)]
    outcome = result.result
    if outcome.score is not None:
        text: TextLike = plural("{points} point", "{points} points", abs(outcome.score), points=Number(outcome.score))
    elif outcome.won is not None:
        text = _("won") if outcome.won else _("lost")
    elif not names:
        text = _("no winner")
    elif len(names) == 1:
        text = _("{name} won", name=bidi_isolate(names[0]))
    else:
        text = _("{names} won", names=joined(_(" and "), map(bidi_isolate, names)))
    players = joined(", ", map(bidi_isolate, result.players))
    return joined(": ", filter(None, (players, text)))


def _day(day: date) -> str:
    """A day without the year."""
    return format_skeleton("MMMd", day, locale=translator().code)


def _game_title(name: str) -> TextLike:
    return _(GAMES[name].title) if name in GAMES else name


def _csv_response(text: str, name: str) -> Response:
    response = Response(text, mimetype="text/csv")
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    return response


def _refusal(error: Exception) -> Response:
    refused = as_request_error(error)
    if refused.code == "broken":
        current_app.logger.exception("A request broke: %s %s", request.method, request.path)
    if request.path in ("/", "/standings", "/staff"):
        html = render_template("venue/refusal.html", page="", title=page_title(_("Tables")), refused=refused)
        return Response(html, refused.status, mimetype="text/html")
    return json_response({"error": {"code": refused.code, "message": refused.message}}, refused.status)
