"""Trials: hands make a move by its physical acts, in some order, while everything that the table says is judged."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from companion.games.rules import SPECTATOR, Move, Seat, Viewer
from companion.match.history import Act
from tests.evenings.hand_acts import PhysicalAct
from tests.evenings.hands import Hands, json_of, tap
from tests.evenings.judge import Said, described, said_in
from tests.evenings.meant_moves import is_meant
from tests.moves_from_layouts.limits import ON_PHONES, UNCLEAR, is_within
from tests.moves_from_layouts.physical_acts import PlanningGroup, Reversible, layout_after

REST_RATE = 0.5
"""How often hands rest for ten seconds after an act."""


class Failed(Exception):
    """The table said or recorded something wrong, or it did not record a move."""


class Unclear(Exception):
    """The table recorded another move, and no camera could have known better."""


@dataclass
class Trial:
    """Hands make a legal move by its physical acts, in this order. `taken_back`: how many of the acts they do and take
    back before that."""

    group: PlanningGroup
    hands: Hands
    move: Move
    acts: Sequence[PhysicalAct]
    taken_back: int = 0
    _done: list[PhysicalAct] = field(default_factory=list)
    """The acts that have been done and not taken back."""

    def __str__(self) -> str:
        back = f", after {self.taken_back} of them were taken back" if self.taken_back else ""
        return f"{json_of(self.move)} by: {'; '.join(map(str, self.acts))}{back}"

    def run(self) -> str:
        """Makes the move. Returns what went wrong and everything that happened; "" if all went right. Afterwards the
        group is in another position."""
        self._before, self._mark = self.group.state, len(self.group.acts)
        self._goal = layout_after(self.group, self.move)
        self.group.rng.seed(str(self))
        self.group.trace.clear()
        try:
            self._begin_and_take_back()
            self._make()
        except Unclear:
            return ""
        except Failed as failure:
            return "\n".join((str(failure), *self.group.trace))
        except Exception:
            return "\n".join((traceback.format_exc(), *self.group.trace))
        return ""

    def _begin_and_take_back(self) -> None:
        """Does some acts and takes them back in reverse order. If they are enough for the move, takes nothing back."""
        begun = list[Reversible]()
        for act in self.acts[: self.taken_back]:
            begun.append(Reversible.of(act, self.group))
            self._do(act)
            if self._recorded:
                return
        for each in reversed(begun):
            self.group.do(each.inverse())
        self._done.clear()
        if begun:
            self._require(not self._recorded, f"recorded while it was taken back: {described(self._recorded)}")
            self._require_silence_at_rest("after it was taken back")
            if self.group.differences():
                self.hands.put_right()  # such as a card that was taken from below others

    def _make(self) -> None:
        """Does the acts that have not been done, and enters the move if cardboard alone does not say it."""
        for act in self.acts[len(self._done) :]:
            self._do(act)
        if not self._recorded:
            said = self.group.view().tabletop
            is_entered = is_within(ON_PHONES, self.group.name, self._before, self.move, self.acts)
            self._require(is_entered, f"not recorded; said: {said.begun_move or said.discrepancies}")
            self._enter_on_phone()
        if self.group.state.turn is not None:
            self.hands.put_right()
            self._require_silence_at_rest("at the end")

    def _do(self, act: PhysicalAct) -> None:
        """Does an act, perhaps rests, and judges what the table records and says."""
        with self.group.planning(self._goal):
            self.group.do(act)
        self._done.append(act)
        if self.group.rng.random() < REST_RATE:
            self.group.rest()
        is_unclear = is_within(UNCLEAR, self.group.name, self._before, self.move, self._done)
        if self._recorded and not self._is_meant():
            raise Unclear if is_unclear else Failed(f"recorded instead: {described(self._recorded)}")
        if not self._recorded and not is_unclear and len(self._done) < len(self.acts):
            self._require_silence(f"after “{act}”", lambda said: said.discrepancies)

    @property
    def _recorded(self) -> Sequence[Act]:
        return self.group.acts[self._mark :]

    def _is_meant(self) -> bool:
        recorded = self._recorded
        return len(recorded) == 1 and is_meant(recorded[0], self.move)

    def _enter_on_phone(self) -> None:
        """Enters the move, for which the table must ask. In a game without hidden cards, the player's phone offers
        it."""
        self.group.rest()
        self._require_silence("before it was entered", lambda said: said.discrepancies)
        begun = self.group.view().tabletop.begun_move
        self._require(begun is not None and begun.seat == self.move.seat, "nothing asks the player to enter the move")
        asked = self.move.consenting_seat()
        if asked is None and not self.group.game.rules.has_hidden_information and self._has_reached_goal():
            offered = [each.move for each in self.group.view(Seat(int(self.move.seat))).choices.explanations]
            self._require(self.move in offered, f"not offered, but: {offered}")
        if asked is None:
            self.group.do(tap(self.move))
        else:
            self.group.table.request_consent(Seat(int(self.move.seat)), json_of(self.move))
            self.group.table.answer(asked, agreed=True)
        self._require(bool(self._recorded), "not recorded when it was entered")
        self._require_silence_at_rest("after it was entered")

    def _has_reached_goal(self) -> bool:
        """Whether everything lies as after the move. Acts in an unusual order may leave cards in another order."""
        with self.group.planning(self._goal):
            return not self.group.differences()

    def _require_silence_at_rest(self, when: str) -> None:
        """Requires that the table says nothing if everything lies as the match says."""
        self.group.rest()
        if not self.group.differences():
            self._require_silence(when, lambda said: (*said.discrepancies, *said.begun))

    def _require_silence(self, when: str, part: Callable[[Said], Sequence[str]]) -> None:
        """Requires that no viewer reads anything in a part of what the table says."""
        viewers: list[Viewer] = [SPECTATOR, *map(Seat, range(self.group.seats))]
        for viewer in viewers:
            if lines := part(said_in(self.group.view(viewer))):
                raise Failed(f"said {when} to {viewer}: {'; '.join(lines)}")

    def _require(self, condition: bool, otherwise: str) -> None:
        if not condition:
            raise Failed(otherwise)
