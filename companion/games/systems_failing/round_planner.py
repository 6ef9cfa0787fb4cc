"""Plans for the rest of a round of Systems Failing: which cards are repaired, by whom, and with how many actions and
cubes.

Law: pure.

A plan covers both players, since everyone sees all cubes. Values and costs are in points of damage. The weights were
tuned in some ten thousand simulated games.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from companion.games.rules import Seat
from companion.games.systems_failing.cube_multiset import NO_CUBES, Cubes
from companion.games.systems_failing.position import Position
from companion.games.systems_failing.position_parts import ACTIONS_PER_TURN

ESCAPE_VALUE: Final = 8.0
"""The value of repairing an escape sequence when the damage is 0."""
ESCAPE_URGENCY: Final = 2.0
"""The rate at which the value of an escape sequence grows with the damage. At the damage limit, the value is (1 +
ESCAPE_URGENCY) * ESCAPE_VALUE."""
LAST_ESCAPE_VALUE: Final = 100.0
"""The additional value of the last escape sequence, which wins the game."""
EXPLOSION_COST: Final = 36.0
"""The cost of losing the game to damage, in addition to the damage itself."""
DAMAGE_GROWTH: Final = 0.22
"""The weight of the squared damage in the cost of damage. Because of this term, each point of damage costs more than
the one before."""
REGION_COST: Final = 5.0
"""The cost of entering a region of the meter card in which more disasters appear."""
ZONE_VALUE: Final = {2: 1.6, 3: 0.8}
"""The value of repairing a disaster in a zone, for each point of its damage. Keys are the numbers of zones."""
CROWDING_VALUE: Final = 1.35
"""The additional value of repairing a disaster, for each other disaster in its zone. A full zone surges when one more
disaster arrives."""
BURIED_FACTOR: Final = 0.18
"""The factor by which the value of repairing a disaster is lower while an unrepaired disaster lies on top of it."""
ACTION_COST: Final = 1.0
PARTNER_ACTION_COST: Final = 1.8
"""The cost of an action of the partner. It is higher than ACTION_COST, because the partner may have another plan or
draw better cubes."""
CUBE_COST: Final = 0.55
BEAM_WIDTH: Final = 3
"""The number of plans that the beam search keeps after each step."""


@dataclass(frozen=True)
class RepairTarget:
    """A card in play that may be repaired."""

    card: str
    zone: int
    """The number of the card's zone. 0 for the escape sequence."""
    above: frozenset[str]
    """The ids of the cards that lie on top of this one."""
    damage: int
    missing: Cubes


@dataclass(frozen=True)
class Resources:
    """The cubes and actions that the player and the partner have left in this round, and the colors that their roles
    ignore."""

    pool: Cubes
    actions: int
    ignored_color: str
    partner_pool: Cubes
    partner_actions: int
    partner_ignored_color: str


@dataclass(frozen=True)
class PlannedRepair:
    """A repair: the cubes that the player and the partner put on the card, and the actions that they spend."""

    target: RepairTarget
    cubes: Cubes = NO_CUBES
    partner_cubes: Cubes = NO_CUBES
    transferred: Cubes = NO_CUBES
    """The cubes that the player first takes from the partner."""
    actions: int = 0
    partner_actions: int = 0
    uses_ability: bool = False
    """Whether the player uses the ability of their role."""

    @property
    def cost(self) -> float:
        actions = ACTION_COST * self.actions + PARTNER_ACTION_COST * self.partner_actions
        return actions + CUBE_COST * (self.cubes.total + self.partner_cubes.total)


@dataclass(frozen=True)
class Plan:
    """A plan: repairs for the rest of the round, and their results."""

    resources: Resources
    """The cubes and actions that are left after the repairs."""
    damage: int
    """The damage after this round's advance if the plan is carried out."""
    repaired: frozenset[str]
    """The ids of the cards that will be repaired by the end of the round."""
    repaired_this_turn: frozenset[str]
    """The ids of the cards that will be repaired by the end of the player's turn."""
    repairs: tuple[PlannedRepair, ...] = ()
    value: float = 0.0
    """The value of all repairs, minus their costs."""

    @property
    def estimate(self) -> float:
        """The estimated value of the best plan that extends this one. It is the value of this plan, plus half of
        ACTION_COST for each action that is left for further repairs. The search ranks plans by this estimate."""
        return self.value + ACTION_COST / 2 * (self.resources.actions + self.resources.partner_actions)

    def with_repair(self, repair: PlannedRepair, gain: float) -> Plan:
        """The plan with one more repair. `gain` is the value of this repair before its cost is subtracted."""
        resources, card = self.resources, frozenset({repair.target.card})
        left = Resources(
            resources.pool - (repair.cubes - repair.transferred),
            resources.actions - repair.actions,
            resources.ignored_color,
            resources.partner_pool - repair.partner_cubes - repair.transferred,
            resources.partner_actions - repair.partner_actions,
            resources.partner_ignored_color,
        )
        return Plan(
            left,
            self.damage - (repair.target.damage if repair.target.zone == 1 else 0),
            self.repaired | card,
            self.repaired_this_turn if repair.partner_actions else self.repaired_this_turn | card,
            (*self.repairs, repair),
            self.value + gain - repair.cost,
        )


def repair_targets(position: Position) -> list[RepairTarget]:
    """The cards in play: first the active escape sequence, then the disasters, zone by zone, from the top of each zone
    down."""
    found = list[RepairTarget]()
    if active := position.active_escape:
        found.append(RepairTarget(active.card, 0, frozenset(), 0, position.missing_cubes(active)))
    for number, zone in enumerate(position.zones, 1):
        above = frozenset[str]()
        for card in zone:
            damage = position.catalog.disasters[card.card].damage
            found.append(RepairTarget(card.card, number, above, damage, position.missing_cubes(card)))
            above |= {card.card}
    return found


def best_plan(position: Position, seat: Seat, targets: Sequence[RepairTarget]) -> Plan:
    """The plan with the highest value found by a beam search. The search adds repairs to the plans with the best
    estimates until no repair is worth its cost."""
    repaired = frozenset(target.card for target in targets if not target.missing)
    damage = position.damage + sum(target.damage for target in targets if target.zone == 1)
    best = Plan(_resources(position, seat), damage, repaired, repaired)
    plans = [best]
    while plans:
        candidates: dict[tuple[frozenset[str], int], Plan] = {}
        for plan in (longer for shorter in plans for longer in _extensions(position, targets, shorter)):
            key = (plan.repaired, plan.resources.actions)
            if key not in candidates or candidates[key].value < plan.value:
                candidates[key] = plan
        plans = sorted(candidates.values(), key=lambda plan: -plan.estimate)[:BEAM_WIDTH]
        best = max(best, *plans, key=lambda plan: plan.value) if plans else best
    return best


def _resources(position: Position, seat: Seat) -> Resources:
    partner, roles = Seat(1 - seat), position.catalog.roles
    role, partner_role = position.roles[seat], position.roles[partner]
    assert role
    assert partner_role
    return Resources(
        position.pools[seat],
        position.actions_left,
        roles[role].ignores,
        position.pools[partner],
        ACTIONS_PER_TURN if seat == position.first_player else 0,
        roles[partner_role].ignores,
    )


def _extensions(position: Position, targets: Sequence[RepairTarget], plan: Plan) -> Iterator[Plan]:
    """Yields the plans that extend `plan` by one repair that is worth its cost."""
    for target in targets:
        if target.card not in plan.repaired:
            gain = _gain(position, target, plan)
            for repair in _repairs(position, target, plan):
                if repair.cost < gain:
                    yield plan.with_repair(repair, gain)


def _repairs(position: Position, target: RepairTarget, plan: Plan) -> Iterator[PlannedRepair]:
    """Yields the ways to repair a card: by the player alone, by the player with cubes from the partner, by the partner
    alone, and by both one after the other."""
    yield from _own_repairs(position, target, plan)
    resources = plan.resources
    if resources.partner_actions:
        can_ignore = target.above <= plan.repaired
        need = target.missing
        need = need - need.only(resources.partner_ignored_color) if can_ignore else need
        lacking = need - (need & resources.partner_pool)
        if not lacking:
            yield PlannedRepair(target, partner_cubes=need, partner_actions=1)
        elif resources.actions and lacking <= resources.pool:
            yield PlannedRepair(target, cubes=lacking, partner_cubes=need - lacking, actions=1, partner_actions=1)


def _own_repairs(position: Position, target: RepairTarget, plan: Plan) -> Iterator[PlannedRepair]:
    resources = plan.resources
    if not resources.actions:
        return
    uses_ability = target.above <= plan.repaired_this_turn and resources.ignored_color in target.missing
    need = target.missing
    need = need - need.only(resources.ignored_color) if uses_ability else need
    lacking = need - (need & resources.pool)
    if not lacking:
        yield PlannedRepair(target, cubes=need, actions=1, uses_ability=uses_ability)
    elif (
        lacking.total < resources.actions
        and lacking <= resources.partner_pool
        and resources.pool.total < position.catalog.max_pool
    ):
        actions = 1 + lacking.total
        yield PlannedRepair(target, cubes=need, transferred=lacking, actions=actions, uses_ability=uses_ability)


def _gain(position: Position, target: RepairTarget, plan: Plan) -> float:
    """The value that the repair of `target` adds to `plan`, in points of damage. The cost of the repair has not been
    subtracted."""
    if target.zone == 0:
        last = 0.0 if position.escape_deck else LAST_ESCAPE_VALUE
        return ESCAPE_VALUE * (1 + ESCAPE_URGENCY * _damage_share(position)) + last
    if target.zone == 1:
        gain = _damage_cost(position, plan.damage) - _damage_cost(position, plan.damage - target.damage)
    else:
        crowding = CROWDING_VALUE * (len(position.zones[target.zone - 1]) - 1)
        gain = target.damage * ZONE_VALUE[target.zone] * (1 + _damage_share(position)) + crowding
    return gain if target.above <= plan.repaired else gain * BURIED_FACTOR


def _damage_share(position: Position) -> float:
    """The current damage as a fraction of the damage limit, from 0 to 1."""
    return position.damage / position.catalog.damage_limit


def _damage_cost(position: Position, damage: int) -> float:
    """The cost of a total damage of `damage` points. It grows faster than the damage, and jumps at each region of the
    meter card and at the explosion."""
    catalog = position.catalog
    if damage >= catalog.damage_limit:
        return EXPLOSION_COST + damage
    regions = 0 if position.is_beginner else sum(damage >= region.damage_from for region in catalog.regions[1:])
    return damage + DAMAGE_GROWTH * damage**2 + REGION_COST * regions
