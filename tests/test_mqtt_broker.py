"""The table on a real Mosquitto, which these tests start on 127.0.0.1: restarts, strangers, passwords, TLS, and servers
that are not brokers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from ipaddress import IPv4Address
from pathlib import Path
from random import Random

import pytest

from companion.diagnostics.broker_check import check_broker
from companion.mqtt.broker_address import Broker, parse_broker
from companion.mqtt.client import MqttClient
from companion.mqtt.outbox import STATUS_LIFETIME_S
from companion.mqtt.paho_connection import MAX_PACKET_BYTES
from companion.mqtt.topics import Topics
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from companion.text.refusal_errors import Stale
from companion.venue.broker_connection import VenueConnection
from companion.venue.club_tables import ROLL_CALL_S, ClubTables
from companion.venue.results import ResultStore
from companion.venue.venue import Venue
from tests import broker_restarts
from tests.broker_restarts import published
from tests.mosquitto import MISSING, MOSQUITTO, Listener, Mosquitto, retained
from tests.repetitions import repetitions
from tests.running_service import HttpPhone, RunningService, until
from tests.systems_failing_tables import act_some, new_table
from web.tls.certificates import Authority

pytestmark = pytest.mark.skipif(MOSQUITTO is None, reason=MISSING)
TOPICS = Topics("test")
PASSWORD = "p@ss w\u00f6rd/1"
QUOTED = "p%40ss%20w%C3%B6rd%2F1"


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker that anyone may use."""
    with Mosquitto(tmp_path) as running:
        yield running


def health_of(table: Table) -> DeviceHealth | None:
    """The state of the broker connection, as the host reads it."""
    return next((each for each in table.health() if each.device == "broker"), None)


def is_well(table: Table) -> bool:
    found = health_of(table)
    return found is not None and found.ok


@pytest.mark.slow
def test_restarts_of_the_broker_lose_nothing() -> None:
    """A short run of `make broker-restarts`: each act arrives, in order, and the retained state is the newest one."""
    outcome = broker_restarts.run(acts=repetitions(3000, at_least=600), restarts=2)
    assert outcome.ok, f"{outcome}"


def test_a_broker_that_forgets_everything_is_told_again(broker: Mosquitto) -> None:
    """If the broker has forgotten everything after a power cut, the retained documents are published again."""
    with published(new_table(), broker), Listener(broker) as listener:
        listener.wait(TOPICS.state)
        broker.stop(signal.SIGKILL)
        for file in broker.folder.glob("*.db*"):
            file.unlink()
        broker.start()
        count = listener.count(TOPICS.state)
        listener.wait(TOPICS.state, count + 1)
    with published(new_table(), broker):
        for topic in (TOPICS.state, TOPICS.wall, TOPICS.health, TOPICS.discovery):
            assert retained(broker, topic)
        assert retained(broker, TOPICS.status) == "online"


@pytest.mark.slow
def test_the_last_will_says_that_the_table_is_gone(broker: Mosquitto, tmp_path: Path) -> None:
    """The published status is offline after the service is stopped or killed, and online again when the table is
    back."""
    options = ("--mqtt", broker.url, "--mqtt-table", "test", "--box", "none")
    with Listener(broker) as listener:
        with RunningService(tmp_path / "data", *options) as service:
            until(lambda: listener.last(TOPICS.status) == "online")
            service.stop(signal.SIGKILL)
            until(lambda: listener.last(TOPICS.status) == "offline")
        with RunningService(tmp_path / "data", *options) as service:
            until(lambda: listener.last(TOPICS.status) == "online")
            until(lambda: f"broker     127.0.0.1:{broker.port}, as test" in "".join(service.said))
            assert service.stop() == 0
            until(lambda: listener.last(TOPICS.status) == "offline")


def test_a_table_that_leaves_while_the_broker_is_down_does_not_stay_online(broker: Mosquitto) -> None:
    """The broker keeps the status of such a table, but deletes it soon. A venue that the broker has sent it to lets the
    table go offline at the same time."""
    now = 1000.0
    club_tables, lifetimes = ClubTables(seconds=lambda: now), list[int | None]()

    class RecordingVenue(Venue):
        def receive(
            self, topic: str, payload: bytes, *, is_retained: bool = False, lifetime_s: int | None = None
        ) -> None:
            super().receive(topic, payload, is_retained=is_retained, lifetime_s=lifetime_s)
            if topic == TOPICS.status:
                lifetimes.append(lifetime_s)

    with closing(ResultStore(None)) as store:
        venue = RecordingVenue(club_tables, store, lambda topic, payload: None)
        connection = VenueConnection(parse_broker(broker.url))
        with closing(venue), closing(connection):
            connection.start(venue)
            with published(new_table(), broker):
                until(lambda: bool(lifetimes), "the status of the table")
                broker.save()
                broker.stop(signal.SIGKILL)  # otherwise, it would publish the last will
            until(lambda: bool(club_tables.broker_problem), "that the venue notices")
            before = len(lifetimes)
            broker.start()
            until(lambda: len(lifetimes) > before, "the status that the broker has kept")
            assert [table.is_online for table in club_tables.all()] == [True]
            last = lifetimes[-1]
            assert last is not None
            assert STATUS_LIFETIME_S - 60 <= last <= STATUS_LIFETIME_S
            now += ROLL_CALL_S
            club_tables.wait(club_tables.revision, 0)
            assert [table.is_online for table in club_tables.all()] == [False]


def test_commands_come_through(broker: Mosquitto) -> None:
    """A command is carried out, a stale command is refused, and a retained command, which anyone could have left
    behind, does nothing."""
    table = new_table()
    with Listener(broker) as listener:
        listener.say(TOPICS.command, {"do": "draw"}, retain=True)
        with published(table, broker):
            listener.wait(TOPICS.state)
            listener.say(TOPICS.command, {"do": "draw", "version": 1})
            assert listener.wait(TOPICS.event)["version"] == 2
            listener.say(TOPICS.command, {"do": "undo", "version": 1})
            assert listener.wait(TOPICS.refused)["code"] == "stale"
            assert table.revision.version == 2


@pytest.mark.slow
def test_huge_garbled_and_rapid_messages_harm_nothing(broker: Mosquitto) -> None:
    """A message that is too large is not even delivered. After a flood of messages, the table stops reading them.
    People can play on."""
    table, rng = new_table(), Random(1)
    with published(table, broker), Listener(broker) as listener:
        listener.wait(TOPICS.state)
        listener.say(TOPICS.command, b"x" * 20 * MAX_PACKET_BYTES)
        listener.say(TOPICS.command, rng.randbytes(MAX_PACKET_BYTES // 2))
        assert listener.wait(TOPICS.refused)["code"] == "bad_request"
        assert listener.count(TOPICS.refused) == 1
        version = table.revision.version
        for _ in range(5000):
            listener.client.publish(TOPICS.command, b'{"do":"draw"}', 0)
        until(lambda: (found := health_of(table)) and "too many commands" in str(found.message))
        assert table.revision.version <= version + 20
        acts, count = 0, listener.count(TOPICS.event)
        while acts < 10 and (view := table.view()) and view.turn is not None:
            with suppress(Stale):  # the last commands may still be carried out
                acts += act_some(table, rng, 1)
        listener.wait(TOPICS.event, min(count, 1) + acts)
        until(lambda: listener.last(TOPICS.state)["version"] == table.revision.version)


@pytest.mark.slow
def test_two_tables_of_one_name_are_noticed(broker: Mosquitto) -> None:
    """The broker keeps only one connection for each name. The host of the other table is told why its connection is
    lost."""
    table = new_table()
    with published(table, broker):
        until(lambda: is_well(table))
        with published(new_table(), broker):
            until(
                lambda: (
                    (found := health_of(table))
                    and "nother program may be connected as test" in str(found.message_with_remedy)
                )
            )


@contextmanager
def answering(answer: bytes) -> Iterator[tuple[Broker, list[int]]]:
    """Starts a server that sends these bytes to every client that connects. Returns the server's address and the list
    of connections."""
    connections: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    connections.append(1)
                    client.settimeout(2)
                    try:
                        client.recv(1000)
                        client.sendall(answer)
                        client.recv(1000)
                    except OSError:
                        continue

        threading.Thread(target=serve, daemon=True).start()
        yield Broker("127.0.0.1", server.getsockname()[1]), connections
        server.shutdown(socket.SHUT_RDWR)


CONNACK = b"\x20\x03\x00\x00\x00"


@pytest.mark.slow
@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"\xff" * 5000,
        bytes(5000),
        CONNACK + b"\x30\x05\x00\x50abc",
        CONNACK + b"\x30\x07\x00\x03\xff\xfe\xfd\x00x",
        CONNACK + b"\x40\x01\x00" + b"\x90\x01\x00",
        CONNACK + b"\xb0\xff\xff\xff\xff\x7f",
    ],
    ids=["http", "ones", "zeros", "short", "not-utf-8", "cut", "huge"],
)
def test_a_broker_that_speaks_nonsense_is_asked_again(answer: bytes) -> None:
    """If the server answers with nonsense, the table keeps trying to connect, and people can play on."""
    table = new_table()
    with answering(answer) as (broker, connections):
        device = MqttClient(table, broker, "test").open()
        thread = threading.Thread(target=lambda: [table.observe(each) for each in device], daemon=True)
        thread.start()
        until(lambda: len(connections) >= 2, "another connection")
        assert act_some(table, Random(1), 5) == 5
        device.close()
        thread.join(60)
        assert not thread.is_alive()


@pytest.fixture
def closed_broker(tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker with TLS, on which a table may use its own topics only. The table `club` may not describe itself to Home
    Assistant; the user `venue` may read all."""
    passwords, access = tmp_path / "passwords", tmp_path / "access"
    passwords.touch()
    for user, password in (("test", PASSWORD), ("club", PASSWORD), ("venue", "venue")):
        subprocess.run(["mosquitto_passwd", "-b", str(passwords), user, password], check=True, capture_output=True)
    access.write_text(
        "user venue\ntopic readwrite #\n\nuser test\ntopic write homeassistant/device/tablekeeper_test/config\n\n"
        "pattern readwrite tablekeeper/%u/#\n"
    )
    authority = Authority(tmp_path)
    server = authority.server_file(((), (IPv4Address("127.0.0.1"),)))
    (tmp_path / "ca.pem").write_bytes(authority.root.public_parts()[1])
    for file in (passwords, access):
        os.chmod(file, 0o600)
    settings = f"allow_anonymous false\npassword_file {passwords}\nacl_file {access}\n"
    tls = f"certfile {server}\nkeyfile {server}\n"
    with Mosquitto(tmp_path, f"{tls}{settings}") as running:
        yield running


@pytest.mark.slow
def test_tls_and_a_password_that_nobody_reads(closed_broker: Mosquitto, tmp_path: Path) -> None:
    """The service connects with TLS, as the settings file says. The password appears in no output, on no page and in no
    file that the service writes."""
    config = tmp_path / "table.toml"
    config.write_text(
        f'[mqtt]\nbroker = "mqtts://test:{QUOTED}@127.0.0.1:{closed_broker.port}"\ntable = "test"\n'
        f'ca = "{tmp_path / "ca.pem"}"\n'
    )
    with RunningService(tmp_path / "data", "--config", str(config), "--box", "none") as service:
        phone = HttpPhone(service.address)
        until(lambda: any("Connected" in each["says"] for each in phone.get("/healthz")["devices"]), "the broker")
        phone.get(service.host_link.removeprefix(service.address))
        pages = [phone.get(path) for path in ("/healthz", "/setup", "/host", "/api/openapi.json")]
    seen = "".join([*service.said, *map(str, pages)])
    files = b"".join(file.read_bytes() for file in (tmp_path / "data").rglob("*") if file.is_file())
    for secret in (PASSWORD, QUOTED):
        assert secret not in seen
        assert secret.encode() not in files


def connecting(table: Table, broker: Broker, name: str = "test") -> tuple[MqttClient, threading.Thread]:
    device = MqttClient(table, broker, name).open()
    thread = threading.Thread(target=lambda: [table.observe(each) for each in device], daemon=True)
    thread.start()
    return device, thread


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # paho forgets to close a TLS socket
@pytest.mark.parametrize(
    ("password", "has_ca", "host", "name", "why"),
    [
        ("wrong", True, "127.0.0.1", "test", "(Not authorized)"),
        (QUOTED, False, "127.0.0.1", "test", "certificate verify failed"),
        (QUOTED, True, "localhost", "test", "certificate verify failed: Hostname mismatch"),
        (QUOTED, True, "127.0.0.1", "other", "refuses messages (Not authorized)"),
    ],
)
def test_the_host_reads_what_is_wrong(
    closed_broker: Mosquitto, tmp_path: Path, password: str, has_ca: bool, host: str, name: str, why: str
) -> None:
    """The host is told what is wrong: a wrong password, a certificate of an unknown authority or of another host, or
    topics of another table. The messages never contain the password."""
    table = new_table()
    url = f"mqtts://test:{password}@{host}:{closed_broker.port}"
    broker = parse_broker(url, tmp_path / "ca.pem" if has_ca else None)
    device, thread = connecting(table, broker, name)
    until(lambda: (found := health_of(table)) and not found.ok, "the report")
    found = health_of(table)
    assert found
    words = str(found.message_with_remedy)
    assert why in words
    assert password not in words
    device.close()
    thread.join(60)


@pytest.mark.slow
def test_the_doctor_checks_the_broker(closed_broker: Mosquitto, tmp_path: Path) -> None:
    """The doctor connects as the table would, and says what prevents it. This does not change the retained status."""
    right = parse_broker(f"mqtts://test:{QUOTED}@127.0.0.1:{closed_broker.port}", tmp_path / "ca.pem")
    (finding,) = check_broker(right, "test")
    assert (finding.ok, str(finding.message)) == (True, f"Connected to 127.0.0.1:{closed_broker.port}.")
    (finding,) = check_broker(replace(right, password="wrong"), "test")
    assert not finding.ok
    assert "(Not authorized). Check that the broker is running" in str(finding.message_with_remedy)
    closed_broker.stop()
    (finding,) = check_broker(right, "test")
    assert "Connection refused" in str(finding.message)
    assert [*check_broker(None, "test")] == []


@pytest.mark.slow
def test_a_table_that_may_not_describe_itself_is_published_all_the_same(
    closed_broker: Mosquitto, tmp_path: Path
) -> None:
    """If the broker refuses the description for Home Assistant, the table publishes everything else. It does not try
    the description again and again, because this Mosquitto closes the connection at each refusal."""
    table, ca = new_table(), tmp_path / "ca.pem"
    broker = parse_broker(f"mqtts://club:{QUOTED}@127.0.0.1:{closed_broker.port}", ca)
    with Listener(closed_broker, user="venue", password="venue", ca=ca) as listener:
        device, thread = connecting(table, broker, "club")
        until(lambda: (found := health_of(table)) and "refuses the description" in str(found.message), "the report")
        acts = act_some(table, Random(1), 3)
        device.show(None)
        listener.wait(Topics("club").event, acts)
        until(lambda: listener.last(Topics("club").state)["version"] == table.revision.version)
        assert not listener.count(Topics("club").discovery)
        device.close()
        thread.join(60)


@pytest.mark.slow
def test_a_broker_that_is_not_there_is_found_when_it_starts(tmp_path: Path) -> None:
    """If the broker is not running, people can play, and everything is published once the broker starts."""
    broker, table = Mosquitto(tmp_path), new_table()
    device, thread = connecting(table, replace(parse_broker(broker.url)))
    assert act_some(table, Random(1), 5) == 5
    until(lambda: (found := health_of(table)) and "Connection refused" in str(found.message_with_remedy), "the report")
    with broker, Listener(broker) as listener:
        assert listener.wait(TOPICS.state)["version"] == table.revision.version
        device.close()
        thread.join(60)
