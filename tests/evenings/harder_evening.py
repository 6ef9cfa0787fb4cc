"""Harder evenings: System WON is also played with cards that nobody shows to the camera, the companion plays some of
the seats, people rest after single cubes, and there are more kinds of slips (see `harder_slips`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from companion.games import GAMES
from companion.games.systems_failing.moves import Discard as CubeDiscard
from companion.table.companion_seats import NoCompanion, check_companion_seats
from tests.evenings.evening import HANDS, LONG_HALF_RATE, Evening, choose_game
from tests.evenings.hand_acts import Carry, HandAct, Tap
from tests.evenings.hands import Hands
from tests.evenings.harder_slips import harder_slip, move_for_companion
from tests.evenings.unseen_won_hands import UnseenWonHands

UNSEEN_RATE = 0.5
"""How often people who draw the cards of System WON do not show them to the camera."""
COMPANION_RATE = 0.5
"""How often the companion plays a seat, where it can."""
HARDER_SLIP_RATE = 0.4
"""How many of the slips are of the kinds that only harder evenings have."""
MAX_COMPANION_WAIT_S = 40
"""How long the companion may wait before it moves, in seconds. After an undo, it waits for 20."""


class HarderEvening(Evening):
    """An evening with more ways to play and to slip."""

    def _choose_game(self) -> tuple[int, dict[str, Any], dict[str, str], dict[int, str]]:
        self._harder = Random(f"harder {self.name} {self.seed}")
        seats, setup, dealers = choose_game(self.name, self.rng)
        if self.name == "system-won" and dealers["cards"] == "table" and self._harder.random() < UNSEEN_RATE:
            dealers["cards"] = "unseen"
        companions: dict[int, str] = {}
        if self._harder.random() < COMPANION_RATE:
            game = GAMES[self.name]
            policy = self._harder.choice(game.policies.for_companion)
            companions = {self._harder.randrange(seats): policy}
            try:
                check_companion_seats(game, seats, dealers, companions)
            except NoCompanion:
                companions = {}
        return seats, setup, dealers, companions

    def _hands_class(self) -> type[Hands]:
        return UnseenWonHands if self.group.dealers.get("cards") == "unseen" else HANDS[self.name]

    def _step(self) -> None:
        if self._harder.random() < self.slip_rate * HARDER_SLIP_RATE:
            slip = harder_slip(self.hands, self._harder)
            if slip:
                self._slip(slip)
                self._take_cubes_off_codes()
                self._finish()
                return
        super()._step()

    def _take_cubes_off_codes(self) -> None:
        """People take the cubes off the codes again."""
        if self.group.world.under_cubes:
            self.group.note("the cubes are taken off the code")
            self.group.world.under_cubes.clear()
            self.group.look()

    def _move(self, slips: bool) -> None:
        if self.group.state.turn not in self.group.companions:
            super()._move(slips)
            return
        slip = move_for_companion(self.hands) if slips else None
        if slip:
            self._slip(slip)
            return
        self._await_companion()

    def _await_companion(self) -> None:
        """Waits until the companion has moved. People grant what it asks for."""
        mark = self.judge.mark()
        for _ in range(MAX_COMPANION_WAIT_S):
            self.group.pause(1.0)
            self.group.companion.step()
            request = self.group.view().choices.request
            if request and request.asked not in self.group.companions:
                self.group.table.answer(request.asked, agreed=True)
            if self.judge.acts_since(mark):
                self.group.note("the companion has moved")
                self.figures.counts["moves"] += 1
                return
        said = [line for said in self.judge.everything_said() for line in said.all]
        self.judge.fail("not recorded", f"the companion does not move; said: {said[:2]}")
        raise RuntimeError("the companion does not move")

    def _do_acts(self, acts: Sequence[HandAct]) -> None:
        """Does the acts of a move, with cubes one by one and rests between them. If the table has recorded the move,
        nobody enters it on a phone."""
        mark = self.judge.mark()
        is_discard = any(isinstance(act, Tap) and act.move["move"] == CubeDiscard.NAME for act in acts)
        single = list(_one_by_one(acts))
        for number, act in enumerate(single):
            if isinstance(act, Tap) and number and self.judge.acts_since(mark):
                break
            self.group.do(act)
            if number + 1 < len(single) and not isinstance(act, Tap):
                # Whether cubes are being discarded is clear only once half of the pool is empty.
                if isinstance(act, Carry) and not is_discard and self._harder.random() < LONG_HALF_RATE:
                    self.group.rest()
                if not (isinstance(act, Carry) and is_discard):
                    self._judge_half(act)
        self.group.catch_up()


def _one_by_one(acts: Sequence[HandAct]) -> Iterator[HandAct]:
    """Yields acts with each cube carried alone."""
    for act in acts:
        if isinstance(act, Carry):
            yield from [replace(act, count=1)] * act.count
        else:
            yield act
