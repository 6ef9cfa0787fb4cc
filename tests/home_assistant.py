"""Checks messages with Home Assistant's own code. Runs in Home Assistant's Python, so it imports nothing of ours.

Reads a list of cases as JSON from standard input. Each case has the keys `discovery` (the payload of a discovery
topic), `messages` (payloads by topic), `blueprints` (paths of files) and `trigger` (the trigger with which the
conditions of the blueprints are evaluated).

Prints a list with the result of each case. `version` is that of Home Assistant. `components` has the platform of each
component, and the values of its templates for the messages. `conditions` has the values of the conditions' templates
for each blueprint.
"""

import asyncio
import importlib
import json
import logging
import sys
import tempfile
from typing import Any

from homeassistant.components.automation.config import AUTOMATION_BLUEPRINT_SCHEMA, PLATFORM_SCHEMA
from homeassistant.components.blueprint.models import Blueprint, BlueprintInputs
from homeassistant.components.mqtt import discovery, models
from homeassistant.const import __version__
from homeassistant.core import HomeAssistant
from homeassistant.helpers.template import Template
from homeassistant.util.yaml import load_yaml


async def check(given: dict[str, Any]) -> dict[str, Any]:
    hass = HomeAssistant(tempfile.mkdtemp())
    components = {key: component(hass, key, given) for key in given["discovery"]["components"]}
    blueprints = [blueprint(hass, path, given["trigger"]) for path in given["blueprints"]]
    return {"version": __version__, "components": components, "conditions": blueprints}


def component(hass: HomeAssistant, key: str, given: dict[str, Any]) -> dict[str, Any]:
    """What Home Assistant makes of a component's discovery payload and messages. Follows Home Assistant's handler of
    discovery messages."""
    payload = discovery._parse_device_payload(hass, json.dumps(given["discovery"]), "object", None)
    assert payload, "the payload was refused"
    config = payload["components"][key]
    platform = config.pop("platform")
    config = discovery.MQTTDiscoveryPayload(config)
    config["device"], config["origin"] = payload["device"], payload["origin"]
    discovery._merge_common_device_options(config, payload)
    module = importlib.import_module(f"homeassistant.components.mqtt.{platform}")
    checked = module.DISCOVERY_SCHEMA(dict(config))
    lost = sorted(config.keys() - checked.keys() - {"origin", "device", "availability_mode"})
    assert not lost, f"{key}: {lost} mean nothing to Home Assistant"
    return {
        "platform": platform,
        "name": checked["name"],
        "unique_id": checked["unique_id"],
        "command": checked.get("payload_press"),
        "command_topic": checked.get("command_topic"),
        "value": rendered(hass, checked, "value_template", "state_topic", given),
        "attributes": rendered(hass, checked, "json_attributes_template", "json_attributes_topic", given),
        "available": [available(hass, each, given) for each in checked["availability"]],
        "options": checked.get("options") or checked.get("event_types"),
    }


def rendered(hass: HomeAssistant, config: dict[str, Any], template: str, topic: str, given: dict[str, Any]) -> Any:
    message = given["messages"].get(config.get(topic))
    if message is None or template not in config:
        return message
    return render(hass, config[template], message)


def available(hass: HomeAssistant, config: dict[str, Any], given: dict[str, Any]) -> bool:
    message = given["messages"][config["topic"]]
    template = config.get("value_template")
    found = render(hass, template, message) if template else message
    return bool(found == config["payload_available"])


def render(hass: HomeAssistant, template: Template, message: str) -> Any:
    template.hass = hass
    return models.MqttValueTemplate(template).async_render_with_possible_json_value(message)


def blueprint(hass: HomeAssistant, path: str, trigger: dict[str, Any]) -> list[Any]:
    """Checks a blueprint, and the automation that it makes of example inputs. Returns the values of its conditions."""
    found = Blueprint(load_yaml(path), path=path, expected_domain="automation", schema=AUTOMATION_BLUEPRINT_SCHEMA)
    assert found.validate() is None, found.validate()
    values = {"act": "event.act", "result": "sensor.result", "lamp": "light.lamp", "won": "scene.won"}
    used = {"use_blueprint": {"path": path, "input": {key: values[key] for key in found.inputs if key in values}}}
    inputs = BlueprintInputs(found, used)
    inputs.validate()
    made = inputs.async_substitute()
    automation = PLATFORM_SCHEMA(made)
    conditions = made.get("conditions", [])
    variables = {**made["variables"], "trigger": trigger}
    assert automation["triggers"]
    return [Template(each["value_template"], hass).async_render(variables, parse_result=True) for each in conditions]


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    print(json.dumps([asyncio.run(check(given)) for given in json.load(sys.stdin)]))
