"""The log and the support bundle, for people who help with a table."""

from __future__ import annotations

import io
import json
import logging
import os
import re
import socket
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest

from companion import backups
from companion.__main__ import main
from companion.backup_archive import BackupError
from companion.commands.redacted_settings import shown_address, shown_file
from companion.commands.run_service import report_problems
from companion.commands.service_log import KEPT_LINES, JournaldHandler, start_log
from companion.commands.settings_file import Settings
from companion.device_supervisor import DeviceSupervisor
from companion.diagnostics.findings import Finding
from companion.diagnostics.live_picture_types import LivePicture
from companion.diagnostics.support_bundle import support_bundle, without_secrets
from companion.match import journal_database
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from tests.systems_failing_tables import new_table
from web.access.lobby import Lobby
from web.access.phone_cookie import COOKIE
from web.app import create_app
from web.setup import camera_setup
from web.setup.backups_and_support_page import BackupsAndSupportPage


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    """The root logger, without handlers. Its handlers and level are restored after the test."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers[:] = []
    yield root
    for handler in set(root.handlers) - set(handlers):
        handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("host http://10.0.0.7/host?key=abc-DEF_1", "host http://10.0.0.7/host?key=…"),
        ('camera = "http://me:pass@10.0.0.9/video?token=7&x=1"', 'camera = "http://…@10.0.0.9/video?token=…&x=1"'),
        ("rtsp://10.0.0.9/live?user=admin&pwd=hunter2", "rtsp://10.0.0.9/live?user=admin&pwd=…"),
        ("http://10.0.0.9/user=admin_pass=hunter2_1.sdp", "http://10.0.0.9/user=admin_pass=…"),
        ("http://10.0.0.9/video?auth=abc&apikey=def", "http://10.0.0.9/video?auth=…&apikey=…"),
        ("wifi password: hunter2", "wifi password: …"),
        ('password = "hunter 2"', "password = …"),
        ('{"psk": "hunter2", "x": 1}', '{"psk": …, "x": 1}'),
        ('broker = "mqtt://me:a/b\'c@10.0.0.9"', 'broker = "mqtt://…@10.0.0.9"'),
        ("GET /table?hands=deadbeef HTTP/1.1", "GET /table?hands=… HTTP/1.1"),
        ("camera: 30 pictures a second", "camera: 30 pictures a second"),
        ("broker = 'mqtt://me:MQ\"hidden@10.0.0.9'", "broker = 'mqtt://…@10.0.0.9'"),
        ("mqtt://me:with hidden @ in it@10.0.0.9", "mqtt://…@10.0.0.9"),
        ("http://10.0.0.9/cgi?loginuse=a&loginpas=hidden&x=1", "http://10.0.0.9/cgi?loginuse=a&loginpas=…&x=1"),
        ("http://10.0.0.9/cgi?pwd=hid\"den'1 was opened", "http://10.0.0.9/cgi?pwd=… was opened"),
        ("http://10.0.0.9/cgi?p=hid@den was opened", "http://… was opened"),
        ("Kennwort: some hidden words", "Kennwort: …"),
        ("contraseña = hidden", "contraseña = …"),
        ('password = "hid\\"den" # new', "password = … # new"),
        ("Authorization: Basic aGlkZGVu", "Authorization: …"),
        ("-H 'Authorization: Bearer hid.den'", "-H 'Authorization: …"),
        ("sent Bearer hid.den-1 twice", "sent Bearer … twice"),
        ("a\n-----BEGIN PRIVATE KEY-----\nhidden\n-----END PRIVATE KEY-----\nb", "a\n-----BEGIN PRIVATE KEY-----…\nb"),
        ("-----BEGIN RSA PRIVATE KEY-----\nhidden\nhidden", "-----BEGIN RSA PRIVATE KEY-----…"),
    ],
)
def test_keys_and_passwords_are_left_out(text: str, safe: str) -> None:
    """In the log and the support bundle, keys and passwords are replaced by dots."""
    assert without_secrets(text) == safe


SETTINGS = """\
# My table. The Wi-Fi has the word hidden1
[service]
data = "/srv/games"   # hidden2
port = 8100
camera = "http://10.0.0.9:81/hidden3"
# camera = 'rtsp://me:hidden"4@10.0.0.9'
kennwort = "hidden5"
hosts = ["table.example.com", "http://me:hidden6@table"]
box = "none
[mqtt]
broker = 'mqtt://me:MQ"hidden7@10.0.0.9'
# broker = "mqtt://old:with hidden8@10.0.0.9"
broker = "mqtt://me:hidden9@10.0.0.9"x
broker = "mqtts:/me:hidden11"
broker = "hidden13"
camera = ["hidden12"]
camera = "/dev/v4l/by-path/pci-0000:00:14.0-usb"
table = "red"
[[hidden10]]
[pins]
"""
SHOWN_SETTINGS = """\
#
[service]
data = "/srv/games"
port = 8100
camera = "http://10.0.0.9:81/…"
# camera = "rtsp://…"
kennwort = …
hosts = …
box = …
[mqtt]
broker = "mqtt://…"
# broker = "mqtt://…"
broker = …
broker = …
broker = …
camera = …
camera = "/dev/v4l/by-path/pci-0000:00:14.0-usb"
table = "red"
…
[pins]
"""


def test_an_address_that_lacks_its_host_is_left_out() -> None:
    """Without an @, what follows the colon may be a password."""
    for text in ("mqtt://user:hidden", "http://user:hidden%40cam/video", "mqtt://user:hidden at host"):
        assert shown_address(text).endswith("://…"), text
    assert shown_address("http://cam.local:8081/video?key=hidden") == "http://cam.local:8081/…"


def test_settings_are_shown_without_secrets() -> None:
    """Of the settings, the support bundle shows only what can't be a secret, also in comments and in lines with
    mistakes. Each line keeps its number, since messages name lines."""
    assert shown_file(SETTINGS) == SHOWN_SETTINGS
    inline = 'service = {port = 1, camera = "http://me:hidden@10.0.0.9"}'
    assert shown_file(inline) == 'service.port = 1, service.camera = "http://…"\n'
    sample = Path(__file__).parents[1] / "appliance" / "tablekeeper.toml"
    assert '# hosts = ["table.example.com"]\n' in shown_file(sample.read_text())
    assert '# broker = "mqtt://…"\n' in shown_file(sample.read_text())


@pytest.fixture
def journald(tmp_path: Path) -> Iterator[socket.socket]:
    """A socket that receives what is sent to journald."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(str(tmp_path / "socket"))
        listener.settimeout(10)
        yield listener


def journal_stream(stream: TextIO) -> dict[str, str]:
    """The environment of a service whose output systemd sends to journald."""
    status = os.fstat(stream.fileno())
    return {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}


@pytest.mark.slow
def test_a_terminal_and_the_page_get_readable_lines(logger: logging.Logger) -> None:
    """A terminal gets readable lines with a time and a level. The page shows the last lines. Neither shows keys, and
    without a terminal there are no colors."""
    stream = io.StringIO()
    recent = start_log(stream, {})
    DeviceSupervisor(new_table(), [])._observe(DeviceHealth(device="box", ok=False, message="unplugged"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \[warning +\] box: unplugged *\n", stream.getvalue())
    assert recent.lines() == tuple(stream.getvalue().splitlines())
    for n in range(KEPT_LINES + 5):
        recent.emit(logging.LogRecord("x", logging.INFO, "", 0, f"host?key={n}", None, None))
    assert len(recent.lines()) == KEPT_LINES
    assert recent.lines()[-1].rstrip().endswith("host?key=…")


def refuse(message: str, hand: str) -> None:
    raise ValueError(message)


def fail(hand: str) -> None:
    """Logs a traceback of a function that knows a hand of cards."""
    try:
        refuse("http://10.0.0.7/host?key=secret", hand)
    except ValueError:
        logging.getLogger("table").exception("It broke")


def test_a_traceback_shows_no_values(logger: logging.Logger) -> None:
    """A traceback in the log shows lines of code, but no values of variables, and no keys in its message."""
    stream = io.StringIO()
    start_log(stream, {})
    hand = "".join(("seven", "spades"))
    fail(hand)
    assert "in refuse" in stream.getvalue()
    assert "ValueError: http://10.0.0.7/host?key=…\n" in stream.getvalue()
    assert hand not in stream.getvalue()


@pytest.mark.parametrize(("setting", "colored"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_only_a_terminal_gets_colors(setting: dict[str, str], colored: bool, logger: logging.Logger) -> None:
    """A terminal gets colors, unless NO_COLOR is set. The page gets none."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    recent = start_log(stream, setting)
    logging.getLogger("box").warning("unplugged")
    assert ("\x1b[" in stream.getvalue()) == colored
    assert "\x1b[" not in recent.lines()[0]


def test_journald_gets_fields(tmp_path: Path, journald: socket.socket, logger: logging.Logger) -> None:
    """journald gets the priority, the part of the program, the place in the code, and further fields of a record.
    Values with line breaks arrive whole. Keys are left out."""
    with (tmp_path / "stderr").open("w") as stream:
        start_log(stream, journal_stream(stream), tmp_path / "socket")
        logging.getLogger("box").warning("two\nlines host?key=abc", extra={"device": "box", "taskName": None})
    found = fields(journald.recv(65536))
    assert found["PRIORITY"] == "4"
    assert found["MESSAGE"] == "two\nlines host?key=…"
    assert (found["LOGGER"], found["DEVICE"]) == ("box", "box")
    assert found["CODE_FUNC"] == "test_journald_gets_fields"
    assert found["CODE_FILE"] == __file__
    assert found["SYSLOG_IDENTIFIER"] == "tablekeeper"


def test_journald_gets_names_that_are_not_text() -> None:
    """The name of a file may contain bytes that are not UTF-8. They are escaped."""
    record = logging.LogRecord("x", logging.INFO, "", 0, "\udc80.toml", None, None)
    assert b"MESSAGE=\\udc80.toml\n" in JournaldHandler(Path("/nowhere")).makePickle(record)


def test_journald_gets_tracebacks(tmp_path: Path, journald: socket.socket, logger: logging.Logger) -> None:
    """A traceback is a part of the message."""
    with (tmp_path / "stderr").open("w") as stream:
        start_log(stream, journal_stream(stream), tmp_path / "socket")
        fail("")
    found = fields(journald.recv(65536))
    assert found["PRIORITY"] == "3"
    assert found["MESSAGE"].startswith("It broke\nTraceback")
    assert found["MESSAGE"].endswith("ValueError: http://10.0.0.7/host?key=…")


def test_a_stream_that_does_not_lead_to_journald_gets_the_lines(
    tmp_path: Path, journald: socket.socket, logger: logging.Logger
) -> None:
    """A terminal that systemd has started passes JOURNAL_STREAM on to what runs in it, and still gets the log."""
    with (tmp_path / "stderr").open("w+") as terminal, (tmp_path / "journal").open("w") as stream:
        start_log(terminal, journal_stream(stream), tmp_path / "socket")
        logging.getLogger("box").warning("unplugged")
        terminal.seek(0)
        assert "unplugged" in terminal.read()


def fields(datagram: bytes) -> dict[str, str]:
    """The fields of a datagram in journald's native protocol."""
    found, rest = {}, datagram
    while rest:
        line, _newline, rest = rest.partition(b"\n")
        name, is_short, value = line.partition(b"=")
        if not is_short:
            size = int.from_bytes(rest[:8], "little")
            value, rest = rest[8 : 8 + size], rest[9 + size :]
        found[name.decode()] = value.decode()
    return found


def names_in(bundle: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


@pytest.mark.slow
def test_a_bundle_has_no_secrets(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The bundle contains the versions, the checks, the log and the settings, but no keys and no games."""
    findings = [Finding("disk", True, "Fine."), Finding("camera", False, 'At "http://me:pass@h/?pwd=abc"')]
    found = names_in(support_bundle(findings, ["host?key=abc"], 'camera = "http://a:b@c/"\n'))
    assert sorted(found) == ["doctor.json", "log.txt", "settings.toml", "versions.txt"]
    assert [each["says"] for each in json.loads(found["doctor.json"])] == ["Fine.", 'At "http://…@h/?pwd=…"']
    assert "Tablekeeper" in found["versions.txt"]
    assert "abc" not in found["log.txt"]
    assert "a:b" not in found["settings.toml"]
    target = tmp_path / "bundle.zip"
    assert main(["support", "-o", str(target), "--data", str(tmp_path)]) == 0
    assert "zbar" in names_in(target.read_bytes())["doctor.json"]
    assert main(["support", "-o", str(tmp_path / "none" / "x.zip"), "--data", str(tmp_path)]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


def page_of(table: Table, lobby: Lobby, upkeep: BackupsAndSupportPage) -> Any:
    context = camera_setup.SetupContext(table, lobby, lambda codes: None, "none", {}, False, upkeep)
    return create_app(table, lobby, setup=camera_setup.blueprint(context))


def test_the_host_backs_up_and_saves_the_bundle_on_the_page(tmp_path: Path) -> None:
    """Only the host can see the log on the page, make a backup, and save the bundle. A backup can't be downloaded,
    because it contains all hands."""
    table = new_table(tmp_path / "journal.sqlite3")
    lobby = Lobby(table)
    upkeep = BackupsAndSupportPage(
        lambda: ("box: <unplugged>",),
        lambda picture: b"bundle" + (picture or b""),
        lambda: backups.backups(tmp_path),
        lambda: backups.make_backup(tmp_path),
        lambda name: None,
        lambda: False,
    )
    app = page_of(table, lobby, upkeep)
    stranger, host = app.test_client(), app.test_client()
    host.set_cookie(COOKIE, lobby.claim_host(None, lobby.host_key))
    assert stranger.get("/setup/support").status_code == 403
    assert stranger.post("/setup/backup").status_code == 403
    assert backups.backups(tmp_path) == ()
    assert "No backups yet" in host.get("/setup").text
    assert host.post("/setup/backup").status_code == 303
    shown = host.get("/setup").text
    assert f'value="{backups.backups(tmp_path)[0].name}"' in shown
    assert "box: &lt;unplugged&gt;" in shown
    assert host.get("/setup/support").data == b"bundle"
    assert 'name="picture"' not in shown  # there is no camera


def test_a_picture_is_in_the_bundle_only_when_ticked() -> None:
    """A host may add the camera's picture to the bundle, unless the host plays in a game with hidden cards."""
    table = new_table()
    lobby = Lobby(table)
    upkeep = BackupsAndSupportPage(
        tuple, lambda picture: support_bundle((), (), "", picture), tuple, tuple, lambda name: None, lambda: False
    )
    live = LivePicture(b"jpeg", (4, 3))
    context = camera_setup.SetupContext(table, lobby, lambda codes: live, "", {}, False, upkeep)
    host = create_app(table, lobby, setup=camera_setup.blueprint(context)).test_client()
    token = lobby.claim_host(None, lobby.host_key)
    host.set_cookie(COOKIE, token)
    assert 'name="picture"' in host.get("/setup").text
    assert "camera.jpg" not in names_in(host.get("/setup/support").data)
    assert names_in(host.get("/setup/support?picture=1").data)["camera.jpg"] == "jpeg"
    table.end()
    table.start("system-won", 2, {}, {}, ("Ann", "Ben"), "seed")
    lobby.join(token, lobby.code, 0, "Ann")
    assert host.get("/setup/support?picture=1").status_code == 403
    assert 'name="picture"' not in host.get("/setup").text


def test_the_host_ends_the_reports_of_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While nobody has confirmed to know of a damaged journal, the page has a button for it. Only the host can do that,
    and a disk that can't store it is reported."""
    table = new_table(tmp_path / "journal.sqlite3")
    lobby = Lobby(table)
    app = page_of(table, lobby, maintenance(back_up=tuple))
    stranger, host = app.test_client(), app.test_client()
    host.set_cookie(COOKIE, lobby.claim_host(None, lobby.host_key))
    assert "/setup/damage" not in host.get("/setup").text
    (tmp_path / "journal-damaged-20300131-193000").mkdir()
    report_problems(table, Settings(data=tmp_path, simulate=True), "")
    assert "The journal was damaged." in host.get("/setup").text
    assert "/setup/damage" in host.get("/setup").text
    assert stranger.post("/setup/damage").status_code == 403
    assert [health.ok for health in table.health()] == [False]
    with monkeypatch.context() as patch:
        patch.setattr(journal_database, "confirm", refuse_to_write)
        assert host.post("/setup/damage").status_code == 503
    assert host.post("/setup/damage").status_code == 303
    assert [health.ok for health in table.health()] == [True]
    assert "/setup/damage" not in host.get("/setup").text


def refuse_to_write(journal: Path) -> None:
    raise OSError(30, "Read-only file system")


def maintenance(back_up: Callable[[], object]) -> BackupsAndSupportPage:
    return BackupsAndSupportPage(tuple, lambda picture: b"", tuple, back_up, lambda name: None, lambda: False)


def test_a_failed_backup_is_reported(tmp_path: Path) -> None:
    """If a backup can't be made, the page says why."""
    table = new_table()
    lobby = Lobby(table)

    def fail() -> None:
        raise BackupError("The disk is full.")

    host = page_of(table, lobby, maintenance(back_up=fail)).test_client()
    host.set_cookie(COOKIE, lobby.claim_host(None, lobby.host_key))
    answer = host.post("/setup/backup")
    assert answer.status_code == 503
    assert "The disk is full." in answer.text
