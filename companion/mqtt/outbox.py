"""What is under way to the broker. Each topic's latest document is published when it differs from the last one; while a
message is under way, newer ones take each other's place. So a slow broker costs no memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from companion.games import notation
from companion.mqtt.documents import Event

WINDOW = 20
"""How many events may be under way."""


class Link(Protocol):
    """A connection to a broker. `count`: how often it has been made, since a broker may forget everything."""

    count: int

    def publish(self, topic: str, payload: str, *, qos: int = 1, retain: bool = False) -> int: ...


class Outbox:
    """The messages that wait for the broker. `event_topic`: where events go."""

    def __init__(self, event_topic: str) -> None:
        self._event_topic = event_topic
        self._wanted: dict[str, str] = {}
        self._sent: dict[str, tuple[str, int]] = {}
        """By topic: the last payload, and the connection on which it was sent."""
        self._documents: dict[int, str] = {}
        """By the number of a message that is under way: its topic."""
        self._events: set[int] = set()
        """The numbers of the events that are under way."""

    def set(self, topic: str, payload: str) -> None:
        """Sets what the broker should know, for everyone who subscribes later too."""
        self._wanted[topic] = payload

    @property
    def room(self) -> int:
        """How many events may be published now."""
        return WINDOW - len(self._events)

    def publish_events(self, link: Link, events: Iterable[Event]) -> None:
        """Publishes events."""
        self._events.update(link.publish(self._event_topic, notation.dumps(event.to_json())) for event in events)

    def publish_documents(self, link: Link) -> None:
        """Publishes the documents that have changed, or all of them on a new connection."""
        for topic, payload in self._wanted.items():
            if self._sent.get(topic) != (payload, link.count) and topic not in self._documents.values():
                self._documents[link.publish(topic, payload, retain=True)] = topic
                self._sent[topic] = (payload, link.count)

    def acknowledge(self, number: int) -> None:
        """Notes that the broker has a message."""
        self._documents.pop(number, None)
        self._events.discard(number)
