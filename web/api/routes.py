"""The routes of the HTTP API, which docs/contract.md describes. The dashboard's scripts use them too."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import msgspec
from flask import Blueprint, Response, request

from companion.games import move_json
from companion.games.view import View
from companion.match.history import ReplayError
from companion.tabletop.observations import DeviceHealth
from companion.text.messages import _
from companion.text.player_names import clean_name
from companion.version import product_version
from web.access.phone_cookie import give_cookie, phone_token
from web.access.phone_session import viewer_of
from web.api import api_types
from web.api.api_types import HealthStatus
from web.api.openapi import description
from web.context import AppContext
from web.entered_names import entered_name
from web.error_responses import RequestError, bad_request
from web.events.live_pages import ShownPage, live_page
from web.events.streams import STREAM, EventStream
from web.events.table_feed import TableFeed
from web.game_start import GameSetup, start_game
from web.json_bodies import json_body, json_response
from web.localization import translate, translator
from web.moves import photo_moves


class Api:
    """The handlers of the API's routes. All of them answer in JSON, except `events`."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def routes(self) -> Blueprint:
        """The blueprint with all routes of the API."""
        routes = Blueprint("api", __name__)
        for path, view in (("/healthz", self.healthz), ("/api/view", self.view), ("/api/events", self.events)):
            routes.add_url_rule(path, view_func=view)
        routes.add_url_rule("/api/openapi.json", view_func=self.openapi)
        routes.add_url_rule("/api/shuffle", view_func=self.shuffle)
        for post in (
            self.join,
            self.moves,
            self.correct,
            self.ignore,
            self.undo,
            self.redo,
            self.next,
            self.ask,
            self.answer,
            self.start,
            self.seats,
            self.companion,
            self.photo,
            self.share,
        ):
            routes.add_url_rule(f"/api/{post.__name__}", view_func=post, methods=["POST"])
        return routes

    def healthz(self) -> Response:
        """Answers with the health of the service: a status, the version, and the health of each device. The HTTP status
        is 503 if moves can't be stored."""
        problem, disk = self._context.table.journal.saving_problem(), self._context.disk
        health = [*self._context.table.health(), *([disk()] if disk else ())]
        if problem:
            health.append(DeviceHealth(device="journal", ok=False, message=problem))
        devices = [api_types.DeviceState(each.device, each.ok, translate(each.message_with_remedy)) for each in health]
        is_ok = all(each.ok or each.missing for each in health)
        status: HealthStatus = "failing" if problem else "ok" if is_ok else "degraded"
        return json_response(api_types.Health(status, product_version(), devices), 503 if problem else 200)

    def openapi(self) -> Response:
        """Answers with the OpenAPI description of this API."""
        found = description()
        return json_response({**found, "info": {**found["info"], "version": product_version()}})

    def view(self) -> Response:
        """Answers with what the requesting phone may see of the match."""
        return json_response(_view_record(self._context.view_or_refuse()))

    def events(self) -> Response:
        """Answers with a stream of server-sent events for the requesting phone."""
        context, session, token = self._context, self._context.session(), phone_token()
        if not context.streams.has_room(session.key):
            raise RequestError(503, "too_many_streams", _("Too many pages are open at once. Close some, then reload."))
        last = request.headers.get("Last-Event-ID") or request.args.get("last")
        shares = partial(context.shares.request_for, session.key) if request.args.get("shares") == "1" else None
        address, session_now = request.args.get("page", ""), partial(context.lobby.phones.session, token)
        page = live_page(address, session_now, is_own_screen=context.is_own_screen())
        feed = TableFeed(
            context.table,
            lambda: viewer_of(session_now()),
            last,
            translator(),
            shares,
            ShownPage(context.live_pages, page, request.args.get("mark", "")) if "page" in request.args else None,
        )

        def arrive() -> None:
            feed.keep_page()
            context.lobby.phones.arrive(session)

        if request.method == "GET":
            leave = partial(context.lobby.phones.leave, session)
            request.environ[STREAM] = EventStream(feed, context.streams, session.key, arrive, leave)
        return Response(mimetype="text/event-stream")

    def join(self) -> Response:
        """Gives the requesting phone a seat, or lets it watch without one."""
        body = api_types.read(api_types.Join, json_body())
        token = self._context.lobby.join(
            phone_token(), body.code, body.seat, entered_name(body.name), request.remote_addr or ""
        )
        self._context.profiles.greet(self._context.lobby.phones.session(token))
        name = clean_name(self._context.table.names[body.seat]) if body.seat is not None else None
        return give_cookie(json_response(api_types.SeatResponse(body.seat, name)), token)

    def moves(self) -> Response:
        """Makes the move in the request's body."""
        body = api_types.read(api_types.MakeMove, json_body())
        return self._done_response(self._context.table.submit(self._context.seat(), body.move, body.version, body.id))

    def correct(self) -> Response:
        """Replaces the last move of the phone's seat with the move in the request's body."""
        body = api_types.read(api_types.MakeMove, json_body())
        return self._done_response(self._context.table.correct(self._context.seat(), body.move, body.version, body.id))

    def ignore(self) -> Response:
        """Ignores a component on the table that has no place in the match."""
        body = api_types.read(api_types.Ignore, json_body())
        return self._done_response(self._context.table.ignore(self._context.seat(), body.code))

    def undo(self) -> Response:
        """Undoes the last act."""
        body = _act_body()
        return self._done_response(self._context.table.undo(self._context.seat(), body.version, body.id))

    def redo(self) -> Response:
        """Redoes the act that was undone last."""
        body = _act_body()
        return self._done_response(self._context.table.redo(self._context.seat(), body.version, body.id))

    def next(self) -> Response:
        """Lets the companion make the move that it is holding back until people are ready, such as the next
        disaster."""
        body = _act_body()
        return self._done_response(self._context.table.proceed(self._context.seat(), body.version, body.id))

    def ask(self) -> Response:
        """Asks another player to consent to the move in the request's body."""
        body = api_types.read(api_types.Ask, json_body())
        self._context.table.request_consent(self._context.seat(), body.move, body.version)
        return self._done_response(self._context.view_or_refuse().version)

    def answer(self) -> Response:
        """Answers the pending request for consent. The player who asked may send the answer too: yes if the other
        player agreed aloud, no to withdraw the request."""
        body = api_types.read(api_types.Answer, json_body())
        return self._done_response(
            self._context.table.answer(self._context.seat(), agreed=body.agreed, question=body.move)
        )

    def photo(self) -> Response:
        """Makes the move that a photographed card means, if only one move is possible. Otherwise answers with all
        possible moves."""
        seat, reader = self._context.seat(), self._context.reader_or_refuse()
        query = api_types.read_texts(api_types.ActBody, request.args)
        if (done := self._context.table.version_of_action(seat, query.version, query.id)) is not None:
            return self._done_response(done)
        data, view = photo_moves.photo_from_body(), self._context.view_or_refuse()
        codes = photo_moves.components_in(reader, data, view)
        move = photo_moves.only_move(view, codes)
        if move is None:
            moves = [move_json.to_json(each) for each in photo_moves.possible_moves(view, codes)]
            return json_response(api_types.PhotoDone(view.version, meant=moves))
        return self._done_response(self._context.table.submit(seat, move_json.to_json(move), query.version, query.id))

    def _done_response(self, version: int) -> Response:
        """The answer after an act: the version that the act led to, and the view if that version is still the current
        one."""
        view = self._context.view()
        if view is None or view.version != version:
            return json_response(api_types.Done(version))
        words = [*map(translate, view.tabletop.physical_instructions)]
        return json_response(api_types.Done(**msgspec.structs.asdict(_view_record(view)), words=words))

    def shuffle(self) -> Response:
        """Answers with the public record of a game's shuffle. Once the shuffle is revealed, the record contains the
        seed, the shares and the draws."""
        if not self._context.session().has_joined:
            raise RequestError(403, "no_seat", _("This phone has no seat. Join with the code on the table’s screen."))
        status = self._context.table.shuffle.status()
        id = request.args.get("game", status.game if status else 0, type=int)
        try:
            record = self._context.table.shuffle.record(id)
        except (KeyError, ReplayError):
            record = None
        if record is None:
            raise RequestError(404, "no_shuffle", _("There’s no shuffle to check."))
        return json_response(record)

    def share(self) -> Response:
        """Receives a phone's commitment to its share in the shuffle, or the share itself."""
        body, phone = api_types.read(api_types.ShareBody, json_body()), self._context.session().key
        shares = self._context.shares
        if body.commitment:
            counts = shares.commit(phone, body.shuffle, body.round, body.commitment)
        elif body.share:
            counts = shares.reveal(phone, body.shuffle, body.round, body.share)
        else:
            raise bad_request('"commitment" or "share" must be given.')
        return json_response(api_types.ShareTaken(counts))

    def start(self) -> Response:
        """Starts the game that the host has chosen."""
        values = json_body()
        self._context.host()
        body = api_types.read(api_types.StartGame, values)
        names = tuple(map(entered_name, body.players))
        choices = GameSetup(body.options, body.dealers, names, _by_seat(body.companions))
        start_game(self._context, body.game, body.seats, choices)
        return json_response(_view_record(self._context.view_or_refuse()))

    def seats(self) -> Response:
        """Frees a seat, so that another phone can take it."""
        values = json_body()
        self._context.host()
        seat = api_types.read(api_types.FreeSeat, values).seat
        self._context.lobby.free(seat)
        return json_response(api_types.SeatResponse(seat))

    def companion(self) -> Response:
        """Lets the companion play a seat, or lets people play it again."""
        body = api_types.read(api_types.HandOver, json_body())
        self._context.check_may_hand_over(body.seat)
        if body.policy is None:
            self._context.lobby.take_back(body.seat)
        else:
            self._context.lobby.hand_over(body.seat, body.policy)
        return json_response(body)


def _act_body() -> api_types.ActBody:
    """The version and the action id in the request's body, which may be empty."""
    return api_types.read(api_types.ActBody, json_body(empty=True))


def _by_seat(companions: Mapping[str, str]) -> Mapping[int, str]:
    """Converts the keys of a JSON object, which are texts, to seats. The values are the policies of the seats that the
    companion plays. Raises RequestError if a key is not a number."""
    if bad := [seat for seat in companions if not (seat.isascii() and seat.isdigit())]:
        raise bad_request(f'The keys of "companions" must be seats, not {move_json.dumps(bad[0][:20])}.')
    return {int(seat[:9]): policy for seat, policy in companions.items()}


def _view_record(view: View) -> api_types.ViewResponse:
    return api_types.ViewResponse(
        version=view.version,
        game=view.game.name,
        seat=view.viewer if isinstance(view.viewer, int) else None,
        state=view.state,
        legal=[move_json.to_json(move) for move in view.choices.legal],
        reports=[move_json.to_json(move) for move in view.choices.reports],
        companions={str(seat): policy for seat, policy in view.companion_seats.items()},
    )
