"""What is under way to the broker. Each topic's latest document is published when it differs from the last one; while a
message is under way, newer ones take each other's place. So a slow broker costs no memory.

What the broker refuses is kept back for a while: some brokers break the connection each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from companion.games import notation
from companion.games.rules import Json
from companion.mqtt.broker import Topics
from companion.mqtt.documents import Event

WINDOW = 20
"""How many events may be under way."""
REFUSED_PAUSE_S = 600.0
"""For how long nothing is published on a topic that the broker has refused."""


class Link(Protocol):
    """A connection to a broker. `count`: how often it has been made, since a broker may forget everything."""

    count: int

    def publish(self, topic: str, payload: str, *, qos: int = 1, retain: bool = False) -> int: ...


class Outbox:
    """The messages that wait for the broker."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._wanted: dict[str, str] = {}
        self._sent: dict[str, tuple[str, int]] = {}
        """By topic: the last document, and the connection on which it was sent."""
        self._under_way: dict[int, str] = {}
        """By the number of a message: its topic."""
        self._refused: dict[str, tuple[str, float]] = {}
        """By topic: why the broker has refused it, and when it is tried again."""

    def set(self, topic: str, payload: str) -> None:
        """Sets what the broker should know, for everyone who subscribes later too."""
        self._wanted[topic] = payload

    @property
    def refused(self) -> Mapping[str, str]:
        """By topic: why the broker has refused it."""
        return {topic: why for topic, (why, _) in self._refused.items()}

    @property
    def event_room(self) -> int:
        """How many events may be published now."""
        is_refused = self._topics.event in self._refused
        return 0 if is_refused else WINDOW - sum(topic == self._topics.event for topic in self._under_way.values())

    def publish_events(self, link: Link, events: Iterable[Event]) -> None:
        """Publishes events, for which there must be room."""
        for event in events:
            self._publish(link, self._topics.event, notation.dumps(event.to_json()))

    def publish_results(self, link: Link, results: Iterable[Json]) -> None:
        """Publishes results."""
        for result in results:
            if self._topics.result not in self._refused:
                self._publish(link, self._topics.result, notation.dumps(result))

    def publish_documents(self, link: Link) -> None:
        """Publishes the documents that have changed, or all of them on a new connection.

        Some brokers may refuse the description for Home Assistant. It is under way alone, so that a connection that is
        closed for this reason takes neither the refusal nor other messages with it."""
        for topic, payload in self._wanted.items():
            is_waiting = topic in self._refused or topic in self._under_way.values()
            is_waiting |= topic == self._topics.discovery and bool(self._under_way)
            if self._sent.get(topic) != (payload, link.count) and not is_waiting:
                self._publish(link, topic, payload, retain=True)
                self._sent[topic] = (payload, link.count)

    def _publish(self, link: Link, topic: str, payload: str, *, retain: bool = False) -> None:
        self._under_way[link.publish(topic, payload, retain=retain)] = topic

    def acknowledge(self, number: int, refused: str, now: float) -> None:
        """Notes that the broker has a message, or why it has refused it ("" if it has not). `now`: seconds of a
        monotonic clock."""
        topic = self._under_way.pop(number, None)
        if topic and refused:
            self._refused[topic] = (refused, now + REFUSED_PAUSE_S)
            self._sent.pop(topic, None)

    def retry(self, now: float) -> None:
        """Lets topics that were refused long ago be tried again."""
        self._refused = {topic: (why, at) for topic, (why, at) in self._refused.items() if now < at}
