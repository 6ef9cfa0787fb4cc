"""The print page: the host chooses paper, sides and size, and gets a PDF file with everything to print for a game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlencode

import msgspec
from flask import Blueprint, Response, redirect, request, send_file
from werkzeug.utils import secure_filename
from werkzeug.wrappers import Response as AnyResponse

from companion.games import GAMES
from companion.games.game import Game
from companion.games.rules import Json, Option
from companion.printing.camera_height import max_height_cm, min_height_cm
from companion.printing.options import Contents, Pages, PrintOptions
from companion.printing.pdf_queue import Pack, PdfQueue
from companion.text.messages import Number, TextLike, _, gettext_noop, plural
from companion.text.refusal_errors import Refusal, SetupError
from web.context import AppContext
from web.error_responses import RequestError, as_request_error, bad_request
from web.render import render
from web.templating.page_head import page_title

CHOICES: Mapping[str, tuple[str, Sequence[tuple[str, str]]]] = {
    "paper": (gettext_noop("Paper"), (("a4", "A4"), ("letter", "Letter"))),
    "sides": (
        gettext_noop("Printer"),
        (("both", gettext_noop("Both sides")), ("one", gettext_noop("One side only"))),
    ),
    "size": (gettext_noop("Cards"), (("usual", gettext_noop("Normal")), ("small", gettext_noop("Small")))),
    "ink": (gettext_noop("Ink"), (("full", gettext_noop("Full color")), ("low", gettext_noop("Low ink")))),
    "deck": (
        gettext_noop("Playing cards"),
        (("cards", gettext_noop("Print them")), ("stickers", gettext_noop("Stickers for my own deck"))),
    ),
}
"""The choices on the page: the name of each field, its title, and its values with their titles. The first value is the
default."""


@dataclass(frozen=True)
class Facts:
    """The facts about a drawn pack that the page shows."""

    contents: Contents
    heights: TextLike
    """The heights from which the camera can read the codes; "" if the pack has no codes."""
    steps: tuple[TextLike, ...]
    """How to print the pack, step by step."""


class PrintPage:
    """The handlers of the print page. Only hosts may use it, because drawing takes time on a small computer."""

    def __init__(self, context: AppContext, queue: PdfQueue) -> None:
        self._context, self._queue = context, queue

    def routes(self) -> Blueprint:
        """The blueprint with the routes under /print."""
        routes = Blueprint("prints", __name__, url_prefix="/print")
        routes.add_url_rule("", view_func=self.page)
        routes.add_url_rule("", view_func=self.order, methods=["POST"])
        routes.add_url_rule("/<key>.pdf", view_func=self.file)
        return routes

    def page(self) -> Response:
        """The print page: the choices, and whether the pack that the query describes has been drawn."""
        self._context.host()
        return self._page(request.args)

    def order(self) -> AnyResponse:
        """Orders the chosen pack from the PDF queue, and redirects to the page that waits until the pack is drawn."""
        self._context.host()
        try:
            pack = self._pack(request.form)
        except (Refusal, RequestError, SetupError) as error:
            return self._page(request.form, as_request_error(error))
        if not self._queue.order(pack):
            message = _("Too many files are being made. Try again in a minute.")
            return self._page(request.form, RequestError(503, "busy", message))
        fields = ("game", *CHOICES, *(f"option-{option.name}" for option in shaping_options(GAMES[pack.game])))
        chosen = {name: request.form[name] for name in fields if name in request.form}
        return redirect(f"/print?{urlencode(chosen)}#pack", 303)

    def file(self, key: str) -> AnyResponse:
        """The PDF file of a pack that has been drawn. Raises RequestError if there is no such file."""
        self._context.host()
        path = self._queue.file(key)
        if path is None:
            raise RequestError(404, "not_drawn", _("This file is gone. Make it again on the print page."))
        name = secure_filename(request.args.get("name", "")[:60]) or "print.pdf"
        response = send_file(path, "application/pdf", download_name=name)
        response.headers["Content-Security-Policy"] = "frame-ancestors 'none'"  # the usual one blocks PDF viewers
        return response

    def _page(self, form: Mapping[str, str], refused: RequestError | None = None) -> Response:
        game = self._game(form)
        pack = None
        try:
            pack = self._pack({**form, "game": game.name})
        except (Refusal, RequestError, SetupError) as error:
            refused = refused or as_request_error(error)
        status = self._queue.status(pack) if pack and request.args.get("paper") else "new"
        contents = self._queue.contents(pack) if pack and status == "drawn" else None
        return render(
            self._context,
            "print.html",
            None,
            refused,
            title=page_title(_("Print {game}", game=_(game.title))),
            games=[each for each in GAMES.values() if _is_printable(each)],
            game=game,
            choices={name: CHOICES[name] for name in CHOICES if name != "deck" or game.physical.components.stickers},
            options=[(option, self._values(game, option)) for option in shaping_options(game)],
            chosen=self._chosen(form, game),
            sheet_count=sheet_count,
            status=status,
            pack=pack,
            facts=_facts(game, contents) if contents else None,
        )

    def _values(self, game: Game[Any], option: Option) -> Sequence[tuple[str, str]]:
        """The values of an option with their titles, including the boards that hosts have uploaded."""
        uploaded = self._context.boards.names(game) if option.takes_file else ()
        return (*option.choices, *((name, name) for name in uploaded))

    def _game(self, form: Mapping[str, str]) -> Game[Any]:
        """The game that the form names; otherwise the current game, or else the last one."""
        view, last = self._context.table.view(), self._context.table.journal.last_header()
        names = (form.get("game", ""), view.game.name if view else "", last.game if last else "", *GAMES)
        return next(GAMES[name] for name in names if name in GAMES and _is_printable(GAMES[name]))

    def _chosen(self, form: Mapping[str, str], game: Game[Any]) -> dict[str, str]:
        """The chosen value of each field. Boards are those of the last game, unless the form names others."""
        last = self._context.table.journal.last_header()
        setup = last.setup if last and last.game == game.name else {}
        fields = {name: values[0][0] for name, (_title, values) in CHOICES.items()}
        for option in shaping_options(game):
            value = setup.get(option.name, option.default)
            fields[f"option-{option.name}"] = value if isinstance(value, str) else option.default
        return {name: form.get(name, default) for name, default in fields.items()}

    def _pack(self, form: Mapping[str, str]) -> Pack:
        """The pack that a form describes. Raises RequestError, SetupError or Refusal if such a pack is impossible."""
        game = GAMES.get(form.get("game", ""))
        if game is None or not _is_printable(game):
            raise RequestError(404, "not_found", _("There’s nothing to print for this game."))
        chosen = self._chosen(form, game)
        for name, (_title, values) in CHOICES.items():
            if chosen[name] not in dict(values):
                raise bad_request(_("You can’t choose {text} here.", text=repr(chosen[name][:20])))
        has_stickers = chosen["deck"] == "stickers" and bool(game.physical.components.stickers)
        options = {option.name: chosen[f"option-{option.name}"] for option in shaping_options(game)}
        setup = {name: msgspec.to_builtins(value) for name, value in self._with_files(game, options).items()}
        small = chosen["size"] == "small"
        if small and not _can_be_small(game, setup):
            message = _("They can’t be smaller, or the camera couldn’t read them.")
            raise RequestError(422, "cannot_be_small", message)
        print_options = msgspec.convert(
            {"paper": chosen["paper"], "sides": chosen["sides"], "low_ink": chosen["ink"] == "low", "small": small},
            PrintOptions,
        )
        return Pack(game.name, print_options, tuple(sorted(setup.items())), has_stickers)

    def _with_files(self, game: Game[Any], options: Mapping[str, str]) -> Mapping[str, Json]:
        return game.rules.resolve_setup(self._context.boards.with_files(game, options))


@cache
def _shaping_options(name: str) -> tuple[Option, ...]:
    game = GAMES[name]

    def mat_with(setup: Mapping[str, Json]) -> Any:
        return game.on_board(game.rules.begin(game.rules.seats[0], setup)).physical.components.mat

    usual = mat_with({})
    return tuple(
        option
        for option in game.rules.options
        if any(mat_with({option.name: value}) != usual for value, _title in option.choices)
    )


def shaping_options(game: Game[Any]) -> tuple[Option, ...]:
    """The options of a game that change its mat, such as the board."""
    return _shaping_options(game.name)


def _can_be_small(game: Game[Any], setup: Mapping[str, Json]) -> bool:
    from companion.printing.printable_components import can_be_small  # slow to load, and rarely needed

    return can_be_small(game.on_board(game.rules.begin(game.rules.seats[0], setup)))


def _is_printable(game: Game[Any]) -> bool:
    components = game.physical.components
    return bool(components.components) or components.mat is not None


def _facts(game: Game[Any], contents: Contents) -> Facts:
    heights: TextLike = ""
    if contents.smallest_code_mm:
        code, height = Number(round(contents.smallest_code_mm, 1)), max_height_cm(contents.smallest_code_mm)
        mat = game.physical.components.mat
        low = min_height_cm(mat) if mat else 0
        if low == height:
            heights = _("Camera: {high} cm above the table, for {code} mm codes.", high=height, code=code)
        elif 0 < low < height:
            heights = _(
                "Camera: {low} to {high} cm above the table, for {code} mm codes.", low=low, high=height, code=code
            )
        else:
            heights = _("Camera: at most {high} cm above the table, for {code} mm codes.", high=height, code=code)
    return Facts(contents, heights, tuple(_steps(contents)))


def _steps(contents: Contents) -> list[TextLike]:
    steps: list[TextLike] = [_("Print at 100% (“actual size”), not “fit to page”.")]
    if contents.both_sides and contents.one_side:
        steps.append(
            _("First print {pages} on both sides, flipped on the long edge.", pages=_named(contents.both_sides))
        )
        steps.append(_("Then print {pages} on one side.", pages=_named(contents.one_side)))
    elif contents.both_sides:
        steps.append(_("Print on both sides, flipped on the long edge."))
    else:
        steps.append(_("Print on one side."))
    if contents.glued:
        steps.append(_("Glue each back to its front: {pages}.", pages=_named(contents.glued)))
    if contents.sleeved:
        steps.append(
            _("The other cards have no backs: use opaque sleeves.")
            if contents.glued
            else _("The cards have no backs: use opaque sleeves.")
        )
    steps.append(_("The first page explains paper, cutting and the mat."))
    return steps


def _named(pages: Pages) -> TextLike:
    first, last = pages
    return _("page {n}", n=first) if first == last else _("pages {first} to {last}", first=first, last=last)


def sheet_count(contents: Contents) -> TextLike:
    """The number of sheets of paper that a pack takes."""
    return plural("{n} sheet", "{n} sheets", contents.sheets)
