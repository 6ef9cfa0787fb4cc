"""The page on which the host sets the table up: what the camera sees now, the steps until it reads the table well, and
the doctor's findings.

The camera sees all cards, so the live picture keeps the rule of the simulated table: it is for the host, and not for a
host who plays where there are secrets. Nothing is looked at while no page asks.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from flask import Blueprint, Response, make_response, render_template, request

from companion.diagnostics.findings import STEPS, Checks, Finding, LivePicture, Outline, examine
from companion.games.game import Game
from companion.table.table import Table
from companion.text.translation import _
from web.context import check_host, check_sees_all
from web.refusals import Refused
from web.seats import COOKIE, Lobby

CAMERA = "camera"
"""What the camera is called where devices tell how they fare."""


@dataclass(frozen=True)
class Rig:
    """What the page works on. `look` gives what the camera sees now of the codes that it is given (of all, if of
    none), None while nothing comes; `without` says why there is no camera to look through, where there is none.
    `checks` hold no device."""

    table: Table
    lobby: Lobby
    look: Callable[[frozenset[str]], LivePicture | None]
    without: str
    checks: Checks
    simulated: bool


class Step(NamedTuple):
    """One on the way to a picture that can be read."""

    title: str
    stage: Literal["done", "now", "later"]
    words: str
    mend: str


def blueprint(rig: Rig) -> Blueprint:
    """The addresses under /setup."""
    routes = Blueprint("setup", __name__, url_prefix="/setup")
    page = Page(rig)
    routes.add_url_rule("", view_func=page.page)
    routes.add_url_rule("/now", view_func=page.now)
    return routes


class Page:
    """The page's answers."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig

    def page(self) -> str:
        """The page itself; the script fills in the picture."""
        rig = self._rig
        check_host(rig.lobby)
        view = rig.table.view()
        return render_template(
            "setup.html",
            layout="base.html",
            page="setup",
            title=f"{_('Set up')} – Tablekeeper",
            view=view,
            guest=rig.lobby.guest(request.cookies.get(COOKIE)),
            simulated=rig.simulated,
            hidden=self._hidden(),
            steps=tuple(steps({})),
            findings=(*self._devices(), *examine(rig.checks)),
        )

    def _hidden(self) -> str:
        """Why there is no live picture for this browser; empty where there is one."""
        try:
            self._check()
        except Refused as refused:
            return refused.message
        return _(self._rig.without)

    def _check(self) -> None:
        check_sees_all(self._rig.lobby, self._rig.table, _("the camera sees all cards"))

    def _devices(self) -> Iterator[Finding]:
        """How the devices fare that the service holds."""
        for health in self._rig.table.health():
            yield Finding(health.device, health.ok, _(health.says), _(health.mend))

    def _why_dark(self) -> str:
        """What the camera says of itself, where it gives no picture."""
        troubles = (health for health in self._rig.table.health() if health.device == CAMERA and not health.ok)
        return next((health.words for health in troubles), _("The camera gives no picture yet."))

    def now(self) -> Response:
        """What the camera sees now of the game that is played, as a piece of the page."""
        self._check()
        view = self._rig.table.view()
        game = view.game if view and view.game.physical.components.mat else None
        codes = frozenset(game.physical.components.codes()) if game else frozenset()
        live = None if self._rig.without else self._rig.look(codes)
        if live is None:
            raise Refused(503, "no_picture", _(self._rig.without) or self._why_dark())
        found = {finding.name: finding for finding in live.findings}
        zones = [outline for outline in live.outlines if outline.kind == "zone"]
        html = render_template(
            "parts/setup_now.html",
            live=live,
            picture=base64.b64encode(live.jpeg).decode(),
            steps=tuple(steps(found, game)),
            camera=found.get("camera"),
            zones=zones,
            labels=[outline for outline in live.outlines if _is_named(outline)],
            things=sum(outline.kind == "thing" for outline in live.outlines),
        )
        return make_response(html)


def steps(found: dict[str, Finding], game: Game[Any] | None = None) -> Iterator[Step]:
    """The steps, each done, the one to do now, or a later one, for the mat of a game."""
    waiting = False
    for name, title in STEPS.items():
        finding = found.get(name, Finding(name, False, ""))
        whose = _("Put the mat of {game} into the picture", game=_(game.title)) if game and name == "mat" else _(title)
        if waiting:
            yield Step(whose, "later", finding.says, "")
        else:
            waiting = not finding.ok
            yield Step(whose, "now" if waiting else "done", finding.says, finding.mend)


def _is_named(outline: Outline) -> bool:
    """Whether its name stands in the picture: the zones that read well bear theirs in print."""
    return outline.kind == "thing" or (outline.kind == "zone" and outline.quality != "good")
