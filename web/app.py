"""The dashboard as a Flask application."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from flask import Blueprint, Flask, Response, request
from jinja2 import ChoiceLoader, FileSystemLoader
from werkzeug.exceptions import MethodNotAllowed

from companion.printing.pdf_queue import PdfQueue
from companion.replay_pictures.picture_store import PictureStore
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from companion.tabletop.photo_interface import Reader
from web import localization
from web.access import captive_portal, request_checks, security_headers
from web.access.first_host_offer import FirstHostOffer
from web.access.lobby import Lobby
from web.access.phone_cookie import renew_cookie
from web.api import metrics
from web.api.api_page import ApiPage
from web.api.routes import Api
from web.compression import compress_response
from web.context import AppContext
from web.error_responses import as_request_error
from web.events.live_pages import LivePages
from web.events.shuffle_shares import ShareRounds
from web.events.streams import Streams
from web.graphics.token_icons import symbol, token_icon, token_symbols
from web.json_bodies import json_response
from web.pages import pwa
from web.pages.big_screen import BigScreenPage
from web.pages.companion_forms import policy_title
from web.pages.end_picture_route import EndPictureRoute
from web.pages.entry_redirect import EntryRedirect
from web.pages.help import HelpPage
from web.pages.host import HostPage
from web.pages.join import JoinPage
from web.pages.log import LogPage
from web.pages.past_games import PastGames
from web.pages.people import PeoplePages
from web.pages.photo import PhotoForm
from web.pages.play import PlayPage
from web.pages.print import PrintPage
from web.pages.replay import ReplayPages
from web.pages.script_texts import script_texts
from web.pages.settings import SettingsPage
from web.people.profiles import Profiles
from web.render import render
from web.results.end_screens import EndScreens
from web.results.watch_together import SharedReplay
from web.templating import game_pages
from web.templating.dedent import Dedent
from web.templating.environment import PageEnvironment
from web.templating.file_bundling import StaticFilesFlask
from web.templating.log_rows import log_rows
from web.templating.page_head import asset
from web.templating.sections import FORM_FIELDS, SectionTag
from web.uploaded_boards import UploadedBoards


def create_app(
    table: Table,
    lobby: Lobby,
    *,
    simulator: Blueprint | None = None,
    setup: Blueprint | None = None,
    reader: Reader | None = None,
    ca_page: Blueprint | None = None,
    trusts_own_screen: bool = False,
    disk: Callable[[], DeviceHealth] | None = None,
    board_folder: Path | None = None,
    hosts: tuple[str, ...] = (),
    pdf_queue: PdfQueue | None = None,
    has_console: bool = True,
    pictures: PictureStore | None = None,
) -> Flask:
    """Returns the Flask application that serves one table.

    `simulator`, `setup` and `ca_page` are the blueprints of optional pages: the simulated table, the set-up of the
    camera, and the instructions for trusting the https certificate. `reader` reads the photographs that phones send.
    `trusts_own_screen` and `disk`: see `AppContext`. `board_folder`: where uploaded boards are stored; None if nothing
    can be uploaded. `hosts`: further host names at which the pages may be opened. `pdf_queue` draws the PDF files of
    the print page; None if there is no such page. `has_console`: see `FirstHostOffer`. `pictures`: see `AppContext`.
    """
    app = _flask_app(hosts)
    streams = Streams(table)
    context = AppContext(
        table,
        lobby,
        streams,
        ShareRounds(table, partial(_phones_that_share, lobby, streams), streams.wake),
        LivePages(app),
        Profiles(table, lobby),
        SharedReplay(table),
        has_simulator=simulator is not None,
        has_setup_page=setup is not None,
        has_ca_page=ca_page is not None,
        reader=reader,
        trusts_own_screen=trusts_own_screen,
        disk=disk,
        has_print_page=pdf_queue is not None,
        boards=UploadedBoards(board_folder),
        new_table=FirstHostOffer(lobby, has_console=has_console),
        pictures=pictures,
    )
    app.extensions["streams"], app.extensions["shares"] = streams, context.shares
    app.extensions["shared_replay"] = context.shared_replay
    prints = PrintPage(context, pdf_queue).routes() if pdf_queue else None
    for blueprint in (*_blueprints(context), *filter(None, (simulator, setup, ca_page, prints))):
        app.register_blueprint(blueprint)
    app.before_request(captive_portal.lead_to_table)
    app.before_request(request_checks.check_request)
    app.after_request(partial(renew_cookie, lobby=lobby))
    app.after_request(compress_response)  # runs after `add_security_headers`
    app.after_request(security_headers.add_security_headers)
    app.register_error_handler(Exception, partial(_error_response, app, context))
    return app


def _flask_app(hosts: tuple[str, ...]) -> Flask:
    """A Flask application without routes, whose templates render in the language of the phone."""
    app = StaticFilesFlask(__name__)
    app.config["MAX_CONTENT_LENGTH"] = request_checks.MAX_BODY_BYTES
    app.config["MAX_FORM_MEMORY_SIZE"] = request_checks.MAX_BODY_BYTES
    app.config[request_checks.HOSTS] = hosts
    app.jinja_environment = PageEnvironment
    app.jinja_options = {**app.jinja_options, "cache_size": -1}  # keeps all templates, in a plain dictionary
    app.jinja_loader = ChoiceLoader([FileSystemLoader(Path(app.root_path) / "templates"), game_pages.templates()])
    localization.install(app)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.add_extension(Dedent)
    app.jinja_env.add_extension(SectionTag)
    app.jinja_env.globals["form_fields"] = FORM_FIELDS
    for function in (asset, log_rows, policy_title, script_texts, symbol, token_icon, token_symbols):
        app.template_global(function.__name__)(function)
    return app


def _blueprints(context: AppContext) -> Iterator[Blueprint]:
    """Yields the blueprints of the pages that every table has, and of the API."""
    past_games, end_screens = PastGames(context), EndScreens(context.table)
    play_page = PlayPage(context, end_screens)
    for handlers in (
        Api(context),
        ApiPage(context),
        EntryRedirect(context),
        HostPage(context, end_screens),
        JoinPage(context),
        play_page,
        PhotoForm(context, play_page),
        BigScreenPage(context, end_screens),
        LogPage(context),
        SettingsPage(context),
        HelpPage(context),
        past_games,
        PeoplePages(context, past_games.finished),
        EndPictureRoute(context),
        ReplayPages(context),
        pwa,
        game_pages,
    ):
        yield handlers.routes()
    yield metrics.blueprint(context.table)


def _error_response(app: Flask, context: AppContext, error: Exception) -> Response:
    """The answer to a request that was refused or that failed."""
    refused = as_request_error(error)
    if refused.status >= 500 and refused.code == "broken":
        app.logger.exception("A request broke: %s %s", request.method, request.path)
    if request.path.startswith("/api/") or request.path == "/healthz" or _is_from_script():
        response = json_response({"error": {"code": refused.code, "message": refused.message}}, refused.status)
    else:
        response = render(context, "refusal.html", None, refused)
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
    return response


def _phones_that_share(lobby: Lobby, streams: Streams) -> dict[str, int]:
    """The seat of each phone that adds a share to the shuffle, by the phone's key. Such a phone has a seat, and an open
    page that takes part in the shuffle."""
    sharing = streams.sharing
    return {
        session.key: session.seat for session in lobby.phones.all if session.key in sharing and session.seat is not None
    }


def _is_from_script() -> bool:
    """Whether a script on the simulator's page or the set-up page sent the request. Such scripts expect JSON."""
    return request.blueprint in ("simulator", "setup") and "text/html" not in request.headers.get("Accept", "")
