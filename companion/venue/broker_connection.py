"""The venue's connection to the broker: paho's client in a thread of its own, which reconnects by itself.

While the venue is not connected, the broker keeps results for it, for at most SESSION_DAYS. Results that the broker
loses are repeated by the tables.
"""

from __future__ import annotations

import logging
import sys
import threading
from typing import Any, Final

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from companion.mqtt.broker_address import Broker
from companion.text.messages import _
from companion.text.player_names import clean_line
from companion.venue.table_messages import MAX_BYTES, ROOT
from companion.venue.venue import Venue

KEEPALIVE_S: Final = 20
RETRY_S: Final = 1
LONGEST_RETRY_S: Final = 15
"""The first and the longest pause between two attempts to connect, in seconds. Each pause is twice as long as the one
before."""
SESSION_DAYS: Final = 7
MAX_IN_FLIGHT: Final = 100
MAX_QUEUED: Final = 5000
"""At most this many acknowledgments wait while the broker can't be reached. A table that misses an acknowledgment
repeats its result."""
CLOSE_S: Final = 2.0
QUALITY: Final = {"status": 0, "wall": 0, "result": 1}
"""The quality of service of each kind of message. With 0, the broker stores nothing for the venue while the venue is
not connected; it sends the retained messages when the venue connects again."""


class VenueConnection:
    """The venue's connection to the broker, which is made again whenever it is lost. `start` connects, and passes all
    messages on to a given venue."""

    def __init__(self, broker: Broker, client_id: str = "tablekeeper-venue") -> None:
        self._broker = broker
        self._venue: Venue | None = None
        self._refusal = ""
        """Why the broker refused the last connection; "" if it did not. A disconnection follows each refusal. Then this
        reason is reported, not the reason for the disconnection."""
        self._client = client = Client(
            CallbackAPIVersion.VERSION2, client_id=client_id, protocol=MQTTProtocolVersion.MQTTv5
        )
        client.username_pw_set(broker.user, broker.password)
        if broker.tls:
            client.tls_set(str(broker.ca) if broker.ca else None)
        client.reconnect_delay_set(RETRY_S, LONGEST_RETRY_S)
        client.max_queued_messages_set(MAX_QUEUED)
        client.on_connect, client.on_connect_fail = self._on_connect, self._on_connect_fail
        client.on_disconnect, client.on_message = self._on_disconnect, self._on_message
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="broker", daemon=True)

    def start(self, venue: Venue) -> None:
        """Starts to connect; returns at once."""
        self._venue = venue
        self._thread.start()

    def publish(self, topic: str, payload: bytes) -> None:
        """Publishes a message. If the connection is lost before the broker has acknowledged the message, the message is
        sent again."""
        self._client.publish(topic, payload, qos=1)

    def close(self) -> None:
        """Disconnects. The broker keeps the session."""
        self._closing.set()
        self._client.disconnect()
        self._thread.join(CLOSE_S)

    def _run(self) -> None:
        session = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        session.SessionExpiryInterval = SESSION_DAYS * 24 * 3600
        session.ReceiveMaximum = MAX_IN_FLIGHT
        session.MaximumPacketSize = 2 * MAX_BYTES
        while not self._closing.is_set():
            try:
                self._client.connect_async(
                    self._broker.host, self._broker.port, KEEPALIVE_S, clean_start=False, properties=session
                )
                self._client.loop_forever(retry_first_connection=True)
            except Exception as error:  # bytes that are not MQTT make paho raise almost anything
                self._fail(_reason_of(error))
            self._closing.wait(RETRY_S)

    def _fail(self, why: str) -> None:
        if self._venue and not self._closing.is_set():
            problem = _("No connection to the broker {address} ({why}). The venue keeps trying.")
            self._venue.club_tables.set_broker_problem(problem.with_values(address=self._broker.address, why=why))

    def _on_connect(self, client: Client, data: Any, flags: Any, reason: ReasonCode, properties: Any) -> None:
        self._refusal = str(reason) if reason.is_failure else ""
        if self._refusal:
            self._fail(self._refusal)
            return
        client.subscribe([(f"{ROOT}/+/{kind}", SubscribeOptions(qos=qos)) for kind, qos in QUALITY.items()])
        if self._venue:
            self._venue.club_tables.set_broker_problem("")

    def _on_connect_fail(self, client: Client, data: Any) -> None:
        self._fail(_reason_of(sys.exception()))

    def _on_disconnect(self, client: Client, data: Any, flags: Any, reason: ReasonCode, properties: Any) -> None:
        self._fail(self._refusal or str(reason))

    def _on_message(self, client: Client, data: Any, message: MQTTMessage) -> None:
        try:
            if self._venue:
                self._venue.receive(
                    message.topic,
                    bytes(message.payload),
                    is_retained=message.retain,
                    lifetime_s=getattr(message.properties, "MessageExpiryInterval", None),
                )
        except Exception:  # a bug must not end the thread
            logging.getLogger(__name__).exception("A message from the broker could not be handled")


def _reason_of(error: BaseException | None) -> str:
    """The message of an error on one line, or the name of its type if it has no message."""
    why = (getattr(error, "strerror", None) or str(error)) if error else ""
    return clean_line(why) or type(error).__name__
