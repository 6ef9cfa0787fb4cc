"""A position of Commute: plain data, and the facts that follow from it.

Law: pure.

A position as a viewer knows it is a `Position` too (`as_known_to`): "?" stands for each card that the viewer can't
identify.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, Self, TypeVar

from companion.games.commute.board import Board
from companion.games.commute.card_effects import Choice, CloseLine, SkipTurn, Swap
from companion.games.commute.playing_cards import DECK, UNSEEN
from companion.games.commute.position_json import CommutePosition, PendingJson
from companion.games.commute.position_types import (
    Closure,
    CommuteResult,
    EffectTask,
    PendingBump,
    Question,
    QuestionKind,
    Stage,
    SwapTask,
    Task,
)
from companion.games.commute.reachability import WalkEnds, walk_ends
from companion.games.commute.uh_oh import UhOhCards
from companion.games.fast_replace import Immutable
from companion.games.rules import HOUSE, REFEREE, House, Seat, Viewer

ALL_CARDS: Final = frozenset[str](DECK)


@dataclass(frozen=True)
class Position(Immutable):
    """A position of Commute. Tuples are by seat unless their docstring says otherwise."""

    board: Board = field(repr=False, compare=False)
    uh_oh_cards: UhOhCards = field(repr=False, compare=False)
    """The "Uh-Oh!" cards of this game, by id."""
    houses: tuple[str, ...]
    commute_count: int
    """Commutes in the whole game; a round has two."""
    locations: tuple[str, ...]
    """The space that each piece stands on."""
    hands: tuple[tuple[str, ...], ...]
    minutes: tuple[int, ...]
    reputation: tuple[int, ...]
    arrived: tuple[bool, ...]
    skips: tuple[int, ...]
    """Turns that each seat still has to skip."""
    uh_oh_deck: frozenset[str]
    """The "Uh-Oh!" cards that have not been drawn since the last shuffle."""
    commute: int = 0
    """The number of the current commute, from 0; even ones are mornings."""
    stage: Stage = "deal"
    active_player: Seat = Seat(0)
    """The seat whose turn it is, even while another seat or the house must act."""
    fixed_draws: tuple[str, ...] = ()
    """The next playing cards, in order, if the set-up fixes them. Cards that people deal by hand may differ."""
    fixed_uh_oh_draws: tuple[str, ...] = ()
    """The next "Uh-Oh!" cards, likewise."""
    discard: tuple[str, ...] = ()
    """The discard pile, oldest card first."""
    last_shuffle: frozenset[str] = ALL_CARDS
    """The cards that the deck was made of when it was last shuffled."""
    face_candidates: tuple[tuple[frozenset[str], ...], ...] = ()
    """For some of the "?" cards of each hand, the faces that they can have; the other "?" cards can have any.
    Empty until the discards have been reshuffled in this commute."""
    bump: PendingBump | None = None
    uh_oh_queue: tuple[Seat, ...] = ()
    """The seats that landed on an "Uh-Oh!" space in this turn and have yet to draw, in order of landing."""
    uh_oh: str | None = None
    """The "Uh-Oh!" card that is being resolved."""
    tasks: tuple[Task, ...] = ()
    """What remains to be done for that card, the next task first."""
    closures: tuple[Closure, ...] = ()
    results: tuple[CommuteResult, ...] = ()
    """The finished commutes, oldest first."""
    is_over: bool = False

    # Whose turn it is ------------------------------------------------------------------------------

    @property
    def turn(self) -> Seat | House | None:
        """Who must act; None at the end of the game."""
        if self.is_over:
            return None
        if self.stage == "travel":
            return self.active_player
        if self.bump:
            return self.bump.seat if self.hands[self.bump.seat] else HOUSE
        question = self.question
        return question.seat if question else HOUSE

    @property
    def question(self) -> Question | None:
        """What the next task asks a seat; None if it needs no answer or has no possible one."""
        match self.tasks[:1]:
            case (EffectTask(seat=seat, effect=Choice(effects)),):
                return Question("choice", seat, tuple(range(len(effects))))
            case (EffectTask(seat=seat, effect=Swap()),):
                return _question("partner", seat, self._swap_partners(seat))
            case (EffectTask(seat=seat, effect=SkipTurn("other")),):
                return _question("skip", seat, self._others_under_way(seat))
            case (EffectTask(seat=seat, effect=CloseLine()),):
                return _question("line", seat, self.board.lines)
            case (SwapTask(owner=owner, selection="chosen"),):
                return _question("card", owner, tuple(dict.fromkeys(self.hands[owner])))
        return None

    def _others_under_way(self, seat: Seat) -> tuple[Seat, ...]:
        """Whom a card may affect besides its drawer: nobody who has arrived."""
        return tuple(Seat(other) for other in self.seats if other != seat and not self.arrived[other])

    def _swap_partners(self, seat: Seat) -> tuple[Seat, ...]:
        """Both partners of a swap must hold a card."""
        return tuple(other for other in self._others_under_way(seat) if self.hands[other] and self.hands[seat])

    @property
    def winners(self) -> list[Seat]:
        """At the end, the players with the most reputation; ties are shared."""
        most = max(self.reputation)
        return [Seat(seat) for seat in self.seats if self.is_over and self.reputation[seat] == most]

    # Rounds, commutes and seats --------------------------------------------------------------------

    @property
    def seats(self) -> range:
        return range(len(self.houses))

    @property
    def round(self) -> int:
        """The number of the round, from 1. A round is a morning and an evening."""
        return self.commute // 2 + 1

    @property
    def is_morning(self) -> bool:
        return self.commute % 2 == 0

    @property
    def first_player(self) -> Seat:
        """The seat that begins; it moves on clockwise after each round."""
        return Seat((self.round - 1) % len(self.houses))

    def seats_in_turn_order(self) -> tuple[Seat, ...]:
        """All seats from the active player on, clockwise in the morning and counter-clockwise in the evening."""
        return _seats_in_turn_order(len(self.houses), self.active_player, 1 if self.is_morning else -1)

    def seats_under_way(self) -> list[Seat]:
        """The seats that have not arrived, in turn order."""
        return [seat for seat in self.seats_in_turn_order() if not self.arrived[seat]]

    # The board -------------------------------------------------------------------------------------

    def goal(self, seat: Seat) -> str:
        """Work in the morning, the seat's own house in the evening."""
        return self.board.work if self.is_morning else self.houses[seat]

    @property
    def closed_lines(self) -> dict[str, int]:
        """The closed metro lines and for how many turns; the longer time counts if a line was closed twice."""
        turns: dict[str, int] = {}
        for closure in self.closures:
            turns[closure.line] = max(closure.turns, turns.get(closure.line, 0))
        return turns

    def walk_ends(self, seat: Seat) -> WalkEnds:
        """Where cards take this seat's piece."""
        closed = frozenset(closure.line for closure in self.closures)
        return walk_ends(self.board, self.goal(seat), closed, self.locations[seat])

    # Cards -----------------------------------------------------------------------------------------

    @property
    def deck_size(self) -> int:
        return len(DECK) - len(self.discard) - sum(map(len, self.hands))

    @property
    def unidentified_cards(self) -> frozenset[str]:
        """The faces that are neither discarded nor known to be in a hand: those of the deck and of "?" cards."""
        return ALL_CARDS.difference(self.discard, *self.hands)

    def may_see_swapped_card(self, viewer: Viewer) -> bool:
        """Whether a viewer may know the card that the next answer or pick gives away, if it gives any.

        Its owner may. The drawer may also see the partner's card, since it changes hands at once."""
        match self.tasks[:1]:
            case (SwapTask(given=given, drawer=drawer, owner=owner),):
                return viewer in (owner, REFEREE) or (given is not None and viewer == drawer)
        return True

    # What viewers know -----------------------------------------------------------------------------

    def as_known_to(self, viewer: Viewer) -> Self:
        """The position as a viewer knows it: equal for any two positions that the viewer can't tell apart.

        The other hands are hidden, as are the card that another seat has put up for a swap, what may be deduced of
        others' cards, and the draws that a set-up fixes."""
        if viewer == REFEREE:
            return self
        return self.replace(
            hands=tuple(hand if seat == viewer else (UNSEEN,) * len(hand) for seat, hand in enumerate(self.hands)),
            face_candidates=tuple(
                candidates if seat == viewer else () for seat, candidates in enumerate(self.face_candidates)
            ),
            tasks=tuple(_task_known_to(task, viewer) for task in self.tasks),
            fixed_draws=(),
            fixed_uh_oh_draws=(),
        )

    def to_json(self) -> CommutePosition:
        """The state as `tablekeeper play` prints it."""
        return {
            "round": self.round,
            "commute": "morning" if self.is_morning else "evening",
            "turn": self.turn,
            "hands": list(map(list, self.hands)),
            "positions": list(self.locations),
            "minutes": list(self.minutes),
            "reputation": list(self.reputation),
            "arrived": list(self.arrived),
            "deck": self.deck_size,
            "pending": self._pending_to_json(),
            "uh_oh": self.uh_oh,
            "closed": self.closed_lines,
            "skips": list(self.skips),
            "over": self.is_over,
            "winners": list(self.winners),
        }

    def _pending_to_json(self) -> PendingJson | None:
        if self.bump:
            return {"kind": "bump", "seat": self.bump.seat, "target": self.bump.target}
        question = self.question
        return {"kind": "choose", "seat": question.seat} if question else None

    # Changed copies --------------------------------------------------------------------------------

    def with_hand(self, seat: Seat, hand: tuple[str, ...]) -> Self:
        """This position with another hand for a seat."""
        return self.replace(hands=(*self.hands[:seat], hand, *self.hands[seat + 1 :]))

    def with_minutes_added(self, seat: Seat, minutes: int) -> Self:
        """This position with more minutes for a seat, or fewer, but never below zero."""
        total = max(0, self.minutes[seat] + minutes)
        return self.replace(minutes=(*self.minutes[:seat], total, *self.minutes[seat + 1 :]))

    def with_skips_added(self, seat: Seat, turns: int) -> Self:
        """This position with more turns for a seat to skip, or fewer."""
        return self.replace(skips=(*self.skips[:seat], self.skips[seat] + turns, *self.skips[seat + 1 :]))


P = TypeVar("P", bound=Position)
"""The type of the position that a function takes and returns changed."""


def _question(kind: QuestionKind, seat: Seat, options: tuple[int | str, ...]) -> Question | None:
    """None if there is no possible answer: then nothing happens."""
    return Question(kind, seat, options) if options else None


def _task_known_to(task: Task, viewer: Viewer) -> Task:
    if isinstance(task, SwapTask) and task.given is not None and task.drawer != viewer:
        return replace(task, given=UNSEEN)
    return task


@lru_cache
def _seats_in_turn_order(count: int, first: Seat, step: int) -> tuple[Seat, ...]:
    return tuple(Seat((first + step * number) % count) for number in range(count))
