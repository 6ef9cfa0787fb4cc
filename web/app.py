"""The dashboard as a Flask application."""

from __future__ import annotations

from pathlib import Path

from flask import Blueprint, Flask, Response, request
from jinja2 import ChoiceLoader, FileSystemLoader
from werkzeug.exceptions import MethodNotAllowed

from companion.diagnostics.findings import titled
from companion.table.table import Table
from companion.tabletop.photo_reader import Reader
from companion.text.player_names import clean_name
from companion.text.translation import SOURCE, _, direction, language, moment, number, plural, speak
from web import game_pages, origin_check, pwa
from web.api import Api
from web.compression import squeeze
from web.context import AppContext, as_json
from web.events import Streams
from web.icons import piece_symbols, symbol
from web.locale import preferred, script_words
from web.pages import Pages
from web.past_games import Lookback
from web.refusals import Refused, as_refused
from web.seats import Lobby
from web.templating import Dedent


def create_app(
    table: Table,
    lobby: Lobby,
    *,
    simulator: Blueprint | None = None,
    setup: Blueprint | None = None,
    reader: Reader | None = None,
    trust: Blueprint | None = None,
) -> Flask:
    """The application for one table. `simulator` is the blueprint of the simulated table's page, `setup` that of the
    page on which the table is set up, if there is one; `trust` the one that tells of https, where that is
    served; `reader` reads the photographs that phones send."""
    app = Flask(__name__)
    app.jinja_loader = ChoiceLoader([FileSystemLoader(Path(app.root_path) / "templates"), game_pages.templates()])
    app.config["MAX_CONTENT_LENGTH"] = origin_check.BODY_LIMIT
    app.config["MAX_FORM_MEMORY_SIZE"] = origin_check.BODY_LIMIT
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.add_extension(Dedent)
    context = AppContext(
        table,
        lobby,
        Streams(table),
        simulated=simulator is not None,
        setup=setup is not None,
        trust=trust is not None,
        reader=reader,
    )
    app.extensions["streams"] = context.streams
    pages = Pages(context)
    app.register_blueprint(Api(context).routes())
    app.register_blueprint(pages.routes())
    app.register_blueprint(Lookback(context).routes())
    app.register_blueprint(pwa.routes())
    app.register_blueprint(game_pages.routes())
    for more in filter(None, (simulator, setup, trust)):
        app.register_blueprint(more)
    for said in (_, plural, number, moment, direction, language, titled, clean_name, script_words):
        app.template_global(said.__name__)(said)
    for drawn in (symbol, piece_symbols):
        app.template_global(drawn.__name__)(drawn)
    app.before_request(lambda: speak(preferred(request)))
    app.teardown_request(lambda _error: speak(SOURCE))
    app.before_request(origin_check.check_request)
    app.after_request(squeeze)  # what is registered last comes first
    app.after_request(origin_check.protect)

    def refuse(error: Exception) -> Response:
        response = in_words(as_refused(error))
        if isinstance(error, MethodNotAllowed):
            response.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
        return response

    def in_words(refused: Refused) -> Response:
        if refused.status >= 500 and refused.code == "broken":
            app.logger.exception("A request broke: %s %s", request.method, request.path)
        if request.path.startswith("/api/") or request.path == "/healthz" or _by_script():
            return as_json({"error": {"code": refused.code, "message": refused.message}}, refused.status)
        return pages.refusal(refused)

    app.register_error_handler(Exception, refuse)
    return app


def _by_script() -> bool:
    """Whether the script of the simulated table or of the setting up asks: it reads JSON, a person who goes to an
    address there a page."""
    return request.blueprint in ("simulator", "setup") and "text/html" not in request.headers.get("Accept", "")
