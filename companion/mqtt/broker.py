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
"""Matches the name of a table. It is a level of topics, and Home Assistant allows no other characters."""


class BrokerError(TextError, ValueError):
    """An address or a name that can't be used. The message repeats neither, because an address has a password in it."""


@dataclass(frozen=True)
class Broker:
    """How to reach a broker. `ca`: the file with the certificate of the authority to trust; None for those that the
    system trusts."""

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
    """What the address of a broker must look like."""
    return _(
        "The broker's address must look like {example}; write other characters in a password as in web addresses, such "
        "as %40 for @.",
        example="mqtt://user:password@host:1883",
    )


def check_ca(broker: Broker) -> None:
    """Checks whether the certificate of the broker's authority can be used. Raises BrokerError."""
    if broker.ca and not broker.tls:
        raise BrokerError(_("A certificate is of no use without TLS: the broker's address must begin with mqtts://."))
    if broker.ca and not broker.ca.is_file():
        raise BrokerError(_("There is no certificate {file}.", file=broker.ca))


def check_name(name: str) -> str:
    """The name of a table, if topics can have it. Raises BrokerError."""
    if not NAME_PATTERN.fullmatch(name):
        raise BrokerError(_("A table's name on the broker has 1 to 32 letters, digits, hyphens or underscores."))
    return name


@dataclass(frozen=True)
class Topics:
    """The topics of a table."""

    table: str

    def _topic(self, name: str) -> str:
        return f"tablekeeper/{self.table}/{name}"

    @property
    def all(self) -> str:
        """The filter for all of them but Home Assistant's."""
        return self._topic("#")

    @property
    def will(self) -> tuple[str, str]:
        """What the broker publishes when the table is gone: a topic and a payload."""
        return self.status, "offline"

    @property
    def state(self) -> str:
        """What a spectator may see; retained."""
        return self._topic("state")

    @property
    def event(self) -> str:
        """Each act, once."""
        return self._topic("event")

    @property
    def status(self) -> str:
        """`online` or `offline`; retained."""
        return self._topic("status")

    @property
    def health(self) -> str:
        """The health of the service and its devices; retained."""
        return self._topic("health")

    @property
    def wall(self) -> str:
        """What a wall with many tables shows of this one; retained."""
        return self._topic("wall")

    @property
    def command(self) -> str:
        """Commands to the table."""
        return self._topic("command")

    @property
    def refused(self) -> str:
        """Why a command was refused."""
        return self._topic("refused")

    @property
    def result(self) -> str:
        """The results of games that a venue has not acknowledged."""
        return self._topic("result")

    @property
    def acknowledgement(self) -> str:
        """The venue's acknowledgements of results."""
        return self._topic("result/ack")

    @property
    def discovery(self) -> str:
        """The description of the table for Home Assistant; retained."""
        return f"homeassistant/device/tablekeeper_{self.table}/config"
