"""A certificate authority of this table's own, and the certificate by which phones that trust it know the table.

No public authority vouches for an address in a home network. So the table makes its own, once, and players who want
https tell their phones to trust it. It is bound hand and foot: it can vouch for private addresses and for names of home
networks only, so that whoever stole its key could not pose as a bank (RFC 5280, 4.2.1.10). Keys never leave the data
folder, where nobody else on this machine can read them.
"""

from __future__ import annotations

import fcntl
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

FOLDER = "tls"
AUTHORITY, SERVER = "authority.pem", "server.pem"
"""Each holds a key and its certificate: what is one file can't fall apart."""
LASTS = timedelta(days=3650)
SERVER_LASTS = timedelta(days=200)
"""Phones refuse what lasts longer than 825 days, and browsers frown sooner."""
RENEW = timedelta(days=30)
EARLIER = timedelta(days=2)
"""A certificate begins so long ago: phones' clocks differ."""
SIOCGIFADDR = 0x8915
"""Asks Linux for the address of a network interface (netdevice(7))."""
LOOK_S = 60.0
"""How often, while phones connect, this machine's addresses are looked at again."""
EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
"""A clock that says less is wrong: Tablekeeper is younger."""

DOMAINS = ("local", "localhost", "lan", "home", "home.arpa", "internal", "localdomain", "fritz.box")
"""What the names in home networks end in."""
NETWORKS = tuple(
    map(
        IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8", "100.64.0.0/10")
    )
)
"""The addresses of home networks, of this machine to itself, of private nets on top of them (RFC 1918, 3927, 6598)."""

Names = tuple[tuple[str, ...], tuple[IPv4Address, ...]]
"""By what a browser may ask for the table: names, and addresses."""


class CertificateError(Exception):
    """No certificate can be had; a line that says why and what to do."""


@dataclass(frozen=True)
class Pair:
    """A key and the certificate for it."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    def pem(self) -> bytes:
        """Both, as they lie in a file."""
        pkcs8, bare = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        key = self.key.private_bytes(serialization.Encoding.PEM, pkcs8, bare)
        return key + self.certificate.public_bytes(serialization.Encoding.PEM)

    def public(self) -> tuple[bytes, bytes]:
        """The certificate alone, as DER and as PEM."""
        kinds = serialization.Encoding.DER, serialization.Encoding.PEM
        der, pem = map(self.certificate.public_bytes, kinds)
        return der, pem

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the certificate, as systems show it."""
        return self.certificate.fingerprint(hashes.SHA256()).hex(":").upper()

    def lasts(self, now: datetime, until: datetime) -> bool:
        """Whether it is valid from now on until then."""
        return self.certificate.not_valid_before_utc <= now and until <= self.certificate.not_valid_after_utc


class Authority:
    """The table's own authority, made when it is first needed. Raises CertificateError."""

    def __init__(self, data: Path, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._folder, self._clock = data / FOLDER, clock
        if (now := clock()) < EARLIEST:
            raise CertificateError(
                f"The clock says {now:%Y-%m-%d}, so no certificate would be valid: connect this machine to the "
                "internet once, or set the clock with date -s; or run without --tls."
            )
        self.own = self._kept(AUTHORITY) or self._founded()
        if not self.own.lasts(now, now):
            raise CertificateError(
                f"The table's certificate authority is not valid on {now:%Y-%m-%d}. If the clock is right, move "
                f"{self._folder} away: a new one is made, which each phone must be told to trust."
            )

    def _kept(self, file: str) -> Pair | None:
        path = self._folder / file
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CertificateError(f"{path} can't be read ({error.strerror}): {_mend(self._folder)}") from error
        try:
            key = serialization.load_pem_private_key(data, None)
            certificate = x509.load_pem_x509_certificate(data)
        except ValueError as error:
            raise CertificateError(f"{path} holds no key and certificate: {_mend(self._folder)}") from error
        if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != certificate.public_key():
            raise CertificateError(f"The key in {path} is not its certificate's: {_mend(self._folder)}")
        return Pair(key, certificate)

    def _keep(self, file: str, pair: Pair) -> Pair:
        """Writes it whole or not at all, for this user alone."""
        path = self._folder / file
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = path.with_suffix(".new")
            new.unlink(missing_ok=True)
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(pair.pem())
                out.flush()
                os.fsync(out.fileno())
            new.replace(path)
        except OSError as error:
            raise CertificateError(f"{path} can't be written ({error.strerror}): {_mend(self._folder)}") from error
        return pair

    def _founded(self) -> Pair:
        """A new authority. What it may vouch for is settled for as long as it lasts."""
        host, key = socket.gethostname().lower(), ec.generate_private_key(ec.SECP256R1())
        name = x509.Name(
            [
                x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Tablekeeper"),
                x509.NameAttribute(NameOID.COMMON_NAME, f"Tablekeeper on {host}"[:64]),
            ]
        )
        allowed = [
            *map(x509.DNSName, dict.fromkeys((*DOMAINS, *_ascii(host)))),
            *map(x509.IPAddress, NETWORKS),
        ]
        made = (
            self._builder(name, name, key, LASTS)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=True), critical=True)
            .add_extension(x509.NameConstraints(allowed, None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )
        return self._keep(AUTHORITY, Pair(key, made.sign(key, hashes.SHA256())))

    def server(self, names: Names) -> Path:
        """The file with the server's key and certificate: the one that there is, if it is for all of these names that
        the authority may vouch for and lasts for long enough; else a new one."""
        wanted, there, now = self._vouched(names), self._kept_server(), self._clock()
        until = min(now + RENEW, self.own.certificate.not_valid_after_utc)
        if there is None or _names_of(there) != wanted or not there.lasts(now, until):
            self._keep(SERVER, self._issued(wanted))
        return self._folder / SERVER

    def _kept_server(self) -> Pair | None:
        """The certificate that was issued last, by this authority; one that is no good is issued anew."""
        try:
            there = self._kept(SERVER)
            if there:
                there.certificate.verify_directly_issued_by(self.own.certificate)
        except Exception:  # however it is spoiled: another one costs nothing
            return None
        return there

    def _vouched(self, names: Names) -> Collection[x509.GeneralName]:
        allowed = self.own.certificate.extensions.get_extension_for_class(x509.NameConstraints).value
        domains = [name.value for name in allowed.permitted_subtrees or () if isinstance(name, x509.DNSName)]
        hosts, addresses = names
        return {
            *(x509.DNSName(host) for host in hosts if any(f".{host}".endswith(f".{domain}") for domain in domains)),
            *(x509.IPAddress(address) for address in addresses if any(address in network for network in NETWORKS)),
        }

    def _issued(self, names: Collection[x509.GeneralName]) -> Pair:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Tablekeeper")])
        own = self.own.certificate
        mine = own.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
        made = (
            self._builder(name, own.subject, key, min(SERVER_LASTS, own.not_valid_after_utc - self._clock()))
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectAlternativeName(sorted(names, key=str)), critical=True)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(mine), critical=False)
        )
        return Pair(key, made.sign(self.own.key, hashes.SHA256()))

    def _builder(
        self, subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, lasts: timedelta
    ) -> x509.CertificateBuilder:
        now = self._clock()
        return x509.CertificateBuilder(
            issuer, subject, key.public_key(), x509.random_serial_number(), now - EARLIER, now + lasts
        )


class Tls:
    """How connections are encrypted: a context whose certificate stays right. Called for each new connection."""

    def __init__(
        self, authority: Authority, names: Callable[[], Names], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.authority = authority
        self._names, self._clock = names, clock
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.minimum_version = ssl.TLSVersion.TLSv1_2
        self._lock = threading.Lock()
        self._loaded, self._looked = b"", clock()
        self._load()

    def __call__(self) -> ssl.SSLContext:
        """The context, its certificate for the addresses that this machine has now. What can't be renewed stays: phones
        then say why they refuse it."""
        with self._lock:
            if self._clock() - self._looked >= LOOK_S:
                try:
                    self._load()
                except CertificateError:
                    self._looked = self._clock()
        return self._context

    def _load(self) -> None:
        file = self.authority.server(self._names())
        if (data := file.read_bytes()) != self._loaded:
            self._context.load_cert_chain(file)
            self._loaded = data
        self._looked = self._clock()


def own_names() -> Names:
    """By what phones find this machine: its name with what routers append, and the address of each of its networks. No
    name server is asked: one that is slow would keep phones waiting."""
    host = socket.gethostname().lower()
    short = _ascii(host.split(".")[0])
    hosts = ("localhost", *_ascii(host), *short, *(f"{name}.{domain}" for name in short for domain in DOMAINS))
    return tuple(dict.fromkeys(hosts)), tuple(_addresses())


def _addresses() -> Iterator[IPv4Address]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _number, name in socket.if_nameindex():
            with suppress(OSError):  # it has none
                answer = fcntl.ioctl(probe, SIOCGIFADDR, name.encode()[:15].ljust(40, b"\0"))
                yield IPv4Address(answer[20:24])


def _ascii(host: str) -> tuple[str, ...]:
    """A name that a certificate can hold."""
    fine = host.isascii() and all(part and part.replace("-", "").isalnum() for part in host.split("."))
    return (host,) if fine else ()


def _names_of(pair: Pair) -> Collection[x509.GeneralName]:
    return set(pair.certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _mend(folder: Path) -> str:
    return (
        f"give the file back to the user who runs this, or move {folder} away; then a new authority is made, which "
        "each phone must be told to trust."
    )
