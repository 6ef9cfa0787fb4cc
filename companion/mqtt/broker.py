"""The address of an MQTT broker, and the topics of a table on it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from companion.text.messages import Text, TextError, _

DEFAULT_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
DEFAULT_NAME = "table"
NAME_PATTERN = re.compile(r"[A-Za-z0-9_-]{1,32}")
"""Matches the name of a table. The name is part of topics, and Home Assistant allows no other characters."""


class BrokerError(TextError, ValueError):
    """The error for a broker's address or a table's name that can't be used. The message repeats neither, because an
    address may contain a password."""


@dataclass(frozen=True)
class Broker:
    """How to reach a broker. `ca`: the file with the certificate of the authority to trust; if None, the authorities
    that the system trusts."""

    host: str
    port: int
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: bool = False
    ca: Path | None = None

    @property
    def address(self) -> str:
        """The host and the port, for people."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_broker(url: str, ca: Path | None = None) -> Broker:
    """The broker at an address such as mqtts://user:password@host:8883. Raises BrokerError."""
    try:
        parts = urlsplit(url)
        port = parts.port
        user, password = (unquote(text, errors="strict") if text else None for text in (parts.username, parts.password))
    except ValueError as error:
        raise BrokerError(wrong_address_message()) from error
    if parts.scheme not in DEFAULT_PORTS or not parts.hostname or port == 0 or parts.path.strip("/") or parts.query:
        raise BrokerError(wrong_address_message())
    return Broker(parts.hostname, port or DEFAULT_PORTS[parts.scheme], user, password, parts.scheme == "mqtts", ca)


def wrong_address_message() -> Text:
    """The message that says what a broker's address must look like."""
    return _(
        "The broker’s address must look like {example}. Write special characters in a password as in web addresses, "
        "such as %40 for @.",
        example="mqtt://user:password@host:1883",
    )


def check_ca(broker: Broker) -> None:
    """Raises BrokerError if `broker.ca` names a certificate that is missing, or that is useless without TLS."""
    if broker.ca and not broker.tls:
        raise BrokerError(_("A certificate only works with TLS: the broker’s address must start with mqtts://."))
    if broker.ca and not broker.ca.is_file():
        raise BrokerError(_("There’s no certificate {file}.", file=broker.ca))


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
        """The topic for the document about this table for the wall, a screen that shows many tables; retained."""
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
    def acknowledgement(self) -> str:
        """The topic for the venue's acknowledgements of results."""
        return self._topic("result/ack")

    @property
    def discovery(self) -> str:
        """The topic for the description of the table for Home Assistant; retained."""
        return f"homeassistant/device/tablekeeper_{self.table}/config"
