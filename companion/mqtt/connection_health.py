"""Health reports about the connection to the broker, for the host of the game."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Protocol

from companion.mqtt.topics import Topics
from companion.tabletop.observations import DeviceHealth
from companion.text.messages import _

NAME = "broker"
CHECK_THE_BROKER = _("Check that the broker is running, and check its address, user and password.")
GRACE_S = 5.0
"""Interruptions that are shorter than this many seconds are not reported."""
MAX_CONNECTIONS, WITHIN_S = 3, 60.0
"""More than MAX_CONNECTIONS connections within WITHIN_S seconds are reported. They are a sign that two programs use the
same name: when one connects, the broker disconnects the other without giving a reason, and the other then connects
again."""


class ConnectionState(Protocol):
    """The state of a connection. `count`: how many times the connection has been made, including each time after a
    loss. `error`: why there is no connection now."""

    count: int
    is_up: bool
    error: str


class ConnectionHealth:
    """Reports the health of the connection to the broker at `address`, whenever it changes."""

    def __init__(self, address: str, topics: Topics) -> None:
        self._address, self._topics = address, topics
        self._down_since: float | None = None
        self._count = 0
        self._connected: deque[float] = deque(maxlen=MAX_CONNECTIONS + 1)
        """When the last connections were made."""
        self._reported: DeviceHealth | None = None

    def changes(
        self, connection: ConnectionState, refused: Mapping[str, str], now: float, *, is_flooded: bool
    ) -> Iterator[DeviceHealth]:
        """Yields the health of the connection if the health has changed. `refused`: maps each topic on which the broker
        has refused a message to the reason. `now`: seconds of a monotonic clock. `is_flooded`: whether no commands are
        read at the moment, because there were too many."""
        if connection.is_up:
            self._down_since = None
        elif self._down_since is None:
            self._down_since = now
        if connection.count != self._count:
            self._count = connection.count
            self._connected.append(now)
        health = self._health(connection, refused, now, is_flooded=is_flooded)
        if health and health != self._reported:
            self._reported = health
            yield health

    def _health(
        self, connection: ConnectionState, refused: Mapping[str, str], now: float, *, is_flooded: bool
    ) -> DeviceHealth | None:
        """The health to report; None during an interruption that is shorter than GRACE_S."""
        if self._down_since is not None:
            return self._down(connection.error) if now - self._down_since >= GRACE_S else None
        if refused.keys() - {self._topics.discovery}:
            return self._refused(refused)
        if is_flooded:
            message = _("The broker sent too many commands. They are ignored for half a minute.")
            return DeviceHealth(device=NAME, ok=False, message=message)
        # Checked before `_unsteady`: some brokers close the connection whenever they refuse the description, and that
        # must not be reported as an unsteady connection.
        if why := refused.get(self._topics.discovery):
            message = _(
                "Connected to {address}, but the broker refuses the description for Home Assistant ({why}).",
                address=self._address,
                why=why,
            )
            return DeviceHealth(device=NAME, ok=True, message=message)
        if len(self._connected) > MAX_CONNECTIONS and now - self._connected[0] < WITHIN_S:
            return self._unsteady()
        return DeviceHealth(device=NAME, ok=True, message=_("Connected to {address}.", address=self._address))

    def _refused(self, refused: Mapping[str, str]) -> DeviceHealth:
        why = next(iter(refused.values()))
        message = _("The broker at {address} refuses messages ({why}).", address=self._address, why=why)
        remedy = _("Allow this table’s user to write to {topics}.", topics=self._topics.all)
        return DeviceHealth(device=NAME, ok=False, message=message, remedy=remedy)

    def _unsteady(self) -> DeviceHealth:
        message = _("The connection to {address} keeps dropping.", address=self._address)
        remedy = _(
            "Another program may be connected as {table}. Give each table its own name with --mqtt-table, or as table "
            "in the settings file.",
            table=self._topics.table,
        )
        return DeviceHealth(device=NAME, ok=False, message=message, remedy=remedy)

    def _down(self, why: str) -> DeviceHealth:
        message = _(
            "Can’t reach the broker at {address} ({why}). The game goes on, and the broker gets everything later.",
            address=self._address,
            why=why or "…",
        )
        return DeviceHealth(device=NAME, ok=False, message=message, remedy=CHECK_THE_BROKER)
