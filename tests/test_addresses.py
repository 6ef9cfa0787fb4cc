"""The addresses under which phones find this machine."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import pytest

from companion.commands import address_announcement
from companion.commands.address_announcement import greeting
from companion.commands.http_servers import HttpsEndpoint
from companion.commands.machine_checks import machine_checks
from companion.commands.settings_file import Settings
from companion.diagnostics import network_checks
from tests.web_table import new_web_table
from web import addresses

State = namedtuple("State", "isup")
Address = namedtuple("Address", "family address")


def machine(monkeypatch: pytest.MonkeyPatch, outward: str | None, **interfaces: tuple[str, bool]) -> None:
    """Replaces this machine's network interfaces. Each is given by its address and whether it is up. `outward`: the
    address that leads to the internet."""
    addresses._recent_lan_address.cache_clear()
    addresses._recent_other_addresses.cache_clear()
    monkeypatch.setattr(addresses, "_outward_address", lambda: outward)
    monkeypatch.setattr(
        addresses.psutil,
        "net_if_addrs",
        lambda: {name: [Address(socket.AF_INET, address)] for name, (address, _up) in interfaces.items()},
    )
    monkeypatch.setattr(
        addresses.psutil, "net_if_stats", lambda: {name: State(up) for name, (_address, up) in interfaces.items()}
    )


def test_without_a_way_to_the_internet_phones_get_the_hotspot_s_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine in a network of its own, such as its hotspot, has an address, although no route leads to the internet.
    Interfaces that are down and the loopback do not count."""
    machine(monkeypatch, None, lo=("127.0.0.1", True), eth0=("192.168.5.5", False), wlan0=("10.42.0.1", True))
    assert addresses.lan_addresses() == ("10.42.0.1",)
    said = greeting(Settings(data=Path("/srv")), 8000, addresses.lan_addresses(), "key")
    assert "http://10.42.0.1:8000/\n" in said
    assert "http://10.42.0.1:8000/host?key=key" in said
    assert "localhost" not in said


def test_addresses_that_come_later_are_announced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a Pi, the service often starts before the Wi-Fi is up. Once there is an address, people who read the log and
    `systemctl status` learn it, with the link for the host."""
    monkeypatch.setattr(address_announcement, "POLL_S", 0.01)
    machine(monkeypatch, None, lo=("127.0.0.1", True), docker0=("172.17.0.1", True))
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(30)
        monkeypatch.setenv("NOTIFY_SOCKET", systemd.getsockname())
        https = HttpsEndpoint(443, "AB" * 48)
        with address_announcement.announce_addresses(Settings(data=Path("/srv")), 80, "key", https):
            assert b"Not on a network" in systemd.recv(500)
            capsys.readouterr()
            machine(monkeypatch, None, wlan0=("192.168.5.7", True))
            assert systemd.recv(500) == b"STATUS=Phones open http://192.168.5.7/"
    said = capsys.readouterr().out
    assert "  host       http://192.168.5.7/host?key=key\n" in said
    assert "  https      https://192.168.5.7:443/\n" in said


def test_the_port_of_browsers_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Browsers use port 80 if an address names no port. So the doctor's addresses are as short as those on the
    pages."""
    (found,) = network_checks.network(["192.168.1.20"], "table.local", 80)
    assert "Open http://192.168.1.20/ on the phones. http://table.local/ works" in str(found.message)


def test_the_address_that_phones_reach_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address that leads to the internet comes first, then those of other networks, then those of virtual machines,
    even if these lead to the internet too, and last the self-assigned ones."""
    machine(
        monkeypatch,
        "192.168.1.20",
        docker0=("172.17.0.1", True),
        wlan0=("10.42.0.1", True),
        usb0=("169.254.9.9", True),
        wlan1=("192.168.1.20", True),
    )
    assert addresses.lan_addresses() == ("192.168.1.20", "10.42.0.1", "172.17.0.1", "169.254.9.9")
    monkeypatch.setattr(addresses, "_outward_address", lambda: "172.17.0.1")
    assert addresses.lan_address() == "10.42.0.1"
    said = greeting(Settings(data=Path("/srv")), 8000, ("10.42.0.1", "172.17.0.1"), "key")
    assert "or         http://172.17.0.1:8000/" in said


def test_a_network_of_virtual_machines_is_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """No phone is in the networks of virtual machines and tunnels. With these alone, the doctor finds no network."""
    machine(monkeypatch, None, lo=("127.0.0.1", True), docker0=("172.17.0.1", True), wg0=("10.9.0.1", True))
    (found,) = machine_checks(Settings(data=Path("/srv")), lambda: 8000)["network"]()
    assert not found.ok
    assert "isn’t on a network" in str(found.message)
    assert "nmtui" in str(found.remedy)
    machine(monkeypatch, None, docker0=("172.17.0.1", True), eth0=("192.168.1.20", True))
    (found,) = machine_checks(Settings(data=Path("/srv")), lambda: 8000)["network"]()
    assert found.ok
    assert "192.168.1.20" in str(found.message)
    assert "172.17.0.1" not in str(found.message)


def test_the_big_screen_shows_all_addresses_that_phones_may_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """If the machine is on two networks, the big screen shows both addresses. It never shows those of virtual
    machines."""
    web_table = new_web_table()
    machine(monkeypatch, None, wlan0=("10.42.0.1", True), eth0=("192.168.1.20", True), docker0=("172.17.0.1", True))
    page = web_table.phone(0).get("/table", headers={"Host": "192.168.1.20:8000"}).text
    assert "On another network: 10.42.0.1:8000" in page
    assert "172.17.0.1" not in page
    assert "On another network" not in web_table.phone(1).get("/table", headers={"Host": "table.local"}).text


def test_a_browser_on_the_machine_itself_shows_what_phones_can_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """QR codes contain the machine's address in the network, even without a router, because a phone can't open
    localhost."""
    machine(monkeypatch, None, lo=("127.0.0.1", True), wlan0=("10.42.0.1", True))
    page = new_web_table().host().get("/host", headers={"Host": "localhost:8000"}).text
    assert "QR code of http://10.42.0.1:8000/join?code=" in page
    assert '<b class="address">10.42.0.1:8000</b>' in page


def test_a_name_is_promised_only_if_something_announces_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`doctor` mentions the address NAME.local only if avahi announces it, because nobody answers there otherwise."""
    monkeypatch.setattr(addresses, "AVAHI_SOCKET", tmp_path / "socket")
    (quiet,) = network_checks.network(("10.42.0.1",), addresses.mdns_name(), 8000)
    assert quiet.ok
    assert ".local" not in str(quiet.message)
    (tmp_path / "socket").touch()
    (announced,) = network_checks.network(("10.42.0.1",), addresses.mdns_name(), 8000)
    assert f"http://{socket.gethostname().split('.')[0]}.local:8000/" in str(announced.message)


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("unshare") or not shutil.which("ip"), reason="no unshare or ip")
def test_an_address_is_found_without_a_default_route() -> None:
    """In a network namespace without a default route, the real system still gives an address."""
    python = f"{sys.executable} -c 'from web.addresses import lan_addresses; print(*lan_addresses())'"
    script = f"ip link set lo up && ip address add 192.168.77.1/24 dev lo && ip route list default && {python}"
    done = subprocess.run(["unshare", "-rn", "sh", "-c", script], capture_output=True, text=True, check=False)
    if "unshare failed" in done.stderr:
        pytest.skip("this user may not make network namespaces")
    assert done.stdout.split() == ["192.168.77.1"], done.stderr
