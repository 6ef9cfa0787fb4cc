"""The findings of `tablekeeper doctor`. Each finding says whether something that a table needs works and, if not, how
to fix it.

Law: pure. A check is a function that returns findings. A check that raises an exception becomes a finding too. The
modules `*_checks` in this folder have the checks of this machine, `vision.image_quality_advice` has those of the
camera.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from companion.storage_remedies import full_disk_remedy
from companion.text.messages import TextLike, _, joined

TITLES: Mapping[str, TextLike] = {
    "backups": _("Backups"),
    "box": _("Box"),
    "box's line": _("Connection to the box"),
    "broker": _("MQTT broker"),
    "camera": _("Camera"),
    "clock": _("Clock"),
    "configuration": _("Settings"),
    "disk": _("Disk"),
    "disk wear": _("Wear of the disk"),
    "running": _("Running service"),
    "service": _("Service"),
    "installation": _("Installation"),
    "power": _("Power supply"),
    "temperature": _("Temperature"),
    "wifi": _("Wi-Fi"),
    "https": "HTTPS",
    "gpio": _("Buttons and lamp (GPIO)"),
    "journal": _("Journal"),
    "lights": _("Lights"),
    "network": _("Network"),
    "port": _("Port"),
    "restore": _("Restore a backup"),
    "rights": _("Permissions"),
    "table": _("Table"),
    "zbar": _("Second code reader"),
}
"""Maps the names of devices and checks to their titles on phones. Programs and the terminal use the names instead."""


def titled(name: str) -> TextLike:
    """The title of the device or the check with this name; the name itself if there is no title."""
    return TITLES.get(name, name)


class Finding(NamedTuple):
    """One result of a check: the check's name, whether all is well, a message, and a remedy if something is wrong."""

    name: str
    ok: bool
    message: TextLike
    remedy: TextLike = ""

    @property
    def message_with_remedy(self) -> TextLike:
        """The message and the remedy in one text."""
        return joined(" ", filter(None, (self.message, self.remedy)))

    def to_json(self) -> dict[str, str | bool]:
        """The finding in English, as `tablekeeper doctor --json` prints it."""
        return {"name": self.name, "ok": self.ok, "says": str(self.message), "mend": str(self.remedy)}


Checks = Mapping[str, Callable[[], Iterable[Finding]]]
"""The checks by name, in the order in which they run. A check returns its findings: one, several or none."""


def examine(checks: Checks) -> Iterator[Finding]:
    """Runs the checks and yields their findings. A check that raises an exception becomes a finding, and the other
    checks still run."""
    for name, check in checks.items():
        try:
            yield from check()
        except OSError as error:
            what = joined("", (error.filename or _("System"), f": {error.strerror or error}."))
            yield Finding(name, False, what, full_disk_remedy())
        except Exception as error:
            message = _("Couldn’t check this ({why}).", why=f"{type(error).__name__}: {error}")
            yield Finding(name, False, message, _("This is a bug in Tablekeeper. Please report it."))
