"""`tablekeeper update`: installs another version on an installed table, and goes back to the previous version if the
new one does not become healthy."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from companion.backups import backups
from companion.commands import CommandError, UsageError
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.settings_file import INSTALLED, Settings, read_settings
from companion.installation import DATA

USER = "tablekeeper"
UNITS = Path("/etc/systemd/system")
"""Where install.sh puts the systemd units. A Debian package has its own."""
COMMAND = Path("/usr/local/bin/tablekeeper")
"""Where install.sh puts the command."""
SOCKET, SERVICE = "tablekeeper.socket", "tablekeeper.service"
HEALTHY_S = 120.0
"""How long a new version may take to become healthy, in seconds."""
POLL_S = 1.0
WORKING = ("ok", "degraded")
"""The statuses of /healthz with which people can play."""


def _run(command: Sequence[str]) -> str:
    """Runs a command, which can ask nothing; returns what it printed. Raises CommandError with the last line of its
    error messages."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines()
        why = lines[-1].rstrip(".") if lines else f"status {done.returncode}"
        raise CommandError(f"{' '.join(command[:3])} failed ({why})")
    return done.stdout


def _health(settings: Settings) -> str:
    """The status that the service reports at /healthz; "failing" if it answers with an HTTP error, "" if it does not
    answer. Tries port 80, then the port in the settings."""
    for port in (80, settings.port):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10) as answer:
                return str(json.load(answer)["status"])
        except urllib.error.HTTPError as error:
            with error:
                return "failing"
        except (OSError, ValueError, KeyError):
            continue
    return ""


@dataclass(frozen=True)
class InstalledTable:
    """A Tablekeeper that was installed with install.sh or as a Debian package. `link` is the symbolic link to the
    Python environment in use. `run` runs a command, `health` returns the status of the service, and `pause` waits for
    some seconds."""

    data: Path
    settings: Settings
    link: Path = Path("/opt/tablekeeper")
    units: Path = UNITS
    run: Callable[[Sequence[str]], str] = _run
    health: Callable[[Settings], str] = _health
    pause: Callable[[float], None] = field(default=time.sleep)

    def as_user(self, *words: str) -> str:
        """Runs a command of Tablekeeper as the user who owns the games."""
        program = str(self.link / "bin" / "tablekeeper")
        return self.run(("runuser", "-u", USER, "--", program, *words, "--data", str(self.data)))

    def back_up(self) -> Path:
        """Backs up the games; returns the path of the backup. Its name need not be the latest: a Pi without a network
        has a slow clock."""
        before = backups(self.data)
        self.as_user("backup", "--config", str(INSTALLED))
        return next(path for path in backups(self.data) if path not in before)

    def install(self, file: Path) -> None:
        """Installs a Debian package or a wheel. Either of them replaces the Python environment in use."""
        if file.suffix == ".deb":
            # Keeps the settings file as people have edited it, without asking.
            options = ("-y", "-qq", "--allow-downgrades", "-o", "Dpkg::Options::=--force-confold")
            environment = ("env", "DEBIAN_FRONTEND=noninteractive")
            self.run((*environment, "apt-get", "install", *options, str(file.resolve())))
        else:
            self.run(("sh", self._setup_script, "install", str(file.resolve())))
            self.copy_units()

    def copy_units(self) -> None:
        """Copies the systemd units and the command of the environment in use, if install.sh put them in place."""
        if (self.units / SERVICE).exists():
            self.run(("sh", self._setup_script, "units", str(self.units)))
            self.run(("install", "-m", "755", str(self._appliance / "tablekeeper"), str(COMMAND)))

    @property
    def _appliance(self) -> Path:
        return self.link / "share" / "tablekeeper" / "appliance"

    @property
    def _setup_script(self) -> str:
        return str(self._appliance / "setup.sh")

    def switch(self, environment: str) -> None:
        """Switches to another Python environment: points the symbolic link at it."""
        new = self.link.with_suffix(".new")
        new.unlink(missing_ok=True)
        new.symlink_to(environment)
        new.replace(self.link)

    def stop(self) -> None:
        """Stops the service, and its socket too, because a phone that connects would start the service again."""
        self.run(("systemctl", "stop", SOCKET, SERVICE))

    def restart(self) -> None:
        """Restarts the service, even if systemd no longer restarts it because it has failed too often."""
        self.run(("systemctl", "daemon-reload"))
        self.run(("systemctl", "reset-failed", SOCKET, SERVICE))
        self.run(("systemctl", "start", SOCKET))
        self.run(("systemctl", "restart", SERVICE))

    def becomes_healthy(self) -> bool:
        """Waits until people can play; returns whether they can."""
        for _ in range(round(HEALTHY_S / POLL_S)):
            if self.health(self.settings) in WORKING:
                return True
            self.pause(POLL_S)
        return False


def add(subparsers: Subparsers) -> None:
    """Adds the command `update` and its arguments."""
    command = command_parser(
        subparsers,
        "update",
        "sudo tablekeeper update tablekeeper_0.2.0_arm64.deb",
    )
    command.add_argument("file", type=Path, metavar="FILE", help="a Debian package (.deb) or a wheel (.whl)")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Updates the Tablekeeper that is installed on this machine. If that fails, goes back to the previous version, and
    raises CommandError."""
    if args.file.suffix not in (".deb", ".whl"):
        raise UsageError(f"{args.file}: name a .deb or a .whl.")
    if not args.file.is_file():
        raise CommandError(f"{args.file} can’t be read; name the file of the new version.")
    found = read_settings(INSTALLED, Settings(data=DATA))
    table = InstalledTable(found.settings.data, found.settings)
    if not table.link.is_symlink():
        raise CommandError(f"There is no table installed in {table.link}; install one with install.sh.")
    if os.geteuid() != 0:
        raise CommandError("An update needs root: sudo tablekeeper update …")
    update(table, args.file, print)
    return 0


def update(table: InstalledTable, file: Path, say: Callable[[str], None]) -> None:
    """Stops the table, backs up the games, installs the new version, starts it, and waits until people can play. If
    that fails, raises CommandError: starts the table again if nothing was installed, and otherwise goes back to the
    previous version and to the backup. Nobody can make a move meanwhile, so no move is lost."""
    previous = os.readlink(table.link)
    say("Stopping the table and backing up the games …")
    table.stop()
    try:
        backup = table.back_up()
    except CommandError:
        table.restart()
        raise
    say(f"Installing {file.name} …")
    try:
        table.install(file)
        say("Starting it …")
        table.restart()
        problem = "" if table.becomes_healthy() else f"it was not healthy within {HEALTHY_S:.0f} seconds"
    except CommandError as error:
        problem = str(error)
    if not problem:
        say("The new version is running, and the game goes on.")
        return
    if os.readlink(table.link) == previous:
        table.restart()
        raise CommandError(f"The update failed: {problem}. Nothing was changed, and the table is running again.")
    say(f"{problem}; going back …")
    _roll_back(table, previous, backup)
    raise CommandError(f"The update failed: {problem}. The previous version is running again, with its games.")


def _roll_back(table: InstalledTable, previous: str, backup: Path) -> None:
    """Goes back to the previous environment, and to the backup, since the new version may have changed the journal."""
    try:
        table.stop()
        table.switch(previous)
        table.copy_units()
        table.as_user("restore", str(backup))
        table.restart()
        is_healthy = table.becomes_healthy()
    except CommandError as error:
        raise CommandError(f"The update failed, and so did going back: {error}. The games are in {backup}.") from error
    if not is_healthy:
        raise CommandError(f"The update failed, and the previous version isn’t running. The games are in {backup}.")
