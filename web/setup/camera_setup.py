"""The page for setting up the table: the live camera picture, the steps to a readable picture, and the findings of the
diagnostics.

The camera sees all cards. So only hosts may see the live picture; in a game with hidden information, a host who has
seen the cards of a seat needs another player's consent too. Pictures are analyzed only when the page asks for one.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from flask import Blueprint, Response, make_response, render_template

from companion.backups import has_wrong_dates
from companion.diagnostics.findings import Checks, Finding, examine
from companion.diagnostics.live_picture_types import LivePicture, PictureOutline
from companion.games.game import Game
from companion.hostname_and_country import MachineSettings
from companion.table.table import Table
from companion.text.messages import TextLike, _, joined
from companion.wifi import Wifi
from web.access.lobby import Lobby
from web.access.phone_cookie import phone_token
from web.access.require_host import require_full_view, require_host
from web.error_responses import RequestError
from web.setup.backups_and_support_page import BackupsAndSupportPage, add_routes, kept_backups
from web.setup.corner_marks import CORNER_NAMES, CornerMarks, MarkCorners, games_with_mat
from web.setup.first_run_page import FirstRunPage
from web.setup.recordings_page import RecordingsPage
from web.setup.wifi_page import WifiPage

CAMERA_DEVICE = "camera"
"""The camera's name in the devices' health reports."""
STEPS = {
    "mat": _("Get the mat in view"),
    "corners": _("Get all four corners in view"),
    "sharpness": _("Focus the camera"),
    "code size": _("Make the codes large enough"),
    "light": _("Light the table evenly"),
}
"""The steps to a readable camera picture, in order. Each step has the name of a finding, and a title."""


@dataclass(frozen=True)
class SetupContext:
    """The data and functions that the set-up page uses.

    `live_picture` returns the current picture with the given codes outlined (all codes if none are given), or None if
    there is no picture. `no_camera` says why there is no camera; it is empty if there is one. `checks` are the
    diagnostics that need no device. `upkeep` is the maintenance part of the page; None if the table stores nothing on a
    disk. `wifi` is this machine's Wi-Fi; None if NetworkManager does not manage it. `machine` changes this machine's
    name and country; None if that is not possible. `mark_corners` is None without a camera.
    """

    table: Table
    lobby: Lobby
    live_picture: Callable[[frozenset[str]], LivePicture | None]
    no_camera: TextLike
    checks: Checks
    has_simulator: bool
    upkeep: BackupsAndSupportPage | None = None
    wifi: Wifi | None = None
    machine: MachineSettings | None = None
    mark_corners: MarkCorners | None = None


class SetupStep(NamedTuple):
    """A step toward a readable camera picture. `stage` says whether it is done, comes next or comes later."""

    title: TextLike
    stage: Literal["done", "now", "later"]
    message: TextLike
    remedy: TextLike


def blueprint(context: SetupContext) -> Blueprint:
    """The blueprint with the routes under /setup."""
    routes = Blueprint("setup", __name__, url_prefix="/setup")
    page = SetupPage(context)
    routes.add_url_rule("", view_func=page.page)
    routes.add_url_rule("/now", view_func=page.now)
    page.corner_marks.add_routes(routes)
    wifi = WifiPage(context.lobby, context.wifi) if context.wifi else None
    if wifi:
        wifi.add_routes(routes)
    FirstRunPage(context.lobby, wifi, context.machine).add_routes(routes)
    if context.upkeep:
        add_routes(routes, context.table, context.lobby, context.upkeep, page.picture)
        page.recordings.add_routes(routes)
    return routes


class SetupPage:
    """The request handlers for the set-up page under /setup, which shows the live picture of the camera."""

    def __init__(self, context: SetupContext) -> None:
        self._context = context
        store = context.upkeep.recordings if context.upkeep else None
        self.recordings = RecordingsPage(context.table, context.lobby, store)
        self.corner_marks = CornerMarks(
            context.table, self._check, context.mark_corners, lambda: context.no_camera or self._camera_problem()
        )

    def page(self) -> str:
        """The set-up page as HTML, without the live picture. A script on the page requests the picture from `now`."""
        context = self._context
        require_host(context.lobby)
        view = context.table.view()
        return render_template(
            "setup.html",
            layout="base.html",
            page="setup",
            delay_s=context.table.discrepancy_timing.delay_s,
            title=joined(" – ", (_("Set up"), "Tablekeeper")),
            view=view,
            session=context.lobby.phones.session(phone_token()),
            has_simulator=context.has_simulator,
            no_picture_reason=self._no_picture_reason(),
            steps=tuple(steps({})),
            corner_names=CORNER_NAMES,
            findings=(*self._devices(), *examine(context.checks)),
            backups=(backups := kept_backups(context.upkeep.backups()) if context.upkeep else ()),
            was_damaged=context.upkeep is not None and context.table.journal.has_unconfirmed_damage,
            has_wrong_dates=has_wrong_dates([each.name for each in backups]),
            has_wifi=context.wifi is not None,
            pictures=context.upkeep.pictures if context.upkeep else None,
            recordings=self.recordings.store,
            listed_recordings=self.recordings.listed(),
            recordings_megabytes=self.recordings.megabytes(),
            log=context.upkeep.log() if context.upkeep else None,
        )

    def _no_picture_reason(self) -> TextLike:
        """Why this browser gets no live picture; empty if it gets one."""
        try:
            self._check()
        except RequestError as refused:
            return refused.message
        return self._context.no_camera

    def picture(self) -> bytes | None:
        """The camera's current picture, as JPEG; None without a camera. Raises RequestError if this browser may not see
        it."""
        self._check()
        live = None if self._context.no_camera else self._context.live_picture(frozenset())
        return live.jpeg if live else None

    def _check(self) -> None:
        require_full_view(self._context.lobby, _("the camera sees all cards"))

    def _devices(self) -> Iterator[Finding]:
        """Yields the health of each device as a finding."""
        for health in self._context.table.health():
            yield Finding(health.device, health.ok, health.message, health.remedy)

    def _camera_problem(self) -> TextLike:
        """Why the camera gives no picture."""
        problems = (
            health for health in self._context.table.health() if health.device == CAMERA_DEVICE and not health.ok
        )
        return next((health.message_with_remedy for health in problems), _("No picture from the camera yet."))

    def now(self) -> Response:
        """The live part of the set-up page as HTML: the current picture, and the codes that were read in it. Raises
        RequestError if there is no picture, or if this browser may not see the picture."""
        self._check()
        view = self._context.table.view()
        game = view.game if view and view.game.physical.components.mat else None
        codes = frozenset(game.physical.components.codes()) if game else frozenset()
        live = None if self._context.no_camera else self._context.live_picture(codes)
        if live is None:
            raise RequestError(503, "no_picture", self._context.no_camera or self._camera_problem())
        findings = {finding.name: finding for finding in live.findings}
        zones = [outline for outline in live.outlines if outline.kind == "zone"]
        html = render_template(
            "parts/camera_picture.html",
            live=live,
            picture=base64.b64encode(live.jpeg).decode(),
            steps=tuple(steps(findings, game)),
            camera=findings.get("camera"),
            print_size=findings.get("print size"),
            zones=zones,
            has_corners="corners" in findings and findings["corners"].ok,
            markable=games_with_mat(view) if self._context.mark_corners else [],
            is_played=view is not None,
            labels=[outline for outline in live.outlines if _has_label(outline)],
            component_count=sum(outline.kind == "component" for outline in live.outlines),
        )
        return make_response(html)


def steps(findings: dict[str, Finding], game: Game[Any] | None = None) -> Iterator[SetupStep]:
    """Yields all steps, each with its stage: the first step whose finding is not ok comes next, all steps before it are
    done, and all steps after it come later. `game`: the game that the step for the mat names in its title; None to name
    no game."""
    is_waiting = False
    for name, title in STEPS.items():
        finding = findings.get(name, Finding(name, False, ""))
        step_title = _("Get the mat of {game} in view", game=_(game.title)) if game and name == "mat" else title
        if is_waiting:
            yield SetupStep(step_title, "later", finding.message, "")
        else:
            is_waiting = not finding.ok
            yield SetupStep(step_title, "now" if is_waiting else "done", finding.message, finding.remedy)


def _has_label(outline: PictureOutline) -> bool:
    """Whether to label this outline in the picture. Zones of good quality need no label: their names on the mat are
    legible."""
    return outline.kind == "component" or (outline.kind == "zone" and outline.quality != "good")
