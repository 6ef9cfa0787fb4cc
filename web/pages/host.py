"""The host page: the host starts and ends games, and manages seats, phones and hosts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, request

from companion.games import GAMES
from companion.match.journal_error import JournalError
from companion.match.stored_game import Header
from companion.table.companion_seats import last_companion_seats
from companion.text.default_names import default_name
from companion.text.messages import _
from companion.text.refusal_errors import Refusal, SetupError
from companion.text.toml_files import MAX_FILE_BYTES
from web.access.phone_cookie import give_cookie, phone_token
from web.context import AppContext
from web.entered_names import entered_name
from web.error_responses import RequestError, as_request_error
from web.game_start import GameSetup, start_game
from web.pages import companion_forms
from web.pages.form_fields import whole_number
from web.pages.redirects import see_other
from web.pages.rematch import Rematch, ended_game
from web.people.all_default_names import all_default_names
from web.render import render
from web.results.end_screens import EndScreens


@dataclass(frozen=True)
class EnteredSetup:
    """The values that a host has entered for a new game: the fields of `Header` that the form needs. `seats` is None if
    the game allows only one number of seats."""

    game: str
    seats: int | None
    setup: Mapping[str, str]
    dealers: Mapping[str, str]


class HostPage:
    """The handlers of the host page and of its forms."""

    def __init__(self, context: AppContext, end_screens: EndScreens) -> None:
        self._context, self._end_screens = context, end_screens
        self._rematch = Rematch(context)

    def routes(self) -> Blueprint:
        """The blueprint with the routes of the host page."""
        routes = Blueprint("host", __name__)
        routes.app_template_global("default_name")(default_name)
        routes.add_url_rule("/host", view_func=self.page)
        routes.add_url_rule("/host", view_func=self.act, methods=["POST"])
        return routes

    def page(self) -> Response:
        """The host page. If the request has the key of the host link, its browser first becomes a host. While there is
        no host, a browser that has not joined is redirected to the first page."""
        key = request.args.get("key")
        if key is not None:
            return give_cookie(see_other("/host"), self._context.lobby.claim_host(phone_token(), key))
        if not self._context.lobby.phones.host_count and not self._context.session().has_joined:
            return see_other("/")  # there the first browser becomes the host, or learns how to become it
        self._context.host()
        return self._rendered()

    def act(self) -> Response:
        """Handles the forms of the page: starts or ends a game, or manages boards, seats, phones and hosts."""
        session, lobby = self._context.host(), self._context.lobby
        form = request.form
        try:
            if "free" in form:
                lobby.free(whole_number(form["free"]) or 0)
            elif "alone" in form:
                lobby.keep_only_host(session)
            elif "renew-code" in form:
                lobby.renew_code()
            elif "remove" in form:
                lobby.remove(whole_number(form["remove"]))
            elif "remove-spectators" in form:
                lobby.remove_spectators()
            elif "make-host" in form or "no-host" in form:
                lobby.set_host(whole_number(form.get("make-host") or form["no-host"]), host="make-host" in form)
            elif "upload-board" in form:
                self._upload_board(form)
                return see_other(f"/host?game={form['upload-board']}")
            elif "hand-over" in form or "take-back" in form:
                companion_forms.change_companion_seat(self._context, form)
            elif "use-camera" in form:
                self._context.table.set_phones_only(phones_only=False)
            elif "end" in form:
                self._end_game(form)
            elif "again" in form:
                self._rematch.start(whole_number(form["again"]) or 0, by=session.seat)
                return see_other("/")
            elif "reopen" in form:
                self._context.table.reopen(whole_number(form["reopen"]))
                lobby.notices.add("reopened", "")
            else:
                self._start_game(form)
        except (Refusal, RequestError, SetupError, JournalError) as error:
            return self._rendered(as_request_error(error))
        return see_other("/host")

    def _upload_board(self, form: Any) -> None:
        game, file = GAMES.get(form["upload-board"]), request.files.get("board")
        if game is None or file is None or not file.filename:
            raise RequestError(422, "bad_board", _("No file chosen. Choose a board file, then upload it."))
        self._context.boards.save(game, file.filename, file.stream.read(MAX_FILE_BYTES + 1))

    def _end_game(self, form: Any) -> None:
        view = self._context.table.view()
        if view is None or whole_number(form["end"]) != view.id:
            raise RequestError(409, "stale", _("That game is already over. This is the table now."))
        self._context.table.end()

    def _start_game(self, form: Any) -> None:
        id, view = self._context.table.game_and_version[0], self._context.table.view()
        if view is not None and view.turn is not None and not form.get("sure"):
            raise RequestError(422, "not_sure", _("Tick the box to end the running game, then start the new one."))
        options, dealers = _options_in(form), _dealers_in(form)
        if form.get("material") == "phones":
            dealers = {}  # without cards, nobody can deal by hand
        seats = whole_number(form.get("seats"))
        players = tuple(map(entered_name, form.getlist("player")[:seats]))
        companions = companion_forms.companions_in(form, seats)
        # Another host may start a game while this one waits for the shares of the phones.
        running = whole_number(form.get("running")) or id
        follows = (view.id, view.version) if view and view.turn is None else (running, None)
        setup = GameSetup(options, dealers, players, companions, follows)
        start_game(self._context, form.get("game", ""), seats, setup)
        if "material" in form:
            self._context.table.set_phones_only(phones_only=form["material"] == "phones")

    def _rendered(self, refused: RequestError | None = None) -> Response:
        """The host page. The form for a new game has the values of the last game or, if a start was refused, the values
        that the host has entered."""
        table, form = self._context.table, request.form
        view, last = table.view(), table.journal.last_header()
        names = (request.values.get("game", ""), last.game if last else "")
        offered = _offered_names(last.players if last else (), self._context.lobby.phones.player_names)
        filled_in: Header | EnteredSetup | None = last
        game = next((GAMES[name] for name in names if name in GAMES), next(iter(GAMES.values())))
        companions = last_companion_seats(table.journal, game)
        phones_only = table.phones_only()
        plays_on_phones = not self._context.has_camera() if phones_only is None else phones_only
        if refused and "player" in form:
            filled_in = EnteredSetup(
                form.get("game", ""), whole_number(form.get("seats")), _options_in(form), _dealers_in(form)
            )
            offered, companions = form.getlist("player"), companion_forms.companions_in(form, None)
            plays_on_phones = form.get("material") == "phones"
        return render(
            self._context,
            "host.html",
            view,
            refused,
            shows_join_code=True,
            games=tuple(GAMES.values()),
            selected_game=game,
            uploaded_boards=self._context.boards.names(game),
            last=filled_in,
            last_companions=companions,
            player_names=offered,
            known_names=dict.fromkeys((*offered, *(person.name for person in self._context.profiles.all()))),
            is_game_requested="game" in request.values,
            plays_on_phones=plays_on_phones,
            end=self._end_screens.of(view),
            ended=ended_game(self._context),
            ignores_camera=bool(phones_only) and self._context.has_camera(),
            health=table.health(),
        )


def _options_in(form: Any) -> Mapping[str, str]:
    """The options in the form for a new game, by name. What is entered under "Custom" takes the place of a choice."""
    options = {key.removeprefix("option-"): form[key] for key in form if key.startswith("option-")}
    return options | {key.removeprefix("other-"): form[key] for key in form if key.startswith("other-") and form[key]}


def _dealers_in(form: Any) -> dict[str, str]:
    return {key.removeprefix("dealer-"): form[key] for key in form if key.startswith("dealer-")}


def _offered_names(last: Sequence[str], joined_names: Sequence[str]) -> Sequence[str]:
    """The names that the form for a new game offers, by seat: those of the last game, then those of other phones that
    have joined. In place of a default name of the last game, the form offers the name of a phone, or nothing."""
    waiting = iter([name for name in dict.fromkeys(joined_names) if name not in last])
    defaults = all_default_names()
    return [next(waiting, "") if name in defaults else name for name in last] + [*waiting]
