"""Updates of an installed table, and the return to the previous version."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import zipfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from companion.__main__ import main
from companion.commands import CommandError
from companion.commands.settings_file import Settings
from companion.commands.update import HEALTHY_S, InstalledTable, finish, update


class PowerCut(Exception):
    """The power was cut."""


class FakeMachine:
    """A machine that records commands. `healthy`: the environments in which the service becomes healthy. Commands that
    contain one of the words in `failing` fail; the power is cut during those with one of the words in `cut`. apt takes
    the new version for installed already unless the package is new."""

    def __init__(
        self, folder: Path, *, healthy: Sequence[str], failing: Sequence[str] = (), is_new: bool = True
    ) -> None:
        self.folder, self.healthy, self.failing, self.is_installable = folder, healthy, failing, is_new
        self.cut: Sequence[str] = ()
        self.installs, self.status = "new", "installed"
        self.is_unpacked = False
        self.commands: list[str] = []
        self.waited_s = 0.0
        (folder / "backups").mkdir()
        (folder / "link").symlink_to(folder / "old")

    def run(self, command: Sequence[str]) -> str:
        line = " ".join(command)
        self.commands.append(line)
        if any(word in line for word in self.failing):
            raise CommandError(f"{command[0]} failed: no reason.")
        if " backup " in line:
            count = sum(" backup " in each for each in self.commands) - 1
            (self.folder / "backups" / f"tablekeeper-20300101-00000{count}.tar.gz").touch()
        if any(word in line for word in self.cut):
            raise PowerCut
        if "dpkg-query" in line:
            return self.status
        if " --unpack " in line:
            self.is_unpacked = True
        if "apt-get install" in line and self.status != "installed":
            if not self.is_unpacked or ".deb" in line:
                raise CommandError("E: Internal Error, No file name for tablekeeper:amd64")
            self.switch(self.installs)
            return ""
        if "setup.sh install" in line or ("apt-get install" in line and (self.is_installable or "--reinstall" in line)):
            self.switch(self.installs)
        return ""

    def switch(self, environment: str) -> None:
        (self.folder / "link").unlink()
        (self.folder / "link").symlink_to(self.folder / environment)

    def wait(self, seconds: float) -> None:
        self.waited_s += seconds

    @property
    def environment(self) -> str:
        return Path(os.readlink(self.folder / "link")).name

    def table(self) -> InstalledTable:
        def health(_settings: Settings) -> str:
            return "degraded" if self.environment in self.healthy else "failing"

        link, units = self.folder / "link", self.folder / "units"
        return InstalledTable(self.folder, Settings(), link, units, self.run, health, self.wait)


def test_a_healthy_version_stays(tmp_path: Path) -> None:
    """The games are backed up by the user who owns them, then the new version is installed and started."""
    machine = FakeMachine(tmp_path, healthy=("old", "new"))
    update(machine.table(), tmp_path / "new.deb", lambda line: None)
    assert machine.environment == "new"
    stop, backup, _notes, _status, install, *_reset, last = machine.commands
    assert stop == "systemctl stop tablekeeper.socket tablekeeper.service"
    assert backup.startswith("setpriv --reuid=tablekeeper --regid=tablekeeper ")
    assert "backup" in backup
    assert "apt-get install" in install
    assert last == "systemctl restart tablekeeper.service"


@pytest.mark.parametrize("failing", [(), ("restart tablekeeper.service",)])
def test_a_version_that_is_not_healthy_is_rolled_back(tmp_path: Path, failing: tuple[str, ...]) -> None:
    """If the new version does not start or does not become healthy in time, the previous version is installed and
    started again. The games are restored too, because the new version may have changed the journal."""
    machine = FakeMachine(tmp_path, healthy=("old",), failing=failing)
    said: list[str] = []
    with pytest.raises(CommandError, match="The update failed"):
        update(machine.table(), tmp_path / "new.deb", said.append)
    assert machine.environment == "old"
    restored = [line for line in machine.commands if " restore " in line]
    assert len(restored) == 1
    assert "tablekeeper-20300101-000000.tar.gz" in restored[0]
    assert machine.waited_s == (0 if failing else HEALTHY_S)


@pytest.mark.parametrize("failing", [" backup ", "apt-get install"])
def test_if_nothing_was_installed_the_games_stay(tmp_path: Path, failing: str) -> None:
    """If the backup or the installation fails, the previous version starts again with its games as they are. Nobody
    could make a move after the backup, because the service and its socket were stopped before it."""
    machine = FakeMachine(tmp_path, healthy=("old",), failing=(failing,))
    with pytest.raises(CommandError, match="setpriv failed" if failing == " backup " else "Nothing was changed"):
        update(machine.table(), tmp_path / "new.deb", lambda line: None)
    assert machine.environment == "old"
    assert machine.commands[0] == "systemctl stop tablekeeper.socket tablekeeper.service"
    assert machine.commands[-2:] == ["systemctl start tablekeeper.socket", "systemctl restart tablekeeper.service"]
    assert not [line for line in machine.commands if " restore " in line]


def test_a_wheel_brings_its_units(tmp_path: Path) -> None:
    """On a table that install.sh made, a wheel's systemd units are copied; a Debian package has its own."""
    machine = FakeMachine(tmp_path, healthy=("old", "new"))
    (tmp_path / "units").mkdir()
    (tmp_path / "units" / "tablekeeper.service").touch()
    update(machine.table(), tmp_path / "new.whl", lambda line: None)
    (units,) = (line for line in machine.commands if "setup.sh units" in line)
    assert units.endswith(f"setup.sh units {tmp_path / 'units'}")
    assert any(line.endswith("appliance/tablekeeper /usr/local/bin/tablekeeper") for line in machine.commands)


def test_a_package_keeps_the_edited_settings_without_asking(tmp_path: Path) -> None:
    """If the sample settings of a package have changed, dpkg keeps the file that people have edited. It asks nothing,
    because nobody would see the question."""
    machine = FakeMachine(tmp_path, healthy=("old", "new"))
    update(machine.table(), tmp_path / "new.deb", lambda line: None)
    (install,) = (line for line in machine.commands if "apt-get install" in line)
    assert install.startswith("env DEBIAN_FRONTEND=noninteractive ")
    assert " -o Dpkg::Options::=--force-confold " in install
    with pytest.raises(CommandError, match="sh -c read answer failed"):
        InstalledTable(tmp_path, Settings()).run(("sh", "-c", "read answer"))


@pytest.mark.parametrize(
    ("words", "run"),
    [
        (("doctor", "--json"), "doctor --config /etc/tablekeeper/tablekeeper.toml --json"),
        (("games",), "games"),
        (("restore", "--list"), "restore --list"),
        (("restore", "evening.tar.gz"), "restore /.*/evening.tar.gz"),
    ],
)
def test_the_command_of_an_installed_table(tmp_path: Path, words: tuple[str, ...], run: str) -> None:
    """Commands that root starts run as the user who owns the games. `doctor` uses the table's settings. A backup is
    copied first, because that user may not read somebody's home."""
    (tmp_path / "evening.tar.gz").touch()
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, script in (("id", "echo 0"), ("chown", "true"), ("runuser", 'echo "$@"; [ ! -e "$6" ] || echo copied')):
        (tools / name).write_text(f"#!/bin/sh\n{script}\n")
        (tools / name).chmod(0o755)
    command = Path(__file__).parents[1] / "appliance" / "tablekeeper"
    path = {"PATH": f"{tools}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", command, *words], cwd=tmp_path, env=path, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert re.fullmatch(f"-u tablekeeper -- /opt/tablekeeper/bin/tablekeeper {run}", lines[0])
    assert lines[1:] == (["copied"] if "evening.tar.gz" in words else [])


def test_the_doctor_of_an_installed_table_needs_root(tmp_path: Path) -> None:
    """Without the right to read the table's settings, the doctor would check another, imaginary table. So it says which
    command to use."""
    (tmp_path / "id").write_text("#!/bin/sh\necho 1000\n")
    (tmp_path / "id").chmod(0o755)
    command = Path(__file__).parents[1] / "appliance" / "tablekeeper"
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["sh", command, "doctor"], env=path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith("Run: sudo tablekeeper doctor\n")


def test_a_roll_back_restores_the_backup_of_this_update(tmp_path: Path) -> None:
    """The games of the moment before the update are restored, even if an older backup has a later name, as on a Pi
    whose clock was ahead or is slow now."""
    machine = FakeMachine(tmp_path, healthy=("old",))
    (tmp_path / "backups" / "tablekeeper-20300102-000000.tar.gz").touch()
    with pytest.raises(CommandError, match="The update failed"):
        update(machine.table(), tmp_path / "new.deb", lambda line: None)
    (restored,) = (line for line in machine.commands if " restore " in line)
    assert "tablekeeper-20300101-000000.tar.gz" in restored


def test_the_same_version_is_installed_again_after_a_roll_back(tmp_path: Path) -> None:
    """After a roll-back apt takes the version that failed for installed. It is installed all the same."""
    machine = FakeMachine(tmp_path, healthy=("old", "new"), is_new=False)
    update(machine.table(), tmp_path / "new.deb", lambda line: None)
    assert machine.environment == "new"


@pytest.mark.parametrize("status", ["half-installed", "unpacked", "half-configured"])
def test_the_same_file_is_installed_again_after_a_power_cut(tmp_path: Path, status: str) -> None:
    """If the power was cut while a package was installed, apt refuses to install a file of the same version. dpkg
    unpacks it, and apt does the rest, without removing anything."""
    machine = FakeMachine(tmp_path, healthy=("old", "new"))
    machine.status = status
    update(machine.table(), tmp_path / "new.deb", lambda line: None)
    assert machine.environment == "new"
    (unpacked,) = (line for line in machine.commands if " --unpack " in line)
    assert unpacked.startswith("dpkg --force-confold ")
    (finished,) = (line for line in machine.commands if "apt-get" in line)
    assert finished.endswith("Dpkg::Options::=--force-confold --fix-broken --no-remove")


def test_a_package_that_installs_nothing_is_no_update(tmp_path: Path) -> None:
    """If a file turns out to be something else than Tablekeeper, nobody is told that a new version is running."""
    machine = FakeMachine(tmp_path, healthy=("old",))
    machine.installs = "old"
    with pytest.raises(CommandError, match=r"other\.deb installed nothing\. Nothing was changed"):
        update(machine.table(), tmp_path / "other.deb", lambda line: None)
    assert machine.environment == "old"


def test_a_power_cut_does_not_keep_apt_from_working(tmp_path: Path) -> None:
    """Before apt, dpkg reads its own notes, without which apt does nothing after a power cut. dpkg configures no
    package then, because that would start the version that was being installed."""
    machine = FakeMachine(tmp_path, healthy=("old", "new"))
    update(machine.table(), tmp_path / "new.deb", lambda line: None)
    before = machine.commands[: [("apt-get" in line) for line in machine.commands].index(True)]
    assert before[-2] == "dpkg --triggers-only --pending"
    assert not [line for line in machine.commands if "--configure" in line]


@pytest.mark.parametrize("cut", ["apt-get install", "start tablekeeper.socket", "restart tablekeeper.service"])
@pytest.mark.parametrize("is_sound", [False, True])
def test_an_update_that_a_power_cut_interrupts_is_finished(tmp_path: Path, cut: str, is_sound: bool) -> None:
    """At the next start the new version stays if people can play with it, and otherwise the previous version and its
    games are back. If nothing was installed yet, the games stay as they are."""
    machine = FakeMachine(tmp_path, healthy=("old", "new") if is_sound else ("old",))
    machine.cut = (cut,)
    with pytest.raises(PowerCut):
        update(machine.table(), tmp_path / "new.deb", lambda line: None)
    machine.cut, machine.commands = (), []
    said: list[str] = []
    finish(machine.table(), said.append)
    is_installed = cut != "apt-get install"
    assert machine.environment == ("new" if is_installed and is_sound else "old")
    assert any(" restore " in line for line in machine.commands) == (is_installed and not is_sound)
    assert said[0].startswith("An update was interrupted.")
    machine.commands = []
    finish(machine.table(), said.append)
    assert machine.commands == []


def test_a_power_cut_while_going_back(tmp_path: Path) -> None:
    """If the power is cut again while the games are restored, all of it is done once more."""
    machine = FakeMachine(tmp_path, healthy=("old",))
    machine.cut = (" restore ",)
    with pytest.raises(PowerCut):
        update(machine.table(), tmp_path / "new.deb", lambda line: None)
    machine.cut, machine.commands = (), []
    finish(machine.table(), lambda line: None)
    assert machine.environment == "old"
    (restored,) = (line for line in machine.commands if " restore " in line)
    assert f"{tmp_path}/old/bin/tablekeeper restore" in restored, "the version that knows this journal"


def test_the_next_update_finishes_the_one_before(tmp_path: Path) -> None:
    """If only the update was killed, and the machine goes on, the next update finishes it first: the games of before
    come back, not those that a broken version may have damaged."""
    machine = FakeMachine(tmp_path, healthy=("old",))
    machine.cut = ("start tablekeeper.socket",)
    with pytest.raises(PowerCut):
        update(machine.table(), tmp_path / "broken.deb", lambda line: None)
    machine.cut, machine.installs, machine.healthy = (), "newer", ("old", "newer")
    before = len(machine.commands)
    update(machine.table(), tmp_path / "newer.deb", lambda line: None)
    assert machine.environment == "newer"
    words = [
        next((word for word in (" restore ", " backup ", "apt-get") if word in line), "")
        for line in machine.commands[before:]
    ]
    assert [word.strip() for word in words if word] == ["restore", "backup", "apt-get"]


def package(folder: Path, name: str) -> Path:
    """A Debian package with this name."""
    control = folder / name / "DEBIAN" / "control"
    control.parent.mkdir(parents=True)
    control.write_text(f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: X <x@localhost>\nDescription: x\n")
    subprocess.run(["dpkg-deb", "--build", control.parents[1], folder / f"{name}.deb"], check=True, capture_output=True)
    return folder / f"{name}.deb"


def wheel(folder: Path, name: str) -> Path:
    """A wheel with this name."""
    with zipfile.ZipFile(folder / f"{name}-1-py3-none-any.whl", "w") as archive:
        archive.writestr(f"{name}-1.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    return folder / f"{name}-1-py3-none-any.whl"


@pytest.mark.parametrize(
    "make", [pytest.param(package, marks=pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="no dpkg")), wheel]
)
def test_no_other_package_is_installed(
    make: Callable[[Path, str], Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The package of another program, or a file that is no package, is refused before anything is stopped or
    installed. Tablekeeper's own gets further: there is just no table here."""
    other = make(tmp_path, "other")
    assert main(["update", str(other)]) == 1
    assert "contains 'other', not Tablekeeper. Nothing was changed." in capsys.readouterr().err
    other.write_bytes(other.read_bytes()[:20])
    assert main(["update", str(other)]) == 1
    assert "damaged. Nothing was changed." in capsys.readouterr().err
    assert main(["update", str(make(tmp_path, "tablekeeper"))]) == 1
    assert "There is no table installed" in capsys.readouterr().err


def test_an_unclear_data_folder_stops_an_update(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If the settings don't say clearly where the games are, nothing is updated: the backup might be one of other
    games."""
    settings = tmp_path / "table.toml"
    settings.write_text('[pins]\ndata = "/srv/games"\n')
    monkeypatch.setattr("companion.commands.update.INSTALLED", settings)
    (tmp_path / "link").symlink_to(tmp_path)
    monkeypatch.setattr("companion.commands.update.InstalledTable", partial(InstalledTable, link=tmp_path / "link"))
    assert main(["update", str(wheel(tmp_path, "tablekeeper"))]) == 1
    assert "line 2: data belongs in the section [service]." in capsys.readouterr().err


def test_wrong_usage_and_no_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of another kind is wrong usage. A missing file, or a machine without an installed table, gives a message
    of one line."""
    assert main(["update", str(tmp_path / "new.zip")]) == 2
    assert main(["update", str(tmp_path / "new.deb")]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 2
