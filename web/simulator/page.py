"""The page of the simulated table, for the host only. It shows every component and lets the host move them.

The page can show whatever people could see at a real table, and the host can do whatever people could do there. It
can't show the next card of a pile, because that card is chosen only when somebody takes it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Protocol, get_args

from flask import Blueprint, Response, render_template, send_from_directory

from companion.devices import DeviceError
from companion.devices.box_lights_and_buzzer import bars
from companion.devices.gpio import GpioBoard
from companion.devices.simulated_box import SimulatedBox
from companion.diagnostics.findings import titled
from companion.games.game import Meter
from companion.games.rules import Json
from companion.games.view import View
from companion.simulator.scene_contents import Pile
from companion.simulator.simulated_table import InvalidAction, SimulatedTable
from companion.simulator.simulated_table_setup import is_set_up_for
from companion.simulator.tidy_arrangement import USUAL_SIZE_MM, pile_center
from companion.table.current_game import no_game
from companion.table.table import Table
from companion.tabletop.discrepancy import Discrepancy
from companion.tabletop.mat import Mat
from companion.tabletop.observations import Button
from companion.text.messages import Text, _
from web.access.lobby import Lobby
from web.access.require_host import require_full_view
from web.error_responses import RequestError
from web.json_bodies import json_body, json_response
from web.simulator.actions import actions
from web.simulator.script_texts import script_texts

PICTURE_MAX_AGE_S = 24 * 3600


class TableSource(Protocol):
    """Holds the current simulated table, and the folder with the pictures of its components."""

    @property
    def table(self) -> SimulatedTable: ...
    @property
    def pictures(self) -> Path: ...


@dataclass(frozen=True)
class SimulatorContext:
    """The data and functions that the page of the simulated table uses.

    `snapshot` returns the camera's picture as JPEG. With `has_simulated_camera` the camera sees the simulated table,
    otherwise a real one. `box` is the simulated box; None if there is a real box or no box.
    """

    table: Table
    lobby: Lobby
    source: TableSource
    board: GpioBoard
    snapshot: Callable[[], bytes | None]
    has_simulated_camera: bool
    box: SimulatedBox | None = None


def blueprint(context: SimulatorContext) -> Blueprint:
    """The blueprint with the routes under /simulator."""
    routes = Blueprint("simulator", __name__, url_prefix="/simulator")
    page = SimulatorPage(context)
    routes.before_request(page.require_full_view)
    routes.add_url_rule("", view_func=page.page)
    routes.add_url_rule("/components", view_func=page.components)
    routes.add_url_rule("/state", view_func=page.state)
    routes.add_url_rule("/prints/<image_set>/<name>", view_func=page.picture)
    routes.add_url_rule("/camera.jpg", view_func=page.camera)
    routes.add_url_rule("/do/<name>", view_func=page.perform_action, methods=["POST"])
    return routes


class SimulatorPage:
    """The request handlers under /simulator: for the page of the simulated table, for its data, and for the actions of
    the scripts on the page."""

    def __init__(self, context: SimulatorContext) -> None:
        self._context = context
        self._actions = actions(context.board, context.box)

    def require_full_view(self) -> None:
        """Raises RequestError if the requesting browser is not a host, or if the game has hidden information and the
        browser has seen the cards of a seat."""
        require_full_view(self._context.lobby, _("the simulated table shows all cards"))

    def page(self) -> str:
        """The page as HTML, without the components. The scripts of the page add them."""
        table = self._context.source.table
        return render_template(
            "simulator.html",
            game=table.game,
            mat=table.mat,
            piles=table.piles,
            buttons=get_args(Button),
            has_box=self._context.box is not None,
            has_simulated_camera=self._context.has_simulated_camera,
            image_set=self._context.source.pictures.name,
            words=script_texts(),
        )

    def components(self) -> Response:
        """The data that stays the same during a game, as JSON: the size of the mat, all components with their pictures
        and sizes, and the names of the tokens."""
        # The folder is read first: should another game be set up in between, the page reads the components once more.
        image_set, table = self._context.source.pictures.name, self._context.source.table
        components = [
            {
                "id": component.id,
                "name": _(component.name),
                "title": _(component.title),
                "home": _(component.home),
                "kind": component.kind or component.id,
                "dealt": component.home_zone is not None,
                "size": table.sizes.get(component.id, USUAL_SIZE_MM),
                "front": f"prints/{image_set}/{component.id}-front.png",
                "back": f"prints/{image_set}/{component.id}-back.png",
            }
            for component in table.game.physical.components.components
        ]
        tokens = {kind: _(name) for kind, name in table.game.physical.components.tokens.items()}
        return json_response({"size": table.mat.size, "components": components, "tokens": tokens})

    def state(self) -> Response:
        """The current state of the table as JSON: where every component is, the lamp, and the discrepancies that the
        companion finds."""
        image_set, table = self._context.source.pictures.name, self._context.source.table
        board = self._context.board
        scene, running = table.scene, self._context.table.view()
        view = running if running and is_set_up_for(table, running) else None
        other = _other_game_message(table, running) if running else ""
        return json_response(
            {
                "image_set": image_set,
                "changes": table.changes,
                "on_mat": [asdict(placed) for placed in scene.on_mat],
                "piles": [_pile_json(pile, table) for pile in table.piles],
                "off_mat": sorted(scene.off_mat),
                "tokens": [asdict(token) for token in scene.tokens],
                "hand": scene.hand,
                "lamp": board.lamp,
                "box": _box_state(self._context.box, running) if self._context.box else None,
                "pressable": board.simulated,
                "playing": view is not None,
                "setting_up": view is None and running is not None,
                "guide": view.prompt if view else other or no_game(),
                "notice": view.notice if view else "",
                "meters": [_meter_json(meter) for meter in view.meters] if view else [],
                "discrepancies": [item.message for item in view.tabletop.discrepancies] if view else [],
                "fixes": [_fix_json(item, table.mat) for item in view.tabletop.discrepancies] if view else [],
                "settled": not (view and (view.tabletop.awaits_camera or view.tabletop.pending_discrepancies)),
                "in_view": view.tabletop.has_camera if view else None,
                "on_phones": view.tabletop.is_on_phones if view else False,
                "health": [
                    {"device": titled(h.device), "says": h.message_with_remedy}
                    for h in self._context.table.health()
                    if not h.ok
                ],
            }
        )

    def picture(self, image_set: str, name: str) -> Response:
        """A component's picture. The part `image_set` of the address is different for each game, so that browsers don't
        show another game's picture from their cache."""
        if image_set != self._context.source.pictures.name:
            raise RequestError(404, "not_found", _("Another game has been set up. Reload the page."))
        return send_from_directory(self._context.source.pictures.resolve(), name, max_age=PICTURE_MAX_AGE_S)

    def camera(self) -> Response:
        """The camera's current picture as JPEG. If there is no picture, for example while the table is being set up,
        the answer has status 204."""
        jpeg = self._context.snapshot()
        return Response(jpeg, mimetype="image/jpeg") if jpeg else Response(status=204)

    def perform_action(self, name: str) -> Response:
        """Performs an action that people could perform at a real table, such as "flip"; returns the new state."""
        act = self._actions.get(name)
        if act is None:
            raise RequestError(404, "not_found", f"There is no action {name}; there are {', '.join(self._actions)}.")
        try:
            act(self._context.source.table, json_body(empty=True))
        except (InvalidAction, DeviceError) as error:
            raise RequestError(422, "not_there", error.args[0]) from error
        return self.state()


def _fix_json(found: Discrepancy, mat: Mat) -> dict[str, Json]:
    """A discrepancy as the page draws it on the mat: where the component is, the zone where it belongs, and the
    direction in which it must point there."""
    place = found.fix.place or (found.zone if found.fix.act == "flip" else None)
    zone = next((zone for zone in mat.zones if zone.name == place), None)
    return {
        "at": found.at,
        "zone": zone.polygon if zone else None,
        "degrees": found.fix.degrees if zone else None,
    }


def _other_game_message(table: SimulatedTable, running: View) -> Text:
    """The message to show if the simulated table is set up for another game or board than the game in progress."""
    if running.game.physical.components.mat:
        return _("Setting up the table …")
    return _(
        "{game} is played on phones only. This table is set up for {other}.",
        game=_(running.game.title),
        other=_(table.game.title),
    )


def _box_state(box: SimulatedBox, view: View | None) -> Json:
    """The state of the box as JSON: the lamps by seat, the light bars as meters in the host's language, the dial's
    position, and for each bar the pixel that shows where to fix something on the table."""
    display = box.display
    meters = bars(view) if view else display.bars
    return {
        "lamps": display.lamps,
        "bars": [_meter_json(meter) for meter in meters],
        "dial": display.dial,
        "fix": display.fix,
    }


def _pile_json(pile: Pile, table: SimulatedTable) -> dict[str, Json]:
    count = len(pile.remaining(table.scene))
    zone = table.mat.zone(pile.zone).title if pile.zone else pile.home
    # All backs of a pile are alike, so the picture of any card reveals nothing.
    return {
        "name": pile.name,
        "title": _(zone),
        "count": count,
        "code": pile.codes[0],
        "at": pile_center(table.mat, pile),
    }


def _meter_json(meter: Meter) -> Json:
    return {field.name: getattr(meter, field.name) for field in fields(meter)}
