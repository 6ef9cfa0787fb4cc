"""A table of System WON under a camera, for tests."""

from __future__ import annotations

from pathlib import Path

from companion.games import GAMES
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.observations import CardSeen, MatSeen
from tests.scripted_camera_table import ScriptedCameraTable
from tests.systems_failing_tables import hasty_clock

GAME = GAMES["system-won"]
NAMES = ("Ann", "Ben")
HANDS = ("R1", "R2", "Y3", "G4", "B5", "R1", "Y1", "G1", "B1", "B2")
"""Ann's five cards, then Ben's."""


class SystemWonTable(ScriptedCameraTable):
    """A table with cards and a camera over its mat. Each observation is one second later than the previous one."""

    def __init__(self, dealer: str = "table", seed: str = "s", path: Path | None = None, **setup: object) -> None:
        super().__init__(Journal(path))
        self.path = path
        options = {"roles": "none", **setup}
        self.table.start("system-won", 2, options, {"cards": dealer, "roles": "companion"}, NAMES, seed)
        self.table.observe(MatSeen(t=0, mat="MAT-SW"))
        for number in range(1, 9):
            self.lay(f"SW-SPEC{number}", "specifications")

    def restart(self) -> None:
        """Stops the service. A new one resumes the game from the journal and sees the mat."""
        self.table = Table(Journal(self.path), hasty_clock())
        self.table.observe(MatSeen(t=0, mat="MAT-SW"))

    def lay(self, code: str, zone: str | None, change: str = "appeared", found: bool = False) -> None:
        """Lets the camera see a component come to rest in the middle of a zone. With `found`, the component was there
        when the camera started."""
        mat = GAME.physical.components.mat
        assert mat
        self.t += 1
        points = mat.zone(zone).polygon if zone else ((300.0, 1.0),)
        mm = (sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points))
        seen = CardSeen(t=self.t, code=code, zone=zone, mm=mm, angle=0, change=change, was_initially_present=found)  # type: ignore[arg-type]
        self.table.observe(seen)

    def show(self, code: str) -> None:
        """Shows a card to the camera and takes it into a hand."""
        self.lay(code, "show")
        self.take(code)

    def deal(self, faces: tuple[str, ...] = HANDS) -> SystemWonTable:
        """Shows every card of both hands. Copies of a face are used in the order A, B, C."""
        used: dict[str, int] = {}
        for face in faces:
            self.show(f"SW-{face}{'ABC'[used.get(face, 0)]}")
            used[face] = used.get(face, 0) + 1
        return self


def specify(real: SystemWonTable) -> None:
    """Ann specifies Ben's red card."""
    real.move(0, move="specify", target=1, color="red")
