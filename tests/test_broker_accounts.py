"""Accounts at a real Mosquitto: a table can publish only its own messages, and receives only messages that are meant
for it."""

from __future__ import annotations

import os
import signal
import socket
import ssl
from base64 import b64decode
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from companion.__main__ import main
from companion.commands.write_broker_accounts import ACL_FILE, CA, CONFIG, ENVIRONMENT, PASSWORDS, SLIPS, write_accounts
from companion.mqtt.broker_address import parse_broker
from companion.mqtt.topics import NAME_PATTERN
from companion.venue.broker_accounts import new_password, password_hash, read_passwords, table_names
from companion.venue.club_tables import MAX_TABLES
from tests.mosquitto import MISSING, MOSQUITTO
from tests.reporting_tables import client_of
from tests.running_service import until
from tests.venue_processes import URL, ClubBroker

KNOWN_HASH = (
    "$7$101$Toj0du1KF2azOAQR$TxWM/Be1L5gKNQY38t1EdrP0f17hBusXuf6t9RU1bupd2oUwNWspvJLlE6poCvE/tSHFBPSE7WqflU7GIlXYdw=="
)
"""What mosquitto_passwd 2.0.11 wrote for the password "secret"."""
with_mosquitto = pytest.mark.skipif(MOSQUITTO is None, reason=MISSING)


class Client:
    """A connected client with an account. `heard`: the topics and payloads that it received. `is_up`: whether it is
    connected."""

    def __init__(self, broker: ClubBroker, account: str, *topics: str, **more: Any) -> None:
        self.heard: list[tuple[str, bytes]] = []
        self.reasons: list[str] = []
        self.client = client_of(broker, account, **more)
        self.client.on_message = lambda client, data, message: self.heard.append((message.topic, message.payload))
        self.client.on_connect = lambda client, data, flags, reason, properties: self.reasons.append(str(reason))
        self.client.loop_start()
        until(lambda: self.reasons, "an answer of the broker", 20)
        for topic in topics:
            self.subscribe(topic)

    def subscribe(self, topic: str) -> None:
        done: list[int] = []
        self.client.on_subscribe = lambda client, data, mid, *_: done.append(mid)
        _, mid = self.client.subscribe(topic, 1)
        until(lambda: mid in done, "the subscription", 20)

    def say(self, topic: str, payload: str, *, retain: bool = False) -> str:
        """Publishes a message, and returns the broker's answer."""
        answers: dict[int, str] = {}
        self.client.on_publish = lambda client, data, mid, reason, _: answers.update({mid: str(reason)})
        mid = self.client.publish(topic, payload, 1, retain).mid
        return until(lambda: answers.get(mid) or "", "an answer of the broker", 20)

    def close(self) -> None:
        self.client.disconnect()
        self.client.loop_stop()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClubBroker]:
    with ClubBroker(tmp_path_factory.mktemp("club"), 3) as started:
        yield started


@pytest.fixture
def clients(broker: ClubBroker) -> Iterator[Any]:
    """Opens clients, and closes them after the test."""
    opened: list[Client] = []

    def connect(account: str, *topics: str, **more: Any) -> Client:
        opened.append(Client(broker, account, *topics, **more))
        return opened[-1]

    yield connect
    for client in opened:
        client.close()


@with_mosquitto
def test_only_a_right_password_opens_the_broker(clients: Any) -> None:
    """Mosquitto accepts our password hashes as it does those of mosquitto_passwd, and refuses wrong passwords."""
    assert clients("table-1").reasons == ["Success"]
    assert clients("venue").reasons == ["Success"]
    assert clients("table-2", password="wrong").reasons[0] == "Not authorized"


@with_mosquitto
def test_a_broker_with_another_certificate_is_not_trusted(broker: ClubBroker, tmp_path: Path) -> None:
    """A table that trusts this club's authority does not send its password to a broker with another certificate."""
    write_accounts(tmp_path, 1, "127.0.0.1", 1, 1)
    trusting = ssl.create_default_context(cafile=str(tmp_path / CA))
    with (
        socket.create_connection(("127.0.0.1", broker.port), timeout=10) as connection,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        trusting.wrap_socket(connection, server_hostname="127.0.0.1")


FORBIDDEN = (
    "tablekeeper/table-1/status",
    "tablekeeper/table-1/wall",
    "tablekeeper/table-1/result",
    "tablekeeper/table-1/result/ack",
    "tablekeeper/table-1/command",
    "tablekeeper/table-2/result/ack",
    "tablekeeper/table-10/wall",
    "homeassistant/device/tablekeeper_table-1/config",
    "other",
)
ALLOWED = (
    "tablekeeper/table-2/status",
    "tablekeeper/table-2/wall",
    "tablekeeper/table-2/state",
    "tablekeeper/table-2/event",
    "tablekeeper/table-2/result",
    "homeassistant/device/tablekeeper_table-2/config",
)


@pytest.mark.slow
@with_mosquitto
def test_a_table_can_not_speak_for_another(clients: Any) -> None:
    """Everything that table-2 publishes in the name of table-1 is refused and never arrives, retained or not. Messages
    in its own name arrive."""
    listener, table = clients("venue"), clients("table-2")
    answers = {topic: table.say(topic, f"from table-2 to {topic}", retain=True) for topic in FORBIDDEN + ALLOWED}
    assert {topic for topic, answer in answers.items() if answer == "Not authorized"} == {*FORBIDDEN}
    for topic in ("tablekeeper/+/status", "tablekeeper/+/wall", "tablekeeper/+/result"):
        listener.subscribe(topic)
    table.say("tablekeeper/table-2/status", "last")
    until(lambda: ("tablekeeper/table-2/status", b"last") in listener.heard, "the last message", 20)
    assert {topic for topic, _ in listener.heard} == {
        "tablekeeper/table-2/status",
        "tablekeeper/table-2/wall",
        "tablekeeper/table-2/result",
    }
    own = clients("table-1", "tablekeeper/table-1/command", "tablekeeper/table-1/result/ack", "tablekeeper/table-1/#")
    clients("venue").say("tablekeeper/table-1/result/ack", "last")
    until(lambda: own.heard, "the acknowledgment", 20)
    assert {topic for topic, _ in own.heard} == {"tablekeeper/table-1/result/ack"}


@with_mosquitto
def test_a_table_hears_only_what_is_meant_for_it(clients: Any) -> None:
    """A table receives neither messages of other tables nor acknowledgments for them."""
    table, other, venue = clients("table-2", "#"), clients("table-1"), clients("venue")
    other.say("tablekeeper/table-1/result", "secret", retain=True)
    other.say("tablekeeper/table-1/wall", "secret", retain=True)
    venue.say("tablekeeper/table-1/result/ack", "secret")
    venue.say("tablekeeper/table-2/result/ack", "mine")
    until(lambda: table.heard, "the acknowledgment", 20)
    assert table.heard == [("tablekeeper/table-2/result/ack", b"mine")]


@with_mosquitto
def test_a_table_can_not_take_over_a_connection(clients: Any) -> None:
    """A table can't take over another table's connection. A broker closes a connection when another client uses the
    same client id, so ours uses the name of the account as the id, whatever id a client states."""
    table, thief = clients("table-1", "tablekeeper/table-1/result/ack"), clients("table-2", client_id="table-1")
    assert thief.reasons == ["Success"]
    clients("venue").say("tablekeeper/table-1/result/ack", "still here")
    until(lambda: table.heard, "the acknowledgment", 20)
    assert table.reasons == ["Success"]


@with_mosquitto
def test_a_last_will_can_not_speak_for_another_table(broker: ClubBroker, clients: Any) -> None:
    """The broker publishes a last will only if the table that left it may publish on that topic."""
    listener = clients("venue", "tablekeeper/+/status")
    for topic in ("tablekeeper/table-1/status", "tablekeeper/table-3/status"):
        thief = client_of(broker, "table-3")
        thief.will_set(topic, "offline", 1)
        thief.connect("127.0.0.1", broker.port)
        while not thief.is_connected():
            thief.loop(0.1)
        socket = thief.socket()
        assert socket
        socket.close()  # without a DISCONNECT packet, so that the broker publishes the last will
    until(lambda: ("tablekeeper/table-3/status", b"offline") in listener.heard, "the will", 20)
    assert [topic for topic, payload in listener.heard if payload == b"offline"] == ["tablekeeper/table-3/status"]


@with_mosquitto
def test_a_running_broker_takes_new_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """New tables can be added to a running broker: the same command is run again and the broker is reloaded, as
    docs/venue.md says. Connections stay open."""
    with ClubBroker(tmp_path, 1) as broker:
        table = Client(broker, "table-1")
        write_accounts(broker.files, 2, "127.0.0.1", broker.port, 8100)
        config = (broker.files / SLIPS).read_text()
        broker.passwords |= dict(URL.findall(config))
        os.kill(broker.pid, signal.SIGHUP)
        new = []

        def connects() -> bool:
            new.append(Client(broker, "table-2"))
            return new[-1].reasons[0] == "Success"

        until(connects, "the new account", 20)
        assert table.reasons == ["Success"]
        for client in (table, *new):
            client.close()


def accounts(folder: Path, count: int = 2, host: str = "venue.local") -> int:
    return main(["venue", "accounts", str(count), "--host", host, "-o", str(folder)])


def test_a_slip_has_what_to_type_in(tmp_path: Path) -> None:
    """The lines of a slip, used as a settings file, let the table connect."""
    assert accounts(tmp_path) == 0
    text = unescape((tmp_path / SLIPS).read_text())
    assert text.count("<section>") == 2
    url = text.split('broker = "')[1].split('"')[0]
    broker = parse_broker(url)
    assert (broker.user, broker.host, broker.port, broker.tls) == ("table-1", "venue.local", 8883, True)
    assert 'table = "table-1"' in text
    assert "http://venue.local:8100/ca.pem" in text
    assert broker.password
    hashes = read_passwords((tmp_path / PASSWORDS).read_text())
    salt = hashes["table-1"].split("$")[3]
    assert set(hashes) == {"venue", "table-1", "table-2"}
    assert broker.password not in (tmp_path / PASSWORDS).read_text()
    assert len(salt) == 16


def test_files_with_passwords_are_private(tmp_path: Path) -> None:
    assert accounts(folder := tmp_path / "new") == 0
    private = [PASSWORDS, SLIPS, ENVIRONMENT, ACL_FILE, CONFIG, "tls/server.pem", "tls/authority.pem"]
    assert {(folder / name).stat().st_mode & 0o777 for name in private} == {0o600}
    assert (folder / CA).stat().st_mode & 0o777 == 0o644
    assert "PRIVATE KEY" not in (folder / CA).read_text()


def test_more_tables_keep_the_passwords_of_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """When tables are added, only the new ones get slips. The certificate stays the same, so nothing changes for the
    other tables."""
    accounts(tmp_path, 2)
    before, ca = (tmp_path / PASSWORDS).read_text(), (tmp_path / CA).read_bytes()
    venue = (tmp_path / ENVIRONMENT).read_text()
    assert accounts(tmp_path, 3) == 0
    assert (tmp_path / PASSWORDS).read_text().startswith(before)
    assert ((tmp_path / CA).read_bytes(), (tmp_path / ENVIRONMENT).read_text()) == (ca, venue)
    assert (tmp_path / SLIPS).read_text().count("<section>") == 1
    assert "the 1 new ones" in capsys.readouterr().out


def test_a_lost_slip_is_replaced(tmp_path: Path) -> None:
    """A table whose line is deleted gets a new slip with a new password."""
    accounts(tmp_path, 2)
    old = read_passwords((tmp_path / PASSWORDS).read_text())
    lines = [line for line in (tmp_path / PASSWORDS).read_text().splitlines() if not line.startswith("table-1:")]
    (tmp_path / PASSWORDS).write_text("\n".join(lines))
    accounts(tmp_path, 2)
    new = read_passwords((tmp_path / PASSWORDS).read_text())
    assert (new["table-1"] != old["table-1"], new["table-2"]) == (True, old["table-2"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["0", "--host", "venue.local"], "1 to 250 tables"),
        (["251", "--host", "venue.local"], "1 to 250 tables"),
        (["2", "--host", "example.com"], "must be an address of the local network"),
        (["2", "--host", "8.8.8.8"], "must be an address of the local network"),
        (["2", "--host", '"><b>.local'], "must be an address of the local network"),
    ],
)
def test_wrong_usage_is_a_line(words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["venue", "accounts", *words, "-o", str(tmp_path)]) == 2
    assert says in capsys.readouterr().err


def test_a_folder_that_can_not_be_written_is_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert accounts(tmp_path / "file" / "folder") == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_names_of_tables_can_be_topics() -> None:
    assert all(NAME_PATTERN.fullmatch(name) for name in table_names(MAX_TABLES))


def test_passwords_differ_and_are_long() -> None:
    found = {new_password() for _ in range(200)}
    assert len(found) == 200
    assert {len(password) for password in found} == {19}


def test_a_hash_is_what_mosquitto_passwd_writes() -> None:
    _, _, iterations, salt, _ = KNOWN_HASH.split("$")
    assert password_hash("secret", b64decode(salt), int(iterations)) == KNOWN_HASH
