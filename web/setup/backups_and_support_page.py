"""The maintenance part of the set-up page: backups, the log, and a support bundle to send with a request for
help. None of it shows cards. Backups contain everybody's hands, so they can't be downloaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from flask import Blueprint, Response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from companion.backup_archive import BackupError, manifest_of
from companion.backups import date_in_name
from companion.match.journal_error import JournalError
from companion.recordings.recording_store import RecordingStore
from companion.replay_pictures.picture_store import PictureStore
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from companion.text.messages import _
from web.access.lobby import Lobby
from web.access.require_host import require_host
from web.error_responses import RequestError, bad_request
from web.moves.form_moves import outdated_page_message


@dataclass(frozen=True)
class BackupsAndSupportPage:
    """The functions for maintenance. `log` returns the last lines of the log. `support` returns a support bundle as a
    zip file, with the given picture from the camera if there is one. `backups` returns the backups on this table, the
    newest first. `back_up` makes another backup. `restore` verifies the backup with the given name, and makes the
    service restart with it. `is_restoring` returns whether the service is about to do so."""

    log: Callable[[], Sequence[str]]
    support: Callable[[bytes | None], bytes]
    backups: Callable[[], Sequence[Path]]
    back_up: Callable[[], object]
    restore: Callable[[str], object]
    is_restoring: Callable[[], bool]
    pictures: PictureStore | None = None
    """The pictures of past games; None without a camera."""
    recordings: RecordingStore | None = None
    """The recordings of the table; None without a camera."""


class KeptBackup(NamedTuple):
    """A backup as the page lists it: the name of its file, when it was made, how many games it contains, and its size
    in megabytes. `games` is None if the backup is damaged."""

    name: str
    made: str
    games: int | None
    megabytes: float


def kept_backups(paths: Sequence[Path]) -> tuple[KeptBackup, ...]:
    """The backups as the page lists them."""
    return tuple(
        KeptBackup(path.name, date_in_name(path), found.games if found else None, path.stat().st_size / 1e6)
        for path in paths
        for found in [manifest_of(path)]
    )


def add_routes(
    routes: Blueprint, table: Table, lobby: Lobby, upkeep: BackupsAndSupportPage, picture: Callable[[], bytes | None]
) -> None:
    """Adds the routes for maintenance to the set-up page's blueprint. Only hosts may use these routes. `picture`
    returns what the camera sees, and raises RequestError if the requesting browser may not see it."""

    def support() -> Response:
        require_host(lobby)
        headers = {"Content-Disposition": "attachment; filename=tablekeeper-support.zip"}
        bundle = upkeep.support(picture() if request.args.get("picture") else None)
        return Response(bundle, mimetype="application/zip", headers=headers)

    def backup() -> AnyResponse:
        require_host(lobby)
        try:
            upkeep.back_up()
        except BackupError as error:
            raise RequestError(503, "backup_failed", error.message) from error
        return redirect("/setup", 303)

    def restore() -> AnyResponse:
        require_host(lobby)
        view = table.view()
        if view is not None and view.turn is not None and not request.form.get("sure"):
            raise RequestError(409, "game_running", _("A game is running. Tick the box to restore the backup anyway."))
        try:
            if not upkeep.is_restoring():
                upkeep.restore(request.form.get("backup", ""))
        except BackupError as error:
            raise RequestError(422, "restore_failed", error.message) from error
        return redirect("/setup/restoring", 303)

    def restoring() -> str | AnyResponse:
        require_host(lobby)
        return render_template("restoring.html") if upkeep.is_restoring() else redirect("/setup", 303)

    def damage() -> AnyResponse:
        require_host(lobby)
        try:
            table.journal.confirm_damage()
        except JournalError as error:
            raise RequestError(503, "not_stored", error.message) from error
        problem = table.resume_error or table.journal.saving_problem()
        message = problem or _("The journal is intact.")
        table.observe(DeviceHealth(device="journal", ok=not problem, message=message))
        return redirect("/setup", 303)

    def pictures() -> AnyResponse:
        require_host(lobby)
        do = request.form.get("do")
        if do not in ("keep", "delete"):
            raise bad_request(outdated_page_message())
        if upkeep.pictures:
            try:
                upkeep.pictures.turn_on() if do == "keep" else upkeep.pictures.turn_off()
            except OSError as error:
                why = error.strerror or str(error)
                raise RequestError(503, "not_stored", _("This can’t be stored: {why}.", why=why)) from error
        return redirect("/setup#pictures-title", 303)

    routes.add_url_rule("/damage", view_func=damage, methods=["POST"])
    routes.add_url_rule("/pictures", view_func=pictures, methods=["POST"])
    routes.add_url_rule("/restore", view_func=restore, methods=["POST"])
    routes.add_url_rule("/restoring", view_func=restoring)
    routes.add_url_rule("/support", view_func=support)
    routes.add_url_rule("/backup", view_func=backup, methods=["POST"])
