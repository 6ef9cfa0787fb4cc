"""A Mosquitto broker for tests, on a free port of 127.0.0.1, and clients that listen to it."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, Self

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from tests.running_service import free_port, until

MOSQUITTO = shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
MISSING = "no Mosquitto: sh scripts/system-packages mosquitto"
START_S = 60
SESSION_S = 3600


class Mosquitto:
    """A broker that keeps its messages and sessions across restarts. `settings`: lines for its configuration that
    replace the permission for anonymous access."""

    def __init__(self, folder: Path, settings: str = "allow_anonymous true") -> None:
        self.port = free_port()
        self.folder = folder
        self._config = folder / "mosquitto.conf"
        self._config.write_text(
            f"listener {self.port} 127.0.0.1\n{settings}\npersistence true\npersistence_location {folder}/\n"
            "autosave_interval 0\nmax_queued_messages 0\nuser root\nlog_type error\n"
        )
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Starts the broker, and waits until it answers."""
        assert MOSQUITTO
        self._process = subprocess.Popen([MOSQUITTO, "-c", str(self._config)], stderr=subprocess.DEVNULL)
        until(self._answers, "the broker", START_S)

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
        except OSError:
            return False
        return True

    def save(self) -> None:
        """Makes the broker save its messages for the first time, so that they survive if it is killed."""
        assert self._process
        self._process.send_signal(signal.SIGUSR1)
        until((self.folder / "mosquitto.db").exists, "the saved messages")

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Stops the broker with a signal."""
        if self._process:
            self._process.send_signal(number)
            self._process.wait(START_S)
            self._process = None


class Listener:
    """A client that remembers every message on the topics of all tables. The broker keeps a session for it, so it
    misses nothing while the broker is away."""

    def __init__(
        self,
        broker: Mosquitto,
        *topics: str,
        name: str = "listener",
        user: str = "",
        password: str = "",
        ca: Path | None = None,
    ) -> None:
        self._payloads: dict[str, list[bytes]] = defaultdict(list)
        self._subscribed = threading.Event()
        self._topics = topics or ("tablekeeper/#", "homeassistant/#")
        self.client = client = Client(CallbackAPIVersion.VERSION2, client_id=name, protocol=MQTTProtocolVersion.MQTTv5)
        if user:
            client.username_pw_set(user, password)
        if ca:
            client.tls_set(str(ca))
        client.reconnect_delay_set(1, 1)
        client.on_message = self._take
        client.on_connect = lambda client, *_: client.subscribe([(topic, 1) for topic in self._topics])
        client.on_subscribe = lambda *_: self._subscribed.set()
        session = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        session.SessionExpiryInterval = SESSION_S
        client.connect_async("127.0.0.1", broker.port, 20, clean_start=False, properties=session)

    def _take(self, client: Client, data: object, message: MQTTMessage) -> None:
        self._payloads[message.topic].append(message.payload)

    def __enter__(self) -> Self:
        self.client.loop_start()
        assert self._subscribed.wait(START_S)
        return self

    def __exit__(self, *_: object) -> None:
        self.client.disconnect()
        self.client.loop_stop()

    def say(self, topic: str, payload: Any, *, retain: bool = False) -> None:
        """Publishes bytes, or a value as JSON, and waits until the broker has it."""
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        self.client.publish(topic, data, 1, retain).wait_for_publish(START_S)

    def count(self, topic: str) -> int:
        """The number of messages on a topic so far."""
        return len(self._payloads[topic])

    def last(self, topic: str) -> Any:
        """The last message on a topic; None if there is none."""
        return _value(self._payloads[topic][-1]) if self._payloads[topic] else None

    def heard(self, topic: str) -> list[Any]:
        """The messages on a topic so far: as values if they are JSON, otherwise as bytes."""
        return [_value(each) for each in [*self._payloads[topic]]]

    def wait(self, topic: str, count: int = 1) -> Any:
        """Waits for messages on a topic; returns the last one."""
        until(lambda: self.count(topic) >= count, f"{topic} #{count}", START_S)
        return self.last(topic)


def _value(payload: bytes) -> Any:
    try:
        return json.loads(payload)
    except ValueError:
        return payload.decode()


def retained(broker: Mosquitto, topic: str) -> Any:
    """The retained message on a topic; None if there is none."""
    with Listener(broker, topic, name=f"reader-{time.monotonic_ns()}") as listener:
        try:
            return listener.wait(topic)
        except AssertionError:
            return None
