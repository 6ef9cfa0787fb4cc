"""What people see when the service can't start, and when moves can't be stored."""

from __future__ import annotations

import argparse
import logging
import os
import re
import signal
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from companion import backups
from companion.__main__ import main
from companion.backup_archive import JOURNAL
from companion.commands import CommandError, recovery_mode, run_service
from companion.commands.data_folder_lock import exclusive_lock
from companion.commands.recovery_mode import RecoveryActions
from companion.commands.service_log import RecentLines
from companion.commands.service_settings import add_settings, resolve_settings
from companion.match.journal import Journal
from companion.match.journal_error import JournalError
from companion.tabletop.observations import DeviceHealth
from tests.running_service import free_port, until, url_text
from tests.systems_failing_tables import new_table
from tests.web_table import new_web_table
from web.access.lobby import Lobby
from web.access.phone_cookie import COOKIE
from web.startup_failure_page import create_failure_app


@contextmanager
def service(*options: str) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """A service in a process of its own, and the port of its pages."""
    port = free_port()
    command = [sys.executable, "-m", "companion", "run", "--port", str(port), *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield port, process
        finally:
            process.terminate()
            process.wait(20)


def answer(port: int, path: str) -> tuple[int, str] | None:
    """The status and the page at a path; None if nothing answers."""
    found = url_text(f"http://127.0.0.1:{port}{path}")
    return found if found[0] else None


@pytest.mark.slow
def test_a_data_folder_that_is_not_known_starts_no_game(tmp_path: Path) -> None:
    """If the setting `data` has a typo, the service does not open another journal. Every page says what is wrong, and
    in which line."""
    path = tmp_path / "table.toml"
    path.write_text('[service]\ndata = "/srv/t\n')
    with service("--config", str(path)) as (port, process):
        assert process.stderr
        said = process.stderr.readline()
        status, page = until(lambda: answer(port, "/play"))
        health, _json = url_text(f"http://127.0.0.1:{port}/healthz")
    assert "line 2" in said
    assert "Traceback" not in said
    assert (status, health) == (503, 503)
    assert "table.toml, line 2" in page
    assert process.returncode == 0  # systemd must not take a stop for a failure


@pytest.mark.slow
def test_an_unusable_data_folder_is_reported_on_a_page(tmp_path: Path) -> None:
    """With a settings file, a page gives the reason. Without one, the command prints the reason in one line and
    ends."""
    (tmp_path / "file").touch()
    path = tmp_path / "table.toml"
    path.write_text(f'[service]\ndata = "{tmp_path}/file"\n')
    with service("--config", str(path)) as (port, _process):
        status, page = until(lambda: answer(port, "/"))
    assert status == 503
    assert f"{tmp_path}/file" in page


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (PermissionError(13, "Permission denied", "/data/x"), "/data/x: Permission denied"),
        (ZeroDivisionError(), "This is a bug in Tablekeeper; please report it: ZeroDivisionError at"),
    ],
)
def test_any_error_at_the_start_is_reported_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    """Any error at the start is reported on the page, because there may be nobody who reads the console."""
    reported: list[str] = []

    def fail(*_arguments: object) -> None:
        raise error

    def report(_settings: object, failure: CommandError, *_others: object) -> bool:
        reported.append(str(failure))
        return False

    monkeypatch.setattr(run_service, "open_devices", fail)
    monkeypatch.setattr(run_service, "run_recovery_mode", report)
    monkeypatch.setattr(run_service, "start_log", RecentLines)
    path = tmp_path / "table.toml"
    path.write_text(f'[service]\ndata = "{tmp_path}/data"\n')
    assert main(["run", "--config", str(path)]) == 0
    assert [line.startswith(said) for line in reported] == [True]


def test_one_port_for_http_and_https_is_a_mistake_in_the_file(tmp_path: Path, capsys: Any) -> None:
    """If the settings file gives the same port for http and https, the table runs without https and says why. On the
    command line, this is wrong usage."""
    path = tmp_path / "table.toml"
    path.write_text(f'[service]\ndata = "{tmp_path}"\nport = 8000\ntls = 8000\n')
    command = argparse.ArgumentParser()
    add_settings(command)
    settings, problem = resolve_settings(command.parse_args(["--config", str(path)]))
    assert (settings.port, settings.tls) == (8000, None)
    assert "http uses that port already" in str(problem)
    assert main(["run", "--config", str(path), "--tls", "8000"]) == 2


def test_the_page_is_in_the_phone_s_language_and_for_nobody_else() -> None:
    """The page of a service that can't start is in the phone's language. Other web sites can't read it by pointing
    their host name at this machine."""
    client = create_failure_app("line 2").test_client()
    german = client.get("/", headers={"Accept-Language": "de"}).text
    assert '<html lang="de"' in german
    assert "line 2" in german
    assert client.get("/healthz").json["status"] == "stopped"
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 403


def kept_table(data: Path) -> tuple[Lobby, str, str]:
    """A data folder with a game and a backup. Returns its lobby, the token of its host, and that of a player."""
    table = new_table(data / JOURNAL)
    lobby = Lobby(table)
    host, player = lobby.claim_host(None, lobby.host_key), lobby.join(None, lobby.code, 0, "Ann")
    backups.make_backup(data)
    table.journal.close()
    return lobby, host, player


@pytest.mark.parametrize("is_readable", [True, False])
def test_only_hosts_see_the_log_and_restore_in_recovery_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_readable: bool
) -> None:
    """Hosts are known by their cookie or the host link, from the journal or, if that can't be read, from a backup. A
    backup that is missing or damaged replaces nothing."""
    stopped: list[int] = []
    monkeypatch.setattr(signal, "raise_signal", stopped.append)
    monkeypatch.setattr(recovery_mode, "DELAY_S", 0)
    lobby, host, player = kept_table(tmp_path)
    journal, (backup,) = tmp_path / JOURNAL, backups.backups(tmp_path)
    if not is_readable:
        journal.write_bytes(b"no database" * 100)
    before, log = journal.read_bytes(), RecentLines()
    log.emit(logging.LogRecord("box", logging.WARNING, "", 0, "unplugged", None, None))
    app = create_failure_app("It is broken.", RecoveryActions(tmp_path, log))
    strangers = ((None, ""), (player, ""), (None, "x"))
    for token, key in (*strangers, (host, ""), (None, lobby.host_key)):
        is_host = (token, key) not in strangers
        client = app.test_client()
        if token:
            client.set_cookie(COOKIE, token)
        page = client.get(f"/?key={key}").text
        assert ("unplugged" in page, backup.name in page) == (is_host, is_host)
        answer = client.post("/restore", data={"backup": "../x", "key": key})
        assert answer.status_code == (422 if is_host else 403)
    assert (journal.read_bytes(), stopped) == (before, [])
    with exclusive_lock(tmp_path):
        assert client.post("/restore", data={"backup": backup.name, "key": lobby.host_key}).status_code == 422
    answer = client.post("/restore", data={"backup": backup.name, "key": lobby.host_key})
    assert answer.status_code == 200
    until(lambda: stopped == [signal.SIGTERM], seconds=10)
    with closing(Journal(journal)) as restored:
        assert restored.running_game()
    assert any(path.name.startswith("replaced-") for path in tmp_path.iterdir())


@pytest.mark.slow
def test_after_a_restore_in_recovery_mode_the_table_runs(tmp_path: Path) -> None:
    """If the journal has a newer version, the service can't start. After the host has restored the backup on the page,
    the service starts by itself. Without the key of the host link, or with a wrong one, nothing is restored."""
    data, path = tmp_path / "data", tmp_path / "table.toml"
    lobby, _host, _player = kept_table(data)
    with closing(sqlite3.connect(data / JOURNAL)) as database:
        database.execute("PRAGMA user_version = 1000")
    path.write_text(f'[service]\ndata = "{data}"\n')
    with service("--config", str(path)) as (port, process):
        status, page = until(lambda: answer(port, f"/?key={lobby.host_key}"))
        assert (status, "newer" in page, "Restore a backup" in page) == (503, True, True)
        (backup,) = backups.backups(data)
        for wrong in ({}, {"key": ""}, {"key": "wrong"}, {"key": lobby.host_key[:-1]}):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(
                    f"http://127.0.0.1:{port}/restore", urlencode({"backup": backup.name, **wrong}).encode()
                )
            refused.value.close()
            assert refused.value.code == 403
        assert not [*data.glob("replaced-*")]
        form = urlencode({"backup": backup.name, "key": lobby.host_key}).encode()
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/restore", form) as restored:
            assert restored.status == 200
        until(lambda: url_text(f"http://127.0.0.1:{port}/healthz")[0] == 200)
        assert process.poll() is None


def test_a_name_of_a_reverse_proxy_is_a_setting() -> None:
    """A request to another name of this machine is refused, unless the settings list that name."""
    web_table = new_web_table()
    asked = {"Host": "table.example.com"}
    assert web_table.phone().get("/join", headers=asked).status_code == 403
    web_table.app.config["TABLEKEEPER_HOSTS"] = ("table.example.com",)
    assert web_table.phone().get("/join", headers=asked).status_code == 200
    assert web_table.phone().get("/join", headers={"Host": "evil.example"}).status_code == 403


def test_healthz_fails_when_moves_can_not_be_stored() -> None:
    """/healthz has status 503 when nothing can be stored, and names the journal."""
    web_table = new_web_table()
    assert web_table.phone().get("/healthz").status_code == 200
    web_table.table.journal._database._db.close()
    answer = web_table.phone().get("/healthz")
    assert (answer.status_code, answer.json["status"]) == (503, "failing")
    assert [each["device"] for each in answer.json["devices"] if not each["ok"]] == ["journal"]


def test_a_move_that_can_not_be_saved_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """The log says why moves can't be saved, once and not for each attempt, and says when they can be saved again."""
    caplog.set_level(logging.INFO)
    journal = Journal(None)
    database = journal._database._db
    for _attempt in range(2):
        for _move in range(2):
            database.execute("PRAGMA query_only = 1")
            with pytest.raises(JournalError):
                journal.save_note("x", 1)
        database.execute("PRAGMA query_only = 0")
        for _move in range(2):
            journal.save_note("x", 1)
    logged = [(record.levelname, record.name, record.getMessage()) for record in caplog.records]
    why = "Couldn’t save this (attempt to write a readonly database). Is the disk full? Nothing was changed."
    assert logged == [("ERROR", "journal", why), ("INFO", "journal", "Moves can be saved again.")] * 2


def test_healthz_names_the_device_that_does_not_work() -> None:
    """If the box is missing, /healthz has status 200, because people can still play. But it does not say that
    everything is all right."""
    web_table = new_web_table()
    web_table.table.observe(DeviceHealth(device="box", ok=False, message="unplugged"))
    answer = web_table.phone().get("/healthz")
    assert (answer.status_code, answer.json["status"]) == (200, "degraded")
    assert [each["device"] for each in answer.json["devices"] if not each["ok"]] == ["box"]


def test_prometheus_gets_figures_that_everyone_may_know() -> None:
    """Each line of /metrics is a comment or a figure. Every viewer gets the same lines."""
    web_table = new_web_table()
    web_table.table.observe(DeviceHealth(device="box", ok=False, message="unplugged"))
    metrics = web_table.phone().get("/metrics")
    assert metrics.content_type.startswith("text/plain; version=0.0.4")
    lines = [line for line in metrics.text.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r'\w+(\{\w+="[^"]*"\})? \d+', line) for line in lines)
    assert 'tablekeeper_device_ok{device="box"} 0' in lines
    assert "tablekeeper_can_save 1" in lines
    assert web_table.phone(0).get("/metrics").text == metrics.text


def test_checking_whether_moves_can_be_stored_changes_nothing(tmp_path: Path) -> None:
    """The check whether moves can be stored stores nothing itself. It reports a folder that can't be written, and a
    journal that another process has locked."""
    path = tmp_path / "data" / "journal.sqlite3"
    journal = Journal(path)
    before = {each.name: each.read_bytes() for each in path.parent.iterdir()}
    assert journal.saving_problem() == ""
    assert {each.name: each.read_bytes() for each in path.parent.iterdir()} == before
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    journal._database._db.execute("PRAGMA busy_timeout = 1")
    assert "locked" in str(journal.saving_problem())
    other.close()
    os.rename(path.parent, tmp_path / "moved")
    assert "Couldn’t save this (No such file or directory)." in str(journal.saving_problem())
    journal.close()
