"""The acts of hands. A plan is a list of acts, so that a slip can change one of them.

Law: frozen data only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from companion.tabletop.mat import Point


@dataclass(frozen=True)
class Lay:
    """Takes a component from wherever it is and lays it in a zone or, if `point` is given, with its center at this
    point (mm). Without an angle it is laid straight. `is_below`: it is laid below what is already in the zone."""

    component: str
    zone: str
    angle: float | None = None
    face_up: bool = True
    point: Point | None = None
    is_below: bool = False

    def __str__(self) -> str:
        where = f"{self.zone} at {self.point[0]:.0f},{self.point[1]:.0f}" if self.point else self.zone
        turned = "" if self.angle is None else f" {self.angle:.0f}°"
        below = " below the others" if self.is_below else ""
        return f"lay {self.component} in {where}{turned}{'' if self.face_up else ' face down'}{below}"


@dataclass(frozen=True)
class Take:
    """Takes a component off the table, to a hand, the tray, the box, or a deck ("deck ZONE")."""

    component: str
    place: str

    def __str__(self) -> str:
        return f"take {self.component} to {self.place}"


@dataclass(frozen=True)
class Rotate:
    """Turns a component in place until it points to `degrees`."""

    component: str
    degrees: float

    def __str__(self) -> str:
        return f"rotate {self.component} to {self.degrees:.0f}°"


@dataclass(frozen=True)
class Flip:
    """Turns a component over in place."""

    component: str

    def __str__(self) -> str:
        return f"flip {self.component}"


@dataclass(frozen=True)
class Carry:
    """Carries cubes of one color from one place to another."""

    kind: str
    source: str
    target: str
    count: int = 1

    def __str__(self) -> str:
        return f"carry {self.count} {self.kind} from {self.source} to {self.target}"


@dataclass(frozen=True)
class Tap:
    """Submits a move, given as JSON, on the phone of `seat`. `seat` is None for a report that anybody may make."""

    seat: int | None
    move: Mapping[str, Any]

    def __str__(self) -> str:
        return f"tap on {self.seat}: {dict(self.move)}"


@dataclass(frozen=True)
class Press:
    """Presses a button at the table."""

    button: str

    def __str__(self) -> str:
        return f"press {self.button}"


PhysicalAct = Lay | Take | Rotate | Flip | Carry
HandAct = PhysicalAct | Tap | Press
