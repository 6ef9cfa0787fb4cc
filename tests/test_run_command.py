"""`tablekeeper run`: its settings, its messages, how it stops, and that a game survives `kill -9`."""

from __future__ import annotations

import argparse
import signal
import socket
import subprocess
import sys
from http.cookiejar import CookieJar
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.commands import UsageError, run
from companion.commands.camera_startup import camera_findings, start_camera
from companion.commands.http_servers import port_error
from companion.commands.run_service import report_problems
from companion.commands.service_settings import DataFolderUnknown, resolve_settings
from companion.commands.settings_file import Settings, read_settings
from companion.devices.pins import Pins
from tests.running_service import HttpPhone, RunningService, join_code, until
from tests.systems_failing_tables import new_table
from tests.web_table import unwrapped


def arguments(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    run.add(parser.add_subparsers())
    return parser.parse_args(["run", *words])


def config(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_and_arguments(tmp_path: Path) -> None:
    """Arguments override the settings file, which overrides the defaults."""
    path = config(
        tmp_path,
        '[service]\nport = 8100\ncamera = "0"\nbox = "none"\nsimulate = true\ndata = "/srv/t"\n'
        "[pins]\nnext = 5\nled = 6\nbuzzer = 25\n",
    )
    settings, trouble = resolve_settings(arguments("--config", str(path), "--port", "8200"))
    assert trouble == ""
    assert settings == Settings(8200, Path("/srv/t"), "0", True, Pins(next=5, led=6, buzzer=25), "none")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[service]\nport = 99999\n", "table.toml, line 2: port is 99999; it must be 0 to 65535."),
        ('[service]\n\nport = "x"\n', "table.toml, line 3: port is 'x'; it must be a whole number."),
        ("[service]\nsimulate = 1\n", "table.toml, line 2: simulate is 1; it must be true or false."),
        ("[service]\ncube_mm = 16\n", "table.toml, line 2: cube_mm is 16; it must be 8 to 12."),
        ("[service]\nporrt = 1\n", "table.toml, line 2: porrt is unknown"),
        (
            "# slip\nport = 1\n",
            "table.toml, line 2: port isn’t a section. The sections are [service], [mqtt] and [pins].",
        ),
        ("[[service]]\nport = 1\n", "table.toml, line 1: service isn’t a section"),
        ("[pins]\nnext = 40\n", "table.toml, line 2: next is 40; it must be 2 to 27."),
        ("[pins]\nled = 17\n", "shares BCM 17 with another"),
        ("[pins]\nbuzzer = 17\n", "shares BCM 17 with another"),
        ("[service\n", "table.toml, line 1: "),
    ],
)
def test_a_bad_file_names_the_line(tmp_path: Path, text: str, line: str) -> None:
    """The message about a bad setting names its line, and the setting's default is used instead."""
    path = config(tmp_path, text)
    found = read_settings(path, Settings())
    assert line in str(found.problems[0])
    assert found.settings == Settings()
    _settings, trouble = resolve_settings(arguments("--config", str(path), "--data", str(tmp_path)))
    assert line in str(trouble)


def test_a_mistake_in_one_setting_leaves_the_others_in_force(tmp_path: Path) -> None:
    """A mistake in one setting leaves the other settings in force. Otherwise a mistake in another line could, for
    example, make the service ignore the data folder and open another journal."""
    path = config(
        tmp_path,
        '[service]\nport = 80000\ndata = "/srv/t"\ncamra = "1"\nbox = "none"\n[pins]\nnext = 40\nled = 17\nundo = 5\n',
    )
    settings, trouble = resolve_settings(arguments("--config", str(path)))
    assert settings == Settings(data=Path("/srv/t"), box="none", pins=Pins(undo=5))
    for line in (
        "line 2: port is 80000",
        "line 4: camra is unknown",
        "line 7: next is 40",
        "line 8: led shares BCM 17",
    ):
        assert line in str(trouble)


@pytest.mark.parametrize(
    "camera", ["picamera2", "none", "0", "/dev/v4l/by-id/usb-cam", "http://10.0.0.9/video", "film.mp4"]
)
def test_a_camera_is_known_or_may_appear_later(camera: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A camera in the settings file is the Pi's own, a number, a path, a URL or a file; or there is none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "film.mp4").touch()
    (tmp_path / "table.toml").write_text(f'[service]\ncamera = "{camera}"\n')
    found = read_settings(tmp_path / "table.toml", Settings())
    assert (found.settings.camera, found.problems) == (camera, ())


def test_a_table_without_a_camera_lacks_nothing(tmp_path: Path) -> None:
    """A camera that is switched off is no failure: for doctor, and in the health report."""
    settings = Settings(data=tmp_path, camera="none", box="none", simulate=True)
    assert [finding.ok for finding in camera_findings(settings, tmp_path)] == [True]
    assert start_camera(settings, None) is None
    table = new_table()
    report_problems(table, settings, "")
    (camera,) = table.health()
    assert (camera.device, camera.ok, camera.missing) == ("camera", True, True)


def test_a_misspelled_camera_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A word that can't be a camera is a mistake in the settings file. The message names the word that was meant."""
    (tmp_path / "table.toml").write_text('[service]\nport = 8100\ncamera = "pcamera2"\n')
    assert main(["config", "check", str(tmp_path / "table.toml")]) == 1
    told = capsys.readouterr().out
    assert "line 3: camera is 'pcamera2'; it must be picamera2, a number such as 0" in told
    assert "port = 8100" in told
    assert "camera =" not in told


@pytest.mark.parametrize("wrong", ["simulate = yes", "camera = “1”", "box = ", "tls", 'box = "none"'])
def test_a_line_that_is_not_toml_leaves_the_others_in_force(tmp_path: Path, wrong: str) -> None:
    """If a line is not valid TOML or repeats a setting, its number is reported, and the other lines count. A byte order
    mark at the beginning, as of Windows' editor, changes nothing."""
    text = f'\ufeff[service]\nport = 8100\nbox = "none"\n{wrong}\n[pins]\nundo = 5\n'
    path = config(tmp_path, text)
    found = read_settings(path, Settings())
    assert found.settings == Settings(port=8100, box="none", pins=Pins(undo=5))
    assert [str(each).startswith("table.toml, line 4: ") for each in found.problems] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "[service]\ndata = 7\n",
        '[service]\ndata = ""\n',
        "[service]\ndata = /srv/t\n",
        '[service]\ndata = "/srv/t"\ndata = "/srv/u"\n',
        '[service]\nport = 1\n[service]\ndata = "/srv/t"\n',
        '[service]\ndate = "/srv/t"\n',
        '[servce]\ndata = "/srv/t"\n',
        'data = "/srv/t"\n',
        '[service]\ndata = "/srv/t\n',
        '[service]\ndata = "games"\n',
        '[service]\ndata = "~nobody-here/games"\n',
        '[pins]\ndata = "/srv/t"\n',
        '[service]\n[mqtt]\ndata = "/srv/t"\n',
        '[service]\ndata = "/srv/u"\n[pins]\ndata = "/srv/t"\n',
        '[service.data]\nfolder = "/srv/t"\n',
        '[service.games]\ndata = "/srv/t"\n',
        'service.data = "/srv/t"\n[service]\nport = 1\n',
        "service.data = /srv/t\n",
        '"data" = /srv/t\n',
        "service = {port = 1, data = /srv/t}\n",
        '[table.service]\ndata = "/srv/t"\n',
        '[service]\ndata_folder = "/srv/t"\n',
        '[Service]\nDATA = "/srv/t"\n',
        '[storage]\ndaat = "/srv/t"\n',
        '[service]\ndata folder = "/srv/t"\n',
        '[service]\ndata: "/srv/t" # = x\n',
        '[service]\ndata "/srv/t"\n',
        '[service]\ndta "/srv/t"\n',
        '[mqtt]\nservice\ndata = "/srv/t"\n',
        '[service]\nport = 1\npins]\ndata = "/srv/t"\n',
        '[service]\ndata\u200b = "/srv/t"\n',
        '[service]\n"\uff44\uff41\uff54\uff41" = "/srv/t"\n',
        '[service]\ndata = "/srv/\\u0000t"\n',
    ],
)
def test_an_unclear_data_folder_is_never_guessed(tmp_path: Path, text: str) -> None:
    """If the data folder is named but can't be understood, the service does not start with another journal, unless an
    argument names the folder."""
    path = config(tmp_path, text)
    with pytest.raises(DataFolderUnknown, match=r"line [1234]"):
        resolve_settings(arguments("--config", str(path)))
    settings, trouble = resolve_settings(arguments("--config", str(path), "--data", "/srv/u"))
    assert (settings.data, "line" in str(trouble)) == (Path("/srv/u"), True)


@pytest.mark.parametrize(
    "row", ['camera "picamera2"', "camera picamera2", 'hosts ["a.example"]', "stray words", "port"]
)
@pytest.mark.parametrize("section", ["service", "pins"])
def test_a_line_without_an_equals_sign_stops_nothing_else(tmp_path: Path, row: str, section: str) -> None:
    """A line without "=" that can name neither the data folder nor a section is reported, and people can play."""
    text = '[service]\ndata = "/srv/t"\n[pins]\nnext = 5\n'.replace(f"[{section}]\n", f"[{section}]\n{row}\n")
    found = read_settings(config(tmp_path, text), Settings())
    assert (found.data_problem, found.settings) == ("", Settings(data=Path("/srv/t"), pins=Pins(next=5)))
    assert len(found.problems) == 1


@pytest.mark.parametrize(
    "text",
    [
        'service.data = "/srv/t"\nservice.port = 8100\npins.next = 5\n',
        'service = {data = "/srv/t", port = 8100}\npins = {next = 5}\n',
        '["service"]\n"data" = "/srv/t"\n\'port\' = 8100\n[ \'pins\' ]\nnext = 5\n',
        '[service]\ndata = """/srv/t"""\nport = 0x1FA4\n[pins]\nnext = 5\n',
    ],
)
def test_every_form_of_toml_is_read(tmp_path: Path, text: str) -> None:
    """Dotted keys, inline tables and quoted keys are read like plain ones."""
    found = read_settings(config(tmp_path, text), Settings())
    assert found.problems == ()
    assert found.settings == Settings(port=8100, data=Path("/srv/t"), pins=Pins(next=5))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("service.porrt = 1\n", "line 1: porrt is unknown"),
        ("# Pins\npins = {next = 40}\n", "line 2: next is 40"),
        ("[pins]\n\nport = 1\n", "line 3: port belongs in the section [service]."),
        ('[service]\n"broker" = "mqtt://10.0.0.9"\n', "line 2: broker belongs in the section [mqtt]."),
        ('[service]\nhosts = [\n"*.example.com"]\n', "line 2: hosts contains '*.example.com'; write a name"),
        ('[service]\ndata = "games"\n', "line 2: data is 'games'; it must be a full path, such as /srv/games."),
        ('[service]\ncamera = ["http://me:pass@10.0.0.9/"]\n', "line 2: camera is '…'"),
    ],
)
def test_mistakes_in_any_form_name_the_line(tmp_path: Path, text: str, line: str) -> None:
    """A mistake is reported with its line, whatever the form of the setting. The message contains no password."""
    (problem,) = read_settings(config(tmp_path, text), Settings()).problems
    assert line in str(problem)
    assert "pass" not in str(problem)


def test_hosts_are_names_or_addresses_of_pages(tmp_path: Path) -> None:
    """A host is given by its name, or by the address of a page there; only the name counts."""
    hosts = '["https://Table.example.com/", "games.example.com:8443", "spiel.müller.example", "table."]'
    path = config(tmp_path, f"[service]\nhosts = {hosts}\n")
    found = read_settings(path, Settings())
    assert found.problems == ()
    assert found.settings.hosts == ("table.example.com", "games.example.com", "spiel.xn--mller-kva.example", "table")


@pytest.mark.parametrize(
    "line",
    [
        '[mqtt]\nbroker = """\nmqtt://user:GEHEIM@host\n"""',
        '[mqtt]\nbroker = "mqtt://user:GEHEIM@host\\n"',
        '[mqtt]\nca = ["user:GEHEIM@host"]',
        'box = ["user:GEHEIM@host"]',
        'simulate = "user:GEHEIM@host"',
        'tls = "http://user:GEHEIM@host"',
        '[pins]\nnext = "http://user:GEHEIM@host"',
        '"http://user:GEHEIM@host" = 1',
        '["http://user:GEHEIM@host"]',
        'hosts = ["GEHEIM:user＠host:x y"]',
        'camera = "user:GEHEIM@cam:554"',
        'camera = ["http://user:GEHEIM@cam/mjpeg"]',
        'hosts = "http://user:GEHEIM@host"',
        'hosts = [["http://user:GEHEIM@host"]]',
    ],
)
def test_a_message_about_a_setting_shows_no_password(line: str, tmp_path: Path) -> None:
    """A wrong value that may be an address with a password is not repeated: everyone may read the message."""
    (problem,) = read_settings(config(tmp_path, f"[service]\n{line}\n"), Settings()).problems
    assert "line 2" in str(problem) or "line 3" in str(problem)
    assert "GEHEIM" not in str(problem)


def test_config_check_shows_no_password(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`config check` prints the settings without passwords."""
    path = config(
        tmp_path,
        '[service]\ncamera = "http://me:pa ss@10.0.0.9/video"\n[mqtt]\nbroker = "mqtt://me:pa%20ss@10.0.0.9"\n'
        "[pins]\nnext = 5\n",
    )
    assert main(["config", "check", str(path)]) == 0
    told = capsys.readouterr().out
    assert "camera = http://…" in told
    assert "broker = 10.0.0.9:1883\n" in told
    assert "pins = next 5, draw 27, undo 22, confirm 23, led 24\n" in told
    assert "ss" not in told.replace("address", "").replace("password", "")


def test_a_missing_settings_file_is_reported(tmp_path: Path) -> None:
    """A missing settings file is reported. The service starts only if an argument names the data folder."""
    missing = ("--config", str(tmp_path / "none.toml"))
    with pytest.raises(DataFolderUnknown, match=r"Can’t read .*none\.toml"):
        resolve_settings(arguments(*missing))
    _, trouble = resolve_settings(arguments(*missing, "--data", str(tmp_path)))
    assert "none.toml" in str(trouble)


def test_an_impossible_port_is_wrong_usage() -> None:
    """A port above 65535 is wrong usage."""
    with pytest.raises(UsageError, match="65535"):
        resolve_settings(arguments("--port", "70000"))


def test_problems_with_a_port_have_a_remedy() -> None:
    """Each problem with a port gives one line with a remedy."""
    assert "1024" in str(port_error(80, PermissionError(13, "Permission denied")))
    assert "--port 0" in str(port_error(8000, OSError(98, "Address already in use")))


def host(service: RunningService) -> HttpPhone:
    """A client that has opened the host link."""
    phone = HttpPhone(service.address)
    phone.get(service.host_link.removeprefix(service.address))
    return phone


@pytest.mark.slow
def test_without_hardware_it_runs_and_says_what_is_missing(tmp_path: Path) -> None:
    """Without camera and GPIO, and with a bad settings file, the pages are served and the problems are reported. The
    service stops when it is told to."""
    path = config(tmp_path, "[service]\nport = true\n")
    with RunningService(tmp_path / "data", "--config", str(path)) as service:
        phone = HttpPhone(service.address)
        until(lambda: len(phone.get("/healthz")["devices"]) == 5, "the devices' health")
        health = {device["device"]: device for device in phone.get("/healthz")["devices"]}
        assert "line 2" in health["configuration"]["says"]
        assert "--camera" in health["camera"]["says"]
        assert "--box none" in health["box"]["says"]
        assert [name for name, device in health.items() if device["ok"]] == [
            "gpio",
            "disk",
        ]  # not a Pi, so missing pins are not reported
        page = unwrapped(host(service).get("/setup"))
        assert page.count(">To fix<") == page.count('class="wrong"') >= 3
        assert ">OK</span><b>Buttons and lamp (GPIO)</b>" in page
        assert f":{service.address.rsplit(':')[-1]}/" in page
        assert ":0/" not in page
        assert "ok    running        Tablekeeper" in doctor_says(service.data)
        assert "simulator" not in "".join(service.said)
        with pytest.raises(AssertionError, match="404"):
            phone.get("/simulator/state")
        assert service.stop() == 0


def doctor_says(data: Path) -> str:
    """What `doctor` prints while the service runs. The command is not given the port."""
    command = [sys.executable, "-m", "companion", "doctor", "--data", str(data)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@pytest.mark.slow
def test_a_port_or_folder_that_can_not_be_used_is_reported_in_one_line(tmp_path: Path) -> None:
    """A port in use, a data folder that is in use or is a file, and pictures that can't be written each give exit
    status 1 and one line with a remedy."""
    with socket.socket() as taken:
        taken.bind(("0.0.0.0", 0))
        taken.listen()
        assert_fails(tmp_path / "a", "--port", str(taken.getsockname()[1]), says="--port 0")
    with RunningService(tmp_path / "b"):
        assert_fails(tmp_path / "b", says="Another Tablekeeper is using")
        # The service that could not start has erased nothing.
        assert "ok    running        Tablekeeper" in doctor_says(tmp_path / "b")
    (tmp_path / "file").write_text("")
    assert_fails(tmp_path / "file", says="--data")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "prints").write_text("")
    assert_fails(tmp_path / "c", "--simulate", says="Make room on the disk")


def assert_fails(data: Path, *options: str, says: str) -> None:
    service = RunningService(data, *options)
    with pytest.raises(AssertionError):
        service.__enter__()
    assert service.stop() == 1
    assert says in service.said[-1]
    assert not any("Traceback" in line for line in service.said)


@pytest.mark.slow
def test_a_game_outlives_kill_9(tmp_path: Path) -> None:
    """After `kill -9` the game, the version, and the seats with their cookies are the same, and the simulated cards are
    in the same places."""
    jar = CookieJar()
    with RunningService(tmp_path, "--simulate") as service:
        keeper, phone = host(service), HttpPhone(service.address, jar)
        keeper.post("/api/start", {"game": "systems-failing", "options": {}, "dealers": {}, "players": ["Ann", "Bob"]})
        phone.post("/api/join", {"code": join_code(keeper.get("/host")), "seat": 0, "name": "Ann"})
        keeper.post("/simulator/do/tidy", {})
        phone.move({"move": "scavenge", "seat": 0})
        before = phone.view()
        table = keeper.get("/simulator/state")
        service.stop(signal.SIGKILL)
    with RunningService(tmp_path, "--simulate") as service:
        phone = HttpPhone(service.address, jar)
        assert phone.view() == before
        again = host(service)
        assert again.get("/simulator/state")["on_mat"] == table["on_mat"]
        phone.move({"move": "end_turn", "seat": 0})
        assert phone.view()["version"] == before["version"] + 1
        assert service.stop() == 0


def test_the_camera_process_learns_the_size_of_the_cubes(tmp_path: Path) -> None:
    """The setting `cube_mm` reaches the process that counts the cubes."""
    path = config(tmp_path, '[service]\ncamera = "0"\ncube_mm = 10\n')
    settings, trouble = resolve_settings(arguments("--config", str(path), "--data", str(tmp_path)))
    camera = start_camera(settings, None)
    assert trouble == ""
    assert camera is not None
    assert camera._settings.cube_mm == 10
