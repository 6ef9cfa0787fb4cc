"""The description of a table for Home Assistant, which then shows it as a device: https://www.home-assistant.io/integrations/mqtt

Law: pure. The description does not depend on the game in progress, so that entities keep their names and automations
keep working. The meters of games that are not in progress are unavailable.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from companion.games import GAMES
from companion.games.game import Game
from companion.games.rules import Json
from companion.mqtt.commands import MqttAction
from companion.mqtt.topics import Topics
from companion.version import product_version

BUTTONS: tuple[tuple[MqttAction, str, str], ...] = (
    ("next", "Next", "mdi:skip-next"),
    ("draw", "Draw", "mdi:cards"),
    ("undo", "Undo", "mdi:undo"),
)
PLAYER_IN_TURN = "value_json.players[value_json.turn] if value_json.turn is number else value_json.turn"
RESULT = (
    "{% if value_json.game is none %}none{% elif value_json.result is none %}playing"
    "{% elif value_json.result.won is none %}finished{% elif value_json.result.won %}won{% else %}lost{% endif %}"
)
RESULTS = ("none", "playing", "won", "lost", "finished")
"""The values of the result sensor. `finished`: the end of a game in which players play against each other."""
EVENT = (
    "{{ {'event_type': value_json.kind, 'text': value_json.text, 'seat': value_json.seat, 'game': value_json.game, "
    "'version': value_json.version} | tojson }}"
)
KINDS = ("deal", "move", "undo", "redo")


def discovery_document(topics: Topics) -> Json:
    """The document that describes a table to Home Assistant."""
    return {
        "device": {
            "identifiers": [_id(topics)],
            "name": f"Tablekeeper {topics.table}",
            "manufacturer": "Tablekeeper",
            "model": "Game table",
            "sw_version": product_version(),
        },
        "origin": {"name": "Tablekeeper", "sw_version": product_version()},
        "availability": [{"topic": topics.status}],
        "components": {key: {"unique_id": f"{_id(topics)}_{key}", **value} for key, value in _components(topics)},
    }


def _id(topics: Topics) -> str:
    return f"tablekeeper_{topics.table}"


def _components(topics: Topics) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the key and the description of each Home Assistant component, such as a sensor or a button."""
    yield "game", _sensor(topics, "Game", "{{ value_json.title or 'none' }}", icon="mdi:dice-multiple")
    yield "turn", _sensor(topics, "Turn", f"{{{{ ({PLAYER_IN_TURN}) or 'none' }}}}", icon="mdi:account-arrow-right")
    yield "result", _sensor(topics, "Result", RESULT, icon="mdi:trophy", device_class="enum", options=[*RESULTS])
    yield (
        "matches",
        {
            "platform": "binary_sensor",
            "name": "Table matches",
            "icon": "mdi:cards-playing",
            "state_topic": topics.state,
            "value_template": "{{ 'ON' if value_json.matches | default(true) else 'OFF' }}",
            "json_attributes_topic": topics.state,
            "json_attributes_template": "{{ {'differences': value_json.differences | default([])} | tojson }}",
        },
    )
    yield (
        "problem",
        {
            "platform": "binary_sensor",
            "name": "Problem",
            "device_class": "problem",
            "entity_category": "diagnostic",
            "state_topic": topics.health,
            "value_template": "{{ 'OFF' if value_json.status == 'ok' else 'ON' }}",
            "json_attributes_topic": topics.health,
        },
    )
    yield (
        "act",
        {
            "platform": "event",
            "name": "Move",
            "icon": "mdi:chess-pawn",
            "state_topic": topics.event,
            "event_types": [*KINDS],
            "value_template": EVENT,
        },
    )
    for action, name, icon in BUTTONS:
        press = f'{{"do":"{action}"}}'
        yield (
            f"button_{action}",
            {
                "platform": "button",
                "name": name,
                "icon": icon,
                "command_topic": topics.command,
                "payload_press": press,
            },
        )
    for game, key, name in _meters():
        yield f"{game.replace('-', '_')}_{key}", _meter_sensor(topics, game, key, name)


def _sensor(topics: Topics, name: str, template: str, **more: Any) -> dict[str, Any]:
    return {"platform": "sensor", "name": name, "state_topic": topics.state, "value_template": template, **more}


def _meter_sensor(topics: Topics, game: str, key: str, name: str) -> dict[str, Any]:
    is_there = f"value_json.game == '{game}' and '{key}' in value_json.meters"
    available = {"topic": topics.state, "value_template": f"{{{{ 'online' if {is_there} else 'offline' }}}}"}
    template = f"{{{{ value_json.meters.{key}.value if {is_there} else none }}}}"
    return {
        **_sensor(topics, name, template, state_class="measurement", icon="mdi:gauge"),
        "availability": [{"topic": topics.status}, available],
        "availability_mode": "all",
    }


@cache
def _meters() -> tuple[tuple[str, str, str], ...]:
    """The meters of every game when it is played with its greatest number of seats. For each meter: the name of the
    game, the key of the meter, and the meter's name for Home Assistant."""
    return tuple(
        (name, meter.key, f"{game.title}: {_meter_name(meter.seat, str(meter.measures or meter.name))}")
        for name, game in GAMES.items()
        for meter in game.physical.meters(_first_state(game))
    )


def _meter_name(seat: int | None, measures: str) -> str:
    return measures if seat is None else f"{measures}, player {seat + 1}"


def _first_state(game: Game[Any]) -> Any:
    return game.rules.begin(game.rules.seats[-1], game.rules.resolve_setup({})).state
