"""Slips that change one of the acts of a move or a deal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

from companion.games.rules import Move, Seat
from companion.text.refusal_errors import Refusal
from tests.evenings.hand_acts import Carry, HandAct, Lay, Press, Rotate, Take, Tap
from tests.evenings.hands import Hands
from tests.evenings.simulated_group import center_of
from tests.evenings.slips import Slip, SlipMaker

ON_CARD_RATE = 0.5
"""How often hands that forget something forget a cube on a card, if they have to move one to or from there."""


class _InMove(SlipMaker):
    """Slips that change one of the acts of a move or deal."""

    def __init__(self, hands: Hands, move: Move | None, acts: list[HandAct], rng: Random) -> None:
        super().__init__(hands, rng)
        self.move, self.acts = move, acts
        self.lays = [n for n, act in enumerate(acts) if isinstance(act, Lay)]
        self.face = ""
        dealt = next((act.component for act in acts if isinstance(act, Lay | Take)), None) if move is None else None
        recycled = [act.move["cards"] for act in acts if isinstance(act, Tap) and "cards" in act.move]
        if move is None and recycled:
            self.face = " ".join(recycled[0])
        elif dealt:
            components = self.group.game.physical.components
            self.face = components.faces.get(components.kinds[dealt], "")

    def any(self) -> Slip | None:
        """A slip of any kind that is possible in this move."""
        makers: list[Callable[[], Slip | None]] = [self.forgotten, self.double]
        if self.lays:
            changed = (self.wrong_place, self.between, self.over_edge, self.askew, self.half_turn, self.neighbor)
            makers += [*changed, self.off_table, self.wrong_side, self.wrong_component, self.power_cut, self.power_cut]
        elif any(isinstance(act, Rotate) for act in self.acts):
            makers += [self.askew, self.half_turn]
        self.rng.shuffle(makers)
        return next((slip for make in makers if (slip := make())), None)

    def slip(self, kind: str, acts: Sequence[HandAct], *, legal: bool = True) -> Slip:
        laid = tuple(act.component for act in acts if isinstance(act, Lay))
        return Slip(kind, lambda: self.do_all(acts), self.hands, self.move, self.face, may_be_legal=legal, laid=laid)

    def changed(self, kind: str, change: Callable[[Lay], HandAct | None]) -> Slip | None:
        """A slip in which a component is laid in another way than planned. `change` returns the act that is done
        instead of the planned one."""
        index = self.rng.choice(self.lays)
        act = self.acts[index]
        assert isinstance(act, Lay)
        new = change(act)
        return self.slip(kind, [*self.acts[:index], new, *self.acts[index + 1 :]]) if new else None

    def wrong_place(self) -> Slip | None:
        return self.changed("wrong place", lambda act: replace(act, zone=self.other_zone(act.zone).name))

    def between(self) -> Slip | None:
        def change(act: Lay) -> HandAct | None:
            point = self.point_between(center_of(self.group.mat.zone(act.zone)))
            return replace(act, point=self.center_for_code(act.component, point, act.angle or 0)) if point else None

        return self.changed("between places", change)

    def over_edge(self) -> Slip | None:
        def change(act: Lay) -> HandAct:
            point = self.point_over_edge(self.group.mat.zone(act.zone))
            return replace(act, point=self.center_for_code(act.component, point, act.angle or 0))

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
            new: HandAct = replace(act, degrees=act.degrees + degrees)
        else:
            assert isinstance(act, Lay)
            new = replace(act, angle=(act.angle or 0) + degrees)
        return self.slip(kind, [*self.acts[:index], new, *self.acts[index + 1 :]])

    def neighbor(self) -> Slip | None:
        """While a component is laid, the sleeve drags along a component nearby."""
        act = self.acts[self.lays[-1]]
        assert isinstance(act, Lay)
        here = center_of(self.group.mat.zone(act.zone))
        near = [t for t in self.visible_components() if t != act.component and t not in self._laid_components()]
        near = [t for t in near if math.dist(self.world.lying[t].center, here) < 160]
        if not near:
            return None
        victim = self.rng.choice(near)

        def make() -> None:
            for each in self.acts:
                if each is act:
                    self.push(victim, self.rng.uniform(15, 60))
                self.group.do(each)

        laid = self._laid_components()
        return Slip("neighbor dragged", make, self.hands, self.move, self.face, may_be_legal=True, laid=laid)

    def _laid_components(self) -> tuple[str, ...]:
        return tuple(act.component for act in self.acts if isinstance(act, Lay))

    def off_table(self) -> Slip | None:
        return self.changed("off the table", lambda act: Take(act.component, "floor"))

    def wrong_side(self) -> Slip | None:
        return self.changed("wrong side up", lambda act: replace(act, face_up=not act.face_up))

    def wrong_component(self) -> Slip | None:
        """Another card of the same hand, or another piece, is laid."""

        def change(act: Lay) -> HandAct | None:
            place = self.world.place_of(act.component)
            if place == "table":
                size = self.world.components[act.component].width
                others = [
                    t
                    for t in self.visible_components()
                    if t != act.component and self.world.components[t].width == size
                ]
            else:
                others = [t for t in self.world.components_in(place) if t != act.component]
            return replace(act, component=self.rng.choice(others)) if others and not place.startswith("deck") else None

        return self.changed("wrong component", change)

    def power_cut(self) -> Slip | None:
        """The power is cut while a component is in the air, or between the two halves of a move."""
        index = self.rng.choice(self.lays)
        act = self.acts[index]
        assert isinstance(act, Lay)

        def make() -> None:
            self.do_all(self.acts[:index])
            if (place := self.world.place_of(act.component)) not in ("table", "air", "floor"):
                self.group.origins[act.component] = place
            self.world.take(act.component, "air")
            if self.rng.random() < 0.6:
                self.group.look()
            self.group.cut_power()
            self.group.start_camera()
            self.group.pause(1.0)
            self.do_all(self.acts[index:])

        laid = self._laid_components()
        return Slip("power cut", make, self.hands, self.move, self.face, may_be_legal=True, laid=laid)

    def forgotten(self) -> Slip | None:
        """The move is made, but one of the acts that tidy the mat afterwards is forgotten."""
        if any(isinstance(act, Carry) for act in self.acts) and self.rng.random() < 0.5:
            rest = [act for act in self.acts if not isinstance(act, Carry)]
            return self.slip("forgotten cube", rest) if rest else None
        slip = self.slip("forgotten act", ())

        def make() -> None:
            self.do_all(self.acts)
            self.do_all(self.hands.after_deal())
            tidying, on_cards = self.hands.acts_on_mat(), self.hands.field_rng.random() < ON_CARD_RATE
            forgotten = self.rng.randrange(len(tidying)) if tidying else 0
            if on_cards and self._forget_cube_of_card(tidying):
                slip.kind = "forgotten cube on a card"
                return
            if tidying:
                self.group.note(f"forgotten: {tidying[forgotten]}")
                slip.kind = "forgotten cube" if isinstance(tidying[forgotten], Carry) else slip.kind
                self.do_all([*tidying[:forgotten], *tidying[forgotten + 1 :]])
            self.hands.do_field_acts(self.hands.field_acts())

        slip.make = make
        return slip

    def _forget_cube_of_card(self, tidying: Sequence[HandAct]) -> bool:
        """Tidies the mat, but a cube that belongs on a card goes back to the bag, or one stays there. Returns False
        without doing anything if no cube has to be moved to or from a card."""
        rng, fields = self.hands.field_rng, self.world.fields
        put = [act for act in tidying if isinstance(act, Carry) and act.target in fields]
        taken = self.hands.field_acts()
        if not put and not taken:
            return False
        forgotten = rng.choice(put or taken)
        self.group.note(f"forgotten on a card: {forgotten}")
        self.do_all([replace(act, target="supply") if act is forgotten else act for act in tidying])
        if not put:
            self.hands.do_field_acts([act for act in self.hands.field_acts() if act != forgotten])
        return True

    def double(self) -> Slip | None:
        """A button is pressed twice, or a phone is tapped twice."""
        pressed = next((act for act in self.acts if isinstance(act, Press | Tap)), None)
        if pressed is None:
            return None

        def make() -> None:
            for act in self.acts:
                self.group.do(act)
                if act is pressed:
                    self.group.pause(0.3)
                    self._again(act)

        is_button = isinstance(pressed, Press)
        return Slip(
            "double press", make, self.hands, self.move, self.face, may_be_legal=True, is_pressed_again=is_button
        )

    def _again(self, act: HandAct) -> None:
        if isinstance(act, Press):
            self.group.note("pressed again")
            self.group.press(act)  # at once: a second press after a pause is a press of its own
        elif isinstance(act, Tap) and act.seat is not None:
            self.group.note("tapped again")
            try:
                version = self.group.match.version - 1
                self.group.table.submit(Seat(act.seat), dict(act.move), version)
            except Refusal as refusal:
                self.group.note(f"   refused: {refusal}")


def slip_in_move(hands: Hands, move: Move | None, acts: list[HandAct], rng: Random) -> Slip | None:
    """A slip in a move or a deal that the hands are about to make; None if none is possible."""
    return _InMove(hands, move, acts, rng).any()
