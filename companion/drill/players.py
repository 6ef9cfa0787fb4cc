"""The people at a table: a host, and a phone for each seat. They play and record which of their moves were
acknowledged."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from random import Random

from companion.drill.acknowledged_moves import AcknowledgedMoves, PlannedMove
from companion.drill.outcome import DrillFailed
from companion.drill.phone import Phone
from companion.drill.response_types import MatchView, ReportedDevice, ServiceHealth
from companion.drill.service_process import ServiceProcess
from companion.games.rules import Json

SEATS = 2
JOIN_CODE = re.compile(r">\s*([A-Z]{4})\s*<")


class Players:
    """The people at a table: a host, and a phone for each seat. When this object is created, the host starts a game and
    the phones join it. `dealers` says who deals from each chance source; the companion deals from sources that are not
    listed. `seats`: the number of players."""

    def __init__(
        self, service: ServiceProcess, game: str, dealers: Mapping[str, str] | None = None, seats: int = SEATS
    ) -> None:
        self.service = service
        self.acknowledged = AcknowledgedMoves()
        self._random = Random(game)
        self._setup = {"game": game, "seats": seats, "dealers": dict(dealers or {})}
        self.host = Phone(service.port)
        self.host.get(service.host_path)
        self.host.post("/api/start", self._setup)
        code = JOIN_CODE.search(self.host.get("/host"))
        self._join_code = code and code[1]
        self.phones = [self.new_phone(seat, f"Player {seat + 1}") for seat in range(seats)]

    def new_phone(self, seat: int | None, name: str = "") -> Phone:
        """A new phone, which takes the seat `seat` in the game; if `seat` is None, the phone only watches."""
        phone = Phone(self.service.port)
        phone.post("/api/join", {"code": self._join_code, "seat": seat, "name": name})
        return phone

    def view(self) -> MatchView:
        """The match as everyone may know it."""
        return self.host.view()

    @property
    def version(self) -> int:
        """The version of the match."""
        return self.view().version

    def health(self, device: str) -> ReportedDevice | None:
        """The health of a device as `/healthz` reports it. None if nothing has been reported about that device yet."""
        devices = self.host.read("/healthz", ServiceHealth).devices
        return next((each for each in devices if each.device == device), None)

    def problem(self, device: str) -> str:
        """The message on the host page about a device that has failed; "" if the device works."""
        health = self.health(device)
        return health.says if health and not health.ok and health.says in self.host.page("/host") else ""

    def is_working(self, device: str) -> bool:
        """Whether the service reports that a device works."""
        health = self.health(device)
        return health is not None and health.ok

    def next_move(self) -> tuple[Phone, PlannedMove]:
        """A legal move of the seat to move, and that seat's phone."""
        seat, version = self._seat_to_move()
        phone = self.phones[seat]
        legal = phone.view().legal
        if not legal:
            raise DrillFailed(f"Player {seat + 1} can’t move, although it is their turn.")
        return phone, planned(seat, self._random.choice(legal), version)

    def _seat_to_move(self) -> tuple[int, int]:
        """The seat to move, and the version of the match. If no seat is to move, lets the companion continue after a
        pause, or starts a new game if the last one is over."""
        while not isinstance(turn := (view := self.view()).state.turn, int):
            if view.state.over:
                self.host.post("/api/start", self._setup)
            else:
                self.phones[0].post("/api/next", {"version": view.version, "id": str(uuid.uuid4())})
        return turn, view.version

    def play(self, count: int = 1) -> None:
        """Makes `count` moves on the phones. Raises the errors that `submit` raises."""
        for _ in range(count):
            self.submit(*self.next_move())

    def submit(self, phone: Phone, move: PlannedMove) -> None:
        """Makes a planned move, and records that it was acknowledged. Raises DrillFailed if it leads to a wrong
        version, and Refused and NoResponse as `Phone` does."""
        version = phone.move(move.body).version
        if version != move.version:
            raise DrillFailed(f"A move on version {move.version - 1} led to version {version}.")
        self.acknowledged.add(move)

    def check_journal(self, data: Path | None = None) -> None:
        """Raises DrillFailed unless the journal contains every acknowledged move exactly once and in order, and has as
        many acts as the match. `data`: the folder with the journal; None for the data folder of the service."""
        problems = self.acknowledged.problems(data or self.service.data, self.version)
        if problems:
            raise DrillFailed(" ".join(problems[:3]))


def planned(seat: int, move: Json, version: int) -> PlannedMove:
    """A move that a seat plans in this version of the match, with a new id."""
    return PlannedMove(seat, move, str(uuid.uuid4()), version + 1)
