"""What sensors report: facts about the table, without any game meaning.

Law: frozen data only. A device is an iterable of observations with `close()`; a list is a valid device.
Lengths are millimetres on the mat (origin top left, x right, y down), angles degrees clockwise, times
seconds in the source's own time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from companion.text.translation import _

Button = Literal["next", "draw", "undo", "confirm"]


@dataclass(frozen=True, kw_only=True)
class CardSeen:
    """A printed thing has come to rest, was moved or turned; `thing` is its code's id, such as `SF-D07`."""

    t: float
    thing: str
    zone: str | None
    mm: tuple[float, float] | None
    angle: float
    change: Literal["appeared", "moved", "turned", "flipped"]
    """`flipped`: the thing lay there with its other side up before; the companion finds that out, no sensor says so."""
    found: bool = False
    """It lay there when the eyes opened: nobody saw it come."""
    lying: Mapping[str, str | None] = field(default_factory=dict, compare=False, repr=False)
    """The zone of everything in view, by its code, in the order in which it came to rest; added by the companion, no
    sensor says so."""
    turned: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    """The codes that were turned up since the last act; added by the companion too."""
    turn: int | Literal["house"] | None = field(default=None, compare=False, repr=False)
    """Whose turn it was as the thing came to lie where it lies; added by the companion too."""
    shown: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)
    """Which of all cards dealt in the game, from 0, each code was that was read as it was dealt; added by the companion
    too."""


@dataclass(frozen=True, kw_only=True)
class CardGone:
    """A printed thing has left the picture: its place was seen without it."""

    t: float
    thing: str


@dataclass(frozen=True, kw_only=True)
class TokensCounted:
    """How many tokens of each kind lie in a place, as far as a picture tells; None: it does not. `why`: what is in the
    way of certainty; too little light, no patches of colour in view, something over the place, an unclear picture."""

    t: float
    place: str
    tokens: Mapping[str, int] | None
    certainty: Literal["certain", "guessed", "unknown"]
    why: Literal["", "dark", "patches", "covered", "unclear"] = ""


@dataclass(frozen=True, kw_only=True)
class MatSeen:
    """A mat's corner codes are in view, so that places on it can be told; None: no mat's are, any more."""

    t: float
    mat: str | None


@dataclass(frozen=True, kw_only=True)
class ButtonPressed:
    """A button went down; `seat` where the button belongs to one: its *next* is what that seat says yes to. `held`: 0
    as it goes down, then how many times more it counts because it is held."""

    button: Button
    seat: int | None = None
    held: int = 0


@dataclass(frozen=True, kw_only=True)
class DialTurned:
    """A dial was turned, by so many steps clockwise; negative the other way."""

    steps: int


@dataclass(frozen=True, kw_only=True)
class DeviceHealth:
    """How a device fares, in one short sentence, and what to do where it does not fare well; both are texts for
    `later`."""

    device: str
    ok: bool
    says: str
    mend: str = ""

    @property
    def words(self) -> str:
        """How it fares, and the mend, in the language that is spoken."""
        return f"{_(self.says)} {_(self.mend)}".strip()


Observation = CardSeen | CardGone | TokensCounted | MatSeen | ButtonPressed | DialTurned | DeviceHealth


class Device(Protocol):
    """Anything that reports observations until it is closed."""

    def __iter__(self) -> Iterator[Observation]: ...
    def close(self) -> None: ...
