"""The content of a built package."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest
from setuptools._distutils.filelist import FileList

from companion.commands.settings_file import Settings
from companion.commands.update import InstalledTable

ROOT = Path(__file__).parents[1]
PACKAGES = ("companion", "vision", "web")
NOT_SHIPPED = ("*.py", "*.[ch]", "*.so", "golden-*.jsonl", "*.md")
"""Files that are not data: golden games are for tests, notes are for readers of the repository, and code is shipped
anyway: as a module, or compiled."""

NEEDS_COMPILER = pytest.mark.skipif(
    shutil.which("gcc") is None or not Path(sysconfig.get_paths()["include"], "Python.h").exists(),
    reason="no gcc or no Python.h: sudo apt-get install gcc python3-dev",
)


def data_files() -> list[Path]:
    """The data files in the product's packages. In a git repository these are the committed and the new files, in a
    source distribution all files."""
    if not (ROOT / ".git").exists():
        files = [path for package in PACKAGES for path in (ROOT / package).rglob("*")]
        names = [path.relative_to(ROOT) for path in files if path.is_file() and "__pycache__" not in path.parts]
        return [path for path in names if not any(fnmatch(path.name, pattern) for pattern in NOT_SHIPPED)]
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *PACKAGES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    names = map(Path, listed.stdout.splitlines())
    return [path for path in names if not any(fnmatch(path.name, pattern) for pattern in NOT_SHIPPED)]


def test_every_data_file_is_in_the_package() -> None:
    """Boards, cards, fonts, pages and style sheets that an installed Tablekeeper reads are in the package."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
    (patterns,) = settings["package-data"].values()
    found = data_files()
    assert {path.suffix for path in found} >= {".toml", ".html", ".css", ".js", ".svg", ".ttf"}
    assert [path for path in found if not any(fnmatch(path.name, pattern) for pattern in patterns)] == []


def test_every_folder_with_data_is_a_package() -> None:
    """Every folder with data is found as a package, even without code, because setuptools looks for data only in
    packages."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]
    assert settings.get("namespaces", True)
    for path in data_files():
        assert any(fnmatch(".".join(path.parent.parts), pattern) for pattern in settings["include"]), path


def test_gpio_comes_from_the_system() -> None:
    """The package does not require lgpio, which has wheels for only a few versions of Python and otherwise can't be
    built by pip."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    required = [
        *project["dependencies"],
        *(each for extra in project["optional-dependencies"].values() for each in extra),
    ]
    assert [each for each in required if "gpio" in each and not each.startswith("gpiozero")] == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd: sudo apt-get install systemd")
def test_the_units_have_few_rights() -> None:
    """systemd rates the exposure of each unit at 2.0 or better; 10 is the worst."""
    units = [path for path in (ROOT / "appliance").glob("*.service") if path.name != "avahi.service"]
    command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", *map(str, units)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert len(units) >= 4
    assert done.returncode == 0, done.stdout + done.stderr


def unit_lines(name: str) -> list[str]:
    """The lines of a systemd unit; long lines are joined."""
    return (ROOT / "appliance" / name).read_text().replace("\\\n", "").splitlines()


def test_a_stick_gets_a_backup_when_it_is_plugged_in() -> None:
    """Mounting the stick starts a backup, which waits until the stick is mounted and may write to it. No type of file
    system is named, so sticks with FAT and with exFAT are mounted."""
    mount, backup = unit_lines("media-tablekeeper.mount"), unit_lines("tablekeeper-backup.service")
    (folder,) = (line.removeprefix("Where=") for line in mount if line.startswith("Where="))
    assert "Wants=tablekeeper-backup.service" in mount
    assert "After=media-tablekeeper.mount" in backup
    assert f"ReadWritePaths=-{folder}" in backup
    assert [line.split()[-1] for line in backup if "--copy-to-stick" in line] == [folder]
    assert not [line for line in mount if line.startswith("Type=")]


def test_an_installed_table_has_what_mqtt_needs() -> None:
    """The installer and the package bring the extra for MQTT, because nobody should have to install packages into the
    environment of an installed table."""
    for name in ("appliance/setup.sh", "scripts/build_deb"):
        (line,) = (line for line in (ROOT / name).read_text().splitlines() if "[mqtt]" in line)
        assert re.search(r'"\S+\[mqtt\]"', line)


def test_an_update_can_go_back_whatever_the_clock_says(tmp_path: Path) -> None:
    """The environment in use, the previous one and the one that an interrupted update goes back to are kept, and older
    ones are removed, even on a Pi without a network, whose clock is behind at the start."""
    script = (ROOT / "appliance/setup.sh").read_text().split("\ncase ${1-} in")[0]
    environments, link, venv = tmp_path / "d", tmp_path / "link", tmp_path / "python"
    script = script.replace("/opt/tablekeeper.d", str(environments)).replace("/opt/tablekeeper", str(link))
    venv.write_text('#!/bin/sh\nfor last; do :; done\nmkdir -p "$last/bin"\ncp /bin/true "$last/bin/python"\n')
    venv.chmod(0o755)
    script = script.replace("/usr/bin/python3", str(venv))
    for day in ("20300101", "20300102", "19700101", "19700102"):
        commands = f"{script}\nnumpy_limit() {{ :; }}\ndate() {{ echo {day}; }}\nmake_environment wheel"
        subprocess.run(["sh", "-c", commands], check=True)
    assert {path.name for path in environments.iterdir()} == {"19700101", "19700102"}
    assert link.resolve().name == "19700102"
    link.with_name("link.update").write_text(f"{environments}/19700101\nbackup\n")
    for day in ("19700103", "19700104"):  # as if `dpkg --configure -a` came before the end of an interrupted update
        commands = f"{script}\nnumpy_limit() {{ :; }}\ndate() {{ echo {day}; }}\nmake_environment wheel"
        subprocess.run(["sh", "-c", commands], check=True)
    assert {path.name for path in environments.iterdir()} == {"19700101", "19700103", "19700104"}


def test_a_power_cut_finds_a_whole_environment() -> None:
    """The new environment is on the disk before the link leads to it. After the next start, the version from before
    finishes the update: the file of the unfinished update names it."""
    commands = subprocess.run(
        ["sh", str(ROOT / "appliance/setup.sh"), "install", "wheel"],
        env={**os.environ, "DRY_RUN": "1"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    packages, disk, link = (
        next(number for number, line in enumerate(commands) if line.startswith(start))
        for start in ("+ /opt/tablekeeper.d/", "+ sync", "+ ln -sfn")
    )
    assert packages < disk < link
    unit = unit_lines("tablekeeper-update.service")
    note = InstalledTable(Path(), Settings()).unfinished_file
    assert f"ConditionPathExists={note}" in unit
    assert any(f"head -n 1 {note}" in line for line in unit)
    assert "WantedBy=multi-user.target" in unit


def build_wheel(folder: Path, **environment: str) -> Path:
    """Builds a wheel from a copy of the repository in `folder`, without deprecation warnings. `environment`: additional
    environment variables."""
    source = folder / "source"
    ignore = shutil.ignore_patterns(".*", "*.egg-info", "*.so", "__pycache__", "tests", "pages", "build")
    shutil.copytree(ROOT, source, ignore=ignore)
    code = "from setuptools import build_meta; build_meta.build_wheel('wheel')"
    command = [sys.executable, "-W", "default", "-c", code]
    done = subprocess.run(
        command, cwd=source, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Deprecat" not in done.stderr
    (wheel,) = (source / "wheel").glob("*.whl")
    return wheel


@pytest.mark.slow
def test_the_wheel_is_complete(tmp_path: Path) -> None:
    """The wheel contains the firmware, the systemd unit, and a description whose links work anywhere. It is for any
    machine if the C extension is left out."""
    wheel = build_wheel(tmp_path, TABLEKEEPER_PURE="1")
    assert wheel.name.endswith("-py3-none-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        headers, _blank, description = archive.read(metadata).decode().partition("\n\n")
    shared = {name.partition("/share/tablekeeper/")[2] for name in names if "/share/tablekeeper/" in name}
    assert {"firmware/main.py", "appliance/tablekeeper.service"} <= shared
    assert "License-Expression: MIT" in headers
    assert "Author:" in headers
    assert "Classifier:" in headers
    assert not re.search(r"\]\((?!https:)", description)


@pytest.mark.slow
@pytest.mark.parametrize("has_compiler", [False, pytest.param(True, marks=NEEDS_COMPILER)])
def test_the_c_extension_is_optional(tmp_path: Path, has_compiler: bool) -> None:
    """The wheel contains the C extension, for every version of Python from 3.11 on. Without a compiler, a wheel is
    built all the same."""
    wheel = build_wheel(tmp_path, **({} if has_compiler else {"CC": "false"}))
    assert "-cp311-abi3-" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert "vision/decoding/native.py" in names
    assert ("vision/decoding/_native.abi3.so" in names) == has_compiler


def test_the_source_archive_is_complete() -> None:
    """The source archive contains every file of the repository, so that its tests can pass."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no repository")
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    archive = FileList()
    archive.allfiles = listed
    for line in (ROOT / "MANIFEST.in").read_text().splitlines():
        if line and not line.startswith("#"):
            archive.process_template_line(line)
    added = {"LICENSE", "MANIFEST.in", "pyproject.toml"}  # setuptools does so itself
    missing = {name for name in listed if not name.startswith(".")} - set(archive.files) - added
    assert missing == set()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("apt-get") is None, reason="install.sh is for Debian")
def test_the_installer_brings_no_recommended_packages_and_removes_what_it_made() -> None:
    """The installer installs no recommended packages, because those of picamera2 include a desktop. Uninstalling
    removes each file that the installer has put into the system's folders."""
    commands = {
        option: subprocess.run(
            ["sh", str(ROOT / "install.sh"), "--dry-run", *option.split()], capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for option in ("", "--uninstall")
    }
    (packages,) = (line for line in commands[""] if "apt-get install" in line)
    assert "--no-install-recommends" in packages
    installed = {line.split()[-1] for line in commands[""] if line.startswith("+ install") and " -d " not in line}
    removed = {path for line in commands["--uninstall"] if line.startswith("+ rm") for path in line.split()}
    assert len(installed) >= 10
    assert {path for path in installed if path != "/etc/tablekeeper/tablekeeper.toml"} - removed == set()
