"""Restoring a backup on the host page: what is refused, what is kept, and that the service restarts by itself."""

from __future__ import annotations

import signal
import urllib.parse
import urllib.request
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion import backups
from companion.backup_archive import BackupError
from companion.commands import requested_restore
from companion.commands.requested_restore import RequestedRestore
from companion.match.journal import Journal
from companion.table.table import Table
from tests.running_service import HttpPhone, RunningService, until, url_text
from tests.systems_failing_tables import act, new_table
from web.access.lobby import Lobby
from web.access.phone_cookie import COOKIE
from web.app import create_app
from web.error_responses import RequestError
from web.setup import camera_setup
from web.setup.backups_and_support_page import BackupsAndSupportPage


class RestoreTable:
    """A table with a journal and its set-up page. `stopped` lists the signals that would have stopped the service."""

    def __init__(self, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(requested_restore, "DELAY_S", 0)
        self.stopped: list[int] = []
        monkeypatch.setattr(signal, "raise_signal", self.stopped.append)
        self.data, self.restore = data, RequestedRestore(data, None)
        self.open(new_table(data / "journal.sqlite3"))

    def open(self, table: Table) -> None:
        self.table, self.lobby = table, Lobby(table)
        self.restore.report(table, self.lobby)

    def host(self) -> FlaskClient:
        upkeep = BackupsAndSupportPage(
            tuple,
            lambda picture: b"",
            lambda: backups.backups(self.data),
            tuple,
            self.restore.request,
            lambda: self.restore.is_requested,
        )
        context = camera_setup.SetupContext(self.table, self.lobby, lambda codes: None, "none", {}, False, upkeep)
        client: FlaskClient = create_app(self.table, self.lobby, setup=camera_setup.blueprint(context)).test_client()
        client.set_cookie(COOKIE, self.lobby.claim_host(None, self.lobby.host_key))
        return client

    def restart(self) -> None:
        """Does what the service does after the signal."""
        self.table.journal.close()
        self.restore.run()
        self.open(Table(Journal(self.data / "journal.sqlite3")))

    def notices(self) -> list[str]:
        view = self.table.view()
        assert view
        return [str(notice.text) for notice in self.lobby.notices.of_game(view.id)]


@pytest.fixture
def restore_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RestoreTable:
    return RestoreTable(tmp_path, monkeypatch)


def version(table: Table) -> int:
    view = table.view()
    assert view
    return view.version


def test_only_the_host_goes_back_and_confirms_that_a_game_is_running(restore_table: RestoreTable) -> None:
    """Nothing is restored if the request is not the host's, if a game is running and there is no confirmation, or if
    the backup is damaged or missing."""
    backup = backups.make_backup(restore_table.data).path
    host = restore_table.host()
    form = {"backup": backup.name, "sure": "1"}
    assert restore_table.host().application.test_client().post("/setup/restore", data=form).status_code == 403
    assert f'value="{backup.name}"' in host.get("/setup").text
    refused = host.post("/setup/restore", data={"backup": backup.name})
    assert refused.status_code == 409
    assert "A game is running" in refused.text
    assert host.post("/setup/restore", data={"backup": "../journal.sqlite3", "sure": "1"}).status_code == 422
    sound = backup.read_bytes()
    backup.write_bytes(sound[:-40])
    assert host.post("/setup/restore", data=form).status_code == 422
    assert (restore_table.stopped, restore_table.restore.is_requested) == ([], False)
    backup.write_bytes(sound)
    assert host.get("/setup/restoring").status_code == 303
    answer = host.post("/setup/restore", data=form)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/setup/restoring")
    assert "Restoring the backup" in host.get("/setup/restoring").text
    until(lambda: restore_table.stopped == [signal.SIGTERM], seconds=10)
    assert [path.name for path in restore_table.data.iterdir() if path.name.startswith(".")] == []


def test_the_game_goes_back_and_nothing_is_lost(restore_table: RestoreTable) -> None:
    """After a restore, the game is as it was at the time of the backup. The moves since then are in a new backup, which
    the host can restore. The host stays a host, phones keep their seats, and the log tells everyone."""
    phone = restore_table.lobby.join(None, restore_table.lobby.code, 0, "Ann")
    token = restore_table.lobby.claim_host(None, restore_table.lobby.host_key)
    old = backups.make_backup(restore_table.data).path
    before = version(restore_table.table)
    late = restore_table.lobby.join(None, restore_table.lobby.code, 1, "Ben")
    act(restore_table.table, Random(1))
    act(restore_table.table, Random(2))
    after = version(restore_table.table)
    restore_table.restore.request(old.name)
    restore_table.restart()
    assert version(restore_table.table) == before
    assert restore_table.lobby.phones.session(token).host
    assert [restore_table.lobby.phones.session(each).seat for each in (phone, late)] == [0, 1]
    assert any("restored the backup of" in text for text in restore_table.notices())
    newest = backups.backups(restore_table.data)[0]
    assert newest != old
    restore_table.restore.request(newest.name)
    restore_table.restart()
    assert version(restore_table.table) == after


def test_in_another_game_nobody_gets_somebody_else_s_seat(restore_table: RestoreTable) -> None:
    """If another game is running in the backup, a phone that had no seat in that game has no seat after the restore."""
    old = backups.make_backup(restore_table.data).path
    restore_table.table.end()
    restore_table.table.start("systems-failing", 2, {}, {}, ("Cleo", "Dan"), "seed")
    phone = restore_table.lobby.join(None, restore_table.lobby.code, 1, "")
    restore_table.restore.request(old.name)
    restore_table.restart()
    session = restore_table.lobby.phones.session(phone)
    assert (session.has_joined, session.seat) == (True, None)


def test_a_game_comes_back_with_its_seats_and_with_who_has_seen_which_cards(restore_table: RestoreTable) -> None:
    """If the host restores a backup without the running game, and then a backup with it, the game's seats are not free,
    and a phone that has seen one hand still needs consent to see another."""
    restore_table.table.end()
    empty = backups.make_backup(restore_table.data).path
    restore_table.table.start("system-won", 2, {}, {}, ("Ann", "Ben"), "seed")
    ann, ben = (restore_table.lobby.join(None, restore_table.lobby.code, seat, "") for seat in range(2))
    restore_table.lobby.free(0)
    restore_table.restore.request(empty.name)
    restore_table.restart()
    restore_table.restore.request(backups.backups(restore_table.data)[0].name)
    restore_table.restart()
    assert [restore_table.lobby.phones.session(each).seat for each in (ann, ben)] == [None, 1]
    restore_table.lobby.free(1)
    with pytest.raises(RequestError, match="seen other cards"):
        restore_table.lobby.join(ann, restore_table.lobby.code, 1, "")


def test_a_restore_that_fails_changes_nothing(restore_table: RestoreTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a restore fails, the service goes on with the games that it has, and says why."""
    old = backups.make_backup(restore_table.data).path
    act(restore_table.table, Random(1))
    after = version(restore_table.table)
    restore_table.restore.request(old.name)

    def fail(*_: Any) -> None:
        raise BackupError("The disk is full.")

    monkeypatch.setattr("companion.commands.requested_restore.restore_backup", fail)
    restore_table.restart()
    assert version(restore_table.table) == after
    assert [str(health.message) for health in restore_table.table.health() if not health.ok] == ["The disk is full."]


@pytest.mark.slow
def test_the_running_service_restarts_with_the_backup(tmp_path: Path) -> None:
    """The host starts a game and then restores a backup from before. The service restarts at the same address, without
    the game, and the game is in a new backup."""
    with RunningService(tmp_path) as service:
        host = HttpPhone(service.address)
        host.get(service.host_link.removeprefix(service.address))
        old = backups.make_backup(tmp_path).path
        host.post("/api/start", {"game": "systems-failing", "seats": 2, "players": ["Ann", "Ben"]})
        form = urllib.parse.urlencode({"backup": old.name, "sure": "1"}).encode()
        request = urllib.request.Request(service.address + "/setup/restore", form)
        with host._opener.open(request, timeout=20) as answer:
            assert answer.url.endswith("/setup/restoring")
        until(lambda: len(backups.backups(tmp_path)) == 2, seconds=30)
        until(lambda: url_text(service.address + "/healthz")[0] == 200, seconds=30)
        until(lambda: "Restore a backup" in host.get("/setup"), seconds=10)
    with closing(Journal.read_only(tmp_path / "journal.sqlite3")) as journal:
        assert journal.running_game() is None
    with closing(Journal.read_only(next(tmp_path.glob("replaced-*")) / "journal.sqlite3")) as journal:
        assert journal.running_game() is not None
