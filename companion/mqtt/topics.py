"""The topics of a table on an MQTT broker, and the names of tables that can be part of topics."""

from __future__ import annotations

import re
from dataclasses import dataclass

from companion.mqtt.broker_address import BrokerError
from companion.text.messages import _

DEFAULT_NAME = "table"
NAME_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,32}")
"""Matches the name of a table. Home Assistant allows no other characters."""


def check_name(name: str) -> str:
    """Returns the name of a table unchanged. Raises BrokerError if it can't be part of a topic."""
    if not NAME_PATTERN.fullmatch(name):
        raise BrokerError(_("A table’s name on the broker has 1 to 32 letters, digits, hyphens or underscores."))
    return name


@dataclass(frozen=True)
class Topics:
    """The topics of a table. On topics that are "retained", the broker keeps the last message for those who subscribe
    later."""

    table: str

    def _topic(self, name: str) -> str:
        return f"tablekeeper/{self.table}/{name}"

    @property
    def all(self) -> str:
        """The topic filter that matches all of the table's topics except `discovery`."""
        return self._topic("#")

    @property
    def will(self) -> tuple[str, str]:
        """The last will: the topic and the payload that the broker publishes when it loses the connection to the
        table."""
        return self.status, "offline"

    @property
    def state(self) -> str:
        """The topic for what a spectator may see; retained."""
        return self._topic("state")

    @property
    def event(self) -> str:
        """The topic on which each act is published once."""
        return self._topic("event")

    @property
    def status(self) -> str:
        """The topic for `online` or `offline`; retained."""
        return self._topic("status")

    @property
    def health(self) -> str:
        """The topic for the health of the service and its devices; retained."""
        return self._topic("health")

    @property
    def wall(self) -> str:
        """The topic for this table's report for the wall (a screen that shows many tables); retained."""
        return self._topic("wall")

    @property
    def command(self) -> str:
        """The topic for commands to the table."""
        return self._topic("command")

    @property
    def refused(self) -> str:
        """The topic for messages that say why a command was refused."""
        return self._topic("refused")

    @property
    def result(self) -> str:
        """The topic for the results of games. Each result is published until a venue has acknowledged it."""
        return self._topic("result")

    @property
    def acknowledgment(self) -> str:
        """The topic for the venue's acknowledgments of results."""
        return self._topic("result/ack")

    @property
    def discovery(self) -> str:
        """The topic for the description of the table for Home Assistant; retained."""
        return f"homeassistant/device/tablekeeper_{self.table}/config"
