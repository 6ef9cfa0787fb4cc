"""A group at a table: the physical world, the camera above it, the real `Table`, and hands that do one act after
another.

Time is virtual: hands take a second or two for each act. The camera looks once after each act, and sometimes also
during it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from companion.games.game import Game
from companion.games.rules import REFEREE, SPECTATOR, Seat, Viewer
from companion.games.view import View
from companion.match.history import Act
from companion.match.journal import Journal
from companion.match.match import Match
from companion.table.companion_player import CompanionPlayer
from companion.table.table import Table
from companion.tabletop.expected_layout import Layout
from companion.tabletop.mat import Mat, Point, Zone
from companion.tabletop.observations import HIDDEN_S, ButtonPressed, Observation
from companion.text.refusal_errors import Refusal
from tests.evenings.hand_acts import Carry, Flip, HandAct, Lay, PhysicalAct, Press, Rotate, Take, Tap
from tests.evenings.ideal_camera import IdealCamera
from tests.evenings.layout_differences import Difference, differences
from tests.evenings.printed_components import PrintedComponent, printed_components
from tests.evenings.world import Lying, World
from tests.manual_clock import ManualClock

NAMES = ("Ann", "Ben", "Cleo", "Dev", "Edda")
REST_S = 7.0
"""How long nobody touches the table before it is judged, in seconds. The product never waits for longer."""
PILE_JITTER_MM = 3.0
ANGLE_JITTER_DEGREES = 3.0
ROW_GAP_MM = 4.0
CLEAR_MM = 32.0
"""Two pieces whose centers are at least this far apart don't cover each other's codes."""


_PRINTED: dict[tuple[str, str], Mapping[str, PrintedComponent]] = {}
"""The printed components of a game, by its name and board. Drawing them takes a second."""


def printed_components_of(name: str, board: str, game: Game[Any]) -> Mapping[str, PrintedComponent]:
    """The components of a game as they are printed for a board: their sizes differ from board to board."""
    if (name, board) not in _PRINTED:
        _PRINTED[name, board] = printed_components(game)
    return _PRINTED[name, board]


@dataclass
class SimulatedGroup:
    """A game at a table. `trace` describes in words what happened."""

    name: str
    seats: int
    setup: dict[str, Any]
    dealers: dict[str, str]
    seed: str
    folder: Path
    rng: Random = field(init=False)
    trace: list[str] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    """The codes that the camera has seen since the service started."""
    clock: ManualClock = field(default_factory=ManualClock)
    origins: dict[str, str] = field(default_factory=dict)
    """By component: where it was before it came to the table."""
    companions: Mapping[int, str] = field(default_factory=dict)
    """The seats that the companion plays, each with the name of its policy."""

    def __post_init__(self) -> None:
        self.rng = Random(f"hands {self.seed}")
        self.path = self.folder / "journal.sqlite3"
        self.table = self._open_table()
        names = NAMES[: self.seats]
        self.table.start(self.name, self.seats, self.setup, self.dealers, names, self.seed, companions=self.companions)
        mat = self.game.physical.components.mat
        assert mat is not None
        self.world = World(mat, printed_components_of(self.name, self.setup.get("board", ""), self.game))
        self.camera = IdealCamera(self.world, self.game.physical.components.other_side)
        self.on_look: Callable[[], None] = lambda: None
        """Called after each look, so that a judge can watch."""
        self._compared: tuple[tuple[Any, ...], list[Difference]] = (), []
        """What was compared last, and the differences that were found."""

    def _open_table(self) -> Table:
        self.journal = Journal(self.path)
        table = Table(self.journal, clock=self.clock)
        self.companion = CompanionPlayer(table, self.clock, Random(f"companion {self.seed}"))
        return table

    def note(self, line: str) -> None:
        self.trace.append(f"{self.clock.now - 1000:7.1f} v{self.match.version:<4} {line}")

    @property
    def match(self) -> Match:
        match = self.table._game.match
        assert match is not None
        return match

    @property
    def game(self) -> Game[Any]:
        return self.match.game

    @property
    def mat(self) -> Mat:
        return self.world.mat

    @property
    def state(self) -> Any:
        return self.match.state

    @property
    def layout(self) -> Layout:
        """What the whole table should look like, hands included."""
        return self.match.layout(REFEREE)

    @property
    def acts(self) -> tuple[Act, ...]:
        """All acts that the match has recorded."""
        return self.match.history.acts

    def view(self, viewer: Viewer = SPECTATOR) -> View:
        view = self.table.view(viewer)
        assert view is not None
        return view

    @property
    def viewers(self) -> tuple[Viewer, ...]:
        """Everyone whose view may differ."""
        if not self.game.rules.has_hidden_information:
            return (SPECTATOR,)
        return (SPECTATOR, *(Seat(seat) for seat in range(self.seats)))

    def differences(self) -> list[Difference]:
        """The differences between the world and the match. Cards that are only on phones need not be on the table."""
        tokens = {place: dict(held) for place, held in self.world.tokens.items()}
        lying, under_cubes = tuple(self.world.lying.items()), frozenset(self.world.under_cubes)
        key = self.match.version, lying, under_cubes, tokens, frozenset(self.seen)
        if key != self._compared[0]:
            self._compared = key, self._compare()
        return self._compared[1]

    def _compare(self) -> list[Difference]:
        components, layout = self.game.physical.components, self.layout
        in_use = {each.chance_source for each in components.components if each.id in self.seen}
        in_use |= {"", *(source for source, dealer in self.dealers.items() if dealer != "companion")}
        virtual = {components.kinds[each.id] for each in components.components if each.chance_source not in in_use}
        cards = {place: tuple(k for k in here if k not in virtual) for place, here in layout.cards.items()}
        return differences(self.world, replace(layout, cards=cards), components)

    def observe(self, observations: Sequence[Observation]) -> None:
        for each in observations:
            self.table.observe(each)
        self.note_seen()

    def note_seen(self) -> None:
        """Remembers what was visible at this look."""
        self.seen |= {code.id for _, code in self.world.visible_codes()}
        self.on_look()

    def look(self) -> None:
        self.observe(self.camera.look(self.clock.now))

    def catch_up(self) -> None:
        """Lets the camera see what it has not seen yet. This camera sees everything at once."""

    def pause(self, seconds: float) -> None:
        self.clock.now += seconds
        self.table.refresh()

    def rest(self) -> None:
        """Lets REST_S pass while nobody touches the table, after the camera has noticed what is hidden."""
        self.pause(HIDDEN_S + 0.1)  # more than HIDDEN_S, even after rounding
        self.look()
        self.pause(REST_S)

    def start_camera(self) -> None:
        self.camera = IdealCamera(self.world, self.game.physical.components.other_side)
        self.observe(self.camera.start(self.clock.now))

    def knock(self) -> None:
        """Somebody knocks against the camera."""
        self.pause(2.0)
        self.observe(self.camera.knocked(self.clock.now, self.rng))

    def cut_power(self) -> None:
        """The service ends and starts again, and so does the camera."""
        self.note("-- the power is cut")
        self.journal.close()
        self.table = self._open_table()
        self.seen.clear()
        self.pause(20.0)

    def do(self, act: HandAct, rng: Random | None = None) -> bool:
        """Does an act and lets the camera look. Returns whether the act was possible: a phone may refuse a move. `rng`:
        the generator of the pause before the act, if it is not the usual one."""
        self.pause((rng or self.rng).uniform(0.5, 1.8))
        self.note(str(act))
        if isinstance(act, Tap):
            return self._tap(act)
        if isinstance(act, Press):
            self.press(act)
            return True
        self._handle(act)
        self.look()
        return True

    def do_all(self, acts: Sequence[HandAct]) -> None:
        for act in acts:
            self.do(act)

    def press(self, act: Press) -> None:
        """Presses a button at once."""
        self.table.observe(ButtonPressed(button=act.button))  # type: ignore[arg-type]  # one of the four buttons
        self.on_look()

    def _tap(self, act: Tap) -> bool:
        try:
            self.table.submit(None if act.seat is None else Seat(act.seat), dict(act.move))
        except Refusal as refusal:
            self.note(f"   refused: {refusal}")
            return False
        self.on_look()
        return True

    def _handle(self, act: PhysicalAct) -> None:
        match act:
            case Lay():
                self._lay(act)
            case Take(component, place):
                if place.startswith("deck "):
                    self.world.put_on_deck(component, place.removeprefix("deck "))
                else:
                    self.world.take(component, place)
            case Rotate(component, degrees):
                self.world.shift(
                    component, replace(self.world.lying[component], angle=degrees + self.rng.gauss(0, 1.5))
                )
            case Flip(component):
                self.world.flip(component)
            case Carry(kind, source, target, count):
                self.world.move_token(kind, source, target, count)

    def _lay(self, act: Lay) -> None:
        if (place := self.world.place_of(act.component)) not in ("table", "air", "floor"):
            self.origins[act.component] = place
        self.world.take(act.component, "air")
        if self.rng.random() < 0.5:  # carried so slowly that its old place is seen empty
            self.look()
        angle = self.rng.gauss(0, ANGLE_JITTER_DEGREES) if act.angle is None else act.angle
        if act.point:
            self.world.lay(act.component, Lying(*act.point, angle, act.face_up))
        else:
            self.world.lay(act.component, replace(self.spot(act.component, act.zone), angle=angle, face_up=act.face_up))
            if act.is_below:
                self.world.push_below(act.component)

    def spot(self, component: str, zone_name: str) -> Lying:
        """Where a careful hand lays a component in a zone. Pushes aside components that are in the way."""
        zone = self.mat.zone(zone_name)
        if zone.order == "pile":
            x, y = center_of(zone)
            jitter = PILE_JITTER_MM if self.width_of(component) > 40 else 1.0
            return Lying(x + self.rng.uniform(-jitter, jitter), y + self.rng.uniform(-jitter, jitter))
        here = [each for each in self.world.components_in_zone(zone_name) if each != component]
        if zone.order == "any" and is_small(zone):
            return self._free_spot(component, zone, here)
        return self._spot_in_row(component, zone, here)

    def cubes_on_mat(self) -> list[Point]:
        """The middles of the cubes in lanes and pools. This camera does not see where exactly they stand."""
        return []

    def width_of(self, component: str) -> float:
        return self.world.components[component].width

    def _free_spot(self, component: str, zone: Zone, here: list[str]) -> Lying:
        """A spot in a small zone, away from the pieces that are already there. If there is no room, pushes those
        aside."""
        if not here:
            x, y = center_of(zone)
            return Lying(x + self.rng.uniform(-2, 2), y + self.rng.uniform(-2, 2))
        others = [at.center for each, at in self.world.lying.items() if each != component]
        clear = max(points_in(zone), key=lambda spot: min(math.dist(spot, other) for other in others))
        if min(math.dist(clear, other) for other in others) >= CLEAR_MM:
            return Lying(*clear)
        spots = spread_spots(zone, len(here) + 1)
        own = max(spots, key=lambda spot: min(math.dist(spot, self.world.lying[each].center) for each in here))
        rest = [spot for spot in spots if spot != own]
        for each in here:
            spot = min(rest, key=lambda other, each=each: math.dist(other, self.world.lying[each].center))
            rest.remove(spot)
            if math.dist(spot, self.world.lying[each].center) > 6:
                self.world.shift(each, replace(self.world.lying[each], x=spot[0], y=spot[1]))
        return Lying(*own)

    def _spot_in_row(self, component: str, zone: Zone, here: list[str]) -> Lying:
        """The spot for a component in a row or a column: its position in the layout's list, or else the first spot.
        Pushes the other components aside."""
        kinds = self.game.physical.components.kinds
        wanted = list(self.layout.cards.get(zone.name, ()))
        is_row = zone.order == "right" or (zone.order == "any")
        axis = 0 if is_row else 1
        order = sorted(here, key=lambda each: self.world.lying[each].center[axis])
        index = 0
        if zone.order == "any":
            index = len(order)
        elif kinds.get(component, component) in wanted:
            after = set(wanted[: wanted.index(kinds.get(component, component))])
            index = sum(kinds.get(each, each) in after for each in order)
        order.insert(index, component)
        spots = dict(zip(order, self._row_centers(zone, order, axis), strict=True))
        for each in here:
            at = self.world.lying[each]
            if math.dist(spots[each], at.center) > 6:
                self.world.shift(each, replace(at, x=spots[each][0], y=spots[each][1]))
                self.look()
        return Lying(*spots[component])

    def _row_centers(self, zone: Zone, components: list[str], axis: int) -> list[Point]:
        """The centers of components side by side in a zone; they overlap if there is no room."""
        left, top, right, bottom = bounds(zone)
        start, end = ((left, right), (top, bottom))[axis]
        lengths = [(self.world.components[each].width, self.world.components[each].height)[axis] for each in components]
        room = end - start - 2 * ROW_GAP_MM - lengths[-1]
        step = min(max(lengths) + ROW_GAP_MM, room / max(1, len(components) - 1))
        along = [start + ROW_GAP_MM + lengths[0] / 2 + number * step for number in range(len(components))]
        across = (top + bottom) / 2 if axis == 0 else (left + right) / 2
        return [(each, across) if axis == 0 else (across, each) for each in along]


def bounds(zone: Zone) -> tuple[float, float, float, float]:
    """The left, top, right and bottom edge of a zone, mm."""
    xs, ys = zip(*zone.polygon, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def center_of(zone: Zone) -> Point:
    """The middle of a zone's outline."""
    left, top, right, bottom = bounds(zone)
    middle = (left + right) / 2, (top + bottom) / 2
    xs, ys = zip(*zone.polygon, strict=True)
    return middle if zone.holds(middle) else (sum(xs) / len(xs), sum(ys) / len(ys))


def is_small(zone: Zone) -> bool:
    """Whether a zone is so small that only pieces fit."""
    left, top, right, bottom = bounds(zone)
    return max(right - left, bottom - top) < 130


@cache
def points_in(zone: Zone) -> tuple[Point, ...]:
    """Some points in a zone, none of them close to its edge."""
    rng = Random(zone.name)
    left, top, right, bottom = bounds(zone)
    x, y = center_of(zone)
    inner = [(x + (px - x) * 0.8, y + (py - y) * 0.8) for px, py in zone.polygon]
    shrunk = Zone(zone.name, zone.title, tuple(inner), zone.order)
    points = ((rng.uniform(left, right), rng.uniform(top, bottom)) for _ in range(600))
    return tuple(filter(shrunk.holds, points))


@cache
def spread_spots(zone: Zone, count: int) -> tuple[Point, ...]:
    """Points in a zone that are as far from each other as possible, and a little away from its edge."""
    rng, best = Random(f"{zone.name} {count}"), (0.0, tuple[Point, ...]())
    points = points_in(zone)
    for _ in range(60):
        chosen = [rng.choice(points)]
        while len(chosen) < count:
            chosen.append(max(points, key=lambda p: min(math.dist(p, c) for c in chosen)))
        nearest = min((math.dist(a, b) for n, a in enumerate(chosen) for b in chosen[:n]), default=1.0)
        best = max(best, (nearest, tuple(chosen)))
    return best[1]
