"""The slips of human hands: each is a kind, and what the hands do.

Slips in a move change one of its acts. Slips at rest happen while nobody makes a move.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from companion.games.rules import HOUSE, HouseMove, Move, Seat
from companion.match.history import Act as MatchAct
from companion.tabletop.components import BACK
from companion.tabletop.mat import Point, Zone
from companion.text.refusals import Refusal
from tests.evenings.acts import Act, Carry, Flip, Lay, Press, Rotate, Take, Tap
from tests.evenings.hands import Hands
from tests.evenings.printed import PrintedThing
from tests.evenings.sitting import Sitting, center_of
from tests.evenings.world import Lying

BOOK = PrintedThing("the rule book", 210.0, 148.0, None, None)
"""Something large without a code that covers whatever it is laid on."""


@dataclass
class Slip:
    """A slip. `make` does it. `meant`: the move that the hands mean to make. `meant_face`: the face of the card that
    they mean to deal. `may_be_legal`: whether the cardboard may show another legal move, which nobody can prevent.
    `own_acts`: how many acts the hands make on purpose on a phone. `laid`: the components that they lay."""

    kind: str
    make: Callable[[], None]
    hands: Hands
    meant: Move | None = None
    meant_face: str = ""
    may_be_legal: bool = False
    own_acts: int = 0
    laid: tuple[str, ...] = ()
    lying_before: dict[str, Lying] = field(default_factory=dict)
    places_before: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        world = self.hands.world
        self.lying_before = dict(world.lying)
        self.places_before = {thing: world.place_of(thing) for thing in world.things}

    def is_booked_as_meant(self, act: MatchAct) -> bool:
        """Whether an act is the move that the hands meant."""
        if act.kind in ("undo", "redo"):
            return False
        move = act.steps[0].move
        if self.meant_face and isinstance(move, HouseMove):
            return move.face == self.meant_face
        if self.meant is None:
            return False
        slots = getattr(move, "slot", None), getattr(self.meant, "slot", None)
        if type(move) is type(self.meant) and None not in slots and move.seat == self.meant.seat:
            hand = act.steps[0].before.hands[int(move.seat)]  # type: ignore[attr-defined]  # a position of System WON
            return bool(hand[slots[0]].face == hand[slots[1]].face)
        return move == self.meant


class _Maker:
    """Makes slips for one set of hands."""

    def __init__(self, hands: Hands, rng: Random) -> None:
        self.hands, self.rng = hands, rng
        self.sitting: Sitting = hands.sitting
        self.world = hands.world

    # Helpers ---------------------------------------------------------------------------------------

    def center_for_code(self, thing: str, point: Point, angle: float = 0.0) -> Point:
        """Where a component's center must be so that the code on its front is at a point."""
        code = self.world.things[thing].front
        dx, dy = (code.dx, code.dy) if code else (0.0, 0.0)
        x, y = Lying(0, 0, angle).to_table(dx, dy)
        return point[0] - x, point[1] - y

    def point_between(self, near: Point) -> Point | None:
        """A point on the mat near another one that is in no zone."""
        mat = self.sitting.mat
        for radius in range(10, 200, 5):
            start = self.rng.uniform(0, 360)
            for step in range(12):
                turn = math.radians(start + 30 * step)
                point = near[0] + radius * math.cos(turn), near[1] + radius * math.sin(turn)
                if mat.holds(point) and mat.zone_at(point) is None:
                    return point
        return None

    def point_over_edge(self, zone: Zone) -> Point:
        """A point a few millimetres outside a zone."""
        x, y = center_of(zone)
        turn = self.rng.uniform(0, math.tau)
        radius = 0.0
        while zone.holds((x + radius * math.cos(turn), y + radius * math.sin(turn))):
            radius += 1.0
        radius += self.rng.uniform(1.0, 6.0)
        width, height = self.sitting.mat.size
        at = x + radius * math.cos(turn), y + radius * math.sin(turn)
        return min(max(at[0], 1.0), width - 1), min(max(at[1], 1.0), height - 1)

    def other_zone(self, zone_name: str) -> Zone:
        """A zone near another one."""
        mat = self.sitting.mat
        here = center_of(mat.zone(zone_name))
        others = sorted((z for z in mat.zones if z.name != zone_name), key=lambda z: math.dist(center_of(z), here))
        return self.rng.choice(others[:5])

    def push(self, thing: str, distance: float) -> None:
        """Pushes a component in any direction."""
        lying, turn = self.world.lying[thing], self.rng.uniform(0, math.tau)
        x, y = lying.x + distance * math.cos(turn), lying.y + distance * math.sin(turn)
        self.sitting.note(f"{thing} is pushed to {x:.0f},{y:.0f}")
        self.world.shift(thing, replace(lying, x=x, y=y, angle=lying.angle + self.rng.uniform(-15, 15)))

    def visible_things(self) -> list[str]:
        return [thing for thing, _ in self.world.visible_codes()]

    def do_all(self, acts: Sequence[Act]) -> None:
        for act in acts:
            if isinstance(act, Flip | Rotate) and act.thing not in self.world.lying:
                continue
            self.sitting.do(act)


class _InMove(_Maker):
    """Slips that change one of the acts of a move or deal."""

    def __init__(self, hands: Hands, move: Move | None, acts: list[Act], rng: Random) -> None:
        super().__init__(hands, rng)
        self.move, self.acts = move, acts
        self.lays = [n for n, act in enumerate(acts) if isinstance(act, Lay)]
        self.face = ""
        dealt = next((act.thing for act in acts if isinstance(act, Lay | Take)), None) if move is None else None
        if dealt:
            components = self.sitting.game.physical.components
            self.face = components.faces.get(components.kinds[dealt], "")

    def any(self) -> Slip | None:
        """A slip of any kind that is possible in this move."""
        makers: list[Callable[[], Slip | None]] = [self.forgotten, self.double]
        if self.lays:
            changed = (self.wrong_place, self.between, self.over_edge, self.askew, self.half_turn, self.neighbour)
            makers += [*changed, self.off_table, self.wrong_side, self.wrong_thing, self.power_cut, self.power_cut]
        elif any(isinstance(act, Rotate) for act in self.acts):
            makers += [self.askew, self.half_turn]
        self.rng.shuffle(makers)
        return next((slip for make in makers if (slip := make())), None)

    def slip(self, kind: str, acts: Sequence[Act], *, legal: bool = True) -> Slip:
        laid = tuple(act.thing for act in acts if isinstance(act, Lay))
        return Slip(
            kind, lambda: self.do_all(acts), self.hands, self.move, self.face, may_be_legal=legal, laid=laid
        )

    def changed(self, kind: str, change: Callable[[Lay], Act | None]) -> Slip | None:
        """A slip in which one of the laid components is laid otherwise."""
        index = self.rng.choice(self.lays)
        act = self.acts[index]
        assert isinstance(act, Lay)
        new = change(act)
        return self.slip(kind, [*self.acts[:index], new, *self.acts[index + 1 :]]) if new else None

    def wrong_place(self) -> Slip | None:
        return self.changed("wrong place", lambda act: replace(act, zone=self.other_zone(act.zone).name))

    def between(self) -> Slip | None:
        def change(act: Lay) -> Act | None:
            point = self.point_between(center_of(self.sitting.mat.zone(act.zone)))
            return replace(act, point=self.center_for_code(act.thing, point, act.angle or 0)) if point else None

        return self.changed("between places", change)

    def over_edge(self) -> Slip | None:
        def change(act: Lay) -> Act:
            point = self.point_over_edge(self.sitting.mat.zone(act.zone))
            return replace(act, point=self.center_for_code(act.thing, point, act.angle or 0))

        return self.changed("over an edge", change)

    def askew(self) -> Slip | None:
        return self._turned("askew", self.rng.choice((-1, 1)) * self.rng.uniform(20, 85))

    def half_turn(self) -> Slip | None:
        return self._turned("half turn", 180)

    def _turned(self, kind: str, degrees: float) -> Slip | None:
        turns = [n for n, act in enumerate(self.acts) if isinstance(act, Lay | Rotate)]
        index = self.rng.choice(turns)
        act = self.acts[index]
        if isinstance(act, Rotate):
            new: Act = replace(act, degrees=act.degrees + degrees)
        else:
            assert isinstance(act, Lay)
            new = replace(act, angle=(act.angle or 0) + degrees)
        return self.slip(kind, [*self.acts[:index], new, *self.acts[index + 1 :]])

    def neighbour(self) -> Slip | None:
        """While something is laid, the sleeve drags along what lies nearby."""
        act = self.acts[self.lays[-1]]
        assert isinstance(act, Lay)
        here = center_of(self.sitting.mat.zone(act.zone))
        near = [t for t in self.visible_things() if t != act.thing and t not in self._laid_things()]
        near = [t for t in near if math.dist(self.world.lying[t].center, here) < 160]
        if not near:
            return None
        victim = self.rng.choice(near)

        def make() -> None:
            for each in self.acts:
                if each is act:
                    self.push(victim, self.rng.uniform(15, 60))
                self.sitting.do(each)

        laid = self._laid_things()
        return Slip("neighbour dragged", make, self.hands, self.move, self.face, may_be_legal=True, laid=laid)

    def _laid_things(self) -> tuple[str, ...]:
        return tuple(act.thing for act in self.acts if isinstance(act, Lay))

    def off_table(self) -> Slip | None:
        return self.changed("off the table", lambda act: Take(act.thing, "floor"))

    def wrong_side(self) -> Slip | None:
        return self.changed("wrong side up", lambda act: replace(act, face_up=not act.face_up))

    def wrong_thing(self) -> Slip | None:
        """Another card of the same hand, or another piece."""

        def change(act: Lay) -> Act | None:
            place = self.world.place_of(act.thing)
            if place == "table":
                size = self.world.things[act.thing].width
                others = [t for t in self.visible_things() if t != act.thing and self.world.things[t].width == size]
            else:
                others = [t for t in self.world.things_in(place) if t != act.thing]
            return replace(act, thing=self.rng.choice(others)) if others and not place.startswith("deck") else None

        return self.changed("wrong thing", change)

    def power_cut(self) -> Slip | None:
        """The power is cut while a component is in the air, or between the two halves of a move."""
        index = self.rng.choice(self.lays)
        act = self.acts[index]
        assert isinstance(act, Lay)

        def make() -> None:
            self.do_all(self.acts[:index])
            if (place := self.world.place_of(act.thing)) not in ("table", "air", "floor"):
                self.sitting.origins[act.thing] = place
            self.world.take(act.thing, "air")
            if self.rng.random() < 0.6:
                self.sitting.look()
            self.sitting.cut_power()
            self.sitting.start_camera()
            self.sitting.pause(1.0)
            self.do_all(self.acts[index:])

        laid = self._laid_things()
        return Slip("power cut", make, self.hands, self.move, self.face, may_be_legal=True, laid=laid)

    def forgotten(self) -> Slip | None:
        """The move is made, and one of the chores after it is forgotten."""
        if any(isinstance(act, Carry) for act in self.acts) and self.rng.random() < 0.5:
            rest = [act for act in self.acts if not isinstance(act, Carry)]
            return self.slip("forgotten cube", rest) if rest else None
        slip = self.slip("forgotten chore", ())

        def make() -> None:
            self.do_all(self.acts)
            self.do_all(self.hands.after_deal())
            chores = self.hands.chores()
            if chores:
                forgotten = self.rng.randrange(len(chores))
                self.sitting.note(f"forgotten: {chores[forgotten]}")
                slip.kind = "forgotten cube" if isinstance(chores[forgotten], Carry) else slip.kind
                self.do_all([*chores[:forgotten], *chores[forgotten + 1 :]])

        slip.make = make
        return slip

    def double(self) -> Slip | None:
        """A button, or a phone, is pressed twice."""
        pressed = next((act for act in self.acts if isinstance(act, Press | Tap)), None)
        if pressed is None:
            return None

        def make() -> None:
            for act in self.acts:
                self.sitting.do(act)
                if act is pressed:
                    self.sitting.clock.now += 0.3
                    self._again(act)

        return Slip("double press", make, self.hands, self.move, self.face, may_be_legal=True)

    def _again(self, act: Act) -> None:
        if isinstance(act, Press):
            self.sitting.note("pressed again")
            self.sitting.do(act)
        elif isinstance(act, Tap) and act.seat is not None:
            self.sitting.note("tapped again")
            try:
                version = self.sitting.match.version - 1
                self.sitting.table.submit(Seat(act.seat), dict(act.move), version)
            except Refusal as refusal:
                self.sitting.note(f"   refused: {refusal}")


class _AtRest(_Maker):
    """Slips while nobody makes a move."""

    def any(self) -> Slip | None:
        makers: list[Callable[[], Slip | None]] = [
            self.pushed, self.swept, self.covered, self.flipped, self.knocked, self.power_cut, self.undo,
            self.too_early, self.too_early, self.shown_again, self.swapped, self.swapped, self.turned,
        ]  # fmt: skip
        self.rng.shuffle(makers)
        return next((slip for make in makers if (slip := make())), None)

    def pushed(self) -> Slip | None:
        """A sleeve drags a component along."""
        if not (things := self.visible_things()):
            return None
        thing = self.rng.choice(things)

        def make() -> None:
            self.push(thing, self.rng.uniform(12, 70))
            self.sitting.look()

        return Slip("neighbour dragged", make, self.hands, may_be_legal=True)

    def swept(self) -> Slip | None:
        if not (things := self.visible_things()):
            return None
        thing = self.rng.choice(things)
        return Slip("off the table", lambda: self.do_all([Take(thing, "floor")]), self.hands)

    def turned(self) -> Slip | None:
        """A component is turned where it lies, by half a turn or less."""
        if not (things := self.visible_things()):
            return None
        thing = self.rng.choice(things)
        half = self.rng.random() < 0.4
        degrees = 180.0 if half else self.rng.choice((-1, 1)) * self.rng.uniform(20, 85)
        turn = Rotate(thing, self.world.lying[thing].angle + degrees)
        kind = "half turn" if half else "askew"
        return Slip(kind, lambda: self.do_all([turn]), self.hands, may_be_legal=True)

    def covered(self) -> Slip | None:
        """The rule book lies over a component for a while. Below it, the component is pushed or taken away."""
        if not (things := self.visible_things()):
            return None
        thing = self.rng.choice(things)
        moves_below = self.rng.random() < 0.7

        def make() -> None:
            book, lying = BOOK.id, self.world.lying[thing]
            self.world.things = {**self.world.things, book: BOOK}
            self.world.lying[book] = Lying(lying.x, lying.y, self.rng.uniform(0, 180))
            self.sitting.note(f"the rule book lies over {thing}")
            self.sitting.look()
            self.sitting.pause(self.rng.uniform(1, 12))
            if moves_below:
                self._disturb(thing)
            self.sitting.look()
            self.sitting.pause(self.rng.uniform(1, 12))
            del self.world.lying[book]
            self.world.things = {id: thing for id, thing in self.world.things.items() if id != book}
            self.sitting.note("the rule book is gone")
            self.sitting.look()

        return Slip("covered", make, self.hands, may_be_legal=True)

    def _disturb(self, thing: str) -> None:
        if self.rng.random() < 0.5:
            self.push(thing, self.rng.uniform(12, 50))
        else:
            self.sitting.note(f"{thing} is taken away below it")
            self.world.take(thing, "floor")

    def flipped(self) -> Slip | None:
        if not (things := self.visible_things()):
            return None
        thing = self.rng.choice(things)
        return Slip("wrong side up", lambda: self.do_all([Flip(thing)]), self.hands, may_be_legal=True)

    def knocked(self) -> Slip | None:
        def make() -> None:
            self.sitting.note("the camera is knocked")
            self.sitting.pause(2.0)
            self.sitting.observe(self.sitting.eyes.knocked(self.sitting.clock.now, self.rng))

        return Slip("camera knocked", make, self.hands)

    def power_cut(self) -> Slip | None:
        def make() -> None:
            self.sitting.cut_power()
            self.sitting.start_camera()

        return Slip("power cut", make, self.hands)

    def undo(self) -> Slip | None:
        """The last move is undone on a phone, when its cards have been moved already."""
        if not self.sitting.match.can_undo:
            return None

        def make() -> None:
            self.sitting.note("undo on a phone")
            self.sitting.pause(1.0)
            self.sitting.table.undo(Seat(0))

        return Slip("undo after moving", make, self.hands, own_acts=1)

    def too_early(self) -> Slip | None:
        """A player lays a card before the turn has come, or while a draw is due."""
        turn, zones = self.sitting.state.turn, [z.name for z in self.sitting.mat.zones]
        seats = [s for s in range(self.sitting.seats) if s != turn and self.world.things_in(f"hand-{s}")]
        target = next((zone for zone in ("play", "discard") if zone in zones), None)
        if not seats or target is None:
            return None
        cards = self.world.things_in(f"hand-{self.rng.choice(seats)}")
        thing = self.rng.choice(cards)
        if target == "play" and self.rng.random() < 0.5:
            target = "discard"
        return Slip("too early", lambda: self.do_all([Lay(thing, target)]), self.hands, laid=(thing,))

    def shown_again(self) -> Slip | None:
        """While a draw is due, a card that lies on the table already is shown to the camera."""
        zones = [zone.name for zone in self.sitting.mat.zones]
        cards = [t for t in self.visible_things() if self.world.zone_of(t) in ("discard", "errors", "uh-oh")]
        cards += [t for t in self.visible_things() if str(self.world.zone_of(t)).startswith("system-")]
        if self.sitting.state.turn != HOUSE or "show" not in zones or not cards:
            return None
        thing = self.rng.choice(cards)
        return Slip("too early", lambda: self.do_all([Lay(thing, "show")]), self.hands)

    def swapped(self) -> Slip | None:
        """A card on the table and an equal one in a hand are swapped."""
        kinds, pairs = self.hands.kinds, list[tuple[str, str]]()
        for thing in self.visible_things():
            if kinds[thing].endswith(BACK) or not self.world.zone_of(thing):
                continue
            others = (t for t, place in self.world.elsewhere.items() if place.startswith("hand-"))
            pairs += [(thing, other) for other in others if kinds[other] == kinds[thing]]
        if not pairs:
            return None
        lying, held = self.rng.choice(pairs)
        place, zone = self.world.place_of(held), self.world.zone_of(lying) or ""
        acts: list[Act] = [Take(lying, place), Lay(held, zone)]
        return Slip("copies swapped", lambda: self.do_all(acts), self.hands)


def slip_in_move(hands: Hands, move: Move | None, acts: list[Act], rng: Random) -> Slip | None:
    """A slip in a move or a deal that the hands are about to make; None if none is possible."""
    return _InMove(hands, move, acts, rng).any()


def slip_at_rest(hands: Hands, rng: Random) -> Slip | None:
    """A slip while nobody makes a move; None if none is possible."""
    return _AtRest(hands, rng).any()

