"""What the set-up page offers to look after the table: backups, the log, and a file for whoever helps. It has no cards:
a backup stays on the table, since everybody's hands are in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from flask import Blueprint, Response, redirect
from werkzeug.wrappers import Response as AnyResponse

from companion.backups import BackupError
from web.context import require_host
from web.error_responses import RequestError
from web.lobby import Lobby


@dataclass(frozen=True)
class Upkeep:
    """The functions behind the page: the last lines of the log, a support bundle, the backups on this table with the
    newest first, and one that makes another backup."""

    log: Callable[[], Sequence[str]]
    support: Callable[[], bytes]
    backups: Callable[[], Sequence[Path]]
    back_up: Callable[[], object]


def add_routes(routes: Blueprint, lobby: Lobby, upkeep: Upkeep) -> None:
    """Adds the routes to the set-up page's blueprint. Only the host may use them."""

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
