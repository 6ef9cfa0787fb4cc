"""The address of an MQTT broker: parses and checks it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from companion.text.messages import Text, TextError, _

DEFAULT_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}


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
    """The broker at an address such as mqtts://user:password@host:8883. Raises BrokerError if the address has another
    form."""
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
