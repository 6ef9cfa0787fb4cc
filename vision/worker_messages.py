"""What goes through the pipe between the eyes and the process in which they look.

Law: frozen data only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from companion.diagnostics.findings import LivePicture
from companion.tabletop.mat import Mat
from companion.tabletop.observations import Observation


@dataclass(frozen=True)
class Told:
    """From the child: what it has seen, `t` in the source's time; empty to show that it lives."""

    observations: tuple[Observation, ...] = ()
    t: float = 0.0


@dataclass(frozen=True)
class Picture:
    """From the child: the last frame, with boxes around what is known."""

    jpeg: bytes


@dataclass(frozen=True)
class Looked:
    """From the child: the last frame and how well it can be read; None before the first."""

    live: LivePicture | None


Answer = TypeVar("Answer", Picture, Looked)


@dataclass(frozen=True)
class Ended:
    """From the child: the source has come to its end, or fails and this is why."""

    failure: str = ""


@dataclass(frozen=True)
class TakePicture:
    """To the child."""


@dataclass(frozen=True)
class CountOn:
    """To the child: the pieces on this mat are counted from now on, all of them anew; None: nothing is."""

    mat: Mat | None


@dataclass(frozen=True)
class LookClosely:
    """To the child: how well all is seen, in this language; of these codes alone, if any are named."""

    language: str
    codes: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Stop:
    """To the child."""
