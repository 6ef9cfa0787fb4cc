"""The Wi-Fi of this machine, through NetworkManager's command `nmcli`: joining a network, and opening a hotspot where
there is no known network.

Passwords reach nmcli on its standard input, never as arguments, which other users could read. When nmcli reads a
password, its output is never shown, because nmcli repeats its input there."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from companion.match.journal_file_access import PRIVATE_FILE
from companion.text.messages import TextError, TextLike, _

HOTSPOT_ADDRESS = "10.42.0.1"
"""This machine's address in its own hotspot."""
HOTSPOT_NAME = "Tablekeeper"
HOTSPOT = "tablekeeper-hotspot"
"""The name of the hotspot among NetworkManager's connections."""
PASSWORD_FILE = "hotspot-password"
"""The file in the data folder with the password of the hotspot."""
BOOT_FILE = Path("/boot/firmware/tablekeeper-hotspot.txt")
"""A file with the password of the hotspot on the part of the Pi's SD card that any computer can write."""
HEX_KEY = re.compile("[0-9A-Fa-f]{64}")
LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
CONNECT_S = 45
"""How long NetworkManager may take to join a network, in seconds."""

Run = Callable[[Sequence[str], str], str]
"""A function that runs a command with a text on its standard input and returns what the command prints. It raises
WifiError if the command fails."""


class WifiError(TextError):
    """The error for a network that can't be joined or opened; the message says why."""


class Network(NamedTuple):
    """A Wi-Fi network in range: its name, its signal strength in percent, and whether it needs a password."""

    name: str
    signal: int
    has_password: bool


def run_nmcli(command: Sequence[str], text: str = "") -> str:
    """Runs a command of NetworkManager (see `Run`)."""
    try:
        done = subprocess.run(
            command,
            input=text,
            capture_output=True,
            text=True,
            check=False,
            timeout=2 * CONNECT_S,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        raise WifiError(_("NetworkManager doesn’t answer.")) from None
    if done.returncode:
        why = f"status {done.returncode}" if text else done.stderr.strip().partition("\n")[0]
        raise WifiError(_("NetworkManager: {why}", why=why))
    return done.stdout


def has_nmcli() -> bool:
    """Whether this machine has NetworkManager's command."""
    return shutil.which("nmcli") is not None


def password_problem(password: str) -> TextLike:
    """Why a password can't be used for a Wi-Fi; "" if it can. An empty password is allowed, for an open network. So is
    a key of 64 hexadecimal digits."""
    is_plain = password.isascii() and password.isprintable() and password == password.strip()
    if password and not (is_plain and 8 <= len(password) <= 63) and not HEX_KEY.fullmatch(password):
        return _("A Wi-Fi password has 8 to 63 letters, digits and signs.")
    return ""


def hotspot_password(data: Path) -> str:
    """The password of the hotspot: the one in BOOT_FILE, or else the one in the data folder, or else a new one, which
    is stored there."""
    with suppress(OSError, UnicodeDecodeError):
        password = BOOT_FILE.read_text().strip()
        if password and not password_problem(password):
            return password
    path = data / PASSWORD_FILE
    if not path.exists():
        path.touch(PRIVATE_FILE)
        path.write_text("".join(secrets.choice(LETTERS) for _letter in range(10)) + "\n")
    return path.read_text().strip()


def _fields(line: str) -> list[str]:
    """The fields of a line that nmcli prints with -t: colons separate them; backslashes escape colons."""
    return [field.replace("\0", ":") for field in line.replace("\\\\", "\1").replace("\\:", "\0").split(":")]


class Wifi:
    """The Wi-Fi of this machine. `run` runs a command (see `Run`)."""

    def __init__(self, run: Run = run_nmcli) -> None:
        self._run = run

    def needs_hotspot(self) -> bool:
        """Whether this machine has a free Wi-Fi adapter, and is neither connected nor connecting to a network by cable
        or Wi-Fi. A hotspot that is already open counts as a connection."""
        lines = self._run(("nmcli", "-t", "-f", "TYPE,STATE", "device"), "").splitlines()
        is_connected = any(line.startswith(("wifi:connect", "ethernet:connect")) for line in lines)
        return "wifi:disconnected" in lines and not is_connected

    def networks(self) -> tuple[Network, ...]:
        """The networks in range, the strongest first."""
        lines = self._run(("nmcli", "-t", "-f", "SSID,SIGNAL,SECURITY", "device", "wifi", "list"), "").splitlines()
        found: dict[str, Network] = {}
        for name, signal, security in (_fields(line) for line in lines if line.count(":") >= 2):
            name = name.replace("\1", "\\")
            if name and (name not in found or int(signal) > found[name].signal):
                found[name] = Network(name, int(signal), bool(security))
        return tuple(sorted(found.values(), key=lambda each: -each.signal))

    def join(self, name: str, password: str) -> None:
        """Joins a network, now and whenever it is in range later. If the network can't be joined now, forgets the
        network and raises WifiError."""
        connection = f"tablekeeper-{name}"
        self._add(connection, password, "ssid", name)
        try:
            self._run(("nmcli", "--wait", str(CONNECT_S), "connection", "up", "id", connection), "")
            self._run(("nmcli", "connection", "modify", "id", connection, "connection.autoconnect", "yes"), "")
        except WifiError:
            self._forget(connection)
            raise

    def open_hotspot(self, password: str) -> None:
        """Opens the hotspot. Phones in it get addresses from this machine. Raises WifiError if NetworkManager can't do
        it."""
        settings = ("802-11-wireless.mode", "ap", "802-11-wireless.band", "bg", "ipv4.method", "shared")
        address = ("ipv4.addresses", f"{HOTSPOT_ADDRESS}/24", "ipv6.method", "disabled")
        self._add(HOTSPOT, password, "ssid", HOTSPOT_NAME, *settings, *address)
        self._run(("nmcli", "--wait", str(CONNECT_S), "connection", "up", "id", HOTSPOT), "")

    def _add(self, connection: str, password: str, *settings: str) -> None:
        """Adds a connection, in place of any earlier one of the same name. An empty password makes it an open
        network."""
        self._forget(connection)
        security = ("802-11-wireless-security.key-mgmt", "wpa-psk") if password else ()
        add = ("nmcli", "connection", "add", "type", "wifi", "ifname", "*", "con-name", connection, "autoconnect", "no")
        self._run((*add, *settings, *security), "")
        if password:
            edits = f"set 802-11-wireless-security.psk {password}\nsave persistent\nquit\n"
            self._run(("nmcli", "connection", "edit", "id", connection), edits)

    def _forget(self, connection: str) -> None:
        names = self._run(("nmcli", "-t", "-f", "NAME", "connection", "show"), "").splitlines()
        if connection in (":".join(_fields(line)).replace("\1", "\\") for line in names):
            self._run(("nmcli", "connection", "delete", "id", connection), "")
