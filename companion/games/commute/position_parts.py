"""Types for the parts of a position: stages, the deck, bumps, "Uh-Oh!" cards with their tasks and questions, closed
metro lines and results.

Law: pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal, Self

from companion.games.commute.suits_and_ranks import DECK, UNSEEN
from companion.games.commute.uh_oh_effect_types import Effect, Swap
from companion.games.immutable import Immutable
from companion.games.rules import REFEREE, Seat, Viewer

ALL_CARDS: Final = frozenset[str](DECK)

Stage = Literal["deal", "travel", "cascade", "uh_oh", "replenish"]
"""The stages of a turn. In "deal", the first hands are dealt. In "travel", the active player must play a card. In
"cascade", a bump is due. In "uh_oh", "Uh-Oh!" cards are resolved. In "replenish", at the end of the turn, the hands are
filled up."""

QuestionKind = Literal["choice", "partner", "skip", "line", "card"]
"""The kinds of questions: which effect to choose, with whom to swap, who must skip a turn, which metro line to close,
and which card to give away."""


class Deck(Immutable, frozen=True):
    """The discard pile, and what is known about the deck of playing cards."""

    discard: tuple[str, ...] = ()
    """The discard pile, oldest card first."""
    last_shuffle: frozenset[str] = ALL_CARDS
    """The cards that made up the deck when it was last shuffled."""
    fixed_draws: tuple[str, ...] = ()
    """The next cards to be dealt, in order, if the set-up prescribes them. People who deal by hand may deal others."""


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
    """A swap of cards between two seats. `given` is the card that `drawer` gives away; None until it has been
    selected."""

    drawer: Seat
    partner: Seat
    swap: Swap
    given: str | None = None

    @property
    def owner(self) -> Seat:
        """The seat whose card must be selected next: first `drawer`, then `partner`."""
        return self.drawer if self.given is None else self.partner

    @property
    def selection(self) -> Literal["chosen", "random"]:
        """How the next card is selected: chosen by its owner, or at random."""
        return self.swap.gives if self.given is None else self.swap.gets


UhOhTask = EffectTask | SwapTask


class UhOhPosition(Immutable, frozen=True):
    """The part of a position that concerns "Uh-Oh!" cards: their deck, and the card that is being resolved."""

    deck: frozenset[str]
    """The ids of the cards in the deck. They have not been drawn since the deck was last shuffled."""
    drawn: tuple[str, ...] = ()
    """The ids of the cards that have been drawn since the deck was last shuffled, the last one first."""
    fixed_draws: tuple[str, ...] = ()
    """The ids of the next cards to be drawn, in order, if the set-up prescribes them. People who draw by hand may draw
    others."""
    queue: tuple[Seat, ...] = ()
    """The seats that must still draw a card because their pieces landed on an "Uh-Oh!" space in this turn, in the order
    of landing."""
    card: str | None = None
    """The id of the card that is being resolved, if any."""
    tasks: tuple[UhOhTask, ...] = ()
    """The remaining tasks of `card`, the next one first."""

    def may_see_swapped_card(self, viewer: Viewer) -> bool:
        """Whether a viewer may see which card is given away by the next move of a swap. True if the next move is not
        part of a swap.

        The owner of the card and the referee may see it. The player who drew the "Uh-Oh!" card may also see the
        partner's card, because the two cards change hands as soon as the partner's card is selected.
        """
        match self.tasks[:1]:
            case (SwapTask(given=given, drawer=drawer, owner=owner),):
                return viewer in (owner, REFEREE) or (given is not None and viewer == drawer)
        return True

    def as_known_to(self, viewer: Viewer) -> Self:
        """This part of the position as it is known to a viewer other than the referee."""
        if not self.tasks and not self.fixed_draws:
            return self
        return self.replace(tasks=tuple(_task_known_to(task, viewer) for task in self.tasks), fixed_draws=())


def _task_known_to(task: UhOhTask, viewer: Viewer) -> UhOhTask:
    """The task as a viewer knows it. In a swap, the card that the drawer gives away is hidden from all other
    viewers."""
    if isinstance(task, SwapTask) and task.given is not None and task.drawer != viewer:
        return replace(task, given=UNSEEN)
    return task


@dataclass(frozen=True)
class Question:
    """A question that an "Uh-Oh!" card asks a seat. `options` are all possible answers: a number for an effect or a
    seat, a text for a metro line or a card."""

    kind: QuestionKind
    seat: Seat
    options: tuple[int | str, ...]


@dataclass(frozen=True)
class Closure:
    """A closed metro line. `drawer` is the seat that closed the line. The line reopens when the turn order has reached
    this seat `turns` more times."""

    line: str
    drawer: Seat
    turns: int


def closed_lines(closures: Iterable[Closure]) -> dict[str, int]:
    """The closed metro lines. Maps each line to the number of times that the turn order must still reach the seat that
    closed it before it reopens. If a line was closed twice, the larger number counts."""
    turns: dict[str, int] = {}
    for closure in closures:
        turns[closure.line] = max(closure.turns, turns.get(closure.line, 0))
    return turns


@dataclass(frozen=True)
class CommuteResult:
    """The result of a finished commute, by seat: the minutes of the commute, and the reputation after it."""

    minutes: tuple[int, ...]
    reputation: tuple[int, ...]
