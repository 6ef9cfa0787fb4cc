"""A group that is in a hurry: some acts follow each other so closely that the camera sees them at once."""

from __future__ import annotations

from random import Random

from tests.evenings.hand_acts import HandAct, Press, Tap
from tests.evenings.simulated_group import SimulatedGroup

BLOCKED_RATE = 0.3
"""How often an arm blocks the view until the next act is done."""


class HurriedGroup(SimulatedGroup):
    """A group whose ideal camera sees some acts only together with the next one."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._hurry = Random(f"hurry {self.seed}")
        self._is_blocked = self._is_late = False

    def do(self, act: HandAct, rng: Random | None = None) -> bool:
        if isinstance(act, Tap | Press):
            self.catch_up()
            return super().do(act, rng)
        is_arm_there = (rng or self._hurry).random() < BLOCKED_RATE
        self._is_blocked = is_arm_there or self._is_late
        is_possible = super().do(act, rng)
        self._is_blocked = False
        if is_arm_there:
            self.note("   (seen together with what follows)")
        else:
            self.catch_up()
        return is_possible

    def look(self) -> None:
        self._is_late = self._is_blocked
        if not self._is_blocked:
            super().look()

    def rest(self) -> None:
        self.catch_up()
        super().rest()

    def catch_up(self) -> None:
        """Lets the camera see what it has not seen yet."""
        if self._is_late:
            self.look()
