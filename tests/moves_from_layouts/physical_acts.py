"""The physical acts of a move: what hands must do on the mat to get from the layout before it to the layout after it.

Law: nothing here knows a single move or game. So the acts show what the layouts declare.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from companion.games.rules import REFEREE, Move
from companion.match.journal import Journal
from companion.table.table import Table
from companion.tabletop.expected_layout import Layout
from tests.evenings.hand_acts import Carry, Flip, HandAct, Lay, PhysicalAct, Rotate, Take
from tests.evenings.hands import Hands
from tests.evenings.layout_differences import Difference
from tests.evenings.simulated_group import SimulatedGroup
from tests.evenings.world import Lying

SUPPLY = "supply"
"""Where all cubes are that no camera counts."""


class PlanningGroup(SimulatedGroup):
    """A group whose hands can also plan for a layout that the match has not reached. The journal is in memory, so that
    each copy of the process has its own."""

    _planned: Layout | None = None

    def _open_table(self) -> Table:
        self.journal = Journal(None)
        return Table(self.journal, clock=self.clock)

    @property
    def layout(self) -> Layout:
        return self._planned or super().layout

    def do_all(self, acts: Sequence[HandAct]) -> None:
        again, kinds = _laid_again(acts, self), self.game.physical.components.kinds
        new = {(kinds[act.component], act.zone) for act in acts if isinstance(act, Lay) and act not in again}
        needless = [act for act in again if (kinds[act.component], act.zone) in new]
        super().do_all([act for act in acts if act not in needless])

    @contextmanager
    def planning(self, layout: Layout) -> Iterator[None]:
        """A block in which hands take this layout for that of the match."""
        self._planned = layout
        try:
            yield
        finally:
            self._planned = None

    def differences(self) -> list[Difference]:
        return self._compare()


def layout_after(group: SimulatedGroup, move: Move) -> Layout:
    """The layout after a legal move. If the discards become the new deck, they stay where they are, and the card that
    the move names comes on top: they are shuffled after the move."""
    before, after = group.layout, group.game.physical.layout(group.state.play(move), REFEREE)
    emptied = {place: kinds for place, kinds in before.cards.items() if kinds and not after.cards.get(place)}
    recycled = {place: kinds for place, kinds in emptied.items() if not any(map(after.place_of, kinds))}
    named = group.game.physical.component_of(move)
    return replace(after, cards={**after.cards, **{place: (named, *kinds) for place, kinds in recycled.items()}})


def acts_of(hands: Hands, move: Move) -> list[PhysicalAct]:
    """The physical acts of a legal move, each with one component or one cube."""
    group = hands.group
    assert isinstance(group, PlanningGroup)
    with group.planning(layout_after(group, move)):
        acts = hands.acts_on_mat()
        needless = _laid_again(acts, group)
        on_mat = (act for act in acts if isinstance(act, Lay | Take | Rotate | Flip) and act not in needless)
        return [*on_mat, *_carries(group)]


def _laid_again(acts: Sequence[HandAct], group: SimulatedGroup) -> list[Lay]:
    """The acts that lay a card on its own pile again. Hands plan them because the card that belongs on top is not there
    yet, or because what covers it has not been taken yet."""
    world, zones = group.world, {zone.name: zone for zone in group.mat.zones}
    laid = [act for act in acts if isinstance(act, Lay) and act.component in world.lying]
    return [act for act in laid if world.zone_of(act.component) == act.zone and zones[act.zone].order == "pile"]


def _carries(group: SimulatedGroup) -> Iterator[Carry]:
    """Yields an act for each cube that must change its place."""
    world, colors = group.world, group.mat.token_colors
    places = {*(colors.areas if colors else ()), *world.fields} if world.tokens else set[str]()
    missing = {place: Counter(group.layout.tokens_in(place)) for place in sorted(places)}
    for place, counts in missing.items():
        counts.subtract(world.counted(place))
    for kind in sorted({kind for counts in missing.values() for kind in counts}):
        givers = [place for place, counts in missing.items() for _ in range(-counts[kind])]
        takers = [place for place, counts in missing.items() for _ in range(counts[kind])]
        longer = max(len(givers), len(takers))
        givers += [SUPPLY] * (longer - len(givers))
        takers += [SUPPLY] * (longer - len(takers))
        yield from (Carry(kind, giver, taker) for giver, taker in zip(givers, takers, strict=True))


@dataclass(frozen=True)
class Reversible:
    """An act, with what is needed to take it back: how and where its component was before."""

    act: PhysicalAct
    lying: Lying | None
    place: str

    @classmethod
    def of(cls, act: PhysicalAct, group: SimulatedGroup) -> Reversible:
        """An act that is about to be done."""
        if isinstance(act, Carry):
            return cls(act, None, "")
        lying = group.world.lying.get(act.component)
        return cls(act, lying, group.world.place_of(act.component))

    def inverse(self) -> HandAct:
        """The act that takes this act back."""
        match self.act:
            case Carry(kind, source, target, count):
                return Carry(kind, target, source, count)
            case Flip():
                return self.act
            case Rotate(component) if self.lying:
                return Rotate(component, self.lying.angle)
            case Lay(component=component) | Take(component=component) | Rotate(component=component):
                if self.lying is None:
                    return Take(component, self.place)
                return Lay(component, "", self.lying.angle, self.lying.face_up, self.lying.center)
        raise AssertionError(self.act)
