"""The table's MQTT client: publishes what everyone may see, and carries out commands. The service treats it like a
hardware device: it reports whether the broker can be reached.

The thread that iterates over this device does everything: it publishes, carries out commands, and takes
acknowledgments. Other threads only wake it. Nothing is queued for a broker that is slow or gone. Once the broker is
back, the messages that it has missed are rebuilt from the table and the journal.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from typing import Protocol

from companion.devices import DeviceMissing
from companion.games import move_json
from companion.games.view import Revision, View
from companion.match.journal_error import JournalError
from companion.mqtt import commands, documents
from companion.mqtt.broker_address import Broker
from companion.mqtt.commands import RateLimit
from companion.mqtt.connection_health import ConnectionHealth
from companion.mqtt.event_queue import EventQueue
from companion.mqtt.home_assistant import discovery_document
from companion.mqtt.outbox import Outbox
from companion.mqtt.result_reports import Results
from companion.mqtt.topics import Topics
from companion.mqtt.wall_documents import WallDocuments
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth, Observation
from companion.text.messages import Text, _

MAX_RESULTS = 5
"""At most this many results are published at once."""
TICK_S = 5.0
"""The interval, in seconds, at which all documents are made again even if the table has not changed, because some of
them depend on the time."""
STATUS_PAUSE_S = 30.0
"""The interval, in seconds, at which the status is published again, long before the broker deletes it."""
FLOOD_PAUSE_S = 30.0
"""For how long, in seconds, no commands are read after too many have arrived."""


class BrokerConnection(Protocol):
    """A connection to a broker; `companion.mqtt.paho_connection` has the real one."""

    count: int
    is_up: bool
    error: str
    dropped: int

    def start(self) -> None: ...
    def close(self) -> None: ...
    def publish(
        self, topic: str, payload: str, *, qos: int = 1, retain: bool = False, lifetime_s: int | None = None
    ) -> int: ...
    def acknowledged(self) -> list[tuple[int, str]]: ...
    def received(self) -> list[tuple[str, bytes]]: ...
    def pause_reading(self) -> None: ...
    def resume_reading(self) -> None: ...


def is_installed() -> bool:
    """Whether paho-mqtt is installed."""
    return find_spec("paho") is not None


def not_installed_message() -> Text:
    """The message that says what to install for MQTT."""
    return _("MQTT needs the package paho-mqtt. Install it with: {command}", command="pip install 'tablekeeper[mqtt]'")


class MqttClient:
    """Connects the table with a broker, as a device and as a listener of the service. `name`: the table's name on the
    broker. `free_seats` returns the number of seats that no phone has taken. `disk` returns the health of the disk;
    `disk` is None if the journal is kept in memory."""

    def __init__(
        self,
        table: Table,
        broker: Broker,
        name: str,
        free_seats: Callable[[], int] = lambda: 0,
        disk: Callable[[], DeviceHealth] | None = None,
    ) -> None:
        self._table, self._broker, self._topics, self._disk = table, broker, Topics(name), disk
        self._discovery = move_json.dumps(discovery_document(self._topics))
        self._wake, self._closing = threading.Event(), False
        self._connection: BrokerConnection | None = None
        self._events = EventQueue(table.journal, table.revision.version)
        self._wall = WallDocuments(table.journal, free_seats)
        self._results: Results | None = None
        self._outbox = Outbox(self._topics)
        self._health = ConnectionHealth(broker.address, self._topics)
        self._limit, self._flood_limit = RateLimit(), RateLimit(burst=200, per_second=20)
        self._is_refusal_sent = False
        self._reading_from = 0.0
        self._seen, self._documents_due, self._connection_count = Revision(-1, -1), 0.0, 0
        self._status_due = 0.0

    def open(self) -> MqttClient:
        """Starts to connect, and returns this device. Raises DeviceMissing if paho-mqtt is not installed."""
        if not is_installed():
            raise DeviceMissing(not_installed_message())
        from companion.mqtt.paho_connection import PahoConnection

        reading = (self._topics.command, self._topics.acknowledgment)
        self.connect(
            PahoConnection(
                self._broker, f"tablekeeper-{self._topics.table}", self._topics.will, reading, self._wake.set
            )
        )
        return self

    def connect(self, connection: BrokerConnection) -> None:
        """Starts to connect through `connection`. The first time, reads from the journal which results are still to be
        reported. Raises JournalError if that fails."""
        self._results = self._results or Results(self._table.journal, self._topics.table)
        self._connection, self._connection_count, self._closing = connection, 0, False
        self._outbox = Outbox(self._topics)
        connection.start()

    def show(self, view: View | None) -> None:
        """Wakes the device, because the table has changed."""
        self._wake.set()

    def close(self) -> None:
        """Ends the loop over this device's observations. The thread that runs the loop then disconnects."""
        self._closing = True
        self._wake.set()

    def __iter__(self) -> Iterator[Observation]:
        try:
            while not self._closing:
                yield from self.round(time.monotonic())
                self._wake.wait(TICK_S)
                self._wake.clear()
        finally:
            if self._connection:
                self._connection.close()

    def round(self, now: float) -> Iterator[Observation]:
        """Carries out the commands that have arrived, publishes what is due, and yields the health of the connection if
        the health has changed. `now`: seconds of a monotonic clock."""
        connection, results = self._connection, self._results
        if connection is None or results is None:
            return
        self._receive(connection, results, now)
        view = self._table.view()
        with suppress(JournalError):  # saving a move reports this error; the next round tries again
            results.follow(view, now)
        if view:
            self._events.follow(view)
        if connection.is_up:
            self._publish(connection, results, view, now)
        yield from self._health.changes(connection, self._outbox.refused, now, is_flooded=now < self._reading_from)

    def _publish(self, connection: BrokerConnection, results: Results, view: View | None, now: float) -> None:
        if self._connection_count != connection.count:
            self._connection_count = connection.count
            self._outbox.start_connection()
            results.repeat_all(now)
        with suppress(JournalError):
            self._outbox.publish_events(connection, self._events.take(view, self._outbox.event_room))
        revision = view.revision if view else self._table.revision
        if revision != self._seen or now >= self._documents_due:
            self._seen, self._documents_due = revision, now + TICK_S
            self._set_documents(view, revision, now)
        if now >= self._status_due:
            self._status_due = now + STATUS_PAUSE_S
            self._outbox.repeat(self._topics.status)
        self._outbox.publish_documents(connection)
        if self._outbox.is_trusted:
            self._outbox.publish_results(connection, results.due(now, MAX_RESULTS))

    def _set_documents(self, view: View | None, revision: Revision, now: float) -> None:
        topics = self._topics
        health = (*self._table.health(), *([self._disk()] if self._disk else ()))
        self._outbox.set(topics.status, "online")
        self._outbox.set(topics.state, move_json.dumps(documents.state_document(view, revision.version)))
        self._outbox.set(topics.health, move_json.dumps(documents.health_document(health)))
        self._outbox.set(topics.wall, move_json.dumps(self._wall.document(view, health, now)))
        self._outbox.set(topics.discovery, self._discovery)

    def _receive(self, connection: BrokerConnection, results: Results, now: float) -> None:
        for number, refused in connection.acknowledged():
            self._outbox.acknowledge(number, refused, now)
        self._outbox.retry(now)
        for topic, payload in connection.received():
            if not self._flood_limit.allows(now):
                connection.dropped += 1
            elif topic == self._topics.acknowledgment:
                with suppress(JournalError):
                    results.acknowledge(payload)
            elif topic == self._topics.command:
                self._command(connection, payload, now)
        self._stop_flood(connection, now)

    def _command(self, connection: BrokerConnection, payload: bytes, now: float) -> None:
        """Carries out a command, and publishes the reason if it is refused. Of the commands above the rate limit, only
        the first is answered."""
        if self._limit.allows(now):
            self._is_refusal_sent = False
            refusal = commands.carry_out(self._table, payload)
        elif not self._is_refusal_sent:
            self._is_refusal_sent = True
            refusal = commands.refusal_document(None, "too_many", "Too many commands; wait a moment.")
        else:
            return
        if refusal is not None and connection.is_up:
            connection.publish(self._topics.refused, move_json.dumps(refusal), qos=0)

    def _stop_flood(self, connection: BrokerConnection, now: float) -> None:
        """Stops reading for a while if messages were dropped, because reading a flood of messages would make players
        wait."""
        if connection.dropped:
            connection.dropped = 0
            connection.pause_reading()
            self._reading_from = now + FLOOD_PAUSE_S
        elif self._reading_from and now >= self._reading_from:
            self._reading_from = 0.0
            connection.resume_reading()
