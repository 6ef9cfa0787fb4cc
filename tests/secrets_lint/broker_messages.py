"""What a table publishes on a broker, and how it answers commands from there."""

from __future__ import annotations

from random import Random

from companion.games import move_json
from companion.mqtt import commands
from companion.mqtt.broker_address import Broker
from companion.mqtt.client import MqttClient
from companion.mqtt.event_queue import EventQueue
from tests.memory_broker import MemoryLink
from tests.secrets_lint.service import InMemoryService

EVENTS = 10
"""The number of latest acts whose events are compared."""
COMMANDS = (
    *(b'{"do":"%s"}' % action.encode() for action in commands.ACTIONS),
    b'{"do":"undo","version":0}',
    b'{"do":"peek"}',
    b"\xff",
)


def published(service: InMemoryService, now: float) -> bytes:
    """Everything that a table publishes when it connects, with its last events and its result, if there is one. `now`:
    seconds of the lint's clock."""
    link = MemoryLink()
    device = MqttClient(service.table, Broker("broker.test", 1883), "table", lambda: 0)
    device._events = EventQueue(service.table.journal, max(0, service.table.revision.version - EVENTS))
    device.connect(link)
    for _ in range(2):
        service.table.refresh()
        [*device.round(now)]
    return "\n".join(f"{each.topic} {each.qos} {each.retain} {each.payload}" for each in link.sent).encode()


def random_command(rng: Random) -> bytes:
    """A random message to the table: a command, or something else."""
    return rng.choice(COMMANDS)


def answered(service: InMemoryService, command: bytes) -> bytes:
    """The table's answer to a command."""
    return move_json.dumps(commands.carry_out(service.table, command)).encode()
