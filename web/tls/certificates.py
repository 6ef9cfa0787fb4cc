"""The table's own certificate authority, and the server certificate that it issues.

No public authority issues certificates for addresses in a home network. So the table creates an authority of its own,
once, and players who want https tell their phones to trust it. Name constraints (RFC 5280, 4.2.1.10) limit this
authority to private addresses and the names of home networks, so that somebody who steals its key can't impersonate a
bank. The keys never leave the data folder, where no other user of this machine can read them.
"""

from __future__ import annotations

import os
import socket
import ssl
import threading
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from web.addresses import lan_addresses

TLS_FOLDER = "tls"
AUTHORITY_FILE, SERVER_FILE = "authority.pem", "server.pem"
"""Each file holds a key and its certificate, so that the two always match."""
AUTHORITY_LIFETIME = timedelta(days=3650)
SERVER_LIFETIME = timedelta(days=200)
"""How long a server certificate is valid. Phones refuse certificates that are valid for more than 825 days; some
browsers are stricter."""
RENEWAL_PERIOD = timedelta(days=30)
"""A server certificate that expires within this time is renewed."""
BACKDATING = timedelta(days=2)
"""A certificate is valid from this long before its creation, so that phones whose clocks are slow accept it."""
LOOPBACK = "127.0.0.1"
ADDRESS_CHECK_S = 60.0
"""The minimum time between two checks of this machine's addresses, in seconds."""
EARLIEST_CLOCK = datetime(2025, 1, 1, tzinfo=UTC)
"""The earliest time that a correct clock can show: Tablekeeper did not exist before."""

HOME_DOMAINS = ("local", "localhost", "lan", "home", "home.arpa", "internal", "localdomain", "fritz.box")
"""The domain names that home networks use."""
HOME_NETWORKS = tuple(
    map(
        IPv4Network, ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8", "100.64.0.0/10")
    )
)
"""Private, link-local, loopback and shared addresses (RFC 1918, 3927, 6598)."""

ServerNames = tuple[tuple[str, ...], tuple[IPv4Address, ...]]
"""The host names and the addresses at which browsers open the table."""


class CertificateError(Exception):
    """Raised when no certificate is available. The message says why and what to do."""


@dataclass(frozen=True)
class CertifiedKey:
    """A private key, and the certificate of the public key that belongs to it."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    def pem(self) -> bytes:
        """The private key and the certificate as PEM, as they are stored in a file."""
        pkcs8, unencrypted = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        key = self.key.private_bytes(serialization.Encoding.PEM, pkcs8, unencrypted)
        return key + self.certificate.public_bytes(serialization.Encoding.PEM)

    def public_parts(self) -> tuple[bytes, bytes]:
        """The certificate without the private key, as DER and as PEM."""
        encodings = serialization.Encoding.DER, serialization.Encoding.PEM
        der, pem = map(self.certificate.public_bytes, encodings)
        return der, pem

    @property
    def fingerprint(self) -> str:
        """The SHA-256 hash of the certificate, in hexadecimal with colons, as operating systems show it."""
        return self.certificate.fingerprint(hashes.SHA256()).hex(":").upper()

    def is_valid(self, now: datetime, valid_until: datetime) -> bool:
        """Whether the certificate is valid from `now` until `valid_until`."""
        return self.certificate.not_valid_before_utc <= now and valid_until <= self.certificate.not_valid_after_utc


class Authority:
    """The table's own certificate authority, created at the first start with https. `server_lifetime`: the longest time
    for which a server certificate is valid. Raises CertificateError if the clock is wrong, if the authority's file
    can't be read or written, or if its certificate is not valid now."""

    def __init__(
        self,
        data: Path,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        server_lifetime: timedelta = SERVER_LIFETIME,
    ) -> None:
        self._folder, self._clock, self._server_lifetime = data / TLS_FOLDER, clock, server_lifetime
        if (now := clock()) < EARLIEST_CLOCK:
            raise CertificateError(
                f"The clock says {now:%Y-%m-%d}, so no certificate would be valid: connect this machine to the "
                "internet once, or set the clock with date -s; or switch https off."
            )
        self.root = self._read(AUTHORITY_FILE) or self._new_authority()
        if not self.root.is_valid(now, now):
            raise CertificateError(
                f"The table’s certificate authority is not valid on {now:%Y-%m-%d}. If the clock is right, move "
                f"{self._folder} away: a new one is then made, which every phone must be told to trust."
            )

    def _read(self, file: str) -> CertifiedKey | None:
        path = self._folder / file
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CertificateError(f"{path} can’t be read ({error.strerror}): {_remedy(self._folder)}") from error
        try:
            key = serialization.load_pem_private_key(data, None)
            certificate = x509.load_pem_x509_certificate(data)
        except ValueError as error:
            raise CertificateError(f"{path} does not hold a key and a certificate: {_remedy(self._folder)}") from error
        if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != certificate.public_key():
            raise CertificateError(f"The key in {path} does not match its certificate: {_remedy(self._folder)}")
        return CertifiedKey(key, certificate)

    def _write(self, file: str, certified: CertifiedKey) -> CertifiedKey:
        """Writes a key and the certificate of the key to a file, atomically and readable by this user only; returns
        `certified`."""
        path = self._folder / file
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            new = path.with_suffix(".new")
            new.unlink(missing_ok=True)
            with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
                out.write(certified.pem())
                out.flush()
                os.fsync(out.fileno())
            new.replace(path)
        except OSError as error:
            raise CertificateError(f"{path} can’t be written ({error.strerror}): {_remedy(self._folder)}") from error
        return certified

    def _new_authority(self) -> CertifiedKey:
        """Creates and stores the authority's key and certificate. The name constraints in the certificate stay the same
        for the authority's whole lifetime."""
        host, key = socket.gethostname().lower(), ec.generate_private_key(ec.SECP256R1())
        name = x509.Name(
            [
                x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Tablekeeper"),
                x509.NameAttribute(NameOID.COMMON_NAME, f"Tablekeeper on {host}"[:64]),
            ]
        )
        allowed = [
            *map(x509.DNSName, dict.fromkeys((*HOME_DOMAINS, *_dns_names(host)))),
            *map(x509.IPAddress, HOME_NETWORKS),
        ]
        builder = (
            self._certificate_builder(name, name, key, AUTHORITY_LIFETIME)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_key_usage(signs=True), critical=True)
            .add_extension(x509.NameConstraints(allowed, None), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )
        return self._write(AUTHORITY_FILE, CertifiedKey(key, builder.sign(key, hashes.SHA256())))

    def server_file(self, names: ServerNames) -> Path:
        """The path of the file with the server's key and certificate. The certificate covers those of the `names` that
        the authority may certify.

        A new certificate is issued if the current one covers other names or expires soon.
        """
        permitted, current, now = self._permitted_names(names), self._valid_server_certificate(), self._clock()
        valid_until = min(now + RENEWAL_PERIOD, self.root.certificate.not_valid_after_utc)
        if current is None or _certified_names(current) != permitted or not current.is_valid(now, valid_until):
            self._write(SERVER_FILE, self._new_server_certificate(permitted))
        return self._folder / SERVER_FILE

    def _valid_server_certificate(self) -> CertifiedKey | None:
        """The current server certificate and its key; None if the file is missing or damaged, or if another authority
        issued it."""
        try:
            current = self._read(SERVER_FILE)
            if current:
                current.certificate.verify_directly_issued_by(self.root.certificate)
        except Exception:  # whatever is wrong with the file, a new certificate costs nothing
            return None
        return current

    def permits(self, names: ServerNames) -> bool:
        """Whether the authority may certify all of these names."""
        return len(self._permitted_names(names)) == len({*names[0]}) + len({*names[1]})

    def _permitted_names(self, names: ServerNames) -> Collection[x509.GeneralName]:
        allowed = self.root.certificate.extensions.get_extension_for_class(x509.NameConstraints).value
        domains = [name.value for name in allowed.permitted_subtrees or () if isinstance(name, x509.DNSName)]
        hosts, addresses = names
        return {
            *(
                x509.DNSName(host)
                for host in hosts
                if _dns_names(host) and any(f".{host}".endswith(f".{domain}") for domain in domains)
            ),
            *(x509.IPAddress(address) for address in addresses if any(address in network for network in HOME_NETWORKS)),
        }

    def _new_server_certificate(self, names: Collection[x509.GeneralName]) -> CertifiedKey:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Tablekeeper")])
        root = self.root.certificate
        key_id = root.extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value
        builder = (
            self._certificate_builder(
                name, root.subject, key, min(self._server_lifetime, root.not_valid_after_utc - self._clock())
            )
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_key_usage(signs=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.SubjectAlternativeName(sorted(names, key=str)), critical=True)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(key_id), critical=False)
        )
        return CertifiedKey(key, builder.sign(self.root.key, hashes.SHA256()))

    def _certificate_builder(
        self, subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, lifetime: timedelta
    ) -> x509.CertificateBuilder:
        now = self._clock()
        return x509.CertificateBuilder(
            issuer, subject, key.public_key(), x509.random_serial_number(), now - BACKDATING, now + lifetime
        )


class RenewedTlsContext:
    """Provides the TLS context for each new connection. The server's certificate is renewed when this machine's
    addresses change, and before it expires."""

    def __init__(
        self, authority: Authority, names: Callable[[], ServerNames], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.authority = authority
        self._names, self._clock = names, clock
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.minimum_version = ssl.TLSVersion.TLSv1_2
        self._lock = threading.Lock()
        self._loaded_pem, self._checked_at = b"", clock()
        self._load()

    def __call__(self) -> ssl.SSLContext:
        """The TLS context, with a certificate for this machine's current addresses. If the certificate can't be
        renewed, the old one stays in use. Browsers may then refuse it, and say why."""
        with self._lock:
            if self._clock() - self._checked_at >= ADDRESS_CHECK_S:
                try:
                    self._load()
                except CertificateError:
                    self._checked_at = self._clock()
        return self._context

    def _load(self) -> None:
        file = self.authority.server_file(self._names())
        if (data := file.read_bytes()) != self._loaded_pem:
            self._context.load_cert_chain(file)
            self._loaded_pem = data
        self._checked_at = self._clock()


def local_names() -> ServerNames:
    """The names and addresses by which phones find this machine: its host name with the suffixes of home routers, and
    this machine's addresses. Asks no name server, because a slow one would keep phones waiting."""
    host = socket.gethostname().lower()
    short = _dns_names(host.split(".")[0])
    hosts = ("localhost", *_dns_names(host), *short, *(f"{name}.{domain}" for name in short for domain in HOME_DOMAINS))
    return tuple(dict.fromkeys(hosts)), tuple(map(IPv4Address, (LOOPBACK, *lan_addresses())))


def _dns_names(host: str) -> tuple[str, ...]:
    """A tuple with the host name; an empty tuple if a certificate can't contain this name."""
    is_valid = host.isascii() and all(part and part.replace("-", "").isalnum() for part in host.split("."))
    return (host,) if is_valid else ()


def _certified_names(certified: CertifiedKey) -> Collection[x509.GeneralName]:
    return set(certified.certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)


def _key_usage(*, signs: bool) -> x509.KeyUsage:
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


def _remedy(folder: Path) -> str:
    return (
        f"give the file back to the user who runs this, or move {folder} away; then a new authority is made, which "
        "every phone must be told to trust."
    )
