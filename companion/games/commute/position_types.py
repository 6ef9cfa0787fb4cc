"""The parts of a position: what a seat owes or is asked, what remains of an "Uh-Oh!" card, which lines are closed.

Law: pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.games.commute.card_effects import Effect, Swap
from companion.games.rules import Seat

Stage = Literal["deal", "travel", "cascade", "uh_oh", "replenish"]
"""What the position waits for: the first hands, the active player's card, a bump, "Uh-Oh!" cards, or the cards that
fill up the hands at the end of a turn."""

QuestionKind = Literal["choice", "partner", "skip", "line", "card"]


@dataclass(frozen=True)
class PendingBump:
    """`seat` must play a card that sends `target` on."""

    seat: Seat
    target: Seat


@dataclass(frozen=True)
class EffectTask:
    """An effect that has yet to be applied to a seat."""

    seat: Seat
    effect: Effect


@dataclass(frozen=True)
class SwapTask:
    """A swap whose partner is known. `given` is the drawer's card, once it is chosen or picked."""

    drawer: Seat
    partner: Seat
    swap: Swap
    given: str | None = None

    @property
    def owner(self) -> Seat:
        """The seat whose card is due next: the drawer's comes first."""
        return self.drawer if self.given is None else self.partner

    @property
    def selection(self) -> Literal["chosen", "random"]:
        """How that card is selected."""
        return self.swap.gives if self.given is None else self.swap.gets


Task = EffectTask | SwapTask


@dataclass(frozen=True)
class Question:
    """What an "Uh-Oh!" card asks a seat, with every possible answer."""

    kind: QuestionKind
    seat: Seat
    options: tuple[int | str, ...]


@dataclass(frozen=True)
class Closure:
    """A metro line that stays closed until the turn order has come round to the drawer `turns` more times."""

    line: str
    drawer: Seat
    turns: int


@dataclass(frozen=True)
class CommuteResult:
    """A finished commute: each seat's minutes, and its reputation afterwards."""

    minutes: tuple[int, ...]
    reputation: tuple[int, ...]
