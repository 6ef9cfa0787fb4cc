"""Slips while nobody makes a move."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from companion.games.commute.moves import Pick
from companion.games.rules import HOUSE, Seat
from companion.tabletop.components import BACK
from tests.evenings.hand_acts import Flip, HandAct, Lay, Rotate, Take
from tests.evenings.hands import Hands
from tests.evenings.slips import RULEBOOK, Slip, SlipMaker
from tests.evenings.world import Lying


class _AtRest(SlipMaker):
    """Slips while nobody makes a move."""

    def any(self) -> Slip | None:
        makers: list[Callable[[], Slip | None]] = [
            self.pushed, self.swept, self.covered, self.flipped, self.knocked, self.power_cut, self.undo,
            self.too_early, self.too_early, self.shown_again, self.swapped, self.swapped, self.turned, self.two_at_once,
        ]  # fmt: skip
        self.rng.shuffle(makers)
        return next((slip for make in makers if (slip := make())), None)

    def two_at_once(self) -> Slip | None:
        """Two slips before anybody notices one."""
        makers = [self.pushed, self.swept, self.turned, self.covered]

        def make() -> None:
            for each in self.rng.sample(makers, 2):
                if slip := each():
                    slip.make()

        return Slip("two at once", make, self.hands, may_be_legal=True)

    def pushed(self) -> Slip | None:
        """A sleeve drags a component along."""
        if not (components := self.visible_components()):
            return None
        component = self.rng.choice(components)

        def make() -> None:
            self.push(component, self.rng.uniform(12, 70))
            self.group.look()

        return Slip("neighbor dragged", make, self.hands, may_be_legal=True)

    def swept(self) -> Slip | None:
        if not (components := self.visible_components()):
            return None
        component = self.rng.choice(components)
        return Slip("off the table", lambda: self.do_all([Take(component, "floor")]), self.hands)

    def turned(self) -> Slip | None:
        """A component is turned in place, by half a turn or less."""
        if not (components := self.visible_components()):
            return None
        component = self.rng.choice(components)
        half = self.rng.random() < 0.4
        degrees = 180.0 if half else self.rng.choice((-1, 1)) * self.rng.uniform(20, 85)
        turn = Rotate(component, self.world.lying[component].angle + degrees)
        kind = "half turn" if half else "askew"
        return Slip(kind, lambda: self.do_all([turn]), self.hands, may_be_legal=True)

    def covered(self) -> Slip | None:
        """The rule book lies over a component for a while. Below it, the component is pushed or taken away."""
        if not (components := self.visible_components()):
            return None
        component = self.rng.choice(components)
        moves_below = self.rng.random() < 0.7

        def make() -> None:
            rulebook, lying = RULEBOOK.id, self.world.lying[component]
            self.world.components = {**self.world.components, rulebook: RULEBOOK}
            self.world.lying[rulebook] = Lying(lying.x, lying.y, self.rng.uniform(0, 180))
            self.group.note(f"the rule book lies over {component}")
            self.group.look()
            self.group.pause(self.rng.uniform(1, 12))
            if moves_below:
                self._disturb(component)
            self.group.look()
            self.group.pause(self.rng.uniform(1, 12))
            del self.world.lying[rulebook]
            self.world.components = {id: component for id, component in self.world.components.items() if id != rulebook}
            self.group.note("the rule book is gone")
            self.group.look()

        return Slip("covered", make, self.hands, may_be_legal=True)

    def _disturb(self, component: str) -> None:
        if self.rng.random() < 0.5:
            self.push(component, self.rng.uniform(12, 50))
        else:
            self.group.note(f"{component} is taken away below it")
            self.world.take(component, "floor")

    def flipped(self) -> Slip | None:
        if not (components := self.visible_components()):
            return None
        component = self.rng.choice(components)
        return Slip("wrong side up", lambda: self.do_all([Flip(component)]), self.hands, may_be_legal=True)

    def knocked(self) -> Slip | None:
        def make() -> None:
            self.group.note("the camera is knocked")
            self.group.knock()

        return Slip("camera knocked", make, self.hands)

    def power_cut(self) -> Slip | None:
        def make() -> None:
            self.group.cut_power()
            self.group.start_camera()

        return Slip("power cut", make, self.hands)

    def undo(self) -> Slip | None:
        """The last move is undone on a phone after the cards on the table have already been moved for it."""
        if not self.group.match.can_undo:
            return None

        def make() -> None:
            self.group.note("undo on a phone")
            self.group.pause(1.0)
            self.group.table.undo(Seat(0))

        return Slip("undo after moving", make, self.hands, own_acts=1)

    def too_early(self) -> Slip | None:
        """A player lays a card before their turn has come, or while a draw is due."""
        turn, zones = self.group.state.turn, [z.name for z in self.group.mat.zones]
        seats = [s for s in range(self.group.seats) if s != turn and self.world.components_in(f"hand-{s}")]
        target = next((zone for zone in ("play", "discard") if zone in zones), None)
        if not seats or target is None:
            return None
        cards = self.world.components_in(f"hand-{self.rng.choice(seats)}")
        component = self.rng.choice(cards)
        if target == "play" and self.rng.random() < 0.5:
            target = "discard"
        unseen = "unseen" in self.group.dealers.values()  # the table can't know whose card it is
        lay = Lay(component, target)
        return Slip("too early", lambda: self.do_all([lay]), self.hands, may_be_legal=unseen, laid=(component,))

    def shown_again(self) -> Slip | None:
        """While a draw is due, the camera is shown a card that is already on the table, or a card from a hand."""
        zones = [zone.name for zone in self.group.mat.zones]
        cards = [t for t in self.visible_components() if self.world.zone_of(t) in ("discard", "errors", "uh-oh")]
        cards += [t for t in self.visible_components() if str(self.world.zone_of(t)).startswith("system-")]
        cards += [t for t, place in self.world.elsewhere.items() if place.startswith("hand-")]
        if self.group.state.turn != HOUSE or "show" not in zones or not cards:
            return None
        component = self.rng.choice(cards)
        faces = self.group.game.physical.components.faces
        picked = {move.face for move, _weight in self.group.state.chances() if isinstance(move, Pick)}
        may_be_legal = faces.get(self.hands.kinds[component]) in picked
        return Slip("too early", lambda: self.do_all([Lay(component, "show")]), self.hands, may_be_legal=may_be_legal)

    def swapped(self) -> Slip | None:
        """A card on the table and an equal one in a hand are swapped."""
        kinds, pairs = self.hands.kinds, list[tuple[str, str]]()
        for component in self.visible_components():
            if kinds[component].endswith(BACK) or not self.world.zone_of(component):
                continue
            others = (t for t, place in self.world.elsewhere.items() if place.startswith("hand-"))
            pairs += [(component, other) for other in others if kinds[other] == kinds[component]]
        if not pairs:
            return None
        lying, held = self.rng.choice(pairs)
        place, zone = self.world.place_of(held), self.world.zone_of(lying) or ""
        acts: list[HandAct] = [Take(lying, place), Lay(held, zone)]
        return Slip("copies swapped", lambda: self.do_all(acts), self.hands)


def slip_at_rest(hands: Hands, rng: Random) -> Slip | None:
    """A slip while nobody makes a move; None if none is possible."""
    return _AtRest(hands, rng).any()
