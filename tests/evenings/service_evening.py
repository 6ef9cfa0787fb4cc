"""Makes slips at the simulated table of the running service. Checks whether and how soon they are reported, and what is
recorded.

The service runs in a process of its own, with its camera process, which reads rendered pictures. Time is real.
"""

from __future__ import annotations

import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from companion.games import GAMES
from companion.tabletop.mat import Point
from tests.evenings.figures import Failure, Figures
from tests.evenings.simulated_group import center_of
from tests.running_service import HttpPhone, RunningService, join_code, until

SLIPS_PER_EVENING = 12
MOVES_BETWEEN_SLIPS = 2
MAX_REPORT_S = 12.0
POLL_S = 0.05
PUT_RIGHT_S = 15.0
"""How long the camera may take to see a table that was put right."""
BESIDE_MM = 18.0


class ServiceEvening:
    """A game at the simulated table of a running service."""

    def __init__(self, name: str, seed: str, service: RunningService) -> None:
        self.name, self.seed, self.rng = name, seed, Random(f"service {name} {seed}")
        self.service, self.figures, self.trace = service, Figures(), list[str]()
        self.mat = GAMES[name].physical.components.mat
        self.kind = ""
        self.host = HttpPhone(service.address)
        self.host.get(service.host_link.removeprefix(service.address))
        seats = GAMES[name].rules.seats[0]
        self.host.post("/api/start", {"game": name, "seats": seats})
        code = join_code(self.host.get("/host"))
        self.phones = [HttpPhone(service.address) for _ in range(seats)]
        for seat, phone in enumerate(self.phones):
            phone.post("/api/join", {"code": code, "seat": seat, "name": f"Player {seat}"})

    def play(self) -> Figures:
        """Makes moves on phones and slips at the table in turn."""
        until(lambda: self.state()["in_view"], "the mat")
        for _ in range(SLIPS_PER_EVENING):
            for _ in range(MOVES_BETWEEN_SLIPS):
                self._move()
            self._put_right()
            if self.view()["state"]["over"]:
                break
            self._slip()
        self.figures.counts["evenings"] += 1
        self.figures.counts["runs right"] += not self.figures.failures
        return self.figures

    def state(self) -> Any:
        return self.host.get("/simulator/state")

    def view(self) -> Any:
        return self.phones[0].view()

    def do(self, action: str, **body: Any) -> Any:
        self.trace.append(f"{action} {body}")
        return self.host.post(f"/simulator/do/{action}", body)

    def _move(self) -> None:
        """Makes a random move on the phone of the seat in turn."""
        view = self.view()
        turn, act = view["state"]["turn"], {"version": view["version"], "id": str(uuid.uuid4())}
        if view["state"]["over"]:
            return
        if isinstance(turn, int):
            legal = self.phones[turn].view()["legal"]
            self.phones[turn].move(self.rng.choice(legal))
            self.figures.counts["moves"] += 1
        else:
            self.phones[0].post("/api/next", act)

    def _put_right(self) -> None:
        """Lets the simulator put everything in place, twice if the camera missed something."""
        for _ in range(2):
            self.do("tidy")
            end = time.monotonic() + PUT_RIGHT_S
            while time.monotonic() < end:
                if self._is_right():
                    return
                time.sleep(POLL_S)
        self._fail("not restored", f"put right, but: {self.state()['discrepancies']}")

    def _is_right(self) -> bool:
        state = self.state()
        return not state["discrepancies"] and state["hand"] is None

    def _slip(self) -> None:
        slips: list[Callable[[str], str]] = [self._wrong_place, self._between, self._away, self._half_turn]
        lying = self._visible(self.state()["on_mat"])
        if not lying:
            return
        component, before = self.rng.choice(lying)["code"], self.view()["version"]
        time.sleep(1.0)
        self.kind = self.rng.choice(slips)(component)
        if not self.kind:
            return
        self.figures.slips[self.kind, "slips"] += 1
        until(lambda: self.state()["hand"] is None, "the hand to go")
        at_rest = time.monotonic()
        reported = self._wait_for_report(at_rest, component)
        if self.view()["version"] != before:
            self._take_back(before)
        elif reported is None:
            self.figures.slips[self.kind, "visible"] += 1
            self._fail("not reported", f"{self.kind} of {component}")
        else:
            self.figures.seconds.append(reported)
            for figure in ("visible", "reported"):
                self.figures.slips[self.kind, figure] += 1

    def _visible(self, lying: list[Any]) -> list[Any]:
        """The components that no later one covers. Pieces of Commute are left out, because moving one may begin a
        move."""
        return [
            each
            for number, each in enumerate(lying)
            if each["face_up"]
            and not each["code"].startswith("CM-P")
            and all(abs(o["x"] - each["x"]) > 60 or abs(o["y"] - each["y"]) > 60 for o in lying[number + 1 :])
        ]

    def _wait_for_report(self, at_rest: float, component: str) -> float | None:
        """How long it took the table to report something about a component, in seconds; None if it reported nothing."""
        components = GAMES[self.name].physical.components.components
        name = next(each.name for each in components if each.id == component).lower()
        others = set[str]()
        while (seconds := time.monotonic() - at_rest) < MAX_REPORT_S:
            state = self.state()
            said = [*state["discrepancies"], state["notice"]]
            if any(name in line.lower() for line in said):
                self.trace.append(f"  {seconds:.1f} s: {said}")
                return seconds
            others.update(filter(None, said))
            time.sleep(POLL_S)
        for line in others:
            self._fail("false messages", f"after {self.kind} of {component}: {line}")
        return None

    def _take_back(self, version: int) -> None:
        """Undoes the legal move that the slip has made."""
        self.figures.slips[self.kind, "legal"] += 1
        view = self.view()
        for _ in range(view["version"] - version):
            act = {"version": self.view()["version"], "id": str(uuid.uuid4())}
            self.phones[0].post("/api/undo", act)

    def _fail(self, figure: str, detail: str) -> None:
        self.figures.counts[figure] += 1
        step = sum(count for (_, what), count in self.figures.slips.items() if what == "slips")
        self.figures.failures.append(Failure(figure, self.name, self.seed, step, self.kind, detail))

    def _lay(self, component: str, point: Point) -> None:
        self.do("put", code=component, x=point[0], y=point[1])

    def _wrong_place(self, component: str) -> str:
        here = next(each for each in self.state()["on_mat"] if each["code"] == component)
        zones = [zone for zone in self.mat.zones if not zone.holds((here["x"], here["y"]))] if self.mat else []
        self._lay(component, center_of(self.rng.choice(zones)))
        return "wrong place"

    def _between(self, component: str) -> str:
        """Lays a component on the mat, so far from all zones that its code is in none of them."""
        assert self.mat
        width, height = self.mat.size
        points = ((self.rng.uniform(50, width - 50), self.rng.uniform(50, height - 50)) for _ in range(4000))
        lying = [(each["x"], each["y"]) for each in self.state()["on_mat"]]

        def is_free(point: Point) -> bool:
            assert self.mat
            around = [
                (point[0] + dx, point[1] + dy) for dx in (-BESIDE_MM, 0, BESIDE_MM) for dy in (-BESIDE_MM, 0, BESIDE_MM)
            ]
            apart = all(abs(point[0] - x) + abs(point[1] - y) > 60 for x, y in lying)
            return apart and all(self.mat.zone_at(each) is None for each in around)

        point = next(filter(is_free, points), None)
        if point is None:
            return ""
        self._lay(component, point)
        return "between places"

    def _away(self, component: str) -> str:
        self.do("put-away", code=component)
        return "off the table"

    def _half_turn(self, component: str) -> str:
        if self.name != "traffic-congestion":
            return ""
        self.do("rotate", code=component, degrees=180)
        return "half turn"


def play_service_evening(name: str, seed: str) -> tuple[Figures, list[str]]:
    """Plays an evening at a service that is started for it; returns its figures and its trace."""
    with tempfile.TemporaryDirectory() as folder, RunningService(Path(folder), "--simulate") as service:
        evening = ServiceEvening(name, seed, service)
        return evening.play(), evening.trace
