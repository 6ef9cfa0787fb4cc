"""The application that replaces the dashboard when the service can't start: a page that says why."""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from flask import Flask, Response, render_template, request
from werkzeug.serving import make_server

from companion.backup_archive import BackupError
from companion.backups import has_wrong_dates
from companion.text.messages import TextLike, _
from companion.version import product_version
from web import localization
from web.access import request_checks, security_headers
from web.access.phone_cookie import phone_token
from web.api import api_types
from web.error_responses import RequestError
from web.json_bodies import json_response
from web.localization import translate
from web.templating.environment import PageEnvironment
from web.templating.file_bundling import StaticFilesFlask
from web.templating.page_head import asset

RETRY_AFTER_S = 30


class RecoveryActions(Protocol):
    """The actions that hosts can take while the service can't start."""

    def is_host(self, token: str | None, key: str) -> bool:
        """Whether a browser with this token is a host, or whether `key` is the key of the host link."""

    def log(self) -> Sequence[str]:
        """The lines of the log since the start."""

    def backups(self) -> Sequence[str]:
        """The names of the backups on this table, the newest first."""

    def restore(self, name: str) -> None:
        """Restores the backup with this name, then lets the service start. Raises BackupError if that fails."""


def create_failure_app(why: TextLike, recovery: RecoveryActions | None = None) -> Flask:
    """Returns an application that answers every request with status 503 and the reason. `recovery`: what hosts can do
    about it."""
    app = StaticFilesFlask(__name__)
    app.jinja_environment = PageEnvironment
    localization.install(app)
    app.template_global()(asset)

    def is_host() -> bool:
        return recovery is not None and recovery.is_host(phone_token(), request.values.get("key", ""))

    def page(problem: TextLike = "") -> str:
        hosted = recovery if is_host() else None
        backups = hosted.backups() if hosted else ()
        return render_template(
            "startup_failure.html",
            why=why,
            problem=problem,
            log=hosted.log() if hosted else None,
            backups=backups,
            has_wrong_dates=has_wrong_dates(backups),
            key=request.values.get("key", ""),
        )

    def restore() -> tuple[str, int]:
        if recovery is None or not is_host():
            raise RequestError(
                403, "not_host", _("Only the host’s browser can do that, or one that opens the host link.")
            )
        try:
            recovery.restore(request.form.get("backup", ""))
        except BackupError as error:
            return page(error.message), 422
        return render_template("restoring.html"), 200

    def failure_response(**_path: str) -> Response:
        if request.path == "/healthz" or request.path.startswith("/api/"):
            state = api_types.DeviceState("service", False, translate(why))
            response = json_response(api_types.Health("stopped", product_version(), [state]), 503)
        else:
            response = Response(page(), 503)
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
        return response

    app.add_url_rule("/restore", view_func=restore, methods=["POST"])
    app.add_url_rule("/", endpoint="first", view_func=failure_response)
    app.add_url_rule("/<path:path>", endpoint="any", view_func=failure_response)
    app.before_request(request_checks.check_request)
    app.after_request(security_headers.add_security_headers)
    app.register_error_handler(RequestError, lambda error: (translate(error.message), error.status))
    return app


@contextmanager
def serving(app: Flask, listener: socket.socket) -> Iterator[None]:
    """A context manager that serves the application while its block runs. `listener` is a socket that already listens;
    it is closed at the end of the block. The server is Werkzeug's, which is enough for a few phones without event
    streams."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    host, port = listener.getsockname()[:2]
    server = make_server(host, port, app, threaded=True, fd=listener.fileno())
    thread = threading.Thread(target=server.serve_forever, name="failure-page", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        listener.close()
