"""The people at a table: a host, and a phone for each seat. They play, and note what was acknowledged."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion.drill.acknowledged_moves import PlannedMove, AcknowledgedMoves
from companion.drill.outcome import DrillFailed
from companion.drill.phone import Phone
from companion.drill.service_process import ServiceProcess

ONLY_PHONES = "traffic-congestion"
"""A game without chance: on every turn a phone can move."""
JOIN_CODE = re.compile(r">\s*([A-Z]{4})\s*<")


class Players:
    """A host and two players, who have started and joined a game."""

    def __init__(self, service: ServiceProcess, game: str = ONLY_PHONES, dealers: Mapping[str, str] = {}) -> None:  # noqa: B006  # it is only read
        self.service = service
        self.acknowledged = AcknowledgedMoves()
        self.host = Phone(service.port)
        self.host.get(service.host_path)
        code = JOIN_CODE.search(self.host.get("/host"))
        self.host.post("/api/start", {"game": game, "seats": 2, "dealers": dict(dealers)})
        self.phones = [Phone(service.port) for _ in range(2)]
        for seat, phone in enumerate(self.phones):
            phone.post("/api/join", {"code": code and code[1], "seat": seat, "name": f"Player {seat + 1}"})

    def view(self) -> Any:
        """What everybody may know of the match."""
        return self.host.view()

    @property
    def version(self) -> int:
        """The version of the match."""
        return int(self.view()["version"])

    def health(self, device: str) -> Any:
        """The health of a device, as programs get it; None if there is no report yet."""
        return next((each for each in self.host.get("/healthz")["devices"] if each["device"] == device), None)

    def next_move(self) -> tuple[Phone, PlannedMove]:
        """The first legal move of the seat in turn, with the version that it will lead to, and that seat's phone."""
        for seat, phone in enumerate(self.phones):
            view = phone.view()
            if view["legal"]:
                return phone, PlannedMove(seat, view["legal"][0], str(uuid.uuid4()), view["version"] + 1)
        raise DrillFailed("No phone can move.")

    def play(self, count: int = 1) -> None:
        """Makes moves on the phones. Raises Refused, NoAnswer."""
        for _ in range(count):
            self.submit(*self.next_move())

    def submit(self, phone: Phone, planned: PlannedMove) -> None:
        """Makes a planned move, and notes that it was acknowledged. Raises Refused, NoAnswer."""
        version = int(phone.post("/api/moves", planned.body)["version"])
        if version != planned.version:
            raise DrillFailed(f"A move on version {planned.version - 1} led to version {version}.")
        self.acknowledged.add(planned)

    def check_journal(self, data: Path | None = None) -> None:
        """Raises DrillFailed unless the journal has every acknowledged move exactly once and in order. `data`: the
        folder with the journal; None for that of the service."""
        problems = self.acknowledged.problems(data or self.service.data)
        if problems:
            raise DrillFailed(" ".join(problems[:3]))
