"""The first start without a console: who may set up a new table, and the page that asks for language, name, country
and Wi-Fi."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from companion import hostname_and_country, wifi
from companion.hostname_and_country import SETTINGS_FILE, MachineSettings, can_change_machine
from companion.match.journal import Journal
from companion.table.table import Table
from companion.wifi import HOTSPOT_ADDRESS, Wifi, hotspot_password
from tests.manual_clock import ManualClock
from tests.running_service import until
from tests.systems_failing_tables import new_table
from tests.test_wifi import PASSWORD, Nmcli
from tests.web_table import Phone
from web.access import first_host_offer as new_table_module
from web.access.first_host_offer import OFFER_S, FirstHostOffer
from web.access.lobby import NOTE_KEY, Lobby
from web.app import create_app
from web.setup import camera_setup, first_run_page, wifi_page

HOTSPOT_PHONE = {"environ_base": {"REMOTE_ADDR": "10.42.0.7"}}
HOME_PHONE = {"environ_base": {"REMOTE_ADDR": "192.168.1.7"}}
BUTTON = "Set up this table"
SCRIPT = Path(__file__).parents[1] / "appliance/set-hostname-and-country.sh"


class NewAppliance:
    """A new table without a console, with its set-up page, a given fake nmcli, and its data folder."""

    def __init__(self, data: Path, nmcli: Nmcli | None = None, *, has_console: bool = False) -> None:
        self.table = Table(Journal(None))
        self.lobby = Lobby(self.table)
        self.nmcli = nmcli or Nmcli()
        context = camera_setup.SetupContext(
            self.table, self.lobby, lambda codes: None, "none", {}, False, None, Wifi(self.nmcli), MachineSettings(data)
        )
        self.app = create_app(self.table, self.lobby, setup=camera_setup.blueprint(context), has_console=has_console)

    def phone(self) -> Phone:
        return Phone(self.app.test_client())

    def set_up(self, phone: Phone, at: dict[str, dict[str, str]]) -> int:
        return phone.client.post("/join", data={"set-up": "1"}, **at).status_code


@pytest.fixture
def hotspot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes this machine seem to have a hotspot."""
    monkeypatch.setattr(new_table_module, "lan_addresses", lambda: (HOTSPOT_ADDRESS,))


@pytest.mark.parametrize("has_console", [True, False])
@pytest.mark.usefixtures("hotspot")
def test_the_first_phone_in_the_hotspot_sets_up_the_table(tmp_path: Path, has_console: bool) -> None:
    """The first phone in the hotspot that sets up the table becomes the host, and gets the page of the first start.
    Opening the join page is not enough. All other phones are too late, even if the host is removed and the service
    restarts."""
    new = NewAppliance(tmp_path, has_console=has_console)
    first, second = new.phone(), new.phone()
    assert BUTTON in second.get("/join", **HOTSPOT_PHONE).text
    assert new.lobby.phones.host_count == 0
    answer = first.client.post("/join", data={"set-up": "1"}, **HOTSPOT_PHONE)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/setup/first")
    assert first.get("/setup/first", **HOTSPOT_PHONE).status_code == 200
    assert new.set_up(second, HOTSPOT_PHONE) == 403
    assert BUTTON not in second.get("/join", **HOTSPOT_PHONE).text
    assert second.get("/setup/first", **HOTSPOT_PHONE).status_code == 403
    new.lobby.remove(1)
    assert new.lobby.phones.host_count == 0
    assert new.set_up(second, HOTSPOT_PHONE) == 403
    assert not Lobby(new.table).is_new_table


def test_the_offer_in_the_home_network_ends(tmp_path: Path) -> None:
    """In the home network, the button is there only for a quarter of an hour after the start, and only if there is no
    console."""
    clock, lobby = ManualClock(7.0), NewAppliance(tmp_path).lobby
    app = NewAppliance(tmp_path).app
    for has_console, at, is_made in ((True, HOME_PHONE, False), (False, HOME_PHONE, True)):
        with app.test_request_context("/join", **at):
            assert FirstHostOffer(lobby, has_console=has_console, clock=clock).is_made() == is_made
    offer = FirstHostOffer(lobby, has_console=False, clock=clock)
    clock.now += OFFER_S
    with app.test_request_context("/join", **HOME_PHONE):
        assert not offer.is_made()
        with pytest.raises(Exception, match="off and on again"):
            offer.accept(None)
    assert lobby.phones.host_count == 0


@pytest.mark.parametrize(
    "request_from",
    [
        {"environ_base": {"REMOTE_ADDR": "127.0.0.1"}},
        {"environ_base": {"REMOTE_ADDR": "8.8.8.8"}},
        {**HOME_PHONE, "headers": {"X-Forwarded-For": "192.168.1.9"}},
        {**HOME_PHONE, "headers": {"Origin": "http://evil.example"}},
    ],
)
def test_nobody_sets_up_a_table_from_elsewhere(tmp_path: Path, request_from: dict[str, dict[str, str]]) -> None:
    """A new table can't be set up from the internet, through a reverse proxy, or from a page of another web site."""
    new = NewAppliance(tmp_path)
    phone = new.phone()
    if "Origin" not in request_from.get("headers", {}):
        assert BUTTON not in phone.get("/join", **request_from).text
    assert new.set_up(phone, request_from) == 403
    assert new.lobby.phones.host_count == 0


@pytest.mark.usefixtures("hotspot")
def test_a_table_that_has_been_used_is_not_new(tmp_path: Path) -> None:
    """If a game has been played at the table, or if its journal was written by an earlier version, nobody can become a
    host with the button."""
    played = new_table()
    assert not Lobby(played).is_new_table
    earlier = Table(Journal(None))
    earlier.journal.save_note(NOTE_KEY, {"host_key": "k", "guests": []})
    assert not Lobby(earlier).is_new_table
    assert Lobby(Table(Journal(None))).is_new_table


def test_the_page_of_the_first_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the host enters reaches the machine, NetworkManager and the browser. The answer has the host link under the
    table's new name, since the browser sends no cookie to that name. No page contains the Wi-Fi's password."""
    monkeypatch.setattr(wifi_page, "DELAY_S", 0)
    monkeypatch.setattr(first_run_page, "mdns_name", lambda: "vm.local")
    new = NewAppliance(tmp_path, Nmcli(list="Home:80:WPA2\n"))
    host = new.phone()
    assert new.set_up(host, HOME_PHONE) == 303
    page = host.get("/setup/first", headers={"Accept-Language": "de-AT,de;q=0.9"}).text
    assert all(text in page for text in ('value="AT"', 'value="de" lang="de" selected', '<option value="Home">'))
    assert f"/host?key={new.lobby.host_key}" in page
    form = {"language": "es", "name": "Red Table", "country": "es", "network": "Home", "password": PASSWORD}
    for bad in ({"name": "röt"}, {"name": "-a"}, {"country": "Spain"}, {"language": "xx"}, {"password": "short"}):
        assert host.client.post(
            "/setup/first", data={**form, "network": "", **bad, **({"network": "Home"} if "password" in bad else {})}
        ).status_code in (400, 422), bad
    answer = host.client.post("/setup/first", data=form)
    assert f"http://red-table.local/host?key={new.lobby.host_key}" in answer.text
    assert "tablekeeper-language=es" in str(answer.headers)
    assert PASSWORD not in answer.text
    assert (tmp_path / SETTINGS_FILE).read_text() == "name=red-table\ncountry=ES\n"
    until(lambda: any("autoconnect" in " ".join(command) for command in new.nmcli.commands[-1:]), seconds=10)
    answer = host.client.post("/setup/first", data={"language": "de"})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/host")


def test_only_a_plain_name_and_a_country_reach_root(tmp_path: Path) -> None:
    """The script that runs as root reads only a plain name and a country. It ignores everything else in the file, since
    another program may have written it."""
    file = tmp_path / SETTINGS_FILE

    def commands(text: str) -> list[str]:
        file.write_text(text)
        run = ["sh", str(SCRIPT), str(file)]
        done = subprocess.run(run, env={"DRY_RUN": "1", "PATH": "/usr/bin:/bin"}, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    first, second, *_rest, last = commands("name=red-table\ncountry=DE\n")
    assert first == "+ hostnamectl set-hostname red-table"
    assert "/etc/hosts" in second
    assert last in ("+ iw reg set DE", "+ raspi-config nonint do_wifi_country DE")
    assert commands("name=red-table\n")[0] == "+ hostnamectl set-hostname red-table"
    assert commands("name=$(reboot)\ncountry=de\nname=a b\nname=-x\nname=a/b\n") == []


@pytest.mark.parametrize(
    ("tool", "adapters", "said"),
    [("", ("phy0",), "neither raspi-config nor iw"), ("iw", (), "no Wi-Fi adapter"), ("iw", ("phy0",), "")],
)
def test_a_machine_that_can_not_change_its_country_gets_its_name(
    tmp_path: Path, tool: str, adapters: tuple[str, ...], said: str
) -> None:
    """If the machine can't change its country, it still gets its name. Debian has neither raspi-config nor iw by
    default, and without a Wi-Fi adapter there is nothing to change. If `iw` fails although there is one, the unit
    fails."""
    file, tools, physical = tmp_path / SETTINGS_FILE, tmp_path / "tools", tmp_path / "ieee80211"
    tools.mkdir()
    physical.mkdir()
    for adapter in adapters:
        (physical / adapter).touch()
    for name in ("head", "ls"):
        (tools / name).symlink_to(shutil.which(name) or name)
    sed = f'#!/bin/sh\ncase $1 in -n) exec {shutil.which("sed")} "$@";; esac\n'  # leaves /etc/hosts as it is
    for name, text in (("sed", sed), ("hostnamectl", "#!/bin/sh\necho $*\n"), (tool, "#!/bin/sh\nexit 1\n")):
        if name:
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
    file.write_text("name=red-table\ncountry=DE\n")
    shell, environment = shutil.which("sh") or "/bin/sh", {"PATH": str(tools), "PHYSICAL_ADAPTERS": str(physical)}
    done = subprocess.run([shell, str(SCRIPT), str(file)], env=environment, capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("set-hostname red-table\n", 0 if said else 1)
    assert said in done.stderr


def test_a_machine_without_the_unit_keeps_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page asks for name and country only if systemd has the unit that changes them."""
    monkeypatch.setattr(hostname_and_country, "UNIT_FOLDERS", (tmp_path,))
    assert not can_change_machine()
    (tmp_path / hostname_and_country.UNIT).touch()
    assert can_change_machine()


def test_the_password_of_the_hotspot_may_be_on_the_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The hotspot's password may be in a file on the SD card. A password that Wi-Fi does not allow is ignored."""
    card = tmp_path / "card.txt"
    monkeypatch.setattr(wifi, "BOOT_FILE", card)
    own = hotspot_password(tmp_path)
    card.write_text("short\n")
    assert hotspot_password(tmp_path) == own
    card.write_bytes("geheim über alles\n".encode("latin-1"))
    assert hotspot_password(tmp_path) == own
    card.write_text("open sesame\r\n")
    assert hotspot_password(tmp_path) == "open sesame"
