"""The messages for the broker. The document of a topic is published when it has changed. If the document changes again
before the broker has acknowledged it, only the latest version is kept, so a slow broker costs no memory.

Some brokers close a connection on which they refuse a message, and their answer is lost if more is sent in the
meantime. So on a new connection, nothing more is sent until the first message is acknowledged. A topic that the broker
refuses is not tried again for a while.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from companion.games import move_json
from companion.games.rules import Json
from companion.mqtt.documents import Event
from companion.mqtt.topics import Topics

WINDOW = 20
"""At most this many events may be sent without an acknowledgment."""
STATUS_LIFETIME_S = 90
"""The broker deletes the status of a table after this many seconds, unless the table publishes it again. So a table
that died while the broker was down, whose last will the broker can't publish, is not online for good to those who
connect later. Those who stay connected hear nothing of it."""
REFUSED_PAUSE_S = 600.0
"""For how long, in seconds, nothing is published on a topic that the broker has refused."""


class Publisher(Protocol):
    """A connection to a broker. `count`: how many times the connection has been made, including each time after a loss.
    On each new connection, all documents are published again, since the broker may have forgotten them."""

    count: int

    def publish(
        self, topic: str, payload: str, *, qos: int = 1, retain: bool = False, lifetime_s: int | None = None
    ) -> int: ...


class Outbox:
    """The messages that are to be published, and those that the broker has not acknowledged yet."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._wanted: dict[str, str] = {}
        self._sent: dict[str, tuple[str, int]] = {}
        """Maps each topic to the last document that was sent, and to the count of connections at that time."""
        self._under_way: dict[int, str] = {}
        """Maps the number of each unacknowledged message to its topic."""
        self._refused: dict[str, tuple[str, float]] = {}
        """For each topic that the broker has refused: the reason, and when it is tried again."""
        self.is_trusted = False
        """Whether the broker has accepted a message on this connection. Until then, only documents may be published."""

    def start_connection(self) -> None:
        """Records that the connection is new."""
        self.is_trusted = False

    def set(self, topic: str, payload: str) -> None:
        """Sets the document of a topic. The broker retains it for those who subscribe later."""
        self._wanted[topic] = payload

    def repeat(self, topic: str) -> None:
        """Lets the document of a topic be published again, although it has not changed."""
        self._sent.pop(topic, None)

    @property
    def refused(self) -> Mapping[str, str]:
        """Maps each topic on which the broker has refused a message to the reason."""
        return {topic: why for topic, (why, _) in self._refused.items()}

    @property
    def event_room(self) -> int:
        """How many events may be published now."""
        is_closed = self._topics.event in self._refused or not self.is_trusted
        return 0 if is_closed else WINDOW - sum(topic == self._topics.event for topic in self._under_way.values())

    def publish_events(self, connection: Publisher, events: Iterable[Event]) -> None:
        """Publishes events. There must be room for them (see `event_room`)."""
        for event in events:
            self._publish(connection, self._topics.event, move_json.dumps(event.to_json()))

    def publish_results(self, connection: Publisher, results: Iterable[Json]) -> None:
        """Publishes the results of finished games."""
        for result in results:
            if self._topics.result not in self._refused:
                self._publish(connection, self._topics.result, move_json.dumps(result))

    def publish_documents(self, connection: Publisher) -> None:
        """Publishes the documents that have changed, or all of them on a new connection.

        Some brokers refuse the description for Home Assistant by closing the connection. So the description is sent
        only while no other message waits for an acknowledgment, because such a message could be lost with the
        connection."""
        for topic, payload in self._wanted.items():
            is_waiting = topic in self._refused or topic in self._under_way.values() or self._is_response_awaited
            is_waiting |= topic == self._topics.discovery and bool(self._under_way)
            if self._sent.get(topic) != (payload, connection.count) and not is_waiting:
                self._publish(connection, topic, payload, retain=True)
                self._sent[topic] = (payload, connection.count)
        # If every document is refused, there is no answer to wait for; events and results may still be allowed.
        self.is_trusted |= not self._under_way

    @property
    def _is_response_awaited(self) -> bool:
        """Whether the first message on this connection is not acknowledged yet."""
        return not self.is_trusted and bool(self._under_way)

    def _publish(self, connection: Publisher, topic: str, payload: str, *, retain: bool = False) -> None:
        lifetime_s = STATUS_LIFETIME_S if topic == self._topics.status else None
        self._under_way[connection.publish(topic, payload, retain=retain, lifetime_s=lifetime_s)] = topic

    def acknowledge(self, number: int, refused: str, now: float) -> None:
        """Records that the broker has answered the message with this number. `refused`: why the broker refused the
        message; "" if the broker accepted the message. `now`: seconds of a monotonic clock."""
        topic = self._under_way.pop(number, None)
        self.is_trusted |= not refused
        if topic and refused:
            self._refused[topic] = (refused, now + REFUSED_PAUSE_S)
            self._sent.pop(topic, None)

    def retry(self, now: float) -> None:
        """Allows publishing again on topics that were refused more than REFUSED_PAUSE_S ago."""
        self._refused = {topic: (why, at) for topic, (why, at) in self._refused.items() if now < at}
