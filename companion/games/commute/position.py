"""A position of Commute: plain data, and the facts that follow from it.

Law: pure.

A position as a viewer knows it is a `Position` too (`as_known_to`): "?" stands for each card that the viewer can't
identify.
"""

from __future__ import annotations

from typing import Self, TypeVar

from companion.games.commute.board import Board
from companion.games.commute.position_json_types import CommutePosition, PendingJson
from companion.games.commute.position_parts import (
    Closure,
    CommuteResult,
    Deck,
    EffectTask,
    PendingBump,
    Question,
    QuestionKind,
    Stage,
    SwapTask,
    UhOhPosition,
    closed_lines,
)
from companion.games.commute.suits_and_ranks import DECK, UNSEEN
from companion.games.commute.uh_oh_cards import UhOhCards
from companion.games.commute.uh_oh_effect_types import Choice, CloseLine, SkipTurn, Swap
from companion.games.ending import Ending
from companion.games.immutable import Immutable
from companion.games.rules import HOUSE, REFEREE, House, Seat, Viewer


class Position(Immutable, frozen=True):
    """A position of Commute. Unless a field's docstring says otherwise, each tuple has one element for each seat."""

    board: Board
    uh_oh_cards: UhOhCards
    """The "Uh-Oh!" cards of this game, by id."""
    houses: tuple[str, ...]
    """The id of the space that is each seat's home."""
    commute_count: int
    """The number of commutes in the whole game. A round has two: a morning and an evening."""
    locations: tuple[str, ...]
    """The id of the space on which each seat's piece stands."""
    hands: tuple[tuple[str, ...], ...]
    minutes: tuple[int, ...]
    reputation: tuple[int, ...]
    arrived: tuple[bool, ...]
    skips: tuple[int, ...]
    """The number of turns that each seat still has to skip."""
    uh_oh: UhOhPosition
    deck: Deck
    commute: int = 0
    """The number of the current commute, counted from 0. Even numbers are mornings."""
    stage: Stage = "deal"
    active_player: Seat = Seat(0)
    """The seat whose turn it is, even while another seat or the house must act."""
    face_candidates: tuple[tuple[frozenset[str], ...], ...] = ()
    """For each hand, a set of possible faces for each "?" card about which something is known. The hand's other "?"
    cards can have any face. Empty until the discards have been reshuffled in this commute."""
    bump: PendingBump | None = None
    """The bump that a seat must make next. None if no bump is due."""
    closures: tuple[Closure, ...] = ()
    """The closures of metro lines that are in force. The same line can be closed twice."""
    results: tuple[CommuteResult, ...] = ()
    """The results of the finished commutes, oldest first."""
    is_over: bool = False

    @property
    def turn(self) -> Seat | House | None:
        """The seat that must act, or the house. None at the end of the game."""
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
        """The question that the next task asks a seat. None if the task needs no answer, or if no answer is
        possible."""
        if not self.uh_oh.tasks:
            return None
        match self.uh_oh.tasks[:1]:
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
        """The seats other than `seat` that have not arrived in this commute. "Uh-Oh!" cards do not affect seats that
        have arrived."""
        return tuple(Seat(other) for other in self.seats if other != seat and not self.arrived[other])

    def _swap_partners(self, seat: Seat) -> tuple[Seat, ...]:
        """The seats with which `seat` can swap a card. Both seats must have a card, and the partner must not have
        arrived."""
        return tuple(other for other in self._others_under_way(seat) if self.hands[other] and self.hands[seat])

    @property
    def winners(self) -> list[Seat]:
        """The seats with the highest reputation at the end of the game. There are several if there is a tie, and none
        before the end."""
        most = max(self.reputation)
        return [Seat(seat) for seat in self.seats if self.is_over and self.reputation[seat] == most]

    @property
    def seats(self) -> range:
        return range(len(self.houses))

    @property
    def round(self) -> int:
        """The number of the current round, counted from 1. A round consists of a morning and an evening."""
        return self.commute // 2 + 1

    @property
    def is_morning(self) -> bool:
        return self.commute % 2 == 0

    def goal(self, seat: Seat) -> str:
        """The id of the space where a seat's commute ends: the workplace in the morning, the seat's own house in the
        evening."""
        return self.board.work if self.is_morning else self.houses[seat]

    @property
    def deck_size(self) -> int:
        return len(DECK) - len(self.deck.discard) - sum(map(len, self.hands))

    @property
    def ending(self) -> Ending | None:
        """How the game ended. None while the game goes on."""
        return Ending(won=None, winners=tuple(self.winners)) if self.is_over else None

    def as_known_to(self, viewer: Viewer) -> Self:
        """The position as a viewer knows it. The result is the same for any two positions that the viewer can't tell
        apart.

        The hands of other seats are hidden, as are deductions about them. A card that another seat has chosen for a
        swap is hidden too, and so are the draws that the set-up prescribes.
        """
        if viewer == REFEREE:
            return self
        return self.replace(
            hands=tuple(hand if seat == viewer else (UNSEEN,) * len(hand) for seat, hand in enumerate(self.hands)),
            face_candidates=tuple(
                candidates if seat == viewer else () for seat, candidates in enumerate(self.face_candidates)
            ),
            uh_oh=self.uh_oh.as_known_to(viewer),
            deck=self.deck.replace(fixed_draws=()) if self.deck.fixed_draws else self.deck,
        )

    def to_json(self) -> CommutePosition:
        """The position as JSON, as `tablekeeper play` prints it."""
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
            "uh_oh": self.uh_oh.card,
            "closed": closed_lines(self.closures),
            "skips": list(self.skips),
            "over": self.is_over,
            "winners": list(self.winners),
        }

    def _pending_to_json(self) -> PendingJson | None:
        if self.bump:
            return {"kind": "bump", "seat": self.bump.seat, "target": self.bump.target}
        question = self.question
        return {"kind": "choose", "seat": question.seat} if question else None


P = TypeVar("P", bound=Position)
"""The type of the position that a function takes, and of the changed copy that the function returns."""


def _question(kind: QuestionKind, seat: Seat, options: tuple[int | str, ...]) -> Question | None:
    """The question with these options. None if there are no options, because then nothing is asked."""
    return Question(kind, seat, options) if options else None
