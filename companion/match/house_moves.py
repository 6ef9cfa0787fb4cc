"""Decides for each house move of a match whether it is made by the companion or by people at the table, and makes those
of the companion.

Law: pure. What the companion deals follows from the seed of the game, and from the shares in its shuffle.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from companion.games.game import Game
from companion.games.rules import HOUSE, UNSEEN, HouseMove, Move, State, play
from companion.match.chance_player import ChancePlayer
from companion.match.fair_shuffle import FairChancePlayer
from companion.match.history import Step
from companion.match.shuffle_verification import count_draws
from companion.match.stored_game import Header
from companion.text.messages import TextLike


@dataclass(frozen=True)
class HouseMoves:
    """Decides who makes the house moves in the game with this header, and makes those of the companion."""

    game: Game[Any]
    header: Header

    def is_by_companion(self, move: HouseMove) -> bool:
        """Whether this house move deals from a chance source, and is made by the companion, not by people. False for
        house moves that deal nothing, such as the next phase."""
        return move.CHANCE_SOURCE in self.game.rules.chance_sources and not self.is_reported(move)

    def is_reported(self, move: HouseMove) -> bool:
        """Whether people make this house move, and report it."""
        return self.header.dealers.get(move.CHANCE_SOURCE) == "table"

    def is_due_by_people(self, state: State) -> bool:
        """Whether people make and report the house move that is due now; False if none is due."""
        due = next((move for move, _ in state.chances()), None) if state.turn == HOUSE else None
        return due is not None and self.is_reported(due)

    def pause_label(self, state: State) -> TextLike | None:
        """The label of the button that lets the companion continue after a pause; None if the companion is not
        pausing."""
        return None if self.is_due_by_people(state) else self.game.text.pause_label(state)

    def house_steps(self, state: State, before: Iterable[Move], *, may_pause: bool = True) -> list[Step]:
        """The house moves that the companion makes in `state` and after it, until somebody else must act or the
        companion pauses. `before`: all moves that led to `state`. If `may_pause` is false, the companion does not pause
        before the first house move."""
        steps: list[Step] = []
        if not self._is_companion_next(state, may_pause):
            return steps  # avoids listing the legal moves, of which there may be thousands
        moves = [*before]
        while self._is_companion_next(state, may_pause):
            move = self._face_down_deal(state) or self._chance_move(state, moves)
            moves.append(move)
            steps.append(Step(state, move, play(state, move)))
            state, may_pause = steps[-1].after, True
        return steps

    def _is_companion_next(self, state: State, may_pause: bool) -> bool:
        """Whether the companion makes the next move."""
        if state.turn != HOUSE or self.is_due_by_people(state):
            return False
        return not (may_pause and self.pause_label(state))

    def _chance_move(self, state: State, before: Sequence[Move]) -> HouseMove:
        """The house move that chance decides in `state`. `before`: all moves that led to `state`."""
        seed, shuffle = self.header.seed, self.header.shuffle
        if shuffle is None:
            return ChancePlayer(seed).next_move(state, len(before))
        return FairChancePlayer(seed, shuffle).next_move(state, count_draws(before))

    def _face_down_deal(self, state: State) -> HouseMove | None:
        """The deal of a card that people draw face down and do not report; None if no such card is due."""
        due = (move for move, _ in state.chances() if move.face == UNSEEN)
        return next((move for move in due if self.header.dealers.get(move.CHANCE_SOURCE) == "unseen"), None)
