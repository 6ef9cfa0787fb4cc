"""The pages: rendered on the server from what a phone may see; every form works without the script too."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from companion.games import GAMES, notation
from companion.games.page import slug
from companion.games.rules import REFEREE, Json, Seat
from companion.games.view import LogEntry, View
from companion.match.journal import JournalError
from companion.text.player_names import clean_name
from companion.text.refusals import IllegalMove, Refusal, SetupError
from companion.text.translation import LANGUAGES, _
from web import photo, records, urls
from web.context import AppContext, GameSetup, give_cookie
from web.form_moves import completed_move, outdated_page_message
from web.game_pages import page_of
from web.icons import drawn_tokens, token_icon
from web.locale import set_language_cookie
from web.move_menu import buttons_by_key, move_buttons
from web.refusals import Refused, as_refused, bad_request
from web.render import asset, render
from web.seats import COOKIE, viewer_of

Answer = AnyResponse | str


class Pages:
    """Every address that answers in HTML."""

    def __init__(self, context: AppContext) -> None:
        self._context = context

    def routes(self) -> Blueprint:
        """The addresses."""
        routes = Blueprint("pages", __name__)
        routes.app_template_global("token_icon")(token_icon)
        routes.app_template_global("asset")(asset)
        routes.app_template_filter("slug")(slug)
        for path, show in (
            ("/", self.index),
            ("/host", self.host),
            ("/join", self.join),
            ("/play", self.play),
            ("/table", self.table),
            ("/log", self.log),
            ("/log.txt", self.log_text),
            ("/settings", self.settings),
            ("/help", self.help),
        ):
            routes.add_url_rule(path, endpoint=show.__name__, view_func=show)
        for path, act in (
            ("/host", self.act_host),
            ("/join", self.act_join),
            ("/play", self.act_play),
            ("/settings", self.act_settings),
            ("/photo", self.act_photo),
        ):
            routes.add_url_rule(path, endpoint=act.__name__, view_func=act, methods=["POST"])
        return routes

    # Looking ---------------------------------------------------------------------------------------

    def index(self) -> Answer:
        """The way in: to the seat, to the table, to the host's page or to the door."""
        context, guest = self._context, self._context.guest()
        if not context.lobby.host_count and not guest.has_joined and request.method == "GET":
            return give_cookie(_see("/host"), context.lobby.claim_host(request.cookies.get(COOKIE)))
        if not guest.has_joined:
            return _see("/join")
        if guest.seat is not None:
            return _see("/play")
        if guest.host:
            return _see("/host")
        return _see("/table" if context.table.names else "/join")

    def host(self) -> Answer:
        """The host's page; with the host link's key this browser becomes a host."""
        key = request.args.get("key")
        if key is not None:
            return give_cookie(_see("/host"), self._context.lobby.claim_host(request.cookies.get(COOKIE), key))
        self._context.host()
        return self._host_page()

    def join(self) -> Answer:
        """The door: seats to take, and for who is in the code for others. A phone that waited here for a game goes to
        the seat that it still holds."""
        view, before = self._context.table.view(), request.headers.get("X-Fragment", "").partition(".")
        if view and before[1] and before[0] != f"{view.id}" and self._context.guest().seat is not None:
            return _see("/play")
        return self._join_page()

    def play(self) -> Answer:
        """A seat's page; between two games a phone waits here. Who loses the seat while looking at it is told so."""
        guest = self._context.guest()
        waits = guest.has_joined and not self._context.table.names
        if guest.seat is not None or waits:
            return self._play_page()
        game_shown = request.headers.get("X-Fragment", "0").split(".")[0]  # 0 while the page waits for one
        return _see("/join" if game_shown == "0" else "/join?unseated")

    def table(self) -> Answer:
        """The big screen: what everyone may see."""
        lobby, view = self._context.lobby, self._context.table.view()
        free = lobby.taken_seat_count < len(self._context.table.names)
        hands = view is not None and lobby.may_show_hands(self._context.guest(), view.id, request.args.get("hands", ""))
        if hands:
            view = self._context.table.view(REFEREE)
        return render(self._context, "table.html", view, inside=self._inside(), free=free, hands=hands)

    def log(self) -> Answer:
        """What happened, in words."""
        return render(self._context, "log.html", self._context.view(), lines=self._lines())

    def log_text(self) -> Answer:
        """The same as a file."""
        text = "".join(f"{line.version}. {' '.join(line.words)}\n" for line in self._lines())
        return Response(text, mimetype="text/plain", headers={"Content-Disposition": "attachment; filename=game.txt"})

    def settings(self) -> Answer:
        """What this phone does besides showing, and in which language."""
        return render(
            self._context, "settings.html", None, title=f"{_('This phone')} – Tablekeeper", languages=LANGUAGES
        )

    def help(self) -> Answer:
        """The rules of the game that is played, or of another, in our own words."""
        view = self._context.table.view()
        guided = [game for game in GAMES.values() if game.text.guidebook]
        wanted = request.args.get("game") or (view.game.name if view else "")
        game = next((game for game in guided if game.name == wanted), guided[0])
        assert game.text.guidebook
        title = f"{_('Rules')}: {_(game.title)} – Tablekeeper"
        return render(
            self._context, "help.html", None, title=title, game=game, guided=guided, guidebook=game.text.guidebook()
        )

    def act_settings(self) -> Answer:
        """Chooses this phone's language."""
        return set_language_cookie(_see("/settings"), request.form.get("language", ""))

    # Acting without the script -----------------------------------------------------------------------

    def act_play(self) -> Answer:
        """A button of the seat's page."""
        try:
            self._do(request.form)
        except (Refusal, Refused, JournalError) as error:
            refused = as_refused(error)
            if self._context.guest().seat is None:
                raise
            return self._play_page(refused)
        return _see("/play")

    def _do(self, form: Any) -> None:
        context, seat = self._context, self._context.seat()
        version, name = _number(form.get("version")), records.read_texts(records.Act, {"id": form.get("id", "")}).id
        if "move" in form:
            context.table.submit(seat, completed_move(form), version, name)
            return
        if "ask" in form:
            context.table.request_consent(seat, notation.loads(form["ask"]), version)
            return
        asked = notation.loads(form["asked"]) if "asked" in form else None
        deeds: dict[str, Callable[[], object]] = {
            "undo": partial(context.table.undo, seat, version, name),
            "redo": partial(context.table.redo, seat, version, name),
            "next": partial(context.table.proceed, seat, version, name),
            "yes": partial(context.table.answer, seat, agreed=True, question=asked),
            "no": partial(context.table.answer, seat, agreed=False, question=asked),
        }
        deed = deeds.get(form.get("do", ""))
        if deed is None:
            raise bad_request(outdated_page_message())
        deed()

    def act_photo(self) -> Answer:
        """A photograph of a card, with the move of a button or by itself."""
        try:
            return self._photographed(request.form)
        except (Refusal, Refused, JournalError) as error:
            refused = as_refused(error)
            if self._context.guest().seat is None:
                raise
            return self._play_page(refused)

    def _photographed(self, form: Any) -> Answer:
        context, seat, reader = self._context, self._context.seat(), self._context.reader_or_refuse()
        version, name = _number(form.get("version")), records.read_texts(records.Act, {"id": form.get("id", "")}).id
        if context.table.version_of_request(seat, version, name) is not None:
            return _see("/play")
        view = context.view_or_refuse()
        things = photo.things_in(reader, photo.in_form(), view)
        if "move" in form:
            turned_up = photo.completed(view, notation.loads(form["move"]), things)
            self._turn_up(seat, turned_up, version, name)
            return _see("/play")
        move = photo.only_move(view, things)
        if move is None:
            return _see(photo.address_of(things, view.version))
        context.table.submit(seat, notation.to_json(move), version, name)
        return _see("/play")

    def _turn_up(self, seat: Seat, move: Json, version: int | None, name: str | None) -> None:
        """Why the rules refuse the very card that was photographed is not said: its holder may not know it yet."""
        try:
            self._context.table.submit(seat, move, version, name)
        except IllegalMove as error:
            said = _("That can’t be the card that was photographed. Nothing was booked; look which card it is.")
            raise Refused(422, error.code, said) from error

    def act_join(self) -> Answer:
        """Takes a seat, or watches."""
        form, seat = request.form, request.form.get("seat", "")
        try:
            token = self._context.lobby.join(
                request.cookies.get(COOKIE),
                form.get("code", ""),
                _number(seat) if seat != "watch" else None,
                clean_name(form.get("name", "")),
            )
        except (Refusal, Refused, JournalError) as error:
            return self._join_page(as_refused(error))
        return give_cookie(_see("/"), token)

    def act_host(self) -> Answer:
        """Begins a game, ends it, frees a seat, or makes this browser the only host."""
        guest = self._context.host()
        form = request.form
        try:
            if "free" in form:
                self._context.lobby.free(_number(form["free"]) or 0)
            elif "alone" in form:
                self._context.lobby.keep_only_host(guest)
            elif "end" in form:
                self._end(form)
            else:
                self._start(form)
        except (Refusal, Refused, SetupError, JournalError) as error:
            return self._host_page(as_refused(error))
        return _see("/host")

    def _end(self, form: Any) -> None:
        view = self._context.table.view()
        if view is None or _number(form["end"]) != view.id:
            raise Refused(409, "stale", _("That game is over already; this is the table as it is now."))
        self._context.table.end()

    def _start(self, form: Any) -> None:
        view = self._context.table.view()
        if view is not None and view.turn is not None and not form.get("sure"):
            raise Refused(422, "not_sure", _("Tick that the running game may end, then begin the new one."))
        options = {key.removeprefix("option-"): form[key] for key in form if key.startswith("option-")}
        options |= {key.removeprefix("other-"): form[key] for key in form if key.startswith("other-") and form[key]}
        dealers = {key.removeprefix("dealer-"): form[key] for key in form if key.startswith("dealer-")}
        seats = _number(form.get("seats"))
        players = tuple(clean_name(name) for name in form.getlist("player")[:seats])
        self._context.start(form.get("game", ""), seats, GameSetup(options, dealers, players))

    # Rendering -------------------------------------------------------------------------------------

    def refusal(self, refused: Refused) -> Response:
        """The page of a refusal: what is wrong and where to go on."""
        return render(self._context, "refusal.html", None, refused)

    def _play_page(self, refused: Refused | None = None) -> Response:
        view = self._context.view()
        if view is None:
            return render(self._context, "lobby.html", None, refused)
        elsewhere = page_of(view.game).own_buttons
        offered = move_buttons((move for move in view.choices.legal if not isinstance(move, elsewhere)), view)
        reported = move_buttons((move for move in view.choices.reports if not isinstance(move, elsewhere)), view)
        return render(
            self._context,
            "play.html",
            view,
            refused,
            request_label=": ".join(view.choices.request_label),
            asked=notation.write(view.choices.request.move) if view.choices.request else "",
            choices=offered,
            ways=buttons_by_key(offered),
            drawn_tokens=drawn_tokens(view),
            reports=reported,
            ways_reported=[way for way in buttons_by_key(reported).values() if way.move],
            request_id=secrets.token_hex(12),
            shown=self._shown(view),
            photos=self._context.reader is not None and not view.tabletop.has_camera,
            to_photograph=self._context.reader is not None and photo.is_offered(view),
        )

    def _shown(self, view: View) -> photo.Shown | None:
        """What was photographed, as long as nothing has happened since."""
        things = request.args.get("shown", "")[:300].split(",")
        return photo.shown(view, things) if request.args.get("at") == f"{view.version}" else None

    def _join_page(self, refused: Refused | None = None) -> Response:
        return render(
            self._context,
            "join.html",
            self._context.table.view(),
            refused,
            inside=self._inside(),
            code=request.values.get("code", ""),
            typed=request.form.get("name", ""),
        )

    def _host_page(self, refused: Refused | None = None) -> Response:
        view, last = self._context.table.view(), self._context.table.journal.last()
        wanted = (request.values.get("game", ""), last.game if last else "")
        chosen = next((GAMES[name] for name in wanted if name in GAMES), next(iter(GAMES.values())))
        return render(
            self._context,
            "host.html",
            view,
            refused,
            inside=True,
            games=tuple(GAMES.values()),
            chosen=chosen,
            last=last,
            chosen_by_hand="game" in request.values,
            health=self._context.table.health(),
        )

    def _inside(self) -> bool:
        """Whether the join code may be shown: to who is in, and on this machine's own screen."""
        return self._context.guest().has_joined or urls.is_local()

    def _lines(self) -> Sequence[LogEntry]:
        view, lines = self._context.view(), self._context.table.log_after(viewer_of(self._context.guest()), 0)
        return page_of(view.game).log(view, lines) if view else ()


def _number(text: str | None) -> int | None:
    if text is None or text == "":
        return None
    try:
        return int(text[:9], 10)
    except ValueError as error:
        raise bad_request(_("{text} is no whole number.", text=repr(text[:20]))) from error


def _see(path: str) -> Response:
    response = redirect(path, 303)
    assert isinstance(response, Response)
    return response
