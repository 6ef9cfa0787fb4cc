"""A discrepancy: one difference between the layout and the tracked table, with the physical act that fixes it.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from companion.tabletop.mat import Point
from companion.tabletop.tracked_table import TOKENS
from companion.text.messages import Capitalized, TextLike


@dataclass(frozen=True)
class Fix:
    """A physical act that fixes a discrepancy on the table. `act` names the act; the other fields depend on it.

    `put`: put the components `codes` in `place`, or off the mat if `place` is None. The sides with these codes must be
    up. If `degrees` is not None, the components must point in this direction. `flip`: turn the component over, so that
    its other side is up. `rotate`: rotate the component to `degrees` on the mat, clockwise. `sort`: put the components
    in `place` in the order of `codes`. `pick_up`: pick up everything in `place` and hold it in the hand. `count`: put
    exactly `tokens` in `place`."""

    act: Literal["put", "flip", "rotate", "sort", "pick_up", "count"]
    codes: tuple[str, ...] = ()
    place: str | None = None
    degrees: float | None = None
    tokens: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Discrepancy:
    """A difference between the layout and the table, with a message that says how to fix it.

    `code`: the component to fix; "" if the message is not about one component. `since`: when the difference arose, in
    seconds on the table's clock."""

    code: str
    message: TextLike
    fix: Fix
    is_stray: bool = False
    """Whether the component is on the mat, but the layout has no place for it."""
    may_lack_tokens: bool = False
    """Whether tokens are missing although none was ever seen. Then people may be playing without tokens."""
    since: float = field(default=0.0, compare=False)
    zone: str | None = None
    """The zone in which the component lies; None if it is in none, or not in view."""
    at: Point | None = field(default=None, compare=False)
    """Where the component lies on the mat, in mm; None if it is not in view."""
    beside: str | None = field(default=None, compare=False)
    """The zone that is nearest to the component, if it lies on the mat but in no zone."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "message", Capitalized(self.message))

    @property
    def ignorable(self) -> str:
        """What people may ignore instead of fixing the discrepancy: the code of a component, or TOKENS; "" if they must
        fix it."""
        return self.code if self.is_stray else TOKENS if self.may_lack_tokens else ""
