"""What sensors report: facts about the table, without any game meaning.

Law: frozen data only. A device is an iterable of observations with `close()`; a list is a valid device. Lengths are
millimetres on the mat (origin top left, x right, y down), angles degrees clockwise, times seconds in the source's own
time.

An observation goes through the layers once. A device reports it; `Table.observe` locates it on the mat in play; the
tracked table takes it in; the game's `meaning_of` turns it, with its context, into a move or into nothing. What follows
comes back once, in the view: a new position, or a discrepancy to fix.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from companion.tabletop.mat import Mat
from companion.text.messages import TextLike, joined

Button = Literal["next", "draw", "undo", "confirm"]


@dataclass(frozen=True, kw_only=True)
class CardSeen:
    """A component has come to rest, was moved, or was rotated in place."""

    t: float
    code: str
    """The id in the code that was read, such as `SF-D07`."""
    zone: str | None
    mm: tuple[float, float] | None
    angle: float
    change: Literal["appeared", "moved", "turned"]
    was_initially_present: bool = False
    """Whether it was there when the camera started, so that nobody saw it come."""

    def located_on(self, mat: Mat) -> CardSeen:
        """The sighting with its zone on this mat. Without a position it keeps the zone that the camera reported."""
        return self if self.mm is None else replace(self, zone=mat.zone_at(self.mm))


@dataclass(frozen=True, kw_only=True)
class CardGone:
    """A component has left the picture: its place was seen without it."""

    t: float
    code: str


@dataclass(frozen=True, kw_only=True)
class TokensCounted:
    """The number of tokens of each kind in a place; None if the picture doesn't show it. `why` says what prevents
    certainty: too little light, no color chart in view, something over the place, an unclear picture."""

    t: float
    place: str
    tokens: Mapping[str, int] | None
    certainty: Literal["certain", "guessed", "unknown"]
    why: Literal["", "dark", "patches", "covered", "unclear"] = ""


@dataclass(frozen=True, kw_only=True)
class MatSeen:
    """The corner codes of a mat have come into view, so that positions on it are known. None: no mat is in view."""

    t: float
    mat: str | None


@dataclass(frozen=True, kw_only=True)
class ButtonPressed:
    """A button was pressed. `seat` is the seat to which the button belongs, if any. `repeats` is 0 for the press
    itself, then counts the repeats while it is held."""

    button: Button
    seat: int | None = None
    repeats: int = 0


@dataclass(frozen=True, kw_only=True)
class DialTurned:
    """A dial was turned by a number of steps clockwise, negative for counterclockwise."""

    steps: int


@dataclass(frozen=True, kw_only=True)
class DeviceHealth:
    """Whether a device works, in one short sentence, and the remedy if it doesn't."""

    device: str
    ok: bool
    message: TextLike
    remedy: TextLike = ""

    @property
    def words(self) -> TextLike:
        """The sentence and the remedy."""
        return joined(" ", filter(None, (self.message, self.remedy)))


Observation = CardSeen | CardGone | TokensCounted | MatSeen | ButtonPressed | DialTurned | DeviceHealth


class Device(Protocol):
    """Anything that reports observations until it is closed."""

    def __iter__(self) -> Iterator[Observation]: ...
    def close(self) -> None: ...
