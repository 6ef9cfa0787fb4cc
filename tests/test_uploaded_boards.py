"""Boards over HTTP: a request can name built-in and uploaded boards, but no other file of the machine."""

from __future__ import annotations

import io
import stat
from pathlib import Path
from typing import Any

import pytest

from companion.games import GAMES
from companion.match.journal import Journal
from companion.table.table import Table
from tests.commute_positions import TOWN
from tests.web_table import Phone, empty_web_table, unwrapped
from web.app import create_app
from web.uploaded_boards import MAX_BOARDS


class HostedTable:
    """A table without a game, and its host."""

    def __init__(self, folder: Path | None) -> None:
        web_table = empty_web_table()
        self.table, self.folder = web_table.table, folder
        client = create_app(web_table.table, web_table.lobby, board_folder=folder).test_client()
        self.host = Phone(client)
        self.host.get(f"/host?key={web_table.lobby.host_key}")

    def upload(self, name: str, text: str | bytes, game: str = "commute") -> Any:
        data = text if isinstance(text, bytes) else text.encode()
        form = {"upload-board": game, "board": (io.BytesIO(data), name)}
        return self.host.client.post("/host", data=form, content_type="multipart/form-data")

    def start(self, board: str, game: str = "commute") -> Any:
        return self.host.post("/api/start", {"game": game, "options": {"board": board}})


@pytest.fixture
def hosted(tmp_path: Path) -> HostedTable:
    return HostedTable(tmp_path / "data" / "boards")


@pytest.mark.parametrize("game", ["commute", "traffic-congestion"])
def test_no_path_opens_a_file(hosted: HostedTable, tmp_path: Path, game: str) -> None:
    """A path in place of a board's name opens no file. The answer is the same for all paths, and contains nothing from
    any file."""
    (tmp_path / "secret.toml").write_text("password = 'hunter2'\n")
    answers = set()
    for path in (
        "/etc/shadow",
        "/etc/passwd",
        str(tmp_path / "secret.toml"),
        str(tmp_path),
        "../secret",
        "/none",
        "\0",
    ):
        refused = hosted.start(path, game)
        assert refused.status_code == 422
        message = refused.json["error"]["message"]
        assert message.startswith("There’s no board ")
        answers.add(message.partition("; ")[2])
    assert len(answers) == 1
    form = {"game": game, "option-board": "/etc/shadow", "other-board": "/etc/passwd"}
    page = hosted.host.client.post("/host", data=form)
    assert "There’s no board" in page.text
    assert "root" not in page.text
    assert hosted.table.view() is None


def test_an_uploaded_board_can_be_played(hosted: HostedTable) -> None:
    """An uploaded board is checked, and stored under its name in a file that only its owner can read. It is offered on
    the host page, and stored with each game that is played on it."""
    assert hosted.upload("My Town.TOML", TOWN).headers["Location"] == "/host?game=commute"
    assert hosted.folder
    file = hosted.folder / "commute" / "my-town.toml"
    assert file.read_text() == TOWN
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert 'value="my-town"' in hosted.host.get("/host?game=commute").text
    assert hosted.start("my-town").status_code == 200
    header = hosted.table.journal.last_header()
    assert header
    assert header.setup["board"] == {"file": "my-town.toml", "text": TOWN}
    assert 'value="my-town" checked>' in unwrapped(hosted.host.get("/host?game=commute").text)
    file.unlink()
    assert hosted.start("my-town").status_code == 422


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("town.toml", "[board", "town.toml, line 1"),
        ("town.toml", b"\xff\xfe", "UTF-8"),
        ("town.toml", "x" * 65_000, "too large"),
        ("metropolis.toml", TOWN, "its own name"),
        ("---.toml", TOWN, "its own name"),
        ("", TOWN, "No file chosen"),
    ],
)
def test_a_bad_board_is_refused(hosted: HostedTable, name: str, text: str | bytes, message: str) -> None:
    """A bad board is refused. The message says what is wrong, and nothing is stored."""
    refused = hosted.upload(name, text)
    assert 400 <= refused.status_code < 500
    assert message in refused.text
    assert hosted.folder
    assert not hosted.folder.exists()


def test_a_name_is_no_path(hosted: HostedTable) -> None:
    """Folders in the file name of an upload are dropped."""
    hosted.upload("../../../tmp/my town.toml", TOWN)
    assert hosted.folder
    assert [file.name for file in hosted.folder.rglob("*.toml")] == ["my-town.toml"]


def test_there_is_a_limit(hosted: HostedTable) -> None:
    for number in range(MAX_BOARDS):
        assert hosted.upload(f"town{number}.toml", TOWN).status_code == 303
    assert hosted.upload("one-more.toml", TOWN).status_code == 422
    assert hosted.upload("town1.toml", TOWN).status_code == 303


def test_only_the_host_uploads(hosted: HostedTable) -> None:
    stranger = Phone(hosted.host.client.application.test_client())
    form = {"upload-board": "commute", "board": (io.BytesIO(TOWN.encode()), "town.toml")}
    assert stranger.client.post("/host", data=form, content_type="multipart/form-data").status_code == 403


def test_without_a_folder_nothing_can_be_uploaded() -> None:
    hosted = HostedTable(None)
    assert hosted.upload("town.toml", TOWN).status_code == 404
    assert hosted.upload("town.toml", TOWN, game="system-won").status_code == 404


def test_a_full_disk_is_reported(hosted: HostedTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the disk is full, the upload is refused, and no half-written file is left."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    refused = hosted.upload("town.toml", TOWN)
    assert refused.status_code == 503
    assert "No space left" in refused.text
    assert hosted.folder
    assert [*(hosted.folder / "commute").iterdir()] == []


def test_old_games_with_a_board_file_still_replay() -> None:
    """Old games with a board file can still be replayed, because the journal contains the text of the board."""
    table = Table(Journal(None))
    board = {"file": "town.toml", "text": TOWN}
    id = table.start("commute", None, {"board": board}, {}, ("Ann", "Bob"), "a seed")
    assert GAMES["commute"].rules.boards
    assert Table(table.journal).view().id == id
