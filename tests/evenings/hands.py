"""Hands that play a game with cardboard: how they make moves, how they deal, and how they tidy the table after each
move.

The hands know the rules and the layout, as attentive players do. Nothing here asks the product what is wrong on the
table.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, ClassVar

from companion.games import move_json
from companion.games.rules import Move, Seat
from companion.tabletop.components import BACK
from tests.evenings.hand_acts import Carry, Flip, HandAct, Lay, Rotate, Take, Tap
from tests.evenings.simulated_group import SimulatedGroup

TRAY = "tray"
BOX = "box"
LAY_FIRST_RATE = 0.25
"""How often hands lay new components before they take away the old ones, which may then be covered."""


def json_of(move: Move) -> dict[str, Any]:
    return move_json.to_json(move)


def tap(move: Move) -> Tap:
    """The act by which a seat makes its own move on its phone."""
    return Tap(int(move.seat) if isinstance(move.seat, int) else None, json_of(move))


class Hands(ABC):
    """The hands of the simulated players of a game, which move components and tap phones."""

    POLICIES: ClassVar[tuple[str, ...]] = ("careful", "random")

    def __init__(self, group: SimulatedGroup) -> None:
        self.group, self.rng, self.world = group, group.rng, group.world
        self.field_rng = Random(f"fields {group.seed}")
        policies = group.game.policies.by_name
        self.policy = policies.get("careful", policies["random"])

    @abstractmethod
    def set_up(self) -> None:
        """Lays out the game before the first move."""

    @abstractmethod
    def plan(self, move: Move) -> list[HandAct]:
        """The acts by which a seat's hands make a move, in an order that people might choose."""

    @abstractmethod
    def deal(self) -> list[HandAct]:
        """The acts by which somebody deals now, up to the act that the table records as a move."""

    def after_deal(self) -> list[HandAct]:
        """The acts that follow once the table has recorded a deal."""
        return []

    @abstractmethod
    def home(self, component: str) -> str:
        """The place for a component that does not belong on the table."""

    def source(self, kind: str) -> str | None:
        """A component of this kind that is not on the table and can be laid there; None if there is none."""
        kinds, front = self.kinds, kind.removesuffix(BACK)
        alike = [component for component, printed in self.world.components.items() if kinds[printed.id] == front]
        for place in ("floor", "air", TRAY, BOX):
            found = [component for component in alike if self.world.elsewhere.get(component) == place]
            if found:
                return found[0]
        return next((component for component in alike if component in self.world.elsewhere), None)

    @abstractmethod
    def tidy_off_mat(self) -> None:
        """Tidies hands and decks, once everything on the mat is right."""

    @property
    def state(self) -> Any:
        return self.group.state

    @property
    def kinds(self) -> Any:
        return self.group.game.physical.components.kinds

    def kind_up(self, component: str) -> str:
        code = self.world.code_up(component)
        return self.kinds[code.id] if code else ""

    def choose(self) -> Move:
        """The move that the seat in turn wants to make."""
        seat = Seat(self.state.turn)
        known = self.state.as_known_to(seat)
        legal = [move for move in self.state.legal_moves() if move.seat == seat]
        return self.policy(known, seat, legal, self.rng)

    def acts_on_mat(self) -> list[HandAct]:
        """The acts that make the mat look as the layout says."""
        layout = self.group.layout
        surplus, missing = self._surplus_and_missing()
        acts: list[HandAct] = []
        for kind, zone in list(missing):
            turn = next((t for t, where in surplus.items() if where == zone and self._kind_down(t) == kind), None)
            if turn:
                acts.append(Flip(turn))
                del surplus[turn]
                missing.remove((kind, zone))
        for kind, zone in missing:
            component = next((t for t in surplus if self.kind_up(t) == kind), None)
            taken = {act.component for act in acts if isinstance(act, Lay)}
            if component:
                del surplus[component]
            elif (component := self.source(kind)) is None or component in taken:
                component = next((t for t in self._spares(kind) if t not in taken), None)
            if component is None:
                continue
            towards = layout.orientations.get(zone)
            angle = towards.degrees + self.rng.gauss(0, 2) if towards else None
            acts.append(Lay(component, zone, angle, face_up=not kind.endswith(BACK)))
        away: list[HandAct] = [Take(component, self.home(component)) for component in surplus]
        acts = [*acts, *away] if self.rng.random() < LAY_FIRST_RATE else [*away, *acts]
        acts += self._rotations()
        # An equal card that comes on top of a pile makes its order right.
        order = [act for act in self._order_acts() if (self.kind_up(act.component), act.zone) not in missing]
        return [*acts, *order, *self.token_acts()]

    def _kind_down(self, component: str) -> str:
        """The kind on the face-down side of a component on the table."""
        printed, lying = self.world.components[component], self.world.lying[component]
        code = printed.back if lying.face_up else printed.front
        return self.kinds[code.id] if code else ""

    def _spares(self, kind: str) -> list[str]:
        front = kind.removesuffix(BACK)
        return [t for t in self.world.elsewhere if self.kinds[t] == front and self.world.elsewhere[t] in (TRAY, BOX)]

    def _surplus_and_missing(self) -> tuple[dict[str, str | None], list[tuple[str, str]]]:
        """The components that must leave their places, and the kinds that are missing in zones, bottom card first."""
        layout, zones = self.group.layout, {zone.name: zone for zone in self.group.mat.zones}
        wanted = {name: Counter(layout.cards.get(name, ())) for name in zones}
        surplus: dict[str, str | None] = {}

        def moved_last(component: str) -> int:
            """When a component was last moved, if only one belongs in its zone, which is no pile of cards; otherwise
            0."""
            zone = self.world.zone_of(component) or ""
            is_pile = zone in zones and zones[zone].order == "pile" and zone not in layout.orientations
            is_single = len(layout.cards.get(zone, ())) == 1 and not is_pile
            return self.world.moves.get(component, 0) if is_single else 0

        # Of equal copies, the one that came first stays, so people take the upper one of a pile, and what was pushed
        # below another one.
        for component in sorted(self.world.lying, key=moved_last):
            zone = self.world.zone_of(component)
            if not zone or not _take(wanted[zone], self.kind_up(component)):
                surplus = {component: zone, **surplus}  # upper ones go first
        missing = [
            (kind, name) for name in zones for kind in reversed(layout.cards.get(name, ())) if _take(wanted[name], kind)
        ]
        return surplus, missing

    def _rotations(self) -> list[HandAct]:
        askew = [found for found in self.group.differences() if found.what == "askew"]
        orientations = self.group.layout.orientations
        return [Rotate(found.components[0], orientations[found.place].degrees) for found in askew]

    def _order_acts(self) -> list[Lay]:
        """The acts that lay components once more: those in a row with a wrong order, from the last to the first, and
        those that are covered."""
        found: list[Lay] = []
        for each in self.group.differences():
            is_pile = each.what in ("covered", "order") and self.group.mat.zone(each.place).order == "pile"
            if (each.what == "covered" and not is_pile) or (each.what == "order" and is_pile):
                found.append(Lay(each.components[0], each.place))
            elif each.what == "order":
                kinds = self.group.layout.cards[each.place]
                components = sorted(each.components, key=lambda component: kinds.index(self.kind_up(component)))
                found += [Lay(component, each.place) for component in reversed(components)]
        return found

    def token_acts(self) -> list[HandAct]:
        """The acts that carry cubes to where the layout wants them. Each act carries one cube, or all surplus cubes of
        one color."""
        colors, layout = self.group.mat.token_colors, self.group.layout
        acts: list[HandAct] = []
        change = {place: Counter(layout.tokens.get(place, {})) for place in (colors.areas if colors else ())}
        for place, wanted in change.items():
            wanted.subtract(self.world.counted(place))
        for target, wanted in change.items():
            for kind in wanted:
                while wanted[kind] > 0:
                    source = next((p for p, other in change.items() if other[kind] < 0), "supply")
                    wanted[kind] -= 1
                    if source in change:
                        change[source][kind] += 1
                    acts.append(Carry(kind, source, target))
        for place, wanted in change.items():
            acts += [Carry(kind, place, "supply", -count) for kind, count in wanted.items() if count < 0]
        return acts

    def field_acts(self) -> list[HandAct]:
        """The acts that carry cubes to the components on which the layout wants them, or away from there."""
        return []

    def do_field_acts(self, acts: Sequence[HandAct]) -> None:
        """Does acts of `field_acts`. They have a generator of their own, so that an evening is the same as without
        them."""
        for act in acts:
            self.group.do(act, self.field_rng)

    def put_right(self) -> None:
        """Tidies the mat, then the hands and decks."""
        self.group.do_all(self.acts_on_mat())
        self.do_field_acts(self.field_acts())
        for component in [*self.world.components_in("floor"), *self.world.components_in("air")]:
            self.group.do(Take(component, self.home(component)))
        self.tidy_off_mat()


def _take(counter: Counter[str], kind: str) -> bool:
    """Removes one of this kind from a counter. Returns False if there is none."""
    if counter[kind] <= 0:
        return False
    counter[kind] -= 1
    return True
