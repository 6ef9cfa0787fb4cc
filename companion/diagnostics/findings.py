"""The findings of `tablekeeper doctor`: one line for everything that a table needs, with a remedy if it is missing.

Law: pure. A check is a function that returns findings. A check that raises becomes a finding too.
`companion.diagnostics.checks` has the checks of this machine, `vision.quality_advice` those of the camera.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from companion.text.messages import TextLike, _, joined

TITLES = {
    "box": _("Box"),
    "box's line": _("Connection to the box"),
    "camera": _("Camera"),
    "clock": _("Clock"),
    "configuration": _("Settings"),
    "disk": _("Disk"),
    "gpio": _("Buttons and lamp (GPIO)"),
    "journal": _("Journal"),
    "lights": _("Lights"),
    "network": _("Network"),
    "rights": _("Permissions"),
    "table": _("Table"),
    "zbar": _("Second code reader"),
}
"""The titles of devices and checks on phones. Programs and the terminal use the names."""


def titled(name: str) -> TextLike:
    """The title of a device or a check."""
    return TITLES.get(name, name)


class Finding(NamedTuple):
    """The result of a check: its name, whether all is well, a message, and the remedy if it is not."""

    name: str
    ok: bool
    message: TextLike
    remedy: TextLike = ""

    @property
    def words(self) -> TextLike:
        """The finding and the remedy."""
        return joined(" ", filter(None, (self.message, self.remedy)))

    def to_json(self) -> dict[str, str | bool]:
        """The finding in English, as `tablekeeper doctor --json` prints it."""
        return {"name": self.name, "ok": self.ok, "says": str(self.message), "mend": str(self.remedy)}


Checks = Mapping[str, Callable[[], Iterable[Finding]]]
"""Checks by name, in order. A check may have several findings, or none."""


def examine(checks: Checks) -> Iterator[Finding]:
    """The findings of the checks, one by one. A check that raises does not keep the others from running."""
    for name, check in checks.items():
        try:
            yield from check()
        except OSError as error:
            what = joined("", (error.filename or _("The system"), f": {error.strerror or error}."))
            yield Finding(name, False, what, _("Make room on the disk, or name a folder of yours with --data."))
        except Exception as error:
            message = _("This could not be checked ({why}).", why=f"{type(error).__name__}: {error}")
            yield Finding(name, False, message, _("Please report it: it is a bug in Tablekeeper."))


STEPS = {
    "mat": _("Put the mat into the picture"),
    "corners": _("See all four corners"),
    "sharpness": _("Make it sharp"),
    "code size": _("Make the codes large enough"),
    "light": _("Light it evenly"),
}
"""The steps to a readable picture: the findings of the camera's view, in order, each with the title of its step."""

Quality = Literal["good", "fair", "poor"]


@dataclass(frozen=True)
class Outline:
    """The outline of something in the picture, a polygon in pixels, with a message about it."""

    kind: Literal["mat", "zone", "corner", "thing"]
    points: tuple[tuple[float, float], ...]
    label: str
    quality: Quality = "good"
    message: TextLike = ""


@dataclass(frozen=True)
class LivePicture:
    """What the camera sees now, as a JPEG. `size`: width and height in the pixels of the outlines. `findings`: the
    frame rate, and how readable the picture is."""

    jpeg: bytes
    size: tuple[int, int]
    outlines: tuple[Outline, ...] = ()
    findings: tuple[Finding, ...] = ()
