"""The slips of human hands: for each, its kind and what the hands do.

A slip in a move changes one of the move's acts. A slip at rest happens while nobody makes a move.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from companion.games.rules import HouseMove, Move
from companion.match.history import Act
from companion.tabletop.mat import Point, Zone
from tests.evenings.hand_acts import Flip, HandAct, Rotate
from tests.evenings.hands import Hands
from tests.evenings.meant_moves import is_meant
from tests.evenings.printed_components import PrintedComponent
from tests.evenings.simulated_group import SimulatedGroup, center_of
from tests.evenings.world import Lying

RULEBOOK = PrintedComponent("the rule book", 210.0, 148.0, None, None)
"""The rule book. It is large, has no code, and covers whatever it is laid on."""

MAX_PUSH_TRIES = 20
CUBE_REACH_MM = 5.0
"""How far a cube reaches from its middle."""


@dataclass
class Slip:
    """A slip. `make` makes the hands slip. `meant`: the move that the hands mean to make. `meant_face`: the face of the
    card that they mean to deal. `may_be_legal`: whether the cardboard may show another legal move, which nobody can
    prevent. `own_acts`: how many acts the hands deliberately make on a phone. `laid`: the components that they lay.
    `is_pressed_again`: whether a button is pressed twice, which may let the companion continue after a pause."""

    kind: str
    make: Callable[[], None]
    hands: Hands
    meant: Move | None = None
    meant_face: str = ""
    may_be_legal: bool = False
    own_acts: int = 0
    laid: tuple[str, ...] = ()
    is_pressed_again: bool = False
    lying_before: dict[str, Lying] = field(default_factory=dict)
    places_before: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        world = self.hands.world
        self.lying_before = dict(world.lying)
        self.places_before = {component: world.place_of(component) for component in world.components}

    def is_as_meant(self, act: Act) -> bool:
        """Whether an act is the move that the hands meant."""
        move = act.steps[0].move
        if self.meant_face and isinstance(move, HouseMove) and act.kind == "move":
            return move.face == self.meant_face
        return is_meant(act, self.meant)


class SlipMaker:
    """Makes slips for one set of hands."""

    def __init__(self, hands: Hands, rng: Random) -> None:
        self.hands, self.rng = hands, rng
        self.group: SimulatedGroup = hands.group
        self.world = hands.world

    def center_for_code(self, component: str, point: Point, angle: float = 0.0) -> Point:
        """Where a component's center must be so that the code on its front is at a point."""
        code = self.world.components[component].front
        dx, dy = (code.dx, code.dy) if code else (0.0, 0.0)
        x, y = Lying(0, 0, angle).to_table(dx, dy)
        return point[0] - x, point[1] - y

    def point_between(self, near: Point) -> Point | None:
        """A point on the mat that is close to the point `near` and in no zone; None if none is found."""
        mat = self.group.mat
        for radius in range(10, 200, 5):
            start = self.rng.uniform(0, 360)
            for step in range(12):
                turn = math.radians(start + 30 * step)
                point = near[0] + radius * math.cos(turn), near[1] + radius * math.sin(turn)
                if mat.holds(point) and mat.zone_at(point) is None:
                    return point
        return None

    def point_over_edge(self, zone: Zone) -> Point:
        """A point a few millimeters outside a zone."""
        x, y = center_of(zone)
        turn = self.rng.uniform(0, math.tau)
        radius = 0.0
        while zone.holds((x + radius * math.cos(turn), y + radius * math.sin(turn))):
            radius += 1.0
        radius += self.rng.uniform(1.0, 6.0)
        width, height = self.group.mat.size
        at = x + radius * math.cos(turn), y + radius * math.sin(turn)
        return min(max(at[0], 1.0), width - 1), min(max(at[1], 1.0), height - 1)

    def other_zone(self, zone_name: str) -> Zone:
        """A zone near another one."""
        mat = self.group.mat
        here = center_of(mat.zone(zone_name))
        others = sorted((z for z in mat.zones if z.name != zone_name), key=lambda z: math.dist(center_of(z), here))
        return self.rng.choice(others[:5])

    def push(self, component: str, distance: float) -> None:
        """Pushes a component in a random direction, preferably to where it does not lie below cubes, and where its code
        is not on the edge of a zone."""
        before = self.world.lying[component]
        for _ in range(MAX_PUSH_TRIES):
            turn = self.rng.uniform(0, math.tau)
            x, y = before.x + distance * math.cos(turn), before.y + distance * math.sin(turn)
            after = replace(before, x=x, y=y, angle=before.angle + self.rng.uniform(-15, 15))
            if self._is_clear(component, after):
                break
        self.group.note(f"{component} is pushed to {x:.0f},{y:.0f}")
        self.world.shift(component, after)

    def _is_clear(self, component: str, lying: Lying) -> bool:
        """Whether a component that lies like this is clear of cubes, and its code is clearly inside or outside of each
        zone."""
        printed, cubes = self.world.components[component], self.group.cubes_on_mat()
        code = self.world.code_up(component)
        x, y = lying.to_table(code.dx, code.dy) if code else lying.center
        around = {self.group.mat.zone_at((x + dx, y + dy)) for dx in (-1, 1) for dy in (-1, 1)}
        sides = printed.width / 2 + CUBE_REACH_MM, printed.height / 2 + CUBE_REACH_MM
        return len(around) == 1 and lying.not_covering(cubes, *sides) == cubes

    def visible_components(self) -> list[str]:
        return [component for component, _ in self.world.visible_codes()]

    def do_all(self, acts: Sequence[HandAct]) -> None:
        for act in acts:
            if isinstance(act, Flip | Rotate) and act.component not in self.world.lying:
                continue
            self.group.do(act)
