"""The findings of `tablekeeper doctor`: one line for each thing that a table needs, with a remedy where it is missing.

Law: pure. A check is a plain function that returns findings. A check that raises becomes a finding too.
`companion.diagnostics.checks` has the checks of this machine, `vision.quality_advice` those of the camera.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from companion.text.messages import TextLike, _, joined

TITLES = {
    "box": _("Box"),
    "box's line": _("The box's line"),
    "camera": _("Camera"),
    "clock": _("Clock"),
    "configuration": _("Settings"),
    "disk": _("Disk"),
    "gpio": _("Buttons and lamp (GPIO)"),
    "journal": _("Journal"),
    "lights": _("Lights"),
    "network": _("Network"),
    "rights": _("Rights"),
    "table": _("Table"),
    "zbar": _("Second reader of codes"),
}
"""What phones call devices and checks; programs and the terminal use the names themselves."""


def titled(name: str) -> TextLike:
    """What a device or a check is called."""
    return TITLES.get(name, name)


class Finding(NamedTuple):
    """What a check found: its name, whether that will do, what it is, and what to do where it will not."""

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
"""What is looked at, in order, by name. A check may find more than one thing, or nothing to say."""


def examine(checks: Checks) -> Iterator[Finding]:
    """What the checks find, as it is found; one that fails does not hide what the others find."""
    for name, check in checks.items():
        try:
            yield from check()
        except OSError as error:
            what = joined("", (error.filename or _("The system"), f": {error.strerror or error}."))
            yield Finding(name, False, what, _("Make room on the disk, or name a folder of yours with --data."))
        except Exception as error:
            message = _("This could not be checked ({why}).", why=f"{type(error).__name__}: {error}")
            yield Finding(name, False, message, _("Please report it: it is a mistake of Tablekeeper."))


STEPS = {
    "mat": _("Put the mat into the picture"),
    "corners": _("See all four corners"),
    "sharpness": _("Make it sharp"),
    "code size": _("Make the codes large enough"),
    "light": _("Light it evenly"),
}
"""The way to a picture that can be read: the findings of the camera's view, in order, and what each step is called."""

Quality = Literal["good", "fair", "poor"]


@dataclass(frozen=True)
class Outline:
    """Something that is seen, as a polygon in the picture's pixels; `message` is what there is to say of it."""

    kind: Literal["mat", "zone", "corner", "thing"]
    points: tuple[tuple[float, float], ...]
    label: str
    quality: Quality = "good"
    message: TextLike = ""


@dataclass(frozen=True)
class LivePicture:
    """What the camera sees now, as JPEG; `size` is width and height of the pixels in which the outlines are told,
    `findings` how fast pictures come and how well all of it can be read."""

    jpeg: bytes
    size: tuple[int, int]
    outlines: tuple[Outline, ...] = ()
    findings: tuple[Finding, ...] = ()
