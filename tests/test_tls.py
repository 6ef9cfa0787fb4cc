"""HTTPS with the table's own certificate authority: phones that trust it are served, other phones refuse the
connection, and problems are reported."""

from __future__ import annotations

import http.client
import re
import socket
import ssl
import stat
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from flask import Flask, request

from companion.__main__ import main
from companion.commands import CommandError
from companion.commands.run_service import _https_server, _serve_https
from companion.commands.settings_file import Settings
from tests.running_service import RunningService, until
from tests.systems_failing_tables import new_table
from tests.test_web_events import Stream, scavenge
from tests.web_table import WebTable
from web.access.lobby import Lobby
from web.addresses import lan_address
from web.server.http_server import Server, serve
from web.tls import certificates
from web.tls.ca_page import OPERATING_SYSTEMS, operating_system
from web.tls.certificates import (
    ADDRESS_CHECK_S,
    AUTHORITY_FILE,
    SERVER_FILE,
    TLS_FOLDER,
    Authority,
    CertificateError,
    RenewedTlsContext,
    ServerNames,
    local_names,
)

HERE: ServerNames = (("localhost", "table.local"), (IPv4Address("127.0.0.1"),))
NOW = datetime(2030, 5, 1, 12, tzinfo=UTC)


def trusting(data: Path) -> ssl.SSLContext:
    """The TLS settings of a phone that trusts only the authority in this data folder."""
    pem = (data / TLS_FOLDER / AUTHORITY_FILE).read_text()
    return ssl.create_default_context(cadata=pem[pem.index("-----BEGIN CERTIFICATE") :])


@pytest.fixture
def web_table() -> WebTable:
    return WebTable(new_table())


@pytest.fixture
def data(tmp_path: Path) -> Path:
    Authority(tmp_path)
    return tmp_path


@pytest.fixture
def server(web_table: WebTable, data: Path) -> Iterator[Server]:
    with closing(serve(web_table.app, "127.0.0.1", 0, RenewedTlsContext(Authority(data), lambda: HERE))) as served:
        yield served


def connection(server: Server, context: ssl.SSLContext, host: str = "127.0.0.1") -> http.client.HTTPSConnection:
    return http.client.HTTPSConnection(host, server.port, timeout=20, context=context)


def test_nobody_else_can_read_the_keys(data: Path) -> None:
    """Private keys are in the data folder, and only the user can read them. Writing them leaves no temporary file."""
    Authority(data).server_file(HERE)
    folder = data / TLS_FOLDER
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {file.name: stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {
        AUTHORITY_FILE: 0o600,
        SERVER_FILE: 0o600,
    }


def test_the_authority_is_made_once(data: Path) -> None:
    """The authority stays the same after a restart, so phones need not trust it again."""
    assert Authority(data).root.fingerprint == Authority(data).root.fingerprint
    assert re.fullmatch("([0-9A-F]{2}:){31}[0-9A-F]{2}", Authority(data).root.fingerprint)


def test_a_new_certificate_is_issued_only_when_needed(data: Path) -> None:
    """A new certificate is issued if the addresses have changed, if the certificate expires soon, or if its file is
    damaged. Otherwise the certificate stays the same."""
    authority = Authority(data)
    file = authority.server_file(HERE)
    first = file.read_bytes()
    assert authority.server_file(HERE).read_bytes() == first
    moved = authority.server_file((HERE[0], (IPv4Address("192.168.7.7"),))).read_bytes()
    assert moved != first
    later = Authority(data, lambda: datetime.now(UTC) + timedelta(days=180))
    renewed = later.server_file((HERE[0], (IPv4Address("192.168.7.7"),))).read_bytes()
    assert renewed not in (first, moved)
    file.write_bytes(b"spoiled")
    assert b"BEGIN CERTIFICATE" in authority.server_file(HERE).read_bytes()


def test_a_new_authority_issues_a_new_certificate(data: Path, tmp_path_factory: Any) -> None:
    """If the authority's files were replaced, a new server certificate is issued, because phones would refuse the old
    one."""
    file = Authority(data).server_file(HERE)
    old = file.read_bytes()
    (data / TLS_FOLDER / AUTHORITY_FILE).unlink()
    assert Authority(data).server_file(HERE).read_bytes() != old


def test_the_authority_is_limited_to_home_networks(data: Path) -> None:
    """The authority's own certificate limits it to home networks, and phones enforce this limit. Other names of this
    machine are left out of the server's certificate."""
    authority = Authority(data)
    names = (("localhost", "table.local", "table.example.com"), (IPv4Address("10.0.0.7"), IPv4Address("8.8.8.8")))
    issued = x509.load_pem_x509_certificate(authority.server_file(names).read_bytes())
    said = issued.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert {str(name.value) for name in said} == {"localhost", "table.local", "10.0.0.7"}
    limits = authority.root.certificate.extensions.get_extension_for_class(x509.NameConstraints)
    assert limits.critical
    assert "com" not in {name.value for name in limits.value.permitted_subtrees or ()}
    assert issued.not_valid_after_utc - issued.not_valid_before_utc < timedelta(days=825), "phones refuse longer ones"


def test_this_machine_s_names() -> None:
    """The certificate contains every name and address that a browser in the network or on this machine may use."""
    hosts, addresses = local_names()
    assert {"localhost", f"{socket.gethostname().lower().split('.')[0]}.local"} <= set(hosts)
    assert {"127.0.0.1", lan_address() or "127.0.0.1"} <= {str(address) for address in addresses}


def test_a_wrong_clock_is_reported(tmp_path: Path, data: Path) -> None:
    """If the clock is in the past, as on a Pi without a network, this is reported, and no authority is created or
    replaced."""
    with pytest.raises(CertificateError, match="The clock says 1970-01-01"):
        Authority(tmp_path / "new", lambda: datetime(1970, 1, 1, tzinfo=UTC))
    assert not (tmp_path / "new").exists()
    with pytest.raises(CertificateError, match="is not valid on 2099-01-01"):
        Authority(data, lambda: datetime(2099, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize("spoiled", [b"", b"-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\n"])
def test_a_damaged_authority_is_reported(data: Path, spoiled: bytes) -> None:
    """A damaged authority is reported and not replaced, because phones would then refuse the table."""
    (data / TLS_FOLDER / AUTHORITY_FILE).write_bytes(spoiled)
    with pytest.raises(CertificateError, match=r"authority.pem does not hold a key and a certificate: .* move .* away"):
        Authority(data)


def test_a_folder_that_can_not_be_written_is_reported(tmp_path: Path) -> None:
    """If the folder can't be written, the message contains the file's name and the reason."""
    (tmp_path / TLS_FOLDER).write_text("in the way")
    with pytest.raises(CertificateError, match=r"authority.pem can’t be (read|written) \(Not a directory\)"):
        Authority(tmp_path)


def test_addresses_are_looked_at_again(data: Path) -> None:
    """If this machine gets another address while the service runs, the next phone gets a certificate for it."""
    clock, names = [0.0], [HERE]
    tls = RenewedTlsContext(Authority(data), lambda: names[0], lambda: clock[0])
    first = (data / TLS_FOLDER / SERVER_FILE).read_bytes()
    names[0] = (HERE[0], (IPv4Address("192.168.0.9"),))
    tls()
    assert (data / TLS_FOLDER / SERVER_FILE).read_bytes() == first, "not at every connection"
    clock[0] = ADDRESS_CHECK_S
    tls()
    assert (data / TLS_FOLDER / SERVER_FILE).read_bytes() != first


def test_a_phone_that_trusts_the_authority_is_served(server: Server, data: Path) -> None:
    """A phone that trusts the authority is served by address and by name. The pages know that the connection is HTTPS
    and local."""
    context = trusting(data)
    for host in ("127.0.0.1", "localhost"):
        with closing(connection(server, context, host)) as asking:
            asking.request("GET", "/healthz")
            assert asking.getresponse().status == 200
    with closing(connection(server, context)) as asking:
        asking.request("GET", "/table")
        page = asking.getresponse().read().decode()
        assert re.search(rf"https://[\d.]+:{server.port}/join", page), (
            "the join code on this machine's own screen leads to the HTTPS address"
        )


def test_nobody_is_taken_for_the_table_s_own_screen(web_table: WebTable, data: Path) -> None:
    """Over HTTPS too, a phone in the network is not mistaken for the table's own screen."""
    address = lan_address()
    if address is None:
        pytest.skip("this machine is in no network")
    context = trusting(data)
    context.check_hostname = False  # the certificate has no address outside of home networks
    pages = {}
    with closing(serve(web_table.app, "0.0.0.0", 0, RenewedTlsContext(Authority(data), lambda: HERE))) as server:
        for host in ("127.0.0.1", address):
            with closing(connection(server, context, host)) as asking:
                asking.request("GET", "/table")
                pages[host] = asking.getresponse().read().decode()
    assert web_table.lobby.code in pages["127.0.0.1"]
    assert web_table.lobby.code not in pages[address]


def test_a_client_that_does_not_trust_the_authority_refuses(server: Server, data: Path, tmp_path: Path) -> None:
    """The connection fails if the client trusts only public authorities or that of another table, uses another name, or
    speaks plain HTTP."""
    Authority(tmp_path / "other")
    for context in (ssl.create_default_context(), trusting(tmp_path / "other")):
        with closing(connection(server, context)) as asking, pytest.raises(ssl.SSLCertVerificationError):
            asking.request("GET", "/healthz")
    with socket.create_connection(("127.0.0.1", server.port), 20) as raw, pytest.raises(ssl.SSLCertVerificationError):
        trusting(data).wrap_socket(raw, server_hostname="other.local")
    with pytest.raises((OSError, http.client.HTTPException)):
        urllib.request.urlopen(f"http://127.0.0.1:{server.port}/healthz", timeout=20)
    with closing(connection(server, trusting(data))) as asking:
        asking.request("GET", "/healthz")
        assert asking.getresponse().status == 200, "none of them has harmed the server"


def test_a_slow_stranger_keeps_nobody_waiting(server: Server, data: Path) -> None:
    """Connections that never complete the TLS handshake, or send it byte by byte, delay nobody else."""
    with ExitStack() as idle:
        for _ in range(20):
            idle.enter_context(socket.create_connection(("127.0.0.1", server.port), 20)).sendall(b"\x16\x03")
        with closing(connection(server, trusting(data))) as asking:
            asking.request("GET", "/healthz")
            assert asking.getresponse().status == 200


def test_events_come_over_https(web_table: WebTable, server: Server, data: Path) -> None:
    """An event stream stays open and delivers each act. When its phone disconnects, its slot is free again."""
    asking = connection(server, trusting(data))
    with Stream(server.port, connection=asking) as stream:
        assert stream.next().kind == "look"
        version = scavenge(web_table.table)
        assert stream.next_act().data["version"] == version


def test_large_bodies_come_and_go_whole(web_table: WebTable, data: Path) -> None:
    """Over HTTPS, bodies of several megabytes arrive complete in both directions, although they span many TLS
    records."""
    app = Flask("echo")
    app.extensions["streams"] = web_table.app.extensions["streams"]
    app.add_url_rule("/", view_func=lambda: request.get_data(), methods=["POST"])
    sent = bytes(range(256)) * 20_000
    with (
        closing(serve(app, "127.0.0.1", 0, RenewedTlsContext(Authority(data), lambda: HERE))) as echo,
        closing(connection(echo, trusting(data))) as asking,
    ):
        for _ in range(2):
            asking.request("POST", "/", sent)
            assert asking.getresponse().read() == sent


@pytest.mark.slow
def test_the_service_serves_both(tmp_path: Path) -> None:
    """The service serves HTTP and HTTPS: the HTTP page explains how to trust the authority, and HTTPS serves the phones
    that do. A port that is in use is reported."""
    with RunningService(tmp_path, "--tls", "0") as service:
        said = "".join(service.said)
        [secure] = re.findall(r"https://\S+:(\d+)/", said)
        page = urllib.request.urlopen(f"{service.address}/trust", timeout=20).read().decode()
        der = urllib.request.urlopen(f"{service.address}/trust/tablekeeper.crt", timeout=20).read()
        root = Authority(tmp_path).root
        assert root.public_parts()[0] == der
        assert root.fingerprint in page
        assert root.fingerprint[:47] in said
        until(lambda: root.fingerprint[48:] in "".join(service.said), "the fingerprint's second line")
        context = ssl.create_default_context(cadata=der)
        answer = urllib.request.urlopen(f"https://localhost:{secure}/trust", timeout=20, context=context)
        assert "uses HTTPS" in answer.read().decode()
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            refused = run(tmp_path / "other", "--port", "0", "--tls", f"{port}")
    assert refused.returncode == 1
    assert f"Port {port} can’t be used" in refused.stderr
    assert "--tls 0" in refused.stderr
    assert "Traceback" not in refused.stderr


def run(data: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "companion", "run", "--data", str(data), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.slow
def test_wrong_settings_of_https_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An invalid HTTPS port, an HTTPS port that equals the HTTP port, and a damaged authority are each reported in one
    line."""
    for options, says in (
        (["--tls", "70000"], "65535"),
        (["--port", "8123", "--tls", "8123"], "http uses that port already"),
    ):
        assert main(["run", "--data", str(tmp_path), *options]) == 2
        assert says in capsys.readouterr().err
    Authority(tmp_path)
    (tmp_path / TLS_FOLDER / AUTHORITY_FILE).write_text("x")
    spoiled = run(tmp_path, "--port", "0", "--tls", "0")
    assert spoiled.returncode == 1
    assert len(spoiled.stderr.strip().splitlines()) <= 2
    assert "does not hold a key and a certificate" in spoiled.stderr


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["clock", "file", "port"])
def test_without_certificate_or_port_people_play_over_http(
    problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the settings file asks for https, as on a table that nobody watches, http is served even if https can't
    be: if the clock is wrong, the authority is damaged, or the port is taken. The health says why."""
    (tmp_path / TLS_FOLDER).mkdir()
    if problem == "file":
        (tmp_path / TLS_FOLDER / AUTHORITY_FILE).write_text("x")
    with socket.create_server(("0.0.0.0", 0)) as taken:
        port = taken.getsockname()[1] if problem == "port" else 0
        settings = Settings(data=tmp_path, tls=port)
        table = new_table()
        if problem == "clock":
            monkeypatch.setattr(certificates, "EARLIEST_CLOCK", datetime(2999, 1, 1, tzinfo=UTC))
        with ExitStack() as resources:
            server = _https_server(settings, table, Lobby(table), is_needed=False)
            assert (server is None) == (problem != "port")
            if server:
                assert _serve_https(server, Flask("x"), table, resources, is_needed=False) is None
                with pytest.raises(CommandError):
                    _serve_https(server, Flask("x"), table, resources, is_needed=True)
            else:
                with pytest.raises(CommandError):
                    _https_server(settings, table, Lobby(table), is_needed=True)
    (health,) = table.health()
    assert (health.device, health.ok) == ("https", False)
    assert {"clock": "The clock says", "file": "does not hold a key", "port": f"Port {port}"}[problem] in str(
        health.message
    )


def test_without_https_there_is_no_page_of_it(web_table: WebTable) -> None:
    """Without HTTPS, there is no page about trusting the authority, and no link to it."""
    phone = web_table.phone(0)
    assert phone.get("/trust").status_code == 404
    assert "/trust" not in phone.get("/settings").text


def test_each_system_is_known_by_its_browsers() -> None:
    """The steps shown first are those for the phone's own operating system."""
    expected = {
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1": "iPhone and iPad",
        "Mozilla/5.0 (Linux; Android 15; Pixel 9) Chrome/130 Mobile": "Android",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Firefox/130": "Windows",
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605": "macOS",
        "Mozilla/5.0 (X11; Linux x86_64) Chrome/130": "Linux, and Firefox anywhere",
        "": str(OPERATING_SYSTEMS[-1].title),
    }
    assert {agent: str(operating_system(agent).title) for agent in expected} == expected
