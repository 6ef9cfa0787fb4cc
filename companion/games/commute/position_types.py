"""Types for the parts of a position: stages, bumps, tasks and questions of "Uh-Oh!" cards, closed metro lines, results.

Law: pure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from companion.games.commute.uh_oh_effect_types import Effect, Swap
from companion.games.rules import Seat

Stage = Literal["deal", "travel", "cascade", "uh_oh", "replenish"]
"""The stages of a turn. The position waits for the first hands in "deal", for a card of the active player in "travel",
for a bump in "cascade", for "Uh-Oh!" cards in "uh_oh", and in "replenish" for the cards that fill up the hands at the
end of the turn."""

QuestionKind = Literal["choice", "partner", "skip", "line", "card"]
"""The kinds of questions: which effect to choose, whom to swap with, who skips a turn, which metro line to close, which
card to give away."""


@dataclass(frozen=True)
class PendingBump:
    """A bump that is due: `seat` must play a card that sends the piece of `target` on."""

    seat: Seat
    target: Seat


@dataclass(frozen=True)
class EffectTask:
    """An effect of an "Uh-Oh!" card that has yet to be applied to a seat."""

    seat: Seat
    effect: Effect


@dataclass(frozen=True)
class SwapTask:
    """A swap of cards between two seats. `given` is the card that `drawer` gives away; None until this card has been
    selected."""

    drawer: Seat
    partner: Seat
    swap: Swap
    given: str | None = None

    @property
    def owner(self) -> Seat:
        """The seat whose card is selected next: first `drawer`, then `partner`."""
        return self.drawer if self.given is None else self.partner

    @property
    def selection(self) -> Literal["chosen", "random"]:
        """How the next card is selected: chosen by its owner or at random."""
        return self.swap.gives if self.given is None else self.swap.gets


UhOhTask = EffectTask | SwapTask


@dataclass(frozen=True)
class Question:
    """A question that an "Uh-Oh!" card asks a seat. `options` are all possible answers: a number stands for an effect
    or a seat, a text for a metro line or a card."""

    kind: QuestionKind
    seat: Seat
    options: tuple[int | str, ...]


@dataclass(frozen=True)
class Closure:
    """A closed metro line. The seat `drawer` closed the line. The line reopens when the turn order has reached this
    seat `turns` more times."""

    line: str
    drawer: Seat
    turns: int


@dataclass(frozen=True)
class CommuteResult:
    """The result of a finished commute, by seat: the minutes that the commute took, and the reputation after the
    commute."""

    minutes: tuple[int, ...]
    reputation: tuple[int, ...]
