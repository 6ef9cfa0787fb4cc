"""The hotspot, the page for joining a Wi-Fi, and the captive portal, with a fake nmcli."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from companion import wifi
from companion.__main__ import main
from companion.wifi import HOTSPOT, HOTSPOT_ADDRESS, Network, Wifi, WifiError, hotspot_password, password_problem
from tests.running_service import until
from tests.systems_failing_tables import new_table
from tests.web_table import new_web_table
from web.access import captive_portal
from web.access.lobby import Lobby
from web.access.phone_cookie import COOKIE
from web.app import create_app
from web.setup import camera_setup, wifi_page

PASSWORD = "pass word:12"


class Nmcli:
    """A fake nmcli that records commands and their input. `answers`: the output of commands that contain a certain
    word. `failing`: commands that contain this word fail."""

    def __init__(self, failing: str = "-", **answers: str) -> None:
        self.answers, self.failing = answers, failing
        self.commands: list[tuple[str, ...]] = []
        self.inputs: list[str] = []

    def __call__(self, command: Sequence[str], text: str) -> str:
        self.commands.append(tuple(command))
        self.inputs.append(text)
        if self.failing in command:
            raise WifiError("Secrets were required, but not provided.")
        return next((answer for word, answer in self.answers.items() if word in command), "")


def test_the_hotspot_opens_with_a_password_that_is_no_argument() -> None:
    """The commands open a network with addresses of its own. Another hotspot from before is removed."""
    nmcli = Nmcli(show=f"home\n{HOTSPOT}\n")
    Wifi(nmcli).open_hotspot(PASSWORD)
    said = [" ".join(command) for command in nmcli.commands]
    assert said[1] == f"nmcli connection delete id {HOTSPOT}"
    assert "802-11-wireless.mode ap" in said[2]
    assert f"ipv4.method shared ipv4.addresses {HOTSPOT_ADDRESS}/24" in said[2]
    assert said[-1].endswith(f"connection up id {HOTSPOT}")
    assert PASSWORD not in str(said)
    assert [text for text in nmcli.inputs if text] == [
        f"set 802-11-wireless-security.psk {PASSWORD}\nsave persistent\nquit\n"
    ]


def test_the_hotspot_opens_only_where_there_is_no_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command does nothing on a machine that is in a network, is joining a network, or has no free Wi-Fi adapter.
    It prints the password only if it is asked to."""
    options = ("hotspot", "--data", str(tmp_path))
    for states, opens in (
        ("wifi:connected\nloopback:unmanaged", False),
        ("ethernet:connected\nwifi:disconnected", False),
        ("ethernet:unavailable\nloopback:unmanaged", False),
        ("wifi:unavailable", False),
        ("wifi:connecting (getting IP configuration)", False),
        ("wifi:disconnected\nethernet:unavailable", True),
    ):
        nmcli = Nmcli(device=states)
        monkeypatch.setattr("companion.commands.hotspot.run_nmcli", nmcli)
        assert main(options) == 0
        assert any("up" in command for command in nmcli.commands) == opens
    password = hotspot_password(tmp_path)
    assert password not in capsys.readouterr().out
    assert (tmp_path / wifi.PASSWORD_FILE).stat().st_mode & 0o777 == 0o600
    assert main(("hotspot", "--dry-run")) == 0
    assert "+ nmcli connection add type wifi ifname '*' con-name tablekeeper-hotspot" in capsys.readouterr().out
    assert main((*options, "--password")) == 0
    assert capsys.readouterr().out == f"Tablekeeper: {password}\n"
    monkeypatch.setattr("companion.commands.hotspot.run_nmcli", Nmcli("up", device="wifi:disconnected"))
    assert main(options) == 1


def test_networks_in_reach() -> None:
    """Each network is listed once, the strongest first. Names may contain colons and backslashes."""
    nmcli = Nmcli(list="Home:40:WPA2\nHome:80:WPA2\n:70:WPA2\nCaf\\:é \\\\o:90:\n")
    assert Wifi(nmcli).networks() == (Network("Caf:é \\o", 90, False), Network("Home", 80, True))


def test_a_network_that_can_not_be_joined_is_forgotten() -> None:
    """If a network can't be joined, its connection is deleted, because the machine would otherwise try to join it at
    each start. A network that can be joined is kept."""
    nmcli = Nmcli(show="tablekeeper-Home\n", failing="up")
    with pytest.raises(WifiError):
        Wifi(nmcli).join("Home", PASSWORD)
    assert nmcli.commands[-1] == ("nmcli", "connection", "delete", "id", "tablekeeper-Home")
    nmcli = Nmcli()
    Wifi(nmcli).join("Home", "")
    assert nmcli.commands[-1][-2:] == ("connection.autoconnect", "yes")
    assert not any("802-11-wireless-security.key-mgmt" in command for command in nmcli.commands)


def test_messages_of_nmcli_about_a_password_are_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If a command contains a password, nmcli's error message is not shown, because it may repeat the password. The
    error messages of other commands are shown."""
    program = tmp_path / "nmcli"
    program.write_text("#!/bin/sh\ncat >&2\necho 'No suitable device' >&2\nexit 4\n")
    program.chmod(0o755)
    with pytest.raises(WifiError) as raised:
        wifi.run_nmcli((str(program), "edit"), PASSWORD)
    assert str(raised.value.message) == "NetworkManager: status 4"
    with pytest.raises(WifiError) as raised:
        wifi.run_nmcli((str(program), "up"), "")
    assert "No suitable device" in str(raised.value.message)
    with pytest.raises(WifiError):
        wifi.run_nmcli((str(tmp_path / "none"),), "")


@pytest.mark.parametrize(
    ("password", "is_good"),
    [("", True), ("12345678", True), (PASSWORD, True), ("short", False), (" 12345678", False), ("x" * 64, False),
     ("12345678\nquit", False), ("pässword1", False), ("0aF9" * 16, True)],
)  # fmt: skip
def test_passwords(password: str, is_good: bool) -> None:
    """A password that WPA does not allow is refused, and so is one with a line break, because nmcli would take what
    follows for a command."""
    assert (password_problem(password) == "") == is_good


class HostedSetupPage:
    """A table's set-up page with the given nmcli, and the table's host."""

    def __init__(self, nmcli: Nmcli) -> None:
        table = new_table()
        lobby = Lobby(table)
        context = camera_setup.SetupContext(table, lobby, lambda codes: None, "none", {}, False, None, Wifi(nmcli))
        self.app = create_app(table, lobby, setup=camera_setup.blueprint(context))
        self.host: FlaskClient = self.app.test_client()
        self.host.set_cookie(COOKIE, lobby.claim_host(None, lobby.host_key))


def test_the_host_enters_a_wifi(monkeypatch: pytest.MonkeyPatch, caplog: Any) -> None:
    """Only the host sees the networks and enters one. The password is on no page and in no log. If the network can't be
    joined, the page says why."""
    monkeypatch.setattr(wifi_page, "DELAY_S", 0)
    caplog.set_level(logging.DEBUG)
    nmcli = Nmcli("up", list="Home:80:WPA2\n")
    hosted = HostedSetupPage(nmcli)
    stranger, form = hosted.app.test_client(), {"network": "Home", "password": PASSWORD}
    assert stranger.get("/setup/wifi").status_code == 403
    assert stranger.post("/setup/wifi", data=form).status_code == 403
    assert 'href="/setup/wifi"' in hosted.host.get("/setup").text
    assert '<option value="Home">' in hosted.host.get("/setup/wifi").text
    for bad in ({**form, "password": "short"}, {**form, "network": ""}, {**form, "network": "é" * 17},
                {**form, "network": "a\0"}, {**form, "network": "a\nb"}):  # fmt: skip
        assert hosted.host.post("/setup/wifi", data=bad).status_code == 422
    assert not any(nmcli.inputs)
    answer = hosted.host.post("/setup/wifi", data=form)
    assert "The table is joining “Home”." in answer.text
    until(lambda: "Secrets were required" in hosted.host.get("/setup/wifi").text, seconds=10)
    assert any(PASSWORD in text for text in nmcli.inputs)
    assert PASSWORD not in answer.text + hosted.host.get("/setup/wifi").text + caplog.text
    assert not any(PASSWORD in word for command in nmcli.commands for word in command)


def test_phones_in_the_hotspot_are_led_to_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Phones find out whether they have internet access by requesting known addresses. The table redirects these
    requests to itself, but only in the hotspot. All other host names are refused as usual."""
    phone = new_web_table().phone()
    asked = {"Host": "connectivitycheck.gstatic.com"}
    monkeypatch.setattr(captive_portal, "lan_addresses", lambda: ("192.168.1.7",))
    assert phone.get("/generate_204", headers=asked).status_code == 403
    monkeypatch.setattr(captive_portal, "lan_addresses", lambda: (HOTSPOT_ADDRESS,))
    answer = phone.get("/generate_204", headers=asked)
    assert (answer.status_code, answer.headers["Location"]) == (302, "http://10.42.0.1/join")
    assert phone.get("/join", headers={"Host": "evil.example"}).status_code == 403
    assert phone.post("/api/moves", {}, headers=asked).status_code == 403
