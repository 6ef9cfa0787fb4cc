"""The page of the simulated table: a god's view of what lies there, for the host only.

It shows what hands could see and do at a real table. What comes off a pile next it can't show: that is settled
only when somebody takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, get_args

from flask import Blueprint, Response, render_template, send_from_directory

from companion.devices import DeviceError
from companion.devices.box_display import bars
from companion.devices.box_simulated import SimulatedBox
from companion.devices.gpio import GpioBoard
from companion.diagnostics.findings import titled
from companion.games.rules import Json
from companion.games.view import View
from companion.simulator.scene import Pile
from companion.simulator.simulated_table import NotThere, Tabletop
from companion.simulator.simulation import laid_for
from companion.simulator.tidy import middle
from companion.table.table import Table, no_game
from companion.tabletop.observations import Button, ButtonPressed, DialTurned
from companion.text.translation import _
from web import request_body
from web.context import as_json, check_sees_all
from web.refusals import Refused, bad_request
from web.seats import Lobby

A_DAY = 24 * 3600


class Laid(Protocol):
    """The simulated table as it is laid now, and the folder with the pictures of what lies on it."""

    @property
    def tabletop(self) -> Tabletop: ...
    @property
    def prints(self) -> Path: ...


@dataclass(frozen=True)
class Stage:
    """What the page works on. `snapshot` gives what the camera sees as JPEG, `watched` says whether that camera looks
    at this table and not at a real one. `box` None: a real one is used, or none."""

    table: Table
    lobby: Lobby
    laid: Laid
    board: GpioBoard
    snapshot: Callable[[], bytes | None]
    watched: bool
    box: SimulatedBox | None = None


def blueprint(stage: Stage) -> Blueprint:
    """The addresses under /simulator."""
    routes = Blueprint("simulator", __name__, url_prefix="/simulator")
    page = Page(stage)
    routes.before_request(page.check_host)
    routes.add_url_rule("", view_func=page.page)
    routes.add_url_rule("/things", view_func=page.things)
    routes.add_url_rule("/state", view_func=page.state)
    routes.add_url_rule("/prints/<laid>/<name>", view_func=page.picture)
    routes.add_url_rule("/camera.jpg", view_func=page.camera)
    routes.add_url_rule("/do/<deed>", view_func=page.do, methods=["POST"])
    return routes


class Page:
    """The page's answers."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._deeds: Mapping[str, Callable[[Tabletop, Mapping[str, Json]], object]] = {
            "lay": lambda table, body: table.lay(_text(body, "thing"), *_place(body)),
            "bring": lambda table, body: table.bring(_text(body, "thing"), *_place(body)),
            "turn": lambda table, body: table.turn(_text(body, "thing"), _number(body, "degrees")),
            "flip": lambda table, body: table.flip(_text(body, "thing")),
            "put-away": lambda table, body: table.put_away(_text(body, "thing")),
            "take": lambda table, body: table.take(_text(body, "pile"), *_place(body)),
            "put-token": lambda table, body: table.put_token(_text(body, "kind"), *_place(body)),
            "move-token": lambda table, body: table.move_token(int(_number(body, "number")), *_place(body)),
            "take-token": lambda table, body: table.take_token(int(_number(body, "number"))),
            "hold-hand": lambda table, body: table.hold_hand(*_place(body)),
            "withdraw-hand": lambda table, body: table.withdraw_hand(),
            "put-right": lambda table, body: table.put_right(),
            "press": lambda table, body: stage.board.press(_button(body)),
            **(_box_deeds(stage.box) if stage.box else {}),
        }

    def check_host(self) -> None:
        """Refuses everybody but the host, and a host who plays where there are secrets: hands here reach everything."""
        check_sees_all(self._stage.lobby, self._stage.table, _("the simulated table shows all cards"))

    def page(self) -> str:
        """The page itself; the script fills it."""
        table = self._stage.laid.tabletop
        return render_template(
            "simulator.html",
            game=table.game,
            mat=table.mat,
            piles=table.piles,
            buttons=get_args(Button),
            has_box=self._stage.box is not None,
            watched=self._stage.watched,
            laid=self._stage.laid.prints.name,
            words=script_texts(),
        )

    def things(self) -> Response:
        """What stays as long as this game is laid: everything printed with its pictures and sizes."""
        table, laid = self._stage.laid.tabletop, self._stage.laid.prints.name
        things = [
            {
                "id": thing.id,
                "name": _(thing.name),
                "title": _(thing.title),
                "home": _(thing.home),
                "kind": thing.kind or thing.id,
                "dealt": thing.home_zone is not None,
                "size": table.sizes.get(thing.id, (63.0, 88.0)),
                "front": f"prints/{laid}/{thing.id}-front.png",
                "back": f"prints/{laid}/{thing.id}-back.png",
            }
            for thing in table.game.physical.components.things
        ]
        tokens = {kind: _(name) for kind, name in table.game.physical.components.tokens.items()}
        return as_json({"size": table.mat.size, "things": things, "tokens": tokens})

    def state(self) -> Response:
        """What lies where, the lamp, and what the companion finds amiss."""
        table, board = self._stage.laid.tabletop, self._stage.board
        world, running = table.world, self._stage.table.view()
        view = running if running and laid_for(table, running) else None
        other = _other(table, running) if running else ""
        return as_json(
            {
                "laid": self._stage.laid.prints.name,
                "changes": table.changes,
                "lying": [asdict(piece) for piece in world.lying],
                "piles": [self._pile(pile) for pile in table.piles],
                "beside": sorted(world.beside),
                "tokens": [asdict(token) for token in world.tokens],
                "hand": world.hand,
                "lamp": board.lamp,
                "box": _shown(self._stage.box, running) if self._stage.box else None,
                "pressable": board.simulated,
                "playing": view is not None,
                "guide": view.prompt if view else other or no_game(),
                "notice": view.notice if view else "",
                "meters": [asdict(meter) for meter in view.meters] if view else [],
                "amiss": [item.message for item in view.tabletop.discrepancies] if view else [],
                "in_view": view.tabletop.has_camera if view else None,
                "on_phones": view.tabletop.is_on_phones if view else False,
                "health": [
                    {"device": titled(h.device), "says": h.words} for h in self._stage.table.health() if not h.ok
                ],
            }
        )

    def _pile(self, pile: Pile) -> dict[str, Json]:
        table = self._stage.laid.tabletop
        waiting = pile.waiting(table.world)
        zone = table.mat.zone(pile.zone).title if pile.zone else pile.home
        # All backs of a pile are alike, so the first thing's picture tells nothing.
        return {
            "name": pile.name,
            "title": _(zone),
            "count": len(waiting),
            "thing": pile.things[0],
            "at": middle(table.mat, pile),
        }

    def picture(self, laid: str, name: str) -> Response:
        """A print as a picture; `laid` names the prints, so that a browser keeps no other game's."""
        if laid != self._stage.laid.prints.name:
            raise Refused(404, "not_found", _("Another game has been laid; load the page again."))
        return send_from_directory(self._stage.laid.prints.resolve(), name, max_age=A_DAY)

    def camera(self) -> Response:
        """What the camera sees now; while a table is being laid there is no picture, which is nothing amiss."""
        jpeg = self._stage.snapshot()
        return Response(jpeg, mimetype="image/jpeg") if jpeg else Response(status=204)

    def do(self, deed: str) -> Response:
        """Something that hands do; answers with the table after it."""
        act = self._deeds.get(deed)
        if act is None:
            raise Refused(404, "not_found", f"Nobody can {deed} here; there are {', '.join(self._deeds)}.")
        try:
            act(self._stage.laid.tabletop, request_body.json_body(empty=True))
        except (NotThere, DeviceError) as error:
            raise Refused(422, "not_there", str(error)) from error
        return self.state()


def _other(table: Tabletop, running: View) -> str:
    """Why a table shows nothing of the game that is played."""
    if running.game.name == table.game.name:
        return _("The table is being laid for another board.")
    return _(
        "{game} is being played; this table is laid for {other}.",
        game=_(running.game.title),
        other=_(table.game.title),
    )


def script_texts() -> dict[str, str | dict[str, str]]:
    """What the page's scripts say by themselves, by the names that they know."""
    return {
        "unreadable": _("The table's answer can't be read; load the page again."),
        "refused": _("That was refused."),
        "silent": _("The table does not answer; is the service running?"),
        "lies": _("{name}, {title}, at {x} by {y} mm"),
        "liesDown": _("{name}, {title}, face down, at {x} by {y} mm"),
        "pile": _("{title}, {n} cards face down; Enter takes the top one"),
        "lamp": {
            "off": _("off: no game"),
            "on": _("on: somebody’s turn"),
            "waiting": _("blinks: waits for the table"),
            "amiss": _("flickers: put the table right"),
        },
        "nothingPlayed": _("Nothing is played here."),
        "right": _("The table is right."),
        "onPhones": _(
            "Nothing need lie here: the phones stand in for it. What is laid here all the same is looked after."
        ),
        "noMat": _("The camera has not found the mat yet."),
        "beside": _("beside the mat"),
        "many": _("{n} of them"),
        "lay": _("Lay"),
        "layThis": _("Lay {name} on the table"),
        "nothingChosen": _("Nothing chosen"),
        "nothingFound": _("Nothing off the table is called that."),
        "puts": _("{name}: Enter puts one on the table"),
        "dial": _("the dial: {n} of {count}"),
        "seatLamp": _("Seat {n}: lamp {lamp}"),
        "lamps": {"off": _("off"), "on": _("on"), "blinking": _("blinking")},
    }


def _box_deeds(box: SimulatedBox) -> dict[str, Callable[[Tabletop, Mapping[str, Json]], object]]:
    return {
        "press-seat": lambda table, body: box.send(ButtonPressed(button="next", seat=int(_number(body, "seat")))),
        "turn-dial": lambda table, body: box.send(DialTurned(steps=int(_number(body, "steps")))),
        "push-dial": lambda table, body: box.send(ButtonPressed(button="confirm")),
    }


def _shown(box: SimulatedBox, view: View | None) -> Json:
    """What the box's lights show: lamps by seat, the bars as meters, called as who looks calls them; where the dial
    stands."""
    display = box.display
    shown = bars(view) if view else display.bars
    return {"lamps": display.lamps, "bars": [asdict(meter) for meter in shown], "dial": display.dial}


def _text(body: Mapping[str, Json], key: str) -> str:
    return request_body.text_in(body, key, None)


def _number(body: Mapping[str, Json], key: str) -> float:
    value: Any = body.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e6:
        raise bad_request(f'"{key}" must be a number.')
    return float(value)


def _place(body: Mapping[str, Json]) -> tuple[float, float]:
    """Millimetres on the mat."""
    return _number(body, "x"), _number(body, "y")


def _button(body: Mapping[str, Json]) -> Button:
    value = _text(body, "button")
    for button in get_args(Button):
        if value == button:
            return button  # type: ignore[no-any-return]  # get_args gives Any
    raise bad_request('"button" must be one of ' + ", ".join(get_args(Button)) + ".")
