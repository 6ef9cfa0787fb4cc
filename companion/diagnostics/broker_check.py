"""The doctor's check of the MQTT broker."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing

from companion.diagnostics.findings import Finding
from companion.mqtt.broker_address import Broker
from companion.mqtt.client import is_installed, not_installed_message
from companion.mqtt.connection_health import CHECK_THE_BROKER, NAME
from companion.text.messages import _

MAX_WAIT_S = 8.0
"""How long the check waits for an answer, in seconds. An attempt to connect is given up after five seconds."""


def check_broker(broker: Broker | None, table: str) -> Iterator[Finding]:
    """Checks whether this table can connect to the broker, without publishing anything. `table`: the table's name.
    Yields nothing if `broker` is None."""
    if broker is None:
        return
    if not is_installed():
        yield Finding(NAME, False, not_installed_message())
        return
    # Imported here, because it needs paho-mqtt.
    from companion.mqtt.paho_connection import PahoConnection

    answered = threading.Event()
    with closing(PahoConnection(broker, f"tablekeeper-{table}-doctor", None, (), answered.set)) as connection:
        connection.start()
        answered.wait(MAX_WAIT_S)
        is_up, why = connection.is_up, connection.error or "…"
    message = _("Connected to {address}.", address=broker.address)
    failure = _("Can’t reach the broker at {address} ({why}).", address=broker.address, why=why)
    yield Finding(NAME, True, message) if is_up else Finding(NAME, False, failure, CHECK_THE_BROKER)
