"""Finds the page of each game, and serves the templates and style sheets of the games' pages."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from flask import Blueprint, Response, abort
from jinja2 import BaseLoader, FileSystemLoader, PrefixLoader

from companion.games import PAGES
from companion.games.game import Game
from companion.games.game_page import GamePage
from web import generic_page
from web.templating.file_bundling import bundle_response, last_change

GENERIC_PAGE_NAME = "generic"
_PAGES: Mapping[str, GamePage] = {**PAGES, GENERIC_PAGE_NAME: generic_page.PAGE}


def page_of(game: Game[Any]) -> GamePage:
    """The game's own page; the generic page if it has none."""
    return _PAGES[_page_name(game)]


def template_of(game: Game[Any]) -> str:
    """The name under which Jinja finds the template of the game's page."""
    return f"games/{_page_name(game)}/page.html"


def stylesheet_url(game: Game[Any]) -> str:
    """The URL of the game's style sheet. It changes when the file has changed and the service is started again, so
    browsers may cache it forever."""
    return _stylesheet_url(_page_name(game))


@cache
def _stylesheet_url(name: str) -> str:
    return f"/static/games/{name}.css?v={last_change(_PAGES[name].folder / 'style.css')}"


def templates() -> BaseLoader:
    """The Jinja loader of the games' page templates."""
    loaders = {name: FileSystemLoader(page.folder) for name, page in _PAGES.items()}
    return PrefixLoader({"games": PrefixLoader(loaders)})


def routes() -> Blueprint:
    """The blueprint with the route of the games' style sheets."""
    blueprint = Blueprint("game_pages", __name__)

    @blueprint.get("/static/games/<name>.css")
    def style(name: str) -> Response:
        if name not in _PAGES:
            abort(404)
        return bundle_response(_PAGES[name].folder / "style.css")

    return blueprint


def _page_name(game: Game[Any]) -> str:
    return game.name if game.name in PAGES else GENERIC_PAGE_NAME
