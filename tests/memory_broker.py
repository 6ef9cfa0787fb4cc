"""A fake MQTT broker in memory, which answers when a test wants it to, and a table that publishes on it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from companion.mqtt.broker_address import Broker
from companion.mqtt.client import MqttClient
from companion.mqtt.topics import Topics
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth, Observation

NAME = "club-3"
TOPICS = Topics(NAME)


class PublishedMessage(NamedTuple):
    """A message that was published."""

    topic: str
    payload: str
    qos: int
    retain: bool
    number: int
    lifetime_s: int | None = None

    @property
    def value(self) -> Any:
        return json.loads(self.payload)


class MemoryLink:
    """A connection whose broker acknowledges everything at once or, if it `is_slow`, nothing until the test wants it
    to. `sent`: the published messages. `is_reading`: whether messages from the broker are accepted."""

    def __init__(self, *, is_slow: bool = False) -> None:
        self.is_slow = is_slow
        self.count, self.is_up = 0, False
        self.error = ""
        self.refuses: dict[str, str] = {}
        """By topic: why messages are refused."""
        self.dropped = 0
        self.is_reading = False
        self.sent: list[PublishedMessage] = []
        self._acknowledged: list[tuple[int, str]] = []
        self._inbox: list[tuple[str, bytes]] = []

    def start(self) -> None:
        self.come_up()

    def come_up(self) -> None:
        """Connects or reconnects."""
        self.count, self.is_up, self.is_reading = self.count + 1, True, True

    def go_down(self, why: str = "Connection refused") -> None:
        """Loses the connection."""
        self.is_up, self.error = False, why

    def close(self) -> None:
        self.is_up = False

    def publish(
        self, topic: str, payload: str, *, qos: int = 1, retain: bool = False, lifetime_s: int | None = None
    ) -> int:
        message = PublishedMessage(topic, payload, qos, retain, len(self.sent) + 1, lifetime_s)
        self.sent.append(message)
        if not self.is_slow:
            self._acknowledged.append((message.number, self.refuses.get(topic, "")))
        return message.number

    def acknowledge_all(self) -> None:
        """Makes the broker acknowledge everything that it has received."""
        self._acknowledged = [(message.number, "") for message in self.sent]

    def acknowledged(self) -> list[tuple[int, str]]:
        found, self._acknowledged = self._acknowledged, []
        return found

    def say(self, topic: str, payload: Any) -> None:
        """Delivers a message from the broker: bytes, or a value as JSON."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        if self.is_reading:
            self._inbox.append((topic, data))

    def received(self) -> list[tuple[str, bytes]]:
        found, self._inbox = self._inbox, []
        return found

    def pause_reading(self) -> None:
        self.is_reading = False

    def resume_reading(self) -> None:
        self.is_reading = True

    def on(self, topic: str) -> list[Any]:
        """The values that have been published on this topic."""
        return [message.value for message in self.sent if message.topic == topic]

    def last(self, topic: str) -> Any:
        return self.on(topic)[-1]


class PublishedTable:
    """A table that publishes on a broker in memory, with a clock of its own. `reports`: the observations in which the
    MQTT device reports its health."""

    def __init__(
        self,
        table: Table,
        link: MemoryLink | None = None,
        free_seats: int = 1,
        disk: Callable[[], DeviceHealth] | None = None,
    ) -> None:
        self.table, self.now = table, 1000.0
        self.link = link or MemoryLink()
        self.device = MqttClient(table, Broker("broker.test", 1883), NAME, lambda: free_seats, disk)
        self.device.connect(self.link)
        self.reports: list[Observation] = []
        self.pass_time(0, rounds=3)

    def pass_time(self, seconds: float = 0.1, rounds: int = 1) -> None:
        """Advances the clock by `seconds`, in as many equal steps as `rounds` says. After each step the device does its
        pending work."""
        for _ in range(rounds):
            self.now += seconds / rounds
            self.reports += self.device.round(self.now)

    def say(self, topic: str, payload: Any) -> None:
        """Delivers a message from the broker, and lets the device handle it."""
        self.link.say(topic, payload)
        self.pass_time()

    @property
    def health(self) -> str:
        """The device's last report about its health, as a sentence."""
        return str(self.reports[-1].message_with_remedy) if self.reports else ""  # type: ignore[union-attr]
