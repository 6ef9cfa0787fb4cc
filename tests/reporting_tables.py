"""Clients that report to a venue as the tables of a club do. Each has an account and a connection of its own. Each
publishes its entry on the wall after each move, and repeats the result of a game until the result is acknowledged."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Any, Self

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from companion.mqtt.topics import Topics
from tests.venue_processes import ClubBroker

NAMES = ("Ann", "Ben", "Cleo", "Dora", "Eve", "Finn", "Gus", "Hana", "Ida", "Jon", "Kim", "Lea", "Max", "Noa", "Ole")
TITLES = {
    "system-won": "System WON",
    "systems-failing": "Systems Failing",
    "traffic-congestion": "Traffic Congestion",
    "commute": "Commute",
}
REPEAT_S = 5.0
"""The pause before a result is published again, as at a real table, in seconds. Each further pause is twice as long as
the one before."""


def iso(when: datetime | None = None) -> str:
    """A time in the format that tables publish."""
    return (when or datetime.now(UTC)).isoformat(timespec="seconds")


def client_of(broker: ClubBroker, account: str, client_id: str | None = None, password: str | None = None) -> Client:
    """An MQTT client that has started to connect with this account."""
    client = Client(CallbackAPIVersion.VERSION2, client_id=client_id or account, protocol=MQTTProtocolVersion.MQTTv5)
    client.username_pw_set(account, password or broker.passwords[account])
    client.tls_set(str(broker.ca))
    client.reconnect_delay_set(1, 2)
    client.connect_async("127.0.0.1", broker.port, 20)
    return client


@dataclass
class PendingResult:
    """A result that has not been acknowledged yet."""

    document: Mapping[str, Any]
    due_at: float
    pause: float = REPEAT_S


@dataclass
class ReportingTable:
    """A table with its players. `round` counts the table's moves in all games. `finished` contains the ids of all games
    that have ended, `acknowledged` the ids of the games whose result the venue has acknowledged."""

    broker: ClubBroker
    name: str
    seed: int = 0
    round: int = 0
    finished: list[str] = field(default_factory=list)
    acknowledged: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._random = Random(f"{self.name} {self.seed}")
        self._topics = Topics(self.name)
        self._waiting: dict[str, PendingResult] = {}
        self._lock = threading.Lock()
        self._is_up = threading.Event()
        self._client = client = client_of(self.broker, self.name)
        client.will_set(*self._topics.will, qos=1, retain=True)
        client.on_connect, client.on_message = self._on_connect, self._on_message
        client.on_disconnect = lambda *_: self._is_up.clear()
        self.begin()

    def __enter__(self) -> Self:
        self._client.loop_start()
        return self

    def __exit__(self, *_: object) -> None:
        self._client.disconnect()
        self._client.loop_stop()

    def wait(self, seconds: float = 30) -> None:
        """Waits until the table is connected."""
        assert self._is_up.wait(seconds), f"{self.name} is not connected"

    def begin(self) -> None:
        """Begins a game."""
        self.game = self._random.choice([*TITLES])
        self.players = self._random.sample(NAMES, self._random.randint(2, 4))
        self.scores = [0] * len(self.players)
        self.started = iso()

    def move(self) -> float:
        """Makes a move, and publishes it. Returns the time of the move, in seconds of the monotonic clock."""
        self.round += 1
        self.scores[self._random.randrange(len(self.scores))] += 1
        moved_at = time.monotonic()
        self._publish_wall()
        return moved_at

    def end(self) -> None:
        """Ends the game, which the player with the best score wins, and begins the next one."""
        best = max(self.scores)
        id = f"{self.seed:x}{self.name}-{len(self.finished) + 1}"
        document = {
            "id": id,
            "table": self.name,
            "game": self.game,
            "seats": len(self.players),
            "players": self.players,
            "result": {"won": None, "winners": [n for n, score in enumerate(self.scores) if score == best]},
            "scores": self.scores,
            "started": self.started,
            "ended": iso(),
            "version": self.round,
        }
        with self._lock:
            self._waiting[id] = PendingResult(document, time.monotonic())
        self.finished.append(id)
        self.begin()
        self.repeat_results()

    def repeat_results(self) -> None:
        """Publishes every result that is due: new results, and those whose acknowledgment is overdue."""
        now = time.monotonic()
        with self._lock:
            due = [waiting for waiting in self._waiting.values() if waiting.due_at <= now]
            for waiting in due:
                waiting.due_at, waiting.pause = now + waiting.pause, 2 * waiting.pause
        for waiting in due if self._is_up.is_set() else ():
            self._publish(self._topics.result, waiting.document, qos=1)

    def wall(self, **more: object) -> dict[str, object]:
        """The document about this table that the wall shows."""
        return {
            "game": self.game,
            "title": TITLES[self.game],
            "round": self.round,
            "scores": self.scores,
            "players": self.players,
            "free_seats": 4 - len(self.players),
            "started": self.started,
            "over": False,
            "matches": True,
            "needs_help": False,
            "devices": [{"device": "camera", "ok": True, "message": "The camera works."}],
            **more,
        }

    def _publish_wall(self) -> None:
        if self._is_up.is_set():
            self._publish(self._topics.wall, self.wall(), retain=True)

    def _publish(self, topic: str, document: object, *, qos: int = 0, retain: bool = False) -> None:
        self._client.publish(topic, json.dumps(document), qos, retain)

    def _on_connect(self, client: Client, data: Any, flags: Any, reason: Any, properties: Any) -> None:
        if reason.is_failure:
            return
        client.subscribe(self._topics.acknowledgment, 1)
        client.publish(self._topics.status, "online", 1, retain=True)
        with self._lock:
            for waiting in self._waiting.values():
                waiting.due_at, waiting.pause = time.monotonic(), REPEAT_S
        self._is_up.set()
        self._publish_wall()

    def _on_message(self, client: Client, data: Any, message: MQTTMessage) -> None:
        id = json.loads(message.payload)["id"]
        with self._lock:
            if self._waiting.pop(id, None):
                self.acknowledged.add(id)
