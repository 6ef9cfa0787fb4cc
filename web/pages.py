"""The pages of the dashboard and their forms. The server renders the pages from what the requesting phone may see.
Every form also works without scripts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from flask import Blueprint, Response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from companion.games import GAMES, notation
from companion.games.rules import REFEREE, Json, Seat
from companion.games.view import LogEntry, View
from companion.match.journal_error import JournalError
from companion.match.match import default_name
from companion.text.messages import TextLike, _, joined
from companion.text.player_names import clean_name
from companion.text.refusals import IllegalMove, Refusal, SetupError
from companion.text.toml_files import MAX_FILE_BYTES
from companion.text.translation import LANGUAGES
from web import api_types, companion_forms, photo_moves
from web.context import AppContext, GameSetup
from web.end_screens import EndScreens
from web.error_responses import RequestError, as_request_error, bad_request
from web.form_moves import completed_move, outdated_page_message
from web.game_pages import page_of
from web.guests import viewer_of
from web.localization import chosen_language, set_language_cookie, translate
from web.looking_back import shared_page
from web.move_menu import buttons_by_key, move_buttons
from web.phone_cookie import give_cookie, phone_token
from web.phone_setup import set_up_phone
from web.rematch import Rematch
from web.render import asset, page_title, render
from web.token_icons import drawn_tokens, token_icon
from web.view_permissions import EVERYTHING

Answer = AnyResponse | str


class Pages:
    """The handlers of the pages and of their forms."""

    def __init__(self, context: AppContext) -> None:
        self._context = context
        self._end_screens = EndScreens(context.table)
        self._rematch = Rematch(context)

    def routes(self) -> Blueprint:
        """The blueprint with the routes of the pages."""
        routes = Blueprint("pages", __name__)
        routes.app_template_global("token_icon")(token_icon)
        routes.app_template_global("policy_title")(companion_forms.policy_title)
        routes.app_template_global("asset")(asset)
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
            ("/request", self.act_request),
        ):
            routes.add_url_rule(path, endpoint=act.__name__, view_func=act, methods=["POST"])
        return routes

    def index(self) -> Answer:
        """Redirects to the phone's seat, the host page, the table or the join page. If there is no host yet, the
        browser on the table's own screen becomes the host, provided that this screen is trusted."""
        context, guest = self._context, self._context.guest()
        is_first = not context.lobby.host_count and not guest.has_joined
        if is_first and context.is_own_screen() and request.method == "GET":
            return give_cookie(_redirect("/host"), context.lobby.claim_host(phone_token()))
        if not guest.has_joined:
            return _redirect("/join")
        if guest.seat is not None:
            return _redirect("/play")
        if guest.host:
            return _redirect("/host")
        return _redirect("/table" if context.table.names else "/join")

    def host(self) -> Answer:
        """The host page. If the request has the key of the host link, its browser first becomes a host."""
        key = request.args.get("key")
        if key is not None:
            return give_cookie(_redirect("/host"), self._context.lobby.claim_host(phone_token(), key))
        self._context.host()
        return self._host_page()

    def join(self) -> Answer:
        """The join page: free seats, and the join code for phones that have joined. When a game begins, a phone that
        has waited on this page is redirected to its seat, if it still has one."""
        view, before = self._context.table.view(), request.headers.get("X-Fragment", "").partition(".")
        if view and before[1] and before[0] != f"{view.id}" and self._context.guest().seat is not None:
            return _redirect("/play")
        return self._join_page()

    def play(self) -> Answer:
        """The page of the phone's seat, or a waiting page between games. A phone without a seat is redirected to the
        join page. If the phone has just lost its seat, the join page says so."""
        guest = self._context.guest()
        is_waiting = guest.has_joined and not self._context.table.names
        if guest.seat is not None or is_waiting:
            return self._play_page()
        game_id = request.headers.get("X-Fragment", "0").split(".")[0]  # 0 if the page waits for a game
        return _redirect("/join" if game_id == "0" else "/join?unseated")

    def table(self) -> Answer:
        """The page for a big screen: what everyone may see, or all hands if the request has the right key. While people
        look back together, it shows their replay."""
        if shared := self._context.shared_replay.current():
            return shared_page(self._context, shared)
        lobby, view = self._context.lobby, self._context.table.view()
        has_free_seat = lobby.taken_seat_count < len(self._context.table.names)
        token = lobby.show_hands(phone_token(), view.id, request.args.get("hands", "")) if view else None
        if token:
            view = self._context.table.view(REFEREE)
        page = render(
            self._context,
            "table.html",
            view,
            shows_join_code=self._may_see_code(),
            has_free_seat=has_free_seat,
            hands=token is not None,
            end=self._end_screens.of(view),
        )
        return give_cookie(page, token) if token else page

    def log(self) -> Answer:
        """The page with the log of the game."""
        return render(self._context, "log.html", self._context.view(), lines=self._log_entries())

    def log_text(self) -> Answer:
        """The log as a text file to download."""
        text = "".join(
            f"{'–' if line.kind == 'notice' else f'{line.version}.'} {' '.join(map(translate, line.words))}\n"
            for line in self._log_entries()
        )
        return Response(text, mimetype="text/plain", headers={"Content-Disposition": "attachment; filename=game.txt"})

    def settings(self) -> Answer:
        """The page with this phone's settings: sound, vibration, speech, language."""
        return render(
            self._context, "settings.html", None, title=page_title(_("This phone")), languages=LANGUAGES, games=[*GAMES]
        )

    def help(self) -> Answer:
        """The guidebook of the game that the request names, or else of the current game."""
        view = self._context.table.view()
        games_with_guidebook = [game for game in GAMES.values() if game.text.guidebook]
        name = request.args.get("game") or (view.game.name if view else "")
        game = next((game for game in games_with_guidebook if game.name == name), games_with_guidebook[0])
        assert game.text.guidebook
        title = page_title(joined(": ", (_("Rules"), _(game.title))))
        return render(
            self._context,
            "help.html",
            None,
            title=title,
            game=game,
            games_with_guidebook=games_with_guidebook,
            guidebook=game.text.guidebook(),
        )

    def act_settings(self) -> Answer:
        """Sets this phone's language, and remembers it for the phone's player; or remembers what the player has
        switched on or off in the phone's settings, which the phone keeps itself."""
        guest, form, profiles = self._context.guest(), request.form, self._context.profiles
        if "sense" in form:
            profiles.set_sense(guest, form["sense"], on=form.get("on") == "true")
            return _redirect("/settings")
        answer = set_language_cookie(_redirect("/settings"), form.get("language", ""))
        profiles.set_language(guest, form["language"])
        return answer

    def act_play(self) -> Answer:
        """Performs the action of a button on the seat's page, for browsers without scripts."""
        try:
            self._submit_action(request.form)
        except (Refusal, RequestError, JournalError) as error:
            refused = as_request_error(error)
            if self._context.guest().seat is None:
                raise
            return self._play_page(refused)
        return _redirect("/play")

    def _submit_action(self, form: Any) -> None:
        context, seat = self._context, self._context.seat()
        version, request_id = (
            _whole_number(form.get("version")),
            api_types.read_texts(api_types.Act, {"id": form.get("id", "")}).id,
        )
        if "move" in form:
            context.table.submit(seat, completed_move(form), version, request_id)
            return
        if "correct" in form:
            context.table.correct(seat, notation.loads(form["correct"]), version, request_id)
            return
        if "ignore" in form:
            context.table.ignore(seat, form["ignore"])
            return
        if "ask" in form:
            context.table.request_consent(seat, notation.loads(form["ask"]), version)
            return
        if form.get("do") == "phones-only":
            context.table.set_phones_only(phones_only=True)
            return
        if "hand-over" in form or "take-back" in form:
            companion_forms.change_companion_seat(context, form)
            return
        request_move = notation.loads(form["asked"]) if "asked" in form else None
        actions: dict[str, Callable[[], object]] = {
            "undo": partial(context.table.undo, seat, version, request_id),
            "redo": partial(context.table.redo, seat, version, request_id),
            "next": partial(context.table.proceed, seat, version, request_id),
            "yes": partial(context.table.answer, seat, agreed=True, question=request_move),
            "no": partial(context.table.answer, seat, agreed=False, question=request_move),
        }
        action = actions.get(form.get("do", ""))
        if action is None:
            raise bad_request(outdated_page_message())
        action()

    def act_photo(self) -> Answer:
        """Makes the move that a photographed card stands for, or the move of a button that needed the card's face."""
        try:
            return self._submit_photo(request.form)
        except (Refusal, RequestError, JournalError) as error:
            refused = as_request_error(error)
            if self._context.guest().seat is None:
                raise
            return self._play_page(refused)

    def _submit_photo(self, form: Any) -> Answer:
        context, seat, reader = self._context, self._context.seat(), self._context.reader_or_refuse()
        version, request_id = (
            _whole_number(form.get("version")),
            api_types.read_texts(api_types.Act, {"id": form.get("id", "")}).id,
        )
        if context.table.version_of_request(seat, version, request_id) is not None:
            return _redirect("/play")
        view = context.view_or_refuse()
        codes = photo_moves.components_in(reader, photo_moves.photo_from_form(), view)
        if "move" in form:
            move = photo_moves.with_card(view, notation.loads(form["move"]), codes)
            self._submit_face(seat, move, version, request_id)
            return _redirect("/play")
        move = photo_moves.only_move(view, codes)
        if move is None:
            return _redirect(photo_moves.choice_url(codes, view.version))
        context.table.submit(seat, notation.to_json(move), version, request_id)
        return _redirect("/play")

    def _submit_face(self, seat: Seat, move: Json, version: int | None, request_id: str | None) -> None:
        """Makes a move that contains the face of a photographed card. The message of a refusal gives no reason, because
        the card's holder may not know its face yet."""
        try:
            self._context.table.submit(seat, move, version, request_id)
        except IllegalMove as error:
            message = _("That can’t be the card that was photographed. Nothing was recorded; check which card it is.")
            raise RequestError(422, error.code, message) from error

    def act_join(self) -> Answer:
        """Gives the phone a seat, or takes away its seat so that it only watches; or says who the phone's player is.
        Also handles two requests: to become host, which needs a button at the table, and to see everything, which needs
        another player's consent."""
        form, seat, lobby = request.form, request.form.get("seat", ""), self._context.lobby
        try:
            if "claim" in form:
                return give_cookie(_redirect("/join"), lobby.request_host(phone_token()))
            if "withdraw" in form:
                lobby.withdraw_request(self._context.guest())
                return _redirect("/join")
            if seat == EVERYTHING:
                lobby.ask_to_see_everything(self._context.host())
                return _redirect("/join")
            wanted, name = _whole_number(seat) if seat != "watch" else None, clean_name(form.get("name", ""))
            if "person" in form:
                wanted, name = self._seat_and_name(_whole_number(form["person"]) or 0)
            token = lobby.join(phone_token(), form.get("code", ""), wanted, name, request.remote_addr or "")
            profile = self._context.profiles.greet(lobby.guest(token))
        except (Refusal, RequestError, JournalError) as error:
            return self._join_page(as_request_error(error))
        chooses_seat = "person" in form and wanted is None
        answer = give_cookie(_redirect("/join" if chooses_seat else "/"), token)
        if profile and not profile.language and (chosen := chosen_language(request)):
            self._context.profiles.set_language(lobby.guest(token), chosen)
        return set_up_phone(answer, profile) if profile else answer

    def _seat_and_name(self, id: int) -> tuple[int | None, str]:
        """The seat and the name for the requesting phone, whose player has said who they are. Raises RequestError if
        that person has another phone here."""
        profiles, guest = self._context.profiles, self._context.guest()
        profile = profiles.get(id)
        profiles.require_free(profile, guest)
        return profiles.seat_for(profile, guest), profile.name

    def act_request(self) -> Answer:
        """Takes a player's answer to another phone's request for another view."""
        self._context.seat()
        agreed = request.form.get("agreed") == "yes"
        self._context.lobby.answer_request(self._context.guest(), request.form.get("request", ""), agreed=agreed)
        return _redirect("/play")

    def act_host(self) -> Answer:
        """Starts or ends a game, or changes the rights of phones."""
        guest, lobby = self._context.host(), self._context.lobby
        form = request.form
        try:
            if "free" in form:
                lobby.free(_whole_number(form["free"]) or 0)
            elif "alone" in form:
                lobby.keep_only_host(guest)
            elif "renew-code" in form:
                lobby.renew_code()
            elif "remove" in form:
                lobby.remove(_whole_number(form["remove"]))
            elif "remove-spectators" in form:
                lobby.remove_spectators()
            elif "make-host" in form or "no-host" in form:
                lobby.set_host(_whole_number(form.get("make-host") or form["no-host"]), host="make-host" in form)
            elif "upload-board" in form:
                self._upload_board(form)
                return _redirect(f"/host?game={form['upload-board']}")
            elif "hand-over" in form or "take-back" in form:
                companion_forms.change_companion_seat(self._context, form)
            elif "use-camera" in form:
                self._context.table.set_phones_only(phones_only=False)
            elif "end" in form:
                self._end_game(form)
            elif "again" in form:
                self._rematch.start(_whole_number(form["again"]) or 0)
                return _redirect("/")
            elif "reopen" in form:
                self._context.table.reopen(_whole_number(form["reopen"]))
                lobby.notices.add("reopened", "")
            else:
                self._start_game(form)
        except (Refusal, RequestError, SetupError, JournalError) as error:
            return self._host_page(as_request_error(error))
        return _redirect("/host")

    def _upload_board(self, form: Any) -> None:
        game, file = GAMES.get(form["upload-board"]), request.files.get("board")
        if game is None or file is None or not file.filename:
            raise RequestError(422, "bad_board", _("No file was chosen; choose a board file, then upload it."))
        self._context.boards.save(game, file.filename, file.stream.read(MAX_FILE_BYTES + 1))

    def _end_game(self, form: Any) -> None:
        view = self._context.table.view()
        if view is None or _whole_number(form["end"]) != view.id:
            raise RequestError(409, "stale", _("That game is over already; this is the table as it is now."))
        self._context.table.end()

    def _start_game(self, form: Any) -> None:
        view = self._context.table.view()
        if view is not None and view.turn is not None and not form.get("sure"):
            raise RequestError(422, "not_sure", _("Tick that the running game may end, then begin the new one."))
        options = {key.removeprefix("option-"): form[key] for key in form if key.startswith("option-")}
        options |= {key.removeprefix("other-"): form[key] for key in form if key.startswith("other-") and form[key]}
        dealers = {key.removeprefix("dealer-"): form[key] for key in form if key.startswith("dealer-")}
        if form.get("material") == "phones":
            dealers = {}  # nobody can draw by hand
        seats = _whole_number(form.get("seats"))
        players = tuple(clean_name(name) for name in form.getlist("player")[:seats])
        companions = companion_forms.companions_in(form, seats)
        self._context.start(form.get("game", ""), seats, GameSetup(options, dealers, players, companions))
        if "material" in form:
            self._context.table.set_phones_only(phones_only=form["material"] == "phones")

    def refusal(self, refused: RequestError) -> Response:
        """The page for a refused request: what is wrong, and a link to the table."""
        return render(self._context, "refusal.html", None, refused)

    def _play_page(self, refused: RequestError | None = None) -> Response:
        view = self._context.view()
        if view is None:
            return render(self._context, "lobby.html", None, refused)
        is_handed_over = self._context.guest().seat in view.companion_seats
        view = view.without_moves if is_handed_over else view
        page_moves = page_of(view.game).own_buttons
        buttons = move_buttons((move for move in view.choices.legal if not isinstance(move, page_moves)), view)
        report_buttons = move_buttons((move for move in view.choices.reports if not isinstance(move, page_moves)), view)
        return render(
            self._context,
            "play.html",
            view,
            refused,
            is_handed_over=is_handed_over,
            coach_steps=() if is_handed_over else page_of(view.game).coach,
            made_moves=_made_moves(view),
            request_label=joined(": ", view.choices.request_label),
            request_move=notation.write(view.choices.request.move) if view.choices.request else "",
            choices=buttons,
            ways=buttons_by_key(buttons),
            explanations=_explanations(view),
            ignorable=[each.code if each.is_stray else "" for each in view.tabletop.discrepancies],
            drawn_tokens=drawn_tokens(view),
            reports=report_buttons,
            report_moves=[button for button in buttons_by_key(report_buttons).values() if button.move],
            photo_meaning=self._photo_meaning(view),
            photos=self._context.reader is not None and not view.tabletop.has_camera,
            to_photograph=self._context.reader is not None and photo_moves.is_offered(view),
            end=self._end_screens.of(view),
        )

    def _photo_meaning(self, view: View) -> photo_moves.PhotoMeaning | None:
        """What the photograph in the page's URL can mean; None if it can mean no move, or if the match has changed
        since it was taken."""
        codes = request.args.get("shown", "")[:300].split(",")
        return photo_moves.meaning_of(view, codes) if request.args.get("at") == f"{view.version}" else None

    def _join_page(self, refused: RequestError | None = None) -> Response:
        return render(
            self._context,
            "join.html",
            self._context.table.view(),
            refused,
            shows_join_code=self._may_see_code(),
            code="" if refused and refused.code == "wrong_code" else request.values.get("code", "")[:64],
            is_waiting_to_host=self._context.lobby.is_waiting_to_host(phone_token()),
            submitted_name=request.form.get("name", ""),
        )

    def _host_page(self, refused: RequestError | None = None) -> Response:
        view, last = self._context.table.view(), self._context.table.journal.last_header()
        names = (request.values.get("game", ""), last.game if last else "")
        offered = _offered_names(last.players if last else (), self._context.lobby.player_names)
        game = next((GAMES[name] for name in names if name in GAMES), next(iter(GAMES.values())))
        phones_only = self._context.table.phones_only()
        return render(
            self._context,
            "host.html",
            view,
            refused,
            shows_join_code=True,
            games=tuple(GAMES.values()),
            selected_game=game,
            uploaded_boards=self._context.boards.names(game),
            last=last,
            last_companions=companion_forms.last_companions(self._context.table),
            player_names=offered,
            known_names=dict.fromkeys((*offered, *(person.name for person in self._context.profiles.all()))),
            is_game_requested="game" in request.values,
            plays_on_phones=not self._context.has_camera() if phones_only is None else phones_only,
            end=self._end_screens.of(view),
            ignores_camera=bool(phones_only) and self._context.has_camera(),
            health=self._context.table.health(),
        )

    def _may_see_code(self) -> bool:
        """Whether to show the join code: to phones that have joined, and on this machine's own screen if it is
        trusted."""
        return self._context.guest().has_joined or self._context.is_own_screen()

    def _log_entries(self) -> Sequence[LogEntry]:
        view = self._context.view()
        if view is None:
            return ()
        lines = self._context.table.log_after(view.viewer, 0)
        if viewer_of(self._context.guest()) != view.viewer:
            return self._log_entries()  # as for `AppContext.view`
        return self._context.lobby.notices.merged_with(page_of(view.game).log(view, lines), view.id)


def _offered_names(last: Sequence[str], joined_names: Sequence[str]) -> Sequence[str]:
    """The names that the form for a new game offers, by seat: those of the last game, then those of other phones that
    have joined. A default name of the last game gives way to the name of a phone."""
    waiting = iter([name for name in dict.fromkeys(joined_names) if name not in last])
    defaults = {form for seat in range(len(last)) for form in (str(default_name(seat)), translate(default_name(seat)))}
    return [next(waiting, name) if name in defaults else name for name in last] + [*waiting]


def _made_moves(view: View) -> str:
    """The names of the moves that the viewer's own seat has made lately, with spaces in between."""
    moves = (move for entry in view.log if entry.seat == view.viewer for move in entry.moves)
    return " ".join(sorted({str(move["move"]) for move in moves if move["seat"] == view.viewer}))


def _explanations(view: View) -> Sequence[tuple[str, str, TextLike]]:
    """The buttons for moves that would explain what lies on the table, unless the game's page offers them itself. Each
    has the name and the value of its form field, and its label."""
    offered = set(view.choices.possible_moves) if page_of(view.game).asks_for_cards else set()
    return [
        (
            "correct" if each.replaces_last else "move",
            notation.write(each.move),
            _("Instead of the last move: {move}", move=joined(": ", each.label))
            if each.replaces_last
            else joined(": ", each.label),
        )
        for each in view.choices.explanations
        if each.move not in offered
    ]


def _whole_number(text: str | None) -> int | None:
    if text is None or text == "":
        return None
    try:
        return int(text[:9], 10)
    except ValueError as error:
        raise bad_request(_("{text} is not a whole number.", text=repr(text[:20]))) from error


def _redirect(path: str) -> Response:
    response = redirect(path, 303)
    assert isinstance(response, Response)
    return response
