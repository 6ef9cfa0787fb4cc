"""The doctor's checks of the computer itself."""

from __future__ import annotations

import base64
import hashlib
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from companion.diagnostics import machine_health
from companion.diagnostics.machine_health import installed_packages, power_finding, temperature, wifi


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
    """Low voltage is reported if it occurs now or has occurred since the start, heat only while it lasts."""
    finding = power_finding(flags)
    assert says in str(finding.message)
    assert finding.ok == (flags == 0)
    assert bool(finding.remedy) == (flags != 0)


def test_heat_and_a_weak_wifi_are_reported(tmp_path: Path) -> None:
    """Heat and a weak Wi-Fi are findings. If the machine does not measure them, there is no finding."""
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
    """If another package has written over a file of ours, or removed it, it is named."""
    code = tmp_path / "web" / "app.py"
    code.parent.mkdir()
    code.write_text("ours")
    digest = base64.urlsafe_b64encode(hashlib.sha256(b"ours").digest()).rstrip(b"=").decode()
    info = tmp_path / "tablekeeper-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: tablekeeper\nVersion: 1\n")
    (info / "RECORD").write_text(f"web/app.py,sha256={digest},4\nweb/data.toml,sha256=x,1\nother.py,sha256=x,1\n")
    monkeypatch.setattr(machine_health, "distribution", lambda name: PathDistribution(info))
    assert [*installed_packages()] == []
    code.write_text("theirs")
    (finding,) = installed_packages()
    assert not finding.ok
    assert "web/app.py" in str(finding.message)
