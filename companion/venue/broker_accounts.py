"""Accounts at the broker: names, passwords, and the files for Mosquitto that let each table publish only its own
messages.

Law: no I/O, no clock.
"""

from __future__ import annotations

import secrets
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import pbkdf2_hmac
from html import escape
from pathlib import Path
from typing import Final
from urllib.parse import quote

VENUE: Final = "venue"
"""The name of the venue's own account."""
BROKER_PORT: Final = 8883
VENUE_PORT: Final = 8100
"""The usual port of the venue's pages."""
ITERATIONS: Final = 101
"""How many times a password is hashed, the same as in `mosquitto_passwd`. More rounds are not needed, because the
passwords are random and have 80 bits. They would slow down the broker when all tables log in at the same time."""
SALT_BYTES: Final = 12
ALPHABET: Final = "23456789abcdefghjkmnpqrstuvwxyz"
"""The characters of passwords: letters and digits that are not mistaken for each other."""
GROUPS, GROUP_LENGTH = 4, 4

ACL: Final = f"""\
# Written by tablekeeper venue accounts. The account of a table has the name of the table: %u stands for it.
pattern write tablekeeper/%u/+
pattern read tablekeeper/%u/command
pattern read tablekeeper/%u/result/ack
pattern write homeassistant/device/tablekeeper_%u/config

user {VENUE}
topic read tablekeeper/+/status
topic read tablekeeper/+/wall
topic read tablekeeper/+/result
topic write tablekeeper/+/result/ack
"""
"""The access rules for Mosquitto: who may read and write which topics. They are the same for any number of tables."""


@dataclass(frozen=True)
class Account:
    """An account at the broker: its name and its password."""

    name: str
    password: str


@dataclass(frozen=True)
class BrokerFiles:
    """The paths of the files that Mosquitto reads."""

    passwords: Path
    acl: Path
    certificate: Path


def table_names(count: int) -> tuple[str, ...]:
    """The names of `count` tables: table-1, table-2 and so on."""
    return tuple(f"table-{number}" for number in range(1, count + 1))


def new_password() -> str:
    """A new password that is easy to type, such as "k7mq-4hxz-9rbt-wn3e"."""
    groups = ("".join(secrets.choice(ALPHABET) for _ in range(GROUP_LENGTH)) for _ in range(GROUPS))
    return "-".join(groups)


def password_hash(password: str, salt: bytes | None = None, iterations: int = ITERATIONS) -> str:
    """The hash of a password as Mosquitto 2 stores it: PBKDF2 with SHA-512."""
    salt = secrets.token_bytes(SALT_BYTES) if salt is None else salt
    digest = pbkdf2_hmac("sha512", password.encode(), salt, iterations)
    return f"$7${iterations}${b64encode(salt).decode()}${b64encode(digest).decode()}"


def read_passwords(text: str) -> dict[str, str]:
    """Maps the name of each account in a password file to the hash of its password."""
    return {name: hashed for name, colon, hashed in (line.partition(":") for line in text.splitlines()) if colon}


def password_lines(hashes: Mapping[str, str]) -> str:
    """The text of a password file."""
    return "".join(f"{name}:{hashed}\n" for name, hashed in hashes.items())


def missing_accounts(names: Iterable[str], known: Mapping[str, str]) -> tuple[Account, ...]:
    """A new account for each name that is not in `known`."""
    return tuple(Account(name, new_password()) for name in names if name not in known)


def broker_url(account: Account, host: str, port: int) -> str:
    """The URL of the broker, with the name and password of an account in it."""
    shown = f"[{host}]" if ":" in host else host
    return f"mqtts://{account.name}:{quote(account.password)}@{shown}:{port}"


def mosquitto_conf(port: int, files: BrokerFiles) -> str:
    """The configuration of Mosquitto, for a file in /etc/mosquitto/conf.d. For use as Mosquitto's only configuration,
    add the line `persistence true` at the top."""
    return f"""\
# Written by tablekeeper venue accounts.
listener {port}
certfile {files.certificate}
keyfile {files.certificate}
tls_version tlsv1.2
allow_anonymous false
password_file {files.passwords}
acl_file {files.acl}
# Otherwise one table could take over the connection of another.
use_username_as_clientid true
# A message of a table is smaller than 32 KiB.
message_size_limit 65536
max_queued_messages 5000
"""


def slips(accounts: Sequence[Account], host: str, port: int, fingerprint: str, pages: str) -> str:
    """An HTML page to print and cut into slips: for each account, a slip that says what to type in at the table with
    that account. `fingerprint`: the SHA-256 of ca.pem. `pages`: the address of the venue's pages."""
    sections = (
        _SLIP.format(
            name=escape(account.name),
            url=escape(broker_url(account, host, port)),
            pages=escape(pages),
            fingerprint=f"{fingerprint[:32]} {fingerprint[32:]}",
        )
        for account in accounts
    )
    return "".join((_SLIPS_HEAD, *sections, "</body></html>\n"))


_SLIPS_HEAD: Final = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Slips for the tables</title>
<style>
body { font: 11pt/1.4 sans-serif; margin: 0; }
section { border-bottom: 1px dashed #888; padding: 6mm 10mm; break-inside: avoid; }
h2 { margin: 0 0 2mm; font-size: 16pt; }
p { margin: 1mm 0; }
pre { font: 10pt/1.5 monospace; margin: 0 0 0 6mm; white-space: pre-wrap; overflow-wrap: anywhere; }
small { font: 8pt/1.4 monospace; color: #444; }
@page { margin: 10mm; }
</style></head><body>
"""
_SLIP: Final = """\
<section><h2>{name}</h2>
<p>1. Fetch the certificate:</p>
<pre>curl -o ca.pem {pages}/ca.pem</pre>
<p><small>sha256sum ca.pem: {fingerprint}</small></p>
<p>2. Write into the settings file, table.toml:</p>
<pre>[mqtt]
broker = "{url}"
table = "{name}"
ca = "ca.pem"</pre>
<p>3. Start the table: <code>tablekeeper run --config table.toml</code></p></section>
"""
