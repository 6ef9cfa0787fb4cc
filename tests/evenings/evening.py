"""An evening is a whole game with cardboard. The hands that play it slip now and then, and afterwards do what the table
says."""

from __future__ import annotations

import tempfile
import traceback
from pathlib import Path
from random import Random
from typing import Any

from companion.games.rules import HOUSE, Move, Seat
from companion.text.refusal_errors import Refusal
from tests.evenings.commute_hands import CommuteHands
from tests.evenings.failing_hands import FailingHands
from tests.evenings.figures import Figures
from tests.evenings.hand_acts import Carry, HandAct, Press, Tap
from tests.evenings.hands import Hands, json_of
from tests.evenings.judge import Judge, described
from tests.evenings.meant_moves import is_meant
from tests.evenings.repair import RepairAfterSlips
from tests.evenings.simulated_group import SimulatedGroup
from tests.evenings.slips import Slip
from tests.evenings.slips_at_rest import slip_at_rest
from tests.evenings.slips_in_moves import slip_in_move
from tests.evenings.traffic_hands import TrafficHands
from tests.evenings.won_hands import WonHands

HANDS: dict[str, type[Hands]] = {
    "commute": CommuteHands,
    "system-won": WonHands,
    "systems-failing": FailingHands,
    "traffic-congestion": TrafficHands,
}
MAX_STEPS = 600
"""After this many moves and deals an evening ends unfinished."""
SLIP_RATE = 0.09
LONG_HALF_RATE = 0.15
"""How often hands rest in the middle of a move for longer than the companion waits before it reports the table."""


def choose_game(name: str, rng: Random) -> tuple[int, dict[str, Any], dict[str, str]]:
    """The number of seats, the options and the dealers of an evening."""
    match name:
        case "commute":
            dealers = {
                "cards": rng.choice(("table", "table", "companion")),
                "uh_oh": rng.choice(("table", "companion")),
            }
            return rng.choice((2, 2, 3, 4, 5)), {"rounds": "1"}, dealers
        case "system-won":
            dealer = rng.choice(("table", "table", "companion"))
            return rng.choice((2, 3, 4)), {"roles": rng.choice(("all", "none"))}, {"cards": dealer, "roles": dealer}
        case "systems-failing":
            dealer = rng.choice(("table", "table", "companion"))
            difficulty = rng.choice(("easy", "medium", "hard"))
            return 2, {"difficulty": difficulty}, {"cards": dealer, "roles": dealer}
    return rng.choice((2, 3, 4)), {"board": rng.choice(("crossroads", "grid-2x2", "grid-2x2", "grid-3x3"))}, {}


class Evening:
    """One evening, with an ideal camera or, as a `RenderedGroup`, with rendered pictures."""

    def __init__(
        self,
        name: str,
        seed: str,
        folder: Path,
        slip_rate: float = SLIP_RATE,
        group: type[SimulatedGroup] = SimulatedGroup,
        max_steps: int = MAX_STEPS,
    ) -> None:
        self.name, self.seed, self.slip_rate, self.max_steps = name, seed, slip_rate, max_steps
        self.rng = Random(f"evening {name} {seed}")
        seats, setup, dealers, companions = self._choose_game()
        self.group = group(name, seats, setup, dealers, seed, folder, companions=companions)
        self.hands = self._hands_class()(self.group)
        self.figures = Figures()
        self.judge = Judge(self.hands, self.figures, seed)
        self.repair = RepairAfterSlips(self.hands, self.judge)
        self.group.on_look = self.judge.note_look
        self.group.note(f"{name} {seed}: {seats} seats, {setup}, dealers {dealers}, companions {companions}")

    def _choose_game(self) -> tuple[int, dict[str, Any], dict[str, str], dict[int, str]]:
        """The number of seats, the options, the dealers, and the companion's seats of this evening."""
        return *choose_game(self.name, self.rng), {}

    def _hands_class(self) -> type[Hands]:
        return HANDS[self.name]

    def play(self) -> Figures:
        """Plays the game to its end; returns the figures."""
        self.hands.set_up()
        self.group.start_camera()
        self.hands.put_right()
        while self.group.state.turn is not None and self.judge.step < self.max_steps:
            if self.group.game.playouts.is_stuck(self.group.state):
                break
            self.judge.step += 1
            self.judge.kind = "no slip"
            self._step()
        self.figures.counts["evenings"] += 1
        self.figures.counts["unfinished"] += self.judge.step >= self.max_steps
        self.figures.counts["runs right"] += not self.repair.has_given_up
        return self.figures

    def _step(self) -> None:
        slips = self.rng.random() < self.slip_rate
        if slips and self.rng.random() < 0.5 and (slip := slip_at_rest(self.hands, self.rng)):
            self._slip(slip)
        elif self.group.match.pause_label():
            self._proceed()
        elif self.group.state.turn == HOUSE:
            self._deal(slips)
        else:
            self._move(slips)
        self._finish()

    def _finish(self) -> None:
        """Tidies the table, rests, and judges what the table says."""
        if self.group.state.turn is not None:
            mark = self.judge.mark()
            self.hands.put_right()
            if recorded := self.judge.acts_since(mark):
                self.judge.fail("wrong acts", f"while tidying: {described(recorded)}")
                self.repair.take_back(mark)
            self.group.rest()
            self.judge.check_correct_table()
            if self.group.differences():  # of which the hands know nothing, such as a signal that is half covered
                mark = self.judge.mark()
                self.repair.obey()
                if recorded := self.judge.acts_since(mark):
                    self.judge.fail("wrong acts", f"while following the list: {described(recorded)}")
                    self.repair.take_back(mark)

    def _proceed(self) -> None:
        if self.rng.random() < 0.5:
            self.group.do(Press("next"))
        else:
            self.group.note("tap to continue")
            self.group.table.proceed(Seat(0))

    def _deal(self, slips: bool) -> None:
        acts = self.hands.deal()
        if not acts:
            raise RuntimeError(f"nobody can deal: {self.group.state.turn}")
        if slips and (slip := slip_in_move(self.hands, None, acts, self.rng)):
            self._slip(slip)
            return
        mark = self.judge.mark()
        self._do_acts(acts)
        self.figures.counts["moves"] += 1
        if not self.judge.acts_since(mark):
            self._handle_missed_act(None, acts)
        self.group.do_all(self.hands.after_deal())

    def _move(self, slips: bool) -> None:
        move = self.hands.choose()
        acts = self.hands.plan(move)
        if slips and (slip := slip_in_move(self.hands, move, acts, self.rng)):
            self._slip(slip)
            return
        mark = self.judge.mark()
        self._do_acts(acts)
        self.figures.counts["moves"] += 1
        recorded = self.judge.acts_since(mark)
        if not recorded:
            self._handle_missed_act(move, acts)
        elif len(recorded) > 1 or not is_meant(recorded[0], move):
            self.judge.fail("wrong acts", f"{described(recorded)} instead of {move}")
            self.repair.take_back(mark)

    def _do_acts(self, acts: list[HandAct]) -> None:
        """Does the acts of a move. After each act but the last, checks that the table does not report the half-made
        move as an error."""
        for number, act in enumerate(acts):
            self.group.do(act)
            if number + 1 < len(acts) and not isinstance(act, Tap | Press):
                self._judge_half(act)
        self.group.catch_up()

    def _judge_half(self, act: HandAct) -> None:
        if not isinstance(act, Carry) and self.rng.random() < LONG_HALF_RATE:
            self.group.rest()
        self.figures.counts["half-made moves"] += 1
        for viewer in self.judge.some_viewers():
            if wrong := self.judge.said(viewer).discrepancies:
                self.judge.fail("half-made called wrong", f"to {viewer}: {'; '.join(wrong)}")
                return

    def _handle_missed_act(self, move: Move | None, acts: list[HandAct]) -> None:
        """Counts as a failure that the table has not recorded a proper move or deal. The hands take it back, and it is
        made on a phone instead."""
        said = [each for said in self.judge.everything_said() for each in said.all]
        self.judge.fail("not recorded", f"{'; '.join(map(str, acts))}; said: {said[:1]}")
        self.repair.restore_by_hand()
        wanted = move or next((m for m, weight in self.group.state.chances() if weight and m.face != "?"), None)
        if wanted is not None and isinstance(self.group.state.turn, int):
            try:
                self.group.do(Tap(int(wanted.seat), json_of(wanted)))
            except Refusal as refusal:
                self.group.note(f"refused: {refusal}")

    def _slip(self, slip: Slip) -> None:
        self.judge.kind = slip.kind
        self.group.note(f"** slip: {slip.kind}")
        self.repair.after_slip(slip)


def play_evening(
    name: str,
    seed: str,
    slip_rate: float = SLIP_RATE,
    group: type[SimulatedGroup] = SimulatedGroup,
    max_steps: int = MAX_STEPS,
    evening_class: type[Evening] = Evening,
) -> tuple[Figures, list[str]]:
    """Plays an evening of at most `max_steps` moves and deals. Returns its figures and its trace."""
    with tempfile.TemporaryDirectory(dir=_fast_folder()) as folder:
        evening = evening_class(name, seed, Path(folder), slip_rate, group, max_steps)
        try:
            return evening.play(), evening.group.trace
        except Exception as error:
            evening.judge.fail("crashes", f"{type(error).__name__}: {error}")
            evening.group.trace.append("".join(traceback.format_exception(error)))
            evening.figures.counts["evenings"] += 1
            return evening.figures, evening.group.trace
        finally:
            evening.group.journal.close()


def _fast_folder() -> str | None:
    """A folder in memory, if this machine has one: journals are written with every move."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None
