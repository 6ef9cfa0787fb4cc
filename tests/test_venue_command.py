"""`tablekeeper venue` as a command: wrong usage, a broker that is not running yet, and what stays the same across
restarts."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from companion.__main__ import main
from companion.commands.data_folder_lock import exclusive_lock
from companion.commands.run_venue import staff_key
from companion.commands.venue import BROKER_VARIABLE
from tests.mosquitto import MISSING, MOSQUITTO
from tests.running_service import until
from tests.test_venue_run import fetch
from tests.venue_processes import ClubBroker, VenueProcess

with_mosquitto = pytest.mark.skipif(MOSQUITTO is None, reason=MISSING)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "Name the broker with --broker"),
        (["--broker", "http://venue:hunter2@host"], "must look like"),
        (["--broker", "mqtt://venue:hunter2@host", "--ca", "ca.pem"], "only works with TLS"),
        (["--broker", "mqtts://venue:hunter2@host", "--ca", "missing.pem"], "There’s no certificate"),
        (["--broker", "mqtts://venue:hunter2@host", "--port", "70000"], "a port is 1 to 65535"),
    ],
)
def test_wrong_usage_is_a_line_without_the_password(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(BROKER_VARIABLE, raising=False)
    assert main(["venue", *words]) == 2
    said = capsys.readouterr().err
    assert says in said
    assert said.count("\n") == 1
    assert "hunter2" not in said


def test_the_broker_can_be_named_in_the_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BROKER_VARIABLE, "mqtts://venue:hunter2@host:0")
    assert main(["venue", "--data", str(tmp_path)]) == 2
    assert "--broker: The broker’s address must look like" in capsys.readouterr().err


def test_a_failed_start_gives_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A port or folder that is in use, and a file that is not a certificate or not a database, each give a message of
    one line."""
    broker = ["--broker", "mqtts://venue:hunter2@127.0.0.1:1"]
    (tmp_path / "broken.pem").write_text("no certificate")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "venue.sqlite3").write_text("no database" * 100)
    with socket.create_server(("0.0.0.0", 0)) as other, exclusive_lock(tmp_path / "taken"):
        for words, says in (
            (["--port", str(other.getsockname()[1]), "--data", str(tmp_path / "a")], "can’t be used"),
            (["--data", str(tmp_path / "taken")], "Another Tablekeeper is using"),
            (["--ca", str(tmp_path / "broken.pem"), "--data", str(tmp_path / "b")], "check --ca"),
            (["--data", str(tmp_path / "broken")], "can’t be opened"),
        ):
            assert main(["venue", *broker, *words]) == 1
            said = capsys.readouterr().err
            assert says in said
            assert said.count("\n") == 1
            assert "hunter2" not in said


def test_the_key_of_the_staff_stays_the_same(tmp_path: Path) -> None:
    """The key is the same after a restart, so that the phones of the staff need no new link. Nobody else on the machine
    can read it."""
    assert staff_key(tmp_path) == staff_key(tmp_path)
    assert len(staff_key(tmp_path)) == 16
    assert (tmp_path / "staff-key").stat().st_mode & 0o777 == 0o600


def health(venue: VenueProcess) -> Any:
    return json.loads(fetch(f"{venue.address}/healthz"))


@pytest.mark.slow
@with_mosquitto
def test_a_venue_waits_for_its_broker(tmp_path: Path) -> None:
    """The venue may be started before its broker, and says what it waits for. A wrong password gives another reason."""
    broker = ClubBroker(tmp_path, 1)
    with VenueProcess(broker, tmp_path / "venue") as venue:
        until(lambda: "Connection refused" in str(health(venue)["problems"]), "the reason")
        assert health(venue)["status"] == "degraded"
        broker.start()
        try:
            until(lambda: health(venue)["status"] == "ok", "the broker")
        finally:
            broker.stop()
        until(lambda: health(venue)["status"] == "degraded", "that the broker is gone")
        assert broker.passwords["venue"] not in venue.printed + str(health(venue))
    broker.passwords["venue"] = "wrong"
    with broker, VenueProcess(broker, tmp_path / "venue") as venue:
        until(lambda: "Not authorized" in str(health(venue)["problems"]), "the reason")
