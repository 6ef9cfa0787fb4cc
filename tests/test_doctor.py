"""`tablekeeper doctor`: each check finds what is wrong and says how to fix it, and a check that fails does not prevent
the others."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import re
import socket
import termios
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.commands.doctor import working_folder
from companion.commands.http_servers import port_error
from companion.commands.service_settings import resolve_settings
from companion.device_supervisor import DeviceSource, DeviceSupervisor
from companion.devices import box as driver
from companion.devices import gpio
from companion.devices.gpio import GpioBoard
from companion.devices.pins import Pins
from companion.devices.protocol import Message, decode, encode
from companion.devices.simulated_box import SimulatedBox
from companion.diagnostics import computer_checks, device_checks, network_checks, storage_checks
from companion.diagnostics.findings import Finding, examine
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import DeviceHealth
from tests.running_service import free_port
from tests.test_box_driver import AnsweringPort, FakePorts, rounds
from tests.web_table import new_web_table, served
from vision.decoding.decoder import zbar
from web.setup.camera_setup import STEPS


class AnsweringBox(AnsweringPort):
    """A box that answers every line."""

    def write(self, data: bytes, /) -> int:
        for line in filter(None, map(decode, data.split(b"\n"))):
            self.waiting += encode(Message("ACK", line.seq, ("3",))) if line.kind in ("SHOW", "PING") else b""
        return super().write(data)


def test_the_finding_about_a_box_says_how_it_answers() -> None:
    """The finding about a box gives its firmware, the answer time and the number of lost lines. After the check, the
    port is closed."""
    pico = AnsweringBox()
    (finding,) = device_checks.box(FakePorts(a=pico).box())
    assert finding.ok, finding
    assert re.search(r"Firmware: 1\.0\. It answers within \d+ ms\. Lines lost: 3\.", str(finding.message))
    assert pico.closed
    assert [str(finding.message) for finding in device_checks.box(SimulatedBox())] == ["The box is simulated."]
    assert next(device_checks.box(None)).ok


def test_a_box_that_is_missing_or_mute_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """A box that is not plugged in, or whose port does not open, is reported at once. A box that does not answer is
    reported after a while."""
    monkeypatch.setattr(device_checks, "MAX_BOX_WAIT_S", 0.05)
    mute = AnsweringPort(mute=True)
    for ports, says in (
        (FakePorts(), "No box is plugged in"),
        (FakePorts(a=PermissionError(13, "Permission denied")), "usermod -aG dialout"),
        (FakePorts(a=mute), "hasn’t answered"),
        (FakePorts(a=termios.error(5, "Input/output error")), "Can’t open a: Input/output error."),
        (FakePorts(a=AnsweringPort(version=2)), "version 2"),
        (FakePorts(a=AnsweringPort()), "hasn’t answered a command"),  # it answers the greeting only
    ):
        (finding,) = device_checks.box(ports.box())
        assert (finding.ok, says in str(finding.message_with_remedy), bool(finding.remedy)) == (False, True, True), (
            finding
        )
        assert str(finding.message_with_remedy).count("hardware.md") <= 1
    assert mute.closed


def test_behind_a_mute_port_the_next_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The right box is found even behind a device that is not a box, a box of another version, or a port that does not
    open. If two ports don't answer, only the last one is reported."""
    monkeypatch.setattr(driver, "MAX_REPLY_S", 0.05)
    monkeypatch.setattr(driver, "SCAN_INTERVAL_S", 0.05)
    for first in (AnsweringPort(mute=True), AnsweringPort(version=2), PermissionError(13, "Permission denied")):
        (finding,) = device_checks.box(FakePorts(a=first, b=AnsweringBox()).box())
        assert finding.ok, finding
    (neither,) = device_checks.box(FakePorts(a=AnsweringPort(mute=True), b=AnsweringPort(mute=True)).box())
    assert (neither.ok, "No answer from b" in str(neither.message)) == (False, True)


def test_a_box_that_was_just_plugged_in_is_tried_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """If a box that has just been plugged in can't be opened at first, a second attempt is made, as in the service."""
    monkeypatch.setattr(driver, "SCAN_INTERVAL_S", 0.05)
    ports, pico = FakePorts(a=termios.error(5, "Input/output error")), AnsweringBox()
    opened = ports.open

    def opens(path: str) -> AnsweringPort:
        try:
            return opened(path)
        finally:
            ports.ports["a"] = pico

    (finding,) = device_checks.box(driver.Box(lambda: list(ports.ports), opens))
    assert finding.ok, finding
    assert ports.opened == ["a", "a"]


def test_the_health_of_a_box_in_use_is_reported() -> None:
    """While the service uses the port, the check shows the box's health only if a real box answers."""
    answering = FakePorts(a=AnsweringPort()).box()
    assert list(device_checks.box_line(answering)) == []
    assert list(device_checks.box_line(None)) == []
    rounds(answering, 1.0)
    (finding,) = device_checks.box_line(answering)
    assert (finding.ok, "Lines lost" in str(finding.message)) == (True, True)


def test_a_disk_without_room_or_rights_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of the disk measures the free space and writes one durable move where the journal will be. It reports a
    full or forbidden disk, and leaves nothing behind."""
    fine = list(storage_checks.disk(tmp_path / "new" / "folder"))
    assert [finding.name for finding in fine] == ["disk", "journal"]
    assert all(finding.ok for finding in fine)
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(storage_checks, "MIN_FREE_MB", 10**9)
    monkeypatch.setattr(storage_checks, "MAX_WRITE_S", 0.0)
    full = list(storage_checks.disk(tmp_path))
    assert [finding.ok for finding in full] == [False, False]
    assert all(finding.remedy for finding in full)
    for file in (Path("/dev/full"), Path(__file__) / "folder"):
        (no_folder,) = storage_checks.disk(file)
        assert (no_folder.ok, "--data" in str(no_folder.remedy)) == (False, True)
    locked = list(storage_checks.disk(Path("/proc/nowhere")))[1]
    assert (locked.ok, "--data" in str(locked.remedy)) == (False, True)


def test_the_remedy_for_a_missing_folder_leaves_its_parent_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the data folder does not exist yet, the remedy creates that folder and gives it to the user, rather than its
    parent. The message has no error number and no internal name."""

    def forbidden(folder: Path) -> float:
        raise PermissionError(13, "Permission denied", f"{folder}/doctor-x")

    monkeypatch.setattr(storage_checks, "commit_latency_s", forbidden)
    new, old = (list(storage_checks.disk(data))[1] for data in (tmp_path / "a" / "b", tmp_path))
    assert str(new.message) == f"Can’t write to {tmp_path} (Permission denied)."
    assert f"sudo mkdir -p {tmp_path}/a/b && sudo chown $USER {tmp_path}/a/b;" in str(new.remedy)
    assert f"sudo chown -R $USER {tmp_path};" in str(old.remedy)


def test_a_forbidden_folder_stops_no_other_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking into a forbidden folder raises an error. The other checks are still made, and the disk's finding names
    the folder that can be seen."""

    def stat(path: object, *, dir_fd: object = None, follow_symlinks: bool = True) -> os.stat_result:
        if str(path).startswith("/locked/"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, follow_symlinks=follow_symlinks)  # type: ignore[arg-type]

    real = os.stat
    monkeypatch.setattr(os, "stat", stat)
    data = Path("/locked/home/data")
    with working_folder(data) as folder:
        assert folder != data
    assert [finding.name for finding in storage_checks.disk(data)] == ["disk", "journal"]


def test_a_clock_before_the_installation_is_wrong() -> None:
    """A clock that is earlier than the installation is reported, as on a Pi without a battery. A clock that is merely
    not synchronized is fine."""
    made = datetime(2026, 5, 1).astimezone()
    assert not computer_checks.clock_finding(made - timedelta(days=90), made, synchronized=True).ok
    alone = computer_checks.clock_finding(made + timedelta(days=1), made, synchronized=False)
    assert (alone.ok, "own clock" in str(alone.message)) == (True, True)
    assert all(finding.ok for finding in computer_checks.clock())


def test_the_network_address_is_reported() -> None:
    """The finding gives the network address, or says that there is none. A simulated table does not need one."""
    (here,) = network_checks.network(("192.168.1.20",), None, 8000)
    assert (here.ok, "http://192.168.1.20:8000/" in str(here.message)) == (True, True)
    (lost,) = network_checks.network((), None, 8000)
    assert (lost.ok, "nmtui" in str(lost.remedy)) == (False, True)
    (alone,) = network_checks.network((), None, 8000, needed=False)
    assert alone.ok
    for addresses in (("192.168.1.20",), ()):
        (any_free,) = network_checks.network(addresses, None, 0)
        assert (":0/" in str(any_free.message), "PORT" in str(any_free.message)) == (False, True)


def test_a_port_in_use_is_reported() -> None:
    """A port in use is reported in the words of `run`. A free port is left free."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        number = other.getsockname()[1]
        (taken,) = network_checks.port(number, "0.0.0.0", port_error)
        assert (taken.ok, f"Port {number} can’t be used" in str(taken.message), "--port 0" in str(taken.remedy)) == (
            False,
            True,
            True,
        )
    for _ in range(2):
        assert [finding.ok for finding in network_checks.port(number, "0.0.0.0", port_error)] == [True]


def test_missing_pins_are_a_finding_on_a_pi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a Pi, missing pins are a finding with a remedy. On any other machine they are fine. The service says the
    same."""
    monkeypatch.setitem(__import__("sys").modules, "gpiozero.pins.lgpio", None)
    for pi in (False, True):
        monkeypatch.setattr(gpio, "is_pi", lambda pi=pi: pi)
        board = GpioBoard(tmp_path, Pins(), simulate=False)
        (finding,) = device_checks.gpio(board)
        assert (finding.ok, bool(finding.remedy)) == (not pi, pi)
        table = Table(Journal(None))
        service = DeviceSupervisor(table, [DeviceSource("gpio", board.open)])
        service.start()
        while not table.health():
            table.wait(table.revision, 5)
        service.close()
        assert table.health() == (
            DeviceHealth(device="gpio", ok=finding.ok, message=finding.message, remedy=finding.remedy, missing=True),
        )
    assert next(device_checks.gpio(GpioBoard(tmp_path, Pins(), simulate=True))).ok


def test_missing_permission_names_the_command_to_type(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If permission is missing, the remedy gives the command to type."""
    assert next(device_checks.device_access(tmp_path)).ok
    device = tmp_path / "gpiochip0"
    device.touch()
    assert str(next(device_checks.device_access(tmp_path)).message) == "Your user is allowed to use gpiochip0."
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    refused = next(device_checks.device_access(tmp_path))
    assert (refused.ok, str(refused.remedy).startswith(f"Run sudo usermod -aG {device.group()} $USER")) == (False, True)


def test_a_check_that_fails_hides_no_other() -> None:
    """Any exception of a check becomes a finding."""

    def broken() -> Iterator[Finding]:
        yield Finding("first", True, "Fine.")
        raise ValueError("oh")

    def full() -> Iterator[Finding]:
        raise OSError(28, "No space left on device", "/data")

    findings = list(examine({"broken": broken, "full": full, "last": lambda: [Finding("last", True, "Fine.")]}))
    assert [(finding.name, finding.ok) for finding in findings] == [
        ("first", True),
        ("broken", False),
        ("full", False),
        ("last", True),
    ]
    assert "ValueError: oh" in str(findings[1].message)
    assert "/data" in str(findings[2].message)


def test_with_nothing_attached_each_failed_check_has_a_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a Pi with nothing attached the exit status is 1 and each failed check has a remedy. There is no traceback, and
    no folder is created."""
    monkeypatch.setattr(gpio, "is_pi", lambda: True)
    monkeypatch.setitem(__import__("sys").modules, "lgpio", None)
    monkeypatch.delitem(__import__("sys").modules, "gpiozero.pins.lgpio", raising=False)
    assert main(["doctor", "--data", str(tmp_path / "none")]) == 1
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    assert {line.split()[1] for line in lines if line.startswith("FAIL")} >= {"camera", "gpio"}
    assert "--camera 0" in next(line for line in lines if " camera " in line)
    assert "apt install" in next(line for line in lines if " gpio " in line)
    assert printed.err.count("\n") == 1
    assert "camera, gpio" in printed.err
    assert not (tmp_path / "none").exists()
    assert main(["doctor", "--data", str(tmp_path), "--camera", "/dev/video99", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer["ok"] is False
    assert all(finding["ok"] or finding["mend"] for finding in answer["findings"])


@pytest.mark.slow
@pytest.mark.skipif(zbar() is None, reason="libzbar0 is not installed")
@pytest.mark.parametrize("camera", [[], ["--camera", "simulated"]])
def test_with_everything_simulated_all_is_fine(
    camera: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With everything simulated, every check runs and passes, including those of the camera, even if the simulated
    camera is given by the same name as for `run`."""
    assert main(["doctor", "--simulate", *camera, "--port", "0", "--data", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "All good."
    assert all(line.startswith("ok ") for line in lines[:-1])
    checks_run = [re.split("  +", line)[1] for line in lines[:-1]]
    checks_run = [
        name for name in checks_run if name not in ("power", "temperature", "wifi", "disk wear", "service")
    ]  # not every machine reports these
    assert checks_run == [
        "camera",
        *STEPS,
        "gpio",
        "box",
        "zbar",
        "disk",
        "journal",
        "clock",
        "network",
        "rights",
        "port",
    ]
    page = (Path(__file__).parents[1] / "docs" / "hardware" / "camera.md").read_text("utf-8")
    table = page.split("| check | what it reports |")[1].split("\n\n")[0]
    assert sorted(", ".join(re.findall(r"^\| ([a-z, ]+) \|", table, re.MULTILINE)).split(", ")) == sorted(checks_run)


@pytest.mark.parametrize("is_failing", [False, True])
def test_beside_a_running_service_it_asks_the_service(
    is_failing: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """While the service is running, doctor opens no devices, because the service is using all of them. It prints what
    the service reports about them, even if moves can't be saved, and makes all other checks itself."""
    web_table = new_web_table()
    web_table.table.observe(DeviceHealth(device="camera", ok=True, message="30 pictures a second"))
    web_table.table.observe(DeviceHealth(device="box", ok=False, message="unplugged"))
    if is_failing:
        web_table.table.journal._database._db.close()
    with served(web_table) as server, (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write(str(server.port))
        lock.flush()
        assert main(["doctor", "--data", str(tmp_path), "--json"]) == 1
    findings = json.loads(capsys.readouterr().out)["findings"]
    found = {finding["name"]: (finding["ok"], finding["says"]) for finding in findings}
    assert found["camera"] == (True, "30 pictures a second")
    assert found["box"] == (False, "unplugged")
    assert found["running"][0] is True
    assert any(not each["ok"] for each in findings if each["name"] == "journal") == is_failing
    assert {"zbar", "disk", "clock", "network", "rights"} <= set(found)
    assert "port" not in found, "the service uses the port"
    assert len([finding for finding in findings if finding["name"] == "disk"]) == 1


def test_a_running_service_that_does_not_answer_is_a_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """If the pages of the service are not there yet, or don't answer, doctor says so and makes all other checks."""
    with (tmp_path / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for port in ("", str(free_port())):
            lock.write(port)
            lock.flush()
            assert main(["doctor", "--data", str(tmp_path)]) == 1
            lines = capsys.readouterr().out.splitlines()
            assert lines[0].startswith("FAIL  running ")
            assert any(line.startswith("ok    clock ") for line in lines)


def test_a_bad_file_of_settings_is_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An error in the settings file is a finding with its line, and the other checks are still made."""
    path = tmp_path / "table.toml"
    path.write_text("[pins]\nnext = 40\n")
    assert main(["doctor", "--config", str(path), "--data", str(tmp_path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert "line 2" in lines[0]
    assert "--config" in lines[0]
    assert len(lines) > 5
    path.write_text("[service]\nport = [[[")
    assert str(with_board_file(path)).startswith("table.toml, line 2: ")
    assert "none.toml" in str(with_board_file(path.with_name("none.toml")))


def with_board_file(path: Path) -> str:
    """The error message for a settings file that names this board file."""
    return resolve_settings(
        argparse.Namespace(
            **dict.fromkeys(("port", "camera", "box", "tls", "mqtt", "mqtt_table", "mqtt_ca")),
            config=path,
            data=path.parent,
            simulate=False,
        )
    )[1]
