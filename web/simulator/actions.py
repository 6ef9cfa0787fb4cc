"""The actions of people at the simulated table, by the names that the page's scripts use. Each action reads what it
needs from the body of the request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, get_args

from companion.devices.gpio import GpioBoard
from companion.devices.simulated_box import SimulatedBox
from companion.games.rules import Json
from companion.simulator.simulated_table import SimulatedTable
from companion.tabletop.observations import Button, ButtonPressed, DialTurned
from web.error_responses import bad_request

Action = Callable[[SimulatedTable, Mapping[str, Json]], object]


def actions(board: GpioBoard, box: SimulatedBox | None) -> Mapping[str, Action]:
    """All actions, by name. The actions of the box are among them only if there is a simulated box."""
    return {
        "put": lambda table, body: table.put(_text_field(body, "code"), *_point_mm(body)),
        "put-near": lambda table, body: table.put_near(_text_field(body, "code"), *_point_mm(body)),
        "rotate": lambda table, body: table.rotate(_text_field(body, "code"), _number_field(body, "degrees")),
        "flip": lambda table, body: table.flip(_text_field(body, "code")),
        "put-away": lambda table, body: table.put_away(_text_field(body, "code")),
        "draw": lambda table, body: table.draw(_text_field(body, "pile"), *_point_mm(body)),
        "put-token": lambda table, body: table.put_token(_text_field(body, "kind"), *_point_mm(body)),
        "move-token": lambda table, body: table.move_token(int(_number_field(body, "number")), *_point_mm(body)),
        "take-token": lambda table, body: table.take_token(int(_number_field(body, "number"))),
        "hold-hand": lambda table, body: table.hold_hand(*_point_mm(body)),
        "withdraw-hand": lambda table, body: table.withdraw_hand(),
        "tidy": lambda table, body: table.tidy(),
        "press": lambda table, body: board.press(_button_field(body)),
        **(_box_actions(box) if box else {}),
    }


def _box_actions(box: SimulatedBox) -> dict[str, Action]:
    return {
        "press-seat": lambda table, body: box.send(ButtonPressed(button="next", seat=int(_number_field(body, "seat")))),
        "turn-dial": lambda table, body: box.send(DialTurned(steps=int(_number_field(body, "steps")))),
        "push-dial": lambda table, body: box.send(ButtonPressed(button="confirm")),
    }


def _text_field(body: Mapping[str, Json], key: str) -> str:
    value = body.get(key)
    if not isinstance(value, str):
        raise bad_request(f'"{key}" must be text.')
    return value


def _number_field(body: Mapping[str, Json], key: str) -> float:
    value: Any = body.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e6:
        raise bad_request(f'"{key}" must be a number.')
    return float(value)


def _point_mm(body: Mapping[str, Json]) -> tuple[float, float]:
    """The point on the mat where the action takes place, in millimeters."""
    return _number_field(body, "x"), _number_field(body, "y")


def _button_field(body: Mapping[str, Json]) -> Button:
    value = _text_field(body, "button")
    for button in get_args(Button):
        if value == button:
            return button  # type: ignore[no-any-return]  # get_args gives Any
    raise bad_request('"button" must be one of ' + ", ".join(get_args(Button)) + ".")
