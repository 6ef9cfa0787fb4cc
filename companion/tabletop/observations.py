"""Observations: facts about the table that devices report, without any game meaning.

Law: frozen data only. A device is an iterable of observations with `close()`; a list is a valid device. Positions are
in millimeters on the mat (origin at the top left, x to the right, y down), angles in degrees clockwise, and times in
seconds on the clock of the source.

An observation goes through the layers once. A device reports it; `Table.observe` locates it on the mat in play; the
tracked table takes it in; the game's `meaning_of` turns it, with its context, into a move or into nothing. The result
comes back once, in the view: a new position, or a discrepancy to fix.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal, Protocol

from companion.tabletop.mat import Mat
from companion.text.messages import TextLike, joined

Button = Literal["next", "draw", "undo", "confirm"]

HIDDEN_S: Final = 3.0
"""How many seconds a code must be out of sight, with nothing moving near it, before the camera reports it as hidden."""


@dataclass(frozen=True, kw_only=True)
class CardSeen:
    """The sighting of a component that has come to rest, or that was moved or turned within its place."""

    t: float
    code: str
    """The id in the code that was read, such as `SF-D07`."""
    zone: str | None
    mm: tuple[float, float] | None
    angle: float
    change: Literal["appeared", "moved", "turned"]
    was_initially_present: bool = False
    """Whether the component was already there when the camera started. Then nobody saw it come."""

    def located_on(self, mat: Mat) -> CardSeen:
        """The sighting with the zone in which it lies on this mat. If the sighting has no coordinates, it keeps the
        zone that the camera reported."""
        return self if self.mm is None else replace(self, zone=mat.zone_at(self.mm))

    def distance_to(self, other: CardSeen) -> float:
        """The distance between two codes, in mm; infinite if it is unknown."""
        return math.dist(self.mm, other.mm) if self.mm and other.mm else math.inf

    def rotation_from(self, before: CardSeen) -> float:
        """By how many degrees the component was rotated since an earlier sighting, 0 to 180."""
        return abs((self.angle - before.angle + 180) % 360 - 180)


@dataclass(frozen=True, kw_only=True)
class CardGone:
    """The observation that a component has left its place: the camera saw the place without it."""

    t: float
    code: str


@dataclass(frozen=True, kw_only=True)
class CardInView:
    """The observation that the code of a component is in view where it was last seen, so nothing covers it. It is
    reported after another component came to rest near the code, or after the code was reported as hidden."""

    t: float
    code: str


@dataclass(frozen=True, kw_only=True)
class CardHidden:
    """The observation that a code has been out of sight for `HIDDEN_S` seconds, while nothing moved at its last place
    and no hand reached across it. The place does not look empty: something covers the component, or lies in its
    place."""

    t: float
    code: str


@dataclass(frozen=True, kw_only=True)
class TokensCounted:
    """The count of the tokens in a place, or on the field of a component, whose code is then the `place`. `tokens` is
    the number of each kind; None if the picture doesn't show the place. `why` says what prevents certainty: too little
    light, no color chart in view, something over the place, an unclear picture. `possible_stacks`: how many of the
    tokens may stand on another token that the camera can't see. Comparing counts ignores this number, because noise
    changes it."""

    t: float
    place: str
    tokens: Mapping[str, int] | None
    certainty: Literal["certain", "guessed", "unknown"]
    why: Literal["", "dark", "patches", "covered", "unclear"] = ""
    possible_stacks: int = field(default=0, compare=False)


@dataclass(frozen=True, kw_only=True)
class MatSeen:
    """The observation that the corner codes of a mat have come into view, so the zones on the mat can be located. `mat`
    is the mat's name; None if no mat is in view any more. `is_searched`: whether the camera has looked at the whole mat
    since it started. It is False at first, and the mat is reported again when it becomes True. Without a mat it means
    that the camera has stopped waiting for one."""

    t: float
    mat: str | None
    is_searched: bool = True


@dataclass(frozen=True, kw_only=True)
class ButtonPressed:
    """The press of a button. `seat`: the seat that the button belongs to, if any. `repeats`: 0 when the button goes
    down, then the number of repeats while it is held."""

    button: Button
    seat: int | None = None
    repeats: int = 0


@dataclass(frozen=True, kw_only=True)
class DialTurned:
    """The turn of a dial by a number of steps: positive if clockwise, negative if counterclockwise."""

    steps: int


@dataclass(frozen=True, kw_only=True)
class DeviceHealth:
    """The health of a device: whether it works, one short sentence about it, and the remedy if it doesn't work.
    `missing`: True if the table simply has no such device, which does not count as a failure."""

    device: str
    ok: bool
    message: TextLike
    remedy: TextLike = ""
    missing: bool = False

    @property
    def message_with_remedy(self) -> TextLike:
        """The sentence about the device's health, followed by the remedy."""
        return joined(" ", filter(None, (self.message, self.remedy)))


Observation = (
    CardSeen | CardGone | CardInView | CardHidden | TokensCounted | MatSeen | ButtonPressed | DialTurned | DeviceHealth
)


class Device(Protocol):
    """Anything that reports observations until it is closed."""

    def __iter__(self) -> Iterator[Observation]: ...
    def close(self) -> None: ...
