"""The connection to a broker: paho's client, whose own thread does all input and output and reconnects by itself.

This is the only module that needs paho-mqtt. Outside this module and paho, the client's thread calls only `wake`.
Received messages and acknowledgments wait here until `MqttClient.round` collects them.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Collection
from typing import Any, Final

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from companion.mqtt.broker_address import Broker

KEEPALIVE_S: Final = 20
RETRY_S: Final = 1
LONGEST_RETRY_S: Final = 60
"""The first and the longest pause between two attempts to connect, in seconds. Each pause is twice as long as the one
before."""
MAX_PACKET_BYTES: Final = 16 * 1024
"""The broker is asked to send no packet larger than this."""
MAX_INBOX: Final = 50
"""At most this many received messages wait; any more are dropped."""
CLOSE_S: Final = 1.0
"""How long, in seconds, `close` waits for the last message to be sent."""


class PahoConnection:
    """A connection that is made again whenever it is lost. Any thread may use it. `will`: the topic and the payload
    that the broker publishes when the connection is lost, if any. `topics`: the topics to subscribe to. `wake` is
    called whenever a message or an acknowledgment has arrived, or the state of the connection has changed."""

    def __init__(
        self,
        broker: Broker,
        client_id: str,
        will: tuple[str, str] | None,
        topics: Collection[str],
        wake: Callable[[], None],
    ) -> None:
        self._topics, self._wake = topics, wake
        self.count = 0
        """How often the connection has been made."""
        self.is_up = False
        self.error = ""
        """Why there is no connection; "" if nothing is known yet."""
        self.dropped = 0
        """How many received messages were dropped."""
        self._inbox: deque[tuple[str, bytes]] = deque()
        self._acknowledged: deque[tuple[int, str]] = deque()
        self._client = client = _SteadyClient(
            CallbackAPIVersion.VERSION2, client_id=client_id, protocol=MQTTProtocolVersion.MQTTv5
        )
        client.username_pw_set(broker.user, broker.password)
        if broker.tls:
            client.tls_set(str(broker.ca) if broker.ca else None)
        if will:
            client.will_set(*will, qos=1, retain=True)
        client.reconnect_delay_set(RETRY_S, LONGEST_RETRY_S)
        client.on_connect, client.on_connect_fail = self._on_connect, self._on_connect_fail
        client.on_disconnect, client.on_message, client.on_publish = (
            self._on_disconnect,
            self._on_message,
            self._on_publish,
        )
        limits = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        limits.MaximumPacketSize = MAX_PACKET_BYTES
        client.connect_with = lambda: client.connect_async(
            broker.host, broker.port, KEEPALIVE_S, clean_start=True, properties=limits
        )
        client.on_failure = self._fail

    def start(self) -> None:
        """Starts to connect; returns at once."""
        self._client.connect_with()
        self._client.loop_start()

    def close(self) -> None:
        """Lets the broker publish the will, and disconnects."""
        self._client.is_closing = True
        self._client.disconnect(ReasonCode(PacketTypes.DISCONNECT, "Disconnect with will message"))
        stopping = threading.Thread(target=self._client.loop_stop, name="mqtt-close", daemon=True)
        stopping.start()  # `loop_stop` may wait for a connection that is being made
        stopping.join(CLOSE_S)

    def publish(
        self, topic: str, payload: str, *, qos: int = 1, retain: bool = False, lifetime_s: int | None = None
    ) -> int:
        """Publishes a message; returns its number. If the connection is lost before the broker has acknowledged the
        message, the message is sent again. `lifetime_s`: after this many seconds, the broker deletes the message; None
        if it never does."""
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
        if lifetime_s is not None:
            properties.MessageExpiryInterval = lifetime_s
        return self._client.publish(topic, payload, qos, retain, properties).mid

    def acknowledged(self) -> list[tuple[int, str]]:
        """The number of each message that the broker has accepted or refused since the last call, and why it was
        refused ("" if it was accepted)."""
        return [self._acknowledged.popleft() for _ in range(len(self._acknowledged))]

    def received(self) -> list[tuple[str, bytes]]:
        """The topic and the payload of each message that has arrived since the last call."""
        return [self._inbox.popleft() for _ in range(len(self._inbox))]

    def pause_reading(self) -> None:
        """Unsubscribes from all topics, so that the broker sends nothing more."""
        self._client.unsubscribe([*self._topics])

    def resume_reading(self) -> None:
        """Subscribes to the topics, so that the broker sends what is published from now on."""
        options = SubscribeOptions(qos=0, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND)
        if self._topics:
            self._client.subscribe([(topic, options) for topic in self._topics])

    def _on_connect(self, client: Client, data: Any, flags: Any, reason: ReasonCode, properties: Any) -> None:
        if reason.is_failure:
            self._fail(str(reason))
            return
        self.resume_reading()
        self.is_up, self.error = True, ""
        self.count += 1
        self._wake()

    def _on_connect_fail(self, client: Client, data: Any) -> None:
        self._fail(_reason_of(sys.exception()))

    def _on_disconnect(self, client: Client, data: Any, flags: Any, reason: ReasonCode, properties: Any) -> None:
        self._fail(self.error or str(reason))

    def _fail(self, why: str) -> None:
        self.is_up, self.error = False, why
        self._wake()

    def _on_message(self, client: Client, data: Any, message: MQTTMessage) -> None:
        if len(self._inbox) >= MAX_INBOX:
            self.dropped += 1
        elif not message.retain:
            self._inbox.append((message.topic, bytes(message.payload)))
        self._wake()

    def _on_publish(self, client: Client, data: Any, mid: int, reason: ReasonCode, properties: Any) -> None:
        self._acknowledged.append((mid, str(reason) if reason.is_failure else ""))
        self._wake()


class _SteadyClient(Client):
    """paho's client with a thread that keeps running, whatever a broker sends."""

    connect_with: Callable[[], object]
    """Begins to connect."""
    on_failure: Callable[[str], None]
    is_closing = False

    def loop_forever(self, timeout: float = 1.0, retry_first_connection: bool = False) -> Any:
        while True:
            try:
                return super().loop_forever(timeout, retry_first_connection)
            except Exception as error:  # bytes that are not MQTT make paho raise almost anything
                if self.is_closing:
                    raise
                self.on_failure(_reason_of(error))
                time.sleep(RETRY_S)
                self.connect_with()


def _reason_of(error: BaseException | None) -> str:
    """The message of an error on one line, or the name of its type if it has no message."""
    why = (getattr(error, "strerror", None) or str(error)) if error else ""
    return " ".join(why.split()) or type(error).__name__
