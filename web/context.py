"""What the pages and the API share: the table, the lobby, and who is asking."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from flask import Response, current_app, request

from companion.games import GAMES
from companion.games.rules import Json, Seat
from companion.games.view import View
from companion.match.match import unknown_game
from companion.table.table import NoGame, Table, no_game
from companion.tabletop.photo_reader import Reader
from companion.text.refusals import SetupError
from companion.text.translation import _
from web.events import Streams
from web.refusals import Refused, bad_request
from web.seats import COOKIE, Guest, Lobby, viewer_of

YEAR = 365 * 24 * 3600


@dataclass(frozen=True)
class AppContext:
    """One application's collaborators."""

    table: Table
    lobby: Lobby
    streams: Streams
    simulated: bool
    setup: bool = False
    trust: bool = False
    """Whether https is served, and a page tells how to come to it."""
    reader: Reader | None = None
    """What reads photographs, where they can be read."""

    def guest(self) -> Guest:
        """The phone that asks."""
        return self.lobby.guest(request.cookies.get(COOKIE))

    def view(self) -> View | None:
        """What the phone that asks may see."""
        return self.table.view(viewer_of(self.guest()))

    def view_or_refuse(self) -> View:
        """The same; raises NoGame."""
        view = self.view()
        if view is None:
            raise NoGame(no_game())
        return view

    def seat(self) -> Seat:
        """The seat of the phone that asks; raises Refused, NoGame."""
        if not self.table.names:
            raise NoGame(no_game())
        guest = self.guest()
        if guest.seat is None:
            raise Refused(403, "no_seat", _("This phone has no seat; join with the code on the table's screen."))
        return Seat(guest.seat)

    def reader_or_refuse(self) -> Reader:
        """What reads photographs; raises Refused where nothing does."""
        if self.reader is None:
            raise Refused(404, "no_reader", _("Photos can’t be read here; tap what it is."))
        return self.reader

    def host(self) -> Guest:
        """The host; raises Refused for everybody else."""
        return check_host(self.lobby)

    def start(self, name: str, seats: int | None, chosen: Choices) -> int:
        """Begins a game as the host chose it; raises SetupError."""
        game = GAMES.get(name)
        if game is None:
            raise SetupError(unknown_game(name))
        known = {option.name for option in game.rules.options}
        for option in chosen.options:
            if option not in known:
                raise bad_request(
                    _(
                        "{game} has no option {name}; it has {known}.",
                        game=_(game.title),
                        name=repr(option),
                        known=", ".join(known),
                    )
                )
        if len(chosen.players) > (count := game.rules.seat_count(seats)):
            raise SetupError(
                _(
                    "{players} players can't have {seats} seats; leave some out.",
                    players=len(chosen.players),
                    seats=count,
                )
            )
        return self.table.start(
            name, seats, dict(chosen.options), chosen.dealers, chosen.players, secrets.token_hex(16)
        )


def check_host(lobby: Lobby) -> Guest:
    """The host who asks; raises Refused for everybody else."""
    guest = lobby.guest(request.cookies.get(COOKIE))
    if not guest.host:
        raise Refused(403, "not_host", _("Only the host’s browser may do that, or one that opens the host link."))
    return guest


def check_sees_all(lobby: Lobby, table: Table, because: str) -> None:
    """Refuses everybody but the host, and a host who plays where there are secrets. `because` says what is seen: "the
    camera sees all cards"."""
    guest, view = check_host(lobby), table.view()
    if guest.seat is not None and view is not None and view.game.rules.has_hidden_information:
        said = _("This browser has a seat, and {why}. Leave the seat under “Join”, and play in another.", why=because)
        raise Refused(403, "has_seat", said)


@dataclass(frozen=True)
class Choices:
    """What a host chooses before a game."""

    options: Mapping[str, str]
    dealers: Mapping[str, str]
    players: tuple[str, ...]


def give_cookie(response: Response, token: str) -> Response:
    """Lets a phone be known again; on a home network without https, so not `Secure`."""
    response.set_cookie(COOKIE, token, max_age=YEAR, httponly=True, samesite="Lax")
    return response


def product_version() -> str:
    """Tablekeeper's own."""
    try:
        return version("tablekeeper")
    except PackageNotFoundError:
        return "0"


def as_json(value: Json, status: int = 200) -> Response:
    """A JSON answer; keys stay in the order in which they were written."""
    return Response(current_app.json.dumps(value) + "\n", status, mimetype="application/json")
