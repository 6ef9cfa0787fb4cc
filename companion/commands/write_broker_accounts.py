"""`tablekeeper venue accounts`: writes the files for Mosquitto, and a slip for each new table.

Accounts that exist keep their passwords, which are stored as hashes only. To give a table a new password, delete its
line in `passwords` and run the command again.
"""

from __future__ import annotations

import hashlib
import os
from datetime import timedelta
from ipaddress import IPv4Address
from pathlib import Path

from companion.commands import CommandError, UsageError
from companion.match.journal_file_access import PRIVATE_FILE, make_private_folder
from companion.venue.broker_accounts import (
    ACL,
    VENUE,
    BrokerFiles,
    broker_url,
    missing_accounts,
    mosquitto_conf,
    password_hash,
    password_lines,
    read_passwords,
    slips,
    table_names,
)
from web.tls.certificates import AUTHORITY_LIFETIME, Authority, CertificateError, ServerNames, local_names

PASSWORDS, ACL_FILE, CONFIG, SLIPS, CA, ENVIRONMENT = (
    *("passwords", "acl", "mosquitto.conf", "slips.html"),
    *("ca.pem", "venue.env"),
)
PUBLIC_FILE = 0o644


def write_accounts(folder: Path, count: int, host: str, port: int, venue_port: int) -> int:
    """Writes everything that the venue's broker needs, and the slips with the tables' passwords, into `folder`; returns
    the exit status 0. Raises CommandError if a file can't be written."""
    try:
        make_private_folder(folder)
        certificate, ca = _certify(folder, host)
        known = _known_passwords(folder / PASSWORDS)
        new = missing_accounts((VENUE, *table_names(count)), known)
        hashes = {**known, **{account.name: password_hash(account.password) for account in new}}
        tables = [account for account in new if account.name != VENUE]
        fingerprint = hashlib.sha256(ca).hexdigest()
        files = BrokerFiles(folder / PASSWORDS, folder / ACL_FILE, certificate)
        # The slips come first: a password that is on no slip would be lost.
        if tables:
            page = slips(tables, host, port, fingerprint, f"http://{host}:{venue_port}")
            _write(folder / SLIPS, page)
        for account in new:
            if account.name == VENUE:
                _write(folder / ENVIRONMENT, f"TABLEKEEPER_BROKER={broker_url(account, host, port)}\n")
        _write(folder / CA, ca.decode(), PUBLIC_FILE)
        _write(folder / ACL_FILE, ACL)
        _write(folder / CONFIG, mosquitto_conf(port, files))
        _write(folder / PASSWORDS, password_lines(hashes))
    except OSError as error:
        raise CommandError(
            f"{error.filename or folder} can’t be written ({error.strerror}); name another folder with -o."
        ) from error
    except CertificateError as error:
        raise CommandError(str(error)) from error
    _report(folder, len(tables), len(hashes) - 1)
    return 0


def _certify(folder: Path, host: str) -> tuple[Path, bytes]:
    """The path of the broker's key and certificate, and the certificate of the authority, as PEM. Raises UsageError if
    the authority may not certify this host."""
    authority = Authority(folder, server_lifetime=AUTHORITY_LIFETIME - timedelta(days=1))
    if not authority.permits(own := _server_names(host)):
        raise UsageError(
            f"--host {host}: this must be an address of the local network, such as 192.168.1.20, or a name that ends "
            "in .local, .lan or .home.arpa. For another name, get a certificate and enter it in mosquitto.conf."
        )
    hosts, addresses = local_names()
    names = (tuple(dict.fromkeys((*own[0], *hosts))), tuple(dict.fromkeys((*own[1], *addresses))))
    _der, pem = authority.root.public_parts()
    return authority.server_file(names), pem


def _server_names(host: str) -> ServerNames:
    try:
        return (), (IPv4Address(host),)
    except ValueError:
        return (host.lower(),), ()


def _known_passwords(path: Path) -> dict[str, str]:
    try:
        return read_passwords(path.read_text())
    except FileNotFoundError:
        return {}


def _write(path: Path, text: str, mode: int = PRIVATE_FILE) -> None:
    """Writes a file completely or not at all."""
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w") as out:
        out.write(text)
    new.chmod(mode)
    new.replace(path)


def _report(folder: Path, new: int, total: int) -> None:
    print(f"{total} tables have accounts in {folder / PASSWORDS}.")
    if new:
        print(f"{SLIPS} has a slip for each of the {new} new ones: print it, then delete it.")
    print(f"Mosquitto: include {folder / CONFIG}; all files must be readable by its user (docs/venue.md).")
    print(f"The venue: its broker is in {ENVIRONMENT}; run it with --ca {folder / CA}.")
