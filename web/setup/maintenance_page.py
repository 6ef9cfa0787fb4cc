"""The maintenance part of the set-up page: backups, the log, and a support bundle for whoever helps. None of it shows
cards. Backups contain everybody's hands, so they can't be downloaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from flask import Blueprint, Response, redirect
from werkzeug.wrappers import Response as AnyResponse

from companion.backups import BackupError
from web.access.lobby import Lobby
from web.access.require_host import require_host
from web.error_responses import RequestError


@dataclass(frozen=True)
class MaintenancePage:
    """The functions for maintenance. `log` returns the last lines of the log, `support` a support bundle as a zip file,
    and `backups` the backups on this table, the newest first. `back_up` makes another backup."""

    log: Callable[[], Sequence[str]]
    support: Callable[[], bytes]
    backups: Callable[[], Sequence[Path]]
    back_up: Callable[[], object]


def add_routes(routes: Blueprint, lobby: Lobby, upkeep: MaintenancePage) -> None:
    """Adds the routes for maintenance to the set-up page's blueprint. Only hosts may use these routes."""

    def support() -> Response:
        require_host(lobby)
        headers = {"Content-Disposition": "attachment; filename=tablekeeper-support.zip"}
        return Response(upkeep.support(), mimetype="application/zip", headers=headers)

    def backup() -> AnyResponse:
        require_host(lobby)
        try:
            upkeep.back_up()
        except BackupError as error:
            raise RequestError(503, "backup_failed", error.message) from error
        return redirect("/setup", 303)

    routes.add_url_rule("/support", view_func=support)
    routes.add_url_rule("/backup", view_func=backup, methods=["POST"])
