"""Home Assistant understands what a table publishes: its own code reads our discovery message, renders our templates
and checks our blueprints. `make setup-home-assistant` installs it, if this machine has Python 3.12 or later. It was
tested with Home Assistant 2025.4.4, the newest for Python 3.13.0."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from companion.games import GAMES
from companion.games.rules import Seat
from companion.match.journal import Journal
from companion.mqtt.home_assistant import discovery_document
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from tests.memory_broker import NAME, TOPICS, PublishedTable
from tests.systems_failing_tables import act_some, new_table, play_to_the_end

ROOT = Path(__file__).parent.parent
PYTHON = ROOT / ".stamps/home-assistant-venv/bin/python"
BLUEPRINTS = sorted((ROOT / "docs/home-assistant").glob("*.yaml"))
needs_home_assistant = pytest.mark.skipif(
    not PYTHON.exists(), reason="no Home Assistant (needs Python 3.12 or later): make setup-home-assistant"
)


def case(published: PublishedTable, trigger: Any = None) -> Any:
    """A case for Home Assistant: the last message that was published on each topic. `trigger`: what has triggered an
    automation."""
    return {
        "discovery": discovery_document(TOPICS),
        "messages": {message.topic: message.payload for message in published.link.sent},
        "blueprints": [*map(str, BLUEPRINTS)],
        "trigger": trigger or {"to_state": {"attributes": {}}},
    }


def understood(*cases: Any) -> list[Any]:
    """What Home Assistant makes of each case."""
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    command = [str(PYTHON), str(ROOT / "tests/home_assistant.py")]
    done = subprocess.run(
        command, input=json.dumps(cases), capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found: list[Any] = json.loads(done.stdout)
    return found


@needs_home_assistant
def test_home_assistant_reads_every_entity() -> None:
    """Home Assistant's schemas accept each component and drop no key. Its templates give the values of the table."""
    published = PublishedTable(table := new_table())
    act_some(table, Random(1), 5)
    published.pass_time()
    (found,) = understood(case(published))
    assert tuple(map(int, found["version"].split(".")[:2])) >= (2024, 12)
    view = table.view()
    assert view
    seen = {key: SimpleNamespace(**each) for key, each in found["components"].items()}
    turn = view.names[view.turn] if isinstance(view.turn, int) else view.turn
    values = {key: seen[key].value for key in ("game", "turn", "result", "matches", "problem")}
    assert values == {"game": "Systems Failing", "turn": turn, "result": "playing", "matches": "ON", "problem": "OFF"}
    assert seen["systems_failing_damage"].value == str(view.state["damage"])
    assert seen["systems_failing_damage"].name == "Systems Failing: Damage"
    assert [*seen["systems_failing_damage"].available, *seen["game"].available] == [True, True, True]
    assert seen["system_won_score"].available == [True, False]
    act = json.loads(seen["act"].value)
    assert act["event_type"] in seen["act"].options
    assert (act["text"], act["version"]) == (published.link.last(TOPICS.event)["text"], view.version)
    assert json.loads(seen["matches"].attributes) == {"differences": []}
    assert {each.unique_id.startswith(f"tablekeeper_{NAME}_") for each in seen.values()} == {True}
    published.now += 10
    for key in ("button_next", "button_draw", "button_undo"):
        published.say(seen[key].command_topic, seen[key].command.encode())
    assert published.link.on(TOPICS.refused) == []


@needs_home_assistant
def test_sensors_are_right_without_a_game_and_after_its_end() -> None:
    """The sensors have the right values without a game, after a game that was lost (with a problem at the table), and
    after a game with a score. The result sensor always has one of its declared options."""
    published = PublishedTable(table := Table(Journal(None)))
    cases = [case(published)]
    table.start("systems-failing", None, {}, {}, ("Ann", "Bob"), "seed")
    table.observe(DeviceHealth(device="camera", ok=False, message="It sends nothing."))
    play_to_the_end(table, Random(1))
    published.pass_time()
    cases.append(case(published))
    table.start("traffic-congestion", None, {}, {}, ("Ann", "Bob"), "seed")
    play_to_the_end(table, Random(2))
    published.pass_time()
    cases.append(case(published))
    empty, lost, finished = (each["components"] for each in understood(*cases))
    assert [empty[key]["value"] for key in ("game", "turn", "result", "matches")] == ["none", "none", "none", "ON"]
    assert [lost[key]["value"] for key in ("turn", "result", "problem")] == ["none", "lost", "ON"]
    assert finished["result"]["value"] == "finished"
    assert finished["traffic_congestion_cars_home_1"]["value"].isdigit()
    assert finished["traffic_congestion_cars_home_3"]["available"] == [True, False]
    assert set(finished["result"]["options"]) == {"none", "playing", "won", "lost", "finished"}


@needs_home_assistant
def test_home_assistant_accepts_the_blueprints() -> None:
    """Home Assistant accepts the blueprints. The one for surges reacts to the events of surges, and to no others."""
    assert [path.stem for path in BLUEPRINTS] == ["surge", "win"]
    published = PublishedTable(table := new_table(seed="1"))
    play_to_the_end(table, Random(1))
    published.pass_time(rounds=5)
    texts = [event["text"] for event in published.link.on(TOPICS.event)]
    surges = [text for text in texts if " surges into Zone " in text]
    assert surges
    triggers = [{"to_state": {"attributes": {"text": text}}} for text in (surges[0], "Ann scavenges.", None)]
    found = understood(*(case(published, trigger) for trigger in triggers))
    assert [each["conditions"] for each in found] == [[[True], []], [[False], []], [[False], []]]


def test_entities_do_not_change_with_the_game() -> None:
    """The description is the same for every game, so Home Assistant keeps its entities. It contains every meter."""
    published, all_meters = PublishedTable(table := Table(Journal(None))), []
    for name, game in GAMES.items():
        table.start(name, game.rules.seats[-1], {}, {}, (), "seed")
        published.pass_time()
        components = published.link.last(TOPICS.discovery)["components"]
        view = table.view(Seat(0))
        assert view
        meters = [f"{name.replace('-', '_')}_{meter.key}" for meter in view.meters]
        assert not [key for key in meters if key not in components]
        all_meters += meters
    assert all_meters
    assert len({json.dumps(each) for each in published.link.on(TOPICS.discovery)}) == 1
