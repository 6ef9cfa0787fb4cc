"""The API of the contract, and what the dashboard's own script needs besides."""

from __future__ import annotations

from collections.abc import Callable

from flask import Blueprint, Response, request

from companion.games import notation
from companion.games.rules import Json
from companion.games.view import View
from companion.text.player_names import clean_name
from companion.text.translation import _, language
from web import photo, request_body
from web.context import AppContext, GameSetup, as_json, give_cookie, product_version
from web.events import Feed, stream
from web.openapi import DESCRIPTION
from web.refusals import Refused
from web.seats import COOKIE, viewer_of


class Api:
    """Every address that answers in JSON."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def routes(self) -> Blueprint:
        """The addresses."""
        routes = Blueprint("api", __name__)
        for path, view in (("/healthz", self.healthz), ("/api/view", self.view), ("/api/events", self.events)):
            routes.add_url_rule(path, view_func=view)
        routes.add_url_rule("/api/openapi.json", view_func=self.openapi)
        for post in (
            self.join,
            self.moves,
            self.undo,
            self.redo,
            self.next,
            self.ask,
            self.answer,
            self.start,
            self.seats,
            self.photo,
        ):
            routes.add_url_rule(f"/api/{post.__name__}", view_func=post, methods=["POST"])
        return routes

    # Looking ---------------------------------------------------------------------------------------

    def healthz(self) -> Response:
        """Whether the service runs, and how each device fares."""
        devices = [{"device": h.device, "ok": h.ok, "says": h.words} for h in self._context.table.health()]
        return as_json({"status": "ok", "version": product_version(), "devices": devices})

    def openapi(self) -> Response:
        """The description of all of it."""
        return as_json({**DESCRIPTION, "info": {**DESCRIPTION["info"], "version": product_version()}})

    def view(self) -> Response:
        """What this seat may see."""
        return as_json(shown(self._context.view_or_refuse()))

    def events(self) -> Response:
        """What happens, as it happens."""
        context, guest, token = self._context, self._context.guest(), request.cookies.get(COOKIE)
        if not context.streams.take():
            raise Refused(503, "too_many_streams", _("Too many pages are open at once; close some, then load again."))
        context.lobby.arrive(guest)
        last = request.headers.get("Last-Event-ID") or request.args.get("last")
        feed = Feed(context.table, lambda: viewer_of(context.lobby.guest(token)), last)
        left: Callable[[], bool] = request.environ.get("waitress.client_disconnected", lambda: False)
        response = Response(
            stream(context.table, feed, context.streams, language(), left), mimetype="text/event-stream"
        )

        def gone() -> None:
            context.streams.give_back()
            context.lobby.leave(guest)

        response.call_on_close(gone)
        return response

    # Coming in -------------------------------------------------------------------------------------

    def join(self) -> Response:
        """Takes a seat or watches."""
        body = request_body.json_body()
        seat = request_body.seat_in(body)
        token = self._context.lobby.join(
            request.cookies.get(COOKIE), request_body.text_in(body, "code"), seat, request_body.name_in(body)
        )
        name = clean_name(self._context.table.names[seat]) if seat is not None else None
        return give_cookie(as_json({"seat": seat, "name": name}), token)

    # Acting ----------------------------------------------------------------------------------------

    def moves(self) -> Response:
        """Makes a move."""
        body = request_body.json_body()
        version, name = request_body.version_in(body, needed=True), request_body.request_id_in(body, needed=True)
        seat = self._context.seat()
        return self._done(self._context.table.submit(seat, body.get("move"), version, name))

    def undo(self) -> Response:
        """Takes the last act back."""
        body = request_body.json_body(empty=True)
        version, name = request_body.version_in(body), request_body.request_id_in(body)
        return self._done(self._context.table.undo(self._context.seat(), version, name))

    def redo(self) -> Response:
        """Does again what was taken back."""
        body = request_body.json_body(empty=True)
        version, name = request_body.version_in(body), request_body.request_id_in(body)
        return self._done(self._context.table.redo(self._context.seat(), version, name))

    def next(self) -> Response:
        """Lets the companion go on."""
        body = request_body.json_body(empty=True)
        version, name = request_body.version_in(body), request_body.request_id_in(body)
        return self._done(self._context.table.proceed(self._context.seat(), version, name))

    def ask(self) -> Response:
        """Asks another player's permission for a move."""
        body = request_body.json_body()
        version = request_body.version_in(body)
        self._context.table.request_consent(self._context.seat(), body.get("move"), version)
        return self._done(self._context.view_or_refuse().version)

    def answer(self) -> Response:
        """The asked player's word, or that of who asked: it was given aloud, or the question is taken back."""
        body = request_body.json_body()
        agreed = request_body.truth_in(body, "agreed")
        return self._done(self._context.table.answer(self._context.seat(), agreed=agreed, question=body.get("move")))

    def photo(self) -> Response:
        """What a photograph means: booked, if it is one thing; else what it may mean."""
        seat, reader = self._context.seat(), self._context.reader_or_refuse()
        version, name = request_body.version_asked(request.args), request_body.request_id_in(request.args)
        if (done := self._context.table.version_of_request(seat, version, name)) is not None:
            return self._done(done)
        data, view = photo.in_body(), self._context.view_or_refuse()
        things = photo.things_in(reader, data, view)
        move = photo.only_move(view, things)
        if move is None:
            meant = [notation.to_json(each) for each in photo.meant(view, things)]
            return as_json({"version": view.version, "meant": meant})
        return self._done(self._context.table.submit(seat, notation.to_json(move), version, name))

    def _done(self, version: int) -> Response:
        """What an act made. The view too, if nothing has happened since: one answer is of one moment."""
        view = self._context.view()
        if view is None or view.version != version:
            return as_json({"version": version})
        return as_json({**shown(view), "words": list(view.tabletop.physical_instructions)})

    # Hosting ---------------------------------------------------------------------------------------

    def start(self) -> Response:
        """Begins a game."""
        body = request_body.json_body()
        self._context.host()
        request_body.only(body, "game", "seats", "players", "options", "dealers")
        choices = GameSetup(
            request_body.texts_in(body, "options"),
            request_body.texts_in(body, "dealers"),
            request_body.names_in(body, "players"),
        )
        self._context.start(request_body.text_in(body, "game", None), request_body.seats_in(body), choices)
        return as_json(shown(self._context.view_or_refuse()))

    def seats(self) -> Response:
        """Frees a seat, so that another phone can take it."""
        seat = request_body.seat_in(request_body.json_body())
        self._context.host()
        if seat is None or not 0 <= seat < len(self._context.table.names):
            raise Refused(404, "no_such_seat", _("There is no such seat in this game."))
        self._context.lobby.free(seat)
        return as_json({"seat": seat})


def shown(view: View) -> dict[str, Json]:
    """A view as the API tells it."""
    seat = view.viewer if isinstance(view.viewer, int) else None
    return {
        "version": view.version,
        "game": view.game.name,
        "seat": seat,
        "state": view.state,
        "legal": [notation.to_json(move) for move in view.choices.legal],
        "reports": [notation.to_json(move) for move in view.choices.reports],
    }
