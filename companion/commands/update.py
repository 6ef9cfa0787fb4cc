"""`tablekeeper update`: installs another version on an installed table, and goes back to the previous version if the
new one does not become healthy."""

from __future__ import annotations

import argparse
import email
import functools
import json
import os
import re
import subprocess
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from companion.backups import backups
from companion.commands import CommandError, UsageError
from companion.commands.command_list import Subparsers, command_parser
from companion.commands.settings_file import INSTALLED, Settings, read_settings
from companion.installation import DATA
from companion.match.journal_file_access import sync
from companion.platform_calls import sync_folder

USER = "tablekeeper"
UNITS = Path("/etc/systemd/system")
"""Where install.sh puts the systemd units. A Debian package has its own."""
COMMAND = Path("/usr/local/bin/tablekeeper")
"""Where install.sh puts the command."""
SOCKET, SERVICE = "tablekeeper.socket", "tablekeeper.service"
HEALTHY_S = 120.0
"""How many seconds a new version may take to become healthy."""
POLL_S = 1.0
UNFINISHED = ".update"
"""The suffix of the file that exists while an update is unfinished."""
UNFINISHED_STATUSES = ("half-installed", "unpacked", "half-configured")
"""dpkg's names for a package whose installation was interrupted."""
WORKING = ("ok", "degraded")
"""The statuses at /healthz with which people can play."""


def _run(command: Sequence[str]) -> str:
    """Runs a command without any input; returns its output. Raises CommandError with the last line of its error
    messages."""
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
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10) as response:
                return str(json.load(response)["status"])
        except urllib.error.HTTPError as error:
            with error:
                return "failing"
        except (OSError, ValueError, KeyError):
            continue
    return ""


@dataclass(frozen=True)
class InstalledTable:
    """A Tablekeeper installation made by install.sh or the Debian package. `link` is the symbolic link to the Python
    environment in use. `run` runs a command, `health` returns the status of the service, and `pause` waits for a given
    number of seconds."""

    data: Path
    settings: Settings
    link: Path = Path("/opt/tablekeeper")
    units: Path = UNITS
    run: Callable[[Sequence[str]], str] = _run
    health: Callable[[Settings], str] = _health
    pause: Callable[[float], None] = field(default=time.sleep)

    def as_user(self, *words: str, environment: Path | None = None) -> str:
        """Runs a command of Tablekeeper as the user who owns the games, from the environment in use or another one."""
        program = str((environment or self.link) / "bin" / "tablekeeper")
        # runuser would open a session. The unit that finishes an interrupted update has no right to do that.
        become = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--init-groups", "--")
        return self.run((*become, program, *words, "--data", str(self.data)))

    def back_up(self) -> Path:
        """Backs up the games; returns the path of the backup. The new backup need not be the last by name, because the
        clock of a Pi without a network is slow."""
        before = backups(self.data)
        self.as_user("backup", "--config", str(INSTALLED))
        return next(path for path in backups(self.data) if path not in before)

    def install(self, file: Path) -> None:
        """Installs a Debian package or a wheel. Either of them replaces the Python environment in use. Raises
        CommandError if that fails."""
        before = os.readlink(self.link)
        if file.suffix == ".deb":
            # After a power cut, apt-get refuses to work until dpkg has processed its unfinished records. This does
            # nothing else.
            self.run(("dpkg", "--triggers-only", "--pending"))
            keep_settings = "--force-confold"  # keeps what people have edited, without asking
            install = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq")
            apt = (*install, "-o", f"Dpkg::Options::={keep_settings}")
            if self._package_status() in UNFINISHED_STATUSES:
                # apt-get can't install another file while a version is half installed. So dpkg unpacks the file, and
                # apt-get completes the installation.
                self.run(("dpkg", keep_settings, "--unpack", str(file.resolve())))
                self.run((*apt, "--fix-broken", "--no-remove"))
            else:
                # After a roll-back, apt believes that the version that failed is still installed.
                self.run((*apt, "--reinstall", "--allow-downgrades", str(file.resolve())))
        else:
            self.run(("sh", self._setup_script, "install", str(file.resolve())))
            self.copy_units()
        if os.readlink(self.link) == before:
            raise CommandError(f"{file.name} installed nothing")

    def _package_status(self) -> str:
        """The status of the Debian package as dpkg records it; "" if dpkg does not know the package."""
        try:
            return self.run(("dpkg-query", "--show", "--showformat=${db:Status-Status}", "tablekeeper")).strip()
        except CommandError:
            return ""

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
        try:
            self.run(("systemctl", "restart", SERVICE))
        except CommandError as error:
            raise CommandError("Tablekeeper did not start (sudo journalctl -u tablekeeper says why)") from error

    def begin(self, backup: Path) -> None:
        """Records in a file that an update has begun, so that it can be finished after a power cut. The file names the
        environment in use and the backup of the games."""
        new = self.unfinished_file.with_suffix(".new")
        new.write_text(f"{os.readlink(self.link)}\n{backup}\n")
        sync(new)
        new.replace(self.unfinished_file)
        sync_folder(self.unfinished_file.parent)

    def unfinished(self) -> tuple[Path, Path] | None:
        """The environment and the backup from before the update in progress; None if no update is in progress."""
        try:
            previous, backup = self.unfinished_file.read_text().splitlines()
        except FileNotFoundError:
            return None
        return Path(previous), Path(backup)

    def end(self) -> None:
        """Records that the update has ended."""
        self.unfinished_file.unlink(missing_ok=True)

    @property
    def unfinished_file(self) -> Path:
        """The file that exists while an update is unfinished. appliance/setup.sh and tablekeeper-update.service read
        it."""
        return self.link.with_name(self.link.name + UNFINISHED)

    def is_healthy(self) -> bool:
        """Whether people can play now."""
        return self.health(self.settings) in WORKING

    def becomes_healthy(self) -> bool:
        """Waits until people can play; returns whether they can."""
        for _ in range(round(HEALTHY_S / POLL_S)):
            if self.is_healthy():
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
    what = command.add_mutually_exclusive_group(required=True)
    what.add_argument("file", nargs="?", type=Path, metavar="FILE", help="a Debian package (.deb) or a wheel (.whl)")
    what.add_argument(
        "--finish",
        action="store_true",
        help="finish an update that a power cut interrupted, or go back; systemd does so at the next start",
    )
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Updates the Tablekeeper that is installed on this machine, or finishes an interrupted update. If that fails,
    goes back to the previous version, and raises CommandError."""
    if not args.finish:
        if args.file.suffix not in (".deb", ".whl"):
            raise UsageError(f"{args.file}: name a .deb or a .whl.")
        if not args.file.is_file():
            raise CommandError(f"{args.file} can’t be read; name the file of the new version.")
        _check_file(args.file)
    found = read_settings(INSTALLED, Settings(data=DATA))
    table = InstalledTable(found.settings.data, found.settings)
    if not table.link.is_symlink():
        raise CommandError(f"There is no table installed in {table.link}; install one with install.sh.")
    if found.data_problem and not args.finish:
        raise CommandError(f"It’s unclear where the games are stored. Fix {INSTALLED} first: {found.data_problem!s}")
    if os.geteuid() != 0:
        raise CommandError("An update needs root: sudo tablekeeper update …")
    say = functools.partial(print, flush=True)
    if args.finish:
        finish(table, say)
    else:
        update(table, args.file, say)
    return 0


def _check_file(file: Path) -> None:
    """Raises CommandError if this Debian package or wheel is not Tablekeeper's. apt and pip would install any
    package."""
    try:
        name = _run(("dpkg-deb", "--field", str(file), "Package")) if file.suffix == ".deb" else _name_of_wheel(file)
    except (CommandError, OSError, ValueError, zipfile.BadZipFile):
        what = "a Debian package" if file.suffix == ".deb" else "a wheel"
        raise CommandError(f"{file} isn’t {what}, or it is damaged. Nothing was changed.") from None
    if name.strip() != "tablekeeper":
        raise CommandError(f"{file} contains {name.strip()!r}, not Tablekeeper. Nothing was changed.")


def _name_of_wheel(file: Path) -> str:
    """The name of the project in a wheel. Raises ValueError, OSError or BadZipFile if it can't be read."""
    with zipfile.ZipFile(file) as archive:
        (metadata,) = (path for path in archive.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", path))
        return str(email.message_from_bytes(archive.read(metadata))["Name"])


def update(table: InstalledTable, file: Path, say: Callable[[str], None]) -> None:
    """Stops the table, backs up the games, installs the new version, starts it, and waits until people can play.

    If a step fails, goes back to the previous version and to the backup, then raises CommandError. If nothing has been
    installed yet, only starts the table again. Nobody can make a move meanwhile, so no move is lost. An earlier update
    that was interrupted is finished first.
    """
    finish(table, say)
    previous = os.readlink(table.link)
    say("Stopping the table and backing up the games …")
    table.stop()
    try:
        backup = table.back_up()
    except CommandError:
        table.restart()
        raise
    table.begin(backup)
    say(f"Installing {file.name} …")
    try:
        table.install(file)
        say("Starting it …")
        table.restart()
        problem = "" if table.becomes_healthy() else _not_healthy()
    except CommandError as error:
        problem = str(error)
    if not problem:
        table.end()
        say("The new version is running, and the game goes on.")
        return
    if os.readlink(table.link) == previous:
        table.end()
        table.restart()
        raise CommandError(f"The update failed: {problem}. Nothing was changed, and the table is running again.")
    say(f"{problem}; going back …")
    _roll_back(table, Path(previous), backup)
    raise CommandError(f"The update failed: {problem}. The previous version is running again, with its games.")


def finish(table: InstalledTable, say: Callable[[str], None]) -> None:
    """Finishes an update that was interrupted, for example by a power cut; does nothing if there is none. Keeps the new
    version if people can play with it, and goes back otherwise. Raises CommandError if going back fails."""
    unfinished = table.unfinished()
    if unfinished is None:
        return
    previous, backup = unfinished
    if Path(os.readlink(table.link)) == previous:
        table.copy_units()
        table.end()
        say("An update was interrupted. The version from before it is still installed.")
        return
    say("An update was interrupted. Checking whether people can play with the new version …")
    problem = ""
    if not table.is_healthy():
        try:
            table.restart()
            problem = "" if table.becomes_healthy() else _not_healthy()
        except CommandError as error:
            problem = str(error)
    if problem:
        say(f"{problem}; going back …")
        _roll_back(table, previous, backup)
        say("The previous version is running again, with its games.")
    else:
        table.end()
        say("The new version is running, and the game goes on.")


def _not_healthy() -> str:
    return f"it was not healthy within {HEALTHY_S:.0f} seconds"


def _roll_back(table: InstalledTable, previous: Path, backup: Path) -> None:
    """Restores the previous environment, and the backup, because the new version may have changed the journal. The
    environment is restored last, so that an interrupted roll-back is repeated as a whole."""
    try:
        table.stop()
        table.as_user("restore", str(backup), environment=previous)
        table.switch(str(previous))
        table.copy_units()
        table.end()
        table.restart()
        is_healthy = table.becomes_healthy()
    except CommandError as error:
        raise CommandError(f"The update failed, and so did going back: {error}. The games are in {backup}.") from error
    if not is_healthy:
        raise CommandError(f"The update failed, and the previous version isn’t running. The games are in {backup}.")
