"""Makes slips at the simulated table of the running service. Checks whether and how soon they are reported, and what is
recorded.

The service runs in a process of its own, with its camera process, which reads rendered pictures. Time is real.
"""

from __future__ import annotations

import math
import re
import tempfile
import time
import traceback
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from companion.games import GAMES
from companion.tabletop.mat import Mat, Point
from tests.evenings.figures import Failure, Figures
from tests.evenings.simulated_group import center_of
from tests.running_service import HttpPhone, RunningService, join_code, until

SLIPS_PER_EVENING = 12
MOVES_BETWEEN_SLIPS = 2
MAX_ROUNDS_PER_SLIP = 2
"""In some rounds there is no slip, because nothing is in view, or because there is no room for it."""
MAX_DEALS_IN_A_ROW = 100
MAX_REPORT_S = 12.0
POLL_S = 0.05
TIDYING_CHANGES = 2
"""How often the simulated table changes while it tidies itself: when hands leave, and when everything is in place."""
PUT_RIGHT_S = 15.0
"""How long the camera may take to see a table that was put right."""
BESIDE_MM = 18.0
NEAR_MM = 60.0
"""A discrepancy at most this far from where a component lies may be about that component, or about what it covers."""
BEGUN = re.compile(r'class="alert begun".*?<p[^>]*>(.*?)</p>', re.DOTALL)
"""How a phone's page shows the next step of a begun move."""
Polygon = tuple[Point, ...]


@dataclass(frozen=True)
class MadeSlip:
    """A slip that was made. `name`: the component's name; "" if other components have the same name. `outlines`: the
    polygons of the zones where the component belongs and where it lies. `at`: the point where it lies; None if it is
    off the table."""

    kind: str
    component: str
    name: str
    outlines: tuple[Polygon, ...]
    at: Point | None

    def __str__(self) -> str:
        return f"{self.kind} of {self.component}"

    def is_subject_of(self, message: str, fix: Mapping[str, Any]) -> bool:
        """Whether a discrepancy is about this slip: it names the component, or it asks for something where the
        component belongs or lies. `message` and `fix` are from the state of the simulated table."""
        if self.name and self.name.lower() in message.lower():
            return True
        if fix["zone"] and tuple((x, y) for x, y in fix["zone"]) in self.outlines:
            return True
        return bool(fix["at"] and self.at and math.dist(fix["at"], self.at) <= NEAR_MM)


class ServiceEvening:
    """A game at the simulated table of a running service. People deal the cards, so everything that belongs on the
    table must be in view."""

    def __init__(self, name: str, seed: str, service: RunningService) -> None:
        self.name, self.seed, self.rng = name, seed, Random(f"service {name} {seed}")
        self.service, self.figures, self.trace = service, Figures(), list[str]()
        game = GAMES[name]
        self.components, self.seats = game.physical.components.components, game.rules.seats[0]
        assert game.physical.components.mat
        self.mat: Mat = game.physical.components.mat
        self.kind = ""
        self.host = HttpPhone(service.address)
        self.host.get(service.host_link.removeprefix(service.address))
        dealers = {each.chance_source: "table" for each in self.components if each.chance_source}
        self.host.post("/api/start", {"game": name, "seats": self.seats, "dealers": dealers})
        code = join_code(self.host.get("/host"))
        self.phones = [HttpPhone(service.address) for _ in range(self.seats)]
        for seat, phone in enumerate(self.phones):
            phone.post("/api/join", {"code": code, "seat": seat, "name": f"Player {seat}"})

    def play(self, slips: int) -> None:
        """Plays until the game is over or this many slips were made. Moves are made on phones. After each move and
        each slip, the table is put right, so that the camera sees each card before another one covers it."""
        until(lambda: self.state()["in_view"], "the mat")
        for _ in range(MAX_ROUNDS_PER_SLIP * slips):
            if self.figures.total("slips") == slips or self.view()["state"]["over"]:
                break
            if all(self._move() and self._put_right() for _ in range(MOVES_BETWEEN_SLIPS)):
                self._slip()
                self._put_right()

    def state(self) -> Any:
        return self.host.get("/simulator/state")

    def view(self) -> Any:
        return self.phones[0].view()

    def do(self, action: str, **body: Any) -> Any:
        self.trace.append(f"{action} {body}")
        return self.host.post(f"/simulator/do/{action}", body)

    def _move(self) -> bool:
        """Makes a random move on the phone of the seat in turn, and all deals that follow. Returns whether the game
        goes on."""
        self._deal()
        turn = self.view()["state"]["turn"]
        if isinstance(turn, int):
            self._submit(self.phones[turn], self.phones[turn].view()["legal"])
            self._deal()
        return not self.view()["state"]["over"]

    def _deal(self) -> None:
        """Reports on phones what is to be dealt, until it is a player's turn."""
        for _ in range(MAX_DEALS_IN_A_ROW):
            view = self.view()
            if view["state"]["over"] or isinstance(view["state"]["turn"], int):
                return
            reports = ((phone, phone.view()["reports"]) for phone in self.phones)
            if found := next((each for each in reports if each[1]), None):
                self._submit(*found)
            else:
                self.phones[0].post("/api/next", {"version": view["version"], "id": str(uuid.uuid4())})
        raise AssertionError(f"nobody can deal: {view['state']['turn']}")

    def _submit(self, phone: HttpPhone, moves: list[Any]) -> None:
        move = self.rng.choice(moves)
        self.trace.append(f"move {move}")
        phone.move(move)
        self.figures.counts["moves"] += 1

    def _put_right(self) -> bool:
        """Lets the simulator put everything in place, twice if the camera missed something. Returns whether the table
        is right."""
        for _ in range(2):
            self._tidy()
            end = time.monotonic() + PUT_RIGHT_S
            while time.monotonic() < end:
                if self._is_right():
                    return True
                time.sleep(POLL_S)
        self.fail("not restored", f"put right, but: {self._said()}")
        return False

    def _tidy(self) -> None:
        finished = self.state()["changes"] + TIDYING_CHANGES
        self.do("tidy")
        until(lambda: self.state()["changes"] >= finished, "the end of tidying")

    def _is_right(self) -> bool:
        """Whether the camera sees everything in place, and nothing is about to be reported."""
        state = self.state()
        return state["settled"] and not state["discrepancies"] and state["hand"] is None and not self._begun()

    def _begun(self) -> list[str]:
        """The next step of the begun move, if there is one."""
        return BEGUN.findall(self.phones[0].get("/play"))

    def _said(self) -> list[str]:
        return [*self.state()["discrepancies"], *self._begun()]

    def _slip(self) -> None:
        """Makes a slip with a component in view, and judges what is reported."""
        makers = [self._wrong_place, self._between, self._away]
        if self.name == "traffic-congestion":
            makers.append(self._half_turn)
        lying = self._visible(self.state()["on_mat"])
        if not lying:
            return
        before = self.view()["version"]
        placed, make = self.rng.choice(lying), self.rng.choice(makers)
        slip = make(placed)
        if slip is None:
            return
        self.kind = slip.kind
        self.figures.slips[slip.kind, "slips"] += 1
        until(lambda: self.state()["hand"] is None, "the hand to go")
        reported = self._wait_for_report(slip, time.monotonic(), before)
        if self.view()["version"] != before:
            self._take_back(before)
            return
        self.figures.slips[slip.kind, "visible"] += 1
        if reported is None:
            self.fail("not reported", str(slip))
        else:
            self.figures.slips[slip.kind, "reported"] += 1
            self.figures.seconds.append(reported)

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

    def _wait_for_report(self, slip: MadeSlip, at_rest: float, version: int) -> float | None:
        """How many seconds after `at_rest` the table reported a slip; None if it did not, or if it recorded a move
        after `version`. Counts everything else that it reports as a false message."""
        while (seconds := time.monotonic() - at_rest) < MAX_REPORT_S:
            state = self.state()
            said = list(zip(state["discrepancies"], state["fixes"], strict=True))
            about = [line for line, fix in said if slip.is_subject_of(line, fix)] or self._begun()
            if about or self.view()["version"] != version:
                self.trace.append(f"  {seconds:.1f} s: {[line for line, _ in said] or about}, {state['notice']!r}")
                for line in (line for line, fix in said if not slip.is_subject_of(line, fix)):
                    self.fail("false messages", f"after {slip}: {line}")
                return seconds if about else None
            time.sleep(POLL_S)
        for line, _ in said:
            self.fail("false messages", f"after {slip}: {line}")
        return None

    def _take_back(self, version: int) -> None:
        """Undoes the legal move that the slip has made."""
        self.figures.slips[self.kind, "legal"] += 1
        view = self.view()
        self.trace.append(f"  recorded {view['version'] - version} acts, which are undone")
        for _ in range(view["version"] - version):
            act = {"version": self.view()["version"], "id": str(uuid.uuid4())}
            self.phones[0].post("/api/undo", act)

    def fail(self, figure: str, detail: str) -> None:
        """Counts a failure, and describes it in the trace."""
        self.figures.counts[figure] += 1
        self.trace.append(f"!! {figure}: {detail}")
        step = sum(count for (_, what), count in self.figures.slips.items() if what == "slips")
        self.figures.failures.append(Failure(figure, self.name, self.seed, step, self.kind, detail))

    def _made(self, kind: str, placed: Any, at: Point | None) -> MadeSlip:
        names = {each.id: each.name for each in self.components}
        name = names[placed["code"]]
        is_unique = list(names.values()).count(name) == 1
        points = ((placed["x"], placed["y"]), *((at,) if at else ()))
        outlines = tuple(zone.polygon for point in points for zone in self.mat.zones if zone.holds(point))
        return MadeSlip(kind, placed["code"], name if is_unique else "", outlines, at)

    def _lay(self, kind: str, placed: Any, point: Point) -> MadeSlip:
        self.do("put", code=placed["code"], x=point[0], y=point[1])
        return self._made(kind, placed, point)

    def _wrong_place(self, placed: Any) -> MadeSlip:
        zones = [zone for zone in self.mat.zones if not zone.holds((placed["x"], placed["y"]))]
        return self._lay("wrong place", placed, center_of(self.rng.choice(zones)))

    def _between(self, placed: Any) -> MadeSlip | None:
        """Lays a component on the mat, so far from all zones that its code is in none of them."""
        width, height = self.mat.size
        points = ((self.rng.uniform(50, width - 50), self.rng.uniform(50, height - 50)) for _ in range(4000))
        lying = [(each["x"], each["y"]) for each in self.state()["on_mat"]]

        def is_free(point: Point) -> bool:
            around = [
                (point[0] + dx, point[1] + dy) for dx in (-BESIDE_MM, 0, BESIDE_MM) for dy in (-BESIDE_MM, 0, BESIDE_MM)
            ]
            apart = all(abs(point[0] - x) + abs(point[1] - y) > 60 for x, y in lying)
            return apart and all(self.mat.zone_at(each) is None for each in around)

        point = next(filter(is_free, points), None)
        return self._lay("between places", placed, point) if point else None

    def _away(self, placed: Any) -> MadeSlip:
        self.do("put-away", code=placed["code"])
        return self._made("off the table", placed, None)

    def _half_turn(self, placed: Any) -> MadeSlip:
        self.do("rotate", code=placed["code"], degrees=180)
        return self._made("half turn", placed, (placed["x"], placed["y"]))


def play_service_evening(name: str, seed: str, slips: int = SLIPS_PER_EVENING) -> tuple[Figures, list[str]]:
    """Plays an evening with at most this many slips at a service that is started for it. Returns its figures and its
    trace."""
    with tempfile.TemporaryDirectory() as folder, RunningService(Path(folder), "--simulate") as service:
        evening = ServiceEvening(name, seed, service)
        try:
            evening.play(slips)
        except Exception as error:  # the other evenings are played all the same
            evening.fail("crashes", f"{type(error).__name__}: {error}")
            evening.trace.append("".join(traceback.format_exception(error)))
        evening.figures.counts["evenings"] += 1
        evening.figures.counts["runs right"] += not evening.figures.failures
        return evening.figures, evening.trace
