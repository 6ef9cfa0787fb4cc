"""A careful player of Systems Failing, for simulation; it knows the seat's view and nothing else.

Before each action it plans the rest of the round for both players, whose cubes all can see: which cards are
repaired, by whom, for how many actions and cubes. Then it does its own part of that plan. Actions to spare go
into scavenging first, since more cubes make a better plan; the last ones put cubes where they stay, for pools are
filled up to six for nothing and a cube kept is a cube not drawn.

The weights are in points of damage; they were found by playing some ten thousand games.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from companion.games.rules import Move, Seat
from companion.games.systems_failing.catalog import catalog
from companion.games.systems_failing.cubes import NO_CUBES, WHITE, Cubes, cubes_of
from companion.games.systems_failing.moves import Discard, EndTurn, Repair, Return, Scavenge, Transfer
from companion.games.systems_failing.position_types import ACTIONS

View = Mapping[str, Any]

ESCAPE: Final = 8.0
RACE: Final = 2.0
"""How much dearer escape sequences get as the core fails."""
LAST_ESCAPE: Final = 100.0
EXPLOSION: Final = 36.0
WORN: Final = 0.22
"""Each further point of damage costs this much more than the one before, twice."""
REGION: Final = 5.0
"""Reaching a region of the meter card that draws more disasters."""
FAR: Final = {2: 1.6, 3: 0.8}
"""A point of damage that is still in this zone."""
CROWD: Final = 1.35
"""Each disaster that a new one finds in its zone brings a surge nearer."""
BURIED: Final = 0.18
ACTION: Final = 1.0
OTHERS_ACTION: Final = 1.8
"""The other may see it differently, or draw better cubes."""
CUBE: Final = 0.55
SCAVENGED: Final = 7.68
KEPT: Final = 0.8
"""A cube more at the beginning of the next turn."""
ON_ESCAPE: Final = 0.84
ON_DISASTER: Final = 0.35
JUNK: Final = 0.5
SURGE: Final = 0.12
PLANS: Final = 3
"""How many plans are thought through side by side."""


@dataclass(frozen=True)
class Open:
    """A card in play: `zone` 0 is the escape sequence's, `above` are the cards that lie on it."""

    card: str
    zone: int
    above: frozenset[str]
    damage: int
    missing: Cubes


@dataclass(frozen=True)
class Means:
    """What this player and the other can still spend in this round."""

    pool: Cubes
    actions: int
    ignores: str
    others_pool: Cubes
    others_actions: int
    other_ignores: str


@dataclass(frozen=True)
class Job:
    """A repair: what this player and the other put on the card, the cubes handed over before, and the actions."""

    open: Open
    mine: Cubes = NO_CUBES
    others: Cubes = NO_CUBES
    handed: Cubes = NO_CUBES
    actions: int = 0
    others_actions: int = 0
    ability: bool = False

    @property
    def cost(self) -> float:
        """What it takes, against what it gains."""
        spent = ACTION * self.actions + OTHERS_ACTION * self.others_actions
        return spent + CUBE * (self.mine.total + self.others.total)


@dataclass(frozen=True)
class Plan:
    """Jobs for the rest of the round, and what is left of the means after them."""

    means: Means
    core: int
    """The damage after this round's move."""
    repaired: frozenset[str]
    mine_repaired: frozenset[str]
    """Those that are repaired when this player's turn ends."""
    jobs: tuple[Job, ...] = ()
    worth: float = 0.0

    @property
    def promise(self) -> float:
        """Its worth, and half of an action's for each that is left."""
        return self.worth + 0.5 * (self.means.actions + self.means.others_actions)

    def with_job(self, job: Job, gain: float) -> Plan:
        """This plan and one job more."""
        means, card = self.means, frozenset({job.open.card})
        left = Means(
            means.pool - (job.mine - job.handed),
            means.actions - job.actions,
            means.ignores,
            means.others_pool - job.others - job.handed,
            means.others_actions - job.others_actions,
            means.other_ignores,
        )
        return Plan(
            left,
            self.core - (job.open.damage if job.open.zone == 1 else 0),
            self.repaired | card,
            self.mine_repaired if job.others_actions else self.mine_repaired | card,
            (*self.jobs, job),
            self.worth + gain - job.cost,
        )


def careful(view: dict[str, Any], seat: Seat, legal: Sequence[Move], rng: Random) -> Move:
    """What the best plan has this player do now, or the best use of an action to spare."""
    cards = _cards_in_play(view)
    if isinstance(legal[0], Return):
        return min(legal, key=lambda move: _wanted(cards, move.cubes) if isinstance(move, Return) else 0.0)
    plan = _best_plan(view, cards, _means(view, seat))
    own = [job for job in plan.jobs if job.actions]
    spare = _best_spare(view, cards, plan, legal)
    if own and not isinstance(spare, Scavenge):
        return _part(own[0], legal)
    return spare


def _part(job: Job, legal: Sequence[Move]) -> Move:
    """This player's next action of a job: a transfer as long as cubes are missing, then the repair."""
    for move in legal:
        match move:
            case Transfer(color=color) if color in job.handed:
                return move
            case Repair(card=job.open.card, ability=job.ability, cubes=cubes) if (
                not job.handed and cubes_of(cubes) == job.mine
            ):
                return move
    raise AssertionError(f"{job} is not legal")


# Reading the view -------------------------------------------------------------------------------------


def _cards_in_play(view: View) -> list[Open]:
    cards, found = catalog(), list[Open]()
    if active := view["escape"]["active"]:
        missing = cards.needs_cubes(active) - Cubes(view["escape"]["placed"])
        found.append(Open(active, 0, frozenset(), 0, missing))
    for zone in (1, 2, 3):
        above = frozenset[str]()
        for laid in view["zones"][str(zone)]:
            card = laid["card"]
            missing = cards.needs_cubes(card) - Cubes(laid["placed"])
            found.append(Open(card, zone, above, cards.disasters[card].damage, missing))
            above |= {card}
    return found


def _means(view: View, seat: Seat) -> Means:
    other, roles = 1 - seat, catalog().roles
    return Means(
        Cubes(view["pools"][seat]),
        view["actions_left"],
        roles[view["roles"][seat]].ignores,
        Cubes(view["pools"][other]),
        ACTIONS if seat == view["first"] else 0,
        roles[view["roles"][other]].ignores,
    )


def _wanted(cards: Sequence[Open], cubes: Sequence[str]) -> float:
    """How much the cards in play want these cubes: 1 for an escape sequence, less for a disaster."""
    return sum(0.125 * card.damage if card.zone else 1.0 for color in cubes for card in cards if color in card.missing)


# Planning ---------------------------------------------------------------------------------------------


def _best_plan(view: View, cards: Sequence[Open], means: Means) -> Plan:
    """Adds jobs to the most promising plans, one at a time, until none is worth its cost."""
    repaired = frozenset(card.card for card in cards if not card.missing)
    core = view["damage"] + sum(card.damage for card in cards if card.zone == 1)
    best = Plan(means, core, repaired, repaired)
    plans = [best]
    while plans:
        longer: dict[tuple[frozenset[str], int], Plan] = {}
        for plan in (more for shorter in plans for more in _longer(view, cards, shorter)):
            alike = (plan.repaired, plan.means.actions)
            if alike not in longer or longer[alike].worth < plan.worth:
                longer[alike] = plan
        plans = sorted(longer.values(), key=lambda plan: -plan.promise)[:PLANS]
        best = max(best, *plans, key=lambda plan: plan.worth) if plans else best
    return best


def _longer(view: View, cards: Sequence[Open], plan: Plan) -> Iterator[Plan]:
    for card in cards:
        if card.card not in plan.repaired:
            gain = _gain(view, card, plan)
            for job in _jobs(card, plan):
                if job.cost < gain:
                    yield plan.with_job(job, gain)


def _jobs(card: Open, plan: Plan) -> Iterator[Job]:
    """The ways to repair a card: alone, with cubes from the other, by the other, or one after the other."""
    means = plan.means
    if means.actions:
        ability = card.above <= plan.mine_repaired and means.ignores in card.missing
        need = card.missing - card.missing.only(means.ignores) if ability else card.missing
        lacking = need - (need & means.pool)
        if not lacking:
            yield Job(card, mine=need, actions=1, ability=ability)
        elif lacking.total < means.actions and lacking <= means.others_pool and means.pool.total < catalog().at_most:
            yield Job(card, mine=need, handed=lacking, actions=1 + lacking.total, ability=ability)
    if means.others_actions:
        ability = card.above <= plan.repaired
        need = card.missing - card.missing.only(means.other_ignores) if ability else card.missing
        lacking = need - (need & means.others_pool)
        if not lacking:
            yield Job(card, others=need, others_actions=1)
        elif means.actions and lacking <= means.pool:
            yield Job(card, mine=lacking, others=need - lacking, actions=1, others_actions=1)


def _gain(view: View, card: Open, plan: Plan) -> float:
    """What a repair is worth."""
    if card.zone == 0:
        return ESCAPE * (1 + RACE * _frailty(view)) + (0.0 if view["escape"]["left"] else LAST_ESCAPE)
    if card.zone == 1:
        gain = _harm(view, plan.core) - _harm(view, plan.core - card.damage)
    else:
        crowd = CROWD * (len(view["zones"][str(card.zone)]) - 1)
        gain = card.damage * FAR[card.zone] * (1 + _frailty(view)) + crowd
    return gain if card.above <= plan.repaired else gain * BURIED


def _frailty(view: View) -> float:
    """How much of what the core can take is spent."""
    return float(view["damage"] / catalog().damage_explodes_at)


def _harm(view: View, damage: int) -> float:
    """How bad it is for the core to have taken this damage."""
    cards = catalog()
    if damage >= cards.damage_explodes_at:
        return EXPLOSION + damage
    regions = 0 if view["side"] == "beginner" else sum(damage >= region.damage_from for region in cards.regions[1:])
    return damage + WORN * damage**2 + REGION * regions


# Actions to spare -------------------------------------------------------------------------------------


def _best_spare(view: View, cards: Sequence[Open], plan: Plan, legal: Sequence[Move]) -> Move:
    """The best that can be done without hindering the plan; ending the turn if nothing is worth anything."""
    end = next(move for move in legal if isinstance(move, EndTurn))
    if not plan.means.actions:
        return end
    return max((end, *legal), key=lambda move: _spare(view, cards, plan, move))


def _spare(view: View, cards: Sequence[Open], plan: Plan, move: Move) -> float:
    pool = plan.means.pool
    match move:
        case Repair(ability=False, cubes=cubes) if cubes_of(cubes) <= pool:
            return _placing(next(card for card in cards if card.card == move.card), plan, len(cubes))
        case Scavenge():
            return _scavenging(view, plan)
        case Discard() if view["actions_left"] == 1:
            useful = sum(min(1.0, 0.7 * _wanted(cards, (color,))) for color in pool.listed())
            return KEPT * (6 - _next_turn(pool.total)) + JUNK * (min(6, pool.total) - useful)
    return 0.0


def _placing(card: Open, plan: Plan, count: int) -> float:
    """Cubes put on a card that they don't repair: they stay there, and the pool is filled up again."""
    if card.zone == 1 or card.card in plan.mine_repaired or any(job.actions for job in plan.jobs if job.open is card):
        return 0.0
    left = plan.means.pool.total
    more = KEPT * (count + _next_turn(left - count) - _next_turn(left))
    if card.zone == 0:
        return ON_ESCAPE * count + more
    return ON_DISASTER * count * card.damage / (1 + card.missing.total - count) + more


def _scavenging(view: View, plan: Plan) -> float:
    white = view["bag"].get(WHITE, 0) / sum(view["bag"].values())
    colored = 2 * (1 - white)
    left = plan.means.pool.total
    last = plan.means.actions == 1
    gain = KEPT * (_next_turn(left + colored) - _next_turn(left)) if last else SCAVENGED * colored
    return float(gain - 2 * white * _surge(view))


def _next_turn(cubes: float) -> float:
    """How many cubes a pool holds after stocking up."""
    return max(catalog().stock_up_to, min(catalog().at_most, cubes))


def _surge(view: View) -> float:
    """What a surge would cost now."""
    for number in ("3", "2", "1"):
        if zone := view["zones"][number]:
            bottom = zone[-1]
            damage = catalog().disasters[bottom["card"]].damage
            if number != "1":
                return SURGE * damage + 0.3 * Cubes(bottom["placed"]).total
            explodes = view["damage"] + damage >= catalog().damage_explodes_at
            return 2 * SURGE * damage + (EXPLOSION if explodes else 0.0)
    return 0.0
