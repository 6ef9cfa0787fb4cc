"""The doctor's checks of the computer itself."""

from __future__ import annotations

import base64
import hashlib
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from companion.diagnostics import computer_checks
from companion.diagnostics.computer_checks import installed_packages, power_finding, temperature
from companion.diagnostics.network_checks import wifi
from companion.diagnostics.service_checks import machine_findings, service_finding
from companion.diagnostics.storage_checks import backup_findings, disk_wear


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (0x0, "strong enough"),
        (0x1, "too low right now"),
        (0x50000, "since the start"),
        (0x8, "too hot"),
        (0x50005, "now"),
    ],
)
def test_a_weak_power_supply_is_reported(flags: int, says: str) -> None:
    """Low voltage is reported if it occurs now or has occurred since the start. Heat is reported only while it
    lasts."""
    finding = power_finding(flags)
    assert says in str(finding.message)
    assert finding.ok == (flags == 0)
    assert bool(finding.remedy) == (flags != 0)


def test_heat_and_a_weak_wifi_are_reported(tmp_path: Path) -> None:
    """Heat and a weak Wi-Fi are reported. If the machine does not measure them, there is no finding."""
    path = tmp_path / "value"
    assert [*temperature(path), *wifi(path)] == []
    for text, ok in (("45123\n", True), ("83000\n", False)):
        path.write_text(text)
        (finding,) = temperature(path)
        assert finding.ok == ok
    for level, ok in ((-50, True), (-82, False)):
        path.write_text(f"Inter-| sta-|\n face |\n wlan0: 0000   60.  {level}.  -256  0  0  0  0  0  0\n")
        (finding,) = wifi(path)
        assert (finding.ok, f"{level} dBm" in str(finding.message)) == (ok, True)


def test_an_overwritten_package_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If another package has overwritten or removed one of our files, this file is named."""
    code = tmp_path / "web" / "app.py"
    code.parent.mkdir()
    code.write_text("ours")
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"ours").digest()).rstrip(b"=").decode()
    info = tmp_path / "tablekeeper-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: tablekeeper\nVersion: 1\n")
    (info / "RECORD").write_text(f"web/app.py,sha256={digest},4\nweb/data.toml,sha256=x,1\nother.py,sha256=x,1\n")
    monkeypatch.setattr(computer_checks, "distribution", lambda name: PathDistribution(info))
    assert [*installed_packages()] == []
    code.write_text("theirs")
    (finding,) = installed_packages()
    assert not finding.ok
    assert "web/app.py" in str(finding.message)


def test_a_worn_disk_is_reported(tmp_path: Path) -> None:
    """A disk that has used up most of its life is reported, and so are errors of the file system. If nothing is known,
    there is no finding."""
    device, system = tmp_path / "block/mmcblk0/device", tmp_path / "ext4/mmcblk0p2"
    device.mkdir(parents=True)
    system.mkdir(parents=True)

    def wear() -> list[tuple[bool, str]]:
        found = disk_wear(tmp_path / "block", tmp_path / "ext4")
        return [(finding.ok, str(finding.message)) for finding in found]

    assert wear() == []
    for life, reserve, ok in (("0x02 0x01", "0x01", True), ("0x02 0x09", "0x01", False), ("0x02 0x01", "0x03", False)):
        (device / "life_time").write_text(f"{life}\n")
        (device / "pre_eol_info").write_text(f"{reserve}\n")
        assert [found for found, _message in wear()] == [ok]
    (device / "life_time").write_text("0x03 0x01\n")
    (device / "pre_eol_info").write_text("0x01\n")
    for count, ok in ((0, True), (4, False)):
        (system / "errors_count").write_text(f"{count}\n")
        assert [found for found, _message in wear()] == [True, ok]
    assert "30%" in wear()[0][1]
    assert "4 errors" in wear()[1][1]


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ({"ActiveState": "failed", "Result": "watchdog"}, "failed (watchdog)"),
        ({"ActiveState": "active", "NRestarts": "5"}, "restarted the service 5 times"),
        ({"ActiveState": "inactive", "UnitFileState": "disabled"}, "does not start with the machine"),
        ({"ActiveState": "active", "NRestarts": "0", "UnitFileState": "enabled"}, ""),
    ],
)
def test_the_state_of_the_service_is_reported(state: dict[str, str], says: str) -> None:
    """A service that has failed, that is restarted again and again, or that does not start by itself is reported."""
    finding = service_finding(state)
    assert (finding.ok, bool(finding.remedy)) == (not says, bool(says))
    assert says in str(finding.message)


def test_a_failed_automatic_backup_is_reported() -> None:
    """If the last automatic backup has failed, for example because the USB stick is full, the host is told. Otherwise
    there is no finding."""
    (finding,) = backup_findings({"ActiveState": "failed", "Result": "exit-code"})
    assert (finding.ok, bool(finding.remedy)) == (False, True)
    assert [*backup_findings({"ActiveState": "inactive", "Result": "success"}), *backup_findings({})] == []


def test_a_name_that_could_not_be_set_is_reported() -> None:
    """If root could not set the name or the country from the page of the first start, the checks say so."""
    (finding,) = machine_findings({"ActiveState": "failed", "Result": "exit-code"})
    assert (finding.name, finding.ok) == ("installation", False)
    assert [*machine_findings({"ActiveState": "inactive", "Result": "success"}), *machine_findings({})] == []
